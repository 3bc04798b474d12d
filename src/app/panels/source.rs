//! The file at the selected thing: numbered lines, the place marked, changed lines marked. Only the lines in view (and
//! some around them) are in the page, so that a file of any size opens at once.

use crate::app::desk::desk;
use crate::app::panels::words;
use crate::app::widgets::windowed::{height, line_at, offset, scroll_to, wanted};
use crate::protocol::request::SourceAt;
use crate::protocol::views::SourceView;
use crate::protocol::{RequestBody, ResponseBody};
use leptos::html;
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen_futures::spawn_local;

/// More characters of a line than this are not shown: a line can be a whole icon.
const LINE_LIMIT: usize = 2_000;
/// Lines asked for before it is known how high the view is.
const FIRST_LINES: u32 = 120;

#[component]
pub fn Source() -> impl IntoView {
    let desk = desk();
    let scroller = NodeRef::<html::Div>::new();
    let part = RwSignal::new(Arc::new(SourceView::default()));
    let scrolled = RwSignal::new((0.0, 600.0));
    // Where to scroll once the first lines of a place are there.
    let jump = RwSignal::new(None::<u32>);
    let ticket = StoredValue::new(0u64);

    let load = move |first: u32, count: u32| {
        let place = desk.place.get_untracked();
        if place.file.is_empty() {
            return;
        }
        ticket.update_value(|ticket| *ticket += 1);
        let mine = ticket.get_value();
        spawn_local(async move {
            let body = RequestBody::Source { root: place.root, file: place.file, at: SourceAt::Lines { first, count } };
            let Some(answer) = desk.ask(body).await else { return };
            if ticket.try_get_value() != Some(mine) {
                return;
            }
            match answer.body {
                ResponseBody::Source(view) => part.set(Arc::new(*view)),
                ResponseBody::Failed { message } => desk.toasts.error(message),
                _ => {}
            }
        });
    };

    Effect::new(move |_| {
        let place = desk.place.get();
        let first = place.line.saturating_sub(FIRST_LINES / 2).max(1);
        jump.set(Some(place.line));
        load(first, FIRST_LINES);
    });
    // After an edit the text is another one.
    let revision = Memo::new(move |_| desk.status.with(|status| status.revision));
    Effect::new(move |before: Option<u64>| {
        let now = revision.get();
        if before.is_some_and(|before| before != now) {
            let (top, view) = scrolled.get_untracked();
            let total = part.with_untracked(|part| part.total_lines);
            let (first, count) = wanted(line_at(top, view, total), view, total);
            load(first, count);
        }
        now
    });
    Effect::new(move |_| {
        let total = part.with(|part| part.total_lines);
        if let (Some(line), Some(element), true) = (jump.get_untracked(), scroller.get(), total > 0) {
            jump.set(None);
            let view = f64::from(element.client_height());
            request_animation_frame(move || element.set_scroll_top(scroll_to(line, view, total) as i32));
        }
    });

    let on_scroll = move |_| {
        let Some(element) = scroller.get_untracked() else { return };
        let (top, view) = (f64::from(element.scroll_top()), f64::from(element.client_height()));
        scrolled.set((top, view));
        let (total, have_first, have) =
            part.with_untracked(|part| (part.total_lines, part.first, part.lines.len() as u32));
        let line = line_at(top, view, total);
        let in_view = (view / crate::app::widgets::windowed::LINE).ceil() as u32;
        let missing_above = line < have_first;
        let missing_below = (line + in_view).min(total) > (have_first + have).saturating_sub(1);
        if total > 0 && (missing_above || missing_below) {
            let (first, count) = wanted(line, view, total);
            load(first, count);
        }
    };

    let total = move || part.with(|part| part.total_lines);
    let is_empty = move || desk.place.with(|place| place.file.is_empty());
    view! {
        <Show
            when=move || !is_empty()
            fallback=|| {
                view! { <p class="source-none">"Select something, then its lines are shown here."</p> }
            }
        >
            <div class="source">
                <div class="source-head">
                    <span class="source-file">{move || desk.place.with(|place| place.file.clone())}</span>
                    <span class="dim">
                        {move || {
                            let changed = part.with(|part| part.changed_lines.len() as u32);
                            let lines = words::count(total(), "line");
                            if changed > 0 { format!("{lines} · {changed} changed in view") } else { lines }
                        }}
                    </span>
                </div>
                <div
                    class="source-scroll"
                    node_ref=scroller
                    role="region"
                    tabindex="0"
                    aria-label=move || format!("Source of {}", desk.place.with(|place| place.file.clone()))
                    on:scroll=on_scroll
                >
                    <div class="source-height" style:height=move || format!("{}px", height(total()))>
                        <div
                            class="source-lines"
                            style:transform=move || {
                                let (top, view) = scrolled.get();
                                let first = part.with(|part| part.first);
                                format!("translateY({}px)", offset(first, top, view, total()))
                            }
                        >
                            {move || {
                                let place = desk.place.get();
                                part.with(|part| lines(part, place.line, place.end_line))
                            }}
                        </div>
                    </div>
                </div>
            </div>
        </Show>
    }
}

fn lines(part: &SourceView, line: u32, end_line: u32) -> impl IntoView + use<> {
    part.lines
        .iter()
        .zip(part.first..)
        .map(|(text, number)| {
            let is_here = (line..=end_line.max(line)).contains(&number);
            let is_changed = part.changed_lines.binary_search(&number).is_ok();
            view! {
                <div
                    class="source-line"
                    data-here=is_here.then_some("true")
                    data-changed=is_changed.then_some("true")
                >
                    <span class="source-number">{number}</span>
                    <span class="source-text">{shortened(text)}</span>
                </div>
            }
        })
        .collect_view()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LINE_LIMIT) {
        Some((at, _)) => format!("{} … {} more", &text[..at], words::bytes((text.len() - at) as u64)),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_an_icon_is_cut_between_characters() {
        let line = "é".repeat(LINE_LIMIT + 10);
        let shown = shortened(&line);
        assert!(shown.starts_with("éé") && shown.ends_with("… 20 B more"), "{shown}");
        assert_eq!(shortened("a: b"), "a: b");
    }
}

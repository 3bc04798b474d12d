//! The file at the selected thing: numbered lines, the place marked, changed lines marked. Only the lines in view (and
//! some around them) are in the page, so that a file of any size opens at once.

use crate::app::desk::desk;
use crate::app::panels::words;
use crate::app::state::session::{SOURCE_LINES, SourcePlace};
use crate::app::widgets::windowed::{LINE, height, line_at, offset, scroll_to};
use crate::protocol::views::SourceView;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// More characters of a line than this are not shown: a line can be a whole icon.
const LINE_LIMIT: usize = 2_000;

#[component]
pub fn Source() -> impl IntoView {
    let desk = desk();
    let scroller = NodeRef::<html::Div>::new();
    let part = Signal::derive(move || desk.session.source.get().unwrap_or_default());
    let place = Signal::derive(move || desk.session.source_place.get().unwrap_or_default());
    let scrolled = RwSignal::new((0.0, 600.0));
    // The place that was scrolled to already.
    let jumped = StoredValue::new(SourcePlace::default());

    // What is in view and not here is asked for; also after an edit, which brings the lines around the place.
    let ensure = move || {
        let (top, view) = scrolled.get_untracked();
        let (total, have_first, have) =
            part.with_untracked(|part| (part.total_lines, part.first, part.lines.len() as u32));
        let line = line_at(top, view, total);
        let in_view = (view / LINE).ceil() as u32;
        let is_missing = line < have_first || (line + in_view).min(total + 1) > have_first + have;
        if total > 0 && is_missing {
            spawn_local(desk.session.show_source_lines(line.saturating_sub(SOURCE_LINES / 2)));
        }
    };
    Effect::new(move |_| {
        let (total, place) = (part.with(|part| part.total_lines), place.get());
        let Some(element) = scroller.get() else { return };
        if total > 0 && jumped.get_value() != place && part.with(|part| part.file == place.file) {
            jumped.set_value(place.clone());
            let view = f64::from(element.client_height());
            request_animation_frame(move || {
                let top = scroll_to(place.line, view, total);
                element.set_scroll_top(top as i32);
                scrolled.set((top, view));
            });
        } else {
            ensure();
        }
    });
    let on_scroll = move |_| {
        if let Some(element) = scroller.get_untracked() {
            scrolled.set((f64::from(element.scroll_top()), f64::from(element.client_height())));
            ensure();
        }
    };

    let total = move || part.with(|part| part.total_lines);
    let is_empty = move || place.with(|place| place.file.is_empty());
    view! {
        <Show
            when=move || !is_empty()
            fallback=|| {
                view! { <p class="source-none">"Select something, then its lines are shown here."</p> }
            }
        >
            <div class="source">
                <div class="source-head">
                    <span class="source-file">{move || place.with(|place| place.file.clone())}</span>
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
                    aria-label=move || format!("Source of {}", place.with(|place| place.file.clone()))
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
                                let place = place.get();
                                part.with(|part| lines(part, place.line, place.end_line))
                            }}
                        </div>
                    </div>
                </div>
            </div>
        </Show>
    }
    .into_any()
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

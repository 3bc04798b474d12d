//! The file at the selected thing: numbered lines, the place marked, changed lines marked. Only the lines in view (and
//! some around them) are in the page, so that a file of any size opens at once.

use crate::app::desk::{Desk, desk};
use crate::app::panels::words;
use crate::app::state::session::{SOURCE_LINES, SourcePlace};
use crate::app::widgets::icon::{Glyph, Icon};
use crate::app::widgets::windowed::{LINE, height, line_at, offset, scroll_to};
use crate::fbc::diagnostic::Severity;
use crate::protocol::views::{LineMark, SourceView};
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
                                part.with(|part| lines(desk, part, place.line, place.end_line))
                            }}
                        </div>
                    </div>
                </div>
            </div>
        </Show>
    }
    .into_any()
}

fn lines(desk: Desk, part: &SourceView, line: u32, end_line: u32) -> impl IntoView + use<> {
    part.lines
        .iter()
        .zip(part.first..)
        .map(|(text, number)| {
            let is_here = (line..=end_line.max(line)).contains(&number);
            let is_changed = part.changed_lines.binary_search(&number).is_ok();
            let from = part.problems.partition_point(|mark| mark.location.line < number);
            let to = part.problems.partition_point(|mark| mark.location.line <= number);
            let marks = part.problems.get(from..to).unwrap_or_default();
            view! {
                <div
                    class="source-line"
                    data-here=is_here.then_some("true")
                    data-changed=is_changed.then_some("true")
                >
                    <span class="source-number">{sign(desk, marks)} {number}</span>
                    <span class="source-text">{underlined(&shortened(text), marks)}</span>
                    {(!marks.is_empty()).then(|| view! { <span class="source-message" aria-hidden="true">{messages(marks)}</span> })}
                </div>
            }
        })
        .collect_view()
}

/// The sign of the worst problem of a line, beside its number. It says the messages, also to who comes by key.
fn sign(desk: Desk, marks: &[LineMark]) -> Option<impl IntoView + use<>> {
    let worst = marks.iter().min_by_key(|mark| mark.severity)?.clone();
    let (tone, icon) = match worst.severity {
        Severity::Error => ("error", Icon::Error),
        Severity::Warning => ("advice", Icon::Warning),
        Severity::Info => ("info", Icon::Info),
    };
    let says = messages(marks);
    let by_key = worst.clone();
    Some(view! {
        <span
            class="source-sign mark"
            data-tone=tone
            role="note"
            tabindex="0"
            aria-label=says.clone()
            title=says
            on:click=move |_| desk.open_problem_at(&worst)
            on:keydown=move |event| {
                if event.key() == "Enter" {
                    event.prevent_default();
                    desk.open_problem_at(&by_key);
                }
            }
        >
            <Glyph icon=icon/>
        </span>
    })
}

fn messages(marks: &[LineMark]) -> String {
    let plain = |text: &str| text.chars().filter(|c| *c != '`').collect::<String>();
    marks.iter().map(|mark| plain(&mark.message)).collect::<Vec<_>>().join(" · ")
}

fn underlined(text: &str, marks: &[LineMark]) -> impl IntoView + use<> {
    parts(text, marks)
        .into_iter()
        .map(|(part, severity)| match severity {
            None => part.into_any(),
            Some(severity) => {
                let tone = if severity == Severity::Error { "error" } else { "advice" };
                view! { <span class="source-wrong" data-tone=tone>{part}</span> }.into_any()
            }
        })
        .collect_view()
}

/// A line cut where problems begin and end, each part with the worst of them. What goes on over further lines is
/// underlined to the end of its first.
fn parts(text: &str, marks: &[LineMark]) -> Vec<(String, Option<Severity>)> {
    if marks.is_empty() {
        return vec![(text.to_owned(), None)];
    }
    let letters: Vec<char> = text.chars().collect();
    let count = letters.len();
    let mut worst: Vec<Option<Severity>> = vec![None; count];
    for mark in marks {
        let place = &mark.location;
        let from = (place.column.max(1) as usize - 1).min(count);
        let to = if place.end_line > place.line { count } else { (place.end_column.max(1) as usize - 1).min(count) };
        for severity in worst.get_mut(from..to.max((from + 1).min(count))).unwrap_or_default() {
            *severity = Some(severity.map_or(mark.severity, |known| known.min(mark.severity)));
        }
    }
    let mut out: Vec<(String, Option<Severity>)> = Vec::new();
    for (letter, severity) in letters.into_iter().zip(worst) {
        match out.last_mut() {
            Some((part, known)) if *known == severity => part.push(letter),
            _ => out.push((letter.to_string(), severity)),
        }
    }
    out
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
    use crate::fbc::diagnostic::Location;

    fn mark(severity: Severity, column: u32, end_column: u32) -> LineMark {
        let location = Location { line: 3, end_line: 3, column, end_column, ..Location::default() };
        LineMark { severity, rule: "r".into(), message: "`a` is wrong".into(), location }
    }

    #[test]
    fn a_line_is_cut_at_its_problems_and_the_worst_shows() {
        let marks = [mark(Severity::Warning, 1, 6), mark(Severity::Error, 4, 5), mark(Severity::Error, 99, 99)];
        let shown: Vec<(String, Option<Severity>)> = parts("äbcdefg", &marks);
        let shown: Vec<(&str, Option<Severity>)> =
            shown.iter().map(|(text, severity)| (text.as_str(), *severity)).collect();
        let (error, warning) = (Some(Severity::Error), Some(Severity::Warning));
        assert_eq!(shown, [("äbc", warning), ("d", error), ("e", warning), ("fg", None)]);
        assert_eq!(messages(&marks[..2]), "a is wrong · a is wrong");
        let mut long = mark(Severity::Error, 3, 1);
        long.location.end_line = 9;
        assert_eq!(parts("abcd", &[long]).len(), 2, "to the end of its first line");
    }

    #[test]
    fn a_line_that_is_an_icon_is_cut_between_characters() {
        let line = "é".repeat(LINE_LIMIT + 10);
        let shown = shortened(&line);
        assert!(shown.starts_with("éé") && shown.ends_with("… 20 B more"), "{shown}");
        assert_eq!(shortened("a: b"), "a: b");
    }
}

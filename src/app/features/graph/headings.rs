//! Headings above the columns: y-streams and versions. They stay in view, and move with it but keep
//! their size at any scale. Headings that do not fit are omitted.
//!
//! y-streams are buttons with a menu:
//!
//! | key | effect |
//! |---|---|
//! | Enter, Space | folds or opens |
//! | Left, Right | neighbours |
//! | Down | the nodes |
//! | Shift+F10 | the menu |

use super::GraphContext;
use super::actions::go_to;
use super::nodes::{NodeAt, stream_over};
use super::viewport::Window;
use crate::context::MenuSubject;
use crate::prelude::*;
use crate::reactive::redrawn_whole;
use protocol::lanes::{Column, Lanes, StreamHeading};
use wasm_bindgen::JsCast;
use web_sys::{Element, SvgElement};

/// Character widths of column headings, and of the bolder stream headings.
const COLUMN_CHARACTER: f64 = 6.4;
const STREAM_CHARACTER: f64 = 7.6;

/// y-streams and versions above the columns. Scrolling only adds and removes versions.
#[component]
pub(super) fn ColumnHeadings(shared: GraphContext) -> impl IntoView {
    let scale = shared.scale;
    let columns = memo(move |_| {
        let (scale, window) = (scale.get(), shared.window.get());
        shared.lanes.with(|lanes| {
            let columns = without_overlap(lanes.columns.iter(), scale, |c| {
                LabelExtent::new(Span::new(c.x, c.width), &column_text(c), COLUMN_CHARACTER)
            });
            let near = columns
                .into_iter()
                .filter(|c| is_in_window(lanes, window, c.x, c.width));
            near.map(|c| ColumnLabel::for_column(c, scale))
                .collect::<Vec<_>>()
        })
    });
    // Equal after edits that move no column, so the headings are not redrawn.
    let streams = memo(move |_| {
        shared
            .lanes
            .with(|lanes| streams_that_fit(lanes, scale.get()))
    });
    let count = memo(move |_| streams.with(Vec::len));
    // The single tab stop: the newest heading in view.
    let tab_stop = memo(move |_| {
        let window = shared.window.get();
        shared.lanes.with(|lanes| {
            streams.with(|streams| {
                streams
                    .iter()
                    .rposition(|stream| is_in_window(lanes, window, stream.x, stream.width))
            })
        })
    });
    let headings = move || {
        (0..count.get())
            .map(|index| stream_heading(shared, streams, index, tab_stop))
            .collect_view()
    };
    view! {
        {headings}
        <For each=move || columns.get() key=ColumnLabel::clone let:label>{column_label(label)}</For>
    }
}

fn is_in_window(lanes: &Lanes, window: Window, x: f32, width: f32) -> bool {
    window.meets_x(
        f64::from(x - lanes.header),
        f64::from(x + width - lanes.header),
    )
}

/// Returns the y-streams whose headings fit, from left to right.
fn streams_that_fit(lanes: &Lanes, scale: f64) -> Vec<StreamHeading> {
    let streams = without_overlap(
        lanes.streams.iter().filter(|s| !s.label.is_empty()),
        scale,
        |s| LabelExtent::new(Span::new(s.x, s.width), &s.label, STREAM_CHARACTER),
    );
    streams.into_iter().cloned().collect()
}

fn open_menu(shared: GraphContext, stream: &StreamHeading, at: (i32, i32)) {
    let subject = MenuSubject::Stream(stream.key.clone());
    shared.app.overlays.open_menu(subject, at);
}

fn on_stream_key(shared: GraphContext, stream: &StreamHeading, event: &web_sys::KeyboardEvent) {
    // Keys with modifiers have another meaning.
    if dom::has_modifier(event) {
        return;
    }
    let heading = dom::element(event.current_target());
    match event.key().as_str() {
        "Enter" | " " => shared.app.current.toggle_stream(stream.key.clone()),
        "ArrowDown" => {
            if let Some(at) = shared.focus.get_untracked() {
                go_to(shared, at);
            }
        }
        "ArrowLeft" => {
            focus_stream_heading(heading.and_then(|heading| heading.previous_element_sibling()))
        }
        "ArrowRight" => {
            focus_stream_heading(heading.and_then(|heading| heading.next_element_sibling()))
        }
        "ContextMenu" | "F10" if event.key() == "ContextMenu" || event.shift_key() => {
            open_menu(shared, stream, dom::below(heading.as_ref()));
        }
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}

fn focus_stream_heading(element: Option<Element>) {
    let heading = element.filter(|element| element.has_attribute("data-group"));
    if let Some(heading) = heading.and_then(|heading| heading.dyn_into::<SvgElement>().ok()) {
        // Fails only if the element is gone.
        let _ = heading.focus();
    }
}

/// Moves the focus up from a node to its y-stream.
pub(super) fn focus_stream_above(shared: GraphContext, at: NodeAt) {
    let stream = shared
        .lanes
        .with_untracked(|lanes| stream_over(lanes, at).map(str::to_owned));
    let area = shared.area.get_untracked();
    let headings = area.and_then(|area| area.query_selector_all("[data-group]").ok());
    let (Some(stream), Some(headings)) = (stream, headings) else {
        return;
    };
    let mut elements =
        (0..headings.length()).filter_map(|index| headings.get(index)?.dyn_into::<Element>().ok());
    focus_stream_heading(
        elements.find(|element| element.get_attribute("data-group").as_ref() == Some(&stream)),
    );
}

#[derive(Debug, Clone, PartialEq)]
struct StreamDrawing {
    x: f64,
    width: f64,
    label: String,
    /// Center of the label; `None` if too little of the stream is in view.
    middle: Option<f64>,
}

impl StreamDrawing {
    /// `view` is the visible part in pixels.
    fn new(stream: &StreamHeading, scale: f64, view: Span) -> Self {
        let x = f64::from(stream.x) * scale;
        let width = (f64::from(stream.width) * scale).max(24.0);
        let half = stream.label.chars().count() as f64 * STREAM_CHARACTER / 2.0;
        Self {
            x,
            width,
            label: stream.label.clone(),
            middle: middle_in_view(
                Span {
                    start: x,
                    end: x + width,
                },
                half,
                view,
            ),
        }
    }

    fn draw(&self) -> AnyView {
        let label = self.middle.map(|middle| {
            view! { <text class="stream-label" x=middle.to_string() y="21" text-anchor="middle">{self.label.clone()}</text> }
        });
        view! {
            <rect class="stream-hit" x=self.x.to_string() y="4" width=self.width.to_string() height="24" rx="6"/>
            {label}
        }
        .into_any()
    }
}

/// Renders the heading of the y-stream at `index`. Its element is kept while its data changes, so
/// that it keeps the focus.
fn stream_heading(
    shared: GraphContext,
    streams: Memo<Vec<StreamHeading>>,
    index: usize,
    tab_stop: Memo<Option<usize>>,
) -> AnyView {
    let stream = memo(move |_| streams.with(|streams| streams.get(index).cloned()));
    let header = memo(move |_| shared.lanes.with(|lanes| f64::from(lanes.header)));
    let drawing = memo(move |_| {
        let scale = shared.scale.get();
        let start = (shared.view.get().x + header.get()) * scale;
        let end = start + shared.bounds.with(|bounds| bounds.view_width);
        Some(StreamDrawing::new(
            &stream.get()?,
            scale,
            Span { start, end },
        ))
    });
    let label = move || {
        let StreamHeading {
            folded, key, count, ..
        } = stream.get()?;
        let action = if folded { "Open" } else { "Fold" };
        Some(format!("{action} {key}, {count} versions"))
    };
    let act = move |action: &dyn Fn(&StreamHeading)| {
        stream.get_untracked().iter().for_each(action);
    };
    view! {
        <g
            class="stream"
            data-press=""
            data-group=move || stream.get().map(|stream| stream.key)
            role="button"
            tabindex=move || if tab_stop.get() == Some(index) { "0" } else { "-1" }
            aria-label=label
            aria-haspopup="menu"
            aria-expanded=move || stream.get().is_some_and(|stream| !stream.folded).to_string()
            on:click=move |_| act(&|stream| shared.app.current.toggle_stream(stream.key.clone()))
            on:keydown=move |event| act(&|stream| on_stream_key(shared, stream, &event))
            on:contextmenu=move |event| {
                event.prevent_default();
                act(&|stream| open_menu(shared, stream, (event.client_x(), event.client_y())));
            }
        >
            {redrawn_whole(move || drawing.with(|drawing| drawing.as_ref().map(StreamDrawing::draw)).into_any())}
        </g>
    }
    .into_any()
}

#[derive(Debug, Clone, Copy)]
struct Span {
    start: f64,
    end: f64,
}

impl Span {
    fn new(x: f32, width: f32) -> Self {
        Self {
            start: f64::from(x),
            end: f64::from(x + width),
        }
    }

    fn middle(self) -> f64 {
        f64::midpoint(self.start, self.end)
    }
}

struct LabelExtent {
    /// Center in pixels at scale 1.
    middle: f64,
    /// Width in screen pixels, which does not depend on the scale.
    width: f64,
}

impl LabelExtent {
    fn new(span: Span, text: &str, character_width: f64) -> Self {
        Self {
            middle: span.middle(),
            width: text.chars().count() as f64 * character_width,
        }
    }
}

/// Keeps the headings that do not overlap with a newer one that is kept.
fn without_overlap<'a, T>(
    all: impl Iterator<Item = &'a T>,
    scale: f64,
    label: impl Fn(&T) -> LabelExtent,
) -> Vec<&'a T> {
    let mut all: Vec<&T> = all.collect();
    all.reverse();
    let mut left = f64::MAX;
    all.retain(|item| {
        let extent = label(item);
        let middle = extent.middle * scale;
        let half = extent.width / 2.0;
        let fits = middle + half <= left;
        if fits {
            left = middle - half - 4.0;
        }
        fits
    });
    all.reverse();
    all
}

/// Centers a text in the visible part of a range. `half` is half of the text's width. Returns
/// `None` if the view would cut the text. Ranges completely inside or outside the view have a fixed
/// center.
fn middle_in_view(range: Span, half: f64, view: Span) -> Option<f64> {
    let center = range.middle();
    if range.end.max(center + half) <= view.start || range.start.min(center - half) >= view.end {
        return Some(center);
    }
    let has_room = range.end - range.start > 2.0 * half;
    let middle = if has_room {
        f64::midpoint(range.start.max(view.start), range.end.min(view.end))
    } else {
        center
    };
    (middle - half >= view.start && middle + half <= view.end).then_some(middle)
}

fn column_text(column: &Column) -> String {
    if column.folded > 0 {
        format!("{} ⊞", column.label)
    } else {
        column.label.clone()
    }
}

/// The label of a column; redrawn when any field changes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ColumnLabel {
    /// The column's key, if it is a single version.
    column: Option<String>,
    x: String,
    text: String,
    /// The complete version, for the tooltip.
    version: String,
}

impl ColumnLabel {
    fn for_column(column: &Column, scale: f64) -> Self {
        Self {
            column: (column.folded == 0).then(|| column.key.clone()),
            x: (f64::from(column.x + column.width / 2.0) * scale).to_string(),
            text: column_text(column),
            version: if column.version.is_empty() {
                column.key.clone()
            } else {
                column.version.clone()
            },
        }
    }
}

fn column_label(label: ColumnLabel) -> impl IntoView {
    view! {
        <text class="column-label" data-column=label.column x=label.x y="41" text-anchor="middle">
            {label.text}
            <title>{label.version}</title>
        </text>
    }
}

#[cfg(test)]
mod tests {
    use super::{LabelExtent, Span, middle_in_view, without_overlap};

    fn span(start: f64, end: f64) -> Span {
        Span { start, end }
    }

    #[test]
    fn a_heading_is_centred_over_the_visible_part_of_its_stream() {
        let at =
            |left: f64, right: f64| middle_in_view(span(100.0, 300.0), 20.0, span(left, right));
        assert_eq!(at(0.0, 1_000.0), Some(200.0), "all of it");
        assert_eq!(at(200.0, 1_000.0), Some(250.0), "its right half");
        assert_eq!(at(0.0, 160.0), Some(130.0), "its left end");
        assert_eq!(at(290.0, 1_000.0), None, "less than the text takes");
        assert_eq!(at(400.0, 1_000.0), Some(200.0), "out of view");
        let wider = |left: f64| middle_in_view(span(100.0, 130.0), 20.0, span(left, 1_000.0));
        assert_eq!(
            (wider(0.0), wider(100.0), wider(132.0), wider(140.0)),
            (Some(115.0), None, None, Some(115.0)),
            "a text wider than its stream"
        );
    }

    #[test]
    fn overlapping_headings_are_omitted_except_the_newest() {
        let at: Vec<f32> = (0..6).map(|i| i as f32 * 20.0).collect();
        let extent = |x: &f32| LabelExtent::new(Span::new(*x, 20.0), "text", 6.0);
        assert_eq!(without_overlap(at.iter(), 2.0, extent).len(), 6);
        let far = without_overlap(at.iter(), 0.5, extent);
        assert_eq!(far.last(), Some(&&100.0));
        assert!(far.len() < 6);
    }
}

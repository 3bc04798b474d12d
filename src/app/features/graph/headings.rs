//! Headings that stay in view: y-streams and versions above the columns, channels left of the lanes.
//! They move with the view but keep their size at any scale. Those above that do not fit are omitted.
//!
//! y-streams are buttons with a menu:
//!
//! | key | effect |
//! |---|---|
//! | Enter, Space | folds or unfolds |
//! | Left, Right | neighbours |
//! | Down | the nodes |
//! | Shift+F10 | the menu |

use super::actions::go_to;
use super::channel_list::arrange;
use super::nodes::{NodeAt, stream_over};
use super::viewport::Window;
use super::{GraphContext, accessible_names, view_keeping};
use crate::context::MenuSubject;
use crate::reactive::{memo, redrawn_whole};
use crate::state::layout::LaneCommand;
use crate::widgets::dom;
use crate::words::shorten;
use leptos::ev;
use leptos::prelude::*;
use protocol::lanes::{Column, Lanes, StreamHeading};
use protocol::request::Target;
use protocol::views::{EntryRef, ProblemMark};
use wasm_bindgen::JsCast;
use web_sys::{Element, SvgElement};

/// Character widths of column headings, and of the bolder stream headings.
const COLUMN_CHARACTER: f64 = 6.4;
const STREAM_CHARACTER: f64 = 7.6;
/// Separates two facts of a lane.
const SEPARATOR: &str = " · ";
/// Minimum lane height in screen pixels for facts below the name.
const NOTE_HEIGHT: f64 = 36.0;
/// Clickable width of a lane's heading: the layout's `header` minus a margin.
const HIT_WIDTH: &str = "144";
/// Maximum letters of a lane's name and of its facts in the heading.
const NAME_LETTERS: usize = 17;
const NOTE_LETTERS: usize = 23;
/// A name is not shortened to fewer letters, which would mean nothing.
const MIN_NAME_LETTERS: usize = 12;
/// Minimum lane height in screen pixels for a full-size name.
const LOW_LANE: f64 = 18.0;

/// y-streams and versions above the columns. Scrolling only adds and removes versions.
#[component]
pub(super) fn ColumnHeadings(shared: GraphContext, scale: Memo<f64>) -> impl IntoView {
    let columns = memo(move |_| {
        let (scale, window) = (scale.get(), shared.window.get());
        shared.lanes.with(|lanes| {
            let columns = without_overlap(lanes.columns.iter(), scale, |c| {
                LabelExtent::new((c.x, c.width), &column_text(c), COLUMN_CHARACTER)
            });
            let near = columns
                .into_iter()
                .filter(|c| meets(lanes, window, c.x, c.width));
            near.map(|c| ColumnLabel::for_column(c, scale))
                .collect::<Vec<_>>()
        })
    });
    // Does not change with edits that move nothing.
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
                    .rposition(|stream| meets(lanes, window, stream.x, stream.width))
            })
        })
    });
    let headings = move || {
        (0..count.get())
            .map(|index| stream_heading(shared, streams, index, scale, tab_stop))
            .collect_view()
    };
    view! {
        {headings}
        <For each=move || columns.get() key=ColumnLabel::clone let:label>{column_label(label)}</For>
    }
}

fn meets(lanes: &Lanes, window: Window, x: f32, width: f32) -> bool {
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
        |s| LabelExtent::new((s.x, s.width), &s.label, STREAM_CHARACTER),
    );
    streams.into_iter().cloned().collect()
}

fn open_menu(shared: GraphContext, stream: &StreamHeading, x: f64, y: f64) {
    let subject = MenuSubject::Stream(stream.key.clone());
    shared.app.overlays.open_menu(subject, (x as i32, y as i32));
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
        "ArrowLeft" => focus(heading.and_then(|heading| heading.previous_element_sibling())),
        "ArrowRight" => focus(heading.and_then(|heading| heading.next_element_sibling())),
        "ContextMenu" | "F10" if event.key() == "ContextMenu" || event.shift_key() => {
            let (x, y) = dom::below(heading.as_ref());
            open_menu(shared, stream, x, y);
        }
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}

/// Focuses the heading of a y-stream.
fn focus(element: Option<Element>) {
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
    focus(elements.find(|element| element.get_attribute("data-group").as_ref() == Some(&stream)));
}

/// The drawing of a y-stream's heading.
#[derive(Debug, Clone, PartialEq)]
struct StreamDrawing {
    x: f64,
    width: f64,
    label: String,
    /// Center of the label; `None` if too little of the stream is in view.
    middle: Option<f64>,
}

impl StreamDrawing {
    /// `view` is the visible range in pixels.
    fn new(stream: &StreamHeading, scale: f64, view: (f64, f64)) -> Self {
        let x = f64::from(stream.x) * scale;
        let width = (f64::from(stream.width) * scale).max(24.0);
        let half = stream.label.chars().count() as f64 * STREAM_CHARACTER / 2.0;
        Self {
            x,
            width,
            label: stream.label.clone(),
            middle: middle_in_view((x, x + width), half, view),
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
    scale: Memo<f64>,
    tab_stop: Memo<Option<usize>>,
) -> AnyView {
    let stream = memo(move |_| streams.with(|streams| streams.get(index).cloned()));
    let header = memo(move |_| shared.lanes.with(|lanes| f64::from(lanes.header)));
    let drawing = memo(move |_| {
        let left = (shared.view.get().x + header.get()) * scale.get();
        let right = left + shared.bounds.with(|bounds| bounds.view_width);
        Some(StreamDrawing::new(
            &stream.get()?,
            scale.get(),
            (left, right),
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
                let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
                // The keyboard has reported its own event.
                if (x, y) != (0.0, 0.0) {
                    act(&|stream| open_menu(shared, stream, x, y));
                }
            }
        >
            {redrawn_whole(move || drawing.with(|drawing| drawing.as_ref().map(StreamDrawing::draw)).into_any())}
        </g>
    }
    .into_any()
}

/// The extent of a heading's label.
struct LabelExtent {
    /// Center in pixels at scale 1.
    middle: f64,
    /// Width in screen pixels, which does not depend on the scale.
    width: f64,
}

impl LabelExtent {
    fn new((x, width): (f32, f32), text: &str, character_width: f64) -> Self {
        Self {
            middle: f64::from(x + width / 2.0),
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

/// Centers a text in the visible part of the range from `x1` to `x2`. `half` is half of the text's
/// width. Returns `None` if the view would cut the text. Ranges completely inside or outside the
/// view have a fixed center.
fn middle_in_view((x1, x2): (f64, f64), half: f64, (left, right): (f64, f64)) -> Option<f64> {
    let center = (x1 + x2) / 2.0;
    if x2.max(center + half) <= left || x1.min(center - half) >= right {
        return Some(center);
    }
    let has_room = x2 - x1 > 2.0 * half;
    let middle = if has_room {
        (x1.max(left) + x2.min(right)) / 2.0
    } else {
        center
    };
    (middle - half >= left && middle + half <= right).then_some(middle)
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

/// The content of a lane's heading.
#[derive(Debug, Clone, PartialEq, Default)]
struct Heading {
    channel: String,
    subtitle: String,
    label: String,
    is_default: bool,
    deprecated: bool,
    removed: bool,
    edited: bool,
    problem: Option<ProblemMark>,
    y: f64,
    height: f64,
}

/// Name and subtitle of a lane, on the left.
#[component]
pub(super) fn LaneHeading(shared: GraphContext, index: usize, scale: Memo<f64>) -> impl IntoView {
    let heading = memo(move |_| {
        shared.lanes.with(|lanes| {
            let Some(lane) = lanes.lanes.get(index) else {
                return Heading::default();
            };
            let changes = shared.changes.get();
            let removed = accessible_names::removed_names(&changes, lane);
            Heading {
                channel: lane.channel.clone(),
                subtitle: lane.subtitle.clone(),
                label: accessible_names::heading(lane, &removed),
                is_default: lane.is_default,
                deprecated: lane.deprecated,
                removed: lane.removed,
                edited: lane.edited,
                problem: lane.problem.clone(),
                y: f64::from(lane.y),
                height: f64::from(lane.height),
            }
        })
    });
    let is_selected = memo(move |_| {
        let selected = shared.selected.get();
        heading.with(|heading| {
            matches!(selected, Some(Target::Channel { channel }) if channel == heading.channel)
        })
    });
    let is_low = move || heading.with(|heading| heading.height) * scale.get() < LOW_LANE;
    // The channel, and whether it was removed.
    let current =
        move || heading.with_untracked(|heading| (heading.channel.clone(), heading.removed));
    let menu_at = move |x: f64, y: f64| {
        let (channel, removed) = current();
        let at = (x as i32, y as i32);
        if removed {
            let name = String::new();
            let subject = MenuSubject::Removed(EntryRef { channel, name });
            shared.app.overlays.open_menu(subject, at);
        } else {
            shared.app.open_menu(Target::Channel { channel }, at);
        }
    };
    let open_menu = move |event: &ev::KeyboardEvent| {
        let (x, y) = dom::below(dom::element(event.current_target()).as_ref());
        menu_at(x, y);
    };
    // A removed channel cannot be selected.
    let select = move || {
        let (channel, removed) = current();
        if !removed {
            shared.app.select(Target::Channel { channel });
        }
    };
    view! {
        <g
            class="lane-heading"
            class:lane-deprecated=move || heading.with(|heading| heading.deprecated)
            class:lane-removed=move || heading.with(|heading| heading.removed)
            class:lane-low=is_low
            class:lane-selected=move || is_selected.get()
            aria-pressed=move || is_selected.get().to_string()
            data-press=""
            data-channel=move || heading.with(|heading| heading.channel.clone())
            role="button"
            tabindex="0"
            aria-label=move || heading.with(|heading| heading.label.clone())
            aria-haspopup=move || heading.with(|heading| heading.removed.then_some("menu"))
            on:focus=move |e| {
                // A press must not move the pressed element, so only keys scroll.
                if is_focused_by_key(&e) {
                    view_keeping::show_lane(shared, index);
                }
            }
            on:click=move |_| select()
            on:keydown=move |e| {
                let (channel, removed) = current();
                let key = e.key();
                let command = LaneCommand::from_key(&key).filter(|_| e.alt_key() && !removed);
                match (key.as_str(), command) {
                    (_, Some(command)) => arrange(shared, command, &channel),
                    ("Enter" | " ", None) if removed => open_menu(&e),
                    ("Enter" | " ", None) => select(),
                    ("ContextMenu", None) => open_menu(&e),
                    ("F10", None) if e.shift_key() => open_menu(&e),
                    _ => return,
                }
                e.prevent_default();
                e.stop_propagation();
            }
            on:contextmenu=move |e| {
                e.prevent_default();
                menu_at(f64::from(e.client_x()), f64::from(e.client_y()));
            }
        >
            {redrawn_whole(move || {
                let scale = scale.get();
                heading.with(|heading| draw_lane_heading(heading, scale))
            })}
        </g>
    }
    .into_any()
}

fn draw_lane_heading(heading: &Heading, scale: f64) -> AnyView {
    let Heading {
        channel,
        subtitle,
        is_default,
        edited,
        problem,
        ..
    } = heading;
    let (y, height) = (heading.y * scale, heading.height * scale);
    let middle = y + height / 2.0;
    let with_note = height >= NOTE_HEIGHT;
    // The star takes the room of three letters, and the edit mark that of two.
    let name = shorten(
        channel,
        NAME_LETTERS - 3 * usize::from(*is_default) - 2 * usize::from(*edited),
    );
    view! {
        <title>{format!("{channel}\n{subtitle}")}</title>
        <rect class="lane-hit" x="2" y=(y + 1.0).to_string() width=HIT_WIDTH height=(height - 2.0).max(1.0).to_string() rx="6"/>
        <text class="lane-name" x="14" y=(if with_note { middle - 3.0 } else { middle + 4.0 }).to_string()>
            {is_default.then(|| view! { <tspan class="lane-star" data-star="">"★ "</tspan> })}
            {name}
            {edited.then_some(" ●")}
        </text>
        {problem.as_ref().map(|problem| problem_mark(problem, 7.0, if with_note { middle - 7.0 } else { middle }))}
        {with_note.then(|| view! { <text class="lane-note" x="14" y=(middle + 14.0).to_string()>{fit_facts(subtitle, NOTE_LETTERS)}</text> })}
    }
    .into_any()
}

fn is_focused_by_key(event: &ev::FocusEvent) -> bool {
    let target = dom::element(event.target());
    target.is_some_and(|heading| heading.matches(":focus-visible").unwrap_or_default())
}

/// Keeps the complete facts that fit; the tooltip of the name has all of them. A last fact that is
/// a name is shortened instead of dropped.
fn fit_facts(subtitle: &str, max_letters: usize) -> String {
    let mut out = String::new();
    for part in subtitle.split(SEPARATOR) {
        let lead = if out.is_empty() { "" } else { SEPARATOR };
        let room = max_letters.saturating_sub(out.chars().count() + lead.chars().count());
        if part.chars().count() > room && !out.is_empty() && room < MIN_NAME_LETTERS {
            break;
        }
        out.push_str(lead);
        out.push_str(&shorten(part, room));
    }
    out
}

/// Renders the icon of the worst problem around a center: a cross in a circle, or a triangle.
pub(super) fn problem_mark(problem: &ProblemMark, x: f64, y: f64) -> impl IntoView + use<> {
    let (class, ground, sign) = if problem.errors > 0 {
        (
            "problem-mark",
            "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
            "M-1.8 -1.8L1.8 1.8M1.8 -1.8L-1.8 1.8",
        )
    } else {
        (
            "problem-mark advice",
            "M0 -5L5.4 4.4H-5.4z",
            "M0 -1.8V1.2M0 2.9V3",
        )
    };
    view! {
        <g class=class transform=format!("translate({x:.1} {y:.1})")>
            <path class="problem-ground" d=ground/>
            <path class="problem-sign" d=sign/>
        </g>
    }
}

#[cfg(test)]
mod tests {
    use super::{LabelExtent, fit_facts, middle_in_view, without_overlap};

    #[test]
    fn facts_of_a_lane_are_shown_completely_or_omitted() {
        assert_eq!(fit_facts("43 · deprecated", 20), "43 · deprecated");
        assert_eq!(fit_facts("11 · 2 heads · deprecated", 20), "11 · 2 heads");
        assert_eq!(fit_facts("removed", 20), "removed");
    }

    #[test]
    fn a_heading_is_centred_over_the_visible_part_of_its_stream() {
        let at = |left: f64, right: f64| middle_in_view((100.0, 300.0), 20.0, (left, right));
        assert_eq!(at(0.0, 1_000.0), Some(200.0), "all of it");
        assert_eq!(at(200.0, 1_000.0), Some(250.0), "its right half");
        assert_eq!(at(0.0, 160.0), Some(130.0), "its left end");
        assert_eq!(at(290.0, 1_000.0), None, "less than the text takes");
        assert_eq!(at(400.0, 1_000.0), Some(200.0), "out of view");
        let wider = |left: f64| middle_in_view((100.0, 130.0), 20.0, (left, 1_000.0));
        assert_eq!(
            (wider(0.0), wider(100.0), wider(132.0), wider(140.0)),
            (Some(115.0), None, None, Some(115.0)),
            "a text wider than its stream"
        );
    }

    #[test]
    fn overlapping_headings_are_omitted_except_the_newest() {
        let at: Vec<f32> = (0..6).map(|i| i as f32 * 20.0).collect();
        let extent = |x: &f32| LabelExtent::new((*x, 20.0), "text", 6.0);
        assert_eq!(without_overlap(at.iter(), 2.0, extent).len(), 6);
        let far = without_overlap(at.iter(), 0.5, extent);
        assert_eq!(far.last(), Some(&&100.0));
        assert!(far.len() < 6);
    }
}

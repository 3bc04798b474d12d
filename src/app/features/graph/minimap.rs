//! The minimap: all lanes in a corner of the graph, with a frame around the view. Shown if the
//! graph is larger than [`VIEWS`] views, unless hidden by the user.
//!
//! The picture consists of a few paths, which are created once per layout. Only the frame changes
//! while the view moves.
//!
//! | key | effect |
//! |---|---|
//! | arrows | move the view by a third |
//! | Page up, Page down | move it by its height |
//! | Home, End | the oldest and the newest versions |

use super::viewport::{Bounds, Viewport};
use super::{GraphContext, GraphEvent, pointer};
use crate::reactive::memo;
use crate::widgets::dom;
use leptos::ev;
use leptos::prelude::*;
use protocol::lanes::{EntryNodeKind, Lanes};
use std::collections::BTreeMap;
use std::fmt::Write;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// Maximum size of a graph, in views, that needs no minimap.
const VIEWS: f64 = 2.0;
/// Width of the picture, and limits of its height, in CSS pixels.
const WIDTH: f64 = 196.0;
const HEIGHTS: (f64, f64) = (30.0, 112.0);
/// Height of the picture relative to the lanes, before it is limited.
const HEIGHT_SHARE: f64 = 0.1;
/// Padding for marks at the edges, including the border.
const EDGE: f64 = 7.0;
/// Margin around the map, as in the style sheet.
const MARGIN: f64 = 8.0;
/// Minimum size of a view with a minimap, which would hide too much of a smaller one.
const LEAST_VIEW: (f64, f64) = (420.0, 260.0);
/// Marks closer than this are merged.
const CELL: f64 = 5.0;

/// The picture's size, and the scale from lanes to picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Map {
    width: f64,
    height: f64,
    content: (f64, f64),
}

/// A rectangle on the map.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Frame {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Map {
    /// Returns `None` if the minimap is not needed, or does not fit.
    pub(super) fn new(bounds: Bounds, scale: f64) -> Option<Self> {
        let is_roomy = bounds.view_width >= LEAST_VIEW.0 && bounds.view_height >= LEAST_VIEW.1;
        (is_roomy && bounds.views(scale) > VIEWS).then(|| Self {
            width: WIDTH,
            height: (bounds.content_height * HEIGHT_SHARE).clamp(HEIGHTS.0, HEIGHTS.1),
            content: (
                bounds.content_width.max(1.0),
                bounds.content_height.max(1.0),
            ),
        })
    }

    /// Returns the height that the minimap covers at the bottom of the view.
    pub(super) fn covers(&self) -> f64 {
        self.height + 2.0 * (EDGE + MARGIN)
    }

    fn x(&self, x: f64) -> f64 {
        x / self.content.0 * self.width
    }

    fn y(&self, y: f64) -> f64 {
        y / self.content.1 * self.height
    }

    fn frame(&self, view: Viewport, bounds: Bounds) -> Frame {
        // Keep the frame inside the map, and large enough to be seen and dragged.
        let span = |at: f64, length: f64, all: f64| {
            let length = length.clamp(6.0, all);
            (at.clamp(0.0, all - length), length)
        };
        let (x, width) = span(
            self.x(view.x),
            self.x(bounds.view_width / view.scale),
            self.width,
        );
        let (y, height) = span(
            self.y(view.y),
            self.y(bounds.view_height / view.scale),
            self.height,
        );
        Frame {
            x,
            y,
            width,
            height,
        }
    }

    /// Returns the view whose frame has its top left corner at a point of the map.
    fn view_at(&self, x: f64, y: f64, view: Viewport, bounds: Bounds) -> Viewport {
        view.at(
            x / self.width * self.content.0,
            y / self.height * self.content.1,
            bounds,
        )
    }
}

/// The picture as `d` attributes of paths.
#[derive(Debug, Clone, PartialEq, Default)]
struct MinimapPaths {
    rails: String,
    default_rail: String,
    /// Squares.
    heads: String,
    /// Triangles.
    advice: String,
    /// Crosses.
    errors: String,
    /// A ring.
    selected: String,
}

/// The worst problem in a cell of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ProblemLevel {
    Advice,
    Error,
}

impl MinimapPaths {
    fn new(lanes: &Lanes, map: &Map) -> Self {
        let mut picture = Self::default();
        let mut levels: BTreeMap<(usize, i64), (ProblemLevel, f64, f64)> = BTreeMap::new();
        for (index, lane) in lanes.lanes.iter().enumerate() {
            let x = |x: f32| map.x(f64::from(x - lanes.header));
            let y = map.y(f64::from(lane.track.y - lanes.top));
            let mut note = |x: f64, errors: bool| {
                let trouble = if errors {
                    ProblemLevel::Error
                } else {
                    ProblemLevel::Advice
                };
                let worst = levels
                    .entry((index, (x / CELL) as i64))
                    .or_insert((trouble, x, y));
                if worst.0 < trouble {
                    *worst = (trouble, x, y);
                }
            };
            if let Some(problem) = &lane.problem {
                note(0.0, problem.errors > 0);
            }
            if let (Some(first), Some(last)) = (lane.nodes.first(), lane.nodes.last()) {
                let rail = if lane.is_default {
                    &mut picture.default_rail
                } else {
                    &mut picture.rails
                };
                // Writing to a string cannot fail.
                let _ = write!(
                    rail,
                    "M{:.1} {y:.1}H{:.1}",
                    x(first.x),
                    x(last.x + last.width)
                );
            }
            for node in &lane.nodes {
                let middle = x(node.x + node.width / 2.0);
                if node.marks.head {
                    let _ = write!(picture.heads, "M{:.1} {:.1}h4v4h-4z", middle - 2.0, y - 2.0);
                }
                if let Some(problem) = node
                    .problem
                    .as_ref()
                    .filter(|_| node.kind != EntryNodeKind::Removed)
                {
                    note(middle, problem.errors > 0);
                }
                if node.selected {
                    let _ = write!(
                        picture.selected,
                        "M{:.1} {y:.1}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
                        middle - 4.0
                    );
                }
            }
        }
        for (trouble, x, y) in levels.into_values() {
            let _ = match trouble {
                ProblemLevel::Error => write!(
                    picture.errors,
                    "M{:.1} {:.1}l5 5m0 -5l-5 5",
                    x - 2.5,
                    y - 2.5
                ),
                ProblemLevel::Advice => write!(picture.advice, "M{x:.1} {:.1}l3 5h-6z", y - 3.0),
            };
        }
        picture
    }
}

/// Describes the part of the lanes that is in view.
fn describe_view(lanes: &Lanes, view: Viewport, bounds: Bounds) -> String {
    let right = view.x + bounds.view_width / view.scale;
    let lower = view.y + bounds.view_height / view.scale;
    let is_in = |at: f32, from: f64, to: f64| (from..=to).contains(&f64::from(at));
    let mut columns = lanes
        .columns
        .iter()
        .filter(|c| is_in(c.x + c.width / 2.0 - lanes.header, view.x, right));
    let mut channels = lanes
        .lanes
        .iter()
        .filter(|lane| is_in(lane.track.y - lanes.top, view.y, lower));
    let column = |column: &protocol::lanes::Column| match column.version.is_empty() {
        true => column.key.clone(),
        false => column.version.clone(),
    };
    let (oldest, newest) = (columns.next().map(column), columns.next_back().map(column));
    let first = channels.next().map(|lane| lane.channel.clone());
    let last = channels.next_back().map(|lane| lane.channel.clone());
    let both = |from: Option<String>, to: Option<String>| match (from, to) {
        (Some(from), Some(to)) => format!("{from} to {to}"),
        (one, other) => one.or(other).unwrap_or_else(|| "nothing".to_owned()),
    };
    format!(
        "In view: {}, channels {}.",
        both(oldest, newest),
        both(first, last)
    )
}

/// The button of the toolbar.
#[component]
pub(super) fn Toggle(shared: GraphContext) -> impl IntoView {
    let (wanted, is_large) = (shared.minimap, shared.is_large);
    let press = move |_| {
        if is_large.get_untracked() {
            shared.on.run(GraphEvent::Minimap(!wanted.get_untracked()));
        }
    };
    view! {
        <button type="button" class="tool"
            aria-pressed=move || (is_large.get() && wanted.get()).to_string()
            aria-disabled=move || (!is_large.get()).to_string()
            title="Map of the whole graph, shown when the graph is larger than two screens"
            on:click=press>
            "Minimap"
        </button>
    }
    .into_any()
}

#[component]
pub(super) fn Minimap(shared: GraphContext) -> impl IntoView {
    let is_there = memo(move |_| shared.map.with(Option::is_some));
    view! { <div class="minimap-place">{move || is_there.get().then(|| map_view(shared))}</div> }
        .into_any()
}

fn map_view(shared: GraphContext) -> AnyView {
    let map = shared.map;
    let picture = memo(move |_| {
        map.get()
            .map(|map| shared.lanes.with(|lanes| MinimapPaths::new(lanes, &map)))
            .unwrap_or_default()
    });
    let frame = memo(move |_| {
        map.get()
            .map(|map| map.frame(shared.view.get(), shared.bounds.get()))
            .unwrap_or_default()
    });
    let size = memo(move |_| frame.with(|frame| (frame.width, frame.height)));
    let outer = move |length: fn(&Map) -> f64| {
        move || map.get().map_or(0.0, |map| length(&map) + 2.0 * EDGE - 2.0)
    };
    let path = move |class: &'static str, part: fn(&MinimapPaths) -> &String| {
        view! { <path class=class d=move || picture.with(|picture| part(picture).clone())/> }
            .into_any()
    };
    // The pointer's offset in the frame.
    let held = StoredValue::new(None::<(f64, f64)>);
    let say = move || {
        let (view, bounds) = (shared.view.get_untracked(), shared.bounds.get_untracked());
        let description = shared
            .lanes
            .with_untracked(|lanes| describe_view(lanes, view, bounds));
        shared.on.run(GraphEvent::Announce(description));
    };
    let follow = move |at: (f64, f64)| {
        let (Some(map), Some(held)) = (map.get_untracked(), held.try_get_value().flatten()) else {
            return;
        };
        let (view, bounds) = (shared.view.get_untracked(), shared.bounds.get_untracked());
        shared
            .view
            .set(map.view_at(at.0 - held.0, at.1 - held.1, view, bounds));
    };
    let take = move |event: ev::PointerEvent| {
        let Some(at) = point(&event).filter(|_| event.button() == 0 && event.is_primary()) else {
            return;
        };
        // A press outside of the frame centers it at the pointer.
        let frame = frame.get_untracked();
        let inside = (at.0 - frame.x, at.1 - frame.y);
        let is_inside =
            (0.0..=frame.width).contains(&inside.0) && (0.0..=frame.height).contains(&inside.1);
        held.set_value(Some(if is_inside {
            inside
        } else {
            (frame.width / 2.0, frame.height / 2.0)
        }));
        follow(at);
        if let Some(element) = dom::element(event.current_target()) {
            // Fails only if the pointer is gone.
            let _ = element.set_pointer_capture(event.pointer_id());
        }
    };
    let release = move || {
        held.try_update_value(|held| *held = None);
    };
    view! {
        <div
            class="minimap"
            role="group"
            tabindex="0"
            aria-label="Minimap"
            title="Squares are heads, crosses are errors, triangles are warnings. Drag the frame or move it with the arrow keys."
            on:focus=move |_| say()
            on:keydown=move |event| {
                if on_key(shared, &event) {
                    event.prevent_default();
                    event.stop_propagation();
                    say();
                }
            }
            on:wheel=move |event| pointer::on_wheel(shared, shared.area, &event)
            on:pointerdown=take
            on:pointermove=move |event| if let Some(at) = point(&event) { follow(at) }
            on:pointerup=move |_| release()
            on:pointercancel=move |_| release()
            on:lostpointercapture=move |_| release()
        >
            <svg class="minimap-svg" aria-hidden="true" width=outer(|map| map.width) height=outer(|map| map.height)
                data-without=move || shared.taken_back.get().keys()>
                <g transform=format!("translate({0} {0})", EDGE - 1.0)>
                    {path("minimap-rail", |picture| &picture.rails)}
                    {path("minimap-rail minimap-default", |picture| &picture.default_rail)}
                    {path("minimap-head", |picture| &picture.heads)}
                    {path("minimap-advice", |picture| &picture.advice)}
                    {path("minimap-error", |picture| &picture.errors)}
                    {path("minimap-selected", |picture| &picture.selected)}
                    <rect class="minimap-frame" rx="2" width=move || format!("{:.1}", size.get().0)
                        height=move || format!("{:.1}", size.get().1)
                        transform=move || frame.with(|frame| format!("translate({:.1} {:.1})", frame.x, frame.y))/>
                </g>
            </svg>
        </div>
    }
    .into_any()
}

/// Returns the pointer's position on the picture.
fn point(event: &ev::PointerEvent) -> Option<(f64, f64)> {
    let rect = event
        .current_target()?
        .dyn_into::<Element>()
        .ok()?
        .get_bounding_client_rect();
    Some((
        f64::from(event.client_x()) - rect.left() - EDGE,
        f64::from(event.client_y()) - rect.top() - EDGE,
    ))
}

fn on_key(shared: GraphContext, event: &ev::KeyboardEvent) -> bool {
    if dom::has_modifier(event) {
        return false;
    }
    let (bounds, view) = (shared.bounds.get_untracked(), shared.view.get_untracked());
    let (across, down) = (bounds.view_width / 3.0, bounds.view_height / 3.0);
    let moved = match event.key().as_str() {
        "ArrowLeft" => view.pan(-across, 0.0, bounds),
        "ArrowRight" => view.pan(across, 0.0, bounds),
        "ArrowUp" => view.pan(0.0, -down, bounds),
        "ArrowDown" => view.pan(0.0, down, bounds),
        "PageUp" => view.pan(0.0, -bounds.view_height, bounds),
        "PageDown" => view.pan(0.0, bounds.view_height, bounds),
        "Home" => view.at(0.0, view.y, bounds),
        "End" => view.at(f64::MAX, view.y, bounds),
        _ => return false,
    };
    shared.view.set(moved);
    true
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use protocol::lanes::{Column, EntryNode, HorizontalLine, Lane, Marks};
    use protocol::views::ProblemMark;
    use std::sync::Arc;

    const BOUNDS: Bounds = Bounds {
        content_width: 4000.0,
        content_height: 1000.0,
        view_width: 1000.0,
        view_height: 500.0,
        covered: 0.0,
    };

    fn map() -> Map {
        Map::new(BOUNDS, 1.0).expect("eight views")
    }

    #[test]
    fn only_a_large_graph_in_a_roomy_view_has_a_map() {
        assert!(
            Map::new(BOUNDS, 0.4).is_none(),
            "all but a bit of it is in view"
        );
        assert!(
            Map::new(
                Bounds {
                    content_width: 1900.0,
                    content_height: 100.0,
                    ..BOUNDS
                },
                1.0
            )
            .is_none()
        );
        assert!(
            Map::new(
                Bounds {
                    content_width: 2100.0,
                    content_height: 100.0,
                    ..BOUNDS
                },
                1.0
            )
            .is_some()
        );
        assert!(
            Map::new(
                Bounds {
                    view_width: 300.0,
                    ..BOUNDS
                },
                1.0
            )
            .is_none()
        );
        let long = Map::new(
            Bounds {
                content_height: 64.0,
                ..BOUNDS
            },
            1.0,
        )
        .map(|map| map.height);
        assert_eq!(long, Some(HEIGHTS.0), "one lane is high enough to be hit");
    }

    #[test]
    fn the_frame_shows_and_moves_the_view() {
        let view = Viewport {
            x: 1000.0,
            y: 500.0,
            scale: 1.0,
        };
        let frame = map().frame(view, BOUNDS);
        assert_eq!(
            frame,
            Frame {
                x: 49.0,
                y: 50.0,
                width: 49.0,
                height: 50.0
            }
        );
        assert_eq!(
            map().view_at(frame.x, frame.y, Viewport::default(), BOUNDS),
            view
        );
        assert_eq!(
            map().view_at(-9.0, 1e9, view, BOUNDS),
            Viewport {
                x: -8.0,
                y: 500.0,
                scale: 1.0
            }
        );
        let near = map().frame(
            Viewport {
                x: 3999.0,
                y: 0.0,
                scale: 3.0,
            },
            Bounds {
                view_width: 1.0,
                ..BOUNDS
            },
        );
        assert_eq!(
            (near.x, near.width),
            (WIDTH - 6.0, 6.0),
            "it can always be taken, and stays inside"
        );
    }

    fn lanes() -> Lanes {
        let node = |x: f32, head: bool, errors: Option<u32>| EntryNode {
            marks: Marks {
                head,
                ..Marks::default()
            },
            selected: head,
            problem: errors.map(|errors| ProblemMark {
                errors,
                ..ProblemMark::default()
            }),
            ..testing::node(EntryNodeKind::Entry, &format!("p.v{x}"), x, 76.0)
        };
        let lane = |channel: &str, y: f32, nodes: Vec<EntryNode>| {
            let track = HorizontalLine {
                x1: 132.0,
                x2: 4132.0,
                y: y + 32.0,
            };
            Arc::new(Lane {
                track,
                ..Arc::unwrap_or_clone(testing::lane(channel, y, nodes))
            })
        };
        let column = |x: f32, version: &str| Column {
            key: format!("p.v{version}"),
            label: version.to_owned(),
            version: version.to_owned(),
            stream: 0,
            x,
            width: 60.0,
            folded: 0,
            is_chain: false,
        };
        Lanes {
            width: 4132.0,
            height: 1056.0,
            header: 132.0,
            top: 56.0,
            columns: vec![
                column(132.0, "1.0.0"),
                column(1132.0, "1.1.0"),
                column(3132.0, "2.0.0"),
            ],
            lanes: vec![
                lane(
                    "stable",
                    56.0,
                    vec![
                        node(132.0, false, Some(0)),
                        node(140.0, false, Some(2)),
                        node(3132.0, true, None),
                    ],
                ),
                lane("fast", 600.0, vec![node(1132.0, true, Some(0))]),
                lane("empty", 700.0, Vec::new()),
            ],
            ..Lanes::default()
        }
    }

    #[test]
    fn heads_errors_and_advice_have_shapes_of_their_own() {
        let picture = MinimapPaths::new(&lanes(), &map());
        assert_eq!(picture.default_rail, "M0.0 3.2H149.4");
        assert_eq!(
            picture.rails.matches('M').count(),
            1,
            "an empty channel has no rail"
        );
        assert_eq!(picture.heads.matches("h4v4h-4z").count(), 2);
        assert_eq!(
            picture.errors.matches("l5 5").count(),
            1,
            "of two near one another the worse is seen"
        );
        assert_eq!(picture.advice.matches("h-6z").count(), 1);
        assert_eq!(picture.selected.matches('M').count(), 2);
    }

    #[test]
    fn describes_the_visible_part() {
        let describe = |x, y| describe_view(&lanes(), Viewport { x, y, scale: 1.0 }, BOUNDS);
        assert_eq!(describe(0.0, 0.0), "In view: 1.0.0, channels stable.");
        assert_eq!(
            describe(500.0, 400.0),
            "In view: 1.1.0, channels fast to empty."
        );
        assert_eq!(
            describe(2000.0, 200.0),
            "In view: nothing, channels fast to empty."
        );
    }
}

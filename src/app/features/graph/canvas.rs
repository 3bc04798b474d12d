//! Drawing of lanes as SVG: presentation attributes and classes only, since the policy forbids style attributes.

use super::bundle_dates::Dates;
use super::drag_view::DragLayer;
use super::headings::{ColumnHeadings, LaneHeading};
use super::lane_hints::LaneHints;
use super::lane_names::named_lanes;
use super::soft_edges::SoftEdges;
use super::viewport::{Viewport, Window};
use super::{CarAt, GraphContext, accessible_names, edges};
use crate::reactive::memo;
use crate::state::entry_changes::Changes;
use leptos::prelude::*;
use protocol::lanes::{Car, CarKind, Lane, Zoom};
use protocol::views::{EntryRef, ProblemMark};
use std::ops::Range;
use std::sync::Arc;

/// The whole picture: what moves, and the headings that stay in view.
#[component]
pub(super) fn Canvas(shared: GraphContext) -> impl IntoView {
    let frame = memo(move |_| shared.lanes.with(|l| (l.header, l.top, l.width, l.height)));
    // Sheets of paper refer to what stands at its natural place.
    let view = move || {
        if shared.printing.get() {
            Viewport::default()
        } else {
            shared.view.get()
        }
    };
    let ids = shared.ids.get_value();
    let scale = memo(move |_| {
        if shared.printing.get() {
            1.0
        } else {
            shared.scale.get()
        }
    });
    let named = memo(move |_| {
        let scale = scale.get();
        shared.lanes.with(|lanes| {
            shared
                .selected
                .with(|of| named_lanes(lanes, of.as_ref(), scale))
        })
    });
    let lane_count = memo(move |_| shared.lanes.with(|l| l.lanes.len()));
    // Pinned lanes have a place of their own above those that are scrolled.
    let pinned = memo(move |_| shared.pinned.get().lanes);
    let pinned_height = memo(move |_| shared.pinned.get().height * scale.get());
    let moved = move || {
        let (header, top, ..) = frame.get();
        let v = view();
        let (x, y) = (
            f64::from(header) - (v.x + f64::from(header)) * v.scale,
            f64::from(top) - (v.y + f64::from(top)) * v.scale,
        );
        format!("translate({x:.2} {y:.2}) scale({:.4})", v.scale)
    };
    // Headings move with the view but keep their size: each stands at its own scaled place.
    let moved_down = move || {
        let (_, top, ..) = frame.get();
        let v = view();
        format!(
            "translate(0 {:.2})",
            -(v.y + f64::from(top)) * v.scale - pinned_height.get()
        )
    };
    let moved_right = move || {
        let (header, ..) = frame.get();
        let v = view();
        format!(
            "translate({:.2} 0)",
            f64::from(header) - (v.x + f64::from(header)) * v.scale
        )
    };
    let stayed = move || {
        let (header, top, ..) = frame.get();
        let v = view();
        let x = f64::from(header) - (v.x + f64::from(header)) * v.scale;
        format!(
            "translate({x:.2} {:.2}) scale({:.4})",
            -f64::from(top) * v.scale,
            v.scale
        )
    };
    let stayed_down = move || {
        format!(
            "translate(0 {:.2})",
            -f64::from(frame.get().1) * scale.get()
        )
    };
    let below = move || (f64::from(frame.get().1) + pinned_height.get()).to_string();
    let far = memo(move |_| shared.lanes.with(|l| l.zoom == Zoom::Far));
    view! {
        <svg class="graph-svg" class:far=far data-without=move || shared.taken_back.get().keys() width="100%" height="100%">
            <defs>
                <pattern id=ids.hatch width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect width="6" height="6" class="hatch-ground"/>
                    <line x1="0" y1="0" x2="0" y2="6" class="hatch-line"/>
                </pattern>
                <marker id=ids.tip viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                    <path d="M0 0L8 4L0 8z" class="tip"/>
                </marker>
            </defs>
            <g id=ids.lanes transform=moved>
                <Layer shared scale lanes=Signal::derive(move || pinned.get()..lane_count.get())/>
            </g>
            <Show when=move || pinned.get() != 0>
                <svg class="pinned-lanes" x="0" y=move || frame.get().1.to_string() width="100%" height=move || pinned_height.get().to_string()>
                    <rect class="graph-cover" x="0" y="0" width="100%" height="100%"/>
                    <g transform=stayed>
                        <Layer shared scale lanes=Signal::derive(move || 0..pinned.get())/>
                    </g>
                </svg>
            </Show>
            <SoftEdges shared left=Signal::derive(move || frame.get().0)/>
            <LaneHints shared/>
            <rect class="graph-cover" x="0" y="0" width="100%" height=move || frame.get().1.to_string()/>
            <g id=ids.columns transform=moved_right><ColumnHeadings shared scale/></g>
            <rect class="graph-cover" x="0" y="0" width=move || frame.get().0.to_string() height="100%"/>
            <line class="graph-rule" x1=move || frame.get().0.to_string() x2=move || frame.get().0.to_string() y1=move || frame.get().1.to_string() y2="100%"/>
            <line class="graph-rule" x1="0" x2="100%" y1=move || frame.get().1.to_string() y2=move || frame.get().1.to_string()/>
            <Show when=move || pinned.get() != 0>
                <svg x="0" y=move || frame.get().1.to_string() width=move || frame.get().0.to_string() height=move || pinned_height.get().to_string() class="lane-headings">
                    <g transform=stayed_down>
                        <For each=move || 0..pinned.get() key=|i| *i let:index>
                            <LaneHeading shared index scale named/>
                        </For>
                    </g>
                </svg>
            </Show>
            <svg x="0" y=below width=move || frame.get().0.to_string() height="100%" class="lane-headings">
                <g id=ids.names transform=moved_down>
                    <For each=move || pinned.get()..lane_count.get() key=|i| *i let:index>
                        <LaneHeading shared index scale named/>
                    </For>
                </g>
            </svg>
            <Show when=move || pinned.get() != 0>
                <line class="graph-rule pinned-rule" x1="0" x2="100%" y1=below y2=below/>
            </Show>
        </svg>
    }
}

/// Some of the lanes, and what lies under and over lanes wherever these are drawn.
#[component]
fn Layer(shared: GraphContext, scale: Memo<f64>, lanes: Signal<Range<usize>>) -> impl IntoView {
    view! {
        <Bands shared/>
        <Routes shared/>
        <For each=move || lanes.get() key=|i| *i let:index>
            <LaneView shared index/>
        </For>
        <Dates shared scale/>
        <DragLayer shared/>
    }
    .into_any()
}

/// Alternating bands under the y-streams and the lanes.
#[component]
fn Bands(shared: GraphContext) -> impl IntoView {
    let bands = memo(move |_| {
        shared.lanes.with(|l| {
            let streams: Vec<_> = l
                .streams
                .iter()
                .enumerate()
                .filter(|(i, s)| i % 2 == 1 && s.width > 0.0)
                .map(|(_, s)| (s.x, s.width))
                .collect();
            (streams, l.top, l.height - l.top)
        })
    });
    move || {
        let (streams, top, height) = bands.get();
        streams
            .into_iter()
            .map(|(x, width)| view! { <rect class="band" x=x.to_string() y=top.to_string() width=width.to_string() height=height.to_string() rx="8"/> })
            .collect_view()
    }
}

/// One lane, as long as it is near the view. Its ground, its edges and each of its cars are drawn again when they change
/// themselves; a window that moves only adds and takes away cars and edges.
#[component]
fn LaneView(shared: GraphContext, index: usize) -> impl IntoView {
    let lane = memo(move |_| shared.lanes.with(|l| l.lanes.get(index).cloned()));
    let place = memo(move |_| {
        lane.with(|lane| {
            lane.as_deref()
                .map(accessible_names::CarPosition::of)
                .unwrap_or_default()
        })
    });
    let is_near = memo(move |_| {
        let is_pinned = index < shared.pinned.get().lanes;
        let window = shared.window.get();
        let meets = |y: f32, height: f32, top: f32| {
            window.meets_y(f64::from(y - top), f64::from(y + height - top))
        };
        shared.lanes.with(|l| {
            l.lanes
                .get(index)
                .is_some_and(|lane| is_pinned || meets(lane.y, lane.height, l.top))
        })
    });
    let near_cars = memo(move |_| {
        let window = shared.window.get();
        shared.lanes.with(|l| {
            l.lanes
                .get(index)
                .map(|lane| cars_in(lane, l.header, window))
                .unwrap_or_default()
        })
    });
    move || {
        {
        is_near.get().then(|| {
            view! {
                <g class="lane" data-channel=move || place.with(|place| place.channel.clone())
                    class:lane-target=move || place.with(|place| shared.aim.with(|aim| aim.lane() == Some(place.channel.as_str())))
                    role="group" aria-label=move || lane.with(|lane| lane.as_deref().map(accessible_names::lane))>
                    {move || lane.with(|lane| lane.as_ref().map(|lane| draw_ground(shared, lane)))}
                    {edges::edges(shared, lane, index)}
                    // Under the cars: no line crosses what is written on or below one.
                    {move || lane.with(|lane| lane.as_ref().map(|lane| edges::draw_arrows(shared, lane)))}
                    <For each=move || near_cars.get() key=|i| *i let:at>
                        {car_view(shared, lane, place, CarAt { lane: index, car: at })}
                    </For>
                </g>
            }
        })
    }
    .into_any()
    }
}

/// Which cars of a lane are in a window.
fn cars_in(lane: &Lane, header: f32, window: Window) -> Vec<usize> {
    let meets = |car: &Car| {
        window.meets_x(
            f64::from(car.x - header),
            f64::from(car.x + car.width - header),
        )
    };
    lane.cars
        .iter()
        .enumerate()
        .filter(|(_, car)| meets(car))
        .map(|(index, _)| index)
        .collect()
}

fn draw_ground(shared: GraphContext, lane: &Lane) -> impl IntoView + use<> {
    let (y, height, track) = (lane.y.to_string(), lane.height.to_string(), lane.track);
    let extent = memo(move |_| shared.lanes.with(|l| (l.header, l.width)));
    let x = move || extent.get().0.to_string();
    let width = move || {
        let (header, width) = extent.get();
        (width - header).to_string()
    };
    view! {
        <rect class="lane-ground" x=x y=y width=width height=height/>
        <line class="track" x1=track.x1.to_string() x2=track.x2.to_string() y1=track.y.to_string() y2=track.y.to_string()/>
    }
}

fn car_view(
    shared: GraphContext,
    lane: Memo<Option<Arc<Lane>>>,
    place: Memo<accessible_names::CarPosition>,
    at: CarAt,
) -> impl IntoView {
    let car = memo(move |_| lane.with(|lane| lane.as_ref()?.cars.get(at.car).cloned()));
    move || {
        let changes = shared.changes.get();
        car.with(|car| {
            car.as_ref()
                .map(|car| place.with(|place| draw_car(shared, car, place, at, &changes)))
        })
    }
}

fn draw_car(
    shared: GraphContext,
    car: &Car,
    place: &accessible_names::CarPosition,
    at: CarAt,
    changes: &Changes,
) -> impl IntoView + use<> {
    let (x, y, w, h) = (car.x, car.y, car.width, car.height);
    let entry = EntryRef {
        channel: place.channel.clone(),
        name: car.name.clone(),
    };
    let is_stack = car.kind == CarKind::Stack;
    let is_removed = car.kind == CarKind::Removed;
    let is_entry = !is_stack && !is_removed;
    // What is gone has no marks of its own.
    let problem = car.problem.as_ref().filter(|_| !is_removed);
    let deprecated = car.marks.deprecated_bundle;
    let change = changes
        .get(&(place.channel.clone(), car.name.clone()))
        .filter(|_| car.members.is_empty());
    let stacked = accessible_names::stack(changes, car, &place.channel);
    let label = match (change, &stacked) {
        (Some((change, _)), _) if !is_removed => {
            format!("{}, {}", accessible_names::car(car, place), change.words())
        }
        (None, Some((_, words))) => format!("{}, {words}", accessible_names::car(car, place)),
        _ => accessible_names::car(car, place),
    };
    // What is under a car: in words where they fit.
    let mark = match (change, stacked) {
        (Some((change, _)), _) if w >= 48.0 && (is_removed || car.problem.is_none()) => Some((
            change.words(),
            format!("{} {}", change.glyph(), change.words()),
        )),
        (Some((change, _)), _) => Some((change.words(), change.glyph().to_owned())),
        (None, stacked) => stacked.map(|(marks, _)| ("several", marks)),
    };
    // One memo for all of it: there are many cars.
    let now = memo(move |_| CarNow {
        selected: !is_removed && shared.selected.with(|s| s.as_ref() == Some(&entry)),
        focused: shared.focus.get() == Some(at),
        picked: is_entry && shared.picked.with(|picked| picked.contains(&entry)),
        dragged: shared
            .carried
            .with(|carried| carried.as_ref() == Some(&entry)),
    });
    let named = label.clone();
    let label = move || {
        if now.get().picked {
            format!("{named}, selected with others")
        } else {
            named.clone()
        }
    };
    let flag = car.marks.head.then(|| {
        let (fx, fy) = (x + w - 2.0, y - 8.0);
        view! { <path class="flag" d=format!("M{fx:.1} {:.1}V{fy:.1}l9 3.2l-9 3.2", y + 2.0)/> }
            .into_any()
    });
    // One text instead of a toggle for each word: an element takes at most 26 attributes.
    let fixed = fixed_classes(car);
    let class = move || {
        let now = now.get();
        let now = [
            (now.picked, " picked"),
            (now.selected, " selected"),
            (now.dragged, " dragged"),
        ];
        let now = now
            .into_iter()
            .filter(|(is_so, _)| *is_so)
            .map(|(_, word)| word);
        std::iter::once(fixed.as_str())
            .chain(now)
            .collect::<String>()
    };
    let (id, described) = shared.ids.with_value(|ids| {
        (
            format!("{}-{}-{}", ids.car, at.lane, at.car),
            ids.why.clone(),
        )
    });
    let badge = |text: &'static str, class: &'static str| {
        view! { <text class=class x=(x - 3.0).to_string() y=(y + 5.0).to_string() text-anchor="middle">{text}</text> }
            .into_any()
    };
    let behind = is_stack.then(|| view! { <rect class="car-behind" x=(x + 3.0).to_string() y=(y + 3.0).to_string() width=w.to_string() height=h.to_string() rx="6"/> }.into_any());
    // A list of those that are there: each that could be there would take a node of its own.
    let marks: Vec<AnyView> = [
        car.marks.stranded.then(|| view! { <path class="stranded-mark" d=format!("M{:.1} {:.1}l5 9h-10z", x + 2.0, y - 5.0)/> }.into_any()),
        deprecated.then(|| deprecated_mark(f64::from(x), f64::from(y)).into_any()),
        (car.problem.is_none() && (car.marks.cycle || car.marks.duplicate)).then(|| badge("!", "error-mark")),
        problem.map(|problem| problem_mark(problem, f64::from(x), f64::from(y + h)).into_any()),
        (car.edited && !is_removed).then(|| view! { <circle class="edited-mark" cx=(x + w).to_string() cy=(y + h).to_string() r="3.5"/> }.into_any()),
        flag,
        is_removed.then(|| view! { <path class="removed-mark" d=format!("M{:.1} {:.1}L{:.1} {:.1}", x + 3.0, y + h - 3.0, x + w - 3.0, y + 3.0)/> }.into_any()),
        mark.map(|(change, text)| view! {
            <text class="change-mark" data-change=change x=(x + w / 2.0).to_string() y=(y + h + 11.0).to_string() text-anchor="middle">{text}</text>
        }.into_any()),
    ]
    .into_iter()
    .flatten()
    .collect();
    view! {
        <g class=class id=id data-lane=at.lane.to_string() data-car=at.car.to_string() role="button" aria-label=label
            tabindex=move || if now.get().focused { "0" } else { "-1" }
            aria-describedby=move || now.get().focused.then(|| described.clone())
            aria-pressed=move || (!is_removed).then(|| now.get().selected.to_string())
            aria-haspopup=is_removed.then_some("menu")>
            {behind}
            <rect class="car-box" x=x.to_string() y=y.to_string() width=w.to_string() height=h.to_string() rx=if h < 16.0 { "3" } else { "6" }/>
            {marks}
            {move || now.get().picked.then(|| view! {
                <rect class="pick-frame" x=(x - 3.0).to_string() y=(y - 3.0).to_string() width=(w + 6.0).to_string() height=(h + 6.0).to_string() rx="8"/>
                <path class="pick-mark" d=format!("M{:.1} {:.1}l3 3l5 -6", x - 4.0, y + h - 1.0)/>
            })}
            <text class="car-text" x=(x + w / 2.0).to_string() y=(y + h / 2.0 + 4.0).to_string() text-anchor="middle">{car.text.clone()}</text>
        </g>
    }
}

/// What of a car changes without its being drawn anew.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CarNow {
    selected: bool,
    focused: bool,
    picked: bool,
    dragged: bool,
}

/// The classes of a car that stay as long as it is drawn.
fn fixed_classes(car: &Car) -> String {
    let marks = &car.marks;
    let is_removed = car.kind == CarKind::Removed;
    let words = [
        (true, "car"),
        (car.twin && !is_removed, "twin"),
        (marks.head, "head"),
        (marks.skipped, "skipped"),
        (car.kind == CarKind::Ghost, "ghost"),
        (marks.stranded, "stranded"),
        (marks.deprecated_bundle, "deprecated"),
        (car.kind == CarKind::Stack, "stack"),
        (is_removed, "removed"),
        (car.edited, "edited"),
        (marks.no_bundle, "no-bundle"),
    ];
    words
        .into_iter()
        .filter(|(is_so, _)| *is_so)
        .map(|(_, word)| word)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A circle with a stroke through it, with its middle at a point. It has a ground of its own, since lines run behind it.
fn deprecated_mark(x: f64, y: f64) -> impl IntoView + use<> {
    view! {
        <g class="deprecated-mark" transform=format!("translate({x:.1} {y:.1})")>
            <path class="deprecated-ground" d="M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z"/>
            <path class="deprecated-sign" d="M-3 3L3 -3"/>
        </g>
    }
}

/// The sign of the worst problem, with its middle at a point: a cross in a circle, or a triangle.
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

/// The steps from the installed version under both lenses, behind the lanes: they begin and end at cars, and pass behind
/// others.
#[component]
fn Routes(shared: GraphContext) -> impl IntoView {
    let routes = memo(move |_| shared.lanes.with(|l| l.routes.clone()));
    move || {
        routes
            .get()
            .into_iter()
            .map(|r| {
                let title = if r.chosen { format!("next step: {} to {}", r.from, r.to) } else { format!("next step under the other OLM: {} to {}", r.from, r.to) };
                view! { <g class="route" class:other=!r.chosen><title>{title}</title><path class="route-line" d=r.curve.path()/></g> }
            })
            .collect_view()
    }
}

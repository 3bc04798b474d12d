//! The upgrade graph: draws [`Lanes`] as they come and says what the user did. Knows no catalog and asks nothing of the
//! worker; whoever mounts it answers its [`GraphEvent`]s.
//!
//! Keys, in the graph: arrows move along a lane and between lanes, Home and End to a lane's ends, Enter selects, Space
//! selects with others, `[` and `]` follow what is replaced and what replaces, `{` and `}` what is skipped and what skips
//! (again: the next one; Escape: back), arrows with Shift select on the way, up from the first lane are the y-streams, the
//! context menu key (or Shift+F10) opens the menu, `s` shows the source, `+`, `-`, `0` and `f` zoom, `o` shows the package
//! from far, Escape clears the selection. On a lane's name Alt with up, down, Home, P, - and Delete moves, pins, collapses
//! and hides the lane.

mod accessible_names;
mod arrow_keys;
mod bundle_dates;
mod canvas;
mod chain_headings;
mod channel_chooser;
mod drag;
mod drag_view;
mod edge_keys;
mod edge_walk;
mod edges;
mod edited_entries;
mod explanation;
mod explanation_card;
mod exports;
mod heading_keys;
mod headings;
mod lane_hints;
mod lane_names;
mod legend;
mod menus;
mod minimap;
mod pinned_lanes;
mod pointer;
mod shared_actions;
mod soft_edges;
mod toolbar;
mod touches;
mod view_keeping;
mod viewport;

use crate::reactive::{effect, memo};
use crate::state::edge_kind::EdgeKind;
use crate::state::entry_changes::Changes;
use crate::state::lane_arrangement::LaneArrangement;
use crate::widgets::dom;
use arrow_keys::{ArrowMove, CarAt};
pub use drag::Gesture;
use drag::{Drag, DropTarget, Point};
pub use drag_view::Forecast;
use explanation::Card;
use legend::DimmedItems;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use protocol::diagnostic::Location;
use protocol::lanes::{CarKind, ChainHeading, Lanes};
use protocol::request::GraphFormat;
use protocol::response::PackageView;
use protocol::views::EntryRef;
use shared_actions::{fit, focus_element, go_to, menu_at, overview, pick, pick_to, zoom};
use std::sync::Arc;
pub use toolbar::Folding;
use viewport::{Bounds, Viewport, Window};

/// What the user did in the graph.
#[derive(Debug, Clone, PartialEq)]
pub enum GraphEvent {
    Select(Option<EntryRef>),
    /// Select together with others, or no longer.
    Pick(EntryRef),
    /// Select together all from the last one to this one, as they stand in `order`.
    PickTo {
        order: Vec<EntryRef>,
        entry: EntryRef,
    },
    /// A letter was pressed on this entry, which is heard elsewhere as well.
    Letter {
        entry: EntryRef,
        letter: String,
        shift: bool,
    },
    /// Show the line that made this entry.
    Source(EntryRef),
    /// Show this line.
    Line(Location),
    /// Open the menu of an entry at a point of the window, in CSS pixels.
    EntryMenu {
        entry: EntryRef,
        x: f64,
        y: f64,
    },
    /// Open the menu of an edge: its kind, the entry that says it, its line.
    EdgeMenu {
        kind: EdgeKind,
        entry: EntryRef,
        location: Location,
        x: f64,
        y: f64,
    },
    /// Open the menu of a bundle, wherever it is listed.
    BundleMenu {
        bundle: String,
        x: f64,
        y: f64,
    },
    /// Open the menu of the package.
    PackageMenu {
        x: f64,
        y: f64,
    },
    ChannelMenu {
        channel: String,
        x: f64,
        y: f64,
    },
    /// Open the menu of what is removed: an entry, or with the name "" a channel.
    RemovedMenu {
        entry: EntryRef,
        x: f64,
        y: f64,
    },
    SelectChannel(String),
    /// Open the menu of a y-stream.
    StreamMenu {
        stream: String,
        x: f64,
        y: f64,
    },
    /// Fold or open a y-stream.
    ToggleStream(String),
    ToggleChannel(String),
    /// Fold a long chain of these names, or open it.
    FoldChain {
        names: Vec<String>,
        fold: bool,
    },
    /// Open the menu of a chain of these names.
    ChainMenu {
        names: Vec<String>,
        x: f64,
        y: f64,
    },
    /// Lanes in this order, and these hidden or collapsed; the default is as at first.
    LaneCommand(LaneArrangement),
    /// Write the graph to a file.
    Export(GraphFormat),
    /// Draw the graph as pixels, to a file.
    ExportPixels,
    /// Show the map of the whole graph where it is large, or put it away.
    Minimap(bool),
    /// Show the whole package from far, or come near again.
    Overview(bool),
    /// Select together with what is selected already.
    PickAll(Vec<EntryRef>),
    /// Something is held over a place where a drop would mean this, or no longer.
    Over(Option<Gesture>),
    /// It was dropped.
    Drop(Gesture),
    /// To be told to who cannot see it.
    Said(String),
    /// The lanes are on the screen.
    Painted,
}

/// In a graph narrower than this the tools have no room beside the views.
const BESIDE_TABS: f64 = 820.0;
/// In one narrower than this both kinds of tools have no room in one row.
const BOTH_TOOLS: f64 = 680.0;
/// The flag of a head reaches so far over the end of the lanes.
const BEYOND: f64 = 14.0;
/// More cars than this, and only what is near the view is in the page.
const ALL_IN_PAGE: usize = 120;

/// State that the parts of the panel share.
#[derive(Clone, Copy)]
struct GraphContext {
    area: NodeRef<html::Div>,
    lanes: Signal<Arc<Lanes>>,
    selected: Signal<Option<EntryRef>>,
    /// Entries that are selected together.
    picked: Signal<Vec<EntryRef>>,
    changes: Signal<Arc<Changes>>,
    /// They are told against another catalog; else against the disk.
    is_compared: Signal<bool>,
    arranged: Signal<LaneArrangement>,
    /// What the legend takes back.
    taken_back: RwSignal<DimmedItems>,
    view: RwSignal<Viewport>,
    /// Of the view; told only when it is another, as all headings follow it.
    scale: RwSignal<f64>,
    /// What is near the view, told like that: all cars follow it.
    near: RwSignal<Window>,
    bounds: Memo<Bounds>,
    /// The map of the whole, where there is one.
    map: Memo<Option<minimap::Map>>,
    /// Whether there is a map of it, if one is wanted.
    is_large: Memo<bool>,
    /// Whether there is to be one.
    minimap: Signal<bool>,
    /// Every id in it is its own.
    ids: StoredValue<Ids>,
    window: Memo<Window>,
    /// Lanes that stay in view.
    pinned: Memo<pinned_lanes::Pinned>,
    focus: RwSignal<Option<CarAt>>,
    /// Edges that were followed by keys.
    trail: StoredValue<edge_walk::EdgeWalk>,
    drag: RwSignal<Option<Drag>>,
    /// The car that is dragged.
    carried: Memo<Option<EntryRef>>,
    /// What a drop would mean where the pointer is.
    aim: RwSignal<DropTarget>,
    /// What is known of that.
    forecast: Signal<Option<Forecast>>,
    /// The car under the pointer.
    hover: RwSignal<Option<CarAt>>,
    /// The car that shows its grip.
    gripped: Memo<Option<CarAt>>,
    fingers: StoredValue<touches::TouchPoints>,
    /// Where a finger rests that has not moved, and since which moment.
    resting: RwSignal<Option<(Point, f64)>>,
    /// The package in view, for why its edges are there.
    facts: Signal<Arc<PackageView>>,
    card: RwSignal<Card>,
    on: Callback<GraphEvent>,
}

/// The ids inside one graph: two graphs can be in the page, side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ids {
    /// The description of the keys.
    keys: String,
    /// The description of the focused entry.
    why: String,
    /// The fill of deprecated entries.
    hatch: String,
    /// The arrow head.
    tip: String,
    /// The gradient of a soft edge.
    edge: String,
    /// What the ids of entries begin with.
    car: String,
}

impl Ids {
    fn beginning(with: &str) -> Self {
        let id = |part: &str| format!("{with}-{part}");
        Self {
            keys: id("keys"),
            why: id("why"),
            hatch: id("hatch"),
            tip: id("tip"),
            edge: id("edge"),
            car: id("car"),
        }
    }

    /// The arrow head as an edge refers to it.
    fn tip_of_arrow(&self) -> String {
        format!("url(#{})", self.tip)
    }
}

/// The graph of one package.
#[component]
pub fn GraphPanel(
    #[prop(into)] lanes: Signal<Arc<Lanes>>,
    #[prop(into)] selected: Signal<Option<EntryRef>>,
    /// Selected together.
    #[prop(into)]
    picked: Signal<Vec<EntryRef>>,
    /// Older y-streams are folded.
    #[prop(into)]
    fold: Signal<Folding>,
    on_fold: Callback<bool>,
    /// Marked on cars and edges.
    #[prop(into)]
    changes: Signal<Arc<Changes>>,
    /// The marks are told against another catalog; else they are what is not saved.
    #[prop(into)]
    is_compared: Signal<bool>,
    /// It stands at the right of another one, and its name says so.
    is_second: bool,
    #[prop(into)] facts: Signal<Arc<PackageView>>,
    /// What follows from the gesture that is under way.
    #[prop(into)]
    forecast: Signal<Option<Forecast>>,
    /// How the lanes are arranged.
    #[prop(into)]
    arranged: Signal<LaneArrangement>,
    /// Where the graph is large, a map of it is shown.
    #[prop(into)]
    minimap: Signal<bool>,
    #[prop(into)] on: Callback<GraphEvent>,
) -> impl IntoView {
    let area = NodeRef::<html::Div>::new();
    let size = RwSignal::new((0.0, 0.0));
    let view = RwSignal::new(Viewport::default());
    let given = lanes;
    // What is drawn: the lanes that were given, together with the view that they open in.
    let drawn = RwSignal::new(Arc::<Lanes>::default());
    let lanes: Signal<Arc<Lanes>> = drawn.into();
    let extent = memo(move |_| {
        let (width, height) = size.get();
        lanes.with(|l| Bounds {
            content_width: f64::from(l.width - l.header) + BEYOND,
            content_height: f64::from(l.height - l.top),
            view_width: (width - f64::from(l.header)).max(1.0),
            view_height: (height - f64::from(l.top)).max(1.0),
            covered: 0.0,
        })
    });
    let scale = RwSignal::new(Viewport::default().scale);
    let whole = memo(move |_| minimap::Map::new(extent.get(), scale.get()));
    let is_large = memo(move |_| whole.with(Option::is_some));
    let map = memo(move |_| whole.get().filter(|_| minimap.get()));
    let bounds = memo(move |_| Bounds {
        covered: map.with(|map| map.as_ref().map_or(0.0, minimap::Map::covers)),
        ..extent.get()
    });
    let many = memo(move |_| {
        lanes.with(|l| l.lanes.iter().map(|lane| lane.cars.len()).sum::<usize>() > ALL_IN_PAGE)
    });
    let near = RwSignal::new(Viewport::default().window(Bounds::default(), None));
    let window = memo(move |_| if many.get() { near.get() } else { Window::ALL });
    let (focus, hover, drag) = (
        RwSignal::new(None),
        RwSignal::new(None),
        RwSignal::new(None::<Drag>),
    );
    let shared = GraphContext {
        area,
        lanes,
        selected,
        picked,
        changes,
        is_compared,
        arranged,
        taken_back: RwSignal::default(),
        view,
        scale,
        near,
        bounds,
        map,
        is_large,
        minimap,
        ids: StoredValue::new(Ids::beginning(&dom::fresh_id("graph"))),
        window,
        pinned: memo(move |_| {
            let (bounds, scale) = (bounds.get(), scale.get());
            lanes.with(|lanes| {
                pinned_lanes::Pinned::of(lanes, &arranged.get(), bounds.view_height / scale)
            })
        }),
        focus,
        trail: StoredValue::default(),
        drag,
        carried: memo(move |_| drag.with(|drag| drag.as_ref().and_then(Drag::carried).cloned())),
        aim: RwSignal::default(),
        forecast,
        hover,
        gripped: memo(move |_| hover.get().or_else(|| focus.get())),
        fingers: StoredValue::default(),
        resting: RwSignal::new(None),
        facts,
        card: RwSignal::default(),
        on,
    };
    pointer::hear_keys(shared, area);
    dom::follow_size(area, size);
    view_keeping::follow(shared, given, drawn, size);
    let had_focus = StoredValue::new(false);
    // A car that is drawn anew is another element: it takes over the focus.
    effect(move |_| {
        shared.lanes.track();
        shared.changes.track();
        request_animation_frame(move || {
            if had_focus.try_get_value() == Some(true)
                && dom::is_focus_lost()
                && let Some(at) = shared.focus.try_get_untracked().flatten()
            {
                focus_element(area, at);
            }
        });
    });

    // A container query would make the centre the frame of all cards in it that are placed in the window.
    let is_narrow = memo(move |_| size.with(|(width, _)| *width < BESIDE_TABS));
    let is_in_one_row =
        memo(move |_| is_narrow.get() && size.with(|(width, _)| *width >= BOTH_TOOLS));
    let beside = if is_second { ", at the right" } else { "" };
    let name = move || given.with(|l| format!("Upgrade graph of {}{beside}", l.package));
    let ids = shared.ids.get_value();
    let hatched = format!("url(#{})", ids.hatch);
    view! {
        <section class="graph" class:graph-narrow=move || is_narrow.get() class:graph-one-row=move || is_in_one_row.get() style=("--hatch", hatched) aria-label=name aria-describedby=ids.keys.clone()>
            <p id=ids.keys.clone() class="visually-hidden">{edge_keys::KEYS}</p>
            <toolbar::Toolbar shared fold on_fold/>
            <div class="graph-area" node_ref=area tabindex="-1"
                class:graph-area-dragging=move || shared.drag.with(|drag| drag.as_ref().is_some_and(|drag| drag.moved))
                on:wheel=move |e| pointer::on_wheel(shared, area, &e)
                on:pointerdown=move |e| pointer::on_pointer_down(shared, area, &e)
                on:pointermove=move |e| pointer::on_pointer_move(shared, area, &e)
                on:pointerup=move |e| pointer::on_pointer_up(shared, area, &e)
                on:pointercancel=move |e| pointer::on_pointer_cancel(shared, &e)
                on:lostpointercapture=move |e| pointer::on_lost_capture(shared, &e)
                on:pointerover=move |e| { pointer::on_pointer_over(shared, &e); explanation_card::on_over(shared, &e); }
                on:pointerleave=move |_| { shared.hover.set(None); explanation_card::on_leave(shared); }
                on:focusin=move |e| { had_focus.set_value(true); explanation_card::on_focus(shared, &e); }
                on:focusout=move |e| {
                    had_focus.set_value(e.related_target().is_none());
                    explanation_card::on_leave(shared);
                }
                on:click=move |e| explanation_card::on_click(shared, &e)
                on:dblclick=move |e| explanation_card::on_double_click(shared, &e)
                on:contextmenu=move |e| menus::on_contextmenu(shared, &e)
                on:keydown=move |e| on_key(shared, area, &e)>
                <canvas::Canvas shared/>
            </div>
            <minimap::Minimap shared/>
            <div class="graph-foot">
                <legend::Legend shared/>
                <toolbar::ZoomTools shared/>
            </div>
            <drag_view::DragCard shared/>
            <explanation_card::ExplanationCard shared/>
        </section>
    }
}

fn entry_at(shared: GraphContext, at: CarAt) -> Option<EntryRef> {
    shared.lanes.with_untracked(|l| {
        let lane = l.lanes.get(at.lane)?;
        let car = lane.cars.get(at.car)?;
        let is_entry = car.members.is_empty() && car.kind != CarKind::Removed;
        is_entry.then(|| EntryRef {
            channel: lane.channel.clone(),
            name: car.name.clone(),
        })
    })
}

fn on_key(shared: GraphContext, area: NodeRef<html::Div>, event: &ev::KeyboardEvent) {
    if edge_keys::on_key(shared, event) {
        event.prevent_default();
        event.stop_propagation();
        return;
    }
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let go = match event.key().as_str() {
        "ArrowLeft" => Some(ArrowMove::Left),
        "ArrowRight" => Some(ArrowMove::Right),
        "ArrowUp" => Some(ArrowMove::Up),
        "ArrowDown" => Some(ArrowMove::Down),
        "Home" => Some(ArrowMove::First),
        "End" => Some(ArrowMove::Last),
        _ => None,
    };
    let focus = shared.focus.get_untracked();
    let handled = match (go, event.key().as_str()) {
        (Some(go), _) => {
            let next = shared.lanes.with_untracked(|l| {
                focus
                    .and_then(|at| arrow_keys::step(l, at, go))
                    .or_else(|| focus.is_none().then(|| arrow_keys::start(l)).flatten())
            });
            match (next, focus) {
                (Some(at), _) => {
                    if event.shift_key() {
                        let way = [focus, Some(at)]
                            .into_iter()
                            .flatten()
                            .filter_map(|at| entry_at(shared, at));
                        way.for_each(|entry| pick_to(shared, entry));
                    }
                    go_to(shared, at);
                }
                (None, Some(at)) if go == ArrowMove::Up => headings::focus_over(shared, area, at),
                _ => {}
            }
            true
        }
        (_, " ") if focus.is_some_and(|at| entry_at(shared, at).is_some()) => focus
            .and_then(|at| entry_at(shared, at))
            .map(|entry| pick(shared, entry))
            .is_some(),
        (_, "Enter" | " ") => {
            focus.is_some_and(|at| activate(shared, at) || menu_at(shared, area, at))
        }
        (_, "u") => focus
            .and_then(|at| entry_at(shared, at))
            .map(|entry| shared.on.run(GraphEvent::Source(entry)))
            .is_some(),
        (_, "ContextMenu" | "F10") if event.key() == "ContextMenu" || event.shift_key() => {
            focus.is_some_and(|at| menu_at(shared, area, at))
        }
        (_, "+" | "=") => zoom(shared, 1.25),
        (_, "-") => zoom(shared, 0.8),
        (_, "0") => zoom(shared, 1.0 / shared.view.get_untracked().scale),
        (_, "f") => fit(shared),
        (_, "o") => {
            overview(shared);
            true
        }
        (_, "Escape")
            if shared
                .drag
                .with_untracked(|drag| drag.as_ref().is_some_and(|drag| drag.moved)) =>
        {
            pointer::end_drag(shared);
            true
        }
        (_, "Escape") if explanation_card::dismiss(shared) => true,
        (_, "Escape") => {
            shared.on.run(GraphEvent::Select(None));
            true
        }
        (_, letter) if letter.len() == 1 => {
            if let Some(entry) = focus.and_then(|at| entry_at(shared, at)) {
                shared.on.run(GraphEvent::Letter {
                    entry,
                    letter: letter.to_owned(),
                    shift: event.shift_key(),
                });
            }
            false
        }
        _ => false,
    };
    if handled {
        event.prevent_default();
        event.stop_propagation();
    }
}

/// The chain that a stack is.
fn chain_at(lanes: &Lanes, at: CarAt) -> Option<&ChainHeading> {
    lanes
        .chains
        .get(arrow_keys::car_at(lanes, at)?.chain? as usize)
}

/// Selects an entry; opens a stack. False for what is removed.
fn activate(shared: GraphContext, at: CarAt) -> bool {
    if let Some(entry) = entry_at(shared, at) {
        shared.on.run(GraphEvent::Select(Some(entry)));
        return true;
    }
    let chain = shared.lanes.with_untracked(|l| chain_at(l, at).cloned());
    if let Some(chain) = chain {
        chain_headings::toggle(shared, &chain);
        return true;
    }
    let stack = shared.lanes.with_untracked(|l| {
        let lane = l.lanes.get(at.lane)?;
        let car = lane
            .cars
            .get(at.car)
            .filter(|car| car.kind == CarKind::Stack)?;
        Some(if lane.collapsed {
            GraphEvent::ToggleChannel(lane.channel.clone())
        } else {
            GraphEvent::ToggleStream(car.name.clone())
        })
    });
    stack.map(|event| shared.on.run(event)).is_some()
}

#[cfg(test)]
mod testing;

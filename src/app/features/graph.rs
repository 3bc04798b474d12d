//! The upgrade graph: draws [`Lanes`], and changes the selection, the arrangement of lanes and, by
//! drag and drop, the catalog.
//!
//! Keys in the graph: arrows move along a lane and between lanes, Home and End to its ends; Enter
//! selects, Space adds to the selection; `[` and `]` follow replaces edges to the replaced and
//! replacing entries, `{` and `}` skip edges (again: the next one; Escape: back); Shift with arrows
//! extends the selection; up from the first lane leads to the y-streams; the context menu key (or
//! Shift+F10) opens the menu, `u` shows the source; `+`, `-`, `0` and `f` zoom; Escape clears the
//! selection. On a lane's name, Alt with up, down, Home and Delete moves and
//! hides the lane.

mod accessible_names;
mod actions;
mod canvas;
mod channel_list;
mod drag;
mod drag_view;
mod edge_walk;
mod edges;
mod explanation;
mod headings;
mod lane_headings;
mod lane_hints;
mod legend;
mod nodes;
mod pointer;
#[cfg(test)]
mod testing;
mod toolbar;
mod view_keeping;
mod viewport;

use crate::commands::{Command, KeyAction, KeyPress, key_action};
use crate::prelude::*;
use crate::state::entries::Changes;
use crate::state::layout::LaneArrangement;
use actions::{
    ZOOM_IN, ZOOM_OUT, fit, focus_element, go_to, open_menu_at, pick, pick_to, zoom,
    zoom_to_natural_size,
};
use drag::{Drag, DropTarget, Forecast};
use explanation::Card;
use leptos::ev;
use nodes::{ArrowMove, NodeAt};
use protocol::lanes::{EntryNodeKind, Lanes};
use protocol::request::Target;
use protocol::response::PackageView;
use protocol::views::{EntryRef, EntryState, Origin};
use std::sync::Arc;
use toolbar::Folding;
use viewport::{Bounds, Point, Viewport, Window};

/// Minimum graph width at which the tools fit beside the tabs.
const MIN_WIDTH_BESIDE_TABS: f64 = 840.0;
/// How far a head's flag extends beyond the end of the lanes.
const FLAG_OVERHANG: f64 = 14.0;
/// With more nodes, only those near the view are in the DOM.
const MAX_UNWINDOWED_NODES: usize = 120;

/// Ids of the hatching and the arrow head, and the reference to the latter.
const HATCH: &str = "graph-hatch";
const TIP: &str = "graph-tip";
const ARROW_TIP: &str = "url(#graph-tip)";

/// State shared by the parts of the panel.
#[derive(Clone, Copy)]
struct GraphContext {
    app: AppContext,
    area: NodeRef<html::Div>,
    lanes: Signal<Arc<Lanes>>,
    selected: Signal<Option<Target>>,
    installed: Memo<Option<String>>,
    /// The multiple selection.
    picked: Signal<Vec<EntryRef>>,
    changes: Signal<Arc<Changes>>,
    /// Whether marks compare with another catalog rather than the disk.
    is_compared: Signal<bool>,
    arranged: Memo<LaneArrangement>,
    view: RwSignal<Viewport>,
    /// The view's scale: a separate signal, because all headings depend on it.
    scale: RwSignal<f64>,
    /// The area near the view: a separate signal, because all nodes depend on it.
    near: RwSignal<Window>,
    bounds: Memo<Bounds>,
    window: Memo<Window>,
    focus: RwSignal<Option<NodeAt>>,
    /// The edges followed by keyboard.
    trail: StoredValue<edge_walk::EdgeWalk>,
    drag: RwSignal<Option<Drag>>,
    dragged_entry: Memo<Option<EntryRef>>,
    /// The effect of a drop at the pointer.
    drop_target: RwSignal<DropTarget>,
    /// The predicted result of that drop.
    forecast: Memo<Option<Forecast>>,
    /// The node under the pointer.
    hover: RwSignal<Option<NodeAt>>,
    /// The node that shows its grip; `None` if the package's template computes the edges.
    gripped: Memo<Option<NodeAt>>,
    /// Where and since when a finger rests without moving.
    resting: RwSignal<Option<(Point, f64)>>,
    /// The package in view, which explains its edges.
    facts: Memo<Arc<PackageView>>,
    card: RwSignal<Card>,
}

#[component]
pub fn GraphPanel(app: AppContext) -> impl IntoView {
    let facts = Memo::new_with_compare(
        move |_| app.current.view.get(),
        |old: Option<&Arc<PackageView>>, new| {
            !old.zip(new).is_some_and(|(old, new)| Arc::ptr_eq(old, new))
        },
    );
    let options = app.store.lanes;
    let comparison = app.store.comparison;
    let picked = app.selected_entries.picked;
    let changes = memo(move |_| Arc::new(app.comparison.graph_changes(app.store)));
    // Lanes are replaced once per view: comparing them would cost more than redrawing.
    let received = Memo::new_with_compare(
        move |_| facts.with(|facts| facts.lanes.clone()),
        |_: Option<&Arc<Lanes>>, _| true,
    );
    let arranged = memo(move |_| app.current.lane_arrangement());
    let folding =
        memo(move |_| options.with(|options| received.with(|lanes| Folding::new(options, lanes))));
    let area = NodeRef::<html::Div>::new();
    let size = RwSignal::new((0.0, 0.0));
    let view = RwSignal::new(Viewport::default());
    // The lanes to draw: `received`, once their initial view is known.
    let drawn = RwSignal::new(Arc::<Lanes>::default());
    let lanes: Signal<Arc<Lanes>> = drawn.into();
    let bounds = memo(move |_| {
        let (width, height) = size.get();
        lanes.with(|l| Bounds {
            content_width: f64::from(l.width - l.header) + FLAG_OVERHANG,
            content_height: f64::from(l.height - l.top),
            view_width: (width - f64::from(l.header)).max(1.0),
            view_height: (height - f64::from(l.top)).max(1.0),
            window_height: dom::window_size().1,
        })
    });
    let scale = RwSignal::new(Viewport::default().scale);
    let is_windowed = memo(move |_| {
        lanes.with(|l| {
            l.lanes.iter().map(|lane| lane.nodes.len()).sum::<usize>() > MAX_UNWINDOWED_NODES
        })
    });
    let near = RwSignal::new(Viewport::default().window(Bounds::default(), None));
    let window = memo(move |_| {
        if is_windowed.get() {
            near.get()
        } else {
            Window::ALL
        }
    });
    let (focus, hover, drag) = (
        RwSignal::new(None),
        RwSignal::new(None),
        RwSignal::new(None::<Drag>),
    );
    let drop_target = RwSignal::default();
    let shared = GraphContext {
        app,
        area,
        lanes,
        selected: app.store.selection.into(),
        installed: memo(move |_| {
            app.store.question.with(|question| match &question.origin {
                Origin::Installed(name) => Some(name.clone()),
                Origin::Fresh => None,
            })
        }),
        picked: derived(move || picked.with(|picked| picked.entries().to_vec())),
        changes: changes.into(),
        is_compared: derived(move || comparison.is_with_catalog()),
        arranged,
        view,
        scale,
        near,
        bounds,
        window,
        focus,
        trail: StoredValue::default(),
        drag,
        dragged_entry: memo(move |_| {
            drag.with(|drag| drag.as_ref().and_then(Drag::carried_entry).cloned())
        }),
        drop_target,
        forecast: drag::forecast(app, drop_target),
        hover,
        gripped: memo(move |_| {
            let has_grips = !facts.with(|view| view.computes_edges());
            hover.get().or_else(|| focus.get()).filter(|_| has_grips)
        }),
        resting: RwSignal::new(None),
        facts,
        card: RwSignal::default(),
    };
    pointer::listen_to_keys(shared);
    dom::follow_size(area, size);
    view_keeping::keep_view(shared, received, drawn, size);
    let had_focus = StoredValue::new(false);
    // A redrawn node is a new element: move the focus to it.
    effect(move |_| {
        shared.lanes.track();
        shared.changes.track();
        request_animation_frame(move || {
            if had_focus.try_get_value() == Some(true)
                && dom::is_focus_lost()
                && let Some(at) = shared.focus.try_get_untracked().flatten()
            {
                focus_element(shared, at);
            }
        });
    });

    // Not a container query: it would make the center the containing block of all fixed cards in
    // it.
    let is_narrow = memo(move |_| size.with(|(width, _)| *width < MIN_WIDTH_BESIDE_TABS));
    let name = move || received.with(|l| format!("Upgrade graph of {}", l.package));
    view! {
        <section class="graph" class:graph-narrow=move || is_narrow.get() style=("--hatch", "url(#graph-hatch)") aria-label=name aria-describedby="graph-keys">
            <p id="graph-keys" class="visually-hidden">{edge_walk::KEYBOARD_HELP}</p>
            <toolbar::Toolbar shared folding/>
            <div class="graph-stage">
            <div class="graph-area" node_ref=area tabindex="-1"
                class:graph-area-dragging=move || shared.drag.with(|drag| drag.as_ref().is_some_and(|drag| drag.moved))
                on:wheel=move |e| pointer::on_wheel(shared, &e)
                on:pointerdown=move |e| pointer::on_pointer_down(shared, &e)
                on:pointermove=move |e| pointer::on_pointer_move(shared, &e)
                on:pointerup=move |e| pointer::on_pointer_up(shared, &e)
                on:pointercancel=move |e| pointer::on_pointer_cancel(shared, &e)
                on:lostpointercapture=move |e| pointer::on_lost_capture(shared, &e)
                on:pointerover=move |e| { pointer::on_pointer_over(shared, &e); explanation::on_over(shared, &e); }
                on:pointerleave=move |_| { shared.hover.set(None); explanation::on_leave(shared); }
                on:focusin=move |e| { had_focus.set_value(true); explanation::on_focus(shared, &e); }
                on:focusout=move |e| {
                    had_focus.set_value(e.related_target().is_none());
                    explanation::on_leave(shared);
                }
                on:click=move |e| explanation::on_click(shared, &e)
                on:dblclick=move |e| explanation::on_double_click(shared, &e)
                on:contextmenu=move |e| actions::on_contextmenu(shared, &e)
                on:keydown=move |e| on_key(shared, &e)>
                <canvas::Canvas shared/>
            </div>
            <toolbar::ZoomTools shared/>
            </div>
            <drag_view::DragCard shared/>
            <explanation::ExplanationCard shared/>
        </section>
    }
}

fn entry_at(shared: GraphContext, at: NodeAt) -> Option<EntryRef> {
    shared.lanes.with_untracked(|l| {
        let lane = l.lanes.get(at.lane)?;
        let node = lane.nodes.get(at.node)?;
        let is_entry = node.members.is_empty() && node.kind != EntryNodeKind::Removed;
        is_entry.then(|| EntryRef {
            channel: lane.channel.clone(),
            name: node.name.clone(),
        })
    })
}

fn on_key(shared: GraphContext, event: &ev::KeyboardEvent) {
    if edge_walk::on_edge_key(shared, event)
        || (!dom::has_modifier(event) && on_plain_key(shared, event))
    {
        event.prevent_default();
        event.stop_propagation();
    }
}

/// Handles a key without modifiers other than Shift. Returns whether it was handled.
fn on_plain_key(shared: GraphContext, event: &ev::KeyboardEvent) -> bool {
    let key = event.key();
    if let Some(direction) = ArrowMove::from_key(&key) {
        move_focus(shared, direction, event.shift_key());
        return true;
    }
    let app = shared.app;
    let focus = shared.focus.get_untracked();
    let entry = focus.and_then(|at| entry_at(shared, at));
    let is_dragging = || {
        let drag = shared.drag;
        drag.with_untracked(|drag| drag.as_ref().is_some_and(|drag| drag.moved))
    };
    match (key.as_str(), entry) {
        (" ", Some(entry)) => pick(shared, entry),
        ("Enter" | " ", _) => {
            return focus.is_some_and(|at| activate(shared, at) || open_menu_at(shared, at));
        }
        ("u", Some(entry)) => app.show_source_of(&entry),
        ("ContextMenu" | "F10", _) if key == "ContextMenu" || event.shift_key() => {
            return focus.is_some_and(|at| open_menu_at(shared, at));
        }
        ("+" | "=", _) => zoom(shared, ZOOM_IN),
        ("-", _) => zoom(shared, ZOOM_OUT),
        ("0", _) => zoom_to_natural_size(shared),
        ("f", _) => fit(shared),
        ("Escape", _) if is_dragging() => pointer::end_drag(shared),
        ("Escape", _) if explanation::dismiss(shared) => {}
        ("Escape", _) => app.select_parent(),
        (letter, Some(entry)) if letter.len() == 1 => {
            select_for_edit(app, entry, letter, event.shift_key());
            return false;
        }
        _ => return false,
    }
    true
}

/// Moves the keyboard position. `extends`: adds the entries on the way to the selection.
fn move_focus(shared: GraphContext, direction: ArrowMove, extends: bool) {
    let focus = shared.focus.get_untracked();
    let next = shared.lanes.with_untracked(|lanes| match focus {
        Some(at) => nodes::step(lanes, at, direction),
        None => nodes::initial_focus(lanes),
    });
    match (next, focus) {
        (Some(at), _) => {
            if extends {
                let path = [focus, next].into_iter().flatten();
                path.filter_map(|at| entry_at(shared, at))
                    .for_each(|entry| pick_to(shared, entry));
            }
            go_to(shared, at);
        }
        (None, Some(at)) if direction == ArrowMove::Up => headings::focus_stream_above(shared, at),
        _ => {}
    }
}

/// Selects the focused entry if the letter opens the form of an edit, which then concerns it. The
/// page runs the command. Several selected entries are edited together.
fn select_for_edit(app: AppContext, entry: EntryRef, letter: &str, shift: bool) {
    let press = KeyPress {
        key: letter,
        shift,
        ..KeyPress::default()
    };
    let action = key_action(press, app.preferences.letter_keys.get_untracked());
    let is_alone = app
        .selected_entries
        .picked
        .with_untracked(|picked| picked.is_empty());
    if is_alone && matches!(action, Some(KeyAction::Run(Command::Edit(_)))) {
        app.select(entry.into());
    }
}

/// Selects an entry, or the head that a stack names, which then unfolds. Unfolds other stacks.
/// Returns `false` for removed entries.
fn activate(shared: GraphContext, at: NodeAt) -> bool {
    match entry_at(shared, at).or_else(|| unselected_head(shared, at)) {
        Some(entry) => {
            shared.app.select(entry.into());
            true
        }
        None => unfold(shared, at),
    }
}

/// Returns the head in a stack, unless it is selected.
fn unselected_head(shared: GraphContext, at: NodeAt) -> Option<EntryRef> {
    let lanes = shared.lanes.get_untracked();
    let (lane, node) = (lanes.lanes.get(at.lane)?, nodes::node_at(&lanes, at)?);
    let facts = shared.facts.get_untracked();
    let head = facts.table.iter().find(|row| {
        row.channel == lane.channel
            && row.states.contains(&EntryState::Head)
            && node.members.contains(&row.entry)
    })?;
    let target = Some(Target::from(head.entry_ref()));
    (shared.selected.get_untracked() != target).then(|| head.entry_ref())
}

/// Returns whether there is a stack.
fn unfold(shared: GraphContext, at: NodeAt) -> bool {
    let stack = shared.lanes.with_untracked(|l| {
        let node = nodes::node_at(l, at)?;
        (node.kind == EntryNodeKind::Stack).then(|| node.name.clone())
    });
    let is_stack = stack.is_some();
    if let Some(stream) = stack {
        shared.app.current.toggle_stream(stream);
    }
    is_stack
}

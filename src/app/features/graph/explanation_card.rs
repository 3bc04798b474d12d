//! The card that explains an edge or node. It opens on hover or focus, beside the object without
//! covering it; it can be hovered, and Escape closes it. Screen readers get the same text as the
//! node's description.

use super::arrow_keys::{NodeAt, node_at};
use super::explanation::{CardSubject, Explanation, owner, why};
use super::{GraphContext, GraphEvent, accessible_names};
use crate::reactive::memo;
use crate::widgets::code_text::in_code;
use crate::widgets::rest_item::rest_item;
use leptos::ev;
use leptos::prelude::*;
use protocol::lanes::{EntryNodeKind, Lanes};
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// Gap between an object and its card.
const GAP: f64 = 10.0;

/// The card's position in window pixels. `up`: anchored at its lower edge, if there is no room
/// below.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct CardPosition {
    x: f64,
    y: f64,
    up: bool,
}

/// The subject of an event.
pub(super) fn about(target: Option<web_sys::EventTarget>) -> Option<CardSubject> {
    let element: Element = target?.dyn_into().ok()?;
    if let Some(edge) = element.closest("[data-edge]").ok().flatten() {
        return CardSubject::edge(&edge.get_attribute("data-edge")?);
    }
    let node = element.closest("[data-node]").ok().flatten()?;
    let number = |name: &str| node.get_attribute(name)?.parse().ok();
    Some(CardSubject::Node(NodeAt {
        lane: number("data-lane")?,
        node: number("data-node")?,
    }))
}

/// The pointer entered an element.
pub fn on_over(shared: GraphContext, event: &ev::PointerEvent) {
    let is_held = shared.drag.with_untracked(Option::is_some) || event.pointer_type() == "touch";
    rest_on(shared, about(event.target()).filter(|_| !is_held));
}

/// The focus entered an element: a node becomes the keyboard position, and with the keyboard its
/// card opens.
pub fn on_focus(shared: GraphContext, event: &ev::FocusEvent) {
    let element = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let about = about(event.target());
    if let Some(CardSubject::Node(at)) = about
        && shared.focus.get_untracked() != Some(at)
    {
        shared.focus.set(Some(at));
    }
    let by_key = element.is_some_and(|element| element.matches(":focus-visible").unwrap_or(false));
    rest_on(shared, about.filter(|_| by_key));
}

/// Pointer or focus left.
pub fn on_leave(shared: GraphContext) {
    rest_on(shared, None);
}

/// Clicking an edge shows its line. The pointer handlers select nodes; this handles other clicks:
/// on a stack, and without a pointer.
pub fn on_click(shared: GraphContext, event: &ev::MouseEvent) {
    let Some(about) = about(event.target()) else {
        return;
    };
    if let CardSubject::Node(at) = about {
        let kind = shared
            .lanes
            .with_untracked(|lanes| node_at(lanes, at).map(|node| node.kind));
        if kind == Some(EntryNodeKind::Stack) || event.detail() == 0 {
            super::activate(shared, at);
        }
        return;
    }
    if let Some(edge) = explanation(shared, about).and_then(|why| why.edges.into_iter().next()) {
        shared.on.run(GraphEvent::Line(edge.location));
    }
}

/// Double-clicking a node shows its line.
pub fn on_double_click(shared: GraphContext, event: &ev::MouseEvent) {
    if let Some(CardSubject::Node(at)) = about(event.target())
        && let Some(entry) = super::entry_at(shared, at)
    {
        shared.on.run(GraphEvent::Source(entry));
    }
}

/// Closes the card. True if it was open.
pub fn dismiss(shared: GraphContext) -> bool {
    shared
        .card
        .try_update(|card| card.dismiss())
        .unwrap_or_default()
}

fn rest_on(shared: GraphContext, about: Option<CardSubject>) {
    let due = shared.card.try_update(|card| card.over(about)).flatten();
    if let Some((ticket, after)) = due {
        timer_ended(shared, ticket, after);
    }
}

fn timer_ended(shared: GraphContext, ticket: u32, after: Duration) {
    set_timeout(
        move || {
            let is_held = shared
                .drag
                .try_with_untracked(Option::is_some)
                .unwrap_or(true);
            shared.card.try_update(|card| {
                if is_held {
                    card.close()
                } else {
                    card.timer_ended(ticket)
                }
            });
        },
        after,
    );
}

pub(super) fn explanation(shared: GraphContext, about: CardSubject) -> Option<Explanation> {
    shared.lanes.with_untracked(|lanes| {
        shared
            .facts
            .with_untracked(|facts| why(lanes, &facts.table, about))
    })
}

/// Positions the card beside its object's current position.
fn place(shared: GraphContext, about: CardSubject) -> CardPosition {
    let area = shared.area.get_untracked();
    let thing = area.and_then(|area| area.query_selector(&about.selector()).ok().flatten());
    let Some(rect) = thing.map(|thing| thing.get_bounding_client_rect()) else {
        return CardPosition::default();
    };
    let height = window()
        .inner_height()
        .ok()
        .and_then(|height| height.as_f64())
        .unwrap_or(0.0);
    let width = window()
        .inner_width()
        .ok()
        .and_then(|width| width.as_f64())
        .unwrap_or(0.0);
    let x = rect.left().clamp(8.0, (width - 380.0).max(8.0));
    // Half of the window has enough room for any card.
    match rect.bottom() > height / 2.0 {
        true => CardPosition {
            x,
            y: height - rect.top() + GAP,
            up: true,
        },
        false => CardPosition {
            x,
            y: rect.bottom() + GAP,
            up: false,
        },
    }
}

#[component]
pub(super) fn ExplanationCard(shared: GraphContext) -> impl IntoView {
    let subject = memo(move |_| shared.card.with(super::explanation::Card::subject));
    let card = memo(move |_| {
        let about = subject.get()?;
        let why = shared
            .lanes
            .with(|lanes| shared.facts.with(|facts| why(lanes, &facts.table, about)))?;
        let of = shared.lanes.with(|lanes| owner(lanes, about));
        let change = shared
            .changes
            .with(|all| of.map(|of| accessible_names::change(all, &of.channel, &of.name)));
        let way_back = shared
            .lanes
            .with(|lanes| is_removed(lanes, about))
            .then(|| accessible_names::way_back(shared.is_compared.get()));
        Some((
            why,
            change.unwrap_or_default(),
            way_back,
            place(shared, about),
        ))
    });
    view! {
        {move || card.get().map(|(why, change, way_back, place)| draw(shared, why, change, way_back, place))}
        <Description shared/>
    }
    .into_any()
}

fn is_removed(lanes: &Lanes, about: CardSubject) -> bool {
    matches!(about, CardSubject::Node(at) if node_at(lanes, at).is_some_and(|node| node.kind == EntryNodeKind::Removed))
}

/// `change`: the entry's difference from the compared catalog. `way_back`: how to restore a removed
/// entry.
fn draw(
    shared: GraphContext,
    why: Explanation,
    change: String,
    way_back: Option<&'static str>,
    place: CardPosition,
) -> AnyView {
    let CardPosition { x, y, up } = place;
    let more = rest_item(why.more);
    let none = (why.edges.is_empty() && way_back.is_none())
        .then(|| view! { <p class="dim">"No edge leads to it or from it."</p> });
    let edges = why.edges.into_iter().map(|edge| {
        let location = edge.location.clone();
        let name = format!("{}: show in source", edge.text());
        view! {
            <li>
                {in_code(&edge.says)} ", "
                <button type="button" class="link" aria-label=name on:click=move |_| {
                    shared.card.update(super::explanation::Card::close);
                    shared.on.run(GraphEvent::Line(location.clone()));
                }>{format!("line {}", edge.location.line)}</button>
            </li>
        }
    });
    view! {
        <div
            class="why-card"
            // Not a tooltip: it contains buttons.
            role="group"
            aria-label="Why"
            style:left=format!("{x:.0}px")
            style:top=if up { "auto".to_owned() } else { format!("{y:.0}px") }
            style:bottom=if up { format!("{y:.0}px") } else { "auto".to_owned() }
            on:pointerenter=move |_| { shared.card.try_update(super::explanation::Card::hold); }
            on:pointerleave=move |_| on_leave(shared)
        >
            <p class="why-title">{why.title}</p>
            {(!why.date.is_empty()).then(|| view! { <p class="dim">"Created " {why.date}</p> })}
            {(!change.is_empty()).then(|| view! { <p class="why-change">{in_code(&change)}</p> })}
            {way_back.map(|way| view! { <p class="dim">{way}</p> })}
            {none}
            <ul class="why-edges">{edges.collect_view()}{more}</ul>
        </div>
    }
    .into_any()
}

/// The card's text for the node at the keyboard position.
#[component]
fn Description(shared: GraphContext) -> impl IntoView {
    let text = memo(move |_| {
        let at = shared.focus.get()?;
        shared.lanes.with(|lanes| {
            let (lane, node) = (lanes.lanes.get(at.lane)?, node_at(lanes, at)?);
            if node.kind == EntryNodeKind::Removed {
                let was = shared
                    .changes
                    .with(|all| accessible_names::change(all, &lane.channel, &node.name));
                return Some(format!(
                    "{was}. {}",
                    accessible_names::way_back(shared.is_compared.get())
                ));
            }
            shared
                .facts
                .with(|facts| why(lanes, &facts.table, CardSubject::Node(at)))
                .map(|why| why.text())
        })
    });
    let id = shared.ids.with_value(|ids| ids.why.clone());
    view! { <p id=id class="visually-hidden">{move || text.get().unwrap_or_default()}</p> }
        .into_any()
}

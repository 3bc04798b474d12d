//! Explains an edge or node with the line that defines it, in a card that opens on hover or focus.
//! The card is beside the object without covering it, stays open while hovered, and closes with
//! Escape. Screen readers get the text as the node's description.

use super::nodes::{NodeAt, node_at};
use super::{GraphContext, accessible_names};
use crate::prelude::*;
use crate::state::entries::EdgeKind;
use crate::widgets::short_text::rest_item;
use leptos::ev;
use protocol::counting::and_more;
use protocol::diagnostic::Location;
use protocol::lanes::{EntryNodeKind, Lanes};
use protocol::views::{EntryRef, TableRow};
use std::time::Duration;

/// Maximum number of edges listed.
const MAX_EDGES: usize = 6;
/// How long the pointer or the focus rests before the card opens.
const OPEN_DELAY: Duration = Duration::from_millis(450);
/// How long a card stays open after the pointer leaves, so that the pointer can reach it.
const CLOSE_DELAY: Duration = Duration::from_millis(250);

/// Gap between an object and its card, in pixels.
const GAP: f64 = 10.0;
/// Width of a card, and its minimum distance from the left edge of the window, in pixels.
const CARD_WIDTH: f64 = 380.0;
const CARD_MARGIN: f64 = 8.0;
/// Id of the text that describes the focused node.
pub(super) const DESCRIPTION: &str = "graph-why";

/// The subject of a card, by indices in [`Lanes`]: a node or an edge of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardSubject {
    pub lane: usize,
    /// The kind of the edge; `None` for a node.
    pub edge: Option<EdgeKind>,
    pub index: usize,
}

/// The kinds of edges as in the names of their elements.
const EDGES: [(&str, EdgeKind); 3] = [
    ("link", EdgeKind::Replaces),
    ("run", EdgeKind::Skips),
    ("bracket", EdgeKind::SkipRange),
];

impl CardSubject {
    fn from_node(NodeAt { lane, node }: NodeAt) -> Self {
        Self {
            lane,
            edge: None,
            index: node,
        }
    }

    /// Parses the name of an edge's element: `0-link-3`.
    fn from_edge_name(name: &str) -> Option<Self> {
        let (lane, rest) = name.split_once('-')?;
        let (kind, index) = rest.split_once('-')?;
        let (_, edge) = EDGES.into_iter().find(|(name, _)| *name == kind)?;
        Some(Self {
            lane: lane.parse().ok()?,
            edge: Some(edge),
            index: index.parse().ok()?,
        })
    }

    /// Returns the selector of the subject's element.
    fn selector(self) -> String {
        let Self { lane, edge, index } = self;
        match EDGES.into_iter().find(|(_, kind)| Some(*kind) == edge) {
            Some((name, _)) => format!("[data-edge=\"{lane}-{name}-{index}\"]"),
            None => format!("[data-lane=\"{lane}\"][data-node=\"{index}\"]"),
        }
    }

    /// Returns the node; `None` for an edge.
    pub fn node(self) -> Option<NodeAt> {
        self.edge.is_none().then_some(NodeAt {
            lane: self.lane,
            node: self.index,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Explanation {
    pub title: String,
    /// The bundle's creation date; "" if unknown, and for edges.
    pub date: String,
    pub edges: Vec<ExplainedEdge>,
    /// Number of further edges.
    pub more: usize,
}

/// A sentence about an edge, with names and ranges in backticks, and the edge's line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedEdge {
    pub sentence: String,
    pub location: Location,
}

impl ExplainedEdge {
    /// Formats the edge, e.g. `1.4.0 replaces 1.3.0 in stable, line 212`.
    pub fn text(&self) -> String {
        format!(
            "{}, line {}",
            self.sentence.replace('`', ""),
            self.location.line
        )
    }
}

impl Explanation {
    fn new(title: String, mut edges: Vec<ExplainedEdge>) -> Self {
        let more = edges.len().saturating_sub(MAX_EDGES);
        edges.truncate(MAX_EDGES);
        Self {
            title,
            date: String::new(),
            edges,
            more,
        }
    }

    /// Formats the whole card as one text, for screen readers.
    pub fn text(&self) -> String {
        let created = (!self.date.is_empty()).then(|| format!("created {}", self.date));
        let mut parts: Vec<String> = created
            .into_iter()
            .chain(self.edges.iter().map(ExplainedEdge::text))
            .collect();
        parts.extend((self.more > 0).then(|| and_more(self.more)));
        parts.join("; ")
    }
}

/// Explains the subject. Returns `None` if it no longer exists, or has no explanation.
pub fn explain(lanes: &Lanes, table: &[TableRow], subject: CardSubject) -> Option<Explanation> {
    let lane = lanes.lanes.get(subject.lane)?;
    let row = |name: &String| find_row(table, &lane.channel, name);
    match subject.edge {
        None => {
            let node = lane.nodes.get(subject.index)?;
            if node.kind == EntryNodeKind::Stack {
                return None;
            }
            let title = format!("{} in {}", node.name, lane.channel);
            Some(Explanation {
                date: row(&node.name).map_or_else(String::new, |row| row.date.clone()),
                ..Explanation::new(title, explain_entry(table, &lane.channel, &node.name))
            })
        }
        Some(EdgeKind::Replaces) => {
            let edges = lane.links.get(subject.index)?.edges.iter();
            let edges = edges.filter_map(|(_, newer)| explain_replaces(row(newer)?, table));
            Some(Explanation::new("replaces".to_owned(), edges.collect()))
        }
        Some(EdgeKind::Skips) => {
            let run = lane.runs.get(subject.index)?;
            let edges = run.by.iter().filter_map(row).flat_map(|row| {
                explain_skips(row, table, |name| {
                    run.names.iter().any(|known| known == name)
                })
            });
            Some(Explanation::new(run.label.clone(), edges.collect()))
        }
        Some(EdgeKind::SkipRange) => {
            let bracket = lane.brackets.get(subject.index)?;
            let edge = explain_skip_range(row(&bracket.entry)?);
            let title = if bracket.invalid {
                "skipRange, which cannot be read"
            } else {
                "skipRange"
            };
            Some(Explanation::new(
                title.to_owned(),
                edge.into_iter().collect(),
            ))
        }
    }
}

/// Explains the edges of an entry: its own first, then incoming ones.
fn explain_entry(table: &[TableRow], channel: &str, name: &str) -> Vec<ExplainedEdge> {
    let own = table
        .iter()
        .filter(|row| row.channel == channel && row.entry == name);
    let own = own.flat_map(|row| {
        explain_replaces(row, table)
            .into_iter()
            .chain(explain_skip_range(row))
            .chain(explain_skips(row, table, |_| true))
    });
    let others = table
        .iter()
        .filter(|row| row.channel == channel && row.entry != name);
    let others = others.flat_map(|row| {
        let replaces = Some(row)
            .filter(|row| row.replaces == name)
            .and_then(|row| explain_replaces(row, table));
        replaces
            .into_iter()
            .chain(explain_skips(row, table, |skipped| skipped == name))
    });
    own.chain(others).collect()
}

fn find_row<'a>(table: &'a [TableRow], channel: &str, name: &str) -> Option<&'a TableRow> {
    table
        .iter()
        .find(|row| row.channel == channel && row.entry == name)
}

fn explain_replaces(row: &TableRow, table: &[TableRow]) -> Option<ExplainedEdge> {
    let text = || {
        format!(
            "`{}` replaces `{}` in {}",
            version_or_entry_name(row),
            version_or_name(table, row, &row.replaces),
            row.channel
        )
    };
    (!row.replaces.is_empty()).then(|| explained_edge(row, row.edge_lines.replaces, text()))
}

fn explain_skip_range(row: &TableRow) -> Option<ExplainedEdge> {
    let text = || {
        format!(
            "skipRange `{}` of `{}` in {}",
            row.skip_range,
            version_or_entry_name(row),
            row.channel
        )
    };
    (!row.skip_range.is_empty()).then(|| explained_edge(row, row.edge_lines.skip_range, text()))
}

/// Explains the edges to the requested skipped names only: a package can have a million skips, and
/// every keyboard step calls this.
fn explain_skips<'a>(
    row: &'a TableRow,
    table: &'a [TableRow],
    is_requested: impl Fn(&str) -> bool + 'a,
) -> impl Iterator<Item = ExplainedEdge> + 'a {
    let lines = row
        .edge_lines
        .skips
        .iter()
        .copied()
        .chain(std::iter::repeat(0));
    let each = row
        .skips
        .iter()
        .zip(lines)
        .filter(move |(name, _)| is_requested(name));
    each.map(move |(name, line)| {
        let text = format!(
            "`{}` skips `{}` in {}",
            version_or_entry_name(row),
            version_or_name(table, row, name),
            row.channel
        );
        explained_edge(row, line, text)
    })
}

fn explained_edge(row: &TableRow, line: u32, text: String) -> ExplainedEdge {
    let line = if line == 0 { row.location.line } else { line };
    ExplainedEdge {
        sentence: text,
        location: Location {
            line,
            ..row.location.clone()
        },
    }
}

fn version_or_entry_name(row: &TableRow) -> &str {
    if row.version.is_empty() {
        &row.entry
    } else {
        &row.version
    }
}

fn version_or_name<'a>(table: &'a [TableRow], owner: &TableRow, name: &'a str) -> &'a str {
    find_row(table, &owner.channel, name).map_or(name, version_or_entry_name)
}

/// The state of the open card. Its owner reports the hovered object and elapsed timers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Card {
    /// Shown after the timer.
    pending: Option<CardSubject>,
    visible: Option<CardSubject>,
    /// Closed by Escape; does not reopen until the pointer moves to something else.
    dismissed: Option<CardSubject>,
    /// Identifies the last timer.
    ticket: u32,
}

impl Card {
    pub fn subject(&self) -> Option<CardSubject> {
        self.visible
    }

    /// Records that the pointer or focus is on `subject`. Call [`Card::timer_ended`] with the
    /// returned ticket after the returned time.
    pub fn set_subject(&mut self, subject: Option<CardSubject>) -> Option<(u32, Duration)> {
        if subject == self.pending && (subject.is_some() || self.visible.is_none()) {
            return None;
        }
        if subject != self.dismissed {
            self.dismissed = None;
        }
        self.pending = subject;
        self.ticket += 1;
        Some((
            self.ticket,
            if subject.is_some() {
                OPEN_DELAY
            } else {
                CLOSE_DELAY
            },
        ))
    }

    /// Keeps the card open while the pointer is on it.
    pub fn hold(&mut self) {
        self.pending = self.visible;
        self.ticket += 1;
    }

    /// Opens or closes the card after a timer ended. Ignores outdated timers.
    pub fn timer_ended(&mut self, ticket: u32) {
        if ticket == self.ticket {
            self.visible = self
                .pending
                .filter(|subject| Some(*subject) != self.dismissed);
        }
    }

    /// Handles Escape. Returns whether a card was closed.
    pub fn dismiss(&mut self) -> bool {
        self.ticket += 1;
        self.dismissed = self.visible.take();
        self.dismissed.is_some()
    }

    /// Closes the card because of another action such as a drag.
    pub fn close(&mut self) {
        *self = Self {
            ticket: self.ticket + 1,
            ..Self::default()
        };
    }
}

pub fn owner(lanes: &Lanes, subject: CardSubject) -> Option<EntryRef> {
    let lane = lanes.lanes.get(subject.lane)?;
    let name = match subject.edge {
        None => &lane.nodes.get(subject.index)?.name,
        Some(EdgeKind::Replaces) => &lane.links.get(subject.index)?.edges.first()?.1,
        Some(EdgeKind::Skips) => lane.runs.get(subject.index)?.by.first()?,
        Some(EdgeKind::SkipRange) => &lane.brackets.get(subject.index)?.entry,
    };
    Some(EntryRef {
        channel: lane.channel.clone(),
        name: name.clone(),
    })
}

/// The card's position in window pixels. `up` anchors its lower edge, if there is no room below the
/// object.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct CardPosition {
    x: f64,
    y: f64,
    up: bool,
}

pub(super) fn subject_at(target: Option<web_sys::EventTarget>) -> Option<CardSubject> {
    if let Some(edge) = dom::closest(target.clone(), "[data-edge]") {
        return CardSubject::from_edge_name(&edge.get_attribute("data-edge")?);
    }
    let node = dom::closest(target, "[data-node]")?;
    let number = |name: &str| node.get_attribute(name)?.parse().ok();
    Some(CardSubject::from_node(NodeAt {
        lane: number("data-lane")?,
        node: number("data-node")?,
    }))
}

pub fn on_over(shared: GraphContext, event: &ev::PointerEvent) {
    let is_held = shared.drag.with_untracked(Option::is_some) || event.pointer_type() == "touch";
    open_card_for(shared, subject_at(event.target()).filter(|_| !is_held));
}

/// Handles an element that got the focus: a node becomes the keyboard position. If the focus came
/// by keyboard, opens the card.
pub fn on_focus(shared: GraphContext, event: &ev::FocusEvent) {
    let subject = subject_at(event.target());
    if let Some(at) = subject.and_then(CardSubject::node)
        && shared.focus.get_untracked() != Some(at)
    {
        shared.focus.set(Some(at));
    }
    open_card_for(
        shared,
        subject.filter(|_| dom::focused_by_key(event).is_some()),
    );
}

pub fn on_leave(shared: GraphContext) {
    open_card_for(shared, None);
}

/// Shows the line of a clicked edge. Also handles clicks on nodes that the pointer handlers do not:
/// on a stack, and clicks without a pointer.
pub fn on_click(shared: GraphContext, event: &ev::MouseEvent) {
    let Some(subject) = subject_at(event.target()) else {
        return;
    };
    if let Some(at) = subject.node() {
        let kind = shared
            .lanes
            .with_untracked(|lanes| node_at(lanes, at).map(|node| node.kind));
        if kind == Some(EntryNodeKind::Stack) || event.detail() == 0 {
            super::activate(shared, at);
        }
        return;
    }
    if let Some(edge) = explanation(shared, subject).and_then(|why| why.edges.into_iter().next()) {
        shared.app.show_source(edge.location);
    }
}

/// Shows the line of a double-clicked node.
pub fn on_double_click(shared: GraphContext, event: &ev::MouseEvent) {
    if let Some(at) = subject_at(event.target()).and_then(CardSubject::node)
        && let Some(entry) = super::entry_at(shared, at)
    {
        shared.app.show_source_of(&entry);
    }
}

/// Closes the card. Returns whether it was open.
pub fn dismiss(shared: GraphContext) -> bool {
    shared
        .card
        .try_update(|card| card.dismiss())
        .unwrap_or_default()
}

fn open_card_for(shared: GraphContext, subject: Option<CardSubject>) {
    let due = shared
        .card
        .try_update(|card| card.set_subject(subject))
        .flatten();
    let Some((ticket, after)) = due else {
        return;
    };
    let end = move || {
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
    };
    set_timeout(end, after);
}

pub(super) fn explanation(shared: GraphContext, subject: CardSubject) -> Option<Explanation> {
    shared.lanes.with_untracked(|lanes| {
        shared
            .facts
            .with_untracked(|facts| explain(lanes, &facts.table, subject))
    })
}

fn card_position(shared: GraphContext, subject: CardSubject) -> CardPosition {
    let area = shared.area.get_untracked();
    let object = area.and_then(|area| area.query_selector(&subject.selector()).ok().flatten());
    let Some(rect) = object.map(|object| object.get_bounding_client_rect()) else {
        return CardPosition::default();
    };
    let (width, height) = dom::window_size();
    let x = rect
        .left()
        .clamp(CARD_MARGIN, (width - CARD_WIDTH).max(CARD_MARGIN));
    // Any card fits into half of the window.
    let up = rect.bottom() > height / 2.0;
    let y = if up {
        height - rect.top() + GAP
    } else {
        rect.bottom() + GAP
    };
    CardPosition { x, y, up }
}

#[component]
pub(super) fn ExplanationCard(shared: GraphContext) -> impl IntoView {
    let subject = memo(move |_| shared.card.with(Card::subject));
    let card = memo(move |_| {
        let subject = subject.get()?;
        let why = shared.lanes.with(|lanes| {
            shared
                .facts
                .with(|facts| explain(lanes, &facts.table, subject))
        })?;
        let entry = shared.lanes.with(|lanes| owner(lanes, subject));
        let change = shared.changes.with(|all| {
            entry.map(|entry| accessible_names::change(all, &entry.channel, &entry.name))
        });
        let restore_hint = shared
            .lanes
            .with(|lanes| is_removed(lanes, subject))
            .then(|| accessible_names::restore_hint(shared.is_compared.get()));
        Some((
            why,
            change.unwrap_or_default(),
            restore_hint,
            card_position(shared, subject),
        ))
    });
    view! {
        {move || card.get().map(|(why, change, restore_hint, card_position)| draw(shared, why, change, restore_hint, card_position))}
        <Description shared/>
    }
    .into_any()
}

fn is_removed(lanes: &Lanes, subject: CardSubject) -> bool {
    let node = subject.node().and_then(|at| node_at(lanes, at));
    node.is_some_and(|node| node.kind == EntryNodeKind::Removed)
}

/// Renders the card. `change` is the entry's difference from the compared catalog, `restore_hint`
/// how to restore a removed entry.
fn draw(
    shared: GraphContext,
    why: Explanation,
    change: String,
    restore_hint: Option<&'static str>,
    card_position: CardPosition,
) -> AnyView {
    let CardPosition { x, y, up } = card_position;
    let more = rest_item(why.more);
    let none = (why.edges.is_empty() && restore_hint.is_none())
        .then(|| view! { <p class="dim">"No edge leads to it or from it."</p> });
    let edges = why.edges.into_iter().map(|edge| {
        let location = edge.location.clone();
        let name = format!("{}: show in source", edge.text());
        view! {
            <li>
                {in_code(&edge.sentence)} ", "
                <button type="button" class="link" aria-label=name on:click=move |_| {
                    shared.card.update(Card::close);
                    shared.app.show_source(location.clone());
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
            on:pointerenter=move |_| { shared.card.try_update(Card::hold); }
            on:pointerleave=move |_| on_leave(shared)
        >
            <p class="why-title">{why.title}</p>
            {(!why.date.is_empty()).then(|| view! { <p class="dim">"Created " {why.date}</p> })}
            {(!change.is_empty()).then(|| view! { <p class="why-change">{in_code(&change)}</p> })}
            {restore_hint.map(|hint| view! { <p class="dim">{hint}</p> })}
            {none}
            <ul class="why-edges">{edges.collect_view()}{more}</ul>
        </div>
    }
    .into_any()
}

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
                    accessible_names::restore_hint(shared.is_compared.get())
                ));
            }
            shared
                .facts
                .with(|facts| explain(lanes, &facts.table, CardSubject::from_node(at)))
                .map(|why| why.text())
        })
    });
    view! { <p id=DESCRIPTION class="visually-hidden">{move || text.get().unwrap_or_default()}</p> }
        .into_any()
}

#[cfg(test)]
mod tests;

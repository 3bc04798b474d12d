//! Explains an edge or node with the line that defines it, and controls when the card is open.
//! Pure: takes table rows, returns sentences; no browser or clock.

use super::arrow_keys::{NodeAt, node_at};
use crate::state::edge_kind::EdgeKind;
use protocol::counting::and_more;
use protocol::diagnostic::Location;
use protocol::lanes::{EntryNodeKind, Lanes};
use protocol::views::{EntryRef, TableRow};
use std::time::Duration;

/// Maximum number of edges listed.
const TOLD: usize = 6;
/// Hover or focus time before the card opens.
const OPENS_AFTER: Duration = Duration::from_millis(450);
/// How long a card stays after the pointer leaves, so that it can be reached.
const STAYS: Duration = Duration::from_millis(250);

/// The subject of a card, by its indices in [`Lanes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardSubject {
    Node(NodeAt),
    Link { lane: usize, link: usize },
    Run { lane: usize, run: usize },
    Bracket { lane: usize, bracket: usize },
}

impl CardSubject {
    /// Parses the name of an edge's element: `0-link-3`.
    pub fn edge(name: &str) -> Option<CardSubject> {
        let mut parts = name.split('-');
        let (lane, kind, index) = (
            parts.next()?.parse().ok()?,
            parts.next()?,
            parts.next()?.parse().ok()?,
        );
        match kind {
            "link" => Some(CardSubject::Link { lane, link: index }),
            "run" => Some(CardSubject::Run { lane, run: index }),
            "bracket" => Some(CardSubject::Bracket {
                lane,
                bracket: index,
            }),
            _ => None,
        }
    }

    /// The selector of its element.
    pub fn selector(self) -> String {
        let (lane, kind, index) = match self {
            CardSubject::Node(NodeAt { lane, node }) => {
                return format!("[data-lane=\"{lane}\"][data-node=\"{node}\"]");
            }
            CardSubject::Link { lane, link } => (lane, "link", link),
            CardSubject::Run { lane, run } => (lane, "run", run),
            CardSubject::Bracket { lane, bracket } => (lane, "bracket", bracket),
        };
        format!("[data-edge=\"{lane}-{kind}-{index}\"]")
    }
}

impl CardSubject {
    /// `None` for a node.
    pub fn kind(self) -> Option<EdgeKind> {
        match self {
            CardSubject::Node(_) => None,
            CardSubject::Link { .. } => Some(EdgeKind::Replaces),
            CardSubject::Run { .. } => Some(EdgeKind::Skips),
            CardSubject::Bracket { .. } => Some(EdgeKind::SkipRange),
        }
    }
}

/// The content of a card.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Explanation {
    pub title: String,
    /// The bundle's creation date; "" if unknown, and for an edge.
    pub date: String,
    pub edges: Vec<ExplainedEdge>,
    /// Number of edges that are not listed.
    pub more: usize,
}

/// An edge as text with names and ranges in backticks, and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedEdge {
    pub says: String,
    pub location: Location,
}

impl ExplainedEdge {
    /// `1.4.0 replaces 1.3.0 in stable, line 212`.
    pub fn text(&self) -> String {
        format!(
            "{}, line {}",
            self.says.replace('`', ""),
            self.location.line
        )
    }
}

impl Explanation {
    fn new(title: String, mut edges: Vec<ExplainedEdge>) -> Self {
        let more = edges.len().saturating_sub(TOLD);
        edges.truncate(TOLD);
        Self {
            title,
            date: String::new(),
            edges,
            more,
        }
    }

    /// As one text, for screen readers.
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

/// `None`: it does not exist any more, or there is no explanation.
pub fn why(lanes: &Lanes, table: &[TableRow], about: CardSubject) -> Option<Explanation> {
    match about {
        CardSubject::Node(at) => {
            let lane = lanes.lanes.get(at.lane)?;
            let node = node_at(lanes, at)?;
            let title = match node.kind {
                EntryNodeKind::Stack => return None,
                EntryNodeKind::Entry | EntryNodeKind::Ghost | EntryNodeKind::Removed => {
                    format!("{} in {}", node.name, lane.channel)
                }
            };
            let date = row(table, &lane.channel, &node.name)
                .map_or_else(String::new, |row| row.date.clone());
            Some(Explanation {
                date,
                ..Explanation::new(title, explain_entry(table, &lane.channel, &node.name))
            })
        }
        CardSubject::Link { lane, link } => {
            let lane = lanes.lanes.get(lane)?;
            let edges = lane.links.get(link)?.edges.iter();
            let edges =
                edges.filter_map(|(_, newer)| replaces(row(table, &lane.channel, newer)?, table));
            Some(Explanation::new("replaces".to_owned(), edges.collect()))
        }
        CardSubject::Run { lane, run } => {
            let lane = lanes.lanes.get(lane)?;
            let run = lane.runs.get(run)?;
            let by = run
                .by
                .iter()
                .filter_map(|name| row(table, &lane.channel, name));
            let edges =
                by.flat_map(|row| skips(row, table, |name| run.names.iter().any(|of| of == name)));
            Some(Explanation::new(run.label.clone(), edges.collect()))
        }
        CardSubject::Bracket { lane, bracket } => {
            let lane = lanes.lanes.get(lane)?;
            let bracket = lane.brackets.get(bracket)?;
            let edge = skip_range(row(table, &lane.channel, &bracket.entry)?);
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

/// Its own edges first, then incoming ones.
fn explain_entry(table: &[TableRow], channel: &str, name: &str) -> Vec<ExplainedEdge> {
    let own = table
        .iter()
        .filter(|row| row.channel == channel && row.entry == name);
    let own = own.flat_map(|row| {
        replaces(row, table)
            .into_iter()
            .chain(skip_range(row))
            .chain(skips(row, table, |_| true))
    });
    let others = table
        .iter()
        .filter(|row| row.channel == channel && row.entry != name);
    let others = others.flat_map(|row| {
        let replaces = Some(row)
            .filter(|row| row.replaces == name)
            .and_then(|row| replaces(row, table));
        replaces
            .into_iter()
            .chain(skips(row, table, |skipped| skipped == name))
    });
    own.chain(others).collect()
}

fn row<'a>(table: &'a [TableRow], channel: &str, name: &str) -> Option<&'a TableRow> {
    table
        .iter()
        .find(|row| row.channel == channel && row.entry == name)
}

fn replaces(row: &TableRow, table: &[TableRow]) -> Option<ExplainedEdge> {
    let text = || {
        format!(
            "`{}` replaces `{}` in {}",
            short(row),
            version_or_name(table, row, &row.replaces),
            row.channel
        )
    };
    (!row.replaces.is_empty()).then(|| edge(row, row.edge_lines.replaces, text()))
}

fn skip_range(row: &TableRow) -> Option<ExplainedEdge> {
    let text = || {
        format!(
            "skipRange `{}` of `{}` in {}",
            row.skip_range,
            short(row),
            row.channel
        )
    };
    (!row.skip_range.is_empty()).then(|| edge(row, row.edge_lines.skip_range, text()))
}

/// The edges to the requested skipped names. Others are not looked up: a package can have a million
/// skips, and every keyboard step calls this.
fn skips<'a>(
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
            short(row),
            version_or_name(table, row, name),
            row.channel
        );
        edge(row, line, text)
    })
}

fn edge(row: &TableRow, line: u32, text: String) -> ExplainedEdge {
    let line = if line == 0 { row.location.line } else { line };
    ExplainedEdge {
        says: text,
        location: Location {
            line,
            ..row.location.clone()
        },
    }
}

/// The version, or else the name.
fn short(row: &TableRow) -> &str {
    if row.version.is_empty() {
        &row.entry
    } else {
        &row.version
    }
}

fn version_or_name<'a>(table: &'a [TableRow], of: &TableRow, name: &'a str) -> &'a str {
    row(table, &of.channel, name).map_or(name, short)
}

/// The state of the open card. Its owner reports the hovered object and elapsed timers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Card {
    wanted: Option<CardSubject>,
    shown: Option<CardSubject>,
    /// Closed by Escape; stays closed while the pointer stays.
    dismissed: Option<CardSubject>,
    ticket: u32,
}

impl Card {
    pub fn subject(&self) -> Option<CardSubject> {
        self.shown
    }

    /// The pointer or focus is on this. Call [`Card::timer_ended`] after the returned time.
    pub fn over(&mut self, about: Option<CardSubject>) -> Option<(u32, Duration)> {
        if about == self.wanted && (about.is_some() || self.shown.is_none()) {
            return None;
        }
        if about != self.dismissed {
            self.dismissed = None;
        }
        self.wanted = about;
        self.ticket += 1;
        Some((
            self.ticket,
            if about.is_some() { OPENS_AFTER } else { STAYS },
        ))
    }

    /// The pointer is on the card itself: keeps it open.
    pub fn hold(&mut self) {
        self.wanted = self.shown;
        self.ticket += 1;
    }

    /// A timer ended. Outdated ones are ignored.
    pub fn timer_ended(&mut self, ticket: u32) {
        if ticket == self.ticket {
            self.shown = self.wanted.filter(|wanted| Some(*wanted) != self.dismissed);
        }
    }

    /// Handles Escape. True if a card was closed.
    pub fn dismiss(&mut self) -> bool {
        self.ticket += 1;
        self.dismissed = self.shown.take();
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

/// The entry that defines the edge or belongs to the node.
pub fn owner(lanes: &Lanes, about: CardSubject) -> Option<EntryRef> {
    let (lane, name) = match about {
        CardSubject::Node(at) => (at.lane, &node_at(lanes, at)?.name),
        CardSubject::Link { lane, link } => (
            lane,
            &lanes.lanes.get(lane)?.links.get(link)?.edges.first()?.1,
        ),
        CardSubject::Run { lane, run } => (lane, lanes.lanes.get(lane)?.runs.get(run)?.by.first()?),
        CardSubject::Bracket { lane, bracket } => {
            (lane, &lanes.lanes.get(lane)?.brackets.get(bracket)?.entry)
        }
    };
    Some(EntryRef {
        channel: lanes.lanes.get(lane)?.channel.clone(),
        name: name.clone(),
    })
}

#[cfg(test)]
#[path = "explanation_tests.rs"]
mod tests;

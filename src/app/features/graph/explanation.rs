//! Why an edge or a car is there, in words, with the line that made it; and when a card that says so is open. Plain: rows
//! of the table in, sentences out; no browser, no clock.

use super::arrow_keys::{CarAt, car_at};
use crate::state::edge_kind::EdgeKind;
use protocol::counting::and_more;
use protocol::diagnostic::Location;
use protocol::lanes::{CarKind, Lanes};
use protocol::views::{EntryRef, TableRow};
use std::time::Duration;

/// So many edges are told one by one.
const TOLD: usize = 6;
/// How long the pointer or the focus rests on a thing until its card opens.
const OPENS_AFTER: Duration = Duration::from_millis(450);
/// How long a card stays when the pointer has left: time to reach it.
const STAYS: Duration = Duration::from_millis(250);

/// What a card is about, by its place in [`Lanes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardSubject {
    Car(CarAt),
    Link { lane: usize, link: usize },
    Run { lane: usize, run: usize },
    Bracket { lane: usize, bracket: usize },
}

impl CardSubject {
    /// An edge as its element names it: `0-link-3`.
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

    /// Its element, as a selector.
    pub fn selector(self) -> String {
        let (lane, kind, index) = match self {
            CardSubject::Car(CarAt { lane, car }) => {
                return format!("[data-lane=\"{lane}\"][data-car=\"{car}\"]");
            }
            CardSubject::Link { lane, link } => (lane, "link", link),
            CardSubject::Run { lane, run } => (lane, "run", run),
            CardSubject::Bracket { lane, bracket } => (lane, "bracket", bracket),
        };
        format!("[data-edge=\"{lane}-{kind}-{index}\"]")
    }
}

impl CardSubject {
    /// `None` for a car.
    pub fn kind(self) -> Option<EdgeKind> {
        match self {
            CardSubject::Car(_) => None,
            CardSubject::Link { .. } => Some(EdgeKind::Replaces),
            CardSubject::Run { .. } => Some(EdgeKind::Skips),
            CardSubject::Bracket { .. } => Some(EdgeKind::SkipRange),
        }
    }
}

/// What a card says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Explanation {
    pub title: String,
    /// When its bundle was made; "" where that is not said, and for an edge.
    pub date: String,
    pub edges: Vec<ExplainedEdge>,
    /// So many more that are not told.
    pub more: usize,
}

/// An edge in words, names and ranges in backticks, and its line.
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

    /// As one text, for who cannot see the card.
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

/// `None`: it is not there any more, or nothing can be said of it.
pub fn why(lanes: &Lanes, table: &[TableRow], about: CardSubject) -> Option<Explanation> {
    match about {
        CardSubject::Car(at) => {
            let lane = lanes.lanes.get(at.lane)?;
            let car = car_at(lanes, at)?;
            let title = match car.kind {
                CarKind::Stack => return None,
                CarKind::Entry | CarKind::Ghost | CarKind::Removed => {
                    format!("{} in {}", car.name, lane.channel)
                }
            };
            let date = row(table, &lane.channel, &car.name)
                .map_or_else(String::new, |row| row.date.clone());
            Some(Explanation {
                date,
                ..Explanation::new(title, of_entry(table, &lane.channel, &car.name))
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

/// Its own edges first, then those of others that lead from it.
fn of_entry(table: &[TableRow], channel: &str, name: &str) -> Vec<ExplainedEdge> {
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
    let says = || {
        format!(
            "`{}` replaces `{}` in {}",
            short(row),
            version_or_name(table, row, &row.replaces),
            row.channel
        )
    };
    (!row.replaces.is_empty()).then(|| edge(row, row.edge_lines.replaces, says()))
}

fn skip_range(row: &TableRow) -> Option<ExplainedEdge> {
    let says = || {
        format!(
            "skipRange `{}` of `{}` in {}",
            row.skip_range,
            short(row),
            row.channel
        )
    };
    (!row.skip_range.is_empty()).then(|| edge(row, row.edge_lines.skip_range, says()))
}

/// The edges to those of its skipped names that are asked for. The others are not looked up: a package can have a million
/// skips, and this is told at every step of the keyboard.
fn skips<'a>(
    row: &'a TableRow,
    table: &'a [TableRow],
    is_asked: impl Fn(&str) -> bool + 'a,
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
        .filter(move |(name, _)| is_asked(name));
    each.map(move |(name, line)| {
        let says = format!(
            "`{}` skips `{}` in {}",
            short(row),
            version_or_name(table, row, name),
            row.channel
        );
        edge(row, line, says)
    })
}

fn edge(row: &TableRow, line: u32, says: String) -> ExplainedEdge {
    let line = if line == 0 { row.location.line } else { line };
    ExplainedEdge {
        says,
        location: Location {
            line,
            ..row.location.clone()
        },
    }
}

/// The version, else the name.
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

/// Which card is open. Whoever holds it tells it what the pointer is over and when a time has passed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Card {
    wanted: Option<CardSubject>,
    shown: Option<CardSubject>,
    /// Closed by Escape; stays closed as long as the pointer stays.
    dismissed: Option<CardSubject>,
    ticket: u32,
}

impl Card {
    pub fn subject(&self) -> Option<CardSubject> {
        self.shown
    }

    /// The pointer or the focus is on this now. After the time that is given, [`Card::timer_ended`] is due.
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

    /// The pointer is on the card itself: it stays.
    pub fn hold(&mut self) {
        self.wanted = self.shown;
        self.ticket += 1;
    }

    /// A time has passed. An earlier one counts for nothing.
    pub fn timer_ended(&mut self, ticket: u32) {
        if ticket == self.ticket {
            self.shown = self.wanted.filter(|wanted| Some(*wanted) != self.dismissed);
        }
    }

    /// Escape. True when there was a card to close.
    pub fn dismiss(&mut self) -> bool {
        self.ticket += 1;
        self.dismissed = self.shown.take();
        self.dismissed.is_some()
    }

    /// Something else begins, such as a drag.
    pub fn close(&mut self) {
        *self = Self {
            ticket: self.ticket + 1,
            ..Self::default()
        };
    }
}

/// The entry that a thing belongs to: the one that says the edge.
pub fn owner(lanes: &Lanes, about: CardSubject) -> Option<EntryRef> {
    let (lane, name) = match about {
        CardSubject::Car(at) => (at.lane, &car_at(lanes, at)?.name),
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

//! Search over the names of everything that is open. Knows the workspace, and nothing of how results are shown.
//!
//! **Lazy, by package.** Nothing is indexed before the first search. After that a package's names are gathered again only
//! when it is another package (its `Arc`), so that the index needs no word from who edits. Texts are shared with the facts;
//! a name costs 40 bytes. Problems change with every edit and are few: they are looked through as they are.

mod fit;
mod kind;
mod shelf;
#[cfg(test)]
mod tests;

pub use kind::Kind;

use crate::order::PutInOrder;
use crate::workspace::{Root, Workspace};
use fit::{Fit, Letters, Place, Query, Reading};
use shelf::{Item, Shelf};
use std::ops::Range;

/// A result: its text, and what it is a name of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub kind: Kind,
    pub text: String,
    /// What of the text was typed: ranges of bytes, at borders of characters.
    pub marks: Vec<Range<usize>>,
    /// The root's name.
    pub root: String,
    /// "" for a problem of no package.
    pub package: String,
    /// A channel's own name; for what belongs to a bundle a channel that lists it, the default one before others; else "".
    pub channel: String,
    /// The bundle, or entry, that the text belongs to; else "".
    pub bundle: String,
    /// Of a problem: which one of the root's.
    pub problem: Option<usize>,
}

/// The best results, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    pub hits: Vec<Hit>,
    pub total: usize,
}

/// How large an index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    pub names: usize,
    /// Beside the facts, with which texts are shared.
    pub bytes: usize,
}

/// The names of a workspace.
#[derive(Debug, Default)]
pub struct Index {
    roots: Vec<Vec<Shelf>>,
}

/// Where a result stands. Ordered as results are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    fit: Fit,
    kind: Kind,
    length: u32,
    root: u32,
    shelf: u32,
    item: u32,
}

impl Index {
    /// Takes in what changed since the last time, which after an edit are the packages it touched.
    pub fn follow(&mut self, workspace: &Workspace) {
        self.roots.resize_with(workspace.roots().len(), Vec::new);
        for (shelves, root) in self.roots.iter_mut().zip(workspace.roots()) {
            shelf::follow(shelves, root.catalog());
        }
    }

    /// The best `limit` results for what was typed, of the workspace that was followed last.
    pub fn find(&self, workspace: &Workspace, typed: &str, limit: usize) -> Answer {
        let query = Query::new(typed);
        if query.is_empty() {
            return Answer::default();
        }
        let mut ranks: Vec<Rank> = Vec::new();
        for ((shelves, root), number) in self.roots.iter().zip(workspace.roots()).zip(0..) {
            for (shelf, at) in shelves.iter().zip(0..) {
                rank_names(shelf, &query, |rank| ranks.push(Rank { root: number, shelf: at, ..rank }));
            }
            rank_problems(root, &query, |rank| ranks.push(Rank { root: number, ..rank }));
        }
        let total = ranks.len();
        if limit > 0 && limit < total {
            ranks.select_nth_unstable(limit - 1);
        }
        ranks.truncate(limit);
        ranks.put_in_order();
        let hits = ranks.iter().filter_map(|rank| self.hit(workspace, *rank, &query)).collect();
        Answer { hits, total }
    }

    pub fn size(&self) -> Size {
        let shelves = || self.roots.iter().flatten();
        Size { names: shelves().map(|shelf| shelf.items.len()).sum(), bytes: shelves().map(Shelf::bytes).sum() }
    }

    fn hit(&self, workspace: &Workspace, rank: Rank, query: &Query) -> Option<Hit> {
        let root = workspace.roots().get(rank.root as usize)?;
        if rank.kind == Kind::Problem {
            return problem_hit(root, rank.item as usize, query);
        }
        let shelf = self.roots.get(rank.root as usize)?.get(rank.shelf as usize)?;
        let item = shelf.items.get(rank.item as usize)?;
        let (channel, bundle) = shelf.whereabouts(item);
        Some(Hit {
            kind: item.kind,
            text: item.text.to_string(),
            marks: query.marks(&item.text, reading(item.kind)),
            root: root.name.clone(),
            package: shelf.package.name.to_string(),
            channel,
            bundle,
            problem: None,
        })
    }
}

fn reading(kind: Kind) -> Reading {
    match kind {
        Kind::Image | Kind::Version | Kind::Problem => Reading::InOnePiece,
        _ => Reading::Loose,
    }
}

fn rank_names(shelf: &Shelf, query: &Query, mut add: impl FnMut(Rank)) {
    for (item, at) in shelf.items.iter().zip(0..) {
        let Item { text, letters, kind, .. } = item;
        // A package's own name has nothing around it.
        let (around, letters_around) =
            if *kind == Kind::Package { ("", Letters::default()) } else { (&*shelf.package.name, shelf.letters) };
        let place = Place { text, letters: *letters, around, letters_around, reading: reading(*kind) };
        if let Some(fit) = query.fit(&place) {
            add(Rank { fit, kind: *kind, length: text.len() as u32, root: 0, shelf: 0, item: at });
        }
    }
}

fn rank_problems(root: &Root, query: &Query, mut add: impl FnMut(Rank)) {
    let mut text = String::new();
    for (problem, at) in root.verdict().diagnostics.iter().zip(0..) {
        text.clear();
        write_problem(&mut text, &problem.rule, &problem.message);
        let around = problem.package.as_deref().unwrap_or_default();
        let place = Place {
            text: &text,
            letters: Letters::of(&text),
            around,
            letters_around: Letters::of(around),
            reading: reading(Kind::Problem),
        };
        if let Some(fit) = query.fit(&place) {
            add(Rank { fit, kind: Kind::Problem, length: text.len() as u32, root: 0, shelf: 0, item: at });
        }
    }
}

/// A problem as it is searched and shown: its rule, and what is so, without the signs around names.
fn write_problem(out: &mut String, rule: &str, message: &str) {
    out.push_str(rule);
    out.push_str(": ");
    out.extend(message.chars().filter(|character| *character != '`'));
}

fn problem_hit(root: &Root, at: usize, query: &Query) -> Option<Hit> {
    let problem = root.verdict().diagnostics.get(at)?;
    let mut text = String::new();
    write_problem(&mut text, &problem.rule, &problem.message);
    Some(Hit {
        kind: Kind::Problem,
        marks: query.marks(&text, reading(Kind::Problem)),
        text,
        root: root.name.clone(),
        package: problem.package.clone().unwrap_or_default(),
        channel: problem.channel.clone().unwrap_or_default(),
        bundle: problem.bundle.clone().unwrap_or_default(),
        problem: Some(at),
    })
}

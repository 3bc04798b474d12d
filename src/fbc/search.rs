//! Search over the names of everything open. Knows the workspace, but not how results are shown.
//!
//! Nothing is indexed before the first search. Later, a package's names are collected again only if
//! its `Arc` is a different one, so edits need not notify the index. Texts are shared with the
//! facts; a name costs 40 bytes. Problems change with every edit and are few, so they are searched
//! without an index.

mod match_quality;
mod package_items;
#[cfg(test)]
mod tests;

pub use package_items::HitKind;

use crate::order::SortSmall;
use crate::workspace::{Root, Workspace};
use match_quality::{LetterSet, MatchMode, MatchQuality, Query, SearchText};
use package_items::{Item, PackageItems};
use std::ops::Range;

/// A result: its text, and the kind of thing it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub kind: HitKind,
    pub text: String,
    /// The matched parts of the text, as byte ranges at character boundaries.
    pub marks: Vec<Range<usize>>,
    /// The root's name.
    pub root: String,
    /// "" for a problem outside of packages.
    pub package: String,
    /// For a channel, its own name. For a bundle or anything in it, a channel that lists it,
    /// preferably the default one. Otherwise "".
    pub channel: String,
    /// The bundle or entry that the text belongs to; otherwise "".
    pub bundle: String,
    /// For a problem: its index in the root's list.
    pub problem: Option<usize>,
}

/// The best results, and the total number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchResults {
    pub hits: Vec<Hit>,
    pub total: usize,
}

/// The size of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexSize {
    pub names: usize,
    /// In addition to the facts, whose texts the index shares.
    pub bytes: usize,
}

/// The names of a workspace.
#[derive(Debug, Default)]
pub struct Index {
    roots: Vec<Vec<PackageItems>>,
}

/// Position of a result among all results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    fit: MatchQuality,
    kind: HitKind,
    length: u32,
    root: u32,
    package_items: u32,
    item: u32,
}

impl Index {
    /// Indexes what changed since the last call; after an edit, these are the packages it touched.
    pub fn refresh(&mut self, workspace: &Workspace) {
        self.roots.resize_with(workspace.roots().len(), Vec::new);
        for (all_items, root) in self.roots.iter_mut().zip(workspace.roots()) {
            // A rendering has the names of its template and the template's sources.
            match root.rendering() {
                None => package_items::refresh(all_items, root.catalog()),
                Some(_) => all_items.clear(),
            }
        }
    }

    /// The best `limit` results for the typed text, in the workspace of the last refresh.
    pub fn find(&self, workspace: &Workspace, typed: &str, limit: usize) -> SearchResults {
        let query = Query::new(typed);
        if query.is_empty() {
            return SearchResults::default();
        }
        let mut ranks: Vec<Rank> = Vec::new();
        for ((all_items, root), number) in self.roots.iter().zip(workspace.roots()).zip(0..) {
            for (package_items, at) in all_items.iter().zip(0..) {
                rank_names(package_items, &query, |rank| {
                    ranks.push(Rank {
                        root: number,
                        package_items: at,
                        ..rank
                    })
                });
            }
            rank_problems(root, &query, |rank| {
                ranks.push(Rank {
                    root: number,
                    ..rank
                })
            });
        }
        let total = ranks.len();
        if limit > 0 && limit < total {
            ranks.select_nth_unstable(limit - 1);
        }
        ranks.truncate(limit);
        ranks.sort_small();
        let hits = ranks
            .iter()
            .filter_map(|rank| self.hit(workspace, *rank, &query))
            .collect();
        SearchResults { hits, total }
    }

    pub fn size(&self) -> IndexSize {
        let all_items = || self.roots.iter().flatten();
        IndexSize {
            names: all_items()
                .map(|package_items| package_items.items.len())
                .sum(),
            bytes: all_items().map(PackageItems::bytes).sum(),
        }
    }

    fn hit(&self, workspace: &Workspace, rank: Rank, query: &Query) -> Option<Hit> {
        let root = workspace.roots().get(rank.root as usize)?;
        if rank.kind == HitKind::Problem {
            return problem_hit(root, rank.item as usize, query);
        }
        let package_items = self
            .roots
            .get(rank.root as usize)?
            .get(rank.package_items as usize)?;
        let item = package_items.items.get(rank.item as usize)?;
        let (channel, bundle) = package_items.whereabouts(item);
        Some(Hit {
            kind: item.kind,
            text: item.text.to_string(),
            marks: query.marks(&item.text, reading(item.kind)),
            root: root.name.clone(),
            package: package_items.package.name.to_string(),
            channel,
            bundle,
            problem: None,
        })
    }
}

fn reading(kind: HitKind) -> MatchMode {
    match kind {
        HitKind::Image | HitKind::Version | HitKind::Problem => MatchMode::InOnePiece,
        _ => MatchMode::Loose,
    }
}

fn rank_names(package_items: &PackageItems, query: &Query, mut add: impl FnMut(Rank)) {
    for (item, at) in package_items.items.iter().zip(0..) {
        let Item {
            text,
            letters,
            kind,
            ..
        } = item;
        // A package's own name has no context.
        let (around, letters_around) = if *kind == HitKind::Package {
            ("", LetterSet::default())
        } else {
            (&*package_items.package.name, package_items.letters)
        };
        let place = SearchText {
            text,
            letters: *letters,
            around,
            letters_around,
            reading: reading(*kind),
        };
        if let Some(fit) = query.fit(&place) {
            add(Rank {
                fit,
                kind: *kind,
                length: text.len() as u32,
                root: 0,
                package_items: 0,
                item: at,
            });
        }
    }
}

fn rank_problems(root: &Root, query: &Query, mut add: impl FnMut(Rank)) {
    let mut text = String::new();
    for (problem, at) in root.verdict().diagnostics.iter().zip(0..) {
        text.clear();
        write_problem(&mut text, &problem.rule, &problem.message);
        let around = problem.package.as_deref().unwrap_or_default();
        let place = SearchText {
            text: &text,
            letters: LetterSet::from_text(&text),
            around,
            letters_around: LetterSet::from_text(around),
            reading: reading(HitKind::Problem),
        };
        if let Some(fit) = query.fit(&place) {
            add(Rank {
                fit,
                kind: HitKind::Problem,
                length: text.len() as u32,
                root: 0,
                package_items: 0,
                item: at,
            });
        }
    }
}

/// The searched and shown text of a problem: its rule and message, without the backquotes around
/// names.
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
        kind: HitKind::Problem,
        marks: query.marks(&text, reading(HitKind::Problem)),
        text,
        root: root.name.clone(),
        package: problem.package.clone().unwrap_or_default(),
        channel: problem.channel.clone().unwrap_or_default(),
        bundle: problem.bundle.clone().unwrap_or_default(),
        problem: Some(at),
    })
}

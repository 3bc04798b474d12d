//! Computes the listed problems with order and headings, and finds a problem again after an edit.

use protocol::diagnostic::{Diagnostic, Severity};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Maximum nesting of consequences, so that their text has room.
const DEEPEST: u8 = 2;

/// A filter. Facets of one kind exclude each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Facet {
    Severity(Severity),
    /// Refused by `opm validate` (true), or our advice (false).
    Opm(bool),
    /// Problems of the package in view.
    Here,
}

impl Facet {
    pub const EACH: [(Facet, &'static str); 6] = [
        // First, since the last ones must be scrolled to in a narrow row.
        (Facet::Here, "This package"),
        (Facet::Severity(Severity::Error), "Errors"),
        (Facet::Severity(Severity::Warning), "Warnings"),
        (Facet::Severity(Severity::Info), "Info"),
        (Facet::Opm(true), "opm’s"),
        (Facet::Opm(false), "Our advice"),
    ];
}

/// The problem filter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    pub severity: Option<Severity>,
    pub opm: Option<bool>,
    pub here: bool,
    /// Words that must all occur in the message, the rule or a name.
    pub text: String,
}

impl Filter {
    pub fn has(&self, facet: Facet) -> bool {
        match facet {
            Facet::Severity(severity) => self.severity == Some(severity),
            Facet::Opm(opm) => self.opm == Some(opm),
            Facet::Here => self.here,
        }
    }

    /// Applies or removes the facet.
    pub fn toggle(&mut self, facet: Facet) {
        let is_on = self.has(facet);
        match facet {
            Facet::Severity(severity) => self.severity = (!is_on).then_some(severity),
            Facet::Opm(opm) => self.opm = (!is_on).then_some(opm),
            Facet::Here => self.here = !is_on,
        }
    }

    fn with(&self, facet: Facet) -> Self {
        let mut filter = self.clone();
        if !filter.has(facet) {
            filter.toggle(facet);
        }
        filter
    }

    /// Whether the filter includes a problem. `is_here`: it concerns the package in view.
    fn takes(&self, problem: &Diagnostic, is_here: bool) -> bool {
        self.severity
            .is_none_or(|severity| problem.severity == severity)
            && self.opm.is_none_or(|opm| problem.opm == opm)
            && (!self.here || is_here)
    }
}

/// The subject of a group of problems.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroupSubject {
    /// The whole catalog.
    Catalog,
    /// A file, for problems that belong to no package.
    File(String),
    Package(String),
}

impl GroupSubject {
    fn from_problem(problem: &Diagnostic) -> Self {
        match &problem.package {
            Some(package) => GroupSubject::Package(package.clone()),
            None if problem.location.file.is_empty() => GroupSubject::Catalog,
            None => GroupSubject::File(problem.location.file.clone()),
        }
    }

    pub fn heading(&self) -> &str {
        match self {
            GroupSubject::Catalog => "The catalog",
            GroupSubject::File(name) | GroupSubject::Package(name) => name,
        }
    }
}

/// A row of the list. `group` is an index into [`Listing::groups`], `index` into all problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    Heading {
        group: usize,
    },
    /// `depth`: nesting below other problems in the list.
    Problem {
        group: usize,
        index: usize,
        depth: u8,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub about: GroupSubject,
    /// Packages with a problem in the group.
    pub packages: BTreeSet<String>,
    pub errors: u32,
    pub warnings: u32,
    pub infos: u32,
}

/// The list as shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    pub groups: Vec<Group>,
    /// Headings, each followed by its problems.
    pub rows: Vec<Row>,
    /// Problems in the order of the rows.
    pub order: Vec<usize>,
    /// Number of problems for each of [`Facet::EACH`], with the other facets unchanged.
    pub counts: [usize; 6],
}

impl Listing {
    /// Returns the row of a problem.
    pub fn row_of(&self, index: usize) -> Option<usize> {
        self.rows
            .iter()
            .position(|row| matches!(row, Row::Problem { index: own, .. } if *own == index))
    }

    /// Returns the row of the heading above a package's first problem.
    pub fn heading_of(&self, package: &str) -> Option<usize> {
        let number = self
            .groups
            .iter()
            .position(|group| group.packages.contains(package))?;
        self.rows
            .iter()
            .position(|row| matches!(row, Row::Heading { group } if *group == number))
    }

    /// Returns the problem `step` after another one, wrapping around. `from` is a problem's index;
    /// if it is not listed (any more), `last` was its position.
    pub fn step_from(
        &self,
        from: Option<usize>,
        last: Option<usize>,
        step: isize,
    ) -> Option<usize> {
        let count = self.order.len() as isize;
        if count == 0 {
            return None;
        }
        let here = from.and_then(|index| self.order.iter().position(|own| *own == index));
        let to = match (here, last) {
            (Some(at), _) => at as isize + step,
            // The row is gone: the next one is now at its position.
            (None, Some(at)) if step > 0 => at as isize + step - 1,
            (None, Some(at)) => at as isize + step,
            (None, None) if step > 0 => 0,
            (None, None) => count - 1,
        };
        self.order.get(to.rem_euclid(count) as usize).copied()
    }
}

/// Lists the filtered problems: those without a package by file, then packages with errors, then
/// others; in each, errors first and otherwise in order. Consequences are nested below their cause.
pub fn listing(problems: &[Diagnostic], filter: &Filter, package: &str) -> Listing {
    let text = filter.text.to_lowercase();
    let terms: Vec<&str> = text.split_whitespace().collect();
    let facets = Facet::EACH.map(|(facet, _)| filter.with(facet));
    let mut counts = [0; 6];
    let mut groups: Vec<(Group, Vec<usize>)> = Vec::new();
    let mut known: HashMap<GroupSubject, usize> = HashMap::new();
    let causes = outer_causes(problems);
    let of_package = |index: usize| {
        problems
            .get(index)
            .and_then(|problem| problem.package.as_deref())
    };
    let here: HashSet<usize> = causes
        .iter()
        .filter(|(effect, _)| of_package(**effect) == Some(package))
        .map(|(_, cause)| *cause)
        .collect();
    for (index, problem) in problems
        .iter()
        .enumerate()
        .filter(|(_, problem)| has_words(problem, &terms))
    {
        let is_here = of_package(index) == Some(package) || here.contains(&index);
        for (count, facet) in counts.iter_mut().zip(&facets) {
            *count += usize::from(facet.takes(problem, is_here));
        }
        if !filter.takes(problem, is_here) {
            continue;
        }
        let cause = causes.get(&index).and_then(|cause| problems.get(*cause));
        let at = *known
            .entry(GroupSubject::from_problem(cause.unwrap_or(problem)))
            .or_insert_with_key(|about| {
                groups.push((
                    Group {
                        about: about.clone(),
                        packages: BTreeSet::new(),
                        errors: 0,
                        warnings: 0,
                        infos: 0,
                    },
                    Vec::new(),
                ));
                groups.len() - 1
            });
        if let Some((group, members)) = groups.get_mut(at) {
            *match problem.severity {
                Severity::Error => &mut group.errors,
                Severity::Warning => &mut group.warnings,
                Severity::Info => &mut group.infos,
            } += 1;
            group.packages.extend(problem.package.clone());
            members.push(index);
        }
    }
    groups.sort_by_key(|(group, _)| {
        let rank = match group.about {
            GroupSubject::Catalog => 0,
            GroupSubject::File(_) => 1,
            GroupSubject::Package(_) => 2,
        };
        (rank, group.errors == 0)
    });
    let mut out = Listing {
        counts,
        ..Listing::default()
    };
    for (at, (group, mut members)) in groups.into_iter().enumerate() {
        let rank = |index: &usize| {
            problems
                .get(*index)
                .map_or(u8::MAX, |problem| severity_rank(problem.severity))
        };
        members.sort_by_key(rank);
        out.rows.push(Row::Heading { group: at });
        for (index, depth) in nest_consequences(problems, &members) {
            out.rows.push(Row::Problem {
                group: at,
                index,
                depth,
            });
            out.order.push(index);
        }
        out.groups.push(group);
    }
    out
}

/// Finds problems of packages caused by a problem without a package, such as unreadable text.
fn outer_causes(problems: &[Diagnostic]) -> HashMap<usize, usize> {
    const LONGEST_CHAIN: usize = 8;
    if problems.iter().all(|problem| problem.follows.is_none()) {
        return HashMap::new();
    }
    let mut known = HashMap::new();
    for (index, problem) in problems.iter().enumerate() {
        known
            .entry((&problem.rule, &problem.location))
            .or_insert(index);
    }
    let cause = |index: &usize| {
        let cause = problems.get(*index)?.follows.as_ref()?;
        known.get(&(&cause.rule, &cause.location)).copied()
    };
    let outer = |index: usize| {
        let last = std::iter::successors(Some(index), cause)
            .take(LONGEST_CHAIN)
            .last()
            .filter(|last| *last != index)?;
        let is_outer = problems.get(last)?.package.is_none();
        is_outer.then_some((index, last))
    };
    (0..problems.len()).filter_map(outer).collect()
}

/// Ranks severities, the worst first.
fn severity_rank(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Info => 2,
    }
}

/// What to mention if no problem concerns the package in view or the whole catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoProblemsHint {
    /// Number of packages with problems.
    pub others: u32,
}

/// Returns the hint; `None` if the package has a problem, or no package is in view.
pub fn no_problems_hint(problems: &[Diagnostic], package: &str) -> Option<NoProblemsHint> {
    if package.is_empty() || problems.is_empty() {
        return None;
    }
    let mut others = BTreeSet::new();
    for problem in problems {
        match &problem.package {
            Some(name) if name == package => return None,
            // Same count as in the package list.
            Some(name) => {
                others.insert(name);
            }
            None if problem.severity == Severity::Error => return None,
            _ => {}
        }
    }
    Some(NoProblemsHint {
        others: others.len() as u32,
    })
}

fn has_words(problem: &Diagnostic, terms: &[&str]) -> bool {
    if terms.is_empty() {
        return true;
    }
    let names = [&problem.package, &problem.channel, &problem.bundle]
        .into_iter()
        .flatten()
        .map(String::as_str);
    let texts = [
        problem.message.as_str(),
        &problem.rule,
        &problem.location.file,
    ]
    .into_iter()
    .chain(names);
    let all = texts.collect::<Vec<_>>().join("\n").to_lowercase();
    terms.iter().all(|word| all.contains(word))
}

/// Returns the members with their nesting depth; consequences directly follow their cause.
fn nest_consequences(problems: &[Diagnostic], members: &[usize]) -> Vec<(usize, u8)> {
    let problem_at = |index: usize| problems.get(index);
    let place = |problem: &Diagnostic| (problem.rule.clone(), problem.location.clone());
    if members
        .iter()
        .all(|&index| problem_at(index).is_none_or(|problem| problem.follows.is_none()))
    {
        return members.iter().map(|&index| (index, 0)).collect();
    }
    let mut known = HashMap::new();
    for &index in members {
        if let Some(problem) = problem_at(index) {
            known.entry(place(problem)).or_insert(index);
        }
    }
    let cause = |index: usize| {
        let follows = problem_at(index)?.follows.as_ref()?;
        known
            .get(&(follows.rule.clone(), follows.location.clone()))
            .copied()
            .filter(|&cause| cause != index)
    };
    let mut under: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut tops = Vec::new();
    for &index in members {
        match cause(index) {
            Some(cause) => under.entry(cause).or_default().push(index),
            None => tops.push(index),
        }
    }
    let mut out = Vec::with_capacity(members.len());
    let mut left: Vec<(usize, u8)> = tops.into_iter().rev().map(|index| (index, 0)).collect();
    while let Some((index, depth)) = left.pop() {
        out.push((index, depth));
        let below = under.remove(&index).unwrap_or_default();
        left.extend(
            below
                .into_iter()
                .rev()
                .map(|index| (index, (depth + 1).min(DEEPEST))),
        );
    }
    // Cyclic causes are not nested.
    let mut round: Vec<usize> = under.into_values().flatten().collect();
    round.sort_unstable();
    out.extend(round.into_iter().map(|index| (index, 0)));
    out
}

/// Returns the current index of an earlier problem; `None` if it is gone. Edits may change its
/// line, and counts in its message.
pub fn find_again(problems: &[Diagnostic], known: &Diagnostic) -> Option<usize> {
    let names = |problem: &Diagnostic| {
        (
            problem.package.clone(),
            problem.channel.clone(),
            problem.bundle.clone(),
        )
    };
    let (rule, file, subject) = (&known.rule, &known.location.file, names(known));
    let is_named = known.channel.is_some() || known.bundle.is_some();
    let same = problems.iter().enumerate().filter(|(_, problem)| {
        problem.rule == *rule
            && problem.location.file == *file
            && (is_named || problem.message == known.message)
            && names(problem) == subject
    });
    same.min_by_key(|(_, problem)| {
        (
            problem.message != known.message,
            problem.location.line.abs_diff(known.location.line),
        )
    })
    .map(|(index, _)| index)
}

/// Hashes what a problem's row shows and does: a row keeps its fixes until its stamp changes.
pub fn stamp(problem: &Diagnostic) -> u64 {
    let mut hasher = DefaultHasher::new();
    (
        &problem.rule,
        problem.severity,
        problem.opm,
        &problem.message,
        &problem.help,
        &problem.location,
    )
        .hash(&mut hasher);
    for fix in &problem.fixes {
        (&fix.title, &fix.note, fix.safe, &fix.ops).hash(&mut hasher);
    }
    problem
        .explanation
        .as_ref()
        .map(|explanation| &explanation.why)
        .hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;

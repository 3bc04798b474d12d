//! Computes the listed problems with order and headings, and finds a problem again after an edit.

use protocol::diagnostic::{Diagnostic, Severity};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Maximum nesting of consequences, so that their text has room.
const MAX_DEPTH: u8 = 2;
/// Maximum number of causes followed from a problem, in case they are cyclic.
const MAX_CAUSES: usize = 8;

/// One of the filter's buttons. Facets of the same variant exclude each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Facet {
    Severity(Severity),
    /// Reported by a rule of `opm` (true), or our advice (false).
    Opm(bool),
    /// Problems of the package in view.
    Here,
}

impl Facet {
    pub const ALL: [(Facet, &'static str); 6] = [
        // First, since a narrow row must be scrolled to show the last ones.
        (Facet::Here, "This package"),
        (Facet::Severity(Severity::Error), "Errors"),
        (Facet::Severity(Severity::Warning), "Warnings"),
        (Facet::Severity(Severity::Info), "Info"),
        (Facet::Opm(true), "opm’s"),
        (Facet::Opm(false), "Our advice"),
    ];
}

/// The active facets and the searched text.
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
        let is_active = self.has(facet);
        match facet {
            Facet::Severity(severity) => self.severity = (!is_active).then_some(severity),
            Facet::Opm(opm) => self.opm = (!is_active).then_some(opm),
            Facet::Here => self.here = !is_active,
        }
    }

    fn with(&self, facet: Facet) -> Self {
        let mut filter = self.clone();
        if !filter.has(facet) {
            filter.toggle(facet);
        }
        filter
    }

    /// Whether the facets include a problem. `is_here`: it concerns the package in view.
    fn includes(&self, problem: &Diagnostic, is_here: bool) -> bool {
        self.severity
            .is_none_or(|severity| problem.severity == severity)
            && self.opm.is_none_or(|opm| problem.is_of_opm() == opm)
            && (!self.here || is_here)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum GroupSubject {
    #[default]
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

/// Problems below one heading.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Group {
    pub subject: GroupSubject,
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
    /// Number of problems for each of [`Facet::ALL`] if that facet is added to the filter.
    pub counts: [usize; 6],
}

impl Listing {
    pub fn find_row(&self, problem: usize) -> Option<usize> {
        self.rows
            .iter()
            .position(|row| matches!(row, Row::Problem { index, .. } if *index == problem))
    }

    /// Returns the problem to show first: an error of the package in view, another error, another
    /// problem of the package, or any; among these the last visited one (`stop`) or the first.
    pub fn first_to_show(
        &self,
        problems: &[Diagnostic],
        package: &str,
        stop: Option<usize>,
    ) -> Option<usize> {
        let stop = stop.filter(|index| self.order.contains(index));
        let candidates = stop.into_iter().chain(self.order.iter().copied());
        candidates.min_by_key(|index| {
            let problem = problems.get(*index);
            let is_error = problem.is_some_and(|problem| problem.severity == Severity::Error);
            (!is_error, !is_of_package(problems, *index, package))
        })
    }

    /// Finds the row of the heading above a package's first problem.
    pub fn find_heading(&self, package: &str) -> Option<usize> {
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
        let current = from.and_then(|from| self.order.iter().position(|index| *index == from));
        let target = match (current, last) {
            (Some(position), _) => position as isize + step,
            // The row is gone: the next one is now at its position.
            (None, Some(position)) if step > 0 => position as isize + step - 1,
            (None, Some(position)) => position as isize + step,
            (None, None) if step > 0 => 0,
            (None, None) => count - 1,
        };
        self.order.get(target.rem_euclid(count) as usize).copied()
    }
}

struct GroupMembers {
    group: Group,
    members: Vec<usize>,
}

impl GroupMembers {
    fn add(&mut self, index: usize, problem: &Diagnostic) {
        let count = match problem.severity {
            Severity::Error => &mut self.group.errors,
            Severity::Warning => &mut self.group.warnings,
            Severity::Info => &mut self.group.infos,
        };
        *count += 1;
        self.group.packages.extend(problem.package.clone());
        self.members.push(index);
    }
}

/// Lists the filtered problems: groups with errors first; in both, those without a package by file,
/// then packages, then files in hidden folders. In each, errors first and otherwise in order.
/// Consequences are nested below their cause.
pub fn list_problems(problems: &[Diagnostic], filter: &Filter, package: &str) -> Listing {
    let text = filter.text.to_lowercase();
    let terms: Vec<&str> = text.split_whitespace().collect();
    let facets = Facet::ALL.map(|(facet, _)| filter.with(facet));
    let mut counts = [0; 6];
    let mut groups: Vec<GroupMembers> = Vec::new();
    let mut group_numbers: HashMap<GroupSubject, usize> = HashMap::new();
    let causes = outer_causes(problems);
    let causes_in_package: HashSet<usize> = causes
        .iter()
        .filter(|(effect, _)| is_of_package(problems, **effect, package))
        .map(|(_, cause)| *cause)
        .collect();
    for (index, problem) in problems.iter().enumerate() {
        if !matches_text(problem, &terms) {
            continue;
        }
        let is_here = is_of_package(problems, index, package) || causes_in_package.contains(&index);
        for (count, facet) in counts.iter_mut().zip(&facets) {
            *count += usize::from(facet.includes(problem, is_here));
        }
        if !filter.includes(problem, is_here) {
            continue;
        }
        let cause = causes.get(&index).and_then(|cause| problems.get(*cause));
        let number = *group_numbers
            .entry(GroupSubject::from_problem(cause.unwrap_or(problem)))
            .or_insert_with_key(|subject| {
                let subject = subject.clone();
                groups.push(GroupMembers {
                    group: Group {
                        subject,
                        ..Group::default()
                    },
                    members: Vec::new(),
                });
                groups.len() - 1
            });
        if let Some(group) = groups.get_mut(number) {
            group.add(index, problem);
        }
    }
    arrange_rows(problems, groups, counts)
}

fn is_of_package(problems: &[Diagnostic], index: usize, package: &str) -> bool {
    let problem = problems.get(index);
    problem.is_some_and(|problem| problem.package.as_deref() == Some(package))
}

/// Sorts the groups and their problems, and lists their rows.
fn arrange_rows(
    problems: &[Diagnostic],
    mut groups: Vec<GroupMembers>,
    counts: [usize; 6],
) -> Listing {
    groups.sort_by_key(|GroupMembers { group, .. }| {
        let rank = match group.subject {
            GroupSubject::Catalog => 0,
            GroupSubject::File(ref path) if is_in_hidden_folder(path) => 3,
            GroupSubject::File(_) => 1,
            GroupSubject::Package(_) => 2,
        };
        (group.errors == 0, rank)
    });
    let mut listing = Listing {
        counts,
        ..Listing::default()
    };
    for (number, GroupMembers { group, mut members }) in groups.into_iter().enumerate() {
        members.sort_by_key(|index| problems.get(*index).map(|problem| problem.severity));
        listing.rows.push(Row::Heading { group: number });
        for (index, depth) in nest_consequences(problems, &members) {
            listing.rows.push(Row::Problem {
                group: number,
                index,
                depth,
            });
            listing.order.push(index);
        }
        listing.groups.push(group);
    }
    listing
}

fn is_in_hidden_folder(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    folders.any(|folder| folder.starts_with('.'))
}

/// Maps problems to their first cause, where that has no package, such as unreadable text.
fn outer_causes(problems: &[Diagnostic]) -> HashMap<usize, usize> {
    let causes = direct_causes(problems, 0..problems.len());
    let outer_cause = |&index: &usize| {
        let chain = std::iter::successors(Some(index), |index| causes.get(index).copied());
        let last = chain.take(MAX_CAUSES).last();
        let last = last.filter(|last| *last != index)?;
        let is_outer = problems.get(last)?.package.is_none();
        is_outer.then_some((index, last))
    };
    causes.keys().filter_map(outer_cause).collect()
}

/// Maps those of the members that follow from another member to it.
fn direct_causes(
    problems: &[Diagnostic],
    members: impl Iterator<Item = usize> + Clone,
) -> HashMap<usize, usize> {
    let members = members.filter_map(|index| Some((index, problems.get(index)?)));
    if members
        .clone()
        .all(|(_, problem)| problem.follows.is_none())
    {
        return HashMap::new();
    }
    let mut indices = HashMap::new();
    for (index, problem) in members.clone() {
        indices
            .entry((&problem.rule, &problem.location))
            .or_insert(index);
    }
    let with_cause = members.filter_map(|(index, problem)| {
        let cause = problem.follows.as_ref()?;
        let cause = *indices.get(&(&cause.rule, &cause.location))?;
        (cause != index).then_some((index, cause))
    });
    with_cause.collect()
}

/// Returns the number of other packages with problems if no problem concerns the package in view or
/// the whole catalog; `None` otherwise, and if no package is in view.
pub fn others_with_problems(problems: &[Diagnostic], package: &str) -> Option<u32> {
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
    Some(others.len() as u32)
}

fn matches_text(problem: &Diagnostic, terms: &[&str]) -> bool {
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
    let causes = direct_causes(problems, members.iter().copied());
    let mut consequences: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut pending = Vec::new();
    for &index in members.iter().rev() {
        match causes.get(&index) {
            Some(cause) => consequences.entry(*cause).or_default().push(index),
            None => pending.push((index, 0)),
        }
    }
    let mut nested = Vec::with_capacity(members.len());
    while let Some((index, depth)) = pending.pop() {
        nested.push((index, depth));
        let below = consequences.remove(&index).unwrap_or_default();
        pending.extend(
            below
                .into_iter()
                .map(|index| (index, (depth + 1).min(MAX_DEPTH))),
        );
    }
    // Cyclic causes are not nested.
    let mut cyclic: Vec<usize> = consequences.into_values().flatten().collect();
    cyclic.sort_unstable();
    nested.extend(cyclic.into_iter().map(|index| (index, 0)));
    nested
}

/// Returns the current index of an earlier problem; `None` if it is gone. Edits may change its
/// line, and numbers in its message.
pub fn find_again(problems: &[Diagnostic], earlier: &Diagnostic) -> Option<usize> {
    let is_named = earlier.channel.is_some() || earlier.bundle.is_some();
    let same = problems.iter().enumerate().filter(|(_, problem)| {
        problem.rule == earlier.rule
            && problem.location.file == earlier.location.file
            && (is_named || problem.message == earlier.message)
            && problem.package == earlier.package
            && problem.channel == earlier.channel
            && problem.bundle == earlier.bundle
    });
    same.min_by_key(|(_, problem)| {
        (
            problem.message != earlier.message,
            problem.location.line.abs_diff(earlier.location.line),
        )
    })
    .map(|(index, _)| index)
}

/// Hashes the content of a problem's row: the row and its fixes are kept until the hash changes.
pub fn hash_row(problem: &Diagnostic) -> u64 {
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

//! The search: breadth-first over choices, with each choice's candidates in order of preference
//! (`olm-resolution` 3.6).
//!
//! The result is the lexicographically first solution. Unit propagation only prunes branches
//! without solutions, so it does not change the result. The search knows numbers, not bundles:
//! [`Problem`] translates records into variables and constraints of `olm-resolution` 3.4 with their
//! texts and the candidate order of 3.5, and the solution back into an outcome per subscription.

use super::records::{
    Chosen, Group, Namespace, Outcome, Record, Resolution, State, Subscription, own,
};
use super::requirement::{Facts, Gvk, Predicate, parse_property};
use crate::answer::{ErrorKind, UpgradeError};
use crate::subscription::ChainError;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use syntax::hashed::HashMap;
use syntax::order::SortSmall;
use syntax::place::Text;

pub(super) type Var = usize;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Constraint {
    Mandatory(Var),
    Prohibited(Var),
    /// If `subject` is true, one of `candidates`, in order of preference.
    Dependency {
        subject: Var,
        candidates: Vec<Var>,
    },
    Conflict(Var, Var),
    /// At most one is true; a variable listed twice must be false.
    AtMostOne(Vec<Var>),
}

/// Constraints over the variables `0..variables`. Mandatory constraints are anchored in this order.
#[derive(Debug, Clone, Default)]
pub(super) struct Formula {
    pub variables: usize,
    pub constraints: Vec<Constraint>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// Indices of contradictory constraints.
    Unsatisfiable(Vec<usize>),
    /// The branch budget was exceeded.
    GaveUp,
}

/// Maximum number of decisions. Real namespaces need a few hundred.
pub(super) const MAX_DECISIONS: usize = 200_000;

/// Maximum number of decisions of one search while minimizing an unsatisfiable core.
const MAX_CORE_DECISIONS: usize = 2_000;

/// Budget for minimizing an unsatisfiable core, in visited constraints.
const MAX_CORE_VISITS: usize = 4_000_000;

/// Returns the chosen variables, in the order of choice.
pub(super) fn solve(formula: &Formula) -> Result<Vec<Var>, Failure> {
    let all: Vec<usize> = (0..formula.constraints.len()).collect();
    match Search::new(formula, &all).run(MAX_DECISIONS) {
        SearchResult::Solution(chosen) => Ok(chosen),
        SearchResult::Unsatisfiable => Err(Failure::Unsatisfiable(minimize_core(formula, all))),
        SearchResult::GaveUp => Err(Failure::GaveUp),
    }
}

/// Removes constraints in ever smaller blocks while the others remain unsatisfiable.
fn minimize_core(formula: &Formula, mut core: Vec<usize>) -> Vec<usize> {
    let mut visits = 0;
    let mut block = core.len().div_ceil(2).max(1);
    loop {
        let mut start = 0;
        while start < core.len() && visits < MAX_CORE_VISITS {
            let end = (start + block).min(core.len());
            let smaller: Vec<usize> = core[..start].iter().chain(&core[end..]).copied().collect();
            visits += formula.variables + smaller.len();
            let result = Search::new(formula, &smaller).run(MAX_CORE_DECISIONS);
            if result == SearchResult::Unsatisfiable {
                core = smaller;
            } else {
                start = end;
            }
        }
        if block == 1 || visits >= MAX_CORE_VISITS {
            return core;
        }
        block = block.div_ceil(2);
    }
}

/// Returns the variables that are listed more than once.
fn find_repeated(list: &[Var]) -> Vec<Var> {
    let mut sorted = list.to_vec();
    sorted.sort_small();
    sorted
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| pair[0])
        .collect()
}

#[derive(Debug, PartialEq, Eq)]
enum SearchResult {
    /// The chosen variables, in the order of choice.
    Solution(Vec<Var>),
    Unsatisfiable,
    /// The budget ran out.
    GaveUp,
}

struct Search<'a> {
    constraints: Vec<&'a Constraint>,
    /// For each variable, the constraints that mention it.
    mentions: Vec<Vec<usize>>,
    /// For each variable, its dependencies in order.
    dependencies: Vec<Vec<usize>>,
    value: Vec<Option<bool>>,
    /// Assigned variables, for backtracking.
    trail: Vec<Var>,
    guessed: Vec<bool>,
}

/// A choice that may be revised.
struct Decision {
    /// Position of its constraint in the queue.
    position: usize,
    candidate: usize,
    /// The lengths of the lists before the decision.
    trail: usize,
    queue: usize,
    chosen: usize,
}

impl<'a> Search<'a> {
    fn new(formula: &'a Formula, enabled: &[usize]) -> Self {
        let mut search = Self {
            constraints: Vec::with_capacity(enabled.len()),
            mentions: vec![Vec::new(); formula.variables],
            dependencies: vec![Vec::new(); formula.variables],
            value: vec![None; formula.variables],
            trail: Vec::new(),
            guessed: vec![false; formula.variables],
        };
        for &i in enabled {
            let constraint = &formula.constraints[i];
            let at = search.constraints.len();
            match constraint {
                Constraint::Mandatory(v) | Constraint::Prohibited(v) => {
                    search.mentions[*v].push(at)
                }
                Constraint::Dependency {
                    subject,
                    candidates,
                } => {
                    search.dependencies[*subject].push(at);
                    search.mentions[*subject].push(at);
                    candidates.iter().for_each(|&c| search.mentions[c].push(at));
                }
                Constraint::Conflict(a, b) => [a, b]
                    .into_iter()
                    .for_each(|&v| search.mentions[v].push(at)),
                Constraint::AtMostOne(list) => {
                    list.iter().for_each(|&v| search.mentions[v].push(at))
                }
            }
            search.constraints.push(constraint);
        }
        search
    }

    /// Returns the lexicographically first solution. `budget` is the number of decisions.
    fn run(mut self, mut budget: usize) -> SearchResult {
        let Some(mut queue) = self.initial_queue() else {
            return SearchResult::Unsatisfiable;
        };
        let mut decisions: Vec<Decision> = Vec::new();
        let mut chosen: Vec<Var> = Vec::new();
        let mut position = 0;
        let mut first_candidate = 0;
        while let Some(&choice) = queue.get(position) {
            let candidates: &[Var] = match self.constraints[choice] {
                Constraint::Mandatory(var) => std::slice::from_ref(var),
                Constraint::Dependency { candidates, .. } => candidates,
                _ => &[],
            };
            if first_candidate == 0 && candidates.iter().any(|&var| self.guessed[var]) {
                position += 1;
                continue;
            }
            let trail = self.trail.len();
            let accepted = (first_candidate..candidates.len()).find(|&candidate| {
                budget = budget.saturating_sub(1);
                let is_consistent = self.assign(candidates[candidate], true);
                if !is_consistent {
                    self.undo_to(trail);
                }
                is_consistent
            });
            if budget == 0 {
                return SearchResult::GaveUp;
            }
            if let Some(candidate) = accepted {
                let var = candidates[candidate];
                decisions.push(Decision {
                    position,
                    candidate,
                    trail,
                    queue: queue.len(),
                    chosen: chosen.len(),
                });
                self.guessed[var] = true;
                chosen.push(var);
                queue.extend(&self.dependencies[var]);
                position += 1;
                first_candidate = 0;
                continue;
            }
            let Some(last) = decisions.pop() else {
                return SearchResult::Unsatisfiable;
            };
            self.undo_to(last.trail);
            for var in chosen.drain(last.chosen..) {
                self.guessed[var] = false;
            }
            queue.truncate(last.queue);
            position = last.position;
            first_candidate = last.candidate + 1;
        }
        SearchResult::Solution(chosen)
    }

    /// Queues the mandatory constraints, and propagates all constraints; `None` on a contradiction.
    fn initial_queue(&mut self) -> Option<Vec<usize>> {
        let mut queue = Vec::new();
        for index in 0..self.constraints.len() {
            let is_consistent = match self.constraints[index] {
                Constraint::Mandatory(var) => {
                    queue.push(index);
                    self.assign(*var, true)
                }
                _ => self.check(index),
            };
            if !is_consistent {
                return None;
            }
        }
        Some(queue)
    }

    /// Assigns and propagates; false on a contradiction.
    fn assign(&mut self, var: Var, value: bool) -> bool {
        let from = self.trail.len();
        self.set(var, value) && self.propagate(from)
    }

    /// Propagates one constraint; false on a contradiction.
    fn check(&mut self, constraint: usize) -> bool {
        let from = self.trail.len();
        self.conclude(constraint) && self.propagate(from)
    }

    /// Checks every constraint that mentions a variable assigned from `position` of the trail on.
    fn propagate(&mut self, mut position: usize) -> bool {
        while let Some(&var) = self.trail.get(position) {
            position += 1;
            let value = self.value[var] == Some(true);
            for i in 0..self.mentions[var].len() {
                let constraint = self.mentions[var][i];
                if self.can_force(constraint, var, value) && !self.conclude(constraint) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether a constraint can force anything after this assignment. Without this filter, a false
    /// variable would visit every other variable of its `AtMostOne` constraints.
    fn can_force(&self, constraint: usize, var: Var, value: bool) -> bool {
        match self.constraints[constraint] {
            Constraint::AtMostOne(_) => value,
            // A true candidate satisfies it; a false one may leave a single candidate.
            Constraint::Dependency { subject, .. } => *subject == var || !value,
            _ => true,
        }
    }

    /// Derives the consequences of one constraint under the current assignment; false if it is
    /// violated.
    fn conclude(&mut self, constraint: usize) -> bool {
        match self.constraints[constraint] {
            Constraint::Mandatory(v) => self.set(*v, true),
            Constraint::Prohibited(v) => self.set(*v, false),
            Constraint::Conflict(a, b) => {
                (self.value[*a] != Some(true) || self.set(*b, false))
                    && (self.value[*b] != Some(true) || self.set(*a, false))
            }
            Constraint::AtMostOne(list) => {
                let Some(first) = list.iter().position(|&v| self.value[v] == Some(true)) else {
                    return find_repeated(list).into_iter().all(|v| self.set(v, false));
                };
                list.iter()
                    .enumerate()
                    .all(|(i, &v)| i == first || self.set(v, false))
            }
            Constraint::Dependency {
                subject,
                candidates,
            } => {
                if self.value[*subject] == Some(false) {
                    return true;
                }
                let mut open = candidates.iter().filter(|&&c| self.value[c] != Some(false));
                match (open.next(), open.next()) {
                    (None, _) => self.set(*subject, false),
                    (Some(&only), None) if self.value[*subject] == Some(true) => {
                        self.set(only, true)
                    }
                    _ => true,
                }
            }
        }
    }

    fn set(&mut self, var: Var, value: bool) -> bool {
        match self.value[var] {
            Some(present) => present == value,
            None => {
                self.value[var] = Some(value);
                self.trail.push(var);
                true
            }
        }
    }

    fn undo_to(&mut self, trail: usize) {
        for var in self.trail.drain(trail..) {
            self.value[var] = None;
        }
    }
}

/// A namespace as a formula.
pub(super) struct Problem<'a> {
    namespace: &'a Namespace<'a>,
    pub formula: Formula,
    /// Parallel to the formula's constraints.
    sources: Vec<Source>,
    /// The meaning of each variable.
    meaning: Vec<Meaning<'a>>,
    record_variables: HashMap<String, Var>,
    /// Variables whose constraints are not added yet.
    pending: VecDeque<Var>,
    /// The installed CSV that an update candidate replaces.
    updates: HashMap<Var, Text>,
    /// The valid subscriptions, by name.
    pub subscriptions: Vec<SubscriptionVariables<'a>>,
    predicates: HashMap<(Text, Text), Rc<Predicate>>,
    /// The records that meet a requirement of a bundle in a catalog.
    by_requirement: HashMap<(Text, Text, Option<usize>), Rc<Vec<usize>>>,
}

/// A subscription in the formula.
pub(super) struct SubscriptionVariables<'a> {
    pub subscription: &'a Subscription,
    /// The installed CSV, if it exists.
    pub installed: Option<Text>,
    /// In order of preference, without the installed one.
    pub candidates: Vec<Var>,
    /// Whether the installed CSV is the head of a subscribed channel.
    pub has_head: bool,
}

/// The origin of a constraint. Its text is only rendered on demand: most are never shown.
enum Source {
    Literal(String),
    /// A record requires what the predicate describes.
    Requirement {
        record: usize,
        predicate: Rc<Predicate>,
    },
    /// At most one bundle provides the API.
    Api(Rc<Gvk>),
    /// At most one bundle of the package.
    Package(String),
}

#[derive(Clone, Copy)]
enum Meaning<'a> {
    Subscription(&'a Subscription),
    /// Index into the namespace's records.
    Record(usize),
}

impl<'a> Problem<'a> {
    pub fn new(namespace: &'a Namespace<'a>) -> Result<Self, UpgradeError> {
        let mut problem = Self {
            namespace,
            formula: Formula::default(),
            sources: Vec::new(),
            meaning: Vec::new(),
            record_variables: HashMap::default(),
            pending: VecDeque::new(),
            updates: HashMap::default(),
            subscriptions: Vec::new(),
            predicates: HashMap::default(),
            by_requirement: HashMap::default(),
        };
        let mut subscriptions: Vec<&Subscription> =
            namespace.request.subscriptions.iter().collect();
        subscriptions.sort_small_by(|a, b| a.name.cmp(&b.name));
        for subscription in &subscriptions {
            problem.add_subscription(subscription)?;
        }
        let mut existing: Vec<usize> = namespace.existing().collect();
        existing.sort_small_by(|a, b| namespace.record(*a).name.cmp(&namespace.record(*b).name));
        for record in existing {
            let var = problem.record_variable(record);
            let name = &namespace.record(record).name;
            if subscriptions.iter().all(|s| s.installed_csv != *name) {
                let text = format!(
                    "clusterserviceversion {name} exists and is not referenced by a subscription"
                );
                problem.add_with_text(Constraint::Mandatory(var), text);
            }
        }
        while let Some(var) = problem.pending.pop_front() {
            problem.add_requirements(var)?;
        }
        problem.at_most_one(|facts| facts.gvks.clone(), Source::Api);
        let packages = |facts: &Facts| facts.package_names().map(str::to_owned).collect();
        problem.at_most_one(packages, Source::Package);
        Ok(problem)
    }

    /// Translates the chosen variables back.
    pub fn resolution(&self, chosen: &[Var]) -> Result<Resolution, UpgradeError> {
        let mut resolution = Resolution::default();
        for &var in chosen {
            let Meaning::Record(index) = self.meaning[var] else {
                continue;
            };
            let record = self.namespace.record(index);
            let Some(catalog) = record.catalog else {
                continue;
            };
            let same_id = self.namespace.count_of_id(&record.id);
            if same_id > 1 {
                let text = format!("expected exactly one operator, got {same_id}");
                return Err(UpgradeError::new(ErrorKind::AmbiguousRecord, text));
            }
            let replaces = self.updates.get(&var).cloned();
            let replaces = replaces
                .or_else(|| {
                    Some(record.replaces.clone()).filter(|name: &Text| {
                        self.namespace
                            .request
                            .installed
                            .iter()
                            .any(|c| c.name == *name)
                    })
                })
                .unwrap_or_default();
            resolution.bundles.push(Chosen {
                catalog: self.namespace.catalog_set.catalogs[catalog].name.clone(),
                package: record.package.clone(),
                channel: record.channel.clone(),
                name: record.name.clone(),
                replaces,
                version: record.version.clone(),
            });
            resolution.why.push(self.reason(var, chosen));
        }
        let mut order: Vec<usize> = (0..resolution.bundles.len()).collect();
        order.sort_small_by(|&a, &b| resolution.bundles[a].name.cmp(&resolution.bundles[b].name));
        resolution.why = order.iter().map(|&i| resolution.why[i].clone()).collect();
        resolution.bundles.sort_small_by(|a, b| a.name.cmp(&b.name));
        Ok(resolution)
    }

    /// Returns the error for an unsatisfiable formula.
    pub fn refuse(&self, failure: &Failure) -> UpgradeError {
        match failure {
            Failure::Unsatisfiable(core) => {
                let text = format!("constraints not satisfiable: {}", self.describe(core));
                UpgradeError::new(ErrorKind::Unsatisfiable, text)
            }
            Failure::GaveUp => UpgradeError::new(
                ErrorKind::NotKnown,
                format!(
                    "unknown: the search gave up after {MAX_DECISIONS} decisions, with combinations left to try"
                ),
            ),
        }
    }

    /// Returns the texts of constraints of this formula, sorted, each once.
    fn describe(&self, constraints: &[usize]) -> String {
        let own = self.formula.constraints.len();
        let own = constraints.iter().filter(|&&constraint| constraint < own);
        let texts: BTreeSet<String> = own.map(|&constraint| self.text(constraint)).collect();
        Vec::from_iter(texts).join(", ")
    }

    /// Returns the first chosen variable that requires `var`.
    fn reason(&self, var: Var, chosen: &[Var]) -> String {
        let name = |v: Var| self.name(v);
        let requirement = self.formula.constraints.iter().enumerate().find_map(
            |(i, constraint)| match constraint {
                Constraint::Dependency {
                    subject,
                    candidates,
                } if candidates.contains(&var) && chosen.contains(subject) => {
                    Some((i, *subject, candidates))
                }
                _ => None,
            },
        );
        match requirement {
            Some((_, subject, candidates))
                if matches!(self.meaning[subject], Meaning::Subscription(_)) =>
            {
                let better = candidates
                    .iter()
                    .take_while(|&&c| c != var)
                    .map(|&c| name(c));
                let better: Vec<String> = better.map(|name| format!("`{name}`")).collect();
                let (first, of) = (name(var), name(subject));
                match better.as_slice() {
                    [] => format!("`{first}` is the best candidate of subscription `{of}`"),
                    [only] => format!(
                        "`{first}` is the best candidate of subscription `{of}` that can be installed: {only} would \
                         come first, but its constraints cannot be satisfied"
                    ),
                    several => format!(
                        "`{first}` is the best candidate of subscription `{of}` that can be installed: {} would come \
                         first, but their constraints cannot be satisfied",
                        several.join(", ")
                    ),
                }
            }
            Some((constraint, subject, _)) => match &self.sources[constraint] {
                Source::Requirement { predicate, .. } => {
                    format!(
                        "`{}` meets a requirement of `{}`: {}",
                        name(var),
                        name(subject),
                        predicate.in_words()
                    )
                }
                _ => format!("`{}` meets a requirement of `{}`", name(var), name(subject)),
            },
            None => format!("`{}` is needed", name(var)),
        }
    }

    fn add_with_text(&mut self, constraint: Constraint, text: String) {
        self.add_constraint(constraint, Source::Literal(text));
    }

    fn add_constraint(&mut self, constraint: Constraint, source: Source) {
        self.formula.constraints.push(constraint);
        self.sources.push(source);
    }

    pub fn text(&self, constraint: usize) -> String {
        let vars: &[Var] = match &self.formula.constraints[constraint] {
            Constraint::AtMostOne(vars) => vars,
            _ => &[],
        };
        match &self.sources[constraint] {
            Source::Literal(text) => text.clone(),
            Source::Requirement { record, predicate } => {
                format!(
                    "bundle {} requires an operator {predicate}",
                    self.namespace.record(*record).name
                )
            }
            Source::Api(gvk) => {
                format!(
                    "{} provide {} ({}/{})",
                    self.enumerate(vars),
                    gvk.kind,
                    gvk.group,
                    gvk.version
                )
            }
            Source::Package(package) => {
                format!("{} originate from package {package}", self.enumerate(vars))
            }
        }
    }

    fn variable(&mut self, meaning: Meaning<'a>) -> Var {
        self.meaning.push(meaning);
        self.formula.variables += 1;
        self.formula.variables - 1
    }

    /// Returns the variable of a record, created on first use.
    fn record_variable(&mut self, record: usize) -> Var {
        let id = &self.namespace.record(record).id;
        if let Some(&var) = self.record_variables.get(id) {
            return var;
        }
        let id = id.clone();
        let var = self.variable(Meaning::Record(record));
        self.record_variables.insert(id, var);
        self.pending.push_back(var);
        var
    }

    fn add_subscription(&mut self, subscription: &'a Subscription) -> Result<(), UpgradeError> {
        let name = &subscription.name;
        let var = self.variable(Meaning::Subscription(subscription));
        self.add_with_text(
            Constraint::Mandatory(var),
            format!("subscription {name} exists"),
        );
        let namespace = self.namespace;
        let groups = match namespace.subscribed_groups(subscription) {
            Ok(groups) => groups,
            Err(text) => {
                self.add_with_text(Constraint::Prohibited(var), text);
                return Ok(());
            }
        };
        let installed = namespace
            .existing()
            .find(|&r| namespace.record(r).name == subscription.installed_csv);
        let csv = installed.and_then(|r| {
            namespace
                .request
                .installed
                .iter()
                .find(|c| c.name == namespace.record(r).name)
        });
        let starting = Some(&subscription.starting_csv).filter(|s| !s.is_empty() && csv.is_none());
        let mut candidates: Vec<usize> = Vec::new();
        let mut has_head = false;
        for group in groups {
            let listed = match starting {
                Some(start) => namespace.chain_of_name(group, start)?,
                None => namespace.chain(group)?,
            };
            has_head |= listed
                .first()
                .is_some_and(|&head| namespace.record(head).name == subscription.installed_csv);
            candidates.extend(
                listed
                    .into_iter()
                    .filter(|&r| csv.is_none_or(|csv| namespace.covers(group, r, csv))),
            );
        }
        if let (Some(start), true) = (starting, candidates.is_empty()) {
            let text = format!(
                "no operators found with name {start} in channel {} of package {} in the catalog referenced by \
                 subscription {name}",
                subscription.channel, subscription.package
            );
            self.add_with_text(Constraint::Prohibited(var), text);
            return Ok(());
        }
        let mut list: Vec<Var> = candidates
            .into_iter()
            .map(|r| self.record_variable(r))
            .collect();
        let installed_name = csv.map(|csv| csv.name.clone());
        self.subscriptions.push(SubscriptionVariables {
            subscription,
            installed: installed_name,
            candidates: list.clone(),
            has_head,
        });
        if let (Some(installed), Some(csv)) = (installed, csv) {
            let current = self.record_variable(installed);
            for &candidate in &list {
                self.updates.insert(candidate, csv.name.clone());
                let text = format!("{} conflicts with {}", self.id(candidate), self.id(current));
                self.add_with_text(Constraint::Conflict(candidate, current), text);
            }
            list.push(current);
        }
        let ids: Vec<&str> = list.iter().map(|&v| self.id(v)).collect();
        let text = match ids.split_last() {
            None => format!("no operators found matching the criteria of subscription {name}"),
            Some((only, [])) => format!("subscription {name} requires {only}"),
            Some((last, rest)) => {
                format!(
                    "subscription {name} requires at least one of {} or {last}",
                    rest.join(", ")
                )
            }
        };
        self.add_with_text(
            Constraint::Dependency {
                subject: var,
                candidates: list,
            },
            text,
        );
        Ok(())
    }

    /// Adds the constraints of the record of `var`.
    fn add_requirements(&mut self, var: Var) -> Result<(), UpgradeError> {
        let Meaning::Record(index) = self.meaning[var] else {
            return Ok(());
        };
        let record = self.namespace.record(index);
        if record.facts.deprecated && record.catalog.is_some() {
            self.add_with_text(
                Constraint::Prohibited(var),
                format!("bundle {} is deprecated", record.id),
            );
        }
        let facts = record.facts.clone();
        for (kind, value) in &facts.properties {
            let key = (kind.clone(), value.clone());
            let predicate = match self.predicates.get(&key) {
                Some(known) => known.clone(),
                None => match parse_property(kind, value) {
                    None => continue,
                    Some(parsed) => {
                        let parsed = Rc::new(parsed?);
                        self.predicates.insert(key.clone(), parsed.clone());
                        parsed
                    }
                },
            };
            let key = (key.0, key.1, record.catalog);
            let records = match self.by_requirement.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let records = Rc::new(self.find(&predicate, record.catalog)?);
                    self.by_requirement.insert(key, records.clone());
                    records
                }
            };
            let candidates = records.iter().map(|&r| self.record_variable(r)).collect();
            let source = Source::Requirement {
                record: index,
                predicate,
            };
            self.add_constraint(
                Constraint::Dependency {
                    subject: var,
                    candidates,
                },
                source,
            );
        }
        Ok(())
    }

    /// Returns the records that meet a requirement of a bundle in catalog `source`, best first
    /// (3.5).
    fn find(
        &self,
        predicate: &Predicate,
        source: Option<usize>,
    ) -> Result<Vec<usize>, UpgradeError> {
        let namespace = self.namespace;
        let holds = |&r: &usize| predicate.holds(&namespace.record(r).facts);
        let mut records = self.find_existing(predicate)?;
        let mut catalogs: Vec<usize> = (0..namespace.catalog_set.catalogs.len()).collect();
        catalogs.sort_small_by_key(|&c| {
            let catalog = &namespace.catalog_set.catalogs[c];
            let foreign = own(&catalog.namespace) != own(&namespace.request.namespace);
            (
                Some(c) != source,
                std::cmp::Reverse(catalog.priority),
                foreign,
                &catalog.name,
            )
        });
        for catalog in catalogs {
            let mut groups: Vec<&Group> = namespace
                .catalog_set
                .groups
                .iter()
                .filter(|g| g.catalog == catalog)
                .collect();
            groups.retain(|g| g.records.iter().any(holds));
            groups.sort_small_by(|a, b| {
                (!a.is_default, &a.package, &a.channel).cmp(&(
                    !b.is_default,
                    &b.package,
                    &b.channel,
                ))
            });
            for group in groups {
                records.extend(namespace.chain(group)?.into_iter().filter(holds));
            }
        }
        Ok(records)
    }

    /// Finds existing CSVs. They have no chain, so two of one package have no order.
    fn find_existing(&self, predicate: &Predicate) -> Result<Vec<usize>, UpgradeError> {
        let record = |r: usize| -> &Record { self.namespace.record(r) };
        let mut by_package: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for r in self
            .namespace
            .existing()
            .filter(|&r| predicate.holds(&record(r).facts))
        {
            by_package
                .entry(record(r).facts.package_names().next().unwrap_or_default())
                .or_default()
                .push(r);
        }
        for (package, records) in &by_package {
            if records.len() > 1 {
                let chains = records
                    .iter()
                    .map(|&r| (record(r).name.to_string(), record(r).name.to_string()));
                return Err(ChainError::Many(chains.collect()).explain("", package));
            }
        }
        Ok(by_package.into_values().flatten().collect())
    }

    /// Adds that at most one record of each key is chosen.
    fn at_most_one<K: Ord>(&mut self, keys: impl Fn(&Facts) -> Vec<K>, source: fn(K) -> Source) {
        let mut members: BTreeMap<K, Vec<Var>> = BTreeMap::new();
        for (var, meaning) in self.meaning.iter().enumerate() {
            if let Meaning::Record(record) = meaning {
                for key in keys(&self.namespace.record(*record).facts) {
                    members.entry(key).or_default().push(var);
                }
            }
        }
        for (key, vars) in members.into_iter().filter(|(_, vars)| vars.len() > 1) {
            self.add_constraint(Constraint::AtMostOne(vars), source(key));
        }
    }

    pub fn name(&self, var: Var) -> Text {
        match self.meaning[var] {
            Meaning::Subscription(subscription) => subscription.name.clone(),
            Meaning::Record(record) => self.namespace.record(record).name.clone(),
        }
    }

    fn id(&self, var: Var) -> &str {
        match self.meaning[var] {
            Meaning::Subscription(s) => &s.name,
            Meaning::Record(r) => &self.namespace.record(r).id,
        }
    }

    fn enumerate(&self, vars: &[Var]) -> String {
        let mut ids: Vec<&str> = vars.iter().map(|&v| self.id(v)).collect();
        ids.sort_small();
        match ids.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => ids.concat(),
        }
    }
}

impl Problem<'_> {
    /// Returns one outcome per subscription, by name.
    pub fn outcomes(&self, chosen: &[Var]) -> Vec<Outcome> {
        self.subscriptions
            .iter()
            .map(|variables| self.outcome(variables, chosen))
            .collect()
    }

    fn outcome(&self, variables: &SubscriptionVariables<'_>, chosen: &[Var]) -> Outcome {
        let installed = variables.installed.clone().unwrap_or_default();
        let mut others = variables.candidates.clone();
        others.retain(|&var| self.name(var) != installed);
        let taken = others.iter().copied().find(|var| chosen.contains(var));
        let (state, why) = match (taken, &variables.installed) {
            (Some(taken), None) => (
                State::Installs,
                format!("`{}` is installed", self.name(taken)),
            ),
            (Some(taken), Some(from)) => (
                State::Updates,
                format!("`{from}` is updated to `{}`", self.name(taken)),
            ),
            (None, _) if !others.is_empty() => (State::HeldBack, self.held_back(variables, others)),
            (None, _) if variables.has_head => (
                State::UpToDate,
                format!("`{installed}` is up to date: it is the head of its channel"),
            ),
            (None, _) => (
                State::NoWayOn,
                format!(
                    "`{installed}` stays: it is not the head of its channel, but no entry replaces, skips or covers it"
                ),
            ),
        };
        let bundle = taken.map(|var| self.name(var)).unwrap_or_default();
        Outcome {
            subscription: variables.subscription.name.clone(),
            state,
            installed,
            bundle,
            why,
        }
    }

    /// Explains why the best candidate cannot be installed.
    fn held_back(&self, variables: &SubscriptionVariables<'_>, candidates: Vec<Var>) -> String {
        let names: Vec<String> = candidates
            .iter()
            .map(|&var| format!("`{}`", self.name(var)))
            .collect();
        let names = names.join(", ");
        let mut text = match &variables.installed {
            Some(installed) => {
                format!("`{installed}` is held back: {names} could follow but cannot be installed")
            }
            None => format!("nothing is installed: {names} cannot be installed"),
        };
        let Some(&best) = candidates.first() else {
            return text;
        };
        let mut with_it = self.formula.clone();
        with_it.constraints.push(Constraint::Mandatory(best));
        match solve(&with_it) {
            Err(Failure::Unsatisfiable(core)) => {
                let why = self.describe(&core);
                if !why.is_empty() {
                    text.push_str(&format!(": {why}"));
                }
            }
            Ok(_) => text.push_str(" together with what OLM chooses for other subscriptions"),
            Err(Failure::GaveUp) => {}
        }
        text
    }
}

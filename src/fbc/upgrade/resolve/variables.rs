//! Translates records into a formula and back: the variables and constraints of `olm-resolution`
//! 3.4 with their texts, and the order of dependency candidates of 3.5.

use super::super::answer::{ErrorKind, UpgradeError};
use super::super::chain::ChainError;
use super::gvk::Gvk;
use super::predicate::{Predicate, parse_property};
use super::records::{Group, Namespace, Record, own};
use super::request::{Chosen, Resolution, Subscription};
use super::solver::{BUDGET, Constraint, Failure, Formula, Var};
use crate::hashed::HashMap;
use crate::order::SortSmall;
use crate::place::Text;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// A namespace as a formula.
pub(super) struct Problem<'a> {
    namespace: &'a Namespace<'a>,
    pub formula: Formula,
    /// Parallel to the formula's constraints.
    sources: Vec<Source>,
    /// The meaning of each variable.
    meaning: Vec<Meaning<'a>>,
    of_id: HashMap<String, Var>,
    /// Variables whose constraints are not added yet.
    pending: VecDeque<Var>,
    /// The installed CSV that an update candidate replaces.
    updates: HashMap<Var, Text>,
    /// The valid subscriptions, by name.
    pub(super) subscriptions: Vec<SubscriptionVariables<'a>>,
    predicates: HashMap<(Text, Text), Rc<Predicate>>,
    found: HashMap<(Text, Text, Option<usize>), Rc<Vec<usize>>>,
}

/// A subscription in the formula.
pub(super) struct SubscriptionVariables<'a> {
    pub subscription: &'a Subscription,
    /// The installed CSV, if it exists.
    pub installed: Option<Text>,
    /// In order of preference, without the installed one.
    pub candidates: Vec<Var>,
    /// The installed CSV is the head of a subscribed channel.
    pub has_head: bool,
}

/// The origin of a constraint. Its text is only rendered on demand: most are never shown.
enum Source {
    Words(String),
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
    pub(super) fn new(namespace: &'a Namespace<'a>) -> Result<Self, UpgradeError> {
        let mut problem = Self {
            namespace,
            formula: Formula::default(),
            sources: Vec::new(),
            meaning: Vec::new(),
            of_id: HashMap::default(),
            pending: VecDeque::new(),
            updates: HashMap::default(),
            subscriptions: Vec::new(),
            predicates: HashMap::default(),
            found: HashMap::default(),
        };
        let mut subscriptions: Vec<&Subscription> =
            namespace.request.subscriptions.iter().collect();
        subscriptions.sort_small_by(|a, b| a.name.cmp(&b.name));
        for subscription in &subscriptions {
            problem.subscription(subscription)?;
        }
        let mut existing: Vec<usize> = namespace.existing().collect();
        existing.sort_small_by(|a, b| namespace.record(*a).name.cmp(&namespace.record(*b).name));
        for record in existing {
            let var = problem.record(record);
            let name = &namespace.record(record).name;
            if subscriptions.iter().all(|s| s.installed_csv != *name) {
                let text = format!(
                    "clusterserviceversion {name} exists and is not referenced by a subscription"
                );
                problem.add(Constraint::Mandatory(var), text);
            }
        }
        while let Some(var) = problem.pending.pop_front() {
            problem.requirements(var)?;
        }
        problem.at_most_one_of_each_api();
        problem.at_most_one_of_each_package();
        Ok(problem)
    }

    /// Translates the chosen variables back.
    pub(super) fn read(&self, chosen: &[Var]) -> Result<Resolution, UpgradeError> {
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
            let installed = |name: &Text| {
                self.namespace
                    .request
                    .installed
                    .iter()
                    .any(|c| c.name == *name)
            };
            let replaces = self.updates.get(&var).cloned();
            let replaces = replaces
                .or_else(|| Some(record.replaces.clone()).filter(installed))
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

    /// The error for an unsatisfiable formula.
    pub(super) fn refuse(&self, failure: &Failure) -> UpgradeError {
        match failure {
            Failure::Unsatisfiable(core) => {
                let mut texts: Vec<String> = core.iter().map(|&i| self.text(i)).collect();
                texts.sort_small();
                texts.dedup();
                let text = format!("constraints not satisfiable: {}", texts.join(", "));
                UpgradeError::new(ErrorKind::Unsatisfiable, text)
            }
            Failure::GaveUp => UpgradeError::new(
                ErrorKind::NotKnown,
                format!(
                    "unknown: the search gave up after {BUDGET} decisions, with combinations left to try"
                ),
            ),
        }
    }

    /// The first chosen variable that requires `var`.
    fn reason(&self, var: Var, chosen: &[Var]) -> String {
        let name = |v: Var| self.name(v);
        let asks =
            self.formula.constraints.iter().enumerate().find_map(
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
        match asks {
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

    fn add(&mut self, constraint: Constraint, text: String) {
        self.state(constraint, Source::Words(text));
    }

    fn state(&mut self, constraint: Constraint, source: Source) {
        self.formula.constraints.push(constraint);
        self.sources.push(source);
    }

    /// The text of a constraint.
    pub(super) fn text(&self, constraint: usize) -> String {
        let vars: &[Var] = match &self.formula.constraints[constraint] {
            Constraint::AtMostOne(vars) => vars,
            _ => &[],
        };
        match &self.sources[constraint] {
            Source::Words(text) => text.clone(),
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

    /// The variable of a record, created on first use.
    fn record(&mut self, record: usize) -> Var {
        let id = &self.namespace.record(record).id;
        if let Some(&var) = self.of_id.get(id) {
            return var;
        }
        let id = id.clone();
        let var = self.variable(Meaning::Record(record));
        self.of_id.insert(id, var);
        self.pending.push_back(var);
        var
    }

    fn subscription(&mut self, subscription: &'a Subscription) -> Result<(), UpgradeError> {
        let name = &subscription.name;
        let var = self.variable(Meaning::Subscription(subscription));
        self.add(
            Constraint::Mandatory(var),
            format!("subscription {name} exists"),
        );
        let namespace = self.namespace;
        let groups = match namespace.subscribed_groups(subscription) {
            Ok(groups) => groups,
            Err(text) => {
                self.add(Constraint::Prohibited(var), text);
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
                Some(start) => namespace.chain_of(group, start)?,
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
            self.add(Constraint::Prohibited(var), text);
            return Ok(());
        }
        let mut list: Vec<Var> = candidates.into_iter().map(|r| self.record(r)).collect();
        let installed_name = csv.map(|csv| csv.name.clone());
        self.subscriptions.push(SubscriptionVariables {
            subscription,
            installed: installed_name,
            candidates: list.clone(),
            has_head,
        });
        if let (Some(installed), Some(csv)) = (installed, csv) {
            let current = self.record(installed);
            for &candidate in &list {
                self.updates.insert(candidate, csv.name.clone());
                let text = format!("{} conflicts with {}", self.id(candidate), self.id(current));
                self.add(Constraint::Conflict(candidate, current), text);
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
        self.add(
            Constraint::Dependency {
                subject: var,
                candidates: list,
            },
            text,
        );
        Ok(())
    }

    /// Adds the constraints of the record of `var`.
    fn requirements(&mut self, var: Var) -> Result<(), UpgradeError> {
        let Meaning::Record(index) = self.meaning[var] else {
            return Ok(());
        };
        let record = self.namespace.record(index);
        if record.facts.deprecated && record.catalog.is_some() {
            self.add(
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
            let records = match self.found.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let records = Rc::new(self.find(&predicate, record.catalog)?);
                    self.found.insert(key, records.clone());
                    records
                }
            };
            let candidates = records.iter().map(|&r| self.record(r)).collect();
            let source = Source::Requirement {
                record: index,
                predicate,
            };
            self.state(
                Constraint::Dependency {
                    subject: var,
                    candidates,
                },
                source,
            );
        }
        Ok(())
    }

    /// Records that meet a requirement of a bundle in catalog `source`, best first (3.5).
    fn find(
        &self,
        predicate: &Predicate,
        source: Option<usize>,
    ) -> Result<Vec<usize>, UpgradeError> {
        let namespace = self.namespace;
        let holds = |&r: &usize| predicate.holds(&namespace.record(r).facts);
        let mut found = self.find_existing(predicate)?;
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
                found.extend(namespace.chain(group)?.into_iter().filter(holds));
            }
        }
        Ok(found)
    }

    /// Existing CSVs have no chain, so two of one package have no order.
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

    fn at_most_one_of_each_api(&mut self) {
        let mut providers: BTreeMap<Rc<Gvk>, Vec<Var>> = BTreeMap::new();
        for (var, meaning) in self.meaning.iter().enumerate() {
            let Meaning::Record(record) = meaning else {
                continue;
            };
            for gvk in &self.namespace.record(*record).facts.gvks {
                providers.entry(gvk.clone()).or_default().push(var);
            }
        }
        for (gvk, vars) in providers.into_iter().filter(|(_, vars)| vars.len() > 1) {
            self.state(Constraint::AtMostOne(vars), Source::Api(gvk));
        }
    }

    fn at_most_one_of_each_package(&mut self) {
        let mut members: BTreeMap<String, Vec<Var>> = BTreeMap::new();
        for (var, meaning) in self.meaning.iter().enumerate() {
            let Meaning::Record(record) = meaning else {
                continue;
            };
            for package in self.namespace.record(*record).facts.package_names() {
                members.entry(package.to_owned()).or_default().push(var);
            }
        }
        for (package, vars) in members.into_iter().filter(|(_, vars)| vars.len() > 1) {
            self.state(Constraint::AtMostOne(vars), Source::Package(package));
        }
    }

    pub(super) fn name(&self, var: Var) -> Text {
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

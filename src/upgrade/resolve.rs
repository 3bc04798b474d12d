//! Classic dependency resolution: which bundles together meet all subscriptions and requirements of
//! a namespace (`olm-resolution` section 3).
//!
//! A [`CatalogSet`] holds the catalogs. [`CatalogSet::resolve`] answers for several subscriptions
//! and installed CSVs at once, [`CatalogSet::next`] and [`CatalogSet::path`] for one subscription.
//! Where the reference's order is random, subscriptions come first, by name, then CSVs without a
//! subscription, by name (3.6-D).

pub(super) mod requirement;

pub mod cel;
mod records;
mod solver;
#[cfg(test)]
mod tests;

use super::answer::{
    Answer, EdgeKind, ErrorKind, Installed, Options, Path, Successor, UpgradeError, follow,
};
use super::index::UpgradeIndex;
use super::subscription::channel_of;
use super::v0;
use catalog::model::BundleBlob;
use records::{Namespace, Question};
use std::rc::Rc;
use syntax::place::Text;

pub use records::{
    Catalog, CatalogSet, Chosen, Csv, NAMESPACE, Outcome, Request, Resolution, ResolverCache,
    State, Subscription, UnmetRequirement,
};
pub use requirement::{Gvk, required_gvk, required_package};

/// Returns Classic's error for a requirement of this type and value, literally; `None` if it is
/// valid or the type is not a requirement. One such error on any reachable bundle fails the whole
/// namespace.
pub fn refused_requirement(kind: &str, value: &str) -> Option<String> {
    Some(requirement::parse_property(kind, value)?.err()?.text)
}

/// An `olm.constraint`: a single bundle must satisfy the whole tree.
#[derive(Debug)]
pub struct Constraint(requirement::Predicate);

/// A bundle as constraints see it.
#[derive(Debug)]
pub struct Offered(Rc<requirement::Facts>);

impl Constraint {
    /// Parses a constraint; `None` for a value that OLM cannot read, which fails every resolution
    /// anyway.
    pub fn read(value: &str) -> Option<Self> {
        requirement::parse_property("olm.constraint", value)?
            .ok()
            .map(Self)
    }

    /// Reads any requirement, also for a package, an API or a label; `None` if the property is not
    /// a requirement or OLM cannot read it.
    pub fn from_property(kind: &str, value: &str) -> Option<Self> {
        requirement::parse_property(kind, value)?.ok().map(Self)
    }

    pub fn is_met_by(&self, bundle: &Offered) -> bool {
        self.0.holds(&bundle.0)
    }
}

impl Offered {
    pub fn from_bundle(package: &Text, bundle: &BundleBlob) -> Self {
        Self(requirement::bundle_facts(
            package,
            bundle,
            &mut requirement::Apis::default(),
        ))
    }
}

impl CatalogSet<'_> {
    pub fn resolve(&self, request: &Request) -> Result<Resolution, UpgradeError> {
        let namespace = Namespace::new(self, request)?;
        let problem = solver::Problem::new(&namespace)?;
        let guessed = solver::solve(&problem.formula).map_err(|core| problem.refuse(&core))?;
        let mut resolution = problem.resolution(&guessed)?;
        resolution.subscriptions = problem.outcomes(&guessed);
        Ok(resolution)
    }

    /// Returns the next step of one subscription to a package of `catalog`, with requirements met
    /// by the bundles of all catalogs in the set. Equals [`UpgradeIndex::next`] if no bundle of the
    /// package has requirements.
    pub fn next(
        &self,
        catalog: &str,
        package: &str,
        installed: Option<&Installed>,
        options: &Options,
    ) -> Answer {
        self.steps(catalog, package, options, |next| next(installed))
    }

    /// Repeats [`CatalogSet::next`] until no step follows.
    pub fn path(
        &self,
        catalog: &str,
        package: &str,
        installed: Option<&Installed>,
        options: &Options,
    ) -> Path {
        self.steps(catalog, package, options, |next| follow(installed, next))
    }

    /// Calls `ask` with a function that works like [`CatalogSet::next`] but prepares everything
    /// independent of the installed bundle only once.
    pub fn steps<T>(
        &self,
        catalog: &str,
        package: &str,
        options: &Options,
        ask: impl FnOnce(&dyn Fn(Option<&Installed>) -> Answer) -> T,
    ) -> T {
        let nothing = UpgradeIndex::empty(package);
        let index = self.index(catalog, package).unwrap_or(&nothing);
        let subscribed = v0::Subscribed::new(index, options);
        ask(&|installed| {
            let plain = subscribed.next(installed);
            match index.needs_solver {
                true => {
                    self.with_requirements(index, (catalog, package), installed, options, plain)
                }
                false => plain,
            }
        })
    }

    /// Answers with requirements. `plain` is the answer by edges alone.
    fn with_requirements(
        &self,
        index: &UpgradeIndex,
        (catalog, package): (&str, &str),
        installed: Option<&Installed>,
        options: &Options,
        plain: Answer,
    ) -> Answer {
        let question = Question {
            catalog: catalog.into(),
            package: package.into(),
            installed: installed.cloned(),
            channel: channel_of(options).into(),
            starting_csv: options.starting_csv.as_deref().unwrap_or_default().into(),
            subscription: options.subscription_name(package).into(),
        };
        if let Some(known) = self.answers.borrow().get(&question) {
            return known.clone();
        }
        let request = self.one_subscription(catalog, package, installed, options);
        let answer = self.resolve_with(index, &request, package, installed, plain);
        self.answers.borrow_mut().insert(question, answer.clone());
        answer
    }

    /// Resolves with requirements. `plain` is the answer by edges alone.
    fn resolve_with(
        &self,
        index: &UpgradeIndex,
        request: &Request,
        package: &str,
        installed: Option<&Installed>,
        plain: Answer,
    ) -> Answer {
        let unmet = |step: &Successor| {
            let unmet = self.unmet_requirement(package, &step.name)?;
            Some(unmet.to_string())
        };
        let resolution = match self.resolve(request) {
            Ok(resolution) => resolution,
            Err(error) => {
                let why = if plain.error.is_some() {
                    plain.why
                } else {
                    let is_unmet = error.kind == ErrorKind::Unsatisfiable;
                    let best = plain.next.as_ref().filter(|_| is_unmet).and_then(unmet);
                    best.into_iter().chain([refusal(&error)]).collect()
                };
                return Answer::fail(error, why);
            }
        };
        let mine = resolution.bundles.iter().find(|b| match installed {
            Some(installed) => b.replaces == installed.name,
            None => &*b.package == package,
        });
        let mine = mine.filter(|b| installed.is_none_or(|i| i.name != b.name));
        let same = mine.map(|b| &b.name) == plain.next.as_ref().map(|s| &s.name);
        let mut why = if same {
            plain.why
        } else {
            let refused = plain.next.map(|step| {
                unmet(&step).unwrap_or_else(|| {
                    format!(
                        "`{}` would come first, but its requirements cannot all be met together",
                        step.name
                    )
                })
            });
            refused
                .into_iter()
                .chain([other_choice(mine, installed)])
                .collect()
        };
        let others: Vec<String> = resolution
            .bundles
            .iter()
            .filter(|b| Some(*b) != mine && installed.is_none_or(|i| i.name != b.name))
            .map(|b| format!("`{}`", b.name))
            .collect();
        if !others.is_empty() {
            why.push(format!(
                "to meet requirements, OLM also installs {}",
                others.join(", ")
            ));
        }
        let step = mine.map(|b| Successor {
            name: b.name.clone(),
            version: b.version.clone(),
            release: None,
            channel: b.channel.clone(),
            edge: installed.map_or(EdgeKind::None, |i| {
                index.edge_between(i, &b.name, &b.channel)
            }),
            catalog: "".into(),
        });
        Answer {
            next: step,
            why,
            error: None,
        }
    }

    /// Creates the request of one subscription. The installed CSV provides what its bundle does;
    /// without a bundle only its package is known.
    fn one_subscription(
        &self,
        catalog: &str,
        package: &str,
        installed: Option<&Installed>,
        options: &Options,
    ) -> Request {
        let source = self.catalogs.iter().find(|c| &*c.name == catalog);
        let csv = installed.map(|installed| {
            let bundle = source
                .into_iter()
                .flat_map(|c| &c.packages)
                .flat_map(|p| &p.bundles)
                .find(|b| *b.name.value == *installed.name);
            let provided = bundle
                .into_iter()
                .flat_map(|b| &b.properties)
                .filter(|p| &*p.kind == "olm.gvk");
            let mut properties: Vec<(Text, Text)> = provided
                .filter_map(|p| Some((p.kind.clone(), p.value.clone()?)))
                .collect();
            let value = serde_json::json!({"packageName": package, "version": &*installed.version});
            properties.push(("olm.package".into(), value.to_string().into()));
            Csv {
                name: installed.name.clone(),
                version: installed.version.clone(),
                properties: Some(properties),
                ..Csv::default()
            }
        });
        let subscription = Subscription {
            name: options.subscription_name(package).into(),
            package: package.into(),
            channel: channel_of(options).into(),
            catalog: catalog.into(),
            catalog_namespace: source.map(|c| c.namespace.clone()).unwrap_or_default(),
            starting_csv: options.starting_csv.as_deref().unwrap_or_default().into(),
            installed_csv: installed.map(|i| i.name.clone()).unwrap_or_default(),
        };
        Request {
            subscriptions: vec![subscription],
            installed: csv.into_iter().collect(),
            ..Request::default()
        }
    }
}

fn refusal(error: &UpgradeError) -> String {
    match error.kind {
        ErrorKind::Invalid => "a bundle has a requirement that OLM cannot read, so nothing in the namespace resolves",
        ErrorKind::Unsatisfiable => "no candidate has all its requirements met by the available bundles",
        ErrorKind::NotKnown => {
            "cannot tell whether a candidate has all its requirements met: there are too many combinations to try"
        }
        ErrorKind::AmbiguousRecord => {
            "a chosen bundle has the same name as another, so nothing in the namespace resolves"
        }
        _ => "a channel that OLM looks at has no order, so nothing in the namespace resolves",
    }
    .to_owned()
}

fn other_choice(mine: Option<&Chosen>, installed: Option<&Installed>) -> String {
    match (mine, installed) {
        (Some(mine), _) => format!(
            "`{}` is the next candidate of channel `{}`",
            mine.name, mine.channel
        ),
        (None, Some(installed)) => format!("`{}` stays, without an error", installed.name),
        (None, None) => "nothing is installed".to_owned(),
    }
}

//! Answers a question about a user's next upgrade, for page and command line alike: the steps with
//! their reasons, the deprecation conditions on the way, what OLM v1 refuses to install, and the
//! effects on the cluster.

use super::answer::{Answer, ErrorKind, Installed, Lens, Options, Successor, UpgradeError, follow};
use super::cluster::{Cluster, NextStepOnCluster, PathOnCluster};
use super::index::UpgradeIndex;
use super::installed_name::{InstalledName, UnknownInstalled};
use super::label_selector::Selector;
use super::resolve::{self, CatalogSet};
use super::status_conditions::{
    ConditionsAt, ExtensionConditions, OtherCatalog, SubscriptionConditions,
};
use super::{v0, v1};
use catalog::model::Package;
use catalog::version::openshift::OpenShift;
use protocol::views::Approval;
use syntax::hashed::HashMap;
use syntax::place::Text;

/// A question about one package.
pub struct Question<'a> {
    pub package: &'a str,
    /// `None`: a fresh install.
    pub installed: Option<&'a InstalledName>,
    pub options: &'a Options,
    pub resolver: Resolver<'a>,
    /// The package in each catalog that has it.
    pub offers: Vec<Offer<'a>>,
    /// Classic: the Subscription's namespace, if its contents are known.
    pub namespace: Option<Namespace>,
    pub cluster: Option<OpenShift>,
}

/// A namespace, which Classic resolves as a whole.
pub struct Namespace {
    pub request: resolve::Request,
    /// Why it might not be resolved, and the remedies: about the package in question.
    pub blockers: Vec<String>,
}

/// The package in one catalog.
#[derive(Clone, Copy)]
pub struct Offer<'a> {
    pub catalog: &'a str,
    pub package: &'a Package,
}

/// How the next step is chosen.
#[derive(Clone, Copy)]
pub enum Resolver<'a> {
    /// Classic, along the edges of the package.
    Edges(&'a UpgradeIndex),
    /// Classic with requirements, met by all catalogs; `source` is the subscribed one.
    Requirements {
        catalogs: &'a CatalogSet<'a>,
        source: &'a str,
    },
    V1 {
        catalogs: &'a [v1::Catalog<'a>],
        /// `None`: all catalogs count.
        selector: Option<&'a Selector>,
    },
}

/// How far to follow the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    NextStep,
    WholePath,
}

/// The path from the installed bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    pub steps: Vec<Step>,
    /// Whether the last step leads back to an earlier bundle: the path is then an endless cycle.
    pub looped: bool,
    /// Why nothing follows the last step; empty if more might.
    pub end: Vec<String>,
    pub error: Option<UpgradeError>,
    /// The conditions with the installed bundle, then after each step; empty if no catalog has
    /// the package.
    pub conditions: Vec<ConditionsAt>,
    /// Where the installed version comes from, and other remarks on it. Sentences with names in
    /// backticks.
    pub notes: Vec<String>,
    /// The installed bundle and the whole path on the cluster in question.
    pub on_cluster: Option<PathOnCluster>,
    pub installed: Option<Installed>,
    /// The bundles among the steps that OLM v1 refuses to install.
    pub refusals: Vec<InstallRefusal>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub successor: Successor,
    /// Sentences with names in backticks, the most important first.
    pub why: Vec<String>,
}

/// A bundle that OLM v1 chooses and then refuses to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallRefusal {
    pub bundle: Text,
    /// OLM's text.
    pub error: &'static str,
}

impl InstallRefusal {
    /// Returns the refusal as a sentence without a final period.
    pub fn sentence(&self) -> String {
        format!(
            "OLM v1 chooses `{}` and then refuses to install it: {}",
            self.bundle, self.error
        )
    }
}

impl Reply {
    pub fn next(&self) -> Option<&Step> {
        self.steps.first()
    }

    /// Returns the names on the path, beginning with the installed one.
    pub fn names(&self) -> Vec<Text> {
        let installed = self.installed.iter().map(|installed| &installed.name);
        let steps = self.steps.iter().map(|step| &step.successor.name);
        installed.chain(steps).cloned().collect()
    }

    /// Returns the installed bundle and the next one on the cluster in question.
    pub fn next_on_cluster(&self) -> Option<NextStepOnCluster> {
        let installed = self.installed.as_ref().map(|installed| &*installed.name);
        let next = self.next().map(|step| &*step.successor.name);
        Some(NextStepOnCluster::new(
            self.on_cluster.as_ref()?,
            installed,
            next,
        ))
    }

    /// Returns the main reason of each step, and why the path ends.
    pub fn main_reasons(&self) -> Vec<String> {
        let steps = self.steps.iter().filter_map(|step| step.why.first());
        let mut reasons: Vec<String> = steps.chain(self.end.first()).cloned().collect();
        if let Some(last) = self.steps.last().filter(|_| self.looped) {
            reasons.push(format!(
                "`{}` is already on the path: the path is a cycle",
                last.successor.name
            ));
        }
        reasons
    }

    /// Returns the effect of the approval mode on the next step.
    pub fn approval_remark(&self, approval: Approval) -> Option<String> {
        let next = self.next().filter(|_| approval == Approval::Manual)?;
        let repetition = if self.steps.len() == 1 {
            ""
        } else {
            ", and each step after it waits again"
        };
        Some(format!(
            "Manual approval: OLM waits until somebody approves the install plan for `{}`{repetition}. A manual \
             subscription makes all others in its namespace wait too.",
            next.successor.name
        ))
    }

    /// Adds a step, or why no step follows.
    fn add(&mut self, answer: &Answer) {
        match &answer.next {
            Some(successor) => self.steps.push(Step {
                successor: successor.clone(),
                why: answer.why.clone(),
            }),
            None => self.end.clone_from(&answer.why),
        }
        self.error.clone_from(&answer.error);
    }
}

/// Answers a question. Refuses an installed name that the package never mentions, unless a step
/// follows it.
pub fn ask(question: &Question<'_>, reach: Reach) -> Result<Reply, UnknownInstalled> {
    let reply = question.answer(reach);
    if let Some(installed) = question.installed {
        installed.confirm(reply.next().is_some())?;
    }
    Ok(reply)
}

impl Question<'_> {
    pub(super) fn answer(&self, reach: Reach) -> Reply {
        let mut reply = self.resolve(reach);
        if let Some(version) = self.cluster {
            let names = match reach {
                Reach::WholePath => reply.names(),
                Reach::NextStep => self.resolve(Reach::WholePath).names(),
            };
            let lens = match self.resolver {
                Resolver::Edges(_) | Resolver::Requirements { .. } => Lens::V0,
                Resolver::V1 { .. } => Lens::V1,
            };
            let packages = self.offers.iter().map(|offer| offer.package);
            reply.on_cluster = Some(PathOnCluster::new(
                Cluster { version, lens },
                packages,
                names,
            ));
        }
        reply
    }

    fn installed(&self) -> Option<&Installed> {
        self.installed.map(|name| &name.installed)
    }

    /// Returns a reply without steps.
    fn reply(&self) -> Reply {
        Reply {
            installed: self.installed().cloned(),
            notes: self
                .installed
                .map_or_else(Vec::new, |name| name.notes.clone()),
            ..Reply::default()
        }
    }

    fn resolve(&self, reach: Reach) -> Reply {
        let (package, options) = (self.package, self.options);
        match self.resolver {
            Resolver::Edges(index) => {
                let subscribed = v0::Subscribed::new(index, options);
                let mut reply = self.walk(reach, &|installed| subscribed.next(installed));
                reply.conditions = self.subscription_conditions("", &reply);
                reply
            }
            Resolver::Requirements { catalogs, source } => {
                let mut reply =
                    catalogs.steps(source, package, options, |next| self.walk(reach, next));
                if let Some((error, why)) = self.namespace_refusal(catalogs, &reply) {
                    reply = Reply {
                        end: why,
                        error: Some(error),
                        ..self.reply()
                    };
                }
                reply.conditions = self.subscription_conditions(source, &reply);
                reply
            }
            Resolver::V1 { catalogs, selector } => {
                let request = v1::Request::new(catalogs, selector, package, options);
                let mut reply = self.walk(reach, &|installed| request.next(installed));
                reply.conditions = self.extension_conditions(&request, &reply);
                reply.refusals = self.refusals(&reply);
                reply
            }
        }
    }

    /// Explains why OLM Classic cannot resolve the namespace, although the package alone has an
    /// answer.
    fn namespace_refusal(
        &self,
        catalogs: &CatalogSet<'_>,
        reply: &Reply,
    ) -> Option<(UpgradeError, Vec<String>)> {
        let namespace = self.namespace.as_ref().filter(|_| reply.error.is_none())?;
        let error = catalogs.resolve(&namespace.request).err()?;
        if error.kind != ErrorKind::Unsatisfiable {
            return None;
        }
        let mut why = namespace.blockers.clone();
        if why.is_empty() {
            why.push(format!(
                "OLM resolves namespace `{}` as a whole: one unmet requirement stops every Subscription in it",
                namespace.request.namespace
            ));
        }
        Some((error, why))
    }

    /// Follows the path with `next`, which returns the next step of an installed bundle.
    fn walk(&self, reach: Reach, next: &dyn Fn(Option<&Installed>) -> Answer) -> Reply {
        let mut reply = self.reply();
        match reach {
            Reach::NextStep => reply.add(&next(self.installed())),
            Reach::WholePath => {
                let path = follow(self.installed(), |installed| {
                    let answer = next(installed);
                    reply.add(&answer);
                    answer
                });
                reply.looped = path.looped;
            }
        }
        reply
    }

    /// Returns the installed bundle at each point of the path, each once.
    fn points(&self, reply: &Reply) -> Vec<Option<Installed>> {
        let passed = reply.steps.len() - usize::from(reply.looped);
        let steps = reply.steps.iter().take(passed);
        std::iter::once(self.installed().cloned())
            .chain(steps.map(|step| Some(step.successor.as_installed())))
            .collect()
    }

    /// Returns Classic's conditions at each point of the path. `source` is the subscribed catalog.
    fn subscription_conditions(&self, source: &str, reply: &Reply) -> Vec<ConditionsAt> {
        let mut offers = self.offers.iter();
        let Some(subscribed) = offers.find(|offer| offer.catalog == source) else {
            return Vec::new();
        };
        let channel = self.options.channels.first().map_or("", String::as_str);
        let conditions = SubscriptionConditions::new(subscribed.package, channel);
        let points = self.points(reply).into_iter();
        points
            .map(|point| {
                let name = point.map(|installed| installed.name);
                ConditionsAt {
                    conditions: conditions.with(name.as_deref()),
                    installed: name,
                    ..ConditionsAt::default()
                }
            })
            .collect()
    }

    /// Returns the conditions after the resolution from each point.
    fn extension_conditions(&self, request: &v1::Request<'_>, reply: &Reply) -> Vec<ConditionsAt> {
        let conditions_by_catalog: HashMap<&str, ExtensionConditions<'_>> = self
            .offers
            .iter()
            .map(|offer| {
                let conditions = ExtensionConditions::new(offer.package, &self.options.channels);
                (offer.catalog, conditions)
            })
            .collect();
        let is_deprecated = self
            .offers
            .iter()
            .any(|offer| !offer.package.deprecations.is_empty());
        self.points(reply)
            .into_iter()
            .map(|point| {
                let source = request.deprecation_source(point.as_ref());
                let mut at = ConditionsAt {
                    installed: point.map(|point| point.name),
                    ..ConditionsAt::default()
                };
                let Some(source) = source else {
                    at.is_unknown = is_deprecated;
                    return at;
                };
                if let Some(conditions) = conditions_by_catalog.get(source.conditions_from) {
                    at.conditions = conditions.with(at.installed.as_deref());
                }
                let differs = is_deprecated && source.conditions_from != source.bundle_from;
                at.other_catalog = differs.then(|| OtherCatalog {
                    conditions_from: source.conditions_from.to_owned(),
                    bundle_from: source.bundle_from.to_owned(),
                });
                at
            })
            .collect()
    }

    fn refusals(&self, reply: &Reply) -> Vec<InstallRefusal> {
        let names = reply.steps.iter().map(|step| &step.successor.name);
        names
            .filter_map(|name| {
                let mut offers = self.offers.iter();
                let bundle = offers.find_map(|offer| offer.package.bundle(name))?;
                Some(InstallRefusal {
                    bundle: name.clone(),
                    error: bundle.unsupported_by_v1?.olm_text(),
                })
            })
            .collect()
    }
}

//! Evaluates the questions of a scenario. Each subject is answered by the same part of the library
//! that the command line and the page use.

use super::catalogs::Offered;
use super::document::Scenario;
use super::question::{Phrase, Question};
use crate::upgrade_oracle::{as_recorded, csv, subscription};
use ::catalog::model::Package;
use ::catalog::version::Dialect;
use serde_json::Value;
use std::collections::BTreeSet;
use upgrade::cluster::{Limit, OpenShift};
use upgrade::crd;
use upgrade::label_selector::Selector;
use upgrade::resolve::{self, CatalogSet, Request};
use upgrade::{Answer, Installed, Lens, Options, Path, Policy, UpgradeIndex, v1};
use verdict::compare;
use verdict::compare::invariants::{self, CatalogContext};
use verdict::validate::judge;

/// The catalogs and the request of a section.
pub(super) struct Stage {
    catalogs: Vec<Offered>,
    requests: Vec<Value>,
    /// CRDs before and after.
    crds: Vec<Value>,
}

/// A line's question about upgrades.
struct Upgrade {
    package: String,
    installed: Option<Installed>,
    options: Options,
    selector: Option<Selector>,
}

impl Stage {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let requests = scenario.fences.iter().filter(|f| f.info == "json request");
        Self {
            catalogs: scenario
                .fences
                .iter()
                .filter_map(Offered::from_fence)
                .collect(),
            requests: requests
                .map(|f| serde_json::from_str(&f.text).unwrap())
                .collect(),
            crds: ["yaml crd old", "yaml crd new"]
                .iter()
                .filter_map(|info| scenario.fences.iter().find(|f| f.info == *info))
                .map(|f| serde_yaml::from_str(&f.text).unwrap())
                .collect(),
        }
    }

    /// Checks a line; `Err` is the actual answer.
    pub(super) fn ask(&self, question: &Question) -> Result<(), String> {
        match question.subject[0].words.as_str() {
            "Classic" | "OLM v1" => self.ask_upgrade(question),
            "opm validate" => self.ask_verdict(question),
            "The request" => self.ask_resolution(question),
            "The CRD" => self.ask_crd(question),
            "The change" => self.ask_change(question),
            "The cluster" => self.ask_cluster(question),
            "blang range" => ask_range(Dialect::Blang, question),
            "Masterminds range" => ask_range(Dialect::Masterminds, question),
            other => Err(format!("nobody answers for {other:?}")),
        }
    }

    fn ask_upgrade(&self, question: &Question) -> Result<(), String> {
        let lens = &question.subject[0].words;
        let upgrade = self.upgrade(question)?;
        let (next, path) = if lens == "Classic" {
            self.classic(&upgrade)
        } else {
            self.v1(&upgrade)?
        };
        question
            .answer
            .iter()
            .try_for_each(|phrase| expect_upgrade(phrase, &next, &path))
    }

    fn upgrade(&self, question: &Question) -> Result<Upgrade, String> {
        let known = [
            "Classic",
            "OLM v1",
            "package",
            "channel",
            "channels",
            "from",
            "fresh install",
            "range",
            "SelfCertified",
            "startingCSV",
            "selector",
            "any channel",
        ];
        question.expect_parts(&known)?;
        let one = |word: &str| {
            question
                .part(word)
                .map(|p| p.quoted_text().map(str::to_owned))
                .transpose()
        };
        let package = match one("package")? {
            Some(package) => package,
            None => self
                .catalogs
                .iter()
                .find_map(|c| Some(c.catalog.packages().next()?.name.to_string()))
                .unwrap_or_default(),
        };
        let installed = match (one("from")?, question.part("fresh install")) {
            (Some(from), None) => Some(self.installed(&from)?),
            (None, Some(_)) => None,
            _ => return Err("either `from` or `fresh install`".to_owned()),
        };
        let channels = question
            .part("channels")
            .or_else(|| question.part("channel"));
        let mut channels = channels.map_or_else(Vec::new, |p| p.quoted.clone());
        if question.subject[0].words == "Classic"
            && channels.is_empty()
            && question.part("any channel").is_none()
        {
            let owner = self
                .catalogs
                .iter()
                .map(|c| c.package(&package))
                .find(|p| !p.packages.is_empty());
            channels.extend(owner.map(|p| p.default_channel().to_owned()));
        }
        let selfish = question.part("SelfCertified").is_some();
        Ok(Upgrade {
            package,
            installed,
            options: Options {
                channels,
                range: one("range")?,
                policy: if selfish {
                    Policy::SelfCertified
                } else {
                    Policy::CatalogProvided
                },
                starting_csv: one("startingCSV")?,
                ..Options::default()
            },
            selector: one("selector")?
                .map(|s| Selector::parse(&s).map_err(|e| e.text))
                .transpose()?,
        })
    }

    /// `NAME@VERSION`, or a name whose version is in a catalog or in the name itself.
    fn installed(&self, from: &str) -> Result<Installed, String> {
        if let Some((name, version)) = from.split_once('@') {
            return Ok(Installed::new(name, version));
        }
        let bundle = |c: &Offered| {
            c.catalog
                .packages()
                .find_map(|p| Some(p.bundle(from)?.version().to_owned()))
        };
        let version = self.catalogs.iter().find_map(bundle);
        let version = version.or_else(|| Some(from.split_once(".v")?.1.to_owned()));
        Ok(Installed::new(
            from,
            version.ok_or("which version is installed? write NAME@VERSION")?,
        ))
    }

    fn classic(&self, upgrade: &Upgrade) -> (Answer, Path) {
        let packages: Vec<Vec<std::sync::Arc<Package>>> = self
            .catalogs
            .iter()
            .map(|c| c.catalog.packages().cloned().collect())
            .collect();
        let catalogs = self
            .catalogs
            .iter()
            .zip(&packages)
            .map(|(offered, packages)| resolve::Catalog {
                name: offered.name.as_str().into(),
                namespace: offered.namespace.as_str().into(),
                priority: offered.priority.into(),
                packages: packages.iter().map(|p| &**p).collect(),
            });
        let catalog_set = CatalogSet::new(catalogs.collect());
        let (catalog, package) = (self.catalogs[0].name.as_str(), upgrade.package.as_str());
        let installed = upgrade.installed.as_ref();
        (
            catalog_set.next(catalog, package, installed, &upgrade.options),
            catalog_set.path(catalog, package, installed, &upgrade.options),
        )
    }

    fn v1(&self, upgrade: &Upgrade) -> Result<(Answer, Path), String> {
        let indexes: Vec<UpgradeIndex> = self
            .catalogs
            .iter()
            .map(|c| UpgradeIndex::new(&c.package(&upgrade.package)))
            .collect();
        let catalogs: Vec<v1::Catalog<'_>> = self
            .catalogs
            .iter()
            .zip(&indexes)
            .map(|(offered, index)| v1::Catalog {
                name: &offered.name,
                priority: offered.priority,
                labels: &offered.labels,
                unavailable: offered.unavailable,
                package: offered.broken.as_deref().map_or(Ok(index), Err),
            })
            .collect();
        let (selector, package, installed) = (
            upgrade.selector.as_ref(),
            &upgrade.package,
            upgrade.installed.as_ref(),
        );
        Ok((
            v1::next(&catalogs, selector, package, installed, &upgrade.options),
            ::upgrade::follow(installed, |at| {
                v1::next(&catalogs, selector, package, at, &upgrade.options)
            }),
        ))
    }

    fn ask_verdict(&self, question: &Question) -> Result<(), String> {
        question.expect_parts(&["opm validate"])?;
        let verdict = judge(&self.catalogs[0].catalog);
        let message = verdict.opm_message.unwrap_or_default();
        question
            .answer
            .iter()
            .try_for_each(|phrase| match phrase.words.as_str() {
                "passes" if verdict.passed => Ok(()),
                "fails with" if !verdict.passed && message.contains(phrase.quoted_text()?) => {
                    Ok(())
                }
                _ => Err(format!(
                    "{}: {message}",
                    if verdict.passed { "passes" } else { "fails" }
                )),
            })
    }

    /// Checks that the change from `old` to `new` breaks everything in `breaks` and nothing in
    /// `keeps`.
    fn ask_change(&self, question: &Question) -> Result<(), String> {
        question.expect_parts(&["The change"])?;
        let side = |name: &str| {
            self.catalogs
                .iter()
                .find(|c| c.name == name)
                .ok_or(format!("no catalog {name}"))
        };
        let (old, new) = (&side("old")?.catalog, &side("new")?.catalog);
        let around = CatalogContext {
            old: Some(old),
            new: Some(new),
            ..CatalogContext::default()
        };
        let pairs = compare::compare_catalogs(old, new).differing;
        let broken: BTreeSet<&str> = pairs
            .iter()
            .flat_map(|(pair, _)| invariants::new_findings(pair, &around))
            .flat_map(|finding| [finding.invariant.id, finding.invariant.name])
            .collect();
        question.answer.iter().try_for_each(|phrase| {
            let unknown = phrase
                .quoted
                .iter()
                .find(|id| invariants::find(id).is_none());
            let so = match phrase.words.as_str() {
                "breaks" => phrase.quoted.iter().all(|id| broken.contains(id.as_str())),
                "keeps" => !phrase.quoted.iter().any(|id| broken.contains(id.as_str())),
                _ => false,
            };
            if so && unknown.is_none() {
                Ok(())
            } else {
                Err(format!("breaks {broken:?}"))
            }
        })
    }

    /// Whether the installed version blocks the cluster's upgrade.
    fn ask_cluster(&self, question: &Question) -> Result<(), String> {
        question.expect_parts(&["The cluster", "from"])?;
        let from = question
            .part("from")
            .ok_or("from which version?")?
            .quoted_text()?;
        let cluster = question.subject[0].quoted_text()?;
        let (major, minor) = cluster.split_once('.').ok_or("a version of OpenShift")?;
        let minor = minor.split(['.', '-']).next().unwrap_or_default();
        let number = |text: &str| text.parse::<u64>().map_err(|e| e.to_string());
        let cluster = OpenShift::new(number(major)?, number(minor)?);
        let packages = self.catalogs.iter().flat_map(|c| c.catalog.packages());
        let bundle = packages
            .into_iter()
            .find_map(|p| p.bundle(from))
            .ok_or("no such bundle")?;
        // Under both lenses: OpenShift's operator for either checks this.
        [Lens::V0, Lens::V1]
            .into_iter()
            .map(|lens| Limit::from_bundle(bundle, lens))
            .try_for_each(|limit| {
                question
                    .answer
                    .iter()
                    .try_for_each(|phrase| match phrase.words.as_str() {
                        "may be updated" if !limit.blocks(cluster) => Ok(()),
                        "is held back" if limit.blocks(cluster) => Ok(()),
                        "is held back with"
                            if limit.blocks(cluster)
                                && limit.to_string().contains(phrase.quoted_text()?) =>
                        {
                            Ok(())
                        }
                        _ => Err(format!("limit {limit}")),
                    })
            })
    }

    fn ask_crd(&self, question: &Question) -> Result<(), String> {
        question.expect_parts(&["The CRD", "Classic", "OLM v1"])?;
        let [old, new] = &self.crds[..] else {
            return Err("one old and one new definition".to_owned());
        };
        let lens = if question.part("Classic").is_some() {
            Lens::V0
        } else {
            Lens::V1
        };
        let objections = crd::objections(old, new, lens);
        question
            .answer
            .iter()
            .try_for_each(|phrase| match phrase.words.as_str() {
                "may be replaced" if objections.is_empty() => Ok(()),
                "refused with" if objections == phrase.quoted => Ok(()),
                _ => Err(format!("{objections:?}")),
            })
    }

    fn ask_resolution(&self, question: &Question) -> Result<(), String> {
        question.expect_parts(&["The request"])?;
        let packages: Vec<Vec<std::sync::Arc<Package>>> = self
            .catalogs
            .iter()
            .map(|c| c.catalog.packages().cloned().collect())
            .collect();
        let catalogs = self
            .catalogs
            .iter()
            .zip(&packages)
            .map(|(offered, packages)| resolve::Catalog {
                name: offered.name.as_str().into(),
                namespace: offered.namespace.as_str().into(),
                priority: offered.priority.into(),
                packages: packages.iter().map(|p| &**p).collect(),
            });
        let [request] = &self.requests[..] else {
            return Err("one request below a heading".to_owned());
        };
        let list = |key: &str| request[key].as_array().cloned().unwrap_or_default();
        let request = Request {
            subscriptions: list("subscriptions").iter().map(subscription).collect(),
            installed: list("installed").iter().map(csv).collect(),
            fail_forward: request["failForward"] == true,
            ..Request::default()
        };
        let outcome = CatalogSet::new(catalogs.collect()).resolve(&request);
        let phrase = &question.answer[0];
        let recorded = as_recorded(&outcome);
        let names: Vec<&str> = recorded["bundles"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|b| b["name"].as_str())
            .collect();
        let so = match (phrase.words.as_str(), &outcome) {
            ("installs", Ok(_)) => names == phrase.quoted,
            ("installs nothing", Ok(_)) => names.is_empty(),
            ("cannot be satisfied", Err(error)) => error.kind.as_str() == "unsatisfiable",
            ("cannot be satisfied with" | "fails with", Err(error)) => {
                phrase.quoted.iter().all(|part| error.text.contains(part))
            }
            _ => false,
        };
        if so {
            Ok(())
        } else {
            Err(format!("{:?}", outcome.map(|_| names).map_err(|e| e.text)))
        }
    }
}

fn expect_upgrade(phrase: &Phrase, next: &Answer, path: &Path) -> Result<(), String> {
    let steps: Vec<&str> = path.steps.iter().map(|s| &**s).collect();
    let error = next.error.as_ref().map(|e| e.text.as_str());
    let to = next.next.as_ref().map(|s| &*s.name);
    let so = match phrase.words.as_str() {
        "next" => error.is_none() && to == Some(phrase.quoted_text()?),
        "stays" => error.is_none() && to.is_none(),
        "error" => error == Some(phrase.quoted_text()?),
        "error with" => error.is_some_and(|e| phrase.quoted.iter().all(|part| e.contains(part))),
        "path" => !path.looped && path.error.is_none() && steps == phrase.quoted,
        "goes round" => path.looped && steps == phrase.quoted,
        text => match text.strip_prefix("next by ") {
            Some(edge) => {
                let step = next.next.as_ref().map(|s| (&*s.name, s.edge.as_str()));
                step == Some((phrase.quoted_text()?, edge))
            }
            None => return Err(format!("not understood: {text:?}")),
        },
    };
    let looped = if path.looped { ", goes round" } else { "" };
    if so {
        Ok(())
    } else {
        Err(format!(
            "next {to:?}, error {error:?}, path {steps:?}{looped}"
        ))
    }
}

fn ask_range(dialect: Dialect, question: &Question) -> Result<(), String> {
    let range = question.subject[0].quoted_text()?;
    let parsed = dialect.parse(range);
    question
        .answer
        .iter()
        .try_for_each(|phrase| match (&parsed, phrase.words.as_str()) {
            (Err(error), "refused" | "refused with") => {
                let so = phrase.quoted.iter().all(|part| error.0.contains(part));
                if so { Ok(()) } else { Err(error.0.clone()) }
            }
            (Ok(parsed), verb @ ("admits" | "not" | "admits not")) => {
                let judged = parsed.judge(phrase.quoted.iter().map(String::as_str));
                let wrong = judged
                    .iter()
                    .find(|(_, admitted)| *admitted != Some(verb == "admits"));
                wrong.map_or(Ok(()), |(version, admitted)| {
                    Err(format!("{version}: {admitted:?}"))
                })
            }
            (Err(error), _) => Err(format!("refused: {}", error.0)),
            (Ok(_), text) => Err(format!("parses; not understood: {text:?}")),
        })
}

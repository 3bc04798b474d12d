//! Answers one user's question under OLM Classic and OLM v1 at once, as the page shows it: both
//! paths, where they differ, and the next step in each channel.

use super::answer::{Answer, ErrorKind, Installed, Lens, Options, UpgradeError};
use super::ask::{Offer, Question, Reach, Reply, Resolver, Step};
use super::index::UpgradeIndex;
use super::installed_name::{InstalledName, UnknownInstalled};
use super::resolve::CatalogSet;
use super::status_conditions::{ConditionsAt, merge_conditions, remarks, when};
use super::v1;
use catalog::model::{Package, is_dns_subdomain};
use catalog::version::openshift::OpenShift;
use protocol::upgrades::BundleVersion;
use protocol::views::{
    Approval, ChannelAnswer, LensDifference, PathStep, StatusCondition, UpgradeAnswer, UpgradePath,
};
use syntax::hashed::HashSet;

/// A question about one package of one catalog, to answer under both lenses.
pub struct BothLenses<'a> {
    pub package: &'a Package,
    pub index: &'a UpgradeIndex,
    /// The catalog for Classic's requirements; `None` if the package has none.
    pub catalog_set: Option<&'a CatalogSet<'a>>,
    /// `None`: a fresh install.
    pub installed: Option<&'a InstalledName>,
    pub classic: Options,
    pub approval: Approval,
    pub v1: Options,
    pub cluster: Option<OpenShift>,
}

impl BothLenses<'_> {
    /// Answers the question without the fields that depend on more than the package.
    pub fn answer(&self) -> Result<UpgradeAnswer, UnknownInstalled> {
        let only = [v1::Catalog::only(self.index)];
        let v1_resolver = Resolver::V1 {
            catalogs: &only,
            selector: None,
        };
        let v0 = self
            .question(&self.classic, self.classic_resolver())
            .answer(Reach::WholePath);
        let mut v1 = self
            .question(&self.v1, v1_resolver)
            .answer(Reach::WholePath);
        if let Some(installed) = self.installed {
            installed.confirm(!v0.steps.is_empty() || !v1.steps.is_empty())?;
        }
        // A ClusterExtension names channels only by DNS subdomains.
        let mut channels = self.v1.channels.iter();
        if let Some(name) = channels.find(|name| !is_dns_subdomain(name)) {
            let reason = format!("channel name `{name}` cannot be used under OLM v1");
            v1 = Reply {
                error: Some(UpgradeError::new(ErrorKind::None, reason)),
                ..Reply::default()
            };
        }
        let approval = v0.approval_remark(self.approval);
        let mut v0 = self.path(Lens::V0, &self.classic, &v0);
        let v1 = self.path(Lens::V1, &self.v1, &v1);
        v0.notes.extend(approval);
        Ok(UpgradeAnswer {
            difference: self.difference(&v0, &v1),
            channels: self.channels(),
            v0,
            v1,
            ..UpgradeAnswer::default()
        })
    }

    fn installed(&self) -> Option<&Installed> {
        self.installed.map(|name| &name.installed)
    }

    fn classic_resolver(&self) -> Resolver<'_> {
        match self.catalog_set {
            Some(catalogs) => Resolver::Requirements {
                catalogs,
                source: "",
            },
            None => Resolver::Edges(self.index),
        }
    }

    fn question<'q>(&'q self, options: &'q Options, resolver: Resolver<'q>) -> Question<'q> {
        Question {
            package: &self.package.name,
            installed: self.installed,
            options,
            resolver,
            offers: vec![Offer {
                catalog: "",
                package: self.package,
            }],
            namespace: None,
            cluster: self.cluster,
        }
    }

    fn is_stuck(&self, lens: Lens, options: &Options, has_next: bool) -> bool {
        !has_next
            && self
                .installed()
                .is_some_and(|installed| !self.index.is_at_end(lens, installed, options))
    }

    fn path(&self, lens: Lens, options: &Options, reply: &Reply) -> UpgradePath {
        let condition_remarks = remarks(&reply.conditions)
            .into_iter()
            .map(|remark| format!("Deprecation conditions of the ClusterExtension: {remark}."));
        let refusals = reply
            .refusals
            .iter()
            .map(|refusal| format!("{}.", refusal.sentence()));
        let notes = reply.notes.iter().cloned();
        let on_cluster = reply.next_on_cluster();
        let mut steps: Vec<PathStep> = reply.steps.iter().map(path_step).collect();
        if let Some(path) = &reply.on_cluster {
            let remarks = path.remarks().into_iter();
            let remarks = remarks.skip(usize::from(self.installed.is_some()));
            for (step, remark) in steps.iter_mut().zip(remarks) {
                step.on_cluster = Some(remark).filter(|remark| !remark.is_empty());
            }
        }
        UpgradePath {
            lens,
            is_stuck: self.is_stuck(lens, options, !steps.is_empty()),
            steps,
            looped: reply.looped,
            end: reply.end.clone(),
            error: reply.error.clone(),
            conditions: merged_conditions(&reply.conditions),
            notes: notes.chain(condition_remarks).chain(refusals).collect(),
            on_cluster: on_cluster.map_or_else(Vec::new, |step| step.messages),
        }
    }

    fn difference(&self, v0: &UpgradePath, v1: &UpgradePath) -> Option<LensDifference> {
        let is_same = has_same_start(v0, v1) && last_name(v0) == last_name(v1);
        (!is_same).then(|| LensDifference {
            with_one_channel: self.narrowed_v1(v1),
        })
    }

    /// Describes the answer of OLM v1 with Classic's channel alone, if it considers all channels
    /// and that answer differs.
    fn narrowed_v1(&self, v1: &UpgradePath) -> Option<String> {
        let channel = self.classic.channels.first()?;
        if !self.v1.channels.is_empty() || !is_dns_subdomain(channel) {
            return None;
        }
        let options = Options {
            channels: vec![channel.clone()],
            ..self.v1.clone()
        };
        let narrowed = self.index.next(Lens::V1, self.installed(), &options).next;
        let other = narrowed.filter(|step| v1.next().is_none_or(|next| *next.name != *step.name));
        let verb = self.installed.map_or("install", |_| "update to");
        Some(format!(
            "OLM v1 considers every channel; with channel `{channel}` only, it would {verb} `{}`.",
            other?.name
        ))
    }

    /// Returns Classic's next step in each channel, each channel name once.
    fn channels(&self) -> Vec<ChannelAnswer> {
        let mut seen = HashSet::default();
        let channels = self.package.channels.iter();
        channels
            .map(|channel| &*channel.name.value)
            .filter(|name| seen.insert(*name))
            .map(|name| self.channel_answer(name))
            .collect()
    }

    fn channel_answer(&self, channel: &str) -> ChannelAnswer {
        let options = Options::for_channel(channel);
        let Answer { next, error, .. } = match self.catalog_set {
            Some(catalogs) => catalogs.next("", &self.package.name, self.installed(), &options),
            None => self.index.next(Lens::V0, self.installed(), &options),
        };
        ChannelAnswer {
            channel: channel.to_owned(),
            is_default: channel == self.package.default_channel(),
            is_stuck: self.is_stuck(Lens::V0, &options, next.is_some()),
            next: next.map(|step| BundleVersion::from(&step.as_installed())),
            error,
        }
    }
}

fn path_step(step: &Step) -> PathStep {
    let successor = &step.successor;
    PathStep {
        name: successor.name.to_string(),
        version: successor.version.to_string(),
        channel: (!successor.channel.is_empty()).then(|| successor.channel.to_string()),
        edge: successor.edge,
        why: step.why.clone(),
        on_cluster: None,
    }
}

/// Returns the status conditions of deprecations along a path, each once.
fn merged_conditions(points: &[ConditionsAt]) -> Vec<StatusCondition> {
    merge_conditions(points)
        .into_iter()
        .map(|(condition, holds_at)| StatusCondition {
            kind: condition.kind.as_str().to_owned(),
            message: condition.message.clone(),
            when: when(&holds_at, points),
        })
        .collect()
}

/// Whether both paths start with the same step, or both have none for the same class of reason.
fn has_same_start(v0: &UpgradePath, v1: &UpgradePath) -> bool {
    let next = |path: &UpgradePath| path.next().map(|step| step.name.clone());
    let fails = |path: &UpgradePath| path.steps.is_empty() && path.error.is_some();
    next(v0) == next(v1) && fails(v0) == fails(v1)
}

fn last_name(path: &UpgradePath) -> Option<&str> {
    path.steps.last().map(|step| step.name.as_str())
}

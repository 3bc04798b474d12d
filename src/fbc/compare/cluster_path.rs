//! Effects of a next step and of a whole path on a cluster: which versions block it, which one
//! unblocks it, and which do not start.

use super::cluster::{BundleOnCluster, Cluster, Starts, first_by_name};
use super::cluster_limit::classic_report;
use crate::model::Package;
use crate::place::Text;
use crate::upgrade::Lens;

/// The versions of a path, starting with the installed one, as the catalogs define them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathOnCluster {
    pub cluster: Cluster,
    pub names: Vec<Text>,
    /// Parallel to `names`; `None` if no catalog has the bundle.
    pub steps: Vec<Option<BundleOnCluster>>,
}

/// The installed and the next bundle of a step on a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextStepOnCluster {
    pub cluster: Cluster,
    pub installed: Option<BundleOnCluster>,
    pub next: Option<BundleOnCluster>,
    /// The first version on the path after a blocking one that does not block the cluster.
    pub unblocked_by: Option<Text>,
    /// Classic's report on the cluster about the installed bundle, with `NAMESPACE` for its
    /// namespace; `None` if it does not block the cluster, and under OLM v1.
    pub reported: Option<String>,
    /// The consequences as sentences with names in backticks; may be empty.
    pub messages: Vec<String>,
}

impl PathOnCluster {
    /// `packages`: the package in each catalog; the first that has a bundle counts.
    pub fn new<'p>(
        cluster: Cluster,
        packages: impl Iterator<Item = &'p Package>,
        names: impl IntoIterator<Item = Text>,
    ) -> Self {
        let names: Vec<Text> = names.into_iter().collect();
        let bundles = first_by_name(packages);
        let judge = |name: &Text| bundles.get(&**name).map(|bundle| cluster.judge(bundle));
        Self {
            cluster,
            steps: names.iter().map(judge).collect(),
            names,
        }
    }

    pub fn get(&self, name: &str) -> Option<&BundleOnCluster> {
        self.steps.iter().flatten().find(|on| *on.name == *name)
    }

    /// The first version after a blocking one that does not block the cluster, and a version before
    /// it that does not start.
    fn unblocking_step(&self) -> Option<(&BundleOnCluster, Option<&BundleOnCluster>)> {
        let held = self
            .steps
            .iter()
            .flatten()
            .skip_while(|on| !on.blocks_update);
        let unblocked_by = held.clone().find(|on| !on.blocks_update)?;
        // The installed version has already started.
        let between = held.skip(1).take_while(|on| on.name != unblocked_by.name);
        Some((
            unblocked_by,
            between.into_iter().find(|on| on.starts == Starts::No),
        ))
    }

    pub fn unblocked_by(&self) -> Option<Text> {
        self.unblocking_step()
            .map(|(unblocked_by, _)| unblocked_by.name.clone())
    }

    /// A remark for each name; may be empty.
    pub fn remarks(&self) -> Vec<String> {
        let remark = |on: &Option<BundleOnCluster>| match on {
            Some(on) => on.remarks(self.cluster).join("; "),
            None => "not checked: no catalog contains it".to_owned(),
        };
        self.steps.iter().map(remark).collect()
    }
}

impl NextStepOnCluster {
    /// `installed` and `next` come from the answer; `path` starts with the installed one.
    pub fn new(path: &PathOnCluster, installed: Option<&str>, next: Option<&str>) -> Self {
        let cluster = path.cluster;
        let (now, then) = (
            installed.and_then(|name| path.get(name)),
            next.and_then(|name| path.get(name)),
        );
        let mut messages = Vec::new();
        if let Some(name) = installed.filter(|_| now.is_none()) {
            messages.push(format!(
                "cannot check `{name}` against the cluster: no catalog contains it"
            ));
        }
        let holder = now.filter(|now| now.blocks_update).or(then);
        messages.extend(
            holder.and_then(|holder| cluster.block_message(holder, path.unblocking_step())),
        );
        messages.extend(then.and_then(|next| cluster.start_message(next)));
        let is_classic = cluster.lens == Lens::V0;
        let reported = now.filter(|_| is_classic).and_then(|now| {
            let installed = (format!("NAMESPACE/{}", now.name), now.limit.clone());
            classic_report(cluster.version, &[installed])
        });
        Self {
            cluster,
            reported,
            installed: now.cloned(),
            next: then.cloned(),
            unblocked_by: path.unblocked_by(),
            messages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upgrade::testing::package;
    use crate::upgrade::{Installed, Lens, Options, UpgradeIndex};
    use crate::version::openshift::OpenShift;

    fn messages(text: &str, installed: Option<(&str, &str)>) -> Vec<String> {
        let package = package(text);
        let index = UpgradeIndex::new(&package);
        let installed = installed.map(|(name, version)| Installed::new(name, version));
        let path = index.path(Lens::V0, installed.as_ref(), &Options::default());
        let cluster = Cluster {
            version: OpenShift::new(4, 18),
            lens: Lens::V0,
        };
        let path = PathOnCluster::new(cluster, std::iter::once(&package), path.steps);
        let next = index
            .next(Lens::V0, installed.as_ref(), &Options::default())
            .next;
        NextStepOnCluster::new(
            &path,
            installed.as_ref().map(|i| &*i.name),
            next.as_ref().map(|next| &*next.name),
        )
        .messages
    }

    #[test]
    fn the_way_out_may_lead_over_what_does_not_start() {
        let held = "`a` blocks cluster updates beyond OpenShift 4.18: its olm.maxOpenShiftVersion is 4.18; ";
        let chain =
            |middle: &str| format!("c: c@3.0.0 r:b; b@2.0.0 r:a {middle}; a@1.0.0 max:\"4.18\"");
        assert_eq!(
            messages(&chain(""), Some(("a", "1.0.0"))),
            [format!("{held}upgrading to `b` unblocks it")]
        );
        assert_eq!(
            messages(&chain("max:\"4.18\""), Some(("a", "1.0.0"))),
            [format!("{held}upgrading to `c` unblocks it")]
        );
        let pending = messages(&chain("max:\"4.18\" kube:1.40.0"), Some(("a", "1.0.0")));
        assert_eq!(
            pending[0],
            format!("{held}upgrading to `c` unblocks it, but `b` comes first and does not start")
        );
        assert_eq!(pending.len(), 2);
        assert_eq!(
            messages("c: a@1.0.0 max:\"4.18\"", Some(("a", "1.0.0"))),
            [format!("{held}no version on its upgrade path unblocks it")]
        );
    }

    #[test]
    fn a_fresh_install_may_block_the_cluster() {
        let fresh = messages("c: a@1.0.0 max:\"4.18\"", None);
        assert!(
            fresh[0].starts_with("`a` blocks cluster updates"),
            "{fresh:?}"
        );
        assert_eq!(messages("c: a@1.0.0", None), [""; 0]);
        let gone = messages("c: b@2.0.0 r:a", Some(("a", "1.0.0")));
        assert_eq!(
            gone,
            ["cannot check `a` against the cluster: no catalog contains it"]
        );
    }
}

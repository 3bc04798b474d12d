//! What a next step and a whole path mean on a cluster: who holds it, who frees it, and what on the way does not start.

use super::cluster::{Cluster, OnCluster, Starts, first_by_name};
use crate::model::Package;
use crate::place::Text;

/// The versions of a path, the installed one first, each as the catalogs have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathOnCluster {
    pub cluster: Cluster,
    pub names: Vec<Text>,
    /// One for each name; `None` where no catalog has the bundle.
    pub steps: Vec<Option<OnCluster>>,
}

/// A next step: what is installed, and what would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextOnCluster {
    pub cluster: Cluster,
    pub installed: Option<OnCluster>,
    pub next: Option<OnCluster>,
    /// The first version on the path that does not hold the cluster, behind one that does.
    pub freed_by: Option<Text>,
    /// What follows, in sentences with names in backticks; empty where nothing does.
    pub says: Vec<String>,
}

impl PathOnCluster {
    /// `packages`: the package in each catalog, the first one that has a bundle counts.
    pub fn new<'p>(
        cluster: Cluster,
        packages: impl Iterator<Item = &'p Package>,
        names: impl IntoIterator<Item = Text>,
    ) -> Self {
        let names: Vec<Text> = names.into_iter().collect();
        let bundles = first_by_name(packages);
        let judge = |name: &Text| bundles.get(&**name).map(|bundle| cluster.judge(bundle));
        Self { cluster, steps: names.iter().map(judge).collect(), names }
    }

    pub fn of(&self, name: &str) -> Option<&OnCluster> {
        self.steps.iter().flatten().find(|on| *on.name == *name)
    }

    /// The first version that does not hold the cluster behind one that does, and a version before it that does not start.
    fn way_out(&self) -> Option<(&OnCluster, Option<&OnCluster>)> {
        let held = self.steps.iter().flatten().skip_while(|on| !on.holds);
        let freed_by = held.clone().find(|on| !on.holds)?;
        // What is installed has started.
        let between = held.skip(1).take_while(|on| on.name != freed_by.name);
        Some((freed_by, between.into_iter().find(|on| on.starts == Starts::No)))
    }

    pub fn freed_by(&self) -> Option<Text> {
        self.way_out().map(|(freed_by, _)| freed_by.name.clone())
    }

    /// What stands behind each name: a remark, or nothing.
    pub fn remarks(&self) -> Vec<String> {
        let remark = |on: &Option<OnCluster>| match on {
            Some(on) => on.remarks(self.cluster).join("; "),
            None => "what it means for the cluster is not known".to_owned(),
        };
        self.steps.iter().map(remark).collect()
    }
}

impl NextOnCluster {
    /// `installed` and `next` as the answer has them, `path` from the installed one on.
    pub fn new(path: &PathOnCluster, installed: Option<&str>, next: Option<&str>) -> Self {
        let cluster = path.cluster;
        let (now, then) = (installed.and_then(|name| path.of(name)), next.and_then(|name| path.of(name)));
        let mut says = Vec::new();
        if let Some(name) = installed.filter(|_| now.is_none()) {
            says.push(format!("what `{name}` means for the cluster is not known: no catalog has it"));
        }
        let holder = now.filter(|now| now.holds).or(then);
        says.extend(holder.and_then(|holder| cluster.hold(holder, path.way_out())));
        says.extend(then.and_then(|next| cluster.start(next)));
        Self { cluster, installed: now.cloned(), next: then.cloned(), freed_by: path.freed_by(), says }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upgrade::testing::package;
    use crate::upgrade::{Installed, Lens, Options, UpgradeIndex};
    use crate::version::openshift::OpenShift;

    fn says(text: &str, installed: Option<(&str, &str)>) -> Vec<String> {
        let package = package(text);
        let index = UpgradeIndex::new(&package);
        let installed = installed.map(|(name, version)| Installed::new(name, version));
        let path = index.path(Lens::V0, installed.as_ref(), &Options::default());
        let cluster = Cluster { version: OpenShift::new(4, 18), lens: Lens::V0 };
        let path = PathOnCluster::new(cluster, std::iter::once(&package), path.steps);
        let next = index.next(Lens::V0, installed.as_ref(), &Options::default()).next;
        NextOnCluster::new(&path, installed.as_ref().map(|i| &*i.name), next.as_ref().map(|next| &*next.name)).says
    }

    #[test]
    fn the_way_out_may_lead_over_what_does_not_start() {
        let held = "`a` holds the cluster at OpenShift 4.18: its olm.maxOpenShiftVersion is 4.18; ";
        let chain = |middle: &str| format!("c: c@3.0.0 r:b; b@2.0.0 r:a {middle}; a@1.0.0 max:\"4.18\"");
        assert_eq!(says(&chain(""), Some(("a", "1.0.0"))), [format!("{held}`b` frees it")]);
        assert_eq!(says(&chain("max:\"4.18\""), Some(("a", "1.0.0"))), [format!("{held}`c` frees it")]);
        let pending = says(&chain("max:\"4.18\" kube:1.40.0"), Some(("a", "1.0.0")));
        assert_eq!(pending[0], format!("{held}`c` frees it, behind `b`, which does not start"));
        assert_eq!(pending.len(), 2);
        assert_eq!(
            says("c: a@1.0.0 max:\"4.18\"", Some(("a", "1.0.0"))),
            [format!("{held}nothing on its path frees it")]
        );
    }

    #[test]
    fn what_would_be_installed_holds_it_then() {
        let fresh = says("c: a@1.0.0 max:\"4.18\"", None);
        assert!(fresh[0].starts_with("`a` holds the cluster"), "{fresh:?}");
        assert_eq!(says("c: a@1.0.0", None), [""; 0]);
        let gone = says("c: b@2.0.0 r:a", Some(("a", "1.0.0")));
        assert_eq!(gone, ["what `a` means for the cluster is not known: no catalog has it"]);
    }
}

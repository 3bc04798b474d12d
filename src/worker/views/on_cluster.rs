//! What an upgrade path means for the cluster that the question names: what holds back its update, who frees it, and what
//! does not start.

use fbc::compare::cluster::{Cluster, kubernetes};
use fbc::compare::cluster_path::{NextStepOnCluster, PathOnCluster};
use fbc::model::Package;
use fbc::upgrade;
use fbc::version::openshift::{self, OpenShift};
use protocol::upgrades::ClusterView;
use protocol::views::{Lens, NextStep};

/// The version that a text says, and what the page shows of it; no version for "".
pub(super) fn version(text: &str) -> (Option<OpenShift>, ClusterView) {
    if text.is_empty() {
        return (None, ClusterView::default());
    }
    match openshift::of_cluster(text) {
        Ok(version) => {
            let kubernetes = kubernetes(version).unwrap_or_default();
            (
                Some(version),
                ClusterView {
                    openshift: version.to_string(),
                    kubernetes,
                    error: String::new(),
                },
            )
        }
        Err(reason) => {
            let error = format!("{reason}: write it as 4.18 or 4.18.3");
            (
                None,
                ClusterView {
                    error,
                    ..ClusterView::default()
                },
            )
        }
    }
}

/// Adds it to a path that begins with what is installed.
pub(super) fn mark(
    path: &mut NextStep,
    version: OpenShift,
    package: &Package,
    installed: Option<&str>,
) {
    let lens = match path.lens {
        Lens::V0 => upgrade::Lens::V0,
        Lens::V1 => upgrade::Lens::V1,
    };
    let steps = path.steps.iter().map(|step| step.name.as_str());
    let names = installed.into_iter().chain(steps).map(Into::into);
    let on = PathOnCluster::new(Cluster { version, lens }, std::iter::once(package), names);
    let next = path.next().map(|step| step.name.as_str());
    let messages = NextStepOnCluster::new(&on, installed, next).messages;
    let remarks = on
        .remarks()
        .into_iter()
        .skip(usize::from(installed.is_some()));
    for (step, remark) in path.steps.iter_mut().zip(remarks) {
        step.on_cluster = remark;
    }
    path.on_cluster = messages;
}

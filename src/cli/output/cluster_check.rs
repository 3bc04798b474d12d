//! The consequences for a cluster (`--cluster`), in the text and in the JSON of several commands.

use crate::output::one_line;
use fbc::compare::User;
use fbc::compare::cluster::{BundleOnCluster, Starts, UserOnCluster, kubernetes};
use fbc::compare::cluster::{NextStepOnCluster, PathOnCluster};
use fbc::version::openshift::OpenShift;
use serde_json::{Value, json};

/// Lines after an answer of `next`.
pub(crate) fn next_text(on: &NextStepOnCluster) -> String {
    on.messages
        .iter()
        .map(|line| format!("{}\n", one_line(line)))
        .collect()
}

pub(crate) fn next_json(on: &NextStepOnCluster) -> Value {
    let mut answer = versions(on.cluster.version);
    answer["installed"] = on.installed.as_ref().map(bundle).into();
    answer["next"] = on.next.as_ref().map(bundle).into();
    answer["unblocked_by"] = on.unblocked_by.as_deref().into();
    answer["messages"] = json!(on.messages);
    answer["olm_message"] = on.reported.as_deref().into();
    answer
}

/// The remark after each step of a path.
pub(crate) fn path_remarks(on: &PathOnCluster) -> Vec<String> {
    let remark = |text: String| {
        if text.is_empty() {
            text
        } else {
            format!("  ({})", one_line(&text))
        }
    };
    on.remarks().into_iter().map(remark).collect()
}

pub(crate) fn path_json(on: &PathOnCluster) -> Value {
    let steps = on.names.iter().zip(&on.steps).map(|(name, step)| match step {
        Some(step) => bundle(step),
        None => json!({ "name": &**name, "max_openshift_version": null, "blocks_update": null, "min_kube_version": null, "starts": null }),
    });
    let mut answer = versions(on.cluster.version);
    answer["steps"] = steps.collect();
    answer["unblocked_by"] = on.unblocked_by().as_deref().into();
    answer
}

/// The versions of the cluster.
pub(crate) fn versions(version: OpenShift) -> Value {
    json!({ "openshift": version.to_string(), "kubernetes": kubernetes(version) })
}

fn bundle(on: &BundleOnCluster) -> Value {
    json!({
        "name": &*on.name,
        "max_openshift_version": Some(on.limit.to_string()).filter(|text| !text.is_empty()),
        "blocks_update": on.blocks_update,
        "min_kube_version": Some(&*on.min_kube).filter(|text| !text.is_empty()),
        "starts": on.starts.as_str(),
    })
}

/// The consequences of a change for a version on the cluster, for `diff`.
pub(crate) fn user(user: &User, on: &UserOnCluster) -> Value {
    let starts = || on.new_next.as_ref().map_or(Starts::Yes, |next| next.starts);
    json!({
        "blocks_update": on.blocks_update,
        "old_unblocked_by": on.old_unblocked_by.as_deref(),
        "new_unblocked_by": on.new_unblocked_by.as_deref(),
        "new_next_starts": user.new_next.as_ref().map(|_| starts().as_str()),
    })
}

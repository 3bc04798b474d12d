//! The contract of `diff --format json`.

use super::{PackageDiff, Report, lens_name, severity_name};
use crate::output::{self, problems};
use ::catalog::version::Version;
use ::catalog::version::openshift::OpenShift;
use serde_json::{Value, json};
use upgrade::Installed;
use verdict::compare::cluster::UserOnCluster;
use verdict::compare::{ChangeKind, Effect, Lenses, RowSubject, TableRow, UnlistedUsers, User};

pub(super) fn report(report: &Report) -> Value {
    let broken = report.findings().map(|(package, finding)| {
        json!({
            "invariant": finding.invariant.name,
            "id": finding.invariant.id,
            "severity": severity_name(finding.invariant.severity),
            "package": package,
            "channel": &*finding.channel,
            "subject": &*finding.subject,
            "message": finding.message,
            "help": finding.help,
        })
    });
    let mut answer = json!({
        "format": output::FORMAT,
        "packages": report.packages.iter().map(|diff| package(diff, report.cluster)).collect::<Vec<_>>(),
        "broken": broken.collect::<Vec<_>>(),
    });
    if let Some(cluster) = report.cluster {
        answer["cluster"] = problems::versions(cluster);
    }
    answer
}

fn package(package: &PackageDiff, cluster: Option<OpenShift>) -> Value {
    let comparison = &package.comparison;
    let mut answer = json!({
        "package": &*comparison.package,
        "kind": match comparison.kind {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Changed => "changed",
        },
        "hit": comparison.hit(),
        "worse": comparison.worse(),
        "changes": comparison.sentences(),
        "headline": comparison.table().headline(),
        "table": comparison.table().rows.iter().filter(is_of_names).map(row).collect::<Vec<_>>(),
        "users": package.users().map(|(one, on)| user(one, on)).collect::<Vec<_>>(),
        "further_users": comparison.further.iter().map(|one| user(one, None)).collect::<Vec<_>>(),
        "unlisted": comparison.unlisted.iter().map(unlisted_json).collect::<Vec<_>>(),
    });
    if cluster.is_some() {
        answer["on_cluster"] = json!(package.on_cluster_says(cluster));
    }
    answer
}

/// Whether a row belongs to `table`; those of unlisted versions belong to `unlisted`.
fn is_of_names(row: &&TableRow) -> bool {
    !matches!(row.subject, RowSubject::Unlisted(_))
}

/// The users of versions that the catalog does not list.
fn unlisted_json(users: &UnlistedUsers) -> Value {
    let interval = &users.versions.interval;
    json!({
        "versions": interval.to_string(),
        "from": version_bound(interval.lower.above()),
        "below": version_bound(interval.upper.above()),
        "except": users.versions.except.iter().map(|version| &**version).collect::<Vec<_>>(),
        "installed": users.versions.in_use.iter().map(|one| &*one.name).collect::<Vec<_>>(),
        "lens": lens_name(users.lens),
        "channels": users.channels.iter().map(|channel| &**channel).collect::<Vec<_>>(),
        "old_next": installed_name(&users.old_next),
        "new_next": installed_name(&users.new_next),
        "old_final": installed_name(&users.old_last),
        "new_final": installed_name(&users.new_last),
        "effect": users.effect.map_or("same", Effect::as_str),
        "error": users.error.map(|kind| kind.as_str()),
    })
}

fn version_bound(version: Option<&Version>) -> Option<String> {
    version.map(Version::to_string)
}

fn installed_name(installed: &Option<Installed>) -> Option<String> {
    installed.as_ref().map(|one| one.name.to_string())
}

/// Versions with the same outcome, or fresh installs.
fn row(row: &TableRow) -> Value {
    json!({
        "fate": row.fate.as_str(),
        "fresh": row.is_fresh(),
        "from": installed_names(&row.from),
        "now": row.now.as_ref().filter(|_| !row.same_next).map(|now| &*now.name),
        "was": installed_names(&row.was),
        "final": row.last.as_ref().map(|last| &*last.name),
        "final_was": installed_names(&row.last_was),
        "lenses": match row.lenses {
            Lenses::Both => ["v0", "v1"].as_slice(),
            Lenses::Classic => &["v0"],
            Lenses::V1 => &["v1"],
        },
        "channels": row.channels.iter().map(|channel| &**channel).collect::<Vec<_>>(),
        "v1_channels": row.v1_channels.iter().map(|channel| &**channel).collect::<Vec<_>>(),
        "channel_gone": match &row.subject {
            RowSubject::ChannelGone(channel) => Some(&**channel),
            _ => None,
        },
        "v1_error": row.fails_under_v1,
    })
}

fn installed_names(installed: &[Installed]) -> Vec<String> {
    installed
        .iter()
        .map(|one| one.name.to_string())
        .collect::<Vec<_>>()
}

fn user(user: &User, on: Option<&UserOnCluster>) -> Value {
    let mut answer = json!({
        "from": &*user.from.name,
        "version": &*user.from.version,
        "lens": lens_name(user.lens),
        "channels": user.channels.iter().map(|c| &**c).collect::<Vec<_>>(),
        "old_next": user.old_next.as_ref().map(|next| &*next.name),
        "new_next": user.new_next.as_ref().map(|next| &*next.name),
        "old_final": &*user.old_last.name,
        "new_final": &*user.new_last.name,
        "effect": user.effect.map_or("same", Effect::as_str),
        "error": user.error.map(|kind| kind.as_str()),
    });
    if let Some(on) = on {
        answer["cluster"] = problems::user(user, on);
    }
    answer
}

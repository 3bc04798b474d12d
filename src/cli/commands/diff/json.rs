//! The contract of `diff --format json`.

use super::{PackageDiff, Report, lens_name, severity_name};
use crate::output;
use crate::output::cluster_check;
use fbc::compare::cluster::UserOnCluster;
use fbc::compare::{ChangeKind, Effect, Lenses, RowSubject, TableRow, UnlistedUsers, User};
use fbc::upgrade::Installed;
use fbc::version::Version;
use fbc::version::openshift::OpenShift;
use serde_json::{Value, json};

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
        "packages": report.packages.iter().map(|of| package(of, report.cluster)).collect::<Vec<_>>(),
        "broken": broken.collect::<Vec<_>>(),
    });
    if let Some(cluster) = report.cluster {
        answer["cluster"] = cluster_check::versions(cluster);
    }
    answer
}

fn package(package: &PackageDiff, cluster: Option<OpenShift>) -> Value {
    let of = &package.comparison;
    let mut answer = json!({
        "package": &*of.package,
        "kind": match of.kind {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Changed => "changed",
        },
        "hit": of.hit(),
        "worse": of.worse(),
        "changes": of.sentences(),
        "headline": of.table().headline(),
        "table": of.table().rows.iter().filter(is_of_names).map(row).collect::<Vec<_>>(),
        "users": package.users().map(|(of, on)| user(of, on)).collect::<Vec<_>>(),
        "further_users": of.further.iter().map(|of| user(of, None)).collect::<Vec<_>>(),
        "unlisted": of.unlisted.iter().map(unlisted_json).collect::<Vec<_>>(),
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
fn unlisted_json(of: &UnlistedUsers) -> Value {
    let name = |installed: &Option<Installed>| installed.as_ref().map(|one| one.name.to_string());
    let interval = &of.versions.interval;
    let bound = |version: Option<&Version>| version.map(Version::to_string);
    json!({
        "versions": interval.to_string(),
        "from": bound(interval.lower.above()),
        "below": bound(interval.upper.above()),
        "except": of.versions.except.iter().map(|version| &**version).collect::<Vec<_>>(),
        "installed": of.versions.in_use.iter().map(|one| &*one.name).collect::<Vec<_>>(),
        "lens": lens_name(of.lens),
        "channels": of.channels.iter().map(|channel| &**channel).collect::<Vec<_>>(),
        "old_next": name(&of.old_next),
        "new_next": name(&of.new_next),
        "old_final": name(&of.old_last),
        "new_final": name(&of.new_last),
        "effect": of.effect.map_or("same", Effect::as_str),
        "error": of.error.map(|kind| kind.as_str()),
    })
}

/// Versions with the same outcome, or fresh installs.
fn row(row: &TableRow) -> Value {
    let names = |installed: &[Installed]| {
        installed
            .iter()
            .map(|one| one.name.to_string())
            .collect::<Vec<_>>()
    };
    json!({
        "fate": row.fate.as_str(),
        "fresh": row.is_fresh(),
        "from": names(&row.from),
        "now": row.now.as_ref().filter(|_| !row.same_next).map(|now| &*now.name),
        "was": names(&row.was),
        "final": row.last.as_ref().map(|last| &*last.name),
        "final_was": names(&row.last_was),
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
        answer["cluster"] = cluster_check::user(user, on);
    }
    answer
}

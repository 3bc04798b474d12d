//! A comparison of two catalogs, as text for a terminal and as JSON.

use crate::output::{self, one_line, problems, table};
use ::catalog::version::Version;
use ::catalog::version::openshift::OpenShift;
use protocol::counting::{count_of, first_of};
use serde_json::{Value, json};
use upgrade::resolve::UnmetRequirement;
use upgrade::{ErrorKind, Installed};
use verdict::compare::cluster::{UserOnCluster, sentences};
use verdict::compare::invariants::{
    Finding, GroupedFinding, Severity, VERDICT, causes, group_findings,
};
use verdict::compare::{
    Comparison, Effect, Lenses, RowSubject, TableRow, UnlistedUsers, User, ends, no_update,
};

/// Headings of the table of users.
const USER_COLUMNS: [&str; 8] = [
    "FROM", "LENS", "CHANNELS", "NEXT WAS", "NEXT IS", "ENDED AT", "ENDS AT", "EFFECT",
];

/// At most this many versions of one finding are listed.
const MAX_VERSIONS: usize = 5;
/// At most this many channels of one finding are listed.
const MAX_CHANNELS: usize = 5;

/// The data of all output formats.
pub(super) struct Report {
    /// Packages with most versions worse off first, then those with most affected versions.
    pub packages: Vec<PackageDiff>,
    /// Number of equal packages.
    pub same: usize,
    pub verdict: Option<Finding>,
    /// The value of `--cluster`.
    pub cluster: Option<OpenShift>,
}

pub(super) struct PackageDiff {
    pub comparison: Comparison,
    pub findings: Vec<Finding>,
    /// One per user of the comparison, with `--cluster`.
    pub on_cluster: Option<Vec<UserOnCluster>>,
}

impl Report {
    /// Returns all findings with the package's name; `""` for findings about the whole catalog.
    pub fn findings(&self) -> impl Iterator<Item = (&str, &Finding)> {
        let verdict = self.verdict.iter().map(|finding| ("", finding));
        let packages = self.readable_packages().flat_map(|package| {
            let name = &*package.comparison.package;
            package.findings.iter().map(move |finding| (name, finding))
        });
        verdict.chain(packages)
    }

    /// Returns the packages without unreadable parts, whose findings are certain.
    fn readable_packages(&self) -> impl Iterator<Item = &PackageDiff> {
        let packages = self.packages.iter();
        packages.filter(|package| package.comparison.hidden.is_none())
    }

    /// Returns the grouped findings with the package's name, errors first. Each lists at most
    /// `max_subjects` subjects.
    pub fn grouped_findings(&self, max_subjects: usize) -> Vec<(&str, GroupedFinding)> {
        let verdict = group_findings(&self.verdict, max_subjects).into_iter();
        let mut groups: Vec<(&str, GroupedFinding)> = verdict.map(|group| ("", group)).collect();
        for package in self.readable_packages() {
            let findings = group_findings(&package.findings, max_subjects).into_iter();
            groups.extend(findings.map(|group| (&*package.comparison.package, group)));
        }
        groups.sort_by_key(|(_, group)| group.severity);
        groups
    }

    /// Counts the broken invariants of a severity, without those that follow from another.
    pub fn count_broken(&self, severity: Severity) -> usize {
        let groups = self.grouped_findings(1);
        causes(groups.iter().map(|(_, group)| group), severity).len()
    }

    /// Formats the report for a terminal.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for package in &self.packages {
            write_package(package, self.cluster, &mut out);
        }
        for (package, finding) in self.grouped_findings(MAX_VERSIONS) {
            let location = match (package, finding.channels.as_slice()) {
                ("", _) => String::new(),
                (package, []) => format!("{package}: "),
                (package, channels) => {
                    format!("{package}, {}: ", first_of(channels.iter(), MAX_CHANNELS))
                }
            };
            let names: Vec<&str> = std::iter::once(finding.invariant)
                .chain(finding.also.iter().copied())
                .map(|invariant| invariant.name)
                .collect();
            out.push_str(&format!(
                "{}: {}: {location}{}\n",
                finding.severity.name(),
                names.join(", "),
                match finding.invariant.name {
                    // `opm`'s message is a tree of several lines, in which names are quoted.
                    name if name == VERDICT.name =>
                        finding.message.trim_end().replace('\n', "\n  "),
                    _ => one_line(&finding.counted_message()),
                }
            ));
        }
        if out.is_empty() {
            "nothing changes for users\n".to_owned()
        } else {
            out
        }
    }

    /// Returns the report as JSON, whose shape is the contract of `diff --format json`.
    pub fn to_json(&self) -> Value {
        let broken = self.findings().map(|(package, finding)| {
            json!({
                "invariant": finding.invariant.name,
                "id": finding.invariant.id,
                "severity": finding.invariant.severity.name(),
                "package": package,
                "channel": finding.channel,
                "subject": finding.subject,
                "message": finding.message,
                "help": finding.help,
            })
        });
        let mut answer = json!({
            "format": output::FORMAT,
            "packages": self.packages.iter().map(|diff| package_json(diff, self.cluster)).collect::<Vec<_>>(),
            "broken": broken.collect::<Vec<_>>(),
        });
        if let Some(cluster) = self.cluster {
            answer["cluster"] = problems::versions_json(cluster);
        }
        answer
    }
}

impl PackageDiff {
    /// Returns each user, with the consequences on the cluster of `--cluster`.
    pub fn users(&self) -> impl Iterator<Item = (&User, Option<&UserOnCluster>)> {
        let on_cluster = self.on_cluster.as_deref().unwrap_or_default();
        self.comparison
            .users
            .iter()
            .enumerate()
            .map(move |(index, user)| (user, on_cluster.get(index)))
    }

    /// Describes the consequences on a cluster, one sentence each, without repetitions.
    pub fn cluster_sentences(&self, cluster: Option<OpenShift>) -> Vec<String> {
        let Some(cluster) = cluster else {
            return Vec::new();
        };
        let users = self.users();
        sentences(
            users.filter_map(|(user, on_cluster)| Some((user, on_cluster?))),
            cluster,
        )
    }

    /// Returns the users whose next step changes, worst first. Omits users all of whose channels
    /// were removed.
    pub fn rerouted_users(&self) -> Vec<&User> {
        let mut users: Vec<&User> = self
            .comparison
            .all_users()
            .filter(|user| user.effect.is_some())
            .filter(|user| {
                let mut channels = user.channels.iter();
                user.channels.is_empty()
                    || !channels.all(|name| self.comparison.is_channel_gone(name))
            })
            .collect();
        users.sort_by(|a, b| a.gravest_first(b));
        users
    }
}

/// Describes the effects on subscribers of removed channels and on unlisted versions, one line
/// each.
pub(super) fn other_rows(comparison: &Comparison) -> Vec<String> {
    let table = comparison.table();
    let rows = table.rows.iter().filter(|row| {
        matches!(
            row.subject,
            RowSubject::ChannelGone(_) | RowSubject::Unlisted(_)
        )
    });
    rows.map(TableRow::describe).collect()
}

fn write_package(package: &PackageDiff, cluster: Option<OpenShift>, out: &mut String) {
    let comparison = &package.comparison;
    let (hit, worse) = (comparison.count_affected(), comparison.count_worse_off());
    out.push_str(&one_line(&comparison.package));
    if hit > 0 {
        out.push_str(&format!(
            " ({} affected, {worse} worse off)",
            count_of(hit, "version")
        ));
    }
    out.push('\n');
    let headline = std::iter::once(comparison.table().headline());
    let mut lines: Vec<String> = headline
        .chain(comparison.unmet.iter().map(UnmetRequirement::consequence))
        .chain(comparison.sentences())
        .map(|line| one_line(&line))
        .collect();
    let rows: Vec<Vec<String>> = package.rerouted_users().into_iter().map(user_row).collect();
    if !rows.is_empty() {
        lines.extend(table(&USER_COLUMNS, &rows).lines().map(str::to_owned));
    }
    let consequences = other_rows(comparison)
        .into_iter()
        .chain(ends(comparison.all_users()))
        .chain(package.cluster_sentences(cluster));
    lines.extend(consequences.map(|line| one_line(&line)));
    for line in lines {
        out.push_str(&format!("  {line}\n"));
    }
    out.push('\n');
}

fn user_row(user: &User) -> Vec<String> {
    vec![
        user.from.name.to_string(),
        user.lens.name().to_owned(),
        if user.channels.is_empty() {
            "all".to_owned()
        } else {
            user.channels.join(",")
        },
        next_name(&user.old_next, user.old_error),
        next_name(&user.new_next, user.error),
        user.old_last.name.to_string(),
        user.new_last.name.to_string(),
        user.effect.map_or("same", Effect::as_str).to_owned(),
    ]
}

fn next_name(next: &Option<Installed>, error: Option<ErrorKind>) -> String {
    match next {
        Some(next) => next.name.to_string(),
        None => no_update(error).to_string(),
    }
}

fn package_json(package: &PackageDiff, cluster: Option<OpenShift>) -> Value {
    let comparison = &package.comparison;
    let mut answer = json!({
        "package": comparison.package,
        "kind": comparison.kind.label(),
        "hit": comparison.count_affected(),
        "worse": comparison.count_worse_off(),
        "changes": comparison.sentences(),
        "headline": comparison.table().headline(),
        // Rows of unlisted versions belong to `unlisted`.
        "table": comparison.table().rows.iter().filter(|row| !matches!(row.subject, RowSubject::Unlisted(_))).map(row_json).collect::<Vec<_>>(),
        "users": package.users().map(|(user, on_cluster)| user_json(user, on_cluster)).collect::<Vec<_>>(),
        "further_users": comparison.further.iter().map(|user| user_json(user, None)).collect::<Vec<_>>(),
        "unlisted": comparison.unlisted.iter().map(unlisted_json).collect::<Vec<_>>(),
        "unmet": comparison.unmet.iter().map(|unmet| json!({"bundle": unmet.bundle, "message": unmet.consequence()})).collect::<Vec<_>>(),
    });
    if cluster.is_some() {
        answer["on_cluster"] = json!(package.cluster_sentences(cluster));
    }
    answer
}

/// Returns the users of versions that the catalog does not list as JSON.
fn unlisted_json(users: &UnlistedUsers) -> Value {
    let interval = &users.versions.interval;
    json!({
        "versions": interval.to_string(),
        "from": interval.lower.above().map(Version::to_string),
        "below": interval.upper.above().map(Version::to_string),
        "except": users.versions.except,
        "installed": installed_names(&users.versions.in_use),
        "lens": users.lens.name(),
        "channels": users.channels,
        "old_next": installed_name(&users.old_next),
        "new_next": installed_name(&users.new_next),
        "old_final": installed_name(&users.old_last),
        "new_final": installed_name(&users.new_last),
        "effect": users.effect.map_or("same", Effect::as_str),
        "error": users.error.map(|kind| kind.as_str()),
    })
}

fn installed_name(installed: &Option<Installed>) -> Option<String> {
    installed.as_ref().map(|bundle| bundle.name.to_string())
}

/// Returns a row as JSON: versions with the same outcome, or fresh installs.
fn row_json(row: &TableRow) -> Value {
    json!({
        "fate": row.impact.as_str(),
        "fresh": row.is_fresh(),
        "from": installed_names(&row.from),
        "now": row.now.as_ref().filter(|_| !row.same_next).map(|now| &*now.name),
        "was": installed_names(&row.was),
        "final": installed_name(&row.last),
        "final_was": installed_names(&row.last_was),
        "lenses": match row.lenses {
            Lenses::Both => ["v0", "v1"].as_slice(),
            Lenses::Classic => &["v0"],
            Lenses::V1 => &["v1"],
        },
        "channels": row.channels,
        "v1_channels": row.v1_channels,
        "channel_gone": match &row.subject {
            RowSubject::ChannelGone(channel) => Some(channel),
            _ => None,
        },
        "v1_error": row.fails_under_v1,
    })
}

fn installed_names(installed: &[Installed]) -> Vec<String> {
    installed
        .iter()
        .map(|bundle| bundle.name.to_string())
        .collect()
}

fn user_json(user: &User, on_cluster: Option<&UserOnCluster>) -> Value {
    let mut answer = json!({
        "from": user.from.name,
        "version": user.from.version,
        "lens": user.lens.name(),
        "channels": user.channels,
        "old_next": installed_name(&user.old_next),
        "new_next": installed_name(&user.new_next),
        "old_final": user.old_last.name,
        "new_final": user.new_last.name,
        "effect": user.effect.map_or("same", Effect::as_str),
        "error": user.error.map(|kind| kind.as_str()),
    });
    if let Some(on_cluster) = on_cluster {
        answer["cluster"] = problems::user_json(user, on_cluster);
    }
    answer
}

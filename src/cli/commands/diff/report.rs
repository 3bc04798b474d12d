//! A comparison of two catalogs, as text for a terminal and as JSON.

use crate::output::{self, one_line, problems, table};
use ::catalog::version::Version;
use ::catalog::version::openshift::OpenShift;
use protocol::counting::{count_of, first_of};
use serde_json::{Value, json};
use upgrade::{ErrorKind, Installed};
use verdict::compare::cluster::{UserOnCluster, sentences};
use verdict::compare::invariants::{
    Finding, GroupedFinding, Severity, VERDICT, causes, group_findings,
};
use verdict::compare::{
    ChangeKind, Comparison, Effect, Lenses, RowSubject, TableRow, UnlistedUsers, User, ends,
    no_update,
};

const HEADER: [&str; 8] = [
    "FROM", "LENS", "CHANNELS", "NEXT WAS", "NEXT IS", "ENDED AT", "ENDS AT", "EFFECT",
];

/// Most versions of one fact that are listed.
const SHOWN: usize = 5;
/// Most channels of one fact that are listed.
const CHANNELS: usize = 5;

/// The data of all output formats.
pub(super) struct Report {
    /// Those with most versions worse off first, then those with most affected versions.
    pub(super) packages: Vec<PackageDiff>,
    /// Number of equal packages.
    pub(super) same: usize,
    pub(super) verdict: Option<Finding>,
    /// The version of the cluster, if one is given.
    pub(super) cluster: Option<OpenShift>,
}

pub(super) struct PackageDiff {
    pub(super) comparison: Comparison,
    pub(super) findings: Vec<Finding>,
    /// One per user of the comparison, if a cluster is given.
    pub(super) on_cluster: Option<Vec<UserOnCluster>>,
}

impl Report {
    /// Returns all findings with the package's name; "" for findings about the whole catalog.
    pub(super) fn findings(&self) -> impl Iterator<Item = (&str, &Finding)> {
        let of_packages = self
            .packages
            .iter()
            .filter(|p| p.comparison.hidden.is_none())
            .flat_map(|p| p.findings.iter().map(|f| (&*p.comparison.package, f)));
        self.verdict
            .iter()
            .map(|finding| ("", finding))
            .chain(of_packages)
    }

    /// Returns the broken invariants as facts, by package, errors first. Each fact lists at most `most` subjects.
    pub(super) fn grouped_findings(&self, most: usize) -> Vec<(&str, GroupedFinding)> {
        let verdict = group_findings(&self.verdict, most)
            .into_iter()
            .map(|finding| ("", finding));
        let known = self
            .packages
            .iter()
            .filter(|p| p.comparison.hidden.is_none());
        let of_packages = known.flat_map(|p| {
            let name: &str = &p.comparison.package;
            group_findings(&p.findings, most)
                .into_iter()
                .map(move |finding| (name, finding))
        });
        let mut all: Vec<(&str, GroupedFinding)> = verdict.chain(of_packages).collect();
        all.sort_by_key(|(_, finding)| finding.severity);
        all
    }

    /// Counts the broken invariants of a severity, without those that follow from another.
    pub(super) fn broken(&self, severity: Severity) -> usize {
        causes(
            self.grouped_findings(1).iter().map(|(_, finding)| finding),
            severity,
        )
        .len()
    }

    /// Formats the report for a terminal.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        self.packages
            .iter()
            .for_each(|p| package_text(p, self.cluster, &mut out));
        for (package, finding) in self.grouped_findings(SHOWN) {
            let place = match (package, finding.channels.as_slice()) {
                ("", _) => String::new(),
                (package, []) => format!("{package}: "),
                (package, channels) => {
                    format!("{package}, {}: ", first_of(channels.iter(), CHANNELS))
                }
            };
            let names: Vec<&str> = std::iter::once(finding.invariant)
                .chain(finding.also)
                .map(|invariant| invariant.name)
                .collect();
            out.push_str(&format!(
                "{}: {}: {place}{}\n",
                finding.severity.name(),
                names.join(", "),
                match finding.invariant.name {
                    // `opm`'s message is a tree of several lines, in which names are quoted.
                    name if name == VERDICT.name =>
                        finding.message.trim_end().replace('\n', "\n  "),
                    _ => one_line(&finding.message),
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
    pub(super) fn json(&self) -> Value {
        let broken = self.findings().map(|(package, finding)| {
            json!({
                "invariant": finding.invariant.name,
                "id": finding.invariant.id,
                "severity": finding.invariant.severity.name(),
                "package": package,
                "channel": &*finding.channel,
                "subject": &*finding.subject,
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
            answer["cluster"] = problems::versions(cluster);
        }
        answer
    }
}

impl PackageDiff {
    /// Returns each user, with the consequences on the cluster if one is given.
    pub(super) fn users(&self) -> impl Iterator<Item = (&User, Option<&UserOnCluster>)> {
        let on = self.on_cluster.as_deref().unwrap_or_default();
        self.comparison
            .users
            .iter()
            .enumerate()
            .map(move |(at, user)| (user, on.get(at)))
    }

    /// Describes the consequences on a cluster, one sentence each, without repetitions.
    pub(super) fn on_cluster_says(&self, cluster: Option<OpenShift>) -> Vec<String> {
        let Some(cluster) = cluster else {
            return Vec::new();
        };
        sentences(
            self.users().filter_map(|(user, on)| Some((user, on?))),
            cluster,
        )
    }

    /// Returns the users whose next step changes, gravest first. Omits users all of whose channels were removed.
    pub(super) fn rerouted_users(&self) -> Vec<&User> {
        let mut users: Vec<&User> = self
            .comparison
            .all_users()
            .filter(|user| user.effect.is_some())
            .filter(|user: &&User| {
                user.channels.is_empty()
                    || !user
                        .channels
                        .iter()
                        .all(|name| self.comparison.is_channel_gone(name))
            })
            .collect();
        users.sort_by(|a, b| a.gravest_first(b));
        users
    }
}

/// Describes the effects on subscribers of removed channels and on unlisted versions, one line each.
pub(super) fn other_rows(comparison: &Comparison) -> Vec<String> {
    let table = comparison.table();
    let rows = table.rows.iter().filter(|row: &&TableRow| {
        matches!(
            row.subject,
            RowSubject::ChannelGone(_) | RowSubject::Unlisted(_)
        )
    });
    rows.map(TableRow::describe).collect()
}

fn package_text(package: &PackageDiff, cluster: Option<OpenShift>, out: &mut String) {
    let comparison = &package.comparison;
    let (hit, worse) = (comparison.hit(), comparison.worse());
    out.push_str(&one_line(&comparison.package));
    if hit > 0 {
        out.push_str(&format!(
            " ({} affected, {worse} worse off)",
            count_of(hit, "version")
        ));
    }
    out.push('\n');
    let of_change = std::iter::once(comparison.table().headline()).chain(comparison.sentences());
    let mut lines: Vec<String> = of_change.map(|line| one_line(&line)).collect();
    let rows: Vec<Vec<String>> = package.rerouted_users().into_iter().map(user_row).collect();
    if !rows.is_empty() {
        lines.extend(table(&HEADER, &rows).lines().map(str::to_owned));
    }
    let of_users = other_rows(comparison)
        .into_iter()
        .chain(ends(comparison.all_users()))
        .chain(package.on_cluster_says(cluster));
    lines.extend(of_users.map(|line| one_line(&line)));
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
        "table": comparison.table().rows.iter().filter(is_of_names).map(row_json).collect::<Vec<_>>(),
        "users": package.users().map(|(one, on)| user_json(one, on)).collect::<Vec<_>>(),
        "further_users": comparison.further.iter().map(|one| user_json(one, None)).collect::<Vec<_>>(),
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

/// Returns the users of versions that the catalog does not list as JSON.
fn unlisted_json(users: &UnlistedUsers) -> Value {
    let interval = &users.versions.interval;
    json!({
        "versions": interval.to_string(),
        "from": version_bound(interval.lower.above()),
        "below": version_bound(interval.upper.above()),
        "except": users.versions.except.iter().map(|version| &**version).collect::<Vec<_>>(),
        "installed": users.versions.in_use.iter().map(|one| &*one.name).collect::<Vec<_>>(),
        "lens": users.lens.name(),
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

/// Returns a row as JSON: versions with the same outcome, or fresh installs.
fn row_json(row: &TableRow) -> Value {
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

fn user_json(user: &User, on: Option<&UserOnCluster>) -> Value {
    let mut answer = json!({
        "from": &*user.from.name,
        "version": &*user.from.version,
        "lens": user.lens.name(),
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

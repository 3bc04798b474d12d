//! Summarizes the table of users in one sentence.

use super::Labels;
use super::unlisted::{UNLISTED, describe_unlisted};
use super::user_table::{Lenses, RowSubject, TableRow, UpgradeImpact, distinct};
use protocol::counting::first_of;
use protocol::destination::Destination;
use std::collections::BTreeSet;
use syntax::place::Text;
use upgrade::Installed;

/// Maximum number of statements, at least one of them about users. The table lists the others.
const MAX_NAMED: usize = 3;

/// The headline if the default channel changes and no row concerns users.
pub(super) const DEFAULT_CHANNEL_CHANGED: &str = "subscriptions without a channel follow the new default channel; those that \
    name one get no different upgrade";

/// The headline if no row concerns users.
pub(super) const NO_USER_AFFECTED: &str = "no installed version gets a different upgrade";

/// Like [`NO_USER_AFFECTED`], for a comparison restricted to versions in use.
pub(super) const NO_VERSION_IN_USE_AFFECTED: &str = "no version in use gets a different upgrade";

/// Summarizes the change for new installs, if any, then the effect on the users who are worst off.
/// `rows` is sorted worst first. Uses `text_for_no_users` if no row concerns users.
pub(super) fn headline(rows: &[TableRow], text_for_no_users: &str) -> String {
    let (fresh, users): (Vec<&TableRow>, Vec<&TableRow>) =
        rows.iter().partition(|row| row.is_fresh());
    let changed = |rows: &[&TableRow]| rows.iter().any(|row| row.impact != UpgradeImpact::Same);
    let mut clauses: Vec<String> = fresh
        .iter()
        .filter(|row| row.impact != UpgradeImpact::Same)
        .map(|row| fresh_clause(row))
        .collect();
    let groups = groups(&users);
    let limit = MAX_NAMED.saturating_sub(clauses.len()).max(1);
    clauses.extend(groups.iter().take(limit).map(Group::to_clause));
    let others = groups
        .iter()
        .skip(limit)
        .filter(|group| group.impact != UpgradeImpact::Same);
    let (versions, others): (Vec<&Group<'_>>, Vec<&Group<'_>>) =
        others.partition(|group| group.is_of_versions);
    let labels = versions.first().map(|group| group.labels);
    let named_versions = distinct(versions.iter().flat_map(|group| &group.versions).copied());
    let versions = labels
        .filter(|_| !named_versions.is_empty())
        .map(|labels| describe_users(&named_versions, labels));
    let others = (!others.is_empty()).then(|| format!("users on {UNLISTED}"));
    let further: Vec<String> = versions.into_iter().chain(others).collect();
    if !further.is_empty() {
        clauses.push(format!("further changes for {}", further.join(" and ")));
    }
    if users.is_empty() {
        clauses.push(text_for_no_users.to_owned());
    }
    if !changed(&fresh) {
        let same = fresh.iter().filter_map(|row| {
            let now = row.labels.label(row.now.as_ref()?);
            Some(format!(
                "new installs get {now} as before{}",
                under(row.lenses)
            ))
        });
        clauses.extend(same);
    }
    clauses.join("; ")
}

/// Describes the effect on the users who are worst off; "" if there is none. `rows` is sorted worst
/// first.
pub(super) fn worst_headline(rows: &[TableRow]) -> String {
    match rows.first() {
        None => String::new(),
        Some(row) if row.impact == UpgradeImpact::Same => String::new(),
        Some(row) if row.is_fresh() => fresh_clause(row),
        Some(row) => {
            let worst: Vec<&TableRow> = rows
                .iter()
                .filter(|other| other.impact == row.impact && !other.is_fresh())
                .collect();
            groups(&worst)
                .first()
                .map(Group::to_clause)
                .unwrap_or_default()
        }
    }
}

/// Users that one sentence describes.
struct Group<'r> {
    impact: UpgradeImpact,
    versions: Vec<&'r Installed>,
    clause: Clause,
    lenses: Lenses,
    /// OLM v1: concerns ClusterExtensions that name only one of these channels; if empty, those
    /// without channels.
    v1_channels: Vec<&'r Text>,
    /// Whether OLM v1 reports an error.
    fails_under_v1: bool,
    /// Whether it concerns installed versions that are named.
    is_of_versions: bool,
    labels: &'r Labels,
}

/// The effect on users, without the lens.
#[derive(PartialEq, Eq)]
enum Clause {
    /// Subject and predicate.
    Statement(String),
    /// The users have no update, for this reason.
    NoUpdate {
        /// The subject, followed by the verb.
        who: String,
        why: &'static str,
    },
}

impl Group<'_> {
    fn to_clause(&self) -> String {
        let naming = if self.v1_channels.is_empty() {
            String::new()
        } else {
            format!(
                " with channel {}",
                first_of(self.v1_channels.iter(), MAX_NAMED)
            )
        };
        let under = match self.lenses {
            Lenses::V1 => format!(" under OLM v1{naming}"),
            Lenses::Both if !naming.is_empty() => {
                format!(" under Classic, and under OLM v1{naming}")
            }
            lenses => under(lenses).to_owned(),
        };
        match &self.clause {
            Clause::Statement(statement) => format!("{statement}{under}"),
            Clause::NoUpdate { who, why } => match (self.lenses, self.fails_under_v1) {
                (Lenses::V1, true) => format!("{who} an error{under}: {why}"),
                (Lenses::Both, true) => format!(
                    "{who} no update under Classic, and an error under OLM v1{naming}: {why}"
                ),
                _ => format!("{who} no update{under}: {why}"),
            },
        }
    }
}

/// Groups rows by statement. The rows of a group may differ in lens, channels or end, which the
/// sentence omits.
fn groups<'r>(users: &[&'r TableRow]) -> Vec<Group<'r>> {
    let mut groups: Vec<Group<'r>> = Vec::new();
    for row in users {
        let clause = users_clause(row);
        let fails_alike = |group: &Group<'_>| {
            matches!(clause, Clause::Statement(_))
                || group.fails_under_v1 == row.fails_under_v1
                || [group.lenses, row.lenses].contains(&Lenses::Classic)
        };
        match groups
            .iter_mut()
            .find(|group| group.clause == clause && fails_alike(group))
        {
            Some(group) => {
                group.versions.extend(&row.from);
                group.fails_under_v1 |= row.fails_under_v1;
                // A result without channels also holds for users who name one.
                if row.lenses != Lenses::Classic {
                    let is_wide = group.lenses != Lenses::Classic && group.v1_channels.is_empty();
                    if row.v1_channels.is_empty() || is_wide {
                        group.v1_channels.clear()
                    } else {
                        group.v1_channels.extend(&row.v1_channels)
                    }
                }
                group.lenses = if group.lenses == row.lenses {
                    row.lenses
                } else {
                    Lenses::Both
                };
            }
            None => groups.push(Group {
                impact: row.impact,
                versions: row.from.iter().collect(),
                clause,
                lenses: row.lenses,
                v1_channels: row.v1_channels.iter().collect(),
                fails_under_v1: row.fails_under_v1,
                is_of_versions: row.subject == RowSubject::Versions,
                labels: &row.labels,
            }),
        }
    }
    groups
}

fn fresh_clause(row: &TableRow) -> String {
    let [without_before, without_now] = row.without;
    let under = if row.now.is_none() && without_now == Destination::RefusedByV1 {
        ""
    } else {
        under(row.lenses)
    };
    let label = |installed| row.labels.label(installed);
    match (row.now.as_ref().map(label), row.was.first().map(label)) {
        (Some(now), Some(was)) => format!("new installs get {now} instead of {was}{under}"),
        (Some(now), None) => format!("new installs get {now}{under} (before: {without_before})"),
        (None, Some(was)) => format!("new installs: {without_now}{under} (before: {was})"),
        (None, None) => format!("new installs: {without_now}{under} (before: {without_before})"),
    }
}

fn users_clause(row: &TableRow) -> Clause {
    let who = match &row.subject {
        RowSubject::Unlisted(versions) => {
            format!("users on {}", describe_unlisted(versions, MAX_NAMED))
        }
        RowSubject::ChannelGone(channel) => {
            let who = format!("everyone subscribed to {channel}");
            return if row.was.is_empty() {
                Clause::NoUpdate {
                    who: format!("{who} gets"),
                    why: "the channel is removed",
                }
            } else {
                Clause::Statement(format!("{who} no longer gets updates"))
            };
        }
        _ => describe_users(&row.from, &row.labels),
    };
    let label = |installed: &Installed| row.labels.label(installed).into_owned();
    let label_or_nothing =
        |installed: Option<&Installed>| installed.map_or_else(|| "nothing".to_owned(), label);
    let last = label_or_nothing(row.last.as_ref());
    let next = label_or_nothing(row.now.as_ref());
    let predicate = match row.impact {
        // They had no next step before either.
        UpgradeImpact::Stranded if row.was.is_empty() => {
            return Clause::NoUpdate {
                who: format!("{who} get"),
                why: "what they run or follow is removed",
            };
        }
        UpgradeImpact::Stranded if row.without[1] == Destination::RefusedByV1 => {
            "are refused by OLM v1".to_owned()
        }
        UpgradeImpact::Stranded => "get no update any more".to_owned(),
        UpgradeImpact::Downgrade => format!("go down to {next}"),
        // They went to a lower version or to another release of their own.
        _ if row.now.is_none() && row.impact != UpgradeImpact::Stranded => match row.was.as_slice()
        {
            [was] => format!("no longer go to {}", label(was)),
            _ => "no longer get another version".to_owned(),
        },
        UpgradeImpact::EndsLower | UpgradeImpact::OtherEnd => match row.last_was.as_slice() {
            [was] => format!("end at {last} instead of {}", label(was)),
            _ => format!("end at {last}"),
        },
        UpgradeImpact::Rerouted => format!("update to {next}"),
        UpgradeImpact::Gained => format!("update to {next} (before: {})", row.without[0]),
        UpgradeImpact::Same => "fare as before".to_owned(),
    };
    Clause::Statement(format!("{who} {predicate}"))
}

/// Names the users: `users on 1.0.0 and 1.1.0`, `users on 12 versions from 1.25.0 to 1.29.2`. `from`
/// is sorted newest first.
fn describe_users(from: &[Installed], labels: &Labels) -> String {
    let label = |installed| labels.label(installed);
    match from {
        [] => "nobody".to_owned(),
        [only] => format!("users on {}", label(only)),
        [newer, older] => format!("users on {} and {}", label(older), label(newer)),
        [newest, .., oldest] => {
            let versions: BTreeSet<&Text> = from.iter().map(|one| &one.version).collect();
            let things = if versions.len() == from.len() {
                "versions"
            } else {
                "bundles"
            };
            format!(
                "users on {} {things} from {} to {}",
                from.len(),
                label(oldest),
                label(newest)
            )
        }
    }
}

fn under(lenses: Lenses) -> &'static str {
    match lenses {
        Lenses::Both => "",
        Lenses::Classic => " under Classic",
        Lenses::V1 => " under OLM v1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(impact: UpgradeImpact, versions: &[&str], lenses: Lenses, channel: &str) -> TableRow {
        let installed = |version: &&str| Installed::new("", *version);
        let next = installed(&"1.5.3");
        TableRow {
            subject: RowSubject::Versions,
            impact,
            from: versions.iter().map(installed).collect(),
            same_next: false,
            now: Some(next.clone()),
            was: Vec::new(),
            last: Some(next),
            last_was: Vec::new(),
            lenses,
            channels: vec![channel.into()],
            v1_channels: Vec::new(),
            fails_under_v1: false,
            failing_channels: Vec::new(),
            without: [Destination::NoUpdate; 2],
            labels: Labels::default(),
        }
    }

    #[test]
    fn bundles_of_one_version_are_named() {
        let bundles =
            ["p.v1.0.0", "p-v1.0.0-1", "p-v1.0.0-2"].map(|name| Installed::new(name, "1.0.0"));
        let [first, rebuilt, again] = bundles.clone();
        let labels = || Labels::new(bundles.iter());
        let fresh = TableRow {
            now: Some(rebuilt.clone()),
            was: vec![first.clone()],
            labels: labels(),
            ..row(UpgradeImpact::OtherEnd, &[], Lenses::Both, "")
        };
        assert_eq!(
            fresh_clause(&fresh),
            "new installs get p-v1.0.0-1 (1.0.0) instead of p.v1.0.0 (1.0.0)"
        );
        let gained = TableRow {
            now: Some(rebuilt.clone()),
            from: vec![first.clone()],
            labels: labels(),
            ..row(UpgradeImpact::Gained, &[], Lenses::Classic, "")
        };
        let stranded = TableRow {
            now: None,
            from: vec![rebuilt, again],
            was: vec![first],
            labels: labels(),
            ..row(UpgradeImpact::Stranded, &[], Lenses::Both, "")
        };
        assert_eq!(
            super::headline(&[stranded, gained], NO_USER_AFFECTED),
            "users on p-v1.0.0-2 (1.0.0) and p-v1.0.0-1 (1.0.0) get no update any more; users on p.v1.0.0 (1.0.0) update \
             to p-v1.0.0-1 (1.0.0) (before: no update) under Classic"
        );
        assert_eq!(
            describe_users(&bundles, &labels()),
            "users on 3 bundles from p-v1.0.0-2 (1.0.0) to p.v1.0.0 (1.0.0)"
        );
    }

    #[test]
    fn an_error_of_olm_v1_is_no_silence() {
        let gone = |lenses, fails_under_v1, v1_channels: &[&str]| TableRow {
            now: None,
            fails_under_v1,
            v1_channels: v1_channels.iter().map(|name| (*name).into()).collect(),
            ..row(UpgradeImpact::Stranded, &["1.0.0"], lenses, "")
        };
        for (row, wanted) in [
            (
                gone(Lenses::Both, true, &["c"]),
                "no update under Classic, and an error under OLM v1 with channel c",
            ),
            (gone(Lenses::V1, true, &[]), "an error under OLM v1"),
            (gone(Lenses::Classic, false, &[]), "no update under Classic"),
            (gone(Lenses::Both, false, &[]), "no update"),
        ] {
            assert_eq!(
                worst_headline(&[row]),
                format!("users on 1.0.0 get {wanted}: what they run or follow is removed")
            );
        }
    }

    #[test]
    fn equal_effects_in_several_channels_are_merged() {
        let of = |lenses, channel| {
            row(
                UpgradeImpact::Rerouted,
                &["1.5.1", "1.4.3"],
                lenses,
                channel,
            )
        };
        let expected = "users on 1.4.3 and 1.5.1 update to 1.5.3";
        let classic = [of(Lenses::Classic, "a"), of(Lenses::Classic, "b")];
        assert_eq!(
            super::headline(&classic, NO_USER_AFFECTED),
            format!("{expected} under Classic")
        );
        let both = [of(Lenses::V1, ""), of(Lenses::Classic, "a")];
        assert_eq!(super::headline(&both, NO_USER_AFFECTED), expected);
        assert_eq!(worst_headline(&both), expected);
    }

    #[test]
    fn remaining_changes_name_their_users() {
        let of = |impact, versions: &[&str]| row(impact, versions, Lenses::Both, "");
        let rows =
            ["1.0.0", "1.1.0", "1.2.0"].map(|version| of(UpgradeImpact::Rerouted, &[version]));
        let with = |others: &[TableRow]| {
            super::headline(&[rows.as_slice(), others].concat(), NO_USER_AFFECTED)
        };
        let base = with(&[]);
        assert_eq!(
            with(&[of(UpgradeImpact::Gained, &["1.4.0"])]),
            format!("{base}; further changes for users on 1.4.0")
        );
        let others = [
            of(UpgradeImpact::OtherEnd, &["1.3.0", "1.2.0"]),
            of(UpgradeImpact::Gained, &["1.4.0"]),
        ];
        assert_eq!(
            with(&others),
            format!("{base}; further changes for users on 3 versions from 1.2.0 to 1.4.0")
        );
        assert_eq!(
            with(&[of(UpgradeImpact::Same, &["1.4.0"])]),
            base,
            "these users are not affected"
        );
    }
}

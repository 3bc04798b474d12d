//! Summarizes the table of users in one sentence: the worst effect on users, one on new installs,
//! and the number of the rest.

use super::Labels;
use super::unlisted::describe_unlisted;
use super::user_table::{Lenses, RowSubject, TableRow, UpgradeImpact, distinct};
use protocol::counting::count_of;
use protocol::destination::Destination;
use std::collections::BTreeSet;
use syntax::order::SortSmall;
use syntax::place::Text;
use upgrade::Installed;

/// Maximum number of words of a sentence, so that nobody reads it twice.
const MAX_WORDS: usize = 25;
/// Maximum number of unlisted versions named; the table has the others.
const MAX_NAMED: usize = 1;
/// Maximum number of words for unlisted versions.
const MAX_UNLISTED_WORDS: usize = 10;

const UNLISTED_USERS: &str = "users on versions that the catalog does not list";

/// The headline if the default channel changes and no row concerns users.
pub(super) const DEFAULT_CHANNEL_CHANGED: &str =
    "subscriptions without a channel follow the new default channel; all others keep their updates";

/// The headline if no row concerns users.
pub(super) const NO_USER_AFFECTED: &str = "no installed version gets a different update";

/// Like [`DEFAULT_CHANNEL_CHANGED`], for a comparison restricted to versions in use.
pub(super) const DEFAULT_CHANNEL_CHANGED_IN_USE: &str = "subscriptions without a channel follow the new default channel; all others on versions in use keep their updates";

/// Like [`NO_USER_AFFECTED`], for a comparison restricted to versions in use.
pub(super) const NO_VERSION_IN_USE_AFFECTED: &str = "no version in use gets a different update";

/// Summarizes the worst effect, and another one if either concerns new installs, in at most
/// [`MAX_WORDS`] words; counts all others. `rows` is sorted worst first. Uses
/// `text_for_no_users` if no row concerns users.
pub(super) fn headline(rows: &[TableRow], text_for_no_users: &str) -> String {
    let effects = effects(rows);
    let Some((worst, others)) = effects.split_first() else {
        return text_for_no_users.to_owned();
    };
    if others.is_empty() {
        let clause = worst.to_clause(MAX_WORDS);
        let whole = join_short(&[&clause, text_for_no_users]).filter(|_| worst.row.is_fresh());
        return whole.unwrap_or(clause);
    }
    // Two clauses about users read alike.
    let concerns_fresh = |effect: &&Group<'_>| effect.row.is_fresh() || worst.row.is_fresh();
    let mut seconds: Vec<_> = others.iter().filter(concerns_fresh).collect();
    // Clauses about users come first, which only follow one about new installs.
    seconds.sort_small_by_key(|effect| effect.row.is_fresh());
    let rest = count_changes(others.len() - 1);
    let worst_clauses = worst.to_clauses();
    let sentence = seconds.into_iter().find_map(|second| {
        let clauses = second.to_clauses();
        let mut pairs = worst_clauses
            .iter()
            .flat_map(|worst| clauses.iter().map(move |second| [worst, second]));
        pairs.find_map(|[worst, second]| join_short(&[worst, second, &rest]))
    });
    sentence.unwrap_or_else(|| worst.and_rest("", &count_changes(others.len())))
}

/// Describes the effect on the users who are worst off; "" if there is none. `rows` is sorted worst
/// first.
pub(super) fn worst_headline(rows: &[TableRow]) -> String {
    effects(rows)
        .first()
        .map_or_else(String::new, |effect| effect.to_clause(MAX_WORDS))
}

/// Summarizes the worst effect after the name of its package or catalogs, and counts the others;
/// `elsewhere` counts those of other tables, "" for none. Returns `None` if there is no effect.
pub(super) fn named_headline(rows: &[TableRow], name: &str, elsewhere: &str) -> Option<String> {
    let effects = effects(rows);
    let (worst, others) = effects.split_first()?;
    let rest = join(&[&count_changes(others.len()), elsewhere]);
    Some(worst.and_rest(&format!("{name}: "), &rest))
}

/// Counts the effects that a sentence omits; "" for none.
fn count_changes(omitted: usize) -> String {
    match omitted {
        0 => String::new(),
        count => count_of(count, "more effect"),
    }
}

/// Joins the clauses that are not empty.
fn join(clauses: &[&str]) -> String {
    let clauses = clauses.iter().copied().filter(|clause| !clause.is_empty());
    clauses.collect::<Vec<_>>().join("; ")
}

/// Like [`join`]; `None` if the sentence is long.
fn join_short(clauses: &[&str]) -> Option<String> {
    Some(join(clauses)).filter(|sentence| count_words(sentence) <= MAX_WORDS)
}

fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Returns the effects, worst first. Rows with equal statements are one effect, and so are versions
/// with an equal effect in equal channels.
fn effects(rows: &[TableRow]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for row in rows.iter().filter(|row| row.impact != UpgradeImpact::Same) {
        let statement = if row.is_fresh() {
            fresh_statement(row)
        } else {
            user_statement(row)
        };
        let is_same =
            |group: &&mut Group<'_>| group.from == row.from && group.statement == statement;
        match groups.iter_mut().find(is_same) {
            Some(group) => group.add(row),
            None => groups.push(Group {
                row,
                from: row.from.clone(),
                lenses: row.lenses,
                has_other_channels: row.has_other_channels,
                classic_channels: row.channels.iter().collect(),
                v1_channels: row.v1_channels.iter().collect(),
                statement,
            }),
        }
    }
    let mut effects: Vec<(String, Group<'_>)> = Vec::new();
    for group in groups {
        let scope = group.scope();
        let known = effects
            .iter_mut()
            .find(|(known_scope, known)| *known_scope == scope && known.has_effect_of(&group));
        match known {
            Some((_, known)) => known.add_versions(&group),
            None => effects.push((scope, group)),
        }
    }
    effects.into_iter().map(|(_, effect)| effect).collect()
}

/// Users that one clause describes. They may differ in channels and lenses.
struct Group<'r> {
    /// The first row.
    row: &'r TableRow,
    statement: Statement,
    /// Newest first.
    from: Vec<Installed>,
    lenses: Lenses,
    /// As in [`TableRow::has_other_channels`].
    has_other_channels: bool,
    /// Classic: concerns subscriptions to these channels.
    classic_channels: BTreeSet<&'r Text>,
    /// OLM v1: concerns ClusterExtensions that name only one of these channels; if empty, those
    /// without channels.
    v1_channels: BTreeSet<&'r Text>,
}

#[derive(PartialEq, Eq)]
struct Statement {
    who: String,
    effect: String,
    /// Follows the lens; "" for none.
    reason: String,
    /// Whether `reason` names OLM v1, the only lens of the rows.
    reason_names_v1: bool,
    /// Whether the other parts name the lens or the channel.
    names_scope: bool,
}

impl<'r> Group<'r> {
    fn add(&mut self, row: &'r TableRow) {
        // A result without channels also holds for users who name one.
        if row.lenses != Lenses::Classic {
            let is_wide = self.lenses != Lenses::Classic && self.v1_channels.is_empty();
            if row.v1_channels.is_empty() || is_wide {
                self.v1_channels.clear();
            } else {
                self.v1_channels.extend(&row.v1_channels);
            }
        }
        if self.lenses != row.lenses {
            self.lenses = Lenses::Both;
        }
        self.has_other_channels |= row.has_other_channels;
        self.classic_channels.extend(&row.channels);
    }

    /// Whether both say the same of listed versions, except that users of `other` may have had no
    /// update before.
    fn has_effect_of(&self, other: &Self) -> bool {
        let [known, added] = [&self.statement, &other.statement];
        self.row.subject == RowSubject::Versions
            && other.row.subject == RowSubject::Versions
            && known.effect == added.effect
            && (known.reason == added.reason || other.row.impact == UpgradeImpact::Gained)
    }

    fn add_versions(&mut self, other: &Self) {
        self.from = distinct(self.from.iter().chain(&other.from));
        self.statement.who = describe_users(&self.from, &self.row.labels);
        if self.statement.reason != other.statement.reason {
            self.statement.reason.clear();
        }
    }

    /// Formats the clause after `name`, then `rest`, which counts the other effects.
    fn and_rest(&self, name: &str, rest: &str) -> String {
        let join_rest = |rest: &str| {
            let room = MAX_WORDS.saturating_sub(count_words(name) + count_words(rest));
            join(&[&format!("{name}{}", self.to_clause(room)), rest])
        };
        let sentence = join_rest(rest);
        if rest.is_empty() || count_words(&sentence) <= MAX_WORDS {
            sentence
        } else {
            join_rest("more effects")
        }
    }

    /// Formats the clause, and a brief one without the reason that counts several versions. A
    /// condition is never omitted.
    fn to_clauses(&self) -> [String; 2] {
        let clause = self.to_clause(MAX_WORDS);
        let Statement { who, effect, .. } = &self.statement;
        let brief = match (self.statement.names_scope, self.from.len()) {
            _ if self.row.is_fresh() && !self.row.condition.is_empty() => clause.clone(),
            (true, _) => format!("{who} {effect}"),
            (false, 0..=2) => format!("{who} {effect}{}", self.scope()),
            (false, _) => format!("{} {effect}{}", count_users(&self.from), self.scope()),
        };
        [clause, brief]
    }

    /// Formats the clause. If it has more than `max_words` words, it counts the versions, then omits
    /// the reason, then the names of the channels.
    fn to_clause(&self, max_words: usize) -> String {
        let Statement {
            who,
            effect,
            reason,
            reason_names_v1,
            names_scope,
        } = &self.statement;
        let (scope, fallback_scope) = if *names_scope {
            (String::new(), "")
        } else {
            (self.scope(), self.scope_without_channels())
        };
        let scope_before_reason = if *reason_names_v1 {
            in_channels(&self.v1_channels)
        } else {
            scope.clone()
        };
        let count = match self.from.as_slice() {
            [] => UNLISTED_USERS.to_owned(),
            from => count_users(from),
        };
        let short_who = if *names_scope || self.row.is_fresh() || self.from.len() == 1 {
            who
        } else {
            &count
        };
        let clauses = [
            format!("{who} {effect}{scope_before_reason}{reason}"),
            format!("{short_who} {effect}{scope_before_reason}{reason}"),
            format!("{short_who} {effect}{scope}"),
        ];
        let is_short = |clause: &String| count_words(clause) <= max_words;
        let short = clauses.into_iter().find(is_short);
        short.unwrap_or_else(|| format!("{short_who} {effect}{fallback_scope}"))
    }

    /// Formats the lenses and channels in which the effect occurs; "" for all.
    fn scope(&self) -> String {
        let v1 = in_channels(&self.v1_channels);
        let classic = if self.has_other_channels || !v1.is_empty() {
            in_channels(&self.classic_channels)
        } else {
            String::new()
        };
        match self.lenses {
            Lenses::Classic => format!(" under Classic{classic}"),
            Lenses::V1 => format!(" under OLM v1{v1}"),
            Lenses::Both if self.classic_channels == self.v1_channels => classic,
            // All channels under Classic, and OLM v1 without channels.
            Lenses::Both if classic.is_empty() && v1.is_empty() => String::new(),
            Lenses::Both => format!(" under Classic{classic}, and under OLM v1{v1}"),
        }
    }

    /// Like [`Group::scope`], in at most 3 words.
    fn scope_without_channels(&self) -> &'static str {
        match self.lenses {
            Lenses::Classic => " under Classic",
            Lenses::V1 => " under OLM v1",
            // Without channels, OLM v1 considers all.
            Lenses::Both if !self.has_other_channels && self.v1_channels.is_empty() => "",
            Lenses::Both => " in some channels",
        }
    }
}

/// Names at most two channels: ` in stable`, ` in 3 channels`; "" for none.
fn in_channels(channels: &BTreeSet<&Text>) -> String {
    let channels: Vec<&&Text> = channels.iter().collect();
    match channels.as_slice() {
        [] => String::new(),
        [only] => format!(" in {only}"),
        [first, second] => format!(" in {first} and {second}"),
        several => format!(" in {} channels", several.len()),
    }
}

fn fresh_statement(row: &TableRow) -> Statement {
    let [without_before, without_now] = row.without;
    let label = |installed| row.labels.label(installed);
    let was = row.was.first().map(label);
    let before = match &was {
        Some(was) => format!(" (before: {was})"),
        None => format!(" (before: {without_before})"),
    };
    let is_refused = row.now.is_none() && without_now == Destination::RefusedByV1;
    let (who, effect, reason) = match (row.now.as_ref().map(label), &was) {
        (Some(now), Some(was)) => (
            "new installs",
            format!("get {now} instead of {was}"),
            row.condition.to_owned(),
        ),
        (Some(now), None) => (
            "new installs",
            format!("get {now}"),
            row.condition.to_owned() + &before,
        ),
        (None, _) if is_refused => ("OLM v1", "refuses new installs".to_owned(), before),
        (None, _) => ("new installs", "are not possible".to_owned(), before),
    };
    Statement {
        who: who.to_owned(),
        effect,
        reason,
        reason_names_v1: false,
        names_scope: is_refused,
    }
}

fn user_statement(row: &TableRow) -> Statement {
    let statement = |who: String, effect: String| Statement {
        who,
        effect,
        reason: String::new(),
        reason_names_v1: false,
        names_scope: false,
    };
    let who = match &row.subject {
        RowSubject::Unlisted(versions) => {
            let versions = describe_unlisted(versions, MAX_NAMED);
            if count_words(&versions) <= MAX_UNLISTED_WORDS {
                format!("users on {versions}")
            } else {
                UNLISTED_USERS.to_owned()
            }
        }
        RowSubject::ChannelGone(channel) => {
            return Statement {
                names_scope: true,
                ..statement(
                    format!("everyone subscribed to {channel}"),
                    "loses the channel".to_owned(),
                )
            };
        }
        _ => describe_users(&row.from, &row.labels),
    };
    let label = |installed: &Installed| row.labels.label(installed).into_owned();
    let label_or_none =
        |installed: Option<&Installed>| installed.map_or_else(|| "their version".to_owned(), label);
    let last = label_or_none(row.last.as_ref());
    let next = label_or_none(row.now.as_ref());
    let effect = match row.impact {
        UpgradeImpact::Stranded if row.without[1] == Destination::RefusedByV1 => {
            return Statement {
                reason: ": OLM v1 refuses the next version".to_owned(),
                reason_names_v1: row.lenses == Lenses::V1,
                ..statement(who, "get no update".to_owned())
            };
        }
        // They had no next step before either.
        UpgradeImpact::Stranded if row.was.is_empty() => "lose their version or channel".to_owned(),
        UpgradeImpact::Stranded => "get no update".to_owned(),
        UpgradeImpact::Downgrade => format!("go back to {next}"),
        // They went to a lower version or to another release of their own.
        _ if row.now.is_none() => match row.was.as_slice() {
            [was] => format!("no longer go to {}", label(was)),
            _ => "no longer get another version".to_owned(),
        },
        UpgradeImpact::EndsLower | UpgradeImpact::OtherEnd => match row.last_was.as_slice() {
            [was] => format!("end at {last} instead of {}", label(was)),
            _ => format!("end at {last}"),
        },
        UpgradeImpact::Rerouted => format!("now update to {next}"),
        UpgradeImpact::Gained => {
            return Statement {
                reason: format!(" (before: {})", row.without[0]),
                ..statement(who, format!("now update to {next}"))
            };
        }
        UpgradeImpact::Same => "get the same update".to_owned(),
    };
    statement(who, effect)
}

/// Names the users: `users on 1.0.0 and 1.1.0`, `users on 12 versions from 1.25.0 to 1.29.2`.
/// `from` is sorted newest first.
fn describe_users(from: &[Installed], labels: &Labels) -> String {
    let label = |installed| labels.label(installed);
    match from {
        [] => "nobody".to_owned(),
        [only] => format!("users on {}", label(only)),
        [newer, older] => format!("users on {} and {}", label(older), label(newer)),
        [newest, .., oldest] => format!(
            "{} from {} to {}",
            count_users(from),
            label(oldest),
            label(newest)
        ),
    }
}

/// Counts the users' versions; their bundles, if some have the same version.
fn count_users(from: &[Installed]) -> String {
    let versions: BTreeSet<&Text> = from.iter().map(|one| &one.version).collect();
    let noun = if versions.len() == from.len() {
        "version"
    } else {
        "bundle"
    };
    format!("users on {}", count_of(from.len(), noun))
}

#[cfg(test)]
mod tests {
    use super::super::Pair;
    use super::super::unlisted_tests::before_and_after;
    use super::*;
    use catalog::testing::package;
    use proptest::prelude::*;

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
            has_other_channels: false,
            v1_channels: Vec::new(),
            fails_under_v1: false,
            failing_channels: Vec::new(),
            without: [Destination::NoUpdate; 2],
            condition: "",
            labels: Labels::default(),
        }
    }

    #[test]
    fn new_installs_may_need_another_catalog() {
        let fresh = TableRow {
            subject: RowSubject::FreshInstalls,
            condition: " if another catalog meets its requirements",
            without: [Destination::NotInstallable; 2],
            ..row(UpgradeImpact::Gained, &[], Lenses::Classic, "stable")
        };
        assert_eq!(
            headline(&[fresh], "users keep their updates"),
            "new installs get 1.5.3 under Classic if another catalog meets its requirements (before: not installable); users keep their updates"
        );
    }

    #[test]
    fn bundles_of_one_version_are_named() {
        let bundles =
            ["p.v1.0.0", "p-v1.0.0-1", "p-v1.0.0-2"].map(|name| Installed::new(name, "1.0.0"));
        let [first, rebuilt, again] = bundles.clone();
        let labels = || Labels::new(bundles.iter());
        let fresh = TableRow {
            subject: RowSubject::FreshInstalls,
            now: Some(rebuilt.clone()),
            was: vec![first.clone()],
            labels: labels(),
            ..row(UpgradeImpact::OtherEnd, &[], Lenses::Both, "")
        };
        assert_eq!(
            worst_headline(&[fresh]),
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
            [stranded, gained].map(|row| super::headline(&[row], NO_USER_AFFECTED)),
            [
                "users on p-v1.0.0-2 (1.0.0) and p-v1.0.0-1 (1.0.0) get no update",
                "users on p.v1.0.0 (1.0.0) now update to p-v1.0.0-1 (1.0.0) under Classic (before: no update)"
            ]
        );
        assert_eq!(
            describe_users(&bundles, &labels()),
            "users on 3 bundles from p-v1.0.0-2 (1.0.0) to p.v1.0.0 (1.0.0)"
        );
    }

    #[test]
    fn a_removed_version_is_no_update_under_its_lens() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).into()).collect();
        let gone = |lenses, classic: &[&str], v1: &[&str]| TableRow {
            now: None,
            channels: names(classic),
            v1_channels: names(v1),
            ..row(UpgradeImpact::Stranded, &["1.0.0"], lenses, "")
        };
        let in_one_of_several = TableRow {
            has_other_channels: true,
            ..gone(Lenses::Classic, &["c"], &[])
        };
        for (row, scope) in [
            (gone(Lenses::Both, &["c"], &["c"]), " in c"),
            (gone(Lenses::Both, &["c", "d"], &["c", "d"]), " in c and d"),
            (
                gone(Lenses::Both, &["c", "d"], &["c"]),
                " under Classic in c and d, and under OLM v1 in c",
            ),
            (
                gone(Lenses::Both, &["a", "b", "c"], &["b", "c", "d"]),
                " under Classic in 3 channels, and under OLM v1 in 3 channels",
            ),
            (
                gone(Lenses::V1, &[], &["c", "d", "e"]),
                " under OLM v1 in 3 channels",
            ),
            (gone(Lenses::V1, &[], &[]), " under OLM v1"),
            (gone(Lenses::Classic, &["c"], &[]), " under Classic"),
            (in_one_of_several, " under Classic in c"),
            (gone(Lenses::Both, &["c"], &[]), ""),
        ] {
            assert_eq!(
                worst_headline(&[row]),
                format!("users on 1.0.0 lose their version or channel{scope}")
            );
        }
    }

    #[test]
    fn the_reason_names_the_lens_if_v1_refuses_the_next_version() {
        let refused = |versions: &[&str], channel: &str| TableRow {
            now: None,
            without: [Destination::NoUpdate, Destination::RefusedByV1],
            v1_channels: vec![channel.into()],
            ..row(UpgradeImpact::Stranded, versions, Lenses::V1, "")
        };
        assert_eq!(
            worst_headline(&[refused(&["1.0.0"], "stable")]),
            "users on 1.0.0 get no update in stable: OLM v1 refuses the next version"
        );
    }

    #[test]
    fn a_long_clause_omits_the_channels_and_keeps_the_lens() {
        let names = |names: &[&str]| -> Vec<Text> { names.iter().map(|n| (*n).into()).collect() };
        let effect = ["word"; 14].join(" ");
        let row = row(UpgradeImpact::Stranded, &[], Lenses::Both, "");
        let some = " in some channels";
        for (lenses, classic, has_other_channels, v1, scope) in [
            (
                Lenses::Classic,
                names(&["a", "b"]),
                true,
                names(&[]),
                " under Classic",
            ),
            (
                Lenses::V1,
                names(&[]),
                false,
                names(&["a", "b"]),
                " under OLM v1",
            ),
            (Lenses::Both, names(&["a"]), true, names(&["b"]), some),
            (Lenses::Both, names(&["a", "b"]), true, names(&[]), some),
            (Lenses::Both, names(&["a", "b"]), false, names(&[]), ""),
        ] {
            let group = Group {
                row: &row,
                statement: Statement {
                    who: UNLISTED_USERS.to_owned(),
                    effect: effect.clone(),
                    reason: String::new(),
                    reason_names_v1: false,
                    names_scope: false,
                },
                from: Vec::new(),
                lenses,
                has_other_channels,
                classic_channels: classic.iter().collect(),
                v1_channels: v1.iter().collect(),
            };
            assert_eq!(
                group.to_clause(MAX_WORDS),
                format!("{UNLISTED_USERS} {effect}{scope}")
            );
        }
    }

    #[test]
    fn a_channel_is_named_if_other_channels_keep_their_updates() {
        let headline = |before: &str, after: &str| {
            let (old, new) = (package(before), package(after));
            let comparison = Pair::new(Some(&old), Some(&new)).compare();
            comparison.table().headline()
        };
        let nightly = "nightly: n@2.0.0-rc.1 sr:>=1.0.0_<2.0.0-rc.1";
        assert_eq!(
            headline(
                &format!("stable: b@1.1.0 r:a; a@1.0.0\n{nightly}"),
                &format!("stable: a@1.0.0\n{nightly}")
            ),
            "users on 1.1.0 lose their version or channel in stable; new installs get 1.0.0 instead of 1.1.0 under Classic; 1 more effect",
            "OLM v1 without channels still updates both versions to the nightly"
        );
        let fast = "fast: c@1.2.0 r:b; b@1.1.0 r:a; a@1.0.0";
        assert_eq!(
            headline(
                &format!("{fast}\nstable: b@1.1.0 r:a; a@1.0.0"),
                &format!("{fast}\nstable: c@1.2.0 r:b; b@1.1.0; a@1.0.0")
            ),
            "users on 1.0.0 get no update in stable; 1 more effect",
            "Classic serves no channel with two heads"
        );
    }

    #[test]
    fn equal_effects_in_several_channels_are_merged() {
        let row_in = |lenses, channel| {
            row(
                UpgradeImpact::Rerouted,
                &["1.5.1", "1.4.3"],
                lenses,
                channel,
            )
        };
        let expected = "users on 1.4.3 and 1.5.1 now update to 1.5.3";
        let classic = [row_in(Lenses::Classic, "a"), row_in(Lenses::Classic, "b")];
        assert_eq!(
            super::headline(&classic, NO_USER_AFFECTED),
            format!("{expected} under Classic")
        );
        let both = [row_in(Lenses::V1, ""), row_in(Lenses::Classic, "a")];
        assert_eq!(super::headline(&both, NO_USER_AFFECTED), expected);
        assert_eq!(worst_headline(&both), expected);
    }

    #[test]
    fn a_sentence_has_the_worst_effect_and_that_on_new_installs() {
        let row_for = |impact, versions: &[&str]| row(impact, versions, Lenses::Both, "");
        let fresh = TableRow {
            subject: RowSubject::FreshInstalls,
            ..row_for(UpgradeImpact::Gained, &[])
        };
        let rows = [
            row_for(UpgradeImpact::Downgrade, &["1.0.0"]),
            row_for(UpgradeImpact::Rerouted, &["1.1.0"]),
            fresh,
        ];
        let worst = "users on 1.0.0 go back to 1.5.3";
        assert_eq!(
            super::headline(&rows, NO_USER_AFFECTED),
            format!("{worst}; new installs get 1.5.3 (before: no update); 1 more effect")
        );
        assert_eq!(
            super::headline(&rows[..2], NO_USER_AFFECTED),
            format!("{worst}; 1 more effect"),
            "two clauses about users read alike"
        );
        assert_eq!(super::headline(&rows[..1], NO_USER_AFFECTED), worst);
        assert_eq!(
            super::headline(
                &[row_for(UpgradeImpact::Same, &["1.4.0"])],
                NO_USER_AFFECTED
            ),
            NO_USER_AFFECTED
        );
    }

    #[test]
    fn a_headline_counts_the_effects_that_it_omits() {
        let row_in = |impact, versions: &[&str], channel: &str| TableRow {
            has_other_channels: true,
            ..row(impact, versions, Lenses::Classic, channel)
        };
        let gone = TableRow {
            now: None,
            channels: vec!["stable".into(), "fast".into()],
            v1_channels: vec!["candidate".into()],
            lenses: Lenses::Both,
            ..row_in(UpgradeImpact::Stranded, &["1.0.0"], "")
        };
        let rows = [
            gone,
            row_in(UpgradeImpact::Downgrade, &["1.1.0"], "b"),
            row_in(UpgradeImpact::Rerouted, &["1.2.0", "1.1.0"], "c"),
        ];
        let gone = "users on 1.0.0 lose their version or channel under Classic in fast and stable, and under OLM v1 in candidate";
        assert_eq!(
            headline(&rows, NO_USER_AFFECTED),
            format!("{gone}; 2 more effects")
        );
        assert_eq!(
            headline(&rows[..2], NO_USER_AFFECTED),
            format!("{gone}; 1 more effect")
        );
        assert_eq!(
            named_headline(&rows, "p", "2 more packages with changes").as_deref(),
            Some(
                "p: users on 1.0.0 lose their version or channel in some channels; 2 more effects; 2 more packages with changes"
            )
        );
        assert_eq!(
            named_headline(&rows[1..2], "p", "").as_deref(),
            Some("p: users on 1.1.0 go back to 1.5.3 under Classic in b")
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

        #[test]
        fn a_headline_is_one_short_sentence((before, after) in before_and_after()) {
            let (old, new) = (package(&before), package(&after));
            let table = Pair::new(Some(&old), Some(&new)).compare().table();
            let headline = table.headline();
            prop_assert!(count_words(&headline) <= MAX_WORDS, "{}", headline);
            let effects = effects(&table.rows);
            let (clauses, omitted): (Vec<_>, Vec<_>) =
                headline.split("; ").partition(|part| !part.contains(" more effect"));
            prop_assert!(clauses.len() <= 2, "{}", headline);
            if let Some(worst) = effects.first() {
                let is_worst = |room| worst.to_clause(room) == clauses[0];
                let is_brief = worst.to_clauses()[1] == clauses[0];
                prop_assert!(is_brief || (0..=MAX_WORDS).any(is_worst), "{}", headline);
            }
            if table.changed_rows().any(|row| !row.is_fresh()) {
                let rest = count_changes(effects.len() - clauses.len());
                prop_assert_eq!(omitted.concat(), rest, "{}", headline);
            }
            let worst = table.changed_rows().next().map(|row| row.impact);
            prop_assert_eq!(worst.unwrap_or(UpgradeImpact::Same), table.worst());
        }
    }
}

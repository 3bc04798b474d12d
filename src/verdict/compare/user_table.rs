//! The effect of a package's change on its users as a table with a summary sentence: one row per
//! set of versions with the same effect, the worst first, and always one for fresh installs.
//!
//! The page, `edit` and `diff` in Markdown share this text.

use super::unlisted::{UnlistedUsers, UnlistedVersions, describe_unlisted};
use super::users::FreshInstall;
use super::{Comparison, Effect, GoneChannel, InOrder, Labels, User, headline, users};
use protocol::counting::first_of;
use protocol::destination::Destination;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use syntax::hashed::HashSet;
use syntax::order::SortSmall;
use syntax::place::Text;
use upgrade::everyone::newest_first;
use upgrade::resolve::UnmetRequirement;
use upgrade::{Installed, Lens};

pub use protocol::judgement::UpgradeImpact;

/// Maximum number of versions named in a cell; the others are counted.
const MAX_NAMED: usize = 2;

/// The lenses that a row applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lenses {
    Both,
    Classic,
    V1,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RowSubject {
    /// The versions in [`TableRow::from`].
    #[default]
    Versions,
    FreshInstalls,
    /// Ascending.
    Unlisted(Vec<UnlistedVersions>),
    /// All subscribers of a removed channel; [`TableRow::from`] has the versions that it listed.
    ChannelGone(Text),
}

/// Versions with the same effect, or fresh installs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow {
    pub subject: RowSubject,
    pub impact: UpgradeImpact,
    /// Distinct versions, newest first.
    pub from: Vec<Installed>,
    /// Whether each version keeps its next step.
    pub same_next: bool,
    /// The next step; that of the first version if each keeps its own. `None` if there is none.
    pub now: Option<Installed>,
    /// The distinct previous next steps, newest first; empty if there were none.
    pub was: Vec<Installed>,
    /// The end of the path; `None` if nothing is installed, or if each of several versions stays
    /// where it is.
    pub last: Option<Installed>,
    /// The distinct previous ends, newest first.
    pub last_was: Vec<Installed>,
    pub lenses: Lenses,
    /// Classic: the affected channels.
    pub channels: Vec<Text>,
    /// Classic: whether these users may subscribe to channels that this row does not concern.
    pub has_other_channels: bool,
    /// OLM v1: the affected channels for a ClusterExtension that names only one of them; empty: for
    /// one without channels.
    pub v1_channels: Vec<Text>,
    /// Whether OLM v1 has no next step because of an error.
    pub fails_under_v1: bool,
    /// Channels that cause an error only for ClusterExtensions that name one of them.
    pub failing_channels: Vec<Text>,
    /// The text for a missing next step, before and now.
    pub without: [Destination<'static>; 2],
    /// The condition on which Classic installs `now`, as the end of a sentence; "" if none.
    pub condition: &'static str,
    pub labels: Labels,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserTable {
    /// The worst first.
    pub rows: Vec<TableRow>,
    /// Whether the default channel changes. Its users appear in no row: rows concern users who name
    /// their channel.
    pub has_other_default: bool,
    /// The consequences of [`Comparison::unmet`]: sentences with names in backticks.
    pub unmet: Vec<String>,
    /// Whether only versions in use have rows.
    pub is_restricted: bool,
    /// Why there are no rows: a state contains unreadable text.
    pub hidden: Option<String>,
}

impl TableRow {
    pub fn is_fresh(&self) -> bool {
        self.subject == RowSubject::FreshInstalls
    }

    /// Returns the cell texts, in the order of the columns in `protocol::judgement`.
    pub fn cells(&self) -> [String; 4] {
        let installed = match &self.subject {
            RowSubject::FreshInstalls => "New installs".to_owned(),
            RowSubject::Versions => self.several(&self.from),
            RowSubject::Unlisted(versions) => describe_unlisted(versions, MAX_NAMED),
            RowSubject::ChannelGone(channel) => format!("Everyone subscribed to {channel}"),
        };
        [installed, self.before(), self.after(), self.under()]
    }

    /// Formats the row on one line, without a full stop.
    pub fn describe(&self) -> String {
        let [installed, before, after, under] = self.cells();
        format!("{installed}: before {before}, now {after}, {under}")
    }

    /// Whether only the ends of the paths differ.
    fn differs_in_end(&self) -> bool {
        self.same_next && !self.is_fresh()
    }

    fn before(&self) -> String {
        let ends_at = || format!("ends at {}", self.several(&self.last_was));
        match (self.was.as_slice(), &self.subject) {
            _ if self.differs_in_end() && !self.last_was.is_empty() => ends_at(),
            ([], _) => self.without[0].to_string(),
            // The users had different next steps: name the highest.
            ([highest, ..], RowSubject::ChannelGone(_)) => {
                format!("up to {}", self.labels.label(highest))
            }
            (was, _) if self.impact == UpgradeImpact::EndsLower && was != self.last_was => {
                format!("{}, {}", self.several(was), ends_at())
            }
            (was, _) => self.several(was),
        }
    }

    fn after(&self) -> String {
        let ends_at = |last| format!("ends at {}", self.labels.label(last));
        match (&self.now, &self.last) {
            (_, Some(last)) if self.differs_in_end() => ends_at(last),
            (Some(now), Some(last)) if self.impact == UpgradeImpact::EndsLower && now != last => {
                format!("{}, {}", self.labels.label(now), ends_at(last))
            }
            (Some(now), _) => self.labels.label(now).into_owned(),
            (None, _) => {
                let error = match self.without[1] {
                    Destination::RefusedByV1 => String::new(),
                    _ => self.error(),
                };
                format!("{}{error}", self.without[1])
            }
        }
    }

    /// Notes that OLM v1 reports an error where Classic keeps the version.
    fn error(&self) -> String {
        let naming = if self.failing_channels.is_empty() {
            String::new()
        } else {
            format!(
                " with {}",
                first_of(self.failing_channels.iter(), MAX_NAMED)
            )
        };
        match self.lenses {
            Lenses::V1 if self.fails_under_v1 && naming.is_empty() => " (error)".to_owned(),
            _ if self.fails_under_v1 || !naming.is_empty() => {
                format!(" (error under OLM v1{naming})")
            }
            _ => String::new(),
        }
    }

    fn several(&self, installed: &[Installed]) -> String {
        self.labels.list_labels(installed, MAX_NAMED)
    }

    /// Formats the lenses, each with its channels: `Classic (stable), OLM v1`.
    fn under(&self) -> String {
        let [classic, v1] = [&self.channels, &self.v1_channels].map(|channels| {
            if channels.is_empty() {
                String::new()
            } else {
                format!(" ({})", first_of(channels.iter(), MAX_NAMED))
            }
        });
        match self.lenses {
            Lenses::Both => format!("Classic{classic}, OLM v1{v1}"),
            Lenses::Classic => format!("Classic{classic}"),
            Lenses::V1 => format!("OLM v1{v1}"),
        }
    }

    /// Orders the worst first, then fresh installs, then removed channels, then most versions, then
    /// the newest.
    fn worst_first(&self, other: &Self) -> Ordering {
        let key = |row: &Self| {
            (
                row.impact,
                !row.is_fresh(),
                !matches!(row.subject, RowSubject::ChannelGone(_)),
                usize::MAX - row.from.len(),
                row.lenses,
            )
        };
        key(self)
            .cmp(&key(other))
            .then_with(|| match (self.from.first(), other.from.first()) {
                (Some(a), Some(b)) => newest_first(a, b),
                _ => Ordering::Equal,
            })
    }
}

impl UserTable {
    pub fn new(comparison: &Comparison) -> Self {
        let mut rows = user_rows(comparison);
        rows.extend(gone_channel_rows(comparison));
        rows.extend(unlisted_rows(comparison));
        rows.extend(fresh_rows(comparison));
        for row in rows.iter_mut().filter(|row| row.lenses != Lenses::V1) {
            let name = row.now.as_ref().map(|now| &now.name);
            let mut unmet = comparison.unmet.iter();
            let unmet = unmet.find(|requirement| Some(&requirement.bundle) == name);
            row.condition = unmet.map_or("", UnmetRequirement::condition);
        }
        rows.sort_small_by(TableRow::worst_first);
        Self {
            rows,
            has_other_default: comparison.default_channel.is_some(),
            unmet: comparison
                .unmet
                .iter()
                .map(UnmetRequirement::consequence)
                .collect(),
            is_restricted: comparison.is_restricted,
            hidden: comparison.hidden.clone(),
        }
    }

    /// Counts the versions with a different next step or end. Each counts once, even if several
    /// rows contain it.
    pub fn count_affected(&self) -> usize {
        self.rows
            .iter()
            .flat_map(|row| &row.from)
            .collect::<HashSet<_>>()
            .len()
    }

    /// Returns the rows that change something. New installs have a row even if they get the same.
    pub fn changed_rows(&self) -> impl Iterator<Item = &TableRow> {
        self.rows
            .iter()
            .filter(|row| row.impact != UpgradeImpact::Same)
    }

    /// Returns the worst effect on any user.
    pub fn worst(&self) -> UpgradeImpact {
        self.rows
            .iter()
            .map(|row| row.impact)
            .min()
            .unwrap_or(UpgradeImpact::Same)
    }

    /// Describes the effect on the users who are worst off, as one clause.
    pub fn worst_clause(&self) -> String {
        headline::worst_headline(&self.rows)
    }

    /// Summarizes one of several tables: the worst effect after the name of the package or of the
    /// catalogs. `elsewhere` counts the effects of other tables, "" for none. Returns `None` if
    /// there is no effect.
    pub fn named_headline(&self, name: &str, elsewhere: &str) -> Option<String> {
        headline::named_headline(&self.rows, name, elsewhere)
    }

    /// Returns the versions that new installs get instead of another, by lens, where
    /// `matches(now, was)` holds: `1.1.0-rc.1 under OLM v1`.
    pub fn new_installs(
        &self,
        matches: impl Fn(&Installed, &Installed) -> bool,
    ) -> impl Iterator<Item = String> {
        let fresh = self.changed_rows().filter(|row| row.is_fresh());
        fresh.filter_map(move |row| {
            let (now, was) = (row.now.as_ref()?, row.was.first()?);
            let under = match row.lenses {
                Lenses::Both => "",
                Lenses::Classic => " under Classic",
                Lenses::V1 => " under OLM v1",
            };
            let version = row.labels.label(now);
            matches(now, was).then(|| format!("{version}{under}"))
        })
    }

    /// Summarizes all rows in a sentence, without capitalization and full stop.
    pub fn headline(&self) -> String {
        if let Some(hidden) = &self.hidden {
            return hidden.clone();
        }
        let text_for_no_users = match (self.is_restricted, self.has_other_default) {
            (true, true) => headline::DEFAULT_CHANNEL_CHANGED_IN_USE,
            (true, false) => headline::NO_VERSION_IN_USE_AFFECTED,
            (false, true) => headline::DEFAULT_CHANNEL_CHANGED,
            (false, false) => headline::NO_USER_AFFECTED,
        };
        headline::headline(&self.rows, text_for_no_users)
    }
}

/// Before and after for one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Change<'u> {
    impact: UpgradeImpact,
    without: [Destination<'static>; 2],
    same_next: bool,
    was: Option<&'u Installed>,
    now: Option<&'u Installed>,
    last_was: &'u Installed,
    last: &'u Installed,
}

/// The key of a row: effect, whether the next step is unchanged, its name, the end of the path,
/// lenses and channels, and whether OLM v1 refused the step before and refuses it now.
type RowKey<'u> = (
    UpgradeImpact,
    bool,
    Option<&'u Text>,
    End<'u>,
    Scope,
    [bool; 2],
);

/// The lenses and channels of a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
struct Scope {
    /// Whether a ClusterExtension that names a single channel gets an error, by channel.
    v1_channels: BTreeMap<Text, bool>,
    /// Whether a ClusterExtension without channels gets an error; `None` if it is not affected.
    v1: Option<bool>,
    classic: BTreeSet<Text>,
    is_classic: bool,
}

impl Scope {
    fn new(lens: Lens, channels: &[&Text], fails: bool) -> Self {
        let names = channels.iter().map(|name| Text::clone(name));
        match lens {
            Lens::V0 => Self {
                classic: names.collect(),
                is_classic: true,
                ..Self::default()
            },
            Lens::V1 if channels.is_empty() => Self {
                v1: Some(fails),
                ..Self::default()
            },
            Lens::V1 => Self {
                v1_channels: names.map(|name| (name, fails)).collect(),
                ..Self::default()
            },
        }
    }

    fn add(&mut self, other: Self) {
        self.is_classic |= other.is_classic;
        self.classic.extend(other.classic);
        self.v1 = self.v1.or(other.v1);
        self.v1_channels.extend(other.v1_channels);
    }

    fn lenses(&self) -> Lenses {
        match (
            self.is_classic,
            self.v1.is_some() || !self.v1_channels.is_empty(),
        ) {
            (true, true) => Lenses::Both,
            (true, false) => Lenses::Classic,
            (false, _) => Lenses::V1,
        }
    }

    /// Returns the channels that a ClusterExtension must name to be affected.
    fn named_channels(&self) -> Vec<Text> {
        match self.v1 {
            Some(_) => Vec::new(),
            None => self.v1_channels.keys().cloned().collect(),
        }
    }

    /// Whether each affected ClusterExtension gets an error.
    fn fails(&self) -> bool {
        self.v1.unwrap_or_else(|| {
            !self.v1_channels.is_empty() && self.v1_channels.values().all(|fails| *fails)
        })
    }

    /// Returns the channels that cause an error, if other ClusterExtensions get none.
    fn failing(&self) -> Vec<Text> {
        let is_partial = !self.fails();
        let failing = self
            .v1_channels
            .iter()
            .filter(|(_, fails)| **fails && is_partial);
        failing.map(|(name, _)| name.clone()).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End<'u> {
    /// There is no next step; `went_on` is whether there was one.
    Unchanged {
        went_on: bool,
    },
    At(&'u Text),
}

impl<'u> End<'u> {
    fn from_change(from: &Installed, change: &Change<'u>) -> Self {
        if change.now.is_none() && change.last == from {
            End::Unchanged {
                went_on: change.was.is_some(),
            }
        } else {
            End::At(&change.last.name)
        }
    }
}

fn user_rows(comparison: &Comparison) -> Vec<TableRow> {
    let mut scopes: InOrder<(&Installed, Change<'_>), Scope> = InOrder::new();
    for user in comparison.all_users().filter(|user| !user.is_same()) {
        // A removed channel has a single row for all its subscribers.
        let channels: Vec<&Text> = user
            .channels
            .iter()
            .filter(|name| !comparison.is_channel_gone(name))
            .collect();
        if channels.is_empty() && !user.channels.is_empty() {
            continue;
        }
        let scope = Scope::new(user.lens, &channels, user.error.is_some());
        scopes
            .get_or_insert_with((&user.from, change_for_user(user)), Scope::default)
            .add(scope);
    }
    // In the same scope, merge versions with equal next steps, and versions that keep their next
    // steps and have equal ends.
    let mut groups: BTreeMap<RowKey<'_>, Vec<(&Installed, Change<'_>)>> = BTreeMap::new();
    for ((from, change), mut scope) in scopes.items {
        // A channel with the answer of all channels is named only for its error.
        if let Some(all_fail) = scope.v1 {
            scope.v1_channels.retain(|_, fails| *fails && !all_fail);
        }
        let next = change
            .now
            .filter(|_| !change.same_next)
            .map(|now| &now.name);
        let key = (
            change.impact,
            change.same_next,
            next,
            End::from_change(from, &change),
            scope,
            change.without.map(|of| of == Destination::RefusedByV1),
        );
        groups.entry(key).or_default().push((from, change));
    }
    let row = |(group, members): (RowKey<'_>, Vec<(&Installed, Change<'_>)>)| {
        let (impact, same_next, _, end, scope, _) = group;
        let has_one_end = members.len() == 1 || matches!(end, End::At(_));
        TableRow {
            subject: RowSubject::Versions,
            impact,
            from: distinct(members.iter().map(|(from, _)| *from)),
            same_next,
            now: members.first().and_then(|(_, change)| change.now.cloned()),
            was: distinct(members.iter().filter_map(|(_, change)| change.was)),
            last: members
                .first()
                .filter(|_| has_one_end)
                .map(|(_, change)| change.last.clone()),
            last_was: distinct(members.iter().map(|(_, change)| change.last_was)),
            lenses: scope.lenses(),
            channels: scope.classic.iter().cloned().collect(),
            has_other_channels: members
                .iter()
                .any(|(from, _)| comparison.has_other_channels(&scope.classic, Some(&from.name))),
            v1_channels: scope.named_channels(),
            fails_under_v1: scope.fails(),
            failing_channels: scope.failing(),
            without: members
                .first()
                .map_or([Destination::NoUpdate; 2], |(_, change)| change.without),
            condition: "",
            labels: comparison.labels.clone(),
        }
    };
    groups.into_iter().map(row).collect()
}

/// Builds one row per removed channel.
fn gone_channel_rows(comparison: &Comparison) -> Vec<TableRow> {
    let row = |gone: &GoneChannel| {
        let channel = &gone.name;
        let users = || {
            comparison
                .users
                .iter()
                .filter(|user| user.channels.contains(channel))
        };
        let next = users().filter_map(|user| user.old_next.as_ref());
        let last = users().map(|user| &user.old_last);
        TableRow {
            subject: RowSubject::ChannelGone(channel.clone()),
            impact: UpgradeImpact::Stranded,
            from: distinct(users().map(|user| &user.from)),
            same_next: false,
            now: None,
            was: distinct(next.chain(gone.steps.iter().map(|step| &step.next))),
            last: None,
            last_was: distinct(last.chain(gone.steps.iter().map(|step| &step.last))),
            lenses: Lenses::Both,
            channels: vec![channel.clone()],
            has_other_channels: false,
            v1_channels: vec![channel.clone()],
            fails_under_v1: true,
            failing_channels: Vec::new(),
            without: [Destination::NoUpdate; 2],
            condition: "",
            labels: comparison.labels.clone(),
        }
    };
    let rows = comparison.channels_gone.iter().map(row);
    let has_users = |row: &TableRow| !row.from.is_empty() || !row.was.is_empty();
    rows.filter(|row| !comparison.is_restricted || has_users(row))
        .collect()
}

/// Builds the rows of unlisted versions, one per effect, in order.
fn unlisted_rows(comparison: &Comparison) -> Vec<TableRow> {
    // Merge lenses and channels first, then intervals.
    let mut by_versions: InOrder<_, (&UnlistedUsers, Scope)> = InOrder::new();
    for user in &comparison.unlisted {
        let channels: Vec<&Text> = user.channels.iter().collect();
        let scope = Scope::new(user.lens, &channels, user.error.is_some());
        let key = (user.versions.range(), user.outcome());
        let known = by_versions.get_or_insert_with(key, || (user, Scope::default()));
        known.1.add(scope);
    }
    let mut rows: InOrder<_, TableRow> = InOrder::new();
    for (user, scope) in by_versions.into_values() {
        let row = || TableRow {
            subject: RowSubject::Unlisted(Vec::new()),
            impact: impact_of_effect(user.effect, user.ends_lower()),
            from: Vec::new(),
            same_next: user.effect.is_none(),
            now: user.new_next.clone(),
            was: user.old_next.iter().cloned().collect(),
            last: user.new_last.clone(),
            last_was: user.old_last.iter().cloned().collect(),
            lenses: scope.lenses(),
            channels: scope.classic.iter().cloned().collect(),
            has_other_channels: comparison.has_other_channels(&scope.classic, None),
            v1_channels: scope.named_channels(),
            fails_under_v1: scope.fails(),
            failing_channels: scope.failing(),
            without: [
                users::no_update(user.old_error.filter(|_| user.old_next.is_none())),
                users::no_update(user.error.filter(|_| user.new_next.is_none())),
            ],
            condition: "",
            labels: comparison.labels.clone(),
        };
        let key = (user.outcome(), scope.clone());
        if let RowSubject::Unlisted(versions) = &mut rows.get_or_insert_with(key, row).subject {
            versions.push(user.versions.clone());
        }
    }
    rows.into_values().collect()
}

fn change_for_user(user: &User) -> Change<'_> {
    let nothing_before = users::no_update(user.old_error.filter(|_| user.old_next.is_none()));
    let nothing_now = users::no_update(user.error.filter(|_| user.new_next.is_none()));
    Change {
        impact: impact_of_effect(user.effect, user.ends_lower()),
        without: [nothing_before, nothing_now],
        same_next: user.effect.is_none(),
        was: user.old_next.as_ref(),
        now: user.new_next.as_ref(),
        last_was: &user.old_last,
        last: &user.new_last,
    }
}

fn impact_of_effect(effect: Option<Effect>, ends_lower: bool) -> UpgradeImpact {
    match effect {
        Some(Effect::Stranded) => UpgradeImpact::Stranded,
        Some(Effect::Downgrade) => UpgradeImpact::Downgrade,
        _ if ends_lower => UpgradeImpact::EndsLower,
        Some(Effect::Rerouted) => UpgradeImpact::Rerouted,
        Some(Effect::Gained) => UpgradeImpact::Gained,
        None => UpgradeImpact::OtherEnd,
    }
}

/// Builds the rows of fresh installs: a single one if both lenses agree.
fn fresh_rows(comparison: &Comparison) -> Vec<TableRow> {
    let row = |of: &FreshInstall, lenses| TableRow {
        subject: RowSubject::FreshInstalls,
        impact: match (&of.old, &of.new) {
            _ if of.is_same() => UpgradeImpact::Same,
            (Some(_), None) => UpgradeImpact::Stranded,
            (None, Some(_)) => UpgradeImpact::Gained,
            _ if of.is_worse() => UpgradeImpact::Downgrade,
            _ => UpgradeImpact::Rerouted,
        },
        from: Vec::new(),
        same_next: of.is_same(),
        now: of.new.clone(),
        was: of.old.clone().into_iter().collect(),
        last: of.new.clone(),
        last_was: Vec::new(),
        lenses,
        channels: Some(of.channel.clone())
            .filter(|channel| !channel.is_empty())
            .into_iter()
            .collect(),
        has_other_channels: false,
        v1_channels: Vec::new(),
        fails_under_v1: false,
        failing_channels: Vec::new(),
        without: of.refused.map(|is_refused| {
            if is_refused {
                Destination::RefusedByV1
            } else {
                Destination::NotInstallable
            }
        }),
        condition: "",
        labels: comparison.labels.clone(),
    };
    match comparison.fresh.as_slice() {
        [v0, v1] if (&v0.old, &v0.new, v0.refused) == (&v1.old, &v1.new, v1.refused) => {
            vec![row(v0, Lenses::Both)]
        }
        several => {
            let lenses = |fresh_install: &FreshInstall| {
                if fresh_install.lens == Lens::V1 {
                    Lenses::V1
                } else {
                    Lenses::Classic
                }
            };
            several.iter().map(|of| row(of, lenses(of))).collect()
        }
    }
}

/// Removes duplicates and sorts the newest first.
pub(super) fn distinct<'i>(all: impl Iterator<Item = &'i Installed>) -> Vec<Installed> {
    let mut all: Vec<Installed> = all.cloned().collect();
    all.sort_small_by(newest_first);
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::super::Pair;
    use super::*;
    use catalog::testing::package;

    fn table(old: &str, new: &str) -> UserTable {
        let (old, new) = (package(old), package(new));
        Pair::new(Some(&old), Some(&new)).compare().table()
    }

    fn cells(table: &UserTable) -> Vec<String> {
        table
            .rows
            .iter()
            .map(|row| format!("{}: {}", row.impact.as_str(), row.cells().join(" | ")))
            .collect()
    }

    #[test]
    fn users_with_the_same_effect_share_a_row_and_fresh_installs_have_one() {
        let old = "c: d@1.3.0 r:c; c@1.2.0 r:b; b@1.1.0 r:a; a@1.0.0";
        let same = table(old, old);
        assert_eq!(
            cells(&same),
            ["same: New installs | 1.3.0 | 1.3.0 | Classic (c), OLM v1"]
        );
        assert_eq!(
            same.headline(),
            "no installed version gets a different update"
        );
        let skipped = table(
            old,
            "c: d@1.3.0 r:c sr:<1.3.0; c@1.2.0 r:b; b@1.1.0 r:a; a@1.0.0",
        );
        assert_eq!(
            cells(&skipped),
            [
                "rerouted: 1.1.0, 1.0.0 | 1.2.0, 1.1.0 | 1.3.0 | Classic (c), OLM v1",
                "gained: <1.3.0 (versions that the catalog does not list) | no update | 1.3.0 | Classic (c), OLM v1",
                "same: New installs | 1.3.0 | 1.3.0 | Classic (c), OLM v1",
            ]
        );
        assert_eq!(
            skipped.headline(),
            "users on 1.0.0 and 1.1.0 now update to 1.3.0; 1 more effect"
        );
    }

    #[test]
    fn a_path_that_ended_at_its_next_step_is_named_once() {
        let found = table("c: b@2.0.0 r:a; a@1.0.0", "c: d@1.5.0 r:a; a@1.0.0");
        let cells = cells(&found);
        assert!(
            cells.contains(&"ends-lower: 1.0.0 | 2.0.0 | 1.5.0 | Classic (c), OLM v1".to_owned()),
            "{cells:?}"
        );
    }

    #[test]
    fn refusals_of_olm_v1_are_no_install_and_no_update() {
        let found = table("c: a@1.0.0", "c: b@1.1.0 r:a !required; a@1.0.0");
        assert_eq!(
            cells(&found),
            [
                "stranded: New installs | 1.0.0 | refused by OLM v1 | OLM v1",
                "rerouted: New installs | 1.0.0 | 1.1.0 | Classic (c)",
                "gained: 1.0.0 | no update | 1.1.0 | Classic (c)",
            ]
        );
        assert!(
            found
                .headline()
                .starts_with("OLM v1 refuses new installs (before: 1.0.0)"),
            "{}",
            found.headline()
        );
        let both = "c: b@1.1.0 r:a !required; a@1.0.0";
        assert_eq!(
            cells(&table(both, both)),
            [
                "same: New installs | 1.1.0 | 1.1.0 | Classic (c)",
                "same: New installs | refused by OLM v1 | refused by OLM v1 | OLM v1",
            ]
        );
    }

    #[test]
    fn the_worst_effect_comes_first() {
        let found = table(
            "c: d@1.3.0 r:c; c@1.2.0 r:b; b@1.1.0 r:a; a@1.0.0\nd: a@1.0.0",
            "d: a@1.0.0\nc: d@1.3.0 r:c; c@1.2.0 r:b; b@1.1.0",
        );
        assert_eq!(
            cells(&found),
            [
                "stranded: 1.0.0 | 1.1.0 | no update (error under OLM v1 with c) | Classic (c), OLM v1",
                "downgrade: New installs | 1.3.0 | 1.0.0 | Classic (d)",
                "same: New installs | 1.3.0 | 1.3.0 | OLM v1",
            ]
        );
        assert_eq!(
            found.headline(),
            "users on 1.0.0 get no update under Classic in c, and under OLM v1; new installs get 1.0.0 instead of 1.3.0 \
             under Classic"
        );
        assert_eq!(
            (found.count_affected(), found.worst()),
            (1, UpgradeImpact::Stranded)
        );
    }

    #[test]
    fn versions_that_fail_with_different_channels_have_rows_of_their_own() {
        let newest = "all: y@3.0.0 sr:<3.0.0";
        let found = cells(&table(
            &format!(
                "stable: z@1.3.0 r:a sr:>=1.1.0_<1.3.0; a@1.0.0\nfast: z@1.3.0 r:b sr:<1.3.0; b@1.1.0\n{newest}"
            ),
            &format!("stable: a@1.0.0\nfast: b@1.1.0\n{newest}"),
        ));
        for (version, failing) in [("1.0.0", "fast"), ("1.1.0", "stable")] {
            let row = format!(
                "stranded: {version} | 1.3.0 | no update (error under OLM v1 with {failing}) | Classic (fast, stable), \
                 OLM v1 (fast, stable)"
            );
            assert!(found.contains(&row), "{found:#?}");
        }
    }

    #[test]
    fn a_changed_default_channel_affects_subscriptions_without_channel() {
        let (stable, fast) = ("stable: b@1.1.0 r:a; a@1.0.0", "fast: b@1.1.0 r:a; a@1.0.0");
        let found = table(&format!("{stable}\n{fast}"), &format!("{fast}\n{stable}"));
        assert!(
            found
                .headline()
                .starts_with("subscriptions without a channel follow"),
            "{}",
            found.headline()
        );
        let in_use = UserTable {
            is_restricted: true,
            ..found
        };
        assert!(
            in_use
                .headline()
                .ends_with("all others on versions in use keep their updates"),
            "{}",
            in_use.headline()
        );
    }

    #[test]
    fn users_without_update_form_a_row() {
        let chain = "d@1.3.0 r:c; c@1.2.0 r:b; b@1.1.0 r:a; a@1.0.0";
        let found = table(
            &format!("c: {chain}"),
            "c: d@1.3.0; c@1.2.0; b@1.1.0; a@1.0.0",
        );
        let stay = "stranded: 1.2.0, 1.1.0 and 1 more | 1.3.0, 1.2.0 and 1 more | no update";
        assert!(
            cells(&found).iter().any(|row| row.starts_with(stay)),
            "{:#?}",
            cells(&found)
        );
        assert!(
            found
                .headline()
                .ends_with("users on 3 versions from 1.0.0 to 1.2.0 get no update"),
            "{}",
            found.headline()
        );
    }

    #[test]
    fn many_versions_are_counted() {
        let names = |each: &str| (0..6).map(|n| format!("{each}a{n}")).collect::<Vec<_>>();
        let below: Vec<String> = (0..6).map(|n| format!("a{n}@1.0.{n}")).collect();
        let old = format!("c: z@2.0.0 {}; {}", names("s:").join(" "), below.join("; "));
        let new = old.replace("c: z", "c: y@3.0.0 r:z sr:<3.0.0; z");
        let found = table(&old, &new);
        let row = found
            .rows
            .iter()
            .find(|row| row.from.len() == 6)
            .expect("one row for all");
        assert_eq!(
            row.cells()[..3],
            ["1.0.5, 1.0.4 and 4 more", "2.0.0", "3.0.0"]
        );
        let headline = found.headline();
        assert!(
            headline.starts_with(
                "new installs get 3.0.0 instead of 2.0.0; users on 7 versions from 1.0.0 to 2.0.0 now"
            ),
            "users of the former head count too: {headline}"
        );
    }
}

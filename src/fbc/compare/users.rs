//! For every version of Old: its next step and its end, before and after.

use super::{Pair, Sides};
use crate::hashed::{HashMap, HashSet};
use crate::model::Package;
use crate::order::SortSmall;
use crate::place::Text;
use crate::upgrade::everyone::{PathSummary, newest_first};
use crate::upgrade::{ErrorKind, Installed, Lens};
use crate::version::Version;
use protocol::destination::Destination;
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

/// A version of Old under one lens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub from: Installed,
    pub lens: Lens,
    /// Classic: the affected subscribed channels. Under v1: the affected channels that a
    /// ClusterExtension may name alone; empty: one without channels.
    pub channels: Vec<Text>,
    pub old_next: Option<Installed>,
    pub new_next: Option<Installed>,
    /// Where the path ended, and where it ends; the version itself if it stays.
    pub old_last: Installed,
    pub new_last: Installed,
    /// Why Old gave no answer.
    pub old_error: Option<ErrorKind>,
    /// Why New gives no answer.
    pub error: Option<ErrorKind>,
    /// `None`: the next step is the same.
    pub effect: Option<Effect>,
}

/// The effect of a different next step on the user, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Had a next step and has none now; or has none, and the installed or subscribed object is
    /// gone: bundle, entry, channel or package.
    Stranded,
    /// Goes to a version below the installed one.
    Downgrade,
    /// Goes to another version than before.
    Rerouted,
    /// Had no next step and has one now.
    Gained,
}

impl Effect {
    /// The spelling of the JSON contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Rerouted => "rerouted",
            Effect::Stranded => "stranded",
            Effect::Gained => "gained",
            Effect::Downgrade => "downgrade",
        }
    }
}

impl User {
    /// Neither next step nor end differ.
    pub fn is_same(&self) -> bool {
        self.effect.is_none() && self.old_last == self.new_last
    }

    /// The path ends at a lower version than before.
    pub fn ends_lower(&self) -> bool {
        self.old_last != self.new_last && is_lower(&self.new_last.version, &self.old_last.version)
    }

    /// The worst effect first, then the highest version.
    pub fn gravest_first(&self, other: &Self) -> Ordering {
        let grave = |user: &Self| user.effect.map_or((1, None), |effect| (0, Some(effect)));
        grave(self)
            .cmp(&grave(other))
            .then_with(|| newest_first(&self.from, &other.from))
            .then_with(|| (self.lens == Lens::V1).cmp(&(other.lens == Lens::V1)))
            .then_with(|| self.channels.cmp(&other.channels))
    }
}

impl std::fmt::Display for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |next: &Option<Installed>, error: Option<ErrorKind>| match next {
            Some(next) => next.name.to_string(),
            None => no_update(error).to_string(),
        };
        if self.effect == Some(Effect::Stranded) && self.old_next.is_none() {
            write!(
                f,
                "from {}: no next step: its entry, channel or package is gone",
                self.from.name
            )?;
        } else if self.effect.is_some() {
            write!(
                f,
                "from {}: {} instead of {}",
                self.from.name,
                name(&self.new_next, self.error),
                name(&self.old_next, self.old_error)
            )?;
        } else {
            write!(
                f,
                "from {}: ends at {} instead of {}",
                self.from.name, self.new_last.name, self.old_last.name
            )?;
        }
        match self.lens {
            Lens::V0 if self.channels.is_empty() => write!(f, " (Classic)"),
            Lens::V0 => write!(f, " (Classic, {})", self.channels.join(", ")),
            Lens::V1 if self.channels.is_empty() => write!(f, " (OLM v1)"),
            Lens::V1 => write!(f, " (OLM v1 naming {})", self.channels.join(" or ")),
        }
    }
}

/// Version number, next steps and ends before and after, why New has none, and whether the
/// installed or subscribed object is gone.
type Answers = (u32, [Option<u32>; 4], Option<ErrorKind>, bool);

impl Pair<'_> {
    /// Every version of Old. Classic for each listing channel, merging channels with equal answers;
    /// then v1.
    pub fn users(&self) -> &[User] {
        self.users.get_or_init(|| self.all_users())
    }

    fn all_users(&self) -> Vec<User> {
        let mut users: Vec<User> = Vec::new();
        let mut found: HashMap<Answers, usize> = HashMap::default();
        let blobs = self.new.map(Package::channels_by_name).unwrap_or_default();
        for channel in &self.channels {
            // Empty if the channel or package is gone.
            let listed = blobs
                .get(&*channel.name)
                .into_iter()
                .flatten()
                .flat_map(|blob| &blob.entries);
            let listed: HashSet<&Text> = listed.map(|entry| &entry.name.value).collect();
            for &number in &channel.users {
                let Some((old, new)) = sides(&channel.v0, number) else {
                    continue;
                };
                let is_gone = self
                    .versions
                    .get(number)
                    .is_none_or(|who| !listed.contains(&who.name));
                let next = |path: &PathSummary| path.next.as_ref().map(|step| step.to);
                let key = (
                    number,
                    [next(old), next(new), Some(old.last), Some(new.last)],
                    new.error,
                    is_gone,
                );
                match found.get(&key).and_then(|&at| users.get_mut(at)) {
                    Some(user) => user.channels.push(channel.name.clone()),
                    None => {
                        found.insert(key, users.len());
                        let user = self.user(
                            number,
                            Lens::V0,
                            vec![channel.name.clone()],
                            (old, new),
                            is_gone,
                        );
                        users.extend(user);
                    }
                }
            }
        }
        let bundles: HashSet<&Text> = self
            .new
            .into_iter()
            .flat_map(|p| &p.bundles)
            .map(|b| &b.name.value)
            .collect();
        for number in self.versions.bundles(&self.old_index) {
            let Some((old, new)) = sides(&self.v1, number) else {
                continue;
            };
            let is_gone = self
                .versions
                .get(number)
                .is_none_or(|who| !bundles.contains(&who.name));
            users.extend(self.user(number, Lens::V1, Vec::new(), (old, new), is_gone));
        }
        users
    }

    pub(super) fn user(
        &self,
        number: u32,
        lens: Lens,
        channels: Vec<Text>,
        (old, new): (&PathSummary, &PathSummary),
        is_gone: bool,
    ) -> Option<User> {
        let who = |number: u32| self.versions.get(number).cloned();
        let next = |path: &PathSummary| path.next.as_ref().and_then(|step| who(step.to));
        let from = who(number)?;
        let (old_next, new_next) = (next(old), next(new));
        let effect = effect(&from.version, old_next.as_ref(), new_next.as_ref(), is_gone);
        Some(User {
            from,
            lens,
            channels,
            old_next,
            new_next,
            old_last: who(old.last)?,
            new_last: who(new.last)?,
            old_error: old.error,
            error: new.error,
            effect,
        })
    }
}

/// The effect of a different next step on a version's user. `is_gone`: the installed or subscribed
/// object is gone.
pub(super) fn effect(
    version: &str,
    old_next: Option<&Installed>,
    new_next: Option<&Installed>,
    is_gone: bool,
) -> Option<Effect> {
    match (old_next, new_next) {
        // Also at the end of the path: nothing can follow. Without the channel, OLM reports an
        // error.
        (None, None) if is_gone => Some(Effect::Stranded),
        (None, None) => None,
        (Some(old), Some(new)) if old == new => None,
        (_, Some(new)) if is_lower(&new.version, version) => Some(Effect::Downgrade),
        (Some(_), Some(_)) => Some(Effect::Rerouted),
        (Some(_), None) => Some(Effect::Stranded),
        (None, Some(_)) => Some(Effect::Gained),
    }
}

/// Versions with the same next step but another end, one sentence per pair of ends; most versions
/// first.
pub fn ends<'u>(users: impl IntoIterator<Item = &'u User>) -> Vec<String> {
    let mut by_end: BTreeMap<(&str, &str, bool), usize> = BTreeMap::new();
    for user in users
        .into_iter()
        .filter(|user| user.effect.is_none() && !user.is_same())
    {
        *by_end
            .entry((
                &*user.old_last.name,
                &*user.new_last.name,
                user.lens == Lens::V1,
            ))
            .or_default() += 1;
    }
    let mut counted: Vec<_> = by_end.into_iter().collect();
    counted.sort_small_by_key(|(_, n)| Reverse(*n));
    let say = |((old, new, v1), n): ((&str, &str, bool), usize)| {
        let versions = if n == 1 {
            "1 version ends".to_owned()
        } else {
            format!("{n} versions end")
        };
        format!(
            "{versions} at {new} instead of {old} ({})",
            if v1 { "OLM v1" } else { "Classic" }
        )
    };
    counted.into_iter().map(say).collect()
}

/// The destination of a user without a next step.
pub fn no_update(error: Option<ErrorKind>) -> Destination<'static> {
    match error.is_some_and(ErrorKind::is_refusal) {
        true => Destination::RefusedByV1,
        false => Destination::NoUpdate,
    }
}

pub(super) fn sides(sides: &Sides, number: u32) -> Option<(&PathSummary, &PathSummary)> {
    Some((sides.old.get(number)?, sides.new.get(number)?))
}

pub(super) fn is_lower(a: &str, b: &str) -> bool {
    match (Version::parse(a), Version::parse(b)) {
        (Ok(a), Ok(b)) => a.cmp_precedence(&b) == Ordering::Less,
        _ => false,
    }
}

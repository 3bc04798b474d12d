//! Versions with the same change, grouped, the largest group first; every published version counts one.

use super::{Effect, User};
use crate::hashed::HashMap;
use crate::order::PutInOrder;
use crate::place::Text;
use crate::upgrade::everyone::newest_first;
use crate::upgrade::{Installed, Lens};
use crate::words::first_of;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

/// So many versions are named; the rest is counted.
const NAMED: usize = 3;

/// Versions with the same effect and the same new next step (where that did not change, the same ends).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Affected {
    /// `None`: the next step is the same, the end is another one.
    pub effect: Option<Effect>,
    pub lenses: Lenses,
    /// What came next before, or where it ended; `None` where that is not the same for all, or nothing.
    pub was: Option<Text>,
    /// What comes next, or where it ends; `None`: nothing.
    pub is: Option<Text>,
    /// Each once, the newest first; never empty.
    pub versions: Vec<Installed>,
}

/// Under which lenses something is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lenses {
    Both,
    Classic,
    V1,
}

/// What changes for one version: effect, and next step (else the end) before and after.
type UserChange<'u> = (Option<Effect>, Option<&'u Text>, Option<&'u Text>);

/// All versions for which something changed: the largest group first, of equal ones the gravest.
pub fn affected<'u>(users: impl IntoIterator<Item = &'u User>) -> Vec<Affected> {
    let mut changes: HashMap<(&Installed, UserChange<'_>), Lenses> = HashMap::default();
    for user in users.into_iter().filter(|user| !user.is_same()) {
        let name = |next: &'u Option<Installed>| next.as_ref().map(|i| &i.name);
        let change = match user.effect {
            Some(effect) => (Some(effect), name(&user.old_next), name(&user.new_next)),
            None => (None, Some(&user.old_last.name), Some(&user.new_last.name)),
        };
        let lens = if user.lens == Lens::V1 { Lenses::V1 } else { Lenses::Classic };
        let lenses = changes.entry((&user.from, change)).or_insert(lens);
        *lenses = if *lenses == lens { lens } else { Lenses::Both };
    }
    let mut groups: BTreeMap<_, Affected> = BTreeMap::new();
    for ((from, (effect, was, is)), lenses) in changes {
        // Ends are grouped by old and new end; next steps by the new one.
        let old_end = if effect.is_none() { was } else { None };
        let group = groups.entry((effect, is, old_end, lenses)).or_insert_with(|| Affected {
            effect,
            lenses,
            was: was.cloned(),
            is: is.cloned(),
            versions: Vec::new(),
        });
        if group.was.as_ref() != was {
            group.was = None;
        }
        group.versions.push(from.clone());
    }
    let mut groups: Vec<Affected> = groups.into_values().collect();
    for group in &mut groups {
        group.versions.put_in_order_by(newest_first);
        group.versions.dedup();
    }
    groups.put_in_order_by_key(|group| (Reverse(group.versions.len()), group.effect.is_none(), group.effect));
    groups
}

impl Affected {
    /// The spelling of the JSON contract; `same` where only the end differs.
    pub fn effect_name(&self) -> &'static str {
        self.effect.map_or("same", Effect::as_str)
    }
}

impl fmt::Display for Affected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lens = match self.lenses {
            Lenses::Both => "Classic and OLM v1",
            Lenses::Classic => "Classic",
            Lenses::V1 => "OLM v1",
        };
        let (who, s) = match self.versions.as_slice() {
            [only] => (only.name.to_string(), "s"),
            many => {
                let named = first_of(many.iter().map(|installed| &installed.name), NAMED);
                (format!("{} versions ({named})", many.len()), "")
            }
        };
        match (self.effect, &self.is) {
            (None, is) => {
                write!(f, "under {lens}, the path of {who} now ends at {}", is.as_deref().unwrap_or("nothing"))?;
            }
            (_, Some(is)) => write!(f, "under {lens}, {who} now upgrade{s} to {is}")?,
            (_, None) => write!(f, "under {lens}, {who} no longer upgrade{s}")?,
        }
        match (&self.was, self.effect) {
            (Some(was), _) => write!(f, " (before: {was})"),
            (None, Some(Effect::Gained)) => f.write_str(" (before: no upgrade)"),
            (None, Some(Effect::Stranded)) => Ok(()),
            (None, _) => f.write_str(" (before: various next steps)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(version: &str) -> Installed {
        Installed::new(&*format!("p.v{version}"), version)
    }

    fn user(from: &str, lens: Lens, old: Option<&str>, new: Option<&str>, effect: Option<Effect>) -> User {
        User {
            from: at(from),
            lens,
            channels: Vec::new(),
            old_next: old.map(at),
            new_next: new.map(at),
            old_last: at("8.0.0"),
            new_last: at("9.0.0"),
            error: None,
            effect,
        }
    }

    #[test]
    fn the_largest_group_comes_first_and_lenses_that_agree_are_one() {
        let rerouted = Some(Effect::Rerouted);
        let users = [
            user("1.0.0", Lens::V0, Some("1.1.0"), None, Some(Effect::Stranded)),
            user("1.0.0", Lens::V1, Some("1.1.0"), None, Some(Effect::Stranded)),
            user("1.1.0", Lens::V1, Some("1.2.0"), Some("9.0.0"), rerouted),
            user("1.10.0", Lens::V1, Some("1.11.0"), Some("9.0.0"), rerouted),
            user("1.2.0", Lens::V0, Some("1.3.0"), Some("1.3.0"), None),
        ];
        let found = affected(&users);
        let told: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "under OLM v1, 2 versions (p.v1.10.0, p.v1.1.0) now upgrade to p.v9.0.0 (before: various next steps)",
                "under Classic and OLM v1, p.v1.0.0 no longer upgrades (before: p.v1.1.0)",
                "under Classic, the path of p.v1.2.0 now ends at p.v9.0.0 (before: p.v8.0.0)",
            ]
        );
        assert_eq!(found.iter().map(Affected::effect_name).collect::<Vec<_>>(), ["rerouted", "stranded", "same"]);
    }

    #[test]
    fn more_than_a_few_are_counted() {
        let users: Vec<User> =
            (0..5).map(|n| user(&format!("1.{n}.0"), Lens::V0, Some("2.0.0"), None, Some(Effect::Stranded))).collect();
        let [only] = &affected(&users)[..] else { panic!("one group") };
        let told =
            "under Classic, 5 versions (p.v1.4.0, p.v1.3.0, p.v1.2.0 and 2 more) no longer upgrade (before: p.v2.0.0)";
        assert_eq!(only.to_string(), told);
    }
}

//! Builds fixes for a channel with an invalid graph: derives candidates from the entries and their
//! versions, simulates each, and offers only those that solve the problem.

use super::channel_scope::ChannelScope;
use super::scope::Scope;
use super::simulation::{ChannelOutcome, Simulation};
use super::spelling::{
    SpellingIndex, closest_typo, compare_versions, contains_version, is_other_version, typo_count,
    version_in,
};
use catalog::model::Entry;
use protocol::diagnostic::Fix;
use protocol::operation::{Choice, DanglingEdges, EditOp, EntryPlace, PromoteAs};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use syntax::hashed::HashSet;
use syntax::order::SortSmall;
use syntax::place::{Spanned, Text};

/// Maximum number of fixes per problem.
const MAX_FIXES: usize = 6;
/// Maximum number of edges to missing names checked for misspellings.
const MAX_EDGES: usize = 200;
/// Maximum number of heads joined into one chain.
const MAX_JOINED: usize = 50;

/// Maximum number of bundles offered as lost entries.
const MAX_RESTORED: usize = 3;

/// Maximum length of the list of names in a fix.
const MAX_NAMES: usize = 500;

/// Builds fixes from operations on the entries of one channel.
#[derive(Clone, Copy)]
pub struct FixBuilder<'s, 'a> {
    pub scope: &'s Scope<'a>,
    pub channel: &'s ChannelScope<'a>,
}

/// An edge to a missing entry, and the probable entry.
#[derive(Debug, Clone, Copy)]
pub struct MisspeltEdge<'a> {
    pub entry: usize,
    /// As written.
    pub written: &'a Spanned<Text>,
    pub intended: usize,
    pub is_skip: bool,
    /// Whether it is the same name in another spelling; otherwise it is a similar name.
    pub same: bool,
}

impl<'s, 'a> FixBuilder<'s, 'a> {
    pub fn new(scope: &'s Scope<'a>, channel: &'s ChannelScope<'a>) -> Self {
        Self { scope, channel }
    }

    pub fn name(&self, entry: usize) -> String {
        self.channel.name_of(entry).to_owned()
    }

    fn package(&self) -> String {
        self.scope.package.name.to_string()
    }

    fn channel_name(&self) -> String {
        self.channel.blob.name.value.to_string()
    }

    fn place(&self, entry: usize) -> EntryPlace {
        let channel = self.channel.blob.name.as_str();
        self.scope.place(channel, self.channel.name_of(entry))
    }

    pub fn set_replaces(&self, entry: usize, replaces: Option<String>) -> EditOp {
        self.place(entry).set_replaces(replaces)
    }

    pub fn add_skip(&self, entry: usize, skip: Vec<String>) -> EditOp {
        self.place(entry).add_skips(skip, None)
    }

    pub fn remove_skip(&self, entry: usize, skip: Vec<String>) -> EditOp {
        self.place(entry).remove_skips(skip, None)
    }

    pub fn remove_entry(&self, entry: usize) -> EditOp {
        self.place(entry).remove(DanglingEdges::Relink)
    }

    fn version(&self, entry: usize) -> &'a str {
        self.scope
            .bundle(self.channel.name_of(entry))
            .map_or("", |(_, bundle)| bundle.version())
    }

    /// Whether `a` has the lower version; `None` if a version is unreadable.
    pub fn is_lower(&self, a: usize, b: usize) -> Option<bool> {
        let [a, b] = [a, b].map(|entry| self.version(entry));
        let are_known = [a, b]
            .iter()
            .all(|version| compare_versions(version, "").is_gt());
        are_known.then(|| compare_versions(a, b) == Ordering::Less)
    }

    /// Whether the entry's version is known and higher than `version`.
    fn is_above(&self, entry: usize, version: &str) -> bool {
        let own = self.version(entry);
        compare_versions(version, "").is_gt() && compare_versions(own, version).is_gt()
    }

    /// Returns the entry that `replaces` names, if the channel has it.
    pub fn below(&self, entry: usize) -> Option<usize> {
        let replaces = &self.channel.entries[entry].replaces;
        if replaces.is_empty() {
            None
        } else {
            self.channel.position(replaces.as_str())
        }
    }

    /// Finds edges to missing names that probably mean an entry of the channel: any entry in
    /// another spelling, or one of `unreferenced` that is one typo away. The entry must not be
    /// newer than the one that replaces it. A rebuild that skips its base has the lower version
    /// (`1.2.0-1` for `1.2.0`).
    pub fn misspelt(&self, unreferenced: &[usize]) -> Vec<MisspeltEdge<'a>> {
        let channel = self.channel;
        let absent =
            |name: &Spanned<Text>| !name.is_empty() && channel.position(name.as_str()).is_none();
        let mut edges: Vec<(usize, &'a Spanned<Text>, bool)> = Vec::new();
        for (at, entry) in channel.entries.iter().enumerate() {
            let entry: &'a Entry = entry;
            edges.extend(absent(&entry.replaces).then_some((at, &entry.replaces, false)));
            edges.extend(
                entry
                    .skips
                    .iter()
                    .filter(|skip| absent(skip))
                    .map(|skip| (at, skip, true)),
            );
            if edges.len() >= MAX_EDGES {
                break;
            }
        }
        if edges.is_empty() {
            return Vec::new();
        }
        let spellings = SpellingIndex::new(channel.entries.iter().map(|entry| entry.name.as_str()));
        let near: Vec<&str> = unreferenced
            .iter()
            .take(MAX_EDGES)
            .map(|&entry| channel.name_of(entry))
            .collect();
        let misspelt_edges = edges.into_iter().filter_map(|(entry, written, is_skip)| {
            // A bundle of the package is not misspelt: only this channel lacks it.
            if self.scope.bundle(written.as_str()).is_some() {
                return None;
            }
            let same = spellings.find_spelling(written.as_str());
            let own = channel.name_of(entry);
            let intended = channel.position(same.or_else(|| {
                closest_typo(
                    written.as_str(),
                    near.iter().copied().filter(|name| *name != own),
                )
            })?)?;
            let older = is_skip || self.is_lower(intended, entry) != Some(false);
            (intended != entry && older).then_some(MisspeltEdge {
                entry,
                written,
                intended,
                is_skip,
                same: same.is_some(),
            })
        });
        misspelt_edges.collect()
    }

    /// Builds fixes for misspelt names: one for all different spellings, and one for each similar
    /// name, the nearest first. Excludes skips of versions that may have been published; see
    /// [`FixBuilder::respell_versions`].
    pub fn respell(&self, misspelt: &[MisspeltEdge<'a>]) -> Vec<Fix> {
        let far =
            |m: &MisspeltEdge<'a>| typo_count(m.written.as_str(), self.channel.name_of(m.intended));
        let mut certain: Vec<&MisspeltEdge<'a>> =
            misspelt.iter().filter(|m| !self.is_version(m)).collect();
        certain.sort_small_by_key(|m| far(m));
        self.respell_fixes(&certain)
    }

    /// Builds fixes that replace skips of another version that the catalog lacks. The skip may be
    /// right and the version missing, so this is never the first offer.
    pub fn respell_versions(&self, misspelt: &[MisspeltEdge<'a>]) -> Vec<Fix> {
        self.respell_fixes(
            &misspelt
                .iter()
                .filter(|m| self.is_version(m))
                .collect::<Vec<_>>(),
        )
    }

    fn respell_fixes(&self, misspelt: &[&MisspeltEdge<'a>]) -> Vec<Fix> {
        let same: Vec<&MisspeltEdge<'a>> = misspelt.iter().copied().filter(|m| m.same).collect();
        let mut fixes = Vec::new();
        if let [first, more @ ..] = &same[..] {
            let title = match more.len() {
                0 => self.respell_title(first),
                n => format!("correct the {} names that look misspelt", n + 1),
            };
            // Safe if the written name is no bundle of the package, and exactly one entry of the
            // channel has this version under another spelling and is older than the entry that
            // names it (unknown ages are not safe). `keep_effective` revokes safety unless the
            // channel becomes valid.
            let safe = same
                .iter()
                .all(|m| self.is_lower(m.intended, m.entry) == Some(true));
            fixes.push(
                Fix::new(
                    title,
                    safe,
                    same.iter().flat_map(|m| self.respell_ops(m)).collect(),
                )
                .with_kind("did-you-mean"),
            );
        }
        // A similar name may mean something else, so these are never safe.
        fixes.extend(misspelt.iter().filter(|m| !m.same).map(|m| {
            Fix::new(self.respell_title(m), false, self.respell_ops(m)).with_kind("did-you-mean")
        }));
        fixes
    }

    fn respell_ops(&self, m: &MisspeltEdge<'a>) -> Vec<EditOp> {
        let intended = self.name(m.intended);
        if m.is_skip {
            vec![
                self.remove_skip(m.entry, vec![m.written.value.to_string()]),
                self.add_skip(m.entry, vec![intended]),
            ]
        } else {
            vec![self.set_replaces(m.entry, Some(intended))]
        }
    }

    fn respell_title(&self, m: &MisspeltEdge<'a>) -> String {
        let [entry, intended] = [m.entry, m.intended].map(|entry| self.name(entry));
        let written = &m.written.value;
        if m.is_skip {
            format!("let `{entry}` skip `{intended}` instead of `{written}`")
        } else {
            format!("set `replaces` of `{entry}` to `{intended}` instead of `{written}`")
        }
    }

    /// Builds the fix that inserts heads into the chain of the newest one by version. `None` if
    /// versions do not decide.
    pub fn join_by_version(&self, newest: usize, others: &[usize]) -> Option<Fix> {
        if others.len() > MAX_JOINED {
            return None;
        }
        let mut others = others.to_vec();
        if others
            .iter()
            .any(|&other| self.is_lower(other, newest) != Some(true))
        {
            return None;
        }
        others.sort_small_by(|&a, &b| compare_versions(self.version(b), self.version(a)));
        let mut moved: BTreeMap<usize, String> = BTreeMap::new();
        for &other in &others {
            let now = |entry: usize| match moved.get(&entry) {
                Some(name) => name.as_str(),
                None => self.channel.entries[entry].replaces.as_str(),
            };
            let next = |entry: usize| {
                self.channel
                    .position(now(entry))
                    .filter(|_| !now(entry).is_empty())
            };
            // The lowest entry of the newest chain that is still above.
            let (mut above, mut seen) = (newest, HashSet::from_iter([newest]));
            while let Some(below) =
                next(above).filter(|&b| b != other && self.is_lower(other, b) == Some(true))
            {
                if !seen.insert(below) {
                    return None;
                }
                above = below;
            }
            let below = now(above).to_owned();
            let rest = self.channel.position(&below);
            let mut chain = HashSet::default();
            let mut at = rest;
            while let Some(entry) = at.filter(|&entry| chain.insert(entry)) {
                at = next(entry);
            }
            // Follow the inserted chain until it meets the other chain or ends.
            let (mut end, mut seen) = (other, HashSet::from_iter([other]));
            while let Some(entry) = next(end).filter(|entry| !chain.contains(entry)) {
                if !seen.insert(entry) {
                    return None;
                }
                end = entry;
            }
            let ends = now(end).is_empty();
            // If a missing name is older than the whole inserted chain, it moves to the chain's
            // end; otherwise it was wrong and is replaced.
            let goes_on =
                rest.is_some() || version_in(&below).is_some_and(|v| self.is_above(end, &v));
            if ends && !below.is_empty() && goes_on {
                if rest.is_some_and(|rest| self.is_lower(rest, end) != Some(true)) {
                    return None;
                }
                moved.insert(end, below);
            }
            moved.insert(above, self.name(other));
        }
        let ops = moved
            .iter()
            .map(|(&entry, name)| self.set_replaces(entry, Some(name.clone())))
            .collect();
        let title = match (&moved.iter().collect::<Vec<_>>()[..], &others[..]) {
            ([(entry, name)], _) => format!("let `{}` replace `{name}`", self.name(**entry)),
            (_, [other]) => format!(
                "put `{}` where its version belongs in the chain of `replaces`",
                self.name(*other)
            ),
            (_, others) => format!(
                "bring the {} heads into one chain by version",
                others.len() + 1
            ),
        };
        Some(Fix::new(title, false, ops).with_kind("join-by-version"))
    }

    /// Builds the fix that makes entries that replace themselves replace the next lower version
    /// instead. The lower entry is one of `unreferenced`, which the mistake left without edges, or
    /// else any entry. `None` if there is no such entry or versions do not decide.
    pub fn replace_lower_instead_of_self(&self, unreferenced: &[usize]) -> Option<Fix> {
        let skipped: HashSet<&str> = self
            .channel
            .entries
            .iter()
            .flat_map(|entry| &entry.skips)
            .map(|skip| skip.as_str())
            .collect();
        let all: Vec<usize> = (0..self.channel.entries.len()).collect();
        let own: Vec<usize> = all
            .iter()
            .copied()
            .filter(|&at| {
                let entry = self.channel.entries[at];
                !entry.name.is_empty() && entry.replaces.value == entry.name.value
            })
            .take(MAX_JOINED)
            .collect();
        let [entry] = own[..] else { return None };
        let lower = |candidates: &[usize]| {
            // `opm`'s walk ends at a skipped entry and reaches nothing below it.
            let lower: Vec<usize> = candidates
                .iter()
                .copied()
                .filter(|e| !skipped.contains(self.channel.name_of(*e)))
                .filter(|e| self.is_lower(*e, entry) == Some(true))
                .collect();
            (!lower.is_empty()).then(|| self.scope.highest(self.channel, &lower))
        };
        let next = self.name(lower(unreferenced).or_else(|| lower(&all))?);
        let title = format!(
            "let `{}` replace `{next}` instead of itself",
            self.name(entry)
        );
        Some(
            Fix::new(title, false, vec![self.set_replaces(entry, Some(next))])
                .with_kind("replace-no-self"),
        )
    }

    /// Builds the fix that removes an entry without a bundle, or one whose bundle another channel
    /// lists.
    pub fn remove_entry_fix(&self, entry: usize) -> Option<Fix> {
        let name = self.channel.name_of(entry);
        let elsewhere =
            |c: &&ChannelScope<'a>| c.nth != self.channel.nth && c.position(name).is_some();
        let stays =
            self.scope.bundle(name).is_none() || self.scope.channels.iter().any(|c| elsewhere(&c));
        let mut title = format!(
            "remove `{name}` from channel `{}`",
            self.channel.blob.name.value
        );
        let mut ops = vec![self.remove_entry(entry)];
        // Deprecations of missing bundles are refused too.
        if self.scope.bundle(name).is_none() && self.scope.is_deprecated("olm.bundle", name) {
            title += ", with its deprecation";
            ops.push(self.scope.undeprecate_bundle(name));
        }
        stays.then(|| Fix::new(title, false, ops))
    }

    /// Builds the fix that removes those of `entries` that have no bundle.
    pub fn remove_bundleless_entries(&self, entries: &[usize]) -> Option<Fix> {
        let without: Vec<usize> = entries
            .iter()
            .copied()
            .filter(|&entry| self.scope.bundle(self.channel.name_of(entry)).is_none())
            .take(MAX_JOINED)
            .collect();
        if let [one] = without[..] {
            return self.remove_entry_fix(one);
        }
        let title = format!(
            "remove the {} entries without a bundle from channel `{}`",
            without.len(),
            self.channel_name()
        );
        (!without.is_empty()).then(|| {
            Fix::new(
                title,
                false,
                without.iter().map(|&e| self.remove_entry(e)).collect(),
            )
        })
    }

    /// Builds fixes that add bundles of the package which edges name but the channel lacks, because
    /// their entries were lost. Bundles that no channel lists precede others.
    pub fn restore_lost_entries(&self) -> Vec<Fix> {
        let edges = self.channel.entries.iter().flat_map(|e| e.targets());
        let mut lost: Vec<&str> = edges
            .map(|name| name.as_str())
            .filter(|name| {
                !name.is_empty()
                    && self.channel.position(name).is_none()
                    && self.scope.bundle(name).is_some()
            })
            .take(MAX_EDGES)
            .collect();
        lost.sort_small_by_key(|name| (self.scope.is_listed(name), *name));
        lost.dedup();
        lost.iter()
            .take(MAX_RESTORED)
            .flat_map(|name| {
                [
                    self.restore_above_head(name),
                    self.promote(name, None, Choice::Default),
                ]
            })
            .flatten()
            .collect()
    }

    /// Builds the fix that adds a bundle above the highest head below it, where the chain broke.
    fn restore_above_head(&self, bundle: &str) -> Option<Fix> {
        let version = self.scope.bundle(bundle)?.1.version();
        let heads = self.channel.heads();
        let lower: Vec<usize> = heads
            .iter()
            .copied()
            .filter(|&h| compare_versions(self.version(h), version).is_lt())
            .collect();
        let below =
            (!lower.is_empty()).then(|| self.name(self.scope.highest(self.channel, &lower)))?;
        self.promote(bundle, Some(PromoteAs::Chain), Choice::Value(below))
    }

    fn promote(&self, bundle: &str, how: Option<PromoteAs>, replaces: Choice) -> Option<Fix> {
        self.scope.bundle(bundle)?;
        let op = EditOp::Promote {
            catalog: None,
            package: self.package(),
            bundle: bundle.to_owned(),
            to: self.channel_name(),
            how,
            replaces,
            skip_range: Choice::Default,
        };
        Some(Fix::new(
            format!(
                "promote `{bundle}` to channel `{}`",
                self.channel.blob.name.value
            ),
            false,
            vec![op],
        ))
    }

    pub fn outcome(&self, ops: &[EditOp]) -> Simulation {
        self.scope.simulate(&self.channel.blob.name.value, ops)
    }

    /// Simulates the candidates and keeps those that make the problem `gone`, with their
    /// consequences. Candidates that make the channel valid move to the front. Those that leave
    /// other problems are only offered if nothing else helps. A safe fix makes the channel valid.
    pub fn keep_effective(
        &self,
        candidates: Vec<Fix>,
        gone: impl Fn(&ChannelOutcome) -> bool,
    ) -> Vec<Fix> {
        let (mut fine, mut rest) = (Vec::new(), Vec::new());
        for mut fix in candidates {
            if names_in(&fix) > MAX_NAMES {
                continue;
            }
            let simulation = self.outcome(&fix.ops);
            let mut known = fine.iter().chain(&rest);
            if known.any(|other: &Fix| other.ops == fix.ops) {
                continue;
            }
            match simulation {
                Simulation::Outcome(outcome) if gone(&outcome) => {
                    outcome.describe_in(&mut fix);
                    if outcome.is_fine() {
                        fine.push(fix);
                    } else {
                        fix.safe = false;
                        rest.push(fix);
                    }
                }
                Simulation::Unknown => {
                    fix.safe = false;
                    rest.push(fix);
                }
                Simulation::Outcome(_) | Simulation::Refused => {}
            }
        }
        // Entries without a bundle are refused anywhere: only removal helps.
        fine.sort_small_by_key(|fix| !self.removes_bundleless(fix));
        let mut effective = if fine.is_empty() { rest } else { fine };
        effective.truncate(MAX_FIXES);
        effective
    }

    /// Whether the skip refers to another version than the intended entry's.
    fn is_version(&self, misspelt: &MisspeltEdge<'a>) -> bool {
        let written = misspelt.written.as_str();
        let is_other = is_other_version(written, self.channel.name_of(misspelt.intended))
            && contains_version(written);
        misspelt.is_skip && !misspelt.same && is_other
    }

    fn removes_bundleless(&self, fix: &Fix) -> bool {
        let mut removed = fix.ops.iter().filter_map(EditOp::removed_entry);
        removed.any(|entry| self.scope.bundle(entry.name).is_none())
    }
}

fn names_in(fix: &Fix) -> usize {
    let names = fix.ops.iter().map(EditOp::skipped_names);
    names.map(|names| names.map_or(1, <[String]>::len)).sum()
}

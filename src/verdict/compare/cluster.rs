//! Effects of a change on a cluster of an OpenShift version: installed versions that start or stop
//! blocking its update, and next steps that do not start on it.

use super::users::User;
use super::{BundlesByName, InOrder, Pair, Sides, bundles_by_name};
use std::collections::{BTreeMap, BTreeSet};
use syntax::hashed::HashMap;
use syntax::place::Text;
use upgrade::Lens;
use upgrade::cluster::{BundleOnCluster, Cluster, Limit, OpenShift, Starts};
use upgrade::everyone::PathSummaries;

/// The effect of a change on an installed version on a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserOnCluster {
    /// Whether the installed bundle blocks the cluster's update.
    pub blocks_update: bool,
    /// The first version on the path that does not block it, before and after the change.
    pub old_unblocked_by: Option<Text>,
    pub new_unblocked_by: Option<Text>,
    /// The next step after the change, if it does not start on the cluster or may not.
    pub new_next: Option<BundleOnCluster>,
}

impl UserOnCluster {
    /// Describes the difference that the change makes on the cluster; empty if there is none.
    pub fn messages(&self, user: &User, cluster: OpenShift) -> Vec<String> {
        let cluster = Cluster {
            version: cluster,
            lens: user.lens,
        };
        let from = &user.from.name;
        let mut messages = Vec::new();
        let version = cluster.version;
        match (&self.old_unblocked_by, &self.new_unblocked_by) {
            (old, new) if !self.blocks_update || old == new => {}
            (Some(old), None) => messages.push(format!(
                "`{from}` blocks cluster updates beyond OpenShift {version}: before this change `{old}` unblocked it; now nothing on its path does"
            )),
            (None, Some(new)) => messages.push(format!(
                "`{from}` blocks cluster updates beyond OpenShift {version}: before this change nothing on its path unblocked it; now `{new}` does"
            )),
            (Some(old), Some(new)) => messages.push(format!(
                "`{from}` blocks cluster updates beyond OpenShift {version} until it is upgraded to `{new}` (before this change: `{old}`)"
            )),
            (None, None) => {}
        }
        let is_new = user.new_next != user.old_next;
        messages.extend(
            self.new_next
                .as_ref()
                .filter(|_| is_new)
                .and_then(|next| cluster.start_message(next)),
        );
        messages
    }
}

/// Describes the effects of a change on a package's users on a cluster: distinct sentences, each
/// with the lenses it applies to, and the channels if subscribers of others are not affected.
pub fn sentences<'u>(
    users: impl IntoIterator<Item = (&'u User, &'u UserOnCluster)>,
    cluster: OpenShift,
) -> Vec<String> {
    let users: Vec<(&User, Vec<String>)> = users
        .into_iter()
        .map(|(user, effect)| (user, effect.messages(user, cluster)))
        .collect();
    let version = |user: &User| (user.lens == Lens::V1, user.from.name.clone());
    let mut by_version: BTreeMap<_, Vec<&[String]>> = BTreeMap::new();
    for (user, messages) in &users {
        by_version.entry(version(user)).or_default().push(messages);
    }
    let mut sentences: InOrder<String, BTreeSet<String>> = InOrder::new();
    for (user, messages) in &users {
        for sentence in messages {
            let is_for_all = by_version[&version(user)]
                .iter()
                .all(|messages| messages.contains(sentence));
            let scope = match user.lens {
                Lens::V0 if !is_for_all => format!("Classic in {}", user.channels.join(", ")),
                Lens::V0 => "Classic".to_owned(),
                Lens::V1 => "OLM v1".to_owned(),
            };
            sentences
                .get_or_insert_with(sentence.clone(), BTreeSet::new)
                .insert(scope);
        }
    }
    let sentences = sentences.items.into_iter();
    sentences
        .map(|(sentence, scopes)| {
            let scopes: Vec<String> = scopes.into_iter().collect();
            format!("{sentence} ({})", scopes.join(", "))
        })
        .collect()
}

impl Pair<'_> {
    /// Computes the effect of the change on a cluster for each of [`Pair::users`].
    pub fn users_on_cluster(&self, version: OpenShift) -> Vec<UserOnCluster> {
        let classic = Cluster {
            version,
            lens: Lens::V0,
        };
        let v1 = Cluster {
            version,
            lens: Lens::V1,
        };
        let (old, new) = (bundles_by_name(self.old), bundles_by_name(self.new));
        let unblocking_steps =
            |sides: &Sides, cluster| UnblockingSteps::new(self, (&old, &new), sides, cluster);
        let by_channel: HashMap<&Text, UnblockingSteps> = self
            .channels
            .iter()
            .map(|channel| (&channel.name, unblocking_steps(&channel.v0, classic)))
            .collect();
        let under_v1 = unblocking_steps(&self.v1, v1);
        let effect_on_user = |user: &User| {
            // Channels with equal answers form one user; use the path of the first.
            let (steps, cluster) = match user.lens {
                Lens::V0 => (
                    user.channels.first().and_then(|name| by_channel.get(name)),
                    classic,
                ),
                Lens::V1 => (Some(&under_v1), v1),
            };
            let number = self.versions.number(&user.from);
            let unblocked_by = |steps: &HashMap<u32, Option<u32>>| {
                let number = steps.get(&number?).copied()??;
                self.versions
                    .get(number)
                    .map(|installed| installed.name.clone())
            };
            let installed = old
                .get(&*user.from.name)
                .or_else(|| new.get(&*user.from.name));
            let blocks_update = installed.is_some_and(|bundle| cluster.judge(bundle).blocks_update);
            let next = user.new_next.as_ref().and_then(|next| new.get(&*next.name));
            UserOnCluster {
                blocks_update,
                old_unblocked_by: steps.and_then(|steps| unblocked_by(&steps.old)),
                new_unblocked_by: steps.and_then(|steps| unblocked_by(&steps.new)),
                new_next: next
                    .map(|bundle| cluster.judge(bundle))
                    .filter(|next| next.starts != Starts::Yes),
            }
        };
        self.users().iter().map(effect_on_user).collect()
    }
}

/// For each version that blocks the cluster: the first one on its path that does not, before and
/// after.
struct UnblockingSteps {
    old: HashMap<u32, Option<u32>>,
    new: HashMap<u32, Option<u32>>,
}

impl UnblockingSteps {
    fn new(
        pair: &Pair<'_>,
        (old, new): (&BundlesByName<'_>, &BundlesByName<'_>),
        sides: &Sides,
        cluster: Cluster,
    ) -> Self {
        // Use this state's bundle, or the other's: a removed bundle may still be installed.
        let blocks_update = |first: &BundlesByName<'_>, second: &BundlesByName<'_>, number: u32| {
            let Some(installed) = pair.versions.get(number) else {
                return false;
            };
            let bundle = first
                .get(&*installed.name)
                .or_else(|| second.get(&*installed.name));
            bundle.is_some_and(|bundle| {
                Limit::from_bundle(bundle, cluster.lens).blocks(cluster.version)
            })
        };
        Self {
            old: first_unblocked(&sides.old, |number| blocks_update(old, new, number)),
            new: first_unblocked(&sides.new, |number| blocks_update(new, old, number)),
        }
    }
}

/// Finds, for each version that blocks the cluster, the first version on its path that does not.
/// Walks each path once.
pub(super) fn first_unblocked(
    paths: &PathSummaries,
    blocks: impl Fn(u32) -> bool,
) -> HashMap<u32, Option<u32>> {
    let mut unblocked: HashMap<u32, Option<u32>> = HashMap::default();
    for &start in paths.members.iter().filter(|&&number| blocks(number)) {
        let mut walked = Vec::new();
        let mut next = Some(start);
        let target = loop {
            let Some(number) = next else { break None };
            if !blocks(number) {
                break Some(number);
            }
            if let Some(&known) = unblocked.get(&number) {
                break known;
            }
            // Provisional: a path that returns here never unblocks the cluster.
            unblocked.insert(number, None);
            walked.push(number);
            next = paths.next_version(number);
        };
        unblocked.extend(walked.into_iter().map(|number| (number, target)));
    }
    unblocked
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::testing::package;

    fn findings(old: &str, new: &str) -> Vec<String> {
        let (old, new) = (package(old), package(new));
        let pair = Pair::new(Some(&old), Some(&new));
        let on = pair.users_on_cluster(OpenShift::new(4, 18));
        let users = pair
            .users()
            .iter()
            .zip(&on)
            .filter(|(user, _)| user.lens == Lens::V0);
        users
            .flat_map(|(user, on)| on.messages(user, OpenShift::new(4, 18)))
            .collect()
    }

    #[test]
    fn a_change_frees_the_cluster_or_no_longer_does() {
        let held = "c: a@1.0.0 max:\"4.18\"";
        let freed = "c: b@1.1.0 r:a; a@1.0.0 max:\"4.18\"";
        let last = "`a` blocks cluster updates beyond OpenShift 4.18: ";
        assert_eq!(
            findings(held, freed),
            [format!(
                "{last}before this change nothing on its path unblocked it; now `b` does"
            )]
        );
        assert_eq!(
            findings(freed, held),
            [format!(
                "{last}before this change `b` unblocked it; now nothing on its path does"
            )]
        );
        // The bundle that unblocked it now has a limit itself.
        let limited = "c: b@1.1.0 r:a max:\"4.18\"; a@1.0.0 max:\"4.18\"";
        assert_eq!(
            findings(freed, limited),
            [format!(
                "{last}before this change `b` unblocked it; now nothing on its path does"
            )]
        );
        assert_eq!(findings(freed, freed), [""; 0]);
    }

    #[test]
    fn a_channel_is_named_if_others_are_not_affected() {
        let held = "a@1.0.0 max:\"4.18\"";
        let freed = "b@1.1.0 r:a; a@1.0.0 max:\"4.18\"";
        let (old, new) = (
            package(&format!("c: {freed}\nd: {freed}")),
            package(&format!("c: {held}\nd: {freed}")),
        );
        let pair = Pair::new(Some(&old), Some(&new));
        let version = OpenShift::new(4, 18);
        let on = pair.users_on_cluster(version);
        assert_eq!(
            sentences(pair.users().iter().zip(&on), version),
            [
                "`a` blocks cluster updates beyond OpenShift 4.18: before this change `b` unblocked it; now nothing on \
                 its path does (Classic in c)"
            ]
        );
    }

    #[test]
    fn a_new_next_step_may_not_start() {
        let new = "c: b@1.1.0 r:a kube:1.32.0; a@1.0.0";
        assert_eq!(findings("c: a@1.0.0", new).len(), 1);
        assert_eq!(findings(new, new), [""; 0]);
    }
}

//! Effects of bundles on a cluster of an OpenShift version: what blocks its update to the next
//! minor version, and what does not start on it (`olm-resolution` 4.1 and 4.2).
//!
//! Resolution ignores both: a step is OLM's answer, and this module adds its consequences.

use super::cluster_limit::{Limit, OpenShift, kubernetes_minor, min_kube};
use super::users::User;
use super::{Pair, Sides};
use crate::hashed::HashMap;
use crate::model::{BundleBlob, Package};
use crate::place::Text;
use crate::upgrade::Lens;
use crate::upgrade::everyone::PathSummaries;

/// A cluster, and the OLM that manages operators on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    pub version: OpenShift,
    pub lens: Lens,
}

/// The effect of one bundle on a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleOnCluster {
    pub name: Text,
    pub limit: Limit,
    /// While installed, it blocks the cluster's update to the next minor version.
    pub blocks_update: bool,
    /// As written; "" if absent.
    pub min_kube: Text,
    pub starts: Starts,
}

/// Whether a bundle starts on a cluster, by its `minKubeVersion`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starts {
    Yes,
    /// Classic resolves it, but its ClusterServiceVersion stays in `Pending`.
    No,
    /// The minor versions are equal, but the cluster's patch version is unknown.
    Unknown,
    /// It requires more than the cluster has; OLM v1 does not check and installs it.
    Ignored,
}

impl Starts {
    /// The spelling of the JSON contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Starts::Yes => "yes",
            Starts::No => "no",
            Starts::Unknown => "unknown",
            Starts::Ignored => "ignored",
        }
    }
}

/// The minor version of Kubernetes that an OpenShift version ships, such as `1.31`.
pub fn kubernetes(version: OpenShift) -> Option<String> {
    kubernetes_minor(version).map(|minor| format!("1.{minor}"))
}

impl BundleOnCluster {
    /// Short remarks.
    pub fn remarks(&self, cluster: Cluster) -> Vec<String> {
        let held = self.blocks_update.then(|| match &self.limit {
            Limit::Unreadable(_) => {
                format!(
                    "blocks cluster updates beyond OpenShift {} (unreadable limit)",
                    cluster.version
                )
            }
            limit => format!(
                "blocks cluster updates beyond OpenShift {} (limit {limit})",
                cluster.version
            ),
        });
        let minimum = &self.min_kube;
        let starts = match self.starts {
            Starts::Yes => None,
            Starts::No => Some(format!("does not start: requires Kubernetes {minimum}")),
            Starts::Unknown => Some(format!("may not start: requires Kubernetes {minimum}")),
            Starts::Ignored => Some(format!(
                "requires Kubernetes {minimum}, which OLM v1 does not check"
            )),
        };
        held.into_iter().chain(starts).collect()
    }
}

impl Cluster {
    pub fn judge(self, bundle: &BundleBlob) -> BundleOnCluster {
        let limit = Limit::from_bundle(bundle, self.lens);
        BundleOnCluster {
            name: bundle.name.value.clone(),
            blocks_update: limit.blocks(self.version),
            limit,
            min_kube: bundle.min_kube_version.clone(),
            starts: self.starts(&bundle.min_kube_version),
        }
    }

    fn starts(self, minimum: &str) -> Starts {
        let Some(has) = kubernetes_minor(self.version).filter(|_| !minimum.is_empty()) else {
            return Starts::Yes;
        };
        let minimum =
            min_kube(minimum).map(|minimum| (minimum.major(), minimum.minor(), minimum.patch()));
        match (minimum, self.lens) {
            (Some((major, minor, _)), _) if (major, minor) < (1, has) => Starts::Yes,
            (Some((1, minor, 0)), _) if minor == has => Starts::Yes,
            (Some((1, minor, _)), Lens::V0) if minor == has => Starts::Unknown,
            (_, Lens::V0) => Starts::No,
            (_, Lens::V1) => Starts::Ignored,
        }
    }

    /// The consequences of an installed bundle as a sentence with names in backticks; `None` if
    /// there are none. `way_out`: the first version on its path that does not block the cluster,
    /// and one before it that does not start.
    pub(super) fn block_message(
        self,
        on: &BundleOnCluster,
        unblocked_by: Option<(&BundleOnCluster, Option<&BundleOnCluster>)>,
    ) -> Option<String> {
        let (name, version) = (&on.name, self.version);
        let limit = match &on.limit {
            Limit::None => return None,
            _ if !on.blocks_update => return None,
            Limit::UpTo(max) => format!("its olm.maxOpenShiftVersion is {max}"),
            Limit::Unreadable(reason) => {
                format!("its olm.maxOpenShiftVersion cannot be read ({reason})")
            }
        };
        let freed = match unblocked_by {
            Some((unblocked_by, None)) => {
                format!("upgrading to `{}` unblocks it", unblocked_by.name)
            }
            Some((unblocked_by, Some(pending))) => {
                format!(
                    "upgrading to `{}` unblocks it, but `{}` comes first and does not start",
                    unblocked_by.name, pending.name
                )
            }
            None => "no version on its upgrade path unblocks it".to_owned(),
        };
        Some(format!(
            "`{name}` blocks cluster updates beyond OpenShift {version}: {limit}; {freed}"
        ))
    }

    /// Why a bundle does not or may not start, as a sentence.
    pub fn start_message(self, on: &BundleOnCluster) -> Option<String> {
        let (name, minimum, version) = (&on.name, &on.min_kube, self.version);
        let has = kubernetes(version)?;
        let asks = format!(
            "`{name}` requires Kubernetes {minimum} (minKubeVersion), and OpenShift {version} has {has}"
        );
        match on.starts {
            Starts::Yes => None,
            Starts::No if min_kube(minimum).is_none() => Some(format!(
                "`{name}` never starts: its minKubeVersion `{minimum}` is not MAJOR.MINOR.PATCH; OLM resolves it, but its ClusterServiceVersion stays Pending"
            )),
            Starts::No => Some(format!(
                "{asks}; OLM resolves it, but its ClusterServiceVersion stays Pending"
            )),
            Starts::Unknown => Some(format!(
                "{asks}; it starts only if the cluster's patch version is high enough"
            )),
            Starts::Ignored => Some(format!(
                "{asks}; OLM v1 does not check this and installs it anyway"
            )),
        }
    }
}

/// The first bundle of each name, in the order of the packages.
pub(super) fn first_by_name<'p>(
    packages: impl Iterator<Item = &'p Package>,
) -> HashMap<&'p str, &'p BundleBlob> {
    let mut bundles = HashMap::default();
    for bundle in packages.flat_map(|package| &package.bundles) {
        bundles.entry(bundle.name.as_str()).or_insert(&**bundle);
    }
    bundles
}

/// The first bundle of each name.
type ByName<'p> = HashMap<&'p Text, &'p BundleBlob>;

fn by_name(package: Option<&Package>) -> ByName<'_> {
    let bundles = package.map_or(&[][..], |package| &package.bundles);
    bundles
        .iter()
        .rev()
        .map(|bundle| (&bundle.name.value, &**bundle))
        .collect()
}

/// The effect of a change on an installed version on a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserOnCluster {
    /// The installed bundle blocks the cluster.
    pub blocks_update: bool,
    /// The first version on the path that does not block it, before and after the change.
    pub old_unblocked_by: Option<Text>,
    pub new_unblocked_by: Option<Text>,
    /// The next step after the change, if it does not or may not start.
    pub new_next: Option<BundleOnCluster>,
}

impl UserOnCluster {
    /// Empty if the change makes no difference on the cluster.
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

/// The effects of a change on all of a package's users on a cluster: distinct sentences with the
/// lenses they apply to.
pub fn sentences<'u>(
    users: impl IntoIterator<Item = (&'u User, &'u UserOnCluster)>,
    cluster: OpenShift,
) -> Vec<String> {
    let mut sentences: Vec<(String, Vec<&str>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::default();
    for (user, on) in users {
        let lens = if user.lens == Lens::V1 {
            "OLM v1"
        } else {
            "Classic"
        };
        for sentence in on.messages(user, cluster) {
            match known.get(&sentence).and_then(|at| sentences.get_mut(*at)) {
                Some((_, lenses)) if lenses.contains(&lens) => {}
                Some((_, lenses)) => lenses.push(lens),
                None => {
                    known.insert(sentence.clone(), sentences.len());
                    sentences.push((sentence, vec![lens]));
                }
            }
        }
    }
    sentences
        .iter_mut()
        .for_each(|(_, lenses)| lenses.sort_unstable());
    sentences
        .into_iter()
        .map(|(sentence, lenses)| format!("{sentence} ({})", lenses.join(", ")))
        .collect()
}

impl Pair<'_> {
    /// The effect of the change on a cluster for each of [`Pair::users`].
    pub fn on_cluster(&self, version: OpenShift) -> Vec<UserOnCluster> {
        let classic = Cluster {
            version,
            lens: Lens::V0,
        };
        let v1 = Cluster {
            version,
            lens: Lens::V1,
        };
        let (old, new) = (by_name(self.old), by_name(self.new));
        let freed =
            |sides: &Sides, cluster| UnblockingSteps::new(self, (&old, &new), sides, cluster);
        let channels: HashMap<&Text, UnblockingSteps> = self
            .channels
            .iter()
            .map(|channel| (&channel.name, freed(&channel.v0, classic)))
            .collect();
        let all = freed(&self.v1, v1);
        let of_user = |user: &User| {
            // Channels with equal answers form one user; use the path of the first.
            let (unblocked_by, cluster) = match user.lens {
                Lens::V0 => (
                    user.channels.first().and_then(|name| channels.get(name)),
                    classic,
                ),
                Lens::V1 => (Some(&all), v1),
            };
            let number = self.versions.number(&user.from);
            let freed_in = |by: &HashMap<u32, Option<u32>>| {
                let number = by.get(&number?).copied()??;
                self.versions
                    .get(number)
                    .map(|installed| installed.name.clone())
            };
            let installed = old
                .get(&user.from.name)
                .or_else(|| new.get(&user.from.name));
            let blocks_update = installed.is_some_and(|bundle| cluster.judge(bundle).blocks_update);
            let next = user.new_next.as_ref().and_then(|next| new.get(&next.name));
            UserOnCluster {
                blocks_update,
                old_unblocked_by: unblocked_by.and_then(|by| freed_in(&by.old)),
                new_unblocked_by: unblocked_by.and_then(|by| freed_in(&by.new)),
                new_next: next
                    .map(|bundle| cluster.judge(bundle))
                    .filter(|next| next.starts != Starts::Yes),
            }
        };
        self.users().iter().map(of_user).collect()
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
        (old, new): (&ByName<'_>, &ByName<'_>),
        sides: &Sides,
        cluster: Cluster,
    ) -> Self {
        // The bundle as this state has it; a removed one may still be installed.
        let blocks_update = |first: &ByName<'_>, second: &ByName<'_>, number: u32| {
            let Some(installed) = pair.versions.get(number) else {
                return false;
            };
            let bundle = first
                .get(&installed.name)
                .or_else(|| second.get(&installed.name));
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

/// For each version that blocks the cluster, the first one on its path that does not. Each path is
/// walked once.
pub(super) fn first_unblocked(
    paths: &PathSummaries,
    blocks: impl Fn(u32) -> bool,
) -> HashMap<u32, Option<u32>> {
    let mut found: HashMap<u32, Option<u32>> = HashMap::default();
    for &start in paths.members.iter().filter(|&&number| blocks(number)) {
        let mut way = Vec::new();
        let mut at = Some(start);
        let out = loop {
            let Some(here) = at else { break None };
            if !blocks(here) {
                break Some(here);
            }
            if let Some(&known) = found.get(&here) {
                break known;
            }
            found.insert(here, None);
            way.push(here);
            at = paths
                .get(here)
                .and_then(|path| path.next.as_ref())
                .map(|step| step.to);
        };
        way.into_iter().for_each(|number| {
            found.insert(number, out);
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upgrade::testing::package;

    fn on(text: &str, name: &str, lens: Lens) -> (BundleOnCluster, Cluster) {
        let cluster = Cluster {
            version: OpenShift::new(4, 18),
            lens,
        };
        let package = package(text);
        (cluster.judge(package.bundle(name).unwrap()), cluster)
    }

    #[test]
    fn cluster_updates_are_blocked_under_both_lenses() {
        for (limit, blocks_update) in [
            ("\"4.17\"", true),
            ("\"4.18\"", true),
            ("\"4.19\"", false),
            ("\"4.18.3\"", true),
        ] {
            for lens in [Lens::V0, Lens::V1] {
                let (on, cluster) = on(&format!("c: a@1.0.0 max:{limit}"), "a", lens);
                assert_eq!(on.blocks_update, blocks_update, "{limit} {lens:?}");
                assert_eq!(
                    cluster.block_message(&on, None).is_some(),
                    blocks_update,
                    "{limit} {lens:?}"
                );
            }
        }
        // OLM v1 ignores the property.
        assert!(
            !on("c: a@1.0.0 max:\"4.19.0\"", "a", Lens::V0)
                .0
                .blocks_update
        );
        assert!(
            on("c: a@1.0.0 max:\"4.19.0\"", "a", Lens::V1)
                .0
                .blocks_update
        );
        let (on, cluster) = on("c: a@1.0.0 max:\"4.18\"", "a", Lens::V1);
        assert_eq!(
            cluster.block_message(&on, None).as_deref(),
            Some(
                "`a` blocks cluster updates beyond OpenShift 4.18: its olm.maxOpenShiftVersion is 4.18; no version on its upgrade path unblocks it"
            )
        );
    }

    #[test]
    fn a_too_high_min_kube_version_does_not_start_under_classic() {
        for (minimum, classic, v1) in [
            ("1.31.0", Starts::Yes, Starts::Yes),
            ("v1.30.9", Starts::Yes, Starts::Yes),
            ("1.31.4", Starts::Unknown, Starts::Ignored),
            ("1.32.0", Starts::No, Starts::Ignored),
            ("1.21", Starts::No, Starts::Ignored),
        ] {
            let text = format!("c: a@1.0.0 kube:{minimum}");
            assert_eq!(
                (
                    on(&text, "a", Lens::V0).0.starts,
                    on(&text, "a", Lens::V1).0.starts
                ),
                (classic, v1),
                "{minimum}"
            );
        }
        let (on, cluster) = on("c: a@1.0.0 kube:1.32.0", "a", Lens::V0);
        assert_eq!(
            cluster.start_message(&on).as_deref(),
            Some(
                "`a` requires Kubernetes 1.32.0 (minKubeVersion), and OpenShift 4.18 has 1.31; OLM resolves it, but its \
                 ClusterServiceVersion stays Pending"
            )
        );
    }

    fn findings(old: &str, new: &str) -> Vec<String> {
        let (old, new) = (package(old), package(new));
        let pair = Pair::new(Some(&old), Some(&new));
        let on = pair.on_cluster(OpenShift::new(4, 18));
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
    fn a_new_next_step_may_not_start() {
        let new = "c: b@1.1.0 r:a kube:1.32.0; a@1.0.0";
        assert_eq!(findings("c: a@1.0.0", new).len(), 1);
        assert_eq!(findings(new, new), [""; 0]);
    }
}

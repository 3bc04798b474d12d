//! Effects of bundles on a cluster of an OpenShift version: what blocks its update to the next
//! minor version, and what does not start on it (`olm-resolution` 4.1 and 4.2).
//!
//! Resolution ignores both: a step is OLM's answer, and this module adds its consequences.
//! OpenShift's own operators check `olm.maxOpenShiftVersion`: Classic's for its installations, and
//! OpenShift's operator for OLM v1 for a ClusterExtension, from the bundle properties that OLM v1
//! records. Both block alike.

use crate::Lens;
use catalog::model::{BundleBlob, Package};
use catalog::roots::catalog_version;
use catalog::version::Version;
use catalog::version::openshift::{UnreadableLimit, parse_limit, parse_limit_in_v1};
use protocol::enum_with_text;
use syntax::go_text::quote;
use syntax::hashed::HashMap;
use syntax::place::Text;

pub use catalog::version::openshift::OpenShift;

/// The property with the highest OpenShift minor version that a bundle supports.
pub const MAX_OPENSHIFT_VERSION: &str = "olm.maxOpenShiftVersion";

/// First line of Classic's report.
const HEADING: &str = "ClusterServiceVersions blocking minor version upgrades to 4.23 or major version upgrades to 5.0:";

/// A cluster, and the OLM that manages operators on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    pub version: OpenShift,
    pub lens: Lens,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleOnCluster {
    pub name: Text,
    pub limit: Limit,
    /// Whether it blocks the cluster's update to the next minor version while installed.
    pub blocks_update: bool,
    /// As written; "" if absent.
    pub min_kube: Text,
    pub starts: Starts,
}

enum_with_text! {
    /// Returns the spelling of the JSON contract.
    pub fn as_str;
    /// Whether a bundle starts on a cluster, by its `minKubeVersion`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Starts {
        Yes = "yes",
        /// Classic resolves it, but its ClusterServiceVersion remains `Pending`.
        No = "no",
        /// The minor versions are equal, but the cluster's patch version is unknown.
        Unknown = "unknown",
        /// It requires more than the cluster has; OLM v1 does not check and installs it.
        Ignored = "ignored",
    }
}

/// Returns the minor version of Kubernetes that an OpenShift version ships, such as `1.31`.
pub fn kubernetes(version: OpenShift) -> Option<String> {
    kubernetes_minor(version).map(|minor| format!("1.{minor}"))
}

impl BundleOnCluster {
    /// Returns short remarks.
    pub fn remarks(&self, cluster: Cluster) -> Vec<String> {
        let blocked = self.blocks_update.then(|| match &self.limit {
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
        blocked.into_iter().chain(starts).collect()
    }
}

impl Cluster {
    /// Computes the effect of a bundle on the cluster.
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
        let Some(cluster_minor) = kubernetes_minor(self.version).filter(|_| !minimum.is_empty())
        else {
            return Starts::Yes;
        };
        let minimum =
            min_kube(minimum).map(|minimum| (minimum.major(), minimum.minor(), minimum.patch()));
        match (minimum, self.lens) {
            (Some((major, minor, _)), _) if (major, minor) < (1, cluster_minor) => Starts::Yes,
            (Some((1, minor, 0)), _) if minor == cluster_minor => Starts::Yes,
            (Some((1, minor, _)), Lens::V0) if minor == cluster_minor => Starts::Unknown,
            (_, Lens::V0) => Starts::No,
            (_, Lens::V1) => Starts::Ignored,
        }
    }

    /// Returns the consequences of an installed bundle as a sentence with names in backticks;
    /// `None` if there are none. `unblocked_by`: the first version on its path that does not block
    /// the cluster, and one before it that does not start.
    pub fn block_message(
        self,
        bundle: &BundleOnCluster,
        unblocked_by: Option<(&BundleOnCluster, Option<&BundleOnCluster>)>,
    ) -> Option<String> {
        let (name, version) = (&bundle.name, self.version);
        let limit = match &bundle.limit {
            Limit::None => return None,
            _ if !bundle.blocks_update => return None,
            Limit::UpTo(max) => format!("its olm.maxOpenShiftVersion is {max}"),
            Limit::Unreadable(reason) => {
                format!("its olm.maxOpenShiftVersion cannot be read ({reason})")
            }
        };
        let remedy = match unblocked_by {
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
            "`{name}` blocks cluster updates beyond OpenShift {version}: {limit}; {remedy}"
        ))
    }

    /// Explains why a bundle does not or may not start, as a sentence.
    pub fn start_message(self, bundle: &BundleOnCluster) -> Option<String> {
        let (name, minimum, version) = (&bundle.name, &bundle.min_kube, self.version);
        let kubernetes = kubernetes(version)?;
        let requirement = format!(
            "`{name}` requires Kubernetes {minimum} (minKubeVersion), and OpenShift {version} has {kubernetes}"
        );
        match bundle.starts {
            Starts::Yes => None,
            Starts::No if min_kube(minimum).is_none() => Some(format!(
                "`{name}` never starts: its minKubeVersion `{minimum}` is not MAJOR.MINOR.PATCH; OLM resolves it, but its ClusterServiceVersion stays Pending"
            )),
            Starts::No => Some(format!(
                "{requirement}; OLM resolves it, but its ClusterServiceVersion stays Pending"
            )),
            Starts::Unknown => Some(format!(
                "{requirement}; it starts only if the cluster's patch version is high enough"
            )),
            Starts::Ignored => Some(format!(
                "{requirement}; OLM v1 does not check this and installs it anyway"
            )),
        }
    }
}

/// Returns the first bundle of each name, in the order of the packages.
pub fn first_by_name<'p>(
    packages: impl Iterator<Item = &'p Package>,
) -> HashMap<&'p str, &'p BundleBlob> {
    let mut bundles = HashMap::default();
    for bundle in packages.flat_map(|package| &package.bundles) {
        bundles.entry(bundle.name.as_str()).or_insert(&**bundle);
    }
    bundles
}

/// The value of a bundle's `olm.maxOpenShiftVersion` properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// Absent: never blocks.
    None,
    UpTo(OpenShift),
    /// Unreadable or duplicate: always blocks.
    Unreadable(UnreadableLimit),
}

impl Limit {
    /// Reads the limit like Classic, or like OLM v1, which is stricter.
    pub fn from_bundle(bundle: &BundleBlob, lens: Lens) -> Self {
        let parse = match lens {
            Lens::V0 => parse_limit,
            Lens::V1 => parse_limit_in_v1,
        };
        let mut values = bundle
            .properties
            .iter()
            .filter(|p| &*p.kind == MAX_OPENSHIFT_VERSION)
            .map(|p| p.value.as_ref());
        match (values.next(), values.next()) {
            (None, _) => Self::None,
            (Some(_), Some(_)) => Self::Unreadable(UnreadableLimit {
                reason: format!("more than one property `{MAX_OPENSHIFT_VERSION}`"),
                olm: format!(
                    "defining more than one {} property is not allowed",
                    quote(MAX_OPENSHIFT_VERSION)
                ),
            }),
            (Some(value), None) => match parse(value.map_or("", Text::as_ref)) {
                Ok(version) => Self::UpTo(version),
                Err(reason) => Self::Unreadable(reason),
            },
        }
    }

    /// Whether the bundle blocks a cluster of version `cluster` from its next minor version.
    pub fn blocks(&self, cluster: OpenShift) -> bool {
        match self {
            Self::None => false,
            Self::UpTo(max) => *max < cluster.next(),
            Self::Unreadable(_) => true,
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::UpTo(version) => version.fmt(f),
            Self::Unreadable(error) => error.fmt(f),
        }
    }
}

/// Returns Classic's report about the installed operators that block the cluster, each given as
/// NAMESPACE/NAME with its limit; `None` if none does. The versions in its first line are fixed
/// text, independent of the cluster's version.
pub fn classic_report(cluster: OpenShift, installed: &[(String, Limit)]) -> Option<String> {
    let invalid = installed.iter().filter_map(|(name, limit)| match limit {
        Limit::Unreadable(error) => Some(format!(
            "- {name} has invalid {MAX_OPENSHIFT_VERSION} properties: {}",
            error.olm
        )),
        _ => None,
    });
    let below = installed
        .iter()
        .rev()
        .filter_map(|(name, limit)| match limit {
            Limit::UpTo(max) if limit.blocks(cluster) => Some(format!(
                "- maximum supported OCP version for {name} is {max}"
            )),
            _ => None,
        });
    let lines: Vec<String> = invalid.chain(below).collect();
    (!lines.is_empty()).then(|| format!("{HEADING}\n{}", lines.join("\n")))
}

/// The newest OpenShift 4 whose Kubernetes is known (`olm-resolution` 4.2).
const NEWEST_MINOR: u64 = 23;

/// Returns the minor version of Kubernetes 1 that an OpenShift version ships (`olm-resolution` 4.2:
/// 4.12 has 1.25); `None` before 4, and beyond the known releases.
pub fn kubernetes_minor(cluster: OpenShift) -> Option<u64> {
    match cluster.parts() {
        (4, minor @ ..=NEWEST_MINOR) => Some(minor + 13),
        // 5.0 equals 4.23.
        (5, 0) => Some(36),
        _ => None,
    }
}

/// Parses a `minKubeVersion` like Classic: drops a leading `v`, then expects a full version. `None`
/// if invalid, which no cluster satisfies.
pub fn min_kube(text: &str) -> Option<Version> {
    Version::parse(text.strip_prefix('v').unwrap_or(text)).ok()
}

/// Returns the OpenShift version in the name of a catalog's folder.
pub fn cluster_of(catalog: &str) -> Option<OpenShift> {
    let (major, minor) = catalog_version(catalog)?;
    Some(OpenShift::new(major, minor))
}

/// The versions of a path, starting with the installed one, as the catalogs define them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathOnCluster {
    pub cluster: Cluster,
    pub names: Vec<Text>,
    /// Parallel to `names`; `None` if no catalog has the bundle.
    pub steps: Vec<Option<BundleOnCluster>>,
}

/// The installed and the next bundle of a step on a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextStepOnCluster {
    pub cluster: Cluster,
    pub installed: Option<BundleOnCluster>,
    pub next: Option<BundleOnCluster>,
    /// The first version on the path after a blocking one that does not block the cluster.
    pub unblocked_by: Option<Text>,
    /// Classic's report on the cluster about the installed bundle, with `NAMESPACE` for its
    /// namespace; `None` if it does not block the cluster, and under OLM v1.
    pub reported: Option<String>,
    /// The consequences as sentences with names in backticks; may be empty.
    pub messages: Vec<String>,
}

impl PathOnCluster {
    /// Finds the bundles of a path. `packages`: the package in each catalog; the first that has a
    /// bundle counts.
    pub fn new<'p>(
        cluster: Cluster,
        packages: impl Iterator<Item = &'p Package>,
        names: impl IntoIterator<Item = Text>,
    ) -> Self {
        let names: Vec<Text> = names.into_iter().collect();
        let bundles = first_by_name(packages);
        Self {
            cluster,
            steps: names
                .iter()
                .map(|name: &Text| bundles.get(&**name).map(|bundle| cluster.judge(bundle)))
                .collect(),
            names,
        }
    }

    pub fn get(&self, name: &str) -> Option<&BundleOnCluster> {
        let mut known = self.steps.iter().flatten();
        known.find(|bundle| *bundle.name == *name)
    }

    /// Returns the first version after a blocking one that does not block the cluster, and a
    /// version before it that does not start.
    fn unblocking_step(&self) -> Option<(&BundleOnCluster, Option<&BundleOnCluster>)> {
        let mut bundles = self
            .steps
            .iter()
            .flatten()
            .skip_while(|bundle| !bundle.blocks_update);
        let unblocked_by = bundles.clone().find(|bundle| !bundle.blocks_update)?;
        // The installed version has already started.
        bundles.next();
        let mut between = bundles.take_while(|bundle| bundle.name != unblocked_by.name);
        let pending = between.find(|bundle| bundle.starts == Starts::No);
        Some((unblocked_by, pending))
    }

    pub fn unblocked_by(&self) -> Option<Text> {
        self.unblocking_step().map(|(step, _)| step.name.clone())
    }

    /// Returns a remark for each name; may be empty.
    pub fn remarks(&self) -> Vec<String> {
        self.steps
            .iter()
            .map(|step| match step {
                Some(bundle) => bundle.remarks(self.cluster).join("; "),
                None => "not checked: no catalog contains it".to_owned(),
            })
            .collect()
    }
}

impl NextStepOnCluster {
    /// Describes one step. `installed` and `next` are those of the answer; `path` starts with the
    /// installed one.
    pub fn new(path: &PathOnCluster, installed: Option<&str>, next: Option<&str>) -> Self {
        let cluster = path.cluster;
        let installed_bundle = installed.and_then(|name| path.get(name));
        let next_bundle = next.and_then(|name| path.get(name));
        let mut messages = Vec::new();
        if let Some(name) = installed.filter(|_| installed_bundle.is_none()) {
            messages.push(format!(
                "cannot check `{name}` against the cluster: no catalog contains it"
            ));
        }
        let blocking = installed_bundle
            .filter(|bundle| bundle.blocks_update)
            .or(next_bundle);
        let block_message =
            blocking.and_then(|bundle| cluster.block_message(bundle, path.unblocking_step()));
        messages.extend(block_message);
        messages.extend(next_bundle.and_then(|bundle| cluster.start_message(bundle)));
        let is_classic = cluster.lens == Lens::V0;
        let reported = installed_bundle.filter(|_| is_classic).and_then(|bundle| {
            let installed = (format!("NAMESPACE/{}", bundle.name), bundle.limit.clone());
            classic_report(cluster.version, &[installed])
        });
        Self {
            cluster,
            reported,
            installed: installed_bundle.cloned(),
            next: next_bundle.cloned(),
            unblocked_by: path.unblocked_by(),
            messages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::testing::package;

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
}

#[cfg(test)]
mod limit_tests {
    use super::*;

    #[test]
    fn matches_the_table_of_the_specification() {
        for (cluster, max, blocks) in [
            ((4, 17), (4, 18), false),
            ((4, 18), (4, 18), true),
            ((4, 22), (4, 23), false),
            ((4, 22), (5, 0), false),
            ((4, 23), (4, 23), true),
            ((4, 23), (5, 0), true),
            ((5, 0), (5, 1), false),
            ((5, 1), (5, 1), true),
        ] {
            let version = |(major, minor)| OpenShift::new(major, minor);
            assert_eq!(
                Limit::UpTo(version(max)).blocks(version(cluster)),
                blocks,
                "{cluster:?} {max:?}"
            );
        }
        assert!(!Limit::None.blocks(OpenShift::new(4, 18)));
        let unreadable = parse_limit("x").map_or_else(Limit::Unreadable, Limit::UpTo);
        assert!(unreadable.blocks(OpenShift::new(4, 18)));
        assert_eq!(kubernetes_minor(OpenShift::new(4, 12)), Some(25));
        assert_eq!(
            kubernetes_minor(OpenShift::new(4, 23)),
            kubernetes_minor(OpenShift::new(5, 0))
        );
        assert_eq!(kubernetes(OpenShift::new(4, 99)), None, "not known yet");
        for name in [
            "catalogs/v4.19",
            "v4.19.0-rc1",
            "v4.19.3",
            "4.19.3",
            "openshift-v4.19",
            "v4.19-prod",
        ] {
            assert_eq!(cluster_of(name), Some(OpenShift::new(4, 19)), "{name}");
        }
    }
}

#[cfg(test)]
mod path_tests {
    use super::*;
    use crate::{Installed, Options, UpgradeIndex};
    use catalog::testing::package;
    use catalog::version::openshift::OpenShift;

    fn messages(text: &str, installed: Option<(&str, &str)>) -> Vec<String> {
        let package = package(text);
        let index = UpgradeIndex::new(&package);
        let installed = installed.map(|(name, version)| Installed::new(name, version));
        let path = index.path(Lens::V0, installed.as_ref(), &Options::default());
        let cluster = Cluster {
            version: OpenShift::new(4, 18),
            lens: Lens::V0,
        };
        let path = PathOnCluster::new(cluster, std::iter::once(&package), path.steps);
        let next = index
            .next(Lens::V0, installed.as_ref(), &Options::default())
            .next;
        NextStepOnCluster::new(
            &path,
            installed.as_ref().map(|i| &*i.name),
            next.as_ref().map(|next| &*next.name),
        )
        .messages
    }

    #[test]
    fn the_unblocking_path_may_include_a_bundle_that_does_not_start() {
        let held = "`a` blocks cluster updates beyond OpenShift 4.18: its olm.maxOpenShiftVersion is 4.18; ";
        let chain =
            |middle: &str| format!("c: c@3.0.0 r:b; b@2.0.0 r:a {middle}; a@1.0.0 max:\"4.18\"");
        assert_eq!(
            messages(&chain(""), Some(("a", "1.0.0"))),
            [format!("{held}upgrading to `b` unblocks it")]
        );
        assert_eq!(
            messages(&chain("max:\"4.18\""), Some(("a", "1.0.0"))),
            [format!("{held}upgrading to `c` unblocks it")]
        );
        let pending = messages(&chain("max:\"4.18\" kube:1.40.0"), Some(("a", "1.0.0")));
        assert_eq!(
            pending[0],
            format!("{held}upgrading to `c` unblocks it, but `b` comes first and does not start")
        );
        assert_eq!(pending.len(), 2);
        assert_eq!(
            messages("c: a@1.0.0 max:\"4.18\"", Some(("a", "1.0.0"))),
            [format!("{held}no version on its upgrade path unblocks it")]
        );
    }

    #[test]
    fn a_fresh_install_may_block_the_cluster() {
        let fresh = messages("c: a@1.0.0 max:\"4.18\"", None);
        assert!(
            fresh[0].starts_with("`a` blocks cluster updates"),
            "{fresh:?}"
        );
        assert_eq!(messages("c: a@1.0.0", None), [""; 0]);
        let gone = messages("c: b@2.0.0 r:a", Some(("a", "1.0.0")));
        assert_eq!(
            gone,
            ["cannot check `a` against the cluster: no catalog contains it"]
        );
    }
}

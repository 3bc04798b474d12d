//! Whether an installed bundle blocks the next minor version of an OpenShift cluster
//! (`olm-resolution` 4.1).
//!
//! Both resolvers ignore the property; OpenShift's own operators check it: Classic's for its
//! installations, and OpenShift's operator for OLM v1 for a ClusterExtension, from the bundle
//! properties that OLM v1 records. Both block alike.

use crate::go_text::quote;
use crate::model::BundleBlob;
use crate::place::Text;
use crate::roots::catalog_version;
use crate::upgrade::Lens;
use crate::validate::advice::max_openshift_versions::KIND;
use crate::version::Version;
pub use crate::version::openshift::OpenShift;
use crate::version::openshift::{UnreadableLimit, read, read_in_v1};

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
    /// The limit as read by Classic, or by OLM v1, which is stricter.
    pub fn from_bundle(bundle: &BundleBlob, lens: Lens) -> Self {
        let reader = match lens {
            Lens::V0 => read,
            Lens::V1 => read_in_v1,
        };
        let mut values = bundle
            .properties
            .iter()
            .filter(|p| &*p.kind == KIND)
            .map(|p| p.value.as_ref());
        match (values.next(), values.next()) {
            (None, _) => Self::None,
            (Some(_), Some(_)) => Self::Unreadable(UnreadableLimit {
                reason: format!("more than one property `{KIND}`"),
                olm: format!(
                    "defining more than one {} property is not allowed",
                    quote(KIND)
                ),
            }),
            (Some(value), None) => match reader(value.map_or("", Text::as_ref)) {
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

/// Classic's report about the installed operators that block the cluster, each given as
/// NAMESPACE/NAME with its limit; `None` if none does. The versions in its first line are fixed
/// text, independent of the cluster's version.
pub fn classic_report(cluster: OpenShift, installed: &[(String, Limit)]) -> Option<String> {
    const HEADING: &str = "ClusterServiceVersions blocking minor version upgrades to 4.23 or major version upgrades to 5.0:";
    let invalid = installed.iter().filter_map(|(name, limit)| match limit {
        Limit::Unreadable(error) => Some(format!(
            "- {name} has invalid {KIND} properties: {}",
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

/// Minor version of Kubernetes 1 that an OpenShift version ships (`olm-resolution` 4.2: 4.12 has 1.25); `None` before 4.
pub fn kubernetes_minor(cluster: OpenShift) -> Option<u64> {
    let (major, minor) = cluster.parts();
    // 5.0 equals 4.23.
    let since_4_0 = match major {
        4 => minor,
        5 => minor.checked_add(23)?,
        _ => return None,
    };
    since_4_0.checked_add(13)
}

/// Parses a `minKubeVersion` like Classic: drops a leading `v`, then expects a full version. `None`
/// if invalid, which no cluster satisfies.
pub fn min_kube(text: &str) -> Option<Version> {
    Version::parse(text.strip_prefix('v').unwrap_or(text)).ok()
}

/// The OpenShift version in the name of a catalog's folder.
pub fn cluster_of(catalog: &str) -> Option<OpenShift> {
    let (major, minor) = catalog_version(catalog)?;
    Some(OpenShift::new(major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_specification() {
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
        let unreadable = read("x").map_or_else(Limit::Unreadable, Limit::UpTo);
        assert!(unreadable.blocks(OpenShift::new(4, 18)));
        assert_eq!(kubernetes_minor(OpenShift::new(4, 12)), Some(25));
        assert_eq!(
            kubernetes_minor(OpenShift::new(4, 23)),
            kubernetes_minor(OpenShift::new(5, 0))
        );
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

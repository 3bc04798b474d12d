//! Whether an installed bundle holds an OpenShift cluster back from its next minor version (`olm-resolution` 4.1).
//!
//! Neither resolver looks at the property; OpenShift's own operators do. For what Classic installed it is Classic's, for a
//! ClusterExtension OpenShift's operator for OLM v1, which finds the property in what OLM v1 notes of the bundle. Both hold
//! the cluster back alike.

use crate::go_text::quote;
use crate::model::BundleBlob;
use crate::place::Text;
use crate::roots::catalog_version;
use crate::upgrade::Lens;
use crate::validate::advice::max_openshift_version::KIND;
use crate::version::Version;
pub use crate::version::openshift::OpenShift;
use crate::version::openshift::{UnreadableLimit, read, read_in_v1};

/// What the `olm.maxOpenShiftVersion` properties of a bundle say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// There is none: it never blocks.
    None,
    UpTo(OpenShift),
    /// OLM cannot read it, or it is there twice: it always blocks.
    Unreadable(UnreadableLimit),
}

impl Limit {
    /// As Classic reads it, or OLM v1, which is stricter.
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

    /// With this installed, a cluster of version `cluster` is not updated to its next minor version.
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

/// What OLM Classic reports on the cluster about the installed operators that hold it back, each as NAMESPACE/NAME and its
/// limit; `None` where nothing does. The versions in the first line are fixed text, whatever the cluster's version is.
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
    // 5.0 is 4.23 by another name.
    let since_4_0 = match major {
        4 => minor,
        5 => minor.checked_add(23)?,
        _ => return None,
    };
    since_4_0.checked_add(13)
}

/// A `minKubeVersion` as Classic reads it: a leading `v` dropped, then a full version; `None` when it is none, which no
/// cluster meets.
pub fn min_kube(text: &str) -> Option<Version> {
    Version::parse(text.strip_prefix('v').unwrap_or(text)).ok()
}

/// The OpenShift version that a catalog's folder is named by.
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

//! The facts of one package for cross-package rules: requirements, metadata forms, and OpenShift
//! limits of its bundles. Plain data, created and cached with the package's report.

use super::advice::max_openshift_version;
use super::advice::properties::{Shared, anchor, field, shared_properties};
use super::finding::{Anchor, BlobRef};
use super::suggest::compare_versions;
use crate::model::blob::PropertyFact;
use crate::model::{BundleBlob, Package};
use crate::place::Text;
use crate::version::openshift;
use crate::version::openshift::OpenShift;
use std::collections::BTreeSet;

/// The requirements of one package.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Requirements {
    /// Distinct `olm.gvk.required`, by canonical value.
    pub(super) apis: Vec<RequiredApi>,
    /// Distinct `olm.package.required`.
    pub(super) packages: Vec<RequiredPackage>,
    /// For the newest bundle that requires both packages and APIs: their names, and its APIs.
    pub(super) mixed: Option<MixedRequirements>,
    /// Bundles with `olm.bundle.object` and `olm.csv.metadata`: the first one, and their number.
    pub(super) objects: Option<(Subject, usize)>,
    pub(super) metadata: Option<(Subject, usize)>,
    /// Bundles with neither.
    pub(super) formless: Option<(Subject, usize)>,
    /// Distinct valid limits.
    pub(super) limits: Vec<(OpenShift, Subject)>,
}

/// The bundle that a finding concerns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Subject {
    pub(super) bundle: Text,
    /// The bundle's label, with the number of other affected bundles.
    pub(super) label: String,
    /// The label followed by `requires` or `require`.
    pub(super) requires: String,
    pub(super) at: Anchor,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RequiredApi {
    pub(super) subject: Subject,
    pub(super) value: Text,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RequiredPackage {
    pub(super) subject: Subject,
    pub(super) name: String,
    pub(super) range: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct MixedRequirements {
    pub(super) subject: Subject,
    pub(super) packages: BTreeSet<String>,
    pub(super) apis: Vec<Text>,
}

impl Requirements {
    pub(super) fn from_package(package: &Package) -> Self {
        let mut requirements = Self::default();
        for (nth, bundle) in package.bundles.iter().enumerate() {
            let of_kind =
                |kind: &'static str| bundle.properties.iter().filter(move |p| &*p.kind == kind);
            if of_kind("olm.bundle.object").next().is_none()
                && of_kind("olm.csv.metadata").next().is_none()
            {
                requirements
                    .formless
                    .get_or_insert_with(|| (Subject::for_bundle(nth, bundle), 0))
                    .1 += 1;
            }
            for (kind, form) in [
                ("olm.bundle.object", &mut requirements.objects),
                ("olm.csv.metadata", &mut requirements.metadata),
            ] {
                let Some(fact) = of_kind(kind).next() else {
                    continue;
                };
                form.get_or_insert_with(|| (Subject::one(nth, bundle, fact), 0))
                    .1 += 1;
            }
        }
        for need in shared_properties(package, &["olm.gvk.required"]) {
            if let Some(value) = need.property.value.clone() {
                requirements.apis.push(RequiredApi {
                    subject: Subject::from_shared(&need),
                    value,
                });
            }
        }
        for need in shared_properties(package, &["olm.package.required"]) {
            let (name, range) = (need.field("packageName"), need.field("versionRange"));
            requirements.packages.push(RequiredPackage {
                subject: Subject::from_shared(&need),
                name,
                range,
            });
        }
        for limit in shared_properties(package, &[max_openshift_version::KIND]) {
            if let Some(Ok(version)) = limit.property.value.as_deref().map(openshift::read) {
                requirements
                    .limits
                    .push((version, Subject::from_shared(&limit)));
            }
        }
        requirements.mixed = MixedRequirements::from_package(package);
        requirements
    }
}

impl Subject {
    fn one(nth: usize, bundle: &BundleBlob, fact: &PropertyFact) -> Self {
        let name = &bundle.name.value;
        let label = format!("bundle `{name}`");
        Self {
            bundle: name.clone(),
            requires: format!("{label} requires"),
            label,
            at: anchor(nth, fact),
        }
    }

    /// A subject for the bundle's name.
    fn for_bundle(nth: usize, bundle: &BundleBlob) -> Self {
        let name = &bundle.name.value;
        let label = format!("bundle `{name}`");
        Self {
            bundle: name.clone(),
            requires: format!("{label} requires"),
            label,
            at: Anchor::new(BlobRef::Bundle(nth as u32), bundle.name.place),
        }
    }

    fn from_shared(shared: &Shared<'_>) -> Self {
        let (label, requires) = (shared.label(), shared.who("requires", "require"));
        Self {
            bundle: shared.bundle.name.value.clone(),
            label,
            requires,
            at: shared.at,
        }
    }
}

impl MixedRequirements {
    fn from_package(package: &Package) -> Option<Self> {
        let both = |b: &BundleBlob| {
            let has = |kind: &str| b.properties.iter().any(|p| &*p.kind == kind);
            has("olm.package.required") && has("olm.gvk.required")
        };
        let mixed = package.bundles.iter().enumerate().filter(|(_, b)| both(b));
        let (nth, bundle) = mixed.max_by(|a, b| compare_versions(a.1.version(), b.1.version()))?;
        let of_kind =
            |kind: &'static str| bundle.properties.iter().filter(move |p| &*p.kind == kind);
        let first = of_kind("olm.gvk.required").next()?;
        let name = |value: &Text| {
            serde_json::from_str(value)
                .ok()
                .map(|v| field(&v, "packageName").to_owned())
        };
        Some(Self {
            subject: Subject::one(nth, bundle, first),
            packages: of_kind("olm.package.required")
                .filter_map(|p| name(p.value.as_ref()?))
                .collect(),
            apis: of_kind("olm.gvk.required")
                .filter_map(|p| p.value.clone())
                .collect(),
        })
    }
}

//! The limit that a bundle declares by `olm.maxOpenShiftVersion` (`olm-resolution` 4.1).

use crate::model::BundleBlob;
use crate::model::blob::PropertyFact;
use crate::version::openshift::{OpenShift, read};

pub(crate) const KIND: &str = "olm.maxOpenShiftVersion";

/// The limit of a bundle; `None` if it is absent or unreadable for OLM.
pub(crate) fn limit(bundle: &BundleBlob) -> Option<(OpenShift, &PropertyFact)> {
    let mut facts = bundle.properties.iter().filter(|p| &*p.kind == KIND);
    let fact = facts.next().filter(|_| facts.next().is_none())?;
    Some((read(fact.value.as_deref()?).ok()?, fact))
}

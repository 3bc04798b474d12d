//! What `olm.maxOpenShiftVersion` says (`olm-resolution` 4.1).

use crate::fbc::model::BundleBlob;
use crate::fbc::model::blob::PropertyFact;
use crate::fbc::version::Version;

pub(in crate::fbc) const KIND: &str = "olm.maxOpenShiftVersion";

/// Major and minor version of OpenShift. 4.23 and 5.0 are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpenShift {
    major: u64,
    minor: u64,
}

impl OpenShift {
    pub fn new(major: u64, minor: u64) -> Self {
        if (major, minor) == (4, 23) { Self { major: 5, minor: 0 } } else { Self { major, minor } }
    }

    /// Major and minor version.
    pub fn parts(self) -> (u64, u64) {
        (self.major, self.minor)
    }

    /// The minor version that a cluster of this one is updated to next.
    pub fn next(self) -> Self {
        Self { minor: self.minor.saturating_add(1), ..self }
    }
}

impl std::fmt::Display for OpenShift {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What OLM refuses in the value of the property, given as JSON.
pub(in crate::fbc) fn read(json: &str) -> Result<OpenShift, String> {
    let text = json.trim_matches('"');
    if text.is_empty() {
        return Err("the value is empty".to_owned());
    }
    let version = Version::parse_tolerant(text)
        .map_err(|_| format!("`{text}` is no version; write `MAJOR.MINOR`, such as `4.18`"))?;
    if version.patch() != 0 || !version.prerelease().is_empty() {
        return Err(format!("`{text}` says more than `MAJOR.MINOR`"));
    }
    Ok(OpenShift::new(version.major(), version.minor()))
}

/// The limit of a bundle; `None` when it has none or one that OLM cannot read.
pub(in crate::fbc) fn limit(bundle: &BundleBlob) -> Option<(OpenShift, &PropertyFact)> {
    let mut facts = bundle.properties.iter().filter(|p| &*p.kind == KIND);
    let fact = facts.next().filter(|_| facts.next().is_none())?;
    Some((read(fact.value.as_deref()?).ok()?, fact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_olm_reads_them() {
        for (json, version) in [
            ("\"4.18\"", Some("4.18")),
            ("\"4.8.0\"", Some("4.8")),
            ("\"4.8.0+b\"", Some("4.8")),
            ("4.1", Some("4.1")),
            ("\"4.23\"", Some("5.0")),
            ("\"\"", None),
            ("\"4.8.1\"", None),
            ("\"1.1.0-pre\"", None),
            ("\"x\"", None),
            ("{}", None),
        ] {
            assert_eq!(read(json).ok().map(|v| v.to_string()).as_deref(), version, "{json}");
        }
    }
}

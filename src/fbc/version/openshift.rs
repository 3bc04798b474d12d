//! Versions of OpenShift: major and minor, and how `olm.maxOpenShiftVersion` spells them (`olm-resolution` 4.1).

use super::Version;

/// Major and minor version of OpenShift. 4.23 and 5.0 are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpenShift {
    major: u64,
    minor: u64,
}

impl OpenShift {
    pub const fn new(major: u64, minor: u64) -> Self {
        if major == 4 && minor == 23 { Self { major: 5, minor: 0 } } else { Self { major, minor } }
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

/// The version that a text of `olm.maxOpenShiftVersion`, in quotes or not, says; else what OLM refuses in it.
pub fn read(text: &str) -> Result<OpenShift, String> {
    let text = text.trim_matches('"');
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

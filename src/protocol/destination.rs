//! The next destination that OLM offers a user, in the wording of every view.

use crate::judgement::Tone;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Destination<'a> {
    UpdatesTo(&'a str),
    /// A new install gets this version.
    Installs(&'a str),
    /// At the end of its path, as intended.
    StaysOn(&'a str),
    /// No update follows, though one should.
    NoUpdate,
    /// A new install finds no version.
    NotInstallable,
    /// OLM v1 chose a bundle but refuses to install it.
    RefusedByV1,
}

impl Destination<'_> {
    pub fn tone(self) -> Tone {
        match self {
            Destination::UpdatesTo(_) | Destination::Installs(_) | Destination::StaysOn(_) => {
                Tone::Plain
            }
            Destination::NoUpdate | Destination::NotInstallable | Destination::RefusedByV1 => {
                Tone::Bad
            }
        }
    }
}

impl fmt::Display for Destination<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Destination::UpdatesTo(version) => write!(f, "updates to {version}"),
            Destination::Installs(version) => write!(f, "installs {version}"),
            Destination::StaysOn(version) => write!(f, "stays on {version}"),
            Destination::NoUpdate => write!(f, "no update"),
            Destination::NotInstallable => write!(f, "not installable"),
            Destination::RefusedByV1 => write!(f, "refused by OLM v1"),
        }
    }
}

/// Whether this kind of OLM v1 error, as spelled on the command line, refuses the chosen bundle.
pub fn is_refusal(error: &str) -> bool {
    ["dependency", "version"].contains(&error)
}

/// The start of a path under one lens.
#[derive(Debug, Clone, Copy)]
pub struct PathStart<'a> {
    /// The version of the next step.
    pub next: Option<&'a str>,
    /// The installed version; `None`: a new install.
    pub installed: Option<&'a str>,
    /// The kind of OLM's error; "" if none.
    pub error: &'a str,
    /// No update follows, though one should.
    pub is_stuck: bool,
}

impl<'a> From<PathStart<'a>> for Destination<'a> {
    fn from(path: PathStart<'a>) -> Self {
        match (path.next, path.installed) {
            (Some(next), Some(_)) => Destination::UpdatesTo(next),
            (Some(next), None) => Destination::Installs(next),
            (None, _) if is_refusal(path.error) => Destination::RefusedByV1,
            (None, None) => Destination::NotInstallable,
            (None, Some(installed)) if path.error.is_empty() && !path.is_stuck => {
                Destination::StaysOn(installed)
            }
            (None, Some(_)) => Destination::NoUpdate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_destination_has_its_words() {
        let path = |next, installed, error, is_stuck| {
            let start = PathStart {
                next,
                installed,
                error,
                is_stuck,
            };
            Destination::from(start).to_string()
        };
        let on = Some("1.0.0");
        assert_eq!(path(Some("1.1.0"), on, "", false), "updates to 1.1.0");
        assert_eq!(path(Some("1.1.0"), None, "", false), "installs 1.1.0");
        assert_eq!(path(None, on, "", false), "stays on 1.0.0");
        assert_eq!(path(None, on, "", true), "no update");
        assert_eq!(path(None, on, "none", false), "no update");
        assert_eq!(path(None, None, "none", false), "not installable");
        for installed in [None, on] {
            assert_eq!(
                path(None, installed, "dependency", false),
                "refused by OLM v1"
            );
        }
    }
}

//! The next step of a user: OLM's edge or error, and the destination as worded in every view.

use crate::judgement::Tone;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Destination<'a> {
    UpdatesTo(&'a str),
    /// A new install gets this version.
    Installs(&'a str),
    /// The user is at the end of the path, as intended.
    AtEnd,
    /// No update follows, although the path should continue.
    NoUpdate,
    /// A new install finds no version.
    NotInstallable,
    /// OLM v1 chose a bundle but refuses to install it.
    RefusedByV1,
}

impl Destination<'_> {
    pub fn tone(self) -> Tone {
        match self {
            Destination::UpdatesTo(_) | Destination::Installs(_) | Destination::AtEnd => {
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
            Destination::AtEnd | Destination::NoUpdate => write!(f, "no update"),
            Destination::NotInstallable => write!(f, "not installable"),
            Destination::RefusedByV1 => write!(f, "refused by OLM v1"),
        }
    }
}

/// The start of a path under one lens.
#[derive(Debug, Clone, Copy)]
pub struct PathStart<'a> {
    /// The version of the next step.
    pub next: Option<&'a str>,
    /// The installed version; `None`: a new install.
    pub installed: Option<&'a str>,
    pub error: Option<ErrorKind>,
    /// Whether no update follows, although the path should continue.
    pub is_stuck: bool,
}

impl<'a> From<PathStart<'a>> for Destination<'a> {
    fn from(path: PathStart<'a>) -> Self {
        match (path.next, path.installed) {
            (Some(next), Some(_)) => Destination::UpdatesTo(next),
            (Some(next), None) => Destination::Installs(next),
            (None, _) if path.error.is_some_and(ErrorKind::is_refusal) => Destination::RefusedByV1,
            (None, None) => Destination::NotInstallable,
            (None, Some(_)) if path.error.is_none() && !path.is_stuck => Destination::AtEnd,
            (None, Some(_)) => Destination::NoUpdate,
        }
    }
}

enum_with_text! {
    /// Returns the spelling on the command line.
    pub fn as_str;
    /// The edge by which an entry refers to the installed bundle.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    pub enum EdgeKind {
        Replaces = "replaces",
        Skips = "skips",
        SkipRange = "skipRange",
        /// No edge: chosen by version (v1 with `SelfCertified`, or a bundle with an equal version
        /// and another name).
        Version = "version",
        /// No edge: a fresh install.
        #[default]
        None = "none",
    }
}

/// Why OLM gives no answer, in its own wording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpgradeError {
    pub kind: ErrorKind,
    pub text: String,
}

enum_with_text! {
    /// Returns the spelling on the command line.
    pub fn as_str;
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum ErrorKind {
        /// v1: no candidate fits (`olm-resolution` E4).
        None = "none",
        /// v1: several catalogs of the same priority offer it (E4).
        Ambiguous = "ambiguous",
        /// v1: the version range does not parse (E2).
        Range = "range",
        /// v1: the label selector does not parse (E1).
        Selector = "selector",
        /// v1: a catalog cannot be read (E3).
        Walk = "walk",
        /// v1: the installed version does not parse.
        InstalledVersion = "installed-version",
        /// v1: the winner has a requirement (E5).
        Dependency = "dependency",
        /// v1: the winner's version does not parse (E6).
        Version = "version",
        /// v0: no set of bundles meets all requirements, or the subscription names something
        /// unknown.
        Unsatisfiable = "unsatisfiable",
        /// v0: a channel contains more than one replacement chain.
        ChainMany = "chain-many",
        /// v0: every entry of a channel is replaced by another.
        ChainNoHead = "chain-no-head",
        /// v0: `replaces` forms a cycle.
        ChainCycle = "chain-cycle",
        /// v0: a requirement is unreadable.
        Invalid = "invalid",
        /// v0: a chosen CSV matches several records.
        AmbiguousRecord = "ambiguous-record",
        /// v0: the search ran out of budget, so the answer is unknown.
        NotKnown = "not-known",
    }
}

impl ErrorKind {
    /// Whether OLM v1 chose a bundle but refuses to install it.
    pub fn is_refusal(self) -> bool {
        matches!(self, ErrorKind::Dependency | ErrorKind::Version)
    }
}

impl UpgradeError {
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }
}

impl fmt::Display for UpgradeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for UpgradeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_destination_has_its_wording() {
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
        assert_eq!(path(Some("1.1.0"), on, None, false), "updates to 1.1.0");
        assert_eq!(path(Some("1.1.0"), None, None, false), "installs 1.1.0");
        assert_eq!(path(None, on, None, false), "no update");
        assert_eq!(path(None, on, None, true), "no update");
        assert_eq!(path(None, on, Some(ErrorKind::None), false), "no update");
        assert_eq!(
            path(None, None, Some(ErrorKind::None), false),
            "not installable"
        );
        for installed in [None, on] {
            assert_eq!(
                path(None, installed, Some(ErrorKind::Dependency), false),
                "refused by OLM v1"
            );
        }
    }
}

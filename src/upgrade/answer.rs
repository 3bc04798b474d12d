//! Data types of an upgrade question and its answer. Knows neither Classic nor v1.
//!
//! Repeats steps until nothing follows.

use catalog::version::version_line::Cut;
use protocol::destination::is_refusal;
use serde::Serialize;
use syntax::hashed::HashSet;
use syntax::place::Text;

/// Which of OLM's two upgrade semantics answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lens {
    /// OLM Classic.
    V0,
    /// OLM v1.
    V1,
}

/// The installed bundle. Carries its version, because the catalog may no longer contain the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Installed {
    pub name: Text,
    pub version: Text,
    /// The release that a cluster with the gate BundleReleaseSupport reports apart from the version;
    /// `None` without the gate.
    pub release: Option<Text>,
}

/// The default allows any channel and any version along the catalog's own edges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// v1: the allowed channels; empty allows all. v0: only the first counts, as the subscribed
    /// channel; none (or "") means any channel, the default one first.
    pub channels: Vec<String>,
    /// v1 only: a version range in Masterminds syntax; `None` or "" means no filter.
    pub range: Option<String>,
    /// v1 only.
    pub policy: Policy,
    /// v0 only, and only for a fresh install: the bundle to install first.
    pub starting_csv: Option<String>,
    /// v0 only: the Subscription's name in messages; defaults to the package name.
    pub subscription: Option<String>,
}

impl Options {
    pub(super) fn subscription_name<'o>(&'o self, package: &'o str) -> &'o str {
        match self.subscription.as_deref() {
            None | Some("") => package,
            Some(name) => name,
        }
    }
}

/// `upgradeConstraintPolicy` of a ClusterExtension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Policy {
    /// Only along the catalog's edges.
    #[default]
    CatalogProvided,
    /// To any version in the range.
    SelfCertified,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// `None` without an error: the installed bundle stays.
    pub next: Option<Successor>,
    /// Sentences for the user, with names in backticks, the most important first.
    pub why: Vec<String>,
    pub error: Option<UpgradeError>,
}

/// The next bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Successor {
    pub name: Text,
    /// The spelling in the bundle's first `olm.package` property; with the gate BundleReleaseSupport
    /// without the build metadata that is a release.
    pub version: Text,
    /// As in [`Installed::release`]: "" if the bundle has none.
    pub release: Option<Text>,
    /// The channel of the entry with the edge; "" if no channel lists the bundle (v1).
    pub channel: Text,
    pub edge: EdgeKind,
    /// v1 with several catalogs: the catalog that offers the bundle; otherwise "".
    pub catalog: Text,
}

/// How an entry refers to the installed bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum EdgeKind {
    #[serde(rename = "replaces")]
    Replaces,
    #[serde(rename = "skips")]
    Skips,
    #[serde(rename = "skipRange")]
    SkipRange,
    /// No edge: chosen by version (v1 with `SelfCertified`, or a bundle of the same version with
    /// another name).
    #[serde(rename = "version")]
    Version,
    /// No edge: a fresh install.
    #[serde(rename = "none")]
    None,
}

impl EdgeKind {
    /// The spelling of the JSON contract.
    pub fn as_str(self) -> &'static str {
        match self {
            EdgeKind::Replaces => "replaces",
            EdgeKind::Skips => "skips",
            EdgeKind::SkipRange => "skipRange",
            EdgeKind::Version => "version",
            EdgeKind::None => "none",
        }
    }
}

/// Why there is no answer, in OLM's wording.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct UpgradeError {
    pub kind: ErrorKind,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// v1: no candidate fits (`olm-resolution` E4).
    None,
    /// v1: several catalogs of the same priority offer it (E4).
    Ambiguous,
    /// v1: the version range does not parse (E2).
    Range,
    /// v1: the label selector does not parse (E1).
    Selector,
    /// v1: a catalog cannot be read (E3).
    Walk,
    /// v1: the installed version does not parse.
    InstalledVersion,
    /// v1: the winner has a requirement (E5).
    Dependency,
    /// v1: the winner's version does not parse (E6).
    Version,
    /// v0: no set of bundles meets all requirements, or the subscription names something unknown.
    Unsatisfiable,
    /// v0: a channel holds more than one replacement chain.
    ChainMany,
    /// v0: every entry of a channel is replaced by another.
    ChainNoHead,
    /// v0: `replaces` forms a cycle.
    ChainCycle,
    /// v0: a requirement is unreadable.
    Invalid,
    /// v0: a chosen CSV matches several records.
    AmbiguousRecord,
    /// v0: the search ran out of budget, so the answer is unknown.
    NotKnown,
}

impl ErrorKind {
    /// OLM v1 chose a bundle but refuses to install it.
    pub fn is_refusal(self) -> bool {
        is_refusal(self.as_str())
    }

    /// The spelling of the JSON contract.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::None => "none",
            ErrorKind::Ambiguous => "ambiguous",
            ErrorKind::Range => "range",
            ErrorKind::Selector => "selector",
            ErrorKind::Walk => "walk",
            ErrorKind::InstalledVersion => "installed-version",
            ErrorKind::Dependency => "dependency",
            ErrorKind::Version => "version",
            ErrorKind::Unsatisfiable => "unsatisfiable",
            ErrorKind::ChainMany => "chain-many",
            ErrorKind::ChainNoHead => "chain-no-head",
            ErrorKind::ChainCycle => "chain-cycle",
            ErrorKind::Invalid => "invalid",
            ErrorKind::AmbiguousRecord => "ambiguous-record",
            ErrorKind::NotKnown => "not-known",
        }
    }
}

impl Installed {
    pub fn new(name: impl Into<Text>, version: impl Into<Text>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            release: None,
        }
    }
}

impl Successor {
    pub fn as_installed(&self) -> Installed {
        Installed {
            name: self.name.clone(),
            version: self.version.clone(),
            release: self.release.clone(),
        }
    }
}

impl Answer {
    pub fn fail(error: UpgradeError, why: Vec<String>) -> Self {
        Self {
            next: None,
            why,
            error: Some(error),
        }
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

/// The next step of an unlisted version. Classic stays without an error.
pub type UnlistedStep = Result<Option<Installed>, ErrorKind>;

/// The next step of all unlisted versions.
#[derive(Debug, Clone)]
pub struct UnlistedSteps {
    /// Consecutive stretches of the version axis, ascending from its start.
    pub stretches: Vec<(Cut, UnlistedStep)>,
}

impl UnlistedSteps {
    pub(super) fn everywhere(step: UnlistedStep) -> Self {
        Self {
            stretches: vec![(Cut::start(), step)],
        }
    }
}

/// The visited names, starting with the installed one (or the first one installed).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path {
    pub steps: Vec<Text>,
    /// The last name is a repetition: the path is an endless cycle.
    pub looped: bool,
    /// One sentence per step, and why the path ends.
    pub why: Vec<String>,
    /// The error that ended the path, if any.
    pub error: Option<UpgradeError>,
}

/// Calls `next` with its own last answer until it ends. Terminates because names eventually repeat.
pub fn follow(
    installed: Option<&Installed>,
    mut next: impl FnMut(Option<&Installed>) -> Answer,
) -> Path {
    let mut path = Path {
        steps: installed.iter().map(|i| i.name.clone()).collect(),
        ..Path::default()
    };
    let mut seen: HashSet<Text> = path.steps.iter().cloned().collect();
    let mut at = installed.cloned();
    loop {
        let answer = next(at.as_ref());
        path.why.extend(answer.why.into_iter().next());
        path.error = answer.error;
        let Some(step) = answer.next else { return path };
        path.looped = !seen.insert(step.name.clone());
        path.steps.push(step.name.clone());
        if path.looped {
            path.why.push(format!(
                "`{}` is already on the path: the path is a cycle",
                step.name
            ));
            return path;
        }
        at = Some(step.as_installed());
    }
}

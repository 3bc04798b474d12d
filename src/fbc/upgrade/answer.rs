//! A question about an installed bundle and its answer, as plain data: what runs, how it is asked, where it goes and why
//! not. Knows neither of the two lenses.

use crate::place::Text;
use crate::version::version_line::Cut;
use protocol::destination::is_refusal;
use serde::Serialize;

/// Which of OLM's two upgrade semantics answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lens {
    /// OLM Classic.
    V0,
    /// OLM v1.
    V1,
}

/// What runs now. The bundle need not be in the catalog any more, so the version comes with it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Installed {
    pub name: Text,
    pub version: Text,
}

/// How the question is asked. `Options::default()` is: any channel, no range, the catalog's own edges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// v1: the channels named, all when empty. v0: the first is the channel subscribed to; none (or "") is any channel,
    /// the default first.
    pub channels: Vec<String>,
    /// v1 only: a range of the Masterminds dialect; `None` or "" is no filter.
    pub range: Option<String>,
    /// v1 only.
    pub policy: Policy,
    /// v0 only, and only while nothing is installed: the one bundle to begin with.
    pub starting_csv: Option<String>,
    /// v0 only: the Subscription's name for messages; without it, it is called after its package.
    pub subscription: Option<String>,
}

impl Options {
    /// The Subscription of a package, as messages name it.
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
    /// Only along the edges of the catalog.
    #[default]
    CatalogProvided,
    /// To any version in range.
    SelfCertified,
}

/// The answer to "from here, where?".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// `None` without an error: stays where it is.
    pub next: Option<Successor>,
    /// Sentences for a person, names in backticks, the most important first.
    pub why: Vec<String>,
    pub error: Option<UpgradeError>,
}

/// Where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Successor {
    pub name: Text,
    /// As the bundle's first `olm.package` property spells it.
    pub version: Text,
    /// The channel whose entry leads there; "" when no channel lists the bundle (v1).
    pub channel: Text,
    pub edge: EdgeKind,
    /// Under v1 with several catalogs, the one that offers it; else "".
    pub catalog: Text,
}

/// What of an entry leads from the installed bundle to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum EdgeKind {
    #[serde(rename = "replaces")]
    Replaces,
    #[serde(rename = "skips")]
    Skips,
    #[serde(rename = "skipRange")]
    SkipRange,
    /// No edge: chosen by its version (v1 with `SelfCertified`, or a bundle of the same version under another name).
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

/// Why there is no answer, in OLM's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct UpgradeError {
    pub kind: ErrorKind,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// v1: nothing fits (`olm-resolution` E4).
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
    /// v0: no set of bundles meets all demands, or the subscription names what is not there.
    Unsatisfiable,
    /// v0: a channel holds more than one replacement chain.
    ChainMany,
    /// v0: every entry of a channel is replaced by another.
    ChainNoHead,
    /// v0: `replaces` forms a cycle.
    ChainCycle,
    /// v0: a requirement that cannot be read.
    Invalid,
    /// v0: a chosen CSV stands for several records.
    AmbiguousRecord,
    /// v0: the search was given up, so it is not known whether there is an answer.
    NotKnown,
}

impl ErrorKind {
    /// OLM v1 chose a bundle and does not install it.
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
        }
    }
}

impl Answer {
    pub(crate) fn fail(error: UpgradeError, why: Vec<String>) -> Self {
        Self {
            next: None,
            why,
            error: Some(error),
        }
    }
}

impl UpgradeError {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }
}

/// Where an unlisted version goes. Classic stays without an error.
pub(crate) type UnlistedStep = Result<Option<Installed>, ErrorKind>;

/// The next step of all unlisted versions.
#[derive(Debug, Clone)]
pub(crate) struct UnlistedSteps {
    /// Stretches of the line of versions, ascending; the first begins at the start of the line.
    pub stretches: Vec<(Cut, UnlistedStep)>,
}

impl UnlistedSteps {
    pub(super) fn everywhere(step: UnlistedStep) -> Self {
        Self {
            stretches: vec![(Cut::start(), step)],
        }
    }
}

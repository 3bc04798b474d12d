//! One problem, with its place and its fixes.
//!
//! The JSON text is the contract of `switchyard validate --format json`.

use crate::operation::EditOp;
use serde::{Deserialize, Serialize};

/// How bad it is. Only errors that are `opm`'s decide the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    Error,
    Warning,
    Info,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }
}

/// How much is looked for beside what `opm validate` refuses. Each profile has the rules of those before it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The rules of `opm` alone.
    Opm,
    /// Advice that is nearly always worth following.
    #[default]
    Community,
    /// All advice.
    Strict,
}

impl Profile {
    pub const ALL: [Profile; 3] = [Profile::Opm, Profile::Community, Profile::Strict];

    /// As it is written on the command line and in a configuration file.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Opm => "opm",
            Profile::Community => "community",
            Profile::Strict => "strict",
        }
    }
}

/// A place in a file of the workspace. Lines and columns count from 1; columns count characters; the end is exclusive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Location {
    /// Path relative to the catalog's root, with `/`.
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// Evidence elsewhere: the other head, the first definition of a duplicate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    pub message: String,
    #[serde(flatten)]
    pub location: Location,
}

/// A fix, as operations that can be applied, undone and printed as commands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    pub title: String,
    /// True when no choice of meaning is left to the user, so that `--fix` may apply it.
    pub safe: bool,
    pub ops: Vec<EditOp>,
    /// Its effect, in the same words for all problems of a rule, so that it can be applied to *all of a kind*.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The heads of the channel that the operations concern, once they are applied. Empty if they affect none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<String>,
    /// What else is to be known before it is chosen, such as who is stranded by it; "" when nothing is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Another problem, from which one follows: with the one gone, the other is gone or is another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// Rule of the cause; "" for a cause that is not reported by a rule, such as a misspelt `replaces`.
    pub rule: String,
    pub message: String,
    #[serde(flatten)]
    pub location: Location,
}

/// Rules whose problems hide a document: neither its schema nor its names are known.
pub const HIDING_RULES: [&str; 5] = [
    "yaml-syntax",
    "json-syntax",
    "document-separator",
    "blob-not-object",
    "blob-meta-not-string",
];

impl Cause {
    /// Whether it is a document that cannot be read.
    pub fn hides_text(&self) -> bool {
        HIDING_RULES.contains(&self.rule.as_str())
    }
}

/// The role of a link of a chain, if it matters to the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChainMark {
    /// Nothing in the channel replaces or skips it.
    Head,
    /// The problem is about this one.
    Named,
    /// Named, and not there.
    Absent,
    /// In the channel, without a bundle of that name.
    NoBundle,
    /// No way leads from it to the head.
    Stranded,
    /// Named by some entry's `skips`.
    Skipped,
    /// One of those that replace each other in a circle.
    InCycle,
    /// In both chains: below it they are one.
    Meets,
    /// The package's default channel.
    Default,
    /// What is suggested instead.
    Suggested,
}

impl ChainMark {
    /// In words, for text and for screen readers.
    pub fn label(self) -> &'static str {
        match self {
            ChainMark::Head => "head",
            ChainMark::Named => "this one",
            ChainMark::Absent => "not there",
            ChainMark::NoBundle => "no bundle",
            ChainMark::Stranded => "stranded",
            ChainMark::Skipped => "skipped",
            ChainMark::InCycle => "in the cycle",
            ChainMark::Meets => "in both chains",
            ChainMark::Default => "default channel",
            ChainMark::Suggested => "did you mean this?",
        }
    }
}

/// One place of a chain: an entry (in a list of channels or bundles, one of those).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChainEntry {
    pub name: String,
    /// "" when it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<ChainMark>,
    /// How this entry names the next one below: `replaces`, `skips`; "" when it does not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub edge: String,
}

/// An entry of a chain, or how many are left out between two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChainLink {
    Entry(ChainEntry),
    Folded(u32),
}

/// Entries from the newest down, each naming the next; a part of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Chain {
    /// Such as ``from head `p.v1.2.0` ``.
    pub title: String,
    pub links: Vec<ChainLink>,
}

/// Why a problem is one. Small: long chains are folded, and there are few of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Explanation {
    /// Why `opm` refuses this, in sentences; names in backticks.
    pub why: String,
    /// Names of what it is about, most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// To be seen side by side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chains: Vec<Chain>,
}

/// One problem of a catalog.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Rule id in kebab case; the ids of `opm`'s rules are those of `opm-semantics` sections 1 and 2.
    pub rule: String,
    pub severity: Severity,
    /// True when `opm validate` refuses the same input for it.
    pub opm: bool,
    /// The version of `opm` that began to refuse for it, as `1.69`; `None` for advice and for older rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opm_since: Option<String>,
    /// What is so: lower-case start, no final period, names in backticks.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
    /// Name of the catalog root ("" on the command line, where DIR is the one root).
    pub catalog: String,
    pub package: Option<String>,
    pub channel: Option<String>,
    pub bundle: Option<String>,
    /// `file` is "" for what concerns the catalog as a whole.
    #[serde(flatten)]
    pub location: Location,
    pub related: Vec<Related>,
    pub fixes: Vec<Fix>,
    /// This problem only follows from another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<Cause>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

impl Diagnostic {
    /// Whether it is that a document cannot be read.
    pub fn hides_text(&self) -> bool {
        self.package.is_none()
            && !self.location.file.is_empty()
            && HIDING_RULES.contains(&self.rule.as_str())
    }

    /// A problem of which nothing else is known yet: ours, of the catalog as a whole, without help.
    pub fn new(rule: impl Into<String>, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            rule: rule.into(),
            severity,
            opm: false,
            opm_since: None,
            message: message.into(),
            help: String::new(),
            catalog: String::new(),
            package: None,
            channel: None,
            bundle: None,
            location: Location::default(),
            related: Vec::new(),
            fixes: Vec::new(),
            follows: None,
            explanation: None,
        }
    }
}

//! A problem, with its place and its fixes.
//!
//! `switchyard validate --format json` prints its JSON form, which must remain compatible.

use crate::operation::EditOp;
use serde::{Deserialize, Serialize};

enum_with_text! {
    pub fn name;
    /// Only errors of `opm`'s own rules decide the verdict.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Severity {
        Error = "error",
        Warning = "warning",
        Info = "info",
    }
}

enum_with_text! {
    /// Returns the spelling on the command line and in configuration files.
    pub fn name;
    pub const ALL;
    /// How much advice to report beside the problems that `opm validate` refuses. Each profile
    /// includes those before it.
    #[derive(
        Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum Profile {
        /// Only the rules of `opm`.
        Opm = "opm",
        /// Advice that is nearly always worth following.
        #[default]
        Community = "community",
        /// All advice.
        Strict = "strict",
    }
}

/// A position in a file of the session. Lines and columns count from 1; columns count characters;
/// the end is exclusive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Location {
    /// Path relative to the catalog's root, with `/`.
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl Location {
    /// Returns the start of a file.
    pub fn start_of(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line: 1,
            column: 1,
            end_line: 1,
            end_column: 1,
        }
    }
}

/// Evidence at another position: the other head, the first definition of a duplicate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    pub message: String,
    #[serde(flatten)]
    pub location: Location,
}

/// A fix, as operations that can be applied, undone and printed as commands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fix {
    pub title: String,
    /// Whether `--fix` may apply it, because the user has no choice to make.
    pub safe: bool,
    pub ops: Vec<EditOp>,
    /// The effect of the fix, with equal wording for all problems of a rule, so that all fixes with
    /// this effect can be applied together.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The heads of the affected channel after the fix. Empty if it affects none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<String>,
    /// A side effect to know before applying it, such as users who become stranded; "" if none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl Fix {
    /// Creates a fix with one operation, whose name is its kind.
    pub fn from_op(title: impl Into<String>, safe: bool, op: EditOp) -> Self {
        Self::new(title, safe, vec![op])
    }

    /// Creates a fix of several operations that are applied together. Its kind is the name of the
    /// first operation. Simulating the fix sets `heads` and completes `note`.
    pub fn new(title: impl Into<String>, safe: bool, ops: Vec<EditOp>) -> Self {
        let kind = ops.first().map_or("", EditOp::name).to_owned();
        Self {
            title: title.into(),
            safe,
            ops,
            kind,
            ..Self::default()
        }
    }

    pub fn with_kind(self, kind: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            ..self
        }
    }
}

/// The problem that causes another one. Fixing it solves or changes the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// Rule of the cause; "" if no rule reports the cause, such as a misspelt `replaces`.
    pub rule: String,
    pub message: String,
    #[serde(flatten)]
    pub location: Location,
}

/// Rules whose problems hide documents: neither their schemas nor their names can be read.
pub const HIDING_RULES: [&str; 6] = [
    "yaml-syntax",
    "json-syntax",
    "document-separator",
    "blob-not-object",
    "blob-meta-not-string",
    "text-ignored",
];

impl Cause {
    /// Whether the cause is a document that cannot be read.
    pub fn hides_text(&self) -> bool {
        HIDING_RULES.contains(&self.rule.as_str())
    }
}

enum_with_text! {
    /// Returns a wording for text and for screen readers.
    pub fn label;
    /// The role of a link of a chain, if it matters to the problem.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ChainMark {
        /// Nothing in the channel replaces or skips it.
        Head = "head",
        /// The entry that the problem concerns.
        Named = "this one",
        /// Referenced but absent.
        Absent = "not there",
        /// In the channel, without a bundle of that name.
        NoBundle = "no bundle",
        /// No path leads from it to the head.
        Stranded = "stranded",
        /// Listed in the `skips` of some entry.
        Skipped = "skipped",
        /// Part of a cycle of `replaces`.
        InCycle = "in the cycle",
        /// The point where two chains join.
        Meets = "in both chains",
        /// The package's default channel.
        Default = "default channel",
        /// A suggested replacement.
        Suggested = "did you mean this?",
    }
}

/// One entry of a chain; in a list of channels or bundles, one channel or bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChainEntry {
    pub name: String,
    /// "" if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<ChainMark>,
    /// The edge to the next entry below: `replaces`, `skips`; "" if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub edge: String,
}

/// An entry of a chain, or the number of entries left out between two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChainLink {
    Entry(ChainEntry),
    Folded(u32),
}

/// A part of the graph: entries from the newest down, each with its edge to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Chain {
    /// For example ``from head `p.v1.2.0` ``.
    pub title: String,
    pub links: Vec<ChainLink>,
}

/// Why this is a problem. Kept small: there are few chains, and long ones are folded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Explanation {
    /// Why `opm` refuses this, in sentences; names in backticks.
    pub why: String,
    /// The names involved, most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Chains to show side by side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chains: Vec<Chain>,
}

/// One problem of a catalog.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Rule id in kebab case; the ids of `opm`'s rules are those of `opm-semantics` sections 1 and
    /// 2.
    pub rule: String,
    pub severity: Severity,
    /// Whether `opm validate` refuses the same input for this reason.
    pub opm: bool,
    /// The first version of `opm` that refuses it, such as `1.69`; `None` for advice and older
    /// rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opm_since: Option<String>,
    /// The problem: lower-case start, no final period, names in backticks.
    pub message: String,
    /// A remedy; may be empty.
    pub help: String,
    /// Name of the catalog root ("" on the command line, where DIR is the only root).
    pub catalog: String,
    pub package: Option<String>,
    pub channel: Option<String>,
    pub bundle: Option<String>,
    /// `file` is "" if the problem concerns the catalog as a whole.
    #[serde(flatten)]
    pub location: Location,
    pub related: Vec<Related>,
    pub fixes: Vec<Fix>,
    /// The problem that this one follows from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows: Option<Cause>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

impl Diagnostic {
    /// Whether a rule of `opm` reports it: as an error in a template, `opm` refuses what it renders
    /// to.
    pub fn is_of_opm(&self) -> bool {
        self.opm || self.severity == Severity::Error
    }

    /// Whether the problem is that a document cannot be read.
    pub fn hides_text(&self) -> bool {
        self.package.is_none()
            && !self.location.file.is_empty()
            && HIDING_RULES.contains(&self.rule.as_str())
    }

    /// Whether the problem follows from another one, which is reported, too.
    pub fn is_consequence(&self) -> bool {
        let cause = self.follows.as_ref();
        cause.is_some_and(|cause| !cause.rule.is_empty())
    }

    /// Returns the message, and the help on a separate line.
    pub fn message_with_help(&self) -> String {
        match self.help.as_str() {
            "" => self.message.clone(),
            help => format!("{}\n{help}", self.message),
        }
    }

    /// Returns the related positions and the cause, each with a message.
    pub fn evidence(&self) -> impl Iterator<Item = (String, &Location)> {
        let related = self
            .related
            .iter()
            .map(|related| (related.message.clone(), &related.location));
        let cause = self
            .follows
            .iter()
            .map(|cause| (format!("follows from: {}", cause.message), &cause.location));
        related.chain(cause)
    }

    /// Creates a problem of our own, for the catalog as a whole, without help.
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

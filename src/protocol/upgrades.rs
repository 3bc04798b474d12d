//! Views of many upgrades: the next step of every version, one catalog against another, and
//! versions by catalogs; and the cluster that they concern.

use super::destination::{EdgeKind, ErrorKind};
use super::judgement::{Judgement, Tone, UserTable};
use crate::Json;
use crate::diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

/// Unreadable parts of catalogs, which an answer may lack.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UnreadableParts {
    pub count: usize,
    /// The first ones, as `FILE:LINE: message`. Names in backticks.
    pub listed: Vec<String>,
}

/// The cluster in question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterView {
    /// `4.18`; patch version and prerelease are ignored.
    pub openshift: String,
    /// `1.31`; `None` if unknown.
    pub kubernetes: Option<String>,
}

/// The cluster, or why the text is not a version, with names in backticks. `None` if no text is
/// given.
pub type ClusterInQuestion = Option<Result<ClusterView, String>>;

/// A bundle on an upgrade path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BundleVersion {
    pub name: String,
    /// "" if unknown.
    pub version: String,
}

enum_with_text! {
    /// Returns the name in JSON.
    pub fn label;
    /// A noteworthy feature of a path.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum PathMark {
        /// The steps form a cycle.
        Loop = "loop",
        /// No step follows, although it is not the channel's head (under Classic) or not the
        /// version that a fresh install gets (under v1).
        Stuck = "stuck",
        /// The next step or the end is a lower version.
        GoesBack = "goes back",
        /// A stable version whose path contains a prerelease.
        Prerelease = "prerelease",
        /// The path passes through several patches of one minor version although one step would
        /// suffice.
        LongWay = "long way",
    }
}

impl PathMark {
    /// Returns the meaning, as a sentence whose subject is the version and its users.
    pub fn meaning(self) -> &'static str {
        match self {
            PathMark::Loop => "its updates run in a circle and never end",
            PathMark::Stuck => {
                "nothing follows it, although it is not the head of its channel (under Classic) or not the version of a new install (under OLM v1)"
            }
            PathMark::GoesBack => "its next step or its end is a lower version",
            PathMark::Prerelease => "it is a stable version, and a step on its way is a prerelease",
            PathMark::LongWay => {
                "it goes from patch to patch of one minor version, although one step would be enough"
            }
        }
    }
}

/// One version's path under one lens.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PathSummary {
    /// Classic: the subscribed channel. "" under v1.
    pub channel: String,
    /// `None` if the version stays or is refused.
    pub next: Option<BundleVersion>,
    pub edge: EdgeKind,
    /// The end of the path; the version itself if there is no update.
    pub last: BundleVersion,
    /// Number of updates on the path.
    pub steps: u32,
    /// The gravest first.
    pub marks: Vec<PathMark>,
    /// Kind of OLM's error.
    pub error: Option<ErrorKind>,
    /// Why Classic does not take the step that an edge offers: unmet requirements. One sentence;
    /// names in backticks.
    pub held_back: Option<String>,
}

/// A version ever published.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EveryoneRow {
    pub name: String,
    pub version: String,
    /// Whether it has a bundle. If not, entries refer to its name, from which its version is read.
    pub in_catalog: bool,
    pub deprecated: bool,
    pub v1: PathSummary,
    /// One per channel that lists or refers to it, or has a skip range that contains it; default
    /// channel first, then by name.
    pub v0: Vec<PathSummary>,
}

/// The next step of every version.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EveryoneView {
    /// Highest version first.
    pub rows: Vec<EveryoneRow>,
    /// The result of the operations, if the request assumed any.
    pub outcome: Option<Outcome>,
    pub incomplete: UnreadableParts,
}

/// The result of operations that are only assumed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Whether `opm validate` would pass the catalog.
    pub passes: bool,
    /// Whether it passes without the operations.
    pub passed: bool,
    /// The verdict in the shared wording: `fails opm validate now`.
    pub verdict: String,
    /// Why it would fail, in few words: `2 heads in stable`, `1 stranded in stable`, else `opm`'s.
    /// "" if it passes.
    pub why: String,
    /// Whether the operations cause `why`; otherwise it already applies without them.
    pub breaks: bool,
    /// Entries of the package that would be new, or have other edges.
    pub entries: Vec<EntryOutcome>,
    /// The worst rule for users that the operations break, unless the headline is as bad; "" if
    /// they break none.
    pub broken: String,
    /// The effect on users, in one sentence.
    pub headline: String,
    /// The emphasis of the headline.
    pub tone: Tone,
}

/// An entry after the operations.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EntryOutcome {
    pub channel: String,
    pub name: String,
    /// Whether the channel does not have the entry yet.
    pub is_new: bool,
    /// "" for none.
    pub replaces: String,
    pub skips: Vec<String>,
    pub skip_range: String,
}

/// The catalog that users have now, for comparison.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Baseline {
    /// This catalog on disk, without the unsaved edits of this tab.
    #[default]
    Disk,
    /// Another open catalog, by its root.
    Catalog(String),
}

/// One catalog against another: a summary for each package that differs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Comparison {
    pub old: Baseline,
    pub new_passed: bool,
    /// `opm validate`'s message for the new catalog; "" if it passes.
    pub new_message: String,
    /// The change of the verdict: `still fails opm validate, with the same 14 errors`.
    pub verdict: String,
    pub verdict_tone: Tone,
    /// New problems that are not errors of `opm`, and therefore not part of the verdict.
    pub new_problems: Vec<Json<Diagnostic>>,
    /// Most affected versions first.
    pub packages: Vec<ComparedRow>,
    /// Number of packages that are equal in both.
    pub same: u32,
    /// Of both catalogs.
    pub incomplete: UnreadableParts,
}

enum_with_text! {
    pub fn label;
    /// The change of a package.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    pub enum ComparedKind {
        #[default]
        Changed = "changed",
        Added = "added",
        Removed = "removed",
        /// For an entry: added here, and removed wherever it was listed before.
        Moved = "moved",
    }
}

impl ComparedKind {
    pub const ALL: [ComparedKind; 4] = [
        ComparedKind::Added,
        ComparedKind::Moved,
        ComparedKind::Changed,
        ComparedKind::Removed,
    ];

    pub fn glyph(self) -> &'static str {
        match self {
            ComparedKind::Added => "+",
            ComparedKind::Changed => "Δ",
            ComparedKind::Removed => "−",
            ComparedKind::Moved => "→",
        }
    }
}

/// A package that differs. The counts are of versions; each counts once, regardless of the number
/// of affected lenses and channels.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct ComparedRow {
    pub package: String,
    pub kind: ComparedKind,
    /// Versions whose next step or end changes.
    pub hit: u32,
    pub stranded: u32,
    /// Those of `stranded` that had an update.
    pub update_lost: u32,
    pub downgraded: u32,
    pub rerouted: u32,
    pub gained: u32,
    /// Whether new installs get another version, or none.
    pub is_fresh_changed: bool,
    /// Whether the change affects versions that the catalog does not list.
    pub is_unlisted_changed: bool,
    /// Whether its text could not be read in one of the catalogs; the other fields are then
    /// unknown.
    pub is_hidden: bool,
    /// Number of broken invariants of severity error.
    pub errors: u32,
    /// One sentence.
    pub summary: String,
}

/// One package of two catalogs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PackageComparison {
    pub package: String,
    /// The changes as sentences; names in backticks.
    pub changes: Vec<String>,
    /// Entries that were added, removed or changed, by channel, for the lanes of both.
    pub entries: Vec<EntryChange>,
    /// The judgement of the change, without the catalog's verdict and problems.
    pub judgement: Judgement,
    /// Users whose next step or final version changes, grouped by effect, fresh installs, and the
    /// broken rules.
    pub table: UserTable,
    /// The cluster in question, and the consequences of the change on it, one sentence each; names
    /// in backticks.
    pub cluster: ClusterInQuestion,
    pub on_cluster: Vec<String>,
}

/// An entry of a channel that differs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EntryChange {
    pub channel: String,
    pub name: String,
    pub kind: ComparedKind,
    /// "replaces was `a`, is `b`"; for a removed entry its content, for a moved one its former
    /// channel; "" for an added one.
    pub detail: String,
}

enum_with_text! {
    /// Returns the spelling on the command line.
    pub fn as_str;
    /// The effect of a different next step on the user, worst first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Effect {
        /// Had a next step and has none now; or has none, and the installed or subscribed object
        /// (bundle, entry, channel or package) is gone.
        Stranded = "stranded",
        /// Goes to a version below the installed one.
        Downgrade = "downgrade",
        /// Goes to another version than before.
        Rerouted = "rerouted",
        /// Had no next step and has one now.
        Gained = "gained",
    }
}

/// An invariant that the change breaks.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct BrokenRow {
    /// Its stable name, as accepted by `switchyard diff --deny` and `switchyard explain`, then
    /// those of others that the same fact breaks.
    pub invariants: Vec<String>,
    /// Whether it is an error; otherwise it is a warning.
    pub error: bool,
    /// The affected channels; "" if it concerns the whole package.
    pub channel: String,
    pub message: String,
    /// Messages of further findings of the same rule, shown on request.
    pub alike: Vec<String>,
    /// A remedy; may be "".
    pub help: String,
    /// The rule as one sentence, and the effect on users if it is broken. Names in backticks.
    pub rule: String,
    pub why: String,
}

/// Versions by catalogs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MatrixView {
    pub package: String,
    pub columns: Vec<MatrixColumn>,
    /// Highest version first.
    pub rows: Vec<MatrixRow>,
    /// Of all catalogs.
    pub incomplete: UnreadableParts,
}

/// A catalog in a matrix.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MatrixColumn {
    pub root: String,
    pub label: String,
    /// `4.19`, if the catalog's name contains it; otherwise "".
    pub ocp: String,
    /// The package's default channel in this catalog; "" if there is none.
    pub default_channel: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MatrixRow {
    pub name: String,
    pub version: String,
    /// One per column.
    pub cells: Vec<MatrixCell>,
}

/// The status of a version in a catalog, for both lenses and all channels together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum VersionStatus {
    /// It has a next step.
    GoesOn,
    /// It is present, and its path ends at it.
    Ends,
    /// It has a next step under only one lens, or in only some channels.
    Partly,
    /// No step follows, although its path does not end there.
    #[default]
    Lost,
    /// Only later catalogs have it.
    Ahead,
}

/// The status of a version when the cluster uses this catalog.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MatrixCell {
    /// Whether the catalog has the bundle.
    pub present: bool,
    pub v1: PathSummary,
    /// Classic: one per channel that lists or refers to the version in this catalog or in that of
    /// the previous column.
    pub v0: Vec<PathSummary>,
    /// `olm.maxOpenShiftVersion` of the bundle; "" if it has none.
    pub max: String,
    /// Whether OpenShift blocks the cluster's upgrade to the next minor version while this version
    /// is installed.
    pub blocks: bool,
    /// If it blocks: the first version on Classic's path in this catalog that does not.
    pub unblocked_at: Option<BundleVersion>,
    pub status: VersionStatus,
    /// The meaning in a few words: `there, on to p.v1.3.0`, `gone, no way on`, …
    pub summary: String,
}

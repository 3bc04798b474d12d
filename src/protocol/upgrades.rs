//! What the page shows of many upgrades at once: everyone's next step, one catalog against another, versions by catalogs; and of
//! the cluster that is asked about.

use super::judgement::{Judgement, Tone, UserTable};
use super::views::Lens;
use crate::Json;
use crate::diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

/// The cluster in question. All "" where none is named.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ClusterView {
    /// `4.18`; patch version and prerelease do not count.
    pub openshift: String,
    /// `1.31`; "" if it is not known.
    pub kubernetes: String,
    /// Why the text is not a version; names in backticks.
    pub error: String,
}

/// A bundle on an upgrade path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BundleVersion {
    pub name: String,
    /// "" if unknown.
    pub version: String,
}

/// What is noteworthy about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PathMark {
    /// The steps run in a circle.
    Loop,
    /// Nothing follows, though it is neither the channel's head (Classic) nor what a fresh install gives (v1).
    Stuck,
    /// Its next step or its end is a lower version.
    GoesBack,
    /// It is stable, and a step on the way is a prerelease.
    Prerelease,
    /// It goes from patch to patch of one minor version, although one step would be enough.
    LongWay,
}

impl PathMark {
    /// The wording on the page.
    pub fn label(self) -> &'static str {
        match self {
            PathMark::Loop => "loop",
            PathMark::Stuck => "stuck",
            PathMark::GoesBack => "goes back",
            PathMark::Prerelease => "prerelease",
            PathMark::LongWay => "long way",
        }
    }

    /// What it means, as a sentence without its subject: the version and its users.
    pub fn meaning(self) -> &'static str {
        match self {
            PathMark::Loop => "its updates run in a circle and never end",
            PathMark::Stuck => {
                "nothing follows it, though it is neither the channel's head nor what a new install gets"
            }
            PathMark::GoesBack => "its next step or its end is a lower version",
            PathMark::Prerelease => "it is a stable version, and a step on its way is a prerelease",
            PathMark::LongWay => {
                "it goes from patch to patch of one minor version, although one step would be enough"
            }
        }
    }
}

/// One version's way under one lens.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UpgradePath {
    /// Classic: the channel subscribed to. Under v1 "".
    pub channel: String,
    /// `None`: stays, or is refused.
    pub next: Option<BundleVersion>,
    /// `replaces`, `skips`, `skipRange`, `version` or `none`.
    pub edge: String,
    /// Where it ends; itself when it stays.
    pub last: BundleVersion,
    /// How often it is updated on the way.
    pub steps: u32,
    /// The gravest first.
    pub marks: Vec<PathMark>,
    /// Kind of OLM's error, as the command line spells it; "" without one.
    pub error: String,
}

/// A version ever published.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EveryoneRow {
    pub name: String,
    pub version: String,
    /// False for a name that entries mention without a bundle; its version is read from the name.
    pub in_catalog: bool,
    pub deprecated: bool,
    pub v1: UpgradePath,
    /// One for each channel that lists or mentions it; default channel first, then by name.
    pub v0: Vec<UpgradePath>,
}

/// Everyone's next step. Answers `RequestBody::Everyone`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EveryoneView {
    pub root: String,
    pub package: String,
    /// Default first, then by name.
    pub channels: Vec<String>,
    /// Highest version first.
    pub rows: Vec<EveryoneRow>,
    /// Channels ("" for v1) that are refused as a whole, with OLM's words.
    pub refused: Vec<(String, String)>,
    /// Where operations are only supposed.
    pub outcome: Option<Outcome>,
    /// What of the catalog could not be read, so that the answer may lack it. Names in backticks.
    pub incomplete: Vec<String>,
}

/// The result of operations that are only assumed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Whether `opm validate` would pass the catalog.
    pub passes: bool,
    /// Whether it passes as things are.
    pub passed: bool,
    /// The verdict in the words of the other places: `fails opm validate now`.
    pub verdict: String,
    /// Why it would not, in few words: `2 heads in stable`, `1 stranded in stable`, else `opm`'s. "" when it would.
    pub why: String,
    /// Whether `why` is what the operations would do; else it is so already.
    pub breaks: bool,
    /// Entries of the package that would be new, or have other edges.
    pub entries: Vec<EntryOutcome>,
    /// Versions with another next step or another end.
    pub hit: u32,
    pub judgement: Judgement,
    /// Whether more users than before are harmed, in the words of the other places; "" where no rule is broken.
    pub broken: String,
    /// What happens to users, in one sentence.
    pub headline: String,
    /// How loud the headline is.
    pub tone: Tone,
}

/// An entry as it would be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EntryOutcome {
    pub channel: String,
    pub name: String,
    /// Not listed in the channel as things are.
    pub is_new: bool,
    /// "" for nothing.
    pub replaces: String,
    pub skips: Vec<String>,
    pub skip_range: String,
}

/// The catalog that users have now, for comparison.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Baseline {
    /// The same catalog as it is on disk: without the edits of this tab that are not saved.
    #[default]
    Disk,
    /// Another catalog that is open, by its root.
    Catalog(String),
}

/// One catalog against another: a summary for each package that differs. Answers `RequestBody::Compare`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Comparison {
    pub old: Baseline,
    pub root: String,
    pub new_passed: bool,
    /// The words of `opm validate` on the new one; "" when it passes.
    pub new_message: String,
    /// What becomes of the verdict, in words: `still fails opm validate, with the same 14 errors`.
    pub verdict: String,
    pub verdict_tone: Tone,
    /// Problems that are new and no errors of `opm`: what the verdict does not tell.
    pub new_problems: Vec<Json<Diagnostic>>,
    /// Most versions hit first.
    pub packages: Vec<ComparedRow>,
    /// Packages that are the same in both.
    pub same: u32,
    /// What of either catalog could not be read, so that the answer may lack it. Names in backticks.
    pub incomplete: Vec<String>,
}

/// What happened to a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum ComparedKind {
    #[default]
    Changed,
    Added,
    Removed,
    /// Of an entry: added here, and removed wherever it was listed before.
    Moved,
}

/// A package that differs. The counts are of versions; each counts once, whatever the number of lenses and channels
/// concerned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ComparedRow {
    pub package: String,
    pub kind: ComparedKind,
    /// Versions with another next step or another end.
    pub hit: u32,
    pub stranded: u32,
    pub downgraded: u32,
    pub rerouted: u32,
    pub gained: u32,
    /// What new installs get is another version, or nothing.
    pub is_fresh_changed: bool,
    /// Something changes for versions that the catalog does not list.
    pub is_unlisted_changed: bool,
    /// Text of it could not be read in one of the catalogs: nothing else is known.
    pub is_hidden: bool,
    /// Invariants of severity error, and of severity warning, that are broken.
    pub errors: u32,
    pub warnings: u32,
    /// One sentence.
    pub summary: String,
    /// What happens to users, in one sentence with a capital.
    pub headline: String,
}

/// One package of two catalogs. Answers `RequestBody::ComparePackage`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PackageComparison {
    pub old: Baseline,
    pub root: String,
    pub package: String,
    /// What changed, in sentences; names in backticks.
    pub changes: Vec<String>,
    /// Entries that were added, removed or changed, by channel, for the lanes of both.
    pub entries: Vec<EntryChange>,
    /// Those with another next step or another end: the gravest effect first, then highest version first.
    pub users: Vec<UserRow>,
    /// The same users together by what happens to them, fresh installs, and the rules that are broken.
    pub table: UserTable,
    /// The cluster in question, and what the change means on it, a sentence each; names in backticks.
    pub cluster: ClusterView,
    pub on_cluster: Vec<String>,
}

/// An entry of a channel that differs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EntryChange {
    pub channel: String,
    pub name: String,
    pub kind: ComparedKind,
    /// "replaces was `a`, is `b`"; for a removed one its content, for a moved one its former place; "" for an added
    /// one.
    pub detail: String,
}

/// A version for whom something changed, under one lens.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UserRow {
    pub from: BundleVersion,
    pub lens: Lens,
    /// Classic: the channels where this is so. Under v1 the channels that a ClusterExtension names alone; empty: it names none.
    pub channels: Vec<String>,
    pub old_next: Option<BundleVersion>,
    pub new_next: Option<BundleVersion>,
    pub old_last: BundleVersion,
    pub new_last: BundleVersion,
    /// The kinds of OLM's errors before and now, as the command line spells them; "" without one.
    pub errors: [String; 2],
    /// `same` (the end differs), `rerouted`, `stranded`, `gained`, `downgrade`.
    pub effect: String,
    /// One sentence.
    pub says: String,
}

/// An invariant that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BrokenRow {
    /// Its stable name, as `switchyard diff --deny` and `switchyard explain` take it.
    pub invariant: String,
    /// Its number in the specification, `I1` to `I20`; "" for one of our own.
    pub id: String,
    /// The names of rules that are broken by the same fact.
    pub also: Vec<String>,
    /// Else a warning.
    pub error: bool,
    /// The channels where it is so; "" when it is about the whole package.
    pub channel: String,
    pub message: String,
    /// How many versions, entries or bundles it does not hold for.
    pub count: u32,
    /// What to do about it; may be "".
    pub help: String,
    /// The rule itself, as one sentence, and what happens to users when it is broken. Names in backticks.
    pub rule: String,
    pub why: String,
}

/// Versions by catalogs. Answers `RequestBody::Matrix`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MatrixView {
    pub package: String,
    pub columns: Vec<MatrixColumn>,
    /// Highest version first.
    pub rows: Vec<MatrixRow>,
    /// What of the catalogs could not be read, so that the answer may lack it. Names in backticks.
    pub incomplete: Vec<String>,
}

/// A catalog.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MatrixColumn {
    pub root: String,
    pub label: String,
    /// `4.19`, if the catalog's name contains it; "" otherwise.
    pub ocp: String,
    /// Of the package there; "" without one.
    pub default_channel: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MatrixRow {
    pub name: String,
    pub version: String,
    /// One for each column.
    pub cells: Vec<MatrixCell>,
}

/// The situation of a version in a catalog, for both lenses and all channels together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum VersionStatus {
    /// It has a next step.
    GoesOn,
    /// It is present, and its path ends with it.
    Ends,
    /// It has a next step under one lens only, or in some channels only.
    Partly,
    /// Nothing follows, but its path does not end there.
    #[default]
    Lost,
    /// Only later catalogs have it.
    Ahead,
}

/// A version in one catalog: what it finds once the cluster has reached that catalog.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MatrixCell {
    /// The catalog has the bundle.
    pub present: bool,
    pub v1: UpgradePath,
    /// Classic, for each channel of this catalog that lists or mentions it (or did in the column before).
    pub v0: Vec<UpgradePath>,
    /// `olm.maxOpenShiftVersion` of the bundle; "" without one.
    pub max: String,
    /// With this version installed OpenShift holds the cluster back from the next minor version.
    pub blocks: bool,
    /// If it blocks: the first version on Classic's path in this catalog that does not.
    pub unblocked_at: Option<BundleVersion>,
    pub status: VersionStatus,
    /// Its meaning in a few words: `there, on to p.v1.3.0`, `gone, no way on`, …
    pub says: String,
}

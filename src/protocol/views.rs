//! The page's content as flat data. Lines and columns count from 1. Texts are plain text, never
//! markup; an absent text is "" unless its type is an `Option`.

use super::destination::{EdgeKind, UpgradeError};
use super::judgement::{JudgedFact, Judgement, Tone, UserTable};
use super::repository::RepositoryStatus;
use super::request::{ReplayStep, Target};
use super::templates::{RenderedFrom, RenderedRow, TemplateRow};
use super::upgrades::{BundleVersion, ClusterInQuestion, UnreadableParts};
use super::wire::Json;
use crate::diagnostic::{Diagnostic, Location, Profile, Severity};
use crate::operation::EditOp;
use serde::{Deserialize, Serialize};

/// One entry of one channel.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct EntryRef {
    pub channel: String,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct PackageRef {
    pub root: String,
    pub package: String,
}

enum_with_text! {
    /// Returns the spelling on the command line.
    pub fn name;
    /// OLM's two upgrade semantics.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    pub enum Lens {
        /// OLM Classic.
        #[default]
        V0 = "v0",
        V1 = "v1",
    }
}

/// The installed version that a question starts from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Origin {
    /// Nothing is installed.
    #[default]
    Fresh,
    /// A bundle, by name.
    Installed(String),
}

/// OLM v1: `upgradeConstraintPolicy` of a ClusterExtension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Policy {
    #[default]
    CatalogProvided,
    SelfCertified,
}

enum_with_text! {
    /// Returns the spelling in a Subscription.
    pub fn as_str;
    /// Classic: `installPlanApproval` of a Subscription.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    pub enum Approval {
        #[default]
        Automatic = "Automatic",
        Manual = "Manual",
    }
}

/// The question about a user's next upgrade.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UpgradeQuestion {
    pub lens: Lens,
    pub origin: Origin,
    /// Classic: the subscribed channel; "" means the default channel.
    pub channel: String,
    pub approval: Approval,
    /// Classic, for a fresh install: the bundle to start with; "" means the head.
    pub starting_csv: String,
    /// OLM v1: the requested channels; empty means all.
    pub channels: Vec<String>,
    /// OLM v1: the version range; "" means none.
    pub range: String,
    pub policy: Policy,
    /// The OpenShift version of the cluster, as typed; "" if none is given.
    pub cluster: String,
}

/// The state of the session, which the page always shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Status {
    pub revision: u64,
    pub roots: Vec<RootRow>,
    /// Folders that were split into catalogs, or that contain a catalog; for *Treat this folder as
    /// one catalog*.
    pub folders: Vec<FolderRow>,
    /// Files above all roots, and files outside of any catalog, with the reason. `None`: unchanged
    /// since the last report.
    pub unused_files: Option<Vec<UnusedFileRow>>,
    pub history: Vec<HistoryRow>,
    /// Number of applied steps of `history`; the rest can be redone.
    pub applied_steps: usize,
    /// Paths in the session of the files that the last applied step changed.
    pub last_step_files: Vec<String>,
    /// Number of steps of `history` after which all files equal the disk; after an undo, it can
    /// exceed `applied_steps`. `None` if no point of the history equals the disk, for example when
    /// only some files could be saved.
    pub saved_steps: Option<usize>,
    /// Steps that lead from the disk to the current state if the history does not (`saved_steps`
    /// exceeds `applied_steps`, or is `None`).
    pub unsaved: Vec<ReplayStep>,
    /// Paths in the session of files that differ from the disk, as last opened or saved.
    pub changed_files: Vec<String>,
    pub bytes: u64,
    pub files: u32,
    /// The requested advice profile; `None`: each catalog follows its configuration file.
    pub profile: Option<Profile>,
    pub config_files: Vec<String>,
    /// Set if the session is an operator repository: only files of requested operators are read.
    pub repository: Option<RepositoryStatus>,
}

/// A catalog, template or rendering of the session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RootRow {
    /// Path in the session; the root's name in operations. "" when the whole session is the root.
    pub root: String,
    /// Last part of the path, for lists.
    pub label: String,
    pub packages: u32,
    pub passed: bool,
    /// Number of errors of `opm`'s rules.
    pub errors: u32,
    /// Number of these errors that follow from others.
    pub following: u32,
    /// The advice profile in use.
    pub profile: Profile,
    /// `opm validate`'s message; "" if it passes.
    pub opm_message: String,
    pub edited: bool,
    /// Set if the root is a template: then `passed` means no errors, and `errors` counts all.
    pub template: Option<TemplateRow>,
    /// Set if the root is the rendered form of a template, which is read-only. If bundles are
    /// missing, `passed` and `errors` have their meaning for templates.
    pub rendered: Option<RenderedRow>,
}

impl RootRow {
    pub fn is_template(&self) -> bool {
        self.template.is_some()
    }

    /// Whether the root is a folder of files, neither a template nor rendered.
    pub fn is_catalog(&self) -> bool {
        self.template.is_none() && self.rendered.is_none()
    }

    /// Whether `opm validate` passes. `None` if it is unknown: for a template without errors, and
    /// for one rendered without some of its bundles.
    pub fn validity(&self) -> Option<bool> {
        let is_complete = !self.is_template() && self.missing_bundles() == 0;
        (is_complete || !self.passed).then_some(self.passed)
    }

    /// Whether its template cannot be rendered.
    pub fn is_refused(&self) -> bool {
        let mut rendered = self.rendered.iter();
        rendered.any(|rendered| rendered.refused.is_some())
    }

    /// Counts the bundles that it is rendered without, so that it is not validated.
    pub fn missing_bundles(&self) -> u32 {
        let rendered = self.rendered.as_ref().filter(|_| !self.is_refused());
        rendered.map_or(0, |rendered| rendered.missing.len() as u32)
    }
}

/// A folder of the session that can be one catalog or several.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FolderRow {
    pub folder: String,
    pub as_one: bool,
    /// Whether it would be several catalogs if the user had not joined it.
    pub splits: bool,
    /// For a split folder: `opm validate`'s error for the folder as one catalog; "" if it would
    /// pass.
    pub whole_message: String,
}

/// A file that is not part of a catalog, or that could not be read as one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UnusedFileRow {
    pub path: String,
    /// `None` if a problem of its catalog reports it.
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HistoryRow {
    pub title: String,
}

/// One row of the package list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PackageRow {
    pub name: String,
    pub display_name: String,
    pub channels: u32,
    pub bundles: u32,
    pub errors: u32,
    pub warnings: u32,
    /// Remarks, such as a requirement that nothing in the catalog meets.
    pub infos: u32,
    pub edited: bool,
    pub deprecated: bool,
    /// Whether a bundle requires another package or an API.
    pub has_requirements: bool,
    /// In a repository, the number of the operator's bundle folders that no open catalog lists.
    pub unreleased: u32,
}

/// One row of the table: an entry, or an absent entry that an edge refers to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct TableRow {
    pub channel: String,
    pub entry: String,
    pub version: String,
    pub replaces: String,
    pub skips: Vec<String>,
    pub skip_range: String,
    /// The day its bundle was built, otherwise the creation time as written; "" if there is none.
    pub date: String,
    pub has_requirements: bool,
    pub edge_lines: EdgeLines,
    pub states: Vec<EntryState>,
    pub location: Location,
    pub problem: Option<ProblemMark>,
}

impl TableRow {
    pub fn entry_ref(&self) -> EntryRef {
        EntryRef {
            channel: self.channel.clone(),
            name: self.entry.clone(),
        }
    }

    /// Whether only an edge names the entry.
    pub fn is_absent(&self) -> bool {
        self.states.contains(&EntryState::Absent)
    }
}

enum_with_text! {
    /// Returns the name in JSON and drawings.
    pub fn name;
    /// A state of an entry in a channel.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum EntryState {
        Head = "head",
        Skipped = "skipped",
        Stranded = "stranded",
        Cycle = "cycle",
        /// An edge names the entry, but the channel does not list it.
        Absent = "absent",
        NoBundle = "no-bundle",
        Duplicate = "duplicate",
        /// The bundle itself is deprecated.
        Deprecated = "deprecated",
        /// The channel is the default channel.
        DefaultChannel = "default-channel",
    }
}

impl EntryState {
    /// Returns the displayed name.
    pub fn label(self) -> &'static str {
        match self {
            Self::Absent => "not in this channel",
            Self::NoBundle => "no bundle",
            Self::Duplicate => "listed twice",
            Self::Cycle => "in a cycle",
            Self::DefaultChannel => "default channel",
            other => other.name(),
        }
    }
}

/// The lines of the row's file that define its edges; 0 for an edge that it lacks.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct EdgeLines {
    pub replaces: u32,
    /// Parallel to the entry's `skips`.
    pub skips: Vec<u32>,
    pub skip_range: u32,
}

/// The problems of one object, to mark where it is drawn. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct ProblemMark {
    pub errors: u32,
    pub warnings: u32,
    /// Message of the worst problem, names in backticks.
    pub worst: String,
}

/// A problem in a displayed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineMark {
    pub severity: Severity,
    pub rule: String,
    /// Names in backticks.
    pub message: String,
    pub location: Location,
}

/// The documentation of a rule. Texts are sentences with names in backticks; "" if absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RuleText {
    pub rule: String,
    pub opm: bool,
    pub summary: String,
    pub why: String,
    pub fix: String,
    /// The pattern of `opm`'s message.
    pub opm_message: String,
    /// The first version of `opm` that refuses it: `refused since opm 1.69`.
    pub since: String,
    /// The lowest profile that reports it.
    pub profile: Profile,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TextRange {
    pub start: u32,
    pub end: u32,
}

/// The entries that a range covers while the user types it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RangeMatches {
    /// The range as typed.
    pub text: String,
    /// Highest first.
    pub caught: Vec<CaughtVersion>,
    /// Number of versions that the range was tested on.
    pub total: u32,
    pub contains_own_version: bool,
    /// Why the text cannot be parsed; "" if it can.
    pub error: String,
    /// The characters of the text that cannot be parsed.
    pub wrong: Option<TextRange>,
}

/// A version that a range contains.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CaughtVersion {
    pub name: String,
    pub version: String,
    /// Whether the entry's channel lists it.
    pub is_listed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PathStep {
    pub name: String,
    pub version: String,
    /// The channel whose entry leads there; `None` if no channel lists it.
    pub channel: Option<String>,
    pub edge: EdgeKind,
    /// The reasons for the step, most important first.
    pub why: Vec<String>,
    /// The consequence for the cluster in question, in few words.
    pub on_cluster: Option<String>,
}

/// An answer under one lens.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UpgradePath {
    pub lens: Lens,
    /// From the installed bundle to the end of the path. Empty if the user stays on the installed
    /// version, or there is nothing to install.
    pub steps: Vec<PathStep>,
    /// Whether the last step returns to an earlier one.
    pub looped: bool,
    /// Why no step follows the last one, or why there is none.
    pub end: Vec<String>,
    pub error: Option<UpgradeError>,
    /// Whether no step follows, although the version is neither the channel's head (Classic) nor
    /// the version of a fresh install (v1).
    pub is_stuck: bool,
    /// Further conditions of the answer, one sentence each.
    pub notes: Vec<String>,
    /// The distinct status conditions of deprecations along the path.
    pub conditions: Vec<StatusCondition>,
    /// The consequences of the installed version and the next step for the cluster in question, one
    /// sentence each.
    pub on_cluster: Vec<String>,
}

impl UpgradePath {
    pub fn next(&self) -> Option<&PathStep> {
        self.steps.first()
    }
}

/// A condition that a Subscription or a ClusterExtension reports along a path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StatusCondition {
    /// The condition's type: `ChannelDeprecated`.
    pub kind: String,
    pub message: String,
    /// When it is set: `at every step`, or while a bundle is installed, with its name in backticks.
    pub when: String,
}

/// The result of subscribing to another channel.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChannelAnswer {
    pub channel: String,
    pub is_default: bool,
    /// `None` if there is no update.
    pub next: Option<BundleVersion>,
    pub error: Option<UpgradeError>,
    pub is_stuck: bool,
}

/// The lenses lead to different versions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LensDifference {
    /// Where OLM v1 would go with Classic's channel alone, if that differs from its answer for all
    /// channels.
    pub with_one_channel: Option<String>,
}

/// The answers of both lenses, and their difference.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UpgradeAnswer {
    /// The starting point. A selected bundle replaces a new install without a starting CSV.
    pub origin: Origin,
    pub v0: UpgradePath,
    pub v1: UpgradePath,
    /// `None` if both lead to equal versions.
    pub difference: Option<LensDifference>,
    /// Classic: every channel, in lane order.
    pub channels: Vec<ChannelAnswer>,
    pub cluster: ClusterInQuestion,
    /// Why the installed version has no answer. Names in backticks.
    pub unknown: Option<String>,
    /// Whether unreadable text may contain a part of the package.
    pub is_partial: bool,
    pub incomplete: UnreadableParts,
}

/// The versions that a range admits while the user types it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RangeView {
    /// The range as typed.
    pub range: String,
    /// Why OLM v1 cannot parse it; "" if it can.
    pub error: String,
    /// The API's error message; "" if it accepts the range. It accepts fewer spellings than the
    /// code behind it.
    pub refusal: String,
    /// Versions of the requested channels that it admits, highest first.
    pub admitted: Vec<String>,
    /// Prereleases that it excludes only because it contains none.
    pub left_out: Vec<String>,
    /// Number of versions in the requested channels.
    pub total: u32,
    /// Ranges that pin the installed bundle (otherwise the highest version).
    pub pins: Vec<RangePin>,
}

/// A range that pins a version.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RangePin {
    pub range: String,
    /// The displayed meaning: `patches of 1.2 only`.
    pub meaning: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LineEnd {
    /// At the end of the file, without a line break.
    #[default]
    None,
    Lf,
    CrLf,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceLine {
    /// Without its line break and, in a first line, without the byte order mark; very long lines
    /// are cut.
    pub text: String,
    pub end: LineEnd,
    /// Number of bytes cut after `text`.
    pub hidden: u64,
}

/// Lines of a file in its current state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceView {
    pub root: String,
    pub file: String,
    /// Number of the first line in `lines`, from 1.
    pub first: u32,
    /// After a final line break there is one more, empty line.
    pub lines: Vec<SourceLine>,
    pub total_lines: u32,
    /// The line ending for new lines of this file.
    pub breaks: LineEnd,
    /// Whether a byte order mark, which counts as a column, precedes the first line of `lines`.
    pub has_mark: bool,
    /// Why the text cannot be edited; "" if it can.
    pub locked: String,
    /// Lines (from 1) that differ from the opened text.
    pub changed_lines: Vec<u32>,
    /// Problems that begin in `lines`, by place.
    pub problems: Vec<LineMark>,
    /// What the line `place` of the query belongs to.
    pub subject: Option<LineSubject>,
    /// Revision of the session that this was read from.
    pub revision: u64,
}

/// What a line of a file belongs to. A line between two blobs belongs to the first. A line on which
/// several blobs begin belongs to their only package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineSubject {
    pub package: String,
    pub target: Target,
    /// The template of the package.
    pub rendered_from: Option<RenderedFrom>,
}

/// A search match in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FoundText {
    /// `None` if there is no match.
    pub at: Option<LineSpan>,
    /// Its number among all matches, from 1.
    pub number: u32,
    pub count: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LineSpan {
    pub line: u32,
    pub column: u32,
    /// The column after the last character.
    pub end_column: u32,
}

/// Lines of all files that contain a text or all of its words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TextMatches {
    pub lines: Vec<TextMatch>,
    /// The number of matches, also those in other lines.
    pub matches: u32,
    /// The number of files with matches.
    pub files: u32,
    pub unreadable_files: u32,
}

/// A line that contains a text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TextMatch {
    /// Path of the file among all opened files.
    pub path: String,
    /// The catalog of the file; "" for a file outside of any catalog.
    pub root: String,
    /// The match. The path of a file outside of any catalog starts with `/`.
    pub location: Location,
    /// The line, without indentation and cut around the match.
    pub text: String,
    /// Byte range of the match in `text`.
    pub mark: TextRange,
    pub subject: Option<LineSubject>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineKind {
    Context,
    Added,
    Removed,
}

impl LineKind {
    pub fn sign(self) -> u8 {
        match self {
            LineKind::Context => b' ',
            LineKind::Removed => b'-',
            LineKind::Added => b'+',
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffLine {
    pub kind: LineKind,
    /// Line numbers from 1; 0 if the line does not exist on that side.
    pub old: u32,
    pub new: u32,
    pub text: String,
    /// Number of characters after `text`: of a very long line, only the start is shown.
    pub hidden: u32,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DiffHunk {
    /// `@@ -1,4 +1,5 @@`
    pub header: String,
    pub lines: Vec<DiffLine>,
    /// In *Review changes*, the operation that restores the text of these lines as read; `None` if
    /// there is none, because a line is not UTF-8.
    pub revert: Option<Json<EditOp>>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FileDiff {
    /// Path in the session.
    pub path: String,
    /// Path in a patch; "" outside a review.
    pub patch_path: String,
    pub root: String,
    /// Path of the template that the file is rendered from; "" if none was found.
    pub rendered_from: String,
    /// Whether it belongs to a rendered catalog, which follows from its template and is never
    /// saved.
    pub is_rendered: bool,
    pub created: bool,
    pub added: u32,
    pub removed: u32,
    pub hunks: Vec<DiffHunk>,
}

/// An entry of any open catalog.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct EntryLocation {
    pub root: String,
    pub package: String,
    pub channel: String,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Consequences {
    /// The verdict of each affected catalog.
    pub verdicts: Vec<VerdictChange>,
    /// Packages that passed before and fail now.
    pub failing: Vec<FailingPackage>,
    pub problems_gained: Vec<Json<Diagnostic>>,
    /// Channels that lost their last entry.
    pub emptied: Vec<String>,
    pub judgement: Judgement,
    /// All facts, most important first.
    pub facts: Vec<JudgedFact>,
    /// The effects on users, one table per changed package.
    pub tables: Vec<UserTable>,
    /// One sentence: the verdict, and the most important effect on users.
    pub summary: String,
    /// The reason for the judgement, as one capitalized clause; "" if there is nothing to report.
    pub reason: String,
}

/// A package that passed before and fails now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FailingPackage {
    pub root: String,
    pub package: String,
    /// Its first error.
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VerdictChange {
    pub root: String,
    pub passed_after: bool,
    /// The verdict in the shared wording: `still fails opm validate, with the same 14 errors`.
    pub text: String,
    pub tone: Tone,
}

enum_with_text! {
    /// Returns the displayed kind.
    pub fn label;
    /// The object that a search hit names. The order decides between equally good hits.
    #[derive(
        Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
    )]
    pub enum HitKind {
        #[default]
        Package = "package",
        Channel = "channel",
        Bundle = "bundle",
        /// A name that a channel lists without a bundle.
        Entry = "entry without bundle",
        Version = "version",
        DisplayName = "display name",
        ProvidedApi = "provided API",
        RequiredApi = "required API",
        PropertyType = "property type",
        Image = "image",
        Problem = "problem",
        File = "file",
    }
}

/// A search hit of the omnibox.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hit {
    pub root: String,
    /// "" for a problem without a package.
    pub package: String,
    /// "" for the package itself, or for a bundle that no channel lists.
    pub channel: String,
    pub bundle: String,
    /// Index of the problem in the catalog's list.
    pub problem: Option<u32>,
    /// The path of a file in the catalog.
    pub file: Option<String>,
    pub label: String,
    /// Parts of the label that match the typed text: byte ranges at character boundaries, in order.
    pub marks: Vec<TextRange>,
    pub kind: HitKind,
    /// The displayed place, such as `anchor-operator in v4.20`.
    pub detail: String,
}

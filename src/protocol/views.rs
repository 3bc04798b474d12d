//! What the page shows, as flat data. Lines and columns count from 1. Texts are ready to be shown as text, never as
//! markup.

use super::json::Json;
use super::judgement::{JudgedFact, Judgement, Tone, UserTable};
use super::repository::RepositoryStatus;
use super::request::ReplayStep;
use super::templates::{RenderedRow, TemplateRow};
use super::upgrades::ClusterView;
use crate::diagnostic::{Diagnostic, Location, Profile, Severity};
use crate::operation::EditOp;
use serde::{Deserialize, Serialize};

/// One entry of one channel.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct EntryRef {
    pub channel: String,
    pub name: String,
}

/// Which of OLM's two upgrade semantics answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Lens {
    /// OLM Classic.
    #[default]
    V0,
    /// OLM v1.
    V1,
}

/// From where users go.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Origin {
    /// Nothing is installed.
    #[default]
    Fresh,
    /// A bundle, by name.
    Installed(String),
    /// Every version that was ever published. Details are those of the selected entry.
    Everyone,
}

/// OLM v1: `upgradeConstraintPolicy` of a ClusterExtension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Policy {
    #[default]
    CatalogProvided,
    SelfCertified,
}

/// Classic: `installPlanApproval` of a Subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Approval {
    #[default]
    Automatic,
    Manual,
}

/// The question "from here, where?".
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UpgradeQuestion {
    pub lens: Lens,
    pub origin: Origin,
    /// Classic: the channel subscribed to; "" means the default channel.
    pub channel: String,
    pub approval: Approval,
    /// Classic, for a fresh install: the bundle to begin with; "" means the head.
    pub starting_csv: String,
    /// OLM v1: the channels named; empty means all.
    pub channels: Vec<String>,
    /// OLM v1: the version range; "" means none.
    pub range: String,
    pub policy: Policy,
    /// The OpenShift version of the cluster, as typed; "" means that none is named.
    pub cluster: String,
}

/// The state of the whole workspace that is always on the page.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Status {
    pub revision: u64,
    pub roots: Vec<RootRow>,
    /// Folders that were split into catalogs, or that hold a catalog; for *Treat this folder as one catalog*.
    pub folders: Vec<FolderRow>,
    /// Files above all roots, and files that are not a catalog, with the reason. `None`: the same as last reported.
    pub unused_files: Option<Vec<UnusedFileRow>>,
    pub history: Vec<HistoryRow>,
    /// How many steps of `history` are applied; the rest can be redone.
    pub applied_steps: usize,
    /// Paths in the workspace of the files that the last applied step changed.
    pub last_step_files: Vec<String>,
    /// Everything up to this step is saved, counted as in `history`: after so many steps all files are as on disk. It may be
    /// more than are applied, after an undo. `None`: at no point of the history, as when only some files could be saved.
    pub saved_steps: Option<usize>,
    /// If the history does not lead from the disk to the present state (`saved_steps` is more than are applied, or
    /// `None`): steps that do.
    pub unsaved: Vec<ReplayStep>,
    /// Paths in the workspace of files that differ from what is on disk, as far as known: from what was opened or saved.
    pub changed_files: Vec<String>,
    pub bytes: u64,
    pub files: u32,
    /// The requested advice profile; `None`: each catalog follows its configuration file.
    pub profile: Option<Profile>,
    /// Paths of the configuration files that catalogs go by.
    pub config_files: Vec<String>,
    /// Where what is open is an operator repository: of its files only those are read that were asked for.
    pub repository: Option<RepositoryStatus>,
}

/// One catalog.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RootRow {
    /// Path in the workspace; the root's name in operations. "" when the whole workspace is the root.
    pub root: String,
    /// Last part of the path, for lists.
    pub label: String,
    pub packages: u32,
    pub passed: bool,
    /// Diagnostics that are `opm`'s and errors.
    pub errors: u32,
    pub warnings: u32,
    /// The profile of advice that is in force.
    pub profile: Profile,
    /// The words of `opm validate`; "" when it passes.
    pub opm_message: String,
    pub edited: bool,
    /// The root is a template and not a catalog: then `passed` means that it has no errors, and `errors` counts all.
    pub template: Option<TemplateRow>,
    /// The root is what a template renders to: read-only. Where bundles are missing, `passed` and `errors` are as of a
    /// template.
    pub rendered: Option<RenderedRow>,
}

impl RootRow {
    pub fn is_template(&self) -> bool {
        self.template.is_some()
    }

    /// It is a folder of files, and neither a template nor rendered.
    pub fn is_catalog(&self) -> bool {
        self.template.is_none() && self.rendered.is_none()
    }
}

/// A folder of the workspace that can be one catalog or several.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FolderRow {
    pub folder: String,
    pub as_one: bool,
    /// It would be several catalogs if it were not kept as one.
    pub splits: bool,
    /// For a split folder: `opm validate`'s error for the whole; "" when it would pass.
    pub whole_message: String,
}

/// A file that is not part of a catalog, or that could not be read as one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UnusedFileRow {
    pub path: String,
    pub reason: String,
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
    /// What is only told, such as a requirement that nothing in the catalog meets.
    pub infos: u32,
    pub edited: bool,
    pub deprecated: bool,
}

/// One row of the table: an entry, or an absent entry that an edge names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct TableRow {
    pub channel: String,
    pub entry: String,
    pub version: String,
    pub replaces: String,
    pub skips: Vec<String>,
    pub skip_range: String,
    /// The day its bundle was made, else the creation time as written there; "" if there is none.
    pub date: String,
    pub edge_lines: EdgeLines,
    /// Words: `head`, `default channel`, `skipped`, `deprecated`, `not in this channel`, `stranded`, `no bundle`.
    pub state: Vec<String>,
    pub location: Location,
    pub problem: Option<ProblemMark>,
}

/// The lines of the row's file that define its edges; 0 for edges that it does not have.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct EdgeLines {
    pub replaces: u32,
    /// In the order of `skips`.
    pub skips: Vec<u32>,
    pub skip_range: u32,
}

/// The problem of one thing, to be marked where it is drawn. Always has a problem.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct ProblemMark {
    pub errors: u32,
    pub warnings: u32,
    /// Message of the worst problem, names in backticks.
    pub worst: String,
}

/// A problem at a place of a file that is shown.
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
    /// The shape of `opm`'s message.
    pub opm_message: String,
    /// Since when `opm` refuses for it: `refused since opm 1.69`.
    pub since: String,
    /// The lowest profile that looks for it.
    pub profile: Profile,
    /// Catalogs that have the problem, each as paths and texts.
    pub bad: Vec<Vec<(String, String)>>,
    /// Catalogs that do not, in the same shape.
    pub good: Vec<Vec<(String, String)>>,
}

/// What a range catches, as it is typed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RangeMatches {
    /// The text that this is about.
    pub text: String,
    /// Name and version, and whether the entry's channel lists it; highest first.
    pub caught: Vec<(String, String, bool)>,
    /// Out of how many versions.
    pub total: u32,
    /// The entry's own version is in the range.
    pub own: bool,
    /// Why the text cannot be read; "" when it can.
    pub error: String,
    /// The part of the text that cannot be read: first character and the one behind the last.
    pub wrong: Option<(u32, u32)>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PathStep {
    pub name: String,
    pub version: String,
    /// The channel whose entry leads there; "" when no channel lists it.
    pub channel: String,
    /// `replaces`, `skips`, `skipRange`, `version` or `none`.
    pub edge: String,
    /// The most important first.
    pub why: Vec<String>,
    /// What it means for the cluster in question, in few words; "" where that is nothing.
    pub on_cluster: String,
}

/// An answer under one lens.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NextStep {
    pub lens: Lens,
    /// From the installed bundle on, as far as the path goes. Empty: it stays where it is, or nothing can be
    /// installed.
    pub steps: Vec<PathStep>,
    /// The last step leads to where the path was before.
    pub looped: bool,
    /// Why nothing follows the last step, or why there is none.
    pub end: Vec<String>,
    pub error: Option<String>,
    /// The kind of the error, as the command line spells it; "" without one.
    pub error_kind: String,
    /// It stays, though it is neither the channel's head (Classic) nor what a fresh install gives (v1).
    pub is_stuck: bool,
    /// What the answer depends on besides, a sentence each.
    pub notes: Vec<String>,
    /// The status conditions of deprecations along the path, each once.
    pub conditions: Vec<StatusCondition>,
    /// What the installed version and the next step mean for the cluster in question, a sentence each.
    pub on_cluster: Vec<String>,
}

/// A condition that a Subscription or a ClusterExtension has along a path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StatusCondition {
    /// Its type: `ChannelDeprecated`.
    pub kind: String,
    pub message: String,
    /// When it is set: `all the way`, or with what is installed, names in backticks.
    pub when: String,
}

impl NextStep {
    /// The next step alone.
    pub fn next(&self) -> Option<&PathStep> {
        self.steps.first()
    }
}

/// What a subscription to another channel would bring.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChannelAnswer {
    pub channel: String,
    pub is_default: bool,
    /// Name and version of the next step; "" when it stays there.
    pub next: String,
    pub version: String,
    /// In OLM's words, when it finds no answer.
    pub error: String,
    pub is_stuck: bool,
}

/// Both answers, and how they differ in words ("" when they do not).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UpgradeAnswer {
    /// The starting point: never `Everyone` when an entry is selected, which is then the subject.
    pub origin: Origin,
    pub v0: NextStep,
    pub v1: NextStep,
    pub difference: String,
    /// Classic: every channel, in lane order.
    pub channels: Vec<ChannelAnswer>,
    /// The cluster in question.
    pub cluster: ClusterView,
    /// Why nothing can be determined for what is installed; "" if it can. Names in backticks.
    pub unknown: String,
    /// What of the catalog could not be read, so that the answer may lack it. Names in backticks.
    pub incomplete: Vec<String>,
}

/// Which versions a range admits, requested while it is typed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RangeView {
    /// The range in question.
    pub range: String,
    /// What is wrong with it; "" when OLM v1 can read it.
    pub error: String,
    /// The API accepts fewer spellings than the code behind it: its error message; "" if it accepts this one.
    pub refusal: String,
    /// Versions of the requested channels that it admits, highest first.
    pub admitted: Vec<String>,
    /// Pre-releases that it excludes only because it names none.
    pub left_out: Vec<String>,
    /// Number of versions in the requested channels.
    pub total: u32,
    /// Ranges that pin the installed bundle (else the highest version), each with its meaning.
    pub pins: Vec<(String, String)>,
}

/// How a line of a file ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LineEnd {
    /// With the file.
    #[default]
    None,
    Lf,
    CrLf,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceLine {
    /// Without its line break and, in a first line, without the byte order mark; a very long one is cut.
    pub text: String,
    pub end: LineEnd,
    /// Bytes behind `text` that are not here.
    pub hidden: u64,
}

/// Lines of a file as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceView {
    pub root: String,
    pub file: String,
    /// Number of the first line here, from 1.
    pub first: u32,
    /// After a final line break there is one more, empty line.
    pub lines: Vec<SourceLine>,
    pub total_lines: u32,
    /// First and last line of the requested blob.
    pub blob: Option<(u32, u32)>,
    /// What a new line of this file ends with.
    pub breaks: LineEnd,
    /// Whether a byte order mark, which counts as a column, precedes the first line here.
    pub has_mark: bool,
    /// Why the text cannot be edited; "" where it can.
    pub locked: String,
    /// Lines (from 1) that differ from what was opened.
    pub changed_lines: Vec<u32>,
    /// Problems that begin in `lines`, by place.
    pub problems: Vec<LineMark>,
    /// Revision of the workspace that this was read from.
    pub revision: u64,
}

/// Where a text was found in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FoundText {
    /// Line, column and the column after it, from 1; `None` when it is nowhere.
    pub at: Option<(u32, u32, u32)>,
    /// Which of all it is, from 1.
    pub number: u32,
    pub count: u32,
}

/// What kind of line it is in a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DiffKind {
    Context,
    Added,
    Removed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffLine {
    pub kind: DiffKind,
    /// Line numbers from 1; 0 where the line does not exist on that side.
    pub old: u32,
    pub new: u32,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DiffHunk {
    /// `@@ -1,4 +1,5 @@`
    pub header: String,
    pub lines: Vec<DiffLine>,
    /// In *Review changes*, the operation that reverts these lines to how they were read; `None` if there is none (a
    /// line is not UTF-8).
    pub revert: Option<Json<EditOp>>,
}

/// The changes of one file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FileDiff {
    /// Path in the workspace.
    pub path: String,
    pub root: String,
    /// Path of the template that the file is rendered from; "" if none was found.
    pub rendered_from: String,
    /// It is the text of a rendered catalog, which follows from its template and is never saved.
    pub is_rendered: bool,
    pub created: bool,
    pub added: u32,
    pub removed: u32,
    /// The file's size; 0 where it is not there.
    pub bytes_before: u64,
    pub bytes_after: u64,
    pub hunks: Vec<DiffHunk>,
}

/// An entry of any open catalog; a channel as a whole where `name` is "".
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct EntryLocation {
    pub root: String,
    pub package: String,
    pub channel: String,
    pub name: String,
}

impl EntryLocation {
    /// As a label: `stable: a.v1`.
    pub fn label(&self) -> String {
        format!("{}: {}", self.channel, self.name)
    }
}

/// What follows from an edit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Consequences {
    /// Per catalog touched: name, passed before, passed after, `opm`'s words after.
    pub verdicts: Vec<VerdictChange>,
    /// Packages that passed and fail now.
    pub failing: Vec<FailingPackage>,
    pub problems_gained: Vec<Json<Diagnostic>>,
    pub problems_lost: Vec<Json<Diagnostic>>,
    /// `stable: head was a.v1, is a.v2`, and the new head.
    pub heads_moved: Vec<(String, EntryLocation)>,
    /// The heads of channels that were not there before; they are none of `heads_moved`.
    pub new_channels: Vec<EntryLocation>,
    /// Channels that lost their last entry.
    pub emptied: Vec<String>,
    pub newly_stranded: Vec<EntryLocation>,
    pub no_longer_stranded: Vec<EntryLocation>,
    /// How many versions have another next step or another end, in words: `2 versions affected`; "" for none.
    pub affected: String,
    pub judgement: Judgement,
    /// All facts, what matters most first.
    pub facts: Vec<JudgedFact>,
    /// What happens to users, a table for each package that changed.
    pub tables: Vec<UserTable>,
    /// One sentence: the verdict, and what matters most to users.
    pub summary: String,
    /// What happens to users, in one sentence.
    pub headline: String,
    /// Why it is judged as it is, in one clause with a capital; "" where there is nothing to say.
    pub reason: String,
}

/// A package that passed and fails now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FailingPackage {
    pub root: String,
    pub package: String,
    /// The first thing that is wrong with it.
    pub message: String,
    /// Whether the catalog's verdict reports it; it does not if the catalog fails anyway.
    pub in_verdict: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VerdictChange {
    pub root: String,
    pub passed_before: bool,
    pub passed_after: bool,
    pub opm_message: String,
    /// The verdict in the words of all places: `still fails opm validate, with the same 14 errors`.
    pub words: String,
    pub tone: Tone,
}

/// Something the omnibox found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hit {
    pub root: String,
    /// "" for a problem of no package.
    pub package: String,
    /// "" when the package itself was found, or a bundle that no channel lists.
    pub channel: String,
    pub bundle: String,
    /// The catalog's problem, counted as its problems are.
    pub problem: Option<u32>,
    pub label: String,
    /// Parts of the label that were typed: ranges of bytes, at borders of characters, in order.
    pub marks: Vec<(u32, u32)>,
    /// Its kind in words: `channel`.
    pub kind: String,
    /// Where it is, in words: `anchor-operator in v4.20`.
    pub detail: String,
}

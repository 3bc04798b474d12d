//! The list of all queries, with each query's answer type, its tag, and whether it only reads. A
//! worker without a handler for one of them does not compile.
//!
//! A query travels as a tag and bytes, and its answer as bytes, so that the code that sends, stores
//! and receives them needs no type parameter.

use crate::Json;
use crate::bundles::{BundlePlacement, DroppedBundles};
use crate::diagnostic::{Diagnostic, Profile};
use crate::disk_check::{DiskCheck, DiskFile, ToBeWritten};
use crate::inspection::{IconView, Inspection};
use crate::manifests::{DroppedManifests, InstallManifests, InstallRefusal, InstallRequest};
use crate::operation::EditOp;
use crate::repository::{
    OperatorView, ReleaseForm, RepositoryPlan, RepositoryTask, RepositoryView,
};
use crate::request::{
    Export, InputFile, OpenMode, PackageRequest, PreviewScope, RangePurpose, ReplayStep, SourceAt,
    Target,
};
use crate::response::*;
use crate::subset::{SavedSubset, Selection, SubsetView};
use crate::templates::{Conversion, ConversionRequest, RenderRequest, RenderTargets};
use crate::upgrades::{
    Baseline, Comparison, EntryChange, EveryoneView, MatrixView, PackageComparison,
};
use crate::views::*;
use crate::wire;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A query of the page, answered by the worker.
pub trait Query: Serialize + DeserializeOwned + 'static {
    type Answer: Serialize + DeserializeOwned + 'static;
    const REQUEST: Request;
    /// Whether it changes nothing and can be dropped at any time.
    const IS_QUESTION: bool;
}

pub type QueryResult<Q> = Result<<Q as Query>::Answer, OperationRefusal>;

/// Answers a query.
pub trait Handle<Q: Query> {
    fn handle(&mut self, query: Q) -> QueryResult<Q>;
}

/// Answers a query that comes with files.
pub trait HandleWithFiles<Q: Query> {
    fn handle_with_files(&mut self, query: Q, files: Vec<DiskFile>) -> QueryResult<Q>;
}

macro_rules! queries {
    (
        alone {
            $($(#[$doc:meta])* $kind:ident $name:ident $({ $($field:tt)* })? -> $answer:ty;)*
        }
        with files {
            $(
                $(#[$file_doc:meta])*
                $file_kind:ident $file_name:ident { $($file_field:tt)* } -> $file_answer:ty;
            )*
        }
    ) => {
        /// The name of a query in messages.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Tag {
            $($(#[$doc])* $name,)*
            $($(#[$file_doc])* $file_name,)*
        }
        $(queries!(@define [$(#[$doc])*] $name $({ $($field)* })?);)*
        $(queries!(@query $kind $name, Request::Query(Tag::$name), $answer);)*
        $(
            queries!(@define [$(#[$file_doc])*] $file_name { $($file_field)* });
            queries!(@query $file_kind $file_name, Request::Query(Tag::$file_name), $file_answer);
        )*

        /// Decodes a query, calls its handler and encodes the answer.
        pub fn dispatch<H>(
            handler: &mut H,
            tag: Tag,
            query: &[u8],
            files: Vec<DiskFile>,
        ) -> Result<Vec<u8>, OperationRefusal>
        where
            H: $(Handle<$name> +)* $(HandleWithFiles<$file_name> +)*,
        {
            match tag {
                $(Tag::$name => encode_answer(Handle::<$name>::handle(handler, decode_query(query)?)),)*
                $(Tag::$file_name => {
                    let query: $file_name = decode_query(query)?;
                    encode_answer(handler.handle_with_files(query, files))
                })*
            }
        }

        impl EncodedAnswer {
            /// Decodes the answer and drops it. Its purpose is to compile the decoder before its
            /// first use.
            // Inline: otherwise this crate gets a second copy of each decoder, which costs 60 kB
            // compressed.
            #[inline]
            pub fn decode_and_drop(&self) {
                match self.request {
                    $(Request::Query(Tag::$name) => drop(wire::decode::<$answer>(&self.bytes)),)*
                    Request::Open => drop(wire::decode::<Opened>(&self.bytes)),
                    _ => {}
                }
            }
        }
    };
    (@define [$($doc:tt)*] $name:ident) => {};
    (@define [$($doc:tt)*] $name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        $($doc)*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub struct $name {
            $(pub $field: $type,)*
        }
    };
    (@query $kind:ident $name:ident, $request:expr, $answer:ty) => {
        impl Query for $name {
            type Answer = $answer;
            const REQUEST: Request = $request;
            const IS_QUESTION: bool = queries!(@is_question $kind);
        }
    };
    (@is_question question) => { true };
    (@is_question command) => { false };
}

queries! {
    alone {
        // Views.
        /// Rows of the package list of one catalog.
        question Packages { root: String } -> Vec<PackageRow>;
        /// The main view of one package.
        question PackageRequest -> PackageView;
        /// The inspector's content.
        question Inspect { root: String, package: String, target: Target } -> Inspection;
        /// All problems of a catalog.
        question Problems { root: String } -> Vec<Json<Diagnostic>>;
        /// The documentation of a rule.
        question Explain { rule: String } -> RuleText;
        /// Lines of a file around a position.
        question ReadSource { root: String, file: String, at: SourceAt, place: u32 } -> SourceView;
        /// The next match of a text in a file, from a line and column (from 1) on, wrapping around.
        question FindText {
            root: String, file: String, text: String, from: (u32, u32), backwards: bool
        } -> FoundText;
        /// Search results for the omnibox. A text without letters has no results but prepares the
        /// next search. Those of the catalog `root` come first.
        question Find { text: String, root: String, limit: u32 } -> Found;
        /// Lines of all files that contain a text, then those with all of its words; of each, those
        /// of the catalog `root` come first.
        question SearchText { text: String, root: String, limit: u32 } -> TextMatches;
        /// Versions that a range admits while the user types it, among the channels of `question`.
        question AdmittedVersions {
            root: String, package: String, question: UpgradeQuestion
        } -> RangeView;
        /// Versions that a `skipRange` of an entry covers while the user types it.
        question CaughtVersions {
            root: String, package: String, entry: EntryRef, text: String, purpose: RangePurpose
        } -> RangeMatches;
        /// Whether an image, given in base64, is safe to show.
        question CheckPicture { media_type: String, data: String } -> IconView;

        /// The effects of `ops`, without applying them.
        question PreviewEdit { ops: Json<Vec<EditOp>>, scope: PreviewScope } -> Previewed;
        /// The next step and the end of each version ever published of a package: under v1 for
        /// `question`, under Classic for each channel. With `ops`, as if they were applied.
        question Everyone {
            root: String, package: String, question: UpgradeQuestion, ops: Json<Vec<EditOp>>
        } -> EveryoneView;
        /// The consequences for users of moving from one catalog to another.
        question Compare { old: Baseline, root: String } -> Comparison;
        /// Like `Compare` for one package, in full; with the consequences for a cluster of this
        /// OpenShift version, unless it is "".
        question ComparePackage {
            old: Baseline, root: String, package: String, cluster: String
        } -> PackageComparison;
        /// Entries of a package that differ from the disk.
        question Unsaved { root: String, package: String } -> Vec<EntryChange>;
        /// A package's versions by catalogs, in the order of cluster upgrades.
        question Matrix { roots: Vec<String>, package: String } -> MatrixView;
        /// The changed files with their diffs.
        question ReviewChanges {} -> Review;

        // Templates.
        /// The catalogs that a template is rendered into, and whether each is up to date.
        question ListRenderTargets { template: String } -> RenderTargets;
        /// Operations that write the rendered form of a template; empty if nothing has to change.
        question Render { template: String, what: RenderRequest } -> Json<Vec<EditOp>>;
        question ConversionRequest -> Conversion;

        // Files and manifests made from the session.
        question Export -> Exported;
        /// The intended content of each changed file, and the edits that lead to it from the
        /// content on disk. Requested before writing the files.
        question ListWrites {} -> Vec<ToBeWritten>;
        /// The content of a part of a catalog.
        question Subset { root: String, selection: Selection } -> SubsetView;
        /// The files of a part of a catalog: paths, beginning with the folder's name, and bytes.
        question SavedSubset -> Vec<(String, Vec<u8>)>;
        /// The manifests for trying a package on a cluster.
        question InstallRequest -> Result<InstallManifests, InstallRefusal>;
        /// Those of these files, by their paths in the session, that affect a catalog, so that a
        /// change on disk matters.
        question RelevantFiles { paths: Vec<String> } -> Vec<String>;
        /// CRC-32 of the bytes on disk, by path in the session. Omits files that are missing or
        /// unreadable.
        question Fingerprint { paths: Vec<String> } -> Vec<(String, u32)>;

        // A repository of operators.
        /// Operators by catalogs, derived from file names alone.
        question ListOperators {} -> RepositoryView;
        /// Details of one operator; reads its files.
        question Operator { operator: String } -> OperatorView;
        /// The choices of the release form. `dropped` has the files of a bundle that the repository
        /// lacks, with paths below its folder.
        question PrepareRelease {
            operator: String, bundle: String, dropped: Vec<(String, String)>
        } -> ReleaseForm;
        /// The effects of a task.
        question RepositoryTask -> RepositoryPlan;

        // The open catalogs.
        /// Splits a folder into catalogs again, or treats it as one.
        command TreatAsOne { folder: String, as_one: bool } -> Status;
        /// Opens the rendered form of a template as a catalog beside it, or closes it.
        command ShowRendered { template: String, shown: bool } -> Status;
        /// Sets the advice to report beside `opm`'s rules; `None` follows the configuration files.
        command SetProfile { profile: Option<Profile> } -> Status;
        /// Reads the files of an operator into the session for viewing and editing.
        command OpenOperator { operator: String } -> Status;

        // Edits. Each applies one step; the answer contains `view` after the step.
        /// Applies `ops` as one step.
        command Apply {
            ops: Json<Vec<EditOp>>, title: String, view: Option<PackageRequest>
        } -> Applied;
        /// Applies `ops` as a part of the last step, so that one undo covers both; if the last step
        /// cannot be extended, as a new step. The answer has all operations of the step.
        command ApplyToLastStep {
            ops: Json<Vec<EditOp>>, title: String, view: Option<PackageRequest>
        } -> Applied;
        /// Applies the first safe fix of `kind` to every problem of `rule` (of the package, if
        /// given), as one step.
        command FixAll {
            root: String, rule: String, kind: String, package: Option<String>,
            view: Option<PackageRequest>
        } -> Applied;
        /// Restores a file's original text, as one step that can be undone.
        command RevertFile { file: String, view: Option<PackageRequest> } -> Applied;
        /// Applies a task as one step.
        command ApplyRepository { task: RepositoryTask, view: Option<PackageRequest> } -> Applied;
        command Undo { view: Option<PackageRequest> } -> Applied;
        command Redo { view: Option<PackageRequest> } -> Applied;
        /// Undoes or redoes until `steps` steps are applied.
        command GoTo { steps: usize, view: Option<PackageRequest> } -> Applied;
        /// Reapplies steps after a worker died.
        command Replay { steps: Vec<ReplayStep> } -> Replayed;
        /// Replaces the unsaved steps, which are `edits` in any order, with those that are not left
        /// out, by index, and do not need one that is left out.
        command ChooseEdits { edits: Vec<ReplayStep>, left_out: Vec<usize> } -> ChosenEdits;
    }
    with files {
        /// Compares the disk content of files that are about to be written with the content last
        /// read or saved.
        question CheckDisk {} -> Vec<DiskCheck>;
        /// Reads dropped files as bundles for `placement`; `None` if they contain no bundle, or
        /// other files as well.
        question ReadBundles { placement: BundlePlacement } -> Option<DroppedBundles>;
        /// Reads dropped files as questions about the next upgrade of packages. `root` is the
        /// catalog in view; "" for none. `None` if no file is a Subscription or ClusterExtension,
        /// or the files belong to a catalog.
        question ReadManifests { root: String } -> Option<DroppedManifests>;
        /// Makes the current disk content the base and reapplies the edits that it lacks.
        command Merge {} -> Replayed;
        /// Drops the edits in one file that another program changed, as one step.
        command TakeTheirs { view: Option<PackageRequest> } -> Applied;
        /// Notes that the page has written these files; their content on disk becomes the base for
        /// later changes.
        command NoteSaved {} -> Saved;
    }
}

/// Opens the files sent with it. A task, not a query: while it runs, the worker sends `Progress`
/// and serves no query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Open {
    pub mode: OpenMode,
}

/// Adds the files sent with it to the open repository, which knew only their folders' names.
/// They are all files of `operators`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListFiles {
    pub operators: Vec<String>,
}

queries!(@query command Open, Request::Open, Opened);
queries!(@query command ListFiles, Request::ListFiles, ());

/// A query without its static type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedQuery {
    pub tag: Tag,
    pub bytes: Vec<u8>,
}

impl EncodedQuery {
    /// Encodes a query; `None` for a task, which has no handler.
    pub fn new<Q: Query>(query: &Q) -> Option<Self> {
        let Request::Query(tag) = Q::REQUEST else {
            return None;
        };
        Some(Self {
            tag,
            bytes: wire::encode(query),
        })
    }
}

/// A message from the page, followed by the bytes of the query. The browser's `File`s travel beside
/// it, as a plain array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The id of the request, which its answer repeats. 0 for a message without an answer.
    pub id: u64,
    pub request: Request,
    pub files: Vec<InputFile>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    Query(Tag),
    Open,
    ListFiles,
    /// Sends files of a coming `Open` while the page is still listing the rest. Not answered.
    ReadAhead,
    /// The announced `Open` will not follow.
    StopReadingAhead,
    /// Stops an open in progress; the current session is kept.
    CancelOpen,
    /// The requests whose ids follow are no longer needed. Those that have not begun fail with
    /// `Cancelled`.
    CancelRequests,
}

/// An answer without its static type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncodedAnswer {
    pub request: Request,
    pub bytes: Vec<u8>,
}

fn decode_query<Q: Query>(query: &[u8]) -> Result<Q, OperationRefusal> {
    wire::decode(query).ok_or_else(|| OperationRefusal::new("the query cannot be read"))
}

fn encode_answer<A: Serialize>(
    answer: Result<A, OperationRefusal>,
) -> Result<Vec<u8>, OperationRefusal> {
    answer.map(|answer| wire::encode(&answer))
}

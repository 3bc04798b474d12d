//! All queries: each with its answer, its tag and whether it only reads. A handler that lacks one does not compile.
//!
//! A query travels as its tag and its bytes, and its answer as bytes, so that sending and receiving exist once and not
//! once for each query.

use crate::Json;
use crate::bundles::{BundlePlacement, DroppedBundles};
use crate::diagnostic::{Diagnostic, Profile};
use crate::disk_check::{DiskCheck, DiskFile, ToBeWritten};
use crate::inspection::{IconView, Inspection};
use crate::install::{InstallManifests, InstallRefusal, InstallRequest};
use crate::manifests::DroppedManifests;
use crate::operation::EditOp;
use crate::repository::{
    OperatorView, ReleaseForm, RepositoryPlan, RepositoryTask, RepositoryView,
};
use crate::request::{
    Export, OpenMode, PackageRequest, PreviewScope, RangePurpose, ReplayStep, Request, SourceAt,
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

/// What the page asks of the worker.
pub trait Query: Serialize + DeserializeOwned + 'static {
    type Answer: Serialize + DeserializeOwned + 'static;
    const REQUEST: Request;
    /// It changes nothing, so it can be dropped at any time.
    const IS_QUESTION: bool;
}

pub type Answered<Q> = Result<<Q as Query>::Answer, OperationRefusal>;

/// Answers a query.
pub trait Handle<Q: Query> {
    fn handle(&mut self, query: Q) -> Answered<Q>;
}

/// Answers a query that comes with files.
pub trait HandleWithFiles<Q: Query> {
    fn handle_with_files(&mut self, query: Q, files: Vec<DiskFile>) -> Answered<Q>;
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
        /// Names a query on the wire.
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

        /// Decodes a query, has it answered and encodes the answer.
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
                $(Tag::$name => encoded(Handle::<$name>::handle(handler, decoded(query)?)),)*
                $(Tag::$file_name => {
                    let query: $file_name = decoded(query)?;
                    encoded(handler.handle_with_files(query, files))
                })*
            }
        }

        /// Decodes an answer and drops it.
        pub fn rehearse(request: Request, answer: &[u8]) {
            match request {
                $(Request::Query(Tag::$name) => drop(wire::decode::<$answer>(answer)),)*
                Request::Open => drop(wire::decode::<Opened>(answer)),
                _ => {}
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
        // What is shown.
        question Packages { root: String } -> Vec<PackageRow>;
        question PackageRequest -> PackageView;
        question Inspect { root: String, package: String, target: Target } -> Inspection;
        question Problems { root: String } -> Vec<Json<Diagnostic>>;
        question Explain { rule: String } -> RuleText;
        question ReadSource { root: String, file: String, at: SourceAt } -> SourceView;
        /// From a line and column (from 1) on, going round.
        question FindText {
            root: String, file: String, text: String, from: (u32, u32), backwards: bool
        } -> FoundText;
        /// A text without letters finds nothing, and makes the next search ready.
        question Find { text: String, limit: u32 } -> Found;
        /// Which versions the range that is being typed admits, of the channels that `question` names.
        question AdmittedVersions {
            root: String, package: String, question: UpgradeQuestion
        } -> RangeView;
        /// Which versions a range of `skipRange`'s dialect catches that is being typed for an entry.
        question CaughtVersions {
            root: String, package: String, entry: EntryRef, text: String, purpose: RangePurpose
        } -> RangeMatches;
        /// Whether a picture may be shown, by its bytes in base64.
        question CheckPicture { media_type: String, data: String } -> IconView;

        /// What an edit would change. `view` is what will be requested if it is applied.
        question PreviewEdit {
            ops: Json<Vec<EditOp>>, scope: PreviewScope, view: Option<PackageRequest>
        } -> Previewed;
        /// Each version ever published of a package with its next step and its end, as it would be with `ops` applied: under
        /// v1 for `question`, under Classic for each channel.
        question Everyone {
            root: String, package: String, question: UpgradeQuestion, ops: Json<Vec<EditOp>>,
            view: Option<PackageRequest>
        } -> EveryoneView;
        question Compare { old: Baseline, root: String } -> Comparison;
        /// Also on a cluster of this OpenShift version, unless that is "".
        question ComparePackage {
            old: Baseline, root: String, package: String, cluster: String
        } -> PackageComparison;
        /// Which entries of a package are not as they are on disk.
        question Unsaved { root: String, package: String } -> Vec<EntryChange>;
        /// A package's versions by catalogs, in the order of clusters' upgrades.
        question Matrix { roots: Vec<String>, package: String } -> MatrixView;
        question ReviewChanges {} -> Review;

        // Templates.
        question ListRenderTargets { template: String } -> RenderTargets;
        /// Operations that write what a template renders to; none where nothing has to change.
        question Render { template: String, what: RenderRequest } -> Json<Vec<EditOp>>;
        question ConversionRequest -> Conversion;

        // What leaves the workspace.
        question Export -> Exported;
        question ListWrites {} -> Vec<ToBeWritten>;
        question Subset { root: String, selection: Selection } -> SubsetView;
        /// Paths, beginning with the folder's name, and bytes.
        question SavedSubset -> Vec<(String, Vec<u8>)>;
        question InstallRequest -> Result<InstallManifests, InstallRefusal>;
        /// Of changed files, by their paths in the workspace, those that matter to a catalog.
        question RelevantFiles { paths: Vec<String> } -> Vec<String>;
        /// CRC-32 of the bytes on disk, by path in the workspace; unreadable files are left out.
        question Fingerprint { paths: Vec<String> } -> Vec<(String, u32)>;

        // A repository of operators.
        question ListOperators {} -> RepositoryView;
        question Operator { operator: String } -> OperatorView;
        /// What the release of a bundle can name. `dropped` are the files of a bundle that the repository does not have, with
        /// paths below its folder.
        question PrepareRelease {
            operator: String, bundle: String, dropped: Vec<(String, String)>
        } -> ReleaseForm;
        question RepositoryTask -> RepositoryPlan;

        // What is open.
        command TreatAsOne { folder: String, as_one: bool } -> Status;
        command ShowRendered { template: String, shown: bool } -> Status;
        /// `None`: as the configuration files say.
        command SetProfile { profile: Option<Profile> } -> Status;
        /// Reads the files of an operator into the workspace.
        command OpenOperator { operator: String } -> Status;

        // Edits: each is one step, and answers with `view` as it is then.
        command Apply {
            ops: Json<Vec<EditOp>>, title: String, view: Option<PackageRequest>
        } -> Applied;
        /// Joins the last step, so that one undo undoes both; where that cannot be, a step of its own.
        command ApplyToLastStep {
            ops: Json<Vec<EditOp>>, title: String, view: Option<PackageRequest>
        } -> Applied;
        /// The first safe fix of `kind` for every problem of `rule`, of one package if one is named.
        command FixAll {
            root: String, rule: String, kind: String, package: Option<String>,
            view: Option<PackageRequest>
        } -> Applied;
        command RevertFile { file: String, view: Option<PackageRequest> } -> Applied;
        command ApplyRepository { task: RepositoryTask, view: Option<PackageRequest> } -> Applied;
        command Undo { view: Option<PackageRequest> } -> Applied;
        command Redo { view: Option<PackageRequest> } -> Applied;
        /// Undoes or redoes until `steps` steps are applied.
        command GoTo { steps: usize, view: Option<PackageRequest> } -> Applied;
        /// Applies steps again after a worker died.
        command Replay { steps: Vec<ReplayStep> } -> Replayed;
    }
    with files {
        /// Compares what is on disk now with what was read or saved last.
        question CheckDisk {} -> Vec<DiskCheck>;
        /// `None`: the files are no bundles.
        question ReadBundles { placement: BundlePlacement } -> Option<DroppedBundles>;
        /// `None`: the files do not ask where packages will go. `root` is the catalog in view.
        question ReadManifests { root: String } -> Option<DroppedManifests>;
        /// Edits start from what is on disk now; those that it does not have are applied again.
        command Merge {} -> Replayed;
        /// Drops the edits in one file that somebody else changed.
        command TakeTheirs { view: Option<PackageRequest> } -> Applied;
        /// The page has written these files.
        command NoteSaved {} -> Saved;
    }
}

/// Opens the files beside it. A task: while it runs, the worker sends events and serves nothing else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Open {
    pub mode: OpenMode,
}

/// The files beside it belong to the repository that is open; of `operators` they are all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListFiles {
    pub operators: Vec<String>,
}

queries!(@query command Open, Request::Open, Opened);
queries!(@query command ListFiles, Request::ListFiles, ());

/// A query as it travels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedQuery {
    pub tag: Tag,
    pub bytes: Vec<u8>,
}

impl EncodedQuery {
    /// `None` for a task, which no handler answers.
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

fn decoded<Q: Query>(query: &[u8]) -> Result<Q, OperationRefusal> {
    wire::decode(query).ok_or_else(|| OperationRefusal::new("the query cannot be read"))
}

fn encoded<A: Serialize>(answer: Result<A, OperationRefusal>) -> Result<Vec<u8>, OperationRefusal> {
    answer.map(|answer| wire::encode(&answer))
}

//! Plans an operation in terms of blobs: an [`EditOp`] becomes patches of blobs, new blobs and new
//! files.
//!
//! Planning reads facts only; it knows neither text nor spelling. An operation is refused only if
//! it names something missing or ambiguous, or cannot be done without loss. A failing verdict is
//! not a reason.

pub mod bundles;
mod catalog_view;
mod channel_draft;
pub mod channels;
mod condition;
mod deprecate;
pub mod entries;
mod entry_order;
pub mod icon;
pub mod packages;
mod promote;
mod property;
mod rebuild_edges;
mod relink;
mod replace_text;
pub mod simulate;
pub mod subset;
pub mod substitute;
pub mod version_ranges;

pub use bundles::check_image;
pub use catalog_view::CatalogView;
pub use replace_text::parse_range;
pub use syntax::did_you_mean::{did_you_mean, near_names};

use super::item_change::ItemChange;
use super::patch::{Patch, RefusalKind, Value};
use catalog::model::{FileId, Located};
use protocol::diagnostic::Location;
use protocol::operation::EditOp;
use protocol::response::OperationRefusal;
use std::ops::Range;
use syntax::tree::Format;

/// One step of a plan. The steps of a plan affect different places.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanStep {
    /// Changes a blob: first its values, then list items that only its text distinguishes.
    Patch {
        file: FileId,
        index: u32,
        patches: Vec<Patch>,
        items: Vec<ItemChange>,
    },
    /// Removes a blob from its file.
    RemoveBlob { file: FileId, index: u32 },
    /// Removes an identical copy of `original`. Refused if the texts differ, which facts do not
    /// show.
    RemoveCopy {
        file: FileId,
        index: u32,
        original: (FileId, u32),
    },
    /// Adds a blob to a file after the blob `after`, or at the end.
    AddBlob {
        file: FileId,
        after: Option<u32>,
        format: Format,
        value: Value,
    },
    /// Creates a file with one blob. The path is relative to the catalog's root.
    CreateFile {
        path: String,
        format: Format,
        value: Value,
    },
    /// Replaces the text `before` between two positions (lines and columns from 0).
    ReplaceText {
        file: FileId,
        from: (u32, u32),
        to: (u32, u32),
        before: String,
        text: String,
    },
    /// Appends text with `count` blobs to a file; replaces its content if all of its blobs are
    /// removed.
    AppendText {
        file: FileId,
        format: Format,
        text: String,
        count: usize,
    },
    /// Creates a file with this text.
    CreateText { path: String, text: String },
}

impl PlanStep {
    pub(crate) fn patch<T>(blob: &Located<T>, patches: Vec<Patch>) -> Self {
        PlanStep::Patch {
            file: blob.file,
            index: blob.index,
            patches,
            items: Vec::new(),
        }
    }

    fn remove<T>(blob: &Located<T>) -> Self {
        PlanStep::RemoveBlob {
            file: blob.file,
            index: blob.index,
        }
    }
}

/// The steps of a plan, or why the operation was refused.
pub type PlanResult = Result<Vec<PlanStep>, Refused>;

/// Plans one operation. Ignores the operation's `catalog`: `view` is that catalog. An empty plan
/// means that the catalog is already as requested.
pub fn plan(op: &EditOp, view: &CatalogView<'_>) -> PlanResult {
    match op {
        EditOp::Promote {
            package,
            bundle,
            to,
            how,
            replaces,
            skip_range,
            ..
        } => promote::plan(
            view,
            &promote::Promotion {
                package,
                bundle,
                to,
                how: *how,
                replaces,
                skip_range,
                skips: &[],
            },
        ),
        EditOp::Withdraw {
            package,
            bundle,
            by,
            channel,
            ..
        } => entries::withdraw(view, package, bundle, by.as_deref(), channel),
        EditOp::SetDefaultChannel {
            package, channel, ..
        } => channels::set_default(view, package, channel),
        EditOp::SetReplaces {
            package,
            channel,
            name,
            replaces,
            ..
        } => entries::set_replaces(view, package, channel, name, replaces.as_deref()),
        EditOp::AddSkip {
            package,
            channel,
            name,
            skip,
            skip_matching,
            ..
        } => entries::add_skip(view, package, channel, name, skip, skip_matching.as_deref()),
        EditOp::RemoveSkip {
            package,
            channel,
            name,
            skip,
            skip_matching,
            ..
        } => entries::remove_skip(view, package, channel, name, skip, skip_matching.as_deref()),
        EditOp::SetSkipRange {
            package,
            channel,
            name,
            skip_range,
            ..
        } => entries::set_skip_range(view, package, channel, name, skip_range.as_deref()),
        EditOp::RemoveEntry {
            package,
            channel,
            name,
            then,
            ..
        } => entries::remove(view, package, channel, name, *then),
        EditOp::RebuildEdges {
            package,
            channel,
            rule,
            ..
        } => rebuild_edges::plan(view, package, channel, *rule),
        EditOp::AddChannel {
            package,
            channel,
            from,
            ..
        } => channels::add(view, package, channel, from.as_deref()),
        EditOp::RenameChannel {
            package,
            channel,
            to,
            ..
        } => channels::rename(view, package, channel, to),
        EditOp::RemoveChannel {
            package, channel, ..
        } => channels::remove(view, package, channel),
        EditOp::RemoveBundle {
            package,
            bundle,
            then,
            ..
        } => bundles::remove(view, package, bundle, *then),
        EditOp::RenameBundle {
            package,
            bundle,
            to,
            skip_old,
            ..
        } => substitute::rename(view, package, bundle, to, *skip_old),
        EditOp::Deprecate {
            package,
            channel,
            bundle,
            message,
            ..
        } => deprecate::deprecate(
            view,
            package,
            channel.as_deref(),
            bundle.as_deref(),
            message,
        ),
        EditOp::Undeprecate {
            package,
            channel,
            bundle,
            ..
        } => deprecate::undeprecate(view, package, channel.as_deref(), bundle.as_deref()),
        EditOp::SetDescription { package, text, .. } => {
            packages::set_description(view, package, text)
        }
        EditOp::SetIcon { package, data, .. } => icon::plan(view, package, data.as_deref()),
        EditOp::AddBundle {
            package,
            bundle,
            version,
            release,
            image,
            to,
            how,
            replaces,
            skip_range,
            skips,
            blob,
            ..
        } => bundles::add(
            view,
            &bundles::NewBundle {
                package,
                bundle,
                version,
                release: release.as_deref().unwrap_or_default(),
                image,
                blob: blob.as_deref(),
                entry: to.as_deref().map(|to| promote::Promotion {
                    package,
                    bundle,
                    to,
                    how: *how,
                    replaces,
                    skip_range,
                    skips,
                }),
            },
        ),
        EditOp::AddPackage {
            package,
            default_channel,
            description,
            icon,
            file,
            ..
        } => packages::add(
            view,
            &packages::NewPackage {
                name: package,
                default_channel,
                description: description.as_deref(),
                icon: icon.as_deref(),
                file: file.as_deref(),
            },
        ),
        EditOp::RemovePackage { package, .. } => packages::remove(view, package),
        EditOp::CopyPackage {
            package,
            from,
            files,
            if_there,
            ..
        } => packages::copy(
            view,
            &packages::PackageCopy {
                name: package,
                from,
                files,
                if_there: *if_there,
            },
        ),
        EditOp::SetImage {
            package,
            bundle,
            condition,
            image,
            ..
        } => bundles::set_image(
            view,
            package,
            bundle.as_deref(),
            condition.as_deref(),
            image,
        ),
        EditOp::Substitute {
            package,
            bundle,
            by,
            image,
            skip_old,
            ..
        } => {
            let by = by.as_deref().ok_or_else(|| {
                Refused::new("only a substitutes template has substitutions to remove")
                    .help("name the bundle that takes the place with `--by`")
            })?;
            let substitute = substitute::Substitute {
                name: by,
                image: image.as_deref(),
            };
            substitute::plan(view, package, bundle, &substitute, *skip_old)
        }
        EditOp::AddProperty {
            package,
            bundle,
            condition,
            kind,
            value,
            ..
        } => property::add(
            view,
            &property::PropertyTarget {
                package,
                bundle: bundle.as_deref(),
                condition: condition.as_deref(),
                kind,
            },
            value,
        ),
        EditOp::RemoveProperty {
            package,
            bundle,
            condition,
            kind,
            value,
            ..
        } => property::remove(
            view,
            &property::PropertyTarget {
                package,
                bundle: bundle.as_deref(),
                condition: condition.as_deref(),
                kind,
            },
            value.as_ref(),
        ),
        EditOp::Migrate { package, .. } => bundles::migrate(view, package.as_deref()),
        EditOp::ReplaceText {
            file,
            at,
            before,
            text,
            ..
        } => replace_text::plan(view, file, at, before, text),
    }
}

/// A range of (line, column) pairs, for refusals.
pub type LineColumns = Range<(u32, u32)>;

/// A refusal: the reason, a suggestion, and the position.
///
/// `reason` and `help` start in lower case without a final period; names are in backticks.
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
#[error("{reason}")]
pub struct Refused {
    pub reason: String,
    /// The hint; may be empty.
    pub help: String,
    pub location: Option<Location>,
    /// The class, if the text could not be changed.
    pub kind: Option<RefusalKind>,
    /// Whether this template type cannot express the request, but another type may.
    pub convertible: bool,
}

impl From<Refused> for OperationRefusal {
    fn from(refused: Refused) -> Self {
        Self {
            reason: refused.reason,
            help: refused.help,
            location: refused.location.map(Box::new),
            ..Self::default()
        }
    }
}

impl Refused {
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            ..Self::default()
        }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    pub fn convertible(mut self) -> Self {
        self.convertible = true;
        self
    }

    pub fn at(mut self, location: impl Into<Option<Location>>) -> Self {
        self.location = location.into();
        self
    }
}

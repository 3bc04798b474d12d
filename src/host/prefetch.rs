//! Prepares the page's likely next request while no request waits: after a preview, the user is likely to apply the
//! edit, and most of the cost of that answer is laying out the package's lanes.
//!
//! A prepared view is used only if it equals the normal answer: nothing has changed since, the operations are the
//! previewed ones, and the request for the view is equal. A wrong guess only costs time.

use super::steps::{ChangedEntries, Snapshot};
use super::{Host, ViewInput, unsaved_changes};
use crate::views::package;
use protocol::operation::EditOp;
use protocol::query::{Request, Tag};
use protocol::request::PackageRequest;
use protocol::response::PackageView;

/// The state for predicting the next edit.
#[derive(Debug, Default)]
pub(super) struct ViewPrefetch {
    /// The operations previewed last, and the view request that would follow their application.
    previewed: Option<(Vec<EditOp>, PackageRequest)>,
    prefetched: Option<PrefetchedView>,
}

/// The view of a package after operations that are not applied yet.
#[derive(Debug)]
struct PrefetchedView {
    revision: u64,
    ops: Vec<EditOp>,
    request: PackageRequest,
    view: PackageView,
}

impl ViewPrefetch {
    /// Records operations that were previewed and not refused.
    pub(super) fn note_preview(&mut self, ops: &[EditOp], request: Option<PackageRequest>) {
        self.previewed = request.map(|request| (ops.to_vec(), request));
    }

    /// Discards the prepared view if a request may change its inputs.
    pub(super) fn invalidate(&mut self, request: Request) {
        use Tag::{
            AdmittedVersions, Apply, ApplyToLastStep, CaughtVersions, Find, Inspect, PackageRequest,
        };
        let changes_nothing = matches!(
            request,
            Request::Query(
                Apply
                    | ApplyToLastStep
                    | PackageRequest
                    | Inspect
                    | Find
                    | AdmittedVersions
                    | CaughtVersions
            )
        );
        if !changes_nothing {
            self.forget();
        }
    }

    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Returns the requested view if it was prepared. `revision`: the session's revision before the operations.
    pub(super) fn take(
        &mut self,
        revision: u64,
        ops: &[EditOp],
        request: &PackageRequest,
    ) -> Option<PackageView> {
        let prefetched = self.prefetched.take()?;
        let is_match = prefetched.revision == revision
            && prefetched.ops == ops
            && prefetched.request == *request;
        is_match.then_some(prefetched.view)
    }
}

impl Host {
    /// Prepares the package in view as it would be after the last preview. Returns whether it prepared a view. Called
    /// when no request waits.
    pub fn prefetch_view(&mut self) -> bool {
        let Some((ops, request)) = self.prefetch.previewed.take() else {
            return false;
        };
        let revision = self.revision();
        let snapshot = Snapshot::take(&self.session);
        let (changed_entries, whole_folder_messages) =
            (&self.changed_entries, &self.whole_folder_messages);
        let repository = self.repository.as_ref();
        let view = self.session.simulate_previewed(&ops, |session, applied| {
            let mut changed_entries = changed_entries.clone();
            changed_entries.push(ChangedEntries::since(&snapshot, session, applied));
            let input = ViewInput {
                session,
                unsaved_entries: unsaved_changes(session, &changed_entries),
                whole_folder_messages,
                repository,
                revision: revision + 1,
            };
            package::view(input, &request).ok()
        });
        let prefetched = view.flatten().map(|view| PrefetchedView {
            revision,
            ops,
            request,
            view,
        });
        self.prefetch.prefetched = prefetched;
        self.prefetch.prefetched.is_some()
    }
}

//! Two graphs side by side. The store holds the focused graph, to which the rest of the page
//! refers. The second graph's view state is in its tab; its view is queried here whenever that
//! state or the session changes.

use super::comparison::unsaved_entries;
use super::tabs::TabState;
use super::{ComparisonState, CurrentView, Overlays, UnsavedEntries};
use crate::browser::storage;
use crate::reactive::{effect, memo};
use crate::session::Notifications;
use crate::state::package_tabs::{Half, PackageRef};
use crate::state::store::{SessionStore, ViewSnapshot, ViewState};
use crate::widgets::dom;
use crate::widgets::splitter::ResizeRequest;
use leptos::prelude::*;
use protocol::inspection::Inspection;
use protocol::request::PackageRequest;
use protocol::response::{AskError, PackageView};
use protocol::upgrades::Baseline;
use protocol::views::RootRow;
use std::sync::Arc;
use wasm_bindgen_futures::spawn_local;

/// Selector of the first graph.
pub const GRAPH: &str = ".graph-pane .graph";
/// The preference that stores the width of the right graph.
const WIDTH_PREFERENCE: &str = "beside";
/// Minimum, default and maximum width of the right graph, in pixels; the style sheet reserves the
/// minimum for the left one.
pub const SECOND_GRAPH_WIDTH: [u32; 3] = [280, 480, 2400];

/// The query for the second graph's view.
#[derive(Debug, Clone, PartialEq)]
struct ViewQuery {
    request: PackageRequest,
    revision: u64,
    /// The catalog's row, since marks also depend on the advice profile.
    catalog: Option<RootRow>,
}

/// Returns the baseline of the comparison, which only applies to the package in view.
fn compared_baseline(store: SessionStore, place: &PackageRef) -> Option<Baseline> {
    let is_in_view =
        store.root.get() == place.root && store.package.get().as_ref() == Some(&place.package);
    is_in_view.then(|| store.comparison.baseline()).flatten()
}

/// The graph without the focus.
#[derive(Clone, Copy)]
pub struct SecondGraph {
    store: SessionStore,
    current: CurrentView,
    tabs: TabState,
    overlays: Overlays,
    notifications: Notifications,
    comparison: ComparisonState,
    pub place: Memo<Option<PackageRef>>,
    pub view_state: Memo<ViewState>,
    /// The view of its package; `None` until loaded.
    pub view: RwSignal<Option<Arc<PackageView>>>,
    /// Why there is no view.
    pub failure: RwSignal<Option<String>>,
    /// Width of the right graph in pixels; `None` for half of the available width.
    width: RwSignal<Option<u32>>,
    /// Unsaved entries of its package.
    unsaved: ReadSignal<Option<UnsavedEntries>>,
    /// Unsaved entries of both graphs when the focus last moved between them, with the session
    /// revision.
    unsaved_before: RwSignal<(u64, Vec<UnsavedEntries>)>,
    query: Memo<Option<ViewQuery>>,
    /// The last query sent.
    sent: StoredValue<Option<ViewQuery>>,
    inspection: StoredValue<Option<Inspection>>,
    /// Whether the focus moved to the other graph and the page's address is not updated yet.
    focus_swapped: StoredValue<bool>,
}

impl SecondGraph {
    pub(super) fn new(
        current: CurrentView,
        tabs: TabState,
        overlays: Overlays,
        notifications: Notifications,
        comparison: ComparisonState,
    ) -> Self {
        let TabState {
            store,
            opened,
            edited,
        } = tabs;
        let place =
            memo(move |_| opened.with(|opened| opened.second().map(|open| open.place.clone())));
        let view_state = memo(move |_| {
            opened
                .with(|opened| opened.second().and_then(|open| open.view.clone()))
                .unwrap_or_else(ViewState::initial)
        });
        let revision = memo(move |_| store.status.with(|status| status.revision));
        let is_edited = Signal::derive(move || {
            let place = place
                .get()
                .filter(|place| edited.with(|edited| edited.contains(place)))?;
            Some((place.root, place.package, revision.get()))
        });
        let unsaved = unsaved_entries(store, is_edited);
        let unsaved_before = RwSignal::<(u64, Vec<UnsavedEntries>)>::default();
        let needs_removed = move |place: &PackageRef| {
            let has_removed =
                |entries: &UnsavedEntries| entries.is_of(place) && entries.has_removed();
            let is_drawn = store.with_removed.with(|removed| {
                removed
                    .as_ref()
                    .is_some_and(|removed| place.is(&removed.0, &removed.1))
            });
            let had_removed = edited.with(|edited| edited.contains(place))
                && unsaved_before.with(|(at_revision, before)| {
                    *at_revision == revision.get() && before.iter().any(has_removed)
                });
            let has_removed_now = unsaved.with(|entries| entries.as_ref().is_some_and(has_removed));
            is_drawn || had_removed || has_removed_now
        };
        let query = memo(move |_| {
            let place = place.get()?;
            let baseline = compared_baseline(store, &place)
                .or_else(|| needs_removed(&place).then_some(Baseline::Disk));
            let catalog = store.status.with(|status| {
                let mut rows = status.roots.iter();
                rows.find(|row| row.root == place.root).cloned()
            });
            let request =
                view_state.with(|state| state.request(place.root, place.package, baseline));
            Some(ViewQuery {
                request,
                revision: revision.get(),
                catalog,
            })
        });
        Self {
            store,
            current,
            tabs,
            overlays,
            notifications,
            comparison,
            place,
            view_state,
            view: RwSignal::new(None),
            failure: RwSignal::new(None),
            width: RwSignal::new(
                storage::preference(WIDTH_PREFERENCE).and_then(|text| text.parse().ok()),
            ),
            unsaved,
            unsaved_before,
            query,
            sent: StoredValue::new(None),
            inspection: StoredValue::new(None),
            focus_swapped: StoredValue::new(false),
        }
    }

    /// Queries the view when its query changes. Keeps the old view until the answer, unless it is
    /// of another package.
    pub(super) fn query_on_change(self) {
        effect(move |_| {
            let query = self.query.get();
            if self.sent.with_value(|sent| *sent == query) {
                return;
            }
            self.sent.set_value(query.clone());
            let shows_other_package = self.view.with_untracked(|view| {
                view.as_ref().is_some_and(|view| {
                    query
                        .as_ref()
                        .is_none_or(|query| query.request.package != view.package)
                })
            });
            if shows_other_package {
                self.view.set(None);
            }
            if let Some(query) = query {
                spawn_local(self.load_view(query));
            }
        });
    }

    async fn load_view(self, query: ViewQuery) {
        // Keep the lane order of this graph's view, or else of the focused one.
        let request = self
            .store
            .view
            .with_untracked(|view| query.request.clone().as_seen(view.as_deref()));
        let request = self
            .view
            .with_untracked(|view| request.as_seen(view.as_deref()));
        let answer = self.store.ask(request).await;
        let is_latest = self
            .sent
            .try_with_value(|sent| sent.as_ref() == Some(&query));
        if is_latest != Some(true) {
            return;
        }
        let (view, failure) = match answer.map_err(AskError::into_reason) {
            Ok(view) => (Some(Arc::new(view)), None),
            Err(why) => (None, Some(why)),
        };
        self.view.try_set(view);
        self.failure.try_set(failure);
    }

    /// Whether the focus moved since the last call.
    pub(super) fn take_focus_swapped(self) -> bool {
        self.focus_swapped
            .try_update_value(std::mem::take)
            .unwrap_or_default()
    }

    /// Returns its current content, for the graph that takes over its view.
    fn view_snapshot(self) -> ViewSnapshot {
        let is_answered = self.view.with_untracked(Option::is_some)
            && self
                .sent
                .with_value(|sent| *sent == self.query.get_untracked());
        ViewSnapshot {
            request: self
                .sent
                .get_value()
                .map(|sent| sent.request)
                .filter(|_| is_answered),
            view: self.view.get_untracked(),
            inspection: self.inspection.get_value(),
        }
    }

    /// Takes over the content of the graph that had the focus.
    fn adopt(self, snapshot: ViewSnapshot) {
        self.view.set(snapshot.view);
        self.failure.set(None);
        self.inspection.set_value(snapshot.inspection);
        let query = untrack(|| self.query.get());
        let is_answered = |query: &ViewQuery| Some(&query.request) == snapshot.request.as_ref();
        self.sent.set_value(query.filter(is_answered));
    }

    /// Returns the width of the right graph for the style sheet.
    pub fn width_style(self) -> Option<String> {
        self.width.get().map(|width| format!("{width}px"))
    }

    /// Returns the width in pixels; `total` is the width of both graphs.
    pub fn width(self, total: f64) -> u32 {
        let [min, _, max] = SECOND_GRAPH_WIDTH;
        self.width
            .get()
            .unwrap_or((total / 2.0) as u32)
            .clamp(min, max)
    }

    /// Whether two graphs are shown at once.
    pub fn is_split(self) -> bool {
        self.place.with(Option::is_some)
    }

    pub fn store_width(self) {
        let width = self.width.get_untracked().map(|width| width.to_string());
        storage::set_preference(WIDTH_PREFERENCE, &width.unwrap_or_default());
    }

    /// Shows the package in view a second time, beside itself.
    pub fn open(self) {
        let place = untrack(|| self.current.place());
        if place.package.is_empty() {
            return;
        }
        if self
            .place
            .with_untracked(|beside| beside.as_ref() == Some(&place))
        {
            self.notifications.toasts.note(format!(
                "{} is already open beside this graph.",
                place.package
            ));
            return;
        }
        let view_state = self.store.view_state();
        self.tabs
            .opened
            .update(|opened| opened.open_second(place, Some(Some(view_state))));
        self.announce();
    }

    /// Like [`Self::open`], from the context menu. If opening the menu brought the package into
    /// view, restores the earlier view and shows the package beside it.
    pub fn open_from_menu(self) {
        let Some((place, view_state)) = self.overlays.take_before_menu() else {
            return self.open();
        };
        let here = untrack(|| self.current.place());
        self.tabs.opened.update(|opened| {
            // Restore the tab's previous package before adding another tab beside it.
            opened.set_current_package(place.clone());
            opened.open_second(here, None);
        });
        spawn_local(
            self.store
                .show_view_state(place.root, place.package, view_state),
        );
        self.announce();
    }

    /// Shows a single channel of the package in view beside the current view.
    pub fn open_channel(self, channel: &str) {
        let channels = self
            .current
            .view
            .with_untracked(|view| view.channels.clone());
        let view_state = self
            .store
            .view_state()
            .with_only_channel(channel, &channels);
        let place = untrack(|| self.current.place());
        self.tabs
            .opened
            .update(|opened| opened.open_second(place, Some(Some(view_state))));
        self.announce();
    }

    fn announce(self) {
        let package = self
            .tabs
            .opened
            .with_untracked(|opened| opened.second().map(|open| open.place.package.clone()));
        if let Some(package) = package {
            self.notifications.announcer.say(format!(
                "{package} is open beside this graph. F6 switches between the two."
            ));
        }
    }

    /// Focuses the graph in this half.
    pub fn focus_half(self, half: Half) {
        if self
            .tabs
            .opened
            .with_untracked(|opened| opened.half() != half)
        {
            self.swap_focus();
        }
    }

    /// Focuses the other graph.
    pub fn swap_focus(self) {
        let focused = self.store.view_snapshot();
        let other = self.view_snapshot();
        let view_state = Some(self.store.view_state());
        let before = [self.comparison.unsaved, self.unsaved].map(|unsaved| unsaved.get_untracked());
        let revision = self.store.status.with_untracked(|status| status.revision);
        let Some(tab) = self
            .tabs
            .opened
            .signal
            .try_update(|opened| opened.swap_focus(view_state))
            .flatten()
        else {
            return;
        };
        let PackageRef { root, package } = tab.place.clone();
        let before: Vec<UnsavedEntries> = before.into_iter().flatten().collect();
        let is_drawn = before
            .iter()
            .any(|entries| entries.is_of(&tab.place) && entries.has_removed());
        self.focus_swapped.set_value(true);
        self.unsaved_before.set((revision, before));
        self.store
            .note_removed(is_drawn.then(|| (root.clone(), package.clone())));
        let load_missing = self.store.apply_view_state(
            root,
            package,
            tab.view.unwrap_or_else(ViewState::initial),
            other,
        );
        self.adopt(focused);
        spawn_local(load_missing);
    }

    /// Closes this half and shows the other graph alone.
    pub fn close_half(self, half: Half) {
        self.focus_half(half.other());
        self.tabs.opened.update(|opened| opened.close_second());
    }

    /// Shows the focused graph alone.
    pub fn close(self) {
        if untrack(|| self.is_split()) {
            let had_focus = dom::focused_element()
                .is_some_and(|element| element.closest(".graph-pane").ok().flatten().is_some());
            self.tabs.opened.update(|opened| opened.close_second());
            if had_focus {
                dom::focus_first(GRAPH);
            }
        }
    }

    /// Applies a resize request of the splitter.
    pub fn resize(self, request: ResizeRequest) {
        match request {
            ResizeRequest::Size(size) => self.width.set(Some(size)),
            ResizeRequest::DefaultSize => self.width.set(None),
            ResizeRequest::Hidden(true) => {
                self.close_half(Half::Right);
                // The splitter disappears and loses the focus.
                dom::focus_first(GRAPH);
            }
            ResizeRequest::Hidden(false) => {}
        }
    }

    /// Returns the unsaved entries of a shown package, if they are loaded.
    pub fn unsaved_entries(self, place: &PackageRef) -> Option<UnsavedEntries> {
        let is_of_place = |entries: &UnsavedEntries| entries.is_of(place);
        let loaded = self
            .comparison
            .unsaved
            .get()
            .filter(is_of_place)
            .or_else(|| self.unsaved.get().filter(is_of_place));
        let revision = self.store.status.with(|status| status.revision);
        let is_edited = self.tabs.edited.with(|edited| edited.contains(place));
        loaded.or_else(|| {
            self.unsaved_before.with(|(at_revision, before)| {
                let is_current = is_edited && *at_revision == revision;
                let mut entries = before.iter().filter(|entries| is_of_place(entries));
                entries.next().filter(|_| is_current).cloned()
            })
        })
    }
}

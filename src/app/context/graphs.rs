//! Package tabs, each with its view state, and two graphs side by side. The store holds the focused
//! graph, to which the rest of the page refers. The second graph's view state is in its tab; its
//! view is queried here whenever that state or the session changes.

use super::comparison::unsaved_entries;
use super::{AppContext, ComparisonState, ContextSignal, CurrentView, Overlays, UnsavedEntries};
use crate::browser::storage;
use crate::reactive::{effect, memo};
use crate::session::Notifications;
use crate::state::package_tabs::{EditedPackages, Half, PackageRef, PackageTab, PackageTabs};
use crate::state::store::{SessionStore, ViewSnapshot, ViewState};
use crate::widgets::dom;
use crate::widgets::splitter::ResizeRequest;
use leptos::prelude::*;
use protocol::inspection::Inspection;
use protocol::request::{PackageRequest, Target};
use protocol::response::{AskError, PackageView};
use protocol::upgrades::Baseline;
use protocol::views::RootRow;
use std::sync::Arc;
use wasm_bindgen_futures::spawn_local;

/// Package tabs; a tab that was never shown has no view state.
pub type OpenPackages = PackageTabs<Option<ViewState>>;

/// The tabs, and the packages of any catalog that have unsaved edits.
#[derive(Clone, Copy)]
pub struct TabState {
    pub(super) store: SessionStore,
    pub opened: ContextSignal<OpenPackages>,
    pub edited: ContextSignal<EditedPackages>,
}

impl TabState {
    pub(super) fn new(store: SessionStore) -> Self {
        Self {
            store,
            opened: ContextSignal::default(),
            edited: ContextSignal::default(),
        }
    }

    /// Keeps tabs in sync: the current tab is the view; tabs of removed catalogs and packages are
    /// closed.
    pub(super) fn follow(self, current: CurrentView) {
        effect(move |_| {
            let place = current.place();
            if !place.package.is_empty() {
                self.opened.update(|opened| opened.follow(place));
            }
        });
        effect(move |_| {
            let roots: Vec<String> = self
                .store
                .status
                .with(|status| status.roots.iter().map(|row| row.root.clone()).collect());
            let here = self.store.root.get();
            let packages: Vec<String> = self
                .store
                .packages
                .with(|rows| rows.iter().map(|row| row.name.clone()).collect());
            // While a catalog is being read again, its packages are unknown.
            let is_known = |place: &PackageRef| {
                place.root != here || packages.is_empty() || packages.contains(&place.package)
            };
            self.opened.update(|opened| {
                opened.keep(|place| roots.contains(&place.root) && is_known(place))
            });
        });
        self.follow_edited();
    }

    fn follow_edited(self) {
        let change = move |change: &dyn Fn(&mut EditedPackages)| {
            let mut edited = self.edited.get_untracked();
            change(&mut edited);
            if self.edited.with_untracked(|known| *known != edited) {
                self.edited.set(edited);
            }
        };
        effect(move |_| {
            let root = self.store.root.get();
            self.store.packages.with(|rows| {
                if !rows.is_empty() {
                    change(&|edited| {
                        edited.keep_root(
                            &root,
                            rows.iter().map(|row| (row.name.as_str(), row.edited)),
                        )
                    });
                }
            });
        });
        effect(move |_| {
            self.store.judged.with(|judged| {
                change(&|edited| {
                    judged
                        .iter()
                        .for_each(|(root, name, is)| edited.set(root, name, *is))
                });
            });
        });
        effect(move |_| {
            let edited_roots: Vec<String> = self.store.status.with(|status| {
                status
                    .roots
                    .iter()
                    .filter(|row| row.edited)
                    .map(|row| row.root.clone())
                    .collect()
            });
            change(&|edited| {
                edited.keep_roots(|root| edited_roots.iter().any(|known| known == root))
            });
        });
    }

    /// Moves the package in view to a new tab, which becomes current.
    pub fn branch(self) {
        let left = Some(self.store.view_state());
        self.opened.update(|opened| opened.branch(None, left));
    }
}

/// Opens a package of the catalog in view in a new tab.
pub fn open_in_tab(app: AppContext, package: String) {
    app.workbench.close_drawer();
    let place = PackageRef {
        root: app.store.root.get_untracked(),
        package,
    };
    let is_beside = app
        .second_graph
        .place
        .with_untracked(|beside| beside.as_ref() == Some(&place));
    if is_beside && untrack(|| app.current.place()) != place {
        return app.second_graph.swap_focus();
    }
    let left = Some(app.store.view_state());
    change_tabs(app, |opened| Some(opened.open(place, left)));
}

/// Runs [`TabState::branch`] from the context menu. If opening the menu brought the package
/// into view, its previous tab returns to what it showed before.
pub fn branch_tab_from_menu(app: AppContext) {
    let before = app.overlays.take_before_menu();
    let left = Some(app.store.view_state());
    app.tabs
        .opened
        .update(|opened| opened.branch(before.map(|(place, look)| (place, Some(look))), left));
}

pub fn go_to_tab(app: AppContext, id: u32) {
    if app
        .tabs
        .opened
        .with_untracked(|opened| opened.second().is_some_and(|open| open.id == id))
    {
        return app.second_graph.swap_focus();
    }
    let left = Some(app.store.view_state());
    change_tabs(app, |opened| opened.go(id, left));
}

/// Switches to the next tab (`1`) or the previous one (`-1`).
pub fn walk_tabs(app: AppContext, step: isize) {
    go_to_tab(
        app,
        app.tabs.opened.with_untracked(|opened| opened.beside(step)),
    );
}

pub fn close_tab(app: AppContext, id: u32) {
    change_tabs(app, |opened| opened.close(id));
}

pub fn close_current_tab(app: AppContext) {
    close_tab(
        app,
        app.tabs.opened.with_untracked(|opened| opened.current()),
    );
}

/// Opens the menu of a package in the list, which brings it into view.
pub fn open_package_menu(app: AppContext, package: String, at: (i32, i32)) {
    let place = untrack(|| app.current.place());
    let before = (place.package != package).then(|| (place, app.store.view_state()));
    if before.is_some() {
        app.show_package(package);
    }
    app.open_menu(Target::Package, at);
    app.overlays.note_before_menu(before);
}

/// Changes the tabs and shows the tab that `change` returns.
fn change_tabs(
    app: AppContext,
    change: impl FnOnce(&mut OpenPackages) -> Option<PackageTab<Option<ViewState>>>,
) {
    let open = app.tabs.opened.signal.try_update(change);
    if let Some(open) = open.flatten() {
        show_open(app, open);
    }
}

fn show_open(app: AppContext, open: PackageTab<Option<ViewState>>) {
    let PackageTab {
        place: PackageRef { root, package },
        look,
        ..
    } = open;
    match look {
        Some(look) => spawn_local(app.store.show_view_state(root, package, look)),
        None => app.show_package(package),
    }
}

/// Selector of the first graph.
pub const GRAPH: &str = ".graph-pane .graph";
const KEPT_WIDTH: &str = "beside";
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
    pub look: Memo<ViewState>,
    /// The view of its package; `None` until loaded.
    pub view: RwSignal<Option<Arc<PackageView>>>,
    /// Why there is no view.
    pub lost: RwSignal<Option<String>>,
    /// Width of the right graph in pixels; `None` for half of the available width.
    width: RwSignal<Option<u32>>,
    /// Unsaved entries of its package.
    unsaved: ReadSignal<Option<UnsavedEntries>>,
    /// Unsaved entries of both graphs when the focus last moved between them, with the session
    /// revision.
    unsaved_before: RwSignal<(u64, Vec<UnsavedEntries>)>,
    question: Memo<Option<ViewQuery>>,
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
        let look = memo(move |_| {
            opened
                .with(|opened| opened.second().and_then(|open| open.look.clone()))
                .unwrap_or_else(ViewState::initial)
        });
        let revision = memo(move |_| store.status.with(|status| status.revision));
        let is_edited = Signal::derive(move || {
            let place = place
                .get()
                .filter(|place| edited.with(|edited| edited.has(place)))?;
            Some((place.root, place.package, revision.get()))
        });
        let unsaved = unsaved_entries(store, is_edited);
        let unsaved_before = RwSignal::<(u64, Vec<UnsavedEntries>)>::default();
        let question = memo(move |_| {
            let place = place.get()?;
            let is_same = store.root.get() == place.root
                && store.package.get().as_ref() == Some(&place.package);
            let compared = is_same.then(|| store.comparison.baseline()).flatten();
            let is_drawn = store.with_removed.with(|removed| {
                removed
                    .as_ref()
                    .is_some_and(|removed| place.is(&removed.0, &removed.1))
            });
            let before = edited.with(|edited| edited.has(&place))
                && unsaved_before.with(|(at, known)| {
                    known.iter().any(|entries| {
                        *at == revision.get() && entries.is_of(&place) && entries.has_removed()
                    })
                });
            let mine = unsaved.with(|entries| {
                entries
                    .as_ref()
                    .is_some_and(|entries| entries.is_of(&place) && entries.has_removed())
            });
            let disk = (is_drawn || before || mine).then_some(Baseline::Disk);
            let catalog = store.status.with(|status| {
                status
                    .roots
                    .iter()
                    .find(|row| row.root == place.root)
                    .cloned()
            });
            let request =
                look.with(|look| look.request(place.root, place.package, compared.or(disk)));
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
            look,
            view: RwSignal::new(None),
            lost: RwSignal::new(None),
            width: RwSignal::new(
                storage::preference(KEPT_WIDTH).and_then(|text| text.parse().ok()),
            ),
            unsaved,
            unsaved_before,
            question,
            sent: StoredValue::new(None),
            inspection: StoredValue::new(None),
            focus_swapped: StoredValue::new(false),
        }
    }

    /// Queries the view when its query changes. Keeps the old view until the answer, unless it is
    /// of another package.
    pub(super) fn follow(self) {
        let store = self.store;
        effect(move |_| {
            let question = self.question.get();
            if self.sent.with_value(|sent| *sent == question) {
                return;
            }
            self.sent.set_value(question.clone());
            let is_of = |view: &Arc<PackageView>| {
                question
                    .as_ref()
                    .is_some_and(|question| question.request.package == view.package)
            };
            if self
                .view
                .with_untracked(|view| view.as_ref().is_some_and(|view| !is_of(view)))
            {
                self.view.set(None);
            }
            let Some(question) = question else { return };
            spawn_local(async move {
                // With this view state, or else that of the other half.
                let request = store
                    .view
                    .with_untracked(|view| question.request.clone().as_seen(view.as_deref()));
                let request = self
                    .view
                    .with_untracked(|view| request.as_seen(view.as_deref()));
                let answer = store.ask(request).await;
                let answer = answer.map_err(AskError::into_reason);
                if self
                    .sent
                    .try_with_value(|sent| sent.as_ref() == Some(&question))
                    != Some(true)
                {
                    return;
                }
                let (view, lost) = match answer {
                    Ok(view) => (Some(Arc::new(view)), None),
                    Err(why) => (None, Some(why)),
                };
                self.view.try_set(view);
                self.lost.try_set(lost);
            });
        });
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
                .with_value(|sent| *sent == self.question.get_untracked());
        ViewSnapshot {
            answers: self
                .sent
                .get_value()
                .map(|sent| sent.request)
                .filter(|_| is_answered),
            view: self.view.get_untracked(),
            inspection: self.inspection.get_value(),
        }
    }

    /// Takes over the content of the graph that had the focus.
    fn take(self, known: ViewSnapshot) {
        self.view.set(known.view);
        self.lost.set(None);
        self.inspection.set_value(known.inspection);
        let question = untrack(|| self.question.get());
        let is_answered = |question: &ViewQuery| Some(&question.request) == known.answers.as_ref();
        self.sent.set_value(question.filter(is_answered));
    }

    /// Returns the width of the right graph for the style sheet.
    pub fn wanted_width(self) -> Option<String> {
        self.width.get().map(|width| format!("{width}px"))
    }

    /// Returns the width in pixels; `room` is the width of both graphs.
    pub fn width(self, room: f64) -> u32 {
        let [least, _, most] = SECOND_GRAPH_WIDTH;
        self.width
            .get()
            .unwrap_or((room / 2.0) as u32)
            .clamp(least, most)
    }

    /// Whether two graphs are shown at once.
    pub fn is_split(self) -> bool {
        self.place.with(Option::is_some)
    }

    pub fn keep_width(self) {
        let width = self.width.get_untracked().map(|width| width.to_string());
        storage::set_preference(KEPT_WIDTH, &width.unwrap_or_default());
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
        let look = Some(self.store.view_state());
        self.tabs
            .opened
            .update(|opened| opened.open_second(place, Some(look)));
        self.announce();
    }

    /// Like [`Self::open`], from the context menu. If opening the menu brought the package into
    /// view, restores the earlier view and shows the package beside it.
    pub fn open_from_menu(self) {
        let Some((place, look)) = self.overlays.take_before_menu() else {
            return self.open();
        };
        let here = untrack(|| self.current.place());
        self.tabs.opened.update(|opened| {
            // Restore the tab's previous package before adding another tab beside it.
            opened.follow(place.clone());
            opened.open_second(here, None);
        });
        spawn_local(self.store.show_view_state(place.root, place.package, look));
        self.announce();
    }

    /// Shows a single channel of the package in view beside the current view.
    pub fn open_channel(self, channel: &str) {
        let channels = self
            .current
            .view
            .with_untracked(|view| view.channels.clone());
        let look = self
            .store
            .view_state()
            .with_only_channel(channel, &channels);
        let place = untrack(|| self.current.place());
        self.tabs
            .opened
            .update(|opened| opened.open_second(place, Some(Some(look))));
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
        let (known, left) = (self.store.view_snapshot(), Some(self.store.view_state()));
        let other = self.view_snapshot();
        let before = [self.comparison.unsaved, self.unsaved].map(|unsaved| unsaved.get_untracked());
        let revision = self.store.status.with_untracked(|status| status.revision);
        let Some(open) = self
            .tabs
            .opened
            .signal
            .try_update(|opened| opened.swap_focus(left))
            .flatten()
        else {
            return;
        };
        let PackageRef { root, package } = open.place.clone();
        let before: Vec<UnsavedEntries> = before.into_iter().flatten().collect();
        let is_drawn = before
            .iter()
            .any(|entries| entries.is_of(&open.place) && entries.has_removed());
        self.focus_swapped.set_value(true);
        self.unsaved_before.set((revision, before));
        self.store
            .note_removed(is_drawn.then(|| (root.clone(), package.clone())));
        let rest = self.store.apply_view_state(
            root,
            package,
            open.look.unwrap_or_else(ViewState::initial),
            other,
        );
        self.take(known);
        spawn_local(rest);
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
    pub fn resize(self, wish: ResizeRequest) {
        match wish {
            ResizeRequest::Size(size) => self.width.set(Some(size)),
            ResizeRequest::Usual => self.width.set(None),
            ResizeRequest::Away(true) => {
                self.close_half(Half::Right);
                // The splitter disappears and loses the focus.
                dom::focus_first(GRAPH);
            }
            ResizeRequest::Away(false) => {}
        }
    }

    /// Returns the unsaved entries of a shown package, if known.
    pub fn unsaved_of(self, place: &PackageRef) -> Option<UnsavedEntries> {
        let is_it = |entries: &UnsavedEntries| entries.is_of(place);
        let known = self
            .comparison
            .unsaved
            .get()
            .filter(is_it)
            .or_else(|| self.unsaved.get().filter(is_it));
        let (revision, is_edited) = (
            self.store.status.with(|status| status.revision),
            self.tabs.edited.with(|edited| edited.has(place)),
        );
        known.or_else(|| {
            let is_known =
                |at: u64, entries: &&UnsavedEntries| is_edited && at == revision && is_it(entries);
            self.unsaved_before
                .with(|(at, known)| known.iter().find(|entries| is_known(*at, entries)).cloned())
        })
    }
}

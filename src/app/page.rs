//! The page: start page or workbench, overlays, and global handlers for drops, keys and theme.

use super::browser::document::{Listener, listen};
use super::browser::file_tree::FileTree;
use super::browser::{document, hidden_characters, time, workers};
use super::commands::{Command, KeyAction, KeyPress, key_action};
use super::components::part::{Loaded, draw_part};
use super::context::{AppContext, Overlay, Theme, drops, saving};
use super::features::convert_template::{ConvertTemplate, MakeTemplate};
use super::features::dropped_manifests::DroppedManifestsDialog;
use super::features::forms::apply::Confirm;
use super::features::forms::bundle_form::BundleDialog;
use super::features::forms::dialog::CommandForm;
use super::features::forms::new_catalog::NewCatalogDialog;
use super::features::render_targets::RenderTargetsDialog;
use super::features::repository::RepositoryTaskDialog;
use super::features::review::Review;
use super::features::save_subset::SaveSubset;
use super::features::try_on_cluster::TryOnCluster;
use super::panels::banners::{BusyNote, DialogNotices, LiveRegions, NewVersion, SaidInDialog};
use super::panels::command_palette::{CommandPalette, Help};
use super::panels::drop_target::{self, DropDialog, DropHover};
use super::panels::start_page::{self, Start};
use super::panels::unfinished_work::UnfinishedQuestion;
use super::panels::workbench;
use super::reactive::{effect, spawn_local};
use super::widgets::dialog::InEveryDialog;
use super::widgets::dom;
use super::widgets::focus_tip::FocusTip;
use super::widgets::toast::ToastRegion;
use futures::FutureExt;
use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Stores the page for offline use, if the browser can.
    #[wasm_bindgen(js_namespace = switchyard, js_name = keepForOffline)]
    fn keep_for_offline();
}

#[component]
pub fn Page() -> impl IntoView {
    let app = AppContext::start();
    provide_context(app);
    provide_context(app.notifications.announcer);
    provide_context(NewVersion::listen());
    provide_context(InEveryDialog((move || draw_dialog_notices(app)).into()));
    hidden_characters::show_hidden_characters();
    apply_theme(app);
    listen_to_keys(app);
    let hover = accept_drops(app);
    if let Some(page) = start_page::handle_actions(app) {
        provide_context(page);
    }
    workbench::mount_while_open(app);
    spawn_local(load_in_background());
    view! {
        <Show when=move || !app.current.is_open.get()>
            <Start/>
            <ToastRegion toasts=app.notifications.toasts/>
        </Show>
        <OpenOverlay app/>
        <UnfinishedQuestion/>
        <LiveRegions app/>
        <FocusTip/>
        <div
            class="drop-veil"
            hidden=move || hover.with(Option::is_none)
            data-on=move || hover.with(is_over_package).to_string()
            aria-hidden="true"
        >
            <p class="drop-veil-text">{move || hover.with(|hover| hover.as_ref().map(|hover| hover.text.clone()))}</p>
        </div>
    }
    .into_any()
}

/// Draws the notices that every open dialog shows above its content.
fn draw_dialog_notices(app: AppContext) -> impl IntoView {
    view! {
        <BusyNote app/>
        <DialogNotices app/>
        <SaidInDialog announcer=app.notifications.announcer/>
    }
}

fn is_over_package(hover: &Option<DropHover>) -> bool {
    hover
        .as_ref()
        .is_some_and(|hover| !hover.place.package.is_empty())
}

#[component]
fn OpenOverlay(app: AppContext) -> impl IntoView {
    move || {
        let overlay = app.overlays.overlay.get()?;
        Some(draw_overlay(app, overlay))
    }
}

#[wasm_split(dialogs, wasm_split_path = ::leptos::wasm_split, fallible, preload(load_dialogs))]
fn dialog(app: AppContext, overlay: Overlay) -> Loaded<AnyView> {
    Ok(match overlay {
        Overlay::Palette => view! { <CommandPalette/> }.into_any(),
        Overlay::Form { command, values } => view! { <CommandForm command values/> }.into_any(),
        Overlay::Confirm { title, ops } => view! { <Confirm title ops/> }.into_any(),
        Overlay::Review => view! { <Review/> }.into_any(),
        Overlay::SaveSubset => view! { <SaveSubset/> }.into_any(),
        Overlay::RenderTargets { template, adds } => {
            view! { <RenderTargetsDialog template adds/> }.into_any()
        }
        Overlay::ConvertTemplate { template, because } => {
            view! { <ConvertTemplate template because/> }.into_any()
        }
        Overlay::MakeTemplate { root, package } => {
            view! { <MakeTemplate root package/> }.into_any()
        }
        Overlay::TryOnCluster => view! { <TryOnCluster/> }.into_any(),
        Overlay::Help => view! { <Help/> }.into_any(),
        Overlay::DropDialog => view! { <DropDialog/> }.into_any(),
        Overlay::Manifests(dropped) => view! { <DroppedManifestsDialog dropped/> }.into_any(),
        Overlay::NewCatalog => view! { <NewCatalogDialog/> }.into_any(),
        Overlay::Repository(task) => view! { <RepositoryTaskDialog task/> }.into_any(),
        Overlay::Bundles => app
            .drops
            .bundles()
            .map(|dropped| view! { <BundleDialog dropped/> })
            .into_any(),
    })
}

/// Draws a dialog.
fn draw_overlay(app: AppContext, overlay: Overlay) -> AnyView {
    let close = Callback::new(move |()| app.overlays.close());
    draw_part(
        || load_dialogs().boxed_local(),
        move || dialog(app, overlay.clone()).boxed_local(),
        Some(close),
    )
}

/// Loads all parts while the page is idle, then stores the page for offline use.
async fn load_in_background() {
    if workers::load_program().await {
        if !document::should_save_data() {
            time::idle().await;
            // Whoever needs a part that failed to load tries again.
            let _ = (load_dialogs().await, workbench::load_views().await);
        }
        keep_for_offline();
    }
}

fn apply_theme(app: AppContext) {
    effect(move |_| {
        let theme = app.preferences.theme.get();
        let Some(root) = document().document_element() else {
            return;
        };
        // Setting an attribute cannot fail.
        let _ = match theme {
            Theme::System => root.remove_attribute("data-theme"),
            theme => root.set_attribute("data-theme", theme.name()),
        };
    });
}

fn listen_to_keys(app: AppContext) {
    let listener = listen(&window(), "keydown", move |event: ev::KeyboardEvent| {
        let ctrl = event.ctrl_key() || event.meta_key();
        // A field that shows the catalog's value has nothing to undo itself.
        let shows_value =
            || dom::closest(event.target(), ".in-place-input:not([data-changed])").is_some();
        let press = KeyPress {
            key: &event.key(),
            ctrl,
            shift: event.shift_key(),
            alt: event.alt_key(),
            typing: dom::is_typing(&event) && !(ctrl && shows_value()),
        };
        let Some(action) = key_action(press, app.preferences.letter_keys.get_untracked()) else {
            return;
        };
        if action == KeyAction::Run(Command::Save) {
            // The browser would save the page itself.
            event.prevent_default();
            let is_review = app
                .overlays
                .overlay
                .with_untracked(|overlay| *overlay == Some(Overlay::Review));
            // A form closes when its edit is shown; that edit should be saved too.
            if is_review || app.store.is_changing() {
                saving::save(app);
                return;
            }
        }
        if dom::dialog_is_open() || app.overlays.menu.with_untracked(Option::is_some) {
            return;
        }
        // Escape has closed something.
        if press.key == "Escape" && event.default_prevented() {
            return;
        }
        event.prevent_default();
        match action {
            KeyAction::Run(command)
                if !command.is_available(app.current.is_open.get_untracked()) => {}
            KeyAction::Palette => app.overlays.open(Overlay::Palette),
            KeyAction::Run(command) => command.run(app),
        }
    });
    listener.until_cleanup();
}

/// Accepts drops anywhere on the page at any time. Returns the current drop target.
fn accept_drops(app: AppContext) -> ReadSignal<Option<DropHover>> {
    let (hover, set_hover) = signal(None::<DropHover>);
    let has_files = |event: &ev::DragEvent| {
        event
            .data_transfer()
            .is_some_and(|data| data.types().includes(&"Files".into(), 0))
    };
    let leave = move || {
        drop_target::mark(None);
        set_hover.set(None);
    };
    let drag_over = listen(&window(), "dragover", move |event: ev::DragEvent| {
        if has_files(&event) {
            event.prevent_default();
            let now = DropHover::from_event(app, &event);
            if hover.with_untracked(|hover| hover.as_ref() != Some(&now)) {
                set_hover.set(Some(now));
            }
        }
    });
    let drag_leave = listen(&window(), "dragleave", move |event: ev::DragEvent| {
        // Without a related target, the pointer has left the window.
        if event.related_target().is_none() {
            leave();
        }
    });
    let drop = listen(&window(), "drop", move |event: ev::DragEvent| {
        leave();
        if has_files(&event) {
            event.prevent_default();
            let tree = FileTree::from_drop(&event);
            drops::offer_at(app, tree, DropHover::from_event(app, &event).place);
        }
    });
    [drag_over, drag_leave, drop]
        .into_iter()
        .for_each(Listener::until_cleanup);
    hover
}

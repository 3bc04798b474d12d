//! The parts of the page's program that are loaded after its start: dialogs, and the views other
//! than the graph. `#[wasm_split]` keeps everything that only they use out of the first download:
//! see `docs/decisions/page-loads-in-parts.md`.

use crate::browser::{document, time, workers};
use crate::components::templates::SourceNote;
use crate::context::Overlay;
use crate::features::convert_template::{ConvertTemplate, MakeTemplate};
use crate::features::dropped_manifests::DroppedManifestsDialog;
use crate::features::forms::apply::Confirm;
use crate::features::forms::bundle_form::BundleDialog;
use crate::features::forms::dialog::CommandForm;
use crate::features::forms::new_catalog::NewCatalogDialog;
use crate::features::render_targets::RenderTargetsDialog;
use crate::features::repository::{RepositoryPanel, RepositoryTaskDialog};
use crate::features::review::Review;
use crate::features::save_subset::SaveSubset;
use crate::features::source::Source;
use crate::features::table::Table;
use crate::features::try_on_cluster::TryOnCluster;
use crate::features::upgrade::{Compare, EveryoneTable};
use crate::panels::command_palette::{CommandPalette, Help};
use crate::panels::drop_target::DropDialog;
use crate::prelude::*;
use crate::state::store::Tab;
use crate::widgets::dialog::{Dialog, Size};
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use wasm_bindgen::prelude::wasm_bindgen;

type Loaded<T> = Result<T, SplitLoaderError>;
type Loading<T> = LocalBoxFuture<'static, Loaded<T>>;

#[wasm_bindgen]
extern "C" {
    /// Stores the page for offline use, if the browser can.
    #[wasm_bindgen(js_namespace = switchyard, js_name = keepForOffline)]
    fn keep_for_offline();
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

/// One function, since each function of a part learns on its own that the part is loaded.
#[wasm_split(views, wasm_split_path = ::leptos::wasm_split, fallible, preload(load_views))]
fn view(app: AppContext, centre: CentreView) -> Loaded<AnyView> {
    Ok(match centre {
        CentreView::Repository => view! { <RepositoryPanel/> }.into_any(),
        CentreView::Package(Tab::Graph) => ().into_any(),
        CentreView::Package(Tab::Table) => view! { <Table/> }.into_any(),
        CentreView::Package(Tab::UpgradeMap) => view! { <EveryoneTable/> }.into_any(),
        CentreView::Package(Tab::Compare) => view! { <Compare/> }.into_any(),
        CentreView::Package(Tab::Source) => view! {
            <div class="source-under-note">
                <SourceNote app/>
                <div class="source-place"><Source/></div>
            </div>
        }
        .into_any(),
    })
}

/// A view in the center that is not in the first download.
#[derive(Clone, Copy)]
pub enum CentreView {
    Repository,
    /// A view of a package other than the graph.
    Package(Tab),
}

/// Draws a dialog.
pub fn draw_overlay(app: AppContext, overlay: Overlay) -> AnyView {
    let close = Callback::new(move |()| app.overlays.close());
    draw_part(
        || load_dialogs().boxed_local(),
        move || dialog(app, overlay.clone()).boxed_local(),
        Some(close),
    )
}

pub fn draw_view(app: AppContext, centre: CentreView) -> AnyView {
    let draw = move || view(app, centre).boxed_local();
    draw_part(|| load_views().boxed_local(), draw, None)
}

/// Loads all parts while the page is idle, then stores the page for offline use.
pub async fn load_in_background() {
    if workers::load_program().await {
        if !document::should_save_data() {
            time::idle().await;
            // Whoever needs a part that failed to load tries again.
            let _ = (load_dialogs().await, load_views().await);
        }
        keep_for_offline();
    }
}

/// Draws a view as soon as its part is loaded. If loading fails, it shows a message, in a dialog if
/// there is something to close.
fn draw_part(
    load: fn() -> Loading<()>,
    draw: impl Fn() -> Loading<AnyView> + Send + 'static,
    close: Option<Callback<()>>,
) -> AnyView {
    // `None` while the part is being loaded.
    let part = RwSignal::new(load().now_or_never().map(|loaded| loaded.is_ok()));
    let try_again = move |()| {
        part.set(None);
        spawn_local(async move { part.set(Some(load().await.is_ok())) });
    };
    if part.with_untracked(Option::is_none) {
        try_again(());
    }
    let message = move || {
        view! {
            <div class="part-missing" role="alert">
                <p>"This part of the page could not be loaded. Check the connection, then try again, or reload the page. Your edits are kept."</p>
                <Button label="Try again" look=Look::Primary on_press=try_again/>
            </div>
        }
        .into_any()
    };
    let draw = move || match (part.get(), close) {
        (None, _) => view! { <p class="part-loading" role="status">"Loading…"</p> }.into_any(),
        (Some(true), _) => draw().now_or_never().and_then(Result::ok).into_any(),
        (Some(false), None) => message(),
        (Some(false), Some(on_close)) => view! {
            <Dialog title="Not loaded" size=Size::Small on_close>{message()}</Dialog>
        }
        .into_any(),
    };
    draw.into_any()
}

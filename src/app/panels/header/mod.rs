//! The top bar: location, installed version, lens, undo and redo, saving.

mod cluster_version;
mod installed;
mod upgrade_query;

pub use upgrade_query::UpgradeQueryBar;

use crate::commands::{Command, PALETTE_KEYS};
use crate::context::{AppContext, Overlay, Theme, app_context};
use crate::edits::suggestions::catalog_name;
use crate::panels::file_inputs::FileInputs;
use crate::reactive::memo;
use crate::widgets::button::IconButton;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::segmented::Segmented;
use crate::widgets::shortcuts::with_keys;
use crate::words;
use installed::Installed;
use leptos::prelude::*;
use protocol::views::Lens;

#[component]
pub fn Header() -> impl IntoView {
    let app = app_context();
    let changed = move || app.store.status.with(|status| status.changed_files.len());
    view! {
        <header class="header">
            <FileInputs/>
            <span class="brand">
                <Glyph icon=Icon::Brand/>
                "Switchyard"
            </span>
            <Crumbs app/>
            <IconButton
                label=Command::OpenFolder.label()
                icon=Icon::Folder
                quiet=true
                on_press=move |()| Command::OpenFolder.run(app)
            />
            <button
                type="button"
                class="omnibox"
                aria-haspopup="dialog"
                on:click=move |_| app.overlays.open(Overlay::Palette)
            >
                <span class="omnibox-text">"Search"<span class="omnibox-more">" or command"</span></span>
                {PALETTE_KEYS.split('+').map(|key| view! { <kbd>{key}</kbd> }).collect_view()}
            </button>
            <div class="header-end">
                <Installed/>
                <Segmented
                    label="Lens"
                    hint="Which OLM's rules decide what an installed version upgrades to. Classic (v0) follows a \
                          Subscription along channel edges; OLM v1 resolves a ClusterExtension by version range."
                    options=&[("v0", "Classic (v0)"), ("v1", "OLM v1")]
                    selected=Signal::derive(move || match app.store.question.get().lens {
                        Lens::V0 => "v0",
                        Lens::V1 => "v1",
                    })
                    on_select=move |key| {
                        app.ask_upgrade(|question| question.lens = if key == "v1" { Lens::V1 } else { Lens::V0 });
                    }
                />
                <IconButton
                    label=Command::Undo.label()
                    keys=Command::Undo.keys()
                    icon=Icon::Undo
                    disabled=Signal::derive(move || !app.store.can_undo())
                    on_press=move |()| Command::Undo.run(app)
                />
                <IconButton
                    label=Command::Redo.label()
                    keys=Command::Redo.keys()
                    icon=Icon::Redo
                    disabled=Signal::derive(move || !app.store.can_redo())
                    on_press=move |()| Command::Redo.run(app)
                />
                <ThemeButton app/>
                <button
                    type="button"
                    class="button"
                    data-look=move || { if changed() > 0 { "primary" } else { "plain" } }
                    aria-haspopup="dialog"
                    on:click=move |_| Command::Review.run(app)
                >
                    {Command::Review.label()}
                    {move || {
                        let files = changed();
                        (files > 0).then(|| format!(" · {}", words::count(files as u32, "file")))
                    }}
                </button>
            </div>
        </header>
    }
    .into_any()
}

#[component]
fn Crumbs(app: AppContext) -> impl IntoView {
    let catalog = move || {
        app.store
            .status
            .with(|status| catalog_name(&status.roots, &app.store.root.get()))
    };
    let repository = memo(move |_| app.store.repository_name());
    let is_shown = app.repository.is_shown();
    let back = move || {
        (repository.with(Option::is_some) && !is_shown.get()).then(|| {
            view! {
                <button
                    type="button"
                    class="link"
                    title=with_keys("Back to the repository", Command::Repository.keys())
                    on:click=move |_| Command::Repository.run(app)
                >
                    "Repository"
                </button>
                <span class="crumb" aria-hidden="true">"/"</span>
            }
        })
    };
    let place = move || match (is_shown.get(), repository.get()) {
        (true, Some(name)) => name,
        // The folder that contains everything is redundant here.
        (_, Some(name)) => catalog()
            .trim_start_matches(&format!("{name}/"))
            .replace('/', " / "),
        (_, None) => catalog().replace('/', " / "),
    };
    view! {
        <div class="crumbs">
            {back} <span class="crumb">{place}</span>
            <span class="crumb" aria-hidden="true">{move || if place().is_empty() { "" } else { "/" }}</span>
            <h1 class="crumb-here">
                {move || {
                    let package = app.current.package.get();
                    match (is_shown.get(), package.is_empty()) {
                        (true, _) => "Repository".to_owned(),
                        (false, true) => "No package".to_owned(),
                        (false, false) => package,
                    }
                }}
            </h1>
        </div>
    }
    .into_any()
}

#[component]
fn ThemeButton(app: AppContext) -> impl IntoView {
    let label = Signal::derive(move || format!("Theme: {}", app.preferences.theme().get().name()));
    let icon = Signal::derive(move || match app.preferences.theme().get() {
        Theme::System => Icon::System,
        Theme::Light => Icon::Sun,
        Theme::Dark => Icon::Moon,
    });
    view! { <IconButton label=label icon=icon quiet=true on_press=move |()| app.preferences.set_theme(app.preferences.theme().get_untracked().next())/> }
}

//! The bar on top: where we are, what is installed, through which lens, back and forth, and the way out.

mod installed;
mod question;

pub use question::QuestionBar;

use crate::browser::inputs::click_folder;
use crate::desk::{Desk, Overlay, Theme, desk};
use crate::edits::suggest::catalog_name;
use crate::panels::commands::Command;
use crate::panels::inputs::FileInputs;
use crate::widgets::button::IconButton;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::segmented::Segmented;
use crate::words;
use installed::Installed;
pub use installed::shown as installed_name;
use leptos::prelude::*;
use protocol::views::Lens;

#[component]
pub fn Header() -> impl IntoView {
    let desk = desk();
    let applied = move || desk.session.status.with(|status| status.applied_steps);
    let steps = move || desk.session.status.with(|status| status.history.len());
    let changed = move || desk.session.status.with(|status| status.changed_files.len());
    view! {
        <header class="header">
            <FileInputs/>
            <span class="brand">
                <Glyph icon=Icon::Brand/>
                "Switchyard"
            </span>
            <Crumbs desk/>
            <IconButton label="Open folder…" icon=Icon::Folder quiet=true on_press=move |()| {
                if !desk.pick_folder() {
                    click_folder();
                }
            }/>
            <button
                type="button"
                class="omnibox"
                aria-haspopup="dialog"
                on:click=move |_| desk.overlay.set(Some(Overlay::Palette))
            >
                <span class="omnibox-text">"Search or command"</span>
                <kbd>"Ctrl"</kbd>
                <kbd>"K"</kbd>
            </button>
            <div class="header-end">
                <Installed/>
                <Segmented
                    label="Lens"
                    options=&[("v0", "Classic (v0)"), ("v1", "OLM v1")]
                    selected=Signal::derive(move || match desk.session.question.get().lens {
                        Lens::V0 => "v0",
                        Lens::V1 => "v1",
                    })
                    on_select=move |key| {
                        desk.ask_upgrade(|question| question.lens = if key == "v1" { Lens::V1 } else { Lens::V0 });
                    }
                />
                <IconButton
                    label="Undo"
                    keys=Command::Undo.keys()
                    icon=Icon::Undo
                    disabled=Signal::derive(move || applied() == 0)
                    on_press=move |()| desk.undo()
                />
                <IconButton
                    label="Redo"
                    keys=Command::Redo.keys()
                    icon=Icon::Redo
                    disabled=Signal::derive(move || applied() >= steps())
                    on_press=move |()| desk.redo()
                />
                <ThemeButton desk/>
                <button
                    type="button"
                    class="button"
                    data-look=move || { if changed() > 0 { "primary" } else { "plain" } }
                    aria-haspopup="dialog"
                    on:click=move |_| desk.overlay.set(Some(Overlay::Review))
                >
                    "Review and save"
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
fn Crumbs(desk: Desk) -> impl IntoView {
    let catalog = move || desk.session.status.with(|status| catalog_name(&status.roots, &desk.session.root.get()));
    view! {
        <div class="crumbs">
            <span class="crumb">{move || catalog().replace('/', " / ")}</span>
            <span class="crumb" aria-hidden="true">{move || if catalog().is_empty() { "" } else { "/" }}</span>
            <h1 class="crumb-here">
                {move || {
                    let package = desk.package.get();
                    if package.is_empty() { "No package".to_owned() } else { package }
                }}
            </h1>
        </div>
    }
    .into_any()
}

#[component]
fn ThemeButton(desk: Desk) -> impl IntoView {
    let label = Signal::derive(move || format!("Theme: {}", desk.theme.get().name()));
    let icon = Signal::derive(move || match desk.theme.get() {
        Theme::System => Icon::System,
        Theme::Light => Icon::Sun,
        Theme::Dark => Icon::Moon,
    });
    view! { <IconButton label=label icon=icon quiet=true on_press=move |()| desk.set_theme(desk.theme.get_untracked().next())/> }
}

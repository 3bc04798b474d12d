//! The top bar: location, installed version, lens, undo and redo, saving.

use crate::commands::{Command, CommandButton, PALETTE_KEYS};
use crate::context::{Overlay, Theme};
use crate::edits::form_values::catalog_name;
use crate::panels::drop_target::FileInputs;
use crate::panels::menus::command_item;
use crate::prelude::*;
use crate::state::entries::{EVERYONE, FRESH, format_origin as origin_text, parse_origin};
use crate::state::store::Tab;
use crate::widgets::buttons::{Segmented, with_keys};
use crate::widgets::combobox::{Choice, Combobox};
use crate::widgets::menu::MenuButton;
use crate::widgets::toolbar::Toolbar;
use protocol::response::PackageView;
use protocol::views::{Lens, Origin};

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
            <CatalogMenu app/>
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
                    selected=derived(move || match app.store.question.get().lens {
                        Lens::V0 => "v0",
                        Lens::V1 => "v1",
                    })
                    on_select=move |key| {
                        app.ask_upgrade(|question| question.lens = if key == "v1" { Lens::V1 } else { Lens::V0 });
                    }
                />
                <Toolbar label="Steps, help and saving" class="header-tools">
                    <CommandButton
                        app
                        command=Command::Undo
                        icon=Icon::Undo
                        disabled=derived(move || !app.store.status.can_undo())
                    />
                    <CommandButton
                        app
                        command=Command::Redo
                        icon=Icon::Redo
                        disabled=derived(move || !app.store.status.can_redo())
                    />
                    // Before the theme, which has no room in a small window: this one is the tab
                    // stop.
                    <CommandButton
                        app
                        command=Command::Help
                        icon=Icon::Help
                        quiet=true
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
                </Toolbar>
            </div>
        </header>
    }
    .into_any()
}

/// Returns the commands for catalogs that can run now.
fn catalog_commands(app: AppContext) -> Vec<Command> {
    let mut commands = Command::CATALOG_MENU.to_vec();
    commands.retain(|command| untrack(|| command.is_offered(app)));
    commands
}

#[component]
fn CatalogMenu(app: AppContext) -> impl IntoView {
    let listed = StoredValue::new(Vec::new());
    let items = move |()| {
        listed.set_value(catalog_commands(app));
        listed.with_value(|commands| {
            commands
                .iter()
                .map(|command| command_item(app, *command))
                .collect()
        })
    };
    let choose = move |index: usize| {
        if let Some(command) =
            listed.with_value(|commands: &Vec<Command>| commands.get(index).copied())
        {
            command.run(app);
        }
    };
    view! { <MenuButton label="Catalog" items=Callback::new(items) on_choose=choose/> }
}

#[component]
fn Crumbs(app: AppContext) -> impl IntoView {
    let catalog = move || {
        app.store
            .status
            .with(|status| catalog_name(&status.roots, &app.store.root.get()))
    };
    let repository = memo(move |_| app.store.status.repository_name());
    let is_in_view = app.repository.in_view;
    let back_link = move || {
        (repository.with(Option::is_some) && !is_in_view.get()).then(|| {
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
    // A file that does not belong to the package in view.
    let file = memo(move |_| {
        let is_source = !is_in_view.get() && app.store.tab.get() == Tab::Source;
        let file = is_source.then(|| app.store.source.file_beside(&app.current.package.get()));
        file.flatten()
    });
    let is_outside =
        move || file.with(|file| file.as_ref().is_some_and(|file| file.starts_with('/')));
    let location = move || match (is_in_view.get(), repository.get()) {
        _ if is_outside() => String::new(),
        (true, Some(name)) => name,
        // Do not repeat the name of the folder that contains everything.
        (_, Some(name)) => catalog().trim_start_matches(&format!("{name}/")).to_owned(),
        (_, None) => catalog(),
    };
    let folders = move || {
        let location = location();
        let (folders, _) = location.rsplit_once('/')?;
        Some(format!("{} /", folders.replace('/', " / ")))
    };
    let name = move || location().rsplit('/').next().map(str::to_owned);
    let here = move || match (is_in_view.get(), file.get(), app.current.package.get()) {
        (true, ..) => "Repository".to_owned(),
        (false, Some(file), _) => file.trim_start_matches('/').to_owned(),
        (false, None, package) if package.is_empty() => "No package".to_owned(),
        (false, None, package) => package,
    };
    view! {
        <div class="crumbs">
            {back_link} <span class="crumb crumb-folders" title=location>{folders}</span>
            <span class="crumb" title=location>{name}</span>
            <span class="crumb" aria-hidden="true">{move || if location().is_empty() { "" } else { "/" }}</span>
            <h1 class="crumb-here" title=here>{here}</h1>
        </div>
    }
    .into_any()
}

#[component]
fn ThemeButton(app: AppContext) -> impl IntoView {
    let label = derived(move || format!("Theme: {}", app.preferences.theme.get().name()));
    let icon = derived(move || match app.preferences.theme.get() {
        Theme::System => Icon::System,
        Theme::Light => Icon::Sun,
        Theme::Dark => Icon::Moon,
    });
    let choose_next = move |()| {
        let next = app.preferences.theme.get_untracked().next();
        app.preferences.set_theme(next);
    };
    view! { <IconButton label=label icon=icon quiet=true on_press=choose_next/> }
}

/// Text in the field *Installed* that is not submitted yet.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TypedVersion {
    /// Catalog and package in view when it was typed. The text is discarded for another package.
    place: (String, String),
    text: String,
    /// Whether it was submitted by Enter, a suggestion, or blur.
    is_done: bool,
}

#[component]
fn Installed() -> impl IntoView {
    let app = app_context();
    // Unsubmitted text, which answers must not overwrite.
    let typed = RwSignal::new(None::<TypedVersion>);
    let current = memo(move |_| {
        let origin = app.store.question.with(|question| question.origin.clone());
        app.current
            .view
            .with(|view| origin_text(&origin, &view.bundles))
    });
    let place = memo(move |_| (app.store.root.get(), app.current.package.get()));
    let typed_here = move || {
        typed
            .get()
            .filter(|typed| place.with(|place| typed.place == *place))
    };
    let text = derived(move || typed_here().map_or_else(|| current.get(), |typed| typed.text));
    let choices = derived(move || app.current.view.with(|view| origin_choices(view)));
    let typed_origin = move || {
        text.with(|text| {
            app.current
                .view
                .with(|view| parse_origin(text, &view.bundles))
        })
    };
    let is_unknown = derived(move || {
        let typed_origin = typed_origin();
        app.current
            .view
            .with(|view| view.answer.unknown.is_some() && view.answer.origin == typed_origin)
    });
    // A version refers to a bundle of the package in view: submit text that was typed before the
    // package is loaded afterwards.
    effect(move |_| {
        let is_loaded = app.current.view.with(|view| {
            place.with(|(root, package)| view.root == *root && view.package == *package)
        });
        let is_done = typed_here().is_some_and(|typed| typed.is_done);
        if is_done && text.with(|text| text.trim().eq_ignore_ascii_case(EVERYONE)) {
            typed.set(None);
            app.store.tab.show(Tab::UpgradeMap);
            return;
        }
        if is_loaded && is_done {
            let origin = untrack(typed_origin);
            typed.set(None);
            app.ask_upgrade(|question| question.origin = origin);
        }
    });
    let submit = move |()| {
        typed.update(|typed| {
            if let Some(typed) = typed {
                typed.is_done = true;
            }
        });
    };
    view! {
        <div class="installed">
            <label class="installed-label" for="installed-field">"Installed"</label>
            <Combobox
                id="installed-field"
                value=text
                choices=choices
                on_change=move |text| {
                    typed.set(Some(TypedVersion { place: place.get_untracked(), text, is_done: false }));
                }
                on_done=Callback::new(submit)
                completes=true
                invalid=is_unknown
            />
        </div>
    }
    .into_any()
}

fn origin_choices(view: &PackageView) -> Vec<Choice> {
    let bundles = view.bundles.iter().map(|(bundle, _)| {
        let origin = Origin::Installed(bundle.clone());
        Choice::new(origin_text(&origin, &view.bundles), bundle.as_str())
    });
    [
        Choice::new(FRESH, "nothing is installed"),
        Choice::new(EVERYONE, "every published version"),
    ]
    .into_iter()
    .chain(bundles)
    .collect()
}

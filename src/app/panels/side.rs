//! The left panel: the catalogs of the session with their verdicts, folders, other files, and the
//! packages of the catalog in view.

mod packages;

use crate::commands::Command;
use crate::context::drops;
use crate::edits::form_values::catalog_name;
use crate::prelude::*;
use crate::state::store::renderings;
use crate::widgets::cursors::{self, Axis};
use crate::widgets::short_text::breakable;
use packages::Packages;
use protocol::views::{FolderRow, RootRow, Status};

/// Maximum number of unused files listed.
const MAX_LISTED_FILES: usize = 500;

#[component]
pub fn Side() -> impl IntoView {
    let app = app_context();
    // All packages, not only the matching ones: the search field must not move while typing.
    let rows = move || app.store.packages.with(Vec::len).to_string();
    view! {
        <nav class="side" id="pane-side" aria-label="Catalogs and packages" style=("--rows", rows)>
            <Catalogs/>
            <Packages/>
        </nav>
    }
    .into_any()
}

/// Moves the focus between the buttons of a list with the arrow keys.
fn move_focus(event: &web_sys::KeyboardEvent) {
    cursors::rove(event, "button", Axis::Vertical);
}

#[component]
fn Catalogs() -> impl IntoView {
    let app = app_context();
    let roots = move || app.store.status.with(|status| status.roots.clone());
    let catalogs = move || {
        let roots = roots();
        let rows = roots.iter().filter(|row| row.is_catalog());
        catalog_items(app, &roots, rows.collect())
    };
    // List a rendering after its template.
    let templates = move || {
        let roots = roots();
        let rows = roots
            .iter()
            .filter(|row| row.is_template())
            .flat_map(|template| {
                let is_rendering = |row: &&RootRow| {
                    let mut rendered = row.rendered.iter();
                    rendered.any(|rendered| rendered.template == template.root)
                };
                std::iter::once(template).chain(roots.iter().find(is_rendering))
            });
        catalog_items(app, &roots, rows.collect())
    };
    let has_templates = memo(move |_| {
        app.store
            .status
            .with(|status| status.roots.iter().any(RootRow::is_template))
    });
    let has_only_templates = memo(move |_| {
        let has_catalog = |status: &Status| {
            status.repository.is_some() || status.roots.iter().any(RootRow::is_catalog)
        };
        has_templates.get() && !app.store.status.with(has_catalog)
    });

    view! {
        <section class="side-section" data-part="catalogs">
            <h2 class="side-title" id="catalogs-title">"Catalogs"</h2>
            <ul class="side-list" aria-labelledby="catalogs-title" on:keydown=move |event| move_focus(&event)>
                {catalogs}
            </ul>
            <Show when=move || has_only_templates.get()>
                <div class="side-empty">
                    <p>
                        "There are templates here and no catalog. Edit the templates; to render one, open its bundle \
                        folders or a catalog that has its bundles."
                    </p>
                    <Button label=Command::OpenFolder.label() on_press=move |()| Command::OpenFolder.run(app)/>
                </div>
            </Show>
            <Show when=move || has_templates.get()>
                <h3 class="side-title" id="templates-title">"Templates"</h3>
                <ul class="side-list" aria-labelledby="templates-title" on:keydown=move |event| move_focus(&event)>
                    {templates}
                </ul>
            </Show>
            {move || {
                // A folder that is one catalog in any case, or was created here, needs no button.
                // Folders opened separately have no common folder.
                let mut offered = app.store.status.with(|status| status.folders.clone());
                offered.retain(|row| {
                    let splits = row.splits && !drops::is_unsaved_new(app, &row.folder);
                    if row.as_one { splits } else { app.preferences.folder_notes.get() && !row.folder.is_empty() }
                });
                offered.into_iter().map(|row| folder_note(app, row)).collect_view()
            }}
            <UnusedFiles app/>
        </section>
    }
    .into_any()
}

/// Renders rows with their names. Folders that all names share are left out, because the names
/// differ after them.
fn catalog_items(app: AppContext, roots: &[RootRow], rows: Vec<&RootRow>) -> AnyView {
    let name = |row: &RootRow| match catalog_name(roots, &row.root) {
        name if name.is_empty() => "catalog".to_owned(),
        name => name,
    };
    let listed = rows.iter().filter(|row| row.rendered.is_none());
    let shared = shared_folder(&listed.map(|row| name(row)).collect::<Vec<_>>());
    rows.into_iter()
        .map(|row| catalog_item(app, row.clone(), name(row), shared))
        .collect_view()
        .into_any()
}

/// Returns the length of the folder that several names share, with its slash.
fn shared_folder(names: &[String]) -> usize {
    let [first, _, ..] = names else {
        return 0;
    };
    let ends = first.match_indices('/').map(|(at, _)| at + 1);
    let is_shared = |end: &usize| names.iter().all(|name| name.starts_with(&first[..*end]));
    ends.take_while(is_shared).last().unwrap_or(0)
}

/// `shared` is the length of the folder that is left out of the visible name.
fn catalog_item(app: AppContext, row: RootRow, name: String, shared: usize) -> AnyView {
    let has_entries = row
        .template
        .as_ref()
        .is_none_or(|template| template.holds_entries);
    let is_rendered = row.rendered.is_some();
    let item = words::catalog_item(&row, &name);
    let root = row.root.clone();
    let is_here = memo({
        let root = root.clone();
        move |_| app.store.root.get() == root
    });
    let label = if is_rendered {
        "rendered".to_owned()
    } else {
        name[shared..].to_owned()
    };
    let validity = row.validity();
    let (icon, class, short_verdict) = match validity {
        Some(true) => (Some(Icon::Check), "visually-hidden", "passes".to_owned()),
        Some(false) => (
            Some(Icon::Error),
            "verdict-count",
            row.errors.max(1).to_string(),
        ),
        None => (
            is_rendered.then_some(Icon::Warning),
            "row-count",
            "not validated".to_owned(),
        ),
    };
    view! {
        <li aria-label=item data-rendered=is_rendered.then_some("")>
            <button
                type="button"
                class="row"
                title=if row.passed { words::verdict(&row) } else { format!("{}\n{}", words::verdict(&row), row.opm_message) }
                aria-current=move || is_here.get().then_some("true")
                tabindex=move || if is_here.get() { "0" } else { "-1" }
                on:click=move |_| {
                    let root = root.clone();
                    if has_entries {
                        app.show_root(root);
                    } else {
                        spawn_local(renderings::show_drawn(app.store, root));
                    }
                }
            >
                <span class="row-name" data-lines="3" title=name>{breakable(&label)}</span>
                {row.edited.then(|| view! { <span class="dot" title="edited"><span class="visually-hidden">"edited"</span></span> })}
                {has_entries.then(|| view! { <span class="row-count">{words::group_digits(u64::from(row.packages))}</span> })}
                <span class="verdict-mark" data-passed=validity.map_or("unknown".to_owned(), |passed| passed.to_string())>
                    {icon.map(|icon| view! { <Glyph icon/> })}
                    <span class=class>{short_verdict}</span>
                </span>
            </button>
        </li>
    }
    .into_any()
}

fn folder_note(app: AppContext, row: FolderRow) -> AnyView {
    let FolderRow {
        folder,
        as_one,
        whole_message,
        ..
    } = row;
    let label = if folder.is_empty() {
        "all files".to_owned()
    } else {
        folder.clone()
    };
    view! {
        <div class="folder">
            <button
                type="button"
                class="folder-button"
                aria-pressed=as_one.to_string()
                title=if whole_message.is_empty() {
                    "What opm validate would see when it is run on this folder".to_owned()
                } else {
                    format!("Treated as one catalog, it would fail opm validate: {whole_message}")
                }
                on:click=move |_| spawn_local(app.store.treat_as_one(folder.clone(), !as_one))
            >
                "Treat folder " <span class="mono">{breakable(&label)}</span> " as one catalog"
            </button>
            {(!as_one)
                .then(|| {
                    view! {
                        <IconButton label="Do not offer this" icon=Icon::Close quiet=true on_press=move |()| {
                            app.preferences.folder_notes.set(false);
                        }/>
                    }
                })}
        </div>
    }
    .into_any()
}

#[component]
fn UnusedFiles(app: AppContext) -> impl IntoView {
    // Problems already report the others.
    let files = memo(move |_| {
        app.store.status.with(|status| {
            let files = status.unused_files.iter().flatten();
            let with_reason =
                files.filter_map(|file| Some((file.path.clone(), file.reason.clone()?)));
            with_reason.collect::<Vec<_>>()
        })
    });
    let count = move || files.with(Vec::len);
    view! {
        <Show when=move || { count() > 0 }>
            <details class="strays">
                <summary class="strays-summary">
                    {move || format!("{} that no catalog uses", words::count(count() as u32, "file"))}
                </summary>
                <ul aria-label="Files that no catalog uses">
                    {move || {
                        files
                            .get()
                            .into_iter()
                            .take(MAX_LISTED_FILES)
                            .map(|(path, reason)| {
                                view! {
                                    <li class="stray">
                                        <span class="mono">{breakable(&path)}</span>
                                        <span class="dim">{reason}</span>
                                    </li>
                                }
                            })
                            .collect_view()
                    }}
                </ul>
            </details>
        </Show>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::shared_folder;

    #[test]
    fn only_folders_of_all_names_are_left_out() {
        let shared = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            names
                .first()
                .map_or("", |first| &first[..shared_folder(&names)])
                .to_owned()
        };
        assert_eq!(shared(&["a/b/cat/x.yaml", "a/b/catalog/x.yaml"]), "a/b/");
        assert_eq!(shared(&["a/b/x.yaml", "y.yaml"]), "");
        assert_eq!(shared(&["v4.18", "v4.19"]), "");
        assert_eq!(shared(&["a/x.yaml"]), "", "a single name is complete");
    }
}

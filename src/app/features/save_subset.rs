//! *Save a part as…*: the selection on the left; on the right the result with counts, verdict and
//! files, or the reason why there is none. Saved as a zip or a new folder. The session does not
//! change.

use crate::browser::folder_access;
use crate::components::preview::{LiveAnswer, answer_view};
use crate::context::saving;
use crate::edits::form_values::{named_roots, parse_names};
use crate::prelude::*;
use crate::widgets::combobox::Choice;
use crate::widgets::dialog::FormDialog;
use crate::widgets::fields::{
    Check, Checklist, ChecklistItem, ComboField, LineField, SelectField, select_options,
};
use protocol::counting::{and_more, capitalize};
use protocol::query::Subset;
use protocol::request::PackageRequest;
use protocol::response::OperationRefusal;
use protocol::subset::{
    EntrySelection, PackageScoped, SavedSubset, Selection, SubsetLosses, SubsetView,
};
use protocol::views::RootRow;
use std::collections::BTreeSet;

/// Maximum number of files named.
const MAX_FILES: usize = 40;

/// Maximum number of packages offered for a requirement.
const MAX_SUPPLIERS: usize = 3;

/// The choices for the entries to keep.
const ENTRIES: [(&str, &str); 5] = [
    ("all", "all versions"),
    ("from", "a version and everything newer"),
    ("to", "a version and everything older"),
    ("only", "one version"),
    ("heads", "heads only"),
];

/// The version field: the key of [`ENTRIES`] that needs it, its label and hint.
const VERSION_FIELDS: [(&str, &str, &str); 3] = [
    (
        "from",
        "From version",
        "Everything that replaces or skips a kept entry is kept too.",
    ),
    (
        "to",
        "Up to version",
        "Refused where a channel would have several heads.",
    ),
    (
        "only",
        "Version",
        "Its entry keeps what it replaces and skips.",
    ),
];

#[component]
pub fn SaveSubset() -> impl IntoView {
    let app = app_context();
    let form = RwSignal::new(initial_form(app));
    follow_catalog(app, form);
    follow_package(app, form);
    let selection = memo(move |_| {
        form.with(|form| {
            form.selection()
                .map(|selection| (form.root.clone(), selection))
        })
    });
    let question = derived(move || selection.get().ok());
    let answer = LiveAnswer::follow(app, question, move |(root, selection)| async move {
        let answer = app.store.ask(Subset { root, selection }).await;
        answer.map_err(OperationRefusal::from)
    });
    let is_blocked = derived(move || !answer.with(|answer| matches!(answer, Some(Ok(_)))));
    let failed = RwSignal::new(String::new());
    let is_busy = RwSignal::new(false);
    let part = move || {
        form.with_untracked(|form| {
            form.selection()
                .ok()
                .map(|selection| form.saved_subset(selection))
        })
    };
    let download = move |()| {
        if let Some(part) = part() {
            saving::download_part(app, part);
        }
    };
    let save = move |()| {
        let Some(part) = part() else { return };
        is_busy.set(true);
        failed.set(String::new());
        spawn_local(async move {
            let end = saving::save_subset_to_folder(app, part).await;
            is_busy.try_set(false);
            if let Err(why) = end {
                failed.try_set(format!("Nothing was saved: {why}."));
            }
        });
    };
    announce::follow_alert(move || failed.get());
    let side = view! {
        <SubsetSummary app form answer missing=derived(move || selection.get().err())/>
    };
    let foot = view! {
        <p class="form-foot-note field-error">{move || failed.get()}</p>
        <Button label="Cancel" on_press=move |()| app.overlays.close()/>
        {folder_access::is_supported()
            .then(|| {
                let disabled = derived(move || is_blocked.get() || is_busy.get());
                view! { <Button label="Save to a folder…" icon=Icon::Folder disabled on_press=save/> }
            })}
        <Button label="Download zip" look=Look::Primary icon=Icon::Download disabled=is_blocked on_press=download/>
    };
    view! {
        <FormDialog
            title="Save a part as…"
            on_open=|form: web_sys::HtmlFormElement| dom::focus_first_in(&form, "input, select")
            on_close=move |()| app.overlays.close()
            on_submit=move |()| {
                if !is_blocked.get_untracked() {
                    download(());
                }
            }
            side=side.into_any()
            foot=foot.into_any()
        >
            <p class="form-help">
                "Saves part of this catalog as a new one. What you keep is unchanged, byte for byte, except for a new default channel."
            </p>
            {fields(app, form)}
        </FormDialog>
    }
    .into_any()
}

/// The catalog in view, or the first one, with the package in view selected.
fn initial_form(app: AppContext) -> SubsetForm {
    let current_root = app.store.root.get_untracked();
    let root = app.store.status.with_untracked(|status| {
        let mut catalogs = status.roots.iter().filter(|row| row.is_catalog());
        let row = catalogs
            .clone()
            .find(|row| row.root == current_root)
            .or_else(|| catalogs.next());
        row.map(|row| row.root.clone())
    });
    let root = root.unwrap_or_default();
    let package = Some(app.current.package.get_untracked())
        .filter(|name| !name.is_empty() && root == current_root);
    SubsetForm {
        label: app.current.name_of_catalog(&root),
        root,
        packages: package.into_iter().collect(),
        entries: "all".to_owned(),
        ..SubsetForm::default()
    }
}

/// Updates the form's package list when the catalog changes.
fn follow_catalog(app: AppContext, form: RwSignal<SubsetForm>) {
    let root = derived(move || Some(form.with(|form| form.root.clone())));
    let rows = debounced_query(root, move |root| async move {
        Some(app.store.fetch_packages(root).await)
    });
    effect(move |_| {
        let Some(rows) = rows.get() else { return };
        let names: Vec<String> = rows.into_iter().map(|row| row.name).collect();
        form.update(|form| form.set_all(names));
    });
}

/// Updates the form's channel list when the single selected package changes.
fn follow_package(app: AppContext, form: RwSignal<SubsetForm>) {
    let package =
        memo(move |_| form.with(|form| Some((form.root.clone(), form.only_package()?.clone()))));
    let view = debounced_query(package.into(), move |(root, package)| async move {
        let query = PackageRequest::new(root, package);
        app.store.ask(query).await.ok()
    });
    effect(move |_| {
        let current = package.get();
        let view = view.get().filter(|view| {
            current.is_some_and(|(root, package)| view.root == root && view.package == package)
        });
        form.update(|form| {
            form.all_channels = view.map(|view| view.channels).unwrap_or_default();
            form.cut_channels.clear();
        });
    });
}

fn fields(app: AppContext, form: RwSignal<SubsetForm>) -> AnyView {
    let catalogs = app
        .store
        .status
        .with_untracked(|status| named_roots(&status.roots, RootRow::is_catalog));
    let choose_catalog = {
        let catalogs = catalogs.clone();
        move |root: String| {
            let label = catalogs
                .iter()
                .find(|(listed, _)| *listed == root)
                .map_or_else(String::new, |(_, label)| label.clone());
            form.update(|form| {
                form.root = root;
                form.label = label;
                form.packages.clear();
            });
        }
    };
    let text =
        move |get: fn(&SubsetForm) -> &String| derived(move || form.with(|form| get(form).clone()));
    let items = |names: &[String]| {
        names
            .iter()
            .map(|name| ChecklistItem {
                name: name.clone(),
                note: String::new(),
            })
            .collect::<Vec<_>>()
    };
    let packages = memo(move |_| form.with(|form| items(&form.all)));
    let channels = memo(move |_| form.with(|form| items(&form.all_channels)));
    let kept_channels: Signal<BTreeSet<String>> =
        derived(move || form.with(|form| form.kept_channels().cloned().collect()));
    let keep_channels = move |kept: BTreeSet<String>| {
        form.update(|form| {
            form.cut_channels = form
                .all_channels
                .iter()
                .filter(|n| !kept.contains(*n))
                .cloned()
                .collect()
        });
    };
    let is_one_package = memo(move |_| form.with(|form| form.only_package().is_some()));
    let is_several_packages = memo(move |_| form.with(|form| form.packages.len() > 1));
    let offered = derived(move || {
        kept_channels
            .get()
            .into_iter()
            .map(|name| Choice::new(name, ""))
            .collect::<Vec<_>>()
    });
    let folder = memo(move |_| form.with(SubsetForm::folder));
    let version_fields = VERSION_FIELDS.map(|(entries, label, hint)| {
        let is_chosen = memo(move |_| form.with(|form| form.entries == entries));
        view! {
            <Show when=move || is_chosen.get()>
                <LineField
                    label=label
                    value=text(|form| &form.version)
                    on_change=move |text| form.update(|form| form.version = text)
                    hint=hint
                />
            </Show>
        }
    });
    view! {
        {(catalogs.len() > 1)
            .then(|| {
                let options = Signal::stored(catalogs);
                view! { <SelectField label="Catalog" value=text(|form| &form.root) options on_change=choose_catalog/> }
            })}
        <Checklist
            label="Packages"
            items=packages
            ticked=derived(move || form.with(|form| form.packages.clone()))
            on_change=move |all| form.update(|form| form.packages = all)
        />
        <Show when=move || is_one_package.get()>
            <Checklist label="Channels" items=channels ticked=kept_channels on_change=keep_channels/>
        </Show>
        <Show when=move || is_several_packages.get()>
            <LineField
                label="Channels"
                value=text(|form| &form.channels)
                on_change=move |text| form.update(|form| form.channels = text)
                hint="Empty: all. Names, separated by commas; PACKAGE=CHANNEL for one package."
            />
        </Show>
        <SelectField
            label="Entries"
            value=text(|form| &form.entries)
            options=Signal::stored(select_options(&ENTRIES))
            on_change=move |key| form.update(|form| form.entries = key)
        />
        {version_fields}
        <ComboField
            label="Default channel"
            value=text(|form| &form.default_channel)
            choices=offered
            on_change=move |text| form.update(|form| form.default_channel = text)
            hint="Leave empty to keep the default channel. For several packages: PACKAGE=CHANNEL, separated by commas."
        />
        <LineField
            label="Folder name"
            value=folder
            on_change=move |text| form.update(|form| form.name = text)
        />
        <Check
            checked=derived(move || form.with(|form| form.dockerfile))
            on_change=move |is_on| form.update(|form| form.dockerfile = is_on)
        >
            "Add a Dockerfile"
        </Check>
    }
    .into_any()
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct SubsetForm {
    /// The catalog's root.
    root: String,
    /// The catalog's name in the page.
    label: String,
    /// All packages of the catalog.
    all: Vec<String>,
    packages: BTreeSet<String>,
    /// All channels of the package, if only one is selected.
    all_channels: Vec<String>,
    /// The channels to remove from a single package.
    cut_channels: BTreeSet<String>,
    /// The channels to keep of several packages, as typed.
    channels: String,
    /// A key of [`ENTRIES`].
    entries: String,
    version: String,
    default_channel: String,
    /// As typed; "" if the user has not typed a name.
    name: String,
    dockerfile: bool,
}

impl SubsetForm {
    /// Sets the packages of the catalog, ticked ones first. Ticking does not move them.
    fn set_all(&mut self, mut names: Vec<String>) {
        let listed: BTreeSet<&String> = names.iter().collect();
        self.packages.retain(|name| listed.contains(name));
        names.sort_by_key(|name| !self.packages.contains(name));
        self.all = names;
    }

    /// Returns the selection, or what is missing.
    fn selection(&self) -> Result<Selection, &'static str> {
        if self.packages.is_empty() {
            return Err("Choose the packages to keep.");
        }
        let entries = match (self.entries.as_str(), self.version.trim()) {
            ("from", "") => return Err("Type the lowest version to keep."),
            ("to", "") => return Err("Type the highest version to keep."),
            ("only", "") => return Err("Type the version to keep."),
            ("from", version) => EntrySelection::From(vec![self.parse_scope(version)]),
            ("to", version) => EntrySelection::Between {
                from: Vec::new(),
                to: vec![self.parse_scope(version)],
            },
            ("only", version) => EntrySelection::Only(vec![self.parse_scope(version)]),
            ("heads", _) => EntrySelection::Heads,
            _ => EntrySelection::All,
        };
        let channels: Vec<String> = match self.only_package() {
            Some(_) if self.cut_channels.is_empty() => Vec::new(),
            Some(_) => self.kept_channels().cloned().collect(),
            None => parse_names(&self.channels),
        };
        if self.only_package().is_some() && !self.cut_channels.is_empty() && channels.is_empty() {
            return Err("Choose the channels to keep.");
        }
        // All packages mean the whole catalog, which includes blobs without a package.
        let is_all = self.all.iter().all(|name| self.packages.contains(name));
        Ok(Selection {
            packages: if is_all {
                Vec::new()
            } else {
                self.packages.iter().cloned().collect()
            },
            channels: channels.iter().map(|text| self.parse_scope(text)).collect(),
            entries,
            default_channels: parse_names(&self.default_channel)
                .iter()
                .map(|text| self.parse_scope(text))
                .collect(),
        })
    }

    /// Adds a package, and limits the existing choices to the package that was the only one.
    fn add_package(&mut self, name: &str) {
        if let Some(only) = self.only_package().cloned() {
            let prefix = format!("{only}=");
            let scoped = |value: &str| match value.trim() {
                "" => String::new(),
                value if value.starts_with(&prefix) => value.to_owned(),
                value => format!("{prefix}{value}"),
            };
            self.channels = if self.cut_channels.is_empty() {
                String::new()
            } else {
                let kept = self.kept_channels();
                kept.map(|name| scoped(name)).collect::<Vec<_>>().join(", ")
            };
            self.version = scoped(&self.version);
            self.default_channel = scoped(&self.default_channel);
        }
        self.packages.insert(name.to_owned());
    }

    fn kept_channels(&self) -> impl Iterator<Item = &String> {
        let channels = self.all_channels.iter();
        channels.filter(|name| !self.cut_channels.contains(*name))
    }

    fn only_package(&self) -> Option<&String> {
        self.packages
            .iter()
            .next()
            .filter(|_| self.packages.len() == 1)
    }

    /// Parses `PACKAGE=VALUE`, or a value for every package.
    fn parse_scope(&self, text: &str) -> PackageScoped {
        match text.split_once('=') {
            Some((package, value)) if self.packages.contains(package) => {
                PackageScoped::one(package, value)
            }
            _ => PackageScoped::every(text),
        }
    }

    /// Returns the folder's name: the typed one, or else that of the only package, or of the
    /// catalog.
    fn folder(&self) -> String {
        match (self.name.trim(), self.only_package()) {
            ("", Some(package)) => package.clone(),
            ("", None) => format!(
                "{}-part",
                self.label.replace(['/', '\\'], "-").trim_start_matches('.')
            ),
            (name, _) => name.to_owned(),
        }
    }

    fn saved_subset(&self, selection: Selection) -> SavedSubset {
        SavedSubset {
            root: self.root.clone(),
            selection,
            name: self.folder(),
            dockerfile: self.dockerfile,
        }
    }
}

#[component]
fn SubsetSummary(
    app: AppContext,
    form: RwSignal<SubsetForm>,
    answer: LiveAnswer<(String, Selection), Result<SubsetView, OperationRefusal>>,
    /// What the form lacks.
    missing: Signal<Option<&'static str>>,
) -> impl IntoView {
    let content = move || match missing.get() {
        Some(missing) => view! { <p class="preview-note">{missing}</p> }.into_any(),
        None => answer_view(app, answer.get(), "Computing the subset…", |view| {
            subset_view(form, view).into_any()
        }),
    };
    announce::follow(move || answer.with(announcement));
    view! {
        <section class="preview" aria-label="What is kept" tabindex="0">{content}</section>
    }
    .into_any()
}

/// Summarizes the result in one line, for screen readers.
fn announcement(answer: Option<&Result<SubsetView, OperationRefusal>>) -> String {
    match answer {
        None => String::new(),
        Some(Err(refusal)) => format!("Cannot be done: {}", refusal.reason),
        Some(Ok(view)) => format!(
            "{} of {}, {} of {}; {}{}",
            view.kept.packages,
            words::count(view.total.packages, "package"),
            view.kept.bundles,
            words::count(view.total.bundles, "bundle"),
            verdict(view),
            match view.losses.removals().len() + view.losses.requirements.len() {
                0 => String::new(),
                lost => format!("; {}", words::count(lost as u32, "warning")),
            }
        ),
    }
}

fn verdict(view: &SubsetView) -> &'static str {
    if view.passed {
        "Passes opm validate"
    } else {
        "Fails opm validate"
    }
}

fn subset_view(form: RwSignal<SubsetForm>, view: SubsetView) -> impl IntoView {
    let rows = [
        ("Packages", view.kept.packages, view.total.packages),
        ("Channels", view.kept.channels, view.total.channels),
        ("Entries", view.kept.entries, view.total.entries),
        ("Bundles", view.kept.bundles, view.total.bundles),
    ];
    let tone = if view.passed { "good" } else { "bad" };
    let size: u64 = view.files.iter().map(|(_, size)| size).sum();
    let (count, more) = (view.files.len(), view.files.len().saturating_sub(MAX_FILES));
    let files = format!(
        "{}, {}",
        words::count(count as u32, "file"),
        words::bytes(size)
    );
    let left_out = view.left_out.len() as u32;
    view! {
        <p class="part-verdict" data-tone=tone>{verdict(&view)}</p>
        {(!view.message.is_empty()).then(|| view! { <pre class="part-message">{view.message.clone()}</pre> })}
        <table class="part-counts">
            <caption class="visually-hidden">"How much is kept"</caption>
            <tbody>
                {rows
                    .into_iter()
                    .map(|(name, kept, total)| {
                        view! {
                            <tr>
                                <th scope="row">{name}</th>
                                <td>{words::group_digits(u64::from(kept))}</td>
                                <td class="dim">{format!("of {}", words::group_digits(u64::from(total)))}</td>
                            </tr>
                        }
                    })
                    .collect_view()}
            </tbody>
        </table>
        {losses_view(form, view.losses)}
        <h3 class="preview-title">{files}</h3>
        <ul class="part-files" aria-label="Files">
            {view
                .files
                .into_iter()
                .take(MAX_FILES)
                .map(|(path, size)| view! { <li><code>{path}</code>" "<span class="dim">{words::bytes(size)}</span></li> })
                .collect_view()}
        </ul>
        {(more > 0).then(|| view! { <p class="preview-note">{and_more(more)}</p> })}
        {(left_out > 0)
            .then(|| {
                let text = format!("Not included: {} ignored by .indexignore.", words::count(left_out, "file"));
                view! { <p class="preview-note">{text}</p> }
            })}
    }
}

/// Names what gets lost, with a button for each package that would keep it.
fn losses_view(form: RwSignal<SubsetForm>, losses: SubsetLosses) -> Option<impl IntoView> {
    let remark = |text: String, suppliers: Vec<String>| {
        let buttons = suppliers.into_iter().take(MAX_SUPPLIERS).map(|name| {
            let label = format!("Add {name}");
            view! { <Button label on_press=move |()| form.update(|form| form.add_package(&name))/> }
        });
        view! {
            <li class="form-remark">
                <Glyph icon=Icon::Warning/>
                <span>{in_code(&format!("{}. ", capitalize(&text)))} {buttons.collect_view()}</span>
            </li>
        }
    };
    let removals = losses.removals().into_iter().map(|text| (text, Vec::new()));
    let requirements = losses
        .requirements
        .iter()
        .map(|lost| (lost.sentence(), lost.outside.clone()));
    let remarks: Vec<_> = removals.chain(requirements).collect();
    (!remarks.is_empty()).then(|| {
        let items = remarks
            .into_iter()
            .map(|(text, suppliers)| remark(text, suppliers));
        view! {
            <h3 class="preview-title">"What is lost"</h3>
            <ul class="part-files" aria-label="What is lost">{items.collect_view()}</ul>
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    fn form(packages: &[&str]) -> SubsetForm {
        SubsetForm {
            root: "repo/v4.19".into(),
            label: "v4.19".into(),
            all: ["p", "q", "r"].map(str::to_owned).to_vec(),
            packages: packages.iter().map(|name| (*name).to_owned()).collect(),
            all_channels: ["stable", "beta"].map(str::to_owned).to_vec(),
            entries: "all".into(),
            ..SubsetForm::default()
        }
    }

    #[test]
    fn selecting_everything_requests_the_whole_catalog() {
        assert!(form(&["p", "q", "r"]).selection().unwrap().is_everything());
        assert_eq!(form(&["q", "p"]).selection().unwrap().packages, ["p", "q"]);
        let mut ticked = form(&["q", "gone"]);
        ticked.set_all(["p", "q", "r"].map(str::to_owned).to_vec());
        assert_eq!(ticked.all, ["q", "p", "r"], "the ticked one is in view");
        assert_eq!(ticked.packages.len(), 1);
        assert!(form(&[]).selection().is_err());
    }

    #[test]
    fn channels_are_selected_for_one_package_and_typed_for_several() {
        let cut = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let one = SubsetForm {
            cut_channels: cut(&["stable"]),
            default_channel: "beta".into(),
            ..form(&["p"])
        };
        let selection = one.selection().unwrap();
        assert_eq!(selection.channels, [PackageScoped::every("beta")]);
        assert_eq!(selection.default_channels, [PackageScoped::every("beta")]);
        assert!(
            SubsetForm {
                cut_channels: cut(&["stable", "beta"]),
                ..form(&["p"])
            }
            .selection()
            .is_err()
        );
        let several = SubsetForm {
            channels: "stable, p=beta".into(),
            ..form(&["p", "q"])
        };
        assert_eq!(
            several.selection().unwrap().channels,
            [
                PackageScoped::every("stable"),
                PackageScoped::one("p", "beta")
            ]
        );
    }

    #[test]
    fn a_version_is_required_if_it_has_an_effect() {
        assert!(
            SubsetForm {
                entries: "from".into(),
                ..form(&["p"])
            }
            .selection()
            .is_err()
        );
        let from = SubsetForm {
            entries: "from".into(),
            version: " 1.2.0 ".into(),
            ..form(&["p"])
        };
        assert_eq!(
            from.selection().unwrap().entries,
            EntrySelection::From(vec![PackageScoped::every("1.2.0")])
        );
        let only = SubsetForm {
            entries: "only".into(),
            version: "1.2.0".into(),
            ..form(&["p"])
        };
        assert_eq!(
            only.selection().unwrap().entries,
            EntrySelection::Only(vec![PackageScoped::every("1.2.0")])
        );
        let heads = SubsetForm {
            entries: "heads".into(),
            ..form(&["p"])
        };
        assert_eq!(heads.selection().unwrap().entries, EntrySelection::Heads);
    }

    #[test]
    fn an_added_package_keeps_the_choices_for_the_first() {
        let mut form = SubsetForm {
            cut_channels: BTreeSet::from(["stable".to_owned()]),
            entries: "from".into(),
            version: "1.2.0".into(),
            ..form(&["p"])
        };
        form.add_package("q");
        let selection = form.selection().unwrap();
        assert_eq!(selection.packages, ["p", "q"]);
        assert_eq!(selection.channels, [PackageScoped::one("p", "beta")]);
        let from = EntrySelection::From(vec![PackageScoped::one("p", "1.2.0")]);
        assert_eq!(selection.entries, from);
    }

    #[test]
    fn an_untouched_name_follows_the_selection() {
        assert_eq!(form(&["p"]).folder(), "p");
        assert_eq!(form(&["p", "q"]).folder(), "v4.19-part");
        assert_eq!(
            SubsetForm {
                name: " mirror ".into(),
                ..form(&["p"])
            }
            .folder(),
            "mirror"
        );
    }
}

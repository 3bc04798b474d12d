//! The right panel: next steps of the selection's users, and its problems, fields, commands and
//! facts. For a multiple selection: the number of entries, and commands for all of them.

use super::menus::{SHOW_IN_SOURCE, command_item};
use crate::commands::{Command, CommandButton};
use crate::components::picture::Picture;
use crate::components::problem_parts::location_link;
use crate::context::{MenuSubject, navigation};
use crate::edits::applicable::{applicable_commands, find_refusal};
use crate::edits::command::EditCommand;
use crate::edits::form_values::catalog_name;
use crate::features::in_place::InPlaceFields;
use crate::features::problems::problem_item;
use crate::features::upgrade::UpgradePathPanel;
use crate::prelude::*;
use crate::state::element_ids::{CATALOG_IN_VIEW, REQUIRED_BY};
use crate::state::layout::Pane;
use crate::widgets::menu::{MenuButton, MenuItem};
use crate::widgets::short_text::breakable_name;
use crate::widgets::toolbar::Toolbar;
use protocol::diagnostic::Location;
use protocol::inspection::{Fact, FactGroup, FactsAbout, Inspection, NamedBundle};
use protocol::request::Target;
use protocol::views::EntryRef;
use std::collections::BTreeSet;

/// Maximum number of channels in the heading; the others are expandable.
const MAX_CHANNEL_TAGS: usize = 6;
/// Maximum number of commands with a button; the others are in a menu.
const MAX_COMMAND_BUTTONS: usize = 5;
/// A longer list of requirements is collapsed initially.
const MAX_OPEN_REQUIREMENTS: usize = 4;

#[component]
pub fn Inspector() -> impl IntoView {
    let app = app_context();
    let inspection = app.store.inspection;
    let package = memo(move |_| {
        app.current
            .view
            .with(|view| (view.root.clone(), view.package.clone()))
    });
    let panel = NodeRef::<html::Aside>::new();
    let is_scrolled = StoredValue::new(false);
    scroll_to_top_on_change(app, panel, is_scrolled);
    view! {
        <aside
            node_ref=panel
            class="inspector"
            id="pane-inspector"
            aria-label="Inspector"
            on:scroll=move |_| is_scrolled.set_value(panel.get_untracked().is_some_and(|panel| panel.scroll_top() > 0))
        >
            <SelectionPath app/>
            {move || match inspection.get() {
                Some(inspection) => view! { <InspectorHead app inspection/> }.into_any(),
                None => view! { <p class="inspector-none">"Nothing is selected."</p> }.into_any(),
            }}
            {move || {
                // Another package gets new elements: reused ones would move visibly.
                package.get();
                view! {
                    <UpgradePathPanel/>
                    {move || inspection.get().map(|inspection| view! { <ProblemsHere app inspection/> })}
                    {move || inspection.get().map(|inspection| view! { <Facts app inspection shows_requirements=true/> })}
                    <InPlaceFields app/>
                    <Commands app/>
                    {move || inspection.get().map(|inspection| view! { <Facts app inspection shows_requirements=false/> })}
                }
                    .into_any()
            }}
        </aside>
    }
    .into_any()
}

/// Scrolls to the top, where the answer is, for another selection or question. Keeps the position
/// when an edit redraws the selection.
fn scroll_to_top_on_change(
    app: AppContext,
    panel: NodeRef<html::Aside>,
    is_scrolled: StoredValue<bool>,
) {
    let selection = memo(move |_| {
        (
            app.store.root.get(),
            app.current.package.get(),
            app.current.target.get(),
            app.store.question.get(),
        )
    });
    effect(move |_| {
        // An unread memo does not track its dependencies.
        selection.get();
        if let Some(panel) = panel.get() {
            // Setting an unchanged position would cost a layout before drawing.
            if is_scrolled.get_value() {
                panel.set_scroll_top(0);
            }
        }
    });
}

/// Where the selection is: catalog, package and channel as buttons that select them.
#[component]
fn SelectionPath(app: AppContext) -> impl IntoView {
    let parts = memo(move |_| {
        let root = app.store.root.get();
        let catalog = app
            .store
            .status
            .with(|status| catalog_name(&status.roots, &root));
        let package = app.current.package.get();
        let (package, channel) = app.current.target.with(|target| match target {
            Target::Package => (String::new(), String::new()),
            Target::Entry { channel, .. } => (package, channel.clone()),
            _ => (package, String::new()),
        });
        [
            (PathPart::Catalog, catalog),
            (PathPart::Package, package),
            (PathPart::Channel, channel),
        ]
    });
    let buttons = move || {
        let named = parts.get().into_iter().filter(|(_, name)| !name.is_empty());
        named
            .enumerate()
            .map(|(index, (part, name))| {
                let separator = (index > 0).then(|| view! { <span aria-hidden="true">"/"</span> });
                (separator, path_button(app, part, name))
            })
            .collect_view()
    };
    view! {
        <Toolbar label="Path of the selection" role="group" class="inspector-path">
            <CommandButton
                app
                command=Command::Back
                icon=Icon::ChevronLeft
                quiet=true
                disabled=derived(move || !app.history.with(|position| position.can_go_back()))
            />
            <CommandButton
                app
                command=Command::Forward
                icon=Icon::ChevronRight
                quiet=true
                disabled=derived(move || !app.history.with(|position| position.can_go_forward()))
            />
            <span class="inspector-parts">{buttons}</span>
        </Toolbar>
    }
    .into_any()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathPart {
    Catalog,
    Package,
    Channel,
}

fn path_button(app: AppContext, part: PathPart, name: String) -> AnyView {
    let title = match part {
        PathPart::Catalog => "Show it in the list of catalogs",
        PathPart::Package => "Select the package",
        PathPart::Channel => "Select the channel",
    };
    let channel = name.clone();
    let select = move |_| match part {
        PathPart::Catalog => {
            app.workbench.show_pane(Pane::Side);
            dom::focus_when_drawn(CATALOG_IN_VIEW.to_owned());
        }
        PathPart::Package => app.select(Target::Package),
        PathPart::Channel => app.select(Target::Channel {
            channel: channel.clone(),
        }),
    };
    view! { <button type="button" class="link" title=title on:click=select>{name}</button> }
        .into_any()
}

#[component]
fn InspectorHead(app: AppContext, inspection: Inspection) -> impl IntoView {
    let Inspection {
        title,
        kind,
        channels,
        icon,
        location,
        ..
    } = inspection;
    let has_no_channels = channels.is_empty();
    // Show only some of many channels, the default one first.
    let (default, others): (Vec<_>, Vec<_>) = channels
        .into_iter()
        .partition(|(_, is_default)| *is_default);
    let mut first: Vec<(String, bool)> = default.into_iter().chain(others).collect();
    let later = if first.len() > MAX_CHANNEL_TAGS + 1 {
        first.split_off(MAX_CHANNEL_TAGS)
    } else {
        Vec::new()
    };
    view! {
        <Toolbar label="Selection" role="group">
        <div class="inspector-head">
            <Picture picture=icon class="inspector-icon"/>
            <div>
                <h2 class="inspector-title">{title}</h2>
                <p class="dim">
                    {move || describe_kind(app, &kind)} " "
                    {location.filter(|location| !location.file.is_empty()).map(|location| location_link(app, location))}
                </p>
            </div>
        </div>
        <ul class="tags" aria-label="Listed in" hidden=has_no_channels>{channel_tags(app, first)}</ul>
        {(!later.is_empty())
            .then(|| {
                view! {
                    <details class="inspector-closed">
                        <summary class="inspector-more">{words::count(later.len() as u32, "more channel")}</summary>
                        <ul class="tags" aria-label="Also listed in">{channel_tags(app, later)}</ul>
                    </details>
                }
            })}
        </Toolbar>
    }
    .into_any()
}

fn channel_tags(app: AppContext, channels: Vec<(String, bool)>) -> AnyView {
    channels
        .into_iter()
        .map(|(name, is_default)| channel_tag(app, name, is_default))
        .collect_view()
        .into_any()
}

/// Describes the kind of the selection, e.g. `entry in stable`, `bundle`.
fn describe_kind(app: AppContext, kind: &str) -> String {
    app.current.target.with(|target| match target {
        Target::Entry { channel, .. } => format!("{kind} in {channel}"),
        _ => kind.to_owned(),
    })
}

#[component]
fn ProblemsHere(app: AppContext, inspection: Inspection) -> impl IntoView {
    let problems = inspection.problems;
    (!problems.is_empty()).then(|| {
        view! {
            <h3 class="inspector-heading">"Problems here"</h3>
            <ul aria-label="Problems of the selection">
                {problems.into_iter().map(|problem| problem_item(app, problem.0)).collect_view()}
            </ul>
        }
    })
}

/// The facts of the selection: the requirements, or all others.
#[component]
fn Facts(app: AppContext, inspection: Inspection, shows_requirements: bool) -> impl IntoView {
    let file = inspection
        .location
        .map(|location| location.file)
        .unwrap_or_default();
    let groups = inspection
        .groups
        .into_iter()
        // Right below the next steps, because unmet requirements block Classic.
        .filter(|group| {
            let is_required =
                matches!(group.about, FactsAbout::Requires | FactsAbout::HeadRequires);
            is_required == shows_requirements
        });
    let groups = groups
        .map(|group| fact_group(app, group, &file))
        .collect_view();
    let label = if shows_requirements {
        "Requirements"
    } else {
        "Facts"
    };
    view! { <Toolbar label role="group">{groups}</Toolbar> }
}

/// Whether a group is collapsed initially, because it is long and rarely read.
fn is_collapsed(group: &FactGroup) -> bool {
    match group.about {
        FactsAbout::Provides | FactsAbout::RelatedImages => true,
        FactsAbout::HeadRequires => group.facts.len() > MAX_OPEN_REQUIREMENTS,
        FactsAbout::Itself | FactsAbout::Requires | FactsAbout::RequiredBy => false,
    }
}

fn channel_tag(app: AppContext, name: String, is_default: bool) -> AnyView {
    let channel = name.clone();
    view! {
        <li>
            <button
                type="button"
                class="tag"
                data-default=is_default.then_some("true")
                on:click=move |_| app.select(Target::Channel { channel: channel.clone() })
            >
                {is_default.then_some("★ ")}
                {name}
                {is_default.then(|| view! { <span class="visually-hidden">", default channel"</span> })}
            </button>
        </li>
    }
    .into_any()
}

fn fact_group(app: AppContext, group: FactGroup, file: &str) -> AnyView {
    let count = group.facts.len();
    let is_collapsed = is_collapsed(&group);
    let rows = group
        .facts
        .into_iter()
        .map(|fact| fact_row(app, fact, file))
        .collect_view();
    let list = view! { <dl class="facts">{rows}</dl> };
    if is_collapsed {
        return view! {
            <details class="inspector-closed">
                <summary class="inspector-heading">{format!("{} · {count}", group.title)}</summary>
                {list}
            </details>
        }
        .into_any();
    }
    // The command *Show what requires this package* focuses this heading.
    let is_command_target = group.about == FactsAbout::RequiredBy;
    view! {
                <h3
                    class="inspector-heading"
                    id=is_command_target.then_some(REQUIRED_BY)
                    tabindex=is_command_target.then_some("-1")
                >
                    {group.title}
                </h3>
                {list}
    }
    .into_any()
}

/// Renders a fact. `file` contains the object itself: positions in it are shown as lines only.
fn fact_row(app: AppContext, fact: Fact, file: &str) -> AnyView {
    let Fact {
        label,
        value,
        note,
        bundles,
        location,
    } = fact;
    let is_empty = value.is_empty();
    let value = if is_empty { "none".to_owned() } else { value };
    let link = location
        .filter(|location| !location.file.is_empty())
        .map(|location| {
            if location.file == file {
                line_link(app, location).into_any()
            } else {
                location_link(app, location).into_any()
            }
        });
    view! {
        <dt class="fact-label">{breakable_name(&label)}</dt>
        <dd class="fact-value" data-none=is_empty.then_some("true")>
            <span class="fact-text">{value}</span>
            {link}
            {(!note.is_empty()).then(|| view! { <span class="fact-note">{note_view(app, &note, &bundles)}</span> })}
        </dd>
    }
    .into_any()
}

/// Renders a note. The bundles that it names are links.
fn note_view(app: AppContext, note: &str, bundles: &[NamedBundle]) -> AnyView {
    if bundles.is_empty() {
        return in_code(note).into_any();
    }
    let part_view = |part: &str| {
        let bundle = bundles.iter().find(|bundle| bundle.name == part);
        match bundle.cloned() {
            Some(bundle) => bundle_link(app, bundle).into_any(),
            None => part.to_owned().into_any(),
        }
    };
    note.split('`').map(part_view).collect_view().into_any()
}

fn bundle_link(app: AppContext, bundle: NamedBundle) -> impl IntoView {
    let text = bundle.name.clone();
    let select = move |_| {
        let NamedBundle { package, name } = bundle.clone();
        let root = app.store.root.get_untracked();
        navigation::show_target(app, root, package, Target::Bundle { name });
    };
    view! { <button type="button" class="link" on:click=select>{text}</button> }
}

/// Renders the line of a position as a link, if the file is known.
fn line_link(app: AppContext, location: Location) -> AnyView {
    let (name, line) = (words::location(&location), format!(":{}", location.line));
    view! {
        <button
            type="button"
            class="link"
            data-line="true"
            aria-label=name.clone()
            title=name
            on:click=move |_| app.show_source(location.clone())
        >
            {line}
        </button>
    }
    .into_any()
}

/// Commands for the selection, except those with a field in *Edit in place*: the first as buttons,
/// the others in a menu.
#[component]
fn Commands(app: AppContext) -> impl IntoView {
    let commands = memo(move |_| {
        app.current.target.with(|target| {
            let mut commands = app
                .current
                .view
                .with(|view| applicable_commands(view, target));
            commands.retain(|command| {
                !has_field(*command, target) && Command::Edit(*command).is_offered(app)
            });
            let others = commands.split_off(commands.len().min(MAX_COMMAND_BUTTONS));
            (commands, others)
        })
    });
    let has_package = move || app.current.package.with(|package| !package.is_empty());
    let button = move |command: EditCommand| view! { <Button label=command.label() tip=command.note() on_press=move |()| app.open_form(command)/> };
    let buttons = move || {
        let (first, _) = commands.get();
        first.into_iter().map(button).collect_view()
    };
    let items = move |()| {
        commands.with_untracked(|(_, others)| {
            let forms = others
                .iter()
                .map(|command| command_item(app, Command::Edit(*command)));
            forms.chain([MenuItem::new(SHOW_IN_SOURCE, "")]).collect()
        })
    };
    let choose = move |index: usize| match commands
        .with_untracked(|(_, others)| others.get(index).copied())
    {
        Some(command) => app.open_form(command),
        None => app.show_source_of_selected(),
    };
    view! {
        <Show when=has_package>
            <h3 class="inspector-heading">"Commands"</h3>
            <Toolbar label="Commands" class="do">
                {buttons} <MenuButton label="More" menu="More commands" items=Callback::new(items) on_choose=choose/>
            </Toolbar>
        </Show>
    }
    .into_any()
}

/// Whether *Edit in place* has a field for what a command changes.
fn has_field(command: EditCommand, target: &Target) -> bool {
    match command {
        EditCommand::SetDefaultChannel => *target == Target::Package,
        EditCommand::SetReplaces
        | EditCommand::AddSkip
        | EditCommand::RemoveSkip
        | EditCommand::SetSkipRange
        | EditCommand::RenameChannel
        | EditCommand::Deprecate
        | EditCommand::Undeprecate => true,
        _ => false,
    }
}

#[component]
pub fn SelectionBar(app: AppContext) -> impl IntoView {
    let has_selection = memo(move |_| {
        app.selected_entries
            .picked
            .with(|picked| !picked.is_empty())
    });
    let text = memo(move |_| {
        app.selected_entries
            .picked
            .with(|picked| selection_text(picked.entries()))
    });
    view! {
        <p class="visually-hidden" role="status" aria-label="Selected">{move || text.get()}</p>
        <Show when=move || has_selection.get()>
            <Toolbar label="Actions on the selection" class="picked">
                <p class="picked-count" aria-hidden="true">{move || text.get()}</p>
                {EditCommand::TOOLBAR
                    .into_iter()
                    .filter(|command| app.current.view.with_untracked(|view| find_refusal(*command, view).is_none()))
                    .map(|command| view! { <Button label=command.label() on_press=move |()| app.open_form(command)/> })
                    .collect_view()}
                <Button label="All commands…" on_press=move |()| open_selection_menu(app)/>
                <Button label="Clear selection" on_press=move |()| app.selected_entries.clear()/>
            </Toolbar>
        </Show>
    }
    .into_any()
}

/// Opens the menu of the selection below the pressed button.
fn open_selection_menu(app: AppContext) {
    let below = dom::below(document().active_element().as_ref());
    app.overlays.open_menu(MenuSubject::SelectedEntries, below);
}

/// Describes a multiple selection, e.g. `3 entries selected: 2 bundles in 2 channels`; "" for none.
fn selection_text(entries: &[EntryRef]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let bundles: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let channels: BTreeSet<&str> = entries.iter().map(|entry| entry.channel.as_str()).collect();
    let entries = words::count(entries.len() as u32, "entry");
    let bundles = words::count(bundles.len() as u32, "bundle");
    let channels = words::count(channels.len() as u32, "channel");
    format!("{entries} selected: {bundles} in {channels}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selection_is_counted() {
        let entry = |channel: &str, name: &str| EntryRef {
            channel: channel.into(),
            name: name.into(),
        };
        assert_eq!(selection_text(&[]), "");
        assert_eq!(
            selection_text(&[entry("a", "x")]),
            "1 entry selected: 1 bundle in 1 channel"
        );
        assert_eq!(
            selection_text(&[entry("a", "x"), entry("b", "x")]),
            "2 entries selected: 1 bundle in 2 channels"
        );
    }
}

//! Suggests the next step for something empty: a catalog without packages, a package without
//! channels, a channel without entries, a bundle in no channel. `opm` accepts only the first.

use crate::commands::Command;
use crate::components::problem_parts::FixButton;
use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::FormValues;
use crate::prelude::*;
use crate::state::file_names::is_text;
use crate::state::store::Tab;
use protocol::counting::first_of;
use protocol::diagnostic::{Cause, Diagnostic, Location, Severity};
use protocol::request::Target;
use protocol::response::PackageView;
use protocol::templates::RenderFailure;
use protocol::views::{RootRow, Status};
use std::collections::BTreeSet;

/// Maximum number of empty channels, of unlisted bundles and of other files shown.
const MAX_SUGGESTED: usize = 3;

/// Whether the root in view is loaded and has no packages to draw. Excludes templates that have a
/// rendering, which is drawn instead.
pub fn is_empty_catalog(app: AppContext) -> bool {
    let is_loaded = app.current.progress.with(Option::is_none);
    let is_drawn = |row: &RootRow| {
        let is_empty = row.packages == 0 && app.store.packages.with(Vec::is_empty);
        match &row.template {
            Some(template) => template.holds_entries || template.is_rendered,
            None => !is_empty,
        }
    };
    is_loaded && app.store.root_row().is_some_and(|row| !is_drawn(&row))
}

/// Replaces the graph of a catalog without packages: why there are none, or how to add one.
#[component]
pub fn EmptyCatalog(app: AppContext) -> impl IntoView {
    let obstacle = memo(move |_| {
        let row = app.store.root_row()?;
        let name = |root: &str| app.current.name_of_catalog(root);
        let others = app.store.status.with(list_other_files);
        app.store
            .problems
            .with(|problems| Obstacle::find(&row, problems, others, name))
    });
    move || match obstacle.get() {
        Some(obstacle) => obstacle_view(app, obstacle).into_any(),
        None => view! { <NoPackages app/> }.into_any(),
    }
}

/// Why nothing can be drawn, and the line to change, if that helps.
#[derive(Debug, Clone, PartialEq)]
struct Obstacle {
    title: String,
    message: String,
    location: Option<Location>,
}

impl Obstacle {
    /// `others` lists the opened files if there is no catalog. `name` returns the name of a catalog
    /// or template.
    fn find(
        row: &RootRow,
        problems: &[Diagnostic],
        others: Option<String>,
        name: impl Fn(&str) -> String,
    ) -> Option<Self> {
        if let Some(template) = &row.template {
            return Some(Self {
                title: format!("{} cannot be rendered", name(&row.root)),
                message: template.sentences.first().cloned().unwrap_or_default(),
                location: Some(start_of_template(&row.root)),
            });
        }
        let Some(rendered) = &row.rendered else {
            let problem = find_blocking_problem(problems)?;
            return Some(Self {
                title: match others {
                    Some(files) => format!("No catalog was opened, only {files}"),
                    None => "No package of this catalog can be read".to_owned(),
                },
                message: problem.message,
                location: Some(problem.location),
            });
        };
        let template = name(&rendered.template);
        if let Some(RenderFailure { reason, location }) = &rendered.refused {
            return Some(Self {
                title: format!("{template} cannot be rendered"),
                message: reason.clone(),
                location: Some(location.clone()),
            });
        }
        let missing = rendered.missing.iter();
        let missing = missing.map(|bundle| format!("`{}`", bundle.reference));
        Some(if rendered.missing.is_empty() {
            Self {
                title: format!("{template} renders to an empty catalog"),
                message: "It names no bundles.".to_owned(),
                location: Some(start_of_template(&rendered.template)),
            }
        } else {
            Self {
                title: format!("The bundles of {template} are not open"),
                message: format!(
                    "Drop their directories, or a catalog that has them, on the page: {}.",
                    first_of(missing, MAX_SUGGESTED)
                ),
                location: None,
            }
        })
    }
}

/// Lists the opened files, if none of them can be a file of a catalog.
fn list_other_files(status: &Status) -> Option<String> {
    let files = status.unused_files.as_deref()?;
    let is_other =
        files.len() == status.files as usize && !files.iter().any(|file| is_text(&file.path));
    let names = files
        .iter()
        .map(|file| file.path.rsplit('/').next().unwrap_or_default());
    let names: BTreeSet<&str> = names.collect();
    is_other.then(|| first_of(names.iter(), MAX_SUGGESTED))
}

/// A template is named without its folder.
fn start_of_template(root: &str) -> Location {
    Location::start_of(root.rsplit('/').next().unwrap_or(root))
}

/// Returns the first unreadable document, or else the first error with a position.
fn find_blocking_problem(problems: &[Diagnostic]) -> Option<Diagnostic> {
    let is_located_error = |problem: &&Diagnostic| {
        problem.severity == Severity::Error && !problem.location.file.is_empty()
    };
    let unreadable = problems.iter().find(|problem| problem.hides_text());
    unreadable
        .or_else(|| problems.iter().find(is_located_error))
        .cloned()
}

/// Renders the obstacle with a link to its line.
fn obstacle_view(app: AppContext, obstacle: Obstacle) -> impl IntoView {
    let Obstacle {
        title,
        message,
        location,
    } = obstacle;
    let position = location.as_ref().map(words::location);
    let button = location.map(|location| {
        let label = match location.line {
            0 | 1 => "Edit as text".to_owned(),
            _ => words::go_to_line(&location),
        };
        let edit = move |()| app.edit_as_text(None, location.clone());
        view! { <div class="empty-buttons"><Button label look=Look::Primary on_press=edit/></div> }
    });
    view! {
        <section class="empty-catalog" aria-labelledby="empty-catalog">
            <h2 class="empty-title" id="empty-catalog">{title}</h2>
            <p>
                {position.map(|position| view! { <span class="mono">{position}</span> ": " })}
                {in_code(&message)}
            </p>
            {button}
        </section>
    }
}

/// Suggestions for adding the first package.
#[component]
fn NoPackages(app: AppContext) -> impl IntoView {
    let title = move || match app.current.name_of_catalog(&app.store.root.get()).as_str() {
        "" => "This catalog has no packages yet".to_owned(),
        name => format!("{name} has no packages yet"),
    };
    view! {
        <section class="empty-catalog" aria-labelledby="empty-catalog">
            <h2 class="empty-title" id="empty-catalog">{title}</h2>
            <p>
                "Drop a bundle anywhere: a folder with "<code>"manifests"</code>" and "<code>"metadata"</code>
                ", an archive of the folder or of the bundle image, or the output of "<code>"opm render"</code>"."
            </p>
            <div class="empty-buttons">
                <Button
                    label=EditCommand::AddPackage.label()
                    look=Look::Primary
                    on_press=move |()| Command::Edit(EditCommand::AddPackage).run(app)
                />
                {command_button(app, Command::BundleFolder)}
                {command_button(app, Command::BundleFile)}
            </div>
        </section>
    }
    .into_any()
}

/// The next step for each part that the package in view lacks.
#[component]
pub fn MissingParts(app: AppContext) -> impl IntoView {
    let is_template = memo(move |_| app.store.root_row().is_some_and(|row| row.is_template()));
    let parts = memo(move |_| {
        if is_template.get() {
            return Vec::new();
        }
        let mut parts = app.current.view.with(|view| find_missing_parts(view));
        // Beside the text of another file, only what concerns that file.
        if app.store.tab.get() == Tab::Source
            && let Some(file) = app.store.source.file_beside(&app.current.package.get())
        {
            parts.retain(
                |part| matches!(part, MissingPart::Text(cause) if cause.location.file == file),
            );
        }
        parts
    });
    view! {
        <Show when=move || parts.with(|parts| !parts.is_empty())>
            <div class="missing-parts" role="region" aria-label="What is missing">
                {move || parts.get().into_iter().map(|part| next_step(app, part)).collect_view()}
            </div>
        </Show>
    }
    .into_any()
}

#[derive(Debug, Clone, PartialEq)]
enum MissingPart {
    /// An unreadable document, which may contain what seems to be missing.
    Text(Box<Cause>),
    /// The package has no channels; with the name of its default channel.
    Channels(String),
    /// A channel without entries.
    Entries(String),
    /// An unlisted bundle, with its problem.
    Listing(String, Option<Box<Diagnostic>>),
}

fn find_missing_parts(view: &PackageView) -> Vec<MissingPart> {
    if view.package.is_empty() {
        return Vec::new();
    }
    let causes = view
        .problems
        .iter()
        .filter_map(|problem| problem.0.follows.as_ref());
    if let Some(cause) = causes.into_iter().find(|cause| cause.hides_text()) {
        return vec![MissingPart::Text(Box::new(cause.clone()))];
    }
    let mut parts = Vec::new();
    if view.channels.is_empty() {
        parts.push(MissingPart::Channels(view.default_channel.clone()));
    }
    let unlisted = view.bundles.iter().map(|(name, _)| name).filter(|name| {
        !view
            .table
            .iter()
            .any(|row| row.entry == **name && !row.is_absent())
    });
    parts.extend(
        unlisted
            .take(MAX_SUGGESTED)
            .map(|name| MissingPart::Listing(name.clone(), find_unlisted_problem(view, name))),
    );
    let empty = view.channels.iter().filter(|channel| {
        !view
            .table
            .iter()
            .any(|row| row.channel == **channel && !row.is_absent())
    });
    parts.extend(empty.take(MAX_SUGGESTED).cloned().map(MissingPart::Entries));
    parts
}

/// Finds the problem of a bundle that no channel lists.
fn find_unlisted_problem(view: &PackageView, bundle: &str) -> Option<Box<Diagnostic>> {
    view.problems
        .iter()
        .map(|problem| &problem.0)
        .find(|problem| {
            problem.rule == "bundle-not-in-channel" && problem.bundle.as_deref() == Some(bundle)
        })
        .map(|problem| Box::new(problem.clone()))
}

fn next_step(app: AppContext, part: MissingPart) -> impl IntoView {
    let has_bundles = app
        .current
        .view
        .with_untracked(|view| !view.bundles.is_empty());
    let (message, buttons) = match part {
        MissingPart::Text(cause) => unreadable_text(app, *cause),
        MissingPart::Channels(default) => missing_channels(app, default, has_bundles),
        MissingPart::Entries(channel) => missing_entries(app, channel, has_bundles),
        MissingPart::Listing(name, problem) => missing_listing(app, name, problem),
    };
    view! {
        <div class="next-step">
            <p>{in_code(&message)}</p>
            <div class="next-step-buttons">{buttons}</div>
        </div>
    }
}

/// A message with names in backticks, and its buttons.
type Suggestion = (String, Vec<AnyView>);

fn unreadable_text(app: AppContext, cause: Cause) -> Suggestion {
    let Cause {
        message, location, ..
    } = cause;
    let message = format!(
        "`{}` is not read completely: {message} (line {}). Entries that seem missing may be in the unread part.",
        location.file, location.line
    );
    let label = words::go_to_line(&location);
    let edit = move |()| app.edit_as_text(None, location.clone());
    let button = view! { <Button label on_press=edit/> }.into_any();
    (message, vec![button])
}

fn missing_channels(app: AppContext, default_channel: String, has_bundles: bool) -> Suggestion {
    let message = if has_bundles {
        "Add a channel next, then promote the bundles into it: `opm validate` passes once a channel lists them."
    } else {
        "Nothing is in this package yet. Add a channel next, then a bundle to it: `opm validate` passes after that."
    };
    let values = FormValues::default().with(Field::Channel, default_channel);
    let add = form_button(app, EditCommand::AddChannel, Target::Package, values);
    (message.to_owned(), vec![add])
}

fn missing_entries(app: AppContext, channel: String, has_bundles: bool) -> Suggestion {
    let message =
        format!("Channel `{channel}` has no entries; `opm validate` fails until it has one.");
    let target = Target::Channel { channel };
    let form = |command| form_button(app, command, target.clone(), FormValues::default());
    if has_bundles {
        return (message, vec![form(EditCommand::Promote)]);
    }
    let buttons = vec![
        form(EditCommand::AddBundle),
        command_button(app, Command::BundleFolder),
        command_button(app, Command::BundleFile),
    ];
    (format!("{message} Drop a bundle on its lane."), buttons)
}

fn missing_listing(app: AppContext, name: String, problem: Option<Box<Diagnostic>>) -> Suggestion {
    let message = format!("No channel lists `{name}`; `opm validate` fails until one does.");
    let fix = problem.and_then(|problem| {
        let fix = problem.fixes.first()?.clone();
        let tab = Signal::stored("0");
        Some(view! { <FixButton app problem=*problem fix tab/> }.into_any())
    });
    let target = Target::Bundle { name };
    let promote = form_button(app, EditCommand::Promote, target, FormValues::default());
    (message, fix.into_iter().chain([promote]).collect())
}

fn form_button(
    app: AppContext,
    command: EditCommand,
    target: Target,
    values: FormValues,
) -> AnyView {
    let open = move |()| app.open_form_with(command, target.clone(), values.clone());
    view! { <Button label=command.label() on_press=open/> }.into_any()
}

fn command_button(app: AppContext, command: Command) -> AnyView {
    view! { <Button label=command.label() on_press=move |()| command.run(app)/> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Json;
    use protocol::templates::{MissingBundle, RenderedRow, TemplateRow};
    use protocol::views::{EntryState, TableRow, UnusedFileRow};

    fn row(channel: &str, entry: &str, states: &[EntryState]) -> TableRow {
        TableRow {
            channel: channel.into(),
            entry: entry.into(),
            states: states.to_vec(),
            ..TableRow::default()
        }
    }

    #[test]
    fn while_text_is_unreadable_only_that_is_reported() {
        let cause = Cause {
            rule: "json-syntax".into(),
            message: "invalid character".into(),
            location: Location {
                file: "p/catalog.json".into(),
                line: 45,
                ..Location::default()
            },
        };
        let problem = Diagnostic {
            bundle: Some("p.v2".into()),
            follows: Some(cause.clone()),
            ..Diagnostic::new("bundle-not-in-channel", Severity::Error, "")
        };
        let view = PackageView {
            package: "p".into(),
            bundles: vec![("p.v2".into(), "2.0.0".into())],
            problems: vec![Json(problem)],
            ..PackageView::default()
        };
        assert_eq!(
            find_missing_parts(&view),
            [MissingPart::Text(Box::new(cause))]
        );
    }

    #[test]
    fn an_empty_rendering_has_a_reason_and_a_line() {
        let find = |row: &RootRow| {
            let obstacle = Obstacle::find(row, &[], None, str::to_owned).unwrap();
            let line = obstacle.location.map(|location| location.line);
            (obstacle.title, obstacle.message, line)
        };
        let location = Location {
            file: "semver.yaml".into(),
            line: 7,
            ..Location::default()
        };
        let failure = RenderFailure {
            reason: "rendering template: duplicate version".into(),
            location,
        };
        let missing = MissingBundle {
            reference: "quay.io/p:v1".into(),
            location: None,
        };
        let rendered = |refused, missing| RootRow {
            rendered: Some(RenderedRow {
                template: "semver.yaml".into(),
                refused,
                missing,
                ..RenderedRow::default()
            }),
            ..RootRow::default()
        };
        let (title, message, line) = find(&rendered(Some(failure), Vec::new()));
        assert_eq!(title, "semver.yaml cannot be rendered");
        assert_eq!(
            (message.as_str(), line),
            ("rendering template: duplicate version", Some(7))
        );
        let (title, message, line) = find(&rendered(None, vec![missing]));
        assert_eq!(title, "The bundles of semver.yaml are not open");
        assert!(message.contains("`quay.io/p:v1`"));
        assert_eq!(line, None, "no line of the template is wrong");
        assert_eq!(find(&rendered(None, Vec::new())).2, Some(1));
        let composite = RootRow {
            root: "composite.yaml".into(),
            template: Some(TemplateRow::default()),
            ..RootRow::default()
        };
        assert_eq!(find(&composite).0, "composite.yaml cannot be rendered");
        assert_eq!(
            Obstacle::find(&RootRow::default(), &[], None, str::to_owned),
            None
        );
    }

    #[test]
    fn a_folder_without_a_file_of_a_catalog_has_no_catalog() {
        let list = |paths: &[&str], files| {
            let unused = paths.iter().map(|path| UnusedFileRow {
                path: (*path).into(),
                reason: None,
            });
            list_other_files(&Status {
                unused_files: Some(unused.collect()),
                files,
                ..Status::default()
            })
        };
        let others = list(&["docs/README.md", "docs/LICENSE", "README.md"], 3);
        assert_eq!(others.as_deref(), Some("LICENSE, README.md"));
        assert_eq!(list(&["docs/README.md"], 2), None);
        assert_eq!(list(&["docs/catalog.yaml"], 1), None);
        let mut problem = Diagnostic::new("blob-missing-schema", Severity::Error, "no schema");
        problem.location.file = "README.md".into();
        let obstacle = Obstacle::find(&RootRow::default(), &[problem], others, str::to_owned);
        assert_eq!(
            obstacle.map(|obstacle| obstacle.title).as_deref(),
            Some("No catalog was opened, only LICENSE, README.md")
        );
    }

    #[test]
    fn finds_missing_parts_of_a_package() {
        assert_eq!(
            find_missing_parts(&PackageView::default()),
            [],
            "nothing is in view"
        );
        let begun = PackageView {
            package: "p".into(),
            default_channel: "stable".into(),
            ..PackageView::default()
        };
        assert_eq!(
            find_missing_parts(&begun),
            [MissingPart::Channels("stable".into())]
        );
        let problem = Diagnostic {
            opm: true,
            package: Some("p".into()),
            bundle: Some("p.v2".into()),
            ..Diagnostic::new("bundle-not-in-channel", Severity::Error, "")
        };
        let view = PackageView {
            channels: vec!["stable".into(), "fast".into()],
            bundles: vec![
                ("p.v2".into(), "2.0.0".into()),
                ("p.v1".into(), "1.0.0".into()),
            ],
            table: vec![
                row("stable", "p.v1", &[]),
                row("fast", "p.v1", &[EntryState::Absent]),
            ],
            problems: vec![Json(problem.clone())],
            ..begun
        };
        let expected = [
            MissingPart::Listing("p.v2".into(), Some(Box::new(problem))),
            MissingPart::Entries("fast".into()),
        ];
        assert_eq!(find_missing_parts(&view), expected);
        let many = PackageView {
            channels: (0..5).map(|n| n.to_string()).collect(),
            table: Vec::new(),
            bundles: Vec::new(),
            ..view
        };
        assert_eq!(find_missing_parts(&many).len(), MAX_SUGGESTED);
    }
}

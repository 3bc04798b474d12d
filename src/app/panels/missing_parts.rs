//! Suggests the next step for something empty: a catalog without packages, a package without
//! channels, a channel without entries, a bundle in no channel. `opm` accepts only the first.

use crate::commands::Command;
use crate::components::problem_parts::FixButton;
use crate::context::AppContext;
use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::{FormValues, is_absent};
use crate::reactive::memo;
use crate::widgets::buttons::{Button, Look};
use crate::widgets::short_text::in_code;
use crate::words;
use leptos::prelude::*;
use protocol::diagnostic::{Cause, Diagnostic, Severity};
use protocol::request::Target;
use protocol::response::PackageView;

/// Maximum number of empty channels and of unlisted bundles shown.
const NAMED: usize = 3;

/// Whether the catalog in view is loaded and has no packages. Excludes templates and renderings.
pub fn is_empty_catalog(app: AppContext) -> bool {
    let is_known = app.current.progress.with(Option::is_none)
        && app.store.root_row().is_some_and(|row| row.packages == 0);
    is_known
        && app.store.packages.with(Vec::is_empty)
        && app.store.root_row().is_some_and(|row| row.is_catalog())
}

/// Replaces the graph of a catalog without packages. Tells why the catalog is unreadable, or how to
/// add a package.
#[component]
pub fn EmptyCatalog(app: AppContext) -> impl IntoView {
    let unread = memo(move |_| app.store.problems.with(|problems| what_stops(problems)));
    move || match unread.get() {
        Some(problem) => unreadable(app, problem).into_any(),
        None => view! { <NoPackages app/> }.into_any(),
    }
}

/// Returns the first unreadable document, or else the first error with a position.
fn what_stops(problems: &[Diagnostic]) -> Option<Diagnostic> {
    let is_it = |problem: &&Diagnostic| {
        problem.severity == Severity::Error && !problem.location.file.is_empty()
    };
    let hidden = problems.iter().find(|problem| problem.hides_text());
    hidden.or_else(|| problems.iter().find(is_it)).cloned()
}

/// Renders a link to the line that blocks reading.
fn unreadable(app: AppContext, problem: Diagnostic) -> impl IntoView {
    let location = problem.location.clone();
    let go = move |()| app.show_source(location.clone());
    let label = words::go_to_line(&problem.location);
    let place = words::location(&problem.location);
    view! {
        <section class="empty-catalog" aria-labelledby="empty-catalog">
            <h2 class="empty-title" id="empty-catalog">"No package of this catalog can be read"</h2>
            <p><span class="mono">{place}</span> ": " {in_code(&problem.message)}</p>
            <div class="empty-ways">
                <Button label look=Look::Primary on_press=go/>
            </div>
        </section>
    }
}

/// Ways to add the first package.
#[component]
fn NoPackages(app: AppContext) -> impl IntoView {
    let title = move || match app.current.name_of_catalog(&app.store.root.get()).as_str() {
        "" => "This catalog has no packages yet".to_owned(),
        name => format!("{name} has no packages yet"),
    };
    let run = move |command: Command| move |()| command.run(app);
    view! {
        <section class="empty-catalog" aria-labelledby="empty-catalog">
            <h2 class="empty-title" id="empty-catalog">{title}</h2>
            <p>
                "Drop a bundle anywhere: a folder with "<code>"manifests"</code>" and "<code>"metadata"</code>
                ", an archive of the folder or of the bundle image, or the output of "<code>"opm render"</code>"."
            </p>
            <div class="empty-ways">
                <Button
                    label=EditCommand::AddPackage.label()
                    look=Look::Primary
                    on_press=run(Command::Edit(EditCommand::AddPackage))
                />
                <Button label=Command::BundleFolder.label() on_press=run(Command::BundleFolder)/>
                <Button label=Command::BundleFile.label() on_press=run(Command::BundleFile)/>
            </div>
        </section>
    }
    .into_any()
}

/// What the package in view lacks, with suggestions.
#[component]
pub fn MissingParts(app: AppContext) -> impl IntoView {
    let is_template = memo(move |_| app.store.root_row().is_some_and(|row| row.is_template()));
    let parts = memo(move |_| match is_template.get() {
        true => Vec::new(),
        false => app.current.view.with(|view| lacking(view)),
    });
    view! {
        <Show when=move || parts.with(|parts| !parts.is_empty())>
            <div class="missing-parts" role="region" aria-label="What is missing">
                {move || parts.get().into_iter().map(|part| step(app, part)).collect_view()}
            </div>
        </Show>
    }
    .into_any()
}

/// A missing part of a package.
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

fn lacking(view: &PackageView) -> Vec<MissingPart> {
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
    let is_listed = |bundle: &String| {
        view.table
            .iter()
            .any(|row| row.entry == *bundle && !is_absent(row))
    };
    let problem = |bundle: &String| {
        let is_it = |problem: &&Diagnostic| {
            problem.rule == "bundle-not-in-channel" && problem.bundle.as_ref() == Some(bundle)
        };
        view.problems
            .iter()
            .map(|problem| &problem.0)
            .find(is_it)
            .map(|problem| Box::new(problem.clone()))
    };
    let names = view.bundles.iter().map(|(name, _)| name);
    let unlisted = names.filter(|name| !is_listed(name)).take(NAMED);
    parts.extend(unlisted.map(|name| MissingPart::Listing(name.clone(), problem(name))));
    let has_entries = |channel: &&String| {
        view.table
            .iter()
            .any(|row| row.channel == **channel && !is_absent(row))
    };
    let empty = view.channels.iter().filter(|channel| !has_entries(channel));
    parts.extend(empty.take(NAMED).cloned().map(MissingPart::Entries));
    parts
}

fn step(app: AppContext, part: MissingPart) -> impl IntoView {
    let form = move |command: EditCommand, target: Target, given: FormValues| {
        let open = move |()| app.open_form_with(command, target.clone(), given.clone());
        view! { <Button label=command.label() on_press=open/> }.into_any()
    };
    let run = move |command: Command| {
        view! { <Button label=command.label() on_press=move |()| command.run(app)/> }.into_any()
    };
    let has_bundles = app
        .current
        .view
        .with_untracked(|view| !view.bundles.is_empty());
    let (message, ways): (String, Vec<AnyView>) = match part {
        MissingPart::Text(cause) => {
            let Cause {
                message, location, ..
            } = *cause;
            let message = format!(
                "`{}` cannot be read from line {}: {message}. What is missing in this package may be there.",
                location.file, location.line
            );
            let label = words::go_to_line(&location);
            let go = move |()| app.show_source(location.clone());
            (
                message,
                vec![view! { <Button label on_press=go/> }.into_any()],
            )
        }
        MissingPart::Channels(default) => {
            let given = FormValues::default().with(Field::Channel, default);
            let message = match has_bundles {
                true => {
                    "Add a channel next, then promote the bundles into it: `opm validate` passes once a channel lists them."
                }
                false => {
                    "Nothing is in this package yet. Add a channel next, then a bundle to it: `opm validate` passes after that."
                }
            };
            let way = form(EditCommand::AddChannel, Target::Package, given);
            (message.to_owned(), vec![way])
        }
        MissingPart::Entries(channel) => {
            let message = format!(
                "Channel `{channel}` has no entries; `opm validate` fails until it has one."
            );
            let (target, given) = (Target::Channel { channel }, FormValues::default());
            match has_bundles {
                true => (message, vec![form(EditCommand::Promote, target, given)]),
                false => (
                    format!("{message} Drop a bundle on its lane."),
                    vec![
                        form(EditCommand::AddBundle, target, given),
                        run(Command::BundleFolder),
                        run(Command::BundleFile),
                    ],
                ),
            }
        }
        MissingPart::Listing(name, problem) => {
            let message =
                format!("No channel lists `{name}`; `opm validate` fails until one does.");
            let fix = problem.and_then(|problem| {
                let fix = problem.fixes.first()?.clone();
                let tab = Signal::stored("0");
                Some(view! { <FixButton app problem=*problem fix tab/> }.into_any())
            });
            let promote = form(
                EditCommand::Promote,
                Target::Bundle { name },
                FormValues::default(),
            );
            (message, fix.into_iter().chain([promote]).collect())
        }
    };
    view! {
        <div class="next-step">
            <p>{in_code(&message)}</p>
            <div class="next-ways">{ways}</div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Json;
    use protocol::diagnostic::Location;
    use protocol::views::TableRow;

    fn row(channel: &str, entry: &str, state: &[&str]) -> TableRow {
        let state = state.iter().map(ToString::to_string).collect();
        TableRow {
            channel: channel.into(),
            entry: entry.into(),
            state,
            ..TableRow::default()
        }
    }

    #[test]
    fn while_text_cannot_be_read_only_that_is_reported() {
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
        assert_eq!(lacking(&view), [MissingPart::Text(Box::new(cause))]);
    }

    #[test]
    fn finds_missing_parts_of_a_package() {
        assert_eq!(lacking(&PackageView::default()), [], "nothing is in view");
        let begun = PackageView {
            package: "p".into(),
            default_channel: "stable".into(),
            ..PackageView::default()
        };
        assert_eq!(lacking(&begun), [MissingPart::Channels("stable".into())]);
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
                row("fast", "p.v1", &["not in this channel"]),
            ],
            problems: vec![Json(problem.clone())],
            ..begun
        };
        let expected = [
            MissingPart::Listing("p.v2".into(), Some(Box::new(problem))),
            MissingPart::Entries("fast".into()),
        ];
        assert_eq!(lacking(&view), expected);
        let many = PackageView {
            channels: (0..5).map(|n| n.to_string()).collect(),
            table: Vec::new(),
            bundles: Vec::new(),
            ..view
        };
        assert_eq!(lacking(&many).len(), NAMED);
    }
}

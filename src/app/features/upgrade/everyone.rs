//! The upgrade map: all next steps as a table, one row per published version, under both lenses.
//! Classic's are those in the subscribed channel.
//!
//! | key | effect |
//! |---|---|
//! | Down, Up, Home, End | next, previous, first and last row |
//! | Enter, Space | makes the version the installed one and selects it |

use super::incomplete_notice;
use crate::components::long_list::{PAGE, ShowMore};
use crate::prelude::*;
use crate::widgets::buttons::Disclosure;
use crate::widgets::cursors::{Axis, rove};
use crate::widgets::short_text::cut_version;
use protocol::destination::{Destination, PathStart};
use protocol::judgement::Tone;
use protocol::request::Target;
use protocol::response::PackageView;
use protocol::upgrades::{BundleVersion, EveryoneRow, EveryoneView, PathMark, PathSummary};
use protocol::views::{Origin, UpgradeQuestion};
use std::collections::BTreeSet;
use std::sync::Arc;

const FILTERS: [(RowFilter, &str); 2] = [
    (RowFilter::Marked, "Marked"),
    (RowFilter::Different, "Classic and v1 differ"),
];

/// Visible and accessible names of the columns.
const HEADINGS: [(&str, &str); 8] = [
    ("Version", "Version"),
    ("Next", "Classic next"),
    ("End", "Classic end"),
    ("Steps", "Classic steps"),
    ("Next", "OLM v1 next"),
    ("End", "OLM v1 end"),
    ("Steps", "OLM v1 steps"),
    ("Marks", "Marks"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowFilter {
    All,
    Marked,
    Different,
}

impl RowFilter {
    fn accepts(self, row: &EveryoneRow, subscribed: &str) -> bool {
        match self {
            RowFilter::All => true,
            RowFilter::Marked => !marks(row, subscribed).is_empty(),
            RowFilter::Different => differs(row, subscribed),
        }
    }
}

#[component]
pub fn EveryoneTable() -> impl IntoView {
    let app = app_context();
    let filter = RwSignal::new(RowFilter::All);
    let view = next_steps(app);
    // The channel that Classic follows.
    let subscribed = memo(move |_| {
        let channel = app.store.question.with(|question| question.channel.clone());
        if channel.is_empty() {
            app.current.view.with(|view| view.default_channel.clone())
        } else {
            channel
        }
    });
    let filtered_rows = move |filter: RowFilter| {
        let subscribed = subscribed.get();
        view.with(|view| {
            let rows = view.rows.iter();
            rows.filter(|row| filter.accepts(row, &subscribed))
                .cloned()
                .collect::<Vec<_>>()
        })
    };
    let rows = memo(move |_| filtered_rows(filter.get()));
    let count = move |filter: RowFilter| filtered_rows(filter).len();
    let shown = RwSignal::new(PAGE);
    let headings =
        HEADINGS.map(|(text, name)| view! { <th scope="col" aria-label=name>{text}</th> });
    let marks_in_view = memo(move |_| view.with(|view| all_marks(&view.rows, &subscribed.get())));
    let unreadable = memo(move |_| view.with(|view| view.incomplete.clone()));
    view! {
        <div class="everyone">
            {move || incomplete_notice(unreadable.get())}
            <div class="everyone-bar">
                <div class="chips" role="group" aria-label="Filter versions">
                    {FILTERS
                        .map(|(kind, label)| {
                            let is_on = move || filter.get() == kind;
                            view! {
                                <button
                                    type="button"
                                    class="chip"
                                    aria-pressed=move || is_on().to_string()
                                    on:click=move |_| filter.set(if is_on() { RowFilter::All } else { kind })
                                >
                                    {label}
                                    <span class="chip-count">{move || count(kind)}</span>
                                </button>
                            }
                        })
                        .collect_view()}
                </div>
                <p class="dim">{move || words::count(rows.with(Vec::len) as u32, "version")}</p>
            </div>
            {move || mark_legend(&marks_in_view.get())}
            <div class="everyone-scroll" tabindex="-1">
                <table
                    class="table everyone-table"
                    on:keydown=move |event| rove(&event, "[data-row]", Axis::Vertical)
                >
                    <caption class="visually-hidden">
                        {move || format!("Upgrade map of {}", app.current.package.get())}
                    </caption>
                    <colgroup>
                        <col class="map-version"/>
                        <col/>
                        <col/>
                        <col class="map-steps"/>
                        <col/>
                        <col/>
                        <col class="map-steps"/>
                        <col class="map-marks"/>
                    </colgroup>
                    <thead>
                        <tr>
                            <td></td>
                            <th scope="colgroup" colspan="3" class="everyone-group" title=move || subscribed.get()>
                                {move || format!("Classic, {}", subscribed.get())}
                            </th>
                            <th scope="colgroup" colspan="3" class="everyone-group">"OLM v1"</th>
                            <td></td>
                        </tr>
                        <tr>{headings}</tr>
                    </thead>
                    <tbody>
                        {move || {
                            let subscribed = subscribed.get();
                            let rows = rows.get().into_iter().take(shown.get()).enumerate();
                            rows.map(|(index, row)| table_row(app, index, row, &subscribed)).collect_view()
                        }}
                    </tbody>
                </table>
                <ShowMore total=derived(move || rows.with(Vec::len)) shown/>
            </div>
        </div>
    }
    .into_any()
}

fn next_steps(app: AppContext) -> Memo<Arc<EveryoneView>> {
    let request = derived(move || {
        let package = app.current.package.get();
        let revision = app.store.status.revision();
        // Use only v1's options, since Classic's answer covers every channel.
        let question = app.store.question.with(|question| UpgradeQuestion {
            channels: question.channels.clone(),
            range: question.range.clone(),
            policy: question.policy,
            ..UpgradeQuestion::default()
        });
        (!package.is_empty()).then(|| (app.store.root.get(), package, revision, question))
    });
    let answer = debounced_query(request, move |(.., question)| async move {
        app.store.fetch_everyone(question, Vec::new()).await?.ok()
    });
    memo(move |_| answer.get().unwrap_or_default())
}

fn table_row(app: AppContext, index: usize, row: EveryoneRow, subscribed: &str) -> AnyView {
    let marks = marks(&row, subscribed);
    let has_version = !row.version.is_empty();
    let classic = classic_path(&row, subscribed);
    let v1 = row.v1.clone();
    let is_selected = {
        let name = row.name.clone();
        memo(move |_| {
            app.current
                .selected_entry()
                .is_some_and(|entry| entry.name == name)
        })
    };
    let version = if has_version { &row.version } else { &row.name }.clone();
    let name = row.name.clone();
    let subscribed = subscribed.to_owned();
    let held_back = classic.as_ref().and_then(|path| path.held_back.clone());
    view! {
        <tr class="table-row" data-absent=(!row.in_catalog).then_some("true") aria-current=move || is_selected.get().then_some("true")>
            <th scope="row" class="everyone-version">
                <button
                    type="button"
                    class="table-entry"
                    data-row=index.to_string()
                    title=name.clone()
                    aria-label=version.clone()
                    tabindex=if index == 0 { "0" } else { "-1" }
                    on:click=move |_| show_version(app, &name, &subscribed)
                >
                    {cut_version(&version)}
                </button>
            </th>
            {path_cells(classic.as_ref())}
            {path_cells(has_version.then_some(&v1))}
            <td>
                {(!has_version).then(|| view! { <span class="strip-mark">"version unknown"</span> })}
                {row.deprecated.then(|| view! { <span class="strip-mark" data-tone="advice">"deprecated"</span> })}
                {(!row.in_catalog).then(|| view! { <span class="strip-mark">"not in the catalog"</span> })}
                {marks
                    .into_iter()
                    .map(|(mark, text)| view! { <span class="strip-mark" data-tone=tone(mark)>{glyph(mark)} " " {text}</span> })
                    .collect_view()}
                {held_back.map(|reason| view! { <span class="strip-mark">{in_code(&reason)}</span> })}
            </td>
        </tr>
    }
    .into_any()
}

/// Renders the next step, end and number of steps of a path.
fn path_cells(path: Option<&PathSummary>) -> AnyView {
    let text = next_step_text(path);
    let step = path.filter(|path| path.next.is_some());
    // Screen readers would read a version that is split into boxes with spaces.
    let spoken = step.map(|path| format!("{text} by {}", path.edge.as_str()));
    let text = match step {
        Some(_) => cut_version(&text).into_any(),
        None => text.into_any(),
    };
    let end = path
        .filter(|path| path.error.is_none())
        .map(|path| version_or_name(&path.last).to_owned());
    let steps = path.map_or_else(String::new, |path| path.steps.to_string());
    view! {
        <td class="mono" aria-label=spoken data-destination=next_tone(path)>{text}</td>
        <td class="mono" aria-label=end.clone()>{end.as_deref().map(cut_version)}</td>
        <td class="mono everyone-steps">{steps}</td>
    }
    .into_any()
}

/// Describes the next step of a path: the version, or else what happens instead; "" without a path.
fn next_step_text(path: Option<&PathSummary>) -> String {
    match path.map(destination) {
        None => String::new(),
        Some(Destination::UpdatesTo(version)) => version.to_owned(),
        Some(other) => other.to_string(),
    }
}

/// Makes a version the installed one and selects it.
fn show_version(app: AppContext, name: &str, subscribed: &str) {
    let installed = Origin::Installed(name.to_owned());
    app.ask_upgrade(|question| question.origin = installed);
    let view = app.current.view.get_untracked();
    app.select(find_target(&view, name, subscribed));
}

/// Returns the version's entry in the subscribed channel, or else in the first one that names it.
fn find_target(view: &PackageView, name: &str, subscribed: &str) -> Target {
    let row = view.row(subscribed, name);
    let row = row.or_else(|| view.table.iter().find(|row| row.entry == name));
    match row {
        Some(row) => row.entry_ref().into(),
        None => Target::Bundle { name: name.into() },
    }
}

/// Returns the path in a channel under Classic; `None` if the package has no default channel, or if
/// the version is unknown: a skip range may contain it.
fn classic_path(row: &EveryoneRow, channel: &str) -> Option<PathSummary> {
    let path = row.v0.iter().find(|path| path.channel == channel);
    let stays = || PathSummary {
        channel: channel.to_owned(),
        last: BundleVersion {
            name: row.name.clone(),
            version: row.version.clone(),
        },
        ..PathSummary::default()
    };
    let is_known = !channel.is_empty() && !row.version.is_empty();
    is_known.then(|| path.cloned().unwrap_or_else(stays))
}

pub fn version_or_name(bundle: &BundleVersion) -> &str {
    if bundle.version.is_empty() {
        &bundle.name
    } else {
        &bundle.version
    }
}

fn destination(path: &PathSummary) -> Destination<'_> {
    Destination::from(PathStart {
        next: path.next.as_ref().map(version_or_name),
        installed: Some(version_or_name(&path.last)),
        error: path.error,
        is_stuck: path.marks.contains(&PathMark::Stuck),
    })
}

fn next_tone(path: Option<&PathSummary>) -> &'static str {
    path.map_or(Tone::Plain, |path| destination(path).tone())
        .name()
}

fn glyph(mark: PathMark) -> &'static str {
    match mark {
        PathMark::Loop => "↻",
        PathMark::Stuck => "■",
        PathMark::GoesBack => "◀",
        PathMark::Prerelease => "◆",
        PathMark::LongWay => "⋯",
    }
}

/// Returns the wording, which the inspector and the previews use too.
fn label(mark: PathMark) -> &'static str {
    match mark {
        PathMark::Stuck => "no update",
        mark => mark.label(),
    }
}

fn tone(mark: PathMark) -> &'static str {
    match mark {
        PathMark::Loop | PathMark::Stuck | PathMark::GoesBack => "bad",
        PathMark::Prerelease => "advice",
        PathMark::LongWay => "plain",
    }
}

/// Whether Classic on the subscribed channel and OLM v1 give different next steps.
fn differs(row: &EveryoneRow, subscribed: &str) -> bool {
    classic_path(row, subscribed).is_some_and(|path| {
        path.next.as_ref().map(|bundle| &bundle.name)
            != row.v1.next.as_ref().map(|bundle| &bundle.name)
            || path.last.name != row.v1.last.name
            || path.error.is_none() != row.v1.error.is_none()
    })
}

/// Returns the marks of all rows, worst first.
fn all_marks(rows: &[EveryoneRow], subscribed: &str) -> Vec<PathMark> {
    let distinct: BTreeSet<PathMark> = rows
        .iter()
        .flat_map(|row| marks(row, subscribed))
        .map(|(mark, _)| mark)
        .collect();
    distinct.into_iter().collect()
}

/// Returns the marks of both lenses with their scope, e.g. `no update in Classic`.
fn marks(row: &EveryoneRow, subscribed: &str) -> Vec<(PathMark, String)> {
    if row.version.is_empty() {
        return Vec::new();
    }
    let classic = classic_path(row, subscribed);
    let classic = classic.map(|path| path.marks).unwrap_or_default();
    // A refused bundle needs no mark for its missing update.
    let is_refused = row.v1.error.is_some_and(|error| error.is_refusal());
    let v1 = row.v1.marks.iter().copied();
    let v1: Vec<PathMark> = v1
        .filter(|mark| !(is_refused && *mark == PathMark::Stuck))
        .collect();
    let all: BTreeSet<PathMark> = classic.iter().chain(&v1).copied().collect();
    let describe = |mark: PathMark| match (classic.contains(&mark), v1.contains(&mark)) {
        (true, true) => label(mark).to_owned(),
        (true, false) => format!("{} in Classic", label(mark)),
        _ => format!("{} in OLM v1", label(mark)),
    };
    all.into_iter().map(|mark| (mark, describe(mark))).collect()
}

fn mark_legend(marks: &[PathMark]) -> Option<AnyView> {
    let row = |mark: &PathMark| {
        view! {
            <dt class="strip-mark" data-tone=tone(*mark)>{glyph(*mark)} " " {label(*mark)}</dt>
            <dd>{mark.meaning()}</dd>
        }
    };
    (!marks.is_empty()).then(|| {
        let list =
            view! { <dl class="everyone-meanings">{marks.iter().map(row).collect_view()}</dl> }
                .into_any();
        let label = view! { "What the marks mean" }.into_any();
        view! { <Disclosure class="everyone-key" label>{list}</Disclosure> }.into_any()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::destination::{EdgeKind, ErrorKind};
    use protocol::views::TableRow;

    fn stop(version: &str) -> BundleVersion {
        BundleVersion {
            name: format!("p.v{version}"),
            version: version.to_owned(),
        }
    }

    fn path_summary(
        channel: &str,
        next: Option<&str>,
        last: &str,
        marks: &[PathMark],
    ) -> PathSummary {
        PathSummary {
            channel: channel.into(),
            next: next.map(stop),
            edge: EdgeKind::Replaces,
            last: stop(last),
            steps: u32::from(next.is_some()),
            marks: marks.to_vec(),
            error: None,
            held_back: None,
        }
    }

    fn row(version: &str, v0: PathSummary, v1: PathSummary) -> EveryoneRow {
        let BundleVersion { name, version } = stop(version);
        EveryoneRow {
            name,
            version,
            in_catalog: true,
            deprecated: false,
            v1,
            v0: vec![v0],
        }
    }

    #[test]
    fn a_refusal_under_only_one_lens_is_a_difference() {
        let refused = PathSummary {
            error: Some(ErrorKind::Dependency),
            ..path_summary("", None, "3.0.0", &[PathMark::Stuck])
        };
        let row = row("3.0.0", path_summary("stable", None, "3.0.0", &[]), refused);
        assert_eq!(marks(&row, "stable"), []);
        assert!(differs(&row, "stable"));
        assert_eq!(next_step_text(Some(&row.v1)), "refused by OLM v1");
        assert_eq!(next_tone(Some(&row.v1)), "bad");
    }

    #[test]
    fn a_version_outside_the_channel_stays() {
        let update = path_summary("", Some("1.1.0"), "1.1.0", &[]);
        let row = row("1.0.0", path_summary("fast", None, "1.0.0", &[]), update);
        let path = classic_path(&row, "stable").expect("a known version");
        assert_eq!(next_step_text(Some(&path)), "no update");
        assert_eq!(next_tone(Some(&path)), "plain");
        assert_eq!(path.last, stop("1.0.0"));
        assert!(differs(&row, "stable"));
    }

    #[test]
    fn a_version_without_number_has_no_known_path() {
        let stuck = path_summary("", None, "1.0.0", &[PathMark::Stuck]);
        let next = path_summary("stable", Some("2.0.0"), "2.0.0", &[]);
        let row = EveryoneRow {
            version: String::new(),
            ..row("1.0.0", next, stuck)
        };
        assert_eq!(marks(&row, "stable"), []);
        assert!(!differs(&row, "stable"));
    }

    #[test]
    fn a_version_is_selected_in_a_channel_that_names_it() {
        let table = [("fast", "a"), ("stable", "a"), ("fast", "b")];
        let table = table.map(|(channel, entry)| TableRow {
            channel: channel.into(),
            entry: entry.into(),
            ..TableRow::default()
        });
        let view = PackageView {
            table: table.into(),
            ..PackageView::default()
        };
        let channel = |name: &str| {
            let entry = find_target(&view, name, "stable").into_entry();
            entry.map(|entry| entry.channel)
        };
        assert_eq!(channel("a").as_deref(), Some("stable"));
        assert_eq!(channel("b").as_deref(), Some("fast"));
        assert_eq!(channel("c"), None);
    }

    #[test]
    fn marks_name_their_lens() {
        let row = row(
            "1.0.0",
            path_summary("stable", None, "1.0.0", &[PathMark::Stuck]),
            path_summary("", Some("2.0.0"), "3.0.0", &[PathMark::LongWay]),
        );
        let texts: Vec<String> = marks(&row, "stable")
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        assert_eq!(texts, ["no update in Classic", "long way in OLM v1"]);
    }
}

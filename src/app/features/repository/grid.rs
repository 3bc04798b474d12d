//! The grid of operators and catalogs, and the details of one operator: bundles, catalogs,
//! findings, and tasks. Only visible rows are drawn, and only their operators are read.
//!
//! | key | effect |
//! |---|---|
//! | arrows, Home, End, Page up, Page down | next cell; Ctrl+Home and Ctrl+End: first and last |
//! | Enter, Space | on an operator: shows it; on a catalog: opens it |

use super::Findings;
use crate::components::problem_parts::problem_count;
use crate::context::TaskDialog;
use crate::prelude::*;
use crate::state::repository::{
    GridCell, count_unreleased, grid_cell, list_releases, state_label, state_meaning, verdict_label,
};
use crate::widgets::cursors::{CellPosition, Extent, clamp_cell, next_cell};
use crate::widgets::virtual_list::{ScrolledList, Stack};
use protocol::counting::{capitalize, quoted};
use protocol::diagnostic::Severity;
use protocol::repository::{
    BundleFolder, CellState, CellVerdict, OperatorCell, OperatorRow, OperatorView, RepositoryTask,
};
use std::sync::Arc;

/// Heights in pixels, from the style sheet.
const ROW_HEIGHT: f64 = 38.0;
const HEADER_HEIGHT: f64 = 34.0;
/// Pixels drawn above and below the view.
const OVERDRAW: f64 = 190.0;

/// Number of bundles listed before expanding.
const MAX_BUNDLES: usize = 8;

fn cell_id(at: CellPosition) -> String {
    format!("repo-cell-{}-{}", at.row, at.column)
}

/// State shared by the parts of the grid.
#[derive(Clone, Copy)]
struct GridContext {
    app: AppContext,
    catalogs: Memo<Vec<String>>,
    cursor: RwSignal<CellPosition>,
}

/// The grid. `all`: every operator must be read, not only visible ones.
#[component]
pub(super) fn Grid(
    app: AppContext,
    rows: Memo<Vec<OperatorRow>>,
    catalogs: Memo<Vec<String>>,
    all: Signal<bool>,
) -> impl IntoView {
    let scrolled = ScrolledList::new(600.0);
    let ScrolledList { size, top, .. } = scrolled;
    let cursor = RwSignal::new(CellPosition { row: 1, column: 0 });
    let shared = GridContext {
        app,
        catalogs,
        cursor,
    };
    let stack = memo(move |_| Stack::new((0..rows.with(Vec::len)).map(|_| ROW_HEIGHT)));
    let window = memo(move |_| stack.with(|stack| stack.window(top.get(), size.get().1, OVERDRAW)));
    let extent = move || Extent {
        rows: rows.with(Vec::len) + 1,
        columns: catalogs.with(Vec::len) + 1,
        page: ((size.get_untracked().1 - HEADER_HEIGHT) / ROW_HEIGHT).max(1.0) as usize,
    };
    effect(move |_| {
        let extent = extent();
        if cursor.with_untracked(|at| clamp_cell(*at, extent) != *at) {
            cursor.update(|at| *at = clamp_cell(*at, extent));
        }
    });
    // Read the selected operator first, then visible ones, then the rest if a filter needs them.
    effect(move |_| {
        let chosen = app.repository.chosen.get();
        let view = app.repository.view.get();
        let names = rows.with(|rows| {
            let visible = rows
                .get(window.get())
                .unwrap_or_default()
                .iter()
                .map(|row| row.name.clone());
            chosen.into_iter().chain(visible).collect::<Vec<String>>()
        });
        let rest = view.into_iter().filter(|_| all.get()).flat_map(|view| {
            view.operators
                .iter()
                .map(|row| row.name.clone())
                .collect::<Vec<String>>()
        });
        app.repository
            .load_operators(names.into_iter().chain(rest).collect());
    });
    let on_key = move |event: web_sys::KeyboardEvent| {
        let ctrl = event.ctrl_key() || event.meta_key();
        let Some(to) = next_cell(&event.key(), ctrl, cursor.get_untracked(), untrack(extent))
        else {
            return;
        };
        event.prevent_default();
        cursor.set(to);
        let view_height = size.get_untracked().1 - HEADER_HEIGHT;
        let row = to.row.saturating_sub(1);
        let scroll_top = stack.with_untracked(|stack| {
            stack.scroll_to(row, top.get_untracked(), view_height, ROW_HEIGHT)
        });
        if let Some(scroll_top) = scroll_top.filter(|_| to.row > 0) {
            scrolled.scroll_to(scroll_top);
        }
        dom::focus_id_or_later(cell_id(to));
    };
    let gap = move |height: f64| {
        (height > 0.0).then(|| {
            view! {
                <tr class="repo-gap" aria-hidden="true">
                    <td style=("--gap", format!("{height}px"))></td>
                </tr>
            }
        })
    };
    view! {
        <div
            class="repo-scroll"
            node_ref=scrolled.element
            on:scroll=move |_| scrolled.read_scroll()
        >
            <table
                class="repo-grid"
                role="grid"
                aria-label="Operators and catalogs"
                aria-rowcount=move || (rows.with(Vec::len) + 1).to_string()
                on:keydown=on_key
            >
                <thead>
                    <tr aria-rowindex="1">
                        {heading(shared, 0, "Operator".to_owned())}
                        {move || {
                            let names = catalogs.get().into_iter().zip(1..);
                            names.map(|(name, column)| heading(shared, column, name)).collect_view()
                        }}
                    </tr>
                </thead>
                <tbody>
                    {move || gap(stack.with(|stack| stack.top(window.get().start)))}
                    <For
                        each=move || {
                            let visible = window.get();
                            let first = visible.start;
                            let rows = rows.with(|rows| rows.get(visible).unwrap_or_default().to_vec());
                            rows.into_iter().enumerate().map(move |(offset, row)| (first + offset, row)).collect::<Vec<_>>()
                        }
                        key=|(index, row)| (*index, row.name.clone(), row.catalogs.clone())
                        children=move |(index, row)| grid_row(shared, index, row)
                    />
                    {move || gap(stack.with(|stack| stack.height() - stack.top(window.get().end)))}
                </tbody>
            </table>
            {move || {
                rows.with(Vec::is_empty)
                    .then(|| view! { <p class="repo-note">"No operator matches the filter."</p> })
            }}
        </div>
    }
    .into_any()
}

#[component]
pub(super) fn Legend() -> impl IntoView {
    let states = [
        CellState::Fresh,
        CellState::Stale,
        CellState::OtherOpm,
        CellState::Missing,
        CellState::NotJudged,
    ];
    let items = states.map(|state| {
        let (glyph, word) = state_label(state);
        view! {
            <li data-state=word>
                <span class="repo-mark" aria-hidden="true">{glyph}</span>
                <b>{word}</b>": "{state_meaning(state)}
            </li>
        }
    });
    let verdicts = [(true, "passes"), (false, "fails")].map(|(passes, word)| {
        view! {
            <li>
                {verdict_mark(passes)}
                " "<b>{word}</b>" opm validate"
            </li>
        }
    });
    view! {
        <ul class="repo-legend" aria-label="What the marks mean">
            {items} {verdicts} <li>"– not in the catalog"</li>
            <li><b>"unreleased"</b>": bundles in no catalog"</li>
            <li><Glyph icon=Icon::Error/>" "<Glyph icon=Icon::Warning/>" findings in the operator’s files"</li>
        </ul>
    }
    .into_any()
}

/// Renders whether something passes `opm validate`.
pub(super) fn verdict_mark(passes: bool) -> impl IntoView {
    let icon = if passes { Icon::Check } else { Icon::Error };
    view! { <span class="verdict-mark" data-passed=passes.to_string()><Glyph icon=icon/></span> }
}

fn heading(shared: GridContext, column: usize, name: String) -> AnyView {
    let at = CellPosition { row: 0, column };
    view! {
        <th
            scope="col"
            role="columnheader"
            class="repo-head"
            id=cell_id(at)
            tabindex=move || if shared.cursor.get() == at { "0" } else { "-1" }
            on:focus=move |_| shared.cursor.set(at)
        >
            {name}
        </th>
    }
    .into_any()
}

fn grid_row(shared: GridContext, index: usize, row: OperatorRow) -> AnyView {
    let app = shared.app;
    let at = CellPosition {
        row: index + 1,
        column: 0,
    };
    let name = row.name.clone();
    let known = {
        let name = name.clone();
        memo(move |_| app.repository.known.with(|known| known.get(&name).cloned()))
    };
    let is_chosen = {
        let name = name.clone();
        memo(move |_| {
            app.repository
                .chosen
                .with(|chosen| chosen.as_deref() == Some(&*name))
        })
    };
    let findings = move |is_error: bool| {
        known.with(|view| {
            let findings = view.iter().flat_map(|view| &view.findings);
            let findings = findings.filter(|finding| finding.is_error == is_error);
            findings.count() as u32
        })
    };
    let unreleased =
        move || known.with(|view| view.as_ref().map_or(0, |view| count_unreleased(view)));
    let chosen = name.clone();
    let row = StoredValue::new(row);
    view! {
        <tr aria-rowindex=(index + 2).to_string() data-chosen=move || is_chosen.get().then_some("true")>
            <th scope="row" role="rowheader" class="repo-operator">
                <button
                    type="button"
                    class="repo-button"
                    id=cell_id(at)
                    aria-pressed=move || is_chosen.get().to_string()
                    tabindex=move || if shared.cursor.get() == at { "0" } else { "-1" }
                    on:focus=move |_| shared.cursor.set(at)
                    on:click=move |_| {
                        let is_on = is_chosen.get_untracked();
                        app.repository.choose((!is_on).then(|| chosen.clone()));
                    }
                >
                    <span class="repo-name">{name}</span>
                    {move || {
                        let count = unreleased();
                        (count > 0).then(|| view! { <span class="repo-unreleased">{format!("{count} unreleased")}</span> })
                    }}
                    {move || problem_count(findings(true), Severity::Error)}
                    {move || problem_count(findings(false), Severity::Warning)}
                </button>
            </th>
            {move || {
                let catalogs = shared.catalogs.get().into_iter().zip(1..);
                catalogs.map(|(catalog, column)| cell(shared, index, column, row, known, catalog)).collect_view()
            }}
        </tr>
    }
    .into_any()
}

fn cell(
    shared: GridContext,
    index: usize,
    column: usize,
    row: StoredValue<OperatorRow>,
    known: Memo<Option<Arc<OperatorView>>>,
    catalog: String,
) -> AnyView {
    let app = shared.app;
    let at = CellPosition {
        row: index + 1,
        column,
    };
    let name = catalog.clone();
    let content = memo(move |_| {
        let view = app.repository.view.get();
        let catalogs = view
            .as_ref()
            .map_or(&[][..], |view| view.catalogs.as_slice());
        known.with(|known| row.with_value(|row| grid_cell(row, known.as_ref(), catalogs, &name)))
    });
    let label = catalog.clone();
    let press = move |_| {
        let operator = row.with_value(|row| row.name.clone());
        let root = known.with_untracked(|view| {
            let cell = view
                .as_ref()?
                .cells
                .iter()
                .find(|cell| cell.catalog == catalog)?;
            (cell.verdict != CellVerdict::None).then(|| cell.root.clone())
        });
        match root {
            Some(root) => app.repository.open_operator_root(operator, root),
            None => app.repository.choose(Some(operator)),
        }
    };
    view! {
        <td role="gridcell" class="repo-cell">
            <button
                type="button"
                class="repo-button"
                id=cell_id(at)
                tabindex=move || if shared.cursor.get() == at { "0" } else { "-1" }
                aria-label=move || content.with(|cell| format!("{label}: {}", cell_text(cell)))
                title=move || content.with(tooltip)
                data-state=move || content.with(data_state)
                on:focus=move |_| shared.cursor.set(at)
                on:click=press
            >
                {move || content.with(render_cell)}
            </button>
        </td>
    }
    .into_any()
}

fn data_state(cell: &GridCell) -> &'static str {
    match cell {
        GridCell::Absent => "absent",
        GridCell::Waiting => "waiting",
        GridCell::Known { state, .. } => state_label(*state).1,
    }
}

fn cell_text(cell: &GridCell) -> String {
    match cell {
        GridCell::Absent => "not there".to_owned(),
        GridCell::Waiting => "there, not read yet".to_owned(),
        GridCell::Known { state, verdict, .. } => state_with_verdict(*state, verdict),
    }
}

fn state_with_verdict(state: CellState, verdict: &CellVerdict) -> String {
    let (_, word) = state_label(state);
    match verdict_label(verdict) {
        "" => word.to_owned(),
        verdict => format!("{word}, {verdict}"),
    }
}

fn tooltip(cell: &GridCell) -> String {
    match cell {
        GridCell::Known {
            state,
            explanation,
            verdict,
        } => {
            let mut lines = vec![cell_text(cell), capitalize(state_meaning(*state))];
            lines.extend((!explanation.is_empty()).then(|| explanation.clone()));
            if let CellVerdict::Fails(message) = verdict {
                lines.push(message.clone());
            }
            lines.join("\n")
        }
        cell => cell_text(cell),
    }
}

fn render_cell(cell: &GridCell) -> AnyView {
    match cell {
        GridCell::Absent => view! { <span class="repo-mark">"–"</span> }.into_any(),
        GridCell::Waiting => view! { <span class="repo-mark">"…"</span> }.into_any(),
        GridCell::Known { state, verdict, .. } => {
            let (glyph, word) = state_label(*state);
            let mark = match verdict {
                CellVerdict::None | CellVerdict::PartPasses => None,
                CellVerdict::Passes => Some(true),
                CellVerdict::Fails(_) => Some(false),
            };
            view! {
                <span class="repo-mark" aria-hidden="true">{glyph}</span>
                <span>{word}</span>
                {mark.map(verdict_mark)}
            }
            .into_any()
        }
    }
}

#[component]
pub(super) fn OperatorPanel(app: AppContext, operator: String) -> impl IntoView {
    let name = operator.clone();
    let known = memo(move |_| app.repository.known.with(|known| known.get(&name).cloned()));
    view! {
        <section class="repo-side" aria-labelledby="repo-side-title" tabindex="-1">
            <div class="repo-side-head">
                <h2 class="repo-side-title" id="repo-side-title">{operator.clone()}</h2>
                <IconButton
                    label="Close"
                    icon=Icon::Close
                    quiet=true
                    on_press=move |()| app.repository.choose(None)
                />
            </div>
            {move || match known.get() {
                None => view! { <p class="repo-note">"Reading the operator’s files…"</p> }.into_any(),
                Some(view) => view! { <OperatorDetails app view/> }.into_any(),
            }}
        </section>
    }
    .into_any()
}

#[component]
fn OperatorDetails(app: AppContext, view: Arc<OperatorView>) -> impl IntoView {
    let operator = view.operator.clone();
    let stale = view
        .cells
        .iter()
        .filter(|cell| cell.can_be_rendered())
        .count() as u32;
    let of_operator = operator.clone();
    let (label, task) = if view.has_template() {
        let operators = vec![of_operator];
        ("Next OpenShift version…", TaskDialog::Promote { operators })
    } else {
        let operator = of_operator;
        (
            "Move to file-based catalogs…",
            TaskDialog::Onboard { operator },
        )
    };
    view! {
        <div class="repo-actions">
            {(stale > 0)
                .then(|| {
                    let operator = operator.clone();
                    let task = TaskDialog::Plain(RepositoryTask::Render { operator });
                    let press = move |()| app.repository.open_task(task.clone());
                    let label = format!("Bring {} up to date…", words::count(stale, "catalog"));
                    view! { <Button label=label look=Look::Primary on_press=press/> }
                })}
            <Button label on_press=move |()| app.repository.open_task(task.clone())/>
        </div>
        {(!view.findings.is_empty())
            .then(|| {
                view! {
                    <h3 class="repo-title">{words::count(view.findings.len() as u32, "finding")}</h3>
                    <Findings app operator=operator.clone() findings=view.findings.clone() label="Findings"/>
                }
            })}
        {(!view.left_out.is_empty())
            .then(|| {
                let names = quoted(&view.left_out);
                let message = format!("`config.yaml` leaves out for this operator: {}.", names.join(", "));
                view! { <p class="dim">{in_code(&message)}</p> }
            })}
        <Bundles app view=view.clone()/>
        <h3 class="repo-title">"Catalogs"</h3>
        <ul class="repo-list" aria-label="Catalogs of the operator">
            {view.cells.iter().map(|cell| catalog_item(app, &operator, explain_once(cell, &view.cells))).collect_view()}
        </ul>
        {view.cells.is_empty().then(|| view! { <p class="dim">"It is in no file-based catalog."</p> })}
    }
    .into_any()
}

#[component]
fn Bundles(app: AppContext, view: Arc<OperatorView>) -> impl IntoView {
    let shows_all = RwSignal::new(false);
    let total = view.bundles.len();
    let rows = move || {
        let count = if shows_all.get() { total } else { MAX_BUNDLES };
        let bundles = view.bundles.iter().take(count);
        bundles
            .map(|bundle| bundle_row(app, &view, bundle))
            .collect_view()
    };
    view! {
        <h3 class="repo-title">"Bundles"</h3>
        <ul class="repo-list" aria-label="Bundles">{rows}</ul>
        {move || {
            (total > MAX_BUNDLES && !shows_all.get())
                .then(|| {
                    let label = format!("Show all {total}");
                    view! { <Button label=label look=Look::Quiet on_press=move |()| shows_all.set(true)/> }
                })
        }}
        {(total == 0).then(|| view! { <p class="dim">"No folder has a bundle, which needs folders manifests and metadata."</p> })}
    }
    .into_any()
}

/// Returns the template that lists a bundle of this version.
fn template_with<'v>(view: &'v OperatorView, version: &str) -> Option<&'v str> {
    // A semver template has images: compare their tags.
    let suffixes = [".v", ":v", ":"].map(|prefix| format!("{prefix}{version}"));
    let is_listed = |name: &String| suffixes.iter().any(|suffix| name.ends_with(suffix));
    let mut templates = view.templates.iter();
    let template = templates.find(|template| {
        let mut names = template.entries.iter().chain(&template.images);
        names.any(is_listed)
    })?;
    Some(&template.template)
}

/// Whether a template can be rendered into a stale catalog.
fn can_be_rendered(view: &OperatorView, template: &str) -> bool {
    let mut cells = view.cells.iter();
    cells.any(|cell| cell.can_be_rendered() && cell.template.ends_with(&format!("/{template}")))
}

fn bundle_row(app: AppContext, view: &OperatorView, folder: &BundleFolder) -> AnyView {
    let version = folder.version.clone();
    let template = template_with(view, &version).filter(|_| folder.catalogs.is_empty());
    let can_be_released = view.has_template() && folder.catalogs.is_empty() && template.is_none();
    let mut state = list_releases(folder);
    match template {
        Some(template) => {
            state = format!("in {template}, but {state}");
            if can_be_rendered(view, template) {
                state.push_str(": bring the catalogs up to date");
            }
        }
        None if folder.catalogs.is_empty() && folder.has_release_config => {
            state.push_str("; has a release-config.yaml")
        }
        None => {}
    }
    let task = TaskDialog::Release {
        operator: view.operator.clone(),
        bundle: version.clone(),
        dropped: Vec::new(),
    };
    let label = format!("Release {version}…");
    view! {
        <li class="repo-row">
            <span class="mono">{version}</span>
            <span class="dim">{state}</span>
            {can_be_released
                .then(|| view! { <Button label=label on_press=move |()| app.repository.open_task(task.clone())/> })}
        </li>
    }
    .into_any()
}

/// Returns the cell without an explanation that an earlier one has: a problem of a template is that
/// of all its catalogs.
fn explain_once(cell: &OperatorCell, all: &[OperatorCell]) -> OperatorCell {
    let mut equal = all.iter();
    let first = equal.find(|other| other.explanation == cell.explanation);
    let mut listed = cell.clone();
    if let Some(first) = first
        && first.catalog != cell.catalog
        && cell.state == CellState::NotJudged
        && !cell.explanation.is_empty()
    {
        listed.explanation = format!("For the same reason as {}.", first.catalog);
    }
    listed
}

fn catalog_item(app: AppContext, operator: &str, cell: OperatorCell) -> AnyView {
    let OperatorCell {
        catalog,
        root,
        state,
        explanation,
        template,
        verdict,
        ..
    } = cell;
    let (glyph, word) = state_label(state);
    let is_listed = verdict != CellVerdict::None;
    let label = state_with_verdict(state, &verdict);
    let link = |name: String, root: String| {
        let operator = operator.to_owned();
        let open = move |_| {
            app.repository
                .open_operator_root(operator.clone(), root.clone())
        };
        view! { <button type="button" class="link" on:click=open>{name}</button> }
    };
    let template_name = template.rsplit('/').next().unwrap_or_default().to_owned();
    view! {
        <li class="repo-row" data-state=word>
            {if is_listed {
                link(catalog, root).into_any()
            } else {
                view! { <span>{catalog}</span> }.into_any()
            }}
            <span><span class="repo-mark" aria-hidden="true">{glyph}</span> " " {label}</span>
            {(!template.is_empty())
                .then(|| view! { <span class="dim repo-wide">"from " {link(template_name, template)}</span> })}
            {(!explanation.is_empty()).then(|| view! { <span class="dim repo-wide">{in_code(&explanation)}</span> })}
            {if let CellVerdict::Fails(message) = verdict {
                Some(view! { <span class="dim repo-wide mono">{message}</span> })
            } else {
                None
            }}
        </li>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::repository::{CellState, TemplateOffer};

    #[test]
    fn equal_explanations_are_shown_once() {
        let cell = |catalog: &str, explanation: &str| OperatorCell {
            catalog: catalog.into(),
            state: CellState::NotJudged,
            explanation: explanation.into(),
            ..OperatorCell::default()
        };
        let cells = [
            cell("v4.18", "a."),
            cell("v4.17", "b."),
            cell("v4.16", "a."),
            cell("v4.15", ""),
            cell("v4.14", ""),
        ];
        let listed = cells
            .each_ref()
            .map(|cell| explain_once(cell, &cells).explanation);
        assert_eq!(
            listed,
            ["a.", "b.", "For the same reason as v4.18.", "", ""]
        );
    }

    #[test]
    fn a_template_has_a_bundle_by_its_entry_or_its_image() {
        let offer = |name: &str, entries: &[&str], images: &[&str]| TemplateOffer {
            template: name.to_owned(),
            entries: entries.iter().map(|&entry| entry.into()).collect(),
            images: images.iter().map(|&image| image.into()).collect(),
            ..TemplateOffer::default()
        };
        let view = OperatorView {
            templates: vec![
                offer("basic.yaml", &["o.v1.5.10"], &[]),
                offer("semver.yaml", &[], &["q.io/o:1.5.12", "q.io/o:v1.6.0"]),
            ],
            ..OperatorView::default()
        };
        let versions = ["1.5.10", "1.5.12", "1.6.0", "5.12"];
        assert_eq!(
            versions.map(|version| template_with(&view, version)),
            [
                Some("basic.yaml"),
                Some("semver.yaml"),
                Some("semver.yaml"),
                None
            ]
        );
    }

    #[test]
    fn cell_text_includes_the_verdict() {
        let cell = GridCell::Known {
            state: CellState::Stale,
            explanation: "Rendering adds bundle o.v2.".into(),
            verdict: CellVerdict::Fails("no head".into()),
        };
        assert_eq!(cell_text(&cell), "stale, fails opm validate");
        assert_eq!(
            tooltip(&cell),
            "stale, fails opm validate\nIts template renders something else\nRendering adds bundle o.v2.\nno head"
        );
        assert_eq!(cell_text(&GridCell::Absent), "not there");
    }
}

//! The upgrade map: all next steps as a table, one row per published version, under both lenses and
//! for each channel.
//!
//! | key | effect |
//! |---|---|
//! | Down, Up, Home, End | next, previous, first and last row |
//! | Enter, Space | makes the version the installed one and selects it |

use super::everyone_text::{
    LensChannel, all_marks, differs, glyph, marks, next, next_tone, row_label, tone,
    version_or_name,
};
use super::incomplete;
use crate::context::{AppContext, app_context, debounced_query};
use crate::reactive::memo;
use crate::widgets::buttons::Disclosure;
use crate::widgets::cursors::{Axis, rove};
use crate::widgets::short_text::cut_version;
use crate::words;
use leptos::prelude::*;
use protocol::request::Target;
use protocol::upgrades::{EveryoneRow, EveryoneView, PathMark, PathSummary};
use protocol::views::{Lens, Origin, UpgradeQuestion};
use std::sync::Arc;

/// Explains the marks in these rows; `None` without marks.
fn meanings(marks: &[PathMark]) -> Option<AnyView> {
    let row = |mark: &PathMark| {
        view! {
            <dt class="strip-mark" data-tone=tone(*mark)>{glyph(*mark)} " " {mark.label()}</dt>
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

/// The row filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowFilter {
    All,
    Marked,
    Different,
}

impl RowFilter {
    fn takes(self, row: &EveryoneRow, subscribed: &str) -> bool {
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
    let which = RwSignal::new(RowFilter::All);
    let all_channels = RwSignal::new(false);
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
    let classic = memo(move |_| LensChannel {
        lens: Lens::V0,
        channel: subscribed.get(),
    });
    // Channels other than the subscribed one, if requested.
    let others = memo(move |_| {
        let mut channels = view.with(|view| view.channels.clone());
        channels.retain(|name| all_channels.get() && *name != subscribed.get());
        channels
    });
    let rows_of = move |which: RowFilter| {
        let subscribed = subscribed.get();
        view.with(|view| {
            let rows = view.rows.iter();
            rows.filter(|row| which.takes(row, &subscribed))
                .cloned()
                .collect::<Vec<_>>()
        })
    };
    let rows = memo(move |_| rows_of(which.get()));
    let count = move |which: RowFilter| rows_of(which).len();
    let heads = move || {
        let of_both = [
            ("Version", "Version".to_owned()),
            ("Next", "Classic next".to_owned()),
            ("End", "Classic end".to_owned()),
            ("Steps", "Classic steps".to_owned()),
            ("Next", "OLM v1 next".to_owned()),
            ("End", "OLM v1 end".to_owned()),
            ("Steps", "OLM v1 steps".to_owned()),
            ("Marks", "Marks".to_owned()),
        ];
        let others = others.get().into_iter();
        let heads = of_both
            .into_iter()
            .chain(others.map(|name| ("Next", format!("Next in {name}"))));
        heads
            .map(|(text, name)| view! { <th scope="col" aria-label=name>{text}</th> })
            .collect_view()
    };
    let marks_here = memo(move |_| view.with(|view| all_marks(&view.rows, &subscribed.get())));
    let places = memo(move |_| view.with(|view| view.incomplete.clone()));
    view! {
        <div class="everyone">
            {move || incomplete(places.get())}
            <div class="everyone-bar">
                <div class="chips" role="group" aria-label="Filter versions">
                    {[(RowFilter::Marked, "Marked"), (RowFilter::Different, "Classic and v1 differ")]
                        .into_iter()
                        .map(|(kind, label)| {
                            let is_on = move || which.get() == kind;
                            view! {
                                <button
                                    type="button"
                                    class="chip"
                                    aria-pressed=move || is_on().to_string()
                                    on:click=move |_| which.set(if is_on() { RowFilter::All } else { kind })
                                >
                                    {label}
                                    <span class="chip-count">{move || count(kind)}</span>
                                </button>
                            }
                        })
                        .collect_view()}
                    <button
                        type="button"
                        class="chip"
                        aria-pressed=move || all_channels.get().to_string()
                        on:click=move |_| all_channels.update(|all| *all = !*all)
                    >
                        "Every channel"
                    </button>
                </div>
                <p class="dim">{move || words::count(rows.with(Vec::len) as u32, "version")}</p>
            </div>
            {move || meanings(&marks_here.get())}
            <div class="everyone-scroll" tabindex="-1">
                <table
                    class="table everyone-table"
                    data-wide=move || others.with(|others| !others.is_empty()).to_string()
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
                        {move || others.get().iter().map(|_| view! { <col/> }).collect_view()}
                    </colgroup>
                    <thead>
                        <tr>
                            <td></td>
                            <th scope="colgroup" colspan="3" class="everyone-group">
                                {move || classic.with(LensChannel::to_text)}
                            </th>
                            <th scope="colgroup" colspan="3" class="everyone-group">"OLM v1"</th>
                            <td></td>
                            {move || {
                                let group = |name| view! { <th scope="col" class="everyone-group">{name}</th> };
                                others.get().into_iter().map(group).collect_view()
                            }}
                        </tr>
                        <tr>{heads}</tr>
                    </thead>
                    <tbody>
                        {move || {
                            let (classic, others) = (classic.get(), others.get());
                            let rows = rows.get().into_iter().enumerate();
                            rows.map(|(at, row)| table_row(app, at, row, &classic, &others)).collect_view()
                        }}
                    </tbody>
                </table>
            </div>
        </div>
    }
    .into_any()
}

/// Queries all next steps of the package in view.
fn next_steps(app: AppContext) -> Memo<Arc<EveryoneView>> {
    let wanted = Signal::derive(move || {
        let package = app.current.package.get();
        let revision = app.store.status.with(|status| status.revision);
        // Use only v1's options, since Classic's answer covers every channel.
        let question = app.store.question.with(|question| UpgradeQuestion {
            channels: question.channels.clone(),
            range: question.range.clone(),
            policy: question.policy,
            ..UpgradeQuestion::default()
        });
        (!package.is_empty()).then(|| (app.store.root.get(), package, revision, question))
    });
    let answer = debounced_query(wanted, move |(.., question)| async move {
        app.store.everyone(question, Vec::new()).await?.ok()
    });
    memo(move |_| answer.get().unwrap_or_default())
}

fn table_row(
    app: AppContext,
    at: usize,
    row: EveryoneRow,
    classic: &LensChannel,
    others: &[String],
) -> impl IntoView + use<> {
    let marks = marks(&row, &classic.channel);
    let differs = differs(&row, &classic.channel);
    let course = classic.course(&row).cloned();
    let v1 = row.v1.clone();
    let elsewhere: Vec<Option<PathSummary>> = others
        .iter()
        .map(|channel| {
            row.v0
                .iter()
                .find(|course| course.channel == *channel)
                .cloned()
        })
        .collect();
    let is_selected = {
        let name = row.name.clone();
        memo(move |_| {
            app.current
                .selected_entry()
                .is_some_and(|entry| entry.name == name)
        })
    };
    let (version, name, is_gone, is_deprecated) = (
        row_label(&row).to_owned(),
        row.name.clone(),
        !row.in_catalog,
        row.deprecated,
    );
    let through = classic.clone();
    view! {
        <tr class="table-row" data-absent=is_gone.then_some("true") aria-current=move || is_selected.get().then_some("true")>
            <th scope="row" class="everyone-version">
                <button
                    type="button"
                    class="table-entry"
                    data-row=at.to_string()
                    title=name
                    tabindex=if at == 0 { "0" } else { "-1" }
                    on:click=move |_| show_version(app, &row, &through)
                >
                    {cut_version(&version)}
                </button>
            </th>
            {courses(course.as_ref())}
            {courses(Some(&v1))}
            <td class="map-said">
                {is_deprecated.then(|| view! { <span class="strip-mark" data-tone="advice">"deprecated"</span> })}
                {is_gone.then(|| view! { <span class="strip-mark">"not in the catalog"</span> })}
                {marks
                    .into_iter()
                    .map(|(mark, text)| view! { <span class="strip-mark" data-tone=tone(mark)>{glyph(mark)} " " {text}</span> })
                    .collect_view()}
                {differs.then(|| view! { <span class="strip-mark" data-tone="advice">"≠ Classic and v1 differ"</span> })}
            </td>
            {elsewhere
                .into_iter()
                .map(|course| {
                    let course = course.as_ref();
                    view! { <td class="mono" data-destination=next_tone(course)>{cut_version(&course_text(course))}</td> }
                })
                .collect_view()}
        </tr>
    }
    .into_any()
}

/// Renders the next step, end and number of steps of a path.
fn courses(course: Option<&PathSummary>) -> impl IntoView + use<> {
    let (to, edge) = (
        course_text(course),
        course
            .filter(|course| course.next.is_some())
            .map(|course| course.edge.as_str()),
    );
    let ends = course.filter(|course| course.error.is_none());
    let end = ends.map_or_else(String::new, |course| {
        version_or_name(&course.last).to_owned()
    });
    let steps = course.map_or_else(String::new, |course| course.steps.to_string());
    view! {
        <td class="mono" data-destination=next_tone(course)>
            {cut_version(&to)}
            {edge.map(|edge| view! { <span class="visually-hidden">{format!(" by {edge}")}</span> })}
        </td>
        <td class="mono">{cut_version(&end)}</td>
        <td class="mono everyone-steps">{steps}</td>
    }
    .into_any()
}

fn course_text(course: Option<&PathSummary>) -> String {
    if course.is_none() {
        String::new()
    } else {
        next(course)
    }
}

/// Makes the version of a row the installed one and selects it.
fn show_version(app: AppContext, row: &EveryoneRow, through: &LensChannel) {
    let name = row.name.clone();
    let course = through.course(row).or(row.v0.first());
    let target = match course {
        Some(course) => Target::Entry {
            channel: course.channel.clone(),
            name: name.clone(),
        },
        None => Target::Bundle { name: name.clone() },
    };
    app.ask_upgrade(|question| question.origin = Origin::Installed(name));
    app.select(target);
}

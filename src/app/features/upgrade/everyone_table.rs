//! The upgrade map: all next steps as a table, one row per published version, under both lenses and
//! for each channel.
//!
//! | key | effect |
//! |---|---|
//! | Down, Up, Home, End | next, previous, first and last row |
//! | Enter, Space | shows the version in the inspector |

use super::everyone_strip::{EveryoneQuery, show_version};
use super::everyone_text::{
    Column, LensChannel, all_marks, differs, glyph, marks, next, next_tone, row_label, sorted_rows,
    tone, version_or_name,
};
use super::incomplete::incomplete;
use crate::context::{AppContext, app_context};
use crate::reactive::memo;
use crate::widgets::cut_text::cut_version;
use crate::widgets::disclosure::Disclosure;
use crate::widgets::list_cursor::Axis;
use crate::widgets::roving_focus::rove;
use crate::words;
use leptos::prelude::*;
use protocol::upgrades::{EveryoneRow, PathMark, PathSummary};
use protocol::views::Lens;

/// The meaning of the marks in these rows; `None` without marks.
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
pub fn EveryoneTable(everyone: EveryoneQuery) -> impl IntoView {
    let app = app_context();
    let which = RwSignal::new(RowFilter::All);
    let all_channels = RwSignal::new(false);
    let order = RwSignal::new((Column::Version, true));
    let classic = memo(move |_| LensChannel {
        lens: Lens::V0,
        channel: everyone.subscribed.get(),
    });
    let v1 = LensChannel {
        lens: Lens::V1,
        channel: String::new(),
    };
    // Channels other than the subscribed one, if requested.
    let others = memo(move |_| {
        let channels = everyone.now.with(|view| {
            view.as_ref()
                .map(|view| view.channels.clone())
                .unwrap_or_default()
        });
        channels
            .into_iter()
            .filter(|name| all_channels.get() && *name != everyone.subscribed.get())
            .collect::<Vec<_>>()
    });
    let rows = memo(move |_| {
        let (by, descending) = order.get();
        let (which, subscribed) = (which.get(), everyone.subscribed.get());
        everyone.now.with(|view| {
            let Some(view) = view else { return Vec::new() };
            let order = sorted_rows(view, &by, descending).into_iter();
            let rows = order
                .filter_map(|at| view.rows.get(at))
                .filter(|row| which.takes(row, &subscribed));
            rows.cloned().collect::<Vec<_>>()
        })
    });
    let count = move |which: RowFilter| {
        let subscribed = everyone.subscribed.get();
        everyone.now.with(|view| {
            view.as_ref().map_or(0, |view| {
                view.rows
                    .iter()
                    .filter(|row| which.takes(row, &subscribed))
                    .count()
            })
        })
    };
    let heads = move || {
        let classic = classic.get();
        let mut heads = vec![
            ("Version", "Version".to_owned(), Column::Version),
            (
                "Next",
                "Classic next".to_owned(),
                Column::Next(classic.clone()),
            ),
            (
                "End",
                "Classic end".to_owned(),
                Column::Last(classic.clone()),
            ),
            ("Steps", "Classic steps".to_owned(), Column::Steps(classic)),
            ("Next", "OLM v1 next".to_owned(), Column::Next(v1.clone())),
            ("End", "OLM v1 end".to_owned(), Column::Last(v1.clone())),
            (
                "Steps",
                "OLM v1 steps".to_owned(),
                Column::Steps(v1.clone()),
            ),
            ("Marks", "Marks".to_owned(), Column::Marks),
        ];
        heads.extend(others.get().into_iter().map(|channel| {
            (
                "Next",
                format!("Next in {channel}"),
                Column::Next(LensChannel {
                    lens: Lens::V0,
                    channel,
                }),
            )
        }));
        heads
    };
    let marks_here = memo(move |_| {
        let subscribed = everyone.subscribed.get();
        everyone.now.with(|view| {
            view.as_ref()
                .map(|view| all_marks(&view.rows, &subscribed))
                .unwrap_or_default()
        })
    });
    let places = memo(move |_| {
        everyone.now.with(|view| {
            view.as_ref()
                .map(|view| view.incomplete.clone())
                .unwrap_or_default()
        })
    });
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
                        <tr>
                            {move || {
                                let heads = heads().into_iter();
                                heads.map(|(text, name, column)| head(order, text, name, column)).collect_view()
                            }}
                        </tr>
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

/// `name` is the full text of the abbreviated `text`.
fn head(
    order: RwSignal<(Column, bool)>,
    text: &'static str,
    name: String,
    column: Column,
) -> impl IntoView {
    let own = column.clone();
    let state = memo(move |_| {
        order.with(|(by, descending)| match (*by == own, *descending) {
            (false, _) => "none",
            (true, true) => "descending",
            (true, false) => "ascending",
        })
    });
    view! {
        <th scope="col" aria-sort=move || state.get()>
            <button
                type="button"
                class="sort"
                aria-label=name
                on:click=move |_| order.update(|(by, descending)| {
                    // The first press sorts the most important rows to the top.
                    *descending = *by != column || !*descending;
                    *by = column.clone();
                })
            >
                {text}
                <span class="sort-mark" aria-hidden="true">
                    {move || match state.get() {
                        "ascending" => "▲",
                        "descending" => "▼",
                        _ => "",
                    }}
                </span>
            </button>
        </th>
    }
    .into_any()
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
    let of = classic.course(&row).cloned();
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
            {courses(of.as_ref())}
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
                    view! { <td class="mono" data-destination=next_tone(course)>{cut_version(&cell(course))}</td> }
                })
                .collect_view()}
        </tr>
    }
    .into_any()
}

/// Next step, end and number of steps of a path.
fn courses(course: Option<&PathSummary>) -> impl IntoView + use<> {
    let (to, edge) = (
        cell(course),
        course
            .filter(|course| course.next.is_some())
            .map(|course| course.edge.clone()),
    );
    let ends = course.filter(|course| course.error.is_empty());
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

fn cell(course: Option<&PathSummary>) -> String {
    if course.is_none() {
        String::new()
    } else {
        next(course)
    }
}

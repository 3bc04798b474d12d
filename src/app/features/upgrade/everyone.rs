//! The upgrade map: all next steps as a table, one row per published version, under both lenses and
//! for each channel. Also the strip: one cell per published version, oldest first like the graph's
//! columns, which previews the effect of a drag or a typed range.
//!
//! | key | effect |
//! |---|---|
//! | Down, Up, Home, End | next, previous, first and last row |
//! | Enter, Space | shows the version in the inspector |

use super::everyone_text::{
    Column, LensChannel, all_marks, differs, glyph, marks, next, next_tone, row_label, sentence,
    shorten, sorted_rows, summary, tone, version_or_name,
};
use super::incomplete;
use crate::context::{AppContext, app_context, debounced_query};
use crate::edits::titles::hypothesis;
use crate::reactive::{effect, memo};
use crate::state::store::Tab;
use crate::widgets::buttons::{Button, Disclosure, Look};
use crate::widgets::cursors::{Axis, rove};
use crate::widgets::short_text::cut_version;
use crate::words;
use leptos::html;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::request::Target;
use protocol::upgrades::{EveryoneRow, EveryoneView, PathMark, PathSummary};
use protocol::views::{Lens, Origin, UpgradeQuestion};
use std::collections::HashMap;
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

/// Renders the heading of a column. `name` is the full text of the abbreviated `text`.
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

/// Maximum characters of a version in a cell.
const SHOWN: usize = 12;

type View = Option<Arc<EveryoneView>>;

/// The answer for a hypothetical change.
#[derive(Debug, Clone, PartialEq)]
pub struct HypotheticalAnswer {
    /// The operations of a drop; none for a typed range.
    pub ops: Vec<EditOp>,
    /// The answer, or the reason for a refusal.
    pub view: Result<Arc<EveryoneView>, String>,
}

/// All next steps, now and after a hypothetical change.
#[derive(Clone, Copy)]
pub struct EveryoneQuery {
    /// Whether the strip is shown.
    pub is_asked: Memo<bool>,
    pub now: ReadSignal<View>,
    /// The answer with the current drag or typed range.
    pub supposed: ReadSignal<Option<HypotheticalAnswer>>,
    drag_ops: Memo<View>,
    pub through: Memo<LensChannel>,
    /// The channel that Classic follows.
    pub subscribed: Memo<String>,
}

impl EveryoneQuery {
    pub fn follow(app: AppContext) -> Self {
        let store = app.store;
        let is_asked = memo(move |_| {
            store
                .question
                .with(|question| question.origin == Origin::Everyone)
                && store.tab.get() == Tab::Graph
                && app.current.package.with(|package| !package.is_empty())
        });
        let is_needed = move || is_asked.get() || store.tab.get() == Tab::Everyone;
        // Use only v1's options, since Classic's answer covers every channel.
        let v1_question = |question: UpgradeQuestion| UpgradeQuestion {
            channels: question.channels,
            range: question.range,
            policy: question.policy,
            ..UpgradeQuestion::default()
        };
        let here = move || {
            (
                store.root.get(),
                app.current.package.get(),
                store.status.with(|status| status.revision),
            )
        };
        let wanted = Signal::derive(move || {
            is_needed().then(|| (here(), v1_question(store.question.get())))
        });
        let now = debounced_query(wanted, move |(_, question)| async move {
            store.everyone(question, Vec::new()).await?.ok()
        });
        // Also used by the card beside the pointer, even if the strip is hidden.
        let asked_for = Signal::derive(move || {
            let (ops, typed) = (
                app.draft_query.drag_ops.get(),
                app.draft_query.range.get().is_some(),
            );
            let is_wanted = !ops.is_empty() || typed && is_needed();
            is_wanted.then(|| (here(), (v1_question(app.draft_query.question.get()), ops)))
        });
        let supposed = debounced_query(asked_for, move |(_, (question, ops))| async move {
            let view = store.everyone(question, ops.clone()).await?;
            Some(HypotheticalAnswer { ops, view })
        });
        let drag_ops =
            memo(move |_| supposed.with(|supposed| supposed.as_ref()?.view.as_ref().ok().cloned()));
        let subscribed = memo(move |_| {
            let channel = store.question.with(|question| question.channel.clone());
            if channel.is_empty() {
                app.current.view.with(|view| view.default_channel.clone())
            } else {
                channel
            }
        });
        let through = memo(move |_| {
            let lens = store.question.with(|question| question.lens);
            LensChannel {
                lens,
                channel: if lens == Lens::V0 {
                    subscribed.get()
                } else {
                    String::new()
                },
            }
        });
        Self {
            is_asked,
            now,
            supposed,
            drag_ops,
            through,
            subscribed,
        }
    }
}

/// Shows a row: selects it if all next steps are shown, otherwise makes it the installed version.
pub(super) fn show_version(app: AppContext, row: &EveryoneRow, through: &LensChannel) {
    let channel = through
        .course(row)
        .map(|course| course.channel.clone())
        .filter(|channel| !channel.is_empty());
    let target = match channel.or_else(|| row.v0.first().map(|course| course.channel.clone())) {
        Some(channel) => Target::Entry {
            channel,
            name: row.name.clone(),
        },
        None => Target::Bundle {
            name: row.name.clone(),
        },
    };
    let name = row.name.clone();
    app.ask_upgrade(|question| {
        if question.origin != Origin::Everyone {
            question.origin = Origin::Installed(name);
        }
    });
    app.select(target);
}

#[component]
pub fn EveryoneStrip(everyone: EveryoneQuery) -> impl IntoView {
    let app = app_context();
    let view = memo(move |_| everyone.drag_ops.get().or_else(|| everyone.now.get()));
    let cells = memo(move |_| {
        let through = everyone.through.get();
        // Show the hypothetical result together with the current one.
        let before = everyone
            .drag_ops
            .with(Option::is_some)
            .then(|| everyone.now.get())
            .flatten();
        let before = before
            .as_deref()
            .map(|view| answers(view, &through))
            .unwrap_or_default();
        view.with(|view| {
            let rows = view
                .as_deref()
                .map(|view| view.rows.as_slice())
                .unwrap_or_default();
            rows.iter()
                .rev()
                .map(|row| Cell::new(row, &through, &before))
                .collect::<Vec<_>>()
        })
    });
    let list = NodeRef::<html::Ol>::new();
    show_newest(
        list,
        Signal::derive(move || view.with(|view| view.as_ref().map(|view| view.package.clone()))),
    );
    let answer = move || {
        let through = everyone.through.get();
        view.with(|view| {
            let view = view.as_ref()?;
            let refused = view
                .refused
                .iter()
                .find(|(channel, _)| *channel == through.channel);
            Some((
                summary(view, &through, &everyone.subscribed.get()),
                refused.map(|(_, text)| text.clone()),
            ))
        })
    };
    let supposed = move || {
        everyone
            .drag_ops
            .with(Option::is_some)
            .then(|| hypothesis(&app.draft_query.drag_ops.get()))
    };
    view! {
        <section class="strip" aria-labelledby="strip-title">
            <div class="strip-head">
                <h2 class="strip-title" id="strip-title">"Everyone's next step"</h2>
                <span class="dim">{move || everyone.through.with(LensChannel::to_text)}</span>
                {move || supposed().map(|text| view! { <span class="strip-supposed">{text}</span> })}
                <p class="strip-summary">
                    {move || {
                        let (parts, refused) = answer().unwrap_or_default();
                        let parts = parts.into_iter().map(|(tone, text)| view! { <span data-tone=tone>{text}</span> });
                        view! {
                            {parts.collect_view()}
                            {refused.map(|text| view! { <span data-tone="bad">{text}</span> })}
                        }
                    }}
                </p>
                <Button label="As a table" look=Look::Quiet on_press=move |()| app.store.tab.show(Tab::Everyone)/>
            </div>
            <ol
                node_ref=list
                class="strip-cells"
                aria-label="Everyone's next step"
                on:keydown=move |event| rove(&event, ".strip-cell", Axis::Horizontal)
            >
                <For each=move || keys(&cells.get()) key=|key| key.clone() let:key>
                    {strip_cell(app, everyone, cells, key)}
                </For>
            </ol>
        </section>
    }
    .into_any()
}

/// Scrolls the strip to its newest end, where the graph starts too.
fn show_newest(list: NodeRef<html::Ol>, package: Signal<Option<String>>) {
    effect(move |before: Option<Option<String>>| {
        let now = package.get();
        if now.is_some() && before.flatten() != now {
            request_animation_frame(move || {
                if let Some(list) = list.try_get_untracked().flatten() {
                    list.set_scroll_left(list.scroll_width());
                }
            });
        }
        now
    });
}

/// Maps names to their next steps.
fn answers(view: &EveryoneView, through: &LensChannel) -> HashMap<String, String> {
    view.rows
        .iter()
        .map(|row| (row.name.clone(), next(through.course(row))))
        .collect()
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq)]
struct Cell {
    row: EveryoneRow,
    sentence: String,
    to: String,
    tone: &'static str,
    /// The current target, if the hypothetical one differs.
    was: Option<String>,
    is_listed: bool,
    goes: bool,
    marks: Vec<PathMark>,
}

impl Cell {
    fn new(row: &EveryoneRow, through: &LensChannel, before: &HashMap<String, String>) -> Self {
        let course = through.course(row);
        let to = next(course);
        let was = before.get(&row.name).filter(|was| **was != to).cloned();
        Self {
            sentence: sentence(row, through, was.as_deref()),
            to,
            tone: next_tone(course),
            was,
            is_listed: course.is_some(),
            goes: course.is_some_and(|course| course.next.is_some()),
            marks: course.map_or_else(Vec::new, |course| course.marks.clone()),
            row: row.clone(),
        }
    }
}

/// Returns the keys of cells. They do not depend on the answer: a cell keeps its element, so that a
/// press that ends typing still reaches it.
fn keys(cells: &[Cell]) -> Vec<(usize, String)> {
    cells
        .iter()
        .enumerate()
        .map(|(at, cell)| (at, cell.row.name.clone()))
        .collect()
}

fn strip_cell(
    app: AppContext,
    everyone: EveryoneQuery,
    cells: Memo<Vec<Cell>>,
    (at, name): (usize, String),
) -> impl IntoView {
    let cell = memo(move |_| cells.with(|cells| cells.get(at).cloned()));
    let attribute = move |what: fn(&Cell) -> String| {
        move || cell.with(|cell| cell.as_ref().map(what).unwrap_or_default())
    };
    let is_selected = memo(move |_| {
        app.current
            .selected_entry()
            .is_some_and(|entry| entry.name == name)
    });
    let press = move |_| {
        if let Some(cell) = cell.get_untracked() {
            show_version(app, &cell.row, &everyone.through.get_untracked());
        }
    };
    view! {
        <li>
            <button
                type="button"
                class="strip-cell"
                aria-label=attribute(|cell| cell.sentence.clone())
                title=attribute(|cell| cell.sentence.clone())
                data-goes=attribute(|cell| cell.goes.to_string())
                data-listed=attribute(|cell| cell.is_listed.to_string())
                data-changed=attribute(|cell| cell.was.is_some().to_string())
                data-tone=attribute(|cell| cell.marks.first().map_or("", |mark| tone(*mark)).to_owned())
                aria-pressed=move || is_selected.get().to_string()
                tabindex=move || if at == 0 || is_selected.get() { "0" } else { "-1" }
                on:click=press
            >
                <span class="strip-version">{attribute(|cell| shorten(row_label(&cell.row), SHOWN))}</span>
                <span class="strip-next" data-destination=attribute(|cell| cell.tone.to_owned())>{attribute(|cell| if cell.goes { format!("→ {}", shorten(&cell.to, SHOWN)) } else { cell.to.clone() })}</span>
                <span class="strip-was">
                    {attribute(|cell| cell.was.as_ref().map_or_else(String::new, |was| format!("was {}", shorten(was, SHOWN))))}
                </span>
                {move || cell.get().map(|cell| mark_line(&cell.marks))}
            </button>
        </li>
    }
    .into_any()
}

/// Renders the worst mark as text, the others as shapes. The cell's accessible name has all of
/// them.
fn mark_line(marks: &[PathMark]) -> impl IntoView + use<> {
    let others: String = marks
        .iter()
        .skip(1)
        .map(|mark| format!(" {}", glyph(*mark)))
        .collect();
    marks.first().map(|mark| {
        view! { <span class="strip-mark" data-tone=tone(*mark)>{glyph(*mark)} " " {mark.label()} {others}</span> }
    })
}

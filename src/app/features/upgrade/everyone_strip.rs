//! All next steps as a strip: one cell per published version, oldest first, like the graph's
//! columns. Previews the effect of a drag or a typed range.

use super::everyone_text::{
    LensChannel, glyph, next, next_tone, row_label, sentence, shorten, summary, tone,
};
use crate::context::{AppContext, app_context, debounced_query};
use crate::reactive::{effect, memo};
use crate::state::store::Tab;
use crate::widgets::button::{Button, Look};
use crate::widgets::list_cursor::Axis;
use crate::widgets::roving_focus::rove;
use leptos::html;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::request::Target;
use protocol::upgrades::{EveryoneRow, EveryoneView, PathMark};
use protocol::views::{Lens, Origin, UpgradeQuestion};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum characters of a version in a cell.
const SHOWN: usize = 12;

type View = Option<Arc<EveryoneView>>;

/// The answer for a hypothetical change.
#[derive(Debug, Clone, PartialEq)]
pub struct HypotheticalAnswer {
    /// The operations of a drop; none for a typed range.
    pub ops: Vec<EditOp>,
    /// With the reason if it is refused.
    pub view: Result<Arc<EveryoneView>, String>,
}

/// All next steps, now and after a hypothetical change.
#[derive(Clone, Copy)]
pub struct EveryoneQuery {
    /// Whether the strip is shown.
    pub is_asked: Memo<bool>,
    pub now: ReadSignal<View>,
    /// With the current drag or typed range.
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
        // Only v1's options matter: Classic's answer covers every channel.
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
        // The card beside the pointer uses it too, whether the strip is shown or not.
        let asked_for = Signal::derive(move || {
            let (ops, typed) = (
                app.draft_query.drag_ops().get(),
                app.draft_query.range().get().is_some(),
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
            .then(|| supposition(&app.draft_query.drag_ops().get()))
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
                <Button label="As a table" look=Look::Quiet on_press=move |()| app.store.show_tab(Tab::Everyone)/>
            </div>
            <ol
                node_ref=list
                class="strip-cells"
                aria-label="Everyone's next step"
                on:keydown=move |event| rove(&event, ".strip-cell", Axis::Horizontal)
            >
                <For each=move || keys(&cells.get()) key=|key| key.clone() let:key>
                    {cell(app, everyone, cells, key)}
                </For>
            </ol>
        </section>
    }
    .into_any()
}

/// Like the graph, the strip starts at its newest end.
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

/// The next steps by name.
fn answers(view: &EveryoneView, through: &LensChannel) -> HashMap<String, String> {
    view.rows
        .iter()
        .map(|row| (row.name.clone(), next(through.course(row))))
        .collect()
}

fn supposition(ops: &[EditOp]) -> String {
    match ops {
        [EditOp::Promote { bundle, to, .. }] => format!("if {bundle} were promoted to {to}"),
        [
            EditOp::SetReplaces {
                name,
                replaces: Some(older),
                ..
            },
        ] => format!("if {name} replaced {older}"),
        [EditOp::AddSkip { name, skip, .. }] => format!("if {name} skipped {}", skip.join(", ")),
        [EditOp::SetDefaultChannel { channel, .. }] => {
            format!("if {channel} were the default channel")
        }
        _ => "with the range as typed".to_owned(),
    }
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq)]
struct Cell {
    row: EveryoneRow,
    said: String,
    to: String,
    tone: &'static str,
    /// The current target, if it differs.
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
            said: sentence(row, through, was.as_deref()),
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

/// A cell keeps its element while its answer changes, so that a press that ends typing still
/// reaches it.
fn keys(cells: &[Cell]) -> Vec<(usize, String)> {
    cells
        .iter()
        .enumerate()
        .map(|(at, cell)| (at, cell.row.name.clone()))
        .collect()
}

fn cell(
    app: AppContext,
    everyone: EveryoneQuery,
    cells: Memo<Vec<Cell>>,
    (at, name): (usize, String),
) -> impl IntoView {
    let cell = memo(move |_| cells.with(|cells| cells.get(at).cloned()));
    let of = move |what: fn(&Cell) -> String| {
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
                aria-label=of(|cell| cell.said.clone())
                title=of(|cell| cell.said.clone())
                data-goes=of(|cell| cell.goes.to_string())
                data-listed=of(|cell| cell.is_listed.to_string())
                data-changed=of(|cell| cell.was.is_some().to_string())
                data-tone=of(|cell| cell.marks.first().map_or("", |mark| tone(*mark)).to_owned())
                aria-pressed=move || is_selected.get().to_string()
                tabindex=move || if at == 0 || is_selected.get() { "0" } else { "-1" }
                on:click=press
            >
                <span class="strip-version">{of(|cell| shorten(row_label(&cell.row), SHOWN))}</span>
                <span class="strip-next" data-destination=of(|cell| cell.tone.to_owned())>{of(|cell| if cell.goes { format!("→ {}", shorten(&cell.to, SHOWN)) } else { cell.to.clone() })}</span>
                <span class="strip-was">
                    {of(|cell| cell.was.as_ref().map_or_else(String::new, |was| format!("was {}", shorten(was, SHOWN))))}
                </span>
                {move || cell.get().map(|cell| mark_line(&cell.marks))}
            </button>
        </li>
    }
    .into_any()
}

/// The worst mark as text, the others as shapes; the cell's name has all.
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

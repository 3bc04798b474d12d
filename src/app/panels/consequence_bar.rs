//! The bar that says what the last edit did to users, with its undo beside it.

use super::consequence_parts::{ConsequencePart, PartTarget, parts};
use crate::commands::Command;
use crate::components::consequences::ConsequenceList;
use crate::context::{AppContext, app_context};
use crate::state::store::{LastChange, Tab};
use crate::widgets::button::{Button, IconButton};
use crate::widgets::code_text::in_code;
use crate::widgets::icon::{Glyph, Icon};
use crate::words::{ConsequenceLine, Outcome, consequences};
use leptos::html;
use leptos::prelude::*;
use protocol::views::{Consequences, EntryLocation, Hit};

/// So many lines stand in the bar; the rest opens.
const SHOWN: usize = 2;

#[component]
pub fn ConsequenceBar() -> impl IntoView {
    let app = app_context();
    view! {
        <section class="consequence" aria-label="Last edit" hidden=move || app.store.last_change.with(Option::is_none)>
            {move || {
                app.store
                    .last_change
                    .get()
                    .map(|change| match change {
                        LastChange::Made { title, consequences } => made(app, title, *consequences),
                        LastChange::Undone { title } => undone(app, title),
                    })
            }}
        </section>
    }
    .into_any()
}

/// What followed from a step, with its undo.
fn made(app: AppContext, title: String, found: Consequences) -> AnyView {
    let lines = consequences(&found);
    let outcome = Outcome::of(&found, &lines);
    let parts = Some(parts(&found)).filter(|parts| !parts.is_empty());
    let more = NodeRef::<html::Details>::new();
    let summary = summary(&found, &lines);
    view! {
        <div class="consequence-bar" data-tone=outcome.name()>
            <OutcomeBadge outcome/>
            <div class="consequence-text">
                <strong class="consequence-title">{title}</strong>
                <span class="dim">{in_code(&summary)}</span>
            </div>
            {parts.map(|parts| view! { <Parts app parts more/> })}
            <details class="consequence-more" node_ref=more>
                <summary class="consequence-summary">"All consequences"</summary>
                <ConsequenceList lines/>
            </details>
            {buttons(app, Command::Undo.label(), Command::Undo, Signal::derive(move || !app.store.can_undo()))}
        </div>
    }
    .into_any()
}

/// The redo of what was undone; *Redo* is the button in the header.
const DO_AGAIN: &str = "Do it again";

/// What was undone, with its redo: what the step came to was said when it was made.
fn undone(app: AppContext, title: String) -> AnyView {
    view! {
        <div class="consequence-bar" data-tone=Outcome::Neutral.name()>
            <div class="consequence-text">
                <strong class="consequence-title">{title}</strong>
            </div>
            {buttons(app, DO_AGAIN, Command::Redo, Signal::derive(move || !app.store.can_redo()))}
        </div>
    }
    .into_any()
}

fn buttons(app: AppContext, label: &'static str, command: Command, disabled: Signal<bool>) -> impl IntoView {
    view! {
        <Button label=label disabled on_press=move |()| command.run(app)/>
        <IconButton label="Dismiss" icon=Icon::Close quiet=true on_press=move |()| app.store.dismiss_last_change()/>
    }
}

/// What followed in a line.
pub(super) fn summary(found: &Consequences, lines: &[ConsequenceLine]) -> String {
    match found.summary.is_empty() {
        true => lines.iter().take(SHOWN).map(ConsequenceLine::text).collect::<Vec<_>>().join(" · "),
        false => found.summary.clone(),
    }
}

/// What followed, counted: each button shows what it counts, one after the other.
#[component]
fn Parts(app: AppContext, parts: Vec<ConsequencePart>, more: NodeRef<html::Details>) -> impl IntoView {
    let button = |ConsequencePart { tone, text, targets }: ConsequencePart| {
        let next = StoredValue::new(0usize);
        let press = move |_| {
            let at = next.get_value();
            next.set_value((at + 1) % targets.len().max(1));
            match targets.get(at) {
                Some(PartTarget::List) => open(more),
                Some(targets) => go(app, targets.clone()),
                None => {}
            }
        };
        view! {
            <li>
                <button type="button" class="consequence-part" data-tone=tone.name() on:click=press>{text}</button>
            </li>
        }
    };
    view! { <ul class="consequence-parts" aria-label="What changed">{parts.into_iter().map(button).collect_view()}</ul> }
        .into_any()
}

fn open(more: NodeRef<html::Details>) {
    if let Some(more) = more.get_untracked() {
        // Setting an attribute of an element that is there cannot fail.
        let _ = more.set_attribute("open", "");
    }
}

fn go(app: AppContext, targets: PartTarget) {
    match targets {
        PartTarget::Problem(problem) => app.open_problem_like(&problem),
        PartTarget::EntryLocation(EntryLocation { root, package, channel, name }) => {
            if app.store.tab.with_untracked(|tab| !matches!(tab, Tab::Graph | Tab::Table)) {
                app.store.show_tab(Tab::Graph);
            }
            app.show_hit(Hit { root, package, channel, bundle: name, ..Hit::default() });
        }
        PartTarget::Everyone => app.store.show_tab(Tab::Everyone),
        PartTarget::List => {}
    }
}

/// What the edit came to, by icon and in words.
#[component]
fn OutcomeBadge(outcome: Outcome) -> impl IntoView {
    let icons: &[(Icon, &str)] = match outcome {
        Outcome::Neutral => &[],
        Outcome::Better => &[(Icon::Check, "good")],
        Outcome::Mixed => &[(Icon::Check, "good"), (Icon::Warning, "advice")],
        Outcome::Advice => &[(Icon::Warning, "advice")],
        Outcome::Worse => &[(Icon::Error, "bad")],
    };
    let glyph = |(icon, tone): &(Icon, &'static str)| {
        view! { <span class="consequence-glyph" data-tone=*tone><Glyph icon=*icon/></span> }
    };
    view! {
        <span class="consequence-mood" data-tone=outcome.name() hidden=icons.is_empty()>
            {icons.iter().map(glyph).collect_view()}
            <span>{outcome.words()}</span>
        </span>
    }
    .into_any()
}

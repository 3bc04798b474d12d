//! Saving to disk in *Review changes*: progress, result, and choices for files that somebody else
//! changed.

use crate::components::diff::Diff;
use crate::context::{AppContext, app_context};
use crate::reactive::effect;
use crate::state::save_state::{
    Conflict, ConflictChoice, REFUSED_NAME, SaveReport, SaveState, refused_names,
};
use crate::widgets::announce;
use crate::widgets::code_text::in_code;
use crate::widgets::dom;
use crate::widgets::icon::{Glyph, Icon};
use crate::words;
use leptos::html;
use leptos::prelude::*;
use protocol::disk_check::BothSides;
use protocol::views::FileDiff;

/// Progress of a save, or its result if there is something to read.
#[component]
pub fn SaveState() -> impl IntoView {
    let app = app_context();
    let progress = move || match app.store.saving.get() {
        SaveState::Asking => "Waiting for the browser's permission to write…".to_owned(),
        SaveState::Comparing => "Comparing with what is on disk…".to_owned(),
        SaveState::Writing { done, total } => {
            format!("Writing: {done} of {}…", words::count(total, "file"))
        }
        SaveState::Idle | SaveState::Deciding(_) | SaveState::Ended(_) => String::new(),
    };
    announce::follow(progress);
    announce::follow_alert(move || match app.store.saving.get() {
        SaveState::Ended(report) if !report.is_plain() => {
            "Not everything was saved: the dialog says why.".to_owned()
        }
        _ => String::new(),
    });
    let report = move || match app.store.saving.get() {
        SaveState::Ended(report) => Some(report),
        _ => None,
    };
    let lacking = move || {
        app.actions.cannot_save()
            .map(|why| view! { <p class="save-note"><Glyph icon=Icon::Info/><span>{in_code(why)}</span></p> })
    };
    let refused = move || {
        let refused = app
            .store
            .status
            .with(|status| refused_names(&status.changed_files));
        (app.actions.cannot_save().is_none() && !refused.is_empty()).then(|| {
            let text = format!(
                "Save to disk leaves out {}: {REFUSED_NAME}.",
                refused.join(", ")
            );
            view! { <p class="save-note"><Glyph icon=Icon::Warning/>{text}</p> }
        })
    };
    view! {
        <p class="save-progress">{progress}</p>
        <div>{move || report().filter(|report| !report.is_plain()).map(result_view)}</div>
        {lacking}
        {refused}
    }
    .into_any()
}

fn result_view(report: SaveReport) -> impl IntoView {
    let SaveReport {
        stopped,
        written,
        up_to_date,
        failed,
        set_aside,
    } = report;
    let title = match (stopped.is_empty(), failed.is_empty()) {
        (false, _) => "Not saved",
        (true, false) => "Not everything was saved",
        (true, true) => "Saved, except edits that no longer apply",
    };
    let done: Vec<String> = written.into_iter().chain(up_to_date).collect();
    view! {
        <div class="save-report" role="group" aria-label="Save result">
            <h3 class="save-title"><Glyph icon=Icon::Warning/>{title}</h3>
            {(!stopped.is_empty()).then(|| view! { <p>{stopped}</p> })}
            {render_list("Not written", failed)}
            {render_list("Set aside", set_aside.into_iter().map(|(step, why)| (step.title, why)).collect())}
            {(!done.is_empty())
                .then(|| {
                    view! {
                        <p class="save-list-title">"Written"</p>
                        <ul class="save-list" aria-label="Written">
                            {done.into_iter().map(|path| view! { <li><code>{path}</code></li> }).collect_view()}
                        </ul>
                    }
                })}
        </div>
    }
    .into_any()
}

fn render_list(title: &'static str, list: Vec<(String, String)>) -> Option<impl IntoView> {
    (!list.is_empty()).then(|| {
        view! {
            <p class="save-list-title">{title}</p>
            <ul class="save-list" aria-label=title>
                {list
                    .into_iter()
                    .map(|(what, why)| view! { <li><strong>{what}</strong>": "{in_code(&why)}</li> })
                    .collect_view()}
            </ul>
        }
        .into_any()
    })
}

/// Files that somebody else changed, with the choices. Rebuilt for each save with conflicts.
#[component]
pub fn Conflicts() -> impl IntoView {
    let app = app_context();
    let conflicts = match app.store.saving.get_untracked() {
        SaveState::Deciding(conflicts) => conflicts,
        _ => Vec::new(),
    };
    let count = words::count(conflicts.len() as u32, "file");
    let summary = NodeRef::<html::P>::new();
    // The pressed button is out of view and lost the focus.
    effect(move |_| {
        if let Some(summary) = summary.get() {
            dom::focus(&summary);
        }
    });
    view! {
        <p node_ref=summary class="review-summary" tabindex="-1">
            {format!("{count} changed on disk since they were read. Nothing is written until you choose.")}
        </p>
        {conflicts.into_iter().enumerate().map(|(index, conflict)| one(app, index, conflict)).collect_view()}
    }
    .into_any()
}

fn one(app: AppContext, index: usize, conflict: Conflict) -> impl IntoView {
    let (heading, labelled) = {
        let id = dom::fresh_id("conflict");
        (id.clone(), id)
    };
    let name = dom::fresh_id("way");
    let ways = conflict.ways();
    let Conflict { path, sides, .. } = conflict;
    let is_chosen = move |way: ConflictChoice| {
        app.store.saving.with(|saving| match saving {
            SaveState::Deciding(list) => list
                .get(index)
                .is_some_and(|conflict| conflict.way == Some(way)),
            _ => false,
        })
    };
    let choices = ways.iter().map(|&way| {
        let (label, hint) = choice_text(way, sides.as_deref());
        let note = dom::fresh_id("way-note");
        view! {
            <label class="way">
                <input
                    type="radio"
                    name=name.clone()
                    aria-describedby=note.clone()
                    prop:checked=move || is_chosen(way)
                    on:change=move |_| app.store.choose_resolution(index, way)
                />
                <span class="way-label">{label}</span>
                <span class="dim" id=note>{hint}</span>
            </label>
        }
    });
    let choices: Vec<_> = choices.collect();
    let what = match sides {
        Some(_) => "Changed on disk since it was read.",
        None => "Deleted on disk.",
    };
    view! {
        <section class="conflict" aria-labelledby=labelled>
            <h3 class="conflict-title" id=heading>{path.clone()}</h3>
            <p class="dim">{what}</p>
            <fieldset class="ways">
                <legend class="visually-hidden">{format!("What to do with {path}")}</legend>
                {choices}
            </fieldset>
            {sides.map(|sides| both(*sides))}
        </section>
    }
    .into_any()
}

fn both(sides: BothSides) -> impl IntoView {
    let BothSides {
        theirs,
        mine,
        refused,
        ..
    } = sides;
    let refused = refused
        .into_iter()
        .map(|(step, why)| (step.title, why))
        .collect();
    let named_as = |file: FileDiff, what: &str| FileDiff {
        path: format!("{}: {what}", file.path),
        ..file
    };
    view! {
        {render_list("Edits that do not apply to the file on disk", refused)}
        <Diff file=named_as(theirs, "changed on disk")/>
        <Diff file=named_as(mine, "what Keep mine would overwrite")/>
    }
    .into_any()
}

/// A choice and its effect as text.
fn choice_text(way: ConflictChoice, sides: Option<&BothSides>) -> (&'static str, String) {
    match (way, sides) {
        (ConflictChoice::Merge, Some(sides)) if sides.refused.is_empty() => (
            "Merge",
            "reapply my edits to the file on disk; all of them apply".to_owned(),
        ),
        (ConflictChoice::Merge, sides) => {
            let refused = sides.map_or(0, |sides| sides.refused.len()) as u32;
            let fitting = sides.map_or(0, |sides| sides.fitting);
            let hint = format!(
                "reapply {} to the file on disk and set aside {refused}",
                words::count(fitting, "edit")
            );
            ("Merge", hint)
        }
        (ConflictChoice::Mine, Some(_)) => ("Keep mine", "overwrite the file on disk".to_owned()),
        (ConflictChoice::Mine, None) => ("Keep mine", "write the file again".to_owned()),
        (ConflictChoice::Theirs, _) => (
            "Take theirs",
            "drop my edits in this file; undo brings them back".to_owned(),
        ),
        (ConflictChoice::Leave, _) => ("Leave it", "do not save this file now".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Json;
    use protocol::request::ReplayStep;

    #[test]
    fn a_merge_reports_the_edits_it_would_set_aside() {
        let step = ReplayStep {
            title: "Set range".into(),
            ops: Json(Vec::new()),
        };
        let sides = |refused: usize| BothSides {
            theirs: FileDiff::default(),
            mine: FileDiff::default(),
            fitting: 1,
            refused: vec![(step.clone(), "gone".into()); refused],
        };
        assert!(
            choice_text(ConflictChoice::Merge, Some(&sides(0)))
                .1
                .ends_with("all of them apply")
        );
        assert_eq!(
            choice_text(ConflictChoice::Merge, Some(&sides(2))).1,
            "reapply 1 edit to the file on disk and set aside 2"
        );
    }
}

//! *Source*: the file at the selection as editable text. Typing creates history steps like forms
//! do; problems are marked in place; keys and names are completed and explained. Only lines around
//! the caret are loaded, others when scrolled to, so that files of any size open at once.

mod source_panel;

use crate::components::problem_parts::FixButton;
use crate::context::navigation;
use crate::prelude::*;
use crate::state::store::SourcePlace;
use crate::widgets::editor::find::{FindBar, FindRow};
use crate::widgets::editor::text::TextPosition;
use crate::widgets::editor::{Editor, Owner, TextEditor};
use completion::suggestions::Names;
use protocol::diagnostic::Diagnostic;
use source_panel::{Panel, count_problems};

#[component]
pub fn Source() -> impl IntoView {
    let app = app_context();
    let panel = Panel {
        app,
        editor: StoredValue::default(),
        find: FindBar::default(),
        wanted: StoredValue::default(),
        names: RwSignal::new(Names::default()),
        requested: StoredValue::default(),
        is_recording: StoredValue::default(),
    };
    let editor = Editor::new(Owner {
        on_typing: Callback::new(move |()| panel.on_typing()),
        on_step: Callback::new(move |(change, kind)| panel.add_step(change, kind)),
        on_leave: Callback::new(move |()| app.text_steps.finish_run()),
        on_missing_target: Callback::new(move |place| panel.go_to_far(place)),
        on_missing_lines: Callback::new(move |line| panel.load_lines(line)),
        on_undo: Callback::new(move |()| {
            panel.run_after_typing(move || app.text_steps.undo_in_file())
        }),
        on_redo: Callback::new(move |()| panel.run_after_typing(move || app.text_steps.redo())),
        on_find: Callback::new(move |()| {
            panel.find.open(
                &panel
                    .editor
                    .get_value()
                    .map(Editor::selected_text)
                    .unwrap_or_default(),
            )
        }),
        on_go_to_line: Callback::new(move |()| panel.find.open_line()),
        offer: Callback::new(move |place| panel.completions(place)),
        help: Callback::new(move |place| panel.help(place)),
    });
    panel.editor.set_value(Some(editor));
    app.text_steps.set_editor(Callback::new(move |close| {
        if close {
            editor.close_step();
        } else {
            panel.record_typed();
        }
    }));
    on_cleanup(move || {
        editor.close_step();
        app.text_steps.finish_run();
        // All pending text was reverted.
        app.text_steps.note_all_typed();
    });
    follow_store(panel, editor);
    show_selection(app);
    let place = derived(move || app.store.source.place.get().unwrap_or_default());
    let file = memo(move |_| place.with(|place| place.file.clone()));
    let problem_counts = memo(move |_| {
        app.store
            .problems
            .with(|problems| file.with(|file| count_problems(problems, file)))
    });
    effect(move |before: Option<(String, String)>| {
        let now = (file.get(), problem_counts.get());
        if before.is_some_and(|before| before.0 == now.0 && before.1 != now.1) {
            editor.say(if now.1.is_empty() {
                "No problems in this file.".to_owned()
            } else {
                format!("{} in this file.", now.1)
            });
        }
        now
    });
    // The control may contain another file's text, or none.
    let unread = memo(move |_| {
        let unread = app.store.source.unread.get()?;
        file.with(|file| *file == unread.path)
            .then_some(unread.reason)
    });
    let line_count = move || match unread.get() {
        Some(_) => String::new(),
        None => words::count(editor.total.get(), "line"),
    };
    view! {
        <Show
            when=move || file.with(|file| !file.is_empty())
            fallback=|| {
                view! { <p class="source-none">"Select an entry, channel or bundle to see its lines."</p> }
            }
        >
            <div class="source" class:unread=move || unread.get().is_some()>
                <div class="source-head">
                    <span class="source-file">{move || file.get()}</span>
                    <span class="dim">
                        {line_count}
                        {move || problem_counts.with(|problem_counts| if problem_counts.is_empty() { String::new() } else { format!(" · {problem_counts}") })}
                    </span>
                    <span class="source-actions">
                        <Button label="Find" icon=Icon::Search look=Look::Quiet on_press=move |()| panel.find.open("")/>
                    </span>
                </div>
                <FindRow
                    bar=panel.find
                    on_find=move |backwards| panel.search(backwards)
                    on_line=move |line| panel.go_to_line(line)
                    on_close=move |()| editor.focus()
                />
                {move || {
                    editor
                        .locked
                        .with(|locked| (!locked.is_empty()).then(|| view! { <p class="source-note">{locked.clone()}</p> }))
                }}
                {undo_question(app, editor)}
                {move || {
                    app.text_steps
                        .failed
                        .get()
                        .map(|failed| {
                            let is_here = failed.file == file.get();
                            let name = failed.file.clone();
                            view! {
                                <div class="source-note" data-tone="error">
                                    <p>
                                        <strong>"Text typed in " {name} " was not applied: "</strong>
                                        {in_code(&failed.reason)} ". " {in_code(&failed.help)}
                                    </p>
                                    <pre class="source-refused">{refused_text(app, &failed.file)}</pre>
                                    {is_here.then(|| view! { <Button label="Try again" on_press=move |()| panel.retry()/> })}
                                    <Button label="Discard what was typed" on_press=move |()| panel.discard(&failed.file)/>
                                </div>
                            }
                        })
                }}
                {move || {
                    unread
                        .get()
                        .map(|reason| {
                            view! {
                                <p class="source-note" data-tone="error">
                                    <span>
                                        "The text cannot be shown: " {reason}
                                        ". Nothing is lost. Reload the files, or open the folder again."
                                    </span>
                                </p>
                            }
                        })
                }}
                <TextEditor
                    editor
                    label=derived(move || format!("Source of {}", file.get()))
                    card=Callback::new(move |line| problem_card(app, line))
                    on_sign=move |line| {
                        if let Some(problem) = problems_at(app, line).first() {
                            navigation::open_same_problem(app, problem);
                        }
                    }
                />
                <p class="source-foot">
                    <span class="dim">
                        {move || {
                            let caret = editor.caret.get();
                            format!("Line {}, column {}", caret.line, caret.column)
                        }}
                    </span>
                    <span class="source-help">{move || caret_note(panel, editor)}</span>
                </p>
            </div>
        </Show>
    }
    .into_any()
}

/// Asks for confirmation before undoing a step that is not visible here.
fn undo_question(app: AppContext, editor: Editor) -> AnyView {
    let asked_step = app.text_steps.undo_question;
    let question = memo(move |_| {
        let question = asked_step.get();
        question.filter(|question| app.store.status.with(|status| question.is_valid(status)))
    });
    let text = move || {
        question.with(|question| {
            let question = question.as_ref()?;
            Some(format!(
                "The last step changed another file, {}: {}.",
                question.file, question.title
            ))
        })
    };
    announce::follow_alert(move || text().unwrap_or_default());
    let answer = move |is_yes: bool| {
        asked_step.set(None);
        if is_yes {
            app.session.undo();
        }
        editor.focus();
    };
    view! {
        <Show when=move || question.with(Option::is_some)>
            <div class="source-note" role="group" aria-label="Undo">
                <p>{text}</p>
                <Button label="Undo it" on_press=move |()| answer(true)/>
                <Button label="Keep it" on_press=move |()| answer(false)/>
            </div>
        </Show>
    }
    .into_any()
}

/// Shows the position of the selection or package if no position is shown yet, e.g. after a reload.
fn show_selection(app: AppContext) {
    effect(move |_| {
        let location = app
            .store
            .inspection
            .with(|inspection| inspection.as_ref()?.location.clone());
        if let Some(location) = location.filter(|location| !location.file.is_empty())
            && app.store.source.place.with_untracked(Option::is_none)
        {
            app.show_source(location);
        }
    });
}

fn refused_text(app: AppContext, file: &str) -> String {
    let changes = app.text_steps.refused_in(file);
    let texts: Vec<String> = changes
        .iter()
        .map(|change| change.text.trim_matches('\n').to_owned())
        .collect();
    texts.join("\n…\n")
}

/// Returns the messages and the help at the caret in one line.
fn caret_note(panel: Panel, editor: Editor) -> String {
    let caret = editor.caret.get();
    editor.track_text();
    panel.app.store.problems.track();
    untrack(|| editor.message_at(caret)).replace('\n', " · ")
}

/// Updates the editor when the store changes.
fn follow_store(panel: Panel, editor: Editor) {
    let app = panel.app;
    let source = app.store.source.text;
    // The editor's file and first line, and the last position visited.
    let shown = StoredValue::new((String::new(), String::new(), 0u32));
    let visited = StoredValue::new(SourcePlace::default());
    effect(move |_| {
        let Some(view) = source.get() else { return };
        let place = app.store.source.place.get().unwrap_or_default();
        if view.file != place.file {
            return;
        }
        let now = (view.root.clone(), view.file.clone(), view.first);
        let is_other = shown.with_value(|shown| *shown != now);
        shown.set_value(now);
        let focus = app
            .text_steps
            .focus
            .try_update_value(std::mem::take)
            .unwrap_or_default();
        if visited.get_value() != place || focus {
            visited.set_value(place.clone());
            let position = |column: u32| TextPosition::new(place.line.max(1), column.max(1));
            let at = position(place.column);
            let end = position(place.selection_end.unwrap_or(place.column));
            editor
                .here
                .set((place.line, place.end_line.max(place.line)));
            let is_near = (view.first..view.first + view.lines.len() as u32).contains(&at.line);
            if !is_near {
                return panel.load_and_go(at, end, focus);
            }
            panel.wanted.set_value(Some((at, end, focus)));
        }
        panel.show(editor, &view, is_other);
    });
    effect(move |_| {
        // All typed text is applied: show other changes now.
        app.text_steps.all_applied.track();
        if let Some(view) = source.get_untracked()
            && app.text_steps.failed.with_untracked(Option::is_none)
            && shown.with_value(|shown| (&shown.0, &shown.1) == (&view.root, &view.file))
        {
            panel.show(editor, &view, false);
        }
    });
}

fn problems_at(app: AppContext, line: u32) -> Vec<Diagnostic> {
    let place = app.store.source.place.get_untracked().unwrap_or_default();
    let root = app.store.root.get_untracked();
    let is_here = |problem: &&Diagnostic| {
        problem.location.file == place.file
            && problem.location.line == line
            && problem.catalog == root
    };
    let problems = app.store.problems;
    problems.with_untracked(|problems| problems.iter().filter(is_here).cloned().collect())
}

/// Renders the card of a line's marker: its problems with their fixes.
fn problem_card(app: AppContext, line: u32) -> AnyView {
    let problems = problems_at(app, line);
    problems
        .into_iter()
        .map(|problem| {
            let subject = problem.clone();
            let fixes = problem.fixes.clone();
            view! {
                <div class="source-problem">
                    <p>{in_code(&problem.message)}</p>
                    {fixes
                        .into_iter()
                        .map(|fix| {
                            let problem = problem.clone();
                            view! { <FixButton app problem fix tab=Signal::stored("0")/> }
                        })
                        .collect_view()}
                    <button type="button" class="link" on:click=move |_| navigation::open_same_problem(app, &subject)>
                        "About this problem"
                    </button>
                </div>
            }
        })
        .collect_view()
        .into_any()
}

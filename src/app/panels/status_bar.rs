//! The bottom bar: the verdict of the catalog in view, and counts. Also
//! unfinished work: the list on the start page, the offer for an open folder, and the questions.

use super::banners::MessagesButton;
use crate::browser::time;
use crate::commands::Command;
use crate::context::{
    AppContext, RestoreOffer, RestoreQuestion, app_context, navigation, saving, unfinished_work,
};
use crate::reactive::memo;
use crate::state::journal::{EarlierJournal, UnreadableJournal};
use crate::widgets::buttons::with_keys;
use crate::widgets::buttons::{Button, IconButton, Look};
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::dom;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::short_text::rest_item;
use crate::words;
use leptos::prelude::*;
use protocol::diagnostic::Severity;
use protocol::views::RootRow;
use protocol::words::cause_in_tree;

#[component]
pub fn StatusBar() -> impl IntoView {
    let app = app_context();
    let row = memo(move |_| app.store.root_row());
    let state = move || {
        row.with(|row| {
            row.as_ref()
                .map_or("none", |row| if row.passed { "passes" } else { "fails" })
        })
    };
    let verdict = move || match row.get() {
        None if app.repository.in_view.get() => "Repository".into_any(),
        None => "No catalog here".into_any(),
        Some(row) if row.passed => words::verdict_label(&row).into_any(),
        // Number and plural suffix are one text; the suffix is hidden for one.
        Some(row) => {
            let errors = row.errors.max(1);
            let plural = if errors == 1 {
                view! { <span class="visually-hidden">"s"</span> }.into_any()
            } else {
                "s".into_any()
            };
            view! { {format!("{}: {errors} error", words::verdict_label(&row))}{plural} }.into_any()
        }
    };
    let icon = Signal::derive(move || {
        if state() == "passes" {
            Icon::Check
        } else {
            Icon::Error
        }
    });
    let counts = move || {
        app.store.problems.with(|problems| {
            let number = |severity| {
                problems
                    .iter()
                    .filter(|problem| problem.severity == severity)
                    .count() as u32
            };
            // Equal to the count in the problems tab and its chips.
            let infos = number(Severity::Info);
            let infos = if infos == 0 {
                String::new()
            } else {
                format!(" · {infos} info")
            };
            format!(
                "{} · {}{infos}",
                words::count(number(Severity::Error), "error"),
                words::count(number(Severity::Warning), "warning")
            )
        })
    };
    let of_repository = move || {
        let view = app
            .repository
            .view
            .get()
            .filter(|_| app.repository.in_view.get())?;
        let (operators, catalogs) = (view.operators.len() as u32, view.catalogs.len() as u32);
        Some(format!(
            "{} · {}",
            words::count(operators, "operator"),
            words::count(catalogs, "catalog")
        ))
    };
    let totals = move || {
        of_repository().unwrap_or_else(|| {
            let packages = row.with(|row| row.as_ref().map_or(0, |row| row.packages));
            words::count(packages, "package")
        })
    };
    // For pointers: the verdict looks clickable. The button beside it is for the keyboard.
    let show_problems = move |_| {
        if row.with_untracked(Option::is_some) {
            navigation::show_problems(app);
        }
    };
    let verdict_message = move || row.with(|row| row.as_ref().map(message).unwrap_or_default());
    view! {
        <footer class="status">
            <span class="status-verdict" data-state=state on:click=show_problems>
                <span hidden=move || state() == "none"><Glyph icon=icon/></span>
                <span role="status" aria-label="Verdict" aria-description=UNSEEN>{move || if app.current.progress.get().is_some() { "Checking…".into_any() } else { verdict() }}</span>
            </span>
            <span class="status-message" title=move || format!("{}\n\n{UNSEEN}", verdict_message())>
                <span>{move || cause_in_tree(&verdict_message()).to_owned()}</span>
            </span>
            <button
                type="button"
                class="status-button"
                hidden=move || row.with(Option::is_none)
                title=with_keys("Show the problems", Command::Problems.keys())
                on:click=show_problems
            >
                {counts}
            </button>
            <span class="status-fact">{totals}</span>
            <MessagesButton/>
        </footer>
    }
    .into_any()
}

/// Returns `opm`'s message, or the reason why a template has none.
fn message(row: &RootRow) -> String {
    match &row.template {
        Some(template) => template.says.join(" · "),
        None if row
            .rendered
            .as_ref()
            .is_some_and(|rendered| !rendered.is_complete()) =>
        {
            "validated once its bundles are open".to_owned()
        }
        None if row.passed => "as far as a browser sees the files".to_owned(),
        None => row.opm_message.clone(),
    }
}

/// The limits of a verdict in the page.
const UNSEEN: &str = "Browsers hide some files of a folder: links to other files (symbolic links), and names that are not UTF-8. `opm validate` reads these too, so its verdict may differ. In a Git work tree, Switchyard finds them in Git’s index and reports them as problems; in archives it reads links.";

/// Maximum number of paths or steps listed.
const NAMED: usize = 8;

#[component]
pub fn UnfinishedList() -> impl IntoView {
    let app = app_context();
    let heading = dom::fresh_id("unfinished");
    view! {
        <Show when=move || app.unfinished.list.with(|list| !list.is_empty())>
            <section class="unfinished" aria-labelledby=heading.clone()>
                <h2 class="unfinished-title" id=heading.clone()>"Unsaved edits"</h2>
                <p class="unfinished-wanted">
                    {move || {
                        app.unfinished
                            .wanted
                            .with(|wanted| wanted.as_ref().map(|earlier| wanted_words(&earlier.to_open())).unwrap_or_default())
                    }}
                </p>
                <ul class="unfinished-list" aria-label="Unsaved edits">
                    <For each=move || app.unfinished.list.get() key=|earlier| (earlier.id.clone(), earlier.changed_at()) let:earlier>
                        <Item app earlier/>
                    </For>
                </ul>
            </section>
        </Show>
    }
    .into_any()
}

#[component]
fn Item(app: AppContext, earlier: EarlierJournal) -> impl IntoView {
    let about = about(&earlier);
    let steps = last_steps(&earlier);
    let name = format!("{}, {about}", earlier.name());
    let can_go_on = earlier.kept.is_ok();
    let (wanted, copied, discarded) = (earlier.clone(), earlier.clone(), earlier.clone());
    view! {
        <li class="unfinished-item" aria-label=name>
            <div class="unfinished-text">
                <strong>{earlier.name()}</strong>
                <span class="dim">{about}</span>
                <span class="unfinished-steps dim">{steps}</span>
            </div>
            <div class="unfinished-buttons">
                {can_go_on
                    .then(|| {
                        view! {
                            <Button label="Go on…" look=Look::Primary on_press=move |()| unfinished_work::open_and_resume(app, wanted.clone())/>
                            <Button label="Copy operations" icon=Icon::Copy on_press=move |()| saving::copy_operations(app, &copied.steps())/>
                        }
                    })}
                <Button
                    label="Discard…"
                    on_press=move |()| app.unfinished.question.set(Some(RestoreQuestion::Discard(discarded.clone())))
                />
            </div>
        </li>
    }
    .into_any()
}

/// The offer for an open folder with earlier work.
#[component]
pub fn UnfinishedOffer() -> impl IntoView {
    let app = app_context();
    move || {
        app.unfinished.offer.get().map(|RestoreOffer { earlier, differences }| {
            let changed = if differences.is_empty() { "" } else { " The folder has changed since." };
            let text = format!("Unsaved edits of {}: {}.{changed}", time::moment(earlier.changed_at()), edits(&earlier));
            app.notifications.announcer.say(text.clone());
            view! {
                <div class="banner" data-tone="advice">
                    <Glyph icon=Icon::Info/>
                    <p class="banner-text">
                        <strong>{text}</strong>
                        <span class="dim">{last_steps(&earlier)}</span>
                    </p>
                    <Button
                        label=format!("Continue with {}", edits(&earlier))
                        look=Look::Primary
                        on_press=move |()| unfinished_work::accept(app)
                    />
                    <Button
                        label="Discard…"
                        on_press=move |()| app.unfinished.question.set(Some(RestoreQuestion::Discard(earlier.clone())))
                    />
                    <IconButton label="Not now" icon=Icon::Close quiet=true on_press=move |()| app.unfinished.offer.set(None)/>
                </div>
            }
        })
    }
}

#[component]
pub fn UnfinishedQuestion() -> impl IntoView {
    let app = app_context();
    move || {
        app.unfinished
            .question
            .get()
            .map(|question| match question {
                RestoreQuestion::ResumeChanged(offer) => {
                    view! { <GoOnAnyway app offer/> }.into_any()
                }
                RestoreQuestion::Discard(earlier) => view! { <Discard app earlier/> }.into_any(),
            })
    }
}

#[component]
fn GoOnAnyway(app: AppContext, offer: RestoreOffer) -> impl IntoView {
    let title = format!("Continue with {}?", edits(&offer.earlier));
    let differences = &offer.differences;
    let lists = [
        ("Changed", differences.changed.clone()),
        ("Missing", differences.missing.clone()),
        ("New", differences.added.clone()),
    ];
    let name = offer.earlier.to_open();
    let body = view! {
        <p>{format!("“{name}” has changed since you made these edits.")}</p>
        {lists
            .into_iter()
            .filter(|(_, paths)| !paths.is_empty())
            .map(|(what, paths)| view! { <Paths what paths/> })
            .collect_view()}
        <p>"Edits refer to packages, channels and entries by name, so most still apply. Those that do not are listed and kept."</p>
    };
    let go_on = move |()| unfinished_work::resume_anyway(app, offer.clone());
    question(app, title, body.into_any(), "Continue anyway", go_on)
}

/// Renders a question about earlier work.
fn question(
    app: AppContext,
    title: String,
    body: AnyView,
    label: &'static str,
    on_confirm: impl Fn(()) + Send + Sync + 'static,
) -> AnyView {
    let close = move |()| app.unfinished.question.set(None);
    view! {
        <Dialog title size=Size::Medium on_close=close>
            <div class="dialog-body unfinished-question" tabindex="-1">{body}</div>
            <div class="dialog-foot">
                <Button label="Cancel" look=Look::Quiet on_press=close/>
                <Button label look=Look::Primary on_press=on_confirm/>
            </div>
        </Dialog>
    }
    .into_any()
}

#[component]
fn Paths(what: &'static str, paths: Vec<String>) -> impl IntoView {
    let more = paths.len().saturating_sub(NAMED);
    view! {
        <h3 class="unfinished-what">{what}</h3>
        <ul class="unfinished-paths">
            {paths.into_iter().take(NAMED).map(|path| view! { <li><code>{path}</code></li> }).collect_view()}
            {rest_item(more)}
        </ul>
    }
    .into_any()
}

#[component]
fn Discard(app: AppContext, earlier: EarlierJournal) -> impl IntoView {
    let steps = earlier.steps();
    let more = steps.len().saturating_sub(NAMED);
    let text = format!(
        "This permanently deletes the edits in “{}”.",
        earlier.name()
    );
    let body = view! {
        <p>{text}</p>
        <ul class="unfinished-paths">
            {steps.into_iter().take(NAMED).map(|step| view! { <li>{step.title}</li> }).collect_view()}
            {rest_item(more)}
        </ul>
    };
    let title = format!("Discard {}?", edits(&earlier));
    let discard = move |()| unfinished_work::discard(app, earlier.clone());
    question(app, title, body.into_any(), "Discard", discard)
}

fn edits(earlier: &EarlierJournal) -> String {
    words::count(earlier.edits(), "edit")
}

/// Describes the amount and date of the work.
fn about(earlier: &EarlierJournal) -> String {
    match &earlier.kept {
        Ok(kept) => {
            let aside = match kept.journal.aside().len() as u32 {
                0 => String::new(),
                count => format!(" · {} set aside", words::count(count, "edit")),
            };
            let taken_out = if kept.taken_out {
                " · downloaded or copied"
            } else {
                ""
            };
            let damaged = match kept.damaged {
                0 => String::new(),
                count => format!(" · {} cannot be read", words::count(count, "record")),
            };
            format!(
                "{}{aside} · {}{taken_out}{damaged}",
                edits(earlier),
                time::moment(kept.changed)
            )
        }
        Err(UnreadableJournal::Newer) => "written by a newer version of this page".to_owned(),
        Err(UnreadableJournal::Damaged) => "the start of the record is damaged".to_owned(),
    }
}

fn last_steps(earlier: &EarlierJournal) -> String {
    let steps = earlier.steps();
    let mut titles: Vec<&str> = steps
        .iter()
        .rev()
        .take(3)
        .map(|step| step.title.as_str())
        .collect();
    titles.reverse();
    match steps.len().saturating_sub(titles.len()) {
        0 => titles.join(", "),
        more => format!("{more} more, {}", titles.join(", ")),
    }
}

fn wanted_words(name: &str) -> String {
    format!(
        "Pick “{name}” again or drop it here: a browser does not let a page reopen a folder. It is checked before \
         any edit is applied."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::journal::{Journal, JournalStep, StoredWork};
    use std::sync::Arc;
    #[test]
    fn the_last_steps_are_named_and_the_others_counted() {
        let mut journal = Journal::default();
        for title in ["a", "b", "c", "d", "e"] {
            journal.push(JournalStep {
                title: title.into(),
                ops: Vec::new(),
            });
        }
        let kept = StoredWork {
            journal,
            ..StoredWork::default()
        };
        let earlier = EarlierJournal {
            id: "1".into(),
            kept: Ok(Arc::new(kept)),
        };
        assert_eq!(
            (last_steps(&earlier).as_str(), edits(&earlier).as_str()),
            ("2 more, c, d, e", "5 edits")
        );
    }
}

//! Unfinished work of earlier visits: the list on the start page, the offer for an open folder, and
//! the questions before it is resumed or discarded.

use crate::browser::time;
use crate::context::{RestoreOffer, RestoreQuestion, drops, saving, unfinished_work};
use crate::prelude::*;
use crate::state::journal::{EarlierJournal, UnreadableJournal};
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::short_text::rest_item;

/// Maximum number of paths or steps listed.
const MAX_LISTED: usize = 8;
/// Number of steps named in a summary.
const LAST_STEPS: usize = 3;

#[component]
pub fn UnfinishedList() -> impl IntoView {
    let app = app_context();
    let heading = dom::fresh_id("unfinished");
    view! {
        <Show when=move || app.unfinished.list.with(|list| !list.is_empty())>
            <section class="unfinished" aria-labelledby=heading.clone()>
                <h2 class="unfinished-title" id=heading.clone()>"Unsaved edits"</h2>
                <p class="unfinished-hint">
                    {move || {
                        app.unfinished
                            .awaiting_folder
                            .with(|awaiting_folder| awaiting_folder.as_ref().map(|earlier| reopen_hint(&earlier.names_to_open())).unwrap_or_default())
                    }}
                </p>
                <ul class="unfinished-list" aria-label="Unsaved edits">
                    <For each=move || app.unfinished.list.get() key=|earlier| (earlier.id.clone(), earlier.changed_at()) let:earlier>
                        <UnfinishedItem app earlier/>
                    </For>
                </ul>
            </section>
        </Show>
    }
    .into_any()
}

#[component]
fn UnfinishedItem(app: AppContext, earlier: EarlierJournal) -> impl IntoView {
    let summary = summarize(&earlier);
    let steps = last_steps(&earlier);
    let name = format!("{}, {summary}", earlier.name());
    let can_resume = earlier.work.is_ok();
    let (resumed, copied, discarded) = (earlier.clone(), earlier.clone(), earlier.clone());
    view! {
        <li class="unfinished-item" aria-label=name>
            <div class="unfinished-text">
                <strong>{earlier.name()}</strong>
                <span class="dim">{summary}</span>
                <span class="unfinished-steps dim">{steps}</span>
            </div>
            <div class="unfinished-buttons">
                {can_resume
                    .then(|| {
                        view! {
                            <Button label="Continue…" look=Look::Primary on_press=move |()| unfinished_work::open_and_resume(app, resumed.clone())/>
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
            let changed = if differences.has_changes() { " The folder has changed since." } else { "" };
            let is_partly_open = !differences.unopened.is_empty();
            let unopened = if is_partly_open {
                format!(" Not open yet: {}.", words::list_names(&differences.unopened))
            } else {
                String::new()
            };
            let text = format!("Unsaved edits of {}: {}.{unopened}{changed}", time::format_timestamp(earlier.changed_at()), edit_count(&earlier));
            announce::say(text.clone());
            view! {
                <div class="banner" data-tone="advice">
                    <Glyph icon=Icon::Info/>
                    <p class="banner-text">
                        <strong>{text}</strong>
                        <span class="dim">{last_steps(&earlier)}</span>
                    </p>
                    {is_partly_open
                        .then(|| view! { <Button label="Add a folder…" look=Look::Primary on_press=move |()| drops::open_folder(app)/> })}
                    <Button
                        label=format!("Continue with {}", edit_count(&earlier))
                        look=if is_partly_open { Look::default() } else { Look::Primary }
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
                    view! { <ResumeAnyway app offer/> }.into_any()
                }
                RestoreQuestion::Discard(earlier) => view! { <Discard app earlier/> }.into_any(),
            })
    }
}

#[component]
fn ResumeAnyway(app: AppContext, offer: RestoreOffer) -> impl IntoView {
    let title = format!("Continue with {}?", edit_count(&offer.earlier));
    let differences = &offer.differences;
    let lists = [
        ("Changed", differences.changed.clone()),
        ("Missing", differences.missing.clone()),
        ("New", differences.added.clone()),
        ("Not open", differences.unopened.clone()),
    ];
    let reason = if differences.has_changes() {
        changed_since(&offer.earlier.names_to_open())
    } else {
        "Not all folders of these edits are open.".to_owned()
    };
    let body = view! {
        <p>{reason}</p>
        {lists
            .into_iter()
            .filter(|(_, paths)| !paths.is_empty())
            .map(|(heading, paths)| view! { <Paths heading paths/> })
            .collect_view()}
        <p>"Edits refer to packages, channels and entries by name, so most still apply. Those that do not are listed and kept."</p>
    };
    let resume = move |()| unfinished_work::resume_anyway(app, offer.clone());
    question(app, title, body.into_any(), "Continue anyway", resume)
}

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
fn Paths(heading: &'static str, paths: Vec<String>) -> impl IntoView {
    let more = paths.len().saturating_sub(MAX_LISTED);
    view! {
        <h3 class="unfinished-heading">{heading}</h3>
        <ul class="unfinished-paths">
            {paths.into_iter().take(MAX_LISTED).map(|path| view! { <li><code>{path}</code></li> }).collect_view()}
            {rest_item(more)}
        </ul>
    }
    .into_any()
}

#[component]
fn Discard(app: AppContext, earlier: EarlierJournal) -> impl IntoView {
    let steps = earlier.steps();
    let more = steps.len().saturating_sub(MAX_LISTED);
    let text = format!(
        "This permanently deletes the edits in “{}”.",
        earlier.name()
    );
    let body = view! {
        <p>{text}</p>
        <ul class="unfinished-paths">
            {steps.into_iter().take(MAX_LISTED).map(|step| view! { <li>{step.title}</li> }).collect_view()}
            {rest_item(more)}
        </ul>
    };
    let title = format!("Discard {}?", edit_count(&earlier));
    let discard = move |()| unfinished_work::discard(app, earlier.clone());
    question(app, title, body.into_any(), "Discard", discard)
}

fn edit_count(earlier: &EarlierJournal) -> String {
    words::count(earlier.edits(), "edit")
}

/// Describes the amount and date of the work.
fn summarize(earlier: &EarlierJournal) -> String {
    match &earlier.work {
        Ok(stored) => {
            let aside = match stored.journal.dropped_steps().len() as u32 {
                0 => String::new(),
                count => format!(" · {} set aside", words::count(count, "edit")),
            };
            let taken_out = if stored.is_exported {
                " · downloaded or copied"
            } else {
                ""
            };
            let damaged = match stored.damaged {
                0 => String::new(),
                count => format!(" · {} cannot be read", words::count(count, "record")),
            };
            format!(
                "{}{aside} · {}{taken_out}{damaged}",
                edit_count(earlier),
                time::format_timestamp(stored.changed)
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
        .take(LAST_STEPS)
        .map(|step| step.title.as_str())
        .collect();
    titles.reverse();
    match steps.len().saturating_sub(titles.len()) {
        0 => titles.join(", "),
        more => format!(
            "{}, then {}",
            words::count(more as u32, "earlier edit"),
            titles.join(", ")
        ),
    }
}

fn reopen_hint(names: &[String]) -> String {
    let request = match names {
        [name] => format!("Pick “{name}” again, or drop it here."),
        several => format!(
            "Pick these again, or drop them here: {}.",
            words::list_names(several)
        ),
    };
    format!(
        "{request} A browser does not let a page reopen a folder. Files are compared before any edit is applied."
    )
}

fn changed_since(names: &[String]) -> String {
    match names {
        [name] => format!("“{name}” has changed since you made these edits."),
        several => format!(
            "Files have changed since you made these edits in {}.",
            words::list_names(several)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::journal::{Journal, JournalStep, StoredWork};
    use std::sync::Arc;

    #[test]
    fn one_folder_or_several_are_to_be_picked_again() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(reopen_hint(&names(&["hub"])).starts_with("Pick “hub” again, or drop it here. A "));
        let several = names(&["a", "b", "c", "d"]);
        assert!(
            reopen_hint(&several)
                .starts_with("Pick these again, or drop them here: a, b, c and 1 more. A ")
        );
        assert_eq!(
            changed_since(&several),
            "Files have changed since you made these edits in a, b, c and 1 more."
        );
    }

    #[test]
    fn the_last_steps_are_named_and_earlier_ones_counted() {
        let mut journal = Journal::default();
        for title in ["a", "b", "c", "d", "e"] {
            journal.push(JournalStep {
                title: title.into(),
                ops: Vec::new(),
            });
        }
        let stored = StoredWork {
            journal,
            ..StoredWork::default()
        };
        let earlier = EarlierJournal {
            id: "1".into(),
            work: Ok(Arc::new(stored)),
        };
        assert_eq!(
            (last_steps(&earlier).as_str(), edit_count(&earlier).as_str()),
            ("2 earlier edits, then c, d, e", "5 edits")
        );
    }
}

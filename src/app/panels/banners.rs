//! What the page reports: banners (files changed on disk, steps set aside, an unavailable worker, a
//! new version of the page), a note while the worker is slow, and the live regions.
//!
//! The page always has one polite and one assertive live region, and every dialog has one, since
//! everything outside a dialog is inert. Effects of keys and edits are announced here; other code
//! uses `widgets/announce.rs`.

use crate::browser::file_tree::FileTree;
use crate::browser::start_page;
use crate::context::{drops, saving};
use crate::prelude::*;
use crate::state::journal::{DroppedStep, JournalStep};
use crate::state::store::{LastChange, Notice};
use crate::state::worker_api::Busy;
use crate::widgets::announce::Announcer;
use protocol::counting::first_of;

#[component]
pub fn Banners() -> impl IntoView {
    let app = app_context();
    view! {
        <div class="banners">
            <Show when=move || app.store.changed_on_disk.with(|paths| !paths.is_empty())>
                <ChangedOnDisk app/>
            </Show>
            {move || app.store.notices.get().into_iter().map(|notice| view! { <NoticeBanner app notice/> }).collect_view()}
        </div>
    }
    .into_any()
}

/// The notices since a dialog was opened, which hides the other banners.
#[component]
pub fn DialogNotices(app: AppContext) -> impl IntoView {
    let before = app.store.notices.get_untracked();
    view! {
        <div class="banners">
            {move || {
                let mut notices = app.store.notices.get();
                notices.retain(|notice| !before.contains(notice));
                notices.into_iter().map(|notice| view! { <NoticeBanner app notice/> }).collect_view()
            }}
        </div>
    }
    .into_any()
}

#[component]
fn ChangedOnDisk(app: AppContext) -> impl IntoView {
    let folder_input = NodeRef::<html::Input>::new();
    let message = move || match app.store.status.unsaved_edit_count() {
        0 => "Files changed on disk".to_owned(),
        edits => format!(
            "Files changed on disk. Reloading keeps your {}",
            words::count(edits, "edit")
        ),
    };
    announce::follow_alert(message);
    let paths = move || {
        app.store
            .changed_on_disk
            .with(|paths| first_of(paths.iter(), 1))
    };
    view! {
        <div class="banner" data-tone="advice">
            <Glyph icon=Icon::Warning/>
            <p class="banner-text">
                <strong>{message}</strong>
                <span class="dim">{paths}</span>
            </p>
            {if app.session.can_reload() {
                view! { <Button label="Reload" look=Look::Primary on_press=move |()| app.session.reload()/> }.into_any()
            } else {
                view! {
                    <input
                        node_ref=folder_input
                        class="visually-hidden"
                        type="file"
                        tabindex="-1"
                        aria-label="Pick the folder again"
                        prop:webkitdirectory=true
                        on:change=move |_| {
                            if let Some(input) = folder_input.get_untracked() {
                                drops::reload_from(app, FileTree::from_input(&input));
                            }
                        }
                    />
                    <Button
                        label="Pick the folder again…"
                        look=Look::Primary
                        on_press=move |()| {
                            if let Some(input) = folder_input.get_untracked() {
                                input.click();
                            }
                        }
                    />
                }
                    .into_any()
            }}
            <IconButton label="Dismiss" icon=Icon::Close quiet=true on_press=move |()| {
                app.store.note_changed_on_disk(Vec::new());
                restore_focus_after_dismiss();
            }/>
        </div>
    }
    .into_any()
}

#[component]
fn NoticeBanner(app: AppContext, notice: Notice) -> impl IntoView {
    let is_final = matches!(notice, Notice::Dead { .. });
    let is_harmless = matches!(&notice, Notice::Recovered { set_aside } if set_aside.is_empty());
    let (text, steps) = notice_text(notice.clone());
    if is_harmless {
        announce::say(text.clone());
    } else {
        announce::alert(text.clone());
    }
    let has_steps = !steps.is_empty();
    let dismiss = move |()| {
        app.store.notices.dismiss(|shown| *shown == notice);
        restore_focus_after_dismiss();
    };
    view! {
        <div class="banner" data-tone=if is_harmless { "info" } else { "error" }>
            <Glyph icon=if is_harmless { Icon::Info } else { Icon::Error }/>
            <div class="banner-text"><strong>{in_code(&text)}</strong></div>
            {has_steps
                .then(|| view! { <Button label="Copy operations" on_press=move |()| saving::copy_operations(app, &steps)/> })}
            {(!is_final).then(|| view! { <IconButton label="Dismiss" icon=Icon::Close quiet=true on_press=dismiss/> })}
        </div>
    }
    .into_any()
}

/// Focuses the next banner if the dismissed one contained the focus.
fn restore_focus_after_dismiss() {
    if dom::is_focus_visible_in(".banners") {
        dom::focus_first_later(".banners");
    }
}

fn list_reasons(set_aside: &[DroppedStep]) -> String {
    let lines: Vec<String> = set_aside
        .iter()
        .map(|aside| format!("{}: {}", aside.step.title, aside.reason))
        .collect();
    lines.join("; ")
}

/// Returns the text of a notice, and its steps to export as operations.
fn notice_text(notice: Notice) -> (String, Vec<JournalStep>) {
    let (text, set_aside) = match notice {
        Notice::Recovered { set_aside } if set_aside.is_empty() => {
            ("The background worker crashed and was restarted. Nothing is lost.".to_owned(), set_aside)
        }
        Notice::Recovered { set_aside } => {
            let names: Vec<&str> = set_aside.iter().map(|aside| aside.step.title.as_str()).collect();
            let names = names.join(", ");
            (
                format!("The background worker crashed and was restarted. These edits were set aside: {names}"),
                set_aside,
            )
        }
        Notice::DroppedStep(aside) => {
            (format!("“{}” was set aside: {}", aside.step.title, aside.reason), vec![aside])
        }
        Notice::Resumed { set_aside } => (
            format!("These edits could not be applied again and were set aside: {}", list_reasons(&set_aside)),
            set_aside,
        ),
        Notice::Reloaded { set_aside } => (
            format!("Files reloaded. These edits no longer apply and were set aside: {}", list_reasons(&set_aside)),
            set_aside,
        ),
        Notice::Dead { message, steps } => {
            let message = words::clause(&message);
            let text = format!(
                "The background worker cannot be restarted ({message}). You can still copy your edits as operations."
            );
            return (text, steps);
        }
        Notice::Failed(message) => (message, Vec::new()),
        Notice::Forgotten(titles) => (
            format!(
                "Files changed on disk, so earlier steps can no longer be undone or redone: {titles}. What they saved is \
                 still on disk."
            ),
            Vec::new(),
        ),
        Notice::NotShown { root, package, message } => {
            let name = if root.is_empty() { package } else { format!("{package} of {root}") };
            (format!("{name} cannot be shown: {message}"), Vec::new())
        }
        Notice::NotStored(reason) => (
            format!(
                "This browser cannot store your edits: {}. Closing the tab loses them: save or download first.",
                words::clause(&reason)
            ),
            Vec::new(),
        ),
        Notice::OpenElsewhere => (
            "This folder is also open in another tab. The tabs do not share edits: work in only one of them."
                .to_owned(),
            Vec::new(),
        ),
    };
    (
        text,
        set_aside.into_iter().map(|aside| aside.step).collect(),
    )
}

#[component]
pub fn BusyNote(app: AppContext) -> impl IntoView {
    let busy = app.store.busy;
    let is_recovering = app.store.recovering;
    let text = move || busy_text(busy.get(), is_recovering.get());
    announce::follow(move || text().to_owned());
    view! {
        <Show when=move || busy.get() != Busy::No>
            <div class="banner" data-tone="info" role="group" aria-label="Busy">
                <Glyph icon=Icon::Info/>
                <p class="banner-text">{text}</p>
                <Show when=move || !is_recovering.get()>
                    <Button label="Cancel" on_press=move |()| app.session.client().give_up()/>
                </Show>
                <Show when=move || busy.get() == Busy::Stuck>
                    <Button
                        label="Restart the worker"
                        look=Look::Primary
                        on_press=move |()| app.session.client().restart()
                    />
                </Show>
            </div>
        </Show>
    }
    .into_any()
}

fn busy_text(busy: Busy, is_recovering: bool) -> &'static str {
    match (busy, is_recovering) {
        (Busy::No, _) => "",
        (Busy::Slow, false) => "Still working on your last request.",
        (Busy::Slow, true) => "Restarting the background worker and reading the files again.",
        (Busy::Stuck, false) => {
            "The background worker has not answered for 10 seconds. Restart it to read the files again and reapply \
             your edits."
        }
        (Busy::Stuck, true) => {
            "The restarted background worker has not answered for 10 seconds. Restart it once more to set aside the \
             edit it fails on."
        }
    }
}

/// A newer version of the page that is ready. It starts when the user confirms, but never while
/// there are unsaved edits.
#[derive(Debug, Clone, Copy)]
pub struct NewVersion {
    is_announced: RwSignal<bool>,
    /// Number of other open tabs of the page when the user tried to start the new version.
    other_tabs: RwSignal<u32>,
}

impl NewVersion {
    /// Listens for a new version. Call it once per page.
    pub fn listen() -> Self {
        let version = Self {
            is_announced: RwSignal::new(false),
            other_tabs: RwSignal::new(0),
        };
        start_page::on_new_version(move || {
            version.other_tabs.set(0);
            version.is_announced.set(true);
        });
        version
    }

    fn start(self) {
        spawn_local(async move { self.other_tabs.set(start_page::start_new_version().await) });
    }
}

#[component]
pub fn NewVersionBanner(app: AppContext) -> impl IntoView {
    let version = expect_context::<NewVersion>();
    let has_edits = move || app.store.status.unsaved_edit_count() > 0;
    announce::follow(move || {
        if version.is_announced.get() {
            reload_hint(has_edits(), version.other_tabs.get())
        } else {
            String::new()
        }
    });
    view! {
        <Show when=move || version.is_announced.get()>
            <div class="banner" data-tone="info" role="group" aria-label="New version">
                <Glyph icon=Icon::Info/>
                <p class="banner-text">
                    <strong>{move || reload_hint(has_edits(), version.other_tabs.get())}</strong>
                </p>
                <Button
                    label="Start the new version"
                    look=Look::Primary
                    disabled=derived(has_edits)
                    on_press=move |()| version.start()
                />
                <IconButton label="Dismiss" icon=Icon::Close quiet=true on_press=move |()| version.is_announced.set(false)/>
            </div>
        </Show>
    }
    .into_any()
}

fn reload_hint(has_edits: bool, other_tabs: u32) -> String {
    let hint = match (has_edits, other_tabs) {
        (true, _) => "Save or undo your edits first: it reloads the page.".to_owned(),
        (false, 0) => "Starting it reloads the page.".to_owned(),
        (false, 1) => {
            "Close the other tab of Switchyard first: it still uses this version.".to_owned()
        }
        (false, others) => format!(
            "Close the other {others} tabs of Switchyard first: they still use this version."
        ),
    };
    format!("A new version of Switchyard is ready. {hint}")
}

#[component]
pub fn LiveRegions(app: AppContext) -> impl IntoView {
    let announcer = app.notifications.announcer;
    effect(move |_| match app.store.last_change.get() {
        Some(LastChange::Made {
            title,
            consequences,
        }) => {
            let summary = consequences.summary;
            announcer.say(if summary.is_empty() {
                title
            } else {
                format!("{title}. {summary}")
            });
        }
        Some(LastChange::Undone { title }) => announcer.say(title),
        None => {}
    });
    view! {
        <p class="live-region visually-hidden" role="status" aria-label="What happened">{announcer.polite}</p>
        <p class="live-region visually-hidden" role="alert" aria-label="Alerts">{announcer.urgent}</p>
    }
    .into_any()
}

/// The announcements while a dialog is open, polite or assertive.
#[component]
pub fn SaidInDialog(announcer: Announcer) -> impl IntoView {
    let announcement = RwSignal::new(String::new());
    for text in [announcer.polite, announcer.urgent] {
        effect(move |before: Option<String>| {
            let now = text.get();
            // Skip announcements from before the dialog opened. Clear only the text of this region.
            if before
                .is_some_and(|before| !now.is_empty() || announcement.get_untracked() == before)
            {
                announcement.set(now.clone());
            }
            now
        });
    }
    view! { <p class="visually-hidden" role="status" aria-label="Said in the dialog">{announcement}</p> }
        .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banner_is_one_sentence_whatever_the_browser_reports() {
        let text = |reason: &str| notice_text(Notice::NotStored(reason.to_owned())).0;
        assert!(
            text("").starts_with("This browser cannot store your edits: no reason given. Closing")
        );
        assert!(
            text("The operation is insecure.")
                .contains("edits: The operation is insecure. Closing")
        );
    }

    #[test]
    fn edits_set_aside_are_listed_and_can_be_copied() {
        let step = JournalStep {
            title: "Promote a".into(),
            ops: Vec::new(),
        };
        let (text, steps) = notice_text(Notice::DroppedStep(DroppedStep {
            step: step.clone(),
            reason: "it trapped".into(),
        }));
        assert_eq!(
            (text.as_str(), steps),
            ("“Promote a” was set aside: it trapped", vec![step])
        );
        let (text, steps) = notice_text(Notice::Recovered {
            set_aside: Vec::new(),
        });
        assert!(text.ends_with("Nothing is lost.") && steps.is_empty());
    }

    #[test]
    fn reports_the_obstacle_to_a_reload() {
        assert!(reload_hint(false, 0).ends_with("ready. Starting it reloads the page."));
        assert!(
            reload_hint(false, 1)
                .ends_with("Close the other tab of Switchyard first: it still uses this version.")
        );
        assert!(
            reload_hint(false, 2).ends_with(
                "Close the other 2 tabs of Switchyard first: they still use this version."
            )
        );
        assert!(reload_hint(true, 2).contains("Save or undo your edits first"));
    }
}

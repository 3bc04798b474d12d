//! The dynamic parts of the start page, which itself is in `index.html`: actions, progress, and
//! recent folders, which can be reopened without the picker.

use crate::browser::start_page::{StartPage, StartPageAction};
use crate::browser::storage::{self, RecentFolder};
use crate::browser::{time, workers};
use crate::commands::Command;
use crate::context::drops;
use crate::panels::banners::NewVersionBanner;
use crate::panels::unfinished_work::UnfinishedList;
use crate::prelude::*;
use crate::state::store::{Notice, Progress};
use futures::future::{Either, select};
use leptos::portal::Portal;
use protocol::counting::count_of;
use std::pin::pin;

/// A delay too short to notice.
const UNNOTICED_MS: u32 = 200;
/// Load time of the worker's program on a slow connection (1 MB at 1 Mbit/s).
const SLOW_MS: u32 = 8_000;
/// Id of the heading of recent folders.
const RECENT_FOLDERS: &str = "recent-folders";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WorkerLoad {
    /// Loaded, or requested recently.
    Unnoticed,
    Loading,
    /// Should have been loaded by now.
    Late,
}

/// Handles events of the start page for the page's lifetime.
pub fn handle_actions(app: AppContext) -> Option<StartPage> {
    StartPage::take_over(move |action| match action {
        StartPageAction::FileTree(tree) => drops::offer(app, tree),
        StartPageAction::Folder => Command::OpenFolder.run(app),
        StartPageAction::Files => Command::OpenFiles.run(app),
        StartPageAction::Sample => Command::Sample.run(app),
        StartPageAction::NotServed(why) => {
            app.notifications
                .toasts
                .error(format!("The folder cannot be opened: {why}"));
        }
        StartPageAction::NewCatalog => Command::NewCatalog.run(app),
    })
}

/// Shows the start page with its dynamic parts.
#[component]
pub fn Start() -> impl IntoView {
    let app = app_context();
    let page = use_context::<StartPage>()?;
    page.show();
    on_cleanup(move || page.hide());
    let is_opening = move || app.current.progress.with(Option::is_some);
    let zone = page.part("start-zone")?;
    effect(move |_| {
        // Setting an attribute cannot fail.
        let _ = zone.toggle_attribute_with_force("hidden", is_opening());
    });
    let notice = move || {
        app.store.notices.with(|notices| match notices.last() {
            Some(Notice::Failed(message) | Notice::Dead { message, .. }) => message.clone(),
            _ => String::new(),
        })
    };
    announce::follow_alert(notice);
    Some(view! {
        <Portal mount=page.part("start-opening")?>
            <Show when=is_opening>
                <Opening app/>
            </Show>
        </Portal>
        <Portal mount=page.part("start-news")?>
            <NewVersionBanner app/>
            <WorkerLoadNote/>
            <UnfinishedList/>
            <p class="start-notice">{notice}</p>
            <RecentFolders/>
        </Portal>
    })
}

/// Reports that the worker is still loading; dropped files wait for it.
#[component]
fn WorkerLoadNote() -> impl IntoView {
    let load = RwSignal::new(WorkerLoad::Unnoticed);
    spawn_local(async move {
        let mut program = pin!(workers::load_program());
        for (delay_ms, next) in [
            (UNNOTICED_MS, WorkerLoad::Loading),
            (SLOW_MS, WorkerLoad::Late),
        ] {
            if let Either::Left(_) = select(&mut program, pin!(time::pause(delay_ms))).await {
                // The page may show a catalog by now. A failure to load is reported elsewhere.
                load.try_set(WorkerLoad::Unnoticed);
                return;
            }
            load.try_set(next);
        }
        program.await;
        load.try_set(WorkerLoad::Unnoticed);
    });
    view! {
        <Show when=move || load.get() != WorkerLoad::Unnoticed>
            <p class="start-rest">
                <progress class="progress" aria-label="Loading the rest of the program"></progress>
                "Loading the rest of the program…"
                <Show when=move || load.get() == WorkerLoad::Late>
                    <span>
                        "This takes longer than expected: the connection is slow or the server does not answer. Wait, \
                         or reload the page."
                    </span>
                </Show>
            </p>
        </Show>
    }
    .into_any()
}

/// The progress of opening, with *Cancel*. Also shown over an open session.
#[component]
pub fn Opening(app: AppContext) -> impl IntoView {
    let progress = move || app.current.progress.get().unwrap_or_default();
    announce::say("Checking…");
    view! {
        <div class="opening">
            <p class="opening-line">
                <strong>"Checking…"</strong>
                <span class="dim">{move || progress_text(&progress())}</span>
            </p>
            <progress
                class="progress"
                aria-label="Opening"
                max="100"
                prop:value=move || percent(&progress())
            ></progress>
            <Button label="Cancel" on_press=move |()| app.session.cancel_open()/>
        </div>
    }
    .into_any()
}

fn percent(progress: &Progress) -> f64 {
    if progress.total_bytes == 0 {
        return 0.0;
    }
    (progress.bytes as f64 / progress.total_bytes as f64 * 100.0).clamp(0.0, 100.0)
}

fn progress_text(progress: &Progress) -> String {
    let Progress {
        files,
        total_files,
        bytes,
        total_bytes,
        ..
    } = *progress;
    let files = words::group_digits(u64::from(files));
    let read_bytes = format!("{} of {}", words::bytes(bytes), words::bytes(total_bytes));
    match (total_files, total_bytes, progress.files) {
        (0, 0, 0) => "looking for files".to_owned(),
        (0, 0, _) => format!("looking for files: {files} found"),
        (0, ..) => format!("unpacking: {read_bytes}"),
        _ => format!(
            "{read_bytes} · {files} of {}",
            words::count(total_files, "file")
        ),
    }
}

#[component]
pub fn RecentFolders() -> impl IntoView {
    let app = app_context();
    let folders = RwSignal::new_local(Vec::<RecentFolder>::new());
    let read_list = move || async move {
        folders.try_set(storage::recent_folders().await);
    };
    spawn_local(read_list());
    let forget = move |key: u32| {
        spawn_local(async move {
            storage::forget_folder(key).await;
            read_list().await;
            dom::focus_id_later(RECENT_FOLDERS.to_owned());
        });
    };
    let row = move |folder: RecentFolder| {
        let RecentFolder {
            key,
            name,
            opened,
            handle,
        } = folder;
        let name_id = dom::fresh_id("recent");
        let (open_label, forget_label) = (name_id.clone(), name_id.clone());
        let age = format_age(js_sys::Date::now() - opened);
        view! {
            <li class="recent-item">
                <Glyph icon=Icon::Folder/>
                <span class="recent-name" id=name_id>{name}</span>
                <span class="dim">{age}</span>
                <span role="group" aria-labelledby=open_label>
                    <Button label="Open" on_press={
                        let handle = handle.clone();
                        move |()| drops::open_recent(app, handle.clone())
                    }/>
                </span>
                <span role="group" aria-labelledby=forget_label>
                    <Button label="Forget" on_press=move |()| forget(key)/>
                </span>
            </li>
        }
        .into_any()
    };
    let is_empty = move || folders.with(Vec::is_empty);
    view! {
        <section class="recent" aria-labelledby=RECENT_FOLDERS hidden=is_empty>
            <h2 class="recent-title" id=RECENT_FOLDERS tabindex="-1">"Recent folders"</h2>
            <ul class="recent-list">{move || folders.get().into_iter().map(row).collect_view()}</ul>
        </section>
    }
    .into_any()
}

/// Formats elapsed time in the largest fitting unit.
fn format_age(milliseconds: f64) -> String {
    let minutes = (milliseconds / 60_000.0).max(0.0) as u64;
    let elapsed = |count: u64, unit: &str| format!("{} ago", count_of(count as usize, unit));
    match minutes {
        0 => "just now".to_owned(),
        1..60 => elapsed(minutes, "minute"),
        60..1440 => elapsed(minutes / 60, "hour"),
        _ => elapsed(minutes / 1440, "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_shows_bytes_and_files() {
        let progress = Progress {
            bytes: 2_500_000,
            total_bytes: 10_000_000,
            files: 3,
            total_files: 37,
        };
        assert_eq!(
            progress_text(&progress),
            "2.5 MB of 10.0 MB · 3 of 37 files"
        );
        let walk = Progress {
            files: 640,
            ..Progress::default()
        };
        assert_eq!(progress_text(&walk), "looking for files: 640 found");
        let archive = Progress {
            bytes: 2_500_000,
            total_bytes: 10_000_000,
            ..Progress::default()
        };
        assert_eq!(progress_text(&archive), "unpacking: 2.5 MB of 10.0 MB");
        assert!((percent(&progress) - 25.0).abs() < 1e-9);
        assert_eq!(percent(&Progress::default()), 0.0);
    }

    #[test]
    fn elapsed_time_uses_the_largest_unit() {
        let minute = 60_000.0;
        let texts: Vec<String> = [-5.0, 0.5, 1.0, 59.0, 61.0, 60.0 * 47.0, 60.0 * 48.0]
            .map(|m| format_age(m * minute))
            .into();
        let expected = [
            "just now",
            "just now",
            "1 minute ago",
            "59 minutes ago",
            "1 hour ago",
            "1 day ago",
            "2 days ago",
        ];
        assert_eq!(texts, expected);
    }
}

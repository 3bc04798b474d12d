//! Recent folders on the start page: reopened without the picker, or removed. Hidden if none are
//! stored.

use crate::browser::recent_folders::{self, RecentFolder};
use crate::context::app_context;
use crate::widgets::button::Button;
use crate::widgets::dom;
use crate::widgets::icon::{Glyph, Icon};
use leptos::prelude::*;
use protocol::counting::count_of;
use wasm_bindgen_futures::spawn_local;

#[component]
pub fn RecentFolders() -> impl IntoView {
    let app = app_context();
    let folders = RwSignal::new_local(Vec::<RecentFolder>::new());
    let read = move || {
        spawn_local(async move {
            let all = recent_folders::all().await;
            folders.try_set(all);
        });
    };
    read();
    let forget = move |key: u32| {
        spawn_local(async move {
            recent_folders::forget(key).await;
            let all = recent_folders::all().await;
            folders.try_set(all);
            dom::focus_id_later(TITLE.to_owned());
        });
    };
    let row = move |folder: RecentFolder| {
        let RecentFolder {
            key,
            name,
            opened,
            handle,
        } = folder;
        let note = dom::fresh_id("recent");
        let (first, second) = (note.clone(), note.clone());
        let when = ago(js_sys::Date::now() - opened);
        view! {
            <li class="recent-item">
                <Glyph icon=Icon::Folder/>
                <span class="recent-name" id=note>{name}</span>
                <span class="dim">{when}</span>
                <span role="group" aria-labelledby=first>
                    <Button label="Open" on_press={
                        let handle = handle.clone();
                        move |()| app.drops.open_recent(handle.clone())
                    }/>
                </span>
                <span role="group" aria-labelledby=second>
                    <Button label="Forget" on_press=move |()| forget(key)/>
                </span>
            </li>
        }
        .into_any()
    };
    let is_empty = move || folders.with(Vec::is_empty);
    view! {
        <section class="recent" aria-labelledby=TITLE hidden=is_empty>
            <h2 class="recent-title" id=TITLE tabindex="-1">"Recent folders"</h2>
            <ul class="recent-list">{move || folders.get().into_iter().map(row).collect_view()}</ul>
        </section>
    }
    .into_any()
}

const TITLE: &str = "recent-folders";

/// Elapsed time in the largest fitting unit.
fn ago(milliseconds: f64) -> String {
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
    fn elapsed_time_uses_the_largest_unit() {
        let minute = 60_000.0;
        let texts: Vec<String> = [-5.0, 0.5, 1.0, 59.0, 61.0, 60.0 * 47.0, 60.0 * 48.0]
            .map(|m| ago(m * minute))
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

//! The question when something is dropped or picked while a workspace is open.

use crate::context::{AppContext, app_context};
use crate::edits::suggestions::catalog_name;
use crate::widgets::button::{Button, Look};
use crate::widgets::dialog::{Dialog, Size};
use crate::words;
use leptos::prelude::*;
use protocol::counting::first_of;
use protocol::request::OpenMode;

#[component]
pub fn DropDialog() -> impl IntoView {
    let app = app_context();
    let edits = untrack(|| app.store.unsaved_edits());
    let names = app.drops.dropped_names();
    let title = format!("Open {}", title_names(&names));
    let (it, beside) = (
        if names.len() == 1 { "it" } else { "them" },
        open_catalogs(app),
    );
    view! {
        <Dialog title size=Size::Small on_close=move |()| app.drops.take_dropped(None)>
            <div class="dialog-body">
                <p>{format!("Add {it} beside {beside}, compare {it} with the catalog in view, or replace what is open?")}</p>
                {(edits > 0)
                    .then(|| {
                        view! {
                            <p class="dim">
                                {replacing(edits, app.unfinished.keeps_edits().then(|| app.unfinished.way_back(them(edits))).as_deref())}
                            </p>
                        }
                    })}
            </div>
            <div class="dialog-foot">
                <Button label="Cancel" look=Look::Quiet on_press=move |()| app.drops.take_dropped(None)/>
                <Button label="Replace" on_press=move |()| app.drops.take_dropped(Some(OpenMode::Replace))/>
                <Button label="Compare" on_press=move |()| app.drops.compare_dropped()/>
                <Button label="Add" look=Look::Primary on_press=move |()| app.drops.take_dropped(Some(OpenMode::Add))/>
            </div>
        </Dialog>
    }
    .into_any()
}

/// In a dialog: mentions drops that wait until it is closed.
#[component]
pub fn WaitingDrops(app: AppContext) -> impl IntoView {
    let waiting = app.drops.waiting_drops();
    view! {
        <p class="dialog-waiting">
            {move || match waiting.get() {
                0 => "",
                1 => "Close this to continue with what you dropped.",
                _ => "Close this to continue with what you dropped, one after the other.",
            }}
        </p>
    }
    .into_any()
}

/// The names in the title; counts many files.
fn title_names(names: &[String]) -> String {
    const NAMED: usize = 2;
    if names.is_empty() {
        "files".to_owned()
    } else {
        first_of(names.iter(), NAMED)
    }
}

fn open_catalogs(app: AppContext) -> String {
    const NAMED: usize = 3;
    app.store.status.with_untracked(|status| {
        let names = status
            .roots
            .iter()
            .filter(|row| row.is_catalog())
            .map(|row| catalog_name(&status.roots, &row.root));
        let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            "what is open".to_owned()
        } else {
            first_of(names.iter(), NAMED)
        }
    })
}

fn them(edits: u32) -> &'static str {
    if edits == 1 { "it" } else { "them" }
}

/// `way_back`: how to continue the edits, if they are stored.
fn replacing(edits: u32, way_back: Option<&str>) -> String {
    let edits = words::count(edits, "edit");
    match way_back {
        Some(way_back) => format!("Replacing puts {edits} aside, not yet saved: {way_back}"),
        None => format!("Replacing discards {edits} not yet saved."),
    }
}

#[cfg(test)]
mod tests {
    use super::{replacing, title_names};

    #[test]
    fn names_the_dropped_files() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(title_names(&names(&["hub"])), "hub");
        assert_eq!(
            title_names(&names(&["a.yaml", "b.yaml", "c.yaml"])),
            "a.yaml, b.yaml and 1 more"
        );
    }

    #[test]
    fn replacing_describes_its_effect_on_edits() {
        let kept = "Replacing puts 1 edit aside, not yet saved: you can continue with it when you open c again.";
        assert_eq!(
            replacing(1, Some("you can continue with it when you open c again.")),
            kept
        );
        assert_eq!(
            replacing(2, None),
            "Replacing discards 2 edits not yet saved."
        );
    }
}

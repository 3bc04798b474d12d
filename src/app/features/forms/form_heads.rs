//! Notes above the fields of some forms: the other way to add a bundle, and the subject of the
//! form.

use crate::commands::Command;
use crate::context::AppContext;
use crate::widgets::buttons::Button;
use crate::widgets::short_text::rest_item;
use crate::words;
use leptos::prelude::*;

/// Bundle files contain more than fields can express: they have their own form.
pub(super) fn from_files(app: AppContext) -> impl IntoView {
    let instead = move |command: Command| {
        move |()| {
            app.overlays.give_way_to_files();
            command.run(app);
        }
    };
    view! {
        <div class="form-files" role="group" aria-label="From its files">
            <p>"Have the bundle’s files? They say everything but its image:"</p>
            <Button label=Command::BundleFolder.label() on_press=instead(Command::BundleFolder)/>
            <Button label=Command::BundleFile.label() on_press=instead(Command::BundleFile)/>
        </div>
    }
}

/// The fields show earlier input rather than the object's current values.
pub(super) fn typed_before(start_again: Callback<()>) -> impl IntoView {
    view! {
        <div class="form-files" role="group" aria-label="Typed before">
            <p>"What you typed before is here again."</p>
            <Button label="Start again" on_press=start_again/>
        </div>
    }
}

/// The entries that the form applies to.
pub(super) fn selected(names: Vec<String>) -> impl IntoView {
    const NAMED: usize = 6;
    let (count, more) = (names.len() as u32, names.len().saturating_sub(NAMED));
    view! {
        <div class="form-several" role="group" aria-label="For">
            <p class="field-label">{format!("For {}", words::count(count, "selected thing"))}</p>
            <ul class="form-several-names">
                {names.into_iter().take(NAMED).map(|name| view! { <li class="mono">{name}</li> }).collect_view()}
                {rest_item(more)}
            </ul>
        </div>
    }
    .into_any()
}

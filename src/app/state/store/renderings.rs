//! Shows templates and the catalogs that they render to.

use super::{Notice, SessionStore};
use leptos::prelude::*;
use protocol::diagnostic::Location;
use protocol::query::ShowRendered;
use protocol::response::AskError;
use protocol::templates::{rendered_name, template_of};

/// Opens and shows the rendering of a template. One that is already open is only shown.
pub async fn show_rendered(store: SessionStore, template: String) {
    let name = rendered_name(&template);
    if store.status.is_root_open(&name) || set_rendered(store, template, true).await {
        store.show_root(name).await;
    }
}

/// Opens a rendered catalog by its own name, if its template is open and it is not.
pub async fn open_rendered_root(store: SessionStore, root: &str) {
    let Some(template) = template_of(root) else {
        return;
    };
    if store.status.is_root_open(template) && !store.status.is_root_open(root) {
        set_rendered(store, template.to_owned(), true).await;
    }
}

/// Closes the rendering of a template; shows the template if the rendering was in view.
pub async fn hide_rendered(store: SessionStore, template: String) {
    let was_shown = store.root.get_untracked() == rendered_name(&template);
    if set_rendered(store, template.clone(), false).await && was_shown {
        store.show_root(template).await;
    }
}

/// Opens or closes the rendering of a template. Returns whether it succeeded; reports the
/// reason otherwise.
async fn set_rendered(store: SessionStore, template: String, shown: bool) -> bool {
    match store.ask(ShowRendered { template, shown }).await {
        Ok(status) => {
            store.take_status(status);
            true
        }
        Err(AskError::Refused(refusal)) => {
            store.notices.push(Notice::Failed(refusal.reason));
            false
        }
        Err(_) => false,
    }
}

/// Shows a template; one without entries as text.
pub async fn show_template(store: SessionStore, template: String) {
    let holds_entries = store.status.with_untracked(|status| {
        let row = status.roots.iter().find(|row| row.root == template);
        row.and_then(|row| row.template.as_ref())
            .is_some_and(|template| template.holds_entries)
    });
    let file = template.rsplit('/').next().unwrap_or(&template).to_owned();
    store.show_root(template).await;
    if !holds_entries {
        store
            .show_source(&Location {
                file,
                line: 1,
                column: 1,
                end_line: 1,
                end_column: 1,
            })
            .await;
    }
}

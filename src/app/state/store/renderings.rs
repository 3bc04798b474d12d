//! Shows templates and the catalogs that they render to.

use super::{Notice, SessionStore, SourcePlace, Tab};
use leptos::prelude::*;
use protocol::diagnostic::Location;
use protocol::query::ShowRendered;
use protocol::response::AskError;
use protocol::templates::{TemplateRow, rendered_name, template_of};

/// Opens and shows the rendering of a template. One that is already open is only shown.
pub async fn show_rendered(store: SessionStore, template: String) {
    let name = rendered_name(&template);
    if store.status.is_root_open_untracked(&name) || set_rendered(store, template, true).await {
        store.show_root(name).await;
    }
}

/// Opens a rendered catalog by its own name, if its template is open and it is not.
pub async fn open_rendered_root(store: SessionStore, root: &str) {
    let Some(template) = template_of(root) else {
        return;
    };
    if store.status.is_root_open_untracked(template) && !store.status.is_root_open_untracked(root) {
        set_rendered(store, template.to_owned(), true).await;
    }
}

/// Closes the rendering of a template; shows the template if the rendering was in view.
pub async fn hide_rendered(store: SessionStore, template: String) {
    let was_shown = store.root.get_untracked() == rendered_name(&template);
    if set_rendered(store, template.clone(), false).await && was_shown {
        show_template(store, template).await;
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

/// Shows a catalog or template. A template without entries is shown as text in the source tab, and
/// is drawn as its rendering elsewhere.
pub async fn show_drawn(store: SessionStore, root: String) {
    let template = find_template(store, &root);
    let has_own_graph = |template: TemplateRow| template.holds_entries || !template.is_rendered;
    if template.is_none_or(has_own_graph) {
        store.show_root(root).await;
    } else if store.tab.get_untracked() == Tab::Source {
        show_template(store, root).await;
    } else {
        show_rendered(store, root).await;
    }
}

/// Shows a template; one without entries as text.
pub async fn show_template(store: SessionStore, root: String) {
    let template = find_template(store, &root);
    if template.is_none_or(|template| template.holds_entries) {
        return store.show_root(root).await;
    }
    let start = Location::start_of(root.rsplit('/').next().unwrap_or(&root));
    // Its graph would be empty.
    store.tab.set(Tab::Source);
    store.show_root(root).await;
    store.show_source(SourcePlace::new(&start), false).await;
}

fn find_template(store: SessionStore, root: &str) -> Option<TemplateRow> {
    store.status.with_untracked(|status| {
        let row = status.roots.iter().find(|row| row.root == root)?;
        row.template.clone()
    })
}

//! Shows, converts and renders templates. Rendering into catalogs makes operations that are
//! previewed and applied like any others.

use super::{AppContext, Overlay};
use crate::reactive::spawn_local;
use crate::state::store::renderings;
use crate::words;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::query::{ListRenderTargets, Render};
use protocol::response::OperationRefusal;
use protocol::templates::{RenderRequest, RenderTargets};

/// Returns the template whose rendering can be opened: the one in view, or that of the package
/// in view.
pub fn template_to_render(app: AppContext) -> Option<String> {
    let row = app.store.root_row()?;
    match &row.template {
        Some(template) => template.is_rendered.then_some(row.root),
        None if row.rendered.is_some() => None,
        None => template_of_package(app),
    }
}

fn template_of_package(app: AppContext) -> Option<String> {
    let view = app.current.view.get();
    Some(view.rendered_from.as_ref()?.template.clone())
}

pub fn template_in_view(app: AppContext) -> Option<String> {
    let row = app.store.root_row()?;
    match row.rendered {
        Some(rendered) => Some(rendered.template),
        None => template_of_package(app).filter(|_| row.template.is_none()),
    }
}

pub fn show_rendered(app: AppContext) {
    if let Some(template) = untrack(|| template_to_render(app)) {
        spawn_local(renderings::show_rendered(app.store, template));
    }
}

pub fn show_template(app: AppContext) {
    if let Some(template) = untrack(|| template_in_view(app)) {
        spawn_local(renderings::show_template(app.store, template));
    }
}

/// Returns the template in view, or the one that renders what is in view.
pub fn template_to_write(app: AppContext) -> Option<String> {
    let row = app.store.root_row()?;
    match &row.template {
        Some(template) => template.is_rendered.then_some(row.root),
        None => template_in_view(app),
    }
}

/// Shows the template's target catalogs. If `adds`, asks for the name of another one.
pub fn open_render_targets(app: AppContext, adds: bool) {
    if let Some(template) = untrack(|| template_to_write(app)) {
        app.overlays.open(Overlay::RenderTargets { template, adds });
    }
}

pub fn open_template_conversion(app: AppContext) {
    convert_template(app, String::new());
}

/// Converts the template in view, or the one that renders what is in view. `because`: why an edit
/// needs the conversion.
pub fn convert_template(app: AppContext, because: String) {
    if let Some(template) = untrack(|| template_to_write(app)) {
        app.overlays
            .open(Overlay::ConvertTemplate { template, because });
    }
}

/// Creates a template for the catalog in view, with its package in view preselected.
pub fn open_template_creation(app: AppContext) {
    if untrack(|| app.current.is_catalog()) {
        let (root, package) = (
            app.store.root.get_untracked(),
            app.current.package.get_untracked(),
        );
        app.overlays.open(Overlay::MakeTemplate { root, package });
    }
}

/// Previews rendering the template into all of its targets.
pub fn render_all(app: AppContext) {
    let Some(template) = untrack(|| template_to_write(app)) else {
        return;
    };
    spawn_local(async move {
        let outcome = match app.store.ask(ListRenderTargets { template }).await {
            Ok(targets) => preview_render(app, &targets, target_names(&targets)).await,
            Err(error) => Err(error.into()),
        };
        app.session.report_refusal(outcome);
    });
}

/// Previews rendering a template into these targets.
pub async fn preview_render(
    app: AppContext,
    targets: &RenderTargets,
    catalogs: Vec<String>,
) -> Result<(), OperationRefusal> {
    let render = Render {
        template: targets.template.clone(),
        what: RenderRequest::Into(catalogs.clone()),
    };
    let ops = if catalogs.is_empty() {
        Vec::new()
    } else {
        app.store.ask(render).await?.0
    };
    preview_operations(
        app,
        format!(
            "Render {} to {}",
            template_name(app, targets),
            words::list_names(&catalogs)
        ),
        targets,
        ops,
    );
    Ok(())
}

/// Previews adding a catalog to a template's mapping and rendering into it.
pub async fn preview_added_target(
    app: AppContext,
    targets: &RenderTargets,
    catalog: &str,
) -> Result<(), OperationRefusal> {
    let render = Render {
        template: targets.template.clone(),
        what: RenderRequest::AlsoInto(catalog.to_owned()),
    };
    let ops = app.store.ask(render).await?.0;
    preview_operations(
        app,
        format!("Add {catalog} to {}", template_name(app, targets)),
        targets,
        ops,
    );
    Ok(())
}

fn preview_operations(app: AppContext, title: String, targets: &RenderTargets, ops: Vec<EditOp>) {
    if ops.is_empty() {
        let name = template_name(app, targets);
        app.notifications
            .toasts
            .note(format!("{name}: nothing to render."));
    } else {
        app.overlays.open(Overlay::Confirm { title, ops });
    }
}

fn template_name(app: AppContext, targets: &RenderTargets) -> String {
    app.current.name_of_catalog(&targets.template)
}

pub fn target_names(targets: &RenderTargets) -> Vec<String> {
    targets
        .targets
        .iter()
        .filter(|target| target.can_be_updated())
        .map(|target| target.catalog.clone())
        .collect()
}

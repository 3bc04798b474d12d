//! Shows, converts and renders templates. Rendering into catalogs uses operations that are
//! previewed and applied like any other.

use super::{AppContext, Overlay};
use crate::words;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::query::{ListRenderTargets, Render};
use protocol::response::OperationRefusal;
use protocol::templates::{RenderRequest, RenderTargets};
use wasm_bindgen_futures::spawn_local;

/// The template in view and its actions.
impl AppContext {
    /// Returns the template whose rendering can be opened: the one in view, or that of the package
    /// in view.
    pub fn template_to_render(self) -> Option<String> {
        let row = self.store.root_row()?;
        match &row.template {
            Some(template) => template.is_rendered.then_some(row.root),
            None if row.rendered.is_some() => None,
            None => self.template_of_package(),
        }
    }

    /// Returns the template that renders the package in view.
    fn template_of_package(self) -> Option<String> {
        let view = self.current.view.get();
        Some(view.rendered_from.as_ref()?.template.clone())
    }

    /// Returns the template that renders what is in view.
    pub fn template_in_view(self) -> Option<String> {
        let row = self.store.root_row()?;
        match row.rendered {
            Some(rendered) => Some(rendered.template),
            None => self
                .template_of_package()
                .filter(|_| row.template.is_none()),
        }
    }

    pub fn show_rendered(self) {
        if let Some(template) = untrack(|| self.template_to_render()) {
            spawn_local(self.store.show_rendered(template));
        }
    }

    pub fn show_template(self) {
        if let Some(template) = untrack(|| self.template_in_view()) {
            spawn_local(self.store.show_template(template));
        }
    }

    /// Returns the template in view, or the one that renders what is in view.
    pub fn template_to_write(self) -> Option<String> {
        let row = self.store.root_row()?;
        match &row.template {
            Some(template) => template.is_rendered.then_some(row.root),
            None => self.template_in_view(),
        }
    }

    /// Shows the template's target catalogs; `adds`: asks for the name of another one.
    pub fn open_render_targets(self, adds: bool) {
        if let Some(template) = untrack(|| self.template_to_write()) {
            self.overlays
                .open(Overlay::RenderTargets { template, adds });
        }
    }

    /// Converts the template in view, or the one that renders what is in view.
    pub fn open_template_conversion(self) {
        if let Some(template) = untrack(|| self.template_to_write()) {
            self.overlays.open(Overlay::ConvertTemplate { template });
        }
    }

    /// Creates a template for the catalog in view, with its package in view preselected.
    pub fn open_template_creation(self) {
        if untrack(|| self.current.is_catalog()) {
            let (root, package) = (
                self.store.root.get_untracked(),
                self.current.package.get_untracked(),
            );
            self.overlays.open(Overlay::MakeTemplate { root, package });
        }
    }

    /// Previews rendering the template into all of its targets.
    pub fn render_all(self) {
        let Some(template) = untrack(|| self.template_to_write()) else {
            return;
        };
        spawn_local(async move {
            let end = match self.store.ask(ListRenderTargets { template }).await {
                Ok(targets) => self.preview_render(&targets, target_names(&targets)).await,
                Err(error) => Err(error.into()),
            };
            self.session.report_refusal(end);
        });
    }

    /// Previews rendering a template into these targets.
    pub async fn preview_render(
        self,
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
            self.store.ask(render).await?.0
        };
        self.preview_written(
            format!(
                "Render {} to {}",
                self.template_name(targets),
                words::list_names(&catalogs)
            ),
            targets,
            ops,
        );
        Ok(())
    }

    /// Previews adding a catalog to a template's mapping and rendering into it.
    pub async fn preview_added_target(
        self,
        targets: &RenderTargets,
        catalog: &str,
    ) -> Result<(), OperationRefusal> {
        let render = Render {
            template: targets.template.clone(),
            what: RenderRequest::AlsoInto(catalog.to_owned()),
        };
        let ops = self.store.ask(render).await?.0;
        self.preview_written(
            format!("Add {catalog} to {}", self.template_name(targets)),
            targets,
            ops,
        );
        Ok(())
    }

    fn preview_written(self, title: String, targets: &RenderTargets, ops: Vec<EditOp>) {
        match ops.is_empty() {
            true => self.notifications.toasts.note(format!(
                "{}: nothing to render.",
                self.template_name(targets)
            )),
            false => self.overlays.open(Overlay::Confirm { title, ops }),
        }
    }

    fn template_name(self, targets: &RenderTargets) -> String {
        self.current.name_of_catalog(&targets.template)
    }
}

/// Returns the catalogs that rendering changes.
pub fn target_names(targets: &RenderTargets) -> Vec<String> {
    targets
        .targets
        .iter()
        .filter(|target| target.state.is_written())
        .map(|target| target.catalog.clone())
        .collect()
}

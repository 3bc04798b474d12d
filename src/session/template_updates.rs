//! Edits templates: gives their planner ([`template::edit`]) the bundles of the session, and
//! applies its patches.
//!
//! A rendered catalog is never edited: its operations are redirected to its template.

#[cfg(test)]
mod semver_tests;
#[cfg(test)]
mod substitution_tests;
#[cfg(test)]
mod tests;

use super::file_updates::FileUpdate;
use super::rendered_catalogs::RenderedState;
use super::{OpenFiles, Planner, Refused, Root, Templates};
use catalog::model::FileId;
use catalog::roots::name_of;
use edit::refused;
use edit::verify::edit_blob;
use protocol::operation::EditOp;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;
use template::edit::{BundleImage, EditTarget, NamedBundles};
use template::unfold::unfold;

/// A template is the first document of its file.
const DOCUMENT: u32 = 0;

/// The open bundles, for one template. It is rendered when a bundle is first requested.
struct TemplateBundles<'w> {
    templates: Templates<'w>,
    template: &'w str,
    rendered: OnceCell<Rc<RenderedState>>,
}

impl TemplateBundles<'_> {
    fn rendered(&self) -> &Rc<RenderedState> {
        self.rendered
            .get_or_init(|| self.templates.rendering_of(self.template))
    }
}

impl NamedBundles for TemplateBundles<'_> {
    fn reference_of(&self, bundle: &str) -> Option<String> {
        let rendering = &self.rendered().rendering;
        rendering.reference_of(bundle).map(str::to_owned)
    }

    fn version_of(&self, reference: &str) -> Option<String> {
        self.rendered().version_of(reference)
    }

    fn find_open(&self, bundle: &str) -> Option<BundleImage> {
        self.templates
            .bundles_for(self.template, self.rendered())
            .find_bundle(bundle)
    }
}

impl Planner<'_> {
    /// Redirects an operation on a rendered catalog to its template; others are returned unchanged.
    ///
    /// # Errors
    ///
    /// If it edits the rendered text.
    pub(super) fn redirect_to_template<'o>(
        &self,
        op: &'o EditOp,
    ) -> Result<Cow<'o, EditOp>, Refused> {
        let Some(name) = op
            .catalog()
            .filter(|name| !self.session.is_outside(Some(name)))
        else {
            return Ok(Cow::Borrowed(op));
        };
        let root = &self.session.roots[self.session.root_position(Some(name))?];
        let Some(rendering) = root.rendering() else {
            return Ok(Cow::Borrowed(op));
        };
        let template = &rendering.template;
        if let EditOp::ReplaceText { file, .. } = op
            && file != name_of(template)
        {
            return Err(
                refused!("`{file}` is rendered, so its text cannot be edited")
                    .help(format!("edit `{template}`, which it is rendered from")),
            );
        }
        let mut op = op.clone();
        *op.catalog_mut() = Some(template.clone());
        Ok(Cow::Owned(op))
    }

    /// Like [`Planner::plan_updates`], for an operation on a template other than free text.
    pub(super) fn template_file_updates(
        &mut self,
        at: usize,
        op: &EditOp,
    ) -> Result<Vec<FileUpdate>, Refused> {
        let root = &self.session.roots[at];
        let Some(file) = root.catalog.files().first().map(|file| file.id) else {
            return Err(Refused::new("the template no longer exists"));
        };
        let template = root.template().ok_or_else(|| {
            refused!("`{}` is no longer a template", root.name).help("edit it as text")
        })?;
        let version = self.readable(at, file)?;
        let blobs = version
            .index()
            .map(|index| unfold(index))
            .unwrap_or_default();
        let text = self.blob_text(at, file, DOCUMENT)?;
        let format = self.session.files.blob(file, DOCUMENT)?.format;
        let bundles = TemplateBundles {
            templates: self.session.templates(),
            template: &root.name,
            rendered: OnceCell::new(),
        };
        let target = EditTarget {
            template,
            blobs: &blobs,
            catalog: &root.catalog,
            text: &text,
            format,
            bundles: &bundles,
        };
        let planned = template::edit::plan(op, &target)?;
        if planned.patches.is_empty() {
            return Ok(Vec::new());
        }
        let edited = edit_blob(&text, format, &planned.patches)
            .map_err(|refusal| self.refuse(at, file, DOCUMENT, refusal))?;
        if let Some(requirement) = planned.requirement {
            let source = bundles
                .templates
                .bundles_for(bundles.template, bundles.rendered());
            requirement.check(&edited.text, &source)?;
        }
        Ok(vec![self.finish_blob(at, file, DOCUMENT, edited)?])
    }
}

pub(super) fn entry_index(
    files: &OpenFiles,
    root: &Root,
    file: FileId,
    index: u32,
) -> Option<usize> {
    let file = root.is_template().then(|| files.version(file)?.index())??;
    template::template_of_file(file)?;
    unfold(file).item(index)
}

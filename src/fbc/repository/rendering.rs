//! Updates a catalog's text after rendering its template; equal parts keep their text.

use super::document::line_of;
use super::edit::FileChange;
use super::files::{Files, join};
use super::finding::Problem;
use super::layout::{self, CATALOG_FILE};
use super::operator_catalogs::OperatorCatalogs;
use crate::index::index_bytes;
use crate::template::freshness::{ForCatalog, render_for};
use crate::template::render::{Bundles, TemplateType};
use crate::template::update_catalog;

/// A template to render.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    /// Path in the repository.
    pub path: &'a str,
    pub text: &'a [u8],
    pub kind: TemplateType,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedCatalog {
    /// Its name, such as `v4.18`.
    pub name: String,
    /// Path of the template.
    pub template: String,
    pub outcome: Result<FileChange, Problem>,
}

/// The remedy for a template that names an unknown image.
pub const UNKNOWN_IMAGE_HELP: &str = "if the image is not released yet, release the bundle first, and change template and \
     catalogs in a second pull request; if it is, render the template with `opm`, which pulls bundles from a registry";

/// Renders the file of a catalog.
///
/// # Errors
///
/// If it cannot be rendered, or its text cannot be written.
pub(super) fn render_catalog(
    files: &dyn Files,
    catalogs: &OperatorCatalogs<'_>,
    catalog: &str,
    source: Source<'_>,
    bundles: &dyn Bundles,
) -> Result<FileChange, Problem> {
    let operator = catalogs.operator();
    let of_template = |message: String| Problem::new(operator, source.path, message);
    let rendered = match render_for(catalog, source.text, Some(source.kind), bundles) {
        ForCatalog::Rendered(rendered) => rendered,
        ForCatalog::Refused(reason) => return Err(of_template(reason)),
        ForCatalog::UnknownBundles(missing) => {
            let line = missing
                .first()
                .and_then(|image| line_of_text(source.text, image));
            let images = protocol::counting::first_of(missing.iter(), 3);
            let problem = of_template(format!(
                "no catalog of the operator has a bundle with image {images}"
            ))
            .help(UNKNOWN_IMAGE_HELP);
            return Err(line.map_or(problem.clone(), |line| problem.on_line(line)));
        }
    };
    let folder = layout::catalog_folder(catalog, operator);
    let paths = catalogs
        .get(catalog)
        .map_or(&[][..], |catalog| &catalog.paths);
    match paths {
        [] => Ok(FileChange {
            path: join(&folder, CATALOG_FILE),
            before: None,
            after: update_catalog::new_text(&rendered),
        }),
        [path] => {
            let of_file = |message: String| Problem::new(operator, path, message);
            let text = files
                .read(path)
                .map_err(|failure| of_file(failure.to_string()))?;
            let after = update_catalog::updated_text(&text, &index_bytes(&text), rendered)
                .map_err(|reason| of_file(reason).help("remove the file and render it again"))?;
            Ok(FileChange {
                path: path.clone(),
                before: Some(text),
                after,
            })
        }
        several => {
            let message = format!(
                "the catalog is split over {} files, but rendering writes only one",
                several.len()
            );
            Err(Problem::new(operator, folder, message)
                .help(format!("put all of it into `{CATALOG_FILE}`")))
        }
    }
}

fn line_of_text(text: &[u8], wanted: &str) -> Option<u32> {
    memchr::memmem::find(text, wanted.as_bytes()).map(|at| line_of(text, at))
}

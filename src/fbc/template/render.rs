//! Renders a template's catalog like `opm alpha render-template`.
//!
//! Takes a text and a bundle source, and returns blobs. [`TemplateType`] detects the type; each
//! type has its own file. [`known`] provides bundles from catalogs and bundle folders.

mod basic;
mod bundles;
mod entries;
pub mod facts;
mod kind;
pub mod known;
mod package_texts;
mod rendered;
mod semver;
mod semver_input;
mod substitutes;

pub use bundles::{Bundles, Missing};
pub use kind::TemplateType;
pub use package_texts::complete_package;
pub use rendered::Rendered;

use crate::bundle::Migration;
use bundles::Source;

/// How a template is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The type; defaults to the schema of the first document.
    pub kind: Option<TemplateType>,
    /// Applied to each rendered bundle.
    pub migration: Migration,
    /// How to treat unknown bundles.
    pub missing: Missing,
}

/// Why rendering failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// In `opm`'s wording.
    pub message: String,
    /// Unknown bundle references, as far as they were looked up.
    pub missing: Vec<String>,
}

/// Renders a template.
pub fn render(text: &[u8], bundles: &dyn Bundles, options: Options) -> Result<Rendered, Refused> {
    let mut source = Source::new(bundles, options.migration, options.missing);
    let rendered = options
        .kind
        .map_or_else(|| TemplateType::detect(text), Ok)
        .and_then(|kind| {
            let rendered = match kind {
                TemplateType::Basic => basic::render(text, &mut source),
                TemplateType::Semver => semver::render(text, &mut source),
                TemplateType::Substitutes => substitutes::render(text, &mut source),
            };
            rendered.map_err(|error| format!("rendering template: {error}"))
        });
    let missing = source.left_out;
    match rendered {
        Ok(rendered) => Ok(Rendered {
            missing,
            ..rendered
        }),
        Err(message) => Err(Refused { message, missing }),
    }
}

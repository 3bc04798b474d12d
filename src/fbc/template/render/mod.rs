//! The catalog that a template makes, as `opm alpha render-template` makes it.
//!
//! Text and a source of bundles in, blobs out. [`TemplateType`] says which kind a text is; one file a kind does the rest.
//! [`known`] is a source of bundles made of catalogs and bundle folders.

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
    /// The kind; without it the schema of the first document says it.
    pub kind: Option<TemplateType>,
    /// What each rendered bundle goes through.
    pub migration: Migration,
    /// What is to happen where a bundle is not known.
    pub missing: Missing,
}

/// Why nothing was rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// In `opm`'s words.
    pub message: String,
    /// References of bundles that are not known, as far as they were looked for.
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
            rendered.map_err(|words| format!("rendering template: {words}"))
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

//! Templates: the sources that catalogs are rendered from.
//!
//! To a catalog a template is a blob of an unknown schema, as it is to `opm validate`. Here it is what people edit:
//! [`unfold`] shows the blobs inside a basic template as a catalog of its own, [`origin`] tells which template a package is
//! rendered from, [`mapping`] what a `ci.yaml` says of it, [`source_lines`] which line made what. Pure functions of facts; the facts are [`crate::model::Template`]'s.
//! [`render`] makes the catalog of a template, [`convert`] the template of a catalog; both go by the text.

pub mod convert;
pub mod freshness;
pub mod mapping;
pub mod origin;
pub mod render;
pub mod source_lines;
mod text;
pub mod unfold;
pub mod update_catalog;

use crate::model::{Body, FileIndex, Template};

/// The template that a file is: its first document, since `opm` reads no other.
pub fn of_file(index: &FileIndex) -> Option<&Template> {
    match &index.blobs.first()?.body {
        Body::Other(other) => other.template.as_deref(),
        _ => None,
    }
}

/// What a kind of template is called.
pub fn kind(template: &Template) -> &'static str {
    match template {
        Template::Basic(_) => "basic template",
        Template::Substitutes(_) => "substitutes template",
        Template::Semver(_) => "semver template",
        Template::Composite => "composite template",
    }
}

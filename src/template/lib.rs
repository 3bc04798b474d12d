//! Templates: the sources that catalogs are rendered from.
//!
//! In a catalog, a template is a blob of an unknown schema, as for `opm validate`. Here it is what
//! people edit: [`unfold`] shows the blobs inside a basic template as a catalog, [`origin`] finds
//! the template of a package, [`mapping`] reads its entry in a `ci.yaml`, [`source_lines`] finds
//! the line of an object. These work on the facts in [`catalog::model::Template`]. [`render`]
//! creates the catalog of a template, [`convert`] the template of a catalog; both work on text.

pub mod convert;
pub mod edit;
pub mod fault;
pub mod freshness;
pub mod mapping;
pub mod origin;
pub mod render;
pub mod source_lines;
pub mod unfold;
pub mod update_catalog;

use catalog::model::{Body, FileIndex, Template};
use memchr::memmem;

/// Returns the template in a file: its first document, since `opm` reads no other.
pub fn template_of_file(index: &FileIndex) -> Option<&Template> {
    match &index.blobs.first()?.body {
        Body::Other(other) => other.template.as_deref(),
        _ => None,
    }
}

/// Whether the bytes of a file may be a template: a fast filter for many files.
pub fn may_be_template(text: &[u8]) -> bool {
    // An escape in JSON or a quoted scalar may spell a schema differently.
    [
        &b"olm.template."[..],
        b"olm.semver",
        b"olm.composite",
        b"\\u",
        b"\\x",
        b"\\U",
        b"\\\n",
    ]
    .iter()
    .any(|part| memmem::find(text, part).is_some())
}

/// Returns the name of a template type.
pub fn kind(template: &Template) -> &'static str {
    match template {
        Template::Basic(_) => "basic template",
        Template::Substitutes(_) => "substitutes template",
        Template::Semver(_) => "semver template",
        Template::Composite => "composite template",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::index::index_bytes;

    #[test]
    fn the_quick_check_accepts_all_templates() {
        for text in [
            "schema: olm.template.basic\nentries: []\n",
            "---\nSchema: olm.semver\n",
            "schema: olm.composite\n",
            "{\"schema\": \"olm.template.substitutes\"}",
            "{\"schema\": \"\\u006flm.semver\"}",
            "schema: \"\\x6flm.semver\"\n",
        ] {
            assert!(
                template_of_file(&index_bytes(text.as_bytes())).is_some(),
                "{text}"
            );
            assert!(may_be_template(text.as_bytes()), "{text}");
        }
        assert!(!may_be_template(b"schema: olm.bundle\nname: a.v1.0.0\n"));
    }
}

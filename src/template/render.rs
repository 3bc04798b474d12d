//! Renders a template's catalog like `opm alpha render-template`.
//!
//! Takes a text and a bundle source, and returns blobs. [`TemplateType`] detects the type; each
//! type has its own file. [`known`] provides bundles from catalogs and bundle folders.

mod entries;
pub mod facts;
mod kind;
pub mod known;
pub(crate) mod semver;
mod substitutes;

use bundle::Migration;
use entries::Source;
pub use entries::{Bundles, Missing, Rendered};
pub use kind::TemplateType;
pub use known::complete_package;
pub use semver::NO_BUNDLES;

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

pub fn render(text: &[u8], bundles: &dyn Bundles, options: Options) -> Result<Rendered, Refused> {
    let mut source = Source::new(bundles, options.migration, options.missing);
    let rendered = options
        .kind
        .map_or_else(|| TemplateType::detect(text), Ok)
        .and_then(|kind| {
            let rendered = match kind {
                TemplateType::Basic => entries::render(text, &mut source),
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

#[cfg(test)]
mod tests {
    use super::TemplateType;

    #[test]
    fn the_schema_of_the_first_document_decides() {
        let detect = |text: &str| TemplateType::detect(text.as_bytes());
        let refused = |reason: &str| Err(format!("auto-detecting template type: {reason}"));
        assert_eq!(
            detect("---\nSchema: olm.semver\n---\nschema: other\n"),
            Ok(TemplateType::Semver)
        );
        assert_eq!(
            detect("{\"schema\": \"olm.template.basic\"}"),
            Ok(TemplateType::Basic)
        );
        assert_eq!(detect(""), refused("decoding template input: EOF"));
        assert_eq!(
            detect("# c\n---\nschema: olm.semver\n"),
            refused("unmarshalling template schema: unexpected end of JSON input")
        );
        assert_eq!(
            detect("entries: []\n"),
            refused("template input missing required 'schema' field")
        );
        assert_eq!(
            detect("schema: olm.composite\n"),
            refused("unknown template schema: olm.composite")
        );
        let number = "unmarshalling template schema: json: cannot unmarshal number into Go struct field .schema of type string";
        assert_eq!(detect("schema: 1\n"), refused(number));
    }

    #[test]
    fn a_type_is_named_by_the_end_of_its_schema() {
        for kind in TemplateType::ALL {
            assert!(kind.schema().ends_with(&format!(".{}", kind.name())));
            assert_eq!(TemplateType::from_name(kind.name()), Ok(kind));
        }
        let expected =
            "invalid template type \"composite\", must be one of: [basic semver substitutes]";
        assert_eq!(
            TemplateType::from_name("composite"),
            Err(expected.to_owned())
        );
    }
}

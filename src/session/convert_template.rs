//! Converts a template to another type that renders to the same catalog: as operations on its text,
//! so that they can be previewed, applied and undone.
//!
//! The template is rewritten in `opm`'s format, so its comments and order are lost. The result is
//! rendered and refused unless it equals the previous rendering.

use super::{Refused, Templates};
use bundle::{self, File};
use catalog::model::Template;
use edit::patch::{Patch, path};
use edit::refused;
use protocol::counting::first_of;
use protocol::operation::EditOp;
use serde_json::Value;
use syntax::tree::Format;
use template::convert;
use template::render::{Bundles, Missing, Options, TemplateType, render};

/// Maximum number of bundles named in a refusal.
const MAX_NAMED: usize = 5;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conversion {
    pub ops: Vec<EditOp>,
    /// What is lost although the catalog does not change.
    pub remarks: Vec<String>,
}

/// Why a template is not converted.
#[derive(Debug, Clone, PartialEq)]
pub enum NotConverted {
    Refused(Refused),
    /// Differences from anything that a semver template can produce.
    Differs(Vec<String>),
}

impl From<Refused> for NotConverted {
    fn from(refused: Refused) -> Self {
        NotConverted::Refused(refused)
    }
}

impl Templates<'_> {
    /// Converts a template, or the template of a rendered catalog.
    pub fn conversion(
        &self,
        template: &str,
        into: TemplateType,
    ) -> Result<Conversion, NotConverted> {
        let root = self.session.root(Some(template))?;
        let path = root
            .rendering()
            .map_or(&root.name, |rendering| &rendering.template)
            .clone();
        let root = self.session.root(Some(&path))?;
        let from = match root.template() {
            Some(Template::Basic(_)) => TemplateType::Basic,
            Some(Template::Substitutes(_)) => TemplateType::Substitutes,
            Some(Template::Semver(_)) => TemplateType::Semver,
            Some(Template::Composite) => {
                return Err(Refused::new(
                    "a composite template cannot be converted: opm v1.74.0 no longer has them",
                )
                .help("convert the templates of its packages one by one")
                .into());
            }
            None => return Err(refused!("`{path}` is not a template").into()),
        };
        if from == into {
            return Err(refused!("`{path}` is already a {} template", into.name()).into());
        }
        let version = self.session.files.version_at(&path);
        let version = version.ok_or_else(|| refused!("`{path}` no longer exists"))?;
        let text = self.session.files.text_of(version)?;
        let before = self.blobs_of_template(&path, &text)?;
        let (converted, remarks) = convert(into, &before)?;
        let format = version
            .index()
            .and_then(|index| index.blobs.first())
            .map_or(Format::Yaml, |blob| blob.format);
        let new = template_text(&converted, format);
        let after = self.blobs_of_template(&path, new.as_bytes()).map_err(|refused| match into {
            TemplateType::Substitutes => refused,
            _ => refused
                .help("these bundles are only in this template: open a catalog or the bundle folders that have them"),
        })?;
        if before != after {
            return Err(
                Refused::new("the converted template would render to another catalog").into(),
            );
        }
        let mut ops = self
            .session
            .changes()
            .text_change_ops(&path, &text, new.as_bytes())?;
        ops.extend(self.mapped_type_ops(&path, into)?);
        Ok(Conversion { ops, remarks })
    }

    /// Returns the rendering of a template text.
    fn blobs_of_template(&self, template: &str, text: &[u8]) -> Result<Vec<Value>, Refused> {
        let rendering = self.rendering_of(template);
        let source = self.bundles_for(template, &rendering);
        rendered_with(text, &source)
    }

    /// Returns the operations that update the template type in `ci.yaml`.
    fn mapped_type_ops(&self, template: &str, into: TemplateType) -> Result<Vec<EditOp>, Refused> {
        let Ok(item) = self.find_mapping(template) else {
            return Ok(Vec::new());
        };
        match item.mapping.kind {
            Some(kind) if kind != into => {
                let kind_path = path!["fbc", "catalog_mapping", item.index, "type"];
                self.patch_ops(item.file, Patch::set(kind_path, into.schema()))
            }
            _ => Ok(Vec::new()),
        }
    }
}

/// Returns the template text in `opm`'s format.
pub(super) fn template_text(template: &Value, format: Format) -> String {
    match format {
        Format::Json => convert::to_json(template),
        // `opm` ends with an empty line.
        Format::Yaml => format!("{}\n", convert::to_yaml(template).trim_end()),
    }
}

pub(super) fn rendered_with(text: &[u8], source: &dyn Bundles) -> Result<Vec<Value>, Refused> {
    let options = Options {
        missing: Missing::LeftOut,
        ..Options::default()
    };
    let rendered = render(text, source, options)
        .map_err(|refused| refused!("the template cannot be rendered: {}", refused.message))?;
    if !rendered.missing.is_empty() {
        let names = first_of(
            rendered.missing.iter().map(|name| format!("`{name}`")),
            MAX_NAMED,
        );
        return Err(refused!("bundles are not open: {names}")
            .help("open a catalog or the bundle folders that have them"));
    }
    Ok(rendered.blobs_in_order())
}

/// Returns the refusal for a template that would render differently, with the first differences.
pub(super) fn differing_bundles(before: &[Value], after: &[Value]) -> Refused {
    let differs = before
        .iter()
        .filter(|blob| !after.contains(blob))
        .chain(after.iter().filter(|blob| !before.contains(blob)));
    let mut names: Vec<String> = differs
        .map(|blob| format!("`{}`", blob["name"].as_str().unwrap_or_default()))
        .collect();
    names.dedup();
    let names = first_of(names.iter(), MAX_NAMED);
    refused!("the template would render to another catalog: {names} would differ")
        .help("a substitutes template holds the whole catalog")
}

pub(super) fn convert(
    into: TemplateType,
    blobs: &[Value],
) -> Result<(Value, Vec<String>), NotConverted> {
    let convert_files = match into {
        TemplateType::Basic => convert::basic,
        TemplateType::Substitutes => convert::substitutes,
        TemplateType::Semver => {
            return match convert::semver(blobs) {
                Ok(made) => Ok((made.template, made.remarks)),
                Err(differences) => Err(NotConverted::Differs(differences)),
            };
        }
    };
    let file = File {
        path: "catalog.yaml".to_owned(),
        bytes: bundle::to_yaml(blobs).into_bytes(),
    };
    let template = convert_files(&[file]).map_err(Refused::new)?;
    Ok((template, Vec::new()))
}

//! Converts a template to another type that renders to the same catalog: as operations on its text,
//! so that they can be previewed, applied and undone.
//!
//! The template is rewritten in `opm`'s format, so its comments and order are lost. The result is
//! rendered and refused unless it equals the previous rendering.

use super::file::Version;
use super::{Refused, Templates};
use bundle::{self, File};
use catalog::model::Template;
use edit::patch::{Patch, path};
use edit::verify::edit_blob_as;
use protocol::counting::first_of;
use protocol::operation::EditOp;
use serde_json::Value;
use syntax::tree::Format;
use template::convert;
use template::render::{Bundles, Missing, Options, TemplateType, render};

/// Maximum number of bundles named.
const NAMED: usize = 5;

/// The operations of a conversion.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conversion {
    pub ops: Vec<EditOp>,
    /// What is lost although the catalog stays the same.
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
            None => return Err(Refused::new(format!("`{path}` is not a template")).into()),
        };
        if from == into {
            return Err(
                Refused::new(format!("`{path}` is already a {} template", into.name())).into(),
            );
        }
        let version = self
            .session
            .files
            .by_path
            .get(&path)
            .and_then(|id| self.session.files.version(*id));
        let version = version.ok_or_else(|| Refused::new(format!("`{path}` no longer exists")))?;
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

    /// The rendering of a template text.
    fn blobs_of_template(&self, template: &str, text: &[u8]) -> Result<Vec<Value>, Refused> {
        let known = self.rendering_of(template);
        let source = self.bundles_for(template, &known);
        rendered_with(text, &source)
    }

    /// Operations that update the template type in `ci.yaml`.
    fn mapped_type_ops(&self, template: &str, into: TemplateType) -> Result<Vec<EditOp>, Refused> {
        let Ok((file, at, line)) = self.find_mapping(template) else {
            return Ok(Vec::new());
        };
        let Some(version) = self
            .session
            .files
            .version(file)
            .filter(|_| line.kind.is_some_and(|kind| kind != into))
        else {
            return Ok(Vec::new());
        };
        let path = self
            .session
            .files
            .by_id
            .get(&file)
            .map_or_else(String::new, |file| file.path.clone());
        let text = self.session.files.text_of(version)?;
        let new = with_type(&text, version, at, into).map_err(|reason| {
            Refused::new(format!("`{path}` cannot be changed: {reason}")).help("edit it as text")
        })?;
        self.session.changes().text_change_ops(&path, &text, &new)
    }
}

/// The template text in `opm`'s format.
pub(super) fn template_text(template: &Value, format: Format) -> String {
    match format {
        Format::Json => convert::to_json(template),
        // `opm` ends with an empty line.
        Format::Yaml => format!("{}\n", convert::to_yaml(template).trim_end()),
    }
}

/// The rendering of a template text with these bundles.
pub(super) fn rendered_with(text: &[u8], source: &dyn Bundles) -> Result<Vec<Value>, Refused> {
    let options = Options {
        missing: Missing::LeftOut,
        ..Options::default()
    };
    let rendered = render(text, source, options).map_err(|refused| {
        Refused::new(format!(
            "the template cannot be rendered: {}",
            refused.message
        ))
    })?;
    if !rendered.missing.is_empty() {
        let names = first_of(
            rendered.missing.iter().map(|name| format!("`{name}`")),
            NAMED,
        );
        return Err(Refused::new(format!("bundles are not open: {names}"))
            .help("open a catalog or the bundle folders that have them"));
    }
    Ok(rendered.blobs_in_order())
}

/// The refusal for a template that would render differently, with the first differences.
pub(super) fn differing_bundles(before: &[Value], after: &[Value]) -> Refused {
    let differs = before
        .iter()
        .filter(|blob| !after.contains(blob))
        .chain(after.iter().filter(|blob| !before.contains(blob)));
    let mut names: Vec<String> = differs
        .map(|blob| format!("`{}`", blob["name"].as_str().unwrap_or_default()))
        .collect();
    names.dedup();
    let names = first_of(names.iter(), NAMED);
    Refused::new(format!(
        "the template would render to another catalog: {names} would differ"
    ))
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

/// The text of a `ci.yaml` with another type in a line of its mapping.
fn with_type(
    text: &[u8],
    version: &Version,
    at: usize,
    into: TemplateType,
) -> Result<Vec<u8>, String> {
    let blob = version
        .index()
        .and_then(|index| index.blobs.first())
        .ok_or("it cannot be read")?;
    let (start, end) = (blob.start as usize, blob.end as usize);
    let own = text.get(start..end).unwrap_or_default();
    let patch = Patch::set(path!["fbc", "catalog_mapping", at, "type"], into.schema());
    let edited =
        edit_blob_as(own, blob.format, &[patch.into()]).map_err(|refusal| refusal.reason)?;
    Ok([&text[..start], &edited.text, &text[end..]].concat())
}

#[cfg(test)]
mod tests {
    use super::super::{Session, open};
    use super::*;
    use catalog::testing::MemorySource;
    use std::rc::Rc;

    const SEMVER: &str = "---\n# by hand\nSchema: olm.semver\nGenerateMajorChannels: true\nGenerateMinorChannels: false\nStable:\n  Bundles:\n  - Image: q/p:v1.0.0\n  - Image: q/p:v1.1.0\n";
    const CI: &str = "fbc:\n  catalog_mapping:\n  - template_name: t.yaml\n    catalog_names: [v4.18] # one\n    type: olm.semver\n";

    fn open_session(template: &str) -> Session {
        let host = Rc::new(MemorySource::default());
        let bundle = |n: &str| {
            format!(
                "---\nschema: olm.bundle\npackage: p\nname: p.v{n}\nimage: q/p:v{n}\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {n}}}\n"
            )
        };
        let catalog = ["1.0.0", "1.1.0"].map(bundle).concat();
        let files = vec![
            host.add(0, "top/c/p/catalog.yaml", &catalog),
            host.add(1, "top/o/p/catalog-templates/t.yaml", template),
            host.add(2, "top/o/p/ci.yaml", CI),
        ];
        open(files, host)
    }

    const PATH: &str = "top/o/p/catalog-templates/t.yaml";

    fn text(session: &Session, path: &str) -> String {
        String::from_utf8(session.files().bytes(path).expect("open")).expect("text")
    }

    fn convert(session: &mut Session, template: &str, into: TemplateType) -> Conversion {
        let conversion = session
            .templates()
            .conversion(template, into)
            .expect("converted");
        session.apply("convert", &conversion.ops).expect("applied");
        conversion
    }

    #[test]
    fn a_converted_template_renders_to_the_same_and_one_undo_takes_it_back() {
        let mut session = open_session(SEMVER);
        let name = session.show_rendered(PATH).expect("rendered");
        let rendered = |session: &Session| {
            session
                .root(Some(&name))
                .map(|root| root.catalog().clone().packages().count())
        };
        let before = session.templates().rendering_of(PATH);
        let before = session
            .templates()
            .blobs_of_template(PATH, SEMVER.as_bytes())
            .map(|blobs| (blobs, before.is_complete()));
        convert(&mut session, &name, TemplateType::Basic);
        let basic = text(&session, PATH);
        assert!(
            basic.contains("schema: olm.template.basic") && basic.contains("replaces: p.v1.0.0"),
            "{basic}"
        );
        assert_eq!(
            text(&session, "top/o/p/ci.yaml"),
            CI.replace("olm.semver", "olm.template.basic")
        );
        let after = session
            .templates()
            .blobs_of_template(PATH, basic.as_bytes());
        assert_eq!(after.map(|blobs| (blobs, true)), before);
        assert!(rendered(&session).is_ok());
        let back = convert(&mut session, PATH, TemplateType::Semver);
        assert_eq!(back.remarks, Vec::<String>::new());
        assert!(text(&session, PATH).contains("olm.semver"));
        convert(&mut session, PATH, TemplateType::Substitutes);
        assert!(
            text(&session, PATH).contains("substitutions: []"),
            "{}",
            text(&session, PATH)
        );
        for _ in 0..3 {
            session.undo();
        }
        assert_eq!(
            (
                text(&session, PATH).as_str(),
                text(&session, "top/o/p/ci.yaml").as_str()
            ),
            (SEMVER, CI)
        );
    }

    #[test]
    fn differences_from_any_semver_template_are_listed() {
        let mut session = open_session(SEMVER);
        convert(&mut session, PATH, TemplateType::Basic);
        let basic = text(&session, PATH);
        let mut session = open_session(
            &basic
                .replace("name: stable-v1", "name: odd")
                .replace("stable-v1", "odd"),
        );
        let Err(NotConverted::Differs(differences)) =
            session.templates().conversion(PATH, TemplateType::Semver)
        else {
            panic!("converted")
        };
        assert!(
            differences.iter().any(|line| line.contains("odd")),
            "{differences:?}"
        );
        assert!(session.undo().is_none(), "nothing was changed");
    }

    #[test]
    fn an_unrenderable_template_is_not_converted() {
        let reason = |template: &str, into| match open_session(template)
            .templates()
            .conversion(PATH, into)
        {
            Err(NotConverted::Refused(refused)) => refused.reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            reason(&format!("{SEMVER}  - Image: q/p:v2\n"), TemplateType::Basic),
            "bundles are not open: `q/p:v2`"
        );
        assert_eq!(
            reason(SEMVER, TemplateType::Semver),
            format!("`{PATH}` is already a semver template")
        );
    }
}

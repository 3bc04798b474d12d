//! The pipeline's processing of a merged `release-config.yaml`: changed templates, and catalogs to
//! render.

use super::bundle_folder::Bundle;
use super::check::default_channel_findings;
use super::ci::Ci;
use super::document::{Document, Kind, Node};
use super::edit::{FileChange, edit_text, to_yaml};
use super::files::{Files, ReadFailure, join};
use super::finding::{Finding, Problem};
use super::layout;
use super::operator_catalogs::{OperatorCatalogs, is_migrated};
use super::python;
use super::rendering::{RenderedCatalog, Source, render_catalog};
use super::status::Templates;
use super::template_edit::{self, Item};
use crate::template::render::TemplateType;
use serde_json::Value;

/// A bundle to release.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The operator's folder name.
    pub operator: &'a str,
    /// The bundle's folder name.
    pub bundle: &'a str,
    pub image: &'a str,
}

/// The changes of a release.
#[derive(Debug, Clone, PartialEq)]
pub struct Release {
    /// Changed templates, in the order of the release configuration.
    pub templates: Vec<TemplateChange>,
    /// Catalogs to render, in order; repeated if several items name one.
    pub catalogs: Vec<CatalogToRender>,
    /// Silent effects in the pipeline.
    pub remarks: Vec<Finding>,
}

/// A template with its new value.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateChange {
    pub value: Value,
    pub file: FileChange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogToRender {
    pub name: String,
    /// The template's file name.
    pub template: String,
    pub is_migrated: bool,
    pub kind: TemplateType,
}

/// A template during the processing of a release configuration.
struct Template {
    name: String,
    path: String,
    /// As in the file; `None`: the file does not exist.
    before: Option<(Vec<u8>, Value)>,
    now: Option<Value>,
}

/// Plans the release of a bundle.
///
/// # Errors
///
/// Why the pipeline refuses it, in its own wording if it has one. Then nothing is changed.
pub fn plan(files: &dyn Files, request: &Request<'_>) -> Result<Release, Problem> {
    let operator = request.operator;
    let folder = layout::bundle_folder(operator, request.bundle);
    let path = join(&folder, layout::RELEASE_CONFIG);
    let config = match files.read(&path) {
        Ok(text) => Some(Document::read(text).map_err(|wrong| {
            Problem::new(operator, &*path, wrong.message)
                .on_line(wrong.line)
                .help("correct the text of the file")
        })?),
        Err(ReadFailure::NotThere) => None,
        Err(ReadFailure::Refused(reason)) => return Err(Problem::new(operator, path, reason)),
    };
    let root = config
        .as_ref()
        .and_then(Document::root)
        .filter(|root| python::is_true(*root));
    let root = root.ok_or_else(|| {
        Problem::new(operator, &*path, format!("Release config not found for {operator} {}", request.bundle))
            .help("write a `release-config.yaml` that says which templates and channels the bundle goes into")
    })?;
    let wrong = |line: u32, message: String| Problem::new(operator, &*path, message).on_line(line);
    let listed = root
        .get("catalog_templates")
        .filter(|list| list.kind() == Kind::List);
    let listed = listed.ok_or_else(|| {
        wrong(
            root.line(),
            "`catalog_templates` is not a list of templates".to_owned(),
        )
    })?;
    let bundle = Bundle::at(files, operator, request.bundle);
    let name = || {
        bundle.name().map_err(|failure| Problem {
            line: failure.line,
            ..Problem::new(operator, failure.file, failure.why)
        })
    };
    let ci = Ci::read(files, operator)?;
    let mut release = Release {
        templates: Vec::new(),
        catalogs: Vec::new(),
        remarks: default_channel_findings(files, operator, request.bundle),
    };
    let mut templates: Vec<Template> = Vec::new();
    for node in listed.items() {
        let text = |key: &str| node.get(key).and_then(Node::text);
        let template = text("template_name");
        let template = template
            .ok_or_else(|| wrong(node.line(), "a template has no `template_name`".to_owned()))?;
        let item =
            Item::read(node, request.image).map_err(|message| wrong(node.line(), message))?;
        if let Some(default) = item
            .default_channel
            .as_deref()
            .filter(|name| !item.channels.iter().any(|c| c == name))
        {
            let channels = python::list(item.channels.iter().map(String::as_str));
            let message = format!(
                "defaultChannel '{default}' not found in '{template}'. Available channels: {channels}"
            );
            let line = node.get("defaultChannel").map_or(node.line(), Node::line);
            return Err(wrong(line, message).help("name one of the `channels` of the same item"));
        }
        let mapped = mapping_of(ci.as_ref(), &template);
        let (at, catalogs) = mapped.ok_or_else(|| {
            let message = format!("Template mapping not found for '{template}' in ci.yaml.");
            wrong(
                node.get("template_name").map_or(node.line(), Node::line),
                message,
            )
            .help("add the template to `fbc.catalog_mapping` of `ci.yaml`, or correct its name")
        })?;
        let ci_wrong = |message: String| {
            let problem = Problem::new(operator, layout::ci_path(operator), message);
            ci.as_ref()
                .and_then(|ci| ci.line_of_mapping(at))
                .map_or(problem.clone(), |line| problem.on_line(line))
        };
        let kind = match kind_of(ci.as_ref(), at).as_deref() {
            Some("olm.template.basic") => template_edit::Kind::Basic,
            Some("olm.semver") => template_edit::Kind::Semver,
            Some(other) => {
                let problem = ci_wrong(format!("Unknown template type '{other}' in ci.yaml."));
                return Err(problem.help("write `olm.template.basic` or `olm.semver`"));
            }
            None => {
                return Err(ci_wrong(format!(
                    "the mapping of `{template}` has no `type`"
                )));
            }
        };
        let catalogs = catalogs.ok_or_else(|| {
            ci_wrong(format!(
                "the mapping of `{template}` has no `catalog_names` list"
            ))
        })?;
        let place = match templates.iter().position(|known| known.name == *template) {
            Some(place) => place,
            None => {
                templates.push(Template::read(files, operator, &template)?);
                templates.len() - 1
            }
        };
        let Some(known) = templates.get_mut(place) else {
            continue;
        };
        let subject = template_edit::Subject {
            operator,
            path: &known.path,
            config: &path,
            line: node.line(),
        };
        let changed = template_edit::apply(kind, known.now.as_ref(), &item, &name, &subject)?;
        known.now = Some(changed.value);
        release.remarks.extend(changed.remarks);
        release
            .catalogs
            .extend(catalogs.into_iter().map(|name| CatalogToRender {
                is_migrated: is_migrated(&name),
                name,
                template: template.clone().into_owned(),
                kind: kind.rendered_type(),
            }));
    }
    for template in templates {
        release.templates.extend(template.change(operator)?);
    }
    Ok(release)
}

/// The distinct catalogs of a release with their rendered texts: the new bundle comes from its
/// folder, the others from the committed catalogs.
pub fn render_catalogs(
    files: &dyn Files,
    request: &Request<'_>,
    release: &Release,
) -> Vec<RenderedCatalog> {
    let catalogs = OperatorCatalogs::find(files, request.operator);
    let folder = layout::bundle_folder(request.operator, request.bundle);
    let mut templates = Templates::new(files, request.operator);
    let mut rendered: Vec<RenderedCatalog> = Vec::new();
    // If several templates render into one catalog, the last one wins.
    for (at, catalog) in release.catalogs.iter().enumerate() {
        if release.catalogs[at + 1..]
            .iter()
            .any(|later| later.name == catalog.name)
        {
            continue;
        }
        let path = layout::template_path(request.operator, &catalog.template);
        let changed = release
            .templates
            .iter()
            .find(|change| change.file.path == path);
        let text = match changed {
            Some(change) => Ok(change.file.after.clone()),
            None => templates
                .read(&catalog.template)
                .map(Option::unwrap_or_default),
        };
        let outcome = text.and_then(|text| {
            let source = Source {
                path: &path,
                text: &text,
                kind: catalog.kind,
            };
            let bundles = catalogs
                .bundles_for(&catalog.name)
                .with_folder(request.image, &folder);
            render_catalog(files, &catalogs, &catalog.name, source, &bundles)
        });
        rendered.push(RenderedCatalog {
            name: catalog.name.clone(),
            template: path,
            outcome,
        });
    }
    rendered
}

/// The index of a template's mapping item, and its catalogs.
fn mapping_of(ci: Option<&Ci>, template: &str) -> Option<(usize, Option<Vec<String>>)> {
    let items = ci?.mapping()?.items();
    let is_for_template = |item: &Node<'_>| {
        item.get("template_name").and_then(Node::text).as_deref() == Some(template)
    };
    let at = items.iter().position(is_for_template)?;
    let names = items
        .get(at)?
        .get("catalog_names")
        .filter(|names| names.kind() == Kind::List);
    Some((
        at,
        names.map(|names| names.items().into_iter().map(python::text).collect()),
    ))
}

fn kind_of(ci: Option<&Ci>, at: usize) -> Option<String> {
    let item = *ci?.mapping()?.items().get(at)?;
    item.get("type").map(python::text)
}

impl Template {
    fn read(files: &dyn Files, operator: &str, name: &str) -> Result<Self, Problem> {
        let path = layout::template_path(operator, name);
        let before = match files.read(&path) {
            Ok(text) => {
                let document = Document::read(text).map_err(|wrong| {
                    Problem::new(operator, &*path, wrong.message)
                        .on_line(wrong.line)
                        .help("correct the template")
                })?;
                let value = document.root().map_or(Value::Null, Node::value);
                Some((document.into_text(), value))
            }
            Err(ReadFailure::NotThere) => None,
            Err(ReadFailure::Refused(reason)) => return Err(Problem::new(operator, path, reason)),
        };
        let now = before.as_ref().map(|(_, value)| value.clone());
        Ok(Self {
            name: name.to_owned(),
            path,
            before,
            now,
        })
    }

    /// The change of the file; `None` if its value is unchanged.
    fn change(self, operator: &str) -> Result<Option<TemplateChange>, Problem> {
        let Some(value) = self.now else {
            return Ok(None);
        };
        let (before, after) = match self.before {
            None => (None, to_yaml(&value)),
            Some((_, was)) if was == value => return Ok(None),
            Some((text, was)) => {
                let after = edit_text(operator, &self.path, &text, &was, &value)?;
                (Some(text), after)
            }
        };
        Ok(Some(TemplateChange {
            value,
            file: FileChange {
                path: self.path,
                before,
                after,
            },
        }))
    }
}

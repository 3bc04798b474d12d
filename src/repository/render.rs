//! Renders an operator's catalogs from the templates in its `ci.yaml`; equal parts keep their text.
//! Reports which catalogs equal the rendering of their templates: the comparison follows
//! [`template::freshness`], with bundles from the committed catalogs only.

use super::document::line_of;
use super::file_change::FileChange;
use super::layout::{self, CATALOG_FILE, Files, ReadFailure, join};
use super::operator::{Ci, OperatorCatalog, OperatorCatalogs, is_migrated};
use super::rules::Problem;
use catalog::index::index_bytes;
use serde_json::Value;
use std::collections::BTreeMap;
use syntax::did_you_mean::did_you_mean;
use template::freshness::{CatalogRendering, Differences, differences, render_for};
use template::mapping::Mapping;
use template::render::{Bundles, TemplateType};
use template::update_catalog;

/// The catalogs of an operator to render.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The operator's folder name.
    pub operator: &'a str,
    /// The catalogs to render; empty for all in the mapping.
    pub catalogs: &'a [String],
    /// Render only catalogs that differ from their template's rendering.
    pub stale_only: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rendering {
    /// In mapping order.
    pub catalogs: Vec<RenderedCatalog>,
    /// Why the mapping is unreadable.
    pub problems: Vec<Problem>,
}

/// Renders an operator's catalogs without writing them.
pub fn render_operator(files: &dyn Files, request: &Request<'_>) -> Rendering {
    let operator = request.operator;
    let ci = match Ci::read(files, operator) {
        Ok(Some(ci)) => ci,
        Ok(None) => return Rendering::default(),
        Err(problem) => {
            return Rendering {
                catalogs: Vec::new(),
                problems: vec![problem],
            };
        }
    };
    let all = layout::catalogs(files);
    let catalogs = OperatorCatalogs::find(files, operator);
    let mut templates = Templates::new(files, operator);
    let mut rendering = Rendering::default();
    for (index, mapping) in &ci.mappings {
        for name in &mapping.catalogs {
            let is_requested = request.catalogs.is_empty() || request.catalogs.contains(name);
            if !is_requested
                || rendering
                    .catalogs
                    .iter()
                    .any(|existing| existing.name == *name)
            {
                continue;
            }
            // A missing catalog is not stale.
            if request.stale_only && catalogs.get(name).is_none() {
                continue;
            }
            let outcome = check_single_template(&ci, *index, name)
                .and_then(|()| check_catalog_exists(&ci, *index, name, &all))
                .and_then(|()| {
                    render_if_needed(
                        &catalogs,
                        &ci,
                        (*index, mapping),
                        name,
                        &mut templates,
                        request.stale_only,
                    )
                });
            if let Some(outcome) = outcome.transpose() {
                let template = layout::template_path(operator, &mapping.template);
                rendering.catalogs.push(RenderedCatalog {
                    name: name.clone(),
                    template,
                    outcome,
                });
            }
        }
    }
    rendering
}

/// Renders a catalog; `None` if only stale ones are requested and it is not.
fn render_if_needed(
    catalogs: &OperatorCatalogs<'_>,
    ci: &Ci,
    (index, mapping): (usize, &Mapping),
    name: &str,
    templates: &mut Templates<'_>,
    stale_only: bool,
) -> Result<Option<FileChange>, Problem> {
    let operator = catalogs.operator();
    let path = layout::template_path(operator, &mapping.template);
    let Some(text) = templates.read(&mapping.template)? else {
        let problem = Problem::new(operator, path, "there is no such template");
        return Err(problem.help("correct `template_name` in `ci.yaml`, or write the template"));
    };
    if stale_only {
        let Some(catalog) = catalogs.get(name) else {
            return Ok(None);
        };
        return match compare_catalog(catalogs, catalog, ci, (index, mapping), &text) {
            (state, rendered) if state.is_stale() => {
                write_catalog(catalogs, name, rendered).map(Some)
            }
            (State::Error(problem), _) => Err(problem),
            _ => Ok(None),
        };
    }
    let source = Source {
        path: &path,
        text: &text,
        kind: rendered_kind(ci, index, mapping, operator)?,
    };
    let bundles = catalogs.bundles_for(name).with_matching_folders();
    render_catalog(catalogs, name, source, &bundles).map(Some)
}

/// Refuses a catalog with several templates, which would overwrite one another.
fn check_single_template(ci: &Ci, index: usize, name: &str) -> Result<(), Problem> {
    let mut others = ci.mappings.iter().filter(|(other, mapping)| {
        *other != index && mapping.catalogs.iter().any(|catalog| catalog == name)
    });
    let Some((other, _)) = others.next_back() else {
        return Ok(());
    };
    let problem = mapping_problem(
        ci,
        *other,
        name,
        format!("several templates are mapped to catalog {name}"),
    );
    Err(problem.help("name each catalog in only one template, or one overwrites the other"))
}

/// Refuses a catalog that the repository does not have.
fn check_catalog_exists(ci: &Ci, index: usize, name: &str, all: &[String]) -> Result<(), Problem> {
    if all.iter().any(|existing| existing == name) {
        return Ok(());
    }
    let hint = match layout::name_with_v(name) {
        Some(with_v) => format!("write `{with_v}`"),
        None => did_you_mean(
            name,
            all.iter().map(String::as_str),
            "the catalogs are the folders in `catalogs`",
        ),
    };
    Err(mapping_problem(ci, index, name, format!("there is no catalog {name}")).help(hint))
}

fn mapping_problem(ci: &Ci, index: usize, name: &str, message: String) -> Problem {
    let operator = ci.path.split('/').nth(1).unwrap_or_default();
    Problem::new(operator, &*ci.path, message).on_line(ci.line_of_catalog(index, name))
}

/// Reports requested catalogs that no mapping of these operators contains.
pub fn unmapped_catalogs<'a>(
    files: &dyn Files,
    operators: &[String],
    catalogs: &'a [String],
) -> Vec<&'a str> {
    let mut missing: Vec<&str> = catalogs.iter().map(String::as_str).collect();
    for operator in operators {
        let Ok(Some(ci)) = Ci::read(files, operator) else {
            continue;
        };
        missing.retain(|name| {
            !ci.mappings
                .iter()
                .any(|(_, mapping)| mapping.catalogs.iter().any(|catalog| catalog == name))
        });
    }
    missing
}

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
    catalogs: &OperatorCatalogs<'_>,
    catalog: &str,
    source: Source<'_>,
    bundles: &dyn Bundles,
) -> Result<FileChange, Problem> {
    let operator = catalogs.operator();
    let template_problem = |message: String| Problem::new(operator, source.path, message);
    match render_for(catalog, source.text, Some(source.kind), bundles) {
        CatalogRendering::Rendered(rendered) => write_catalog(catalogs, catalog, rendered),
        CatalogRendering::Refused(reason) => Err(template_problem(reason)),
        CatalogRendering::UnknownBundles(missing) => {
            let line = missing
                .first()
                .and_then(|image| line_of_text(source.text, image));
            let images = protocol::counting::first_of(missing.iter(), 3);
            let problem = template_problem(format!(
                "no catalog of the operator has a bundle with image {images}"
            ))
            .help(UNKNOWN_IMAGE_HELP);
            Err(problem.on_line(line))
        }
    }
}

/// Writes rendered blobs into the file of a catalog.
fn write_catalog(
    catalogs: &OperatorCatalogs<'_>,
    catalog: &str,
    rendered: Vec<Value>,
) -> Result<FileChange, Problem> {
    let operator = catalogs.operator();
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
            let file_problem = |message: String| Problem::new(operator, path, message);
            let text = catalogs
                .files
                .read(path)
                .map_err(|failure| file_problem(failure.to_string()))?;
            let after = update_catalog::updated_text(&text, &index_bytes(&text), rendered)
                .map_err(|reason| {
                    file_problem(reason).help("remove the file and render it again")
                })?;
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
    memchr::memmem::find(text, wanted.as_bytes()).map(|offset| line_of(text, offset))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorStatus {
    pub operator: String,
    /// In mapping order, then unmapped ones.
    pub catalogs: Vec<CatalogStatus>,
    /// Why catalogs could not be judged.
    pub problems: Vec<Problem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogStatus {
    pub catalog: String,
    /// Path of the template; `None` if no mapping names the catalog.
    pub template: Option<String>,
    /// Whether bundles are migrated for it.
    pub is_migrated: bool,
    pub state: State,
    /// Its rendering, if it is stale and this was requested.
    pub rendered: Option<RenderedCatalog>,
}

/// Whether a catalog equals the rendering of its template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Fresh,
    /// What rendering would change; see [`State::is_stale`].
    Stale(Differences),
    /// The mapping names a catalog without the operator.
    NoCatalog,
    NoTemplate,
    /// Images that none of the operator's catalogs contain.
    UnknownBundles(Vec<String>),
    /// It cannot be rendered or compared.
    Error(Problem),
    /// No mapping names it.
    NotMapped,
}

impl State {
    pub fn name(&self) -> &'static str {
        match self {
            State::Fresh => "fresh",
            State::Stale(_) if !self.is_stale() => "opm-version",
            State::Stale(_) => "stale",
            State::NoCatalog => "no-catalog",
            State::NoTemplate => "no-template",
            State::UnknownBundles(_) => "unknown-bundles",
            State::Error(_) => "error",
            State::NotMapped => "not-mapped",
        }
    }

    /// Whether rendering would change more than what versions of `opm` write differently.
    pub fn is_stale(&self) -> bool {
        matches!(self, State::Stale(found) if !found.only_by_opm_version)
    }
}

/// Returns the status of an operator's catalogs; none for an operator without file-based catalogs.
/// `renders_stale`: with the renderings of stale catalogs, which take memory.
pub fn operator_status(files: &dyn Files, operator: &str, renders_stale: bool) -> OperatorStatus {
    let mut status = OperatorStatus {
        operator: operator.to_owned(),
        catalogs: Vec::new(),
        problems: Vec::new(),
    };
    let catalogs = OperatorCatalogs::find(files, operator);
    let ci = match Ci::read(files, operator) {
        Ok(ci) => ci,
        Err(problem) => {
            status.problems.push(problem);
            None
        }
    };
    let mut templates = Templates::new(files, operator);
    let mappings = ci
        .iter()
        .flat_map(|ci| ci.mappings.iter().map(move |item| (ci, item)));
    for (ci, (index, mapping)) in mappings {
        let template = layout::template_path(operator, &mapping.template);
        for name in &mapping.catalogs {
            let (state, blobs) = match (catalogs.get(name), templates.read(&mapping.template)) {
                (None, _) => (State::NoCatalog, Vec::new()),
                (_, Ok(None)) => (State::NoTemplate, Vec::new()),
                (_, Err(problem)) => (State::Error(problem), Vec::new()),
                (Some(catalog), Ok(Some(text))) => {
                    compare_catalog(&catalogs, catalog, ci, (*index, mapping), &text)
                }
            };
            let is_rendered = renders_stale && state.is_stale();
            let rendered = is_rendered.then(|| RenderedCatalog {
                name: name.clone(),
                template: template.clone(),
                outcome: check_single_template(ci, *index, name)
                    .and_then(|()| write_catalog(&catalogs, name, blobs)),
            });
            status.catalogs.push(CatalogStatus {
                catalog: name.clone(),
                template: Some(template.clone()),
                is_migrated: is_migrated(name),
                state,
                rendered,
            });
        }
    }
    let unmapped: Vec<&str> = catalogs
        .names()
        .filter(|name| {
            status
                .catalogs
                .iter()
                .all(|existing| existing.catalog != *name)
        })
        .collect();
    status
        .catalogs
        .extend(unmapped.into_iter().map(|name| CatalogStatus {
            catalog: name.to_owned(),
            template: None,
            is_migrated: is_migrated(name),
            state: State::NotMapped,
            rendered: None,
        }));
    status
}

/// Compares a catalog with its rendering. Returns the rendered blobs, too, if it is stale.
fn compare_catalog(
    catalogs: &OperatorCatalogs<'_>,
    catalog: &OperatorCatalog,
    ci: &Ci,
    (index, mapping): (usize, &Mapping),
    template: &[u8],
) -> (State, Vec<Value>) {
    let operator = catalogs.operator();
    let kind = match rendered_kind(ci, index, mapping, operator) {
        Ok(kind) => kind,
        Err(problem) => return (State::Error(problem), Vec::new()),
    };
    let bundles = catalogs.bundles_for(&catalog.name);
    let state = match render_for(&catalog.name, template, Some(kind), &bundles) {
        CatalogRendering::Rendered(rendered) => match catalogs.content(catalog) {
            Err(problem) => State::Error(problem.clone()),
            Ok(content) => {
                match differences(&content.blobs, &rendered, kind == TemplateType::Semver) {
                    found if found.is_empty() => State::Fresh,
                    found => return (State::Stale(found), rendered),
                }
            }
        },
        CatalogRendering::UnknownBundles(missing) => State::UnknownBundles(missing),
        CatalogRendering::Refused(message) => {
            let path = layout::template_path(operator, &mapping.template);
            State::Error(Problem::new(operator, path, message))
        }
    };
    (state, Vec::new())
}

/// Returns the template type in a mapping, if the pipeline renders it.
fn rendered_kind(
    ci: &Ci,
    index: usize,
    mapping: &Mapping,
    operator: &str,
) -> Result<TemplateType, Problem> {
    match mapping.kind {
        Some(kind @ (TemplateType::Basic | TemplateType::Semver)) => Ok(kind),
        _ => {
            let path = layout::ci_path(operator);
            let message = format!(
                "the mapping of `{}` has no `type` that the pipeline renders",
                mapping.template
            );
            let problem = Problem::new(operator, path, message)
                .help("write `olm.template.basic` or `olm.semver`");
            Err(problem.on_line(ci.line_of_mapping(index)))
        }
    }
}

/// An operator's templates, each read once.
pub(super) struct Templates<'f> {
    files: &'f dyn Files,
    operator: &'f str,
    cache: BTreeMap<String, Result<Option<Vec<u8>>, Problem>>,
}

impl<'f> Templates<'f> {
    pub(super) fn new(files: &'f dyn Files, operator: &'f str) -> Self {
        Self {
            files,
            operator,
            cache: BTreeMap::new(),
        }
    }

    /// Returns a template's text; `None` if the file does not exist.
    pub(super) fn read(&mut self, template: &str) -> Result<Option<Vec<u8>>, Problem> {
        let Self {
            files,
            operator,
            cache,
        } = self;
        let path = layout::template_path(operator, template);
        let text = cache
            .entry(template.to_owned())
            .or_insert_with(|| match files.read(&path) {
                Ok(text) => Ok(Some(text)),
                Err(ReadFailure::NotThere) => Ok(None),
                Err(ReadFailure::Refused(reason)) => Err(Problem::new(operator, path, reason)),
            });
        text.clone()
    }
}

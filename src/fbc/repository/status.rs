//! Reports which catalogs of an operator equal the rendering of their templates.
//!
//! The comparison follows [`crate::template::freshness`]; bundles come from the committed catalogs
//! only.

use super::ci::Ci;
use super::files::{Files, ReadFailure};
use super::finding::Problem;
use super::layout;
use super::operator_catalogs::{OperatorCatalogs, is_migrated};
use crate::template::freshness::{Differences, ForCatalog, differences, render_for};
use crate::template::mapping::Mapping;
use crate::template::render::TemplateType;
use std::collections::BTreeMap;

/// The status of an operator's catalogs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorStatus {
    pub operator: String,
    /// In mapping order, then unmapped ones.
    pub catalogs: Vec<CatalogStatus>,
    /// Why catalogs could not be judged.
    pub problems: Vec<Problem>,
}

/// A catalog of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogStatus {
    pub catalog: String,
    /// Path of the template; `None` if no mapping names the catalog.
    pub template: Option<String>,
    /// Whether bundles are migrated for it.
    pub is_migrated: bool,
    pub state: State,
}

/// Whether a catalog equals the rendering of its template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Fresh,
    /// What rendering would change.
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
            State::Stale(_) => "stale",
            State::NoCatalog => "no-catalog",
            State::NoTemplate => "no-template",
            State::UnknownBundles(_) => "unknown-bundles",
            State::Error(_) => "error",
            State::NotMapped => "not-mapped",
        }
    }
}

/// The status of one operator, with or without file-based catalogs.
pub fn operator_status(files: &dyn Files, operator: &str) -> OperatorStatus {
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
    for (at, mapping) in ci.iter().flat_map(|ci| &ci.mappings) {
        for name in &mapping.catalogs {
            let state = match (catalogs.get(name), templates.read(&mapping.template)) {
                (None, _) => State::NoCatalog,
                (_, Ok(None)) => State::NoTemplate,
                (_, Err(problem)) => State::Error(problem),
                (Some(_), Ok(Some(template))) => {
                    judge(&catalogs, ci.as_ref(), *at, mapping, name, &template)
                }
            };
            status.catalogs.push(CatalogStatus {
                catalog: name.clone(),
                template: Some(layout::template_path(operator, &mapping.template)),
                is_migrated: is_migrated(name),
                state,
            });
        }
    }
    let not_mapped: Vec<&str> = catalogs
        .names()
        .filter(|name| status.catalogs.iter().all(|known| known.catalog != *name))
        .collect();
    status
        .catalogs
        .extend(not_mapped.into_iter().map(|name| CatalogStatus {
            catalog: name.to_owned(),
            template: None,
            is_migrated: is_migrated(name),
            state: State::NotMapped,
        }));
    status
}

/// Compares a catalog with the rendering of its template.
pub(super) fn judge(
    catalogs: &OperatorCatalogs<'_>,
    ci: Option<&Ci>,
    at: usize,
    mapping: &Mapping,
    name: &str,
    template: &[u8],
) -> State {
    let operator = catalogs.operator();
    let path = layout::template_path(operator, &mapping.template);
    let kind = match rendered_kind(ci, at, mapping, operator) {
        Ok(kind) => kind,
        Err(problem) => return State::Error(problem),
    };
    let Some(catalog) = catalogs.get(name) else {
        return State::NoCatalog;
    };
    let rendered = match render_for(name, template, Some(kind), &catalogs.bundles_for(name)) {
        ForCatalog::Rendered(rendered) => rendered,
        ForCatalog::UnknownBundles(missing) => return State::UnknownBundles(missing),
        ForCatalog::Refused(message) => return State::Error(Problem::new(operator, path, message)),
    };
    match catalogs.content(catalog) {
        Err(problem) => State::Error(problem.clone()),
        Ok(content) => match differences(&content.blobs, &rendered) {
            found if found.is_empty() => State::Fresh,
            found => State::Stale(found),
        },
    }
}

/// The template type in a mapping, if the pipeline renders it.
pub(super) fn rendered_kind(
    ci: Option<&Ci>,
    at: usize,
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
            Err(match ci.and_then(|ci| ci.line_of_mapping(at)) {
                Some(line) => problem.on_line(line),
                None => problem,
            })
        }
    }
}

/// An operator's templates, each read once.
pub(super) struct Templates<'f> {
    files: &'f dyn Files,
    operator: &'f str,
    read: BTreeMap<String, Result<Option<Vec<u8>>, Problem>>,
}

impl<'f> Templates<'f> {
    pub(super) fn new(files: &'f dyn Files, operator: &'f str) -> Self {
        Self {
            files,
            operator,
            read: BTreeMap::new(),
        }
    }

    /// A template's text; `None` if the file does not exist.
    pub(super) fn read(&mut self, template: &str) -> Result<Option<Vec<u8>>, Problem> {
        let Self {
            files,
            operator,
            read,
        } = self;
        let path = layout::template_path(operator, template);
        let read = read
            .entry(template.to_owned())
            .or_insert_with(|| match files.read(&path) {
                Ok(text) => Ok(Some(text)),
                Err(ReadFailure::NotThere) => Ok(None),
                Err(ReadFailure::Refused(reason)) => Err(Problem::new(operator, path, reason)),
            });
        read.clone()
    }
}

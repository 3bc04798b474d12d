//! Renders an operator's catalogs from the templates in its `ci.yaml`.

use super::ci::Ci;
use super::edit::FileChange;
use super::files::Files;
use super::finding::Problem;
use super::layout;
use super::operator_catalogs::OperatorCatalogs;
use super::rendering::{RenderedCatalog, Source, render_catalog};
use super::status::{State, Templates, judge, rendered_kind};
use crate::did_you_mean::did_you_mean;
use crate::template::mapping::Mapping;

/// The catalogs of an operator to render.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The operator's folder name.
    pub operator: &'a str,
    /// The catalogs to render; empty for all in the mapping.
    pub catalogs: &'a [String],
    /// Only those that differ from their template's rendering.
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
    for (at, mapping) in &ci.mappings {
        for name in &mapping.catalogs {
            let is_requested = request.catalogs.is_empty() || request.catalogs.contains(name);
            if !is_requested || rendering.catalogs.iter().any(|known| known.name == *name) {
                continue;
            }
            // A missing catalog is not stale.
            if request.stale_only && catalogs.get(name).is_none() {
                continue;
            }
            let outcome = mapped_once(&ci, *at, name)
                .and_then(|()| there_is(&ci, *at, name, &all))
                .and_then(|()| {
                    render_if_needed(
                        files,
                        &catalogs,
                        &ci,
                        (*at, mapping),
                        name,
                        &mut templates,
                        request,
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

/// `None`: it is not stale, but only stale ones are requested.
fn render_if_needed(
    files: &dyn Files,
    catalogs: &OperatorCatalogs<'_>,
    ci: &Ci,
    (at, mapping): (usize, &Mapping),
    name: &str,
    templates: &mut Templates<'_>,
    request: &Request<'_>,
) -> Result<Option<FileChange>, Problem> {
    let operator = request.operator;
    let path = layout::template_path(operator, &mapping.template);
    let Some(text) = templates.read(&mapping.template)? else {
        let problem = Problem::new(operator, path, "there is no such template");
        return Err(problem.help("correct `template_name` in `ci.yaml`, or write the template"));
    };
    if request.stale_only {
        match judge(catalogs, Some(ci), at, mapping, name, &text) {
            State::Stale(_) => {}
            State::Error(problem) => return Err(problem),
            _ => return Ok(None),
        }
    }
    let source = Source {
        path: &path,
        text: &text,
        kind: rendered_kind(Some(ci), at, mapping, operator)?,
    };
    render_catalog(
        files,
        catalogs,
        name,
        source,
        &catalogs.bundles_for(name).or_folders(),
    )
    .map(Some)
}

/// Refuses a catalog with several templates, which would overwrite one another.
fn mapped_once(ci: &Ci, at: usize, name: &str) -> Result<(), Problem> {
    let mut others = ci
        .mappings
        .iter()
        .filter(|(other, mapping)| *other != at && mapping.catalogs.iter().any(|n| n == name));
    let Some((other, _)) = others.next_back() else {
        return Ok(());
    };
    let problem = problem(
        ci,
        *other,
        name,
        format!("several templates are mapped to catalog {name}"),
    );
    Err(problem.help("name each catalog in only one template, or one overwrites the other"))
}

/// Refuses a catalog that the repository does not have.
fn there_is(ci: &Ci, at: usize, name: &str, all: &[String]) -> Result<(), Problem> {
    if all.iter().any(|known| known == name) {
        return Ok(());
    }
    let hint = match layout::with_v(name) {
        Some(with_v) => format!("write `{with_v}`"),
        None => did_you_mean(
            name,
            all.iter().map(String::as_str),
            "the catalogs are the folders in `catalogs`",
        ),
    };
    Err(problem(ci, at, name, format!("there is no catalog {name}")).help(hint))
}

fn problem(ci: &Ci, at: usize, name: &str, message: String) -> Problem {
    let operator = ci.path.split('/').nth(1).unwrap_or_default();
    let problem = Problem::new(operator, &*ci.path, message);
    ci.line_of_catalog(at, name)
        .map_or(problem.clone(), |line| problem.on_line(line))
}

/// Requested catalogs that none of these operators' mappings contain.
pub fn not_mapped<'a>(
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
                .any(|(_, mapping)| mapping.catalogs.iter().any(|n| n == name))
        });
    }
    missing
}

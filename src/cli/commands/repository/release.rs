//! `switchyard repo release`: the pipeline's output for a merged `release-config.yaml`; and `repo render`: rerenders
//! catalogs from their templates.

use super::changes::{ChangedCatalog, Changes, lock, refusal};
use super::{check, findings_json, operator, operators, problem_json};
use crate::args::repository::{ReleaseArgs, RenderArgs};
use crate::error::{CliError, CliResult};
use crate::input::repository_files::RepositoryFiles;
use fbc::did_you_mean::did_you_mean;
use fbc::repository::layout;
use fbc::repository::release::{CatalogToRender, Request, plan, render_catalogs};
use fbc::repository::render::{self, not_mapped, render_operator};
use serde_json::{Map, Value, json};

pub(super) fn run(args: &ReleaseArgs) -> CliResult {
    if args.image.is_empty() {
        return Err(CliError::new("--image is empty").hint("name the image of the bundle"));
    }
    let files = RepositoryFiles::open(&args.of.repository)?;
    let locks = lock(&files, args.write.write)?;
    operator(&files, &args.of.operator)?;
    check::bundle(&files, &args.of.operator, &args.bundle)?;
    let request = Request {
        operator: &args.of.operator,
        bundle: &args.bundle,
        image: &args.image,
    };
    let release = plan(&files, &request).map_err(|problem| refusal(&files, &problem))?;
    let catalogs = render_catalogs(&files, &request, &release).into_iter();
    let changes = Changes {
        files: release
            .templates
            .iter()
            .map(|template| template.file.clone())
            .collect(),
        catalogs: catalogs
            .map(|catalog| ChangedCatalog::new(&args.of.operator, catalog))
            .collect(),
        remarks: release.remarks,
        problems: Vec::new(),
    };
    let values = release
        .templates
        .iter()
        .map(|template| (template.file.path.clone(), template.value.clone()));
    let catalog = |catalog_to_render: &CatalogToRender| json!({"name": catalog_to_render.name, "template": catalog_to_render.template, "migrate": catalog_to_render.is_migrated});
    let head = json!({
        "operator": args.of.operator,
        "bundle": args.bundle,
        "image": args.image,
        "templates": Value::Object(values.collect::<Map<_, _>>()),
        "catalogs": release.catalogs.iter().map(catalog).collect::<Vec<_>>(),
    });
    let remarks = ("remarks", findings_json(&changes.remarks));
    changes.carry_out(
        &files,
        (args.of.repository.format, locks.as_ref()),
        head,
        remarks,
    )
}

pub(super) fn render(args: &RenderArgs) -> CliResult {
    let files = RepositoryFiles::open(&args.repository)?.with_bundles(args.known.read()?);
    let locks = lock(&files, args.write.write)?;
    let operators = operators(&files, &args.operator)?;
    if let Some(name) = not_mapped(&files, &operators, &args.catalog).first() {
        let all = layout::catalogs(&files);
        let hint = did_you_mean(
            name,
            all.iter().map(String::as_str),
            "`fbc.catalog_mapping` of `ci.yaml` names them",
        );
        return Err(
            CliError::new(format!("no template is mapped to catalog \"{name}\"")).hint(hint),
        );
    }
    let mut changes = Changes::default();
    for operator in &operators {
        let request = render::Request {
            operator,
            catalogs: &args.catalog,
            stale_only: args.stale,
        };
        let rendering = render_operator(&files, &request);
        changes.catalogs.extend(
            rendering
                .catalogs
                .into_iter()
                .map(|catalog| ChangedCatalog::new(operator, catalog)),
        );
        changes.problems.extend(rendering.problems);
    }
    let problems = (
        "problems",
        changes.problems.iter().map(problem_json).collect(),
    );
    changes.carry_out(
        &files,
        (args.repository.format, locks.as_ref()),
        json!({}),
        problems,
    )
}

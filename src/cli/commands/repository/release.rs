//! `switchyard repo release`: what the pipeline makes of a merged `release-config.yaml`.

use super::changes::{ChangedCatalog, Changes, begin, files_json, refused};
use super::{check, findings_json, operator};
use crate::error::{CliError, CliResult};
use crate::formats::TextOrData;
use crate::output;
use crate::repository_args::ReleaseArgs;
use crate::repository_files::RepositoryFiles;
use fbc::repository::release::{CatalogToRender, Request, plan, rendered};
use serde_json::{Map, Value, json};

pub(super) fn run(args: &ReleaseArgs) -> CliResult {
    if args.image.is_empty() {
        return Err(CliError::new("--image is empty").hint("name the image of the bundle"));
    }
    let files = RepositoryFiles::open(args.repository.root())?;
    let _turn = begin(&files, args.write)?;
    operator(&files, &args.operator)?;
    check::bundle(&files, &args.operator, &args.bundle)?;
    let request = Request { operator: &args.operator, bundle: &args.bundle, image: &args.image };
    let release = plan(&files, &request).map_err(|problem| refused(&files, &problem))?;
    let catalogs = rendered(&files, &request, &release).into_iter();
    let changes = Changes {
        files: release.templates.iter().map(|template| template.file.clone()).collect(),
        catalogs: catalogs.map(|of| ChangedCatalog::new(&args.operator, of)).collect(),
        remarks: release.remarks,
        problems: Vec::new(),
    };
    // A release is whole or none.
    if args.write {
        changes.complete(&files)?;
    }
    let TextOrData::Data(form) = args.repository.format else { return changes.print(&files, args.write) };
    if args.write {
        changes.write(&files)?;
    }
    let values = release.templates.iter().map(|template| (template.file.path.clone(), template.value.clone()));
    let catalog = |of: &CatalogToRender| json!({"name": of.name, "template": of.template, "migrate": of.is_migrated});
    let outcomes = changes.outcomes();
    let answer = json!({
        "format": output::FORMAT,
        "operator": args.operator,
        "bundle": args.bundle,
        "image": args.image,
        "templates": Value::Object(values.collect::<Map<_, _>>()),
        "catalogs": release.catalogs.iter().map(catalog).collect::<Vec<_>>(),
        "rendered": outcomes.iter().map(|outcome| outcome.json()).collect::<Vec<_>>(),
        "remarks": findings_json(&changes.remarks),
        "files": files_json(&changes),
        "written": args.write,
    });
    output::data(form, &answer)?;
    Ok(changes.status(&outcomes))
}

//! `switchyard repo render`: catalogs anew from their templates.

use super::changes::{ChangedCatalog, Changes, lock};
use super::{operators, problem_json};
use crate::error::{CliError, CliResult};
use crate::repository_args::RenderArgs;
use crate::repository_files::RepositoryFiles;
use fbc::did_you_mean::did_you_mean;
use fbc::repository::layout;
use fbc::repository::render::{Request, not_mapped, of_operator};
use serde_json::json;

pub(super) fn run(args: &RenderArgs) -> CliResult {
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
        let request = Request {
            operator,
            catalogs: &args.catalog,
            stale_only: args.stale,
        };
        let rendering = of_operator(&files, &request);
        changes.catalogs.extend(
            rendering
                .catalogs
                .into_iter()
                .map(|of| ChangedCatalog::new(operator, of)),
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

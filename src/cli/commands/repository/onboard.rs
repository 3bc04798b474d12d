//! `switchyard repo onboard`: converts an operator to file-based catalogs.

use super::changes::{ChangedCatalog, Changes, lock, refusal};
use super::{findings_json, operator};
use crate::args::repository::OnboardArgs;
use crate::error::{CliError, CliResult};
use crate::input::repository_files::RepositoryFiles;
use crate::input::walk;
use fbc::repository::Problem;
use fbc::repository::onboard::{GivenCatalog, Request, plan};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

pub(super) fn run(args: &OnboardArgs) -> CliResult {
    let files = RepositoryFiles::open(&args.of.repository)?;
    let locks = lock(&files, args.write.write)?;
    operator(&files, &args.of.operator)?;
    let mut catalogs: Vec<GivenCatalog> = Vec::new();
    for (name, file) in &args.catalog {
        if catalogs.iter().any(|known| known.name == *name) {
            return Err(CliError::new(format!("--catalog names {name} twice"))
                .hint("give one file for each catalog"));
        }
        catalogs.push(read_given(name, file)?);
    }
    let onboarding = plan(
        &files,
        &Request {
            operator: &args.of.operator,
            catalogs: &catalogs,
        },
    )
    .map_err(|problem| given_error(&files, &problem, &catalogs))?;
    let (ci, ci_file) = onboarding.ci;
    let templates = onboarding
        .templates
        .iter()
        .map(|template| template.file.clone());
    let changes = Changes {
        files: templates.chain([ci_file]).collect(),
        catalogs: onboarding
            .catalogs
            .into_iter()
            .map(|catalog| ChangedCatalog::new(&args.of.operator, catalog))
            .collect(),
        remarks: onboarding.remarks,
        problems: Vec::new(),
    };
    let values = onboarding
        .templates
        .iter()
        .map(|template| (template.file.path.clone(), template.value.clone()));
    let head = json!({
        "operator": args.of.operator,
        "package": onboarding.package,
        "templates": Value::Object(values.collect::<Map<_, _>>()),
        "ci": ci,
    });
    let remarks = ("remarks", findings_json(&changes.remarks));
    changes.carry_out(
        &files,
        (args.of.repository.format, locks.as_ref()),
        head,
        remarks,
    )
}

fn read_given(name: &str, file: &PathBuf) -> Result<GivenCatalog, CliError> {
    let path = file.display().to_string();
    let text = std::fs::read(file).map_err(|error| {
        CliError::new(format!("{path}: {}", walk::io_reason(&error))).hint(format!(
            "name the file with the output of `opm render` for catalog {name}"
        ))
    })?;
    Ok(GivenCatalog {
        name: name.to_owned(),
        file: path,
        text,
    })
}

/// A problem; the place of a problem in a given file is in that file, not in the repository.
fn given_error(files: &RepositoryFiles, problem: &Problem, catalogs: &[GivenCatalog]) -> CliError {
    match catalogs.iter().any(|given| given.file == problem.file) {
        false => refusal(files, problem),
        true => {
            let line = problem
                .line
                .map_or_else(String::new, |line| format!(":{line}"));
            CliError::new(&*problem.message)
                .at(format!("{}{line}", problem.file))
                .hint(&*problem.help)
        }
    }
}

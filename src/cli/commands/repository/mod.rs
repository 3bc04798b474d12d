//! `switchyard repo`: an operator repository and what its release pipeline does.

mod status;

use crate::error::{CliError, CliResult};
use crate::output;
use crate::repository_args::RepositoryCommand;
use crate::repository_files::RepositoryFiles;
use fbc::did_you_mean::did_you_mean;
use fbc::repository::{Problem, layout};
use serde_json::{Value, json};

pub(super) fn run(command: &RepositoryCommand) -> CliResult {
    match command {
        RepositoryCommand::Status(args) => status::run(args),
    }
}

/// The operators that are named, each once; all where none is. One that is not there is complained of.
fn operators(files: &RepositoryFiles, named: &[String]) -> Result<Vec<String>, CliError> {
    let all = layout::operators(files);
    if named.is_empty() {
        return Ok(all);
    }
    let mut operators: Vec<String> = Vec::new();
    for name in named {
        if !all.contains(name) {
            let hint = did_you_mean(name, all.iter().map(String::as_str), "`operators` has a folder for each");
            return Err(CliError::new(format!("operator \"{name}\" not found")).hint(hint));
        }
        if !operators.contains(name) {
            operators.push(name.clone());
        }
    }
    Ok(operators)
}

fn problem_json(problem: &Problem) -> Value {
    json!({
        "operator": problem.operator,
        "file": problem.file,
        "line": problem.line,
        "message": problem.message,
        "help": problem.help,
    })
}

/// Complains of a problem; everything else is answered all the same.
fn complain(files: &RepositoryFiles, problem: &Problem) {
    let place = place(files, &problem.file, problem.line);
    output::print_diagnostic("error", &problem.message, Some(&place), &problem.help);
}

fn place(files: &RepositoryFiles, file: &str, line: Option<u32>) -> String {
    let shown = files.shown(file);
    line.map_or_else(|| shown.clone(), |line| format!("{shown}:{line}"))
}

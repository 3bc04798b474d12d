//! What the commands of `repo` share: the operators in question, problems, and work in parallel.

use crate::error::CliError;
use crate::input::repository_files::RepositoryFiles;
use crate::output;
use ::repository::{Problem, layout};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use syntax::did_you_mean::did_you_mean;

/// The given operators, each once; without any, all, or the one whose folder was given. An unknown operator is an
/// error.
pub(super) fn operators(
    files: &RepositoryFiles,
    given: &[String],
) -> Result<Vec<String>, CliError> {
    let all = layout::operators(files);
    if given.is_empty() {
        return Ok(files
            .only_operator()
            .map_or(all, |only| vec![only.to_owned()]));
    }
    let mut operators: Vec<String> = Vec::new();
    for name in given {
        if !all.contains(name) {
            return Err(not_found(name, &all));
        }
        if !operators.contains(name) {
            operators.push(name.clone());
        }
    }
    Ok(operators)
}

pub(super) fn not_found(name: &str, all: &[String]) -> CliError {
    let hint = did_you_mean(
        name,
        all.iter().map(String::as_str),
        "each operator has a folder in `operators`",
    );
    CliError::new(format!("operator \"{name}\" not found")).hint(hint)
}

pub(super) fn problem_json(problem: &Problem) -> Value {
    json!({
        "operator": problem.operator,
        "file": problem.file,
        "line": problem.line,
        "message": problem.message,
        "help": problem.help,
    })
}

/// Prints a problem that does not prevent the rest of the answer.
pub(super) fn complain(files: &RepositoryFiles, problem: &Problem) {
    let place = place(files, &problem.file, problem.line);
    output::print_diagnostic("error", &problem.message, Some(&place), &problem.help);
}

pub(super) fn place(files: &RepositoryFiles, file: &str, line: Option<u32>) -> String {
    let path = files.display_path(file);
    line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"))
}

/// Processes each item, several at a time; the results are in the order of the items.
pub(super) fn in_parallel<T: Sync, A: Send>(
    items: &[T],
    answer: impl Fn(&T) -> A + Sync,
) -> Vec<A> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return done;
            };
            done.push((at, answer(item)));
        }
    };
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(items.len())
        .min(8);
    let mut answers: Vec<(usize, A)> = match workers {
        0 | 1 => worker(),
        workers => std::thread::scope(|scope| {
            let handles: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
            handles
                .into_iter()
                .flat_map(|handle| handle.join().unwrap_or_default())
                .collect()
        }),
    };
    answers.sort_by_key(|(at, _)| *at);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

//! The file changes of a `repo` command: prints them as one patch or writes them, all or none, and
//! reports the consequences for users and the problems.

use crate::commands::file_changes::{self, ChangedText};
use crate::error::{self, CliError, CliResult};
use crate::input::in_parallel;
use crate::input::repository_files::RepositoryFiles;
use crate::output;
use crate::output::formats::TextOrData;
use crate::write::{self, FolderLocks, NewText};
use ::repository::whole_catalog::{WholeCatalog, failing_operators, format_operators};
use ::repository::{FileChange, Finding, Problem, RenderedCatalog};
use protocol::enum_with_text;
use protocol::judgement::{ErrorCounts, verdict_words};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use verdict::consequences::{Consequences, VerdictChange};

/// A catalog of an operator that is rendered or copied.
pub(super) struct ChangedCatalog {
    pub operator: String,
    /// The name, such as `v4.18`.
    pub name: String,
    pub outcome: Result<FileChange, Problem>,
}

#[derive(Default)]
pub(super) struct Changes {
    /// Templates and configuration.
    pub files: Vec<FileChange>,
    pub catalogs: Vec<ChangedCatalog>,
    /// Silent side effects of the pipeline.
    pub remarks: Vec<Finding>,
    /// Problems outside of the catalogs.
    pub problems: Vec<Problem>,
}

impl ChangedCatalog {
    pub fn new(operator: &str, rendered: RenderedCatalog) -> Self {
        Self {
            operator: operator.to_owned(),
            name: rendered.name,
            outcome: rendered.outcome,
        }
    }
}

/// The result for one catalog.
struct Outcome<'a> {
    catalog: &'a ChangedCatalog,
    /// In the whole catalog; `None` if that cannot be rendered.
    consequences: Option<Consequences>,
    /// Why the whole catalog does not pass, by operator.
    failing: Vec<Problem>,
}

/// A problem, with the names of the catalogs that have it.
struct SharedProblem<'a> {
    problem: &'a Problem,
    catalogs: Vec<&'a str>,
}

enum_with_text! {
    fn as_str;
    /// How an operator's catalog differs from the one on disk.
    #[derive(Clone, Copy)]
    enum CatalogState {
        Same = "same",
        Changed = "changed",
        New = "new",
    }
}

impl CatalogState {
    fn from_change(change: &FileChange) -> Self {
        if !change.is_change() {
            Self::Same
        } else if change.before.is_some() {
            Self::Changed
        } else {
            Self::New
        }
    }
}

/// Locks the folders to write to, and reports leftovers of killed runs there.
pub(super) fn lock(files: &RepositoryFiles, write: bool) -> Result<Option<FolderLocks>, CliError> {
    let folders = files.written_folders();
    for folder in &folders {
        write::report_leftovers(folder, [""; 0]);
    }
    write.then(|| FolderLocks::wait(&folders)).transpose()
}

impl Changes {
    /// Returns all changes of files, those of templates and configuration first.
    fn all(&self) -> Vec<&FileChange> {
        let catalogs = self
            .catalogs
            .iter()
            .filter_map(|catalog| catalog.outcome.as_ref().ok());
        self.files
            .iter()
            .chain(catalogs)
            .filter(|change| change.is_change())
            .collect()
    }

    /// Returns each problem that prevents a change, once, with the catalogs that it prevents.
    fn failures(&self) -> Vec<SharedProblem<'_>> {
        let mut failures: Vec<SharedProblem<'_>> = self
            .problems
            .iter()
            .map(|problem| SharedProblem {
                problem,
                catalogs: Vec::new(),
            })
            .collect();
        for catalog in &self.catalogs {
            let Err(problem) = &catalog.outcome else {
                continue;
            };
            match failures.iter_mut().find(|known| known.problem == problem) {
                Some(known) => known.catalogs.push(&catalog.name),
                None => failures.push(SharedProblem {
                    problem,
                    catalogs: vec![&catalog.name],
                }),
            }
        }
        failures
    }

    /// Returns the results for the catalogs. Must run before anything is written.
    fn outcomes(&self, files: &RepositoryFiles) -> Vec<Outcome<'_>> {
        let names: BTreeSet<&str> = self
            .catalogs
            .iter()
            .map(|catalog| catalog.name.as_str())
            .collect();
        let names: Vec<&str> = names.into_iter().collect();
        let mut outcomes: Vec<(usize, Outcome<'_>)> =
            in_parallel(&names, |name| self.outcomes_in(files, name))
                .into_iter()
                .flatten()
                .collect();
        outcomes.sort_by_key(|(index, _)| *index);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    /// Returns the results for one catalog, one per operator that changes in it, with indices in
    /// `catalogs`.
    fn outcomes_in(&self, files: &RepositoryFiles, name: &str) -> Vec<(usize, Outcome<'_>)> {
        let parts: Vec<(usize, &ChangedCatalog)> = (0..)
            .zip(&self.catalogs)
            .filter(|(_, part)| part.name == name)
            .collect();
        let changes: Vec<&FileChange> = parts
            .iter()
            .filter_map(|(_, part)| part.outcome.as_ref().ok())
            .collect();
        let whole = (!changes.is_empty()).then(|| WholeCatalog::read(files, name).change(&changes));
        let mut outcomes = Vec::new();
        for (index, catalog) in parts {
            let mut outcome = Outcome {
                catalog,
                consequences: None,
                failing: Vec::new(),
            };
            if let (Some(whole), Ok(change)) = (&whole, &catalog.outcome) {
                outcome.consequences = Some(whole.consequences(change));
                outcome.failing = failing_operators(name, whole.verdict(), &catalog.operator);
            }
            outcomes.push((index, outcome));
        }
        outcomes
    }

    /// Writes all files, or none, and prints their paths.
    pub fn write(&self, files: &RepositoryFiles, locks: &FolderLocks) -> Result<(), CliError> {
        let changes = self.all();
        let texts = changes
            .iter()
            .map(|change| new_text(files, change))
            .collect();
        write::write(texts, locks)?;
        for change in changes {
            output::print_note(&format!("wrote {}", files.display_path(&change.path)));
        }
        Ok(())
    }

    /// Prints the patch and remarks. The status is 1 if the pipeline would stop.
    pub fn print(&self, files: &RepositoryFiles, locks: Option<&FolderLocks>) -> CliResult {
        let outcomes = self.outcomes(files);
        for remark in &self.remarks {
            let location = location(files, &remark.file, remark.line);
            output::print_diagnostic("warning", &remark.message, Some(&location), &remark.help);
        }
        for failure in self.failures() {
            print_problem(files, &failure.with_catalog_names());
        }
        if let Some(locks) = locks {
            self.write(files, locks)?;
        } else {
            let texts = self.all().into_iter().map(|change| ChangedText {
                path: files.path_on_disk(&change.path),
                before: change.before.as_deref(),
                after: &change.after,
            });
            output::print_raw(&file_changes::patch_of(&files.folders(), texts.collect()))?;
        }
        for line in summary_lines(&outcomes) {
            output::print_note(&line);
        }
        for problem in failing_problems(&outcomes) {
            print_problem(files, &problem);
        }
        if self.all().is_empty() && self.failures().is_empty() {
            output::print_note("nothing to change: everything is up to date");
        }
        Ok(self.status(&outcomes))
    }

    /// Prints all changes, or writes them with `locks` if none is prevented. The JSON has the
    /// fields of `head`, the results for the catalogs, the field `summary`, and the files.
    pub fn finish(
        &self,
        files: &RepositoryFiles,
        format: TextOrData,
        locks: Option<&FolderLocks>,
        head: Value,
        summary: (&str, Value),
    ) -> CliResult {
        if locks.is_some() {
            self.refuse_failures(files)?;
        }
        let TextOrData::Data(form) = format else {
            return self.print(files, locks);
        };
        let outcomes = self.outcomes(files);
        if let Some(locks) = locks {
            self.write(files, locks)?;
        }
        let mut answer = json!({"format": output::FORMAT});
        if let (Value::Object(answer), Value::Object(head)) = (&mut answer, head) {
            answer.extend(head);
        }
        answer["rendered"] = outcomes.iter().map(Outcome::json).collect();
        let (field, value) = summary;
        answer[field] = value;
        answer["files"] = files_json(self);
        answer["written"] = locks.is_some().into();
        output::print_data(form, &answer)?;
        Ok(self.status(&outcomes))
    }

    /// Returns 1 if something is prevented or would not pass, else 0.
    fn status(&self, outcomes: &[Outcome<'_>]) -> u8 {
        let passes_everywhere = outcomes
            .iter()
            .all(|outcome| outcome.consequences.as_ref().is_some_and(passes));
        if self.failures().is_empty() && passes_everywhere {
            0
        } else {
            error::FAILED
        }
    }

    /// Refuses to write if a change is prevented.
    fn refuse_failures(&self, files: &RepositoryFiles) -> Result<(), CliError> {
        let failures = self.failures();
        let mut failures = failures.into_iter().map(SharedProblem::with_catalog_names);
        let Some(first) = failures.next() else {
            return Ok(());
        };
        for problem in failures {
            print_problem(files, &problem);
        }
        let mut hint = "nothing was written".to_owned();
        if !first.help.is_empty() {
            hint.push_str(&format!("; {}", first.help));
        }
        Err(refusal(files, &first).hint(hint))
    }
}

pub(super) fn refusal(files: &RepositoryFiles, problem: &Problem) -> CliError {
    CliError::new(&*problem.message)
        .at(location(files, &problem.file, problem.line))
        .hint(&*problem.help)
}

impl SharedProblem<'_> {
    fn with_catalog_names(self) -> Problem {
        let mut problem = self.problem.clone();
        if !self.catalogs.is_empty() {
            problem.message = format!("{}: {}", self.catalogs.join(", "), problem.message);
        }
        problem
    }
}

fn passes(consequences: &Consequences) -> bool {
    consequences
        .verdicts
        .iter()
        .all(|verdict| verdict.passed_after)
}

/// Formats one line for an operator's catalogs with the same result.
fn summary_lines(outcomes: &[Outcome<'_>]) -> Vec<String> {
    let mut groups: Vec<(&str, String, Vec<&str>)> = Vec::new();
    for outcome in outcomes {
        let Outcome {
            catalog,
            consequences: Some(consequences),
            failing,
        } = outcome
        else {
            continue;
        };
        let Ok(change) = &catalog.outcome else {
            continue;
        };
        let because = if failing.is_empty() {
            String::new()
        } else {
            format!(" because of {}", format_operators(failing))
        };
        let result = match CatalogState::from_change(change) {
            CatalogState::Same if passes(consequences) => "already matches its template".to_owned(),
            CatalogState::Same => {
                format!("already matches its template; the catalog fails opm validate{because}")
            }
            CatalogState::Changed => {
                consequences.summary_with(|verdict| verdict_sentence(verdict, &because))
            }
            CatalogState::New if passes(consequences) => {
                "is new, and passes opm validate".to_owned()
            }
            CatalogState::New => format!("is new; the catalog fails opm validate{because}"),
        };
        match groups
            .iter_mut()
            .find(|(operator, known, _)| *operator == catalog.operator && *known == result)
        {
            Some((.., names)) => names.push(&catalog.name),
            None => groups.push((&catalog.operator, result, vec![&catalog.name])),
        }
    }
    groups
        .into_iter()
        .map(|(operator, result, names)| {
            let each = if names.len() > 1 { "each " } else { "" };
            format!("{operator} {}: {each}{result}", names.join(", "))
        })
        .collect()
}

/// Formats the verdict on a whole catalog. `because` names the operators that make it fail.
fn verdict_sentence(verdict: &VerdictChange, because: &str) -> String {
    let before = Some(verdict.passed_before);
    let verdict = verdict_words(before, verdict.passed_after, ErrorCounts::default());
    format!("{verdict}{because}")
}

/// Collects why whole catalogs fail. A problem of an operator in several catalogs appears once.
fn failing_problems(outcomes: &[Outcome<'_>]) -> Vec<Problem> {
    let mut groups: Vec<SharedProblem<'_>> = Vec::new();
    for outcome in outcomes {
        for problem in &outcome.failing {
            let is_same = |known: &Problem| {
                (&known.operator, &known.message) == (&problem.operator, &problem.message)
            };
            let name = outcome.catalog.name.as_str();
            match groups.iter_mut().find(|group| is_same(group.problem)) {
                Some(group) if group.catalogs.contains(&name) => {}
                Some(group) => group.catalogs.push(name),
                None => groups.push(SharedProblem {
                    problem,
                    catalogs: vec![name],
                }),
            }
        }
    }
    groups
        .into_iter()
        .map(SharedProblem::with_catalog_names)
        .collect()
}

/// Returns the whole message of `opm validate` on one line.
fn opm_message(consequences: &Consequences) -> String {
    consequences
        .verdicts
        .iter()
        .map(|verdict| verdict.opm_message.trim_end().replace('\n', " "))
        .collect()
}

impl Outcome<'_> {
    fn json(&self) -> Value {
        let Self {
            catalog,
            consequences,
            failing,
        } = self;
        let (file, state, problem) = match &catalog.outcome {
            Err(problem) => (problem.file.as_str(), "failed", problem_json(problem)),
            Ok(change) => {
                let state = CatalogState::from_change(change).as_str();
                (change.path.as_str(), state, Value::Null)
            }
        };
        json!({
            "operator": catalog.operator,
            "catalog": catalog.name,
            "file": file,
            "state": state,
            "passed": consequences.as_ref().map(passes),
            "opm_message": consequences.as_ref().map(opm_message).filter(|message| !message.is_empty()),
            "failing": failing.iter().map(problem_json).collect::<Vec<_>>(),
            "summary": consequences.as_ref().map(Consequences::summary),
            "problem": problem,
        })
    }
}

pub(super) fn files_json(changes: &Changes) -> Value {
    changes
        .all()
        .into_iter()
        .map(|change| json!({"file": change.path, "new": change.before.is_none()}))
        .collect()
}

fn new_text<'a>(files: &RepositoryFiles, change: &'a FileChange) -> NewText<'a> {
    let (before, after) = (change.before.as_deref(), change.after.as_slice());
    NewText::new(
        files.path_on_disk(&change.path),
        files.display_path(&change.path),
        before,
        after,
    )
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
pub(super) fn print_problem(files: &RepositoryFiles, problem: &Problem) {
    let location = location(files, &problem.file, problem.line);
    output::print_diagnostic("error", &problem.message, Some(&location), &problem.help);
}

/// Formats a location as `file:line`.
pub(super) fn location(files: &RepositoryFiles, file: &str, line: Option<u32>) -> String {
    let path = files.display_path(file);
    line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"))
}

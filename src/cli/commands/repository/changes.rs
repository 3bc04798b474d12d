//! The files of a repository that a command changes: as one patch, or written, all or none; and what that means to users.

use super::{complain, place};
use crate::error::{self, CliError, CliResult};
use crate::file_changes;
use crate::formats::TextOrData;
use crate::output;
use crate::repository_files::RepositoryFiles;
use crate::write::{self, FolderLocks, NewText, leftover};
use fbc::consequences::{Consequences, of_catalogs};
use fbc::repository::{FileChange, Finding, Problem, RenderedCatalog};
use serde_json::{Value, json};

/// A catalog of an operator that is rendered, or copied.
pub(super) struct ChangedCatalog {
    pub(super) operator: String,
    /// As it is called: `v4.18`.
    pub(super) name: String,
    pub(super) outcome: Result<FileChange, Problem>,
}

/// Everything that a command changes.
#[derive(Default)]
pub(super) struct Changes {
    /// Templates and configuration.
    pub(super) files: Vec<FileChange>,
    pub(super) catalogs: Vec<ChangedCatalog>,
    /// What the pipeline does without a word.
    pub(super) remarks: Vec<Finding>,
    /// What is wrong beside the catalogs.
    pub(super) problems: Vec<Problem>,
}

impl ChangedCatalog {
    pub(super) fn new(operator: &str, rendered: RenderedCatalog) -> Self {
        Self {
            operator: operator.to_owned(),
            name: rendered.name,
            outcome: rendered.outcome,
        }
    }
}

/// What becomes of a catalog.
struct Outcome<'a> {
    catalog: &'a ChangedCatalog,
    /// `None`: it cannot be made.
    consequences: Option<Consequences>,
}

/// Locks the folders that are written, and reports what killed runs left there.
pub(super) fn lock(files: &RepositoryFiles, write: bool) -> Result<Option<FolderLocks>, CliError> {
    let folders = files.written_folders();
    folders
        .iter()
        .for_each(|folder| leftover::report(folder, [""; 0]));
    write.then(|| FolderLocks::wait(&folders)).transpose()
}

impl Changes {
    /// All changes of files, those of templates and configuration first.
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

    /// Each thing that cannot be done, once, with the catalogs that it keeps from being made.
    fn failures(&self) -> Vec<(&Problem, Vec<&str>)> {
        let mut failures: Vec<(&Problem, Vec<&str>)> = self
            .problems
            .iter()
            .map(|problem| (problem, Vec::new()))
            .collect();
        for catalog in &self.catalogs {
            let Err(problem) = &catalog.outcome else {
                continue;
            };
            match failures.iter_mut().find(|(known, _)| *known == problem) {
                Some((_, names)) => names.push(&catalog.name),
                None => failures.push((problem, vec![&catalog.name])),
            }
        }
        failures
    }

    /// What becomes of the catalogs.
    fn outcomes(&self) -> Vec<Outcome<'_>> {
        let outcome = |catalog| Outcome {
            catalog,
            consequences: consequences(catalog),
        };
        self.catalogs.iter().map(outcome).collect()
    }

    /// Writes all files, or none. Answers with their paths.
    pub(super) fn write(
        &self,
        files: &RepositoryFiles,
        locks: &FolderLocks,
    ) -> Result<(), CliError> {
        let changes = self.all();
        let texts = changes
            .iter()
            .map(|change| new_text(files, change))
            .collect();
        write::write(texts, locks)?;
        for change in changes {
            output::note(&format!("wrote {}", files.shown(&change.path)));
        }
        Ok(())
    }

    /// The patch, and what is to be said of it. The status is 1 where the pipeline would stop.
    pub(super) fn print(&self, files: &RepositoryFiles, locks: Option<&FolderLocks>) -> CliResult {
        for remark in &self.remarks {
            let place = place(files, &remark.file, remark.line);
            output::print_diagnostic("warning", &remark.message, Some(&place), &remark.help);
        }
        self.failures()
            .into_iter()
            .for_each(|failure| complain(files, &named(failure)));
        if let Some(locks) = locks {
            self.write(files, locks)?;
        } else {
            let texts = self.all().into_iter().map(|change| {
                (
                    files.place(&change.path),
                    change.before.as_deref(),
                    change.after.as_slice(),
                )
            });
            output::raw(&file_changes::patch_of(
                &files.folders(),
                &texts.collect::<Vec<_>>(),
            )?)?;
        }
        let outcomes = self.outcomes();
        said(&outcomes).iter().for_each(|line| output::note(line));
        if self.all().is_empty() && self.failures().is_empty() {
            output::note("nothing to change: everything is up to date");
        }
        Ok(self.status(&outcomes))
    }

    /// Prints all changes, or writes them where everything can be made. The answer for programs has the fields of `head`, what
    /// became of the catalogs, the field `said`, and the files.
    pub(super) fn carry_out(
        &self,
        files: &RepositoryFiles,
        (format, locks): (TextOrData, Option<&FolderLocks>),
        head: Value,
        said: (&str, Value),
    ) -> CliResult {
        if locks.is_some() {
            self.complete(files)?;
        }
        let TextOrData::Data(form) = format else {
            return self.print(files, locks);
        };
        if let Some(locks) = locks {
            self.write(files, locks)?;
        }
        let outcomes = self.outcomes();
        let mut answer = json!({"format": output::FORMAT});
        if let (Value::Object(answer), Value::Object(head)) = (&mut answer, head) {
            answer.extend(head);
        }
        answer["rendered"] = outcomes.iter().map(Outcome::json).collect();
        let (field, said) = said;
        answer[field] = said;
        answer["files"] = files_json(self);
        answer["written"] = locks.is_some().into();
        output::data(form, &answer)?;
        Ok(self.status(&outcomes))
    }

    /// 1 where something cannot be made, or would not pass.
    fn status(&self, outcomes: &[Outcome<'_>]) -> u8 {
        let passes = |of: &Outcome<'_>| of.consequences.as_ref().is_some_and(passes);
        if self.failures().is_empty() && outcomes.iter().all(passes) {
            0
        } else {
            error::FAILED
        }
    }

    /// Refuses to write where not everything can be made.
    fn complete(&self, files: &RepositoryFiles) -> Result<(), CliError> {
        let failures = self.failures();
        let mut failures = failures.into_iter().map(named);
        let Some(first) = failures.next() else {
            return Ok(());
        };
        failures.for_each(|problem| complain(files, &problem));
        let parts = ["nothing was written", &first.help];
        let hint: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Err(refused(files, &first).hint(hint.join("; ")))
    }
}

/// A problem as what stops a command.
pub(super) fn refused(files: &RepositoryFiles, problem: &Problem) -> CliError {
    CliError::new(&*problem.message)
        .at(place(files, &problem.file, problem.line))
        .hint(&*problem.help)
}

/// A problem with the catalogs that it keeps from being made.
fn named((problem, catalogs): (&Problem, Vec<&str>)) -> Problem {
    match catalogs.is_empty() {
        true => problem.clone(),
        false => Problem {
            message: format!("{}: {}", catalogs.join(", "), problem.message),
            ..problem.clone()
        },
    }
}

fn passes(of: &Consequences) -> bool {
    of.verdicts.iter().all(|verdict| verdict.passed_after)
}

/// One line for alike catalogs of an operator.
fn said(outcomes: &[Outcome<'_>]) -> Vec<String> {
    let mut groups: Vec<(&str, String, Vec<&str>)> = Vec::new();
    for Outcome {
        catalog,
        consequences,
    } in outcomes
    {
        let Some(consequences) = consequences else {
            continue;
        };
        let Ok(change) = &catalog.outcome else {
            continue;
        };
        let said = match (change.is_change(), change.before.is_some()) {
            (false, _) => "already matches its template".to_owned(),
            (true, true) if passes(consequences) => consequences.summary(),
            (true, true) => format!("{}: {}", consequences.summary(), message(consequences)),
            (true, false) if passes(consequences) => "is new, and passes opm validate".to_owned(),
            (true, false) => format!("is new, and fails opm validate: {}", message(consequences)),
        };
        match groups
            .iter_mut()
            .find(|(operator, known, _)| *operator == catalog.operator && *known == said)
        {
            Some((.., names)) => names.push(&catalog.name),
            None => groups.push((&catalog.operator, said, vec![&catalog.name])),
        }
    }
    groups
        .into_iter()
        .map(|(operator, said, names)| format!("{operator} {}: {said}", names.join(", ")))
        .collect()
}

fn message(of: &Consequences) -> String {
    of.verdicts
        .iter()
        .map(|verdict| verdict.opm_message.trim_end().replace('\n', " "))
        .collect()
}

impl Outcome<'_> {
    fn json(&self) -> Value {
        let Self {
            catalog,
            consequences,
        } = self;
        let (file, state, problem) = match &catalog.outcome {
            Err(problem) => (
                problem.file.as_str(),
                "failed",
                super::problem_json(problem),
            ),
            Ok(change) => {
                let state = match (change.is_change(), change.before.is_some()) {
                    (false, _) => "same",
                    (true, true) => "changed",
                    (true, false) => "new",
                };
                (change.path.as_str(), state, Value::Null)
            }
        };
        json!({
            "operator": catalog.operator,
            "catalog": catalog.name,
            "file": file,
            "state": state,
            "passed": consequences.as_ref().map(passes),
            "opm_message": consequences.as_ref().map(message).filter(|message| !message.is_empty()),
            "summary": consequences.as_ref().map(Consequences::summary),
            "problem": problem,
        })
    }
}

/// The files that change, as a patch has them.
pub(super) fn files_json(changes: &Changes) -> Value {
    changes
        .all()
        .into_iter()
        .map(|change| json!({"file": change.path, "new": change.before.is_none()}))
        .collect()
}

/// What the change of a catalog means; `None` where it cannot be made.
fn consequences(changed: &ChangedCatalog) -> Option<Consequences> {
    let (before, after) = changed.outcome.as_ref().ok()?.catalogs();
    Some(of_catalogs(&changed.name, &before, &after).1)
}

/// A file that gets another text.
fn new_text<'a>(files: &RepositoryFiles, change: &'a FileChange) -> NewText<'a> {
    let (before, after) = (change.before.as_deref(), change.after.as_slice());
    NewText::held(
        files.place(&change.path),
        files.shown(&change.path),
        before,
        after,
    )
}

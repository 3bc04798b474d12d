//! Remembers what passed on which inputs: a check whose inputs are the same is not run again.
//!
//! Kept below `target/passed`, one file per check. Only a run that was whole and without a failure is remembered; what it
//! skipped is remembered with it, so that it is reported each time. It must not know which checks exist.

use crate::report::Report;
use std::path::{Path, PathBuf};

/// Changed when what is kept, or how a digest is made, changes.
const FORM: &str = "switchyard remembers 1";

/// What is known of earlier runs.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Nowhere: each run is independent.
    folder: Option<PathBuf>,
    /// Whether what passed counts, or is tried again and noted.
    recalls: bool,
}

impl Memory {
    /// In continuous integration nothing is remembered: each run there is independent.
    pub(crate) fn new(project: &Path, recalls: bool) -> Self {
        let is_ci =
            std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        Self {
            folder: (!is_ci).then(|| project.join("target/passed")),
            recalls,
        }
    }

    #[cfg(test)]
    pub(crate) fn below(folder: PathBuf) -> Self {
        Self {
            folder: Some(folder),
            recalls: true,
        }
    }

    /// Whether this passed on just these inputs.
    pub(crate) fn recall(&self, name: &str, digest: u64) -> Option<Report> {
        let file = self.file(name).filter(|_| self.recalls)?;
        read(&std::fs::read_to_string(file).ok()?, digest)
    }

    /// Records the outcome of a check on these inputs, and forgets its earlier outcome.
    pub(crate) fn note(&self, name: &str, digest: u64, report: &Report) {
        let Some(file) = self.file(name) else { return };
        let noted = match written(digest, report) {
            Some(text) => file
                .parent()
                .map_or(Ok(()), std::fs::create_dir_all)
                .and_then(|()| std::fs::write(&file, text)),
            None if file.exists() => std::fs::remove_file(&file),
            None => Ok(()),
        };
        if let Err(error) = noted {
            println!(
                "what passed could not be noted in {}: {error}",
                file.display()
            );
        }
    }

    fn file(&self, name: &str) -> Option<PathBuf> {
        let plain = name.chars().map(|c| {
            if c.is_ascii_alphanumeric() || c == '.' {
                c
            } else {
                '-'
            }
        });
        self.folder
            .as_ref()
            .map(|folder| folder.join(plain.collect::<String>()))
    }
}

/// The part of a report that is kept; `None` for one that must not be remembered.
fn written(digest: u64, report: &Report) -> Option<String> {
    report
        .is_whole()
        .then(|| format!("{FORM}\n{digest:016x}\n{}end\n", report.lines()))
}

/// The report, where this text keeps it of these inputs. A text that is cut off keeps nothing.
fn read(text: &str, digest: u64) -> Option<Report> {
    let rest = text.strip_prefix(&format!("{FORM}\n{digest:016x}\n"))?;
    Report::of_lines(rest.strip_suffix("end\n")?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Note;

    fn report() -> Report {
        let mut report = Report::default();
        report.passed = 12;
        report.note(Note::Skipped, "a\\n › b", "no\tengine\nhere");
        report.note(Note::InPart, "table", "a slice");
        report.ran("parity::mutants");
        report
    }

    #[test]
    fn what_passed_is_there_again_with_its_notes() {
        let text = written(7, &report()).expect("it passed");
        let again = read(&text, 7).expect("the inputs are the same");
        assert_eq!((again.passed, again.failed), (12, 0));
        assert!(
            again
                .told()
                .ends_with("\n12 of these passed before, on the same inputs\n"),
            "{}",
            again.told()
        );
        assert_eq!(
            again
                .told()
                .replace("12 of these passed before, on the same inputs\n", ""),
            report().told() + "\n"
        );
        let mut other = Report::default();
        other.note(Note::Skipped, "parity::mutants", "needs the program");
        other.add(again);
        assert!(
            !other.told().contains("needs the program"),
            "{}",
            other.told()
        );
    }

    #[test]
    fn other_inputs_and_damaged_notes_are_no_memory() {
        let text = written(7, &report()).expect("it passed");
        assert_eq!(read(&text, 8), None);
        for cut in 0..text.len() {
            assert_eq!(
                text.get(..cut).and_then(|text| read(text, 7)),
                None,
                "{cut}"
            );
        }
        assert_eq!(read(&text.replace("remembers 1", "remembers 0"), 7), None);
    }

    #[test]
    fn only_what_passed_as_a_whole_is_remembered() {
        let mut again = report();
        again.note(Note::Again, "dies", "the browser itself had ended");
        let mut not_run = report();
        not_run.note(Note::NotRun, "later", "the run ended before");
        for not_whole in [
            report().with_failed(),
            Report::one(false),
            Report::default(),
            again,
            not_run,
        ] {
            assert_eq!(written(7, &not_whole), None, "{not_whole:?}");
        }
        assert!(written(7, &Report::one(true)).is_some());
    }

    #[test]
    fn a_check_that_fails_or_changes_is_forgotten() {
        let project =
            std::env::temp_dir().join(format!("switchyard-memory-{}", std::process::id()));
        let memory = Memory {
            folder: Some(project.clone()),
            recalls: true,
        };
        assert_eq!(memory.recall("edit.spec.ts", 7), None);
        memory.note("edit.spec.ts", 7, &report());
        assert!(memory.recall("edit.spec.ts", 7).is_some());
        assert_eq!(memory.recall("edit.spec.ts", 8), None);
        assert_eq!(memory.recall("real.spec.ts", 7), None);
        assert_eq!(
            Memory {
                folder: Some(project.clone()),
                recalls: false
            }
            .recall("edit.spec.ts", 7),
            None
        );
        memory.note("edit.spec.ts", 7, &report().with_failed());
        assert_eq!(memory.recall("edit.spec.ts", 7), None);
        let none = Memory {
            folder: None,
            recalls: true,
        };
        none.note("edit.spec.ts", 7, &report());
        assert_eq!(none.recall("edit.spec.ts", 7), None);
        std::fs::remove_dir_all(&project).unwrap();
    }
}

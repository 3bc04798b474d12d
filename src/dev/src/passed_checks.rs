//! Records which check passed on which inputs, so that it need not run again: one file per check in `target/passed`.
//!
//! Records only complete runs without a failure, with their skipped tests. It must not know which checks exist.

use crate::report::Report;
use std::path::{Path, PathBuf};

/// Increase the number when the format or the digest changes.
const FORM: &str = "switchyard remembers 2";

/// The outcomes of earlier runs.
#[derive(Debug)]
pub(crate) struct PassStore {
    /// `None`: nothing is stored.
    folder: Option<PathBuf>,
    /// Whether to use earlier outcomes, or only record new ones.
    use_store: bool,
}

impl PassStore {
    /// Nothing is stored in continuous integration.
    pub(crate) fn new(project: &Path, use_store: bool) -> Self {
        let is_ci =
            std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        Self {
            folder: (!is_ci).then(|| project.join("target/passed")),
            use_store,
        }
    }

    #[cfg(test)]
    pub(crate) fn below(folder: PathBuf) -> Self {
        Self {
            folder: Some(folder),
            use_store: true,
        }
    }

    /// The report of a run that passed on these inputs.
    pub(crate) fn recall(&self, name: &str, digest: u64) -> Option<Report> {
        let file = self.file(name).filter(|_| self.use_store)?;
        read(&std::fs::read_to_string(file).ok()?, digest)
    }

    /// Records a passed check, or removes the record of one that failed.
    pub(crate) fn note(&self, name: &str, digest: u64, report: &Report) {
        let Some(file) = self.file(name) else { return };
        let noted = match serialize(digest, report) {
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

/// The text to store; `None` for an incomplete or failed run.
fn serialize(digest: u64, report: &Report) -> Option<String> {
    let report = serde_json::to_string(report)
        .ok()
        .filter(|_| report.is_whole())?;
    Some(format!("{FORM}\n{digest:016x}\n{report}\nend\n"))
}

/// Reads a stored report of these inputs. A text that is cut off is ignored.
fn read(text: &str, digest: u64) -> Option<Report> {
    let rest = text.strip_prefix(&format!("{FORM}\n{digest:016x}\n"))?;
    Report::parse(rest.strip_suffix("\nend\n")?)
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
    fn stored_results_keep_their_notes() {
        let text = serialize(7, &report()).expect("it passed");
        let again = read(&text, 7).expect("the inputs are the same");
        assert_eq!((again.passed, again.failed), (12, 0));
        assert!(
            again
                .summary()
                .ends_with("\n12 of these passed before, on the same inputs\n"),
            "{}",
            again.summary()
        );
        assert_eq!(
            again
                .summary()
                .replace("12 of these passed before, on the same inputs\n", ""),
            report().summary() + "\n"
        );
        let mut other = Report::default();
        other.note(Note::Skipped, "parity::mutants", "needs the program");
        other.add(again);
        assert!(
            !other.summary().contains("needs the program"),
            "{}",
            other.summary()
        );
    }

    #[test]
    fn other_inputs_and_damaged_notes_are_no_memory() {
        let text = serialize(7, &report()).expect("it passed");
        assert_eq!(read(&text, 8), None);
        for cut in 0..text.len() {
            assert_eq!(
                text.get(..cut).and_then(|text| read(text, 7)),
                None,
                "{cut}"
            );
        }
        assert_eq!(read(&text.replace("remembers 2", "remembers 1"), 7), None);
    }

    #[test]
    fn stores_only_complete_passes() {
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
            assert_eq!(serialize(7, &not_whole), None, "{not_whole:?}");
        }
        assert!(serialize(7, &Report::one(true)).is_some());
    }

    #[test]
    fn a_check_that_fails_or_changes_is_forgotten() {
        let project = std::env::temp_dir().join(format!("switchyard-store-{}", std::process::id()));
        let store = PassStore {
            folder: Some(project.clone()),
            use_store: true,
        };
        assert_eq!(store.recall("edit.spec.ts", 7), None);
        store.note("edit.spec.ts", 7, &report());
        assert!(store.recall("edit.spec.ts", 7).is_some());
        assert_eq!(store.recall("edit.spec.ts", 8), None);
        assert_eq!(store.recall("real.spec.ts", 7), None);
        assert_eq!(
            PassStore {
                folder: Some(project.clone()),
                use_store: false
            }
            .recall("edit.spec.ts", 7),
            None
        );
        store.note("edit.spec.ts", 7, &report().with_failed());
        assert_eq!(store.recall("edit.spec.ts", 7), None);
        let none = PassStore {
            folder: None,
            use_store: true,
        };
        none.note("edit.spec.ts", 7, &report());
        assert_eq!(none.recall("edit.spec.ts", 7), None);
        std::fs::remove_dir_all(&project).unwrap();
    }
}

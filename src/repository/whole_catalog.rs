//! A whole catalog of a repository, `catalogs/vX.Y`, as the release pipeline judges it.
//!
//! After a release the pipeline runs `opm validate` on the whole folder, so one failing operator
//! blocks all others.

use super::file_change::FileChange;
use super::layout::{CATALOGS, EntryKind, Files, ReadFailure, join};
use super::rules::Problem;
use catalog::ignore;
use catalog::index::index_bytes;
use catalog::model::FileId;
use catalog::{Catalog, Content, TreeEntry};
use protocol::counting::{count_of, first_of};
use protocol::diagnostic::{Diagnostic, Severity};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use verdict::consequences::{Consequences, for_packages};
use verdict::validate::{Verdict, judge};

/// Maximum number of operators named in a sentence.
const MAX_NAMED_OPERATORS: usize = 4;

/// The indexed files of a catalog folder.
#[derive(Debug, Clone)]
pub struct WholeCatalog {
    name: String,
    /// Paths are relative to the catalog folder.
    entries: Vec<TreeEntry>,
}

/// A whole catalog before and after a change of its files.
#[derive(Debug)]
pub struct WholeCatalogChange {
    name: String,
    before: JudgedCatalog,
    after: JudgedCatalog,
}

#[derive(Debug)]
struct JudgedCatalog {
    catalog: Catalog,
    verdict: Verdict,
}

impl WholeCatalog {
    /// Reads all files in `catalogs/NAME`.
    pub fn read(files: &dyn Files, name: &str) -> Self {
        Self::read_with(name, files, &mut |path| match files.read(path) {
            Ok(bytes) => content(path, bytes),
            Err(failure) => unreadable(failure),
        })
    }

    /// Like `read`, with a reader that may cache file contents. Its paths are repository paths.
    pub fn read_with(name: &str, files: &dyn Files, read: &mut dyn FnMut(&str) -> Content) -> Self {
        let root = join(CATALOGS, name);
        let mut entries = Vec::new();
        let mut waiting = vec![root.clone()];
        while let Some(folder) = waiting.pop() {
            for entry in files.entries(&folder) {
                let path = join(&folder, &entry.name);
                let content = match entry.kind {
                    EntryKind::Folder if files.is_link(&path) => Content::LinkToDirectory,
                    EntryKind::Folder => {
                        waiting.push(path);
                        continue;
                    }
                    EntryKind::Unreadable(reason) => Content::Unreadable(reason),
                    EntryKind::File => read(&path),
                };
                entries.push((path, content));
            }
        }
        let entries = (0..).zip(entries);
        Self {
            entries: entries
                .map(|(number, (path, content))| TreeEntry {
                    id: FileId(number),
                    path: path.get(root.len() + 1..).unwrap_or_default().to_owned(),
                    content,
                })
                .collect(),
            name: name.to_owned(),
        }
    }

    /// Returns the verdict after these changes.
    pub fn verdict(&self, changes: &[&FileChange]) -> Verdict {
        judge(&self.catalog(changes))
    }

    /// Returns the catalog before and after these changes. Ignores those of other folders.
    pub fn change(&self, changes: &[&FileChange]) -> WholeCatalogChange {
        let [before, after] = [&[][..], changes].map(|changes| {
            let catalog = self.catalog(changes);
            let verdict = judge(&catalog);
            JudgedCatalog { catalog, verdict }
        });
        WholeCatalogChange {
            name: self.name.clone(),
            before,
            after,
        }
    }

    fn catalog(&self, changes: &[&FileChange]) -> Catalog {
        let root = join(CATALOGS, &self.name);
        let mut entries = self.entries.clone();
        for change in changes {
            let Some(path) = change
                .path
                .strip_prefix(&root)
                .and_then(|rest| rest.strip_prefix('/'))
            else {
                continue;
            };
            let content = content(path, change.after.clone());
            match entries.iter_mut().find(|entry| entry.path == path) {
                Some(entry) => entry.content = content,
                None => entries.push(TreeEntry {
                    id: FileId(entries.len() as u32),
                    path: path.to_owned(),
                    content,
                }),
            }
        }
        Catalog::new(root, entries)
    }
}

impl WholeCatalogChange {
    /// Returns the consequences of one file's change for users, with the whole catalog's verdict.
    pub fn consequences(&self, change: &FileChange) -> Consequences {
        let (before, after) = change.catalogs();
        let packages: BTreeSet<&str> = before
            .packages()
            .chain(after.packages())
            .map(|package| &*package.name)
            .collect();
        for_packages(
            &self.name,
            (&self.before.catalog, &self.before.verdict),
            (&self.after.catalog, &self.after.verdict),
            packages,
        )
    }

    /// Returns the verdict after the change.
    pub fn verdict(&self) -> &Verdict {
        &self.after.verdict
    }

    pub fn after(&self) -> &Catalog {
        &self.after.catalog
    }
}

/// Reports why a whole catalog fails: one problem per failing operator, sorted by name. Problems of
/// the `current` operator ("" for none) keep their help; others name the maintainers to ask.
pub fn failing_operators(catalog: &str, verdict: &Verdict, current: &str) -> Vec<Problem> {
    if verdict.passed {
        return Vec::new();
    }
    let mut failing: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
    let errors = verdict
        .diagnostics
        .iter()
        .filter(|problem| problem.opm && problem.severity == Severity::Error);
    for error in errors {
        let file = error.location.file.as_str();
        let operator = file.split_once('/').map_or("", |(operator, _)| operator);
        failing.entry(operator).or_default().push(error);
    }
    let root = join(CATALOGS, catalog);
    let problem = |(operator, errors): (&str, Vec<&Diagnostic>)| {
        let first = errors.first()?;
        let more = match errors.len() - 1 {
            0 => String::new(),
            more => format!(" (and {})", count_of(more, "more error")),
        };
        let subject = match operator {
            "" => "a file beside the operators".to_owned(),
            operator => format!("`{operator}`"),
        };
        let help = if operator == current {
            first.help.clone()
        } else {
            help_for_other_operator(catalog, operator, &first.help)
        };
        Some(Problem {
            operator: operator.to_owned(),
            file: join(&root, &first.location.file),
            line: Some(first.location.line).filter(|line| *line > 0),
            message: format!("{subject} fails opm validate: {}{more}", first.message),
            help,
        })
    };
    failing.into_iter().filter_map(problem).collect()
}

/// Returns the remedy for a failing operator of other maintainers.
fn help_for_other_operator(catalog: &str, operator: &str, help: &str) -> String {
    let owner = match operator {
        "" => "the repository's maintainers".to_owned(),
        operator => format!("the maintainers of `{operator}`"),
    };
    let fix = match help {
        "" => String::new(),
        help => format!(" ({help})"),
    };
    format!(
        "ask {owner}, or fix it in a pull request of its own{fix}: the pipeline runs `opm validate` on all of \
         {CATALOGS}/{catalog}, so nothing is released there until then"
    )
}

/// Lists the operators that make a whole catalog fail, for a sentence.
pub fn format_operators(failing: &[Problem]) -> String {
    let names = failing
        .iter()
        .map(|problem| match problem.operator.as_str() {
            "" => "a file beside the operators",
            operator => operator,
        });
    first_of(names, MAX_NAMED_OPERATORS)
}

/// Converts a catalog's file to its content.
pub fn content(path: &str, bytes: Vec<u8>) -> Content {
    if path.rsplit('/').next() == Some(ignore::FILE_NAME) {
        Content::Ignore(bytes.into())
    } else {
        Content::Indexed(Arc::new(index_bytes(&bytes)))
    }
}

/// Converts a failure to read a file to its content.
pub fn unreadable(failure: ReadFailure) -> Content {
    match failure {
        ReadFailure::NotThere => Content::BrokenLink,
        ReadFailure::Refused(reason) => Content::Unreadable(reason),
    }
}

//! The unreadable text of a catalog, and the packages whose documents it may contain.

use catalog::Catalog;
use catalog::model::load_rule::TEXT_IGNORED;
use catalog::model::{FileId, Package};
use catalog::roots::parent;
use protocol::diagnostic::{Cause, Diagnostic, HIDING_RULES};
use std::collections::{BTreeMap, BTreeSet};
use syntax::hashed::HashMap;

/// Unreadable text by file, at its first position.
pub struct UnreadableText<'a> {
    catalog: &'a Catalog,
    causes: BTreeMap<String, Cause>,
    /// Folders, with the package if it is the only one in the folder.
    folders: HashMap<&'a str, Option<&'a str>>,
}

impl<'a> UnreadableText<'a> {
    /// Indexes `causes`, keyed by the file's path in the catalog.
    pub(super) fn new(catalog: &'a Catalog, causes: BTreeMap<String, Cause>) -> Self {
        let mut text = Self {
            catalog,
            causes,
            folders: HashMap::default(),
        };
        if !text.causes.is_empty() {
            text.find_folders();
        }
        text
    }

    /// Collects the text reported by these problems. `catalog` provides the files; the problems may
    /// describe an earlier state of them.
    pub fn reported_by<'p>(
        catalog: &'a Catalog,
        problems: impl IntoIterator<Item = &'p Diagnostic>,
    ) -> Self {
        let mut causes = BTreeMap::new();
        for problem in problems.into_iter().filter(|problem| problem.hides_text()) {
            causes
                .entry(problem.location.file.clone())
                .or_insert_with(|| Cause {
                    rule: problem.rule.clone(),
                    message: problem.message.clone(),
                    location: problem.location.clone(),
                });
        }
        Self::new(catalog, causes)
    }

    /// Collects the unreadable text of this catalog.
    pub fn in_catalog(catalog: &'a Catalog) -> Self {
        let mut causes = BTreeMap::new();
        for file in catalog.included_files() {
            if !file.has_faults() && file.ignored_text().is_none() {
                continue;
            }
            for (index, blob) in file.blobs().iter().enumerate() {
                let hiding = blob
                    .faults
                    .first()
                    .filter(|fault| HIDING_RULES.contains(&&*fault.rule))
                    .or(blob.ignored_text.as_deref());
                if let Some(fault) = hiding {
                    causes.entry(file.path.clone()).or_insert_with(|| Cause {
                        rule: fault.rule.to_string(),
                        message: fault.message.clone(),
                        location: catalog.location(file.id, index as u32, fault.place),
                    });
                }
            }
        }
        Self::new(catalog, causes)
    }

    pub fn is_empty(&self) -> bool {
        self.causes.is_empty()
    }

    /// Returns the text that may contain any document of the package, whose files are in `catalog`.
    pub fn near_any_part(&self, package: &Package, catalog: &Catalog) -> Option<&Cause> {
        if self.causes.is_empty() || package.name.is_empty() {
            return None;
        }
        let channels = package.channels.iter().flat_map(|channel| {
            let entries = channel.entries.iter().map(|entry| entry.name.as_str());
            entries.chain([channel.name.as_str()])
        });
        let bundles = package.bundles.iter().map(|bundle| bundle.name.as_str());
        self.near_in(
            catalog,
            package,
            &channels.chain(bundles).collect::<Vec<_>>(),
        )
    }

    fn find_folders(&mut self) {
        for package in self.catalog.packages() {
            for file in files(package) {
                let Some(file) = self.catalog.file(file) else {
                    continue;
                };
                let known = self
                    .folders
                    .entry(parent(&file.path))
                    .or_insert(Some(&package.name));
                if *known != Some(&package.name) {
                    *known = None;
                }
            }
        }
    }

    /// Returns the text that may contain a document of the package: in one of its files, in its own
    /// folder, or in a file with one of these names.
    pub(super) fn near(&self, package: &Package, names: &[&str]) -> Option<&Cause> {
        self.near_in(self.catalog, package, names)
    }

    fn near_in(&self, catalog: &Catalog, package: &Package, names: &[&str]) -> Option<&Cause> {
        if self.causes.is_empty() {
            return None;
        }
        let own_paths = files(package);
        let own_paths: Vec<&str> = own_paths
            .iter()
            .filter_map(|&id| Some(catalog.file(id)?.path.as_str()))
            .collect();
        let in_own_file = own_paths.iter().find_map(|path| self.causes.get(*path));
        in_own_file.or_else(|| {
            let folders: BTreeSet<&str> = own_paths.iter().map(|path| parent(path)).collect();
            let names = || names.iter().copied().chain([&*package.name]);
            self.causes
                .iter()
                .find(|(path, _)| {
                    let owner = self.folders.get(parent(path)).copied().flatten();
                    let is_own = folders.contains(parent(path)) && owner == Some(&*package.name);
                    is_own || names().any(|name| !name.is_empty() && stem(path) == name)
                })
                .map(|(_, cause)| cause)
        })
    }

    /// Returns the unreadable text in a file with this name.
    pub(super) fn by_file_name(&self, name: &str) -> Option<&Cause> {
        self.causes
            .iter()
            .find(|(path, _)| !name.is_empty() && stem(path) == name)
            .map(|(_, cause)| cause)
    }
}

/// Names the unreadable text for a sentence: ``the document around line 45 of `catalog.json` ``. The
/// line is that of the mistake. Only the text after a mistake is ignored.
pub fn describe_unreadable(cause: &Cause) -> String {
    let text = if cause.rule == TEXT_IGNORED {
        "the text after the object in"
    } else {
        "the document around"
    };
    format!("{text} {}", place_of(cause))
}

/// Formats the position of the mistake for a sentence: ``line 45 of `catalog.json` ``.
fn place_of(cause: &Cause) -> String {
    format!("line {} of `{}`", cause.location.line, cause.location.file)
}

/// Formats the remedy for a problem caused by an unreadable document.
pub(super) fn remedy(cause: &Cause) -> String {
    let place = place_of(cause);
    let text = if cause.rule == TEXT_IGNORED {
        "after it"
    } else {
        "there"
    };
    format!("correct {place} first: what is missing may be {text}")
}

fn files(package: &Package) -> BTreeSet<FileId> {
    let packages = package.packages.iter().map(|b| b.file);
    let channels = package.channels.iter().map(|b| b.file);
    let bundles = package.bundles.iter().map(|b| b.file);
    packages
        .chain(channels)
        .chain(bundles)
        .chain(package.deprecations.iter().map(|b| b.file))
        .collect()
}

/// Returns a file's name without its extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::super::config::Config;
    use super::super::{judge, judge_configured};
    use super::*;
    use catalog::index::index_bytes;
    use catalog::{Content, TreeEntry};
    use std::sync::Arc;

    #[test]
    fn a_comma_before_a_brace_hides_the_rest_of_a_json_file() {
        let text = TYPO.replacen("1.1\"}", "1.1\",}", 1);
        let found = judge_file(&text);
        let [problem] = &found[..] else {
            panic!("{found:?}")
        };
        let cause = problem.follows.as_ref().expect("a cause");
        assert!(
            cause.hides_text() && problem.fixes.is_empty(),
            "{problem:?}"
        );
        assert_eq!(
            (
                cause.message.as_str(),
                describe_unreadable(cause).as_str(),
                problem.help.as_str()
            ),
            (
                "`opm` ignores all text after this object, since it is not JSON: there is a comma before `}`",
                "the text after the object in line 1 of `p/catalog.json`",
                "correct line 1 of `p/catalog.json` first: what is missing may be after it"
            )
        );
    }

    #[test]
    fn the_comma_that_hides_text_is_a_problem_of_its_own() {
        let config = Config::default();
        let verdict = judge_configured(&catalog(&TYPO.replacen("1.1\"}", "1.1\",}", 1)), &config);
        let cause = verdict.diagnostics.iter().find(|d| d.follows.is_none());
        let cause = cause.expect("the cause");
        assert!(cause.hides_text() && !cause.opm, "{cause:?}");
        assert_eq!(
            (cause.rule.as_str(), cause.location.line),
            ("text-ignored", 1)
        );
        let [fix] = &cause.fixes[..] else {
            panic!("{cause:?}")
        };
        assert_eq!((fix.title.as_str(), fix.safe), ("remove the comma", true));
        let following = verdict
            .diagnostics
            .iter()
            .filter_map(|d| d.follows.as_ref());
        let mut following: Vec<_> = following.map(|f| (&f.rule, &f.location)).collect();
        following.dedup();
        assert_eq!(following, [(&cause.rule, &cause.location)]);
    }

    fn judge_file(text: &str) -> Vec<Arc<Diagnostic>> {
        judge(&catalog(text)).diagnostics
    }

    fn catalog(text: &str) -> Catalog {
        let entry = TreeEntry {
            id: FileId(0),
            path: "p/catalog.json".to_owned(),
            content: Content::Indexed(Arc::new(index_bytes(text.as_bytes()))),
        };
        Catalog::new("dir", vec![entry])
    }

    #[test]
    fn hiding_rules_are_rules_of_loading() {
        for rule in protocol::diagnostic::HIDING_RULES {
            assert!(catalog::model::load_rule::ALL.contains(&rule), "{rule}");
        }
    }

    #[test]
    fn consequences_of_unreadable_text_share_one_remedy() {
        let found = judge_file(TYPO);
        let following: Vec<_> = found.iter().filter(|of| of.follows.is_some()).collect();
        let rules: Vec<&str> = following.iter().map(|of| of.rule.as_str()).collect();
        assert_eq!(rules, ["channel-empty", "bundle-not-in-channel"]);
        let cause = found.iter().find(|of| of.hides_text()).expect("the cause");
        let [fix] = &cause.fixes[..] else {
            panic!("{cause:?}")
        };
        assert_eq!(fix.title, "add the missing comma");
        for problem in following {
            assert!(problem.fixes.is_empty(), "{problem:?}");
            assert_eq!(problem.explanation, None);
            assert_eq!(
                problem.help,
                "correct line 5 of `p/catalog.json` first: what is missing may be there"
            );
        }
    }

    /// A typo in its document makes a channel missing.
    const TYPO: &str = r#"{"schema": "olm.package", "name": "p", "defaultChannel": "stable-v1.1"}
{"schema": "olm.channel", "package": "p", "name": "stable-v0.2", "entries": [{"name": "p.v0.2.0"}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v0.2.0", "image": "a/b:c", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "0.2.0"}}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v1.1.0", "image": "a/b:d", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.1.0"}}]}
{"schema": "olm.channel" "package": "p", "name": "stable-v1.1", "entries": [{"name": "p.v1.1.0"}]}
"#;
}

//! Catalog-wide facts for turning findings into diagnostics: causes such as unreadable files or
//! misspelt package names, and fixes that edit file text.

use super::findings::{Anchor, Corrected, Finding, NameCorrection};
use super::misspelt_package::MisspeltPackages;
use super::unreadable_text::UnreadableText;
use catalog::ignore;
use catalog::model::{Body, Correction, FileId, Package, Rewrite, load_rule};
use catalog::roots::git_folder;
use catalog::{Catalog, CatalogFile, Content, LoadFault};
use edit::spelling::{Quote, ScalarContext, string};
use protocol::diagnostic::{Cause, Fix, Location};
use protocol::operation::{EditOp, ReplacedSkip};
use std::cell::RefCell;
use std::cmp::Ordering;
use syntax::hashed::HashMap;
use syntax::order::SortSmall;

pub struct Context<'a> {
    catalog: &'a Catalog,
    misspelt_package: MisspeltPackages<'a>,
    /// The first error that stopped `opm` in each blob.
    faults: HashMap<(FileId, u32), Cause>,
    /// Blobs with unknown schema and names.
    unreadable: UnreadableText<'a>,
    /// Whether nested folders have ignore patterns, which could include a file that the root
    /// excludes.
    nested: bool,
    /// Whether a file contains catalog blobs; cached on demand.
    of_catalog: RefCell<HashMap<FileId, bool>>,
}

/// External causes of a package's diagnostics.
#[derive(Debug, PartialEq)]
pub struct OutsideCauses {
    faults: HashMap<(FileId, u32), Cause>,
}

impl<'a> Context<'a> {
    pub fn new(catalog: &'a Catalog) -> Self {
        let mut faults = HashMap::default();
        for file in catalog.included_files().filter(|file| file.has_faults()) {
            for (index, blob) in file.blobs().iter().enumerate() {
                let Some(fault) = blob.faults.first() else {
                    continue;
                };
                // Unreadable blobs belong to no package.
                if !matches!(blob.body, Body::Unreadable) {
                    let cause = Cause {
                        rule: fault.rule.to_string(),
                        message: fault.message.clone(),
                        location: catalog.location(file.id, index as u32, fault.place),
                    };
                    faults.insert((file.id, index as u32), cause);
                }
            }
        }
        Self {
            catalog,
            misspelt_package: MisspeltPackages::from_catalog(catalog),
            faults,
            unreadable: UnreadableText::in_catalog(catalog),
            nested: catalog.files().iter().any(|file| {
                file.path
                    .strip_suffix(ignore::FILE_NAME)
                    .is_some_and(|f| f.ends_with('/'))
            }),
            of_catalog: RefCell::default(),
        }
    }

    pub fn catalog(&self) -> &'a Catalog {
        self.catalog
    }

    /// Returns the external causes; `None` if the problems can depend on any other part of the
    /// catalog.
    pub fn outside_causes(&self) -> Option<OutsideCauses> {
        let is_alone = self.unreadable.is_empty() && self.misspelt_package.is_empty();
        is_alone.then(|| OutsideCauses {
            faults: self.faults.clone(),
        })
    }

    /// Returns the cause of a problem: a fault in its own blob, a cause found by its rule, or an
    /// unreadable file.
    pub fn cause(
        &self,
        package: &Package,
        finding: &Finding,
        place: impl Fn(Anchor) -> Location,
    ) -> Option<Cause> {
        if let Some(fault) = finding
            .at
            .blob
            .find(package)
            .and_then(|(file, index, _)| self.faults.get(&(file, index)))
        {
            return Some(fault.clone());
        }
        if let Some(known) = &finding.follows {
            let rule = known.rule.unwrap_or_default().to_owned();
            let message = known.message.clone();
            return Some(Cause {
                rule,
                message,
                location: place(known.at),
            });
        }
        if let Some(misspelt_package) = self
            .misspelt_package
            .cause_of(package, finding)
            .filter(|misspelt_package| misspelt_package.is_elsewhere(package))
        {
            return misspelt_package.cause(self.catalog);
        }
        if self.unreadable.is_empty() || finding.rule.misses.is_none() {
            return None;
        }
        // A likely typo is the better explanation, except for a file named after the missing
        // object.
        if finding.corrections.is_empty() {
            self.unreadable_near(package, finding).cloned()
        } else {
            self.unreadable
                .by_file_name(finding.bundle.as_deref()?)
                .cloned()
        }
    }

    /// Whether a safe fix may rely on the catalog being complete: an unreadable file may contain an
    /// object that seems missing.
    pub fn is_certain(&self, finding: &Finding) -> bool {
        self.unreadable.is_empty() || finding.rule.misses.is_none()
    }

    /// Returns unreadable text that may contain the object that the problem reports as missing.
    fn unreadable_near(&self, package: &Package, finding: &Finding) -> Option<&Cause> {
        let names = [finding.bundle.as_deref(), finding.channel.as_deref()];
        let names: Vec<&str> = names.into_iter().flatten().collect();
        self.unreadable.near(package, &names)
    }

    /// Returns fixes that edit text: probable names, and the probable package.
    pub fn respelling_fixes(&self, package: &Package, finding: &Finding) -> Vec<Fix> {
        let misspelt_package = self
            .misspelt_package
            .cause_of(package, finding)
            .map(|misspelt_package| (misspelt_package.holder(), misspelt_package.correction()));
        let own = finding
            .corrections
            .iter()
            .map(|correction| (package, correction.clone()));
        misspelt_package
            .into_iter()
            .chain(own)
            .filter_map(|(package, correction)| self.respell(package, &correction))
            .collect()
    }

    /// Builds a fix that replaces all occurrences of a name.
    fn respell(&self, package: &Package, correction: &NameCorrection) -> Option<Fix> {
        let located = correction.at.iter().map(|anchor| {
            let (file, index, _) = anchor.blob.find(package)?;
            Some(self.catalog.location(file, index, anchor.place))
        });
        let mut places = located.collect::<Option<Vec<Location>>>()?;
        places.sort_small_by(last_first);
        places.dedup();
        let ops = places
            .into_iter()
            .map(|at| replacement_op(at, &correction.was, &correction.replacement))
            .collect::<Option<Vec<_>>>()?;
        Some(Fix {
            heads: correction.heads.clone(),
            ..Fix::new(&correction.title, false, ops).with_kind("did-you-mean")
        })
    }

    /// Builds a fix that replaces the written text with the intended one.
    pub fn corrected(&self, package: &Package, corrected: &Corrected) -> Option<Fix> {
        let located = corrected.rewrites.iter().map(|(blob, rewrite)| {
            let (file, index, _) = blob.find(package)?;
            Some((self.catalog.location(file, index, rewrite.place), rewrite))
        });
        let mut ops = rewritten(located.collect::<Option<Vec<_>>>()?);
        ops.extend(corrected.then.iter().cloned());
        Some(correction(&corrected.title, corrected.safe, ops))
    }

    /// Like `corrected`, for an error that stopped `opm` in a blob.
    pub fn corrected_fault(&self, fault: &LoadFault) -> Option<Fix> {
        let (index, known) = fault.correction.as_ref()?;
        Some(text_correction(self.catalog, fault.file, *index, known))
    }

    /// Adjusts the positions of a fix: a skip that replaces another keeps its index, so that the
    /// list keeps its order. A safe fix is applied together with others, and therefore refers to
    /// everything by name only.
    pub fn in_its_place(&self, package: &Package, fix: &Fix) -> Fix {
        let ops = if fix.safe {
            None
        } else {
            self.replaced_skip(package, fix)
        };
        Fix {
            ops: ops.map_or_else(|| fix.ops.clone(), |op| vec![op]),
            ..fix.clone()
        }
    }

    /// Returns the change of a skip's text, if the fix does nothing else.
    fn replaced_skip(&self, package: &Package, fix: &Fix) -> Option<EditOp> {
        let replaced = ReplacedSkip::from_ops(&fix.ops)?;
        let channel = package.channel(replaced.entry.channel)?;
        let entry = channel.entry(replaced.entry.name)?;
        let skip = entry
            .skips
            .iter()
            .find(|skip| skip.as_str() == replaced.old)?;
        replacement_op(
            self.catalog
                .location(channel.file, channel.index, skip.place),
            replaced.old,
            replaced.new,
        )
    }

    /// Whether the file contains catalog blobs. Cached: a file can have many problems.
    fn has_catalog_blobs(&self, file: &CatalogFile) -> bool {
        *self
            .of_catalog
            .borrow_mut()
            .entry(file.id)
            .or_insert_with(|| {
                file.index().is_some_and(|index| {
                    index.blobs.iter().any(|blob| match &blob.body {
                        Body::Unreadable => false,
                        Body::Other(other) => !other.schema.is_empty(),
                        _ => true,
                    })
                })
            })
    }

    /// Builds a fix that adds a line to `.indexignore` for a file without catalog content, or for
    /// the folder of git that contains it.
    pub fn ignoring(&self, file: FileId, rule: &str) -> Option<Fix> {
        let file = self.catalog.file(file)?;
        let git = git_folder(&file.path);
        let path = git.unwrap_or(&file.path);
        // An unreadable file with a catalog extension is probably a broken catalog file.
        let ends_with = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
        if ends_with(&[".yaml", ".yml", ".json"])
            && [
                load_rule::YAML_SYNTAX,
                load_rule::JSON_SYNTAX,
                load_rule::DOCUMENT_SEPARATOR,
            ]
            .contains(&rule)
        {
            return None;
        }
        // An archive may contain the missing object.
        if ends_with(&[".gz", ".tgz", ".xz", ".zst", ".bz2", ".zip", ".tar"])
            || self.has_catalog_blobs(file)
            || !path
                .chars()
                .all(|c: char| c.is_ascii_alphanumeric() || "-_./".contains(c))
            || path == ignore::FILE_NAME
            || self.nested
        {
            return None;
        }
        let ignore_file = self.catalog.file_at(ignore::FILE_NAME);
        let text = match ignore_file.map(|file| &file.content) {
            None => "",
            Some(Content::Ignore(bytes)) => std::str::from_utf8(bytes).ok()?,
            Some(_) => return None,
        };
        let last = text.rsplit('\n').next().unwrap_or_default();
        let (line, column) = (text.matches('\n').count() + 1, last.chars().count() + 1);
        let at = format!("{line}:{column}-{line}:{column}");
        let start = if last.is_empty() { "" } else { "\n" };
        let line = format!("{start}/{path}\n");
        let condition = match git {
            None => ", if it is not part of the catalog",
            Some(_) => "",
        };
        let title = format!("list `{path}` in `.indexignore`{condition}");
        let op = replace_text(ignore::FILE_NAME.to_owned(), at, "", line);
        Some(Fix::from_op(title, false, op).with_kind("ignore-file"))
    }
}

/// Returns the fix that corrects the text of a blob.
pub fn text_correction(catalog: &Catalog, file: FileId, blob: u32, known: &Correction) -> Fix {
    let located = known
        .rewrites
        .iter()
        .map(|rewrite| (catalog.location(file, blob, rewrite.place), rewrite));
    correction(&known.title, true, rewritten(located.collect()))
}

fn correction(title: &str, safe: bool, ops: Vec<EditOp>) -> Fix {
    Fix::new(title, safe, ops).with_kind("slip")
}

/// Orders places so that no edit shifts the position of a later one.
fn last_first(a: &Location, b: &Location) -> Ordering {
    (&b.file, b.line, b.column).cmp(&(&a.file, a.line, a.column))
}

/// Returns the edits from last to first.
fn rewritten(mut located: Vec<(Location, &Rewrite)>) -> Vec<EditOp> {
    located.sort_small_by(|(a, _), (b, _)| last_first(a, b));
    located
        .into_iter()
        .map(|(at, rewrite)| {
            let range = format!(
                "{}:{}-{}:{}",
                at.line, at.column, at.end_line, at.end_column
            );
            replace_text(at.file, range, &rewrite.was, rewrite.meant.clone())
        })
        .collect()
}

fn replace_text(file: String, at: String, before: &str, text: String) -> EditOp {
    EditOp::ReplaceText {
        catalog: None,
        file,
        at,
        before: before.to_owned(),
        text,
        around: None,
    }
}

/// Returns the edit that writes `replacement` instead of `was`. Requires that `was` is on one line
/// without escapes, which its width shows, and that `replacement` needs none.
pub fn replacement_op(at: Location, was: &str, replacement: &str) -> Option<EditOp> {
    // Blanks around a name are inside its quotes and are removed with it. A quote or backslash may
    // be an escape.
    let was_name = was.trim_matches(' ');
    let is_literal = !was_name.is_empty()
        && was_name
            .chars()
            .all(|c| c.is_ascii_graphic() && !"'\"\\".contains(c));
    if at.line != at.end_line || !is_literal || !is_plain(replacement) {
        return None;
    }
    let width = at.end_column.checked_sub(at.column)?;
    let quotes = match width.checked_sub(was.len() as u32)? {
        0 if string(replacement, Quote::Plain, None, ScalarContext::Flow) == replacement => 0,
        2 => 1,
        _ => return None,
    };
    let (line, from, to) = (at.line, at.column + quotes, at.end_column - quotes);
    let range = format!("{line}:{from}-{line}:{to}");
    Some(replace_text(at.file, range, was, replacement.to_owned()))
}

fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c))
}

#[cfg(test)]
mod tests {
    use crate::validate::judge;
    use catalog::index::index_bytes;
    use catalog::model::FileId;
    use catalog::{Catalog, Content, TreeEntry};
    use protocol::diagnostic::Diagnostic;
    use std::sync::Arc;

    fn problems(files: &[(&str, &str)]) -> Vec<Arc<Diagnostic>> {
        let entries = files.iter().enumerate().map(|(i, (path, text))| {
            let content = Content::Indexed(Arc::new(index_bytes(text.as_bytes())));
            TreeEntry {
                id: FileId(i as u32),
                path: (*path).to_owned(),
                content,
            }
        });
        judge(&Catalog::new("dir", entries.collect())).diagnostics
    }

    /// Returns the rules that cause problems of `rule`.
    fn causes<'a>(problems: &'a [Arc<Diagnostic>], rule: &str) -> Vec<Option<&'a str>> {
        let of_rule = problems.iter().filter(|d| d.rule == rule);
        of_rule
            .map(|d| d.follows.as_ref().map(|cause| cause.rule.as_str()))
            .collect()
    }

    const PACKAGE: &str = "schema: olm.package\nname: p\ndefaultChannel: c\n---\n";

    fn bundle(name: &str) -> String {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: {name}\nimage: a/b:c\nproperties: [{{type: olm.package, value: {{packageName: p, version: 1.0.0}}}}]\n"
        )
    }

    #[test]
    fn missing_objects_may_follow_from_unreadable_files() {
        let channel = "schema: olm.channel\npackage: p\nname: c\nentries: [{name: a}]\n";
        let broken = "---\nschema: olm.bundle\npackage: p\nname: a\nimage: [\n";
        // Unreadable text in the package's file, in the package's own folder, in a file with that
        // name, and in another package's file.
        let found = problems(&[("p.yaml", &format!("{PACKAGE}{channel}{broken}"))]);
        assert_eq!(
            causes(&found, "entry-without-bundle"),
            [Some("yaml-syntax")]
        );
        let found = problems(&[
            ("p/p.yaml", &format!("{PACKAGE}{channel}")),
            ("p/bundle.yaml", broken),
        ]);
        assert_eq!(
            causes(&found, "entry-without-bundle"),
            [Some("yaml-syntax")]
        );
        let found = problems(&[
            ("p/p.yaml", &format!("{PACKAGE}{channel}")),
            ("bundles/a.yaml", broken),
        ]);
        assert_eq!(
            causes(&found, "entry-without-bundle"),
            [Some("yaml-syntax")]
        );
        let found = problems(&[
            ("p/p.yaml", &format!("{PACKAGE}{channel}")),
            ("q/q.yaml", broken),
        ]);
        assert_eq!(causes(&found, "entry-without-bundle"), [None]);
        // A name that is not text.
        let number = bundle("1.10");
        let found = problems(&[("p.yaml", &format!("{PACKAGE}{channel}{number}"))]);
        assert_eq!(
            causes(&found, "entry-without-bundle"),
            [Some("blob-meta-not-string")]
        );
    }

    #[test]
    fn a_missing_default_channel_may_be_in_an_unreadable_file() {
        let other = "schema: olm.channel\npackage: p\nname: d\nentries: [{name: a}]\n";
        let text = format!(
            "{PACKAGE}{other}{}---\nschema: olm.channel\nname: [\n",
            bundle("a")
        );
        let found = problems(&[("p.yaml", &text)]);
        assert_eq!(causes(&found, "channel-empty"), [Some("yaml-syntax")]);
        assert!(found.iter().flat_map(|d| &d.fixes).all(|fix| !fix.safe));
    }

    #[test]
    fn problems_of_a_blob_come_first() {
        let text = "schema: olm.bundle\npackage: p\nname: a\nimage: a/b:c\nproperties: {}\n";
        let channel = "schema: olm.channel\npackage: p\nname: c\nentries: [{name: a}]\n---\n";
        let found = problems(&[("p.yaml", &format!("{PACKAGE}{channel}{text}"))]);
        assert_eq!(causes(&found, "blob-parse-bundle"), [None]);
        assert_eq!(
            causes(&found, "bundle-package-property-count"),
            [Some("blob-parse-bundle")]
        );
    }

    #[test]
    fn a_repetition_that_adds_no_edge_is_removed() {
        // Whether the fixes are safe.
        let fixes = |entries: &str| -> Vec<bool> {
            let channel = format!(
                "schema: olm.channel\npackage: p\nname: c\nentries: [{{name: a}}, {entries}]\n"
            );
            let text = format!("{PACKAGE}{channel}{}{}", bundle("a"), bundle("b"));
            let found = problems(&[("p.yaml", &text)]);
            let mut repeated = found.iter().filter(|d| d.rule == "entry-duplicate");
            let repeated = repeated.next().expect("a repetition");
            repeated.fixes.iter().map(|fix| fix.safe).collect()
        };
        assert!(fixes("{name: b}, {name: b, replaces: a}").is_empty());
        let equal = "{name: b, replaces: a}, {name: b, replaces: a}";
        assert_eq!(fixes(equal), [true]);
        let poorer = "{name: b, replaces: a, skips: [x]}, {name: b, replaces: a}";
        assert_eq!(fixes(poorer), [false]);
    }

    #[test]
    fn problems_inside_a_package_come_first_too() {
        // A single definition is missing, however many blobs refer to it.
        let text = format!(
            "schema: olm.channel\npackage: p\nname: c\nentries: [{{name: a}}]\n{}{}",
            bundle("a"),
            bundle("b")
        );
        let found = problems(&[("p.yaml", &text)]);
        assert_eq!(causes(&found, "channel-unknown-package"), [None]);
        assert_eq!(
            causes(&found, "bundle-unknown-package"),
            [Some("channel-unknown-package"); 2]
        );
        // An entry listed twice: only its first line counts.
        let channel = "schema: olm.channel\npackage: p\nname: c\nentries: [{name: a}, {name: b}, {name: b, replaces: a}]\n";
        let text = format!("{PACKAGE}{channel}{}{}", bundle("a"), bundle("b"));
        let found = problems(&[("p.yaml", &text)]);
        assert_eq!(
            causes(&found, "channel-head-multiple"),
            [Some("entry-duplicate")]
        );
        // A nameless entry, to which an entry without `replaces` refers.
        let channel = "schema: olm.channel\npackage: p\nname: c\nentries: [{name: \"\"}]\n";
        let found = problems(&[("p.yaml", &format!("{PACKAGE}{channel}{}", bundle("''")))]);
        assert_eq!(causes(&found, "channel-cycle"), [Some("bundle-no-name")]);
        // A misspelt entry, and the bundle that no other entry lists.
        let channel = "schema: olm.channel\npackage: p\nname: c\nentries: [{name: p.1.0.0}]\n";
        let found = problems(&[(
            "p.yaml",
            &format!("{PACKAGE}{channel}{}", bundle("p.v1.0.0")),
        )]);
        assert_eq!(causes(&found, "entry-without-bundle"), [None]);
        assert_eq!(
            causes(&found, "bundle-not-in-channel"),
            [Some("entry-without-bundle")]
        );
    }

    #[test]
    fn a_misspelt_package_name_is_corrected() {
        let text = format!(
            "{PACKAGE}schema: olm.channel\npackage: p\nname: c\nentries: [{{name: a}}]\n{}",
            bundle("a")
        );
        let text = text.replace("package: p\nname: c", "package: 'pp'\nname: c");
        let found = problems(&[("p.yaml", &text)]);
        let unknown = found
            .iter()
            .find(|d| d.rule == "channel-unknown-package")
            .unwrap();
        assert_eq!(unknown.fixes[0].title, "write package `p`");
        let protocol::operation::EditOp::ReplaceText {
            at, before, text, ..
        } = &unknown.fixes[0].ops[0]
        else {
            panic!()
        };
        assert_eq!(
            (&**at, &**before, &**text),
            ("6:11-6:13", "pp", "p"),
            "inside the quotes"
        );
    }
}

//! What only shows when a problem is seen in its catalog: that it follows from a file that could not be read, the name of
//! another package that is meant, and fixes that are text in a file.

use super::findings::{Anchor, Finding, Respell};
use super::suggest::nearest;
use crate::fbc::catalog::{Catalog, CatalogFile, Content};
use crate::fbc::diagnostic::{Cause, Fix, Location};
use crate::fbc::edit::op::EditOp;
use crate::fbc::ignore;
use crate::fbc::model::{Blob, Body, FileId, Package};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Rules that say that something is not there: it may stand where nothing could be read.
const NOT_THERE: &[&str] = &[
    "entry-without-bundle",
    "bundle-not-in-channel",
    "bundle-unknown-package",
    "channel-unknown-package",
    "channel-empty",
    "default-channel-unset",
    "deprecation-bundle-not-found",
    "deprecation-channel-not-found",
    "deprecation-unknown-package",
    "package-no-channels",
];
/// Rules that say that a package is not defined.
const UNKNOWN_PACKAGE: &[&str] = &["bundle-unknown-package", "channel-unknown-package", "deprecation-unknown-package"];

/// A catalog as its problems see it.
pub(super) struct Context<'a> {
    catalog: &'a Catalog,
    /// The first thing that stopped `opm` in a blob.
    faults: HashMap<(FileId, u32), Cause>,
    /// Blobs of which neither schema nor names are known, by the path of their file.
    unreadable: BTreeMap<&'a str, Cause>,
    /// Folders, with the one package that they hold.
    folders: HashMap<&'a str, Option<&'a str>>,
    /// There are patterns in folders below, which could take a file in again that those of the root leave out.
    nested: bool,
}

impl<'a> Context<'a> {
    pub(super) fn new(catalog: &'a Catalog) -> Self {
        let mut context = Self {
            catalog,
            faults: HashMap::new(),
            unreadable: BTreeMap::new(),
            folders: HashMap::new(),
            nested: false,
        };
        for file in catalog.files().iter().filter(|file| !file.ignored && file.has_faults()) {
            let blobs = file.index().map_or(&[][..], |index| &index.blobs);
            for (index, blob) in blobs.iter().enumerate() {
                let Some(fault) = blob.faults.first() else { continue };
                let cause = Cause {
                    rule: fault.rule.to_string(),
                    message: fault.message.clone(),
                    location: catalog.location(file.id, index as u32, fault.place),
                };
                // A name that is no text is as good as none.
                if matches!(blob.body, Body::Unreadable) || fault.rule == "blob-meta-not-string" {
                    context.unreadable.entry(&file.path).or_insert_with(|| cause.clone());
                }
                context.faults.insert((file.id, index as u32), cause);
            }
        }
        let is_nested =
            |file: &CatalogFile| file.path.strip_suffix(ignore::FILE_NAME).is_some_and(|f| f.ends_with('/'));
        context.nested = catalog.files().iter().any(is_nested);
        // Only looked at together with what is unreadable.
        if !context.unreadable.is_empty() {
            context.find_folders();
        }
        context
    }

    fn find_folders(&mut self) {
        for package in self.catalog.packages() {
            for file in files(package) {
                let Some(file) = self.catalog.file(file) else { continue };
                let known = self.folders.entry(folder(&file.path)).or_insert(Some(&package.name));
                if *known != Some(&package.name) {
                    *known = None;
                }
            }
        }
    }

    /// What a problem follows from: what is wrong with its own blob, what its rule knows, or what could not be read.
    pub(super) fn cause(
        &self,
        package: &Package,
        finding: &Finding,
        place: impl Fn(Anchor) -> Location,
    ) -> Option<Cause> {
        if let Some(fault) = finding.at.blob.find(package).and_then(|(file, index, _)| self.faults.get(&(file, index)))
        {
            return Some(fault.clone());
        }
        if let Some(known) = &finding.follows {
            let (rule, message) = (known.rule.to_owned(), known.message.clone());
            return Some(Cause { rule, message, location: place(known.at) });
        }
        if self.unreadable.is_empty() || !NOT_THERE.contains(&finding.rule.id) || !finding.respell.is_empty() {
            return None;
        }
        self.unreadable_near(package, finding).cloned()
    }

    /// Whether all is known that a safe fix of the problem rests on: what could not be read may be what is missing.
    pub(super) fn is_certain(&self, finding: &Finding) -> bool {
        self.unreadable.is_empty() || !NOT_THERE.contains(&finding.rule.id)
    }

    /// Something that could not be read in a file of the package, in a folder that is the package's alone, or in a file
    /// that is named after what is missing.
    fn unreadable_near(&self, package: &Package, finding: &Finding) -> Option<&Cause> {
        let own = files(package);
        let own: Vec<&str> = own.iter().filter_map(|&id| Some(self.catalog.file(id)?.path.as_str())).collect();
        let in_own = own.iter().find_map(|path| self.unreadable.get(path));
        in_own.or_else(|| {
            let names = [finding.bundle.as_deref(), finding.channel.as_deref(), Some(&*package.name)];
            let names: Vec<&str> = names.into_iter().flatten().filter(|name| !name.is_empty()).collect();
            let folders: BTreeSet<&str> = own.iter().map(|path| folder(path)).collect();
            let near = |path: &str| {
                let of = self.folders.get(folder(path)).copied().flatten();
                let is_own = folders.contains(folder(path)) && of == Some(&package.name);
                is_own || names.iter().any(|name| stem(path) == *name)
            };
            self.unreadable.iter().find(|(path, _)| near(path)).map(|(_, cause)| cause)
        })
    }

    /// The fixes of a problem that are text, and the package that is perhaps meant.
    pub(super) fn respelled(&self, package: &Package, finding: &Finding) -> Vec<Fix> {
        let mut fixes: Vec<Fix> = finding.respell.iter().filter_map(|respell| self.respell(package, respell)).collect();
        if UNKNOWN_PACKAGE.contains(&finding.rule.id) {
            let defined = self.catalog.packages().filter(|p| !p.packages.is_empty()).map(|p| &*p.name);
            if let Some(meant) = nearest(&package.name, defined) {
                let respell = Respell {
                    title: format!("did you mean package `{meant}`?"),
                    at: finding.at,
                    was: package.name.clone(),
                    meant: meant.to_owned(),
                    heads: Vec::new(),
                };
                fixes.extend(self.respell(package, &respell));
            }
        }
        fixes
    }

    /// A name in place of another. Only where it is written on one line and without escapes, which its width tells.
    fn respell(&self, package: &Package, respell: &Respell) -> Option<Fix> {
        let (file, index, _) = respell.at.blob.find(package)?;
        let at = self.catalog.location(file, index, respell.at.place);
        let plain =
            |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        let wordy = respell.meant.starts_with(|c: char| c.is_ascii_alphabetic());
        if at.line != at.end_line || !plain(&respell.was) || !plain(&respell.meant) || !wordy {
            return None;
        }
        let (width, length) = (at.end_column.checked_sub(at.column)?, respell.was.len() as u32);
        let quotes = match width.checked_sub(length)? {
            0 => 0,
            2 => 1,
            _ => return None,
        };
        let (line, from, to) = (at.line, at.column + quotes, at.end_column - quotes);
        let op = EditOp::ReplaceText {
            catalog: None,
            file: at.file,
            at: format!("{line}:{from}-{line}:{to}"),
            before: respell.was.to_string(),
            text: respell.meant.clone(),
        };
        Some(Fix {
            title: respell.title.clone(),
            safe: false,
            ops: vec![op],
            kind: "did-you-mean".to_owned(),
            heads: respell.heads.clone(),
            note: String::new(),
        })
    }

    /// A line in `.indexignore` for a file that holds nothing of a catalog.
    pub(super) fn ignoring(&self, file: FileId) -> Option<Fix> {
        let file = self.catalog.file(file)?;
        let of_catalog = |blob: &Blob| match &blob.body {
            Body::Unreadable => false,
            Body::Other(other) => !other.schema.is_empty(),
            _ => true,
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        if file.index().is_some_and(|index| index.blobs.iter().any(of_catalog))
            || !file.path.chars().all(is_name)
            || file.path == ignore::FILE_NAME
            || self.nested
        {
            return None;
        }
        let (at, line) = match self.catalog.file_at(ignore::FILE_NAME).map(|file: &CatalogFile| &file.content) {
            None => ("1:1-1:1".to_owned(), format!("/{}\n", file.path)),
            Some(Content::Ignore(bytes)) => {
                let text = std::str::from_utf8(bytes).ok()?;
                let (line, last) = (text.matches('\n').count() + 1, text.rsplit('\n').next().unwrap_or_default());
                let column = last.chars().count() + 1;
                let start = if last.is_empty() { "" } else { "\n" };
                (format!("{line}:{column}-{line}:{column}"), format!("{start}/{}\n", file.path))
            }
            Some(_) => return None,
        };
        let op = EditOp::ReplaceText {
            catalog: None,
            file: ignore::FILE_NAME.to_owned(),
            at,
            before: String::new(),
            text: line,
        };
        Some(Fix {
            title: format!("name `{}` in `.indexignore`, if it is no part of the catalog", file.path),
            safe: false,
            ops: vec![op],
            kind: "ignore-file".to_owned(),
            heads: Vec::new(),
            note: String::new(),
        })
    }
}

/// Files that hold blobs of the package.
fn files(package: &Package) -> BTreeSet<FileId> {
    let packages = package.packages.iter().map(|b| b.file);
    let channels = package.channels.iter().map(|b| b.file);
    let bundles = package.bundles.iter().map(|b| b.file);
    packages.chain(channels).chain(bundles).chain(package.deprecations.iter().map(|b| b.file)).collect()
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A file's name without its ending.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

//! Removing a package from a catalog as text, and appending text to a file: both are needed to copy a package.

use super::export::unreadable;
use super::file_updates::{FileUpdate, reread_mismatch};
use super::{Refused, Workspace};
use crate::catalog::{CatalogFile, Content};
use crate::model::{Blob, FileId};
use crate::source::text_edit::{TextEdit, TextEdits};
use crate::syntax::tree::Format;
use protocol::operation::{EditOp, TextFile};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

const BOM: &str = "\u{feff}";

impl Workspace {
    /// The content of a package in each file of a catalog: the whole file if it contains nothing else, else the
    /// package's blobs as they are written. Paths are relative to the catalog's root.
    pub fn package_text(&self, catalog: Option<&str>, package: &str) -> Result<Vec<TextFile>, Refused> {
        let root = self.root(catalog)?;
        if root.is_template() {
            return Err(Refused::new(format!("`{}` is a template", root.name)).help(
                "copy the catalog that is rendered \
             from it",
            ));
        }
        let Some(found) = root.catalog().package(package).filter(|_| !package.is_empty()) else {
            let names = root.catalog().packages().map(|p| &*p.name);
            let help = crate::edit::plan::refused::did_you_mean(package, names, "look at its packages");
            return Err(Refused::new(format!("catalog `{}` has no package `{package}`", root.name)).help(help));
        };
        let mut blobs: BTreeSet<(u64, FileId, u32)> = BTreeSet::new();
        blobs.extend(found.packages.iter().map(|b| (b.order, b.file, b.index)));
        blobs.extend(found.channels.iter().map(|b| (b.order, b.file, b.index)));
        blobs.extend(found.bundles.iter().map(|b| (b.order, b.file, b.index)));
        blobs.extend(found.deprecations.iter().map(|b| (b.order, b.file, b.index)));
        blobs.extend(found.others.iter().map(|b| (b.order, b.file, b.index)));
        let mut files: Vec<(&CatalogFile, Vec<u32>)> = Vec::new();
        for (_, id, index) in blobs {
            match files.last_mut() {
                Some((file, indices)) if file.id == id => indices.push(index),
                _ => files.extend(root.catalog().file(id).map(|file| (file, vec![index]))),
            }
        }
        files.into_iter().map(|(file, indices)| self.text_of_blobs(file, &indices)).collect()
    }

    fn text_of_blobs(&self, file: &CatalogFile, indices: &[u32]) -> Result<TextFile, Refused> {
        let version = self.version(file.id).ok_or_else(|| Refused::new("this file is no longer there"))?;
        let bytes = self.text_of(version).map_err(|e| unreadable(&e))?;
        let path = file.path.clone();
        let no_text = || Refused::new(format!("`{path}` is not UTF-8 text")).help("copy the file itself");
        let text = std::str::from_utf8(&bytes).map_err(|_| no_text())?;
        let blobs: &[Blob] = file.index().map_or(&[], |index| &index.blobs);
        if indices.len() == blobs.len() {
            return Ok(TextFile { path, text: text.to_owned() });
        }
        let mut out = String::new();
        for blob in indices.iter().filter_map(|at| blobs.get(*at as usize)) {
            let own = text.get(blob.start as usize..blob.end as usize).ok_or_else(no_text)?;
            if blob.format == Format::Yaml {
                out.push_str("---\n");
            }
            out.push_str(own.strip_prefix(BOM).unwrap_or(own));
            if !out.ends_with('\n') {
                out.push('\n');
            }
        }
        Ok(TextFile { path, text: out })
    }

    /// The operation with the data that it names by the catalog that has it.
    pub(super) fn with_data<'o>(&self, op: &'o EditOp) -> Result<Cow<'o, EditOp>, Refused> {
        let EditOp::CopyPackage { catalog, package, from, files } = op else { return Ok(Cow::Borrowed(op)) };
        if !files.is_empty() {
            return Ok(Cow::Borrowed(op));
        }
        let files = self.package_text(Some(from), package)?;
        let (catalog, package, from) = (catalog.clone(), package.clone(), from.clone());
        Ok(Cow::Owned(EditOp::CopyPackage { catalog, package, from, files }))
    }

    /// Appends text that holds `count` blobs to a file.
    pub(super) fn append_text(
        &mut self,
        root: usize,
        file: FileId,
        format: Format,
        text: &str,
        count: usize,
    ) -> Result<FileUpdate, Refused> {
        let old = self.readable(root, file)?.clone();
        self.pin(&old)?;
        let path = self.files.get(&file).map_or_else(String::new, |f| f.path.clone());
        let len = old.pieces.len();
        let end = self.read(&old, len.saturating_sub(3), len)?;
        let text = text.strip_prefix(BOM).unwrap_or(text);
        let own_line = if len == 0 || end.ends_with(b"\n") || end == BOM.as_bytes() { "" } else { "\n" };
        let begins = text.starts_with("---") || old.index().is_some_and(|index| index.blobs.is_empty());
        let separator = if format == Format::Json || begins { "" } else { "---\n" };
        let insert = format!("{own_line}{separator}{text}");
        let edits = TextEdits::new(vec![TextEdit::insert(len as usize, insert.into_bytes())])
            .map_err(|e| Refused::new(e.to_string()))?;
        let mut version = old.clone();
        version.pieces.apply(&edits).map_err(|e| Refused::new(e.to_string()))?;
        let index = self.index_file(&version)?;
        let before = old.index().map_or(0, |index| index.blobs.len());
        if index.blobs.len() != before + count {
            return Err(reread_mismatch(format!(
                "{path} would hold {} blobs instead of {}",
                index.blobs.len(),
                before + count
            )));
        }
        version.content = Content::Indexed(Arc::new(index));
        Ok(FileUpdate { id: file, path, version, edits })
    }
}

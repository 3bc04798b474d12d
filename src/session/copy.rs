//! Extracts a package's text from a catalog and appends text to a file: both parts of copying a
//! package.

use super::file_updates::BlobEdits;
use super::{OpenFiles, Planner, Refused, Root, Session};
use catalog::CatalogFile;
use catalog::model::{Blob, BlobLocation, FileId};
use catalog::source::text_edit::{TextEdit, TextEdits};
use edit::refused;
use protocol::operation::{EditOp, TextFile};
use std::borrow::Cow;
use std::collections::BTreeSet;
use syntax::tree::Format;

const BOM: &str = "\u{feff}";

/// Returns the package's text in each file of a catalog: the whole file if it contains nothing
/// else, else the package's blobs as written. Paths are relative to the catalog's root.
pub fn package_text(
    session: &Session,
    catalog: Option<&str>,
    package: &str,
) -> Result<Vec<TextFile>, Refused> {
    let root = session.root(catalog)?;
    if root.is_template() {
        return Err(refused!("`{}` is a template", root.name).help(
            "copy the catalog that is rendered \
         from it",
        ));
    }
    let Some(package_blobs) = root
        .catalog()
        .package(package)
        .filter(|_| !package.is_empty())
    else {
        let names = root.catalog().packages().map(|p| &*p.name);
        let help = edit::plan::did_you_mean(package, names, "check which packages it has");
        return Err(refused!("catalog `{}` has no package `{package}`", root.name).help(help));
    };
    let blobs: BTreeSet<BlobLocation> = package_blobs.blobs().collect();
    let mut files: Vec<(&CatalogFile, Vec<u32>)> = Vec::new();
    for BlobLocation { file, index, .. } in blobs {
        match files.last_mut() {
            Some((last, indices)) if last.id == file => indices.push(index),
            _ => files.extend(root.catalog().file(file).map(|file| (file, vec![index]))),
        }
    }
    files
        .into_iter()
        .map(|(file, indices)| session.files.text_of_blobs(file, &indices))
        .collect()
}

impl OpenFiles {
    fn text_of_blobs(&self, file: &CatalogFile, indices: &[u32]) -> Result<TextFile, Refused> {
        let version = self
            .version(file.id)
            .ok_or_else(|| Refused::new("this file no longer exists"))?;
        let bytes = self.text_of(version)?;
        let path = file.path.clone();
        let no_text = || refused!("`{path}` is not UTF-8 text").help("copy the file itself");
        let text = std::str::from_utf8(&bytes).map_err(|_| no_text())?;
        let blobs: &[Blob] = file.index().map_or(&[], |index| &index.blobs);
        if indices.len() == blobs.len() {
            return Ok(TextFile {
                path,
                text: text.to_owned(),
            });
        }
        let mut out = String::new();
        for blob in indices.iter().filter_map(|at| blobs.get(*at as usize)) {
            let blob_text = text
                .get(blob.start as usize..blob.end as usize)
                .ok_or_else(no_text)?;
            if blob.format == Format::Yaml {
                out.push_str("---\n");
            }
            out.push_str(blob_text.strip_prefix(BOM).unwrap_or(blob_text));
            if !out.ends_with('\n') {
                out.push('\n');
            }
        }
        Ok(TextFile { path, text: out })
    }
}

impl Planner<'_> {
    /// Adds the texts of a package that the operation only names by its source catalog.
    pub(super) fn with_package_files<'o>(
        &self,
        op: &'o EditOp,
    ) -> Result<Cow<'o, EditOp>, Refused> {
        let mut op = Cow::Borrowed(op);
        if op.lacks_files()
            && let Some(copy) = op.to_mut().package_copy()
        {
            *copy.files = package_text(self.session, Some(copy.from), copy.package)?;
        }
        Ok(op)
    }

    /// Whether the operation would replace a package with identical text.
    pub(super) fn replaces_with_same_text(&self, root: &Root, op: &EditOp) -> bool {
        let (Some(package), Some(files)) = (op.package(), op.replacing_files()) else {
            return false;
        };
        package_text(self.session, Some(&root.name), package).is_ok_and(|existing| {
            let texts = existing.iter().map(|file| &file.text);
            texts.eq(files.iter().map(|file| &file.text))
        })
    }

    /// Appends text with `count` blobs to a file, after the planned edits of that file.
    pub(super) fn append_text(
        &self,
        root: usize,
        file: FileId,
        (format, text, count): (Format, &str, usize),
        work: &mut BlobEdits,
    ) -> Result<(), Refused> {
        let old = self.readable(root, file)?;
        self.session.files.pin(old)?;
        let len = old.pieces.len() as usize;
        let blobs = old.index().map_or(0, |index| index.blobs.len());
        work.added.extend(std::iter::repeat_n(None, count));
        if blobs > 0 && work.removed.len() == blobs {
            work.edits = vec![TextEdit::replace(0..len, text)];
            return Ok(());
        }
        let edits = TextEdits::join(work.edits.clone()).map_err(|e| Refused::new(e.to_string()))?;
        let edited = old.edited(&edits)?;
        let end = self.session.files.read(
            &edited,
            edited.pieces.len().saturating_sub(3),
            edited.pieces.len(),
        )?;
        let text = text.strip_prefix(BOM).unwrap_or(text);
        let own_line = if end.is_empty() || end.ends_with(b"\n") || end == BOM.as_bytes() {
            ""
        } else {
            "\n"
        };
        let separator = if format == Format::Json || text.starts_with("---") || blobs == 0 {
            ""
        } else {
            "---\n"
        };
        work.edits.push(TextEdit::insert(
            len,
            format!("{own_line}{separator}{text}"),
        ));
        Ok(())
    }
}

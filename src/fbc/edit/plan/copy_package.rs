//! `copy-package`: copies a package from another catalog byte for byte.
//!
//! Each file keeps its path in the catalog folder. If a file with that path exists (a single-file
//! catalog), the blobs are appended to it; if that file has the other format, YAML or JSON, they go
//! to a file of that name in the package's own folder. An existing package is never merged: the
//! operation is refused, or all of its blobs are removed first. Then the new blobs replace the old
//! ones in place, if both catalogs have them in one file.

use super::blob_placement::package_of;
use super::refused::Refused;
use super::replace_text::is_plain;
use super::{CatalogView, PlanStep, remove_package};
use crate::catalog::CatalogFile;
use crate::index::index_bytes;
use crate::model::{Blob, FileId, FileIndex};
use crate::syntax::tree::Format;
use protocol::operation::{IfExists, TextFile};
use std::collections::HashSet;

/// A package of another catalog.
pub(super) struct Copied<'a> {
    pub(super) name: &'a str,
    /// The source catalog.
    pub(super) from: &'a str,
    pub(super) files: &'a [TextFile],
    pub(super) if_there: IfExists,
}

pub(super) fn plan(view: &CatalogView<'_>, copied: &Copied<'_>) -> Result<Vec<PlanStep>, Refused> {
    let &Copied {
        name,
        from,
        files,
        if_there,
    } = copied;
    let mut steps = match (view.catalog.package(name), if_there) {
        (None, _) => Vec::new(),
        (Some(_), IfExists::Refuse) => return Err(is_there(view, name, from)),
        (Some(_), IfExists::Replace) => remove_package::plan(view, name)?,
    };
    if files.is_empty() {
        return Err(
            Refused::new(format!("there are no files of package `{name}` to copy"))
                .help("use `--from` to name the catalog that has it"),
        );
    }
    let home = home(&steps).filter(|_| files.len() == 1);
    let new = files
        .iter()
        .map(|file| step(view, name, home, file))
        .collect::<Result<Vec<_>, _>>()?;
    // Each step starts from the current text of a file; a second step for the same file would
    // overwrite the first.
    let (mut created, mut filled) = (HashSet::new(), HashSet::new());
    for (step, TextFile { path, .. }) in new.iter().zip(files) {
        let is_only = match step {
            PlanStep::CreateText { path, .. } => created.insert(path.clone()),
            PlanStep::AppendText { file, .. } => filled.insert(*file),
            _ => true,
        };
        if !is_only {
            return Err(Refused::new(format!(
                "`{path}` and another file of package `{name}` would be written to the same file"
            ))
            .help("copy the files by hand"));
        }
    }
    steps.extend(new);
    Ok(steps)
}

fn is_there(view: &CatalogView<'_>, name: &str, from: &str) -> Refused {
    let refused = Refused::new(format!("package `{name}` is already in this catalog")).help(
        format!("use `--replace` to replace it with the one from `{from}`"),
    );
    let Some(package) = view.catalog.package(name) else {
        return refused;
    };
    let first = package
        .packages
        .first()
        .map(|p| (p.file, p.index, p.name.place));
    let first = first.or_else(|| {
        package
            .channels
            .first()
            .map(|c| (c.file, c.index, c.name.place))
    });
    match first.or_else(|| {
        package
            .bundles
            .first()
            .map(|b| (b.file, b.index, b.name.place))
    }) {
        Some((file, index, place)) => refused.at(view.location(file, index, place)),
        None => refused,
    }
}

/// The single file that loses blobs.
fn home(removals: &[PlanStep]) -> Option<FileId> {
    let mut files = removals.iter().filter_map(|step| match step {
        PlanStep::RemoveBlob { file, .. } => Some(*file),
        _ => None,
    });
    let first = files.next()?;
    files.all(|file| file == first).then_some(first)
}

fn step(
    view: &CatalogView<'_>,
    name: &str,
    home: Option<FileId>,
    TextFile { path, text }: &TextFile,
) -> Result<PlanStep, Refused> {
    if !is_plain(path) {
        return Err(Refused::new(format!(
            "`{path}` is not a path inside the catalog's folder"
        ))
        .help("use names joined by `/`"));
    }
    let index = index_bytes(text.as_bytes());
    let Some(format) = format_of(&index) else {
        return Err(Refused::new(format!(
            "the text for `{path}` must be blobs of one package, all YAML or all JSON"
        ))
        .help("copy the files by hand"));
    };
    if let Some(other) = index
        .blobs
        .iter()
        .filter_map(package_of)
        .find(|other| *other != name)
    {
        return Err(Refused::new(format!(
            "the text for `{path}` contains a blob of package `{other}`"
        ))
        .help("copy each package separately"));
    }
    let append = |file: &CatalogFile| {
        let count = index.blobs.len();
        PlanStep::AppendText {
            file: file.id,
            format,
            text: text.clone(),
            count,
        }
    };
    if let Some(file) = home
        .and_then(|file| view.file(file))
        .filter(|file| takes_in(file, name, format))
    {
        return Ok(append(file));
    }
    let below = format!("{name}/{}", path.rsplit('/').next().unwrap_or(path));
    let mut taken = None;
    for path in [path, &below] {
        if view.catalog.ignore_rules().ignores(path) {
            return Err(Refused::new(format!(
                "`.indexignore` excludes `{path}` from this catalog"
            ))
            .help("change `.indexignore` first"));
        }
        let Some(file) = view.file_at(path) else {
            return Ok(PlanStep::CreateText {
                path: path.clone(),
                text: text.clone(),
            });
        };
        if takes_in(file, name, format) {
            return Ok(append(file));
        }
        taken.get_or_insert(path);
    }
    let path = taken.unwrap_or(path);
    Err(Refused::new(format!(
        "`{path}` and `{below}` already exist and cannot hold the package"
    ))
    .help("move one of them, or copy the files by hand"))
}

/// Whether blobs of this format can be appended to a file after the package's blobs are removed.
fn takes_in(file: &CatalogFile, name: &str, format: Format) -> bool {
    let takes = |blob: &Blob| match package_of(blob) {
        Some(package) => package == name || blob.format == format,
        None => false,
    };
    file.index()
        .is_some_and(|index| index.blobs.iter().all(takes))
}

/// The format of all blobs; `None` if there are none, formats are mixed, or a blob is unreadable.
fn format_of(index: &FileIndex) -> Option<Format> {
    let format = index.blobs.first()?.format;
    let same = |blob: &Blob| blob.format == format && package_of(blob).is_some();
    index.blobs.iter().all(same).then_some(format)
}

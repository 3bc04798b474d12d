//! `copy-package`: copies a package from another catalog into this one as it is written there, byte for byte.
//!
//! Each file keeps its path below the catalog's folder. Where a file of that path is here already (a catalog in one file)
//! the blobs go to its end; where that file speaks the other language, YAML or JSON, they go to a file of that name in a
//! folder of the package's. A package that is here already is never mixed with another one.

use super::blob_placement::package_of;
use super::refused::Refused;
use super::replace_text::is_plain;
use super::{CatalogView, PlanStep};
use crate::index::index_bytes;
use crate::model::{Blob, FileIndex};
use crate::syntax::tree::Format;
use protocol::operation::TextFile;
use std::collections::HashSet;

pub(super) fn plan(
    view: &CatalogView<'_>,
    name: &str,
    from: &str,
    files: &[TextFile],
) -> Result<Vec<PlanStep>, Refused> {
    is_new(view, name, from)?;
    if files.is_empty() {
        return Err(Refused::new(format!("nothing of package `{name}` is given to be copied"))
            .help("name the catalog that has it with `--from`"));
    }
    let steps = files.iter().map(|file| step(view, name, file)).collect::<Result<Vec<_>, _>>()?;
    // Each step writes a file from its present text: with two steps for one file, the first would be lost.
    let (mut created, mut filled) = (HashSet::new(), HashSet::new());
    for (step, TextFile { path, .. }) in steps.iter().zip(files) {
        let is_only = match step {
            PlanStep::CreateText { path, .. } => created.insert(path),
            PlanStep::AppendText { file, .. } => filled.insert(file),
            _ => true,
        };
        if !is_only {
            return Err(Refused::new(format!("`{path}` would go to the same file as another of package `{name}`"))
                .help("copy the files themselves"));
        }
    }
    Ok(steps)
}

fn is_new(view: &CatalogView<'_>, name: &str, from: &str) -> Result<(), Refused> {
    let Some(package) = view.catalog.package(name) else { return Ok(()) };
    let refused = Refused::new(format!("package `{name}` is in this catalog already"));
    let help = format!("to copy the one from `{from}`, remove this one first");
    let first = package.packages.first().map(|p| (p.file, p.index, p.name.place));
    let first = first.or_else(|| package.channels.first().map(|c| (c.file, c.index, c.name.place)));
    Err(match first.or_else(|| package.bundles.first().map(|b| (b.file, b.index, b.name.place))) {
        Some((file, index, place)) => refused.help(help).at(view.location(file, index, place)),
        None => refused.help(help),
    })
}

fn step(view: &CatalogView<'_>, name: &str, TextFile { path, text }: &TextFile) -> Result<PlanStep, Refused> {
    if !is_plain(path) {
        return Err(
            Refused::new(format!("`{path}` is no path below the catalog's folder")).help("use names joined by `/`")
        );
    }
    let index = index_bytes(text.as_bytes());
    let Some(format) = format_of(&index) else {
        return Err(Refused::new(format!("what is to be copied to `{path}` is not YAML alone, and not JSON alone"))
            .help("copy the files themselves"));
    };
    if let Some(other) = index.blobs.iter().filter_map(package_of).find(|other| *other != name) {
        return Err(Refused::new(format!("what is to be copied to `{path}` holds a blob of package `{other}`"))
            .help("copy each package by itself"));
    }
    let below = format!("{name}/{}", path.rsplit('/').next().unwrap_or(path));
    let mut taken = None;
    for path in [path, &below] {
        if view.catalog.ignore_rules().ignores(path) {
            return Err(Refused::new(format!("`.indexignore` leaves `{path}` out of this catalog"))
                .help("change that file first"));
        }
        let Some(file) = view.file_at(path) else {
            return Ok(PlanStep::CreateText { path: path.clone(), text: text.clone() });
        };
        let empty = |index: &FileIndex| index.blobs.is_empty();
        if file.index().is_some_and(|there| empty(there) || format_of(there) == Some(format)) {
            let count = index.blobs.len();
            return Ok(PlanStep::AppendText { file: file.id, format, text: text.clone(), count });
        }
        taken.get_or_insert(path);
    }
    let path = taken.unwrap_or(path);
    Err(Refused::new(format!("`{path}` and `{below}` are here already and cannot take the package in"))
        .help("move one of them, or copy the files themselves"))
}

/// The language of all blobs; `None` where there are none, the languages are mixed, or a blob cannot be read.
fn format_of(index: &FileIndex) -> Option<Format> {
    let format = index.blobs.first()?.format;
    let same = |blob: &Blob| blob.format == format && package_of(blob).is_some();
    index.blobs.iter().all(same).then_some(format)
}

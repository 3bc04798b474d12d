//! The position of a new blob: follows the file layout of the package's other blobs.

use super::entry_order::Bundles;
use super::refused::Refused;
use super::{CatalogView, PlanStep, Value, entry_order};
use crate::model::{Blob, Body, BundleBlob, FileId, Located, Package};
use crate::syntax::tree::Format;

/// Adds the package's first blob of a schema: in a file named `stem` beside the package blob's file
/// if the folder splits by schema, else after the package's last blob in that file.
pub(super) fn add(
    view: &CatalogView<'_>,
    package: &Package,
    stem: &str,
    value: Value,
) -> Result<PlanStep, Refused> {
    let nowhere = || {
        Refused::new(format!(
            "package `{}` has no file to put its {stem} in",
            package.name
        ))
        .help("add the `olm.package` blob first")
    };
    let home = home(package)
        .and_then(|id| view.file(id))
        .ok_or_else(nowhere)?;
    let blobs: &[Blob] = home.index().map_or(&[], |i| &i.blobs);
    let last = blobs
        .iter()
        .rposition(|b| package_of(b) == Some(&*package.name));
    let format = last
        .and_then(|i| blobs.get(i))
        .map_or(Format::Yaml, |b| b.format);
    if !splits_by_schema(package, home.id) {
        return Ok(PlanStep::AddBlob {
            file: home.id,
            after: last.map(|i| i as u32),
            format,
            value,
        });
    }
    let folder = home.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let name = match format {
        Format::Yaml => format!("{stem}.yaml"),
        Format::Json => format!("{stem}.json"),
    };
    let path = if folder.is_empty() {
        name
    } else {
        format!("{folder}/{name}")
    };
    match view.file_at(&path) {
        None => Ok(PlanStep::CreateFile {
            path,
            format,
            value,
        }),
        Some(file) => match file.index() {
            Some(index) => {
                let format = index.blobs.last().map_or(format, |b| b.format);
                Ok(PlanStep::AddBlob {
                    file: file.id,
                    after: None,
                    format,
                    value,
                })
            }
            None => Err(Refused::new(format!("`{path}` cannot be read"))),
        },
    }
}

/// Adds a bundle like the one with the highest version: in its own file with a similar name if that
/// one has its own, else after the package's last bundle in the same file.
pub(super) fn add_bundle(
    view: &CatalogView<'_>,
    package: &Package,
    (name, version): (&str, &str),
    value: Value,
) -> Result<PlanStep, Refused> {
    let bundles = Bundles::new(package);
    let versions = package
        .bundles
        .iter()
        .map(|bundle| (bundles.version(bundle.name.as_str()), bundle));
    let newest = versions.max_by(|(a, _), (b, _)| entry_order::compare(a, b));
    let Some((_, newest)) = newest else {
        return add(view, package, "bundles", value);
    };
    let file = view.file(newest.file);
    let blobs: &[Blob] = file
        .and_then(|file| file.index())
        .map_or(&[], |index| &index.blobs);
    let format = blobs
        .get(newest.index as usize)
        .map_or(Format::Yaml, |b| b.format);
    let own = file
        .filter(|_| blobs.len() == 1)
        .and_then(|file| like_its_own(&file.path, newest, name, version));
    if let Some(path) = own
        .filter(|path| view.file_at(path).is_none() && !view.catalog.ignore_rules().ignores(path))
    {
        return Ok(PlanStep::CreateFile {
            path,
            format,
            value,
        });
    }
    let last = package
        .bundles
        .iter()
        .filter(|b| b.file == newest.file)
        .map(|b| b.index)
        .max();
    Ok(PlanStep::AddBlob {
        file: newest.file,
        after: last,
        format,
        value,
    })
}

/// The path with the bundle's name or version replaced; `None` if it contains neither.
fn like_its_own(
    path: &str,
    bundle: &Located<BundleBlob>,
    name: &str,
    version: &str,
) -> Option<String> {
    let (folder, file) = path
        .rsplit_once('/')
        .map_or(("", path), |(folder, file)| (folder, file));
    // The folder may be named after the bundle too, as in `p.v1.0.0/bundle.yaml`.
    for (old, new) in [(bundle.name.as_str(), name), (bundle.version(), version)] {
        if old.is_empty() {
            continue;
        }
        if file.contains(old) {
            let file = file.replacen(old, new, 1);
            return Some(if folder.is_empty() {
                file
            } else {
                format!("{folder}/{file}")
            });
        }
        if folder.split('/').any(|part| part.contains(old)) {
            return Some(format!("{}/{file}", folder.replacen(old, new, 1)));
        }
    }
    None
}

/// The file of the package blob; without one, that of its first channel or bundle.
fn home(package: &Package) -> Option<FileId> {
    let definition = package.packages.first().map(|p| p.file);
    definition
        .or_else(|| package.channels.first().map(|c| c.file))
        .or_else(|| package.bundles.first().map(|b| b.file))
}

/// Whether all of the package's bundles (or channels, without bundles) are outside the package
/// blob's file.
fn splits_by_schema(package: &Package, home: FileId) -> bool {
    if package.bundles.is_empty() {
        !package.channels.is_empty() && package.channels.iter().all(|c| c.file != home)
    } else {
        package.bundles.iter().all(|b| b.file != home)
    }
}

/// The package that a blob names.
pub(super) fn package_of(blob: &Blob) -> Option<&str> {
    match &blob.body {
        Body::Package(b) => Some(b.name.as_str()),
        Body::Channel(b) => Some(b.package.as_str()),
        Body::Bundle(b) => Some(b.package.as_str()),
        Body::Deprecations(b) => Some(b.package.as_str()),
        Body::Other(b) => Some(b.package.as_str()),
        Body::Unreadable => None,
    }
}

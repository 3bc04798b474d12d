//! Looks up objects named by an operation, and explains why they cannot be found.

use super::bundles::copies;
use super::entry_order::Bundles;
use super::{PlanStep, Refused, Value, did_you_mean};
use catalog::model::{Blob, BundleBlob, ChannelBlob, FileId, Located, Package, PackageBlob};
use catalog::roots::{join, name_of, parent};
use catalog::version::VersionRelease;
use catalog::{Catalog, CatalogFile};
use protocol::counting::quoted;
use protocol::diagnostic::Location;
use syntax::place::Place;
use syntax::tree::Format;

/// The catalog for which an operation is planned.
#[derive(Debug, Clone, Copy)]
pub struct CatalogView<'a> {
    pub catalog: &'a Catalog,
    /// Whether it is a basic template, which names its bundles in channels and defines them by
    /// image alone.
    pub is_basic_template: bool,
}

impl<'a> CatalogView<'a> {
    pub fn new(catalog: &'a Catalog) -> Self {
        Self {
            catalog,
            is_basic_template: false,
        }
    }

    /// Whether bundles are mere names in channels, without blobs.
    pub(super) fn lists_only_names(&self, package: &Package) -> bool {
        self.is_basic_template || package.bundles.is_empty()
    }

    pub(super) fn package(&self, name: &str) -> Result<&'a Package, Refused> {
        self.catalog
            .package(name)
            .filter(|_| !name.is_empty())
            .map(|p| &**p)
            .ok_or_else(|| {
                let names = self.catalog.packages().map(|p| &*p.name);
                refused!("no package `{name}` in this catalog").help(did_you_mean(
                    name,
                    names,
                    "`switchyard list packages` lists them",
                ))
            })
    }

    pub(super) fn definition(
        &self,
        package: &'a Package,
    ) -> Result<&'a Located<PackageBlob>, Refused> {
        match package.packages.as_slice() {
            [one] => Ok(one),
            [] => Err(refused!("no `olm.package` blob defines `{}`", package.name)
                .help("add the `olm.package` blob first")),
            [first, second, ..] => Err(refused!(
                "package `{}` is defined more than once, first in {}",
                package.name,
                self.describe_location(first, first.name.place)
            )
            .help("remove the duplicate first")
            .at(self.locate(second, second.name.place))),
        }
    }

    pub(super) fn channel(
        &self,
        package: &'a Package,
        name: &str,
    ) -> Result<&'a Located<ChannelBlob>, Refused> {
        let mut channels = package.channels.iter().filter(|c| c.name.as_str() == name);
        match (channels.next(), channels.next()) {
            (Some(channel), None) => Ok(channel),
            (Some(first), Some(second)) => Err(refused!(
                "package `{}` has two channels named `{name}`, the first in {}",
                package.name,
                self.describe_location(first, first.name.place)
            )
            .help("remove the duplicate first")
            .at(self.locate(second, second.name.place))),
            (None, _) => {
                let names = package.channels.iter().map(|c| c.name.as_str());
                let all = quoted(names.clone());
                let listed = if all.is_empty() {
                    "it has none: add one first (`add-channel`)".to_owned()
                } else {
                    format!("it has {}", all.join(", "))
                };
                Err(
                    refused!("package `{}` has no channel `{name}`", package.name)
                        .help(did_you_mean(name, names, &listed)),
                )
            }
        }
    }

    /// Returns the position of the single entry with this name.
    pub(super) fn entry(
        &self,
        channel: &Located<ChannelBlob>,
        name: &str,
    ) -> Result<usize, Refused> {
        let mut entries = channel
            .entries
            .iter()
            .enumerate()
            .filter(|(_, e)| e.name.as_str() == name);
        match (entries.next(), entries.next()) {
            (Some((at, _)), None) => Ok(at),
            (Some((_, first)), Some((_, second))) => {
                let is_covered =
                    first.covers(second) && entries.all(|(_, other)| first.covers(other));
                let help = if is_covered {
                    "`remove-entry` removes the duplicates, since they add no edge"
                } else {
                    "they differ: merge them into one in the file"
                };
                Err(refused!(
                    "channel `{}` lists `{name}` more than once",
                    channel.name.value
                )
                .help(help)
                .at(self.locate(channel, second.name.place)))
            }
            (None, _) => {
                let names = channel.entries.iter().map(|e| e.name.as_str());
                Err(
                    refused!("channel `{}` has no entry `{name}`", channel.name.value)
                        .help(did_you_mean(
                            name,
                            names,
                            "`switchyard list bundles` lists the entries",
                        ))
                        .at(self.locate(channel, channel.name.place)),
                )
            }
        }
    }

    pub(super) fn bundle(
        &self,
        package: &'a Package,
        name: &str,
    ) -> Result<&'a Located<BundleBlob>, Refused> {
        let mut bundles = package.bundles.iter().filter(|b| b.name.as_str() == name);
        match (bundles.next(), bundles.next()) {
            (Some(bundle), None) => Ok(bundle),
            (Some(first), Some(second)) => Err(refused!(
                "package `{}` has two bundles named `{name}`, the first in {}",
                package.name,
                self.describe_location(first, first.name.place)
            )
            .help(match copies(package, name) {
                Some(_) => "`remove-bundle` removes the duplicates, since all of them are the same",
                None => "they differ: keep only one of them in the file",
            })
            .at(self.locate(second, second.name.place))),
            (None, _) => {
                let names = package.bundles.iter().map(|b| b.name.as_str());
                Err(
                    refused!("package `{}` has no bundle `{name}`", package.name).help(
                        did_you_mean(name, names, "`switchyard list bundles` lists them"),
                    ),
                )
            }
        }
    }

    /// Converts a position in a blob to one in its file.
    pub(super) fn locate<T>(&self, blob: &Located<T>, place: Place) -> Location {
        self.catalog.location(blob.file, blob.index, place)
    }

    /// Returns the location of the package's name.
    pub(super) fn locate_definition(&self, package: &Package) -> Option<Location> {
        let definition = package.packages.first()?;
        Some(self.locate(definition, definition.name.place))
    }

    fn describe_location<T>(&self, blob: &Located<T>, place: Place) -> String {
        let at = self.locate(blob, place);
        format!("{}:{}", at.file, at.line)
    }
}

/// The file of a new blob and its position there.
pub(super) enum NewBlobPlace {
    NewFile {
        path: String,
        format: Format,
    },
    /// After a blob of the file, or at its end.
    In {
        file: FileId,
        after: Option<u32>,
        format: Format,
    },
}

impl NewBlobPlace {
    /// Returns a new file at the path if it is free: no file or an empty one exists there, and no
    /// rule ignores it.
    pub fn free_file(view: &CatalogView<'_>, path: String, format: Format) -> Option<Self> {
        if view.catalog.ignore_rules().ignores(&path) {
            return None;
        }
        let Some(file) = view.catalog.file_at(&path) else {
            return Some(NewBlobPlace::NewFile { path, format });
        };
        let is_empty = file.index().is_some_and(|index| index.blobs.is_empty());
        is_empty.then_some(NewBlobPlace::In {
            file: file.id,
            after: None,
            format,
        })
    }

    pub fn add(self, value: Value) -> PlanStep {
        match self {
            NewBlobPlace::NewFile { path, format } => PlanStep::CreateFile {
                path,
                format,
                value,
            },
            NewBlobPlace::In {
                file,
                after,
                format,
            } => PlanStep::AddBlob {
                file,
                after,
                format,
                value,
            },
        }
    }
}

/// Adds the package's first blob of a schema: in a file named `stem` beside the package blob's file
/// if the folder splits by schema, else after the package's last blob in that file.
pub(super) fn add_first_of_schema(
    view: &CatalogView<'_>,
    package: &Package,
    stem: &str,
    value: Value,
) -> Result<PlanStep, Refused> {
    let first = package.blobs().next();
    let home = first.and_then(|blob| view.catalog.file(blob.file));
    let home = home.ok_or_else(|| {
        refused!(
            "package `{}` has no file to put its {stem} in",
            package.name
        )
        .help("add the `olm.package` blob first")
    })?;
    let blobs = home.blobs();
    let last = blobs
        .iter()
        .rposition(|b| package_of(b) == Some(&*package.name));
    let format = last
        .and_then(|i| blobs.get(i))
        .map_or(Format::Yaml, |b| b.format);
    if !has_file_per_schema(package, home.id) {
        let place = NewBlobPlace::In {
            file: home.id,
            after: last.map(|i| i as u32),
            format,
        };
        return Ok(place.add(value));
    }
    let extension = match format {
        Format::Yaml => "yaml",
        Format::Json => "json",
    };
    let path = join(parent(&home.path), &format!("{stem}.{extension}"));
    let place = match view.catalog.file_at(&path) {
        None => NewBlobPlace::NewFile { path, format },
        Some(file) => {
            let index = file
                .index()
                .ok_or_else(|| refused!("`{path}` cannot be read"))?;
            NewBlobPlace::In {
                file: file.id,
                after: None,
                format: index.blobs.last().map_or(format, |b| b.format),
            }
        }
    };
    Ok(place.add(value))
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
    let newest = versions.max_by(|(a, _), (b, _)| VersionRelease::compare_optional(a, b));
    let Some((_, newest)) = newest else {
        return add_first_of_schema(view, package, "bundles", value);
    };
    let file = view.catalog.file(newest.file);
    let blobs = file.map_or(&[][..], CatalogFile::blobs);
    let format = blobs
        .get(newest.index as usize)
        .map_or(Format::Yaml, |b| b.format);
    let own_file = file
        .filter(|_| blobs.len() == 1)
        .and_then(|file| similar_path(&file.path, newest, name, version))
        .filter(|path| view.catalog.file_at(path).is_none())
        .and_then(|path| NewBlobPlace::free_file(view, path, format));
    let place = own_file.unwrap_or_else(|| {
        let in_file = package.bundles.iter().filter(|b| b.file == newest.file);
        NewBlobPlace::In {
            file: newest.file,
            after: in_file.map(|b| b.index).max(),
            format,
        }
    });
    Ok(place.add(value))
}

/// Returns the path with the bundle's name or version replaced; `None` if it contains neither.
fn similar_path(
    path: &str,
    bundle: &Located<BundleBlob>,
    name: &str,
    version: &str,
) -> Option<String> {
    let (folder, file) = (parent(path), name_of(path));
    // The folder may be named after the bundle too, as in `p.v1.0.0/bundle.yaml`.
    for (old, new) in [(bundle.name.as_str(), name), (bundle.version(), version)] {
        if old.is_empty() {
            continue;
        }
        if file.contains(old) {
            return Some(join(folder, &file.replacen(old, new, 1)));
        }
        if folder.split('/').any(|part| part.contains(old)) {
            return Some(join(&folder.replacen(old, new, 1), file));
        }
    }
    None
}

/// Whether all of the package's bundles (or channels, without bundles) are outside the package
/// blob's file.
fn has_file_per_schema(package: &Package, home: FileId) -> bool {
    if package.bundles.is_empty() {
        !package.channels.is_empty() && package.channels.iter().all(|c| c.file != home)
    } else {
        package.bundles.iter().all(|b| b.file != home)
    }
}

pub(super) fn package_of(blob: &Blob) -> Option<&str> {
    blob.body.package().map(|name| &**name)
}

//! Looks up objects named by an operation, and explains why they cannot be found.

use super::refused::{Refused, did_you_mean};
use super::remove_bundle::copies;
use crate::catalog::{Catalog, CatalogFile};
use crate::model::{BundleBlob, ChannelBlob, FileId, Located, Package, PackageBlob};
use crate::place::Place;
use protocol::diagnostic::Location;

/// A catalog as planning sees it.
#[derive(Debug, Clone, Copy)]
pub struct CatalogView<'a> {
    pub catalog: &'a Catalog,
    /// A basic template names its bundles in channels and defines them by image alone.
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

    pub(super) fn file(&self, id: FileId) -> Option<&'a CatalogFile> {
        self.catalog.file(id)
    }

    pub(super) fn file_at(&self, path: &str) -> Option<&'a CatalogFile> {
        self.catalog.file_at(path)
    }

    pub(super) fn package(&self, name: &str) -> Result<&'a Package, Refused> {
        self.catalog
            .package(name)
            .filter(|_| !name.is_empty())
            .map(|p| &**p)
            .ok_or_else(|| {
                let names = self.catalog.packages().map(|p| &*p.name);
                Refused::new(format!("no package `{name}` in this catalog")).help(did_you_mean(
                    name,
                    names,
                    "`switchyard list packages` lists them",
                ))
            })
    }

    /// The single `olm.package` blob of a package.
    pub(super) fn definition(
        &self,
        package: &'a Package,
    ) -> Result<&'a Located<PackageBlob>, Refused> {
        match package.packages.as_slice() {
            [one] => Ok(one),
            [] => Err(
                Refused::new(format!("no `olm.package` blob defines `{}`", package.name))
                    .help("add the `olm.package` blob first"),
            ),
            [first, second, ..] => Err(Refused::new(format!(
                "package `{}` is defined more than once, first in {}",
                package.name,
                self.in_words(first, first.name.place)
            ))
            .help("remove the duplicate first")
            .at(self.location(second.file, second.index, second.name.place))),
        }
    }

    /// The single blob of a channel.
    pub(super) fn channel(
        &self,
        package: &'a Package,
        name: &str,
    ) -> Result<&'a Located<ChannelBlob>, Refused> {
        let mut found = package.channels.iter().filter(|c| c.name.as_str() == name);
        match (found.next(), found.next()) {
            (Some(channel), None) => Ok(channel),
            (Some(first), Some(second)) => Err(Refused::new(format!(
                "package `{}` has two channels named `{name}`, the first in {}",
                package.name,
                self.in_words(first, first.name.place)
            ))
            .help("remove the duplicate first")
            .at(self.location(second.file, second.index, second.name.place))),
            (None, _) => {
                let names = package.channels.iter().map(|c| c.name.as_str());
                let all: Vec<String> = names.clone().map(|n| format!("`{n}`")).collect();
                let listed = if all.is_empty() {
                    "it has none: add one first (`add-channel`)".to_owned()
                } else {
                    format!("it has {}", all.join(", "))
                };
                Err(Refused::new(format!(
                    "package `{}` has no channel `{name}`",
                    package.name
                ))
                .help(did_you_mean(name, names, &listed)))
            }
        }
    }

    /// Position of the single entry with this name.
    pub(super) fn entry(
        &self,
        channel: &Located<ChannelBlob>,
        name: &str,
    ) -> Result<usize, Refused> {
        let mut found = channel
            .entries
            .iter()
            .enumerate()
            .filter(|(_, e)| e.name.as_str() == name);
        match (found.next(), found.next()) {
            (Some((at, _)), None) => Ok(at),
            (Some((_, first)), Some((_, second))) => {
                let is_same = first.says_the_same(second)
                    && found.all(|(_, other)| first.says_the_same(other));
                let help = match is_same {
                    true => "`remove-entry` removes the duplicates, since all of them are the same"
                        .to_owned(),
                    false => "they differ: merge them into one in the file".to_owned(),
                };
                Err(Refused::new(format!(
                    "channel `{}` lists `{name}` more than once",
                    channel.name.value
                ))
                .help(help)
                .at(self.location(channel.file, channel.index, second.name.place)))
            }
            (None, _) => {
                let names = channel.entries.iter().map(|e| e.name.as_str());
                Err(Refused::new(format!(
                    "channel `{}` has no entry `{name}`",
                    channel.name.value
                ))
                .help(did_you_mean(
                    name,
                    names,
                    "`switchyard list bundles` lists the entries",
                ))
                .at(self.location(
                    channel.file,
                    channel.index,
                    channel.name.place,
                )))
            }
        }
    }

    /// The single blob of a bundle.
    pub(super) fn bundle(
        &self,
        package: &'a Package,
        name: &str,
    ) -> Result<&'a Located<BundleBlob>, Refused> {
        let mut found = package.bundles.iter().filter(|b| b.name.as_str() == name);
        match (found.next(), found.next()) {
            (Some(bundle), None) => Ok(bundle),
            (Some(first), Some(second)) => Err(Refused::new(format!(
                "package `{}` has two bundles named `{name}`, the first in {}",
                package.name,
                self.in_words(first, first.name.place)
            ))
            .help(match copies(package, name) {
                Some(_) => "`remove-bundle` removes the duplicates, since all of them are the same",
                None => "they differ: keep only one of them in the file",
            })
            .at(self.location(second.file, second.index, second.name.place))),
            (None, _) => {
                let names = package.bundles.iter().map(|b| b.name.as_str());
                Err(
                    Refused::new(format!("package `{}` has no bundle `{name}`", package.name))
                        .help(did_you_mean(
                            name,
                            names,
                            "`switchyard list bundles` lists them",
                        )),
                )
            }
        }
    }

    /// Converts a blob position to a file position.
    pub(super) fn location(&self, file: FileId, index: u32, place: Place) -> Location {
        self.catalog.location(file, index, place)
    }

    fn in_words<T>(&self, blob: &Located<T>, place: Place) -> String {
        let at = self.location(blob.file, blob.index, place);
        format!("{}:{}", at.file, at.line)
    }
}

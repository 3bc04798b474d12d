//! Finding what an operation names, or saying why it cannot be found.

use crate::fbc::diagnostic::Location;
use super::refused::{Refused, did_you_mean};
use crate::fbc::model::{BundleBlob, ChannelBlob, FileId, FileIndex, Located, Package, PackageBlob};
use crate::fbc::place::{Place, Text};
use std::collections::BTreeMap;

/// A catalog as planning sees it: its packages, and its files in walk order.
#[derive(Debug, Clone, Copy)]
pub struct CatalogView<'a> {
    pub packages: &'a BTreeMap<Text, Package>,
    pub files: &'a [ViewFile<'a>],
}

/// A file of the catalog.
#[derive(Debug, Clone, Copy)]
pub struct ViewFile<'a> {
    pub id: FileId,
    /// Relative to the catalog's root.
    pub path: &'a str,
    /// `None` for a file that could not be read.
    pub index: Option<&'a FileIndex>,
}

impl<'a> CatalogView<'a> {
    pub(super) fn file(&self, id: FileId) -> Option<&'a ViewFile<'a>> {
        self.files.iter().find(|f| f.id == id)
    }

    pub(super) fn file_at(&self, path: &str) -> Option<&'a ViewFile<'a>> {
        self.files.iter().find(|f| f.path == path)
    }

    pub(super) fn package(&self, name: &str) -> Result<&'a Package, Refused> {
        self.packages.get(name).filter(|_| !name.is_empty()).ok_or_else(|| {
            let names = self.packages.keys().map(|n| &**n);
            Refused::new(format!("no package `{name}` in this catalog"))
                .help(did_you_mean(name, names, "`switchyard list packages` lists them"))
        })
    }

    /// The one `olm.package` blob of a package.
    pub(super) fn definition(&self, package: &'a Package) -> Result<&'a Located<PackageBlob>, Refused> {
        match package.packages.as_slice() {
            [one] => Ok(one),
            [] => Err(Refused::new(format!("no `olm.package` blob defines `{}`", package.name))
                .help("add the package's own blob first")),
            [first, second, ..] => Err(Refused::new(format!(
                "package `{}` is defined more than once, first in {}",
                package.name,
                self.in_words(first, first.name.place)
            ))
            .help("remove the duplicate first")
            .at(self.location(second.file, second.index, second.name.place))),
        }
    }

    /// The one blob of a channel.
    pub(super) fn channel(&self, package: &'a Package, name: &str) -> Result<&'a Located<ChannelBlob>, Refused> {
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
                let listed =
                    if all.is_empty() { "it has none".to_owned() } else { format!("it has {}", all.join(", ")) };
                Err(Refused::new(format!("package `{}` has no channel `{name}`", package.name))
                    .help(did_you_mean(name, names, &listed)))
            }
        }
    }

    /// Position of the one entry of that name.
    pub(super) fn entry(&self, channel: &Located<ChannelBlob>, name: &str) -> Result<usize, Refused> {
        let mut found = channel.entries.iter().enumerate().filter(|(_, e)| e.name.as_str() == name);
        match (found.next(), found.next()) {
            (Some((at, _)), None) => Ok(at),
            (Some(_), Some((_, second))) => {
                Err(Refused::new(format!("channel `{}` lists `{name}` more than once", channel.name.value))
                    .help("remove the duplicate entry first")
                    .at(self.location(channel.file, channel.index, second.name.place)))
            }
            (None, _) => {
                let names = channel.entries.iter().map(|e| e.name.as_str());
                Err(Refused::new(format!("channel `{}` has no entry `{name}`", channel.name.value))
                    .help(did_you_mean(name, names, "`switchyard list bundles` lists the entries"))
                    .at(self.location(channel.file, channel.index, channel.name.place)))
            }
        }
    }

    /// The one blob of a bundle.
    pub(super) fn bundle(&self, package: &'a Package, name: &str) -> Result<&'a Located<BundleBlob>, Refused> {
        let mut found = package.bundles.iter().filter(|b| b.name.as_str() == name);
        match (found.next(), found.next()) {
            (Some(bundle), None) => Ok(bundle),
            (Some(first), Some(second)) => Err(Refused::new(format!(
                "package `{}` has two bundles named `{name}`, the first in {}",
                package.name,
                self.in_words(first, first.name.place)
            ))
            .help("remove the duplicate first")
            .at(self.location(second.file, second.index, second.name.place))),
            (None, _) => {
                let names = package.bundles.iter().map(|b| b.name.as_str());
                Err(Refused::new(format!("package `{}` has no bundle `{name}`", package.name)).help(did_you_mean(
                    name,
                    names,
                    "`switchyard list bundles` lists them",
                )))
            }
        }
    }

    /// A place of a blob as a place of its file.
    pub(super) fn location(&self, file: FileId, index: u32, place: Place) -> Location {
        let Some(file) = self.file(file) else { return Location::default() };
        let blob = file.index.and_then(|i| i.blobs.get(index as usize));
        let (line, column) = blob.map_or((0, 0), |b| (b.line, b.column));
        let on = |l: u32, c: u32| if l == 0 { c + column + 1 } else { c + 1 };
        Location {
            file: file.path.to_owned(),
            line: line + place.line + 1,
            column: on(place.line, place.column),
            end_line: line + place.end_line + 1,
            end_column: on(place.end_line, place.end_column),
        }
    }

    fn in_words<T>(&self, blob: &Located<T>, place: Place) -> String {
        let at = self.location(blob.file, blob.index, place);
        format!("{}:{}", at.file, at.line)
    }
}

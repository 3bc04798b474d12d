//! Definitions: an edge leads to its entry, an entry to its bundle, a bundle to its entries.

use super::catalog::Catalog;
use super::problems;
use super::session::Files;
use super::symbol::{self, Role, Symbol};
use fbc::model::{FileId, Package};
use fbc::place::Place;
use lsp_types::{Location, Position};
use std::path::Path;

pub(super) fn definitions(
    catalog: &Catalog,
    files: &mut Files<'_>,
    path: &Path,
    at: Position,
) -> Vec<Location> {
    let Some(symbol) = symbol::in_file(catalog, files, path, at) else {
        return Vec::new();
    };
    let Some(root) = catalog.root() else {
        return Vec::new();
    };
    let Some(package) = root.catalog().package(&symbol.package) else {
        return Vec::new();
    };
    let places = places(package, &symbol)
        .into_iter()
        .map(|(file, index, place)| root.catalog().location(file, index, place));
    let locations = places.filter_map(|at| {
        let path = problems::path(catalog, &at)?;
        Some(Location {
            uri: files.uri(&path)?,
            range: problems::range(&at, files.buffer(&path)),
        })
    });
    locations.collect()
}

/// A place of a blob.
type BlobPlace = (FileId, u32, Place);

fn places(package: &Package, symbol: &Symbol) -> Vec<BlobPlace> {
    match &symbol.role {
        Role::Package | Role::PackageItself => package
            .packages
            .iter()
            .map(|blob| (blob.file, blob.index, blob.name.place))
            .collect(),
        Role::Channel | Role::ChannelItself => {
            let channels = package
                .channels
                .iter()
                .filter(|blob| blob.name.value == symbol.name);
            channels
                .map(|blob| (blob.file, blob.index, blob.name.place))
                .collect()
        }
        Role::Bundle | Role::Entry { .. } => bundles(package, symbol),
        Role::BundleItself => entries(package, symbol, None),
        Role::Edge { channel } => match entries(package, symbol, Some(channel)) {
            entries if entries.is_empty() => bundles(package, symbol),
            entries => entries,
        },
    }
}

fn bundles(package: &Package, symbol: &Symbol) -> Vec<BlobPlace> {
    let bundles = package
        .bundles
        .iter()
        .filter(|blob| blob.name.value == symbol.name);
    bundles
        .map(|blob| (blob.file, blob.index, blob.name.place))
        .collect()
}

/// The entries of this name, in one channel or in all.
fn entries(package: &Package, symbol: &Symbol, channel: Option<&str>) -> Vec<BlobPlace> {
    let channels = package
        .channels
        .iter()
        .filter(|blob| channel.is_none_or(|channel| blob.name.as_str() == channel));
    let entries = channels.flat_map(|blob| {
        let entries = blob
            .entries
            .iter()
            .filter(|entry| entry.name.value == symbol.name);
        entries.map(|entry| (blob.file, blob.index, entry.name.place))
    });
    entries.collect()
}

//! The name at a place of a file: of a package, a channel, a bundle or an entry.

use super::catalog::Catalog;
use super::session::Files;
use fbc::model::{Blob, Body, FileIndex};
use fbc::place::{Spanned, Text};
use lsp_types::Position;
use std::ops::Range;
use std::path::Path;

/// A name and its role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) package: Text,
    pub(super) name: Text,
    pub(super) role: Role,
    /// The byte range of the name in the file.
    pub(super) range: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// A blob's `package`, or a reference to it.
    Package,
    /// The name of an `olm.package` blob.
    PackageItself,
    Channel,
    /// The name of an `olm.channel` blob.
    ChannelItself,
    Bundle,
    /// The name of an `olm.bundle` blob.
    BundleItself,
    /// The name of an entry of this channel.
    Entry {
        channel: Text,
    },
    /// In `replaces` or `skips` of an entry of this channel.
    Edge {
        channel: Text,
    },
}

/// The symbol at a position in a file of the catalog.
pub(super) fn in_file(
    catalog: &Catalog,
    files: &mut Files<'_>,
    path: &Path,
    position: Position,
) -> Option<Symbol> {
    let offset = files.buffer(path)?.offset(position);
    at(catalog.index_of(path)?, offset)
}

/// The symbol at byte `at` of a file.
pub(super) fn at(index: &FileIndex, at: usize) -> Option<Symbol> {
    let nth = index
        .blobs
        .partition_point(|blob| blob.start as usize <= at)
        .checked_sub(1)?;
    let blob = index.blobs.get(nth)?;
    bodies(blob).find_map(|body| in_body(body, blob.start as usize, at))
}

/// The blob's own body, or the bodies in a template.
fn bodies(blob: &Blob) -> impl Iterator<Item = &Body> {
    let items = match &blob.body {
        Body::Other(other) => other
            .template
            .as_deref()
            .map_or(&[][..], |template| template.items()),
        _ => &[],
    };
    std::iter::once(&blob.body).chain(items.iter().map(|item| &item.body))
}

fn in_body(body: &Body, start: usize, at: usize) -> Option<Symbol> {
    let range =
        |text: &Spanned<Text>| start + text.place.start as usize..start + text.place.end as usize;
    // The caret may also be directly after the last letter.
    let is_here = |text: &&Spanned<Text>| {
        !text.is_empty() && (range(text).start..=range(text).end).contains(&at)
    };
    let symbol = |text: &Spanned<Text>, package: &Text, role: Role| Symbol {
        package: package.clone(),
        name: text.value.clone(),
        role,
        range: range(text),
    };
    let here = |text: &Spanned<Text>, package: &Text, role: Role| {
        Some(text)
            .filter(is_here)
            .map(|text| symbol(text, package, role))
    };
    match body {
        Body::Package(blob) => here(&blob.name, &blob.name.value, Role::PackageItself)
            .or_else(|| here(&blob.default_channel, &blob.name.value, Role::Channel)),
        Body::Channel(blob) => {
            let package = &blob.package.value;
            let channel = || blob.name.value.clone();
            let entry = blob.entries.iter().find_map(|entry| {
                let edge = |text| here(text, package, Role::Edge { channel: channel() });
                here(&entry.name, package, Role::Entry { channel: channel() })
                    .or_else(|| edge(&entry.replaces))
                    .or_else(|| entry.skips.iter().find_map(edge))
            });
            entry
                .or_else(|| here(&blob.name, package, Role::ChannelItself))
                .or_else(|| here(&blob.package, package, Role::Package))
        }
        Body::Bundle(blob) => {
            let package = &blob.package.value;
            here(&blob.name, package, Role::BundleItself)
                .or_else(|| here(&blob.package, package, Role::Package))
        }
        Body::Deprecations(blob) => {
            let package = &blob.package.value;
            let reference = blob
                .entries
                .iter()
                .find_map(|entry| match entry.schema.as_str() {
                    "olm.channel" => here(&entry.name, package, Role::Channel),
                    "olm.bundle" => here(&entry.name, package, Role::Bundle),
                    _ => None,
                });
            reference.or_else(|| here(&blob.package, package, Role::Package))
        }
        Body::Other(blob) => here(&blob.package, &blob.package.value, Role::Package),
        Body::Unreadable => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fbc::index::index_bytes;

    const TEXT: &str = "---\nschema: olm.package\nname: p\ndefaultChannel: fast\n---\nschema: olm.channel\npackage: p\nname: fast\nentries:\n- name: p.v2\n  replaces: p.v1\n  skips: [p.v0]\n";

    fn symbol_at_mark(text: &str) -> Option<(String, Role)> {
        let at_byte = text.find('‸').unwrap();
        let text = text.replace('‸', "");
        let symbol = at(&index_bytes(text.as_bytes()), at_byte)?;
        assert!(text[symbol.range.clone()].contains(&*symbol.name));
        Some((symbol.name.to_string(), symbol.role))
    }

    #[test]
    fn names_are_known_by_their_place() {
        let fast = || Text::from("fast");
        for (place, name, role) in [
            ("name: ‸p\n", "p", Role::PackageItself),
            ("defaultChannel: fa‸st", "fast", Role::Channel),
            ("name: fast‸\n", "fast", Role::ChannelItself),
            ("name: p.‸v2", "p.v2", Role::Entry { channel: fast() }),
            ("replaces: p.v1‸", "p.v1", Role::Edge { channel: fast() }),
            ("[‸p.v0", "p.v0", Role::Edge { channel: fast() }),
            ("package: ‸p", "p", Role::Package),
        ] {
            let text = TEXT.replacen(&place.replace('‸', ""), place, 1);
            assert_eq!(
                symbol_at_mark(&text),
                Some((name.to_owned(), role)),
                "{place}"
            );
        }
        assert_eq!(
            symbol_at_mark(&TEXT.replacen("entries:", "ent‸ries:", 1)),
            None
        );
        assert_eq!(symbol_at_mark("‸"), None);
    }
}

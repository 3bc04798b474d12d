//! The lanes of the first package to be in view, from its files alone, so that the user of a large catalog sees
//! something while the rest is read. They are only an image; nothing is validated or kept.

use crate::host::Host;
use fbc::source::bytes::ByteSource;
use fbc::workspace::NewFile;
use protocol::query::Packages;
use protocol::request::{Export, GraphFormat, LaneOptions, OpenMode};
use protocol::response::Opened;
use std::rc::Rc;

/// A package and its lanes as an SVG.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstLanes {
    pub package: String,
    pub svg: Vec<u8>,
}

/// Indices of the paths that hold the first package to be in view: all catalog files of the first folder that has any.
/// If the folder holds all packages side by side, only its first file.
pub fn first_files<'p>(paths: impl Iterator<Item = &'p str> + Clone) -> Vec<usize> {
    let folder = |path: &'p str| path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let written = || {
        paths
            .clone()
            .enumerate()
            .filter(|(_, path)| is_catalog_file(path))
    };
    // In directory order: `a` comes before `a-b`.
    let in_order = |(_, one): &(usize, &'p str), (_, other): &(usize, &'p str)| {
        one.split('/').cmp(other.split('/'))
    };
    let Some((first, path)) = written().min_by(in_order) else {
        return Vec::new();
    };
    let folder_in_view = folder(path);
    // In a subfolder, the package is all its files; at the top, one file.
    match folder_in_view.contains('/') {
        true => written()
            .filter(|(_, path)| folder(path) == folder_in_view)
            .map(|(at, _)| at)
            .collect(),
        false => vec![first],
    }
}

/// The lanes of the first package in these files. `None` if they hold none, or it cannot be drawn.
pub fn first_lanes(source: Rc<dyn ByteSource>, files: Vec<NewFile>) -> Option<FirstLanes> {
    let mut host = Host::new(source);
    let Ok(Opened::Anew(status)) = host.open(OpenMode::Replace, files) else {
        return None;
    };
    let root = status
        .roots
        .iter()
        .find(|row| row.packages > 0)?
        .root
        .clone();
    let rows = host.answer(Packages { root: root.clone() }).ok()?;
    let package = rows.into_iter().next()?.name;
    let lanes = Box::new(LaneOptions::default());
    let picture = Export::Graph {
        root,
        package: package.clone(),
        lanes,
        format: GraphFormat::Svg,
    };
    let svg = host.answer(picture).ok()?.bytes;
    Some(FirstLanes { package, svg })
}

fn is_catalog_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    !name.starts_with('.')
        && [".yaml", ".yml", ".json"]
            .iter()
            .any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::MemorySource;

    fn chosen(paths: &[&'static str]) -> Vec<&'static str> {
        first_files(paths.iter().copied())
            .into_iter()
            .map(|at| paths[at])
            .collect()
    }

    #[test]
    fn a_package_is_what_lies_in_the_first_folder() {
        let found = [
            "cat/a-b/catalog.yaml",
            "cat/README.md",
            "cat/a/channels.yaml",
            "cat/a/bundles.json",
            "cat/a/notes.txt",
        ];
        assert_eq!(
            chosen(&found),
            ["cat/a/channels.yaml", "cat/a/bundles.json"]
        );
    }

    #[test]
    fn of_files_side_by_side_the_first_is_a_package() {
        assert_eq!(
            chosen(&["cat/b.yaml", "cat/a.yaml", "cat/.hidden.yaml"]),
            ["cat/a.yaml"]
        );
        assert_eq!(chosen(&["cat/README.md"]), [""; 0]);
    }

    #[test]
    fn lanes_are_drawn_of_one_package_alone() {
        let text = "schema: olm.package\nname: yard\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: yard\n\
            name: stable\nentries:\n- name: yard.v1.0.0\n- name: yard.v1.1.0\n  replaces: yard.v1.0.0\n";
        let (files, source) = MemorySource::with_files([("cat/yard/catalog.yaml", text)]);
        let drawn = first_lanes(source, files).expect("it has a package");
        let svg = String::from_utf8(drawn.svg).expect("an SVG is text");
        assert_eq!(drawn.package, "yard");
        assert!(svg.starts_with("<svg") && svg.contains("1.1.0"), "{svg}");
        assert_eq!(
            first_lanes(Rc::new(MemorySource::default()), Vec::new()),
            None
        );
    }
}

//! Walk order, ignore patterns, and the effects of changing one file.

use super::*;
use crate::model::{ChannelBlob, PackageBlob};
use syntax::place::Spanned;
use syntax::tree::Format;

fn spanned(text: &str) -> Spanned<Text> {
    Spanned::new(text.into(), Place::default())
}

fn blob(body: Body) -> Blob {
    Blob {
        start: 0,
        end: 0,
        line: 3,
        column: 0,
        format: Format::Yaml,
        body,
        faults: Box::default(),
        ignored_text: None,
    }
}

fn package(name: &str) -> Blob {
    blob(Body::Package(Arc::new(PackageBlob {
        name: spanned(name),
        ..Default::default()
    })))
}

fn channel(package: &str, name: &str) -> Blob {
    let data = ChannelBlob {
        package: spanned(package),
        name: spanned(name),
        ..Default::default()
    };
    blob(Body::Channel(Arc::new(data)))
}

fn index(blobs: Vec<Blob>) -> Content {
    Content::Indexed(Arc::new(FileIndex::new(0, blobs)))
}

fn entry(id: u32, path: &str, content: Content) -> TreeEntry {
    TreeEntry {
        id: FileId(id),
        path: path.to_owned(),
        content,
    }
}

fn names(set: &BTreeSet<Text>) -> Vec<&str> {
    set.iter().map(|t| &**t).collect()
}

fn channels(catalog: &Catalog, package: &str) -> Vec<String> {
    catalog
        .package(package)
        .unwrap()
        .channels
        .iter()
        .map(|c| c.name.as_str().to_owned())
        .collect()
}

#[test]
fn files_are_walked_per_directory_in_byte_order() {
    let mut paths = ["a.yaml", "a/z", "a-b", "B", "a/b/c"];
    paths.sort_by(|a, b| walk_order(a, b));
    assert_eq!(paths, ["B", "a/b/c", "a/z", "a-b", "a.yaml"]);
}

#[test]
fn a_replaced_file_changes_only_the_packages_whose_facts_differ() {
    let (a, b) = (package("a"), package("b"));
    let mut catalog = Catalog::new(
        "dir",
        vec![
            entry(0, "z.yaml", index(vec![channel("a", "last")])),
            entry(
                1,
                "c.yaml",
                index(vec![
                    a.clone(),
                    b.clone(),
                    channel("a", "one"),
                    channel("b", "x"),
                ]),
            ),
        ],
    );
    assert_eq!(channels(&catalog, "a"), ["one", "last"]);
    let moved = index(vec![
        package("new"),
        a,
        b,
        channel("a", "one"),
        channel("a", "two"),
        channel("b", "x"),
    ]);
    let changed = catalog.replace_file(FileId(1), moved);
    assert_eq!(names(&changed), ["a", "new"]);
    assert_eq!(channels(&catalog, "a"), ["one", "two", "last"]);
    assert_eq!(catalog.package("b").unwrap().channels[0].index, 5);
    let changed = catalog.replace_file(FileId(1), index(vec![]));
    assert_eq!(names(&changed), ["a", "b", "new"]);
    assert!(catalog.package("b").is_none());
}

#[test]
fn ignore_rules_apply_and_follow_their_file() {
    let mut catalog = Catalog::new(
        "dir",
        vec![
            entry(
                0,
                ".indexignore",
                Content::Ignore(b"x.yaml\n".as_slice().into()),
            ),
            entry(1, "x.yaml", index(vec![package("x")])),
            entry(2, "y.yaml", index(vec![package("y")])),
            entry(3, "x.yaml/link", Content::BrokenLink),
        ],
    );
    assert!(catalog.package("x").is_none());
    assert!(catalog.load_faults().is_empty());
    let changed = catalog.replace_file(FileId(0), Content::Ignore(b"y.yaml".as_slice().into()));
    assert_eq!(names(&changed), ["x", "y"]);
    assert!(catalog.package("y").is_none());
    assert_eq!(
        catalog.load_faults()[0].opm,
        "open x.yaml/link: no such file or directory"
    );
}

#[test]
fn files_can_be_added_and_removed() {
    let mut catalog = Catalog::new(
        "dir",
        vec![entry(0, "b.yaml", index(vec![channel("a", "b")]))],
    );
    for (id, path) in [(1, "a.yaml"), (2, "c.yaml"), (3, "b/x.yaml")] {
        let name = path.trim_end_matches(".yaml").to_owned();
        assert_eq!(
            names(&catalog.add_file(entry(id, path, index(vec![channel("a", &name)])))),
            ["a"]
        );
    }
    assert_eq!(channels(&catalog, "a"), ["a", "b/x", "b", "c"]);
    assert_eq!(names(&catalog.remove_file(FileId(0))), ["a"]);
    assert_eq!(channels(&catalog, "a"), ["a", "b/x", "c"]);
    for id in 10..60 {
        catalog.add_file(entry(
            id,
            &format!("b/x.yaml0{}", 100 - id),
            index(vec![channel("a", &format!("{id}"))]),
        ));
    }
    let order: Vec<u64> = catalog
        .package("a")
        .unwrap()
        .channels
        .iter()
        .map(|c| c.order)
        .collect();
    assert!(order.is_sorted());
    assert_eq!(
        channels(&catalog, "a")[2..52],
        (10..60).rev().map(|i| i.to_string()).collect::<Vec<_>>()
    );
}

#[test]
fn links_to_folders_are_reported_with_the_given_folder() {
    let catalog = Catalog::new("dir", vec![entry(0, "z", Content::LinkToDirectory)]);
    assert_eq!(catalog.load_faults()[0].opm, "read dir/z: is a directory");
}

#[test]
fn places_become_locations() {
    let mut json = package("a");
    json.column = 7;
    let catalog = Catalog::new("dir", vec![entry(0, "f", index(vec![json]))]);
    let place = Place {
        start: 1,
        end: 2,
        line: 0,
        column: 1,
        end_line: 2,
        end_column: 2,
    };
    let location = catalog.location(FileId(0), 0, place);
    assert_eq!(
        (
            location.line,
            location.column,
            location.end_line,
            location.end_column
        ),
        (4, 9, 6, 3)
    );
}

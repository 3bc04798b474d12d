//! How every operation grows with a catalog: twice the catalog may cost about twice the work, in each shape that a catalog
//! can be large in. Counts of work and not time, as in `growth.rs`, which has what grows in other ways.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod work;

use fbc::catalog::Content;
use fbc::index::index_bytes;
use fbc::model::FileId;
use fbc::source::bytes::{ByteSource, ReadError};
use fbc::workspace::{self, NewFile, Workspace};
use protocol::operation::EditOp;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use work::{Findings, holds};

/// The size of the smaller of two catalogs: entries, channels, packages, files, or kilobytes.
const SIZE: usize = 100;

/// A shape: its name, and the files of a catalog of a size. Each has the package `p` with the channels `c` and `d`, and in
/// `c` the bundles `p.v1.0.0` to `p.v1.0.3` at least.
type Shape = (&'static str, fn(usize) -> Vec<String>);

const SHAPES: [Shape; 7] = [
    ("a long chain", |n| vec![package("p", n, |_| String::new())]),
    ("many channels", |n| {
        let channel =
            |i| format!("---\nschema: olm.channel\npackage: p\nname: c{i}\n{}", entries("p", 4, |_| String::new()));
        vec![package("p", 4, |_| String::new()) + &(0..n).map(channel).collect::<String>()]
    }),
    ("many skips", |n| {
        let skips: String = (0..n).map(|i| format!("  - p.v0.1.{i}\n")).collect();
        vec![package("p", 4, |i| if i == 3 { format!("  skips:\n{skips}") } else { String::new() })]
    }),
    ("wide ranges", |n| vec![package("p", n, |_| "  skipRange: '<9.0.0'\n".to_owned())]),
    ("many packages", |n| {
        let others: String = (0..n).map(|i| package(&format!("q{i}"), 4, |_| String::new())).collect();
        vec![package("p", 4, |_| String::new()) + &others]
    }),
    ("many files", |n| {
        let others = (0..n).map(|i| package(&format!("q{i}"), 4, |_| String::new()));
        std::iter::once(package("p", 4, |_| String::new())).chain(others).collect()
    }),
    ("a long blob", |n| {
        vec![package("p", 4, |_| String::new()) + &format!("- type: long\n  value: {}\n", "x".repeat(1000 * n))]
    }),
];

/// Operations on `p`, in their JSON form: one of each kind that needs nothing from outside of the catalog.
const OPERATIONS: [&str; 25] = [
    r#"{"op":"promote","package":"p","bundle":"p.v1.0.3","to":"d"}"#,
    r#"{"op":"withdraw","package":"p","bundle":"p.v1.0.2"}"#,
    r#"{"op":"set-default-channel","package":"p","channel":"d"}"#,
    r#"{"op":"set-replaces","package":"p","channel":"c","name":"p.v1.0.2","replaces":"p.v1.0.0"}"#,
    r#"{"op":"add-skip","package":"p","channel":"c","name":"p.v1.0.3","skip":["p.v1.0.1"]}"#,
    r#"{"op":"add-skip","package":"p","channel":"c","name":"p.v1.0.3","skip-matching":"<9.0.0"}"#,
    r#"{"op":"set-skip-range","package":"p","channel":"c","name":"p.v1.0.3","skip-range":"<1.0.3"}"#,
    r#"{"op":"remove-entry","package":"p","channel":"c","name":"p.v1.0.2","then":"relink"}"#,
    r#"{"op":"remove-entry","package":"p","channel":"c","name":"p.v1.0.2","then":"skip"}"#,
    r#"{"op":"rebuild-edges","package":"p","channel":"c","rule":"z-stream"}"#,
    r#"{"op":"rebuild-edges","package":"p","channel":"c","rule":"skip-range"}"#,
    r#"{"op":"add-channel","package":"p","channel":"new","from":"c"}"#,
    r#"{"op":"rename-channel","package":"p","channel":"c","to":"new"}"#,
    r#"{"op":"remove-channel","package":"p","channel":"d"}"#,
    r#"{"op":"remove-bundle","package":"p","bundle":"p.v1.0.2","then":"relink"}"#,
    r#"{"op":"deprecate","package":"p","message":"old"}"#,
    r#"{"op":"deprecate","package":"p","bundle":"p.v1.0.2","message":"old"}"#,
    r#"{"op":"set-description","package":"p","text":"Words."}"#,
    r#"{"op":"add-bundle","package":"p","bundle":"p.v9.0.0","version":"9.0.0","image":"q.io/p:9","to":"d"}"#,
    r#"{"op":"add-package","package":"another","default-channel":"c"}"#,
    r#"{"op":"remove-package","package":"p"}"#,
    r#"{"op":"set-image","package":"p","where":"name~p.v","image":"q.io/x:1"}"#,
    r#"{"op":"add-property","package":"p","where":"name~p.v","type":"olm.maxOpenShiftVersion","value":"4.20"}"#,
    r#"{"op":"remove-property","package":"p","where":"name~p.v","type":"extra"}"#,
    r#"{"op":"replace-text","file":"0.yaml","at":"1:1-1:1","before":"","text":"\n"}"#,
];

/// An entry is called after its number: ten to a y-stream.
fn version(i: usize) -> String {
    format!("1.{}.{}", i / 10, i % 10)
}

/// Each replaces the one before, and says more.
fn entries(package: &str, count: usize, more: impl Fn(usize) -> String) -> String {
    let entry = |i: usize| {
        let replaces = i.checked_sub(1).map(|below| format!("  replaces: {package}.v{}\n", version(below)));
        format!("- name: {package}.v{}\n{}{}", version(i), replaces.unwrap_or_default(), more(i))
    };
    "entries:\n".to_owned() + &(0..count).map(entry).collect::<String>()
}

fn package(name: &str, count: usize, more: impl Fn(usize) -> String) -> String {
    let bundle = |i: usize| {
        let version = version(i);
        format!(
            "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\nimage: q.io/{name}:v{version}\nproperties:\n\
             - type: extra\n  value: 1\n- type: olm.package\n  value: {{packageName: {name}, version: {version}}}\n"
        )
    };
    format!("---\nschema: olm.package\nname: {name}\ndefaultChannel: c\n")
        + &format!("---\nschema: olm.channel\npackage: {name}\nname: c\n{}", entries(name, count, more))
        + &format!("---\nschema: olm.channel\npackage: {name}\nname: d\nentries:\n- name: {name}.v1.0.0\n")
        + &(0..count).map(bundle).collect::<String>()
}

/// All files at hand.
struct Texts(Vec<Vec<u8>>);

impl ByteSource for Texts {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let read = |(file, span): &(FileId, Range<u64>)| {
            self.0[file.0 as usize][span.start as usize..span.end as usize].to_vec()
        };
        Ok(spans.iter().map(read).collect())
    }
}

fn opened(texts: Vec<String>) -> RefCell<Workspace> {
    let file = |(number, text): (u32, &String)| NewFile {
        id: FileId(number),
        path: format!("{number}.yaml"),
        content: Content::Indexed(Arc::new(index_bytes(text.as_bytes()))),
    };
    let files = (0..).zip(&texts).map(file).collect();
    let source = Texts(texts.into_iter().map(String::into_bytes).collect());
    RefCell::new(workspace::open_one("catalog", files, Rc::new(source)))
}

/// Previewed, applied, printed and undone.
fn edited(workspace: &RefCell<Workspace>, op: &EditOp) -> u64 {
    let mut workspace = workspace.borrow_mut();
    let ops = std::slice::from_ref(op);
    workspace.preview(ops).unwrap();
    workspace.apply("edit", ops).unwrap();
    assert!(!workspace.patch().unwrap().is_empty());
    workspace.undo().unwrap();
    0
}

#[test]
fn every_operation_in_every_shape() {
    holds(|findings: &mut Findings| {
        for (shape, make) in SHAPES {
            for text in OPERATIONS {
                let op: EditOp = serde_json::from_str(text).unwrap();
                let run = |workspace: &RefCell<Workspace>| edited(workspace, &op);
                findings.linear(&format!("{shape}, {text}"), SIZE, 400e6, |size| opened(make(size)), run);
            }
        }
    });
}

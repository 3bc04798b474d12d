//! How every operation grows with a catalog: twice the catalog may cost about twice the work, in each shape that a catalog
//! can be large in. Counts of work and not time, as in `growth.rs`, which has what grows in other ways.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod counted_work;

use counted_work::shapes::{SHAPES, Texts};
use counted_work::{Findings, holds};
use fbc::catalog::Content;
use fbc::index::index_bytes;
use fbc::model::FileId;
use fbc::workspace::{self, NewFile, Workspace};
use protocol::operation::EditOp;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The size of the smaller of two catalogs: entries, channels, packages, files, or kilobytes.
const SIZE: usize = 100;

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

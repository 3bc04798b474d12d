//! How every operation grows with a catalog: twice the catalog may cost about twice the work, in
//! each shape in which a catalog can be large. Counts work instead of time, like `growth.rs`, which
//! covers other growth.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod counted_work;

use counted_work::shapes::{SHAPES, package};
use counted_work::{Findings, run_part};
use protocol::operation::EditOp;
use session::{self, NewTemplate, Session};
use std::cell::RefCell;
use template::render::TemplateType;
use test_support::MemorySource;

/// The size of the smaller of two catalogs: entries, channels, packages, files, or kilobytes.
const SIZE: usize = 100;

/// Operations on `p` in JSON: at least one of each kind that needs only the catalog.
const OPERATIONS: [&str; 30] = [
    r#"{"op":"promote","package":"p","bundle":"p.v1.0.3","to":"d"}"#,
    r#"{"op":"promote","package":"p","bundle":"p.v1.0.3","to":"d","as":"chain"}"#,
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
    r#"{"op":"rename-bundle","package":"p","bundle":"p.v1.0.2","to":"p.v1.0.2-x","skip-old":true}"#,
    r#"{"op":"substitute","package":"p","bundle":"p.v1.0.2","by":"p.v1.0.2-x","image":"q.io/p:x","skip-old":true}"#,
    r#"{"op":"deprecate","package":"p","message":"old"}"#,
    r#"{"op":"deprecate","package":"p","bundle":"p.v1.0.2","message":"old"}"#,
    r#"{"op":"set-description","package":"p","text":"Words."}"#,
    r#"{"op":"set-icon","package":"p","data":"PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="}"#,
    r#"{"op":"add-bundle","package":"p","bundle":"p.v9.0.0","version":"9.0.0","image":"q.io/p:9","to":"d"}"#,
    r#"{"op":"add-package","package":"another","default-channel":"c"}"#,
    r#"{"op":"copy-package","package":"r","from":"elsewhere","files":[{"path":"r.yaml","text":"schema: olm.package\nname: r\n"}]}"#,
    r#"{"op":"remove-package","package":"p"}"#,
    r#"{"op":"set-image","package":"p","where":"name~p.v","image":"q.io/x:1"}"#,
    r#"{"op":"add-property","package":"p","where":"name~p.v","type":"olm.maxOpenShiftVersion","value":"4.20"}"#,
    r#"{"op":"remove-property","package":"p","where":"name~p.v","type":"extra"}"#,
    r#"{"op":"replace-text","file":"0.yaml","at":"1:1-1:1","before":"","text":"\n"}"#,
];

/// Operations that need another one first.
const AFTER_ANOTHER: [(&str, &str); 6] = [
    (
        r#"{"op":"add-skip","package":"p","channel":"c","name":"p.v1.0.3","skip-matching":"<9.0.0"}"#,
        r#"{"op":"remove-skip","package":"p","channel":"c","name":"p.v1.0.3","skip":["p.v1.0.1"]}"#,
    ),
    (
        r#"{"op":"add-skip","package":"p","channel":"c","name":"p.v1.0.3","skip-matching":"<9.0.0"}"#,
        r#"{"op":"remove-skip","package":"p","channel":"c","name":"p.v1.0.3","skip-matching":"<9.0.0"}"#,
    ),
    (
        r#"{"op":"rebuild-edges","package":"p","channel":"c","rule":"z-stream"}"#,
        r#"{"op":"rebuild-edges","package":"p","channel":"c","rule":"replaces"}"#,
    ),
    (
        r#"{"op":"deprecate","package":"p","bundle":"p.v1.0.2","message":"old"}"#,
        r#"{"op":"undeprecate","package":"p","bundle":"p.v1.0.2"}"#,
    ),
    (
        r#"{"op":"deprecate","package":"p","channel":"d","message":"old"}"#,
        r#"{"op":"remove-channel","package":"p","channel":"d"}"#,
    ),
    // A ClusterServiceVersion in each bundle.
    (
        r#"{"op":"add-property","package":"p","where":"name~p.v","type":"olm.bundle.object","value":{"data":"eyJraW5kIjoiQ2x1c3RlclNlcnZpY2VWZXJzaW9uIiwibWV0YWRhdGEiOnsibmFtZSI6InAifSwic3BlYyI6eyJkaXNwbGF5TmFtZSI6IlAifX0="}}"#,
        r#"{"op":"migrate"}"#,
    ),
];

/// The output of `skip-patch` grows with the pairs of entries and is compared with them.
const OF_PAIRS: &str = r#"{"op":"rebuild-edges","package":"p","channel":"c","rule":"skip-patch"}"#;

/// The place of the catalog's substitutes template.
const TEMPLATE: &str = "top/templates/substitutes.yaml";

fn open_session(texts: Vec<String>) -> RefCell<Session> {
    let files = texts
        .iter()
        .enumerate()
        .map(|(number, text)| (format!("{number}.yaml"), text));
    let (files, source) = MemorySource::with_files(files);
    RefCell::new(session::open_one("catalog", files, source))
}

/// The catalog with a substitutes template beside it.
fn open_with_template(mut texts: Vec<String>) -> RefCell<Session> {
    // Another version, so that the files beside it are not part of it.
    texts.insert(0, package("p", 1, |_| String::new()));
    let files = texts.iter().enumerate().map(|(number, text)| {
        let version = if number == 0 { 17 } else { 18 };
        (format!("top/v4.{version}/{number}.yaml"), text)
    });
    let (files, source) = MemorySource::with_files(files);
    let mut session = session::open(files, source);
    let template = NewTemplate {
        root: "top/v4.18",
        package: Some("p"),
        kind: TemplateType::Substitutes,
        path: TEMPLATE,
    };
    let conversion = session.templates().template_conversion(template).unwrap();
    session.apply("template", &conversion.ops).unwrap();
    RefCell::new(session)
}

/// Previews, applies, prints and undoes an operation.
fn apply_and_undo(session: &RefCell<Session>, op: &EditOp) -> u64 {
    let mut session = session.borrow_mut();
    let ops = std::slice::from_ref(op);
    session.preview(ops).unwrap();
    let before = session.revision();
    session.apply("edit", ops).unwrap();
    assert_ne!(session.revision(), before, "{op:?} changes nothing");
    session.changes().patch().unwrap();
    session.undo().unwrap();
    0
}

#[test]
fn a_substitution_is_linear_in_every_shape() {
    run_part(|findings: &mut Findings| {
        for (shape, make) in SHAPES {
            let op = EditOp::Substitute {
                catalog: Some(TEMPLATE.to_owned()),
                package: "p".to_owned(),
                bundle: "p.v1.0.3".to_owned(),
                by: Some("q.io/p:new".to_owned()),
                image: None,
                skip_old: false,
            };
            let run = |session: &RefCell<Session>| apply_and_undo(session, &op);
            findings.linear(
                &format!("{shape}, a substitution"),
                SIZE,
                400e6,
                |size| open_with_template(make(size)),
                run,
            );
        }
    });
}

fn parse_operation(text: &str) -> EditOp {
    serde_json::from_str(text).unwrap()
}

#[test]
fn every_operation_is_linear_in_every_shape() {
    run_part(|findings: &mut Findings| {
        for (shape, make) in SHAPES {
            for text in OPERATIONS {
                let op = parse_operation(text);
                let run = |session: &RefCell<Session>| apply_and_undo(session, &op);
                findings.linear(
                    &format!("{shape}, {text}"),
                    SIZE,
                    400e6,
                    |size| open_session(make(size)),
                    run,
                );
            }
        }
    });
}

#[test]
fn operations_after_another_are_linear_in_every_shape() {
    run_part(|findings: &mut Findings| {
        for (shape, make) in SHAPES {
            for (before, text) in AFTER_ANOTHER {
                let (before, op) = (parse_operation(before), parse_operation(text));
                let open_prepared = |size| {
                    let session = open_session(make(size));
                    session
                        .borrow_mut()
                        .apply("before", std::slice::from_ref(&before))
                        .unwrap();
                    session
                };
                let run = |session: &RefCell<Session>| apply_and_undo(session, &op);
                findings.linear(&format!("{shape}, {text}"), SIZE, 400e6, open_prepared, run);
            }
        }
    });
}

#[test]
fn the_cost_of_a_written_skip_is_constant() {
    run_part(|findings: &mut Findings| {
        for (shape, make) in SHAPES {
            let of_pairs = ["a long chain", "wide ranges"].contains(&shape);
            let size = |size: usize| {
                if of_pairs && size > SIZE {
                    (SIZE as f64 * 2f64.sqrt()) as usize
                } else {
                    size
                }
            };
            let op = parse_operation(OF_PAIRS);
            let run = |session: &RefCell<Session>| apply_and_undo(session, &op);
            findings.linear(
                &format!("{shape}, {OF_PAIRS}"),
                SIZE,
                400e6,
                |n| open_session(make(size(n))),
                run,
            );
        }
    });
}

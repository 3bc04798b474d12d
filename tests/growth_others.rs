//! How the page's other queries grow: pictures, rendering a template to its catalogs, and a folder
//! that is one catalog or several. Counts work, like `growth_questions.rs`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod counted_work;

use ::catalog::index::index_bytes;
use ::catalog::{Content, TreeEntry};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use counted_work::shapes::{entries, package, version};
use counted_work::{Findings, run_part};
use host::Host;
use protocol::inspection::IconView;
use protocol::query::*;
use protocol::request::OpenMode;
use protocol::response::*;
use protocol::templates::RenderRequest;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use test_support::MemorySource;

/// Shapes, kilobytes, entries or catalogs of the smaller input.
const SIZE: usize = 200;

fn open_host(files: Vec<(String, String)>) -> RefCell<Host> {
    let (paths, texts): (Vec<String>, Vec<String>) = files.into_iter().unzip();
    let indexed: Vec<_> = texts
        .iter()
        .map(|text| Arc::new(index_bytes(text.as_bytes())))
        .collect();
    let mut host = Host::new(Rc::new(MemorySource::from_iter(
        texts.into_iter().map(String::into_bytes),
    )));
    let file = |(index, path)| TreeEntry {
        id: host.new_file_id(),
        path,
        content: Content::Indexed(index),
    };
    let files: Vec<TreeEntry> = indexed.into_iter().zip(paths).map(file).collect();
    assert!(matches!(
        host.open(OpenMode::Replace, files),
        Ok(Opened::Anew(_))
    ));
    RefCell::new(host)
}

/// Queries both twice: the second time, caches are filled.
fn linear(
    findings: &mut Findings,
    words: &str,
    (small, twice): (&RefCell<Host>, &RefCell<Host>),
    ask: impl Fn(&mut Host),
) {
    let run = |host: &&RefCell<Host>| {
        ask(&mut host.borrow_mut());
        0
    };
    run(&small);
    run(&twice);
    findings.linear(
        words,
        SIZE,
        200e6,
        |size| if size == SIZE { small } else { twice },
        run,
    );
}

#[test]
fn checking_pictures_is_linear() {
    run_part(|findings: &mut Findings| {
        let shapes = |n: usize| {
            format!(
                "<svg>{}</svg>",
                "<path d=\"M0 0L8 8\" fill=\"red\"/>".repeat(n)
            )
            .into_bytes()
        };
        let chunks = |n: usize| {
            let mut bytes =
                b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0\0\0\0\0".to_vec();
            let chunk = [&b"\0\0\x04\0IDAT"[..], &[0; 1024], &[0; 4]].concat();
            bytes.extend(chunk.repeat(n));
            bytes.extend(b"\0\0\0\0IEND\xae\x42\x60\x82");
            bytes
        };
        for (media_type, make) in [
            ("image/svg+xml", &shapes as &dyn Fn(usize) -> Vec<u8>),
            ("image/png", &chunks),
        ] {
            let run = |picture: &String| {
                let request = CheckPicture {
                    media_type: media_type.to_owned(),
                    data: picture.clone(),
                };
                let host = &mut Host::new(Rc::new(MemorySource::default()));
                let Ok(view) = host.answer(request) else {
                    panic!("{media_type}: no answer")
                };
                assert!(matches!(view, IconView::Shown(_)), "{media_type}: {view:?}");
                0
            };
            findings.linear(
                media_type,
                SIZE,
                20e6,
                |size| STANDARD.encode(make(size)),
                run,
            );
        }
    });
}

const TEMPLATE: &str = "top/operators/p/catalog-templates/basic.yaml";

/// A template of a long channel, and its catalog as rendered from an older version.
fn template(count: usize) -> Vec<(String, String)> {
    let mapping = "fbc:\n  catalog_mapping:\n  - template_name: basic.yaml\n    catalog_names: [v4.19]\n    type: olm.template.basic\n";
    let blobs = package("p", count, |_| String::new());
    let indented = |blob: &str| {
        // A basic template has only the image of a bundle.
        let is_bundle = blob.starts_with("schema: olm.bundle");
        let is_kept =
            |line: &&str| !is_bundle || line.starts_with("schema:") || line.starts_with("image:");
        let text: String = blob
            .lines()
            .filter(is_kept)
            .map(|line| format!("  {line}\n"))
            .collect();
        format!("-{}", &text[1..])
    };
    let items: String = blobs
        .trim_start_matches("---\n")
        .split("---\n")
        .map(indented)
        .collect();
    let older = blobs.replacen(
        &entries("p", count, |_| String::new()),
        &entries("p", count - 1, |_| String::new()),
        1,
    );
    assert_ne!(older, blobs, "{} is there no more", version(count - 1));
    vec![
        ("top/catalogs/v4.19/p/catalog.yaml".into(), older),
        ("top/operators/p/ci.yaml".into(), mapping.into()),
        (
            TEMPLATE.into(),
            format!("schema: olm.template.basic\nentries:\n{items}"),
        ),
    ]
}

#[test]
fn rendering_a_template_to_catalogs_is_linear() {
    run_part(|findings: &mut Findings| {
        let (small, twice) = (open_host(template(SIZE)), open_host(template(2 * SIZE)));
        for (words, what) in [
            (
                "into its catalog",
                RenderRequest::Into(vec!["v4.19".into()]),
            ),
            ("into another", RenderRequest::AlsoInto("v4.20".into())),
        ] {
            linear(findings, words, (&small, &twice), |host| {
                let answer = host.answer(Render {
                    template: TEMPLATE.into(),
                    what: what.clone(),
                });
                let Ok(ops) = answer else {
                    panic!("{words}: {answer:?}")
                };
                assert!(!ops.0.is_empty(), "{words}");
            });
        }
    });
}

#[test]
fn a_folder_is_one_catalog_or_several_in_linear_time() {
    run_part(|findings: &mut Findings| {
        let catalogs = |n: usize| {
            let file = |i| {
                (
                    format!("top/v4.{i}/p/catalog.yaml"),
                    package("p", 4, |_| String::new()),
                )
            };
            open_host((0..n).map(file).collect())
        };
        let (small, twice) = (catalogs(SIZE), catalogs(2 * SIZE));
        linear(
            findings,
            "as one and as several",
            (&small, &twice),
            |host| {
                let roots = [true, false].map(|as_one| {
                    match host.answer(TreatAsOne {
                        folder: "top".into(),
                        as_one,
                    }) {
                        Ok(status) => status.roots.len(),
                        other => panic!("{other:?}"),
                    }
                });
                assert!(roots[0] == 1 && roots[1] >= SIZE, "{roots:?}");
            },
        );
    });
}

//! Edited text, read by the reference: after random operations on real catalogs, `opm`'s own loader
//! finds the intended blobs, and all other blobs unchanged.

use super::opm::Opm;
use crate::edit_corpus::{count_and_random, over_catalogs};
use serde_json::{Value, json};
use std::path::Path;
use syntax::tree::Format;
use test_support::corpus;

/// The blobs that the loader reads from a text.
pub(super) fn blobs(opm: &mut Opm, text: &[u8]) -> Vec<Value> {
    use base64::Engine;
    let bytes = base64::engine::general_purpose::STANDARD.encode(text);
    let answer = opm.ask(&json!({"ask": "load", "bytes": bytes}));
    let blobs = answer["blobs"].as_array().filter(|_| answer["ok"] == true);
    let blobs = blobs.unwrap_or_else(|| panic!("{}: {answer}", String::from_utf8_lossy(text)));
    blobs
        .iter()
        .map(|blob| serde_json::from_str(blob.as_str().unwrap()).unwrap())
        .collect()
}

/// The only blob that the loader reads from a text.
fn load_single(opm: &mut Opm, text: &[u8]) -> Value {
    match <[Value; 1]>::try_from(blobs(opm, text)) {
        Ok([blob]) => blob,
        Err(blobs) => panic!("{} blobs in {}", blobs.len(), String::from_utf8_lossy(text)),
    }
}

#[test]
#[ignore = "needs the program under tests/opm: run `cargo dev prove-edits`"]
fn edits_are_read_by_opm() {
    let program = std::env::var_os("SWITCHYARD_OPM")
        .expect("SWITCHYARD_OPM names the built program of tests/opm");
    let Some(corpus) = corpus() else { return };
    let mut opm = Opm::new(Path::new(&program));
    let tally = over_catalogs(
        &mut |text: &[u8], _: Format| load_single(&mut opm, text),
        &corpus,
        count_and_random(400),
    );
    tally.print("read by opm");
    tally.require();
}

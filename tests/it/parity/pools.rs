//! Odd values for odd places. The texts are in `tests/data/parity/pools.json`.

use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use std::collections::HashMap;
use std::sync::LazyLock;

pub(crate) fn pick<'a>(rng: &mut SmallRng, pool: &[&'a str]) -> &'a str {
    pool.choose(rng).copied().unwrap_or_default()
}

pub(crate) fn chance(rng: &mut SmallRng, percent: u32) -> bool {
    rng.random_range(0..100) < percent
}

/// A named list of texts, read on first use.
pub(crate) type Pool = LazyLock<Vec<&'static str>>;

static POOLS: LazyLock<HashMap<String, Vec<String>>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../data/parity/pools.json")).unwrap());

fn pool(name: &str) -> Vec<&'static str> {
    let pools: &'static HashMap<String, Vec<String>> = &POOLS;
    pools[name].iter().map(String::as_str).collect()
}

/// Plain scalars of YAML 1.1 in many spellings, and similar texts.
pub(crate) static SCALARS: Pool = LazyLock::new(|| pool("scalars"));
/// Texts for names, versions and similar fields.
pub(crate) static NAMES: Pool = LazyLock::new(|| pool("names"));
pub(crate) static SCHEMAS: Pool = LazyLock::new(|| pool("schemas"));
pub(crate) static VERSIONS: Pool = LazyLock::new(|| pool("versions"));
pub(crate) static RELEASES: Pool = LazyLock::new(|| pool("releases"));
pub(crate) static RANGES: Pool = LazyLock::new(|| pool("ranges"));
pub(crate) static IMAGES: Pool = LazyLock::new(|| pool("images"));
pub(crate) static PROPERTY_TYPES: Pool = LazyLock::new(|| pool("property_types"));
pub(crate) static BASE64: Pool = LazyLock::new(|| pool("base64"));
/// Patterns for an `.indexignore`, besides those made from the tree's names.
pub(crate) static PATTERNS: Pool = LazyLock::new(|| pool("patterns"));
/// Pieces of text to insert anywhere.
pub(crate) static SNIPPETS: Pool = LazyLock::new(|| pool("snippets"));
pub(crate) static MARKS: Pool = LazyLock::new(|| pool("marks"));

/// Bytes that are invalid in UTF-8 or YAML.
pub(crate) const BYTES: &[&[u8]] = &[
    b"\xff",
    b"\xfe",
    b"\x80",
    b"\xc0\x80",
    b"\xc2",
    b"\xc3\x28",
    b"\xe2\x80",
    b"\xe2\x28\xa1",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98",
    b"\xf4\x90\x80\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\xfc",
    b"\xc3\xa9",
    b"\xef\xbf\xbe",
    b"\xef\xbf\xbf",
    b"\xc2\x80",
    b"\xc2\x9f",
    b"\x00",
    b"\x01",
    b"\x08",
    b"\x1b",
    b"\x7f",
    b"\xef\xbb\xbf",
];

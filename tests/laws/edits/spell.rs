//! Blobs in all common spellings. Independent of how edits spell values: another reader, not this
//! generator, determines the meaning of a text.

use super::{Format, NASTY};
use rand::Rng;
use rand::seq::IndexedRandom;

struct Speller<'r, R> {
    rng: &'r mut R,
    out: String,
    list_step: usize,
    map_step: usize,
    gap: usize,
    comments: f64,
    brackets: f64,
}

/// A random blob's text.
pub fn blob(rng: &mut impl Rng) -> (Vec<u8>, Format) {
    if rng.random_bool(0.3) {
        return (json(rng), Format::Json);
    }
    let mut speller = Speller {
        list_step: *[0, 2, 4].choose(rng).unwrap_or(&0),
        map_step: *[2, 4].choose(rng).unwrap_or(&2),
        gap: *[1, 1, 3].choose(rng).unwrap_or(&1),
        comments: *[0.0, 0.2].choose(rng).unwrap_or(&0.0),
        brackets: *[0.0, 0.2, 1.0].choose(rng).unwrap_or(&0.0),
        rng,
        out: String::new(),
    };
    if speller.chance(0.2) {
        speller.out.push_str("# a license\n\n");
    }
    speller.map(
        0,
        3,
        &[
            "schema",
            "name",
            "package",
            "entries",
            "properties",
            "description",
            "defaultChannel",
        ],
    );
    let crlf = speller.chance(0.2);
    let (unended, bom) = (speller.chance(0.15), speller.chance(0.1));
    let mut text = speller.out;
    // Some readers count the last line break of a block scalar; Go's does not.
    let block_scalar = text
        .lines()
        .any(|line| line.trim_end().contains(['|', '>']) && line.contains(": "));
    if unended && !block_scalar {
        text.truncate(text.trim_end_matches('\n').len());
    }
    if crlf {
        text = text.replace('\n', "\r\n");
    }
    if bom {
        text.insert(0, '\u{feff}');
    }
    (text.into_bytes(), Format::Yaml)
}

impl<R: Rng> Speller<'_, R> {
    fn chance(&mut self, p: f64) -> bool {
        self.rng.random_bool(p)
    }

    fn indent(&mut self, column: usize) {
        self.out.extend(std::iter::repeat_n(' ', column));
    }

    /// Ends a line, possibly with a comment; possibly adds lines without content.
    fn end_line(&mut self) {
        if self.chance(self.comments) {
            self.out.push_str(
                ["  # a remark", " # a: b", " #"]
                    .choose(self.rng)
                    .unwrap_or(&" #"),
            );
        }
        self.out.push('\n');
    }

    fn between(&mut self, column: usize) {
        if self.chance(self.comments) {
            self.indent(column);
            self.out.push_str("# above\n");
        }
        if self.chance(self.comments / 2.0) {
            self.out.push('\n');
        }
    }

    /// Keys with values; the first key continues the current line.
    fn map(&mut self, column: usize, depth: usize, names: &[&str]) {
        let count = self.rng.random_range(1..=names.len());
        let keys: Vec<String> = names
            .choose_multiple(self.rng, count)
            .map(|&key| key.to_owned())
            .collect();
        let quote_keys = self.chance(0.1);
        for (index, key) in keys.iter().enumerate() {
            if index > 0 {
                self.between(column);
                self.indent(column);
            }
            if quote_keys {
                self.out.push_str(&format!("{key:?}"))
            } else {
                self.out.push_str(key)
            }
            self.out.push(':');
            self.value(column, depth, key);
        }
    }

    fn value(&mut self, column: usize, depth: usize, key: &str) {
        let list = matches!(key, "entries" | "skips" | "properties");
        if depth == 0 || !list && self.chance(0.85) {
            let gap = if self.chance(0.9) { " " } else { "   " };
            self.out.push_str(gap);
            let block_indent = column + self.map_step;
            self.scalar(block_indent, true);
        } else if self.chance(self.brackets) {
            self.out.push(' ');
            self.flow(depth);
            self.end_line();
        } else if list {
            self.end_line();
            let dash = column + self.list_step;
            for _ in 0..self.rng.random_range(1..4) {
                self.between(dash);
                self.indent(dash);
                self.out.push('-');
                self.indent(self.gap);
                self.item(dash + 1 + self.gap, depth - 1);
            }
        } else {
            self.end_line();
            self.indent(column + self.map_step);
            self.map(column + self.map_step, depth - 1, &["a", "b", "c"]);
        }
    }

    fn item(&mut self, column: usize, depth: usize) {
        if self.chance(0.5) {
            self.map(
                column,
                depth,
                &["name", "replaces", "skips", "skipRange", "value"],
            );
        } else if self.chance(self.brackets) {
            self.flow(depth);
            self.end_line();
        } else if depth > 0 && self.chance(0.1) {
            self.out.push('-');
            self.indent(1);
            self.item(column + 2, depth - 1);
        } else {
            self.scalar(column, false);
        }
    }

    /// A scalar and the end of its line. `indent` is the minimum indentation of block scalars.
    fn scalar(&mut self, indent: usize, block: bool) {
        match self.rng.random_range(0..12) {
            0 if block => {
                self.out
                    .push_str(["|", "|-", ">", ">-"].choose(self.rng).unwrap_or(&"|"));
                self.end_line();
                for line in ["first line", "", "last: line # no comment"] {
                    if !line.is_empty() {
                        self.indent(indent);
                    }
                    self.out.push_str(line);
                    self.out.push('\n');
                }
                if self.chance(0.2) {
                    self.out.push('\n');
                }
            }
            1 if block => {
                self.out.push_str("plain over\n");
                self.indent(indent);
                self.out.push_str("two lines");
                self.end_line();
            }
            2 if block => {
                self.out.push_str("\"quoted over\n");
                self.indent(indent);
                self.out.push_str("two \\\n");
                self.indent(indent);
                self.out.push_str("lines\"");
                self.end_line();
            }
            3 if block => self.end_line(),
            _ => {
                let text = self.one_line();
                self.out.push_str(&text);
                self.end_line();
            }
        }
    }

    fn one_line(&mut self) -> String {
        let plain = format!(
            "foo.v{}.{}.0",
            self.rng.random_range(0..4),
            self.rng.random_range(0..9)
        );
        match self.rng.random_range(0..5) {
            0 => format!("'{plain}'"),
            1 => format!("\"{plain}\""),
            2 => {
                let nasty = NASTY.choose(self.rng).copied().unwrap_or_default();
                serde_json::to_string(nasty)
                    .unwrap()
                    .replace(['\u{85}', '\u{2028}', '\u{feff}', '\u{7f}'], "?")
            }
            _ => plain,
        }
    }

    fn flow(&mut self, depth: usize) {
        let pad = if self.chance(0.3) { " " } else { "" };
        let comma = if self.chance(0.9) { ", " } else { "," };
        let map = depth > 0 && self.chance(0.3);
        let count = self.rng.random_range(0..4);
        self.out.push_str(if map { "{" } else { "[" });
        for index in 0..count {
            self.out.push_str(if index == 0 { pad } else { comma });
            if map {
                self.out.push_str(["a: ", "b: ", "c: "][index]);
            }
            if depth > 0 && self.chance(0.2) {
                self.flow(depth - 1);
            } else {
                let text = self.one_line();
                self.out.push_str(&text);
            }
        }
        self.out.push_str(if count > 0 { pad } else { "" });
        self.out.push_str(if map { "}" } else { "]" });
    }
}

fn json<R: Rng>(rng: &mut R) -> Vec<u8> {
    let entry = |rng: &mut R| {
        let mut map = serde_json::Map::new();
        for key in ["name", "replaces", "skips", "value"] {
            if rng.random_bool(0.6) {
                let list = |rng: &mut R| {
                    (0..rng.random_range(0..3))
                        .map(|_| NASTY.choose(rng).copied())
                        .collect()
                };
                let value = if key == "skips" {
                    list(rng)
                } else {
                    serde_json::json!(NASTY.choose(rng))
                };
                map.insert(key.to_owned(), value);
            }
        }
        serde_json::Value::Object(map)
    };
    let entries: Vec<_> = (0..rng.random_range(0..4)).map(|_| entry(rng)).collect();
    let value = serde_json::json!({"schema": "olm.channel", "name": "a", "entries": entries, "n": [1, true, {"x": null}]});
    let indent: &[u8] = [&b"  "[..], b"    ", b"\t"]
        .choose(rng)
        .copied()
        .unwrap_or(b"  ");
    let mut text = Vec::new();
    if rng.random_bool(0.3) {
        text = serde_json::to_vec(&value).unwrap();
    } else {
        let formatter = serde_json::ser::PrettyFormatter::with_indent(indent);
        serde::Serialize::serialize(
            &value,
            &mut serde_json::Serializer::with_formatter(&mut text, formatter),
        )
        .unwrap();
    }
    if rng.random_bool(0.5) {
        text.push(b'\n');
    }
    if rng.random_bool(0.2) {
        let text = String::from_utf8(text).unwrap();
        return text.replace('\n', "\r\n").into_bytes();
    }
    text
}

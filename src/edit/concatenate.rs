//! Concatenates catalog files into one text; each blob keeps its bytes.
//!
//! Files of one format are joined unchanged, with document separators added where necessary. If
//! YAML and JSON are mixed, every JSON object becomes a YAML document, since JSON is a subset of
//! YAML. The result is parsed again; if a blob would change its meaning, the operation is refused.

use super::plan::Refused;
use super::splice::blob::{BOM, first_line, is_separator, last_line};
use catalog::index::index_bytes;
use catalog::model::{Blob, FileIndex};
use syntax::tree::Format;
use syntax::value::canonical_json;

/// A file to be joined with others.
#[derive(Debug, Clone, Copy)]
pub struct ConcatenatedFile<'a> {
    /// For error messages.
    pub path: &'a str,
    pub text: &'a [u8],
}

/// Joins files in this order. A single file with blobs is returned unchanged; files without blobs
/// add nothing.
pub fn concatenate(files: &[ConcatenatedFile<'_>]) -> Result<Vec<u8>, Refused> {
    let indexed: Vec<(ConcatenatedFile<'_>, FileIndex)> = files
        .iter()
        .map(|file| (*file, index_bytes(file.text)))
        .filter(|(_, index)| !index.blobs.is_empty())
        .collect();
    if let [(file, _)] = &indexed[..] {
        return Ok(file.text.to_vec());
    }
    let mut blobs = indexed.iter().flat_map(|(_, index)| &index.blobs);
    let all_json = blobs.all(|blob| blob.format == Format::Json);
    let mut joined = Vec::with_capacity(indexed.iter().map(|(file, _)| file.text.len() + 4).sum());
    for (file, index) in &indexed {
        if all_json {
            add_json(&mut joined, file.text);
        } else if index.blobs.iter().any(|blob| blob.format == Format::Json) {
            index
                .blobs
                .iter()
                .for_each(|blob| add_documents(&mut joined, blob_text(file.text, blob)));
        } else {
            add_documents(&mut joined, file.text);
        }
    }
    check_blobs_unchanged(&indexed, &joined)?;
    Ok(joined)
}

fn blob_text<'t>(text: &'t [u8], blob: &Blob) -> &'t [u8] {
    text.get(blob.start as usize..blob.end as usize)
        .unwrap_or_default()
}

fn finish_line(joined: &mut Vec<u8>) {
    if !joined.is_empty() && !joined.ends_with(b"\n") {
        joined.push(b'\n');
    }
}

fn add_json(joined: &mut Vec<u8>, text: &[u8]) {
    finish_line(joined);
    let text = if joined.is_empty() {
        text
    } else {
        text.strip_prefix(BOM).unwrap_or(text)
    };
    joined.extend_from_slice(text);
}

fn add_documents(joined: &mut Vec<u8>, text: &[u8]) {
    finish_line(joined);
    let bare = text.strip_prefix(BOM).unwrap_or(text);
    let is_separated = is_separator(first_line(bare));
    // Two adjacent separators would form an empty document.
    if is_separated && is_separator(last_line(joined)) {
        joined.truncate(joined.len() - last_line(joined).len());
    }
    // A text that starts with a brace would be detected as JSON.
    let needs_separator = if joined.is_empty() {
        bare.trim_ascii_start().starts_with(b"{")
    } else {
        !is_separator(last_line(joined))
    };
    if !is_separated && needs_separator {
        joined.extend_from_slice(b"---\n");
    }
    joined.extend_from_slice(if joined.is_empty() { text } else { bare });
}

/// Checks that every blob still has its text and values.
fn check_blobs_unchanged(
    indexed: &[(ConcatenatedFile<'_>, FileIndex)],
    joined: &[u8],
) -> Result<(), Refused> {
    let before: Vec<(&ConcatenatedFile<'_>, &Blob)> = indexed
        .iter()
        .flat_map(|(file, index)| index.blobs.iter().map(move |blob| (file, blob)))
        .collect();
    let after = index_bytes(joined);
    for ((file, blob), now) in before.iter().zip(&after.blobs) {
        let (old, new) = (blob_text(file.text, blob), blob_text(joined, now));
        let old = old.strip_prefix(BOM).unwrap_or(old);
        let new = new.strip_prefix(BOM).unwrap_or(new);
        if old.trim_ascii() != new.trim_ascii() {
            return Err(change_refusal(
                file.path,
                "its blobs would be split differently",
            ));
        }
        if blob.format != now.format
            && canonical_value(old, blob.format)
                .is_none_or(|before| canonical_value(new, now.format) != Some(before))
        {
            return Err(change_refusal(
                file.path,
                "a blob would parse to a different value",
            ));
        }
    }
    match (before.len() == after.blobs.len(), before.last()) {
        (false, Some((file, _))) => Err(change_refusal(
            file.path,
            "the number of blobs would change",
        )),
        _ => Ok(()),
    }
}

fn change_refusal(path: &str, why: &str) -> Refused {
    refused!("concatenation would change `{path}`: {why}")
        .help("keep the files separate with `--out FOLDER`")
}

fn canonical_value(text: &[u8], format: Format) -> Option<String> {
    let tree = syntax::parse(text, format).ok()?;
    canonical_json(&tree, text, tree.root()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(texts: &[&str]) -> Result<String, Refused> {
        let files: Vec<ConcatenatedFile<'_>> = texts
            .iter()
            .map(|text| ConcatenatedFile {
                path: "x",
                text: text.as_bytes(),
            })
            .collect();
        concatenate(&files).map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn missing_document_separators_are_added() {
        for (texts, expected) in [
            (&["a: b\n", "c: d\n"][..], "a: b\n---\nc: d\n"),
            (&["---\na: b\n", "---\nc: d\n"], "---\na: b\n---\nc: d\n"),
            (&["a: b\n---\n", "---\nc: d\n"], "a: b\n---\nc: d\n"),
            (&["a: b\n---\n", "c: d\n"], "a: b\n---\nc: d\n"),
            (&["a: b", "c: d"], "a: b\n---\nc: d"),
            (
                &["a: b\n", "", "\u{feff}c: d # e\n"],
                "a: b\n---\nc: d # e\n",
            ),
            (
                &["{\"schema\":\"a\"}", "{\"schema\":\"b\"}\n"],
                "{\"schema\":\"a\"}\n{\"schema\":\"b\"}\n",
            ),
        ] {
            assert_eq!(join(texts).unwrap(), expected);
        }
    }

    #[test]
    fn a_single_file_is_unchanged() {
        assert_eq!(
            join(&["", "---\n# x\na: b\n---\n"]).unwrap(),
            "---\n# x\na: b\n---\n"
        );
        assert_eq!(join(&[]).unwrap(), "");
    }

    #[test]
    fn json_among_yaml_is_yaml() {
        let json = "{\"schema\": \"a\"}\n{\n  \"schema\": \"b\"\n}\n";
        let both = "---\n{\"schema\": \"a\"}\n---\n{\n  \"schema\": \"b\"\n}\n---\nschema: c\n";
        assert_eq!(join(&[json, "schema: c\n"]).unwrap(), both);
        assert_eq!(
            join(&["schema: c\n", json]).unwrap(),
            "schema: c\n---\n{\"schema\": \"a\"}\n---\n{\n  \"schema\": \"b\"\n}"
        );
        // YAML does not have this escape.
        let refused = join(&["schema: c\n", "{\"schema\": \"a\\/b\"}\n"]).unwrap_err();
        assert!(
            refused.reason.starts_with("concatenation would change"),
            "{refused}"
        );
    }
}

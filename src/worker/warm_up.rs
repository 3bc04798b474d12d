//! Opens a small catalog that is never shown. A browser compiles each wasm function when it is
//! first called, which on a first visit takes longer than reading a small catalog.

use catalog::index::index_bytes;
use catalog::model::FileId;
use catalog::source::{ByteSource, ReadError};
use catalog::{Content, TreeEntry};
use host::Host;
use protocol::Json;
use protocol::operation::EditOp;
use protocol::query::{
    EncodedAnswer, EncodedQuery, Packages, PreviewEdit, Problems, ReadSource, Request,
};
use protocol::request::{OpenMode, PackageRequest, PreviewScope, SourceAt};
use protocol::wire;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

const ROOT: &str = "warm-up";
const PACKAGE: &str = "yard";
/// Covers block and flow collections, every style of scalar and a comment; then the same schemas as
/// JSON.
const FILES: [&str; 2] = [
    r#"schema: olm.package
name: yard
defaultChannel: stable
---
schema: olm.channel
package: yard
name: stable
entries:
- name: yard.v1.0.0
- name: yard.v1.0.1
  replaces: yard.v1.0.0
  skips:
  - yard.v0.9.0
  skipRange: '<1.0.1'
---
# A comment.
schema: olm.bundle
package: yard
name: yard.v1.0.0
image: "quay.io/yard/yard:1.0.0"
properties:
- {type: olm.package, value: {packageName: yard, version: '1.0.0'}}
- type: olm.gvk
  value: {group: yard.example.com, kind: Track, version: v1}
---
schema: olm.bundle
package: yard
name: yard.v1.0.1
image: quay.io/yard/yard:1.0.1
properties:
- type: olm.package
  value:
    packageName: yard
    version: 1.0.1
- type: olm.csv.metadata
  value:
    description: |
      Some text,
      in lines.
    displayName: >-
      folded
      words
relatedImages:
- name: ''
  image: quay.io/yard/yard:1.0.1
"#,
    r#"{"schema": "olm.package", "name": "siding", "defaultChannel": "stable"}
{"schema": "olm.channel", "package": "siding", "name": "stable", "entries": [{"name": "siding.v1.0.0"}]}
{
  "schema": "olm.bundle", "package": "siding", "name": "siding.v1.0.0", "image": "quay.io/yard/siding:1",
  "properties": [{"type": "olm.package", "value": {"packageName": "siding", "version": "1.0.0"}}]
}
"#,
];

/// Computes the answers that the page needs for its first view and its first preview.
pub fn answers() -> Vec<EncodedAnswer> {
    let mut host = Host::new(Rc::new(Constant));
    let files = FILES.iter().zip(0..).map(|(text, number)| TreeEntry {
        id: host.new_file_id(),
        path: format!("{ROOT}/catalog-{number}"),
        content: Content::Indexed(Arc::new(index_bytes(text.as_bytes()))),
    });
    let files = files.collect();
    let opened = host.open(OpenMode::Replace, files);
    let root = || ROOT.to_owned();
    let queries = [
        EncodedQuery::new(&Packages { root: root() }),
        EncodedQuery::new(&PackageRequest::new(root(), PACKAGE.into())),
        EncodedQuery::new(&Problems { root: root() }),
        EncodedQuery::new(&ReadSource {
            root: root(),
            file: "catalog-0".into(),
            at: SourceAt::Around {
                line: 1,
                count: 100,
            },
            place: 1,
        }),
        EncodedQuery::new(&PreviewEdit {
            ops: Json(vec![EditOp::SetSkipRange {
                catalog: None,
                package: PACKAGE.into(),
                channel: "stable".into(),
                name: "yard.v1.0.1".into(),
                skip_range: None,
            }]),
            scope: PreviewScope::All,
        }),
    ];
    let mut answers = vec![(Request::Open, opened.map(|opened| wire::encode(&opened)))];
    for query in queries.into_iter().flatten() {
        answers.push((Request::Query(query.tag), host.serve(&query, Vec::new())));
    }
    let successful = answers.into_iter().filter_map(|(request, answer)| {
        Some(EncodedAnswer {
            request,
            bytes: answer.ok()?,
        })
    });
    successful.collect()
}

/// Serves the bytes of [`FILES`].
struct Constant;

impl ByteSource for Constant {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let read = |(file, span): &(FileId, Range<u64>)| {
            let bytes = FILES.get(file.0 as usize)?.as_bytes();
            bytes.get(span.start as usize..span.end as usize)
        };
        let bytes = spans
            .iter()
            .map(|span| read(span).unwrap_or_default().to_vec());
        Ok(bytes.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::query::Tag;
    use protocol::response::Opened;

    #[test]
    fn the_catalog_passes_and_every_query_is_answered() {
        let answers = answers();
        let opened = wire::decode(&answers[0].bytes);
        let Some(Opened::Anew(status)) = opened else {
            panic!("{opened:?}")
        };
        let roots = &status.roots;
        assert_eq!((roots.len(), roots[0].packages), (1, 2), "{roots:?}");
        assert_eq!(roots[0].errors, 0, "{roots:?}");
        // A refused query would be missing here.
        let answered: Vec<_> = answers.iter().map(|answer| answer.request).collect();
        let expected = [
            Request::Open,
            Request::Query(Tag::Packages),
            Request::Query(Tag::PackageRequest),
            Request::Query(Tag::Problems),
            Request::Query(Tag::ReadSource),
            Request::Query(Tag::PreviewEdit),
        ];
        assert_eq!(answered, expected);
    }
}

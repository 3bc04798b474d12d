//! A first drop that nobody sees, answered while the start page is looked at: the functions that a first drop needs are
//! compiled when they are first called, which would take longer than the drop itself.
//!
//! It has a host of its own, so that nothing of it is left when it is dropped.

use super::{Memory, PACKAGE, ROOT, bundle, channel, everyone, view};
use crate::host::Host;
use fbc::catalog::Content;
use fbc::index::index_bytes;
use fbc::workspace::NewFile;
use protocol::query::{EncodedQuery, Inspect, Packages, Problems, ReadSource, Unsaved};
use protocol::request::{OpenMode, Request, SourceAt, Target};
use protocol::response::OperationRefusal;
use protocol::wire;
use std::rc::Rc;
use std::sync::Arc;

/// Opens a made-up catalog and asks for what the page shows first, a step at a time. A step has an answer, or prepares one.
pub struct FirstOpen {
    host: Host,
    texts: std::vec::IntoIter<String>,
    indexed: Vec<NewFile>,
    left: std::vec::IntoIter<EncodedQuery>,
    is_open: bool,
}

impl Default for FirstOpen {
    fn default() -> Self {
        let texts = texts();
        let host = Host::new(Rc::new(Memory(
            texts.iter().map(|text| text.clone().into_bytes()).collect(),
        )));
        Self {
            host,
            texts: texts.into_iter(),
            indexed: Vec::new(),
            left: queries().into_iter(),
            is_open: false,
        }
    }
}

impl Iterator for FirstOpen {
    type Item = Option<(Request, Result<Vec<u8>, OperationRefusal>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(text) = self.texts.next() {
            let content = Content::Indexed(Arc::new(index_bytes(text.as_bytes())));
            let path = format!("{ROOT}/catalog-{}", self.indexed.len());
            self.indexed.push(NewFile {
                id: self.host.new_file_id(),
                path,
                content,
            });
            return Some(None);
        }
        if !std::mem::replace(&mut self.is_open, true) {
            let files = std::mem::take(&mut self.indexed);
            let opened = self.host.open(OpenMode::Replace, files);
            let opened = opened.map(|opened| wire::encode(&opened));
            return Some(Some((Request::Open, opened)));
        }
        let query = self.left.next()?;
        let answer = self.host.serve(&query, Vec::new());
        Some(Some((Request::Query(query.tag), answer)))
    }
}

/// The files of the catalog: YAML as it is usually written with some that is not, and JSON.
pub fn texts() -> Vec<String> {
    let unusual = "---\nschema: olm.channel\npackage: yard\nname: old\nentries: [{name: yard.v0.1.0}]\n\
        ---\n# A comment.\nschema: olm.bundle\npackage: yard\nname: yard.v0.1.0\nimage: \"quay.io/yard/yard:0.1\"\n\
        properties:\n- {type: olm.package, value: {packageName: yard, version: '0.1.0'}}\n\
        - type: olm.csv.metadata\n  value:\n    description: |\n      Some text,\n      in lines.\n    displayName: >-\n      folded\n      words\n";
    vec![super::catalog() + unusual, json()]
}

/// So many bytes of each language go through each indexer: a browser optimizes what has run often, and until then reads more
/// slowly. With them a drop of 15 MB has its verdict after 215 instead of 258 ms, one of 31 MB of JSON after 288 instead of
/// 352 (two cores, quiet).
const READ_OFTEN: usize = 1_500_000;

/// What the indexers read: the same, with what most of a real catalog consists of, and how often each stands in its file. It
/// is repeated by the browser, so that the worker does not hold it.
pub fn texts_for_indexers() -> Vec<(String, usize)> {
    let often = |text: String| {
        let times = READ_OFTEN / text.len() + 1;
        (text, times)
    };
    let yaml = format!("{}{USUAL}---\n", super::catalog());
    vec![(texts().swap_remove(0), 1), often(yaml), often(json())]
}

/// A bundle as `opm render` writes it: long texts, lists of maps.
const USUAL: &str = r#"---
image: quay.io/yard/yard@sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0
name: yard.v0.2.0
package: yard
properties:
- type: olm.gvk
  value:
    group: yard.example.com
    kind: Track
    version: v1
- type: olm.package
  value:
    packageName: yard
    version: 0.2.0
- type: olm.csv.metadata
  value:
    annotations:
      alm-examples: |-
        [
          {
            "apiVersion": "yard.example.com/v1",
            "kind": "Track",
            "metadata": {
              "name": "track-sample"
            },
            "spec": {
              "size": 3
            }
          }
        ]
      capabilities: Seamless Upgrades
      categories: Developer Tools, Integration & Delivery
      description: Keeps tracks and switches of a yard as they are wanted, and says when they are not.
      repository: https://example.com/yard/operator
    apiServiceDefinitions: {}
    crdDescriptions:
      owned:
      - description: A track of the yard, with its length and the switches at both of its ends.
        displayName: Track
        kind: Track
        name: tracks.yard.example.com
        version: v1
    description: |
      ## What it does

      It watches the tracks of a cluster and sets each switch as the plan of the day has it. What cannot be set is
      told in the status of the track, with the reason and the time of the next try.

      * Tracks are added by applying a manifest.
      * A switch that does not answer is tried again after a minute.
    displayName: Yard
    installModes:
    - supported: true
      type: OwnNamespace
    - supported: false
      type: AllNamespaces
    keywords:
    - yard
    - track
    links:
    - name: Documentation
      url: https://example.com/yard/docs
    maintainers:
    - email: yard@example.com
      name: The yard
    maturity: alpha
    provider:
      name: Example
relatedImages:
- image: quay.io/yard/yard@sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0
  name: ''
- image: quay.io/yard/switch:v0.2.0
  name: switch
schema: olm.bundle
"#;

fn json() -> String {
    let bundle = |version: &str| {
        format!(
            "{{\n  \"schema\": \"olm.bundle\",\n  \"package\": \"siding\",\n  \"name\": \"siding.v{version}\",\n  \
             \"image\": \"quay.io/yard/siding:{version}\",\n  \"properties\": [{{\"type\": \"olm.package\", \"value\": \
             {{\"packageName\": \"siding\", \"version\": \"{version}\"}}}}],\n  \
             \"relatedImages\": [{{\"name\": \"\", \"image\": \"quay.io/yard/siding:{version}\"}}]\n}}\n"
        )
    };
    "{\"schema\": \"olm.package\", \"name\": \"siding\", \"defaultChannel\": \"line\"}\n\
     {\"schema\": \"olm.channel\", \"package\": \"siding\", \"name\": \"line\", \"entries\": [{\"name\": \"siding.v1.0.0\"}, \
     {\"name\": \"siding.v1.0.1\", \"replaces\": \"siding.v1.0.0\"}]}\n"
        .to_owned()
        + &bundle("1.0.0")
        + &bundle("1.0.1")
}

/// What the page asks for when a catalog is opened, and when its first entry is selected.
fn queries() -> Vec<EncodedQuery> {
    let root = String::from(ROOT);
    let target = Target::Entry {
        channel: channel(0),
        name: bundle(1),
    };
    let queries = [
        EncodedQuery::new(&Packages { root: root.clone() }),
        EncodedQuery::new(&view(None)),
        EncodedQuery::new(&Problems { root: root.clone() }),
        EncodedQuery::new(&Unsaved {
            root: root.clone(),
            package: PACKAGE.into(),
        }),
        EncodedQuery::new(&everyone(Vec::new())),
        EncodedQuery::new(&Inspect {
            root: root.clone(),
            package: PACKAGE.into(),
            target,
        }),
        EncodedQuery::new(&ReadSource {
            root,
            file: "catalog-0".into(),
            at: SourceAt::Around {
                line: 1,
                count: 100,
            },
        }),
    ];
    queries.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fbc::model::Body;
    use protocol::response::Opened;

    #[test]
    fn all_is_answered_as_for_a_catalog_that_passes() {
        let answers: Vec<_> = FirstOpen::default().flatten().collect();
        let opened = answers[0].1.as_deref().map(wire::decode);
        let Ok(Some(Opened::Anew(status))) = opened else {
            panic!("{opened:?}")
        };
        assert_eq!(status.roots.len(), 1, "{:?}", status.roots);
        assert_eq!(
            (status.roots[0].packages, status.roots[0].errors),
            (2, 0),
            "{:?}",
            status.roots
        );
        assert_eq!(answers.len(), 1 + queries().len());
        let failed: Vec<_> = answers
            .iter()
            .filter(|(_, answer)| answer.is_err())
            .collect();
        assert!(failed.is_empty(), "{failed:?}");
    }

    #[test]
    fn what_the_indexers_read_has_nothing_that_is_wrong() {
        let texts = texts_for_indexers();
        assert!(
            texts
                .iter()
                .skip(1)
                .all(|(text, times)| text.len() * times >= READ_OFTEN),
            "enough to be optimized"
        );
        for (text, times) in texts {
            let index = index_bytes(text.repeat(times.min(2)).as_bytes());
            let odd = index
                .blobs
                .iter()
                .find(|blob| matches!(blob.body, Body::Unreadable | Body::Other(_)));
            assert!(index.blobs.len() > 2 && odd.is_none(), "{odd:?}");
        }
    }

    #[test]
    fn each_step_takes_one_file_or_gives_one_answer() {
        let steps: Vec<bool> = FirstOpen::default().map(|step| step.is_some()).collect();
        let prepared = steps.iter().take_while(|answers| !**answers).count();
        assert_eq!(prepared, texts().len());
        assert!(steps.iter().skip(prepared).all(|answers| *answers));
    }
}

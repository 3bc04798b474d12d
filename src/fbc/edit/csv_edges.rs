//! The edges in a bundle's ClusterServiceVersion. Only the channel's entry counts in a file-based
//! catalog, so adding the bundle copies them to the entry.

use crate::bundle;
use crate::model::Entry;
use serde_json::Value as Json;

/// `spec.replaces`, `spec.skips` and the annotation `olm.skipRange`; empty if absent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CsvEdges {
    pub replaces: String,
    pub skips: Vec<String>,
    pub skip_range: String,
}

impl CsvEdges {
    /// Reads an `olm.bundle` blob that contains the CSV (`olm.bundle.object`) or its metadata,
    /// which only has the range.
    pub fn from_blob(blob: &Json) -> Self {
        let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
        let csv = bundle::cluster_service_version(blob).unwrap_or_default();
        let mut properties = blob["properties"].as_array().into_iter().flatten();
        let metadata = properties.find(|property| property["type"] == "olm.csv.metadata");
        let annotations = match metadata {
            Some(metadata) if csv.is_null() => &metadata["value"]["annotations"],
            _ => &csv["metadata"]["annotations"],
        };
        let skips = csv["spec"]["skips"].as_array().into_iter().flatten();
        Self {
            replaces: text(&csv["spec"]["replaces"]),
            skips: skips.map(text).filter(|name| !name.is_empty()).collect(),
            skip_range: text(&annotations["olm.skipRange"]),
        }
    }

    /// How an entry differs from these edges, one sentence per difference.
    pub fn differences(&self, entry: &Entry) -> Vec<String> {
        let name = entry.name.as_str();
        let mut sentences = Vec::new();
        let (replaces, own) = (&*self.replaces, entry.replaces.as_str());
        let skips = |name: &str| entry.skips.iter().any(|skip| skip.as_str() == name);
        if !replaces.is_empty() && replaces != own {
            let own = match own {
                "" => "replaces nothing".to_owned(),
                own => format!("replaces `{own}`"),
            };
            let also = match skips(replaces) {
                true => format!(" and skips `{replaces}`"),
                false => format!("; `--replaces {replaces}` uses the CSV's"),
            };
            sentences.push(format!(
                "the CSV of `{name}` replaces `{replaces}`; its entry {own}{also}"
            ));
        }
        let missing: Vec<String> = self
            .skips
            .iter()
            .filter(|skip| !skips(skip) && **skip != own && *skip != name)
            .map(|skip| format!("`{skip}`"))
            .collect();
        if !missing.is_empty() {
            sentences.push(format!(
                "the CSV of `{name}` skips {}; its entry does not: `add-skip` adds them",
                missing.join(", ")
            ));
        }
        let (range, own) = (&*self.skip_range, entry.skip_range.as_str());
        if !range.is_empty() && range != own {
            let own = match own {
                "" => "has none".to_owned(),
                own => format!("has `{own}`"),
            };
            sentences.push(format!(
                "the CSV of `{name}` has the skipRange `{range}`; its entry {own}: `set-skip-range` changes it"
            ));
        }
        sentences
    }
}

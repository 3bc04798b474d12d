//! The output of rendering, and bundles being processed.

use crate::bundle;
use serde_json::Value;

/// The output of rendering.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// All blobs: those of the template in order, then the rendered bundles.
    pub blobs: Vec<Value>,
    /// Names of the rendered bundles, each with its reference in the template.
    pub origins: Vec<(String, String)>,
    /// References of unknown bundles that were left out.
    pub missing: Vec<String>,
}

impl Rendered {
    pub(super) fn new(mut blobs: Vec<Value>, bundles: Vec<Bundle>) -> Self {
        let origins = bundles.iter().map(Bundle::origin).collect();
        blobs.extend(bundles.into_iter().map(|bundle| bundle.blob));
        Self {
            blobs,
            origins,
            missing: Vec::new(),
        }
    }

    /// The blobs in the order printed by `opm`.
    pub fn blobs_in_order(&self) -> Vec<Value> {
        bundle::arrange(self.blobs.clone())
    }
}

/// A bundle being processed for the catalog.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    /// As named by the template.
    pub(super) reference: String,
    pub(super) blob: Value,
    /// Its ClusterServiceVersion, which migration removes from the blob.
    pub(super) csv: Option<Value>,
}

impl Bundle {
    pub(super) fn name(&self) -> &str {
        self.blob["name"].as_str().unwrap_or_default()
    }

    pub(super) fn origin(&self) -> (String, String) {
        (self.name().to_owned(), self.reference.clone())
    }
}

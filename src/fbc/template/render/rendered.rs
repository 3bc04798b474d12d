//! What a template makes, and the bundles on their way into it.

use crate::bundle;
use serde_json::Value;

/// What a template makes.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// All blobs: those of the template in its order, then the bundles that were rendered.
    pub blobs: Vec<Value>,
    /// Names of the bundles that were rendered, each with the reference in the template that it comes from.
    pub origins: Vec<(String, String)>,
    /// References of bundles that are not known and were left out.
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

    /// The blobs that `opm` prints, in its order.
    pub fn arranged(&self) -> Vec<Value> {
        bundle::arrange(self.blobs.clone())
    }
}

/// A bundle on its way from its source into the catalog.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    /// As the template names it.
    pub(super) reference: String,
    pub(super) blob: Value,
    /// Its ClusterServiceVersion, which a migration takes out of the blob.
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

//! Where the bundles of a template come from, and what becomes of one on its way into the catalog.

use super::rendered::Bundle;
use crate::bundle::{self, Migration};
use crate::go_text::quote;
use serde_json::Value;

/// Gives the bundles that templates name.
pub trait Bundles {
    /// The rendered `olm.bundle` blob of an image or a bundle name; `None` where it is not known. The error says why it
    /// cannot be had though it is known.
    fn bundle(&self, reference: &str) -> Result<Option<Value>, String>;
}

/// What is to happen where a bundle is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Nothing is rendered, as by `opm`.
    #[default]
    Refused,
    /// The rest is rendered, and what is missing is listed.
    LeftOut,
}

/// A source of bundles with what one rendering wants of it.
pub(super) struct Source<'a> {
    bundles: &'a dyn Bundles,
    migration: Migration,
    missing: Missing,
    /// References that are not known, each once.
    pub(super) left_out: Vec<String>,
}

impl<'a> Source<'a> {
    pub(super) fn new(bundles: &'a dyn Bundles, migration: Migration, missing: Missing) -> Self {
        Self {
            bundles,
            migration,
            missing,
            left_out: Vec::new(),
        }
    }

    /// The bundle of a reference, migrated; `None` where it is left out.
    pub(super) fn bundle(&mut self, reference: &str) -> Result<Option<Bundle>, String> {
        let Some(blob) = self.bundles.bundle(reference)? else {
            if !self.left_out.iter().any(|known| known == reference) {
                self.left_out.push(reference.to_owned());
            }
            return match self.missing {
                Missing::Refused => Err(format!("bundle image {} is not known", quote(reference))),
                Missing::LeftOut => Ok(None),
            };
        };
        let csv = bundle::cluster_service_version(&blob);
        let mut blobs = [blob];
        bundle::migrate(&mut blobs, self.migration).map_err(|refusal| refusal.message)?;
        let [blob] = blobs;
        Ok(Some(Bundle {
            reference: reference.to_owned(),
            blob,
            csv,
        }))
    }
}

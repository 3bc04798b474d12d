//! Sources of template bundles, and their processing for the catalog.

use super::rendered::Bundle;
use crate::bundle::{self, Migration};
use crate::go_text::quote;
use serde_json::Value;

/// Looks up bundles that templates name.
pub trait Bundles {
    /// The rendered `olm.bundle` blob for an image or bundle name; `None` if it is unknown. The
    /// error says why a known bundle is unavailable.
    fn bundle(&self, reference: &str) -> Result<Option<Value>, String>;
}

/// How to treat unknown bundles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Fail, like `opm`.
    #[default]
    Refused,
    /// Render the rest and list the unknown ones.
    LeftOut,
}

/// A bundle source with the settings of one rendering.
pub(super) struct Source<'a> {
    bundles: &'a dyn Bundles,
    migration: Migration,
    missing: Missing,
    /// Distinct unknown references.
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

    /// The bundle of a reference, migrated; `None` if it is left out.
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

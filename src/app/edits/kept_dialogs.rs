//! Input of the dialogs for new catalogs and dropped bundles that were closed without applying:
//! restored when the same dialog opens in the same state. Like [`super::kept_forms`], which handles
//! the other forms.

use super::bundle_form_values::BundleValues;

/// Maximum number of dialogs stored per kind, the last closed ones.
const KEPT: usize = 16;

#[derive(Debug, Clone, Default)]
pub struct KeptDialogs {
    pub new_catalogs: KeptTexts<NewCatalogText>,
    pub bundles: KeptTexts<BundlesText>,
}

/// Initial and final state of each dialog.
#[derive(Debug, Clone)]
pub struct KeptTexts<T>(Vec<(T, T)>);

/// The input of the dialog for new catalogs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCatalogText {
    pub name: String,
    pub versions: String,
    pub layout: String,
    pub format: String,
    pub mode: String,
}

/// The input of the dialog for dropped bundles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundlesText {
    /// The dropped bundles, wherever they were dropped: the lane only affects the initial
    /// selection.
    pub names: Vec<String>,
    /// The name of the target catalog.
    pub catalog: String,
    pub values: BundleValues,
}

impl<T> Default for KeptTexts<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialEq> KeptTexts<T> {
    /// Stores input that differs from the initial state.
    pub fn keep(&mut self, opened: T, now: T) {
        self.0.retain(|(of, _)| *of != opened);
        if now == opened {
            return;
        }
        self.0.push((opened, now));
        if self.0.len() > KEPT {
            self.0.remove(0);
        }
    }

    /// Returns and removes the stored input of a dialog.
    pub fn take(&mut self, opened: &T) -> Option<T> {
        let at = self.0.iter().position(|(of, _)| of == opened)?;
        Some(self.0.remove(at).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundles(name: &str, image: Option<&str>) -> BundlesText {
        let values = BundleValues {
            image: image.map(str::to_owned),
            ..BundleValues::default()
        };
        BundlesText {
            names: vec![name.to_owned()],
            catalog: "c".to_owned(),
            values,
        }
    }

    #[test]
    fn values_are_restored_once_for_the_same_bundles() {
        let (opened, typed) = (
            bundles("p.v1", None),
            bundles("p.v1", Some("example.com/p:v1")),
        );
        let mut kept = KeptTexts::default();
        kept.keep(opened.clone(), typed.clone());
        assert_eq!(kept.take(&bundles("p.v2", None)), None);
        assert_eq!(kept.take(&opened), Some(typed));
        assert_eq!(kept.take(&opened), None, "it is in the dialog again");
    }

    #[test]
    fn an_unchanged_dialog_keeps_nothing() {
        let opened = bundles("p.v1", None);
        let mut kept = KeptTexts::default();
        kept.keep(opened.clone(), bundles("p.v1", Some("image")));
        kept.keep(opened.clone(), opened.clone());
        assert_eq!(kept.take(&opened), None);
    }

    #[test]
    fn the_oldest_of_many_dialogs_is_forgotten() {
        let mut kept = KeptTexts::default();
        for at in 0..=KEPT {
            kept.keep(at.to_string(), "typed".to_owned());
        }
        assert_eq!(kept.take(&"0".to_owned()), None);
        assert_eq!(kept.take(&"1".to_owned()).as_deref(), Some("typed"));
    }
}

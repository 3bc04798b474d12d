//! What sentences call a bundle: its version, with its name where several bundles of the package have that version.

use crate::hashed::{HashMap, HashSet};
use crate::place::Text;
use crate::upgrade::Installed;
use protocol::counting::first_of;
use std::borrow::Cow;
use std::sync::Arc;

/// The labels of one comparison, for the bundles of both states.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels {
    /// Versions that several names have, such as releases of one version.
    ambiguous: Arc<HashSet<Text>>,
}

impl Labels {
    pub(super) fn new<'i>(installed: impl Iterator<Item = &'i Installed>) -> Self {
        let mut names: HashMap<&Text, &Text> = HashMap::default();
        let mut ambiguous = HashSet::default();
        for one in installed.filter(|one| !one.version.is_empty()) {
            if *names.entry(&one.version).or_insert(&one.name) != &one.name {
                ambiguous.insert(one.version.clone());
            }
        }
        Self {
            ambiguous: Arc::new(ambiguous),
        }
    }

    /// `1.0.0`; `p-v1.0.0-2 (1.0.0)` where another bundle has that version; the name where there is no version.
    pub fn label<'i>(&self, installed: &'i Installed) -> Cow<'i, str> {
        let Installed { name, version, .. } = installed;
        if version.is_empty() {
            Cow::from(&**name)
        } else if self.ambiguous.contains(version) {
            Cow::from(format!("{name} ({version})"))
        } else {
            Cow::from(&**version)
        }
    }

    /// `A, B and 12 more`.
    pub(super) fn first(&self, installed: &[Installed], most: usize) -> String {
        first_of(installed.iter().map(|one| self.label(one)), most)
    }
}

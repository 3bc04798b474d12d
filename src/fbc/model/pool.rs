//! Interns equal texts of a file: names, kinds and versions repeat across channels and bundles.

use super::blob::Property;
use crate::hashed::HashSet;
use crate::place::Text;
use std::sync::Arc;

/// The interned texts and properties of one file.
#[derive(Debug, Default)]
pub struct Pool {
    texts: HashSet<Text>,
    properties: HashSet<Arc<Property>>,
}

impl Pool {
    pub fn text(&mut self, text: &str) -> Text {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let text = Text::from(text);
        self.texts.insert(text.clone());
        text
    }

    pub fn property(&mut self, property: Property) -> Arc<Property> {
        if let Some(known) = self.properties.get(&property) {
            return known.clone();
        }
        let property = Arc::new(property);
        self.properties.insert(property.clone());
        property
    }
}

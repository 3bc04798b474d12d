//! Text that could not be read, and hides what changed for users.

use super::Pair;
use crate::validate::{UnreadableText, describe_unreadable};
use catalog::Catalog;
use catalog::model::Package;

/// The unreadable text of two catalogs.
pub struct HiddenText<'a> {
    catalogs: [&'a Catalog; 2],
    old: UnreadableText<'a>,
    new: UnreadableText<'a>,
}

impl<'a> HiddenText<'a> {
    pub fn between(old: &'a Catalog, new: &'a Catalog) -> Self {
        Self {
            catalogs: [old, new],
            old: UnreadableText::in_catalog(old),
            new: UnreadableText::in_catalog(new),
        }
    }

    /// Returns why the package cannot be compared; `None` if it can.
    pub fn reason(&self, pair: &Pair<'_>) -> Option<String> {
        let [old_catalog, new_catalog] = self.catalogs;
        let old = pair.old.map(|package| (package, old_catalog));
        let new = pair.new.map(|package| (package, new_catalog));
        let near = |text: &UnreadableText<'_>, state: Option<(&Package, &Catalog)>| {
            let (package, catalog) = state?;
            text.near_any_part(package, catalog)
                .map(describe_unreadable)
        };
        let now = near(&self.new, new.or(old))
            .map(|text| format!("{text} cannot be read, so what this means for users is unknown"));
        now.or_else(|| {
            let text = near(&self.old, old.or(new))?;
            Some(format!(
                "{text} could not be read before, so what changes for users is unknown"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::compare::{ComparedCatalogs, Comparison, compare_catalogs};
    use catalog::index::index_bytes;
    use catalog::model::FileId;
    use catalog::{Catalog, Content, TreeEntry};
    use std::sync::Arc;

    const CHANNEL: &str =
        "---\nschema: olm.channel\npackage: p\nname: b\nentries: [{name: p.v1}]\n";

    fn catalog(files: &[(&str, String)]) -> Catalog {
        let entry = |(id, (path, text)): (usize, &(&str, String))| TreeEntry {
            id: FileId(id as u32),
            path: (*path).to_owned(),
            content: Content::Indexed(Arc::new(index_bytes(text.as_bytes()))),
        };
        Catalog::new("dir", files.iter().enumerate().map(entry).collect())
    }

    fn package(name: &str, last: &str) -> String {
        format!(
            "schema: olm.package\nname: {name}\ndefaultChannel: a\n---\nschema: olm.channel\npackage: {name}\nname: a\n\
             entries: [{{name: {name}.v1}}]\n---\nschema: olm.bundle\npackage: {name}\nname: {name}.v1\nimage: x/y:z\n\
             properties: [{{type: olm.package, value: {{packageName: {name}, version: 1.0.0}}}}]\n{last}"
        )
    }

    #[test]
    fn a_package_with_unreadable_text_on_one_side_is_not_compared() {
        let broken = CHANNEL.replace("entries: [", "entries: [[");
        let whole = catalog(&[
            ("p.yaml", package("p", CHANNEL)),
            ("q.yaml", package("q", "")),
        ]);
        let torn = catalog(&[
            ("p.yaml", package("p", &broken)),
            ("q.yaml", package("q", "")),
        ]);
        let headlines = |old, new| {
            let ComparedCatalogs { differing, same } = compare_catalogs(old, new);
            let headline = |comparison: &Comparison| {
                (comparison.table().headline(), comparison.count_affected())
            };
            let found: Vec<_> = differing
                .iter()
                .map(|(_, comparison)| headline(comparison))
                .collect();
            (found, same)
        };
        // The parser misses the bracket at the end of the text.
        let line = package("p", &broken).lines().count() + 1;
        let now = format!(
            "the document around line {line} of `p.yaml` cannot be read, so what this means for users is unknown"
        );
        assert_eq!(headlines(&whole, &torn), (vec![(now, 0)], 1));
        let before = format!(
            "the document around line {line} of `p.yaml` could not be read before, so what changes for users is unknown"
        );
        assert_eq!(headlines(&torn, &whole), (vec![(before, 0)], 1));
    }

    #[test]
    fn only_the_text_after_a_mistake_is_unreadable() {
        let channel = r#"{"schema": "olm.channel", "package": "p", "name": "a", "entries": [{"name": "p.v1"}]}"#;
        let json = |comma: &str| {
            let object = r#"{"schema": "olm.package", "name": "p", "defaultChannel": "a""#;
            catalog(&[("p/catalog.json", format!("{object}{comma}}}\n{channel}\n"))])
        };
        let (old, new) = (json(","), json(""));
        let ComparedCatalogs { differing, .. } = compare_catalogs(&old, &new);
        assert_eq!(
            differing[0].1.table().headline(),
            "the text after the object in line 1 of `p/catalog.json` could not be read before, so what changes for \
             users is unknown"
        );
    }
}

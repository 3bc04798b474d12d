//! Reads the content of a template document (`opm-semantics` 4): the blobs of a basic or
//! substitutes template, the streams of a semver one.
//!
//! Facts only, created with the document's other facts; `template` interprets them.

use super::blob::{Body, Semver, Substitutes, Substitution, Template, TemplateItem};
use super::lowering::Lowering;
use syntax::go_text::names_field;
use syntax::place::{Spanned, Text};
use syntax::scalar::{self, Typed};
use syntax::tree::NodeId;
use syntax::value::MapEntry;

/// Returns the template in a document; `None` for other documents. `item` converts a contained
/// blob.
pub fn lower<'a, 'p>(
    lowering: &mut Lowering<'a, 'p>,
    schema: &str,
    item: impl Fn(&mut Lowering<'a, 'p>, NodeId) -> TemplateItem,
) -> Option<Template> {
    let read_items = |lowering: &mut Lowering<'a, 'p>| -> Vec<TemplateItem> {
        let list = lowering.list("entries").into_iter();
        list.map(|node| item(lowering, node)).collect()
    };
    match schema {
        "olm.template.basic" => Some(Template::Basic(read_items(lowering))),
        "olm.template.substitutes" => {
            let items = read_items(lowering);
            Some(Template::Substitutes(Substitutes {
                items,
                substitutions: read_substitutions(lowering),
            }))
        }
        "olm.semver" => Some(Template::Semver(read_semver(lowering))),
        "olm.composite" | "olm.composite.catalogs" | "olm.template.composite" => {
            Some(Template::Composite)
        }
        "" => {
            let items = read_items(lowering);
            items
                .iter()
                .any(|item| !matches!(item.body, Body::Other(_) | Body::Unreadable))
                .then_some(Template::Basic(items))
        }
        _ => None,
    }
}

fn read_substitutions(lowering: &mut Lowering<'_, '_>) -> Vec<Substitution> {
    let view = lowering.view;
    let list = lowering.list("substitutions");
    list.into_iter()
        .map(|node| {
            let (fields, place) = (view.entries(node), view.place(node));
            let name = view.field(&fields, "name", place, lowering.pool);
            let base = view.field(&fields, "base", place, lowering.pool);
            Substitution { name, base, place }
        })
        .collect()
}

fn read_semver(lowering: &mut Lowering<'_, '_>) -> Semver {
    let view = lowering.view;
    let [major, minor] = ["generateMajorChannels", "generateMinorChannels"].map(|name| {
        let flag = view.field_value(&lowering.entries, name);
        flag.is_some_and(|node| {
            let flag = scalar::resolve(view.tree, view.text, node);
            matches!(flag, Ok(Some(Typed::Bool(true))))
        })
    });
    Semver {
        generate_major_channels: major,
        generate_minor_channels: minor || !major,
        candidate: read_images(lowering, "candidate"),
        fast: read_images(lowering, "fast"),
        stable: read_images(lowering, "stable"),
    }
}

fn read_images(lowering: &mut Lowering<'_, '_>, stream: &str) -> Vec<Spanned<Text>> {
    let view = lowering.view;
    let Some(stream) = view.field_value(&lowering.entries, stream) else {
        return Vec::new();
    };
    let fields = view.entries(stream);
    let lists = fields
        .iter()
        .filter(|field| names_field(&field.key, "bundles"));
    let bundles: Vec<NodeId> = lists
        .flat_map(|field| view.items(field.value_node))
        .collect();
    bundles
        .into_iter()
        .map(|bundle| {
            let fields: Vec<MapEntry<'_>> = view.entries(bundle);
            view.field(&fields, "image", view.place(bundle), lowering.pool)
        })
        .filter(|image| !image.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::index_bytes;

    fn template(text: &str) -> Option<Template> {
        match index_bytes(text.as_bytes()).blobs.into_iter().next()?.body {
            Body::Other(other) => other.template.as_deref().cloned(),
            _ => None,
        }
    }

    const BASIC: &str = "# top\nschema: olm.template.basic\nentries:\n- schema: olm.package\n  name: p\n  defaultChannel: a\n\
        - schema: olm.channel\n  package: p\n  name: a\n  entries:\n  - name: p.v1.0.0\n- schema: olm.bundle\n  image: q/p:v1\n";

    #[test]
    fn blobs_of_a_basic_template_have_places_in_the_document() {
        let basic = template(BASIC).expect("a template");
        assert_eq!(
            basic.packages().map(|name| &**name).collect::<Vec<_>>(),
            ["p"]
        );
        assert_eq!(
            basic
                .images()
                .iter()
                .map(|image| &***image)
                .collect::<Vec<_>>(),
            ["q/p:v1"]
        );
        let Body::Channel(channel) = &basic.items()[1].body else {
            panic!("no channel")
        };
        let place = channel.entries[0].name.place;
        assert_eq!(&BASIC[place.range()], "p.v1.0.0");
        assert_eq!((place.line, place.column), (10, 10));
    }

    #[test]
    fn the_schema_may_be_missing() {
        let raw = BASIC.replace("schema: olm.template.basic\n", "");
        assert_eq!(template(&raw).map(|t| t.items().len()), Some(3));
        assert_eq!(template("entries:\n- name: a\n"), None);
        assert_eq!(
            template("schema: acme\nentries:\n- schema: olm.package\n"),
            None
        );
    }

    #[test]
    fn substitutions_have_their_places() {
        let text = "schema: olm.template.substitutes\nentries: []\nsubstitutions:\n- name: q/p:v2\n  base: p.v1.0.0\n- 1\n";
        let Some(Template::Substitutes(read)) = template(text) else {
            panic!("no substitutes template")
        };
        let found: Vec<_> = read
            .substitutions
            .iter()
            .map(|s| (s.name.as_str(), s.base.as_str(), s.place.line))
            .collect();
        assert_eq!(found, [("q/p:v2", "p.v1.0.0", 3), ("", "", 5)]);
    }

    #[test]
    fn a_nested_template_is_not_a_template() {
        let text = "schema: olm.template.basic\nentries:\n- schema: olm.template.basic\n  entries: [{schema: olm.package}]\n- 1\n";
        let outer = template(text).expect("a template");
        assert!(matches!(&outer.items()[0].body, Body::Other(other) if other.template.is_none()));
        assert_eq!(outer.items()[1].faults[0].rule, "blob-not-object");
    }

    #[test]
    fn semver_streams_are_read_in_any_case() {
        let text = "Schema: olm.semver\nGenerateMajorChannels: true\nStable:\n  Bundles:\n  - Image: q/p:v1\n  - {image: q/p:v2}\n";
        let Some(Template::Semver(semver)) = template(text) else {
            panic!("no semver template")
        };
        assert!(semver.generate_major_channels && !semver.generate_minor_channels);
        assert_eq!(
            semver.stable.iter().map(|i| i.as_str()).collect::<Vec<_>>(),
            ["q/p:v1", "q/p:v2"]
        );
        let Some(Template::Semver(semver)) = template("schema: olm.semver\n") else {
            panic!("no semver template")
        };
        assert!(semver.generate_minor_channels, "opm's default");
    }
}

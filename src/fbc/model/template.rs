//! What a template document says (`opm-semantics` 4): the blobs inside a basic or substitutes template, the streams of a
//! semver one.
//!
//! Facts only, made with the document's other facts; what they mean beside a catalog is [`crate::template`]'s.

use super::blob::{Body, Fault};
use super::lower::{Lowering, Stands, lower_mapping};
use crate::go_text::names_field;
use crate::place::{Place, Spanned, Text};
use crate::syntax::scalar::{self, Typed};
use crate::syntax::tree::{Format, NodeId};
use crate::syntax::value::MapEntry;
use serde::{Deserialize, Serialize};

/// A document that a catalog is rendered from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Template {
    /// `olm.template.basic`, also where people leave out the schema: blobs, of which the bundles are only images.
    Basic(Vec<TemplateItem>),
    /// `olm.template.substitutes`: whole blobs, and bundles that take the place of others.
    Substitutes(Vec<TemplateItem>),
    /// `olm.semver`: images by how far one may trust them; the channels follow from the versions.
    Semver(Semver),
    /// `olm.composite` and its kind: names catalogs and the templates that go into them.
    Composite,
}

/// One of a template's `entries`, at its position in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateItem {
    /// Places are relative to the document.
    pub body: Body,
    pub faults: Vec<Fault>,
    pub place: Place,
}

/// What a semver template says, with `opm`'s defaults filled in.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Semver {
    pub generate_major_channels: bool,
    pub generate_minor_channels: bool,
    /// `major` or `minor`, as written; "" when it is not said.
    pub default_channel_type_preference: Text,
    pub candidate: Vec<Spanned<Text>>,
    pub fast: Vec<Spanned<Text>>,
    pub stable: Vec<Spanned<Text>>,
}

impl Template {
    /// The blobs inside; none for what holds no blobs.
    pub fn items(&self) -> &[TemplateItem] {
        match self {
            Template::Basic(items) | Template::Substitutes(items) => items,
            Template::Semver(_) | Template::Composite => &[],
        }
    }

    /// Images of the bundles that it is rendered with.
    pub fn images(&self) -> Vec<&Text> {
        let spoken = |image: &Text| !image.is_empty();
        match self {
            Template::Basic(items) | Template::Substitutes(items) => items
                .iter()
                .filter_map(|item| match &item.body {
                    Body::Bundle(bundle) => Some(&bundle.image.value).filter(|image| spoken(image)),
                    _ => None,
                })
                .collect(),
            Template::Semver(semver) => {
                semver.streams().into_iter().flat_map(|(_, images)| images).map(|image| &image.value).collect()
            }
            Template::Composite => Vec::new(),
        }
    }

    /// Names that its `olm.package` blobs define.
    pub fn packages(&self) -> impl Iterator<Item = &Text> {
        self.items().iter().filter_map(|item| match &item.body {
            Body::Package(package) => Some(&package.name.value).filter(|name| !name.is_empty()),
            _ => None,
        })
    }
}

impl Semver {
    /// Candidate, fast and stable, with their images.
    pub fn streams(&self) -> [(&'static str, &[Spanned<Text>]); 3] {
        [("candidate", &self.candidate), ("fast", &self.fast), ("stable", &self.stable)]
    }
}

/// The template that a document is; `None` for any other document.
pub(super) fn lower(lowering: &mut Lowering<'_, '_>, schema: &str, format: Format) -> Option<Template> {
    match schema {
        "olm.template.basic" => Some(Template::Basic(items(lowering, format))),
        "olm.template.substitutes" => Some(Template::Substitutes(items(lowering, format))),
        "olm.semver" => Some(Template::Semver(semver(lowering))),
        "olm.composite" | "olm.composite.catalogs" | "olm.template.composite" => Some(Template::Composite),
        "" => {
            let items = items(lowering, format);
            let is_known = |item: &TemplateItem| !matches!(item.body, Body::Other(_) | Body::Unreadable);
            items.iter().any(is_known).then_some(Template::Basic(items))
        }
        _ => None,
    }
}

fn items(lowering: &mut Lowering<'_, '_>, format: Format) -> Vec<TemplateItem> {
    let view = lowering.view;
    let lower = |item: NodeId| {
        let (body, faults) = lower_mapping(view, item, format, lowering.pool, Stands::InTemplate);
        TemplateItem { body, faults, place: view.place(item) }
    };
    let list = view.value(&lowering.entries, "entries");
    list.map_or_else(Vec::new, |list| view.items(list).map(lower).collect())
}

fn semver(lowering: &mut Lowering<'_, '_>) -> Semver {
    let flag = |name: &str| {
        let node = lowering.view.value(&lowering.entries, name)?;
        match scalar::resolve(lowering.view.tree, lowering.view.text, node) {
            Ok(Some(Typed::Bool(flag))) => Some(flag),
            _ => None,
        }
    };
    let major = flag("generateMajorChannels").unwrap_or_default();
    let minor = flag("generateMinorChannels").unwrap_or_default();
    Semver {
        generate_major_channels: major,
        generate_minor_channels: minor || !major,
        default_channel_type_preference: lowering.field("defaultChannelTypePreference").value,
        candidate: images(lowering, "candidate"),
        fast: images(lowering, "fast"),
        stable: images(lowering, "stable"),
    }
}

/// The images of one stream.
fn images(lowering: &mut Lowering<'_, '_>, stream: &str) -> Vec<Spanned<Text>> {
    let view = lowering.view;
    let Some(stream) = view.value(&lowering.entries, stream) else { return Vec::new() };
    let fields = view.entries(stream);
    let lists = fields.iter().filter(|field| names_field(&field.key, "bundles"));
    let bundles: Vec<NodeId> = lists.flat_map(|field| view.items(field.value_node)).collect();
    let image = |bundle: NodeId| {
        let fields: Vec<MapEntry<'_>> = view.entries(bundle);
        view.field(&fields, "image", view.place(bundle), lowering.pool)
    };
    bundles.into_iter().map(image).filter(|image| !image.is_empty()).collect()
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
    fn the_blobs_of_a_basic_template_have_their_places_in_the_document() {
        let basic = template(BASIC).expect("a template");
        assert_eq!(basic.packages().map(|name| &**name).collect::<Vec<_>>(), ["p"]);
        assert_eq!(basic.images().iter().map(|image| &***image).collect::<Vec<_>>(), ["q/p:v1"]);
        let Body::Channel(channel) = &basic.items()[1].body else { panic!("no channel") };
        let place = channel.entries[0].name.place;
        assert_eq!(&BASIC[place.range()], "p.v1.0.0");
        assert_eq!((place.line, place.column), (10, 10));
    }

    #[test]
    fn the_schema_may_be_missing() {
        let raw = BASIC.replace("schema: olm.template.basic\n", "");
        assert_eq!(template(&raw).map(|t| t.items().len()), Some(3));
        assert_eq!(template("entries:\n- name: a\n"), None);
        assert_eq!(template("schema: acme\nentries:\n- schema: olm.package\n"), None);
    }

    #[test]
    fn a_template_in_a_template_is_no_template() {
        let text = "schema: olm.template.basic\nentries:\n- schema: olm.template.basic\n  entries: [{schema: olm.package}]\n- 1\n";
        let outer = template(text).expect("a template");
        assert!(matches!(&outer.items()[0].body, Body::Other(other) if other.template.is_none()));
        assert_eq!(outer.items()[1].faults[0].rule, "blob-not-object");
    }

    #[test]
    fn semver_streams_are_read_in_any_case() {
        let text = "Schema: olm.semver\nGenerateMajorChannels: true\nStable:\n  Bundles:\n  - Image: q/p:v1\n  - {image: q/p:v2}\n";
        let Some(Template::Semver(semver)) = template(text) else { panic!("no semver template") };
        assert!(semver.generate_major_channels && !semver.generate_minor_channels);
        assert_eq!(semver.stable.iter().map(|i| i.as_str()).collect::<Vec<_>>(), ["q/p:v1", "q/p:v2"]);
        let Some(Template::Semver(semver)) = template("schema: olm.semver\n") else { panic!("no semver template") };
        assert!(semver.generate_minor_channels, "opm's default");
    }
}

//! Finds the template line that produced an object of its catalog.
//!
//! Basic and substitutes templates name most objects; a semver template only names images, so a
//! channel maps to its list, and an entry to its bundle's image. Uses facts only; renders nothing.

use super::render::semver::ARCHETYPES;
use catalog::model::{Body, ChannelBlob, Semver, Template, TemplateItem};
use syntax::place::{Place, Spanned, Text};

/// An object of a rendered catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenderedItem<'a> {
    /// By name.
    Package(&'a str),
    Channel {
        package: &'a str,
        channel: &'a str,
    },
    /// `reference`: the reference of its bundle, if it has one.
    Entry {
        package: &'a str,
        channel: &'a str,
        name: &'a str,
        reference: Option<&'a str>,
    },
    /// `reference`: as for an entry.
    Bundle {
        name: &'a str,
        reference: Option<&'a str>,
    },
}

/// Returns the position in the template's document; `None` if no line names the object.
pub fn find_item(template: &Template, item: RenderedItem<'_>) -> Option<Place> {
    match template {
        Template::Basic(items) => find_in_items(items, item),
        Template::Substitutes(substitutes) => match item {
            RenderedItem::Entry {
                reference: Some(reference),
                ..
            }
            | RenderedItem::Bundle {
                reference: Some(reference),
                ..
            } => {
                let mut substitutions = substitutes.substitutions.iter();
                substitutions
                    .find(|substitution| substitution.name.as_str() == reference)
                    .map(|substitution| substitution.place)
            }
            item => find_in_items(&substitutes.items, item),
        },
        Template::Semver(semver) => find_in_lists(semver, item),
        Template::Composite => None,
    }
}

/// Returns the positions at which a template names a bundle by this reference, in order.
pub fn find_reference(template: &Template, reference: &str) -> Vec<Place> {
    let named = named_references(template).into_iter();
    named
        .filter(|named| named.reference == reference)
        .map(|named| named.place)
        .collect()
}

/// Returns the references of all bundles that a template is rendered with, including duplicates.
pub fn references(template: &Template) -> Vec<&str> {
    let named = named_references(template).into_iter();
    named.map(|named| named.reference).collect()
}

/// The name of a bundle in a template, and where it is written.
struct NamedReference<'a> {
    reference: &'a str,
    place: Place,
}

impl<'a> From<&'a Spanned<Text>> for NamedReference<'a> {
    fn from(written: &'a Spanned<Text>) -> Self {
        Self {
            reference: written.as_str(),
            place: written.place,
        }
    }
}

fn named_references(template: &Template) -> Vec<NamedReference<'_>> {
    match template {
        Template::Basic(items) => images(items).collect(),
        Template::Substitutes(substitutes) => substitutes
            .substitutions
            .iter()
            .map(|substitution| NamedReference::from(&substitution.name))
            .collect(),
        Template::Semver(semver) => semver
            .streams()
            .into_iter()
            .flat_map(|(_, images)| images)
            .map(NamedReference::from)
            .collect(),
        Template::Composite => Vec::new(),
    }
}

/// Returns the list behind a semver channel's name: `candidate`, `fast` or `stable`.
pub fn list_of_channel(channel: &str) -> Option<&'static str> {
    let (list, version) = channel.rsplit_once("-v")?;
    let is_version = !version.is_empty()
        && version
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    ARCHETYPES
        .into_iter()
        .find(|known| is_version && *known == list)
}

fn images(items: &[TemplateItem]) -> impl Iterator<Item = NamedReference<'_>> {
    items.iter().filter_map(|item| match &item.body {
        Body::Bundle(bundle) if !bundle.image.is_empty() => Some((&bundle.image).into()),
        _ => None,
    })
}

fn channels(items: &[TemplateItem]) -> impl Iterator<Item = &ChannelBlob> {
    items.iter().filter_map(|item| match &item.body {
        Body::Channel(channel) => Some(&**channel),
        _ => None,
    })
}

fn channels_named<'a>(
    items: &'a [TemplateItem],
    package: &str,
    name: &str,
) -> impl Iterator<Item = &'a ChannelBlob> {
    channels(items)
        .filter(move |channel| channel.package.as_str() == package && channel.name.as_str() == name)
}

fn find_entry<'a>(channels: impl Iterator<Item = &'a ChannelBlob>, name: &str) -> Option<Place> {
    channels
        .flat_map(|channel| &channel.entries)
        .find(|entry| entry.name.as_str() == name)
        .map(|entry| entry.place)
}

fn find_in_items(items: &[TemplateItem], item: RenderedItem<'_>) -> Option<Place> {
    match item {
        RenderedItem::Package(name) => items.iter().find_map(|item| match &item.body {
            Body::Package(package) if package.name.as_str() == name => Some(package.place),
            _ => None,
        }),
        RenderedItem::Channel { package, channel } => channels_named(items, package, channel)
            .next()
            .map(|channel| channel.place),
        RenderedItem::Entry {
            package,
            channel,
            name,
            ..
        } => find_entry(channels_named(items, package, channel), name),
        RenderedItem::Bundle { name, reference } => {
            let by_image = reference
                .and_then(|reference| images(items).find(|image| image.reference == reference));
            by_image
                .map(|image| image.place)
                .or_else(|| {
                    items.iter().find_map(|item| match &item.body {
                        Body::Bundle(bundle) if bundle.name.as_str() == name => Some(bundle.place),
                        _ => None,
                    })
                })
                .or_else(|| find_entry(channels(items), name))
        }
    }
}

/// A channel maps to the first image of its list, an entry or bundle to its image.
fn find_in_lists(semver: &Semver, item: RenderedItem<'_>) -> Option<Place> {
    match item {
        RenderedItem::Package(_) => first_image(semver, |_, _| true),
        RenderedItem::Channel { channel, .. } => {
            let channel_list = list_of_channel(channel)?;
            first_image(semver, |list, _| list == channel_list)
        }
        RenderedItem::Entry {
            channel, reference, ..
        } => {
            let (channel_list, reference) = (list_of_channel(channel)?, reference?);
            first_image(semver, |list, image| {
                list == channel_list && image == reference
            })
        }
        RenderedItem::Bundle { reference, .. } => {
            let reference = reference?;
            first_image(semver, |_, image| image == reference)
        }
    }
}

/// Returns the position of the first image that matches, with its list.
fn first_image(semver: &Semver, is_match: impl Fn(&str, &str) -> bool) -> Option<Place> {
    semver.streams().into_iter().find_map(|(list, images)| {
        let image = images.iter().find(|image| is_match(list, image.as_str()))?;
        Some(image.place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template_of_file;
    use catalog::index::index_bytes;

    /// Returns the text that produced the object.
    fn source_text<'t>(text: &'t str, item: RenderedItem<'_>) -> Option<&'t str> {
        let index = index_bytes(text.as_bytes());
        find_item(template_of_file(&index).expect("a template"), item)
            .map(|place| text[place.range()].trim_end())
    }

    fn entry<'a>(channel: &'a str, name: &'a str, reference: Option<&'a str>) -> RenderedItem<'a> {
        RenderedItem::Entry {
            package: "p",
            channel,
            name,
            reference,
        }
    }

    #[test]
    fn a_basic_template_names_entries_and_images() {
        let text = "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: p}\n- {schema: olm.channel, package: p, \
            name: a, entries: [{name: p.v1}, {name: p.v2, replaces: p.v1}]}\n- {schema: olm.bundle, image: q/p:v2}\n";
        assert_eq!(
            source_text(text, entry("a", "p.v2", Some("q/p:v2"))),
            Some("{name: p.v2, replaces: p.v1}")
        );
        assert_eq!(
            source_text(
                text,
                RenderedItem::Bundle {
                    name: "p.v2",
                    reference: Some("q/p:v2")
                }
            ),
            Some("q/p:v2")
        );
        assert_eq!(
            source_text(
                text,
                RenderedItem::Bundle {
                    name: "p.v1",
                    reference: None
                }
            ),
            Some("{name: p.v1}"),
            "not found yet"
        );
        assert_eq!(
            source_text(text, RenderedItem::Package("p")),
            Some("{schema: olm.package, name: p}")
        );
        assert_eq!(source_text(text, entry("b", "p.v2", None)), None);
    }

    #[test]
    fn an_entry_of_a_semver_template_is_its_image_in_the_channels_list() {
        let text = "schema: olm.semver\nfast: {bundles: [{image: q/p:v1}, {image: q/p:v2}]}\nstable: {bundles: [{image: q/p:v1}]}\n";
        let at = |item| {
            let index = index_bytes(text.as_bytes());
            find_item(template_of_file(&index).expect("a template"), item)
                .map(|place| (place.line, place.column))
        };
        assert_eq!(
            at(entry("stable-v1.0", "p.v1", Some("q/p:v1"))),
            Some((2, 27))
        );
        assert_eq!(at(entry("fast-v1", "p.v1", Some("q/p:v1"))), Some((1, 25)));
        assert_eq!(
            at(RenderedItem::Channel {
                package: "p",
                channel: "stable-v1"
            }),
            Some((2, 27))
        );
        assert_eq!(at(entry("odd", "p.v1", Some("q/p:v1"))), None);
    }

    #[test]
    fn a_substitute_is_made_by_its_substitution() {
        let text = "schema: olm.template.substitutes\nentries:\n- {schema: olm.channel, package: p, name: a, entries: [{name: p.v1}]}\n\
            substitutions:\n- {name: q/p:v1-1, base: p.v1}\n";
        let new = "{name: q/p:v1-1, base: p.v1}";
        assert_eq!(
            source_text(text, entry("a", "p.v1-1", Some("q/p:v1-1"))),
            Some(new)
        );
        assert_eq!(
            source_text(text, entry("a", "p.v1", None)),
            Some("{name: p.v1}")
        );
    }
}

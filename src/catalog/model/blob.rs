//! The facts of each blob, which indexers send to the session as postcard bytes: serde attributes
//! that need a self-describing format are forbidden.

use protocol::enum_with_text;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use syntax::place::{Place, Spanned, Text};
use syntax::tree::Format;

/// Annotations of a ClusterServiceVersion.
pub const CREATED_AT: &str = "createdAt";
pub const SUBSTITUTES_FOR: &str = "olm.substitutesFor";
pub const SKIP_RANGE: &str = "olm.skipRange";

/// All facts about one file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FileIndex {
    /// Length of the file in bytes.
    pub size: u64,
    /// Blobs in file order. They do not overlap; separators and comments between them belong to
    /// none.
    pub blobs: Vec<Blob>,
    /// The first unreadable blob, cached because every answer reports such files.
    unreadable: Option<u32>,
    /// Indices of blobs with an unknown schema and without a package.
    without_package: Vec<u32>,
}

impl FileIndex {
    pub fn new(size: u64, blobs: Vec<Blob>) -> Self {
        let mut unreadable = None;
        let mut without_package = Vec::new();
        for (index, blob) in (0..).zip(&blobs) {
            match &blob.body {
                Body::Unreadable => unreadable = unreadable.or(Some(index)),
                Body::Other(other) if other.package.is_empty() => without_package.push(index),
                _ => {}
            }
        }
        Self {
            size,
            blobs,
            unreadable,
            without_package,
        }
    }

    /// Blobs with an unknown schema and without a package, with their indices.
    pub fn blobs_without_package(&self) -> impl Iterator<Item = (u32, &OtherBlob)> {
        self.without_package.iter().filter_map(|&index| {
            match &self.blobs.get(index as usize)?.body {
                Body::Other(other) => Some((index, &**other)),
                _ => None,
            }
        })
    }

    pub fn unreadable(&self) -> Option<&Blob> {
        self.blobs.get(self.unreadable? as usize)
    }

    /// Whether `opm` refuses to load the file.
    pub fn has_faults(&self) -> bool {
        self.blobs.iter().any(|blob| !blob.faults.is_empty())
    }
}

/// One YAML document or JSON object: its position and content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Blob {
    /// First byte in the file: of the document's chunk (after its `---` line) or of the JSON value.
    pub start: u64,
    pub end: u64,
    /// Line of `start` in the file, from 0.
    pub line: u32,
    /// Column of `start` on that line, from 0 (only nonzero for JSON objects that share a line).
    pub column: u32,
    pub format: Format,
    pub body: Body,
    /// `opm`'s refusals while loading this blob, in order: it reports the first one. A blob with a
    /// fault still has all readable facts.
    pub faults: Box<[Fault]>,
    /// Why `opm` ignores the text after this blob, without an error. Only the last blob of a file
    /// can have it.
    pub ignored_text: Option<Box<Fault>>,
}

/// A refusal that depends on one blob alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Rule id of `opm-semantics` sections 1 and 2.
    pub rule: Cow<'static, str>,
    /// `opm`'s literal message, without the command's prefix.
    pub opm: String,
    /// Our description of the problem.
    pub message: String,
    /// May be empty.
    pub help: String,
    pub place: Place,
    /// The intended text, if it is certain.
    pub correction: Option<Box<Correction>>,
}

/// An unambiguous correction of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    pub title: String,
    /// In text order, without overlaps.
    pub rewrites: Vec<Rewrite>,
}

/// A replacement of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewrite {
    pub place: Place,
    /// The text as written, which is replaced.
    pub was: String,
    pub meant: String,
}

/// A mistake in a property that `opm` accepts or reports in other words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownMistake {
    /// The property's index in the list.
    pub property: u32,
    /// Inside the property.
    pub place: Place,
    /// The hint.
    pub help: String,
    pub correction: Option<Correction>,
}

/// `dependencies` in a bundle blob: they belong in the bundle's own `dependencies.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MisplacedDependencies {
    /// The position of the key.
    pub place: Place,
    /// The equivalent properties; empty if some of them are not understood.
    pub properties: Vec<Property>,
    /// The edit that removes them; `None` if they share lines with other content.
    pub removal: Option<Rewrite>,
}

/// The facts by schema. Shared, so that packages can be assembled without copying.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Body {
    Package(Arc<PackageBlob>),
    Channel(Arc<ChannelBlob>),
    Bundle(Arc<BundleBlob>),
    Deprecations(Arc<DeprecationsBlob>),
    /// Any other schema; kept verbatim in the file, never validated beyond the blob rules.
    Other(Arc<OtherBlob>),
    /// An unreadable blob; [`Blob::faults`] has the reason.
    Unreadable,
}

impl Body {
    /// Returns the package that the blob names, which may be "".
    pub fn package(&self) -> Option<&Text> {
        match self {
            Body::Package(b) => Some(&b.name.value),
            Body::Channel(b) => Some(&b.package.value),
            Body::Bundle(b) => Some(&b.package.value),
            Body::Deprecations(b) => Some(&b.package.value),
            Body::Other(b) => Some(&b.package.value),
            Body::Unreadable => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PackageBlob {
    pub name: Spanned<Text>,
    pub default_channel: Spanned<Text>,
    pub has_icon: bool,
    pub has_description: bool,
    /// The first property without a type or a valid value, with the reason. `opm` never checks the
    /// properties of packages.
    pub improper: Option<Box<Spanned<Text>>>,
    /// The whole mapping.
    pub place: Place,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ChannelBlob {
    pub package: Spanned<Text>,
    pub name: Spanned<Text>,
    pub entries: Vec<Entry>,
    /// Keys of entries that `opm` ignores or reads twice, in order.
    pub odd_keys: Box<[OddKey]>,
    /// See [`PackageBlob::improper`].
    pub improper: Option<Box<Spanned<Text>>>,
    pub place: Place,
}

impl ChannelBlob {
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.name.as_str() == name)
    }

    pub fn has_entry(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }
}

/// A key of a channel entry that does not have the expected effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OddKey {
    pub entry: u32,
    /// The key as written, with its position.
    pub key: Spanned<Text>,
    pub problem: OddKeyProblem,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OddKeyProblem {
    /// `opm` does not know the key, which is similar to `meant`.
    Misspelt {
        meant: Text,
        correction: Option<Correction>,
    },
    /// `opm` does not know the key, and no field is similar.
    Unknown,
    /// `opm` reads another key of the entry into the field.
    Overridden { by: Text },
}

/// An entry of a channel. Absent and empty fields are both "".
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Entry {
    pub name: Spanned<Text>,
    pub replaces: Spanned<Text>,
    pub skips: Vec<Spanned<Text>>,
    pub skip_range: Spanned<Text>,
    pub place: Place,
}

impl Entry {
    /// Iterates over the names that the entry replaces or skips; the first is "" if it replaces
    /// none.
    pub fn targets(&self) -> impl Iterator<Item = &Spanned<Text>> {
        std::iter::once(&self.replaces).chain(&self.skips)
    }

    pub fn has_skip(&self, name: &str) -> bool {
        self.skips.iter().any(|skip| skip.as_str() == name)
    }

    /// Whether a later listing of the entry adds no edge.
    pub fn covers(&self, other: &Entry) -> bool {
        let has = |own: &Spanned<Text>, other: &Spanned<Text>| {
            other.is_empty() || own.value == other.value
        };
        has(&self.replaces, &other.replaces)
            && has(&self.skip_range, &other.skip_range)
            && other.skips.iter().all(|skip| self.has_skip(skip.as_str()))
    }

    pub fn has_same_edges(&self, other: &Entry) -> bool {
        let [skips, other_skips] = [self, other].map(|entry| entry.skips.iter().map(|s| &s.value));
        self.replaces.value == other.replaces.value
            && self.skip_range.value == other.skip_range.value
            && skips.eq(other_skips)
    }
}

/// An `olm.bundle` blob: the facts that validation, graph and resolution need. Everything else is
/// read again from the text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BundleBlob {
    pub package: Spanned<Text>,
    pub name: Spanned<Text>,
    pub image: Spanned<Text>,
    /// Types of all properties in order, with the small values that later checks need.
    pub properties: Vec<PropertyFact>,
    /// The values of all `olm.package` properties, in order.
    pub package_properties: Vec<PackageProperty>,
    /// Why the first `olm.package` property does not decode, in Go's wording: OLM v1 cannot read
    /// such a bundle at all.
    pub package_fault: Option<Box<Text>>,
    /// The first property that does not decode (`bundle-properties-parse`), with `opm`'s message.
    pub properties_fault: Option<Box<Fault>>,
    /// The first property without a type or value, with the reason; `opm` accepts both.
    pub improper: Option<Box<Spanned<Text>>>,
    /// The first related image that is not a pull spec (`related-image-pullspec`).
    pub related_image_fault: Option<Box<Fault>>,
    pub related_images: u32,
    /// Whether it has an `olm.bundle.object`, which counts as "has objects" for rule
    /// `bundle-image`.
    pub has_objects: bool,
    /// Whether one of its objects is a ClusterServiceVersion.
    pub embeds_csv: bool,
    /// `displayName` in the first `olm.csv.metadata`; "" if absent.
    pub display_name: Text,
    /// `minKubeVersion` in the first `olm.csv.metadata` that has one, else in the embedded
    /// ClusterServiceVersion, as written; "" if absent.
    pub min_kube_version: Text,
    /// The annotation `createdAt` in the first `olm.csv.metadata` that has it, else in the embedded
    /// ClusterServiceVersion, as written; "" if absent.
    pub created: Text,
    /// Why OLM v1 refuses to install the bundle, based on its `olm.csv.metadata` or embedded
    /// ClusterServiceVersion.
    pub unsupported_by_v1: Option<UnsupportedByV1>,
    /// Whether the annotation `olm.substitutesFor` is present (`opm-semantics` 2.6).
    pub substitutes_for: bool,
    /// The annotation `olm.skipRange` in the first `olm.csv.metadata` that has it, else in the
    /// embedded ClusterServiceVersion. It has no effect in a catalog.
    pub csv_skip_range: Option<Box<Text>>,
    /// Boxed because it is rarely set.
    pub mistakes: Option<Box<Mistakes>>,
    pub place: Place,
}

enum_with_text! {
    /// Returns OLM v1's literal error.
    pub fn olm_text;
    /// Bundles that OLM v1 resolves but refuses to install.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum UnsupportedByV1 {
        OwnedApiServices = "unsupported bundle: apiServiceDefintions are not supported",
        NotAllNamespaces = "unsupported bundle: bundle does not support AllNamespaces install mode",
    }
}

/// Known mistakes of a bundle that `opm` accepts or reports in other words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mistakes {
    /// Mistakes in its properties, in text order.
    pub known_mistakes: Vec<KnownMistake>,
    pub dependencies: Option<MisplacedDependencies>,
    /// `olm.bundle.object` properties without a manifest.
    pub objects: Vec<ObjectMistake>,
    /// An empty `olm.csv.metadata` value.
    pub empty_metadata: Option<Place>,
    /// Mistakes in related images, in order; the first invalid pull spec is only in
    /// [`BundleBlob::related_image_fault`].
    pub related_images: Vec<RelatedImageMistake>,
}

/// An `olm.bundle.object` without a manifest, which `opm` accepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectMistake {
    /// Its index among the bundle's properties.
    pub property: u32,
    pub place: Place,
    pub problem: ObjectProblem,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObjectProblem {
    /// `ref` names a file, and `data` is absent.
    Reference(String),
    /// `data` is absent or empty.
    NoData,
    /// The data is not an object with `apiVersion` and `kind`.
    NoManifest,
}

/// A mistake in an item of `relatedImages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedImageMistake {
    /// Its index in the list.
    pub item: u32,
    /// The item's `name`; "" if absent.
    pub name: Text,
    /// As written; "" if absent.
    pub image: Spanned<Text>,
    pub problem: RelatedImageProblem,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RelatedImageProblem {
    /// Not a pull spec, with the reason.
    Invalid(String),
    /// No image; if another key contains it, the rewrite of that key to `image`.
    Missing(Option<Rewrite>),
    /// Neither tag nor digest.
    Loose,
    TagAndDigest,
}

impl BundleBlob {
    pub fn has_property(&self, kind: &str) -> bool {
        self.properties
            .iter()
            .any(|property| *property.kind == *kind)
    }

    /// Mistakes in its properties, in text order.
    pub fn known_mistakes(&self) -> &[KnownMistake] {
        self.mistakes
            .as_ref()
            .map_or(&[], |mistakes| &mistakes.known_mistakes)
    }

    /// Mistakes in its related images, in order.
    pub fn related_image_mistakes(&self) -> &[RelatedImageMistake] {
        self.mistakes
            .as_ref()
            .map_or(&[], |mistakes| &mistakes.related_images)
    }
}

/// A property of a bundle: its value ([`Property`], by deref) and position. Most bundles of a
/// package have equal properties, so values are shared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyFact {
    pub property: Arc<Property>,
    /// First byte of the property in the blob, and its line, as in [`Place`].
    pub start: u32,
    pub line: u32,
}

/// Type and value of a property.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Property {
    pub kind: Text,
    /// Canonical compact JSON of the value: complete for requirements, constraints, GVKs and
    /// labels, otherwise up to 1 kB. `None` for larger ones, `olm.csv.metadata`,
    /// `olm.bundle.object`, and `olm.package`, which is in [`BundleBlob::package_properties`].
    pub value: Option<Text>,
}

impl std::ops::Deref for PropertyFact {
    type Target = Property;

    fn deref(&self) -> &Property {
        &self.property
    }
}

/// The value of an `olm.package` property.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PackageProperty {
    pub package_name: Spanned<Text>,
    pub version: Spanned<Text>,
    /// `None` if absent or null, which differs from "" in OLM v1 with the gate
    /// BundleReleaseSupport.
    pub release: Option<Spanned<Text>>,
}

impl PackageProperty {
    /// Returns the release; "" if absent.
    pub fn release(&self) -> &str {
        self.release.as_ref().map_or("", Spanned::as_str)
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DeprecationsBlob {
    pub package: Spanned<Text>,
    pub entries: Vec<DeprecationEntry>,
    pub place: Place,
}

/// One deprecation: a reference and its message.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DeprecationEntry {
    pub schema: Spanned<Text>,
    pub name: Spanned<Text>,
    pub message: Spanned<Text>,
    pub place: Place,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OtherBlob {
    pub schema: Spanned<Text>,
    pub package: Spanned<Text>,
    pub name: Spanned<Text>,
    /// The content, if it is a template. A catalog treats it as any other blob.
    pub template: Option<Box<Template>>,
    /// If the schema looks like that of deprecations: the content read as deprecations, or `opm`'s
    /// error.
    pub deprecations: Option<Box<Result<DeprecationsBlob, Text>>>,
    pub place: Place,
}

/// A document that a catalog is rendered from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Template {
    /// `olm.template.basic`, or without a schema: blobs in which bundles are only images.
    Basic(Vec<TemplateItem>),
    /// `olm.template.substitutes`: whole blobs, and bundles that replace others.
    Substitutes(Substitutes),
    /// `olm.semver`: images by stability; the channels follow from the versions.
    Semver(Semver),
    /// `olm.composite` and related kinds: name catalogs and their templates.
    Composite,
}

/// An item of a template's `entries`, by index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateItem {
    /// Positions are relative to the document.
    pub body: Body,
    pub faults: Vec<Fault>,
    pub place: Place,
}

/// The content of a substitutes template.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Substitutes {
    pub items: Vec<TemplateItem>,
    pub substitutions: Vec<Substitution>,
}

/// A bundle that replaces another.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Substitution {
    /// The new bundle: an image, or a name.
    pub name: Spanned<Text>,
    /// Name of the replaced bundle.
    pub base: Spanned<Text>,
    pub place: Place,
}

/// The content of a semver template, with `opm`'s defaults filled in.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Semver {
    pub generate_major_channels: bool,
    pub generate_minor_channels: bool,
    pub candidate: Vec<Spanned<Text>>,
    pub fast: Vec<Spanned<Text>>,
    pub stable: Vec<Spanned<Text>>,
}

impl Template {
    /// Returns the contained blobs; empty for types without blobs.
    pub fn items(&self) -> &[TemplateItem] {
        match self {
            Template::Basic(items) | Template::Substitutes(Substitutes { items, .. }) => items,
            Template::Semver(_) | Template::Composite => &[],
        }
    }

    pub fn images(&self) -> Vec<&Text> {
        if let Template::Semver(semver) = self {
            let images = semver.streams().into_iter().flat_map(|(_, images)| images);
            return images.map(|image| &image.value).collect();
        }
        let images = self.items().iter().filter_map(|item| match &item.body {
            Body::Bundle(bundle) => Some(&bundle.image.value),
            _ => None,
        });
        images.filter(|image| !image.is_empty()).collect()
    }

    /// Iterates over the names that its `olm.package` blobs define.
    pub fn packages(&self) -> impl Iterator<Item = &Text> {
        self.items().iter().filter_map(|item| match &item.body {
            Body::Package(package) => Some(&package.name.value).filter(|name| !name.is_empty()),
            _ => None,
        })
    }
}

impl Semver {
    /// Returns the streams candidate, fast and stable with their images.
    pub fn streams(&self) -> [(&'static str, &[Spanned<Text>]); 3] {
        [
            ("candidate", &self.candidate),
            ("fast", &self.fast),
            ("stable", &self.stable),
        ]
    }
}

impl BundleBlob {
    /// Returns the date of [`BundleBlob::created`] if it is in ISO 8601 (`2021-07-05T12:03:14Z`,
    /// `2021-07-05 12:03:14`), else the text as written.
    pub fn created_date(&self) -> &str {
        iso_date(&self.created).unwrap_or(&self.created)
    }

    /// Whether the bundle requires other bundles.
    pub fn has_requirements(&self) -> bool {
        self.properties.iter().any(|property| {
            matches!(
                &*property.kind,
                "olm.gvk.required"
                    | "olm.package.required"
                    | "olm.label.required"
                    | "olm.constraint"
            )
        })
    }
}

fn iso_date(text: &str) -> Option<&str> {
    let (date, time) = text.split_at_checked(10)?;
    let number = |range: std::ops::Range<usize>| -> Option<u32> {
        let digits = date.get(range)?;
        let is_number = digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse().ok().filter(|_| is_number)
    };
    number(0..4)?;
    let (month, day) = (number(5..7)?, number(8..10)?);
    let has_dashes = date.get(4..5) == Some("-") && date.get(7..8) == Some("-");
    let ends = time.is_empty() || time.starts_with(['T', 't', ' ']);
    (has_dashes && ends && (1..=12).contains(&month) && (1..=31).contains(&day)).then_some(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_date_has_a_day() {
        assert_eq!(iso_date("2021-07-05T12:03:14Z"), Some("2021-07-05"));
        assert_eq!(iso_date("2021-07-05 12:03:14"), Some("2021-07-05"));
        assert_eq!(iso_date("2021-07-05"), Some("2021-07-05"));
        for other in [
            "",
            "July 2021",
            "05-07-2021",
            "2021-13-05",
            "2021-07-32",
            "2021-07-051",
            "2021/07/05",
            "äöüäöüäö",
            "2021-07-0ä",
        ] {
            assert_eq!(iso_date(other), None, "{other}");
        }
    }
}

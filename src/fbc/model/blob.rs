//! What the indexer keeps of each blob. Plain data that travels from indexers to the workspace as postcard bytes, so no
//! serde attribute that needs a self-describing format may be used here.

use crate::place::{Place, Spanned, Text};
use crate::syntax::tree::Format;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// All facts about one file, once its bytes have been read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FileIndex {
    /// Length of the file in bytes.
    pub size: u64,
    /// Blobs in file order. They do not overlap; bytes between them belong to none (separators, comments).
    pub blobs: Vec<Blob>,
    /// The first blob that cannot be read, stored so that answers, all of which report such files, need not search
    /// all blobs.
    unreadable: Option<u32>,
    /// Blobs of other schemas that name no package.
    without_package: Vec<u32>,
}

impl FileIndex {
    pub fn new(size: u64, blobs: Vec<Blob>) -> Self {
        let unreadable = (0..)
            .zip(&blobs)
            .find(|(_, blob)| matches!(blob.body, Body::Unreadable))
            .map(|(nth, _)| nth);
        let is_without_package =
            |blob: &Blob| matches!(&blob.body, Body::Other(other) if other.package.is_empty());
        let without_package = (0..)
            .zip(&blobs)
            .filter(|(_, blob)| is_without_package(blob))
            .map(|(nth, _)| nth)
            .collect();
        Self {
            size,
            blobs,
            unreadable,
            without_package,
        }
    }

    /// Blobs of other schemas that name no package, with their positions.
    pub fn blobs_without_package(&self) -> impl Iterator<Item = (u32, &OtherBlob)> {
        self.without_package
            .iter()
            .filter_map(|&nth| match &self.blobs.get(nth as usize)?.body {
                Body::Other(other) => Some((nth, &**other)),
                _ => None,
            })
    }

    /// The first blob that cannot be read.
    pub fn unreadable(&self) -> Option<&Blob> {
        self.blobs.get(self.unreadable? as usize)
    }

    /// Whether `opm` refuses the file while it loads it.
    pub fn has_faults(&self) -> bool {
        self.blobs.iter().any(|blob| !blob.faults.is_empty())
    }
}

/// One YAML document or JSON object: its place and its content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Blob {
    /// First byte in the file: of the document's chunk (after its `---` line) or of the JSON value.
    pub start: u64,
    pub end: u64,
    /// Line of `start` in the file, from 0.
    pub line: u32,
    /// Column of `start` on that line, from 0 (other than 0 only for JSON objects that share a line).
    pub column: u32,
    pub format: Format,
    pub body: Body,
    /// What `opm` refuses in this blob while loading, in `opm`'s order: it reports the first. A blob with a fault
    /// still has all the facts that could be read.
    pub faults: Vec<Fault>,
}

/// A refusal that depends on one blob alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Rule id of `opm-semantics` sections 1 and 2.
    pub rule: Cow<'static, str>,
    /// `opm`'s words, exactly, without a prefix of the command.
    pub opm: String,
    /// Our own: the problem, for a person.
    pub message: String,
    /// The hint; may be empty.
    pub help: String,
    pub place: Place,
    /// The text that was meant, where that is certain.
    pub correction: Option<Box<Correction>>,
}

/// What was meant in place of what is written, where no other reading is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// What it does, as the title of a fix.
    pub title: String,
    /// In the order in which they are written; they do not overlap.
    pub rewrites: Vec<Rewrite>,
}

/// A text in place of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewrite {
    pub place: Place,
    /// What is written there.
    pub was: String,
    pub meant: String,
}

/// A slip in a property that `opm` accepts or tells of in other words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownMistake {
    /// The property's position in the list.
    pub property: u32,
    /// Inside the property.
    pub place: Place,
    /// The hint.
    pub help: String,
    pub correction: Option<Correction>,
}

/// `dependencies` of a bundle, which a catalog does not have: they belong in the bundle's own `dependencies.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MisplacedDependencies {
    /// Of the key.
    pub place: Place,
    /// The properties that say the same in a catalog; empty where not all of them are understood.
    pub properties: Vec<Property>,
    /// Takes them out; `None` where they do not stand on lines of their own.
    pub removal: Option<Rewrite>,
}

/// The facts by schema. Shared, so that packages can be assembled without copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Body {
    Package(Arc<PackageBlob>),
    Channel(Arc<ChannelBlob>),
    Bundle(Arc<BundleBlob>),
    Deprecations(Arc<DeprecationsBlob>),
    /// Any other schema; kept verbatim in the file, never validated beyond the blob rules.
    Other(Arc<OtherBlob>),
    /// No blob could be read; [`Blob::faults`] has the reason.
    Unreadable,
}

/// An `olm.package` blob.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PackageBlob {
    pub name: Spanned<Text>,
    pub default_channel: Spanned<Text>,
    pub has_icon: bool,
    pub has_description: bool,
    /// The first improper property of the blob itself, and why. `opm` never looks at these.
    pub improper: Option<Box<Spanned<Text>>>,
    /// The whole mapping.
    pub place: Place,
}

/// An `olm.channel` blob.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ChannelBlob {
    pub package: Spanned<Text>,
    pub name: Spanned<Text>,
    pub entries: Vec<Entry>,
    /// Keys of entries that `opm` does not read, or reads twice, in order.
    pub odd_keys: Box<[OddKey]>,
    /// As [`PackageBlob::improper`].
    pub improper: Option<Box<Spanned<Text>>>,
    pub place: Place,
}

/// A key of a channel's entry that does not do what it seems to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OddKey {
    /// Position of the entry.
    pub entry: u32,
    /// The key as written, and its place.
    pub key: Spanned<Text>,
    pub problem: OddKeyProblem,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OddKeyProblem {
    /// `opm` does not know the key, which is nearly `meant`.
    Misspelt {
        meant: Text,
        correction: Option<Correction>,
    },
    /// `opm` does not know the key, and no field is like it.
    Unknown,
    /// Another key of the entry is the same to `opm`, and wins.
    Overridden { by: Text },
}

/// A line of a channel. An absent field and an empty one are the same: "".
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Entry {
    pub name: Spanned<Text>,
    pub replaces: Spanned<Text>,
    pub skips: Vec<Spanned<Text>>,
    pub skip_range: Spanned<Text>,
    pub place: Place,
}

impl Entry {
    /// Whether another listing of the entry has the same content.
    pub fn says_the_same(&self, other: &Entry) -> bool {
        fn texts(names: &[Spanned<Text>]) -> impl Iterator<Item = &str> {
            names.iter().map(|name| name.as_str())
        }
        self.name.value == other.name.value
            && self.replaces.value == other.replaces.value
            && self.skip_range.value == other.skip_range.value
            && texts(&self.skips).eq(texts(&other.skips))
    }
}

/// An `olm.bundle` blob: the facts that validation, graph and resolution need. Everything else is read again by span.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BundleBlob {
    pub package: Spanned<Text>,
    pub name: Spanned<Text>,
    pub image: Spanned<Text>,
    /// Types of all properties in order, with the small values that later questions need.
    pub properties: Vec<PropertyFact>,
    /// The values of all `olm.package` properties, in order.
    pub package_properties: Vec<PackageProperty>,
    /// Why the first `olm.package` property does not decode, in Go's words: OLM v1 cannot read such a bundle at all.
    pub package_fault: Option<Box<Text>>,
    /// The first property that does not decode (`bundle-properties-parse`), with `opm`'s words.
    pub properties_fault: Option<Box<Fault>>,
    /// The first property without a type or a value, and which of them; `opm` takes both.
    pub improper: Option<Box<Spanned<Text>>>,
    /// The first related image that is not a pull spec (`related-image-pullspec`).
    pub related_image_fault: Option<Box<Fault>>,
    pub related_images: u32,
    /// What is wrong with related images, in order; the first that is not a pull spec is `related_image_fault` alone.
    pub related_image_mistakes: Box<[RelatedImageMistake]>,
    /// At least one `olm.bundle.object` counts as "has objects" for rule `bundle-image`.
    pub has_objects: bool,
    /// One of its objects is a ClusterServiceVersion.
    pub embeds_csv: bool,
    /// `displayName` of the first `olm.csv.metadata`, "" without one.
    pub display_name: Text,
    /// `minKubeVersion` of the first `olm.csv.metadata` that has one, else of the ClusterServiceVersion among its objects,
    /// as written; "" without one.
    pub min_kube_version: Text,
    /// The annotation `createdAt` of the first `olm.csv.metadata` that has it, else of the ClusterServiceVersion among
    /// its objects, as written; "" without one.
    pub created: Text,
    /// Why OLM v1 refuses to install the bundle, by its `olm.csv.metadata` or its embedded ClusterServiceVersion.
    pub unsupported_by_v1: Option<UnsupportedByV1>,
    /// `olm.substitutesFor` is annotated (`opm-semantics` 2.6).
    pub substitutes_for: bool,
    /// The annotation `olm.skipRange` of the first `olm.csv.metadata` that has it, else of the ClusterServiceVersion among
    /// its objects. It has no effect in a catalog.
    pub csv_skip_range: Option<Text>,
    /// Hardly any bundle has one, so that it takes no more than a pointer.
    pub mistakes: Option<Box<Mistakes>>,
    pub place: Place,
}

/// What OLM v1 does not install, although it resolves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnsupportedByV1 {
    OwnedApiServices,
    NotAllNamespaces,
}

impl UnsupportedByV1 {
    /// The error of OLM v1, word for word.
    pub fn olm_text(self) -> &'static str {
        match self {
            Self::OwnedApiServices => "unsupported bundle: apiServiceDefintions are not supported",
            Self::NotAllNamespaces => {
                "unsupported bundle: bundle does not support AllNamespaces install mode"
            }
        }
    }
}

/// Known mistakes of a bundle, which `opm` accepts or tells in other words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mistakes {
    /// Those in its properties, in the order in which they are written.
    pub known_mistakes: Vec<KnownMistake>,
    pub dependencies: Option<MisplacedDependencies>,
    /// `olm.bundle.object` properties that hold no manifest.
    pub objects: Vec<ObjectMistake>,
    /// The value of an `olm.csv.metadata` that holds nothing.
    pub empty_metadata: Option<Place>,
}

/// An `olm.bundle.object` that holds no manifest. `opm` accepts all of these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectMistake {
    /// Its position among the bundle's properties.
    pub property: u32,
    pub place: Place,
    pub problem: ObjectProblem,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObjectProblem {
    /// `ref` names a file, and there is no `data`.
    Reference(String),
    /// There is no `data`, or it is empty.
    NoData,
    /// The data is no object with `apiVersion` and `kind`.
    NoManifest,
}

/// A mistake in an item of `relatedImages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedImageMistake {
    /// Its position in the list.
    pub item: u32,
    /// The item's `name`; "" without one.
    pub name: Text,
    /// As written; "" without one.
    pub image: Spanned<Text>,
    pub problem: RelatedImageProblem,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RelatedImageProblem {
    /// Not a pull spec, for this reason.
    Invalid(String),
    /// No image; with another key that holds it, the rewrite of that key to `image`.
    Missing(Option<Rewrite>),
    /// Neither tag nor digest.
    Loose,
    /// Both a tag and a digest.
    TagAndDigest,
}

impl BundleBlob {
    /// Known mistakes in its properties, in the order in which they are written.
    pub fn known_mistakes(&self) -> &[KnownMistake] {
        self.mistakes
            .as_ref()
            .map_or(&[], |mistakes| &mistakes.known_mistakes)
    }
}

/// One property of a bundle: its value (accessed as [`Property`] by deref), and its place. Most bundles of a package
/// have the same properties, so the value is shared.
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
    /// Canonical compact JSON of the value: whole for requirements, constraints, GVKs and labels, of others up to 1 kB;
    /// `None` for larger ones, `olm.csv.metadata` and `olm.bundle.object`, and for `olm.package`,
    /// which is in [`BundleBlob::package_properties`].
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
    pub release: Spanned<Text>,
}

/// An `olm.deprecations` blob.
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

/// A blob of an unknown schema.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OtherBlob {
    pub schema: Spanned<Text>,
    pub package: Spanned<Text>,
    pub name: Spanned<Text>,
    /// The content of a template. To a catalog it is a blob of a schema like any other.
    pub template: Option<Box<Template>>,
    /// If the schema looks like that of deprecations: the content as such, or why `opm` would not read it as such.
    pub deprecations: Option<Box<Result<DeprecationsBlob, Text>>>,
    pub place: Place,
}

/// A document that a catalog is rendered from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Template {
    /// `olm.template.basic`, also where people leave out the schema: blobs, of which the bundles are only images.
    Basic(Vec<TemplateItem>),
    /// `olm.template.substitutes`: whole blobs, and bundles that take the place of others.
    Substitutes(Substitutes),
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

/// The content of a substitutes template.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Substitutes {
    pub items: Vec<TemplateItem>,
    pub substitutions: Vec<Substitution>,
}

/// A bundle that takes the place of another.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Substitution {
    /// The new bundle: an image, or a name.
    pub name: Spanned<Text>,
    /// Name of the bundle whose place it takes.
    pub base: Spanned<Text>,
    pub place: Place,
}

/// The content of a semver template, with `opm`'s defaults filled in.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Semver {
    pub generate_major_channels: bool,
    pub generate_minor_channels: bool,
    /// `major` or `minor`, as written; "" if absent.
    pub default_channel_type_preference: Text,
    pub candidate: Vec<Spanned<Text>>,
    pub fast: Vec<Spanned<Text>>,
    pub stable: Vec<Spanned<Text>>,
}

impl Template {
    /// The blobs inside; none for kinds that contain no blobs.
    pub fn items(&self) -> &[TemplateItem] {
        match self {
            Template::Basic(items) | Template::Substitutes(Substitutes { items, .. }) => items,
            Template::Semver(_) | Template::Composite => &[],
        }
    }

    /// Images of the bundles that it is rendered with.
    pub fn images(&self) -> Vec<&Text> {
        let spoken = |image: &Text| !image.is_empty();
        match self {
            Template::Basic(items) | Template::Substitutes(Substitutes { items, .. }) => items
                .iter()
                .filter_map(|item| match &item.body {
                    Body::Bundle(bundle) => Some(&bundle.image.value).filter(|image| spoken(image)),
                    _ => None,
                })
                .collect(),
            Template::Semver(semver) => semver
                .streams()
                .into_iter()
                .flat_map(|(_, images)| images)
                .map(|image| &image.value)
                .collect(),
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
        [
            ("candidate", &self.candidate),
            ("fast", &self.fast),
            ("stable", &self.stable),
        ]
    }
}

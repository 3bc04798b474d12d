//! The edit operations, which express a user's intent in the domain's terms. The page sends them,
//! the journal stores them, undo names them, fixes contain them, *Copy as commands* prints them,
//! and the command line parses them.
//!
//! Operations refer to objects by catalog, package and name, never by position. The keys are the
//! option names; an omitted key means "the default", `null` means "none".

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

/// A value that is left to the default, explicitly none, or given.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Choice {
    #[default]
    Default,
    None,
    Value(String),
}

impl Choice {
    pub fn is_default(&self) -> bool {
        matches!(self, Choice::Default)
    }
}

impl Serialize for Choice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Choice::Default | Choice::None => serializer.serialize_none(),
            Choice::Value(value) => serializer.serialize_str(value),
        }
    }
}

impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.map_or(Choice::None, Choice::Value))
    }
}

enum_with_text! {
    /// Returns the spelling in JSON and on the command line.
    pub fn as_str;
    pub const ALL;
    /// How a promoted bundle enters the channel.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum PromoteAs {
        Head = "head",
        /// Into the `replaces` chain; the next entry then replaces it.
        Chain = "chain",
        /// Below the next higher entry, which skips it.
        Skipped = "skipped",
    }
}

impl PromoteAs {
    /// Parses a spelling; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|how| how.as_str() == text)
    }
}

/// How a bundle enters channels, as in `promote`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ChannelPlacement {
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    pub how: Option<PromoteAs>,
    #[serde(default, skip_serializing_if = "Choice::is_default")]
    pub replaces: Choice,
    #[serde(default, skip_serializing_if = "Choice::is_default")]
    pub skip_range: Choice,
}

/// What happens to edges that point to a removed entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DanglingEdges {
    /// Its successors inherit its `replaces`, its skips, and, if they have none, its skip range.
    #[default]
    Relink,
    /// Like `relink`; its successors also skip it, so that its users still have an update.
    Skip,
    /// The edges are kept and point to an absent entry.
    Leave,
}

impl DanglingEdges {
    /// Returns the default of `remove-bundle`: users of the removed bundle keep an update.
    pub fn for_removed_bundle() -> Self {
        DanglingEdges::Skip
    }
}

/// How the edges of a channel follow from the versions of its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeRule {
    /// Each entry replaces the next lower one.
    Replaces,
    /// The highest entry of a y-stream replaces the highest of the previous y-stream and skips
    /// every other lower entry of its major version, as in the semver template.
    SkipPatch,
    /// The highest entry of a y-stream replaces the highest of the previous y-stream and skips all
    /// others of its own, so that every upgrade passes through the latest patch.
    ZStream,
    /// Like `replaces`, and each entry has a skip range from the start of its y-stream (the first
    /// entry: from the start of the previous y-stream).
    SkipRange,
}

/// What copying a package does if the target already has a package with that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IfExists {
    /// The copy is refused.
    #[default]
    Refuse,
    /// The existing package is replaced.
    Replace,
}

impl IfExists {
    pub fn is_refuse(&self) -> bool {
        *self == IfExists::Refuse
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextFile {
    pub path: String,
    pub text: String,
}

/// The text around a replacement when it was made. It locates the place again in a file that has
/// changed since (`edit::text_context`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextAnchor {
    /// The text before the place, from the start of a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub above: String,
    /// The text after the place.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub below: String,
    /// Checksum of the whole file. If it still matches, the place has not moved. "" if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The blob (schema, package, name), then the keys and names on the path to the place. Empty if
    /// unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
}

/// Defines the operations: their names in JSON and on the command line, whether they concern one
/// package, and their other fields.
macro_rules! operations {
    ($($(#[$doc:meta])* $operation:ident $name:literal $(in $package:ident)? {
        $($(#[$attribute:meta])* $field:ident: $type:ty,)*
    })*) => {
        /// One edit operation. `catalog` names the root if a session has several.
        #[derive(Debug, Clone, PartialEq, Hash, Serialize, Deserialize)]
        #[serde(tag = "op", rename_all_fields = "kebab-case", deny_unknown_fields)]
        pub enum EditOp {
            $(
                $(#[$doc])*
                #[serde(rename = $name)]
                $operation {
                    #[serde(skip_serializing_if = "Option::is_none")]
                    catalog: Option<String>,
                    $($package: String,)?
                    $($(#[$attribute])* $field: $type,)*
                },
            )*
        }

        impl EditOp {
            /// The names of all operations.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// Returns the operation's name, as spelled in JSON and on the command line.
            pub fn name(&self) -> &'static str {
                match self { $(EditOp::$operation { .. } => $name,)* }
            }

            /// Returns the catalog that the operation names, if any.
            pub fn catalog(&self) -> Option<&str> {
                match self { $(EditOp::$operation { catalog, .. } => catalog.as_deref(),)* }
            }

            /// Returns the catalog field, so that the operation can be retargeted.
            pub fn catalog_mut(&mut self) -> &mut Option<String> {
                match self { $(EditOp::$operation { catalog, .. } => catalog,)* }
            }

            /// Returns the package that the operation names; `None` for free text and for
            /// operations on all packages.
            pub fn package(&self) -> Option<&str> {
                match self {
                    $($(EditOp::$operation { $package, .. } => Some($package.as_str()),)?)*
                    EditOp::Migrate { package, .. } => package.as_deref(),
                    EditOp::ReplaceText { .. } => None,
                }
            }
        }
    };
}

operations! {
    Promote "promote" in package {
        bundle: String,
        to: String,
        #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
        how: Option<PromoteAs>,
        #[serde(default, skip_serializing_if = "Choice::is_default")]
        replaces: Choice,
        #[serde(default, skip_serializing_if = "Choice::is_default")]
        skip_range: Choice,
    }
    Withdraw "withdraw" in package {
        bundle: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<String>,
        /// Channels to withdraw from; empty means all that list the bundle.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        channel: Vec<String>,
    }
    SetDefaultChannel "set-default-channel" in package {
        channel: String,
    }
    SetReplaces "set-replaces" in package {
        channel: String,
        name: String,
        replaces: Option<String>,
    }
    /// `skip-matching` is a `skipRange` or a y-stream (`1.29.z`): it matches every lower entry of
    /// the channel whose version is inside.
    AddSkip "add-skip" in package {
        channel: String,
        name: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        skip: Vec<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        skip_matching: Option<String>,
    }
    /// `skip-matching` as in `add-skip`, applied to the entry's skips.
    RemoveSkip "remove-skip" in package {
        channel: String,
        name: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        skip: Vec<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        skip_matching: Option<String>,
    }
    SetSkipRange "set-skip-range" in package {
        channel: String,
        name: String,
        skip_range: Option<String>,
    }
    RemoveEntry "remove-entry" in package {
        channel: String,
        name: String,
        #[serde(default)]
        then: DanglingEdges,
    }
    RebuildEdges "rebuild-edges" in package {
        channel: String,
        rule: EdgeRule,
    }
    /// Copies the entries of the channel `from`; without it, the channel starts empty.
    AddChannel "add-channel" in package {
        channel: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<String>,
    }
    /// Also updates the default channel and the deprecations that refer to it.
    RenameChannel "rename-channel" in package {
        channel: String,
        to: String,
    }
    /// Also removes the deprecations that refer to it.
    RemoveChannel "remove-channel" in package {
        channel: String,
    }
    /// Removes the bundle's blob, its entries in all channels and the deprecations that refer to
    /// it.
    RemoveBundle "remove-bundle" in package {
        bundle: String,
        #[serde(default = "DanglingEdges::for_removed_bundle")]
        then: DanglingEdges,
    }
    /// Renames a bundle in its blob and wherever channels and deprecations refer to it.
    RenameBundle "rename-bundle" in package {
        bundle: String,
        to: String,
        /// The renamed entry also skips the old name, so that installed users keep an update.
        #[serde(default, skip_serializing_if = "is_false")]
        skip_old: bool,
    }
    /// Deprecates the package itself if `channel` and `bundle` are both absent.
    Deprecate "deprecate" in package {
        #[serde(skip_serializing_if = "Option::is_none")]
        channel: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        bundle: Option<String>,
        message: String,
    }
    Undeprecate "undeprecate" in package {
        #[serde(skip_serializing_if = "Option::is_none")]
        channel: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        bundle: Option<String>,
    }
    /// Sets the description; an empty text removes it.
    SetDescription "set-description" in package {
        text: String,
    }
    /// Sets the icon. `data` is the image in base64; its media type follows from its bytes. `null`
    /// removes the icon.
    SetIcon "set-icon" in package {
        data: Option<String>,
    }
    /// Adds a bundle. `release` distinguishes bundles of one version. `to` is a channel that the
    /// bundle enters, at the position that `promote` would choose; `as`, `replaces`, `skip-range`
    /// and `skips` concern that entry. `version` defaults to the suffix of the name. A semver
    /// template needs neither name nor version: it identifies bundles by image.
    AddBundle "add-bundle" in package {
        #[serde(default)]
        bundle: String,
        #[serde(default)]
        version: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        release: Option<String>,
        image: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<String>,
        #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
        how: Option<PromoteAs>,
        #[serde(default, skip_serializing_if = "Choice::is_default")]
        replaces: Choice,
        #[serde(default, skip_serializing_if = "Choice::is_default")]
        skip_range: Choice,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        skips: Vec<String>,
        /// The whole blob, if it has more than the fields above. The fields must agree with it.
        #[serde(skip_serializing_if = "Option::is_none")]
        blob: Option<Box<Json>>,
    }
    /// Adds a package. `icon`: base64 of an image. `file`: path for the first package of a catalog,
    /// which may be new; further packages follow the catalog's existing layout.
    AddPackage "add-package" in package {
        #[serde(default)]
        default_channel: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        icon: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
    }
    /// Removes all blobs of a package.
    RemovePackage "remove-package" in package {
    }
    /// Copies a package. `from` is the catalog that has it. `files` is its text there, with paths
    /// below that catalog's folder; without it, the text is read from the open catalog `from` when
    /// the operation is applied.
    CopyPackage "copy-package" in package {
        from: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<TextFile>,
        #[serde(default, skip_serializing_if = "IfExists::is_refuse")]
        if_there: IfExists,
    }
    /// Sets the image of one bundle by name (`bundle`), or of all bundles that meet a condition
    /// (`where`, with the syntax of `edit::plan`).
    SetImage "set-image" in package {
        #[serde(skip_serializing_if = "Option::is_none")]
        bundle: Option<String>,
        #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
        image: String,
    }
    /// Replaces one bundle by another in every channel: entries, `replaces`, `skips` and
    /// deprecations. A substitutes template gets a substitution instead; a semver template gets the
    /// image in its lists.
    Substitute "substitute" in package {
        /// The bundle to replace; in a semver template also its image.
        bundle: String,
        /// Name of the new bundle; in semver and substitutes templates its image, or its name if
        /// the bundle is open. `null` removes the substitution of a substitutes template.
        by: Option<String>,
        /// Image of the new bundle: for a basic template, and for a bundle that the catalog lacks.
        #[serde(skip_serializing_if = "Option::is_none")]
        image: Option<String>,
        /// The new entry also skips the old name, so that installed users keep an update.
        #[serde(default, skip_serializing_if = "is_false")]
        skip_old: bool,
    }
    AddProperty "add-property" in package {
        #[serde(skip_serializing_if = "Option::is_none")]
        bundle: Option<String>,
        #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
        #[serde(rename = "type")]
        kind: String,
        value: Json,
    }
    /// Removes a property by type and value; without a value, all properties of the type. `null` is
    /// a value.
    RemoveProperty "remove-property" in package {
        #[serde(skip_serializing_if = "Option::is_none")]
        bundle: Option<String>,
        #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
        #[serde(rename = "type")]
        kind: String,
        #[serde(
            default,
            deserialize_with = "present_value",
            skip_serializing_if = "Option::is_none"
        )]
        value: Option<Json>,
    }
    /// Converts embedded objects (`olm.bundle.object`) to `olm.csv.metadata`, as `opm render
    /// --migrate-level` does: for one package, or for all.
    Migrate "migrate" {
        #[serde(skip_serializing_if = "Option::is_none")]
        package: Option<String>,
    }
    /// Replaces free text. `at` is `LINE:COLUMN-LINE:COLUMN` (from 1, in characters, end
    /// exclusive); `before` is the text expected there. `file` is relative to the catalog's root; a
    /// missing file is created if `before` is empty. With `around`, the rest of the file may have
    /// changed: the place is located again, or the operation refused. The session adds `around` to
    /// the operations that it applied.
    ReplaceText "replace-text" {
        file: String,
        at: String,
        before: String,
        text: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        around: Option<Box<TextAnchor>>,
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Deserializes a value that is present, even if it is `null`.
fn present_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// An entry of a channel. Its methods create operations on the entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPlace {
    pub package: String,
    pub channel: String,
    pub name: String,
}

impl EntryPlace {
    pub fn new(package: &str, channel: &str, name: &str) -> Self {
        Self {
            package: package.to_owned(),
            channel: channel.to_owned(),
            name: name.to_owned(),
        }
    }

    pub fn set_replaces(self, replaces: Option<String>) -> EditOp {
        EditOp::SetReplaces {
            catalog: None,
            package: self.package,
            channel: self.channel,
            name: self.name,
            replaces,
        }
    }

    pub fn add_skips(self, skip: Vec<String>, skip_matching: Option<String>) -> EditOp {
        EditOp::AddSkip {
            catalog: None,
            package: self.package,
            channel: self.channel,
            name: self.name,
            skip,
            skip_matching,
        }
    }

    pub fn remove_skips(self, skip: Vec<String>, skip_matching: Option<String>) -> EditOp {
        EditOp::RemoveSkip {
            catalog: None,
            package: self.package,
            channel: self.channel,
            name: self.name,
            skip,
            skip_matching,
        }
    }

    /// Returns the operations that change the skips `old` to `new`; none if the names are equal.
    pub fn change_skips(self, old: &[String], new: &[String]) -> Vec<EditOp> {
        let (removed, added) = (names_only_in(old, new), names_only_in(new, old));
        let remove = (!removed.is_empty()).then(|| self.clone().remove_skips(removed, None));
        let add = (!added.is_empty()).then(|| self.add_skips(added, None));
        remove.into_iter().chain(add).collect()
    }

    pub fn set_skip_range(self, skip_range: Option<String>) -> EditOp {
        EditOp::SetSkipRange {
            catalog: None,
            package: self.package,
            channel: self.channel,
            name: self.name,
            skip_range,
        }
    }

    pub fn remove(self, then: DanglingEdges) -> EditOp {
        EditOp::RemoveEntry {
            catalog: None,
            package: self.package,
            channel: self.channel,
            name: self.name,
            then,
        }
    }
}

fn names_only_in(names: &[String], others: &[String]) -> Vec<String> {
    let only = names.iter().filter(|name| !others.contains(name));
    only.cloned().collect()
}

/// The entry that an operation changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedEntry<'o> {
    pub channel: &'o str,
    pub name: &'o str,
}

/// An entry and the name that it will replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedReplaces<'o> {
    pub entry: ChangedEntry<'o>,
    pub replaces: Option<&'o str>,
}

/// The fields of an operation that copies a package.
pub struct PackageCopy<'o> {
    pub package: &'o str,
    pub from: &'o mut String,
    pub files: &'o mut Vec<TextFile>,
}

/// The replacement of a skip: an entry skips `new` instead of `old`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplacedSkip<'o> {
    pub package: &'o str,
    pub entry: ChangedEntry<'o>,
    pub old: &'o str,
    pub new: &'o str,
}

impl<'o> ReplacedSkip<'o> {
    /// Reads such a replacement; `None` if the operations do anything else.
    pub fn from_ops(ops: &'o [EditOp]) -> Option<Self> {
        match ops {
            [
                EditOp::RemoveSkip {
                    package,
                    channel,
                    name,
                    skip: old,
                    ..
                },
                EditOp::AddSkip { skip: new, .. },
            ] => match (old.as_slice(), new.as_slice()) {
                ([old], [new]) => Some(Self {
                    package,
                    entry: ChangedEntry { channel, name },
                    old,
                    new,
                }),
                _ => None,
            },
            _ => None,
        }
    }
}

impl EditOp {
    /// Retargets the operation to a catalog.
    pub fn in_catalog(mut self, catalog: Option<String>) -> Self {
        *self.catalog_mut() = catalog;
        self
    }

    /// Creates a promotion whose position and edges follow from the versions.
    pub fn promote(package: &str, bundle: &str, to: &str) -> Self {
        EditOp::Promote {
            catalog: None,
            package: package.to_owned(),
            bundle: bundle.to_owned(),
            to: to.to_owned(),
            how: None,
            replaces: Choice::Default,
            skip_range: Choice::Default,
        }
    }

    pub fn set_default_channel(package: &str, channel: &str) -> Self {
        EditOp::SetDefaultChannel {
            catalog: None,
            package: package.to_owned(),
            channel: channel.to_owned(),
        }
    }

    pub fn rename_channel(package: &str, channel: &str, to: &str) -> Self {
        EditOp::RenameChannel {
            catalog: None,
            package: package.to_owned(),
            channel: channel.to_owned(),
            to: to.to_owned(),
        }
    }

    /// Sets the deprecation of the package itself if `channel` and `bundle` are both absent.
    /// Without a message, removes the deprecation.
    pub fn set_deprecation(
        package: &str,
        channel: Option<String>,
        bundle: Option<String>,
        message: Option<String>,
    ) -> Self {
        let (catalog, package) = (None, package.to_owned());
        match message {
            Some(message) => EditOp::Deprecate {
                catalog,
                package,
                channel,
                bundle,
                message,
            },
            None => EditOp::Undeprecate {
                catalog,
                package,
                channel,
                bundle,
            },
        }
    }

    pub fn add_property(package: &str, bundle: &str, kind: &str, value: Json) -> Self {
        EditOp::AddProperty {
            catalog: None,
            package: package.to_owned(),
            bundle: Some(bundle.to_owned()),
            condition: None,
            kind: kind.to_owned(),
            value,
        }
    }

    /// Whether the operation is meaningful only in the catalog that it names.
    pub fn is_for_one_catalog(&self) -> bool {
        matches!(
            self,
            EditOp::ReplaceText { .. } | EditOp::CopyPackage { .. }
        )
    }

    pub fn package_copy(&mut self) -> Option<PackageCopy<'_>> {
        match self {
            EditOp::CopyPackage {
                package,
                from,
                files,
                ..
            } => Some(PackageCopy {
                package,
                from,
                files,
            }),
            _ => None,
        }
    }

    /// Whether the text of a package to copy has not been read yet.
    pub fn lacks_files(&self) -> bool {
        matches!(self, EditOp::CopyPackage { files, .. } if files.is_empty())
    }

    /// Returns the files that replace an existing package.
    pub fn replacing_files(&self) -> Option<&[TextFile]> {
        match self {
            EditOp::CopyPackage {
                files,
                if_there: IfExists::Replace,
                ..
            } => Some(files),
            _ => None,
        }
    }

    pub fn new_default_channel(&self) -> Option<&str> {
        match self {
            EditOp::SetDefaultChannel { channel, .. } => Some(channel),
            _ => None,
        }
    }

    pub fn changed_replaces(&self) -> Option<ChangedReplaces<'_>> {
        match self {
            EditOp::SetReplaces { replaces, .. } => Some(ChangedReplaces {
                entry: self.entry()?,
                replaces: replaces.as_deref(),
            }),
            _ => None,
        }
    }

    /// Returns the names that an entry will skip, or no longer skip.
    pub fn skipped_names(&self) -> Option<&[String]> {
        match self {
            EditOp::AddSkip { skip, .. } | EditOp::RemoveSkip { skip, .. } => Some(skip),
            _ => None,
        }
    }

    pub fn removed_entry(&self) -> Option<ChangedEntry<'_>> {
        match self {
            EditOp::RemoveEntry { .. } => self.entry(),
            _ => None,
        }
    }

    /// Returns the treatment of edges that point to a removed entry or bundle.
    pub fn dangling_edges(&self) -> Option<DanglingEdges> {
        match self {
            EditOp::RemoveEntry { then, .. } | EditOp::RemoveBundle { then, .. } => Some(*then),
            _ => None,
        }
    }

    pub fn entry(&self) -> Option<ChangedEntry<'_>> {
        match self {
            EditOp::SetReplaces { channel, name, .. }
            | EditOp::AddSkip { channel, name, .. }
            | EditOp::RemoveSkip { channel, name, .. }
            | EditOp::SetSkipRange { channel, name, .. }
            | EditOp::RemoveEntry { channel, name, .. } => Some(ChangedEntry { channel, name }),
            _ => None,
        }
    }

    /// Returns the channel whose entries the operation changes, by its new name; `None` if it names
    /// several channels or none.
    pub fn changed_channel(&self) -> Option<&str> {
        match self {
            EditOp::Promote { to: channel, .. }
            | EditOp::SetReplaces { channel, .. }
            | EditOp::AddSkip { channel, .. }
            | EditOp::RemoveSkip { channel, .. }
            | EditOp::SetSkipRange { channel, .. }
            | EditOp::RemoveEntry { channel, .. }
            | EditOp::RebuildEdges { channel, .. }
            | EditOp::AddChannel { channel, .. }
            | EditOp::RenameChannel { to: channel, .. } => Some(channel),
            _ => None,
        }
    }
}

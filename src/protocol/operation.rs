//! The edit operations: a user's intent, in the domain's terms. The page sends them, the journal stores them, undo
//! names them, fixes carry them, *Copy as commands* prints them, and the command line parses them.
//!
//! Operations refer to things by catalog, package and name, never by position. Option names are the keys; an omitted key
//! means "the default", `null` means "none".

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

/// How a promoted bundle enters the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromoteAs {
    /// As the new head.
    Head,
    /// Into the replaces chain, re-pointing the entry that comes next.
    Chain,
    /// Below the next higher entry, which skips it.
    Skipped,
}

/// How a bundle enters channels, as in `promote`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ChannelPlacement {
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
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
    /// As `relink`; its successors also skip it, so that its users still have an update.
    Skip,
    /// The edges stay and point to an absent entry.
    Leave,
}

impl DanglingEdges {
    /// The default of `remove-bundle`: users of the removed bundle keep an update.
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
    /// The highest entry of a y-stream replaces the highest of the previous y-stream and skips every other lower entry
    /// of its major version, as in the semver template.
    SkipPatch,
    /// The highest entry of a y-stream replaces the highest of the previous y-stream and skips all others of its own,
    /// so that every upgrade passes through the latest patch.
    ZStream,
    /// As `replaces`, and each entry has a skip range from the start of its y-stream (the first entry: from the start
    /// of the previous y-stream).
    SkipRange,
}

/// What copying a package does if the target already has one of that name.
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

/// A file and its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextFile {
    pub path: String,
    pub text: String,
}

/// The text around a replacement when it was made. It locates the place again in a file that has changed since
/// (`fbc::edit::text_context`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
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
    /// The blob (schema, package, name), then the keys and names on the path to the place. Empty if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
}

/// One edit operation. `catalog` names the root if a workspace has several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "op",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum EditOp {
    Promote {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        bundle: String,
        to: String,
        #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
        how: Option<PromoteAs>,
        #[serde(default, skip_serializing_if = "Choice::is_default")]
        replaces: Choice,
        #[serde(default, skip_serializing_if = "Choice::is_default")]
        skip_range: Choice,
    },
    Withdraw {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        bundle: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
        /// Channels to withdraw from; empty means all that list the bundle.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        channel: Vec<String>,
    },
    SetDefaultChannel {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        channel: String,
    },
    SetReplaces {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        channel: String,
        name: String,
        replaces: Option<String>,
    },
    /// `skip-matching` is a `skipRange` or a y-stream (`1.29.z`): it matches every lower entry of the channel whose
    /// version is in it.
    AddSkip {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        channel: String,
        name: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        skip: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        skip_matching: Option<String>,
    },
    /// `skip-matching` as in `add-skip`, among the entry's skips.
    RemoveSkip {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        channel: String,
        name: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        skip: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        skip_matching: Option<String>,
    },
    SetSkipRange {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        channel: String,
        name: String,
        skip_range: Option<String>,
    },
    RemoveEntry {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        channel: String,
        name: String,
        #[serde(default)]
        then: DanglingEdges,
    },
    RebuildEdges {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        channel: String,
        rule: EdgeRule,
    },
    /// Copies the entries of the channel `from`; without it, the channel starts empty.
    AddChannel {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        channel: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
    },
    /// Also updates the default channel and the deprecations that refer to it.
    RenameChannel {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        channel: String,
        to: String,
    },
    /// Also removes the deprecations that refer to it.
    RemoveChannel {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        channel: String,
    },
    /// Removes the bundle's blob, its entries in all channels and the deprecations that refer to it.
    RemoveBundle {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        bundle: String,
        #[serde(default = "DanglingEdges::for_removed_bundle")]
        then: DanglingEdges,
    },
    /// Renames a bundle in its blob and wherever channels and deprecations refer to it.
    RenameBundle {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        bundle: String,
        to: String,
        /// The renamed entry also skips the old name, so that installed users keep an update.
        #[serde(default, skip_serializing_if = "is_false")]
        skip_old: bool,
    },
    /// `channel` and `bundle` both absent: the package itself.
    Deprecate {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bundle: Option<String>,
        message: String,
    },
    Undeprecate {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bundle: Option<String>,
    },
    /// An empty text removes the description.
    SetDescription {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        text: String,
    },
    /// `data` is the image in base64; its media type follows from its bytes. `null` removes the icon.
    SetIcon {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        data: Option<String>,
    },
    /// `release` distinguishes bundles of one version. `to` is a channel that the bundle enters, at the place where
    /// `promote` would put it; `as`, `replaces`, `skip-range` and `skips` concern that entry. `version` defaults to the
    /// suffix of the name. A semver template needs neither: it identifies bundles by image.
    AddBundle {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        #[serde(default)]
        bundle: String,
        #[serde(default)]
        version: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        release: Option<String>,
        image: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<String>,
        #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
        how: Option<PromoteAs>,
        #[serde(default, skip_serializing_if = "Choice::is_default")]
        replaces: Choice,
        #[serde(default, skip_serializing_if = "Choice::is_default")]
        skip_range: Choice,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        skips: Vec<String>,
        /// The whole blob, if it has more than the fields above. The fields must agree with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blob: Option<Box<Json>>,
    },
    /// A new package. `icon`: base64 of an image. `file`: path for the first package of a catalog, which may be new;
    /// further packages follow the catalog's existing layout.
    AddPackage {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        #[serde(default)]
        default_channel: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        icon: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
    },
    /// Removes all blobs of a package.
    RemovePackage {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
    },
    /// `from` is the catalog that has the package. `files` is its text there, with paths below that catalog's folder;
    /// without it, the text comes from the open catalog `from` when the operation is applied.
    CopyPackage {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        from: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<TextFile>,
        #[serde(default, skip_serializing_if = "IfExists::is_refuse")]
        if_there: IfExists,
    },
    /// `bundle` or `where`, as in the two operations below: one bundle by name, or all that meet a condition (syntax in
    /// `fbc::edit::plan`).
    SetImage {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bundle: Option<String>,
        #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
        image: String,
    },
    /// Replaces one bundle by another in every channel: entries, `replaces`, `skips` and deprecations. A substitutes
    /// template gets a substitution instead; a semver template gets the image in its lists.
    Substitute {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        /// The bundle to replace; in a semver template also its image.
        bundle: String,
        /// Name of the new bundle; in semver and substitutes templates its image, or its name if the bundle is open.
        /// `null` removes the substitution of a substitutes template.
        by: Option<String>,
        /// Image of the new bundle: for a basic template, and for a bundle that the catalog lacks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        image: Option<String>,
        /// The new entry also skips the old name, so that installed users keep an update.
        #[serde(default, skip_serializing_if = "is_false")]
        skip_old: bool,
    },
    AddProperty {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bundle: Option<String>,
        #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
        #[serde(rename = "type")]
        kind: String,
        value: Json,
    },
    /// Without a value, removes all properties of the type; `null` is a value.
    RemoveProperty {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bundle: Option<String>,
        #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
        #[serde(rename = "type")]
        kind: String,
        #[serde(
            default,
            deserialize_with = "present_value",
            skip_serializing_if = "Option::is_none"
        )]
        value: Option<Json>,
    },
    /// Converts embedded objects (`olm.bundle.object`) to `olm.csv.metadata`, as `opm render --migrate-level` does: for
    /// one package, or for all.
    Migrate {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        package: Option<String>,
    },
    /// Free text. `at` is `LINE:COLUMN-LINE:COLUMN` (from 1, in characters, end exclusive); `before` is the text
    /// expected there. `file` is relative to the catalog's root; a missing file is created if `before` is empty. With
    /// `around`, the rest of the file may have changed: the place is located again, or the operation refused. The
    /// workspace adds `around` to the operations that it applied.
    ReplaceText {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        file: String,
        at: String,
        before: String,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        around: Option<Box<TextAnchor>>,
    },
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A value that is present, even if it is `null`.
fn present_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

impl EditOp {
    /// The operation's name, as spelled in JSON and on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            EditOp::Promote { .. } => "promote",
            EditOp::Withdraw { .. } => "withdraw",
            EditOp::SetDefaultChannel { .. } => "set-default-channel",
            EditOp::SetReplaces { .. } => "set-replaces",
            EditOp::AddSkip { .. } => "add-skip",
            EditOp::RemoveSkip { .. } => "remove-skip",
            EditOp::SetSkipRange { .. } => "set-skip-range",
            EditOp::RemoveEntry { .. } => "remove-entry",
            EditOp::RebuildEdges { .. } => "rebuild-edges",
            EditOp::AddChannel { .. } => "add-channel",
            EditOp::RenameChannel { .. } => "rename-channel",
            EditOp::RemoveChannel { .. } => "remove-channel",
            EditOp::RemoveBundle { .. } => "remove-bundle",
            EditOp::RenameBundle { .. } => "rename-bundle",
            EditOp::Deprecate { .. } => "deprecate",
            EditOp::Undeprecate { .. } => "undeprecate",
            EditOp::SetDescription { .. } => "set-description",
            EditOp::SetIcon { .. } => "set-icon",
            EditOp::AddBundle { .. } => "add-bundle",
            EditOp::AddPackage { .. } => "add-package",
            EditOp::RemovePackage { .. } => "remove-package",
            EditOp::CopyPackage { .. } => "copy-package",
            EditOp::SetImage { .. } => "set-image",
            EditOp::Substitute { .. } => "substitute",
            EditOp::AddProperty { .. } => "add-property",
            EditOp::RemoveProperty { .. } => "remove-property",
            EditOp::Migrate { .. } => "migrate",
            EditOp::ReplaceText { .. } => "replace-text",
        }
    }

    /// The catalog that the operation names, if any.
    pub fn catalog(&self) -> Option<&str> {
        match self {
            EditOp::Promote { catalog, .. }
            | EditOp::Withdraw { catalog, .. }
            | EditOp::SetDefaultChannel { catalog, .. }
            | EditOp::SetReplaces { catalog, .. }
            | EditOp::AddSkip { catalog, .. }
            | EditOp::RemoveSkip { catalog, .. }
            | EditOp::SetSkipRange { catalog, .. }
            | EditOp::RemoveEntry { catalog, .. }
            | EditOp::RebuildEdges { catalog, .. }
            | EditOp::AddChannel { catalog, .. }
            | EditOp::RenameChannel { catalog, .. }
            | EditOp::RemoveChannel { catalog, .. }
            | EditOp::RemoveBundle { catalog, .. }
            | EditOp::RenameBundle { catalog, .. }
            | EditOp::Deprecate { catalog, .. }
            | EditOp::Undeprecate { catalog, .. }
            | EditOp::SetDescription { catalog, .. }
            | EditOp::SetIcon { catalog, .. }
            | EditOp::AddBundle { catalog, .. }
            | EditOp::AddPackage { catalog, .. }
            | EditOp::RemovePackage { catalog, .. }
            | EditOp::CopyPackage { catalog, .. }
            | EditOp::SetImage { catalog, .. }
            | EditOp::Substitute { catalog, .. }
            | EditOp::AddProperty { catalog, .. }
            | EditOp::RemoveProperty { catalog, .. }
            | EditOp::Migrate { catalog, .. }
            | EditOp::ReplaceText { catalog, .. } => catalog.as_deref(),
        }
    }

    /// The catalog field, so that the operation can be retargeted.
    pub fn catalog_mut(&mut self) -> &mut Option<String> {
        match self {
            EditOp::Promote { catalog, .. }
            | EditOp::Withdraw { catalog, .. }
            | EditOp::SetDefaultChannel { catalog, .. }
            | EditOp::SetReplaces { catalog, .. }
            | EditOp::AddSkip { catalog, .. }
            | EditOp::RemoveSkip { catalog, .. }
            | EditOp::SetSkipRange { catalog, .. }
            | EditOp::RemoveEntry { catalog, .. }
            | EditOp::RebuildEdges { catalog, .. }
            | EditOp::AddChannel { catalog, .. }
            | EditOp::RenameChannel { catalog, .. }
            | EditOp::RemoveChannel { catalog, .. }
            | EditOp::RemoveBundle { catalog, .. }
            | EditOp::RenameBundle { catalog, .. }
            | EditOp::Deprecate { catalog, .. }
            | EditOp::Undeprecate { catalog, .. }
            | EditOp::SetDescription { catalog, .. }
            | EditOp::SetIcon { catalog, .. }
            | EditOp::AddBundle { catalog, .. }
            | EditOp::AddPackage { catalog, .. }
            | EditOp::RemovePackage { catalog, .. }
            | EditOp::CopyPackage { catalog, .. }
            | EditOp::SetImage { catalog, .. }
            | EditOp::Substitute { catalog, .. }
            | EditOp::AddProperty { catalog, .. }
            | EditOp::RemoveProperty { catalog, .. }
            | EditOp::Migrate { catalog, .. }
            | EditOp::ReplaceText { catalog, .. } => catalog,
        }
    }

    /// The channel whose entries the operation changes, by its new name; `None` if it names several
    /// or none.
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

    /// The channel of an operation on one entry.
    pub fn entry_channel_mut(&mut self) -> Option<&mut String> {
        match self {
            EditOp::SetReplaces { channel, .. }
            | EditOp::AddSkip { channel, .. }
            | EditOp::RemoveSkip { channel, .. }
            | EditOp::SetSkipRange { channel, .. }
            | EditOp::RemoveEntry { channel, .. } => Some(channel),
            _ => None,
        }
    }

    /// The package that the operation names; `None` for free text and for operations on all packages.
    pub fn package(&self) -> Option<&str> {
        match self {
            EditOp::Promote { package, .. }
            | EditOp::Withdraw { package, .. }
            | EditOp::SetDefaultChannel { package, .. }
            | EditOp::SetReplaces { package, .. }
            | EditOp::AddSkip { package, .. }
            | EditOp::RemoveSkip { package, .. }
            | EditOp::SetSkipRange { package, .. }
            | EditOp::RemoveEntry { package, .. }
            | EditOp::RebuildEdges { package, .. }
            | EditOp::AddChannel { package, .. }
            | EditOp::RenameChannel { package, .. }
            | EditOp::RemoveChannel { package, .. }
            | EditOp::RemoveBundle { package, .. }
            | EditOp::RenameBundle { package, .. }
            | EditOp::Deprecate { package, .. }
            | EditOp::Undeprecate { package, .. }
            | EditOp::SetDescription { package, .. }
            | EditOp::SetIcon { package, .. }
            | EditOp::AddBundle { package, .. }
            | EditOp::AddPackage { package, .. }
            | EditOp::RemovePackage { package, .. }
            | EditOp::CopyPackage { package, .. }
            | EditOp::SetImage { package, .. }
            | EditOp::Substitute { package, .. }
            | EditOp::AddProperty { package, .. }
            | EditOp::RemoveProperty { package, .. } => Some(package),
            EditOp::Migrate { package, .. } => package.as_deref(),
            EditOp::ReplaceText { .. } => None,
        }
    }
}

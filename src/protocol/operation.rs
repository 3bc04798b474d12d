//! The edit operations: what a user means, in the domain's words. The page sends it, the journal keeps it, undo names it,
//! fixes carry it, *Copy as commands* prints it and the command line takes it.
//!
//! Operations refer to things by catalog, package and name, never by position. Option names are the keys; an omitted key
//! means "the default", `null` means "none".

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

/// A value that may be left to the default, be explicitly none, or be given.
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
    /// Behind the next higher entry, which skips it.
    Skipped,
}

/// How a bundle enters channels, as `promote` has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Entering {
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub how: Option<PromoteAs>,
    #[serde(default, skip_serializing_if = "Choice::is_default")]
    pub replaces: Choice,
    #[serde(default, skip_serializing_if = "Choice::is_default")]
    pub skip_range: Choice,
}

/// What happens to edges that named a removed entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DanglingEdges {
    /// Its successors replace what it replaced, skip what it skipped, and get its skip range if they have none.
    #[default]
    Relink,
    /// As `relink`, and what replaced it also skips it, so that its users still have a way on.
    Skip,
    /// The edges stay and name an absent entry.
    Leave,
}

impl DanglingEdges {
    /// The default of `remove-bundle`: users of the removed bundle keep an update.
    pub fn of_removed_bundle() -> Self {
        DanglingEdges::Skip
    }
}

/// How the edges of a channel follow from the versions of its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeRule {
    /// Each entry replaces the next lower one.
    Replaces,
    /// The highest entry of a y-stream replaces the highest of the y-stream before and skips all else that is lower in its
    /// major version, as the semver template has it.
    SkipPatch,
    /// The highest entry of a y-stream replaces the highest of the y-stream before and skips all others of its own, so
    /// that every upgrade passes the latest patch.
    ZStream,
    /// As `replaces`, and each entry has a skip range from the start of its y-stream (the first one from the start of the
    /// y-stream before).
    SkipRange,
}

/// What a copied package does where one of its name is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IfThere {
    /// Nothing is done.
    #[default]
    Refuse,
    /// The one that is there goes.
    Replace,
}

impl IfThere {
    pub fn is_refuse(&self) -> bool {
        *self == IfThere::Refuse
    }
}

/// A file and its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextFile {
    pub path: String,
    pub text: String,
}

/// The surroundings of a text when it was replaced, by which its place is found again in a file that changed
/// since (`fbc::edit::text_context`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Around {
    /// The text before the place, from the start of a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub above: String,
    /// The text behind it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub below: String,
    /// Of the whole text: in the same one the place is where it was. "" where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The blob (schema, package, name), and the keys and names on the way to the place. Empty where it is not known.
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
    /// `skip-matching` is a range of `skipRange`'s dialect or a y-stream (`1.29.z`): every lower entry of the channel whose
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
    /// `skip-matching` as with `add-skip`, of what the entry skips.
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
    /// With the entries of the channel `from`, else without any.
    AddChannel {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        channel: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
    },
    /// With the default channel and the deprecations that name it.
    RenameChannel {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        channel: String,
        to: String,
    },
    /// With the deprecations that name it.
    RemoveChannel {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        channel: String,
    },
    /// The bundle's blob, its entries in all channels and the deprecations that name it.
    RemoveBundle {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        bundle: String,
        #[serde(default = "DanglingEdges::of_removed_bundle")]
        then: DanglingEdges,
    },
    /// Renames a bundle in its blob and wherever channels and deprecations name it.
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
    /// An empty text takes the description away.
    SetDescription {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        text: String,
    },
    /// `data` is the image in base64; its media type follows from its bytes. `null` takes the icon away.
    SetIcon {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        data: Option<String>,
    },
    /// `release` distinguishes bundles of one version. `to` is a channel that it enters, at the place where `promote`
    /// would put it; `as`, `replaces`, `skip-range` and `skips` concern that entry. Without a version, the one that the
    /// name ends in. A semver template needs neither: it names bundles by image.
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
        /// The whole blob, if more is known than the fields above, which must agree with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blob: Option<Json>,
    },
    /// A package from nothing. `icon`: base64 of an image. `file`: where the first package of a catalog is written, a path
    /// that may be new; other packages are laid out as those that are there.
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
    /// All blobs of a package.
    RemovePackage {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
    },
    /// `from` is the catalog that has the package. `files` is its text there, with paths below that catalog's folder;
    /// without it the text is taken from the open catalog `from`, as it is when the operation is applied.
    CopyPackage {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        from: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<TextFile>,
        #[serde(default, skip_serializing_if = "IfThere::is_refuse")]
        if_there: IfThere,
    },
    /// `bundle` or `where`, as for the two below: the bundle that is named, or all that meet a condition
    /// (`fbc::edit::plan` has the language).
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
    /// One bundle takes the place of another in every channel: entries, `replaces`, `skips` and deprecations. A
    /// substitutes template gets a substitution instead; a semver template gets the image in its lists.
    Substitute {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        package: String,
        /// The bundle whose place is taken; in a semver template also its image.
        bundle: String,
        /// The name of the bundle that takes it; in semver and substitutes templates its image, or its name if it is
        /// open. `null` removes the substitution of a substitutes template.
        by: Option<String>,
        /// The image of the bundle that takes it: for a basic template, and for a bundle that the catalog lacks.
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
    /// Without a value all properties of the type go; `null` is a value.
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
    /// Embedded objects (`olm.bundle.object`) become `olm.csv.metadata`, as `opm render --migrate-level` does it: of one
    /// package, or of all.
    Migrate {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        package: Option<String>,
    },
    /// Free text. `at` is `LINE:COLUMN-LINE:COLUMN` (from 1, in characters, end exclusive); `before` is the text that
    /// must be there. `file` is relative to the catalog's root; a missing file is created when `before` is empty. With
    /// `around` the rest of the text may have changed: the place is found again, or the operation refused. The
    /// workspace adds it to the operations that it applied.
    ReplaceText {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        catalog: Option<String>,
        file: String,
        at: String,
        before: String,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        around: Option<Box<Around>>,
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
    /// The operation's name, as JSON and the command line spell it.
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

    /// The catalog that the operation names, if it names one.
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

    /// Where the operation names its catalog: to do the same elsewhere.
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

    /// The package that the operation names; `None` for free text, and for what is done in all packages.
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

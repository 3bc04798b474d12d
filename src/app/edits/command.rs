//! The edit commands: names, fields, and subjects, as plain data for forms, palette, context menus
//! and inspector.

use protocol::enum_with_text;
use protocol::request::RangePurpose;

/// Defines the commands: operation, label, shortcut of the form, fields, and help.
macro_rules! edit_commands {
    ($($id:ident { op: $op:literal, label: $label:literal, key: $key:literal, fields: [$($field:ident),*], help: $help:literal, })*) => {
        /// An edit command. Each has a form, and most have an `EditOp` of their own.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum EditCommand {
            $($id),*
        }

        impl EditCommand {
            pub const ALL: [EditCommand; [$($label),*].len()] = [$(EditCommand::$id),*];

            /// Returns the name of the operation in JSON.
            pub const fn operation(self) -> &'static str {
                match self { $(EditCommand::$id => $op),* }
            }

            /// Returns the label, which is also the dialog's title.
            pub const fn label(self) -> &'static str {
                match self { $(EditCommand::$id => $label),* }
            }

            /// Returns the help text in the form's head.
            pub const fn help(self) -> &'static str {
                match self { $(EditCommand::$id => $help),* }
            }

            /// Returns the shortcut that opens the form when nothing is being typed.
            pub const fn key(self) -> &'static str {
                match self { $(EditCommand::$id => $key),* }
            }

            pub const fn fields(self) -> &'static [Field] {
                match self { $(EditCommand::$id => &[$(Field::$field),*]),* }
            }
        }
    };
}

edit_commands! {
    Promote {
        op: "promote", label: "Promote bundle…", key: "P",
        fields: [Catalog, Package, Bundle, ToChannel, As, Replaces, SkipRange],
        help: "Lists the bundle in another channel.",
    }
    Withdraw {
        op: "withdraw", label: "Withdraw bundle…", key: "W",
        fields: [Catalog, Package, Bundle, Channel, By],
        help: "The entry stays listed and a newer one skips it: Classic upgrades nobody to it from now on, and clusters that run it can still upgrade.",
    }
    SetDefaultChannel {
        op: "set-default-channel", label: "Set default channel…", key: "D",
        fields: [Catalog, Package, Channel],
        help: "The channel that a subscription follows when it names none.",
    }
    SetReplaces {
        op: "set-replaces", label: "Set replaces…", key: "R",
        fields: [Catalog, Package, Channel, Entry, Replaces],
        help: "The one entry whose users upgrade to this one.",
    }
    AddSkip {
        op: "add-skip", label: "Add skip…", key: "S",
        fields: [Catalog, Package, Channel, Entry, Skip, SkipMatching],
        help: "Clusters that run these upgrade to this entry, and nobody is upgraded to them from now on.",
    }
    RemoveSkip {
        op: "remove-skip", label: "Remove skip…", key: "Shift+S",
        fields: [Catalog, Package, Channel, Entry, Skip, SkipMatching],
        help: "Clusters that run these no longer upgrade to this entry.",
    }
    SetSkipRange {
        op: "set-skip-range", label: "Set skip range…", key: "G",
        fields: [Catalog, Package, Channel, Entry, SkipRange],
        help: "Every installed version in the range upgrades to this entry.",
    }
    Deprecate {
        op: "deprecate", label: "Deprecate…", key: "X",
        fields: [Catalog, Package, Reference, Bundle, Channel, Message],
        help: "Users see the message on their cluster. Classic still updates them; OLM v1 may not: see the preview.",
    }
    Undeprecate {
        op: "undeprecate", label: "Remove deprecation…", key: "Shift+X",
        fields: [Catalog, Package, Reference],
        help: "Removes the deprecation message.",
    }
    RemoveEntry {
        op: "remove-entry", label: "Remove entry…", key: "Delete",
        fields: [Catalog, Package, Channel, Entry, Then],
        help: "Removes the entry from the channel; its bundle stays in the catalog.",
    }
    AddBundle {
        op: "add-bundle", label: "Add bundle…", key: "B",
        fields: [Catalog, Package, Bundle, Version, Release, Image, ToChannel, SkipRange],
        help: "Writes a bundle with its olm.package property, and lists it in a channel.",
    }
    SetImage {
        op: "set-image", label: "Set image…", key: "Shift+B",
        fields: [Catalog, Package, Bundle, Where, Image],
        help: "Sets the image to pull, for one bundle or all that match a condition.",
    }
    Substitute {
        op: "substitute", label: "Substitute bundle…", key: "Shift+W",
        fields: [Catalog, Package, Bundle, By, Image, SkipOld],
        help: "Another bundle takes the place of this one in every channel, with its edges and deprecations. Clusters \
             that run the old one get an update only if its name is skipped.",
    }
    RenameBundle {
        op: "rename-bundle", label: "Rename bundle…", key: "Shift+E",
        fields: [Catalog, Package, Bundle, NewName, SkipOld],
        help: "Renames the bundle, also in all channels and deprecations. Clusters that run it and the CSV in its image \
             keep the old name.",
    }
    AddProperty {
        op: "add-property", label: "Add property…", key: "Y",
        fields: [Catalog, Package, Bundle, Where, Type, Value],
        help: "Adds what a bundle provides or requires, to one bundle or all that match a condition.",
    }
    RemoveProperty {
        op: "remove-property", label: "Remove property…", key: "Shift+Y",
        fields: [Catalog, Package, Bundle, Where, Type, Value],
        help: "Removes a property from one bundle, or from all that match a condition.",
    }
    Migrate {
        op: "migrate", label: "Migrate bundles…", key: "H",
        fields: [Catalog, Package],
        help: "Replaces the objects that bundles embed (olm.bundle.object) with the much smaller olm.csv.metadata, as opm \
             render --migrate-level does. Catalogs for OpenShift 4.17 and later require it.",
    }
    SetDescription {
        op: "set-description", label: "Set description…", key: "T",
        fields: [Catalog, Package, Description],
        help: "The text that consoles show for the package.",
    }
    SetIcon {
        op: "set-icon", label: "Set icon…", key: "Shift+T",
        fields: [Catalog, Package, Icon],
        help: "The icon that consoles show for the package.",
    }
    AddPackage {
        op: "add-package", label: "New package…", key: "Q",
        fields: [Catalog, Package, DefaultChannel, Description, Icon],
        help: "Adds a package, as opm init does. It passes opm validate once it has a channel with a bundle.",
    }
    RemovePackage {
        op: "remove-package", label: "Remove package…", key: "Shift+Q",
        fields: [Catalog, Package],
        help: "Removes the package with its channels, bundles and deprecations. Clusters that run it get no more upgrades \
             from this catalog.",
    }
    CopyPackage {
        op: "copy-package", label: "Copy packages…", key: "Shift+P",
        fields: [From, Package, IfExists, Catalog],
        help: "Copies packages from another open catalog, exactly as they are written there.",
    }
    RemoveBundle {
        op: "remove-bundle", label: "Remove bundle…", key: "Shift+Delete",
        fields: [Catalog, Package, Bundle, Then],
        help: "Removes the bundle, its entries in all channels and the deprecations that name it. A cluster that \
             runs it can upgrade only along the edges that are left.",
    }
    RebuildEdges {
        op: "rebuild-edges", label: "Rebuild edges…", key: "E",
        fields: [Catalog, Package, Channel, Rule],
        help: "Rebuilds the edges between the channel's entries from their versions. Edges that name absent entries \
             stay.",
    }
    AddChannel {
        op: "add-channel", label: "Add channel…", key: "N",
        fields: [Catalog, Package, Channel, From],
        help: "Adds a channel, empty or with the entries of another. opm rejects an empty channel until a bundle is \
             promoted into it.",
    }
    RenameChannel {
        op: "rename-channel", label: "Rename channel…", key: "Shift+R",
        fields: [Catalog, Package, Channel, NewName],
        help: "Renames the channel, also where the default channel and deprecations name it. Subscriptions on \
             clusters keep the old name.",
    }
    RemoveChannel {
        op: "remove-channel", label: "Remove channel…", key: "Shift+N",
        fields: [Catalog, Package, Channel],
        help: "Removes the channel and the deprecations that name it; its bundles stay.",
    }
    ReplaceStream {
        op: "add-skip", label: "Skip a z-stream…", key: "Shift+G",
        fields: [Catalog, Package, Stream, Channel],
        help: "Users of a z-stream (such as 1.29.z) go straight to its latest version, which skips the others in the channel.",
    }
}

enum_with_text! {
    pub fn label;
    /// A form field. [`EditCommand::fields`] gives the display order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Field {
        Catalog = "Catalog",
        Package = "Package",
        Bundle = "Bundle",
        Reference = "Reference",
        DefaultChannel = "Default channel",
        Channel = "Channel",
        Entry = "Entry",
        Stream = "Z-stream",
        Where = "Where",
        Version = "Version",
        Release = "Release",
        Image = "Image",
        Type = "Type",
        Value = "Value",
        Description = "Description",
        Icon = "Icon",
        NewName = "New name",
        From = "From",
        IfExists = "If it exists",
        ToChannel = "To channel",
        As = "As",
        By = "Replaced by",
        Replaces = "Replaces",
        Skip = "Skip",
        SkipMatching = "Skip matching",
        SkipRange = "Skip range",
        /// Whether a renamed entry also skips its old name.
        SkipOld = "Skip the old name",
        Message = "Message",
        Then = "Then",
        Rule = "Rule",
        /// The file of a catalog's first package; not shown in forms.
        File = "File",
    }
}

/// The kind of object that a command applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    Package,
    Channel,
    /// An entry of a channel, with or without a bundle.
    Entry,
    Bundle,
}

impl EditCommand {
    /// Commands of the toolbar for several selected entries; the menu has all.
    pub const TOOLBAR: [EditCommand; 4] = [
        EditCommand::Promote,
        EditCommand::AddSkip,
        EditCommand::Deprecate,
        EditCommand::RemoveEntry,
    ];
    /// Commands in the menu of an edge, by its kind.
    pub const FOR_REPLACES: &[EditCommand] = &[EditCommand::SetReplaces];
    pub const FOR_SKIPS: &[EditCommand] = &[EditCommand::RemoveSkip, EditCommand::AddSkip];
    pub const FOR_SKIP_RANGE: &[EditCommand] = &[EditCommand::SetSkipRange];

    /// Returns what distinguishes commands with similar names, in one line; "" for others.
    pub const fn note(self) -> &'static str {
        match self {
            EditCommand::Withdraw => "Keeps it in the file; Classic upgrades nobody to it",
            EditCommand::RemoveEntry => "Takes it out of this channel; its bundle stays",
            EditCommand::RemoveBundle => "Takes it out of the catalog and all channels",
            _ => "",
        }
    }

    /// Returns additional search words; "" if the label is enough.
    pub const fn search_words(self) -> &'static str {
        match self {
            EditCommand::ReplaceStream => {
                "skip z-stream patch releases latest replaces all of a y-stream"
            }
            EditCommand::SetDefaultChannel => "change default channel switch",
            EditCommand::Withdraw => "remove bad release pull roll back revoke",
            EditCommand::Deprecate => "add deprecation message warn users",
            EditCommand::AddBundle => "new release version publish",
            EditCommand::Promote => "move bundle to channel add to channel release",
            EditCommand::SetReplaces => "change fix replaces edge",
            _ => "",
        }
    }

    /// Returns the purpose of a range field; `None`: the field is not a range.
    pub const fn range_purpose(self, field: Field) -> Option<RangePurpose> {
        match (self, field) {
            (EditCommand::AddSkip, Field::SkipMatching) => Some(RangePurpose::Skip),
            (EditCommand::RemoveSkip, Field::SkipMatching) => Some(RangePurpose::Unskip),
            (EditCommand::SetSkipRange | EditCommand::Promote, Field::SkipRange) => {
                Some(RangePurpose::SkipRange)
            }
            _ => None,
        }
    }

    pub const fn is_deprecation(self) -> bool {
        matches!(self, EditCommand::Deprecate | EditCommand::Undeprecate)
    }

    /// Returns the label of a field in this command's form.
    pub fn field_label(self, field: Field) -> &'static str {
        match (self, field) {
            (EditCommand::CopyPackage, Field::Catalog) => "To catalog",
            (EditCommand::CopyPackage, Field::From) => "From catalog",
            _ => field.label(),
        }
    }

    pub const fn is_copy(self) -> bool {
        matches!(self, EditCommand::CopyPackage)
    }

    /// Whether the operation adds the package, so the catalog may lack it.
    pub const fn adds_package(self) -> bool {
        matches!(self, EditCommand::AddPackage | EditCommand::CopyPackage)
    }

    /// Whether the form is prefilled with the package's description.
    pub const fn changes_description(self) -> bool {
        matches!(self, EditCommand::SetDescription)
    }

    /// Whether the next render of the package's template would overwrite the edit.
    pub const fn is_lost_by_rendering(self) -> bool {
        !matches!(self, EditCommand::CopyPackage | EditCommand::Migrate)
    }

    /// Returns the commands for a kind of object, most important first; those that remove
    /// something are ordered from mild to drastic.
    pub fn for_subject(subject: Subject) -> Vec<EditCommand> {
        use EditCommand::*;
        match subject {
            Subject::Package => vec![
                SetDefaultChannel,
                Promote,
                AddBundle,
                AddChannel,
                Deprecate,
                ReplaceStream,
                Undeprecate,
                SetDescription,
                SetIcon,
                Migrate,
                CopyPackage,
                AddPackage,
                RemovePackage,
            ],
            Subject::Channel => vec![
                SetDefaultChannel,
                Promote,
                AddChannel,
                RenameChannel,
                RebuildEdges,
                ReplaceStream,
                Deprecate,
                Undeprecate,
                RemoveChannel,
            ],
            Subject::Bundle => {
                vec![
                    Promote,
                    Withdraw,
                    Substitute,
                    Deprecate,
                    Undeprecate,
                    SetImage,
                    AddProperty,
                    RemoveProperty,
                    RenameBundle,
                    RemoveBundle,
                ]
            }
            Subject::Entry => vec![
                Promote,
                Withdraw,
                SetReplaces,
                AddSkip,
                RemoveSkip,
                SetSkipRange,
                ReplaceStream,
                Deprecate,
                Undeprecate,
                SetDefaultChannel,
                Substitute,
                SetImage,
                AddProperty,
                RemoveProperty,
                RenameBundle,
                RemoveEntry,
                RemoveBundle,
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_keys_are_unique() {
        let labels: HashSet<_> = EditCommand::ALL
            .iter()
            .map(|command| command.label())
            .collect();
        let keys: HashSet<_> = EditCommand::ALL
            .iter()
            .map(|command| command.key())
            .collect();
        assert_eq!(
            (labels.len(), keys.len()),
            (EditCommand::ALL.len(), EditCommand::ALL.len())
        );
    }

    #[test]
    fn removal_commands_state_their_scope_and_are_sorted_by_severity() {
        let noted = |subject| {
            EditCommand::for_subject(subject)
                .into_iter()
                .filter(|command| !command.note().is_empty())
        };
        use EditCommand::{RemoveBundle, RemoveEntry, Withdraw};
        assert!(noted(Subject::Entry).eq([Withdraw, RemoveEntry, RemoveBundle]));
        assert!(noted(Subject::Bundle).eq([Withdraw, RemoveBundle]));
    }

    #[test]
    fn every_command_is_reachable() {
        let subjects = [
            Subject::Package,
            Subject::Channel,
            Subject::Entry,
            Subject::Bundle,
        ];
        for command in EditCommand::ALL {
            assert!(
                subjects
                    .iter()
                    .any(|subject| EditCommand::for_subject(*subject).contains(&command)),
                "{command:?}"
            );
        }
    }

    #[test]
    fn forms_begin_with_catalog_and_package_and_repeat_no_field() {
        for command in EditCommand::ALL {
            let fields = command.fields();
            // The packages to copy are those of the source.
            let first = match command {
                EditCommand::CopyPackage => [Field::From, Field::Package],
                _ => [Field::Catalog, Field::Package],
            };
            assert_eq!(&fields[..2], first, "{command:?}");
            let mut seen = HashSet::new();
            assert!(fields.iter().all(|field| seen.insert(field)), "{command:?}");
        }
    }
}

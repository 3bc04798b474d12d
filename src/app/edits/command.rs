//! The edit commands of the page: names, fields, and what each can be asked of. Plain data; the form, the palette, the
//! context menus and the inspector all read it.

/// One edit command; each is a form and becomes one kind of `EditOp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EditCommand {
    Promote,
    Withdraw,
    SetDefaultChannel,
    SetReplaces,
    AddSkip,
    RemoveSkip,
    SetSkipRange,
    Deprecate,
    Undeprecate,
    RemoveEntry,
    AddBundle,
    SetImage,
    AddProperty,
    RemoveProperty,
    SetDescription,
    SetIcon,
    CopyPackage,
    RemoveBundle,
    RebuildEdges,
    AddChannel,
    RenameChannel,
    RemoveChannel,
    ReplaceStream,
}

/// A field of a form. The order is the order on the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    Catalog,
    Package,
    Bundle,
    Reference,
    Channel,
    Entry,
    Stream,
    Where,
    Version,
    Release,
    Image,
    Type,
    Shape,
    Value,
    Description,
    Icon,
    NewName,
    From,
    ToChannel,
    As,
    By,
    Replaces,
    Skip,
    SkipMatching,
    SkipRange,
    Template,
    Message,
    Then,
    Rule,
}

/// What kind of thing a command is asked of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    Package,
    Channel,
    /// An entry of a channel that has a bundle, or not.
    Entry,
    Bundle,
}

impl EditCommand {
    pub const ALL: [EditCommand; 23] = [
        EditCommand::Promote,
        EditCommand::Withdraw,
        EditCommand::SetDefaultChannel,
        EditCommand::SetReplaces,
        EditCommand::AddSkip,
        EditCommand::RemoveSkip,
        EditCommand::SetSkipRange,
        EditCommand::Deprecate,
        EditCommand::Undeprecate,
        EditCommand::RemoveEntry,
        EditCommand::AddBundle,
        EditCommand::SetImage,
        EditCommand::AddProperty,
        EditCommand::RemoveProperty,
        EditCommand::SetDescription,
        EditCommand::SetIcon,
        EditCommand::CopyPackage,
        EditCommand::RemoveBundle,
        EditCommand::RebuildEdges,
        EditCommand::AddChannel,
        EditCommand::RenameChannel,
        EditCommand::RemoveChannel,
        EditCommand::ReplaceStream,
    ];

    /// The command's name everywhere, the dialog's title included.
    pub fn label(self) -> &'static str {
        match self {
            EditCommand::Promote => "Promote bundle…",
            EditCommand::Withdraw => "Withdraw bundle…",
            EditCommand::SetDefaultChannel => "Set default channel…",
            EditCommand::SetReplaces => "Set replaces…",
            EditCommand::AddSkip => "Add skip…",
            EditCommand::RemoveSkip => "Remove skip…",
            EditCommand::SetSkipRange => "Set skip range…",
            EditCommand::Deprecate => "Deprecate…",
            EditCommand::Undeprecate => "Remove deprecation…",
            EditCommand::RemoveEntry => "Remove entry…",
            EditCommand::AddBundle => "Add bundle…",
            EditCommand::SetImage => "Set image…",
            EditCommand::AddProperty => "Add property…",
            EditCommand::RemoveProperty => "Remove property…",
            EditCommand::SetDescription => "Set description…",
            EditCommand::SetIcon => "Set icon…",
            EditCommand::CopyPackage => "Copy package…",
            EditCommand::RemoveBundle => "Remove bundle…",
            EditCommand::RebuildEdges => "Rebuild edges…",
            EditCommand::AddChannel => "Add channel…",
            EditCommand::RenameChannel => "Rename channel…",
            EditCommand::RemoveChannel => "Remove channel…",
            EditCommand::ReplaceStream => "Latest replaces all of a y-stream…",
        }
    }

    /// What it does, for the head of its form.
    pub fn help(self) -> &'static str {
        match self {
            EditCommand::Promote => "Lists the bundle in another channel.",
            EditCommand::Withdraw => {
                "The bundle stays listed, the entry after it skips it: nobody is sent there any more, and who is there \
                 still gets on."
            }
            EditCommand::SetDefaultChannel => "The channel that a subscription follows when it names none.",
            EditCommand::SetReplaces => "The one entry whose users upgrade to this one.",
            EditCommand::AddSkip => "The entry also takes over from these, and nobody is sent to them.",
            EditCommand::RemoveSkip => "The entry no longer takes over from these.",
            EditCommand::SetSkipRange => "The entry takes over from every installed version in the range.",
            EditCommand::Deprecate => "Users see the message on their cluster; upgrades go on working.",
            EditCommand::Undeprecate => "Takes the message away again.",
            EditCommand::RemoveEntry => "Takes the entry out of the channel; its bundle stays in the catalog.",
            EditCommand::AddBundle => "Writes a bundle with its `olm.package` property, and lists it in a channel.",
            EditCommand::SetImage => "Where the bundle is pulled from: one bundle, or all that meet a condition.",
            EditCommand::AddProperty => {
                "What bundles say of themselves or require: one bundle, or all that meet a condition."
            }
            EditCommand::RemoveProperty => "Takes a property out of one bundle, or of all that meet a condition.",
            EditCommand::SetDescription => "What a console says of the package.",
            EditCommand::SetIcon => "The picture that a console shows of the package.",
            EditCommand::CopyPackage => {
                "Brings the package of another open catalog into this one, as it is written there."
            }
            EditCommand::RemoveBundle => {
                "Takes the bundle out of the catalog, with its entries in all channels and the deprecations that name it. \
                 A cluster that runs it gets no further than the edges that are left allow."
            }
            EditCommand::RebuildEdges => {
                "Makes the edges between the channel's entries anew, by their versions. Edges that name what is not in \
                 the channel stay."
            }
            EditCommand::AddChannel => {
                "A new channel, with the entries of another or none. opm refuses one without entries until a bundle is \
                 promoted into it."
            }
            EditCommand::RenameChannel => {
                "With the default channel and the deprecations that name it. Subscriptions on clusters keep the old name."
            }
            EditCommand::RemoveChannel => {
                "Takes the channel out of the catalog, with the deprecations that name it; its bundles stay."
            }
            EditCommand::ReplaceStream => {
                "The highest entry of the y-stream skips all others of it, in every channel that lists them, and takes \
                 over what they replaced."
            }
        }
    }

    /// The key that opens the form when nothing is being typed.
    pub const fn key(self) -> &'static str {
        match self {
            EditCommand::Promote => "P",
            EditCommand::Withdraw => "W",
            EditCommand::SetDefaultChannel => "D",
            EditCommand::SetReplaces => "R",
            EditCommand::AddSkip => "S",
            EditCommand::RemoveSkip => "Shift+S",
            EditCommand::SetSkipRange => "G",
            EditCommand::Deprecate => "X",
            EditCommand::Undeprecate => "Shift+X",
            EditCommand::RemoveEntry => "Delete",
            EditCommand::AddBundle => "B",
            EditCommand::SetImage => "Shift+B",
            EditCommand::AddProperty => "Y",
            EditCommand::RemoveProperty => "Shift+Y",
            EditCommand::SetDescription => "T",
            EditCommand::SetIcon => "Shift+T",
            EditCommand::CopyPackage => "Shift+P",
            EditCommand::RemoveBundle => "Shift+Delete",
            EditCommand::RebuildEdges => "E",
            EditCommand::AddChannel => "N",
            EditCommand::RenameChannel => "Shift+R",
            EditCommand::RemoveChannel => "Shift+N",
            EditCommand::ReplaceStream => "Shift+G",
        }
    }

    pub fn fields(self) -> &'static [Field] {
        use Field::*;
        match self {
            EditCommand::Promote => &[Catalog, Package, Bundle, ToChannel, As, Replaces, SkipRange],
            EditCommand::Withdraw => &[Catalog, Package, Bundle, Channel, By],
            EditCommand::SetDefaultChannel => &[Catalog, Package, Channel],
            EditCommand::SetReplaces => &[Catalog, Package, Channel, Entry, Replaces],
            EditCommand::AddSkip | EditCommand::RemoveSkip => &[Catalog, Package, Channel, Entry, Skip, SkipMatching],
            EditCommand::SetSkipRange => &[Catalog, Package, Channel, Entry, SkipRange],
            EditCommand::Deprecate => &[Catalog, Package, Reference, Bundle, Channel, Template, Message],
            EditCommand::Undeprecate => &[Catalog, Package, Reference, Bundle, Channel],
            EditCommand::RemoveEntry => &[Catalog, Package, Channel, Entry, Then],
            EditCommand::AddBundle => &[Catalog, Package, Bundle, Version, Release, Image, ToChannel],
            EditCommand::SetImage => &[Catalog, Package, Bundle, Where, Image],
            EditCommand::AddProperty => &[Catalog, Package, Bundle, Where, Type, Shape, Value],
            EditCommand::RemoveProperty => &[Catalog, Package, Bundle, Where, Type, Value],
            EditCommand::SetDescription => &[Catalog, Package, Description],
            EditCommand::SetIcon => &[Catalog, Package, Icon],
            EditCommand::CopyPackage => &[Catalog, Package, From],
            EditCommand::RemoveBundle => &[Catalog, Package, Bundle, Then],
            EditCommand::RebuildEdges => &[Catalog, Package, Channel, Rule],
            EditCommand::AddChannel => &[Catalog, Package, Channel, From],
            EditCommand::RenameChannel => &[Catalog, Package, Channel, NewName],
            EditCommand::RemoveChannel => &[Catalog, Package, Channel],
            EditCommand::ReplaceStream => &[Catalog, Package, Channel, Stream],
        }
    }

    /// Commands that make sense for a thing, most wanted first.
    pub fn of(subject: Subject) -> Vec<EditCommand> {
        use EditCommand::*;
        match subject {
            Subject::Package => vec![
                SetDefaultChannel,
                Promote,
                AddBundle,
                AddChannel,
                Deprecate,
                Undeprecate,
                SetDescription,
                SetIcon,
                CopyPackage,
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
                vec![Promote, Withdraw, Deprecate, Undeprecate, SetImage, AddProperty, RemoveProperty, RemoveBundle]
            }
            Subject::Entry => vec![
                Promote,
                Withdraw,
                SetReplaces,
                AddSkip,
                RemoveSkip,
                SetSkipRange,
                Deprecate,
                Undeprecate,
                SetDefaultChannel,
                SetImage,
                AddProperty,
                RemoveProperty,
                RemoveEntry,
                RemoveBundle,
            ],
        }
    }
}

impl Field {
    pub fn label(self) -> &'static str {
        match self {
            Field::Catalog => "Catalog",
            Field::Package => "Package",
            Field::Bundle => "Bundle",
            Field::Reference => "Reference",
            Field::Channel => "Channel",
            Field::Entry => "Entry",
            Field::NewName => "New name",
            Field::From => "From",
            Field::ToChannel => "To channel",
            Field::As => "As",
            Field::By => "By",
            Field::Replaces => "Replaces",
            Field::Skip => "Skip",
            Field::SkipMatching => "Skip matching",
            Field::SkipRange => "Skip range",
            Field::Message => "Message",
            Field::Then => "Then",
            Field::Where => "Where",
            Field::Version => "Version",
            Field::Image => "Image",
            Field::Type => "Type",
            Field::Value => "Value",
            Field::Description => "Description",
            Field::Icon => "Icon",
            Field::Rule => "Rule",
            Field::Stream => "Y-stream",
            Field::Release => "Release",
            Field::Shape => "Begin from",
            Field::Template => "Template",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_keys_are_one_each() {
        let labels: HashSet<_> = EditCommand::ALL.iter().map(|command| command.label()).collect();
        let keys: HashSet<_> = EditCommand::ALL.iter().map(|command| command.key()).collect();
        assert_eq!((labels.len(), keys.len()), (EditCommand::ALL.len(), EditCommand::ALL.len()));
    }

    #[test]
    fn every_command_can_be_reached_from_something() {
        let subjects = [Subject::Package, Subject::Channel, Subject::Entry, Subject::Bundle];
        for command in EditCommand::ALL {
            assert!(subjects.iter().any(|subject| EditCommand::of(*subject).contains(&command)), "{command:?}");
        }
    }

    #[test]
    fn fields_stand_in_one_order_on_all_forms() {
        for command in EditCommand::ALL {
            let fields = command.fields();
            assert_eq!(&fields[..2], [Field::Catalog, Field::Package], "{command:?}");
            let mut seen = HashSet::new();
            assert!(fields.iter().all(|field| seen.insert(field)), "{command:?}");
        }
    }
}

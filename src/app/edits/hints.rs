//! Hints below form fields: what an empty field or the chosen value means.

use super::bundle_forms::REPLACE;
use super::command::{EditCommand, Field};
use super::form_values::FormValues;
use protocol::operation::PromoteAs;

/// Returns the hint of a field: what an empty field means.
pub fn hint(command: EditCommand, field: Field, values: &FormValues) -> &'static str {
    match (command, field) {
        (EditCommand::Promote, Field::As) => promotion_hint(values.get(Field::As)),
        (EditCommand::Promote, Field::Replaces) => "Empty: chosen by version.",
        (EditCommand::Promote, Field::SkipRange) => {
            "Empty: copied from its other channels if they agree."
        }
        (EditCommand::Withdraw, Field::Channel) => "Empty: every channel that lists it.",
        (EditCommand::Withdraw, Field::By) => {
            "The entry that takes over. Empty: the next higher one that is not skipped."
        }
        (EditCommand::SetReplaces, Field::Replaces) => "Empty or none: replaces nothing.",
        (EditCommand::SetSkipRange, Field::SkipRange) => {
            "A range, such as >=1.28.0 <1.29.0. Empty or none: no skip range."
        }
        (EditCommand::AddSkip | EditCommand::RemoveSkip, Field::Skip) => {
            "One name, or several separated by commas."
        }
        (EditCommand::AddSkip, Field::SkipMatching) => {
            "All lower entries of a y-stream (1.29.z) or range (>=1.28.0 <1.29.0); this entry takes \
             over what they replaced."
        }
        (EditCommand::RemoveSkip, Field::SkipMatching) => {
            "All in a y-stream (1.29.z) or range (>=1.28.0 <1.29.0)."
        }
        (EditCommand::AddChannel, Field::Channel) => "The new channel's name.",
        (EditCommand::AddChannel, Field::From) => {
            "The channel whose entries are copied. Empty or none: no entries."
        }
        (EditCommand::RebuildEdges, Field::Rule) => rule_hint(values.get(Field::Rule)),
        (EditCommand::ReplaceStream, Field::Channel) => {
            "The z-stream’s latest version in this channel skips the others. Empty: every channel with two of its versions."
        }
        (EditCommand::ReplaceStream, Field::Stream) => "Such as 1.29.z.",
        (EditCommand::Undeprecate, Field::Reference) => "package, channel NAME or bundle NAME",
        (EditCommand::Deprecate, Field::Bundle) => "One name, or several separated by commas.",
        (EditCommand::SetDescription, Field::Description) => "Markdown. Leave empty to remove it.",
        (EditCommand::AddPackage, Field::Package) => {
            "The new package's name: lower case letters, digits and -."
        }
        (EditCommand::AddPackage, Field::DefaultChannel) => {
            "The channel that a subscription follows when it names none."
        }
        (EditCommand::AddPackage, Field::Description) => "Markdown. Empty: none.",
        (EditCommand::AddBundle, Field::Release) => {
            "Empty: none. With a release, the bundle is named PACKAGE-vVERSION-RELEASE."
        }
        (EditCommand::AddBundle, Field::ToChannel) => {
            "Leave empty to add it to no channel yet; opm validate fails until one lists it."
        }
        (EditCommand::AddBundle, Field::SkipRange) => {
            "Filled in if the channel's newest entries have similar ranges. Empty: no range."
        }
        (EditCommand::SetImage, Field::Image) => {
            "A related image with the old reference is updated too."
        }
        (EditCommand::Substitute, Field::Image) => {
            "The image of the bundle that takes its place, if the catalog lacks that bundle. In a substitutes template: also the name of an open bundle, or none to remove the substitution."
        }
        (EditCommand::Substitute, Field::By) => {
            "The bundle that takes its place. Empty in a substitutes or semver template: the image says which."
        }
        (EditCommand::RemoveProperty, Field::Value) => "JSON. Empty: all properties of the type.",
        (EditCommand::AddProperty, Field::Value) => "JSON, checked against the type.",
        (EditCommand::Migrate, Field::Package) => "Empty: all packages of the catalog.",
        (EditCommand::CopyPackage, Field::Catalog) => "The catalog that gets the packages.",
        (EditCommand::CopyPackage, Field::From) => "The catalog that has the packages.",
        (EditCommand::CopyPackage, Field::IfExists) => match values.get(Field::IfExists) {
            REPLACE => "Replaces all of its documents.",
            _ => "Nothing is copied.",
        },
        (_, Field::Where) => {
            "Instead of Bundle: version >=1.2.0, channel=NAME, name~TEXT, has TYPE; and, or, not, ( )."
        }
        _ => "",
    }
}

fn promotion_hint(promote_as: &str) -> &'static str {
    match PromoteAs::parse(promote_as) {
        Some(PromoteAs::Head) => "It becomes the channel's head and replaces the current one.",
        Some(PromoteAs::Chain) => "It goes between two entries; the later one then replaces it.",
        Some(PromoteAs::Skipped) => "The next higher entry skips it and keeps its own edges.",
        None => "The highest version becomes the head; any other goes into the chain.",
    }
}

fn rule_hint(rule: &str) -> &'static str {
    match rule {
        "skip-patch" => {
            "The highest entry of each y-stream replaces that of the previous one and skips all others \
             below it, as the semver template does."
        }
        "z-stream" => {
            "The highest entry of each y-stream replaces that of the previous one and skips all others \
             of its own, so that everyone passes through the latest patch."
        }
        "skip-range" => {
            "Each entry replaces the next lower one, and its skipRange covers the lower versions of its \
             y-stream."
        }
        _ => "Each entry replaces the next lower one.",
    }
}

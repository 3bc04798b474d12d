//! `opm`'s rules, one per file, and their order.
//!
//! To add a rule, create a file here with its `DOC`, which also declares how its problems relate to
//! others, and its check, and add a line to [`RULES`]. Our own rules are in [`super::advice`].

mod loading;
pub(super) mod prelude;

pub(super) mod bundle_duplicate;
pub(super) mod bundle_image;
pub(super) mod bundle_image_pullspec;
pub(super) mod bundle_no_name;
pub(super) mod bundle_no_package;
pub(super) mod bundle_normalized_name;
pub(super) mod bundle_not_in_channel;
pub(super) mod bundle_package_property;
pub(super) mod bundle_package_property_count;
pub(super) mod bundle_package_property_match;
pub(super) mod bundle_properties_parse;
pub(super) mod bundle_release_format;
pub(super) mod bundle_unknown_package;
pub(super) mod bundle_version_semver;
pub(super) mod channel_cycle;
pub(super) mod channel_duplicate;
pub(super) mod channel_empty;
pub(super) mod channel_head_multiple;
pub(super) mod channel_head_none;
pub(super) mod channel_no_name;
pub(super) mod channel_stranded;
pub(super) mod channel_unknown_package;
pub(super) mod default_channel_unset;
pub(super) mod deprecation_bundle_not_found;
pub(super) mod deprecation_channel_not_found;
pub(super) mod deprecation_message;
pub(super) mod deprecation_multiple;
pub(super) mod deprecation_no_package;
pub(super) mod deprecation_package_named;
pub(super) mod deprecation_ref_duplicate;
pub(super) mod deprecation_ref_no_schema;
pub(super) mod deprecation_ref_unknown_schema;
pub(super) mod deprecation_unknown_package;
pub(super) mod duplicate_versions;
pub(super) mod entry_duplicate;
pub(super) mod entry_without_bundle;
pub(super) mod package_duplicate;
pub(super) mod package_name_dns1123;
pub(super) mod package_no_channels;
pub(super) mod package_no_name;
pub(super) mod related_image_pullspec;
pub(super) mod release_with_build;
pub(super) mod skip_empty;
pub(super) mod skiprange_invalid;

use super::rule::{Check, Rule};

pub(super) use loading::LOADING;

/// All package rules. Conversion rules of one level run in this order for each blob; model rules
/// for each package, channel and entry.
pub(super) const RULES: &[Rule] = &[
    Rule {
        doc: &package_no_name::DOC,
        check: Check::Definition(package_no_name::check),
    },
    Rule {
        doc: &package_duplicate::DOC,
        check: Check::Definition(package_duplicate::check),
    },
    Rule {
        doc: &package_name_dns1123::DOC,
        check: Check::Definition(package_name_dns1123::check),
    },
    Rule {
        doc: &channel_unknown_package::DOC,
        check: Check::ChannelBlob(channel_unknown_package::check),
    },
    Rule {
        doc: &channel_no_name::DOC,
        check: Check::ChannelBlob(channel_no_name::check),
    },
    Rule {
        doc: &channel_duplicate::DOC,
        check: Check::ChannelBlob(channel_duplicate::check),
    },
    Rule {
        doc: &entry_duplicate::DOC,
        check: Check::ChannelBlob(entry_duplicate::check),
    },
    Rule {
        doc: &bundle_no_package::DOC,
        check: Check::BundleBlob(bundle_no_package::check),
    },
    Rule {
        doc: &bundle_unknown_package::DOC,
        check: Check::BundleBlob(bundle_unknown_package::check),
    },
    Rule {
        doc: &bundle_duplicate::DOC,
        check: Check::BundleBlob(bundle_duplicate::check),
    },
    Rule {
        doc: &bundle_properties_parse::DOC,
        check: Check::BundleBlob(bundle_properties_parse::check),
    },
    Rule {
        doc: &bundle_package_property_count::DOC,
        check: Check::BundleBlob(bundle_package_property_count::check),
    },
    Rule {
        doc: &bundle_package_property_match::DOC,
        check: Check::BundleBlob(bundle_package_property_match::check),
    },
    Rule {
        doc: &bundle_image_pullspec::DOC,
        check: Check::BundleBlob(bundle_image_pullspec::check),
    },
    Rule {
        doc: &related_image_pullspec::DOC,
        check: Check::BundleBlob(related_image_pullspec::check),
    },
    Rule {
        doc: &bundle_version_semver::DOC,
        check: Check::BundleBlob(bundle_version_semver::check),
    },
    Rule {
        doc: &bundle_release_format::DOC,
        check: Check::BundleBlob(bundle_release_format::check),
    },
    Rule {
        doc: &bundle_not_in_channel::DOC,
        check: Check::BundleBlob(bundle_not_in_channel::check),
    },
    Rule {
        doc: &entry_without_bundle::DOC,
        check: Check::Cross(entry_without_bundle::check),
    },
    Rule {
        doc: &deprecation_no_package::DOC,
        check: Check::Deprecations(deprecation_no_package::check),
    },
    Rule {
        doc: &deprecation_unknown_package::DOC,
        check: Check::Deprecations(deprecation_unknown_package::check),
    },
    Rule {
        doc: &deprecation_multiple::DOC,
        check: Check::Deprecations(deprecation_multiple::check),
    },
    Rule {
        doc: &deprecation_ref_no_schema::DOC,
        check: Check::Deprecations(deprecation_ref_no_schema::check),
    },
    Rule {
        doc: &deprecation_ref_duplicate::DOC,
        check: Check::Deprecations(deprecation_ref_duplicate::check),
    },
    Rule {
        doc: &deprecation_bundle_not_found::DOC,
        check: Check::Deprecations(deprecation_bundle_not_found::check),
    },
    Rule {
        doc: &deprecation_channel_not_found::DOC,
        check: Check::Deprecations(deprecation_channel_not_found::check),
    },
    Rule {
        doc: &deprecation_package_named::DOC,
        check: Check::Deprecations(deprecation_package_named::check),
    },
    Rule {
        doc: &deprecation_ref_unknown_schema::DOC,
        check: Check::Deprecations(deprecation_ref_unknown_schema::check),
    },
    Rule {
        doc: &default_channel_unset::DOC,
        check: Check::Package(default_channel_unset::check),
    },
    Rule {
        doc: &package_no_channels::DOC,
        check: Check::Package(package_no_channels::check),
    },
    Rule {
        doc: &channel_empty::DOC,
        check: Check::Package(channel_empty::check_default),
    },
    Rule {
        doc: &channel_empty::DOC,
        check: Check::Channel(channel_empty::check),
    },
    Rule {
        doc: &channel_head_none::DOC,
        check: Check::Channel(channel_head_none::check),
    },
    Rule {
        doc: &channel_head_multiple::DOC,
        check: Check::Channel(channel_head_multiple::check),
    },
    Rule {
        doc: &channel_cycle::DOC,
        check: Check::Channel(channel_cycle::check),
    },
    Rule {
        doc: &channel_stranded::DOC,
        check: Check::Channel(channel_stranded::check),
    },
    Rule {
        doc: &bundle_no_name::DOC,
        check: Check::Entry(bundle_no_name::check),
    },
    Rule {
        doc: &bundle_normalized_name::DOC,
        check: Check::Entry(bundle_normalized_name::check),
    },
    Rule {
        doc: &skip_empty::DOC,
        check: Check::Entry(skip_empty::check),
    },
    Rule {
        doc: &skiprange_invalid::DOC,
        check: Check::Entry(skiprange_invalid::check),
    },
    Rule {
        doc: &bundle_package_property::DOC,
        check: Check::Entry(bundle_package_property::check),
    },
    Rule {
        doc: &bundle_image::DOC,
        check: Check::Entry(bundle_image::check),
    },
    Rule {
        doc: &deprecation_message::DOC,
        check: Check::Package(deprecation_message::check_default),
    },
    Rule {
        doc: &deprecation_message::DOC,
        check: Check::Entry(deprecation_message::check_bundle),
    },
    Rule {
        doc: &deprecation_message::DOC,
        check: Check::ChannelEnd(deprecation_message::check_channel),
    },
    Rule {
        doc: &release_with_build::DOC,
        check: Check::Entry(release_with_build::check),
    },
    Rule {
        doc: &duplicate_versions::DOC,
        check: Check::PackageEnd(duplicate_versions::check),
    },
    Rule {
        doc: &deprecation_message::DOC,
        check: Check::PackageEnd(deprecation_message::check_package),
    },
];

//! `opm`'s rules and their order.
//!
//! To add a rule, add its documentation, which also declares how its problems relate to others, and
//! its check to the file of its subject, and a line to [`RULES`]. Our own rules are in
//! [`super::advice`].

pub mod bundle_names;
pub mod bundle_properties;
pub mod channel_graph;
pub mod channel_stranded;
pub mod channels;
pub mod deprecations;
pub mod entries;
pub mod entry_without_bundle;
pub mod images;
pub mod loading;
pub mod packages;
pub mod prelude;

use super::rule::Check::*;
use super::rule::{Rule, rule};
use bundle_names::*;
use bundle_properties::*;
use channel_graph::*;
use channel_stranded::*;
use channels::*;
use deprecations::*;
use entries::*;
use entry_without_bundle::*;
use images::*;
use packages::*;

pub use loading::LOADING;

/// All package rules. Conversion rules of one level run in this order for each blob; model rules
/// for each package, channel and entry.
pub const RULES: &[Rule] = &[
    rule(&PACKAGE_NO_NAME, Definition(check_package_no_name)),
    rule(&PACKAGE_DUPLICATE, Definition(check_package_duplicate)),
    rule(
        &PACKAGE_NAME_DNS1123,
        Definition(check_package_name_dns1123),
    ),
    rule(
        &CHANNEL_UNKNOWN_PACKAGE,
        ChannelBlob(check_channel_unknown_package),
    ),
    rule(&CHANNEL_NO_NAME, ChannelBlob(check_channel_no_name)),
    rule(&CHANNEL_DUPLICATE, ChannelBlob(check_channel_duplicate)),
    rule(&ENTRY_DUPLICATE, ChannelBlob(check_entry_duplicate)),
    rule(&BUNDLE_NO_PACKAGE, BundleBlob(check_bundle_no_package)),
    rule(
        &BUNDLE_UNKNOWN_PACKAGE,
        BundleBlob(check_bundle_unknown_package),
    ),
    rule(&BUNDLE_DUPLICATE, BundleBlob(check_bundle_duplicate)),
    rule(
        &BUNDLE_PROPERTIES_PARSE,
        BundleBlob(check_bundle_properties_parse),
    ),
    rule(
        &BUNDLE_PACKAGE_PROPERTY_COUNT,
        BundleBlob(check_bundle_package_property_count),
    ),
    rule(
        &BUNDLE_PACKAGE_PROPERTY_MATCH,
        BundleBlob(check_bundle_package_property_match),
    ),
    rule(
        &BUNDLE_IMAGE_PULLSPEC,
        BundleBlob(check_bundle_image_pullspec),
    ),
    rule(
        &RELATED_IMAGE_PULLSPEC,
        BundleBlob(check_related_image_pullspec),
    ),
    rule(
        &BUNDLE_VERSION_SEMVER,
        BundleBlob(check_bundle_version_semver),
    ),
    rule(
        &BUNDLE_RELEASE_FORMAT,
        BundleBlob(check_bundle_release_format),
    ),
    rule(
        &BUNDLE_NOT_IN_CHANNEL,
        BundleBlob(check_bundle_not_in_channel),
    ),
    rule(&ENTRY_WITHOUT_BUNDLE, Cross(check_entry_without_bundle)),
    rule(
        &DEPRECATION_NO_PACKAGE,
        Deprecations(check_deprecation_no_package),
    ),
    rule(
        &DEPRECATION_UNKNOWN_PACKAGE,
        Deprecations(check_deprecation_unknown_package),
    ),
    rule(
        &DEPRECATION_MULTIPLE,
        Deprecations(check_deprecation_multiple),
    ),
    rule(
        &DEPRECATION_REF_NO_SCHEMA,
        Deprecations(check_deprecation_ref_no_schema),
    ),
    rule(
        &DEPRECATION_REF_DUPLICATE,
        Deprecations(check_deprecation_ref_duplicate),
    ),
    rule(
        &DEPRECATION_BUNDLE_NOT_FOUND,
        Deprecations(check_deprecation_bundle_not_found),
    ),
    rule(
        &DEPRECATION_CHANNEL_NOT_FOUND,
        Deprecations(check_deprecation_channel_not_found),
    ),
    rule(
        &DEPRECATION_PACKAGE_NAMED,
        Deprecations(check_deprecation_package_named),
    ),
    rule(
        &DEPRECATION_REF_UNKNOWN_SCHEMA,
        Deprecations(check_deprecation_ref_unknown_schema),
    ),
    rule(&DEFAULT_CHANNEL_UNSET, Package(check_default_channel_unset)),
    rule(&PACKAGE_NO_CHANNELS, Package(check_package_no_channels)),
    rule(&CHANNEL_EMPTY, Package(check_missing_default_channel)),
    rule(&CHANNEL_EMPTY, Channel(check_channel_empty)),
    rule(&CHANNEL_HEAD_NONE, Channel(check_channel_head_none)),
    rule(&CHANNEL_HEAD_MULTIPLE, Channel(check_channel_head_multiple)),
    rule(&CHANNEL_CYCLE, Channel(check_channel_cycle)),
    rule(&CHANNEL_STRANDED, Channel(check_channel_stranded)),
    rule(&BUNDLE_NO_NAME, Entry(check_bundle_no_name)),
    rule(&BUNDLE_NORMALIZED_NAME, Entry(check_bundle_normalized_name)),
    rule(&SKIP_EMPTY, Entry(check_skip_empty)),
    rule(&SKIPRANGE_INVALID, Entry(check_skiprange_invalid)),
    rule(
        &BUNDLE_PACKAGE_PROPERTY,
        Entry(check_bundle_package_property),
    ),
    rule(&BUNDLE_IMAGE, Entry(check_bundle_image)),
    rule(&DEPRECATION_MESSAGE, Package(check_message_of_default)),
    rule(&DEPRECATION_MESSAGE, Entry(check_message_of_bundle)),
    rule(&DEPRECATION_MESSAGE, ChannelEnd(check_message_of_channel)),
    rule(&RELEASE_WITH_BUILD, Entry(check_release_with_build)),
    rule(&DUPLICATE_VERSIONS, PackageEnd(check_duplicate_versions)),
    rule(&DEPRECATION_MESSAGE, PackageEnd(check_message_of_package)),
];

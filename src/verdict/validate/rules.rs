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
use super::rule::Rule;
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
pub const RULES: &[Rule] = rules![
    PACKAGE_NO_NAME: Definition(check_package_no_name),
    PACKAGE_DUPLICATE: Definition(check_package_duplicate),
    PACKAGE_NAME_DNS1123: Definition(check_package_name_dns1123),
    CHANNEL_UNKNOWN_PACKAGE: ChannelBlob(check_channel_unknown_package),
    CHANNEL_NO_NAME: ChannelBlob(check_channel_no_name),
    CHANNEL_DUPLICATE: ChannelBlob(check_channel_duplicate),
    ENTRY_DUPLICATE: ChannelBlob(check_entry_duplicate),
    BUNDLE_NO_PACKAGE: BundleBlob(check_bundle_no_package),
    BUNDLE_UNKNOWN_PACKAGE: BundleBlob(check_bundle_unknown_package),
    BUNDLE_DUPLICATE: BundleBlob(check_bundle_duplicate),
    BUNDLE_PROPERTIES_PARSE: BundleBlob(check_bundle_properties_parse),
    BUNDLE_PACKAGE_PROPERTY_COUNT: BundleBlob(check_bundle_package_property_count),
    BUNDLE_PACKAGE_PROPERTY_MATCH: BundleBlob(check_bundle_package_property_match),
    BUNDLE_IMAGE_PULLSPEC: BundleBlob(check_bundle_image_pullspec),
    RELATED_IMAGE_PULLSPEC: BundleBlob(check_related_image_pullspec),
    BUNDLE_VERSION_SEMVER: BundleBlob(check_bundle_version_semver),
    BUNDLE_RELEASE_FORMAT: BundleBlob(check_bundle_release_format),
    BUNDLE_NOT_IN_CHANNEL: BundleBlob(check_bundle_not_in_channel),
    ENTRY_WITHOUT_BUNDLE: Cross(check_entry_without_bundle),
    DEPRECATION_NO_PACKAGE: Deprecations(check_deprecation_no_package),
    DEPRECATION_UNKNOWN_PACKAGE: Deprecations(check_deprecation_unknown_package),
    DEPRECATION_MULTIPLE: Deprecations(check_deprecation_multiple),
    DEPRECATION_REF_NO_SCHEMA: Deprecation(check_deprecation_ref_no_schema),
    DEPRECATION_REF_DUPLICATE: Deprecations(check_deprecation_ref_duplicate),
    DEPRECATION_BUNDLE_NOT_FOUND: Deprecation(check_deprecation_bundle_not_found),
    DEPRECATION_CHANNEL_NOT_FOUND: Deprecation(check_deprecation_channel_not_found),
    DEPRECATION_PACKAGE_NAMED: Deprecation(check_deprecation_package_named),
    DEPRECATION_REF_UNKNOWN_SCHEMA: Deprecation(check_deprecation_ref_unknown_schema),
    DEFAULT_CHANNEL_UNSET: Package(check_default_channel_unset),
    PACKAGE_NO_CHANNELS: Package(check_package_no_channels),
    CHANNEL_EMPTY: Package(check_missing_default_channel),
    CHANNEL_EMPTY: Channel(check_channel_empty),
    CHANNEL_HEAD_NONE: Channel(check_channel_head_none),
    CHANNEL_HEAD_MULTIPLE: Channel(check_channel_head_multiple),
    CHANNEL_CYCLE: Channel(check_channel_cycle),
    CHANNEL_STRANDED: Channel(check_channel_stranded),
    BUNDLE_NO_NAME: Entry(check_bundle_no_name),
    BUNDLE_NORMALIZED_NAME: Entry(check_bundle_normalized_name),
    SKIP_EMPTY: Entry(check_skip_empty),
    SKIPRANGE_INVALID: Entry(check_skiprange_invalid),
    BUNDLE_PACKAGE_PROPERTY: Entry(check_bundle_package_property),
    BUNDLE_IMAGE: Entry(check_bundle_image),
    DEPRECATION_MESSAGE: Package(check_message_of_default),
    DEPRECATION_MESSAGE: Entry(check_message_of_bundle),
    DEPRECATION_MESSAGE: ChannelEnd(check_message_of_channel),
    RELEASE_WITH_BUILD: Entry(check_release_with_build),
    DUPLICATE_VERSIONS: PackageEnd(check_duplicate_versions),
    DEPRECATION_MESSAGE: PackageEnd(check_message_of_package),
];

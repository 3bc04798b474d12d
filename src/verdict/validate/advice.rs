//! Our own advice about mistakes that `opm` accepts.
//!
//! To add a rule, add its documentation (made with [`RuleDoc::advice`](super::RuleDoc), with bad and good examples) and
//! its check to the file of its subject, and a line to [`ADVICE`], which is sorted by rule id. A check only reports. It
//! must be linear in entries and bundles, and does not run if the rule is off.

pub mod apis;
pub mod bundle_metadata;
pub mod constraints;
pub mod dependencies;
pub mod deprecations;
pub mod edges;
pub mod images;
pub mod keys;
pub mod max_openshift_versions;
pub mod names;
pub mod prereleases;
pub mod properties;
pub mod published_bundle_changed;
pub mod ranges;
pub mod schemas;
pub mod skip_ranges;
pub mod texts;

use super::rule::Check::*;
use super::rule::{Rule, rule};
use apis::*;
use bundle_metadata::*;
use constraints::*;
use dependencies::*;
use deprecations::*;
use edges::*;
use images::*;
use keys::*;
use max_openshift_versions::*;
use names::*;
use prereleases::*;
use published_bundle_changed::*;
use schemas::*;
use skip_ranges::*;
use texts::*;

pub const ADVICE: &[Rule] = &[
    rule(
        &API_OF_TWO_PACKAGES,
        CrossPackage(check_api_of_two_packages),
    ),
    rule(&BUNDLE_IMAGE_SHARED, Cross(check_bundle_image_shared)),
    rule(
        &BUNDLE_METADATA_EMPTY,
        BundleBlob(check_bundle_metadata_empty),
    ),
    rule(
        &BUNDLE_METADATA_FORM,
        CrossPackage(check_bundle_metadata_form),
    ),
    rule(
        &BUNDLE_METADATA_MISSING,
        CrossPackage(check_bundle_metadata_missing),
    ),
    rule(
        &CATALOG_METADATA_MISSING,
        CrossPackage(check_catalog_metadata_missing),
    ),
    rule(&BUNDLE_NAME_FORM, Cross(check_bundle_name_form)),
    rule(
        &BUNDLE_NAME_KUBERNETES,
        BundleBlob(check_bundle_name_kubernetes),
    ),
    rule(&BUNDLE_OBJECT_EMPTY, BundleBlob(check_bundle_object_empty)),
    rule(
        &CHANNEL_NAME_KUBERNETES,
        ChannelBlob(check_channel_name_kubernetes),
    ),
    rule(&CHANNEL_PRIORITY, BundleBlob(check_channel_priority)),
    rule(&CONSTRAINT_NOT_ALONE, Cross(check_constraint_not_alone)),
    rule(
        &CONSTRAINT_SEVERAL_KINDS,
        Cross(check_constraint_several_kinds),
    ),
    rule(&CUSTOM_SCHEMA_NAME, Cross(check_custom_schema_name)),
    rule(
        &DEFAULT_CHANNEL_DEPRECATED,
        Definition(check_default_channel_deprecated),
    ),
    rule(
        &DEPENDENCIES_MISPLACED,
        BundleBlob(check_dependencies_misplaced),
    ),
    rule(&DEPENDENCY_NO_MINIMUM, Cross(check_dependency_no_minimum)),
    rule(
        &DEPENDENCY_NOT_HERE,
        CrossPackage(check_dependency_not_here),
    ),
    rule(
        &DEPENDENCY_OUT_OF_RANGE,
        CrossPackage(check_dependency_out_of_range),
    ),
    rule(
        &DEPENDENCY_PACKAGE_AND_API,
        CrossPackage(check_dependency_package_and_api),
    ),
    rule(
        &DEPENDENCY_TIGHT_MAXIMUM,
        Cross(check_dependency_tight_maximum),
    ),
    rule(&DEPENDENCY_UNDER_V1, Cross(check_dependency_under_v1)),
    rule(
        &DEPRECATION_MESSAGE_THIN,
        Deprecations(check_deprecation_message_thin),
    ),
    rule(&DESCRIPTION_MISSING, Definition(check_description_missing)),
    rule(&EDGE_BACKWARDS, Entry(check_edge_backwards)),
    rule(&EDGE_MISSPELT, Cross(check_edge_misspelt)),
    rule(&ENTRY_KEY_MISSPELT, ChannelBlob(check_entry_key_misspelt)),
    rule(&ENTRY_KEY_UNKNOWN, ChannelBlob(check_entry_key_unknown)),
    rule(&ENTRY_KEY_DOUBLED, ChannelBlob(check_entry_key_doubled)),
    rule(&GVK_DUPLICATE, BundleBlob(check_gvk_duplicate)),
    rule(&GVK_INVALID, Cross(check_gvk_invalid)),
    rule(&HEAD_DEPRECATED, Package(check_head_deprecated)),
    rule(&ICON_MISSING, Definition(check_icon_missing)),
    rule(&IMAGE_TAG, BundleBlob(check_image_tag)),
    rule(
        &IMAGE_TAG_BESIDE_DIGEST,
        BundleBlob(check_image_tag_beside_digest),
    ),
    rule(
        &MAX_OPENSHIFT_VERSION_BELOW_CATALOG,
        CrossPackage(check_max_openshift_version_below_catalog),
    ),
    rule(&MAJOR_JUMP, Entry(check_major_jump)),
    rule(
        &MAX_OPENSHIFT_VERSION_DECREASES,
        Entry(check_max_openshift_version_decreases),
    ),
    rule(
        &MAX_OPENSHIFT_VERSION_INVALID,
        Cross(check_max_openshift_version_invalid),
    ),
    rule(&PACKAGE_EMPTY, BlobWithoutPackage),
    rule(&PLACEHOLDER, Definition(check_placeholder_in_package)),
    rule(&PLACEHOLDER, ChannelBlob(check_placeholder_in_channel)),
    rule(&PLACEHOLDER, BundleBlob(check_placeholder_in_bundle)),
    rule(
        &PLACEHOLDER,
        Deprecations(check_placeholder_in_deprecations),
    ),
    rule(&PRERELEASE_UNASKED, Package(check_prerelease_unasked)),
    rule(&PROPERTY_IMPROPER, Definition(check_package_properties)),
    rule(&PROPERTY_IMPROPER, ChannelBlob(check_channel_properties)),
    rule(&PROPERTY_IMPROPER, BundleBlob(check_bundle_properties)),
    rule(&PROPERTY_TYPE_MISSPELT, Cross(check_property_type_misspelt)),
    rule(
        &PUBLISHED_BUNDLE_CHANGED,
        CrossPackage(check_published_bundle_changed),
    ),
    rule(&RELATED_IMAGE_LOOSE, BundleBlob(check_related_image_loose)),
    rule(&REPLACED_AND_SKIPPED, Channel(check_replaced_and_skipped)),
    rule(&REQUIREMENT_INVALID, Cross(check_requirement_invalid)),
    rule(&REQUIREMENT_NEVER_MET, Cross(check_requirement_never_met)),
    rule(&SCHEMA_MISSPELT, Cross(check_schema_misspelt)),
    rule(&SCHEMA_UNKNOWN, Cross(check_schema_unknown)),
    rule(&SKIP_RANGE_ABOVE, Entry(check_skip_range_above)),
    rule(&SKIP_RANGE_EMPTY, Package(check_skip_range_empty)),
    rule(&SKIP_RANGE_IMPOSSIBLE, Entry(check_skip_range_impossible)),
    rule(
        &SKIP_RANGE_ONLY_IN_CSV,
        Channel(check_skip_range_only_in_csv),
    ),
    rule(&SKIP_RANGE_SELF, Entry(check_skip_range_self)),
    rule(&SKIP_RANGE_SHORT, Channel(check_skip_range_short)),
    rule(&SKIP_RANGE_UNBOUNDED, Entry(check_skip_range_unbounded)),
    rule(
        &STABLE_HEAD_PRERELEASE,
        Channel(check_stable_head_prerelease),
    ),
    rule(&TEMPLATE_IN_CATALOG, BlobWithoutPackage),
    rule(
        &UNFINISHED_CHANNEL_UNASKED,
        Package(check_unfinished_channel_unasked),
    ),
    rule(
        &VERSION_NAME_MISMATCH,
        BundleBlob(check_version_name_mismatch),
    ),
];

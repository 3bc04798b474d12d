//! Our own advice about mistakes that `opm` accepts.
//!
//! To add a rule, add its documentation (made with [`RuleDoc::advice`](super::RuleDoc), with bad
//! and good examples) and its check to the file of its subject, and a line to [`ADVICE`], which is
//! sorted by rule id. A check only reports. It must be linear in entries and bundles, and does not
//! run if the rule is off.

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
use super::rule::Rule;
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

pub const ADVICE: &[Rule] = rules![
    BUNDLE_IMAGE_SHARED: Cross(check_bundle_image_shared),
    BUNDLE_METADATA_EMPTY: BundleBlob(check_bundle_metadata_empty),
    BUNDLE_METADATA_FORM: CrossPackage(check_bundle_metadata_form),
    BUNDLE_METADATA_MISSING: CrossPackage(check_bundle_metadata_missing),
    CATALOG_METADATA_MISSING: CrossPackage(check_catalog_metadata_missing),
    BUNDLE_NAME_KUBERNETES: BundleBlob(check_bundle_name_kubernetes),
    BUNDLE_OBJECT_EMPTY: BundleBlob(check_bundle_object_empty),
    CHANNEL_NAME_KUBERNETES: ChannelBlob(check_channel_name_kubernetes),
    CONSTRAINT_NOT_ALONE: Cross(check_constraint_not_alone),
    CONSTRAINT_SEVERAL_KINDS: Cross(check_constraint_several_kinds),
    CUSTOM_SCHEMA_NAME: Cross(check_custom_schema_name),
    DEFAULT_CHANNEL_DEPRECATED: Definition(check_default_channel_deprecated),
    DEPENDENCIES_MISPLACED: BundleBlob(check_dependencies_misplaced),
    DEPENDENCY_NO_MINIMUM: Cross(check_dependency_no_minimum),
    DEPENDENCY_NOT_HERE: CrossPackage(check_dependency_not_here),
    DEPENDENCY_OUT_OF_RANGE: CrossPackage(check_dependency_out_of_range),
    DEPENDENCY_TIGHT_MAXIMUM: Cross(check_dependency_tight_maximum),
    DEPENDENCY_UNDER_V1: Cross(check_dependency_under_v1),
    DESCRIPTION_MISSING: Definition(check_description_missing),
    EDGE_BACKWARDS: Entry(check_edge_backwards),
    EDGE_MISSPELT: Cross(check_edge_misspelt),
    ENTRY_KEY_MISSPELT: ChannelBlob(check_entry_key_misspelt),
    ENTRY_KEY_UNKNOWN: ChannelBlob(check_entry_key_unknown),
    ENTRY_KEY_DOUBLED: ChannelBlob(check_entry_key_doubled),
    GVK_DUPLICATE: BundleBlob(check_gvk_duplicate),
    GVK_INVALID: Cross(check_gvk_invalid),
    HEAD_DEPRECATED: Package(check_head_deprecated),
    ICON_MISSING: Definition(check_icon_missing),
    IMAGE_TAG: BundleBlob(check_image_tag),
    IMAGE_TAG_BESIDE_DIGEST: BundleBlob(check_image_tag_beside_digest),
    MAX_OPENSHIFT_VERSION_BELOW_CATALOG: CrossPackage(check_max_openshift_version_below_catalog),
    MAX_OPENSHIFT_VERSION_INVALID: Cross(check_max_openshift_version_invalid),
    PACKAGE_EMPTY: BlobWithoutPackage,
    PLACEHOLDER: Definition(check_placeholder_in_package),
    PLACEHOLDER: ChannelBlob(check_placeholder_in_channel),
    PLACEHOLDER: BundleBlob(check_placeholder_in_bundle),
    PLACEHOLDER: Deprecations(check_placeholder_in_deprecations),
    PRERELEASE_UNASKED: Package(check_prerelease_unasked),
    PROPERTY_IMPROPER: Definition(check_package_properties),
    PROPERTY_IMPROPER: ChannelBlob(check_channel_properties),
    PROPERTY_IMPROPER: BundleBlob(check_bundle_properties),
    PROPERTY_TYPE_MISSPELT: Cross(check_property_type_misspelt),
    PUBLISHED_BUNDLE_CHANGED: CrossPackage(check_published_bundle_changed),
    RELATED_IMAGE_LOOSE: BundleBlob(check_related_image_loose),
    REQUIREMENT_INVALID: Cross(check_requirement_invalid),
    REQUIREMENT_NEVER_MET: Cross(check_requirement_never_met),
    SCHEMA_MISSPELT: Cross(check_schema_misspelt),
    SCHEMA_UNKNOWN: Cross(check_schema_unknown),
    SKIP_RANGE_ABOVE: Entry(check_skip_range_above),
    SKIP_RANGE_EMPTY: Package(check_skip_range_empty),
    SKIP_RANGE_IMPOSSIBLE: Entry(check_skip_range_impossible),
    SKIP_RANGE_ONLY_IN_CSV: Channel(check_skip_range_only_in_csv),
    SKIP_RANGE_SELF: Entry(check_skip_range_self),
    SKIP_RANGE_SHORT: Channel(check_skip_range_short),
    SKIP_RANGE_UNBOUNDED: Entry(check_skip_range_unbounded),
    STABLE_HEAD_PRERELEASE: Channel(check_stable_head_prerelease),
    TEMPLATE_IN_CATALOG: BlobWithoutPackage,
    TEXT_IGNORED: BlobWithoutPackage,
    UNFINISHED_CHANNEL_UNASKED: Package(check_unfinished_channel_unasked),
    VERSION_NAME_MISMATCH: BundleBlob(check_version_name_mismatch),
];

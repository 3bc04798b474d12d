//! Our own advice, one rule per file: what `opm` accepts and authors usually regret.
//!
//! To add a rule, create a file here with its `DOC` (made with [`RuleDoc::advice`](super::RuleDoc),
//! with bad and good examples) and its check, and add a line to [`ADVICE`], which is sorted by file
//! name. A check only reports. It must stay linear in entries and bundles, and does not run if the
//! rule is off.

pub(crate) mod max_openshift_version;
pub(super) mod properties;
mod ranges;

pub(super) mod api_of_two_packages;
pub(super) mod bundle_image_shared;
pub(super) mod bundle_metadata_empty;
pub(super) mod bundle_metadata_form;
pub(super) mod bundle_metadata_missing;
pub(super) mod bundle_name_form;
pub(super) mod bundle_name_kubernetes;
pub(super) mod bundle_object_empty;
pub(super) mod channel_name_kubernetes;
pub(super) mod channel_priority;
pub(super) mod constraint_not_alone;
pub(super) mod constraint_several_kinds;
pub(super) mod custom_schema_name;
pub(super) mod default_channel_deprecated;
pub(super) mod dependencies_misplaced;
pub(super) mod dependency_no_minimum;
pub(super) mod dependency_not_here;
pub(super) mod dependency_out_of_range;
pub(super) mod dependency_package_and_api;
pub(super) mod dependency_tight_maximum;
pub(super) mod dependency_under_v1;
pub(super) mod deprecation_message_thin;
pub(super) mod description_missing;
pub(super) mod edge_backwards;
pub(super) mod edge_misspelt;
pub(super) mod entry_key_misspelt;
pub(super) mod gvk_duplicate;
pub(super) mod gvk_invalid;
pub(super) mod head_deprecated;
pub(super) mod icon_missing;
pub(super) mod image_tag;
pub(super) mod image_tag_beside_digest;
pub(super) mod major_jump;
pub(super) mod max_openshift_version_below_catalog;
pub(super) mod max_openshift_version_decreases;
pub(super) mod max_openshift_version_invalid;
pub(super) mod package_empty;
pub(super) mod placeholder;
pub(super) mod prerelease_unasked;
pub(super) mod property_improper;
pub(super) mod property_type_misspelt;
pub(super) mod published_bundle_changed;
pub(super) mod related_image_loose;
pub(super) mod replaced_and_skipped;
pub(super) mod requirement_invalid;
pub(super) mod requirement_never_met;
pub(super) mod schema_misspelt;
pub(super) mod schema_unknown;
pub(super) mod skip_range_above;
pub(super) mod skip_range_empty;
pub(super) mod skip_range_impossible;
pub(super) mod skip_range_only_in_csv;
pub(super) mod skip_range_self;
pub(super) mod skip_range_short;
pub(super) mod skip_range_unbounded;
pub(super) mod stable_head_prerelease;
pub(super) mod template_in_catalog;
pub(super) mod version_name_mismatch;

use super::rule::{Check, Rule};

pub(super) const ADVICE: &[Rule] = &[
    Rule {
        doc: &api_of_two_packages::DOC,
        check: Check::CrossPackage(api_of_two_packages::check),
    },
    Rule {
        doc: &bundle_image_shared::DOC,
        check: Check::Cross(bundle_image_shared::check),
    },
    Rule {
        doc: &bundle_metadata_empty::DOC,
        check: Check::BundleBlob(bundle_metadata_empty::check),
    },
    Rule {
        doc: &bundle_metadata_form::DOC,
        check: Check::CrossPackage(bundle_metadata_form::check),
    },
    Rule {
        doc: &bundle_metadata_missing::DOC,
        check: Check::CrossPackage(bundle_metadata_missing::check),
    },
    Rule {
        doc: &bundle_metadata_missing::CATALOG_DOC,
        check: Check::CrossPackage(bundle_metadata_missing::check_catalog),
    },
    Rule {
        doc: &bundle_name_form::DOC,
        check: Check::Cross(bundle_name_form::check),
    },
    Rule {
        doc: &bundle_name_kubernetes::DOC,
        check: Check::BundleBlob(bundle_name_kubernetes::check),
    },
    Rule {
        doc: &bundle_object_empty::DOC,
        check: Check::BundleBlob(bundle_object_empty::check),
    },
    Rule {
        doc: &channel_name_kubernetes::DOC,
        check: Check::ChannelBlob(channel_name_kubernetes::check),
    },
    Rule {
        doc: &channel_priority::DOC,
        check: Check::BundleBlob(channel_priority::check),
    },
    Rule {
        doc: &constraint_not_alone::DOC,
        check: Check::Cross(constraint_not_alone::check),
    },
    Rule {
        doc: &constraint_several_kinds::DOC,
        check: Check::Cross(constraint_several_kinds::check),
    },
    Rule {
        doc: &custom_schema_name::DOC,
        check: Check::Cross(custom_schema_name::check),
    },
    Rule {
        doc: &default_channel_deprecated::DOC,
        check: Check::Definition(default_channel_deprecated::check),
    },
    Rule {
        doc: &dependencies_misplaced::DOC,
        check: Check::BundleBlob(dependencies_misplaced::check),
    },
    Rule {
        doc: &dependency_no_minimum::DOC,
        check: Check::Cross(dependency_no_minimum::check),
    },
    Rule {
        doc: &dependency_not_here::DOC,
        check: Check::CrossPackage(dependency_not_here::check),
    },
    Rule {
        doc: &dependency_out_of_range::DOC,
        check: Check::CrossPackage(dependency_out_of_range::check),
    },
    Rule {
        doc: &dependency_package_and_api::DOC,
        check: Check::CrossPackage(dependency_package_and_api::check),
    },
    Rule {
        doc: &dependency_tight_maximum::DOC,
        check: Check::Cross(dependency_tight_maximum::check),
    },
    Rule {
        doc: &dependency_under_v1::DOC,
        check: Check::Cross(dependency_under_v1::check),
    },
    Rule {
        doc: &deprecation_message_thin::DOC,
        check: Check::Deprecations(deprecation_message_thin::check),
    },
    Rule {
        doc: &description_missing::DOC,
        check: Check::Definition(description_missing::check),
    },
    Rule {
        doc: &edge_backwards::DOC,
        check: Check::Entry(edge_backwards::check),
    },
    Rule {
        doc: &edge_misspelt::DOC,
        check: Check::Cross(edge_misspelt::check),
    },
    Rule {
        doc: &entry_key_misspelt::DOC,
        check: Check::ChannelBlob(entry_key_misspelt::check),
    },
    Rule {
        doc: &entry_key_misspelt::UNKNOWN,
        check: Check::ChannelBlob(entry_key_misspelt::check_unknown),
    },
    Rule {
        doc: &entry_key_misspelt::DOUBLED,
        check: Check::ChannelBlob(entry_key_misspelt::check_doubled),
    },
    Rule {
        doc: &gvk_duplicate::DOC,
        check: Check::BundleBlob(gvk_duplicate::check),
    },
    Rule {
        doc: &gvk_invalid::DOC,
        check: Check::Cross(gvk_invalid::check),
    },
    Rule {
        doc: &head_deprecated::DOC,
        check: Check::Package(head_deprecated::check),
    },
    Rule {
        doc: &icon_missing::DOC,
        check: Check::Definition(icon_missing::check),
    },
    Rule {
        doc: &image_tag::DOC,
        check: Check::BundleBlob(image_tag::check),
    },
    Rule {
        doc: &image_tag_beside_digest::DOC,
        check: Check::BundleBlob(image_tag_beside_digest::check),
    },
    Rule {
        doc: &max_openshift_version_below_catalog::DOC,
        check: Check::CrossPackage(max_openshift_version_below_catalog::check),
    },
    Rule {
        doc: &major_jump::DOC,
        check: Check::Entry(major_jump::check),
    },
    Rule {
        doc: &max_openshift_version_decreases::DOC,
        check: Check::Entry(max_openshift_version_decreases::check),
    },
    Rule {
        doc: &max_openshift_version_invalid::DOC,
        check: Check::Cross(max_openshift_version_invalid::check),
    },
    Rule {
        doc: &package_empty::DOC,
        check: Check::BlobWithoutPackage,
    },
    Rule {
        doc: &placeholder::DOC,
        check: Check::Definition(placeholder::check_definition),
    },
    Rule {
        doc: &placeholder::DOC,
        check: Check::ChannelBlob(placeholder::check_channel),
    },
    Rule {
        doc: &placeholder::DOC,
        check: Check::BundleBlob(placeholder::check_bundle),
    },
    Rule {
        doc: &placeholder::DOC,
        check: Check::Deprecations(placeholder::check_deprecations),
    },
    Rule {
        doc: &prerelease_unasked::DOC,
        check: Check::Package(prerelease_unasked::check),
    },
    Rule {
        doc: &property_improper::DOC,
        check: Check::Definition(property_improper::check_definition),
    },
    Rule {
        doc: &property_improper::DOC,
        check: Check::ChannelBlob(property_improper::check_channel),
    },
    Rule {
        doc: &property_improper::DOC,
        check: Check::BundleBlob(property_improper::check_bundle),
    },
    Rule {
        doc: &property_type_misspelt::DOC,
        check: Check::Cross(property_type_misspelt::check),
    },
    Rule {
        doc: &published_bundle_changed::DOC,
        check: Check::CrossPackage(published_bundle_changed::check),
    },
    Rule {
        doc: &related_image_loose::DOC,
        check: Check::BundleBlob(related_image_loose::check),
    },
    Rule {
        doc: &replaced_and_skipped::DOC,
        check: Check::Channel(replaced_and_skipped::check),
    },
    Rule {
        doc: &requirement_invalid::DOC,
        check: Check::Cross(requirement_invalid::check),
    },
    Rule {
        doc: &requirement_never_met::DOC,
        check: Check::Cross(requirement_never_met::check),
    },
    Rule {
        doc: &schema_misspelt::DOC,
        check: Check::Cross(schema_misspelt::check),
    },
    Rule {
        doc: &schema_unknown::DOC,
        check: Check::Cross(schema_unknown::check),
    },
    Rule {
        doc: &skip_range_above::DOC,
        check: Check::Entry(skip_range_above::check),
    },
    Rule {
        doc: &skip_range_empty::DOC,
        check: Check::Package(skip_range_empty::check),
    },
    Rule {
        doc: &skip_range_impossible::DOC,
        check: Check::Entry(skip_range_impossible::check),
    },
    Rule {
        doc: &skip_range_only_in_csv::DOC,
        check: Check::Channel(skip_range_only_in_csv::check),
    },
    Rule {
        doc: &skip_range_self::DOC,
        check: Check::Entry(skip_range_self::check),
    },
    Rule {
        doc: &skip_range_short::DOC,
        check: Check::Channel(skip_range_short::check),
    },
    Rule {
        doc: &skip_range_unbounded::DOC,
        check: Check::Entry(skip_range_unbounded::check),
    },
    Rule {
        doc: &stable_head_prerelease::DOC,
        check: Check::Channel(stable_head_prerelease::check),
    },
    Rule {
        doc: &template_in_catalog::DOC,
        check: Check::BlobWithoutPackage,
    },
    Rule {
        doc: &prerelease_unasked::CHANNEL_DOC,
        check: Check::Package(prerelease_unasked::check_channel),
    },
    Rule {
        doc: &version_name_mismatch::DOC,
        check: Check::BundleBlob(version_name_mismatch::check),
    },
];

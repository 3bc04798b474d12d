//! Ids of the rules for walking and loading, which run before any package is known: faults refer to
//! them here, and `validate` documents them, so no fault names an undocumented rule.

pub const IGNORE_LINE_TOO_LONG: &str = "ignore-line-too-long";
pub const WALK_LINK_TO_DIRECTORY: &str = "walk-link-to-directory";
pub const WALK_BROKEN_LINK: &str = "walk-broken-link";
pub const WALK_UNREADABLE: &str = "walk-unreadable";
pub const DOCUMENT_SEPARATOR: &str = "document-separator";
pub const YAML_SYNTAX: &str = "yaml-syntax";
pub const JSON_SYNTAX: &str = "json-syntax";
pub const BLOB_NOT_OBJECT: &str = "blob-not-object";
pub const BLOB_DUPLICATE_FOLDED_KEY: &str = "blob-duplicate-folded-key";
pub const BLOB_META_NOT_STRING: &str = "blob-meta-not-string";
pub const BLOB_MISSING_SCHEMA: &str = "blob-missing-schema";
pub const BLOB_PARSE_PACKAGE: &str = "blob-parse-package";
pub const BLOB_PARSE_CHANNEL: &str = "blob-parse-channel";
pub const BLOB_PARSE_BUNDLE: &str = "blob-parse-bundle";
pub const BLOB_PARSE_DEPRECATION: &str = "blob-parse-deprecation";
pub const BLOB_BUNDLE_OBJECT: &str = "blob-bundle-object";
pub const BUNDLE_PROPERTIES_PARSE: &str = "bundle-properties-parse";
pub const RELATED_IMAGE_PULLSPEC: &str = "related-image-pullspec";
/// Advice: `opm` reports nothing.
pub const TEXT_IGNORED: &str = "text-ignored";

#[cfg(any(test, feature = "testing"))]
pub const ALL: &[&str] = &[
    IGNORE_LINE_TOO_LONG,
    WALK_LINK_TO_DIRECTORY,
    WALK_BROKEN_LINK,
    WALK_UNREADABLE,
    DOCUMENT_SEPARATOR,
    YAML_SYNTAX,
    JSON_SYNTAX,
    BLOB_NOT_OBJECT,
    BLOB_DUPLICATE_FOLDED_KEY,
    BLOB_META_NOT_STRING,
    BLOB_MISSING_SCHEMA,
    BLOB_PARSE_PACKAGE,
    BLOB_PARSE_CHANNEL,
    BLOB_PARSE_BUNDLE,
    BLOB_PARSE_DEPRECATION,
    BLOB_BUNDLE_OBJECT,
    BUNDLE_PROPERTIES_PARSE,
    RELATED_IMAGE_PULLSPEC,
    TEXT_IGNORED,
];

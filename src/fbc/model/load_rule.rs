//! Ids of the rules for walking and loading, which run before any package is known: faults refer to
//! them here, and `validate` documents them, so no fault names an undocumented rule.

pub(crate) const IGNORE_LINE_TOO_LONG: &str = "ignore-line-too-long";
pub(crate) const WALK_LINK_TO_DIRECTORY: &str = "walk-link-to-directory";
pub(crate) const WALK_BROKEN_LINK: &str = "walk-broken-link";
pub(crate) const WALK_UNREADABLE: &str = "walk-unreadable";
pub(crate) const DOCUMENT_SEPARATOR: &str = "document-separator";
pub(crate) const YAML_SYNTAX: &str = "yaml-syntax";
pub(crate) const JSON_SYNTAX: &str = "json-syntax";
pub(crate) const BLOB_NOT_OBJECT: &str = "blob-not-object";
pub(crate) const BLOB_DUPLICATE_FOLDED_KEY: &str = "blob-duplicate-folded-key";
pub(crate) const BLOB_META_NOT_STRING: &str = "blob-meta-not-string";
pub(crate) const BLOB_MISSING_SCHEMA: &str = "blob-missing-schema";
pub(crate) const BLOB_PARSE_PACKAGE: &str = "blob-parse-package";
pub(crate) const BLOB_PARSE_CHANNEL: &str = "blob-parse-channel";
pub(crate) const BLOB_PARSE_BUNDLE: &str = "blob-parse-bundle";
pub(crate) const BLOB_PARSE_DEPRECATION: &str = "blob-parse-deprecation";
pub(crate) const BLOB_BUNDLE_OBJECT: &str = "blob-bundle-object";
pub(crate) const BUNDLE_PROPERTIES_PARSE: &str = "bundle-properties-parse";
pub(crate) const RELATED_IMAGE_PULLSPEC: &str = "related-image-pullspec";

#[cfg(test)]
pub(crate) const ALL: &[&str] = &[
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
];

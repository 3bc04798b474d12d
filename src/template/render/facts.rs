//! Rendered blobs as a catalog, so that all catalog code can read them.

use catalog::graph::export::{Mermaid, MermaidOptions, Names, mermaid};
use catalog::index::index_bytes;
use catalog::model::{Body, BundleBlob, FileId};
use catalog::version::Version;
use catalog::{Catalog, Content, TreeEntry};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;
use syntax::go_text::quote;
use verdict::validate::judge;

/// Returns the blobs as consecutive JSON values.
pub(super) fn text(blobs: &[Value]) -> String {
    blobs.iter().map(|blob| format!("{blob}\n")).collect()
}

/// Returns a catalog with one file containing the blobs.
pub fn catalog(blobs: &[Value]) -> Catalog {
    let content = Content::Indexed(Arc::new(index_bytes(text(blobs).as_bytes())));
    Catalog::new(
        String::new(),
        vec![TreeEntry {
            id: FileId(0),
            path: "catalog.json".to_owned(),
            content,
        }],
    )
}

/// Returns `opm`'s refusal of the blobs; `None` if they are a valid catalog.
pub(super) fn refusal(blobs: &[Value]) -> Option<String> {
    judge(&catalog(blobs)).opm_message
}

/// Returns the facts of an `olm.bundle` blob.
pub(super) fn bundle(blob: &Value) -> Option<Arc<BundleBlob>> {
    let index = index_bytes(blob.to_string().as_bytes());
    match &index.blobs.first()?.body {
        Body::Bundle(bundle) => Some(Arc::clone(bundle)),
        _ => None,
    }
}

/// Returns the output of `-o mermaid`, or `opm`'s error.
pub fn drawing(blobs: &[Value], names: Names) -> Result<Mermaid, String> {
    let mut seen = HashSet::new();
    for blob in blobs.iter().filter(|blob| blob["schema"] == "olm.bundle") {
        if seen.insert(blob["name"].as_str().unwrap_or_default()) {
            package_and_version(blob).map_err(|error| format!("writing output: {error}"))?;
        }
    }
    let catalog = catalog(blobs);
    let packages: Vec<_> = catalog.packages().map(|package| &**package).collect();
    Ok(mermaid(
        &packages,
        MermaidOptions {
            package: None,
            classic: true,
            names,
        },
    ))
}

/// Returns package and version in a bundle's single `olm.package` property, or `opm`'s error.
pub(super) fn package_and_version(blob: &Value) -> Result<(String, Version), String> {
    let bundle = bundle(blob).unwrap_or_default();
    let name = quote(bundle.name.as_str());
    if let Some(fault) = &bundle.properties_fault {
        return Err(fault.opm.clone());
    }
    let [property] = &bundle.package_properties[..] else {
        return Err(format!(
            "bundle {name} has multiple \"olm.package\" properties, expected exactly 1"
        ));
    };
    let text = property.version.as_str();
    match Version::parse(text) {
        Ok(version) => Ok((property.package_name.as_str().to_owned(), version)),
        Err(error) => Err(format!(
            "bundle {name} has invalid version {}: {error}",
            quote(text)
        )),
    }
}

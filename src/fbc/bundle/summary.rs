//! Information in a bundle outside its blob: where its author would list it, and texts for a new
//! package.

use super::{File, metadata, migrate};
use serde_json::Value;

/// Texts of a bundle; empty if absent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BundleSummary {
    /// Channels in its annotations.
    pub channels: Vec<String>,
    /// The default channel in its annotations.
    pub default_channel: String,
    pub display_name: String,
    pub description: String,
    /// The first icon, in base64 as written.
    pub icon: String,
    /// `spec.replaces` of its ClusterServiceVersion.
    pub replaces: String,
    /// Its annotation `olm.skipRange`.
    pub skip_range: String,
}

/// The summary of a rendered bundle: `blob`, and for a bundle directory its files.
pub fn summary(blob: &Value, files: &[File]) -> BundleSummary {
    let mut summary = BundleSummary::default();
    if let Ok(metadata) = metadata::metadata(files) {
        let names = metadata
            .channels
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        summary.channels = names.map(str::to_owned).collect();
        summary.default_channel = metadata.default_channel.trim().to_owned();
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if let Some(csv) = migrate::cluster_service_version(blob) {
        let spec = &csv["spec"];
        summary.display_name = text(&spec["displayName"]);
        summary.description = text(&spec["description"]);
        summary.icon = text(&spec["icon"][0]["base64data"]);
        summary.replaces = text(&spec["replaces"]);
        summary.skip_range = text(&csv["metadata"]["annotations"]["olm.skipRange"]);
        return summary;
    }
    let mut properties = blob["properties"].as_array().into_iter().flatten();
    if let Some(metadata) = properties.find(|property| property["type"] == "olm.csv.metadata") {
        let metadata = &metadata["value"];
        summary.display_name = text(&metadata["displayName"]);
        summary.description = text(&metadata["description"]);
        summary.skip_range = text(&metadata["annotations"]["olm.skipRange"]);
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::{Image, Migration, migrate, render};

    fn bundle() -> Vec<File> {
        let file = |path: &str, text: &str| File {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        vec![
            file(
                "manifests/csv.yaml",
                "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: p.v1.1.0\n  \
                 annotations: {olm.skipRange: '>=1.0.0 <1.1.0'}\nspec:\n  version: 1.1.0\n  displayName: P\n  description: \
                 Does it\n  replaces: p.v1.0.0\n  icon: [{base64data: aWNvbg==, mediatype: image/png}]\n",
            ),
            file(
                "metadata/annotations.yaml",
                "annotations:\n  operators.operatorframework.io.bundle.package.v1: p\n  \
                 operators.operatorframework.io.bundle.channels.v1: stable, fast\n  \
                 operators.operatorframework.io.bundle.channel.default.v1: stable\n",
            ),
        ]
    }

    #[test]
    fn a_summary_of_a_bundle_directory() {
        let files = bundle();
        let blob = render(&files, Image::Reference("a/b:c")).unwrap();
        let found = summary(&blob, &files);
        assert_eq!(found.channels, ["stable", "fast"]);
        assert_eq!(
            (found.default_channel.as_str(), found.replaces.as_str()),
            ("stable", "p.v1.0.0")
        );
        assert_eq!(
            (found.display_name.as_str(), found.description.as_str()),
            ("P", "Does it")
        );
        assert_eq!(
            (found.icon.as_str(), found.skip_range.as_str()),
            ("aWNvbg==", ">=1.0.0 <1.1.0")
        );
    }

    #[test]
    fn a_summary_of_a_blob() {
        let mut blobs = [render(&bundle(), Image::Reference("a/b:c")).unwrap()];
        migrate(&mut blobs, Migration::BundleObjectToCsvMetadata).unwrap();
        let found = summary(&blobs[0], &[]);
        assert_eq!(
            (found.display_name.as_str(), found.skip_range.as_str()),
            ("P", ">=1.0.0 <1.1.0")
        );
        assert!(found.channels.is_empty() && found.icon.is_empty());
        assert_eq!(summary(&Value::Null, &[]), BundleSummary::default());
    }
}

//! Plans the operations that add rendered bundles to a catalog, and selects those that a catalog
//! still lacks.
//!
//! The same operations are planned for all catalogs; each applies those that it lacks. So several
//! catalogs can get a bundle at once, even if one has no such package yet and another already has
//! the bundle.

use catalog::Catalog;
use catalog::model::Entry;
use catalog::version::blang::Range;
use catalog::version::{PackageVersion, VersionRelease};
use protocol::operation::{ChannelPlacement, Choice, EditOp, EntryPlace};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use syntax::go_text::string_or_empty;

/// A package to create if the catalog does not have it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewPackage {
    pub name: String,
    pub default_channel: String,
    /// May be empty.
    pub description: String,
    /// In base64; may be empty.
    pub icon: String,
    /// As in [`EditOp::AddPackage`].
    pub file: Option<String>,
}

/// Returns the operation that adds a rendered bundle (an `olm.bundle` blob) to its package, in no
/// channel.
pub fn add_bundle(blob: &Json) -> EditOp {
    let version = package_property(blob);
    EditOp::AddBundle {
        catalog: None,
        package: string_or_empty(&blob["package"]),
        bundle: string_or_empty(&blob["name"]),
        version: string_or_empty(&version["version"]),
        release: version["release"].as_str().map(str::to_owned),
        image: string_or_empty(&blob["image"]),
        to: None,
        how: None,
        replaces: Choice::Default,
        skip_range: Choice::Default,
        skips: Vec::new(),
        blob: Some(Box::new(blob.clone())),
    }
}

/// Returns the operations that add bundles and their entries in `channels`, lowest version first,
/// preceded by those that create missing `packages` and channels.
pub fn operations(
    bundles: &[Json],
    packages: &[NewPackage],
    channels: &[String],
    placement: &ChannelPlacement,
) -> Vec<EditOp> {
    let mut by_package: BTreeMap<&str, Vec<&Json>> = BTreeMap::new();
    for blob in bundles {
        by_package
            .entry(blob["package"].as_str().unwrap_or_default())
            .or_default()
            .push(blob);
    }
    let mut ops = Vec::new();
    for (package, mut blobs) in by_package {
        ops.extend(
            packages
                .iter()
                .filter(|new| new.name == package)
                .map(add_package),
        );
        ops.extend(channels.iter().map(|channel| new_channel(package, channel)));
        sort_by_version(&mut blobs);
        for blob in blobs {
            ops.push(add_bundle(blob));
            let bundle = blob["name"].as_str().unwrap_or_default();
            let csv = CsvEdges::from_blob(blob);
            let mut placement = placement.clone();
            if placement.skip_range.is_default() && Range::parse(&csv.skip_range).is_ok() {
                placement.skip_range = Choice::Value(csv.skip_range.clone());
            }
            for channel in channels {
                ops.push(promotion(package, bundle, channel, &placement));
                ops.extend(skips_from_csv(package, bundle, channel, &csv));
            }
        }
    }
    ops
}

/// Returns the operations that add bundle images to a basic template, per channel, lowest version
/// first. Each bundle is placed by version and gets the range.
pub fn basic_template_operations(
    bundles: &[Json],
    channels: &[String],
    skip_range: &Choice,
) -> Vec<EditOp> {
    let mut ops = Vec::new();
    for add in add_images(bundles) {
        let EditOp::AddBundle {
            package,
            bundle: name,
            ..
        } = &add
        else {
            continue;
        };
        for (index, channel) in channels.iter().enumerate() {
            let channel_op = new_channel(package, channel);
            if !ops.contains(&channel_op) {
                ops.push(channel_op);
            }
            ops.push(match index {
                0 => with_channel(&add, channel),
                _ => promotion(package, name, channel, &ChannelPlacement::default()),
            });
            if let Choice::Value(range) = skip_range {
                let place = EntryPlace::new(package, channel, name);
                ops.push(place.set_skip_range(Some(range.clone())));
            }
        }
    }
    ops
}

/// Returns the operations that add bundle images to a semver template, lowest version first. Its
/// channels are candidate, fast and stable; it has no entries.
pub fn semver_template_operations(bundles: &[Json], channels: &[String]) -> Vec<EditOp> {
    add_images(bundles)
        .iter()
        .flat_map(|add| channels.iter().map(|channel| with_channel(add, channel)))
        .collect()
}

/// Returns the operations that add bundles by their images alone, lowest version first.
fn add_images(bundles: &[Json]) -> Vec<EditOp> {
    let mut bundles: Vec<&Json> = bundles.iter().collect();
    sort_by_version(&mut bundles);
    let add_image = |blob: &Json| {
        let mut add = add_bundle(blob);
        if let EditOp::AddBundle { blob, .. } = &mut add {
            *blob = None;
        }
        add
    };
    bundles.into_iter().map(add_image).collect()
}

/// Returns the operation `add` with this channel as its target.
pub(crate) fn with_channel(add: &EditOp, channel: &str) -> EditOp {
    with_field!(
        add,
        AddBundle {
            to: Some(channel.to_owned())
        }
    )
}

/// Returns the operation that adds the skips of the bundle's CSV to its entry.
pub fn skips_from_csv(
    package: &str,
    bundle: &str,
    channel: &str,
    csv: &CsvEdges,
) -> Option<EditOp> {
    let place = EntryPlace::new(package, channel, bundle);
    (!csv.skips.is_empty()).then(|| place.add_skips(csv.skips.clone(), None))
}

fn add_package(new: &NewPackage) -> EditOp {
    let non_empty = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    EditOp::AddPackage {
        catalog: None,
        package: new.name.clone(),
        default_channel: new.default_channel.clone(),
        description: non_empty(&new.description),
        icon: non_empty(&new.icon),
        file: new.file.clone(),
    }
}

fn new_channel(package: &str, channel: &str) -> EditOp {
    EditOp::AddChannel {
        catalog: None,
        package: package.to_owned(),
        channel: channel.to_owned(),
        from: None,
    }
}

fn promotion(package: &str, bundle: &str, to: &str, placement: &ChannelPlacement) -> EditOp {
    let ChannelPlacement {
        how,
        replaces,
        skip_range,
    } = placement.clone();
    EditOp::Promote {
        catalog: None,
        package: package.to_owned(),
        bundle: bundle.to_owned(),
        to: to.to_owned(),
        how,
        replaces,
        skip_range,
    }
}

/// Sorts bundles by their versions; unreadable ones come first.
fn sort_by_version(blobs: &mut [&Json]) {
    let version = |blob: &Json| {
        let package = package_property(blob);
        PackageVersion {
            version: package["version"].as_str().unwrap_or_default(),
            release: package["release"].as_str().unwrap_or_default(),
            substitutes_for: false,
        }
        .parse(blob["name"].as_str().unwrap_or_default())
        .ok()
    };
    blobs.sort_by(|a, b| VersionRelease::compare_optional(&version(a), &version(b)));
}

/// Returns the value of the `olm.package` property of a bundle's blob.
fn package_property(blob: &Json) -> &Json {
    let mut properties = blob["properties"].as_array().into_iter().flatten();
    let property = properties.find(|property| property["type"] == "olm.package");
    property.map_or(&Json::Null, |property| &property["value"])
}

/// Returns the operations whose result the catalog lacks: drops those for a package, channel,
/// bundle or entry that exists.
pub fn missing_operations(ops: &[EditOp], catalog: &Catalog) -> Vec<EditOp> {
    ops.iter()
        .filter(|op| !exists(op, catalog))
        .cloned()
        .collect()
}

fn exists(op: &EditOp, catalog: &Catalog) -> bool {
    let package = op.package().and_then(|name| catalog.package(name));
    let Some(package) = package.filter(|package| !package.packages.is_empty()) else {
        return false;
    };
    let lists = |channel: &str, bundle: &str| {
        package
            .channel(channel)
            .is_some_and(|channel| channel.has_entry(bundle))
    };
    match op {
        EditOp::AddPackage { .. } => true,
        EditOp::AddChannel {
            channel,
            from: None,
            ..
        } => package.channel(channel).is_some(),
        EditOp::AddBundle { bundle, .. } => package.bundle(bundle).is_some(),
        EditOp::Promote { bundle, to, .. } => lists(to, bundle),
        _ => match op.entry() {
            Some(entry) if op.skipped_names().is_some() => lists(entry.channel, entry.name),
            _ => false,
        },
    }
}

/// Describes the first difference between the missing operations of two catalogs, with names in
/// backticks. Returns `None` if they add the same objects.
pub fn first_difference(first: &[EditOp], second: &[EditOp]) -> Option<String> {
    let [first, second] =
        [first, second].map(|ops| ops.iter().map(describe_result).collect::<Vec<_>>());
    if let Some(missing) = second.iter().find(|result| !first.contains(result)) {
        return Some(format!("{missing} does not exist yet"));
    }
    first
        .iter()
        .find(|result| !second.contains(result))
        .map(|present| format!("{present} already exists"))
}

fn describe_result(op: &EditOp) -> String {
    match op {
        EditOp::AddPackage { package, .. } => format!("package `{package}`"),
        EditOp::AddChannel { channel, .. } => format!("channel `{channel}`"),
        EditOp::AddBundle { bundle, .. } => format!("bundle `{bundle}`"),
        EditOp::Promote { bundle, to, .. } => format!("`{bundle}` in `{to}`"),
        other => other.name().to_owned(),
    }
}

/// The edges in a bundle's ClusterServiceVersion: `spec.replaces`, `spec.skips` and the annotation
/// `olm.skipRange`; empty if absent.
///
/// A file-based catalog has its edges in the channels' entries alone, so adding a bundle copies
/// those of its CSV.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CsvEdges {
    pub replaces: String,
    pub skips: Vec<String>,
    pub skip_range: String,
}

impl CsvEdges {
    /// Reads an `olm.bundle` blob that contains the CSV (`olm.bundle.object`) or its metadata,
    /// which only has the range.
    pub fn from_blob(blob: &Json) -> Self {
        let csv = bundle::cluster_service_version(blob).unwrap_or_default();
        let mut properties = blob["properties"].as_array().into_iter().flatten();
        let metadata = properties.find(|property| property["type"] == "olm.csv.metadata");
        let annotations = match metadata {
            Some(metadata) if csv.is_null() => &metadata["value"]["annotations"],
            _ => &csv["metadata"]["annotations"],
        };
        let skips = csv["spec"]["skips"].as_array().into_iter().flatten();
        Self {
            replaces: string_or_empty(&csv["spec"]["replaces"]),
            skips: skips
                .map(string_or_empty)
                .filter(|name| !name.is_empty())
                .collect(),
            skip_range: string_or_empty(&annotations["olm.skipRange"]),
        }
    }

    /// Describes how an entry differs from these edges, one sentence per difference.
    pub fn differences(&self, entry: &Entry) -> Vec<String> {
        let name = entry.name.as_str();
        let mut sentences = Vec::new();
        let (replaces, current) = (&*self.replaces, entry.replaces.as_str());
        if !replaces.is_empty() && replaces != current {
            let current = match current {
                "" => "replaces nothing".to_owned(),
                current => format!("replaces `{current}`"),
            };
            let also = if entry.has_skip(replaces) {
                format!(" and skips `{replaces}`")
            } else {
                format!("; `--replaces {replaces}` uses the CSV's")
            };
            sentences.push(format!(
                "the CSV of `{name}` replaces `{replaces}`; its entry {current}{also}"
            ));
        }
        let missing: Vec<String> = self
            .skips
            .iter()
            .filter(|skip| !entry.has_skip(skip) && **skip != current && *skip != name)
            .map(|skip| format!("`{skip}`"))
            .collect();
        if !missing.is_empty() {
            sentences.push(format!(
                "the CSV of `{name}` skips {}; its entry does not: `add-skip` adds them",
                missing.join(", ")
            ));
        }
        let (range, current) = (&*self.skip_range, entry.skip_range.as_str());
        if !range.is_empty() && range != current {
            let current = match current {
                "" => "has none".to_owned(),
                current => format!("has `{current}`"),
            };
            sentences.push(format!(
                "the CSV of `{name}` has the skipRange `{range}`; its entry {current}: `set-skip-range` changes it"
            ));
        }
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::index::index_bytes;
    use catalog::model::FileId;
    use catalog::{Content, TreeEntry};
    use serde_json::json;
    use std::sync::Arc;

    fn blob(version: &str) -> Json {
        json!({
            "schema": "olm.bundle", "name": format!("p.v{version}"), "package": "p", "image": format!("a/p:{version}"),
            "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": version}}],
        })
    }

    fn command_lines(ops: &[EditOp]) -> Vec<String> {
        let describe = |op: &EditOp| match op {
            EditOp::AddBundle {
                bundle, version, ..
            } => format!("add {bundle} {version}"),
            EditOp::Promote { bundle, to, .. } => format!("{bundle} to {to}"),
            EditOp::AddChannel { channel, .. } => format!("channel {channel}"),
            EditOp::AddPackage {
                package,
                default_channel,
                ..
            } => format!("package {package} {default_channel}"),
            other => other.name().to_owned(),
        };
        ops.iter().map(describe).collect()
    }

    fn all() -> Vec<EditOp> {
        let new = NewPackage {
            name: "p".into(),
            default_channel: "stable".into(),
            ..NewPackage::default()
        };
        let channels = ["stable".to_owned(), "fast".to_owned()];
        operations(
            &[blob("1.10.0"), blob("1.9.0")],
            &[new],
            &channels,
            &ChannelPlacement::default(),
        )
    }

    fn catalog(text: &str) -> Catalog {
        let content = Content::Indexed(Arc::new(index_bytes(text.as_bytes())));
        Catalog::new(
            "c",
            vec![TreeEntry {
                id: FileId(0),
                path: "catalog.yaml".into(),
                content,
            }],
        )
    }

    #[test]
    fn operations_are_in_dependency_order() {
        let expected = [
            "package p stable",
            "channel stable",
            "channel fast",
            "add p.v1.9.0 1.9.0",
            "p.v1.9.0 to stable",
            "p.v1.9.0 to fast",
            "add p.v1.10.0 1.10.0",
            "p.v1.10.0 to stable",
            "p.v1.10.0 to fast",
        ];
        assert_eq!(command_lines(&all()), expected);
    }

    #[test]
    fn a_catalog_gets_what_it_lacks() {
        assert_eq!(missing_operations(&all(), &catalog("")).len(), 9);
        let partial = catalog(
            "schema: olm.package\nname: p\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: p\nname: \
             stable\nentries:\n- name: p.v1.9.0\n---\nschema: olm.bundle\nname: p.v1.9.0\npackage: p\nimage: a/b:c\n\
             properties:\n- type: olm.package\n  value: {packageName: p, version: 1.9.0}\n",
        );
        let lacks = missing_operations(&all(), &partial);
        let expected = [
            "channel fast",
            "p.v1.9.0 to fast",
            "add p.v1.10.0 1.10.0",
            "p.v1.10.0 to stable",
            "p.v1.10.0 to fast",
        ];
        assert_eq!(command_lines(&lacks), expected);
        assert_eq!(
            first_difference(&lacks, &all()).as_deref(),
            Some("package `p` does not exist yet")
        );
        assert_eq!(
            first_difference(&all(), &lacks).as_deref(),
            Some("package `p` already exists")
        );
        assert_eq!(first_difference(&lacks, &lacks), None);
    }
}

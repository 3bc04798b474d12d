//! Dropped bundles for the form that adds them: their content, what the catalog already has, and
//! the operations.

use crate::views::dropped::ReadBundle;
use catalog::Catalog;
use catalog::graph::PackageGraph;
use catalog::graph::channel_order::channels_in_order;
use catalog::model::{Package, Template};
use catalog::version::Version;
use edit::add_bundles::{self, NewPackage};
use edit::plan::icon;
use edit::range_pattern;
use protocol::Json;
use protocol::bundles::{
    BundleMessage, BundlePlacement, BundleRow, BundleTarget, DroppedBundles, NewPackageFields,
    NewPackageRow, RangePattern,
};
use protocol::operation::EditOp;
use protocol::views::EntryRef;
use serde_json::Value;
use session::{Root, Session};
use std::cmp::Ordering;
use syntax::order::SortSmall;

/// The lists of a semver template.
pub(super) const STREAMS: [&str; 3] = ["candidate", "fast", "stable"];

pub(crate) fn view(
    session: &Session,
    mut bundles: Vec<ReadBundle>,
    refused: Vec<BundleMessage>,
    placement: &BundlePlacement,
) -> DroppedBundles {
    bundles.sort_small_by(|a, b| {
        text(&a.blob["package"])
            .cmp(text(&b.blob["package"]))
            .then_with(|| by_version(a, b))
    });
    let root = session.root(Some(&placement.root)).ok();
    let target = target(root);
    let catalog = root.map(Root::catalog);
    let package = |name: &str| find_package(catalog, name);
    // A template cannot hold a new package.
    let new_packages = if target.is_template() {
        Vec::new()
    } else {
        new_packages(&bundles, catalog)
    };
    let existing = bundles
        .iter()
        .filter_map(|bundle| package(text(&bundle.blob["package"])));
    let (channels, entries) = match target {
        BundleTarget::SemverTemplate => (STREAMS.map(str::to_owned).to_vec(), Vec::new()),
        BundleTarget::Catalog | BundleTarget::Template => channels_and_entries(existing),
    };
    let newest = bundles
        .last()
        .and_then(|bundle| package(text(&bundle.blob["package"])));
    let is_present = |bundle: &ReadBundle| {
        let package = package(text(&bundle.blob["package"]));
        package.is_some_and(|package| package.bundle(text(&bundle.blob["name"])).is_some())
            || refers_to_image(root, text(&bundle.blob["image"]))
    };
    let rows = bundles.iter().map(|bundle| BundleRow {
        is_there: is_present(bundle),
        ..row(bundle)
    });
    DroppedBundles {
        target,
        bundles: rows.collect(),
        refused,
        advice: bundles
            .iter()
            .flat_map(|bundle| bundle.advice.iter().cloned())
            .collect(),
        channels,
        entries,
        range_patterns: match target {
            BundleTarget::Catalog => newest.map(range_patterns).unwrap_or_default(),
            BundleTarget::Template | BundleTarget::SemverTemplate => Vec::new(),
        },
        image_template: newest.map(image_template).unwrap_or_default(),
        ops: Json(operations(session, &bundles, &new_packages, placement)),
        new_packages,
    }
}

fn range_patterns(package: &Package) -> Vec<RangePattern> {
    range_pattern::patterns(&PackageGraph::build(package), package)
}

fn target(root: Option<&Root>) -> BundleTarget {
    match root {
        Some(root) if matches!(root.template(), Some(Template::Semver(_))) => {
            BundleTarget::SemverTemplate
        }
        Some(root) if root.is_template() => BundleTarget::Template,
        _ => BundleTarget::Catalog,
    }
}

fn is_substitutes_template(root: Option<&Root>) -> bool {
    root.is_some_and(|root| matches!(root.template(), Some(Template::Substitutes(_))))
}

fn refers_to_image(root: Option<&Root>, image: &str) -> bool {
    let images = root
        .and_then(Root::template)
        .map(Template::images)
        .unwrap_or_default();
    images.iter().any(|listed| ***listed == *image)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Finds a package that the catalog defines, rather than only refers to.
fn find_package<'c>(catalog: Option<&'c Catalog>, name: &str) -> Option<&'c Package> {
    catalog?
        .package(name)
        .map(|package| &**package)
        .filter(|package| !package.packages.is_empty())
}

fn by_version(a: &ReadBundle, b: &ReadBundle) -> Ordering {
    let version = |bundle: &ReadBundle| Version::parse(&row(bundle).version).ok();
    Version::compare_optional(&version(a), &version(b))
}

/// Describes a bundle, without whether the catalog already has it.
fn row(bundle: &ReadBundle) -> BundleRow {
    let ReadBundle {
        source,
        blob,
        summary,
        ..
    } = bundle;
    let count = |kinds: &[&str]| {
        let properties = blob["properties"].as_array().into_iter().flatten();
        properties
            .filter(|property| kinds.contains(&text(&property["type"])))
            .count() as u32
    };
    let EditOp::AddBundle {
        package,
        bundle,
        version,
        release,
        image,
        ..
    } = add_bundles::add_bundle(blob)
    else {
        return BundleRow::default();
    };
    BundleRow {
        source: source.clone(),
        name: bundle,
        package,
        version,
        release: release.unwrap_or_default(),
        image,
        provides: count(&["olm.gvk"]),
        requires: count(&["olm.gvk.required", "olm.package.required", "olm.constraint"]),
        related_images: blob["relatedImages"].as_array().map_or(0, Vec::len) as u32,
        channels: summary.channels.clone(),
        default_channel: summary.default_channel.clone(),
        replaces: summary.replaces.clone(),
        skip_range: summary.skip_range.clone(),
        is_there: false,
    }
}

/// Returns the packages that the catalog lacks. `bundles` are ordered by version; the newest of
/// each package provides the fields.
fn new_packages(bundles: &[ReadBundle], catalog: Option<&Catalog>) -> Vec<NewPackageRow> {
    let mut packages: Vec<NewPackageRow> = Vec::new();
    for ReadBundle { blob, summary, .. } in bundles {
        let name = text(&blob["package"]);
        if find_package(catalog, name).is_some() {
            continue;
        }
        let first = || summary.channels.first().cloned().unwrap_or_default();
        let default_channel =
            Some(summary.default_channel.clone()).filter(|channel| !channel.is_empty());
        // Skip icons that consoles cannot show.
        let icon = icon::decode_base64(&summary.icon).map(|icon| icon.data);
        let fields = NewPackageFields {
            default_channel: default_channel.unwrap_or_else(first),
            description: summary.description.clone(),
            icon: icon.unwrap_or_default(),
        };
        match packages.iter_mut().find(|added| added.name == name) {
            Some(older) => older.fields = fields,
            None => packages.push(NewPackageRow {
                name: name.to_owned(),
                fields,
            }),
        }
    }
    packages
}

/// Returns the distinct channels of packages, the default channel and then the newest first, and
/// their entries.
fn channels_and_entries<'p>(
    packages: impl Iterator<Item = &'p Package>,
) -> (Vec<String>, Vec<EntryRef>) {
    let mut channels: Vec<String> = Vec::new();
    let mut entries = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for package in packages {
        if seen.contains(&&*package.name) {
            continue;
        }
        seen.push(&package.name);
        for channel in channels_in_order(package) {
            let name = channel.name.as_str();
            if !channels.iter().any(|known| known == name) {
                channels.push(name.to_owned());
            }
            entries.extend(channel.entries.iter().map(|entry| EntryRef {
                channel: name.to_owned(),
                name: entry.name.as_str().to_owned(),
            }));
        }
    }
    (channels, entries)
}

/// Returns the newest bundle's image with its version replaced by a template field; "" if its tag
/// does not contain the version.
fn image_template(package: &Package) -> String {
    let newest = super::bundles(package).into_iter().next();
    let template = newest.and_then(|bundle| {
        let (image, version) = (bundle.image.as_str(), bundle.version());
        let (repository, tag) = image
            .rsplit_once(':')
            .filter(|(_, tag)| !tag.contains('/'))?;
        let is_digest = repository.ends_with("@sha256");
        let has_version = !version.is_empty() && tag.contains(version) && !is_digest;
        has_version.then(|| format!("{repository}:{}", tag.replacen(version, "{{.Version}}", 1)))
    });
    template.unwrap_or_default()
}

/// Returns the operations that add all bundles not left out; empty while one of them has no image.
fn operations(
    session: &Session,
    bundles: &[ReadBundle],
    new_packages: &[NewPackageRow],
    placement: &BundlePlacement,
) -> Vec<EditOp> {
    let is_left_out = |bundle: &ReadBundle| {
        let mut names = placement.left_out.iter();
        names.any(|name| *name == bundle.blob["name"])
    };
    let blobs: Vec<Value> = bundles
        .iter()
        .filter(|bundle| !is_left_out(bundle))
        .map(|bundle| bundle.blob.clone())
        .collect();
    if blobs.iter().any(|blob| text(&blob["image"]).is_empty()) {
        return Vec::new();
    }
    // Include existing packages: against no catalog, every package counts as new.
    let all = self::new_packages(bundles, None);
    // The form has fields for a single new package.
    let typed_fields = placement.texts.as_ref().filter(|_| new_packages.len() == 1);
    let packages = all.into_iter().map(|NewPackageRow { name, fields }| {
        let is_new = new_packages.iter().any(|new| new.name == name);
        let fields = typed_fields.filter(|_| is_new).cloned().unwrap_or(fields);
        let file =
            Some(placement.file.replace("{{.Package}}", &name)).filter(|file| !file.is_empty());
        NewPackage {
            name,
            default_channel: fields.default_channel,
            description: fields.description,
            icon: fields.icon,
            file,
        }
    });
    let packages: Vec<NewPackage> = packages.collect();
    let root = session.root(Some(&placement.root)).ok();
    let (channels, entering) = (&placement.channels, &placement.entering.0);
    let target = target(root);
    let mut ops = match target {
        BundleTarget::Catalog => add_bundles::operations(&blobs, &packages, channels, entering),
        // This kind of template contains full bundles, as a catalog does.
        BundleTarget::Template if is_substitutes_template(root) => {
            add_bundles::operations(&blobs, &[], channels, entering)
        }
        BundleTarget::Template => {
            add_bundles::basic_template_operations(&blobs, channels, &entering.skip_range)
        }
        BundleTarget::SemverTemplate => add_bundles::semver_template_operations(&blobs, channels),
    };
    if session.roots().len() > 1 || target.is_template() {
        ops.iter_mut()
            .for_each(|op| *op.catalog_mut() = Some(placement.root.clone()));
    }
    ops
}

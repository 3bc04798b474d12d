//! The operations on bundles: add and remove one, set images, and migrate embedded objects.

use super::Refused;
use super::deprecate::{Scope, remove_deprecations};
use super::entries::remove_entry;
use super::promote::Promotion;
use super::{
    CatalogView, PlanResult, PlanStep, catalog_view, condition, promote, property, relink,
};
use crate::add_bundles::CsvEdges;
use crate::item_change::{ItemAction, ItemChange, canonical_json};
use crate::patch::{Patch, Value, path};
use bundle::Migration;
use catalog::model::pull_spec::check_pull_spec;
use catalog::model::{BundleBlob, ChannelBlob, Located, Package};
use catalog::roots;
use catalog::version::blang::Range;
use catalog::version::openshift::{FIRST_WITH_CSV_METADATA, OpenShift};
use catalog::version::{PackageVersion, VersionError, VersionRelease, version_in_name};
use protocol::operation::{Choice, DanglingEdges, PromoteAs};
use serde_json::json;

pub const OBJECT: &str = "olm.bundle.object";
pub const METADATA: &str = "olm.csv.metadata";

/// The fields of `add-bundle`, which adds a bundle by name, version and image, with the
/// `olm.package` property that `opm` requires.
///
/// The result satisfies all of `opm`'s bundle rules but one: unlisted bundles are refused
/// (`bundle-not-in-channel`). So the bundle can enter a channel in the same step, at the position
/// that `promote` would choose.
///
/// A rendered bundle is converted to the form that the package uses: `olm.csv.metadata` if the
/// package's other bundles have it or, without other bundles, if the catalog's OpenShift reads it;
/// else `olm.bundle.object`, as rendered.
pub(super) struct NewBundle<'a> {
    pub package: &'a str,
    pub bundle: &'a str,
    pub version: &'a str,
    /// "" if absent.
    pub release: &'a str,
    pub image: &'a str,
    /// The whole blob of a rendered bundle.
    pub blob: Option<&'a Value>,
    /// How it enters a channel, if requested.
    pub entry: Option<Promotion<'a>>,
}

impl NewBundle<'_> {
    fn read_version(&self, release: &str) -> Result<VersionRelease, VersionError> {
        PackageVersion {
            version: self.version,
            release,
            substitutes_for: false,
        }
        .parse(self.bundle)
    }
}

pub(super) fn add(view: &CatalogView<'_>, new: &NewBundle<'_>) -> PlanResult {
    let package = view.package(new.package)?;
    view.definition(package)?;
    let new = &NewBundle {
        version: match new.version {
            "" => version_in_bundle_name(new.bundle)?,
            version => version,
        },
        ..*new
    };
    let (version, mut steps) = blob_steps(view, package, new)?;
    if let Some(promotion) = &new.entry {
        let channel = view.channel(package, promotion.to)?;
        if !channel.has_entry(new.bundle) {
            let csv = new.blob.map(CsvEdges::from_blob).unwrap_or_default();
            steps.extend(enter_channel(
                view, package, channel, promotion, csv, version,
            )?);
        }
    }
    Ok(steps)
}

/// Adds the bundle to a channel, with the CSV's edges by default. If the CSV's `replaces` would
/// break the channel, the entry is placed by its version instead and skips that name if no entry
/// has it, so that its users keep their update.
fn enter_channel(
    view: &CatalogView<'_>,
    package: &Package,
    channel: &Located<ChannelBlob>,
    promotion: &Promotion<'_>,
    csv: CsvEdges,
    version: VersionRelease,
) -> PlanResult {
    let mut skips = promotion.skips.to_vec();
    skips.extend(
        csv.skips
            .iter()
            .filter(|s| !promotion.skips.contains(s))
            .cloned(),
    );
    let is_usable = Range::parse(&csv.skip_range).is_ok() && !csv.skip_range.is_empty();
    let csv_range = Choice::Value(csv.skip_range);
    let skip_range = match promotion.skip_range {
        Choice::Default if is_usable => &csv_range,
        chosen => chosen,
    };
    let csv_replaces = Choice::Value(csv.replaces.clone());
    if promotion.how.is_none() && promotion.replaces.is_default() && !csv.replaces.is_empty() {
        let as_in_csv = Promotion {
            how: Some(PromoteAs::Head),
            replaces: &csv_replaces,
            skip_range,
            skips: &skips,
            ..*promotion
        };
        let steps = promote::add_entry(view, package, channel, &as_in_csv, Some(version.clone()))?;
        if relink::is_sound_after(channel, &steps) {
            return Ok(steps);
        }
        if !channel.has_entry(&csv.replaces) && !skips.contains(&csv.replaces) {
            skips.push(csv.replaces);
        }
    }
    let promotion = Promotion {
        skip_range,
        skips: &skips,
        ..*promotion
    };
    promote::add_entry(view, package, channel, &promotion, Some(version))
}

/// Returns the version at the end of a bundle's name, such as `1.2.0` in `p.v1.2.0`.
pub(super) fn version_in_bundle_name(bundle: &str) -> Result<&str, Refused> {
    if bundle.is_empty() {
        return Ok("");
    }
    version_in_name(bundle)
        .map(|(version, _)| version)
        .ok_or_else(|| {
            refused!("the version of `{bundle}` is unknown: its name does not end in one")
                .help("name it with `--version`, such as `1.2.0`")
        })
}

/// Returns the bundle's version, and the steps that add its blob.
pub(super) fn blob_steps(
    view: &CatalogView<'_>,
    package: &Package,
    new: &NewBundle<'_>,
) -> Result<(VersionRelease, Vec<PlanStep>), Refused> {
    let version = check_new_bundle(view, package, new)?;
    let mut property = json!({ "packageName": &*package.name, "version": new.version });
    if !new.release.is_empty() {
        property["release"] = new.release.into();
    }
    let value = match new.blob {
        Some(blob) => rendered_value(view, package, new, blob)?,
        None => json!({
            "schema": "olm.bundle",
            "name": new.bundle,
            "package": &*package.name,
            "image": new.image,
            "properties": [{ "type": "olm.package", "value": property }],
        }),
    };
    let step = catalog_view::add_bundle(view, package, (new.bundle, new.version), value)?;
    Ok((version, vec![step]))
}

/// Refuses an existing name or version, and a version or image that does not parse.
fn check_new_bundle(
    view: &CatalogView<'_>,
    package: &Package,
    new: &NewBundle<'_>,
) -> Result<VersionRelease, Refused> {
    if new.bundle.is_empty() {
        return Err(Refused::new("the bundle has no name")
            .help(format!("give it one, such as `{}.v1.0.0`", package.name)));
    }
    if let Some(present) = package.bundle(new.bundle) {
        return Err(refused!(
            "package `{}` already has a bundle `{}`",
            package.name,
            new.bundle
        )
        .help("set its image with `set-image`, or add it to a channel with `promote`")
        .at(view.locate(present, present.name.place)));
    }
    new.read_version("").map_err(|error| {
        refused!("`{}` is not a version: {error}", new.version)
            .help("write MAJOR.MINOR.PATCH, such as `1.2.0`")
    })?;
    let version = new.read_version(new.release).map_err(|error| {
        refused!("`{}` is not a release of {}: {error}", new.release, new.version).help(
            "write dot-separated numbers and words, such as `1` or `20250101.1`; with a release, the version cannot contain `+`",
        )
    })?;
    let formatted = format_version(new.version, new.release);
    if let Some(same) = package
        .bundles
        .iter()
        .find(|b| format_version(b.version(), b.release()) == formatted)
    {
        return Err(
            refused!("`{}` already has version {formatted}", same.name.value)
                .help("`opm` accepts each version only once per package; choose another")
                .at(view.locate(same, same.name.place)),
        );
    }
    if !new.release.is_empty() {
        check_release_name(package, new)?;
    }
    check_image(new.image)?;
    Ok(version)
}

/// Returns the rendered blob in the form that the package uses. Refuses a blob of another bundle
/// than the operation names.
fn rendered_value(
    view: &CatalogView<'_>,
    package: &Package,
    new: &NewBundle<'_>,
    blob: &Value,
) -> Result<Value, Refused> {
    let expected = [
        ("schema", "olm.bundle"),
        ("name", new.bundle),
        ("package", new.package),
        ("image", new.image),
    ];
    if let Some((key, value)) = expected
        .into_iter()
        .find(|(key, value)| blob[*key] != *value)
    {
        return Err(
            refused!("in the blob of `{}`, `{key}` must be `{value}`", new.bundle)
                .help("render the bundle again"),
        );
    }
    if !uses_csv_metadata(view, package) {
        return Ok(blob.clone());
    }
    let mut blobs = [blob.clone()];
    bundle::migrate(&mut blobs, Migration::BundleObjectToCsvMetadata)
        .map_err(|refusal| Refused::new(refusal.message).help(refusal.help))?;
    let [blob] = blobs;
    Ok(blob)
}

/// Whether new bundles of the package should use `olm.csv.metadata`.
fn uses_csv_metadata(view: &CatalogView<'_>, package: &Package) -> bool {
    let mut properties = package
        .bundles
        .iter()
        .flat_map(|bundle| bundle.properties.iter());
    if properties.any(|fact| &*fact.property.kind == METADATA) {
        return true;
    }
    let has_objects = package.bundles.iter().any(|bundle| bundle.has_objects);
    let version = roots::openshift_version(view.catalog.root())
        .map(|(major, minor)| OpenShift::new(major, minor));
    !has_objects && version.is_some_and(|version| version >= FIRST_WITH_CSV_METADATA)
}

/// Checks a bundle with a release: `opm` requires a version without build metadata, and a fixed
/// name.
fn check_release_name(package: &Package, new: &NewBundle<'_>) -> Result<(), Refused> {
    if new.version.contains('+') {
        return Err(
            Refused::new("a version with build metadata cannot have a release")
                .help("drop the part after `+`, or the release"),
        );
    }
    let name = format!("{}-v{}-{}", package.name, new.version, new.release);
    if new.bundle == name {
        return Ok(());
    }
    Err(refused!(
        "a bundle with a release must be named PACKAGE-vVERSION-RELEASE, not `{}`",
        new.bundle
    )
    .help(format!("name it `{name}`")))
}

/// Formats a version as `opm` compares it for equality.
fn format_version(version: &str, release: &str) -> String {
    if release.is_empty() {
        version.to_owned()
    } else {
        format!("{version}-{release}")
    }
}

/// `remove-bundle`: removes the bundle's blob, its entries in all channels (like `remove-entry`),
/// and its deprecations (`opm` refuses deprecations of missing bundles).
///
/// If a bundle has identical copies, only the last blob is removed, since all references remain
/// valid for the others.
pub(super) fn remove(
    view: &CatalogView<'_>,
    package: &str,
    bundle: &str,
    then: DanglingEdges,
) -> PlanResult {
    let package = view.package(package)?;
    if let Some((first, last)) = copies(package, bundle) {
        return Ok(vec![PlanStep::RemoveCopy {
            file: last.file,
            index: last.index,
            original: (first.file, first.index),
        }]);
    }
    let blob = view.bundle(package, bundle).map_err(|refused| {
        let is_listed = package.entries().any(|e| e.name.as_str() == bundle);
        if is_listed && package.bundle(bundle).is_none() {
            refused.help("only channels list it: `remove-entry` removes it from them")
        } else {
            refused
        }
    })?;
    let mut steps = vec![PlanStep::remove(blob)];
    for channel in package.channels.iter().filter(|c| c.has_entry(bundle)) {
        steps.extend(remove_entry(
            package,
            channel,
            view.entry(channel, bundle)?,
            then,
        ));
    }
    steps.extend(remove_deprecations(package, &Scope::Bundle(bundle)));
    Ok(steps)
}

/// Returns the first and the last blob of a bundle with several copies that have the same facts at
/// the same positions.
pub fn copies<'p>(
    package: &'p Package,
    bundle: &str,
) -> Option<(&'p Located<BundleBlob>, &'p Located<BundleBlob>)> {
    let mut blobs = package
        .bundles
        .iter()
        .filter(|blob| blob.name.as_str() == bundle);
    let first = blobs.next()?;
    let mut last = None;
    for blob in blobs {
        if blob.data != first.data {
            return None;
        }
        last = Some(blob);
    }
    Some((first, last?))
}

/// `set-image`: changes the image that a bundle is pulled from.
///
/// A related image equal to the old image is the bundle's own (`opm` lists it there too) and is
/// changed too; other related images are kept.
pub(super) fn set_image(
    view: &CatalogView<'_>,
    package: &str,
    bundle: Option<&str>,
    condition: Option<&str>,
    image: &str,
) -> PlanResult {
    check_image(image)?;
    let package = view.package(package)?;
    let bundles = condition::select(view, package, bundle, condition)?;
    let changed = bundles
        .into_iter()
        .filter(|bundle| bundle.image.as_str() != image);
    Ok(changed
        .map(|bundle| {
            let old = bundle.image.as_str();
            let related = ItemChange {
                list: "relatedImages",
                fields: vec![("image", canonical_json(&old.into()))],
                action: ItemAction::Set("image", image.into()),
            };
            let after = &["schema", "name", "package"];
            PlanStep::Patch {
                file: bundle.file,
                index: bundle.index,
                patches: vec![Patch::put(path!["image"], image, after)],
                items: if old.is_empty() {
                    Vec::new()
                } else {
                    vec![related]
                },
            }
        })
        .collect())
}

/// Refuses an image reference that `opm` does not accept.
pub fn check_image(image: &str) -> Result<(), Refused> {
    let help = "write it as `registry/repository:tag` or `registry/repository@sha256:…`";
    if image.is_empty() {
        return Err(Refused::new("the image is empty").help(help));
    }
    check_pull_spec(image)
        .map_err(|error| refused!("`{image}` is not a valid image reference: {error}").help(help))
}

/// `migrate`: converts the embedded objects of `package`, or of all packages, to
/// `olm.csv.metadata`, like `opm render --migrate-level=bundle-object-to-csv-metadata`.
///
/// The parsed model does not keep the objects: [`ItemAction::Migrate`] reads them from the blob.
pub(super) fn migrate(view: &CatalogView<'_>, package: Option<&str>) -> PlanResult {
    let packages: Vec<&Package> = match package {
        Some(name) => vec![view.package(name)?],
        None => view.catalog.packages().map(|package| &**package).collect(),
    };
    let bundles = packages
        .into_iter()
        .flat_map(|package| &package.bundles)
        .filter(|bundle| is_changed(bundle));
    Ok(bundles
        .map(|bundle| {
            let fields = vec![("type", canonical_json(&OBJECT.into()))];
            property::step(bundle, fields, ItemAction::Migrate)
        })
        .collect())
}

/// Explains why migrating these packages changes nothing.
pub fn nothing_to_migrate<'a>(packages: impl IntoIterator<Item = &'a Package>) -> String {
    let bundles = packages
        .into_iter()
        .flat_map(|package| &package.bundles)
        .filter(|bundle| bundle.has_property(OBJECT));
    let (mut migrated, mut without_image, mut without_csv) = (0, 0, 0);
    for bundle in bundles {
        if bundle.has_property(METADATA) {
            migrated += 1;
        } else if bundle.image.is_empty() {
            without_image += 1;
        } else {
            without_csv += 1;
        }
    }
    let reasons: Vec<String> = [
        (
            without_csv,
            format!("no ClusterServiceVersion in the data of any `{OBJECT}`"),
        ),
        (without_image, "no image".to_owned()),
        (migrated, format!("`{METADATA}` already")),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, reason)| match count {
        1 => format!("1 bundle has {reason}"),
        _ => format!("{count} bundles have {reason}"),
    })
    .collect();
    if reasons.is_empty() {
        format!("nothing to migrate: no bundle has a property `{OBJECT}`")
    } else {
        format!("nothing to migrate: {}", reasons.join(", "))
    }
}

/// Whether the migration changes a bundle. `opm` skips those without an image, without an embedded
/// ClusterServiceVersion, or with existing metadata.
pub fn is_changed(bundle: &BundleBlob) -> bool {
    !bundle.image.is_empty() && bundle.embeds_csv && !bundle.has_property(METADATA)
}

#[cfg(test)]
mod migrate_tests {
    use super::*;
    use catalog::model::blob::{Property, PropertyFact};
    use catalog::testing::{located, package};
    use std::sync::Arc;

    #[test]
    fn reports_the_reasons_for_not_migrating() {
        let mut package = package("c: a@1.0.0");
        assert_eq!(
            nothing_to_migrate([&package]),
            "nothing to migrate: no bundle has a property `olm.bundle.object`"
        );
        let mut bundle = (*package.bundles[0].data).clone();
        bundle.image = catalog::testing::spanned("quay.io/a/b:v1");
        bundle.properties.push(PropertyFact {
            property: Arc::new(Property {
                kind: OBJECT.into(),
                value: None,
            }),
            start: 0,
            line: 0,
        });
        package.bundles = vec![located(2, 0, bundle)];
        assert_eq!(
            nothing_to_migrate([&package]),
            "nothing to migrate: 1 bundle has no ClusterServiceVersion in the data of any `olm.bundle.object`"
        );
    }
}

//! Rules about the package, the channel and the name of a bundle.

use super::prelude::*;
use edit::plan::bundles::copies;
use syntax::order::SortSmall;

pub const BUNDLE_NO_NAME: RuleDoc = RuleDoc::opm(
    "bundle-no-name",
    "name must be set",
    "An entry of a channel has no name.",
    "An entry refers to its bundle by name; without a name, it can be neither installed nor replaced.",
    "Write the entry's and the bundle's `name`.",
)
.causes(&[SharedCause::EntryNameless])
.in_templates()
.bad(examples![concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0", "- replaces: etcd.v1.0.0"), bundle!("etcd", "1.0.0"), "---\nschema: olm.bundle\npackage: etcd\nimage: quay.io/example/etcd:v1.1.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.1.0\n")])
.good(examples![two_versions!()]);

pub fn check_bundle_no_name(_: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    if view.entry.name.is_empty() {
        let channel = &view.channel.blob.name.value;
        let at = view.channel.anchor(view.entry.name.place);
        let finding = Finding::new(at, format!("an entry of channel `{channel}` has no name"));
        out.fail(BUNDLE_NO_NAME.opm_message, finding.channel(channel));
    }
}

pub const BUNDLE_NO_PACKAGE: RuleDoc = RuleDoc::opm(
    "bundle-no-package",
    "package name must be set for bundle %q",
    "A bundle does not say to which package it belongs.",
    "Every `olm.bundle` blob names its package; without it the bundle is in no channel.",
    "Write the bundle's `package`.",
)
.bad(examples![catalog!(
    "---\nschema: olm.bundle\nname: etcd.v1.1.0\nimage: quay.io/example/etcd:v1.1.0\n"
)])
.good(examples![two_versions!()]);

pub fn check_bundle_no_package(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    if bundle.package.is_empty() {
        let name = &bundle.name.value;
        let at = out.here(bundle.package.place);
        let finding = Finding::new(at, format!("bundle `{name}` names no package")).bundle(name);
        out.refuse(
            format!("package name must be set for bundle {}", quote(name)),
            finding,
        );
    }
}

pub const BUNDLE_UNKNOWN_PACKAGE: RuleDoc = RuleDoc::opm(
    "bundle-unknown-package",
    "unknown package %q for bundle %q",
    "A bundle belongs to a package that is not defined.",
    "Every `olm.bundle` blob names its package, and the catalog must hold an `olm.package` blob of that name.",
    "Correct the bundle's `package`, or add the `olm.package` blob.",
)
.misses(Missing::Definition)
.causes(&[SharedCause::Undefined])
.follows(&[SharedCause::Undefined])
.bad(examples![catalog!(bundle!("etdc", "1.1.0"))])
.good(examples![two_versions!()]);

pub fn check_bundle_unknown_package(scope: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    if bundle.package.is_empty() || !scope.package.packages.is_empty() {
        return;
    }
    let (package, name) = (&bundle.package.value, &bundle.name.value);
    let message = format!("bundle `{name}` belongs to package `{package}`, which is not defined");
    let at = out.here(bundle.package.place);
    // A single fix defines the package for all of its blobs.
    let define = (at.blob == BlobRef::Bundle(0) && scope.package.channels.is_empty())
        .then(|| define_package(scope))
        .flatten();
    let finding = Finding::new(at, message).bundle(name).fixes(define);
    out.refuse(
        format!(
            "unknown package {} for bundle {}",
            quote(package),
            quote(name)
        ),
        finding,
    );
}

/// Maximum number of copies removed at once.
const MAX_REMOVED: usize = 100;

pub const BUNDLE_DUPLICATE: RuleDoc = RuleDoc::opm(
    "bundle-duplicate",
    "package %q has duplicate bundle %q",
    "A package has two bundles of the same name.",
    "Entries refer to a bundle by its name, so the name must be unique in the package (not in the catalog).",
    "Remove one of the blobs, or give the newer bundle a name of its own.",
)
.bad(examples![catalog!(bundle!("etcd", "1.0.0"))])
.good(examples![catalog!()]);

pub fn check_bundle_duplicate(scope: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    if bundle.package.is_empty() {
        return;
    }
    let name = &bundle.name.value;
    let Some((nth, first)) = scope.bundle(name).filter(|(nth, _)| *nth != out.nth) else {
        return;
    };
    let fix = copies(scope.package, name).map(|_| remove(scope, name));
    let finding = out
        .finding(
            bundle.name.place,
            format!("bundle `{name}` is defined again"),
        )
        .help(match (&fix, differing_keys(bundle, first).as_slice()) {
            (Some(_), _) => "both are identical: remove one of them".to_owned(),
            (None, []) => BUNDLE_DUPLICATE.fix.to_owned(),
            (None, keys) => format!(
                "they differ at least in `{}`: remove one of the blobs, or give the newer bundle a name of its own",
                keys.join("`, `")
            ),
        })
        .related([(
            "first defined here".to_owned(),
            Anchor::new(BlobRef::Bundle(nth), first.name.place),
        )])
        .fixes(fix);
    out.refuse(
        format!(
            "package {} has duplicate bundle {}",
            quote(&bundle.package.value),
            quote(name)
        ),
        finding,
    );
}

/// Returns keys that differ between two blobs of a bundle. Large property values are not compared.
fn differing_keys(bundle: &BundleBlob, first: &BundleBlob) -> Vec<&'static str> {
    let [own, other] =
        [bundle, first].map(|blob| blob.properties.iter().map(|fact| &fact.property));
    let keys = [
        ("image", bundle.image.value != first.image.value),
        (
            "properties",
            own.ne(other) || bundle.version() != first.version(),
        ),
        (
            "relatedImages",
            bundle.related_images != first.related_images,
        ),
    ];
    keys.iter().filter(|key| key.1).map(|key| key.0).collect()
}

/// Builds the fix that removes duplicates. Safe: the remaining one has equal content, or the
/// operation is refused.
fn remove(scope: &Scope<'_>, name: &str) -> Fix {
    let times = scope
        .package
        .bundles
        .iter()
        .filter(|bundle| bundle.name.as_str() == name)
        .count()
        - 1;
    let op = EditOp::RemoveBundle {
        catalog: None,
        package: scope.package.name.to_string(),
        bundle: name.to_owned(),
        then: DanglingEdges::Relink,
    };
    Fix::new(
        format!("keep one blob of bundle `{name}`"),
        true,
        vec![op; times.min(MAX_REMOVED)],
    )
    .with_kind("remove-duplicate")
}

pub const BUNDLE_NORMALIZED_NAME: RuleDoc = RuleDoc::opm(
    "bundle-normalized-name",
    "name %q does not match normalized name %q",
    "A bundle with a release is not named after its package, version and release.",
    "So that rebuilds of one version have different names, a bundle with a release must be named \
     `PACKAGE-vVERSION-RELEASE`.",
    "Before it is published, rename the bundle with `rename-bundle`, or remove the release. Do not rename a published \
     bundle: clusters that run it and the ClusterServiceVersion in its image keep the old name. Publish a bundle with \
     the new name that replaces it instead.",
)
.since(62)
.bad(examples![stable_text!("- name: etcd.v1.0.0-1"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n    release: '1'\n")])
.good(examples![stable_text!("- name: etcd-v1.0.0-1"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd-v1.0.0-1\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n    release: '1'\n")]);

pub fn check_bundle_normalized_name(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some((nth, bundle)) = view.bundle else {
        return;
    };
    let name = bundle.name.as_str();
    if bundle.release().is_empty() {
        return;
    }
    let normalized = format!(
        "{}-v{}-{}",
        scope.package.name,
        bundle.version(),
        bundle.release()
    );
    if name == normalized {
        return;
    }
    out.line(format!(
        "name {} does not match normalized name {}",
        quote(name),
        quote(&normalized)
    ));
    if view.first_listing {
        let at = Anchor::new(BlobRef::Bundle(nth), bundle.name.place);
        let message = format!("bundle `{name}` has a release, so it must be named `{normalized}`");
        // Not a safe fix: installations have the old name.
        let rename = EditOp::RenameBundle {
            catalog: None,
            package: scope.package.name.to_string(),
            bundle: name.to_owned(),
            to: normalized.clone(),
            skip_old: true,
        };
        let title = format!("rename it to `{normalized}`, and skip the old name");
        out.report(
            Finding::new(at, message)
                .help(format!(
                    "name the bundle and its entries `{normalized}`, or remove the release; if `{name}` is already \
                     published, clusters that run it and the ClusterServiceVersion in its image keep that name, so \
                     publish a bundle named `{normalized}` that replaces it instead"
                ))
                .bundle(&bundle.name.value)
                .fixes(vec![Fix::from_op(title, false, rename)]),
        );
    }
}

pub const BUNDLE_NOT_IN_CHANNEL: RuleDoc = RuleDoc::opm(
    "bundle-not-in-channel",
    "package %q, bundle %q not found in any channel entries",
    "No channel lists the bundle.",
    "A bundle outside all channels can be neither installed nor upgraded to, so `opm` refuses the catalog.",
    "List the bundle in a channel (promote it), correct the entry that misspells its name, or remove the blob.",
)
.misses(Missing::Listing)
.follows(&[SharedCause::BundleMisnamed])
.bad(examples![catalog!(bundle!("etcd", "1.1.0"))])
.good(examples![two_versions!()]);

/// Maximum number of channels offered for a promotion.
const MAX_CHANNELS: usize = 4;

pub fn check_bundle_not_in_channel(scope: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let name = &bundle.name.value;
    if scope.package.packages.is_empty() || scope.is_nameless() || scope.is_listed(name) {
        return;
    }
    if scope.bundle(name).is_some_and(|(nth, _)| nth != out.nth) {
        return;
    }
    let package = scope.package.name.to_string();
    let default = scope.package.default_channel();
    // Offer first the channels whose edges name the bundle, because they have lost it; then the
    // default channel.
    let channels = scope.channels.iter().map(|channel| {
        let mut edges = channel.entries.iter().flat_map(|e| e.targets());
        (edges.any(|edge| edge.value == *name), channel)
    });
    let mut channels: Vec<(bool, &ChannelScope<'_>)> = channels.collect();
    channels.sort_small_by_key(|(names, c)| {
        (
            !names,
            c.blob.name.as_str() != default,
            c.blob.name.as_str(),
        )
    });
    let fixes = channels.iter().take(MAX_CHANNELS).map(|(_, channel)| {
        let target = channel.blob.name.as_str();
        Fix::from_op(
            format!("promote `{name}` to channel `{target}`"),
            false,
            promotion(scope, channel, name),
        )
    });
    let fixes: Vec<Fix> = fixes.collect();
    let why = format!(
        "Clusters find bundles through channels only. No channel of package `{package}` lists `{name}`, so nobody \
         could install it, and `opm` treats that as an error."
    );
    let explanation = Explanation {
        why,
        names: vec![name.to_string()],
        chains: vec![channels_of(scope, None)],
    };
    let finding = out
        .finding(
            bundle.name.place,
            format!("bundle `{name}` is in no channel"),
        )
        .explain(explanation)
        .fixes(fixes);
    out.refuse(
        format!(
            "package {}, bundle {} not found in any channel entries",
            quote(&package),
            quote(name)
        ),
        finding,
    );
}

/// Returns the promotion of the bundle to the channel: as usual; as a skipped entry if only that
/// makes the channel valid; or as the head if the usual promotion is refused.
fn promotion(scope: &Scope<'_>, channel: &ChannelScope<'_>, bundle: &str) -> EditOp {
    let promote = |how, replaces| EditOp::Promote {
        catalog: None,
        package: scope.package.name.to_string(),
        bundle: bundle.to_owned(),
        to: channel.blob.name.value.to_string(),
        how,
        replaces,
        skip_range: Choice::Default,
    };
    let heads = channel.heads();
    let below = match heads[..] {
        [] => Choice::None,
        _ => Choice::Value(channel.name_of(scope.highest(channel, heads)).to_owned()),
    };
    let usual = promote(None, Choice::Default);
    let simulation =
        |op: &EditOp| scope.simulate(channel.blob.name.as_str(), std::slice::from_ref(op));
    match simulation(&usual) {
        Simulation::Outcome(outcome) if outcome.is_fine() => return usual,
        // If versions do not decide its position, it becomes the head.
        Simulation::Refused => return promote(Some(PromoteAs::Head), below),
        _ => {}
    }
    let skipped = promote(Some(PromoteAs::Skipped), Choice::Default);
    match simulation(&skipped) {
        Simulation::Outcome(outcome) if outcome.is_fine() => skipped,
        _ => usual,
    }
}

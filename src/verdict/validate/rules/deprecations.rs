//! Rules about `olm.deprecations`.

use super::prelude::*;
use crate::validate::findings::TreePosition;
use crate::validate::spelling::{is_other_version, same_numbers, without_version};
use syntax::hashed::HashMap;

/// The number in the message counts blobs in load order over the whole catalog.
pub const DEPRECATION_NO_PACKAGE: RuleDoc = RuleDoc::opm(
    "deprecation-no-package",
    "package name must be set for deprecation item %d",
    "An `olm.deprecations` blob does not say to which package it belongs.",
    "References in it are names inside a package; without the package they mean nothing.",
    "Write the blob's `package`.",
)
.in_templates()
.bad(examples![catalog!(deprecations!(
    "",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
))])
.good(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
))]);

/// Formats `opm`'s message. `number` counts the preceding deprecations blobs in the catalog.
pub fn deprecation_no_package_message(number: usize) -> String {
    format!("package name must be set for deprecation item {number}")
}

pub fn check_deprecation_no_package(_: &Scope<'_>, blob: &DeprecationsBlob, out: &mut Findings) {
    if blob.package.is_empty() {
        // Only the whole catalog determines the number; the verdict fills it in.
        let number = out.nth as usize;
        let at = out.here(blob.package.place);
        out.refuse(
            deprecation_no_package_message(number),
            Finding::new(at, "deprecations name no package"),
        );
    }
}

pub const DEPRECATION_UNKNOWN_PACKAGE: RuleDoc = RuleDoc::opm(
    "deprecation-unknown-package",
    "cannot apply deprecations to an unknown package %q",
    "An `olm.deprecations` blob belongs to a package that is not defined.",
    "Deprecations are shown with the package they belong to, so the catalog must define it.",
    "Correct the blob's `package`, or remove the blob.",
)
.misses(Missing::Definition)
.causes(&[SharedCause::Undefined])
.follows(&[SharedCause::Undefined])
.in_templates()
.bad(examples![catalog!(deprecations!(
    "package: etdc\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
))])
.good(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
))]);

pub fn check_deprecation_unknown_package(
    scope: &Scope<'_>,
    blob: &DeprecationsBlob,
    out: &mut Findings,
) {
    if blob.package.is_empty() || !scope.package.packages.is_empty() {
        return;
    }
    let package = &blob.package.value;
    let message = format!("deprecations belong to package `{package}`, which is not defined");
    let finding = out.finding(blob.package.place, message);
    out.refuse(
        format!(
            "cannot apply deprecations to an unknown package {}",
            quote(package)
        ),
        finding,
    );
}

pub const DEPRECATION_MULTIPLE: RuleDoc = RuleDoc::opm(
    "deprecation-multiple",
    "expected a maximum of one deprecation per package: %q",
    "A package has more than one `olm.deprecations` blob.",
    "A package may have only one `olm.deprecations` blob; `opm` does not merge several.",
    "Move all entries into one of the blobs and remove the other.",
)
.in_templates()
.bad(examples![catalog!(
    deprecations!(
        "package: etcd\n",
        "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
    ),
    deprecations!(
        "package: etcd\n",
        "- reference:\n    schema: olm.channel\n    name: stable\n  message: use something newer"
    )
)])
.good(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer",
    "- reference:\n    schema: olm.channel\n    name: stable\n  message: use something newer"
))]);

pub fn check_deprecation_multiple(scope: &Scope<'_>, blob: &DeprecationsBlob, out: &mut Findings) {
    if out.nth == 0 || !scope.is_defined() {
        return;
    }
    let package = &blob.package.value;
    let first = Anchor::new(
        BlobRef::Deprecations(0),
        scope.package.deprecations[0].package.place,
    );
    let finding = out
        .finding(
            blob.package.place,
            format!(
                "package `{package}` has more than one `olm.deprecations` \
         blob"
            ),
        )
        .related([("first here".to_owned(), first)]);
    out.refuse(
        format!(
            "expected a maximum of one deprecation per package: {}",
            quote(package)
        ),
        finding,
    );
}

pub const DEPRECATION_REF_NO_SCHEMA: RuleDoc = RuleDoc::opm(
    "deprecation-ref-no-schema",
    "schema must be set for deprecation entry [%d] for package %q",
    "A deprecation does not say what kind of thing it deprecates.",
    "The reference needs a `schema`: `olm.package`, `olm.channel` or `olm.bundle`.",
    "Write `reference.schema`, and a `name` for a channel or bundle.",
)
.in_templates()
.bad(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    name: etcd.v1.0.0\n  message: use something newer"
))])
.good(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
))]);

pub fn check_deprecation_ref_no_schema(
    _: &Scope<'_>,
    blob: &DeprecationsBlob,
    (part, entry): (u32, &DeprecationEntry),
    out: &mut Findings,
) {
    if entry.schema.is_empty() {
        let opm = format!(
            "schema must be set for deprecation entry [{}] for package {}",
            part - 1,
            quote(&blob.package.value)
        );
        let message = "a deprecation's reference has no schema";
        out.refuse_at(part, opm, out.finding(entry.schema.place, message));
    }
}

pub const DEPRECATION_REF_DUPLICATE: RuleDoc = RuleDoc::opm(
    "deprecation-ref-duplicate",
    "duplicate deprecation entry declcfg.PackageScopedReference{Schema:%q, Name:%q} for package %q",
    "The same thing is deprecated twice.",
    "Each reference has one message; with two it is ambiguous which one users see.",
    "Remove one of the two entries.",
)
.in_templates()
.bad(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use etcd.v1.1.0"
))])
.good(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
))]);

pub fn check_deprecation_ref_duplicate(
    scope: &Scope<'_>,
    blob: &DeprecationsBlob,
    out: &mut Findings,
) {
    if !scope.is_defined() {
        return;
    }
    let mut seen: HashMap<(&str, &str), usize> = HashMap::default();
    for (i, entry) in blob.entries.iter().enumerate() {
        let first = *seen
            .entry((&entry.schema.value, &entry.name.value))
            .or_insert(i);
        if first == i || entry.schema.is_empty() {
            continue;
        }
        let opm = format!(
            "duplicate deprecation entry {} for package {}",
            reference(entry),
            quote(&blob.package.value)
        );
        let finding = out
            .finding(entry.place, format!("{} is deprecated twice", thing(entry)))
            .related([("first here".to_owned(), out.here(blob.entries[first].place))]);
        out.refuse_at(i as u32 + 1, opm, finding);
    }
}

pub const DEPRECATION_REF_UNKNOWN_SCHEMA: RuleDoc = RuleDoc::opm(
    "deprecation-ref-unknown-schema",
    "cannot deprecate object declcfg.PackageScopedReference{Schema:%q, Name:%q} referenced by entry %d for package %q: object schema unknown",
    "A deprecation refers to a schema that cannot be deprecated.",
    "Only packages, channels and bundles can be deprecated.",
    "Write `olm.package`, `olm.channel` or `olm.bundle` as `reference.schema`.",
)
.in_templates()
.bad(examples![catalog!(deprecations!("package: etcd\n", "- reference:\n    schema: olm.bundles\n    name: etcd.v1.0.0\n  message: use something newer"))])
.good(examples![catalog!(deprecations!("package: etcd\n", "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"))]);

/// Schemas that can be deprecated.
const DEPRECATABLE_SCHEMAS: [&str; 3] = ["olm.package", "olm.channel", "olm.bundle"];

pub fn check_deprecation_ref_unknown_schema(
    _: &Scope<'_>,
    blob: &DeprecationsBlob,
    (part, entry): (u32, &DeprecationEntry),
    out: &mut Findings,
) {
    if entry.schema.is_empty() || DEPRECATABLE_SCHEMAS.contains(&entry.schema.as_str()) {
        return;
    }
    let opm = format!(
        "cannot deprecate object {} referenced by entry {} for package {}: object schema unknown",
        reference(entry),
        part - 1,
        quote(&blob.package.value)
    );
    let at = out.here(entry.schema.place);
    let finding = Finding::new(at, format!("`{}` cannot be deprecated", entry.schema.value))
        .correction(
            nearest(entry.schema.as_str(), DEPRECATABLE_SCHEMAS).map(|suggestion| {
                NameCorrection::new(
                    format!("write `{suggestion}`"),
                    at,
                    &entry.schema.value,
                    suggestion,
                )
            }),
        );
    out.refuse_at(part, opm, finding);
}

/// Maximum number of bundles compared with the missing name.
const MAX_CANDIDATES: usize = 2000;

pub const DEPRECATION_BUNDLE_NOT_FOUND: RuleDoc = RuleDoc::opm(
    "deprecation-bundle-not-found",
    "cannot deprecate bundle %q for package %q: bundle not found",
    "A deprecation names a bundle that the package does not have.",
    "A deprecation left behind after its bundle was removed or renamed makes `opm` fail.",
    "Correct the reference's `name`, or remove the deprecation.",
)
.misses(Missing::Bundle)
.follows(&[SharedCause::BundleMisnamed])
.in_templates()
.bad(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: v1.0.0\n  message: use something newer"
))])
.good(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
))]);

pub fn check_deprecation_bundle_not_found(
    scope: &Scope<'_>,
    blob: &DeprecationsBlob,
    (part, entry): (u32, &DeprecationEntry),
    out: &mut Findings,
) {
    let name = entry.name.as_str();
    if entry.schema.as_str() != "olm.bundle" || scope.bundle(name).is_some() {
        return;
    }
    // Another version is another bundle, but a name without any version can only be a typo.
    let bundles = || scope.package.bundles.iter().map(|b| b.name.as_str());
    let suggestion = without_version(name, bundles().take(MAX_CANDIDATES));
    let suggestion = suggestion.or_else(|| {
        nearest(
            name,
            bundles().filter(|b| same_numbers(name, b) || !is_other_version(name, b)),
        )
    });
    let near = bundles().filter(|name| suggestion == Some(*name));
    let column = column(format!("bundles of `{}`", scope.package.name), near, |_| {
        vec![ChainMark::Suggested]
    });
    let remove = scope.undeprecate_bundle(name);
    let finding = not_found(scope, ("bundle", entry), suggestion, (column, remove), out);
    refuse_not_found(
        ("bundle", entry),
        blob,
        part,
        finding.bundle(&entry.name.value),
        out,
    );
}

/// As in `opm`, a missing default channel counts as a channel.
pub const DEPRECATION_CHANNEL_NOT_FOUND: RuleDoc = RuleDoc::opm(
    "deprecation-channel-not-found",
    "cannot deprecate channel %q for package %q: channel not found",
    "A deprecation names a channel that the package does not have.",
    "A deprecation left behind after its channel was removed or renamed makes `opm` fail.",
    "Correct the reference's `name`, or remove the deprecation.",
)
.misses(Missing::Channel)
.in_templates()
.bad(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.channel\n    name: stabel\n  message: use something newer"
))])
.good(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.channel\n    name: stable\n  message: use something newer"
))]);

pub fn check_deprecation_channel_not_found(
    scope: &Scope<'_>,
    blob: &DeprecationsBlob,
    (part, entry): (u32, &DeprecationEntry),
    out: &mut Findings,
) {
    let name = entry.name.as_str();
    if entry.schema.as_str() != "olm.channel"
        || scope.channel(name).is_some()
        || scope.missing_default_channel() == Some(name)
    {
        return;
    }
    let suggestion = nearest(name, scope.channels.iter().map(|c| c.blob.name.as_str()));
    let column = channels_of(scope, suggestion);
    let remove = EditOp::set_deprecation(&scope.package.name, Some(name.to_owned()), None, None);
    let finding = not_found(scope, ("channel", entry), suggestion, (column, remove), out);
    refuse_not_found(
        ("channel", entry),
        blob,
        part,
        finding.channel(&entry.name.value),
        out,
    );
}

/// Creates the finding about a deprecated channel or bundle that does not exist. `column` lists the
/// existing names, `remove` removes the deprecation.
fn not_found(
    scope: &Scope<'_>,
    (kind, entry): (&str, &DeprecationEntry),
    suggestion: Option<&str>,
    (column, remove): (Chain, EditOp),
    out: &Findings,
) -> Finding {
    let name = &entry.name.value;
    let help = suggestion
        .map(|suggestion| format!("did you mean `{suggestion}`? if not, remove the deprecation"));
    let why = format!(
        "`opm` attaches each deprecation to the {kind} it names, where users see the message. Package `{}` has no {kind} `{name}`, so nobody would see it.",
        scope.package.name
    );
    let at = out.here(entry.name.place);
    Finding::new(at, format!("deprecated {kind} `{name}` does not exist"))
        .help(help.unwrap_or_default())
        .explain(Explanation {
            why,
            names: vec![name.to_string()],
            chains: vec![column],
        })
        .correction(suggestion.map(|suggestion| {
            let title = format!("change `{name}` to `{suggestion}`");
            NameCorrection::new(title, at, name, suggestion)
        }))
        .fixes([Fix::from_op(
            format!("remove the deprecation of {kind} `{name}`"),
            false,
            remove,
        )])
}

fn refuse_not_found(
    (kind, entry): (&str, &DeprecationEntry),
    blob: &DeprecationsBlob,
    part: u32,
    finding: Finding,
    out: &mut Findings,
) {
    let opm = format!(
        "cannot deprecate {kind} {} for package {}: {kind} not found",
        quote(&entry.name.value),
        quote(&blob.package.value)
    );
    out.refuse_at(part, opm, finding);
}

pub const DEPRECATION_PACKAGE_NAMED: RuleDoc = RuleDoc::opm(
    "deprecation-package-named",
    "package name must be empty for deprecated package %q (specified %q)",
    "A deprecation of the package itself has a `name`.",
    "The blob's `package` already says which package is meant, so the reference must not have a `name`.",
    "Remove `name` from the reference.",
)
.in_templates()
.bad(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.package\n    name: etcd\n  message: use something newer"
))])
.good(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.package\n  message: use something newer"
))]);

pub fn check_deprecation_package_named(
    _: &Scope<'_>,
    blob: &DeprecationsBlob,
    (part, entry): (u32, &DeprecationEntry),
    out: &mut Findings,
) {
    if entry.schema.as_str() == "olm.package" && !entry.name.is_empty() {
        let opm = format!(
            "package name must be empty for deprecated package {} (specified {})",
            quote(&blob.package.value),
            quote(&entry.name.value)
        );
        let message = "the deprecation of the package has a `name`";
        out.refuse_at(part, opm, out.finding(entry.name.place, message));
    }
}

/// Reported at the package, at the channel, or at the bundle in every channel that lists it.
pub const DEPRECATION_MESSAGE: RuleDoc = RuleDoc::opm(
    "deprecation-message",
    "invalid deprecation: message must be set",
    "A deprecation has no message.",
    "The message is what users read: why something goes away, and what to use instead.",
    "Write the deprecation's `message`.",
)
.in_templates()
.bad(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0"
))])
.good(examples![catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
))]);

pub fn check_message_of_package(scope: &Scope<'_>, out: &mut Findings) {
    if let Some(at) = scope.deprecation_without_message("olm.package", "") {
        let message = format!(
            "the deprecation of package `{}` has no message",
            scope.package.name
        );
        out.fail(DEPRECATION_MESSAGE.opm_message, Finding::new(at, message));
    }
}

pub fn check_message_of_channel(scope: &Scope<'_>, channel: &ChannelScope<'_>, out: &mut Findings) {
    let name = &channel.blob.name.value;
    if let Some(at) = scope.deprecation_without_message("olm.channel", name) {
        let finding = Finding::new(
            at,
            format!("the deprecation of channel `{name}` has no message"),
        );
        out.fail(DEPRECATION_MESSAGE.opm_message, finding.channel(name));
    }
}

/// Reports a deprecation without message of a missing default channel, which can still be
/// deprecated.
pub fn check_message_of_default(scope: &Scope<'_>, out: &mut Findings) {
    let Some(name) = scope.missing_default_channel() else {
        return;
    };
    let Some(at) = scope.deprecation_without_message("olm.channel", name) else {
        return;
    };
    let position = TreePosition {
        after_children: true,
        ..TreePosition::channel(&name.into())
    };
    let before = std::mem::replace(&mut out.tree_position, position);
    let finding = Finding::new(
        at,
        format!("the deprecation of channel `{name}` has no message"),
    );
    out.fail(
        DEPRECATION_MESSAGE.opm_message,
        finding.channel(&name.into()),
    );
    out.tree_position = before;
}

pub fn check_message_of_bundle(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let name = &view.entry.name.value;
    if view.bundle.is_none() {
        return;
    }
    if let Some(at) = scope.deprecation_without_message("olm.bundle", name) {
        out.line(DEPRECATION_MESSAGE.opm_message);
        if view.first_listing {
            let finding = Finding::new(
                at,
                format!("the deprecation of bundle `{name}` has no message"),
            );
            out.report(finding.bundle(name));
        }
    }
}

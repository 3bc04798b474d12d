//! `deprecation-message`: a deprecation without a message. `opm`: `invalid deprecation: message
//! must be set`. Reported at the package, the channel, or the bundle in every channel that lists
//! it.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "deprecation-message",
    "invalid deprecation: message must be set",
    "A deprecation has no message.",
    "The message is what users read: why something goes away, and what to use instead.",
    "Write the deprecation's `message`.",
)
.in_templates()
.bad(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0"
)))])
.good(&[Example::Catalog(catalog!(deprecations!(
    "package: etcd\n",
    "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"
)))]);

pub(in crate::validate) fn check_package(scope: &Scope<'_>, out: &mut Findings) {
    if let Some(at) = scope.deprecation_without_message("olm.package", "") {
        let message = format!(
            "the deprecation of package `{}` has no message",
            scope.package.name
        );
        out.fail(DOC.opm_message, Finding::new(at, message).help(DOC.fix));
    }
}

pub(in crate::validate) fn check_channel(
    scope: &Scope<'_>,
    channel: &ChannelScope<'_>,
    out: &mut Findings,
) {
    let name = &channel.blob.name.value;
    if let Some(at) = scope.deprecation_without_message("olm.channel", name) {
        let finding = Finding::new(
            at,
            format!("the deprecation of channel `{name}` has no message"),
        );
        out.fail(DOC.opm_message, finding.help(DOC.fix).channel(name));
    }
}

/// A missing default channel can still be deprecated.
pub(in crate::validate) fn check_default(scope: &Scope<'_>, out: &mut Findings) {
    let Some(name) = scope.missing_default_channel() else {
        return;
    };
    let Some(at) = scope.deprecation_without_message("olm.channel", name) else {
        return;
    };
    let tree_position = std::mem::replace(&mut out.tree_position, (Some(name.into()), None, true));
    let finding = Finding::new(
        at,
        format!("the deprecation of channel `{name}` has no message"),
    );
    out.fail(DOC.opm_message, finding.help(DOC.fix).channel(&name.into()));
    out.tree_position = tree_position;
}

pub(in crate::validate) fn check_bundle(
    scope: &Scope<'_>,
    view: &EntryView<'_>,
    out: &mut Findings,
) {
    let name = &view.entry.name.value;
    if view.bundle.is_none() {
        return;
    }
    if let Some(at) = scope.deprecation_without_message("olm.bundle", name) {
        out.line(DOC.opm_message);
        if view.first_listing {
            let finding = Finding::new(
                at,
                format!("the deprecation of bundle `{name}` has no message"),
            );
            out.report(finding.help(DOC.fix).bundle(name));
        }
    }
}

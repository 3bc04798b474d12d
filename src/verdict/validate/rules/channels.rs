//! Rules about the names and the entries of channels.

use super::prelude::*;
use crate::validate::findings::TreePosition;
use syntax::order::SortSmall;

pub const CHANNEL_UNKNOWN_PACKAGE: RuleDoc = RuleDoc::opm(
    "channel-unknown-package",
    "unknown package %q for channel %q",
    "A channel belongs to a package that is not defined.",
    "Every `olm.channel` blob names its package, and the catalog must hold an `olm.package` blob of that name.",
    "Correct the channel's `package`, or add the `olm.package` blob.",
)
.misses(Missing::Definition)
.causes(&[SharedCause::Undefined])
.follows(&[SharedCause::Undefined])
.in_templates()
.bad(examples![catalog!(channel!("etdc", "alpha", "- name: etcd.v1.0.0"))])
.good(examples![catalog!(channel!("etcd", "alpha", "- name: etcd.v1.0.0"))]);

pub fn check_channel_unknown_package(scope: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    if !scope.package.packages.is_empty() {
        return;
    }
    let (package, name) = (&channel.package.value, &channel.name.value);
    let message = if package.is_empty() {
        format!("channel `{name}` names no package")
    } else {
        format!("channel `{name}` belongs to package `{package}`, which is not defined")
    };
    let at = out.here(channel.package.place);
    let define = (at.blob == BlobRef::Channel(0) && !package.is_empty())
        .then(|| define_package(scope))
        .flatten();
    let finding = Finding::new(at, message).channel(name).fixes(define);
    out.refuse(
        format!(
            "unknown package {} for channel {}",
            quote(package),
            quote(name)
        ),
        finding,
    );
}

pub const CHANNEL_NO_NAME: RuleDoc = RuleDoc::opm(
    "channel-no-name",
    "package %q contains channel with no name",
    "A channel has no `name`.",
    "Users subscribe to a channel by its name, so one without a name can never be chosen.",
    "Write the channel's `name`, or remove the blob.",
)
.in_templates()
.bad(examples![catalog!(
    "---\nschema: olm.channel\npackage: etcd\nentries:\n- name: etcd.v1.0.0\n"
)])
.good(examples![catalog!(channel!(
    "etcd",
    "alpha",
    "- name: etcd.v1.0.0"
))]);

pub fn check_channel_no_name(scope: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    if channel.name.is_empty() && !scope.package.packages.is_empty() {
        let package = &channel.package.value;
        let at = out.here(channel.name.place);
        let finding = Finding::new(at, format!("a channel of package `{package}` has no name"));
        out.refuse(
            format!("package {} contains channel with no name", quote(package)),
            finding,
        );
    }
}

pub const CHANNEL_DUPLICATE: RuleDoc = RuleDoc::opm(
    "channel-duplicate",
    "package %q has duplicate channel %q",
    "A package has two channels of the same name.",
    "A channel is one upgrade graph; `opm` does not merge blobs of the same name.",
    "Move all entries into one of the blobs and remove the other, or rename one of them.",
)
.in_templates()
.bad(examples![catalog!(channel!(
    "etcd",
    "stable",
    "- name: etcd.v1.0.0"
))])
.good(examples![catalog!(channel!(
    "etcd",
    "alpha",
    "- name: etcd.v1.0.0"
))]);

pub fn check_channel_duplicate(scope: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    if channel.name.is_empty() || scope.package.packages.is_empty() {
        return;
    }
    let name = &channel.name.value;
    let Some(first) = scope.channel(name).filter(|first| first.nth != out.nth) else {
        return;
    };
    let finding = out
        .finding(
            channel.name.place,
            format!("channel `{name}` is defined again"),
        )
        .related([(
            "first defined here".to_owned(),
            first.anchor(first.blob.name.place),
        )]);
    out.refuse(
        format!(
            "package {} has duplicate channel {}",
            quote(&channel.package.value),
            quote(name)
        ),
        finding,
    );
}

/// Also reported for a missing default channel, for which `opm` creates an empty one.
pub const CHANNEL_EMPTY: RuleDoc = RuleDoc::opm(
    "channel-empty",
    "channel must contain at least one bundle",
    "A channel has no entries, or the default channel does not exist.",
    "A channel without entries has no head, so nothing can be installed from it. A default channel that no blob defines \
     counts as an empty one.",
    "List a bundle in the channel, remove the channel, or set the default channel to one that exists.",
)
.misses(Missing::Channel)
.in_templates()
.bad(examples![catalog!("---\nschema: olm.channel\npackage: etcd\nname: alpha\nentries: []\n")])
.good(examples![catalog!(channel!("etcd", "alpha", "- name: etcd.v1.0.0"))]);

/// Maximum number of bundles offered to an empty channel.
const MAX_PROMOTED: usize = 2;

pub fn check_channel_empty(scope: &Scope<'_>, channel: &ChannelScope<'_>, out: &mut Findings) {
    if channel.graph == Graph::Empty {
        let name = &channel.blob.name.value;
        let finding = channel
            .finding(
                channel.blob.name.place,
                format!("channel `{name}` has no entries"),
            )
            .explain(Explanation {
                why: format!(
                    "A channel without entries has no head, so users of `{name}` get nothing{}.",
                    if name.as_ref() == scope.package.default_channel() {
                        ", and it is the default channel"
                    } else {
                        ""
                    }
                ),
                names: vec![name.to_string()],
                chains: vec![channels_of(scope, None)],
            })
            .fixes(fixes(scope, channel));
        out.fail(CHANNEL_EMPTY.opm_message, finding);
    }
}

/// Builds the fixes of an empty channel: add unlisted bundles, which may be the lost ones; remove
/// the channel, or make another the default.
fn fixes(scope: &Scope<'_>, channel: &ChannelScope<'_>) -> Vec<Fix> {
    let (package, name) = (
        scope.package.name.to_string(),
        channel.blob.name.value.to_string(),
    );
    let unlisted = scope
        .package
        .bundles
        .iter()
        .map(|b| b.name.as_str())
        .filter(|b| !b.is_empty() && !scope.is_listed(b));
    let mut fixes: Vec<Fix> = unlisted
        .take(MAX_PROMOTED)
        .map(|bundle| {
            let op = EditOp::Promote {
                catalog: None,
                package: package.clone(),
                bundle: bundle.to_owned(),
                to: name.clone(),
                how: None,
                replaces: Choice::Default,
                skip_range: Choice::Default,
            };
            Fix::from_op(format!("promote `{bundle}` to channel `{name}`"), false, op)
        })
        .collect();
    let remove = EditOp::RemoveChannel {
        catalog: None,
        package: package.clone(),
        channel: name.clone(),
    };
    if name == scope.package.default_channel() {
        fixes.extend(default_channel_fixes(scope).into_iter().map(|mut fix| {
            fix.title = format!("{} and remove `{name}`", fix.title);
            fix.safe = false;
            fix.ops.push(remove.clone());
            fix
        }));
    } else if scope.channels.len() > 1 {
        fixes.push(Fix::from_op(
            format!("remove channel `{name}`"),
            false,
            remove,
        ));
    }
    fixes
}

pub fn check_missing_default_channel(scope: &Scope<'_>, out: &mut Findings) {
    let Some(name) = scope.missing_default_channel() else {
        return;
    };
    let package = &scope.package.packages[0];
    let suggestion = nearest(name, scope.channels.iter().map(|c| c.blob.name.as_str()));
    let help = match suggestion {
        Some(suggestion) => format!("did you mean `{suggestion}`?"),
        None => "set the default channel to one that exists".to_owned(),
    };
    let at = Anchor::new(BlobRef::Package(0), package.default_channel.place);
    let message = format!(
        "default channel `{name}` does not exist in package `{}`",
        scope.package.name
    );
    let mut fixes = default_channel_fixes(scope);
    let sets_suggestion = |fix: &Fix| match &fix.ops[..] {
        [op] => suggestion.is_some() && op.new_default_channel() == suggestion,
        _ => false,
    };
    fixes.sort_small_by_key(|fix| !sets_suggestion(fix));
    // Setting a channel with a similar name is safe; if the name is very different, a channel may
    // be missing.
    fixes
        .iter_mut()
        .for_each(|fix| fix.safe &= sets_suggestion(fix));
    let explanation = Explanation {
        why: format!(
            "A Subscription that names no channel follows the default one. No `olm.channel` blob of package `{}` is \
             named `{name}`, so `opm` creates an empty channel and then refuses it because it has no bundle.",
            scope.package.name
        ),
        names: vec![name.to_owned()],
        chains: vec![channels_of(scope, suggestion)],
    };
    out.tree_position = TreePosition::channel(&package.default_channel.value);
    out.fail(
        CHANNEL_EMPTY.opm_message,
        Finding::new(at, message)
            .help(help)
            .channel(&package.default_channel.value)
            .explain(explanation)
            .fixes(fixes),
    );
    out.tree_position = TreePosition::default();
}

pub const DEFAULT_CHANNEL_UNSET: RuleDoc = RuleDoc::opm(
    "default-channel-unset",
    "default channel must be set",
    "A package has no default channel.",
    "A subscription that names no channel follows the default one, so every package must have one.",
    "Set `defaultChannel` to the channel that most users should follow.",
)
.misses(Missing::DefaultChannel)
.in_templates()
.bad(examples![concat!(
    "schema: olm.package\nname: etcd\n",
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0")
)])
.good(examples![catalog!()]);

pub fn check_default_channel_unset(scope: &Scope<'_>, out: &mut Findings) {
    let package = &scope.package.packages[0];
    if package.default_channel.is_empty() {
        let at = Anchor::new(BlobRef::Package(0), package.default_channel.place);
        let finding = Finding::new(at, format!("package `{}` has no default channel", scope.package.name))
            .explain(Explanation {
                why: format!(
                    "A Subscription to `{}` that names no channel follows the default one, so `opm` requires every \
                     package to set it.",
                    scope.package.name
                ),
                names: vec![scope.package.name.to_string()],
                chains: vec![channels_of(scope, None)],
            })
            .fixes(default_channel_fixes(scope));
        out.fail(DEFAULT_CHANNEL_UNSET.opm_message, finding);
    }
}

#[cfg(test)]
mod tests {
    use crate::validate::testing::Judge;
    use catalog::testing::PackageBuilder;
    use protocol::diagnostic::Fix;
    use protocol::operation::EditOp;

    #[test]
    fn fixes_of_a_missing_default_channel_offer_the_nearest_first() {
        let report = PackageBuilder::new("p")
            .default_channel("stabel")
            .channel("alpha", &["a"])
            .channel("stable", &["a"])
            .judge();
        assert_eq!(report.rules(), ["channel-empty"]);
        assert_eq!(
            report.tree(),
            "invalid package \"p\":\n└── invalid channel \"stabel\":\n    └── channel must contain at least one bundle"
        );
        let first: &Fix = &report.findings[0].fixes[0];
        assert!(
            matches!(&first.ops[..], [EditOp::SetDefaultChannel { channel, .. }] if channel == "stable")
        );
    }

    #[test]
    fn an_empty_channel() {
        let report = PackageBuilder::new("p")
            .channel("c", &["a"])
            .channel("empty", &[])
            .judge();
        assert_eq!(report.rules(), ["channel-empty"]);
        assert_eq!(report.findings[0].channel.as_deref(), Some("empty"));
    }
}

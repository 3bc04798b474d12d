//! `channel-name-kubernetes`: a channel that OLM v1 cannot select.

use super::super::rules::prelude::*;
use crate::validate::rules::package_name_dns1123::is_subdomain;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "channel-name-kubernetes",
    Severity::Warning,
    Profile::Community,
    "A channel's name cannot be used in a ClusterExtension.",
    "OLM v1 accepts only channel names of lower-case letters, digits, `-` and `.` that begin and end with a letter or \
     digit, up to 253 characters; the cluster refuses a ClusterExtension with any other. A Subscription of OLM \
     Classic can still use it.",
    "Give new channels names that Kubernetes accepts. A published channel has subscribers: add one with a better name \
     beside it, and deprecate the old one.",
)
.in_templates()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "Stable_v1"),
    channel!("etcd", "Stable_v1", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable-v1.0"),
    channel!("etcd", "stable-v1.0", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
))]);

pub(in crate::validate) fn check(_: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    let name = &channel.name.value;
    if name.is_empty() || is_subdomain(name) {
        return;
    }
    let message = format!("channel name `{name}` cannot be used under OLM v1");
    out.report(
        Finding::new(out.here(channel.name.place), message)
            .help(DOC.fix)
            .channel(name),
    );
}

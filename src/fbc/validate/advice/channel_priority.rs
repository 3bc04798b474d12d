//! `channel-priority`: the `priority` of an `olm.channel` property, which `opm` will stop reading.

use super::super::rules::prelude::*;
use super::properties::anchor;
use serde_json::Value;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "channel-priority",
    Severity::Info,
    Profile::Strict,
    "A bundle has an `olm.channel` property with a `priority`.",
    "OLM never used the priority. Up to v1.74.0 `opm` refuses one that is not a whole number; later versions no longer read \
     the field, and accept anything there.",
    "Remove `priority`, or the whole property: the catalog's channels list the bundle.",
)
.bad(&[Example::Catalog(etcd!(
    "- type: olm.channel\n  value:\n    channelName: stable\n    priority: 1\n"
))])
.good(&[Example::Catalog(etcd!("- type: olm.channel\n  value:\n    channelName: stable\n"))]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let has_priority = |json: &str| match serde_json::from_str(json) {
        Ok(Value::Object(fields)) => fields
            .keys()
            .any(|key| crate::go_text::names_field(key, "priority")),
        _ => false,
    };
    let Some(property) = bundle
        .properties
        .iter()
        .find(|p| &*p.kind == "olm.channel" && p.value.as_deref().is_some_and(has_priority))
    else {
        return;
    };
    let name = &bundle.name.value;
    let message = format!(
        "later versions of `opm` ignore the `priority` in `olm.channel` of bundle `{name}`"
    );
    let at = anchor(out.nth as usize, property);
    out.report(Finding::new(at, message).help(DOC.fix).bundle(name));
}

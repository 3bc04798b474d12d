//! `bundle-properties-parse`: a property that does not decode. The check needs the whole bundle, so
//! the indexer runs it and stores the result in the bundle's facts.

use super::prelude::*;
use crate::model::load_rule;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    load_rule::BUNDLE_PROPERTIES_PARSE,
    "parse properties for bundle %q: parse property[%d] of type %q: <error>",
    "A property of a bundle does not have the shape of its type.",
    "`opm` decodes properties of known types and fails on a number where a string belongs (`version: 1.0`) or a property \
     without `value`.",
    "Write the value in the form that its type requires: a text that looks like a number in quotes, a number without.",
)
.causes(&[SharedCause::PropertiesUnparsed])
.bad(&[
    Example::Catalog(etcd!("- type: olm.gvk\n  value: EtcdCluster\n")),
    Example::Catalog(etcd!("- property:\n  - type: example.com.tier\n    value: gold\n")),
])
.good(&[Example::Catalog(etcd!(
    "- type: olm.gvk\n  value:\n    group: etcd.example.com\n    version: v1\n    kind: EtcdCluster\n"
))]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    if let Some(fault) = &bundle.properties_fault {
        let help = if fault.help.is_empty() {
            DOC.fix
        } else {
            fault.help.as_str()
        };
        let at = out.here(fault.place);
        let corrected = fault
            .correction
            .as_ref()
            .map(|correction| Corrected::in_blob(at.blob, correction));
        let finding = Finding::new(at, fault.message.clone())
            .help(help)
            .bundle(&bundle.name.value)
            .corrected(corrected);
        out.refuse(fault.opm.clone(), finding);
    }
}

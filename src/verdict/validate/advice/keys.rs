//! Advice on keys and properties that `opm` ignores or that have no meaning.

use super::super::rules::prelude::*;
use super::properties::shared_by;
use catalog::model::{OddKey, OddKeyProblem};

pub const ENTRY_KEY_MISSPELT: RuleDoc = RuleDoc::advice(
    "entry-key-misspelt",
    Severity::Warning,
    Profile::Community,
    "A channel entry has a key that is spelled almost like one `opm` reads.",
    "`opm` reads `name`, `replaces`, `skips` and `skipRange` of an entry, in any case of letters, and ignores every other \
     key without a word. With `skip-range` or `replace` the edge does not exist, so users get no update along it.",
    "Write the key in the message. `olm.skipRange` is an annotation of a ClusterServiceVersion; in a catalog it is \
     `skipRange`.",
)
.in_templates()
.bad(examples![stable!("- name: etcd.v1.0.0\n  skipRanges: <1.0.0"; "1.0.0"),
    stable!("- name: etcd.v1.0.0\n  skip: etcd.v0.9.0"; "1.0.0")])
.good(examples![stable!("- name: etcd.v1.0.0\n  skiprange: <1.0.0\n  note: the first one"; "1.0.0")]);

pub const ENTRY_KEY_UNKNOWN: RuleDoc = RuleDoc::advice(
    "entry-key-unknown",
    Severity::Info,
    Profile::Community,
    "A channel entry has a key that `opm` does not know.",
    "`opm` reads `name`, `replaces`, `skips` and `skipRange` of an entry and ignores every other key without a word. An \
     edge, a version or an image that is written there has no effect.",
    "Remove the key, or write its content where OLM reads it: the version and the image belong to the bundle.",
)
.in_templates()
.bad(examples![stable!("- name: etcd.v1.0.0\n  skipPatch: true"; "1.0.0")])
.good(examples![stable!("- name: etcd.v1.0.0\n  skipRange: <1.0.0"; "1.0.0")]);

pub const ENTRY_KEY_DOUBLED: RuleDoc = RuleDoc::advice(
    "entry-key-doubled",
    Severity::Warning,
    Profile::Community,
    "A channel entry has a key twice, in the same spelling or in different case.",
    "Of a key that is written twice `opm` takes the last value. It reads keys in any case of letters and in the order of \
     their bytes, in which capital letters come first: of `skipRange` and `skiprange` it takes the value of `skiprange`, \
     whichever is written first.",
    "Remove the key that does not count, or the other one if its value is wrong.",
)
.in_templates()
.bad(examples![stable!("- name: etcd.v1.0.0\n  skipRange: <0.9.0\n  skiprange: <1.0.0"; "1.0.0"),
    stable!("- name: etcd.v1.0.0\n  skipRange: <0.9.0\n  skipRange: <1.0.0"; "1.0.0")])
.good(examples![stable!("- name: etcd.v1.0.0\n  skiprange: <1.0.0"; "1.0.0")]);

pub fn check_entry_key_misspelt(_: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    for odd in &channel.odd_keys {
        let OddKeyProblem::Misspelt {
            meant: field,
            correction,
        } = &odd.problem
        else {
            continue;
        };
        let (finding, at) = finding(channel, odd, out, |entry, key| {
            format!("`opm` ignores the key `{key}` of entry `{entry}`")
        });
        let corrected = correction.as_ref().map(|correction| Corrected {
            // Not safe: the edge had no effect before.
            safe: false,
            ..Corrected::in_blob(at.blob, correction)
        });
        out.report(
            finding
                .help(format!("did you mean `{field}`?"))
                .corrected(corrected),
        );
    }
}

pub fn check_entry_key_unknown(_: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    for odd in &channel.odd_keys {
        if odd.problem == OddKeyProblem::Unknown {
            let (finding, _) = finding(channel, odd, out, |entry, key| {
                format!("OLM ignores the key `{key}` of entry `{entry}`")
            });
            out.report(finding.help("an entry has `name`, `replaces`, `skips` and `skipRange`"));
        }
    }
}

pub fn check_entry_key_doubled(_: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    for odd in &channel.odd_keys {
        let OddKeyProblem::Overridden { by } = &odd.problem else {
            continue;
        };
        let (finding, _) = finding(channel, odd, out, |entry, key| {
            if **by == *key {
                format!(
                    "the key `{key}` of entry `{entry}` is written again, and `opm` takes the last value"
                )
            } else {
                format!(
                    "the key `{key}` of entry `{entry}` does not count: `opm` reads `{by}` as the same key, after it"
                )
            }
        });
        out.report(finding.help("remove one of the two keys"));
    }
}

fn finding(
    channel: &ChannelBlob,
    odd: &OddKey,
    out: &Findings,
    message: impl Fn(&str, &str) -> String,
) -> (Finding, Anchor) {
    let at = out.here(odd.key.place);
    let entry = channel.entries.get(odd.entry as usize);
    let name = entry.map_or("", |entry| entry.name.as_str());
    let finding = Finding::new(at, message(name, odd.key.as_str())).channel(&channel.name.value);
    match entry {
        Some(entry) => (finding.bundle(&entry.name.value), at),
        None => (finding, at),
    }
}

pub const PROPERTY_IMPROPER: RuleDoc = RuleDoc::advice(
    "property-improper",
    Severity::Warning,
    Profile::Strict,
    "A property has no type or no value, or a property of a package or channel cannot be read.",
    "`opm` accepts a property with an empty type or the value `null`, and it never looks into the properties of \
     packages and channels. Such a property has no effect: it is a mistake, usually in the indentation.",
    "Write the property's `type` and `value`, or remove the property.",
)
.bad(examples![etcd!("- type: ''\n  value: gold\n"),
    etcd!("- type: example.com.tier\n  value: null\n"),
    catalog!(
        "---\nschema: olm.channel\npackage: etcd\nname: alpha\nentries:\n- name: etcd.v1.0.0\nproperties:\n- type: \
         olm.channel\n  value: high\n"
    )])
.good(examples![etcd!("- type: example.com.tier\n  value: gold\n")]);

pub fn check_package_properties(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, blob) in (0..).zip(&scope.package.packages) {
        if let Some(improper) = &blob.improper {
            let at = Anchor::new(BlobRef::Package(nth), improper.place);
            out.report(Finding::new(
                at,
                format!("{} in package `{}`", improper.value, blob.name.value),
            ));
        }
    }
}

pub fn check_channel_properties(_: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    if let Some(improper) = &channel.improper {
        let message = format!("{} in channel `{}`", improper.value, channel.name.value);
        out.report(out.finding(improper.place, message));
    }
}

pub fn check_bundle_properties(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    // `bundle-properties-parse` reports properties that do not decode.
    if let Some(improper) = bundle
        .improper
        .as_ref()
        .filter(|_| bundle.properties_fault.is_none())
    {
        let message = format!("{} in bundle `{}`", improper.value, bundle.name.value);
        out.report(out.finding(improper.place, message));
    }
}

pub const PROPERTY_TYPE_MISSPELT: RuleDoc = RuleDoc::advice(
    "property-type-misspelt",
    Severity::Warning,
    Profile::Community,
    "The type of a property is spelled almost like one OLM knows.",
    "Types are compared letter by letter. A property of an unknown type is kept and has no effect: a limit is not \
     applied, a requirement is not resolved.",
    "Use the spelling in the message, or rename your own type.",
)
.bad(examples![etcd!("- type: olm.maxOpenshiftVersion\n  value: '4.18'\n")])
.good(examples![etcd!(
    "- type: olm.maxOpenShiftVersion\n  value: '4.18'\n- type: example.com.tier\n  value: gold\n"
)]);

const KNOWN: [&str; 11] = [
    "olm.package",
    "olm.gvk",
    "olm.label",
    "olm.deprecated",
    "olm.package.required",
    "olm.gvk.required",
    "olm.label.required",
    "olm.constraint",
    "olm.bundle.object",
    "olm.csv.metadata",
    "olm.maxOpenShiftVersion",
];

pub fn check_property_type_misspelt(scope: &Scope<'_>, out: &mut Findings) {
    for property in shared_by(scope.package, |kind| !KNOWN.contains(&kind)) {
        let kind = &property.property.kind;
        let Some(suggestion) = misspelt(kind, &KNOWN) else {
            continue;
        };
        let message = format!(
            "{} a property of type `{kind}`, which OLM ignores",
            property.label_with_verb("has", "have")
        );
        let help = format!("did you mean `{suggestion}`?");
        out.report(property.finding(message).help(help));
    }
}

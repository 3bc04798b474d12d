//! Changes of the CustomResourceDefinitions in an upgrade to an entry, for each bundle that it replaces or skips by
//! name. They come from objects embedded in the bundles; without any there are no facts.

use super::{InspectionSubject, fact, with_note};
use ::upgrade::Lens;
use ::upgrade::crd::{Change, ChangeKind, changes};
use catalog::graph::{ChannelGraph, EdgeKind, PackageGraph};
use catalog::model::{BundleBlob, Located};
use protocol::inspection::{Fact, FactGroup};
use serde_json::Value;

/// Each compared bundle is read and parsed, so compare at most this many.
const COMPARED: usize = 4;

/// A group of facts for each edge between bundles with embedded objects: the replaced bundle first.
pub(super) fn groups(
    subject: InspectionSubject<'_>,
    graph: &PackageGraph,
    channel: &ChannelGraph,
    node: u32,
) -> Vec<FactGroup> {
    let Some(new) = embedding(subject, graph.name_at(channel, node)) else {
        return Vec::new();
    };
    let mut edges: Vec<_> = channel
        .edges
        .iter()
        .filter(|edge| edge.to == node)
        .collect();
    edges.sort_by_key(|edge| edge.kind != EdgeKind::Replaces);
    let mut olds: Vec<&Located<BundleBlob>> = Vec::new();
    for edge in edges {
        let old = embedding(subject, graph.name_at(channel, edge.from));
        olds.extend(old.filter(|old| olds.iter().all(|known| !std::ptr::eq(*known, *old))));
    }
    let Some(definitions) = definitions(subject, new).filter(|_| !olds.is_empty()) else {
        return Vec::new();
    };
    let compared = olds.iter().take(COMPARED).filter_map(|old| {
        let before = self::definitions(subject, old)?;
        let facts = facts(&before, &definitions);
        (!facts.is_empty()).then(|| FactGroup {
            title: format!("CRD changes from {}", old.name.value),
            facts,
            ..FactGroup::default()
        })
    });
    let mut groups: Vec<FactGroup> = compared.collect();
    if olds.len() > COMPARED {
        let more = format!(
            "{} more bundles it skips are not compared",
            olds.len() - COMPARED
        );
        let facts = vec![with_note(
            "`switchyard crds --package` compares them",
            fact("", more),
        )];
        groups.push(FactGroup {
            title: "CRD changes".to_owned(),
            facts,
            ..FactGroup::default()
        });
    }
    groups
}

/// The named bundle, if it embeds objects.
fn embedding<'a>(subject: InspectionSubject<'a>, name: &str) -> Option<&'a Located<BundleBlob>> {
    subject
        .package
        .bundle(name)
        .filter(|bundle| bundle.has_objects)
}

fn definitions(subject: InspectionSubject<'_>, blob: &Located<BundleBlob>) -> Option<Vec<Value>> {
    bundle::definitions(&subject.document(blob.file, blob.index)?)
}

/// One fact per definition that needs attention; those that can always be replaced are only counted.
fn facts(old: &[Value], new: &[Value]) -> Vec<Fact> {
    // Both list the same definitions in the same order.
    let by_v1 = changes(old, new, None, Lens::V1);
    let mut free = 0;
    let mut facts: Vec<Fact> = Vec::new();
    for (classic, v1) in changes(old, new, None, Lens::V0).iter().zip(&by_v1) {
        match classic.kind {
            ChangeKind::Added => facts.push(fact("New", &*classic.name)),
            ChangeKind::Removed => facts.push(fact("Not in it", &*classic.name)),
            ChangeKind::Kept => match kept_fact(classic, v1) {
                Some(fact) => facts.push(fact),
                None => free += 1,
            },
        }
    }
    match free {
        0 => {}
        1 => facts.push(fact("", "1 definition can replace the old one")),
        free => facts.push(fact(
            "",
            format!("{free} definitions can replace the old ones"),
        )),
    }
    facts
}

/// Obstacles of the new definition, and conditions on existing objects.
fn kept_fact(classic: &Change, v1: &Change) -> Option<Fact> {
    let joined = |lines: &[String]| lines.join("; ");
    let refused = [
        ("OLM Classic", &classic.objections),
        ("OLM v1", &v1.objections),
    ];
    let notes: Vec<String> = refused
        .into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(olm, lines)| format!("{olm} refuses it: {}", joined(lines)))
        .collect();
    if !notes.is_empty() {
        return Some(with_note(notes.join(". "), fact("Refused", &*classic.name)));
    }
    let decided = joined(&classic.object_errors);
    let note =
        format!("OLM Classic replaces the old one if existing objects still satisfy: {decided}");
    (!decided.is_empty()).then(|| with_note(note, fact("Objects decide", &*classic.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn definition(name: &str, required: &[&str], stored: &str) -> Value {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": name},
            "spec": {
                "group": "x.io", "scope": "Namespaced",
                "names": {"kind": "X", "plural": "xs", "listKind": "XList", "singular": "x"},
                "versions": [{
                    "name": stored, "served": true, "storage": true,
                    "schema": {"openAPIV3Schema": {
                        "type": "object",
                        "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}, "required": required}},
                    }},
                }],
            },
        })
    }

    #[test]
    fn each_definition_lists_its_objections() {
        let report = |old: &[Value], new: &[Value]| {
            let line = |fact: Fact| (fact.label, fact.value, fact.note);
            facts(old, new).into_iter().map(line).collect::<Vec<_>>()
        };
        let (a, b) = (
            definition("a.x.io", &[], "v1"),
            definition("b.x.io", &[], "v1"),
        );
        assert_eq!(
            report(std::slice::from_ref(&a), std::slice::from_ref(&a)),
            [(
                String::new(),
                "1 definition can replace the old one".into(),
                String::new()
            )]
        );
        let both = report(std::slice::from_ref(&a), &[b]);
        assert_eq!(
            both.iter()
                .map(|(label, ..)| label.as_str())
                .collect::<Vec<_>>(),
            ["Not in it", "New"]
        );
        let narrowed = report(
            std::slice::from_ref(&a),
            &[definition("a.x.io", &["a"], "v1")],
        );
        assert_eq!(narrowed[0].1, "a.x.io");
        assert!(
            !narrowed[0].2.is_empty() && narrowed.len() == 1,
            "{narrowed:?}"
        );
        let gone = report(&[a], &[definition("a.x.io", &[], "v2")]);
        assert_eq!(gone[0].0, "Refused");
        assert!(
            gone[0].2.starts_with("OLM Classic refuses it: "),
            "{gone:?}"
        );
        assert_eq!(report(&[], &[]), []);
    }
}

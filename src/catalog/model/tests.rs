//! Documents as facts and faults: fields, positions, order of faults, and inputs that must not take
//! long or overflow.

use super::blob::{Property, RelatedImageProblem};
use super::{Blob, Body, BundleBlob, ChannelBlob};
use crate::index::{FileIndexer, index_bytes};

fn blobs(text: &str) -> Vec<Blob> {
    index_bytes(text.as_bytes()).blobs
}

fn channel(blob: &Blob) -> &ChannelBlob {
    match &blob.body {
        Body::Channel(channel) => channel,
        other => panic!("{other:?} is no channel"),
    }
}

fn bundle(blob: &Blob) -> &BundleBlob {
    match &blob.body {
        Body::Bundle(bundle) => bundle,
        other => panic!("{other:?} is no bundle"),
    }
}

#[test]
fn a_channel_is_parsed_with_its_places() {
    let text = "---\nschema: olm.channel\npackage: p\nname: \"stäble\"\nentries:\n- name: a\n  skips: [b, 'c']\n  skipRange: <1.0.0\n";
    let blobs = blobs(text);
    assert_eq!((blobs[0].line, blobs[0].column), (1, 0));
    let channel = channel(&blobs[0]);
    assert_eq!(channel.name.as_str(), "stäble");
    assert_eq!(
        (
            channel.name.place.line,
            channel.name.place.column,
            channel.name.place.end_column
        ),
        (2, 6, 14)
    );
    let entry = &channel.entries[0];
    assert_eq!(
        entry.skips.iter().map(|s| s.as_str()).collect::<Vec<_>>(),
        ["b", "c"]
    );
    let place = entry.skips[1].place;
    let start = blobs[0].start as usize;
    assert_eq!(
        &text[start + place.start as usize..start + place.end as usize],
        "'c'"
    );
    assert!(entry.replaces.is_empty());
    assert_eq!(entry.replaces.place, entry.place);
}

#[test]
fn fields_are_case_insensitive_and_null_is_ignored() {
    let blobs = blobs(
        "SCHEMA: olm.channel\nPackage: p\nname: c\nENTRIES:\n- Name: a\n  name: null\n  REPLACES: b\n",
    );
    assert!(blobs[0].faults.is_empty(), "{:?}", blobs[0].faults);
    let entry = &channel(&blobs[0]).entries[0];
    assert_eq!((entry.name.as_str(), entry.replaces.as_str()), ("a", "b"));
}

#[test]
fn a_wrong_type_has_a_position_and_hides_no_other_facts() {
    let blobs = blobs(
        "schema: olm.channel\npackage: p\nname: c\nentries:\n- name: a\n  replaces: 1.0\n- name: b\n",
    );
    let fault = &blobs[0].faults[0];
    assert_eq!(
        fault.opm,
        "parse channel: json: cannot unmarshal number into Go struct field ChannelEntry.entries.replaces of type string"
    );
    assert_eq!(
        fault.message,
        "`entries.replaces` must be a string, but is a number"
    );
    assert_eq!((fault.place.line, fault.place.column), (5, 12));
    assert_eq!(channel(&blobs[0]).entries.len(), 2);
}

#[test]
fn the_first_of_several_errors_in_canonical_order_is_reported() {
    let blobs = blobs("schema: olm.package\nname: p\nicon: x\ndefaultChannel: [a]\n");
    assert!(blobs[0].faults[0].opm.contains("Package.defaultChannel"));
    // The last of two equal keys counts, so nothing is wrong here.
    let fine = "schema: olm.package\nname: p\ndescription: 1\ndescription: text\n";
    assert!(self::blobs(fine)[0].faults.is_empty());
}

#[test]
fn properties_are_kept_small() {
    let text = "schema: olm.bundle\npackage: p\nname: b\nproperties:\n- type: olm.gvk\n  value: {version: v1, kind: K, group: g}\n\
        - type: olm.package\n  value: {packageName: p, version: \"1.0\", release: x}\n- type: olm.csv.metadata\n  value:\n    \
        displayName: D\n    annotations: {olm.substitutesFor: a}\n- type: x\n  value: null\n";
    let blobs = blobs(text);
    let bundle = bundle(&blobs[0]);
    let gvk: &Property = &bundle.properties[0];
    assert_eq!(
        gvk.value.as_deref(),
        Some(r#"{"group":"g","kind":"K","version":"v1"}"#)
    );
    assert_eq!(bundle.properties[1].line, 6);
    assert_eq!(bundle.properties[2].value, None);
    assert_eq!(bundle.properties[3].value.as_deref(), Some("null"));
    assert_eq!((bundle.version(), bundle.release()), ("1.0", "x"));
    assert_eq!((&*bundle.display_name, bundle.substitutes_for), ("D", true));
    assert_eq!(bundle.properties_fault, None);
}

#[test]
fn only_large_constraints_are_kept_completely() {
    let text = |kind: &str| {
        let long = "x".repeat(200_000);
        format!(
            "schema: olm.bundle\nname: b\nproperties:\n- type: {kind}\n  value: {{failureMessage: {long}}}\n"
        )
    };
    let kept = |kind: &str| {
        bundle(&blobs(&text(kind))[0]).properties[0]
            .value
            .as_ref()
            .map(|v| v.len())
    };
    assert_eq!(kept("olm.constraint"), Some(200_021));
    assert_eq!(kept("acme.notes"), None);
}

#[test]
fn every_mistake_in_related_images_is_recorded() {
    let mistakes = |images: &str| {
        let blobs = blobs(&format!(
            "schema: olm.bundle\nname: b\nrelatedImages:\n{images}"
        ));
        bundle(&blobs[0])
            .related_image_mistakes()
            .iter()
            .map(|m| (m.item, m.image.value.to_string(), m.problem.clone()))
            .collect::<Vec<_>>()
    };
    let problems = mistakes(
        "- image: A/b:v1\n- image: A/c:v1\n- image: a/b\n- value: a/b:v1\n- image: a/b:v1@sha256:c\n",
    );
    assert!(
        matches!(
            &problems[..],
            [
                (1, image, RelatedImageProblem::Invalid(_)),
                (2, _, RelatedImageProblem::Loose),
                (3, _, RelatedImageProblem::Missing(Some(_))),
                (4, _, RelatedImageProblem::Invalid(_)),
            ] if image == "A/c:v1"
        ),
        "{problems:?}"
    );
    let noted = |images: &str| {
        let blobs = blobs(&format!(
            "schema: olm.bundle\nname: b\nrelatedImages:\n{images}"
        ));
        bundle(&blobs[0])
            .related_image_mistakes()
            .first()
            .map(|m| &m.image)
            .map(|i| (i.value.to_string(), i.place.line, i.place.column))
    };
    assert_eq!(
        noted("- image: host:5000/a/b:v1\n- image: a/b@sha256:c\n"),
        None
    );
    assert_eq!(
        noted("- image: a:v1\n- image: host:5000/a/b\n"),
        Some(("host:5000/a/b".to_owned(), 4, 9))
    );
    assert_eq!(noted("- name: a\n"), Some((String::new(), 3, 2)));
}

#[test]
fn an_embedded_service_version_decides_about_substitutes() {
    use ::base64::Engine;
    let csv = "kind: ClusterServiceVersion\nmetadata:\n  annotations: {olm.substitutesFor: a}\n";
    let data = ::base64::engine::general_purpose::STANDARD.encode(csv);
    let text = format!(
        "schema: olm.bundle\npackage: p\nname: b\nproperties:\n- type: olm.bundle.object\n  value: {{data: {data}}}\n"
    );
    let blobs = blobs(&text);
    assert!(bundle(&blobs[0]).substitutes_for && bundle(&blobs[0]).has_objects);
}

#[test]
fn bytes_can_arrive_in_any_pieces() {
    let text =
        "schema: a\n---\n{\"schema\": \"b\"}\n--- # c\nschema: olm.channel\nentries: [{name: é}]\n"
            .as_bytes();
    let whole = index_bytes(text);
    for size in [1, 2, 3, 7, 16] {
        let mut indexer = FileIndexer::new();
        text.chunks(size).for_each(|piece| indexer.feed(piece));
        assert_eq!(indexer.finish(), whole, "in pieces of {size}");
    }
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    for (open, close) in [("[", "]"), ("{a: ", "}")] {
        let deep = format!("{}{}", open.repeat(9_000), close.repeat(9_000));
        for text in [
            format!("schema: {deep}\n"),
            format!("x: {deep}\n"),
            format!("schema: olm.bundle\nname: {deep}\nproperties: {deep}\n"),
            format!(
                "schema: olm.bundle\nproperties:\n- type: olm.csv.metadata\n  value: {deep}\n- type: x\n  value: {deep}\n"
            ),
            format!("schema: olm.channel\nentries: {deep}\n"),
        ] {
            assert_eq!(blobs(&text).len(), 1);
        }
    }
}

#[test]
fn a_channel_on_one_line_does_not_take_quadratic_time() {
    let entries: Vec<String> = (0..100_000)
        .map(|i| format!(r#"{{"name":"e{i}","replaces":"e{}"}}"#, i + 1))
        .collect();
    let text = format!(
        r#"{{"schema":"olm.channel","package":"p","name":"c","entries":[{}]}}"#,
        entries.join(",")
    );
    let blobs = blobs(&text);
    assert_eq!(channel(&blobs[0]).entries.len(), 100_000);
    let last = channel(&blobs[0]).entries.last().unwrap().replaces.place;
    assert_eq!(last.column as usize, text.rfind("\"e100000\"").unwrap());
}

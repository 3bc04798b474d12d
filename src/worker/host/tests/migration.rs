//! Embedded objects that become metadata, in one catalog and in several.

use super::*;
use protocol::response::OtherCatalogOutcome;

/// A ClusterServiceVersion with only its kind, and ignored filler.
const CSV: &str =
    "eyJraW5kIjoiQ2x1c3RlclNlcnZpY2VWZXJzaW9uIiwic3BlYyI6eyJkaXNwbGF5TmFtZSI6IlAifX0=";

fn catalog() -> Vec<u8> {
    let head = "schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries:\n- name: p.v1\n";
    let bundle = "schema: olm.bundle\npackage: p\nname: p.v1\nimage: q/p:v1\nproperties:\n- type: olm.package\n  value: {packageName: p, version: 1.0.0}\n";
    format!("{head}---\n{bundle}- type: olm.bundle.object\n  value:\n    data: {CSV}\n")
        .into_bytes()
}

fn opened() -> Bench {
    let mut bench = Bench::new();
    let text = catalog();
    let template = b"schema: olm.template.basic\nentries:\n- {schema: olm.package, name: p, defaultChannel: a}\n";
    let files: [(&str, &[u8]); 3] = [
        ("t/v4.17/p.yaml", &text),
        ("t/v4.18/p.yaml", &text),
        ("t/templates/basic.yaml", template),
    ];
    assert!(matches!(
        bench.open(OpenMode::Replace, &files),
        Ok(Opened::Anew(_))
    ));
    bench
}

fn migratable(bench: &mut Bench) -> u32 {
    bench.package(wanted_of("t/v4.17", "p")).migratable
}

#[test]
fn the_preview_tells_what_it_saves_and_where_else_it_can_be_done() {
    let mut bench = opened();
    assert_eq!(migratable(&mut bench), 1);
    let op = EditOp::Migrate {
        catalog: Some("t/v4.17".into()),
        package: None,
    };
    let ask = PreviewEdit {
        ops: Json(vec![op.clone()]),
        scope: PreviewScope::All,
        view: None,
    };
    let Ok(Previewed {
        diffs, elsewhere, ..
    }) = bench.host.answer(ask)
    else {
        panic!("no preview")
    };
    assert_eq!(
        (diffs.len(), diffs[0].bytes_before),
        (1, catalog().len() as u64)
    );
    let others: Vec<_> = elsewhere.iter().map(|other| other.root.as_str()).collect();
    assert_eq!(others, ["t/v4.18"], "a template has nothing to migrate");
    let OtherCatalogOutcome::Previewed { differs, .. } = &elsewhere[0].outcome else {
        panic!("{elsewhere:?}")
    };
    assert_eq!(differs, "");
    let apply = Apply {
        ops: Json(vec![op]),
        title: "Migrate".into(),
        view: None,
    };
    assert!(bench.host.answer(apply).is_ok());
    assert_eq!(migratable(&mut bench), 0);
    assert!(bench.host.answer(Undo { view: None }).is_ok());
    assert_eq!(migratable(&mut bench), 1);
}

#[test]
fn a_template_says_why_not() {
    let mut bench = opened();
    let op = EditOp::Migrate {
        catalog: Some("t/templates/basic.yaml".into()),
        package: None,
    };
    let apply = Apply {
        ops: Json(vec![op]),
        title: "Migrate".into(),
        view: None,
    };
    let Err(refusal) = bench.host.answer(apply) else {
        panic!("not refused")
    };
    assert!(refusal.help.contains("--migrate-level"), "{refusal:?}");
}

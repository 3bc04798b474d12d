//! The views of one package: lanes, table, next steps, inspector, exports of the graph.

use super::*;

#[test]
fn a_package_has_lanes_a_table_and_both_next_steps() {
    let (mut bench, _) = Bench::sample();
    let mut request = wanted("lantern");
    request.question = UpgradeQuestion {
        origin: Origin::Installed("lantern.v1.0.1".into()),
        lens: Lens::V1,
        ..UpgradeQuestion::default()
    };
    let Ok(view) = bench.host.answer(request) else {
        panic!()
    };
    assert_eq!(view.default_channel, "stable");
    assert_eq!(view.channels.first().map(String::as_str), Some("stable"));
    assert_eq!(view.lanes.lanes.len(), 4);
    assert_eq!(
        view.bundles[0],
        ("lantern.v2.0.0".to_owned(), "2.0.0".to_owned())
    );
    let of = |name: &str| {
        view.table
            .iter()
            .find(|row| row.entry == name && row.channel == "stable")
            .unwrap()
    };
    let (skips, ranged) = (of("lantern.v1.1.1"), of("lantern.v1.2.0"));
    let file = sample()
        .into_iter()
        .find(|(path, _)| path.ends_with(&ranged.location.file))
        .unwrap();
    let text = String::from_utf8(file.1).unwrap();
    let line = |number: u32| {
        text.lines()
            .nth((number as usize).saturating_sub(1))
            .unwrap_or_default()
    };
    assert!(
        line(ranged.edge_lines.replaces).contains("replaces: lantern.v1.1.1"),
        "{:?}",
        ranged.edge_lines
    );
    assert!(
        line(ranged.edge_lines.skip_range).contains("skipRange:"),
        "{:?}",
        ranged.edge_lines
    );
    assert!(
        line(skips.edge_lines.skips[0]).contains(&skips.skips[0]),
        "{:?}",
        skips.edge_lines
    );
    assert_eq!(skips.edge_lines.skip_range, 0, "it has none");
    let ghost = view
        .table
        .iter()
        .find(|row| row.entry == "lantern.v0.9.0" && row.channel == "stable")
        .unwrap();
    assert_eq!(
        ghost.state,
        ["not in this channel", "no bundle", "default channel"]
    );
    let skipped = view
        .table
        .iter()
        .find(|row| row.entry == "lantern.v1.1.0" && row.channel == "stable")
        .unwrap();
    assert!(skipped.state.iter().any(|word| word == "skipped"));
    assert_eq!(skipped.location.file, "lantern/catalog.yaml");
    assert_eq!(
        view.answer.v1.next().map(|step| step.name.as_str()),
        Some("lantern.v1.2.0")
    );
    assert_eq!(
        view.answer.v0.next().map(|step| step.name.as_str()),
        Some("lantern.v1.2.0")
    );
    assert!(
        view.lanes
            .routes
            .iter()
            .any(|route| route.from == "lantern.v1.0.1" && route.chosen)
    );
}

#[test]
fn the_inspector_shows_typed_facts_with_places_and_reads_text_on_demand() {
    let (mut bench, _) = Bench::sample();
    let package = bench.inspect("lantern", Target::Package);
    assert!(
        matches!(&package.icon, IconView::Shown(icon) if icon.starts_with("data:image/svg+xml;base64,"))
    );
    assert_eq!(value(&package, "Default channel"), Some("stable"));
    assert!(
        package
            .groups
            .iter()
            .any(|group| group.title == "Description")
    );

    let bundle = bench.inspect(
        "tidewater",
        Target::Bundle {
            name: "tidewater.v3.0.0".into(),
        },
    );
    assert_eq!(
        (bundle.kind.as_str(), bundle.version.as_str()),
        ("bundle", "3.0.0")
    );
    assert_eq!(
        value(&bundle, "olm.package.required"),
        Some("lantern >=1.1.0 <2.0.0")
    );
    assert_eq!(
        value(&bundle, "olm.gvk"),
        Some("Basin.basin.example.com/v1beta1")
    );
    assert!(
        value(&bundle, "BundleDeprecated")
            .unwrap()
            .contains("floods")
    );

    let entry = Target::Entry {
        channel: "stable".into(),
        name: "lantern.v1.1.1".into(),
    };
    let entry = bench.inspect("lantern", entry);
    assert_eq!(value(&entry, "Skips"), Some("lantern.v1.1.0"));
    assert_eq!(value(&entry, "Replaced by"), Some("lantern.v1.2.0"));
    let skips = entry.groups[0]
        .facts
        .iter()
        .find(|fact| fact.label == "Skips")
        .unwrap();
    let line = skips.location.as_ref().unwrap().line as usize;
    let text = String::from_utf8(sample()[0].1.clone()).unwrap();
    assert!(
        text.lines()
            .nth(line - 1)
            .unwrap()
            .contains("- lantern.v1.1.0")
    );
}

#[test]
fn a_graph_is_exported_in_five_formats() {
    let (mut bench, _) = Bench::sample();
    let lanes = LaneOptions {
        hidden_channels: vec!["stable-1.0".into()],
        ..LaneOptions::default()
    };
    let mut export = |format| {
        let (root, package) = ("sample".into(), "lantern".into());
        let what = Export::Graph {
            root,
            package,
            lanes: Box::new(lanes.clone()),
            format,
        };
        let Ok(Exported { name, bytes, .. }) = bench.host.answer(what) else {
            panic!()
        };
        (name, String::from_utf8(bytes).unwrap())
    };
    let (name, picture) = export(GraphFormat::Svg);
    assert_eq!(name, "lantern.svg");
    assert!(picture.starts_with("<svg ") && picture.contains("Upgrade graph of lantern"));
    assert!(!picture.contains(">stable-1.0<"), "as it is in view");
    let (_, opm) = export(GraphFormat::OpmMermaid);
    let (_, ours) = export(GraphFormat::Mermaid);
    assert!(
        opm.starts_with("graph LR") && ours.starts_with("flowchart LR") && ours.contains("head")
    );
    assert!(export(GraphFormat::Dot).1.starts_with("digraph"));
    assert!(export(GraphFormat::Json).1.contains("\"packages\""));
}

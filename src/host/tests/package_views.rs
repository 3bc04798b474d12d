//! The views of one package: lanes, table, next steps, inspector, icon, requirements, exports of
//! the graph.

use super::*;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use protocol::inspection::Inspection;
use protocol::views::EntryState;

#[test]
fn a_channel_that_no_cluster_extension_can_name_has_no_answer_under_v1() {
    let text = "schema: olm.package\nname: p\ndefaultChannel: beta 2/x\n---\nschema: olm.channel\npackage: p\nname: beta 2/x\n\
        entries: [{name: p.v1}]\n---\nschema: olm.bundle\npackage: p\nname: p.v1\nimage: a/b:c\nproperties:\n\
        - {type: olm.package, value: {packageName: p, version: 1.0.0}}\n";
    let mut bench = Bench::new();
    let files = [("c/catalog.yaml", text.as_bytes())];
    bench.open(OpenMode::Replace, &files).unwrap();
    let mut request = package_request_in("c", "p");
    request.question.channels = vec!["beta 2/x".into()];
    let answer = bench.host.answer(request).expect("a view").answer;
    assert_eq!((answer.v0.steps.len(), answer.v1.steps.len()), (1, 0));
    let error = answer.v1.error.expect("an error");
    assert_eq!(
        error.text,
        "channel name `beta 2/x` cannot be used under OLM v1"
    );
    assert!(answer.difference.is_some());
}

#[test]
fn statements_about_a_package_with_unreadable_text_say_so() {
    let text = "schema: olm.package\nname: p\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: p\nname: fast\n\
        entries: [{name: p.v1}]\n---\nschema: olm.bundle\npackage: p\nname: p.v1\nimage: a/b:c\nproperties:\n\
        - {type: olm.package, value: {packageName: p, version: 1.0.0}}\n---\nschema: olm.channel\nname: [\n";
    let mut bench = Bench::new();
    let files = [("c/catalog.yaml", text.as_bytes())];
    let Ok(Opened::Anew(status)) = bench.open(OpenMode::Replace, &files) else {
        panic!()
    };
    let row = &status.roots[0];
    assert_eq!((row.errors, row.following), (2, 1));
    let root = &row.root;
    let rows = Packages { root: root.clone() };
    let rows = bench.host.answer(rows).expect("the packages");
    assert_eq!(
        rows[0].errors, 2,
        "with the one that the other follows from"
    );
    let mut request = package_request_in(root, "p");
    let answer = bench.host.answer(request.clone()).expect("a view").answer;
    assert!(answer.is_partial);
    assert_eq!(
        answer.v0.end,
        ["in what could be read, package `p` has no channel `stable`; it has `fast`"]
    );
    request.question.channel = "fast".into();
    let answer = bench.host.answer(request.clone()).expect("a view").answer;
    assert_eq!(
        answer.v0.steps[0].why,
        ["in what could be read, `p.v1` is the head of channel `fast`"]
    );
    request.question.origin = Origin::Installed("99.9.9".into());
    let answer = bench.host.answer(request).expect("a view").answer;
    let unknown = answer.unknown.expect("an unknown version");
    assert!(
        unknown.starts_with("in what could be read, nothing in package `p` mentions `99.9.9`: "),
        "{unknown}"
    );
    let channel = Inspect {
        root: root.clone(),
        package: "p".into(),
        target: Target::Channel {
            channel: "fast".into(),
        },
    };
    let inspection = bench.host.answer(channel).expect("an inspection");
    let mut facts = inspection.groups.iter().flat_map(|group| &group.facts);
    let head = facts.find(|fact| fact.label == "Head").expect("a head");
    assert_eq!(head.note, "in what could be read");
}

#[test]
fn the_head_of_a_channel_in_several_blobs_is_not_that_of_the_first() {
    let text = "schema: olm.package\nname: p\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: p\nname: stable\n\
        entries: [{name: p.v1}]\n---\nschema: olm.channel\npackage: p\nname: stable\n\
        entries: [{name: p.v2, replaces: p.v1}]\n---\nschema: olm.bundle\npackage: p\nname: p.v1\nimage: a/b:c\n\
        properties:\n- {type: olm.package, value: {packageName: p, version: 1.0.0}}\n";
    let mut bench = Bench::new();
    let files = [("sample/catalog.yaml", text.as_bytes())];
    bench.open(OpenMode::Replace, &files).unwrap();
    let package = bench.inspect("p", Target::Package);
    let mut titles = package.groups.iter().map(|group| group.title.as_str());
    assert!(titles.all(|title| !title.starts_with("The head of")));
    let channel = Target::Channel {
        channel: "stable".into(),
    };
    let channel = bench.inspect("p", channel);
    let fact = |inspected: &Inspection, label: &str| {
        let mut facts = inspected.groups.iter().flat_map(|group| &group.facts);
        let found = facts.find(|fact| fact.label == label);
        found.map(|fact| fact.value.clone()).unwrap_or_default()
    };
    assert_eq!(fact(&package, "Channels"), "1");
    assert_eq!(fact(&channel, "Head"), "unknown");
}

#[test]
fn a_package_view_has_lanes_a_table_and_both_next_steps() {
    let (mut bench, _) = Bench::sample();
    let mut request = package_request("lantern");
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
    let find_row = |name: &str| {
        view.table
            .iter()
            .find(|row| row.entry == name && row.channel == "stable")
            .unwrap()
    };
    let (skips, ranged) = (find_row("lantern.v1.1.1"), find_row("lantern.v1.2.0"));
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
    assert_eq!(ghost.states, [EntryState::Absent, EntryState::NoBundle]);
    let skipped = view
        .table
        .iter()
        .find(|row| row.entry == "lantern.v1.1.0" && row.channel == "stable")
        .unwrap();
    assert!(skipped.states.contains(&EntryState::Skipped));
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

    let channel = Target::Channel {
        channel: "stable".into(),
    };
    let channel = bench.inspect("lantern", channel);
    let mut groups = channel.groups.iter();
    let unlisted = groups.find(|group| group.title == "Named by edges, not listed");
    let mut names = unlisted.expect("a group").facts.iter();
    assert!(names.any(|fact| fact.value == "lantern.v0.9.0"));
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
        let export = Export::Graph {
            root,
            package,
            lanes: Box::new(lanes.clone()),
            format,
        };
        let Ok(Exported { name, bytes, .. }) = bench.host.answer(export) else {
            panic!()
        };
        (name, String::from_utf8(bytes).unwrap())
    };
    let (name, picture) = export(GraphFormat::Svg);
    assert_eq!(name, "lantern.svg");
    assert!(picture.starts_with("<svg ") && picture.contains("Upgrade graph of lantern"));
    assert!(!picture.contains(">stable-1.0<"), "as it is in view");
    assert!(export(GraphFormat::Mermaid).1.starts_with("graph LR"));
    assert!(export(GraphFormat::Dot).1.starts_with("digraph"));
    assert!(export(GraphFormat::Json).1.contains("\"packages\""));
}

/// An icon that would freeze the tab is not sent to the page.
#[test]
fn an_icon_too_complex_to_draw_is_replaced_by_the_reason() {
    let level = |n: u32| {
        format!(
            "<g id='l{}'>{}</g>",
            n + 1,
            format!("<use href='#l{n}'/>").repeat(10)
        )
    };
    let icon = STANDARD.encode(format!(
        "<svg><g id='l0'><path/></g>{}</svg>",
        (0..9).map(level).collect::<String>()
    ));
    let text = format!(
        "schema: olm.package\nname: p\ndefaultChannel: c\nicon:\n  base64data: {icon}\n  mediatype: image/svg+xml\n---\n\
         schema: olm.channel\npackage: p\nname: c\nentries:\n- name: p.v1.0.0\n"
    );
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("sample/p/catalog.yaml", text.as_bytes())],
        )
        .unwrap();
    let package = bench.inspect("p", Target::Package);
    let IconView::Refused(reason) = &package.icon else {
        panic!("{:?}", package.icon)
    };
    assert!(reason.contains("draw more than 100000 shapes"), "{reason}");
}

/// A picked icon is checked against the limits for existing icons before it is shown.
#[test]
fn a_chosen_icon_has_the_limits_of_an_existing_one() {
    let mut bench = Bench::new();
    let mut check_picture = |media_type: &str, bytes: &[u8]| {
        let request = CheckPicture {
            media_type: media_type.into(),
            data: STANDARD.encode(bytes),
        };
        let Ok(picture) = bench.host.answer(request) else {
            panic!()
        };
        picture
    };
    let drawn = check_picture("image/svg+xml", b"<svg><path d='M0 0h1'/></svg>");
    assert!(
        matches!(&drawn, IconView::Shown(url) if url.starts_with("data:image/svg+xml;base64,")),
        "{drawn:?}"
    );
    let large = [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x4e\x20\0\0\x4e\x20".as_slice(),
        &[0; 20],
    ]
    .concat();
    let IconView::Refused(reason) = check_picture("image/png", &large) else {
        panic!()
    };
    assert!(reason.contains("400 million pixels"), "{reason}");
    let IconView::Refused(reason) = check_picture("", b"some text") else {
        panic!()
    };
    assert!(reason.contains("do not show images of type"), "{reason}");
}

const CATALOG: &str = "\
schema: olm.package
name: needy
defaultChannel: stable
---
schema: olm.channel
package: needy
name: stable
entries:
- name: needy.v1.0.0
---
schema: olm.bundle
package: needy
name: needy.v1.0.0
image: quay.io/x/needy:v1
properties:
- type: olm.package
  value: {packageName: needy, version: 1.0.0}
- type: olm.package.required
  value: {packageName: vault, versionRange: '>=1.0.0'}
- type: olm.package.required
  value: {packageName: vault, versionRange: '>=9.0.0'}
- type: olm.package.required
  value: {packageName: absent, versionRange: '>=1.0.0'}
- type: olm.gvk.required
  value: {group: vault.io, kind: Vault, version: v1}
- type: olm.gvk.required
  value: {group: vault.io, kind: Vault, version: v2}
- type: olm.constraint
  value: {failureMessage: 'wants a vault', any: {constraints: [{package: {packageName: vault, versionRange: '>=1.1.0'}}]}}
---
schema: olm.package
name: vault
defaultChannel: stable
---
schema: olm.channel
package: vault
name: stable
entries:
- name: vault.v1.9.0
- name: vault.v1.10.0
  replaces: vault.v1.9.0
";

fn vault(version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: vault\nname: vault.v{version}\nimage: quay.io/x/vault:{version}\nproperties:\n- \
         type: olm.package\n  value: {{packageName: vault, version: {version}}}\n- type: olm.gvk\n  value: {{group: \
         vault.io, kind: Vault, version: v1}}\n"
    )
}

#[test]
fn each_requirement_names_the_bundle_that_meets_it() {
    let text = format!("{CATALOG}{}{}", vault("1.10.0"), vault("1.9.0"));
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("sample/p/catalog.yaml", text.as_bytes())],
        )
        .unwrap();
    let needy = bench.inspect(
        "needy",
        Target::Bundle {
            name: "needy.v1.0.0".into(),
        },
    );
    let requires = needy
        .groups
        .iter()
        .find(|group| group.title == "Requires")
        .expect("requirements");
    let notes: Vec<&str> = requires
        .facts
        .iter()
        .map(|fact| fact.note.as_str())
        .collect();
    assert_eq!(
        notes,
        [
            "Met under Classic by `vault.v1.10.0` and 1 other version",
            "Unmet: this catalog’s `vault` has no version in the range",
            "Unmet: this catalog has no package `absent`",
            "Met under Classic by `vault.v1.10.0` and 1 other version",
            "Unmet: no bundle of this catalog provides it",
            "Met under Classic by `vault.v1.10.0` and 1 other version. Its message: wants a vault",
        ]
    );
}

#[test]
fn a_package_lists_the_requirements_of_its_head() {
    let text = format!("{CATALOG}{}{}", vault("1.10.0"), vault("1.9.0"));
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("sample/p/catalog.yaml", text.as_bytes())],
        )
        .unwrap();
    let group = |inspected: Inspection, title: &str| {
        inspected
            .groups
            .into_iter()
            .find(|group| group.title == title)
            .expect("requirements")
            .facts
    };
    let of_bundle = group(
        bench.inspect(
            "needy",
            Target::Bundle {
                name: "needy.v1.0.0".into(),
            },
        ),
        "Requires",
    );
    let of_package = group(
        bench.inspect("needy", Target::Package),
        "The head of stable, 1.0.0, requires",
    );
    assert_eq!(of_package, of_bundle);
    let vault = group(
        bench.inspect("vault", Target::Package),
        "The head of stable, 1.10.0, requires",
    );
    assert_eq!(
        vault,
        [protocol::inspection::Fact::default()],
        "that it requires nothing is an answer too"
    );
}

#[test]
fn an_entry_that_only_an_edge_names_is_absent() {
    let text = concat!(
        "schema: olm.package\nname: p\ndefaultChannel: stable\n",
        "---\nschema: olm.channel\npackage: p\nname: stable\n",
        "entries:\n- name: p.v2\n  replaces: p.v1\n",
    );
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("sample/p/catalog.yaml", text.as_bytes())],
        )
        .unwrap();
    let kinds = ["p.v2", "p.v1"].map(|name| {
        let target = Target::Entry {
            channel: "stable".into(),
            name: name.into(),
        };
        bench.inspect("p", target).kind
    });
    assert_eq!(kinds, ["entry", "absent entry"]);
}

#[test]
fn a_line_of_a_file_belongs_to_a_package_and_an_item() {
    let text = format!("# two packages\n{CATALOG}{}", vault("1.10.0"));
    let files = [
        ("sample/p/catalog.yaml", text.as_bytes()),
        ("sample/.indexignore", b"*.md\n".as_slice()),
    ];
    let mut bench = Bench::new();
    bench.open(OpenMode::Replace, &files).unwrap();
    let mut subject = |file: &str, place: u32| {
        let query = ReadSource {
            root: "sample".into(),
            file: file.into(),
            at: SourceAt::Lines { first: 1, count: 1 },
            place,
        };
        let subject = bench.host.answer(query).expect("lines").subject?;
        Some((subject.package, subject.target))
    };
    let mut subject_of_text = |needle: &str| {
        let before = text.split_once(needle).unwrap().0;
        subject("p/catalog.yaml", before.matches('\n').count() as u32 + 1).unwrap()
    };
    let name = |name: &str| name.to_owned();
    let entry = Target::Entry {
        channel: name("stable"),
        name: name("vault.v1.10.0"),
    };
    assert_eq!(subject_of_text("# two"), (name("needy"), Target::Package));
    assert_eq!(
        subject_of_text("replaces: vault.v1.9.0"),
        (name("vault"), entry)
    );
    let channel = Target::Channel {
        channel: name("stable"),
    };
    assert_eq!(subject_of_text("package: vault"), (name("vault"), channel));
    let bundle = Target::Bundle {
        name: name("needy.v1.0.0"),
    };
    assert_eq!(
        subject_of_text("image: quay.io/x/needy"),
        (name("needy"), bundle)
    );
    assert_eq!(subject(".indexignore", 1), None);
}

#[test]
fn a_required_package_lists_its_dependents() {
    let text = format!("{CATALOG}{}{}", vault("1.10.0"), vault("1.9.0"));
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("sample/p/catalog.yaml", text.as_bytes())],
        )
        .unwrap();
    for target in [
        Target::Package,
        Target::Bundle {
            name: "vault.v1.9.0".into(),
        },
    ] {
        let inspected = bench.inspect("vault", target);
        let by = inspected
            .groups
            .iter()
            .find(|group| group.title == "Required by")
            .expect("needy requires it");
        let [fact] = by.facts.as_slice() else {
            panic!("{by:?}")
        };
        assert_eq!(
            (fact.label.as_str(), fact.value.as_str(), fact.note.as_str()),
            ("", "needy", "by `needy.v1.0.0`")
        );
        assert!(fact.location.is_some());
    }
    let needy = bench.inspect("needy", Target::Package);
    let by = needy
        .groups
        .iter()
        .find(|group| group.title == "Required by")
        .expect("a note about missing dependents");
    assert_eq!(by.facts, [protocol::inspection::Fact::default()]);
}

#[test]
fn a_label_that_begins_like_an_api_version_has_dependents() {
    let (needy, others) = CATALOG.split_once("- type: olm.package.required").unwrap();
    let (_, vault_package) = others.split_once("---").unwrap();
    let text = format!(
        "{needy}- type: olm.label.required\n  value: {{label: v1-ready}}\n---{vault_package}{}\
         - type: olm.label\n  value: {{label: v1-ready}}\n",
        vault("1.9.0")
    );
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("sample/p/catalog.yaml", text.as_bytes())],
        )
        .unwrap();
    let name = "vault.v1.9.0".into();
    let inspected = bench.inspect("vault", Target::Bundle { name });
    let mut groups = inspected.groups.iter();
    let by = groups.find(|group| group.title == "Required by");
    assert_eq!(by.expect("needy requires it").facts[0].value, "needy");
}

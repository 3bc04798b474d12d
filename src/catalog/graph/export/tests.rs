//! The written forms, each on one small package with every kind of edge and state.

use super::*;
use crate::graph::layout::{LayoutRequest, layout};
use crate::model::Package;
use crate::testing::{deprecate, versioned_package as package};
use expect_test::expect;

fn sample() -> Package {
    let mut package = package(&[
        (
            "b",
            &[
                "p.v1.0.0",
                "p.v2.0.0 r:p.v1.0.0",
                "p.v3.0.0 r:p.v2.0.0 s:p.v1.0.0,gone sr:>=1.0.0_<2.0.0",
            ],
        ),
        ("a", &["p.v2.0.0 r:p.v1.9.0 sr:bad", "\"<odd>\""]),
    ]);
    deprecate(
        &mut package,
        &[("olm.bundle", "p.v1.0.0"), ("olm.channel", "a")],
    );
    package
}

#[test]
fn mermaid_output_equals_that_of_opm() {
    let package = sample();
    let drawing = mermaid(
        &[&package],
        MermaidOptions {
            package: None,
            classic: true,
            ..MermaidOptions::default()
        },
    );
    expect![[r##"
        graph LR
          classDef deprecated fill:#E8960F
          classDef skipped stroke:#FF0000,stroke-width:4px
          classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px
          %% package "p"
          subgraph "p"
            %% channel "a"
            subgraph p-a["a"]
              p-a-p.v2.0.0["p.v2.0.0"]
              p-a-p.v1.9.0["p.v1.9.0"]-- replace --> p-a-p.v2.0.0["p.v2.0.0"]
              p-a-"<odd>"["\"<odd>\""]
            end
            %% channel "b"
            subgraph p-b["b"]
              p-b-p.v3.0.0["p.v3.0.0"]
              p-b-p.v1.0.0["p.v1.0.0"]-- skip --> p-b-p.v3.0.0["p.v3.0.0"]
              p-b-gone["gone"]-- skip --> p-b-p.v3.0.0["p.v3.0.0"]
              p-b-p.v1.0.0["p.v1.0.0"]-- "skipRange(>=1.0.0 <2.0.0)" --> p-b-p.v3.0.0["p.v3.0.0"]
              p-b-p.v2.0.0["p.v2.0.0"]-- replace --> p-b-p.v3.0.0["p.v3.0.0"]
              p-b-p.v2.0.0["p.v2.0.0"]
              p-b-p.v1.0.0["p.v1.0.0"]-- replace --> p-b-p.v2.0.0["p.v2.0.0"]
              p-b-p.v1.0.0["p.v1.0.0"]
            end
          end
        style p-a fill:#DCD0FF
        class p-b-p.v1.0.0 deprecatedskipped
    "##]]
    .assert_eq(&drawing.text);
    expect![[r#"warning: ignoring invalid SkipRange for package/edge "p"/"p.v2.0.0": Could not get version from string: "bad""#]]
        .assert_eq(&drawing.warnings.join("\n"));
    let plain = mermaid(&[&package], MermaidOptions::default());
    assert!(plain.text.ends_with("class p-b-p.v1.0.0 deprecated\n"));
}

#[test]
fn escaped_names_are_not_statements() {
    use std::sync::Arc;
    use syntax::place::Text;
    let mut package = sample();
    let mut channel = package.channels[0].data.as_ref().clone();
    for (at, name) in [
        "x\nclick x \"javascript:alert(1)\"\n",
        "y;click y href \"javascript:alert(1)\"",
    ]
    .iter()
    .enumerate()
    {
        channel.entries[at].name.value = Text::from(*name);
    }
    package.channels[0].data = Arc::new(channel);
    let click = |text: &str| {
        text.split(['\n', ';'])
            .any(|statement| statement.trim_start().starts_with("click"))
    };
    let raw = mermaid(&[&package], MermaidOptions::default());
    assert!(
        click(&raw.text),
        "what opm writes has a statement of the name's"
    );
    assert!(raw.odd_names >= 2);
    let safe = mermaid(
        &[&package],
        MermaidOptions {
            names: Names::Escaped,
            ..MermaidOptions::default()
        },
    );
    let body: String = safe
        .text
        .lines()
        .filter(|line| !line.trim_start().starts_with("%%"))
        .collect::<Vec<_>>()
        .join("\n");
    // Entities of a label end with a semicolon, which Mermaid reads before statements.
    let body: String = body
        .replace("#34;", "")
        .replace("#60;", "")
        .replace("#62;", "");
    assert!(
        !body
            .split('\n')
            .any(|line| line.trim_start().starts_with("click")),
        "{body}"
    );
    assert!(
        safe.text.starts_with("%% Some names contain characters"),
        "{}",
        safe.text
    );
    let ids = body
        .lines()
        .filter_map(|line| line.trim().split('[').next());
    assert!(
        ids.filter(|id| !id.starts_with("linkStyle")
            && !id.contains("fill:")
            && !id.contains("stroke:"))
            .all(|id| !id.contains(';')),
        "{body}"
    );
    // Plain names are equal in both.
    let plain = crate::testing::versioned_package(&[(
        "a",
        &["p.v1.0.0", "p.v2.0.0 r:p.v1.0.0 sr:>=1.0.0_<2.0.0"],
    )]);
    let draw = |names| {
        mermaid(
            &[&plain],
            MermaidOptions {
                names,
                ..MermaidOptions::default()
            },
        )
    };
    assert_eq!(draw(Names::Escaped), draw(Names::AsTheyAre));
}

#[test]
fn mermaid_dashes_edges_that_classic_does_not_follow() {
    let package = package(&[(
        "c",
        &[
            "p.v1.0.0",
            "p.v2.0.0 r:p.v1.0.0",
            "p.v3.0.0 s:p.v2.0.0",
            "p.v4.0.0 r:p.v3.0.0 s:p.v2.0.0",
        ],
    )]);
    let drawing = mermaid(
        &[&package],
        MermaidOptions {
            package: None,
            classic: true,
            ..MermaidOptions::default()
        },
    );
    let tail: Vec<&str> = drawing.text.lines().rev().take(2).collect();
    // Links: 0 skip and 1 replace of v4, 2 skip of v3 (skipped again), 3 replace of the skipped v2.
    assert_eq!(
        tail,
        [
            "linkStyle 2,3 stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;",
            "class p-c-p.v2.0.0 skipped"
        ]
    );
}

#[test]
fn mermaid_of_another_package_is_its_header() {
    let drawing = mermaid(
        &[&sample()],
        MermaidOptions {
            package: Some("q"),
            classic: false,
            ..MermaidOptions::default()
        },
    );
    // The channel's name is deprecated, but no channel is drawn.
    assert_eq!(drawing.text.lines().count(), 4);
}

#[test]
fn json_lists_entries_states_and_edges() {
    let graph = PackageGraph::build(&sample());
    let value = json([&graph]);
    assert_eq!(value["format"], 1);
    let channel = &value["packages"][0]["channels"][0];
    assert_eq!(
        (&value["packages"][0]["default"], &channel["head"]),
        (&"b".into(), &"p.v3.0.0".into())
    );
    expect![[r#"[{"name":"p.v1.0.0","version":"1.0.0","state":["skipped","deprecated"]},{"name":"p.v2.0.0","version":"2.0.0","state":[]},{"name":"p.v3.0.0","version":"3.0.0","state":["head"]},{"name":"gone","version":null,"state":["skipped","absent","no-bundle"]}]"#]]
        .assert_eq(&channel["entries"].to_string());
    expect![[r#"[{"from":"p.v1.0.0","to":"p.v2.0.0","kind":"replaces"},{"from":"p.v2.0.0","to":"p.v3.0.0","kind":"replaces"},{"from":"p.v1.0.0","to":"p.v3.0.0","kind":"skips"},{"from":"gone","to":"p.v3.0.0","kind":"skips"},{"from":"p.v1.0.0","to":"p.v3.0.0","kind":"skipRange"}]"#]]
        .assert_eq(&channel["edges"].to_string());
    assert_eq!(
        channel["by_version"].to_string(),
        r#"["p.v1.0.0","p.v2.0.0","p.v3.0.0"]"#
    );
    expect![[
        r#"[{"to":"p.v3.0.0","skipRange":">=1.0.0 <2.0.0","covers":[{"from":"p.v1.0.0","to":"p.v1.0.0","entries":1}]}]"#
    ]]
    .assert_eq(&channel["ranges"].to_string());
    let unreadable = &value["packages"][0]["channels"][1]["ranges"];
    assert_eq!(
        unreadable.to_string(),
        r#"[{"to":"p.v2.0.0","skipRange":"bad","covers":[]}]"#
    );
    assert_eq!(
        value["packages"][0]["channels"][1]["head"],
        serde_json::Value::Null
    );
}

/// Only the bundle's own deprecation counts; its channel and its package list their own.
#[test]
fn scopes_of_deprecations_are_separate() {
    let mut package = package(&[
        ("a", &["p.v1.0.0", "p.v2.0.0 r:p.v1.0.0"]),
        ("b", &["p.v1.0.0"]),
    ]);
    deprecate(
        &mut package,
        &[
            ("olm.package", "p"),
            ("olm.channel", "a"),
            ("olm.bundle", "p.v1.0.0"),
        ],
    );
    let graph = PackageGraph::build(&package);
    let value = json([&graph]);
    let package_json = &value["packages"][0];
    assert!(package_json["deprecated"].is_string(), "{package_json}");
    let deprecated = |channel: usize| package_json["channels"][channel]["deprecated"].clone();
    assert!(
        deprecated(0).is_string() && deprecated(1).is_null(),
        "{package_json}"
    );
    let states = |channel: usize, entry: usize| {
        package_json["channels"][channel]["entries"][entry]["state"].to_string()
    };
    assert_eq!(
        [states(0, 0), states(0, 1), states(1, 0)],
        [
            "[\"deprecated\"]",
            "[\"head\"]",
            "[\"head\",\"deprecated\"]"
        ]
    );
    let dot = dot([&graph]);
    for part in [
        "label=\"p (deprecated)\"",
        "a (deprecated)\"",
        "[label=\"p.v2.0.0\\nhead\"",
    ] {
        assert!(dot.contains(part), "{part} in {dot}");
    }
    let svg = svg(&graph, &layout(&graph, &LayoutRequest::default()));
    assert!(svg.contains("<title>p.v2.0.0 in a: head</title>"), "{svg}");
    assert_eq!(
        svg.matches("class=\"box deprecated").count()
            + svg.matches("class=\"box head deprecated").count(),
        2
    );
    assert!(
        svg.contains("Upgrade graph of p, a deprecated package"),
        "{svg}"
    );
}

#[test]
fn dot_quotes_names_and_marks_states() {
    let text = dot([&PackageGraph::build(&sample())]);
    for part in [
        "label=\"★ b\";",
        "\"0_0_2\" [label=\"p.v3.0.0\\nhead\", style=\"bold\"];",
        "\"0_0_3\" [label=\"gone\\nskipped, absent, no-bundle\", style=\"dotted\"];",
        "\"0_0_0\" -> \"0_0_2\" [label=\"skips\", color=\"#9a5b00\"];",
        "label=\"\\\"<odd>\\\"\\nhead, no-bundle\"",
        "label=\"a (deprecated)\";",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(text.matches('{').count(), text.matches('}').count());
}

#[test]
fn svg_is_well_formed_and_names_every_entry_node() {
    let mut package = sample();
    package.name = "<script>\u{1}&\"".into();
    let graph = PackageGraph::build(&package);
    let text = svg(&graph, &layout(&graph, &LayoutRequest::default()));
    assert!(!text.contains("<script") && !text.contains('\u{1}'));
    for part in [
        "p.v3.0.0 in b: head",
        "gone in b: skipped, absent, no-bundle",
        "&quot;&lt;odd&gt;&quot; in a",
        "★ b",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let mut open: Vec<&str> = Vec::new();
    for tag in text
        .split('<')
        .skip(1)
        .filter_map(|rest| rest.split_once('>'))
        .map(|(tag, _)| tag)
    {
        match (tag.strip_prefix('/'), tag.ends_with('/')) {
            (Some(name), _) => assert_eq!(open.pop(), Some(name)),
            (None, false) => open.push(tag.split_whitespace().next().unwrap_or_default()),
            (None, true) => {}
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn wide_ranges_are_counted_before_they_are_drawn() {
    assert_eq!(check_edges(&[with_skip_ranges(1000)]), Ok(()));
    assert_eq!(
        check_edges(&[with_skip_ranges(1001)]),
        Err(TooManyEdges { edges: 1001 * 1000 })
    );
}

/// Returns a channel whose entries all have a skip range that covers all of them.
fn with_skip_ranges(count: usize) -> PackageGraph {
    let lines: Vec<String> = (0..count)
        .map(|i| format!("p.v1.{i}.0 sr:<2.0.0"))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    PackageGraph::build(&package(&[("c", &lines)]))
}

#[test]
fn any_text_is_escaped() {
    assert_eq!(
        escape_xml("<a b=\"c\">&\n\td"),
        "&lt;a b=&quot;c&quot;&gt;&amp;\n\td"
    );
    assert_eq!(escape_xml("a\r\nb"), "a&#13;\nb");
    assert_eq!(escape_xml("a\u{1b}[1mb\u{fffe}"), "a\u{fffd}[1mb\u{fffd}");
}

//! The query commands: validate, explain, list, graph, next, path, range, diff.
//! `resolve` and `next` are compared with the recorded answers of the real resolver of OLM Classic.

use serde_json::{Value, json};
use test_support::{Folder, recorded_answers};

const PACKAGE: &str = "schema: olm.package\nname: p\ndefaultChannel: c\n";

fn bundle(name: &str, version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: p\nname: {name}\nimage: quay.io/p/p:{version}\nproperties:\n- type: olm.package\n  value:\n    packageName: p\n    version: {version}\n"
    )
}

fn catalog(entries: &str) -> String {
    let bundles = [("p.v1", "1.0.0"), ("p.v2", "2.0.0"), ("p.v3", "3.0.0")]
        .map(|(n, v)| bundle(n, v))
        .concat();
    format!("{PACKAGE}---\nschema: olm.channel\npackage: p\nname: c\nentries:\n{entries}{bundles}")
}

fn good() -> Folder {
    let entries = "- name: p.v1\n- name: p.v2\n  replaces: p.v1\n- name: p.v3\n  replaces: p.v1\n  skips:\n  - p.v2\n  - p.v0\n";
    Folder::new(&[("catalog.yaml", &catalog(entries))])
}

#[test]
fn a_good_catalog_passes_in_every_format() {
    let folder = good();
    for format in ["text", "json", "opm", "github"] {
        folder.run(&["validate", ".", "--format", format]).ok();
    }
    assert_eq!(folder.run(&["validate", ".", "--format", "opm"]).stdout, "");
    assert_eq!(
        folder.run(&["validate", "."]).stdout,
        "passes opm validate\n"
    );
    let json = folder.run(&["validate", ".", "--format", "json"]).json();
    assert_eq!(
        (&json["format"], &json["passed"], &json["opm_message"]),
        (&json!(1), &json!(true), &json!(null))
    );
}

#[test]
fn two_heads_fail_with_the_line() {
    let folder = Folder::new(&[(
        "catalog.yaml",
        &catalog("- name: p.v1\n- name: p.v2\n- name: p.v3\n  replaces: p.v2\n"),
    )]);
    let run = folder.run(&["validate", "."]);
    run.status(1);
    assert!(
        run.stdout.contains("error[channel-head-multiple]"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("--> catalog.yaml:"), "{}", run.stdout);
    assert!(run.stdout.contains('^'), "{}", run.stdout);
    assert!(
        run.stdout.ends_with("fails opm validate: 1 error\n"),
        "{}",
        run.stdout
    );
    let opm = folder.run(&["validate", ".", "--format", "opm"]);
    opm.status(1);
    assert!(
        opm.stdout
            .ends_with("multiple channel heads found in graph: p.v1, p.v3\n"),
        "{}",
        opm.stdout
    );
    let github = folder.run(&["validate", ".", "--format", "github"]);
    assert!(
        github.stdout.starts_with("::error file=catalog.yaml,line="),
        "{}",
        github.stdout
    );
}

#[test]
fn eight_faults_give_eight_problems_and_one_message() {
    let ok =
        catalog("- name: p.v1\n- name: p.v2\n  replaces: p.v1\n- name: p.v3\n  replaces: p.v2\n");
    let folder = Folder::new(&[
        ("a-array.yaml", "[1]\n"),
        ("b-syntax.yaml", "schema: olm.package\nname: 'b\n"),
        ("c-no-schema.yaml", "name: c\n"),
        ("d-number.yaml", "schema: olm.package\nname: 1.1\n"),
        ("e-json.json", "{\"schema\":"),
        (
            "f-channel.yaml",
            "schema: olm.channel\npackage: nobody\nname: c\nentries: []\n",
        ),
        (
            "g-package.yaml",
            "schema: olm.package\nname: p\ndefaultChannel: c\n",
        ),
        (
            "h-type.yaml",
            "schema: olm.channel\npackage: p\nname: h\nentries: 1\n",
        ),
        ("catalog.yaml", &ok),
    ]);
    let run = folder.run(&["validate", ".", "--format", "json", "--profile", "opm"]);
    run.status(1);
    let json = run.json();
    let files: std::collections::BTreeSet<&str> = json["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["file"].as_str().unwrap())
        .collect();
    let faulty = [
        "a-array.yaml",
        "b-syntax.yaml",
        "c-no-schema.yaml",
        "d-number.yaml",
        "e-json.json",
        "f-channel.yaml",
        "g-package.yaml",
        "h-type.yaml",
    ];
    for file in faulty {
        assert!(files.contains(file), "{file} has no problem: {files:?}");
    }
    assert!(
        json["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .all(|d| d["line"].as_u64().unwrap() > 0)
    );
    assert!(
        json["opm_message"]
            .as_str()
            .unwrap()
            .contains("cannot unmarshal array"),
        "{}",
        json["opm_message"]
    );
}

#[test]
fn a_safe_fix_is_applied_on_request() {
    let whole =
        catalog("- name: p.v1\n- name: p.v2\n  replaces: p.v1\n- name: p.v3\n  replaces: p.v2\n");
    let lacking = whole.replace("defaultChannel: c\n", "");
    let folder = Folder::new(&[("catalog.yaml", &lacking)]);
    folder.run(&["validate", "."]).status(1);
    let patch = folder.run(&["validate", ".", "--fix"]);
    assert!(
        patch.stdout.contains("+defaultChannel: c\n"),
        "{}",
        patch.stdout
    );
    assert_eq!(folder.read("catalog.yaml"), lacking);
    folder.run(&["validate", ".", "--fix", "--write"]).ok();
    assert_eq!(folder.read("catalog.yaml"), whole);
    folder.run(&["validate", "."]).ok();
}

#[test]
fn lists_have_the_columns_of_opm() {
    let folder = good();
    assert_eq!(
        folder.run(&["list", "channels", "."]).stdout,
        "PACKAGE  CHANNEL  HEAD\np        c        p.v3\n"
    );
    assert_eq!(
        folder.run(&["list", "bundles", ".", "p"]).stdout,
        "\
PACKAGE  CHANNEL  BUNDLE  REPLACES  SKIPS      SKIP RANGE  IMAGE
p        c        p.v1                                     quay.io/p/p:1.0.0
p        c        p.v2    p.v1                             quay.io/p/p:2.0.0
p        c        p.v3    p.v1      p.v2,p.v0              quay.io/p/p:3.0.0
"
    );
    let run = folder.run(&["list", "bundles", ".", "--mentions", "quay.io/p/p:2"]);
    let listed: Vec<&str> = run.stdout.lines().skip(1).collect();
    assert_eq!(listed.len(), 1, "{}", run.stdout);
    assert!(listed[0].contains("p.v2"), "{}", run.stdout);
    let refused = folder.run(&["list", "channels", ".", "--mentions", "x"]);
    assert_eq!(refused.status, 2);
    let rows = folder
        .run(&["list", "packages", ".", "--format", "json"])
        .json();
    assert_eq!(
        rows,
        json!({"format": 1, "rows": [{"name": "p", "display_name": "", "default_channel": "c"}]})
    );
    let run = folder.run(&["list", "bundles", ".", "q"]);
    run.status(2);
    assert!(
        run.stderr.contains("package \"q\" not found"),
        "{}",
        run.stderr
    );
}

#[test]
fn prints_the_next_step_and_the_path() {
    let folder = good();
    for lens in ["v0", "v1"] {
        let args = [
            "--package",
            "p",
            "--installed",
            "p.v1",
            "--lens",
            lens,
            "--format",
            "json",
        ];
        let next = folder.run(&[&["next", "."][..], &args].concat());
        next.ok();
        let next = next.json();
        assert_eq!(
            (&next["lens"], &next["installed"]),
            (&json!(lens), &json!("p.v1"))
        );
        assert_eq!(
            (&next["next"], &next["edge"], &next["error"]),
            (&json!("p.v3"), &json!("replaces"), &json!(null))
        );
        let path = folder.run(&[&["path", "."][..], &args].concat()).json();
        assert_eq!(
            (&path["steps"], &path["loop"]),
            (&json!(["p.v1", "p.v3"]), &json!(false))
        );
    }
}

/// `olm.deprecations` for the package, for channel `c` and for bundle `p.v1`.
fn deprecated() -> Folder {
    let mut text =
        catalog("- name: p.v1\n- name: p.v2\n  replaces: p.v1\n- name: p.v3\n  replaces: p.v2\n");
    text.push_str(
        "---\nschema: olm.deprecations\npackage: p\nentries:\n- reference: {schema: olm.package}\n  message: all of it\n\
         - reference: {schema: olm.channel, name: c}\n  message: too old\n\
         - reference: {schema: olm.bundle, name: p.v1}\n  message: loses data\n",
    );
    Folder::new(&[("catalog.yaml", &text)])
}

#[test]
fn deprecations_are_status_conditions_of_their_own_scope() {
    let folder = deprecated();
    let set = |args: &[&str]| -> Vec<String> {
        let answer = folder.run(&[args, &["-o", "json"]].concat()).json();
        let rows = answer["conditions"].as_array().cloned().unwrap_or_default();
        let text =
            |row: &serde_json::Value, key: &str| row[key].as_str().unwrap_or("nothing").to_owned();
        rows.iter()
            .filter(|row| row["type"] != "Deprecated")
            .map(|row| {
                format!(
                    "{} {} {}",
                    text(row, "installed"),
                    text(row, "type"),
                    text(row, "message")
                )
            })
            .collect()
    };
    assert_eq!(
        set(&["next", ".", "--installed", "p.v1", "--channel", "c"]),
        [
            "p.v1 PackageDeprecated olm.package/p: all of it",
            "p.v1 ChannelDeprecated olm.channel/c: too old",
            "p.v1 BundleDeprecated olm.bundle/p.v1: loses data",
            "p.v2 PackageDeprecated olm.package/p: all of it",
            "p.v2 ChannelDeprecated olm.channel/c: too old",
        ]
    );
    // A Subscription without a channel has no condition for one, and a new install has none at all.
    assert!(
        set(&["next", ".", "--installed", "p.v2"])
            .iter()
            .all(|row| row.contains("PackageDeprecated"))
    );
    assert_eq!(
        set(&["next", "."]),
        ["p.v3 PackageDeprecated olm.package/p: all of it"]
    );
    let of_v1 = set(&["path", ".", "--lens", "v1"]);
    assert_eq!(
        of_v1[..2],
        [
            "nothing PackageDeprecated all of it",
            "nothing ChannelDeprecated too old"
        ]
    );

    let stdout = folder
        .run(&["path", ".", "--installed", "p.v1", "--channel", "c"])
        .stdout;
    assert!(
        stdout.contains("ChannelDeprecated, at every step: olm.channel/c: too old\n"),
        "{stdout}"
    );
    assert!(
        stdout.contains("BundleDeprecated, with `p.v1` installed: olm.bundle/p.v1: loses data\n"),
        "{stdout}"
    );

    let rows = folder.run(&["list", "bundles", ".", "-o", "json"]).json()["rows"].clone();
    assert_eq!(
        rows[0]["conditions"],
        json!([{"type": "BundleDeprecated", "message": "loses data"}])
    );
    assert_eq!(
        rows[1].get("conditions"),
        None,
        "a deprecated channel makes no bundle deprecated"
    );
    let channels = folder.run(&["list", "channels", "."]).stdout;
    assert!(
        channels.ends_with("status conditions that users see:\n  ChannelDeprecated p c: too old\n"),
        "{channels}"
    );
    assert!(
        !folder
            .run(&["list", "channels", ".", "-q"])
            .stdout
            .contains("Deprecated")
    );
}

#[test]
fn explains_ranges_in_both_dialects() {
    let folder = Folder::new(&[]);
    let args = [
        "range",
        "--dialect",
        "blang",
        ">=1.0.0 <2.0.0",
        "1.5.0",
        "2.0.0",
        "x",
        "--format",
        "json",
    ];
    let run = folder.run(&args);
    run.ok();
    assert_eq!(
        run.json()["versions"],
        json!({"1.5.0": true, "2.0.0": false, "x": null})
    );
    let run = folder.run(&[
        "range",
        "--dialect",
        "blang",
        "~1.0.0",
        "1.0.0",
        "--format",
        "json",
    ]);
    assert_eq!(
        (run.json()["ok"].clone(), run.json()["error"].is_string()),
        (json!(false), true)
    );
    assert_eq!(
        folder
            .run(&[
                "range",
                "--dialect",
                "masterminds",
                "~1.0.0",
                "1.0.5",
                "--format",
                "json"
            ])
            .json()["versions"],
        json!({"1.0.5": true})
    );
}

#[test]
fn prints_the_graph_in_every_format() {
    let folder = good();
    assert!(folder.run(&["graph", "."]).stdout.starts_with("graph LR\n"));
    assert!(
        folder
            .run(&["graph", ".", "--format", "dot"])
            .stdout
            .starts_with("digraph")
    );
    assert!(
        folder
            .run(&["graph", ".", "--package", "p", "--format", "svg"])
            .stdout
            .starts_with("<svg")
    );
    let json = folder.run(&["graph", ".", "--format", "json"]).json();
    assert_eq!(json["packages"][0]["channels"][0]["head"], json!("p.v3"));
}

#[test]
fn a_diff_names_the_stranded_users() {
    let entries = "- name: p.v1\n- name: p.v2\n  replaces: p.v1\n- name: p.v3\n  replaces: p.v2\n";
    let folder = Folder::new(&[
        ("old/catalog.yaml", &catalog(entries)),
        (
            "new/catalog.yaml",
            &catalog(&entries.replace("- name: p.v2\n  replaces: p.v1", "- name: p.v2")),
        ),
    ]);
    folder.run(&["diff", "old", "old"]).ok();
    let run = folder.run(&[
        "diff", "old", "new", "--format", "json", "--deny", "stranded",
    ]);
    run.status(1);
    let json = run.json();
    let users = json["packages"][0]["users"].as_array().unwrap();
    let user = users
        .iter()
        .find(|u| u["from"] == "p.v1" && u["lens"] == "v1")
        .unwrap();
    assert_eq!(
        (&user["old_next"], &user["new_next"], &user["effect"]),
        (&json!("p.v2"), &json!(null), &json!("stranded"))
    );
    assert_eq!(folder.run(&["diff", "old", "new"]).status, 0);
    folder
        .run(&["diff", "old", "new", "--deny", "all"])
        .status(1);
    folder.run(&["diff", "old", "old", "--deny", "all"]).ok();
    folder
        .run(&[
            "diff",
            "old",
            "new",
            "--deny",
            "range-unreadable,version-twice",
        ])
        .ok();
    folder
        .run(&["diff", "old", "new", "--deny", "nonsense"])
        .status(2);
    let broken = json["broken"].as_array().unwrap();
    assert!(broken.iter().any(|b| b["invariant"] == "graph-invalid"
        && b["severity"] == "error"
        && b["package"] == "p"));
    assert!(
        folder
            .run(&["diff", "old", "new", "--format", "markdown"])
            .stdout
            .contains("| p.v1 | v1 |")
    );
}

#[test]
fn a_diff_names_an_unmet_requirement_where_somebody_would_update() {
    let required = bundle("p.v1.1", "1.1.0")
        + "- type: olm.gvk.required\n  value: {group: dock.io, version: v1, kind: Crane}\n";
    let old = "- name: p.v1\n- name: p.v2\n  replaces: p.v1\n";
    let new = "- name: p.v1\n- name: p.v1.1\n  replaces: p.v1\n- name: p.v2\n  replaces: p.v1.1\n";
    let folder = Folder::new(&[
        ("old/catalog.yaml", &catalog(old)),
        ("new/catalog.yaml", &(catalog(new) + &required)),
        ("one", "p.v1\n"),
        ("two", "p.v2\n"),
    ]);
    let note = "`p.v1.1` needs the API Crane (dock.io/v1)";
    for (arguments, is_noted) in [
        (&["diff", "old", "new"][..], true),
        (&["diff", "old", "new", "--format", "markdown"], true),
        (&["diff", "old", "new", "--installed", "one"], true),
        (&["diff", "old", "new", "--installed", "two"], false),
    ] {
        let run = folder.run(arguments);
        assert_eq!(
            run.stdout.contains(note),
            is_noted,
            "{arguments:?}: {run:?}"
        );
    }
}

#[test]
fn versions_are_followed_through_the_catalogs_of_several_clusters() {
    let old = "- name: p.v1\n- name: p.v2\n  replaces: p.v1\n";
    let new = "- name: p.v2\n- name: p.v3\n  replaces: p.v2\n";
    let limit = "- type: olm.maxOpenShiftVersion\n  value: \"4.18\"\n";
    let limited = bundle("p.v1", "1.0.0") + limit;
    let folder = Folder::new(&[
        (
            "v4.18/catalog.yaml",
            &catalog(old).replace(&bundle("p.v1", "1.0.0"), &limited),
        ),
        (
            "next/catalog.yaml",
            &catalog(new).replace(&bundle("p.v1", "1.0.0"), ""),
        ),
    ]);
    let arguments = ["matrix", "--package", "p", "v4.18", "v4.19=next"];
    let run = folder.run(&arguments);
    run.ok();
    let row = run
        .stdout
        .lines()
        .find(|line| line.starts_with("p.v1 "))
        .unwrap();
    assert!(
        row.contains("present, updates to p.v2, blocks cluster updates beyond 4.18 until p.v2"),
        "{row}"
    );
    assert!(
        row.contains("gone, no update, blocks cluster updates beyond 4.18"),
        "{row}"
    );
    let json = folder
        .run(&[&arguments[..], &["--format", "json"]].concat())
        .json();
    assert_eq!(
        (&json["columns"][1]["ocp"], &json["columns"][1]["catalog"]),
        (&json!("4.19"), &json!("v4.19"))
    );
    let row = json["rows"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["installed"] == "p.v2")
        .unwrap();
    assert_eq!(
        (&row["cells"][1]["v1"]["next"], &row["cells"][1]["blocks"]),
        (&json!("p.v3"), &json!(false))
    );
    folder.run(&["matrix", "--package", "q", "v4.18"]).status(2);
}

#[test]
fn explains_rules_and_reports_unknown_ones() {
    let folder = Folder::new(&[]);
    assert!(
        folder
            .run(&["explain", "channel-head-multiple"])
            .stdout
            .contains("multiple channel heads")
    );
    assert!(
        folder
            .run(&["explain", "lost-path"])
            .stdout
            .contains("--deny lost-path")
    );
    assert!(
        folder
            .run(&["explain", "I9"])
            .stdout
            .starts_with("channel-gone (I9)")
    );
    let run = folder.run(&["explain", "channel-heads-multiple"]);
    run.status(2);
    assert!(
        run.stderr.contains("did you mean `channel-head-multiple`"),
        "{}",
        run.stderr
    );
    folder.run(&["validate", "nowhere"]).status(2);
    folder.run(&["nonsense"]).status(2);
    folder.run(&["--help"]).ok();
}

#[test]
fn resolve_answers_as_recorded() {
    let cases = recorded_answers("resolve-v0");
    assert!(cases.len() > 20, "the slice is too small to tell anything");
    let requests: String = cases.iter().map(|case| format!("{case}\n")).collect();
    let output = Folder::new(&[]).run_with(&["resolve", "--request", "-"], &requests);
    let answers: Vec<Value> = serde_json::Deserializer::from_str(&output.stdout)
        .into_iter()
        .map(|v| v.expect("JSON"))
        .collect();
    assert_eq!(answers.len(), cases.len());
    let mut wrong = Vec::new();
    for (case, answer) in cases.iter().zip(&answers) {
        assert_eq!(answer["format"], 1);
        let right = |recorded: &Value| match recorded["kind"].as_str() {
            Some(kind) => answer["kind"] == kind,
            None => answer["bundles"] == recorded["bundles"],
        };
        let alternatives = case["alternatives"].as_array().cloned().unwrap_or_default();
        if !right(&case["result"]) && !alternatives.iter().any(right) {
            wrong.push(format!("{}: {answer}", case["id"]));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ: {wrong:#?}",
        wrong.len(),
        cases.len()
    );
}

#[test]
fn next_counts_requirements_under_classic() {
    let bundle = |name: &str, version: &str, requires: Option<&str>| {
        let mut properties =
            vec![json!({"type": "olm.package", "value": {"packageName": "p", "version": version}})];
        properties.extend(
            requires.map(
                |r| json!({"type": "olm.package.required", "value": {"packageName": r, "versionRange": ">=1.0.0"}}),
            ),
        );
        json!({"schema": "olm.bundle", "package": "p", "name": name, "image": format!("r.io/p:{name}"), "properties": properties})
    };
    let blobs = [
        json!({"schema": "olm.package", "name": "p", "defaultChannel": "c"}),
        json!({"schema": "olm.channel", "package": "p", "name": "c", "entries": [
            {"name": "p.v1.0.0"}, {"name": "p.v1.1.0", "replaces": "p.v1.0.0"}, {"name": "p.v1.2.0", "replaces": "p.v1.1.0", "skipRange": "<1.2.0"}]}),
        bundle("p.v1.0.0", "1.0.0", None),
        bundle("p.v1.1.0", "1.1.0", None),
        bundle("p.v1.2.0", "1.2.0", Some("nobody")),
    ];
    let text: String = blobs.iter().map(|b| format!("{b}\n")).collect();
    let folder = Folder::new(&[("catalog.json", &text)]);
    let next = ["next", "--package", "p", "--installed", "p.v1.0.0"];
    let options = ["--channel", "c", "--format", "json", "."];
    let answer = folder.run(&[&next[..], &options].concat()).json();
    assert_eq!(
        answer["next"], "p.v1.1.0",
        "the head needs a package that no catalog offers: {answer}"
    );
}

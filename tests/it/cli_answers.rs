//! Answers with missing knowledge: an unknown installed version, a misspelt name, a catalog that is
//! only partly readable, an option of the other lens, an invalid question.

use serde_json::{Value, json};
use test_support::{Folder, Run};

const PACKAGE: &str = "schema: olm.package\nname: p\ndefaultChannel: c\n";

fn bundle(version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: quay.io/p/p:{version}\nproperties:\n- type: olm.package\n  value:\n    packageName: p\n    version: {version}\n"
    )
}

/// 4.2.0 replaces the absent 4.1.0 and covers versions from 4.0.0; 4.3.0 is the head. `odd` is
/// skipped and has no version.
fn catalog() -> String {
    let entries = "- name: p.v4.2.0\n  replaces: p.v3.9.0\n  skipRange: '>=4.0.0 <4.2.0'\n  skips: [odd]\n- name: p.v4.3.0\n  replaces: p.v4.2.0\n";
    let bundles = [bundle("4.2.0"), bundle("4.3.0")].concat();
    format!("{PACKAGE}---\nschema: olm.channel\npackage: p\nname: c\nentries:\n{entries}{bundles}")
}

fn folder() -> Folder {
    Folder::new(&[("cat/catalog.yaml", &catalog())])
}

fn ask(folder: &Folder, command: &str, more: &[&str]) -> Run {
    folder.run(
        &[
            &[command, "cat", "--package", "p", "--format", "json"][..],
            more,
        ]
        .concat(),
    )
}

#[test]
fn the_version_of_a_removed_bundle_is_read_from_its_name() {
    let folder = folder();
    for lens in ["v0", "v1"] {
        for (installed, version) in [("p.v4.1.0", "4.1.0"), ("p.v3.9.0", "3.9.0")] {
            let run = ask(&folder, "next", &["--installed", installed, "--lens", lens]);
            run.ok();
            let answer = run.json();
            assert_eq!(
                (&answer["next"], &answer["installed"]),
                (&json!("p.v4.2.0"), &json!(installed)),
                "{lens}"
            );
            let why = answer["why"].to_string();
            assert!(
                why.contains("read from its name") && why.contains(version),
                "{why}"
            );
            let path = ask(&folder, "path", &["--installed", installed, "--lens", lens]).json();
            assert_eq!(
                path["steps"],
                json!([installed, "p.v4.2.0", "p.v4.3.0"]),
                "{lens}"
            );
            assert!(
                path["why"].to_string().contains("read from its name"),
                "{path}"
            );
        }
    }
    // The stated version takes precedence.
    let answer = ask(&folder, "next", &["--installed", "odd@4.1.0"]).json();
    assert_eq!(answer["next"], "p.v4.2.0");
    let stays = ask(&folder, "next", &["--installed", "p.v4.9.9@4.9.9"]);
    stays.ok();
    assert_eq!(stays.json()["next"], Value::Null);
    assert!(
        stays.json()["why"]
            .to_string()
            .contains("mentions `p.v4.9.9`"),
        "{}",
        stays.stdout
    );
}

#[test]
fn unknown_names_are_refused_and_typos_get_a_hint() {
    let folder = folder();
    for command in ["next", "path"] {
        for lens in ["v0", "v1"] {
            for (installed, message, help) in [
                ("odd", "the version of `odd` is unknown", "NAME@VERSION"),
                ("p.v4.2.O", "mentions `p.v4.2.O`", "did you mean `p.v4.2.0`"),
                (
                    "pp.v4.2.0",
                    "mentions `pp.v4.2.0`",
                    "did you mean `p.v4.2.0`",
                ),
                ("4.2.0", "mentions `4.2.0`", "did you mean `p.v4.2.0`"),
                // A version of this operator without an update.
                (
                    "p.v4.4.0",
                    "mentions `p.v4.4.0`",
                    "if it is installed, write `p.v4.4.0@4.4.0`",
                ),
                ("p.v4.2.0@", "has no version after the @", "NAME@VERSION"),
                ("", "no installed bundle is named", "NAME@VERSION"),
            ] {
                let run = ask(
                    &folder,
                    command,
                    &["--installed", installed, "--lens", lens],
                );
                run.status(2);
                assert_eq!(run.stdout, "", "{installed}");
                assert!(
                    run.stderr.contains(message) && run.stderr.contains(help),
                    "{installed}: {}",
                    run.stderr
                );
            }
        }
    }
}

#[test]
fn options_belong_to_a_lens() {
    let folder = folder();
    for command in ["next", "path"] {
        for (lens, options, message, other) in [
            (
                "v0",
                &["--version", ">=1.0.0"][..],
                "only OLM v1 takes --version",
                "--lens v1",
            ),
            (
                "v0",
                &["--policy", "CatalogProvided"],
                "only OLM v1 takes --policy",
                "--lens v1",
            ),
            (
                "v0",
                &["--selector", "a=b"],
                "only OLM v1 takes --selector",
                "--lens v1",
            ),
            (
                "v0",
                &["--channel", "c", "--channel", "d"],
                "only OLM v1 takes more than one --channel",
                "--lens v1",
            ),
            (
                "v0",
                &["--policy", "SelfCertified", "--version", "1.x"],
                "only OLM v1 takes --version, --policy",
                "--lens v1",
            ),
            (
                "v1",
                &["--starting-csv", "p.v4.2.0"],
                "only OLM Classic takes --starting-csv",
                "--lens v0",
            ),
        ] {
            let run = ask(&folder, command, &[&["--lens", lens][..], options].concat());
            run.status(2);
            assert_eq!(run.stdout, "");
            assert!(
                run.stderr.contains(message) && run.stderr.contains(other),
                "{}",
                run.stderr
            );
        }
        // With their own lens, all options are accepted.
        let v1 = [
            "--lens",
            "v1",
            "--policy",
            "SelfCertified",
            "--version",
            ">=1.0.0",
            "--channel",
            "c",
        ];
        ask(&folder, command, &v1).ok();
        ask(
            &folder,
            command,
            &[
                "--lens",
                "v0",
                "--starting-csv",
                "p.v4.2.0",
                "--channel",
                "c",
            ],
        )
        .ok();
    }
}

#[test]
fn a_partial_answer_is_marked() {
    let folder = folder();
    folder.write("whole/catalog.yaml", &catalog());
    folder.write("cat/broken.yaml", "schema: olm.channel\nname: 'p\n");
    let commands: &[&[&str]] = &[
        &["next", "cat", "--package", "p", "--installed", "p.v4.2.0"],
        &[
            "next",
            "whole",
            "--package",
            "p",
            "--installed",
            "p.v4.2.0",
            "--catalog",
            "other=cat",
        ],
        &[
            "path",
            "cat",
            "--package",
            "p",
            "--installed",
            "p.v4.2.0",
            "--lens",
            "v1",
        ],
        &["graph", "cat"],
        &["matrix", "--package", "p", "v4.18=whole", "v4.19=cat"],
        &["diff", "cat", "whole"],
        &["diff", "whole", "cat"],
        &["list", "bundles", "cat"],
    ];
    for command in commands {
        let json = [command, &["--format", "json"][..]].concat();
        for (args, status) in [(json.clone(), 2), ([&json[..], &["--partial"]].concat(), 0)] {
            let run = folder.run(&args);
            run.status(status);
            let answer = run.json();
            let incomplete = answer["incomplete"]
                .as_array()
                .unwrap_or_else(|| panic!("{args:?}: {answer}"));
            let [only] = incomplete.as_slice() else {
                panic!("{answer}")
            };
            assert_eq!(
                (&only["file"], &only["line"]),
                (&json!("broken.yaml"), &json!(3)),
                "{args:?}"
            );
            assert!(
                only["message"].is_string() && only["catalog"] == "cat",
                "{only}"
            );
            assert!(
                run.stderr.contains("incomplete") && run.stderr.contains("broken.yaml:3"),
                "{}",
                run.stderr
            );
        }
        // Text has the same mark, and there is an answer.
        let run = folder.run(command);
        run.status(2);
        assert!(
            !run.stdout.is_empty() && run.stderr.contains("broken.yaml:3"),
            "{run:?}"
        );
    }
    for format in ["mermaid", "dot", "svg"] {
        let run = folder.run(&["graph", "cat", "--package", "p", "--format", format]);
        run.status(2);
        assert!(
            !run.stdout.is_empty() && run.stderr.contains("broken.yaml:3"),
            "{run:?}"
        );
    }
    // A broken invariant does not complete the answer.
    folder
        .run(&["diff", "cat", "whole", "--deny", "all", "--partial"])
        .ok();
    // A complete answer has no mark.
    let whole = folder.run(&["next", "whole", "--package", "p", "--format", "json"]);
    whole.ok();
    assert!(
        whole.json().get("incomplete").is_none() && !whole.stderr.contains("incomplete"),
        "{whole:?}"
    );
    // The package may be in the unreadable part.
    let run = folder.run(&["next", "cat", "--package", "q"]);
    run.status(2);
    assert!(
        run.stderr.contains("broken.yaml:3") && run.stderr.contains("not found"),
        "{}",
        run.stderr
    );
}

#[test]
fn every_unreadable_part_makes_an_answer_partial() {
    for (path, text) in [
        ("cat/array.yaml", "[1]\n"),
        ("cat/no-schema.yaml", "name: c\n"),
        (
            "cat/type.yaml",
            "schema: olm.channel\npackage: p\nname: h\nentries: 1\n",
        ),
        ("cat/cut.json", "{\"schema\":"),
    ] {
        let folder = folder();
        folder.write(path, text);
        let run = ask(&folder, "next", &["--installed", "p.v4.2.0"]);
        run.status(2);
        assert_eq!(run.json()["next"], "p.v4.3.0", "{path}");
        assert_eq!(
            run.json()["incomplete"].as_array().map(Vec::len),
            Some(1),
            "{path}: {}",
            run.stdout
        );
    }
    // Ignored files are not part of the catalog.
    let folder = folder();
    folder.write("cat/notes.yaml", "[1]\n");
    folder.write("cat/.indexignore", "notes.yaml\n");
    ask(&folder, "next", &["--installed", "p.v4.2.0"]).ok();
}

#[test]
fn clusters_are_recognized_by_common_names() {
    let limited = catalog().replace(
        "version: 4.2.0\n",
        "version: 4.2.0\n- type: olm.maxOpenShiftVersion\n  value: \"4.18\"\n",
    );
    for name in [
        "v4.18",
        "v4.18.0-rc1",
        "v4.18.3",
        "4.18.3",
        "openshift-v4.18",
        "v4.18-prod",
        "ocp418",
    ] {
        let folder = Folder::new(&[
            (&format!("{name}/catalog.yaml"), &limited),
            ("old/catalog.yaml", &catalog()),
        ]);
        for catalog in [name.to_owned(), format!("{name}={name}")] {
            let run = folder.run(&["matrix", "--package", "p", &catalog]);
            run.ok();
            let row = run
                .stdout
                .lines()
                .find(|line| line.starts_with("p.v4.2.0 "))
                .unwrap();
            assert!(
                row.contains("blocks cluster updates beyond 4.18 until p.v4.3.0"),
                "{name}: {row}"
            );
        }
        // The new head blocks the cluster permanently.
        let stuck = limited.replace(
            "version: 4.3.0\n",
            "version: 4.3.0\n- type: olm.maxOpenShiftVersion\n  value: \"4.18\"\n",
        );
        folder.write(&format!("{name}/catalog.yaml"), &stuck);
        let run = folder.run(&[
            "diff", "old", name, "--deny", "platform", "--format", "json",
        ]);
        run.status(1);
        assert!(
            run.stdout.contains("cannot move to OpenShift 4.19"),
            "{name}: {}",
            run.stdout
        );
    }
}

#[test]
fn a_new_package_breaks_nothing_and_a_removed_one_affects_everyone() {
    let broken = catalog().replace(
        "- name: p.v4.3.0\n  replaces: p.v4.2.0\n",
        "- name: p.v4.3.0\n",
    );
    let folder = Folder::new(&[
        ("new/catalog.yaml", &broken),
        ("cat/catalog.yaml", &catalog()),
    ]);
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let run = folder.run(&["diff", "empty", "cat", "--deny", "all", "--format", "json"]);
    run.ok();
    assert_eq!(run.json()["broken"], json!([]));
    // The verdict is the catalog's, regardless of the installed versions.
    folder
        .run(&["diff", "empty", "new", "--deny", "errors"])
        .status(1);
    let gone = folder
        .run(&["diff", "cat", "empty", "--format", "json"])
        .json();
    let users = gone["packages"][0]["users"].as_array().unwrap();
    assert!(
        users.len() >= 4 && users.iter().all(|user| user["effect"] == "stranded"),
        "{users:#?}"
    );
    // Both bundles, and 3.9.0, which an entry refers to.
    assert_eq!(gone["packages"][0]["hit"], 3);
}

/// A namespace with one catalog of `blobs` and one subscription.
fn request(blobs: &[Value], subscription: Value, installed: &[Value]) -> String {
    json!({
        "catalogs": [{"name": "cat", "blobs": blobs}],
        "subscriptions": [subscription],
        "installed": installed,
    })
    .to_string()
}

fn blobs(head_requires: Option<Value>) -> Vec<Value> {
    let bundle = |name: &str, version: &str, requires: Option<Value>| {
        let mut properties =
            vec![json!({"type": "olm.package", "value": {"packageName": "p", "version": version}})];
        properties.extend(requires);
        json!({"schema": "olm.bundle", "package": "p", "name": name, "image": "r.io/p", "properties": properties})
    };
    vec![
        json!({"schema": "olm.package", "name": "p", "defaultChannel": "c"}),
        json!({"schema": "olm.channel", "package": "p", "name": "c", "entries": [
            {"name": "p.v1.0.0"}, {"name": "p.v1.1.0", "replaces": "p.v1.0.0"}]}),
        bundle("p.v1.0.0", "1.0.0", None),
        bundle("p.v1.1.0", "1.1.0", head_requires),
    ]
}

fn subscription(installed: &str) -> Value {
    json!({"name": "s", "package": "p", "channel": "c", "catalog": "cat", "installedCSV": installed})
}

fn csv(name: &str, version: &str) -> Value {
    json!({"name": name, "version": version,
           "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": version}}]})
}

fn resolve(request: &str) -> Run {
    Folder::new(&[]).run_with(&["resolve", "--request", "-"], request)
}

#[test]
fn a_held_back_subscription_is_not_up_to_date() {
    let nobody = json!({"type": "olm.package.required", "value": {"packageName": "q", "versionRange": ">=1.0.0"}});
    for (blobs, installed, state, reason) in [
        (blobs(None), "1.1.0", "up-to-date", "head of its channel"),
        (blobs(None), "1.0.0", "updates", "is updated to `p.v1.1.0`"),
        (
            blobs(Some(nobody.clone())),
            "1.0.0",
            "held-back",
            "requires an operator with package: q",
        ),
        (
            blobs(None),
            "0.1.0",
            "no-way-on",
            "no entry replaces, skips or covers it",
        ),
    ] {
        let name = format!("p.v{installed}");
        let run = resolve(&request(
            &blobs,
            subscription(&name),
            &[csv(&name, installed)],
        ));
        run.ok();
        let answer = run.json();
        let subscription_state = &answer["subscriptions"][0];
        assert_eq!(
            (
                &subscription_state["name"],
                &subscription_state["state"],
                &subscription_state["installed"]
            ),
            (&json!("s"), &json!(state), &json!(name))
        );
        assert!(
            subscription_state["why"].as_str().unwrap().contains(reason),
            "{subscription_state}"
        );
        // An installed bundle that stays is among the reasons, too.
        let stays = answer["why"].to_string().contains("subscription `s`: ");
        assert_eq!(stays, state != "updates", "{answer}");
    }
}

#[test]
fn an_invalid_request_is_refused_and_an_unsolvable_one_fails() {
    for empty in ["", " \n"] {
        let run = resolve(empty);
        run.status(2);
        assert!(
            run.stderr.contains("standard input has no request"),
            "{}",
            run.stderr
        );
    }
    let run = resolve(&request(
        &blobs(None),
        json!({"name": "s", "package": "p", "chanel": "c", "catalog": "cat"}),
        &[],
    ));
    run.status(2);
    assert!(
        run.stderr
            .contains("unknown field `chanel`, expected one of `name`, `package`, `channel`"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stdout, "");
    // No bundle meets the requirement of the channel's only bundle, and nothing is installed.
    let run = resolve(&request(
        &blobs(None),
        json!({"name": "s", "package": "q", "catalog": "cat"}),
        &[],
    ));
    run.status(1);
    assert_eq!(run.json()["kind"], "unsatisfiable");
    // One of two requests fails: both are answered.
    let good = request(&blobs(None), subscription(""), &[]);
    let bad = request(
        &blobs(None),
        json!({"name": "s", "package": "q", "catalog": "cat"}),
        &[],
    );
    let run = resolve(&format!("{bad}\n{good}"));
    run.status(1);
    assert_eq!(run.stdout.lines().count(), 2);
    // Unreadable blobs are marked.
    let mut partly = blobs(None);
    partly.push(json!({"schema": "olm.channel", "package": "p", "name": 1}));
    let run = resolve(&request(&partly, subscription(""), &[]));
    run.status(2);
    assert_eq!(
        run.json()["incomplete"].as_array().map(Vec::len),
        Some(1),
        "{}",
        run.stdout
    );
}

#[test]
fn the_help_of_resolve_lists_the_fields_of_a_subscription() {
    let help = Folder::new(&[]).run(&["resolve", "--help"]).stdout;
    for field in [
        "name",
        "package",
        "channel",
        "catalog",
        "catalogNamespace",
        "startingCSV",
        "installedCSV",
    ] {
        assert!(help.contains(&format!("\"{field}\"")), "{field}: {help}");
    }
}

#[test]
fn reasons_are_correct() {
    // A bundle is chosen because a constraint does not exclude it.
    let green = json!({"group": "g.io", "version": "v1", "kind": "Green"});
    let not = json!({"type": "olm.constraint", "value": {"failureMessage": "no Green", "not": {"constraints": [{"gvk": green}]}}});
    let mut excluding = blobs(Some(not));
    let itself = excluding
        .iter_mut()
        .find(|blob| blob["name"] == "p.v1.1.0")
        .unwrap();
    itself["properties"]
        .as_array_mut()
        .unwrap()
        .push(json!({"type": "olm.gvk", "value": green}));
    excluding.extend([
        json!({"schema": "olm.package", "name": "q", "defaultChannel": "c"}),
        json!({"schema": "olm.channel", "package": "q", "name": "c", "entries": [{"name": "q.v1.0.0"}]}),
        json!({"schema": "olm.bundle", "package": "q", "name": "q.v1.0.0", "image": "r.io/q", "properties": [
            {"type": "olm.package", "value": {"packageName": "q", "version": "1.0.0"}}]}),
    ]);
    let run = resolve(&request(&excluding, subscription(""), &[]));
    run.ok();
    let why = run.json()["why"].to_string();
    assert!(
        why.contains(
            "`q.v1.0.0` meets a requirement of `p.v1.1.0`: a bundle that does not match the API"
        ),
        "{why}"
    );
    // The best installable bundle is not the best.
    let nobody = json!({"type": "olm.package.required", "value": {"packageName": "q", "versionRange": ">=1.0.0"}});
    let answer = resolve(&request(&blobs(Some(nobody)), subscription(""), &[])).json();
    let why = answer["why"].to_string();
    assert_eq!(answer["bundles"][0]["name"], "p.v1.0.0");
    assert!(
        why.contains("that can be installed: `p.v1.1.0` would come first"),
        "{why}"
    );
    // An invalid range contains nothing, and is reported.
    let folder = Folder::new(&[(
        "cat/catalog.yaml",
        &catalog().replace(">=4.0.0 <4.2.0", "~4.0"),
    )]);
    for lens in ["v0", "v1"] {
        let why = ask(
            &folder,
            "next",
            &["--installed", "odd2@4.1.0", "--lens", lens],
        )
        .json()["why"]
            .to_string();
        assert!(
            why.contains("skipRange `~4.0` of `p.v4.2.0` cannot be read"),
            "{lens}: {why}"
        );
    }
    // The highest bundle was not chosen because it is deprecated.
    let deprecated = "---\nschema: olm.deprecations\npackage: p\nentries:\n- reference:\n    schema: olm.bundle\n    name: p.v4.3.0\n  message: old\n";
    let folder = Folder::new(&[("cat/catalog.yaml", &(catalog() + deprecated))]);
    let answer = ask(&folder, "next", &["--lens", "v1"]).json();
    assert_eq!(answer["next"], "p.v4.2.0");
    let why = answer["why"].to_string();
    assert!(
        why.contains("highest version that is not deprecated"),
        "{why}"
    );
    // Nor is the chosen bundle the highest of all catalogs.
    let low = catalog().replace("4.3.0", "4.2.5");
    let folder = Folder::new(&[
        ("cat/catalog.yaml", &low),
        ("high/catalog.yaml", &catalog()),
    ]);
    let answer = ask(
        &folder,
        "next",
        &["--lens", "v1", "--catalog", "high=high:-1"],
    )
    .json();
    assert_eq!(answer["next"], "p.v4.2.5");
    let why = answer["why"].to_string();
    assert!(why.contains("highest version of catalog `cat`"), "{why}");
}

/// Each of eleven required APIs has ten bundles; each of ten other APIs has one of these.
#[test]
fn an_expensive_answer_is_reported_as_unknown() {
    let api = |kind: String| json!({"group": "g.io", "version": "v1", "kind": kind});
    let (pigeons, holes) = (11, 10);
    let wants = (0..pigeons)
        .map(|n| json!({"type": "olm.gvk.required", "value": api(format!("Pigeon{n}"))}));
    let package = |name: &str, properties: Vec<Value>| {
        let own =
            json!({"type": "olm.package", "value": {"packageName": name, "version": "1.0.0"}});
        let properties: Vec<Value> = std::iter::once(own).chain(properties).collect();
        [
            json!({"schema": "olm.package", "name": name, "defaultChannel": "c"}),
            json!({"schema": "olm.channel", "package": name, "name": "c", "entries": [{"name": format!("{name}.v1")}]}),
            json!({"schema": "olm.bundle", "package": name, "name": format!("{name}.v1"), "image": "r.io/p",
                   "properties": properties}),
        ]
    };
    let mut blobs: Vec<Value> = package("p", wants.collect()).into();
    for (pigeon, hole) in (0..pigeons).flat_map(|pigeon| (0..holes).map(move |hole| (pigeon, hole)))
    {
        let provides = [format!("Pigeon{pigeon}"), format!("Hole{hole}")];
        let provides = provides.map(|kind| json!({"type": "olm.gvk", "value": api(kind)}));
        blobs.extend(package(&format!("p{pigeon}-{hole}"), provides.into()));
    }
    let run = resolve(&request(&blobs, subscription(""), &[]));
    run.status(2);
    let answer = run.json();
    assert_eq!(answer["kind"], "not-known", "{answer}");
    assert!(
        answer["error"].as_str().unwrap().starts_with("unknown: "),
        "{answer}"
    );
}

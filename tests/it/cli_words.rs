//! Command line features that all commands share: output formats, optional package names, `-C`,
//! quiet mode.

use serde_json::{Value, json};
use test_support::{Folder, Run};

fn package(name: &str) -> String {
    format!(
        "schema: olm.package\nname: {name}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: {name}\nname: stable\n\
         entries:\n- name: {name}.v1.0.0\n- name: {name}.v1.1.0\n  replaces: {name}.v1.0.0\n{}{}",
        bundle(name, "1.0.0"),
        bundle(name, "1.1.0")
    )
}

fn bundle(package: &str, version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\nimage: quay.io/{package}:v{version}\n\
         properties:\n- type: olm.package\n  value:\n    packageName: {package}\n    version: {version}\n"
    )
}

/// One catalog with one package, one with two, one that does not validate, one that is empty.
fn folder() -> Folder {
    let broken = package("p").replace("defaultChannel: stable", "defaultChannel: gone");
    Folder::new(&[
        ("one/p.yaml", &package("p")),
        ("two/p.yaml", &package("p")),
        ("two/q.yaml", &package("q")),
        ("broken/p.yaml", &broken),
        ("empty/.indexignore", "*\n"),
        ("empty/p.yaml", &package("p")),
    ])
}

fn yaml(run: &Run) -> Value {
    serde_yaml::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}", run.stdout))
}

#[test]
fn short_and_long_format_options_agree_and_yaml_equals_json() {
    let folder = folder();
    for command in [
        &["validate", "broken"][..],
        &["list", "bundles", "one"],
        &["graph", "one"],
        &["next", "one", "--installed", "p.v1.0.0"],
        &["path", "one", "--installed", "p.v1.0.0"],
        &["range", "1.x", "1.10.0"],
        &["diff", "one", "two"],
        &["matrix", "v4.18=one", "v4.19=one"],
        &["version"],
    ] {
        let with = |args: &[&str]| folder.run(&[command, args].concat());
        let json = with(&["--format", "json"]);
        assert!(json.json().is_object(), "{command:?}");
        for form in [
            &["-o", "json"][..],
            &["--output", "json"],
            &["-ojson"],
            &["--output=json"],
        ] {
            assert_eq!(with(form).stdout, json.stdout, "{command:?} {form:?}");
        }
        assert_eq!(yaml(&with(&["-o", "yaml"])), json.json(), "{command:?}");
        assert_ne!(with(&["-o", "yaml"]).stdout, json.stdout, "{command:?}");
    }
    assert!(
        folder
            .run(&["graph", "one", "-o", "dot"])
            .stdout
            .starts_with("digraph")
    );
    assert!(
        folder
            .run(&["validate", "broken", "-o", "opm"])
            .stdout
            .contains("invalid index")
    );
    assert!(
        folder
            .run(&["diff", "one", "two", "-o", "markdown"])
            .stdout
            .starts_with('#')
    );
}

#[test]
fn a_package_follows_the_folder_or_is_omitted() {
    let folder = folder();
    let installed = ["--installed", "p.v1.0.0"];
    for command in ["next", "path"] {
        let with_option =
            folder.run(&[&[command, "one", "--package", "p"], &installed[..]].concat());
        with_option.ok();
        assert_eq!(
            folder
                .run(&[&[command, "one", "p"], &installed[..]].concat())
                .stdout,
            with_option.stdout
        );
        assert_eq!(
            folder
                .run(&[&[command, "one"], &installed[..]].concat())
                .stdout,
            with_option.stdout
        );
        let two = folder.run(&[&[command, "two"], &installed[..]].concat());
        two.status(2);
        assert!(
            two.stderr
                .contains("the catalog has 2 packages, and none was named"),
            "{}",
            two.stderr
        );
        assert!(two.stderr.contains("p, q"), "{}", two.stderr);
        assert_eq!(
            folder
                .run(&[&[command, "two", "p"], &installed[..]].concat())
                .stdout,
            with_option.stdout
        );
        folder
            .run(&[command, "two", "p", "--package", "p"])
            .status(2);
        let wrong = folder.run(&[command, "two", "pp"]);
        wrong.status(2);
        assert!(wrong.stderr.contains("did you mean"), "{}", wrong.stderr);
    }
    let of_p = folder.run(&["graph", "two", "--package", "p"]).stdout;
    assert_eq!(folder.run(&["graph", "two", "p"]).stdout, of_p);
    assert!(
        folder
            .run(&["graph", "two", "p", "-o", "svg"])
            .stdout
            .starts_with("<svg")
    );
    let both = folder
        .run(&[
            "graph",
            "two",
            "--package",
            "p",
            "--package",
            "q",
            "-o",
            "json",
        ])
        .json();
    assert_eq!(both["packages"].as_array().unwrap().len(), 2);
    let listed = folder
        .run(&["list", "packages", "two", "--package", "q"])
        .stdout;
    assert_eq!(listed, folder.run(&["list", "packages", "two", "q"]).stdout);
    assert_eq!(
        folder
            .run(&["list", "packages", "two", "q", "p", "-o", "json"])
            .json()["rows"][0]["name"],
        json!("q")
    );
    let matrix = folder.run(&["matrix", "--package", "p", "v4.18=one", "v4.19=two"]);
    matrix.ok();
    assert_eq!(
        folder
            .run(&["matrix", "v4.18=one", "v4.19=two", "p"])
            .stdout,
        matrix.stdout
    );
    folder.run(&["matrix", "v4.18=one", "v4.19=two"]).status(2);
    folder.run(&["matrix", "v4.18=one", "v4.19=one"]).ok();
}

#[test]
fn reasons_are_printed_except_in_quiet_mode() {
    let folder = folder();
    let args = ["next", "one", "--installed", "p.v1.0.0"];
    let run = folder.run(&args);
    assert!(
        run.stdout
            .starts_with("p.v1.0.0 -> p.v1.1.0 (replaces)\nwhy:\n  "),
        "{}",
        run.stdout
    );
    assert_eq!(run.stderr, "");
    for quiet in ["-q", "--quiet"] {
        let run = folder.run(&[&args[..], &[quiet]].concat());
        assert_eq!(
            (&*run.stdout, &*run.stderr),
            ("p.v1.0.0 -> p.v1.1.0 (replaces)\n", "")
        );
        let run = folder.run(&[quiet, "path", "one", "--installed", "p.v1.0.0"]);
        assert_eq!((&*run.stdout, &*run.stderr), ("p.v1.0.0\np.v1.1.0\n", ""));
        let run = folder.run(&["validate", "broken", quiet]);
        run.status(1);
        assert_eq!(run.stdout, "fails opm validate: 1 error\n");
        let run = folder.run(&["list", "channels", "broken", quiet]);
        assert_eq!(run.stderr, "");
        let run = folder.run(&["range", "1.x", "1.5.0", quiet]);
        assert_eq!(run.stdout, "VERSION  RANGE\n1.5.0    in\n");
        // Errors are still printed.
        assert!(
            folder
                .run(&["list", "channels", "nowhere", quiet])
                .stderr
                .starts_with("error: ")
        );
    }
    let path = folder.run(&["path", "one", "--installed", "p.v1.0.0"]);
    assert!(
        path.stdout.starts_with("p.v1.0.0\np.v1.1.0\nwhy:\n  "),
        "{}",
        path.stdout
    );
}

#[test]
fn the_command_runs_in_another_folder() {
    let folder = folder();
    let here = folder.run(&["list", "packages", "one"]).stdout;
    assert_eq!(
        folder.run(&["-C", "one", "list", "packages", "."]).stdout,
        here
    );
    assert_eq!(
        folder.run(&["list", "packages", ".", "-C", "one"]).stdout,
        here
    );
    let run = folder.run(&["-C", "nowhere", "list", "packages", "."]);
    run.status(2);
    assert!(
        run.stderr.contains("nowhere: no such file or directory"),
        "{}",
        run.stderr
    );
    folder
        .run(&[
            "-C",
            "one",
            "edit",
            ".",
            "deprecate",
            "--package",
            "p",
            "--message",
            "old",
            "--write",
        ])
        .ok();
    assert!(folder.read("one/p.yaml").contains("olm.deprecations"));
}

#[test]
fn colors_are_printed_on_request() {
    let folder = folder();
    let always = folder.run(&["validate", "broken", "--color", "always"]);
    assert!(always.stdout.contains("\u{1b}["), "{}", always.stdout);
    for args in [
        &["validate", "broken"][..],
        &["validate", "broken", "--color", "never"],
        &["validate", "broken", "--color=auto"],
    ] {
        assert!(!folder.run(args).stdout.contains('\u{1b}'));
    }
    assert!(
        folder
            .run(&["--color", "always", "list", "packages", "nowhere"])
            .stderr
            .contains("\u{1b}[")
    );
    assert!(
        folder
            .run(&["--color", "always", "nonsense"])
            .stderr
            .contains("\u{1b}[")
    );
    assert!(
        !folder
            .run(&["--color", "never", "nonsense"])
            .stderr
            .contains('\u{1b}')
    );
}

#[test]
fn prints_versions_and_completion_scripts() {
    let folder = folder();
    let run = folder.run(&["version"]);
    run.ok();
    assert_eq!(
        run.stdout,
        format!(
            "switchyard {}, matches opm v1.74.0, OLM v0.46.0 and operator-controller v1.11.0\n",
            env!("CARGO_PKG_VERSION")
        )
    );
    assert_eq!(
        folder.run(&["version", "-o", "json"]).json()["opm"],
        json!("v1.74.0")
    );
    for (shell, sign) in [
        ("bash", "complete "),
        ("zsh", "#compdef switchyard"),
        ("fish", "complete -c switchyard"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let run = folder.run(&["completion", shell]);
        run.ok();
        assert!(
            run.stdout.contains(sign) && run.stdout.contains("set-default-channel"),
            "{shell}"
        );
    }
    folder.run(&["completion", "csh"]).status(2);
}

#[test]
fn several_catalogs_are_validated_independently() {
    let folder = folder();
    let run = folder.run(&["validate", "one", "broken", "two"]);
    run.status(1);
    assert!(
        run.stdout
            .starts_with("one: passes opm validate\nbroken:\n\nerror["),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .ends_with("fails opm validate: 1 error\n\ntwo: passes opm validate\n"),
        "{}",
        run.stdout
    );
    folder.run(&["validate", "one", "two"]).ok();
    let run = folder.run(&["validate", "nowhere", "broken", "one", "-o", "json"]);
    run.status(2);
    assert!(run.stderr.contains("nowhere"), "{}", run.stderr);
    let answer = run.json();
    assert_eq!(
        (&answer["format"], &answer["passed"]),
        (&json!(1), &json!(false))
    );
    let catalogs: Vec<_> = answer["catalogs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (&c["dir"], &c["passed"]))
        .collect();
    assert_eq!(
        catalogs,
        [
            (&json!("broken"), &json!(false)),
            (&json!("one"), &json!(true))
        ]
    );
    let run = folder.run(&["validate", "one", "broken", "-o", "opm"]);
    assert!(
        run.stdout.starts_with("broken: invalid index"),
        "{}",
        run.stdout
    );
    let run = folder.run(&["validate", "two", "broken", "-o", "github"]);
    assert!(
        run.stdout.starts_with("::error file=broken/p.yaml,line="),
        "{}",
        run.stdout
    );
}

#[test]
fn reads_a_catalog_from_standard_input() {
    let folder = folder();
    for args in [
        &["validate", "-"][..],
        &["list", "bundles", "-"],
        &["graph", "-"],
        &["next", "-", "--installed", "p.v1.0.0"],
    ] {
        let run = folder.run_with(args, &package("p"));
        run.ok();
        let of_folder: Vec<&str> = args
            .iter()
            .map(|word| if *word == "-" { "one" } else { word })
            .collect();
        assert_eq!(run.stdout, folder.run(&of_folder).stdout, "{args:?}");
    }
    // As printed by `opm render`.
    let channel = json!({"schema": "olm.channel", "package": "p", "name": "stable", "entries": [{"name": "p.v1.0.0"}]});
    let blobs = [
        json!({"schema": "olm.package", "name": "p", "defaultChannel": "stable"}),
        channel,
    ];
    let stream: String = blobs.iter().map(|blob| format!("{blob:#}\n")).collect();
    let run = folder.run_with(&["validate", "-", "-o", "json"], &stream);
    run.status(1);
    let answer = run.json();
    assert!(
        answer["opm_message"].as_str().unwrap().contains("p.v1.0.0"),
        "{answer}"
    );
    assert!(
        answer["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .any(|d| d["file"] == "-" && d["line"] == 12),
        "{answer}"
    );
    let run = folder.run_with(&["validate", "-"], &stream);
    assert!(run.stdout.contains("--> -:12:"), "{}", run.stdout);
    let run = folder.run_with(&["validate", "-", "-o", "github"], &stream);
    assert!(
        run.stdout.contains("::error file=-,line=12,"),
        "{}",
        run.stdout
    );
    for nothing in ["", " \n\n"] {
        let run = folder.run_with(&["validate", "-"], nothing);
        run.status(2);
        assert!(
            run.stderr.contains("standard input is empty"),
            "{}",
            run.stderr
        );
    }
    folder
        .run_with(&["validate", "-", "--fix"], &package("p"))
        .status(2);
    folder
        .run_with(
            &[
                "edit",
                "-",
                "deprecate",
                "--package",
                "p",
                "--message",
                "old",
            ],
            &package("p"),
        )
        .status(2);
}

#[test]
fn reports_an_empty_folder() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("bare")).unwrap();
    for dir in ["bare", "empty"] {
        let run = folder.run(&["validate", dir]);
        run.ok();
        assert_eq!(run.stdout, "passes opm validate (the catalog is empty)\n");
        for args in [
            &["validate", dir, "-q"][..],
            &["list", "packages", dir],
            &["graph", dir],
        ] {
            let run = folder.run(args);
            run.ok();
            assert!(
                run.stderr.contains(&format!("warning: {dir} has no ")),
                "{args:?} {}",
                run.stderr
            );
        }
        let as_opm = folder.run(&["validate", dir, "-o", "opm"]);
        as_opm.ok();
        assert_eq!(as_opm.stderr, "", "opm prints nothing");
        let run = folder.run(&["next", dir]);
        run.status(2);
        assert!(
            run.stderr.contains("the catalog has no package"),
            "{}",
            run.stderr
        );
    }
    assert_eq!(folder.run(&["validate", "one"]).stderr, "");
}

#[test]
fn the_default_lens_is_classic() {
    let crd = |default: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ps.example.com\nspec:\n  \
             group: example.com\n  scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      \
             openAPIV3Schema:\n        type: object\n        properties:\n          a: {{type: string{default}}}\n"
        )
    };
    let folder = Folder::new(&[
        ("old.yaml", &crd("")),
        ("new.yaml", &crd(", default: x")),
        ("c/p.yaml", &package("p")),
    ]);
    // Only OLM v1 objects to a new default.
    let args = ["crds", "old.yaml", "new.yaml"];
    folder
        .run(&[&args[..], &["--lens", "v1"]].concat())
        .status(1);
    folder.run(&[&args[..], &["--lens", "v0"]].concat()).ok();
    folder.run(&args).ok();
    assert_eq!(
        folder.run(&["next", "c", "-o", "json"]).json()["lens"],
        json!("v0")
    );
    // `~` is not an operator of skipRange.
    folder.run(&["range", "~1.2.0"]).status(1);
    folder.run(&["range", "~1.2.0", "--lens", "v1"]).ok();
    for command in ["next", "path", "range", "crds"] {
        let help = folder.run(&[command, "--help"]).stdout;
        assert!(help.contains("[default: v0]"), "{command}: {help}");
    }
    let help = folder.run(&["--help"]).stdout;
    let help: Vec<&str> = help.split_whitespace().collect();
    assert!(
        help.join(" ")
            .contains("`--lens` defaults to v0, OLM Classic"),
        "{help:?}"
    );
}

#[test]
fn explains_a_range_and_fails_if_it_admits_nothing() {
    let folder = Folder::new(&[]);
    let run = folder.run(&["range", "--lens", "v1", "~1.12", "1.12.3", "1.13.0"]);
    run.ok();
    assert_eq!(
        run.stdout,
        "~1.12 is >=1.12, <1.13\nVERSION  RANGE\n1.12.3   in\n1.13.0   out\n"
    );
    assert_eq!(
        folder
            .run(&[
                "range",
                "--dialect",
                "masterminds",
                "~1.12",
                "1.12.3",
                "1.13.0"
            ])
            .stdout,
        run.stdout
    );
    assert_eq!(
        folder.run(&["range", "1.2.x"]).stdout,
        "1.2.x is >=1.2.0 <1.3.0\n"
    );
    assert_eq!(
        folder.run(&["range", "1.2.x", "-o", "json"]).json()["expanded"],
        json!(">=1.2.0 <1.3.0")
    );
    folder.run(&["range", "1.2.x", "1.3.0", "1.4.0"]).status(1);
    folder.run(&["range", "1.2.x", "nonsense"]).status(1);
    folder.run(&["range", "1.2.x", "1.3.0", "1.2.9"]).ok();
    let run = folder.run(&["range", "~1.2", "-o", "json"]);
    run.status(1);
    assert_eq!(
        (&run.json()["ok"], &run.json()["expanded"]),
        (&json!(false), &json!(null))
    );
    let run = folder.run(&["range", "~1.2"]);
    assert!(run.stderr.contains("--lens v1"), "{}", run.stderr);
    folder
        .run(&["range", "--lens", "v1", "--dialect", "blang", "1.x"])
        .status(2);
}

/// A catalog of two packages with these entries, and a bundle for each entry.
fn both(of_p: &str, of_q: &str) -> String {
    [("p", of_p), ("q", of_q)]
        .map(|(name, entries)| {
            let bundle = |version: &str| {
                format!(
                    "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\nimage: quay.io/x/{name}:v{version}\n\
                     properties:\n- type: olm.package\n  value: {{packageName: {name}, version: {version}}}\n"
                )
            };
            let listed: String = ["1.0.0", "1.1.0"].into_iter().filter(|v| entries.contains(v)).map(bundle).collect();
            format!(
                "---\nschema: olm.package\nname: {name}\ndefaultChannel: c\n---\nschema: olm.channel\npackage: {name}\n\
                 name: c\nentries:\n{entries}{listed}"
            )
        })
        .concat()
}

#[test]
fn diff_accepts_packages_like_list() {
    let entries = |name: &str| {
        format!("- name: {name}.v1.1.0\n  replaces: {name}.v1.0.0\n- name: {name}.v1.0.0\n")
    };
    let cut = |name: &str| format!("- name: {name}.v1.1.0\n");
    let folder = Folder::new(&[
        ("old/c.yaml", &both(&entries("p"), &entries("q"))),
        ("new/c.yaml", &both(&entries("p"), &cut("q"))),
    ]);
    let names = |args: &[&str]| {
        let run = folder.run(&[&["diff", "old", "new", "-o", "json"], args].concat());
        run.ok();
        let answer = run.json();
        let packages = answer["packages"].as_array().unwrap();
        packages
            .iter()
            .map(|p| p["package"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&[]), ["q"]);
    assert_eq!(names(&["q"]), ["q"]);
    assert_eq!(names(&["--package", "q", "--package", "p"]), ["q"]);
    assert_eq!(names(&["p"]), [""; 0], "nothing changes for it");
    // `--deny` applies to the listed versions only.
    folder
        .run(&["diff", "old", "new", "p", "--deny", "all"])
        .status(0);
    folder
        .run(&["diff", "old", "new", "q", "--deny", "all"])
        .status(1);
    let slip = folder.run(&["diff", "old", "new", "r"]);
    slip.status(2);
    assert!(
        slip.stderr.contains("package \"r\" not found"),
        "{}",
        slip.stderr
    );
}

#[test]
fn every_query_command_accepts_an_output_format() {
    let folder = Folder::new(&[(
        "c/c.yaml",
        &both("- name: p.v1.0.0\n", "- name: q.v1.0.0\n"),
    )]);
    for command in [
        "validate", "explain", "list", "graph", "next", "path", "resolve", "range", "crds", "diff",
        "matrix", "version",
    ] {
        let help = folder.run(&[command, "--help"]);
        help.ok();
        let help_text = &help.stdout;
        for word in [
            "-o, --format",
            "--output",
            "json",
            "yaml",
            "-C <FOLDER>",
            "-q, --quiet",
            "--color <WHEN>",
        ] {
            assert!(help_text.contains(word), "{command} --help has no {word}");
        }
    }
    let one = folder.run(&["explain", "channel-head-multiple", "--output", "json"]);
    one.ok();
    assert_eq!(one.json()["rules"][0]["rule"], "channel-head-multiple");
    let all = folder.run(&["explain", "-o", "yaml"]);
    all.ok();
    assert!(all.stdout.contains("rule: next-step-v0"), "invariants too");
    let request = r#"{"catalogs": [{"name": "c", "blobs": []}], "subscriptions": []}"#;
    let line = folder.run_with(&["resolve", "--request", "-"], request);
    let same = folder.run_with(&["resolve", "--request", "-", "-o", "json"], request);
    assert_eq!((line.status, &line.stdout), (same.status, &same.stdout));
    let yaml = folder.run_with(
        &["resolve", "--request", "-", "-o", "yaml"],
        &format!("{request}{request}"),
    );
    assert_eq!(yaml.stdout.matches("---\n").count(), 2, "{}", yaml.stdout);
}

#[test]
fn asks_for_the_package_in_plain_language() {
    let text = both("- name: p.v1.0.0\n", "- name: q.v1.0.0\n");
    let folder = Folder::new(&[("a/c.yaml", &text), ("b/c.yaml", &text)]);
    let matrix = folder.run(&["matrix", "a", "b"]);
    matrix.status(2);
    assert!(
        matrix
            .stderr
            .contains("the catalogs have 2 packages, and none was named"),
        "{}",
        matrix.stderr
    );
    let next = folder.run(&["next", "a"]);
    next.status(2);
    assert!(
        next.stderr
            .contains("the catalog has 2 packages, and none was named"),
        "{}",
        next.stderr
    );
}

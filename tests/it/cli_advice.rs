//! Advice on the command line: profiles, the configuration file, formats, and the page of rules.

use test_support::Folder;

const CATALOG: &str = "schema: olm.package\nname: p\ndefaultChannel: c\ndescription: d\n---\nschema: olm.channel\npackage: p\n\
    name: c\nentries:\n- name: p.v1.0.0\n- name: p.v1.1.0\n  replaces: p.v1.0.0\n  skipRange: '>=1.0.0'\n";

fn bundle(version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: quay.io/p/p:{version}\nproperties:\n\
         - type: olm.package\n  value:\n    packageName: p\n    version: {version}\n"
    )
}

fn folder(config: Option<&str>) -> Folder {
    let folder = Folder::new(&[(
        "repo/v1/catalog.yaml",
        &(CATALOG.to_owned() + &bundle("1.0.0") + &bundle("1.1.0")),
    )]);
    if let Some(config) = config {
        folder.write("repo/.switchyard.yaml", config);
    }
    folder
}

fn rules(folder: &Folder, args: &[&str]) -> Vec<String> {
    let mut all = vec!["validate", "repo/v1", "--format", "json"];
    all.extend(args);
    let run = folder.run(&all);
    run.status(0);
    let json = run.json();
    assert!(json["passed"] == true && json["opm_message"].is_null());
    let rules = json["diagnostics"].as_array().unwrap().iter();
    rules
        .map(|d| d["rule"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn profiles_select_advice_and_never_change_the_verdict() {
    let folder = folder(None);
    assert_eq!(rules(&folder, &["--profile", "opm"]), Vec::<String>::new());
    assert_eq!(
        rules(&folder, &["--profile", "community"]),
        ["skip-range-unbounded"]
    );
    assert_eq!(rules(&folder, &[]), ["skip-range-unbounded"]);
    let strict = rules(&folder, &["--profile", "strict"]);
    assert!(
        strict.contains(&"icon-missing".to_owned()) && strict.contains(&"image-tag".to_owned()),
        "{strict:?}"
    );
}

#[test]
fn the_nearest_configuration_applies_and_the_command_line_takes_precedence() {
    let folder = folder(Some("profile: strict\nrules:\n  image-tag: off\n"));
    let strict = rules(&folder, &[]);
    assert!(
        strict.contains(&"icon-missing".to_owned()) && !strict.contains(&"image-tag".to_owned()),
        "{strict:?}"
    );
    assert_eq!(rules(&folder, &["--profile", "opm"]), Vec::<String>::new());
    folder.write("other.yaml", "rules: {skip-range-unbounded: off}\n");
    assert_eq!(
        rules(&folder, &["--config", "other.yaml"]),
        Vec::<String>::new()
    );
    let run = folder.run(&["validate", "repo/v1", "--config", "nowhere.yaml"]);
    run.status(2);
    assert!(run.stderr.contains("nowhere.yaml"), "{}", run.stderr);
}

#[test]
fn a_suppression_needs_a_reason_and_a_match() {
    let good = folder(Some(
        "suppress:\n- rule: skip-range-unbounded\n  package: p\n  channel: c\n  bundle: p.v1.1.0\n  reason: known\n",
    ));
    assert_eq!(rules(&good, &[]), Vec::<String>::new());
    let silent = folder(Some("suppress:\n- rule: skip-range-unbounded\n"));
    assert_eq!(
        rules(&silent, &[]),
        ["config-invalid", "skip-range-unbounded"]
    );
    let idle = folder(Some(
        "suppress:\n- rule: skip-range-self\n  package: q\n  reason: old\n",
    ));
    assert_eq!(
        rules(&idle, &[]),
        ["config-unused-suppression", "skip-range-unbounded"]
    );
}

#[test]
fn a_configuration_inside_the_catalog_is_reported_and_an_ignored_one_applies() {
    let folder = folder(None);
    folder.write(
        "repo/v1/.switchyard.yaml",
        "rules: {skip-range-unbounded: off}\n",
    );
    let run = folder.run(&["validate", "repo/v1"]);
    run.status(1);
    assert!(
        run.stdout.contains("warning[config-inside-catalog]"),
        "{}",
        run.stdout
    );
    folder.write("repo/v1/.indexignore", ".switchyard.yaml\n");
    assert_eq!(rules(&folder, &[]), Vec::<String>::new());
}

#[test]
fn text_shows_the_line_with_a_caret() {
    let folder = folder(Some("rules:\n  skip-range-unbouded: off\n"));
    let run = folder.run(&["validate", "repo/v1"]);
    run.status(0);
    let expected = [
        "warning[config-invalid] (not opm's): unknown rule `skip-range-unbouded`\n\
         \x20 --> ../.switchyard.yaml:2:3\n\
         \x20   |\n\
         \x20 2 |   skip-range-unbouded: off\n\
         \x20   |   ^^^^^^^^^^^^^^^^^^^\n\
         \x20 help: did you mean `skip-range-unbounded` or `skip-range-above`?\n",
        "warning[skip-range-unbounded] (not opm's): skipRange `>=1.0.0` of entry `p.v1.1.0` has no upper bound\n\
         \x20 --> catalog.yaml:13:14\n\
         \x20    |\n\
         \x20 13 |   skipRange: '>=1.0.0'\n\
         \x20    |              ^^^^^^^^^\n\
         \x20 help: end it with `<1.1.0`\n\
         \x20 fix: write it as `>=1.0.0 <1.1.0`\n",
        "\npasses opm validate, 2 warnings\n",
    ];
    for part in expected {
        assert!(run.stdout.contains(part), "{}", run.stdout);
    }
}

#[test]
fn annotations_name_files_relative_to_the_current_folder() {
    let folder = folder(Some("profle: strict\n"));
    let run = folder.run(&["validate", "repo/v1", "--format", "github"]);
    run.status(0);
    assert_eq!(
        run.stdout,
        "::warning file=repo/.switchyard.yaml,line=1,endLine=1,col=1,endColumn=7,title=config-invalid::\
         unknown key `profle`%0Adid you mean `profile`?\n\
         ::warning file=repo/v1/catalog.yaml,line=13,endLine=13,col=14,endColumn=23,title=skip-range-unbounded::\
         skipRange `>=1.0.0` of entry `p.v1.1.0` has no upper bound%0Aend it with `<1.1.0`\n"
    );
    assert_eq!(
        folder
            .run(&["validate", "repo/v1", "--format", "opm"])
            .stdout,
        ""
    );
}

#[test]
fn a_rule_is_explained_with_examples() {
    let folder = folder(None);
    let run = folder.run(&["explain", "skip-range-self"]);
    run.status(0);
    let start = "skip-range-self: Switchyard's own advice, a warning, in profile community and stricter; opm accepts it\n";
    assert!(run.stdout.starts_with(start), "{}", run.stdout);
    assert!(
        run.stdout.contains("\nHas the problem:\n") && run.stdout.contains("\nIs fine:\n"),
        "{}",
        run.stdout
    );
    let list = folder.run(&["explain"]).stdout;
    assert!(
        list.starts_with("RULE ") && list.contains("\nskip-range-self "),
        "{list}"
    );
    let unknown = folder.run(&["explain", "skip-range-slef"]);
    unknown.status(2);
    assert!(
        unknown.stderr.contains("did you mean `skip-range-self`"),
        "{}",
        unknown.stderr
    );
}

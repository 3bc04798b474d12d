//! The JSON that the program writes, and its configuration file, against the schemas in
//! `docs/schemas`.

use super::json_schema::Schema;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use test_support::{Folder, project, read};

/// Commands whose `-o json` output is a catalog, another file or a Kubernetes object instead of
/// their own format.
const WRITE_CATALOGS: &[&str] = &["manifests"];

fn schema(name: &str) -> Value {
    let text = read(&project().join(format!("docs/schemas/{name}.schema.json")));
    let schema: Value = serde_json::from_str(&text)
        .unwrap_or_else(|e| panic!("docs/schemas/{name}.schema.json: {e}"));
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    schema
}

fn catalog(name: &str) -> String {
    project()
        .join("tests/data/catalogs")
        .join(name)
        .display()
        .to_string()
}

/// A package with unusual content: deprecations, a limit, an absent entry, a misspelt name, a
/// skipped head.
const ODD: &str = "schema: olm.package
name: p
defaultChannel: stable
---
schema: olm.channel
package: p
name: stable
entries:
- name: p.v1.0.0
  replaces: p.v0.9.0
- name: p.v1.1.0
  replaces: p.v1.0.0
---
schema: olm.bundle
package: p
name: p.v1.0.0
image: quay.io/p:v1.0.0
properties:
- type: olm.package
  value: {packageName: p, version: 1.0.0}
---
schema: olm.bundle
package: p
name: p.v1.1.0
image: quay.io/p:v1.1.0
properties:
- type: olm.package
  value: {packageName: p, version: 1.1.0}
- type: olm.maxOpenShiftVersion
  value: '4.19'
---
schema: olm.deprecations
package: p
entries:
- reference: {schema: olm.package}
  message: use q
- reference: {schema: olm.channel, name: stable}
  message: use fast
- reference: {schema: olm.bundle, name: p.v1.0.0}
  message: loses data
";

/// A package whose first version blocks a 4.18 cluster until the last version; the middle one
/// requires more than that cluster offers.
const LIMITED: &str = "schema: olm.package
name: p
defaultChannel: stable
---
schema: olm.channel
package: p
name: stable
entries:
- name: p.v1.0.0
  replaces: p.v0.9.0
- name: p.v1.1.0
  replaces: p.v1.0.0
- name: p.v1.2.0
  replaces: p.v1.1.0
---
schema: olm.bundle
package: p
name: p.v1.0.0
image: quay.io/p:v1.0.0
properties:
- type: olm.package
  value: {packageName: p, version: 1.0.0}
- type: olm.maxOpenShiftVersion
  value: '4.18'
- type: olm.gvk
  value: {group: example.com, version: v1, kind: P}
---
schema: olm.bundle
package: p
name: p.v1.1.0
image: quay.io/p:v1.1.0
properties:
- type: olm.package
  value: {packageName: p, version: 1.1.0}
- type: olm.maxOpenShiftVersion
  value: '4.18'
- type: olm.csv.metadata
  value: {minKubeVersion: 1.32.0}
---
schema: olm.bundle
package: p
name: p.v1.2.0
image: quay.io/p:v1.2.0
properties:
- type: olm.package
  value: {packageName: p, version: 1.2.0}
- type: olm.csv.metadata
  value: {minKubeVersion: 1.31.4}
";

/// A head whose skipRange is the only update for unlisted versions, among them a referenced one, in
/// two channels.
const RANGED: &str = "schema: olm.package
name: p
defaultChannel: stable
---
schema: olm.channel
package: p
name: stable
entries:
- name: p.v2.1.0
  skips: [p.v1.5.0]
  skipRange: '>=1.0.0 <2.1.0'
---
schema: olm.channel
package: p
name: fast
entries:
- name: p.v2.1.0
---
schema: olm.bundle
package: p
name: p.v2.1.0
image: quay.io/p:v2.1.0
properties:
- type: olm.package
  value: {packageName: p, version: 2.1.0}
";

/// A channel with two heads above a long chain whose explanation shows only its ends.
fn long_fork() -> String {
    let mut text = "schema: olm.package\nname: p\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: p\nname: stable\nentries:\n- name: p.v1.0.0\n".to_owned();
    for minor in 1..30 {
        text.push_str(&format!(
            "- name: p.v1.{minor}.0\n  replaces: p.v1.{}.0\n",
            minor - 1
        ));
    }
    text + "- name: p.v2.0.0\n  replaces: p.v1.28.0\n"
}

fn request(package: &str) -> String {
    let bundle = |version: &str| {
        json!({"schema": "olm.bundle", "package": "p", "name": format!("p.v{version}"), "image": "quay.io/p",
               "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": version}}]})
    };
    json!({
        "catalogs": [{"name": "c", "blobs": [
            {"schema": "olm.package", "name": "p", "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": "p", "name": "stable",
             "entries": [{"name": "p.v1.0.0"}, {"name": "p.v1.1.0", "replaces": "p.v1.0.0"}]},
            bundle("1.0.0"), bundle("1.1.0"),
        ]}],
        "subscriptions": [{"name": "s", "package": package, "channel": "stable", "catalog": "c", "installedCSV": "p.v1.0.0"}],
        "installed": [{"name": "p.v1.0.0", "version": "1.0.0"}],
    })
    .to_string()
}

/// The request with an unreadable blob in its catalog.
fn with_unreadable_blob(request: &str) -> String {
    request.replace(
        "\"blobs\":[",
        "\"blobs\":[{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"x\",\"entries\":1},",
    )
}

fn folder() -> Folder {
    let definition = |versions: &[&str]| {
        let versions = versions.iter().enumerate().map(|(at, name)| {
            format!(
                "  - name: {name}\n    served: true\n    storage: {}\n    schema:\n      openAPIV3Schema: {{type: object}}\n",
                at == 0
            )
        });
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ps.example.com\nspec:\n  \
             group: example.com\n  scope: Namespaced\n  versions:\n{}",
            versions.collect::<String>()
        )
    };
    let bundle = |version: &str| {
        format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: p.v{version}}}\n\
             spec: {{version: {version}}}\n"
        )
    };
    let annotations = "annotations:\n  operators.operatorframework.io.bundle.package.v1: p\n";
    Folder::new(&[
        ("bundles/a/manifests/csv.yaml", &bundle("1.0.0")),
        ("bundles/a/manifests/crd.yaml", &definition(&["v1", "v2"])),
        ("bundles/a/metadata/annotations.yaml", annotations),
        ("bundles/b/manifests/csv.yaml", &bundle("1.1.0")),
        ("bundles/b/manifests/crd.yaml", &definition(&["v2"])),
        ("bundles/b/metadata/annotations.yaml", annotations),
        ("bundles/c/manifests/csv.yaml", &bundle("1.2.0")),
        (
            "bundles/c/manifests/role.yaml",
            "apiVersion: v1\nkind: Role\nmetadata: {name: a}\n",
        ),
        ("bundles/c/metadata/annotations.yaml", annotations),
        ("odd/catalog.yaml", ODD),
        (
            "changed/catalog.yaml",
            &ODD.replace("  replaces: p.v1.0.0\n", ""),
        ),
        (
            "less/catalog.yaml",
            &ODD.replace(
                "- name: p.v1.0.0\n  replaces: p.v0.9.0\n- name: p.v1.1.0\n",
                "- name: p.v1.1.0\n",
            ),
        ),
        ("ranged/catalog.yaml", RANGED),
        (
            "narrowed/catalog.yaml",
            &RANGED
                .replace("  skipRange: '>=1.0.0 <2.1.0'\n", "")
                .replace("name: fast\n", "name: other\n"),
        ),
        (
            "widened/catalog.yaml",
            &RANGED.replace(">=1.0.0 <2.1.0", ">=0.9.0"),
        ),
        ("in-use.txt", "p.v1.2.0 1.2.0\n"),
        ("torn/catalog.yaml", ODD),
        ("torn/more.yaml", "schema: olm.channel\nname: 'p\n"),
        ("limited/catalog.yaml", LIMITED),
        ("narrow/catalog.yaml", NARROW),
        ("other/catalog.yaml", NARROW),
        (
            "held/catalog.yaml",
            &LIMITED.replace("- name: p.v1.2.0\n  replaces: p.v1.1.0\n", ""),
        ),
        (
            "needy/catalog.yaml",
            &(LIMITED.to_owned()
                + "- type: olm.gvk.required\n  value: {group: example.com, version: v1, kind: Q}\n"),
        ),
        (
            "misnamed/catalog.yaml",
            &ODD.replace("replaces: p.v1.0.0", "replaces: v1.0.0"),
        ),
        ("long/catalog.yaml", &long_fork()),
        (
            "semver.yaml",
            "schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles: [{image: 'quay.io/p:v1.0.0'}, {image: 'quay.io/q:v1'}]\n",
        ),
        ("old.yaml", &definition(&["v1", "v2"])),
        ("new.yaml", &definition(&["v2"])),
        ("request.json", &request("p")),
        (
            "subscription.yaml",
            "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: s}\nspec: {name: p}\n",
        ),
        ("unmet.json", &request("q")),
        ("torn.json", &with_unreadable_blob(&request("p"))),
        ("torn-unmet.json", &with_unreadable_blob(&request("q"))),
    ])
}

/// A deprecated package with a bundle that OLM v1 does not install.
const NARROW: &str = "schema: olm.package
name: p
defaultChannel: c
---
schema: olm.channel
package: p
name: c
entries: [{name: p.v1}]
---
schema: olm.bundle
package: p
name: p.v1
image: quay.io/p:v1
properties:
- type: olm.package
  value: {packageName: p, version: 1.0.0}
- type: olm.csv.metadata
  value: {installModes: [{type: OwnNamespace, supported: true}]}
---
schema: olm.deprecations
package: p
entries:
- reference: {schema: olm.package}
  message: use q
";

/// For each schema, the command lines whose answers are checked. `@name` is a catalog of
/// `tests/data/catalogs`.
const QUESTIONS: &[(&str, &[&str])] = &[
    (
        "validate",
        &[
            "validate odd --profile strict",
            "validate misnamed",
            "validate torn",
            "validate changed",
            "validate @harbor --profile strict",
            "validate @forked",
            "validate @reef",
            "validate long",
            "validate odd @forked",
            "validate odd --opm-version 1.60",
            "validate odd @forked --opm-version 1.60",
        ],
    ),
    (
        "explain",
        &[
            "explain",
            "explain channel-head-multiple",
            "explain stranded",
        ],
    ),
    (
        "list",
        &[
            "list packages odd",
            "list channels @forked",
            "list channels odd",
            "list bundles @harbor",
            "list bundles odd",
            "list packages torn",
        ],
    ),
    (
        "graph",
        &["graph odd", "graph @forked", "graph @harbor", "graph torn"],
    ),
    (
        "next",
        &[
            "next @harbor anchor-operator --installed anchor-operator.v1.0.0",
            "next odd --installed p.v1.1.0",
            "next odd --lens v1 --version >=9.0.0",
            "next odd",
            "next torn --installed p.v1.0.0",
            "next odd --manifest subscription.yaml",
            "next limited --installed p.v1.0.0 --cluster 4.18.3",
            "next limited --installed p.v1.0.0 --cluster 4.18.3 --lens v1",
            "next limited --installed p.v1.1.0 --cluster 4.18.3",
            "next limited --installed p.v0.9.0 --cluster 4.18.3",
            "next limited --installed p.v1.2.0 --cluster 4.18.3",
            "next narrow --lens v1 --catalog other=other:-1",
            "next odd --lens v1 --release-support",
        ],
    ),
    (
        "path",
        &[
            "path @harbor anchor-operator --installed anchor-operator.v1.0.0",
            "path odd --lens v1 --version >=9.0.0",
            "path torn --installed p.v1.0.0",
            "path odd --manifest subscription.yaml",
            "path limited --installed p.v0.9.0 --cluster 4.18.3",
            "path limited --installed p.v1.0.0 --cluster 4.18.3 --lens v1",
            "path narrow --lens v1 --catalog other=other:-1",
        ],
    ),
    (
        "range",
        &[
            "range >=1.0.0 1.2.0 0.9.0 x",
            "range ~1.2 1.2.3",
            "range --lens v1 ~1.2 1.2.3",
        ],
    ),
    (
        "resolve",
        &[
            "resolve --request request.json",
            "resolve --request unmet.json",
            "resolve --request torn.json",
            "resolve --request torn-unmet.json",
        ],
    ),
    (
        "diff",
        &[
            "diff @beacon/v4.19 @beacon/v4.20",
            "diff odd less",
            "diff odd changed",
            "diff odd torn",
            "diff ranged narrowed",
            "diff ranged widened",
            "diff ranged narrowed --installed in-use.txt",
            "diff held limited --cluster 4.18.3",
            "diff limited held --cluster 4.18.3",
            "diff held needy",
        ],
    ),
    (
        "crds",
        &[
            "crds old.yaml new.yaml",
            "crds old.yaml old.yaml",
            "crds old.yaml old.yaml --objects old.yaml",
            "crds limited --from 1.0.0",
            "crds limited --from 1.0.0 --bundles bundles",
            "crds limited --from 1.0.0 --bundles bundles --lens v1",
            "crds limited --bundles bundles",
            "crds odd --channel stable",
        ],
    ),
    (
        "edit",
        &[
            "edit odd set-replaces --channel stable --name p.v1.1.0 --replaces none",
            "edit semver.yaml promote --bundle p.v1.1.0 --to fast --bundles odd",
            "edit semver.yaml promote --bundle p.v1.1.0 --to stable --bundles odd",
            "edit semver.yaml remove-bundle --bundle p.v1.0.0 --bundles odd",
        ],
    ),
    (
        "matrix",
        &[
            "matrix v4.19=@beacon/v4.19 v4.20=@beacon/v4.20 beacon-operator",
            "matrix v4.19=odd v4.20=odd p",
            "matrix v4.19=odd v4.20=less p",
            "matrix v4.19=odd v4.20=torn p",
        ],
    ),
    ("version", &["version"]),
    (
        "repo-status",
        &["repo status @../repository", "repo status r"],
    ),
    (
        "repo-check",
        &[
            "repo check @../repository --operator lantern --bundle 0.3.0 --catalog v4.18",
            "repo check r --operator o",
        ],
    ),
    (
        "repo-release",
        &[
            "repo release @../repository --operator harbor --bundle 1.2.0 --image quay.io/example/harbor:v1.2.0",
            "repo release r --operator o --bundle 1.0.0 --image quay.io/p:v1",
        ],
    ),
    (
        "repo-promote",
        &["repo promote r --from v4.18 --to 4.19 --operator o --operator p"],
    ),
    (
        "repo-onboard",
        &["repo onboard r --operator o --catalog v4.17=odd/catalog.yaml"],
    ),
    (
        "repo-render",
        &["repo render @../repository", "repo render r"],
    ),
];

/// Folders of an operator repository with many errors: an unknown bundle, a catalog in two files,
/// an unreadable template and an unreadable `ci.yaml`.
const REPOSITORY: &[(&str, &str)] = &[
    (
        "r/operators/o/ci.yaml",
        "fbc:\n  enabled: true\n  catalog_mapping:\n  - {template_name: a.yaml, type: olm.template.basic, catalog_names: [v4.18]}\n  \
         - {template_name: b.yaml, type: olm.template.basic, catalog_names: [v4.17]}\n  \
         - {template_name: c.yaml, type: olm.template.basic, catalog_names: [v4.16]}\n",
    ),
    (
        "r/operators/o/catalog-templates/a.yaml",
        "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: p, defaultChannel: fast}\n\
         - {schema: olm.channel, package: p, name: fast, entries: [{name: p.v1.0.0}]}\n",
    ),
    (
        "r/operators/o/catalog-templates/b.yaml",
        "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: p, defaultChannel: fast}\n\
         - {schema: olm.bundle, image: 'quay.io/nobody:v1'}\n",
    ),
    ("r/operators/o/catalog-templates/c.yaml", "schema: [\n"),
    (
        "r/operators/o/1.0.0/manifests/p.clusterserviceversion.yaml",
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: p.v1.0.0}\nspec: {version: 1.0.0}\n",
    ),
    (
        "r/operators/o/1.0.0/metadata/annotations.yaml",
        "annotations:\n  operators.operatorframework.io.bundle.package.v1: p\n",
    ),
    (
        "r/operators/o/1.0.0/release-config.yaml",
        "catalog_templates:\n- {template_name: b.yaml, channels: [stable], defaultChannel: stable}\n",
    ),
    ("r/operators/p/ci.yaml", "fbc: [\n"),
    (
        "r/catalogs/v4.16/o/catalog.yaml",
        "schema: olm.package\nname: p\ndefaultChannel: stable\n",
    ),
    (
        "r/catalogs/v4.17/o/catalog.yaml",
        "schema: olm.package\nname: p\ndefaultChannel: stable\n",
    ),
    (
        "r/catalogs/v4.17/o/more.yaml",
        "schema: olm.channel\npackage: p\nname: stable\nentries: []\n",
    ),
    (
        "r/catalogs/v4.18/o/catalog.yaml",
        "schema: olm.package\nname: p\ndefaultChannel: stable\n",
    ),
];

#[test]
fn json_answers_match_their_schemas() {
    let folder = folder();
    REPOSITORY
        .iter()
        .for_each(|(path, text)| folder.write(path, text));
    let mut wrong = Vec::new();
    for (name, questions) in QUESTIONS {
        let mut schema = Schema::new(schema(name));
        for question in *questions {
            let words: Vec<String> = question.split(' ').map(with_catalog).collect();
            let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
            args.extend(["--format", "json"]);
            let run = folder.run(&args);
            assert!(
                !run.stdout.is_empty(),
                "switchyard {question}: {}",
                run.stderr
            );
            let problems = schema.check(&run.json());
            wrong.extend(
                problems
                    .into_iter()
                    .map(|problem| format!("switchyard {question}: {problem}")),
            );
        }
        wrong.extend(
            schema
                .unseen_properties()
                .into_iter()
                .map(|place| format!("{name}: no answer here has {place}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn with_catalog(word: &str) -> String {
    word.split_once('@').map_or_else(
        || word.to_owned(),
        |(before, name)| format!("{before}{}", catalog(name)),
    )
}

#[test]
fn every_command_that_answers_in_json_has_a_schema() {
    let folder = Folder::new(&[]);
    let help = folder.run(&["--help"]).stdout;
    let commands = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let commands = commands.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let mut answers = BTreeSet::new();
    let mut commands: Vec<String> = commands
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect();
    // The subcommands of `repo` have answers of different shapes.
    let of_repository = ["status", "check", "release", "promote", "onboard", "render"];
    commands.extend(of_repository.map(|operation| format!("repo-{operation}")));
    for command in &commands {
        let args: Vec<&str> = command.split('-').chain(["--help"]).collect();
        let help = folder.run(&args).stdout;
        if help.contains("- json:")
            || help.contains("[possible values: json")
            || help.contains(", json")
        {
            answers.insert(command.clone());
        }
    }
    let described: BTreeSet<String> = QUESTIONS
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let of_catalogs: BTreeSet<String> = WRITE_CATALOGS
        .iter()
        .map(|name| (*name).to_owned())
        .collect();
    assert_eq!(answers, &described | &of_catalogs);
    let files = test_support::files_below("docs/schemas", "json");
    let files: BTreeSet<String> = files
        .iter()
        .map(|file| {
            file.file_name()
                .unwrap()
                .to_string_lossy()
                .replace(".schema.json", "")
        })
        .collect();
    assert_eq!(
        files,
        &described | &BTreeSet::from(["configuration".to_owned()])
    );
}

/// The messages about a configuration file, without their places.
fn complaints(folder: &Folder, configuration: &str) -> Vec<String> {
    folder.write(".switchyard.yaml", configuration);
    let answer = folder.run(&["validate", "odd", "--format", "json"]).json();
    let invalid = answer["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|d| d["rule"] == "config-invalid");
    invalid.map(|d| d["message"].to_string()).collect()
}

#[test]
fn the_configuration_schema_matches_what_the_program_accepts() {
    let folder = folder();
    let rules = folder.run(&["explain", "--format", "json"]).json();
    let mut ids: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for rule in rules["rules"].as_array().unwrap() {
        ids.entry(rule["of"].as_str().unwrap())
            .or_default()
            .push(rule["rule"].as_str().unwrap());
    }
    let path = project().join("docs/schemas/configuration.schema.json");
    let mut schema_now = schema("configuration");
    schema_now["properties"]["rules"]["propertyNames"]["enum"] = json!(ids["ours"]);
    schema_now["properties"]["suppress"]["items"]["properties"]["rule"]["enum"] =
        json!(ids["ours"]);
    expect_test::expect_file![path].assert_eq(&format!("{schema_now:#}\n"));
    let mut schema = Schema::new(schema("configuration"));
    let yaml = |text: &str| serde_yaml::from_str::<Value>(text).unwrap();
    let page = read(&project().join("docs/configuration.md"));
    let mut right: Vec<String> = page
        .split("```yaml\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap().to_owned())
        .collect();
    assert!(
        !right.is_empty(),
        "docs/configuration.md shows a configuration"
    );
    for word in ["off", "on", "warning", "info", "'off'"] {
        right.push(format!("rules:\n  image-tag: {word}\n"));
    }
    right.push(ids["ours"].iter().fold("rules:\n".to_owned(), |text, id| {
        format!("{text}  {id}: off\n")
    }));
    right.push("suppress:\n- rule: image-tag\n  reason: known\n".to_owned());
    for text in right {
        assert_eq!(complaints(&folder, &text), Vec::<String>::new(), "{text}");
        assert_eq!(schema.check(&yaml(&text)), Vec::<String>::new(), "{text}");
    }
    assert_eq!(schema.unseen_properties(), Vec::<String>::new());
    let wrong = [
        "profile: lax\n".to_owned(),
        "profle: opm\n".to_owned(),
        "rules:\n  image-tag: error\n".to_owned(),
        "rules:\n  no-such-rule: off\n".to_owned(),
        format!("rules:\n  {}: off\n", ids["opm"][0]),
        "suppress:\n- rule: image-tag\n".to_owned(),
        "suppress:\n- rule: image-tag\n  reason: ''\n".to_owned(),
        "suppress:\n- reason: known\n".to_owned(),
        "suppress:\n- rule: image-tag\n  reason: known\n  entry: p\n".to_owned(),
    ];
    for text in wrong {
        assert_ne!(complaints(&folder, &text), Vec::<String>::new(), "{text}");
        assert_ne!(schema.check(&yaml(&text)), Vec::<String>::new(), "{text}");
    }
}

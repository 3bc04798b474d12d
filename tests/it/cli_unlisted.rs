//! Users of versions that the catalog does not list: output of `diff` and `edit` if a skipRange is
//! their only update.

use serde_json::json;
use test_support::Folder;

fn catalog(entries: &str) -> String {
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: quay.io/p:v{version}\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {version}}}\n"
        )
    };
    let bundles: String = ["2.0.0", "2.1.0", "2.2.0"].map(bundle).concat();
    format!(
        "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n{entries}{bundles}"
    )
}

const HEAD: &str = "- name: p.v2.1.0\n  skipRange: '>=1.0.0 <2.1.0'\n";

#[test]
fn diff_fails_where_the_only_range_is_removed() {
    let folder = Folder::new(&[
        ("old/c.yaml", &catalog(HEAD)),
        ("new/c.yaml", &catalog("- name: p.v2.1.0\n")),
    ]);
    for (deny, status) in [
        ("all", 1),
        ("errors", 1),
        ("stranded-unlisted", 1),
        ("edge-rewritten-unlisted", 1),
        ("channel-gone", 0),
        ("gained-unlisted", 0),
    ] {
        let run = folder.run(&["diff", "old", "new", "--deny", deny]);
        run.status(status);
        assert!(
            !run.stdout.contains("no installed version gets"),
            "{}",
            run.stdout
        );
        let line = ">=1.0.0 <2.1.0 (versions that the catalog does not list): before 2.1.0, now no update (error under OLM v1), Classic (c), OLM v1";
        assert!(run.stdout.contains(line), "{}", run.stdout);
    }
    let answer = folder.run(&["diff", "old", "new", "-o", "json"]).json();
    let package = &answer["packages"][0];
    let unlisted: Vec<_> = package["unlisted"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| {
            (
                of["from"].clone(),
                of["below"].clone(),
                of["lens"].clone(),
                of["error"].clone(),
            )
        })
        .collect();
    assert_eq!(
        unlisted,
        [
            (json!("1.0.0"), json!("2.1.0"), json!("v0"), json!(null)),
            (json!("1.0.0"), json!("2.1.0"), json!("v1"), json!("none")),
        ]
    );
    let markdown = folder.run(&["diff", "old", "new", "-o", "markdown"]).stdout;
    assert!(
        markdown.contains("&gt;=1.0.0 &lt;2.1.0 (versions that the catalog does not list)"),
        "{markdown}"
    );
    for wanted in [
        "1 version is affected (different next step or end of the path), **1 of them worse off**. Versions that the \
         catalog does not list are affected, too, **some of them worse off**. **3 invariants broken**, and 2 warnings.",
        "| p | 1 and unlisted | 1 and unlisted | 0 | 0 | 0 |",
        "It breaks 3 invariants</summary>",
    ] {
        assert!(markdown.contains(wanted), "{markdown}");
    }
}

#[test]
fn edits_that_remove_a_range_report_its_users() {
    let folder = Folder::new(&[(
        "cat/c.yaml",
        &catalog(&format!("- name: p.v2.0.0\n{HEAD}  replaces: p.v2.0.0\n")),
    )]);
    let expect_remark = |args: &[&str], wanted: &str| {
        let run = folder.run(&[&["edit", "cat"][..], args].concat());
        assert!(run.stderr.contains(wanted), "{args:?}\n{}", run.stderr);
    };
    expect_remark(
        &[
            "rebuild-edges",
            "--package",
            "p",
            "--channel",
            "c",
            "--rule",
            "skip-range",
        ],
        "users on >=1.0.0 <2.0.0 (versions that the catalog does not list)",
    );
    expect_remark(
        &["remove-bundle", "--package", "p", "--bundle", "p.v2.1.0"],
        "users on 2.1.0 lose their version or channel",
    );
    expect_remark(
        &[
            "set-skip-range",
            "--package",
            "p",
            "--channel",
            "c",
            "--name",
            "p.v2.1.0",
            "--skip-range",
            ">=1.0.0 <2.2.0",
        ],
        "users on >2.1.0 <2.2.0 (versions that the catalog does not list) go back to 2.1.0",
    );
}

#[test]
fn only_versions_in_use_are_reported() {
    let dump = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: operators.coreos.com/v1alpha1\n  kind: Subscription\n  metadata: {name: s, namespace: n}\n  spec: {name: p, channel: c, source: s, sourceNamespace: n}\n  status: {installedCSV: p.v1.2.0}\n";
    let folder = Folder::new(&[
        ("old/c.yaml", &catalog(HEAD)),
        ("new/c.yaml", &catalog("- name: p.v2.1.0\n")),
        ("dump.yaml", dump),
        (
            "names",
            "# ours\np.v1.2.0@1.2.0\np.v2.1.0\nq.v1.0.0 1.0.0\n",
        ),
        ("older", "p.v0.9.0 0.9.0\n"),
        ("nothing", "\n"),
    ]);
    let diff = |file: &str| {
        folder.run(&[
            "diff",
            "old",
            "new",
            "--installed",
            file,
            "--deny",
            "errors",
        ])
    };
    for file in ["dump.yaml", "names"] {
        let run = diff(file);
        run.status(1);
        assert!(
            run.stdout
                .contains("users on p.v1.2.0 (a version that the catalog does not list)"),
            "{}",
            run.stdout
        );
    }
    let run = diff("older");
    run.ok();
    assert!(
        run.stdout
            .contains("no version in use gets a different update"),
        "{}",
        run.stdout
    );
    diff("nothing").status(2);
}

#[test]
fn users_of_other_operators_are_left_out() {
    let csv = |properties: &str| {
        format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: other.v1.9.4\n  \
             namespace: n1\n{properties}spec:\n  version: 1.9.4\n"
        )
    };
    let of_other = "  annotations:\n    operatorframework.io/properties: '{\"properties\":[{\"type\":\"olm.package\",\
                    \"value\":{\"packageName\":\"other\",\"version\":\"1.9.4\"}}]}'\n";
    let folder = Folder::new(&[
        ("old/c.yaml", &catalog(HEAD)),
        ("new/c.yaml", &catalog("- name: p.v2.1.0\n")),
        ("list", "other.v1.9.4 1.9.4\n"),
        ("unstated.yaml", &csv("")),
        ("stated.yaml", &csv(of_other)),
        ("older-name", "p-v1.9.4 1.9.4\n"),
    ]);
    let diff = |file: &str| folder.run(&["diff", "old", "new", "--installed", file]);
    for file in ["list", "unstated.yaml", "stated.yaml"] {
        let run = diff(file);
        assert!(
            run.stderr.contains("`other.v1.9.4@1.9.4` is left out: "),
            "{}",
            run.stderr
        );
        assert!(
            run.stdout
                .contains("no version in use gets a different update"),
            "{}",
            run.stdout
        );
    }
    let run = diff("older-name");
    assert!(run.stdout.contains("users on p-v1.9.4"), "{}", run.stdout);
}

#[test]
fn a_channel_that_loses_an_entry_fails_the_extensions_that_name_it() {
    let two = |entries: &str| {
        catalog(entries).replacen(
            "---\nschema: olm.bundle",
            "---\nschema: olm.channel\npackage: p\nname: d\nentries:\n- name: p.v2.0.0\n---\nschema: olm.bundle",
            1,
        )
    };
    let folder = Folder::new(&[
        ("old/c.yaml", &catalog("- name: p.v2.0.0\n")),
        ("new/c.yaml", &two("- name: p.v2.1.0\n")),
        ("both/c.yaml", &two("- name: p.v2.0.0\n")),
        ("one/c.yaml", &catalog("- name: p.v2.0.0\n")),
    ]);
    let run = folder.run(&["diff", "old", "new", "--deny", "extension-fails"]);
    run.status(1);
    for wanted in [
        "names channel `c` get an error",
        "name channel `c` can no longer install it; without channels, OLM v1 still does",
    ] {
        assert!(run.stdout.contains(wanted), "{}", run.stdout);
    }
    let run = folder.run(&["diff", "both", "one"]);
    for wanted in [
        "everyone subscribed to d loses the channel",
        "a ClusterExtension that names it gets an error",
    ] {
        assert!(run.stdout.contains(wanted), "{}", run.stdout);
    }
}

#[test]
fn a_range_that_excludes_everything_is_called_so() {
    let folder = Folder::new(&[]);
    let run = folder.run(&["range", ">=4.3.0 <4.3.0", "4.3.0"]);
    assert!(
        run.stdout.contains("no version can satisfy it"),
        "{}",
        run.stdout
    );
}

//! Messages about mistakes that used to be silent, and corrections of wrong messages.

use test_support::Folder;

const PACKAGE: &str = "schema: olm.package\nname: p\ndefaultChannel: stable\n";

fn channel(entries: &str) -> String {
    format!("---\nschema: olm.channel\npackage: p\nname: stable\nentries:\n{entries}")
}

fn bundle(name: &str, version: &str, more: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: p\nname: {name}\nimage: q.io/o/p:v1\nproperties:\n- type: olm.package\n  value:\n    \
         packageName: p\n    version: '{version}'\n{more}"
    )
}

/// The output of `validate` for a catalog.
fn validate(catalog: &str) -> String {
    let folder = Folder::new(&[("catalog.yaml", catalog)]);
    folder.run(&["validate", "."]).stdout
}

fn one(entry: &str, more: &str) -> String {
    format!(
        "{PACKAGE}{}{}",
        channel(entry),
        bundle("p.v1.0.0", "1.0.0", more)
    )
}

#[test]
fn blobs_of_one_bundle_say_where_they_differ() {
    let other = bundle("p.v1.0.0", "1.0.1", "").replace("p:v1", "p:v2");
    let printed = validate(&one("- name: p.v1.0.0\n", &other));
    assert!(
        printed.contains("they differ at least in `image`, `properties`"),
        "{printed}"
    );
}

#[test]
fn a_misspelt_key_of_an_entry_is_reported_and_corrected() {
    for (key, value, correct_key) in [
        ("skipRanges", "'<1.0.0'", "skipRange"),
        ("skip-range", "'<1.0.0'", "skipRange"),
        ("olm.skipRange", "'<1.0.0'", "skipRange"),
        ("skip", "p.v0.9.0", "skips"),
        ("replace", "p.v0.9.0", "replaces"),
    ] {
        let text = one(&format!("- name: p.v1.0.0\n  {key}: {value}\n"), "");
        let printed = validate(&text);
        assert!(
            printed.contains(&format!(
                "warning[entry-key-misspelt] (not opm's): `opm` ignores the key `{key}` of entry `p.v1.0.0`"
            )),
            "{printed}"
        );
        assert!(printed.contains("--> catalog.yaml:10:3"), "{printed}");
        assert!(
            printed.contains(&format!("fix: write `{correct_key}`")),
            "{printed}"
        );
        assert!(printed.contains("passes opm validate"), "{printed}");
    }
    let doubled = validate(&one(
        "- name: p.v1.0.0\n  skipRange: '<0.2.0'\n  skiprange: '<0.9.0'\n",
        "",
    ));
    assert!(
        doubled.contains(
            "warning[entry-key-doubled] (not opm's): the key `skipRange` of entry `p.v1.0.0` does not count: `opm` reads `skiprange` \
             as the same key, after it"
        ),
        "{doubled}"
    );
    let repeated = validate(&one(
        "- name: p.v1.0.0\n  skipRange: '<0.2.0'\n  skipRange: '<0.9.0'\n",
        "",
    ));
    assert!(
        repeated.contains(
            "warning[entry-key-doubled] (not opm's): the key `skipRange` of entry `p.v1.0.0` is written again, and `opm` takes \
             the last value"
        ),
        "{repeated}"
    );
    let unknown = validate(&one("- name: p.v1.0.0\n  skipPatch: true\n", ""));
    assert!(
        unknown.contains(
            "info[entry-key-unknown] (not opm's): OLM ignores the key `skipPatch` of entry `p.v1.0.0`"
        ),
        "{unknown}"
    );
    let other_case = validate(&one("- name: p.v1.0.0\n  skiprange: '<0.9.0'\n", ""));
    assert!(!other_case.contains("entry-key"), "{other_case}");
}

#[test]
fn a_blob_with_a_misspelt_schema_is_reported() {
    for (schema, rule) in [
        ("olm.catalog.deprecation", "schema-misspelt"),
        ("olm.deprecation", "schema-misspelt"),
        ("deprecations", "schema-misspelt"),
        ("olm.package.channel", "schema-misspelt"),
        ("olm.deprecated", "schema-unknown"),
        ("olm.notes", "schema-unknown"),
    ] {
        for package in ["package: p\n", ""] {
            let text =
                one("- name: p.v1.0.0\n", "") + &format!("---\nschema: {schema}\n{package}x: 1\n");
            let printed = validate(&text);
            assert!(
                printed.contains(&format!("warning[{rule}]")),
                "{schema}: {printed}"
            );
        }
    }
    let own = one("- name: p.v1.0.0\n", "") + "---\nschema: example.com.channel\npackage: p\n";
    assert!(!validate(&own).contains("warning"));
}

#[test]
fn an_empty_bundle_object_is_reported_and_not_migrated() {
    for (value, message) in [
        ("ref: csv.yaml", "names the file `csv.yaml` with `ref`"),
        ("{}", "has no `data`"),
        ("data: ''", "has no `data`"),
        ("data: e30=", "has no `apiVersion` and `kind`"),
    ] {
        let text = one(
            "- name: p.v1.0.0\n",
            &format!("- type: olm.bundle.object\n  value:\n    {value}\n"),
        );
        let folder = Folder::new(&[("catalog.yaml", &text)]);
        let printed = folder.run(&["validate", "."]).stdout;
        assert!(
            printed.contains("warning[bundle-object-empty]") && printed.contains(message),
            "{value}: {printed}"
        );
        let migrated = folder.run(&["migrate", "."]);
        assert!(
            migrated.stderr.contains(
                "nothing to migrate: 1 bundle has no ClusterServiceVersion in the data of any `olm.bundle.object`"
            ),
            "{value}: {}",
            migrated.stderr
        );
    }
    let printed = validate(&one(
        "- name: p.v1.0.0\n",
        "- type: olm.csv.metadata\n  value: {}\n",
    ));
    assert!(
        printed.contains("warning[bundle-metadata-empty]"),
        "{printed}"
    );
}

#[test]
fn every_bad_related_image_is_reported() {
    let printed = validate(&one(
        "- name: p.v1.0.0\n",
        "relatedImages:\n- name: first\n  image: oci://q.io/o/a:v1\n- name: second\n  image: q.io/O/b:v1\n- name: third\n  \
         value: q.io/o/c:v1\n- relatedImage: q.io/o/d:v1\n",
    ));
    for message in [
        "error[related-image-pullspec]: related image `first` of bundle `p.v1.0.0` is not a valid pull spec",
        "error[related-image-pullspec]: related image `second` of bundle `p.v1.0.0` is not a valid pull spec (`q.io/O/b:v1`)",
        "warning[related-image-loose] (not opm's): related image `third` of bundle `p.v1.0.0` has no `image`: `opm` does not read `value`",
        "warning[related-image-loose] (not opm's): related image 4 of bundle `p.v1.0.0` has no `image`: `opm` does not read `relatedImage`",
        "fails opm validate: 2 errors",
    ] {
        assert!(printed.contains(message), "{message}\n{printed}");
    }
}

#[test]
fn help_texts_name_the_remedy() {
    let release = |release: &str| {
        let text = format!(
            "{PACKAGE}{}{}",
            channel("- name: p-v1.0.0-1\n"),
            bundle("p-v1.0.0-1", "1.0.0", "")
        );
        let version = "    version: '1.0.0'\n";
        validate(&text.replace(version, &format!("{version}    release: {release}\n")))
    };
    let number = release("1");
    assert!(
        number.contains("put the value in quotes: `'1'`"),
        "{number}"
    );
    let zeros = release("'01'");
    assert!(zeros.contains("write `'1'`"), "{zeros}");
    for (priority, help) in [
        (
            "high",
            "write a whole number, without quotes, or remove the field",
        ),
        ("'5'", "write the number without quotes: `5`"),
    ] {
        let text = one(
            "- name: p.v1.0.0\n",
            &format!(
                "- type: olm.channel\n  value: {{channelName: stable, priority: {priority}}}\n"
            ),
        );
        let printed = validate(&text);
        assert!(printed.contains(help), "{printed}");
    }
    let hash = validate(&format!(
        "{PACKAGE}{}{}",
        channel("- name: p.v1.2.3-0123\n"),
        bundle("p.v1.2.3-0123", "1.2.3-0123", "")
    ));
    assert!(hash.contains("`1.2.3-g0123`"), "{hash}");
}

#[test]
fn an_entry_named_after_an_image_is_renamed_and_not_removed() {
    let printed = validate(&one("- name: p.vq.io/o/p-bundle:v1.0.0\n", ""));
    assert!(
        printed.contains("fix: change `p.vq.io/o/p-bundle:v1.0.0` to `p.v1.0.0`"),
        "{printed}"
    );
    assert!(!printed.contains("remove entry"), "{printed}");
}

#[test]
fn another_number_is_not_a_misspelling() {
    let entries =
        "- name: p.v3.1.102\n  replaces: p.v3.1.101\n- name: p.v3.1.103\n  replaces: p.v3.1.101\n";
    let printed = validate(&format!(
        "{PACKAGE}{}{}{}",
        channel(entries),
        bundle("p.v3.1.102", "3.1.102", ""),
        bundle("p.v3.1.103", "3.1.103", "")
    ));
    assert!(!printed.contains("misspelling"), "{printed}");
    let first = printed.lines().find(|line| line.contains("fix: "));
    assert_eq!(
        first.map(str::trim),
        Some("fix: let `p.v3.1.103` replace `p.v3.1.102`"),
        "{printed}"
    );
}

#[test]
fn an_empty_folder_and_an_empty_description_are_treated_like_opm() {
    let folder = Folder::new(&[]);
    let run = folder.run(&["validate", ".", "--format", "opm"]);
    run.ok();
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    let init = folder.run(&["init", "p", "--description", "", "--icon", ""]);
    init.ok();
    assert_eq!(init.json()["name"], "p");
}

#[test]
fn the_verdict_of_diff_keeps_its_lines() {
    let catalog = |entries: &str| {
        format!(
            "{PACKAGE}{}{}{}",
            channel(entries),
            bundle("p.v1.0.0", "1.0.0", ""),
            bundle("p.v1.1.0", "1.1.0", "")
        )
    };
    let folder = Folder::new(&[
        (
            "old/catalog.yaml",
            &catalog("- name: p.v1.0.0\n- name: p.v1.1.0\n  replaces: p.v1.0.0\n"),
        ),
        (
            "new/catalog.yaml",
            &catalog("- name: p.v1.0.0\n- name: p.v1.1.0\n"),
        ),
    ]);
    let printed = folder.run(&["diff", "old", "new"]).stdout;
    assert!(
        printed.contains(
            "error: verdict: opm validate fails now: invalid index:\n  └── invalid package \"p\":\n"
        ),
        "{printed}"
    );
    assert!(!printed.contains('\u{fffd}'), "{printed}");
}

#[test]
fn a_skip_range_that_only_the_csv_has_is_reported() {
    let csv = "- type: olm.csv.metadata\n  value:\n    annotations: {olm.skipRange: '>=0.1.0 <1.0.0'}\n    displayName: P\n";
    let printed = validate(&one("- name: p.v1.0.0\n", csv));
    assert!(
        printed.contains(
            "info[skip-range-only-in-csv] (not opm's): the CSV of `p.v1.0.0` is annotated with skipRange `>=0.1.0 <1.0.0`, but its entry \
             in channel `stable` has none"
        ),
        "{printed}"
    );
    let with = validate(&one(
        "- name: p.v1.0.0\n  skipRange: '>=0.1.0 <1.0.0'\n",
        csv,
    ));
    assert!(!with.contains("skip-range-only-in-csv"), "{with}");
}

#[test]
fn messages_name_the_subscription() {
    let folder = Folder::new(&[
        ("catalog/catalog.yaml", &one("- name: p.v1.0.0\n", "")),
        (
            "sub.yaml",
            "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: mine, namespace: n}\nspec: {name: \
             p, channel: gone, source: s, sourceNamespace: olm}\n",
        ),
    ]);
    let run = folder.run(&["next", "catalog", "--manifest", "sub.yaml"]);
    let printed = run.stdout + &run.stderr;
    assert!(
        printed.contains("referenced by subscription mine, subscription mine exists"),
        "{printed}"
    );
}

#[test]
fn the_help_for_a_value_of_the_wrong_type_matches_it() {
    let channel_with = |entry: &str| one(&format!("- name: p.v1.0.0\n  {entry}\n"), "");
    let package_with = |line: &str| {
        let name = "name: p\n";
        one("- name: p.v1.0.0\n", "").replacen(name, &format!("{name}{line}\n"), 1)
    };
    for (text, help) in [
        (
            channel_with("skips: p.v0.9.0"),
            "write a list, also of one name: `[p.v0.9.0]`",
        ),
        (
            channel_with("replaces: []"),
            "write a text, or remove the field",
        ),
        (
            channel_with("skipRange: ['<1.0.0']"),
            "write a text, or remove the field",
        ),
        (
            package_with("icon: []"),
            "write an object, with a key and a value on each line",
        ),
        (
            package_with("icon: abc"),
            "write an object, with a key and a value on each line",
        ),
        (
            package_with("icon: {base64data: '@@'}"),
            "encode the file again",
        ),
        (
            package_with("icon: {base64data: 12}"),
            "`icon.base64data` must be a base64 text, but is a number",
        ),
        (
            channel_with("replaces: 1.0"),
            "put the value in quotes, as it is written",
        ),
    ] {
        let printed = validate(&text);
        assert!(printed.contains(help), "{help}: {printed}");
        assert!(!printed.contains("only quotes"), "{printed}");
    }
    let nameless = validate(&one("- name: p.v1.0.0\n", "").replacen("name: p\n", "name:\n", 1));
    assert!(nameless.contains("write the name"), "{nameless}");
    let tagged =
        validate(&one("- name: p.v1.0.0\n", "").replacen("name: p\n", "name: !!float 4.20\n", 1));
    assert!(!tagged.contains("fix: write"), "{tagged}");
}

#[test]
fn deprecations_that_opm_would_refuse_are_not_offered_as_a_fix() {
    let entry =
        "- reference:\n    schema: olm.bundle\n    name: p.v1.0.0\n  message: use another one\n";
    let catalog = |entries: &str| {
        format!(
            "{}---\nschema: olm.catalog.deprecation\npackage: p\nentries:\n{entries}",
            one("- name: p.v1.0.0\n", "")
        )
    };
    let once = validate(&catalog(entry));
    assert!(once.contains("fix: write `olm.deprecations`"), "{once}");
    let twice = validate(&catalog(&format!("{entry}{entry}")));
    assert!(
        twice.contains("did you mean `olm.deprecations`? `opm` refuses the blob as such: "),
        "{twice}"
    );
    assert!(!twice.contains("fix: write"), "{twice}");
    let unreadable = validate(&catalog("- message: 1\n"));
    assert!(!unreadable.contains("fix: write"), "{unreadable}");
}

#[test]
fn a_template_in_the_folder_of_a_catalog_is_reported() {
    let catalog = one("- name: p.v1.0.0\n", "");
    let template = "schema: olm.semver\nstable:\n  bundles:\n  - image: q.io/o/p:v1\n";
    let folder = Folder::new(&[("catalog.yaml", &catalog), ("semver.yaml", template)]);
    let printed = folder.run(&["validate", "."]).stdout;
    assert!(
        printed.contains(
            "info[template-in-catalog] (not opm's): OLM ignores the template of schema `olm.semver`"
        ),
        "{printed}"
    );
}

#[test]
fn a_catalog_without_metadata_is_reported_once() {
    let catalog = one("- name: p.v1.0.0\n", "");
    let other = catalog
        .replace("name: p\n", "name: q\n")
        .replace("package: p\n", "package: q\n")
        .replace("packageName: p\n", "packageName: q\n");
    let printed = |version: &str| {
        let (p, q) = (format!("{version}/p.yaml"), format!("{version}/q.yaml"));
        let folder = Folder::new(&[(&*p, &*catalog), (&*q, &*other)]);
        folder.run(&["validate", version]).stdout
    };
    let message = "info[catalog-metadata-missing] (not opm's): no bundle of the catalog has `olm.csv.metadata` or \
                   `olm.bundle.object`; OpenShift 4.17 needs `olm.csv.metadata`";
    let stdout = printed("v4.17");
    assert_eq!(stdout.matches(message).count(), 1, "{stdout}");
    let earlier = printed("v4.16");
    assert!(!earlier.contains("metadata-missing"), "{earlier}");
}

#[test]
fn a_blob_without_a_schema_has_one_problem() {
    let printed = validate(&format!(
        "{}---\npackage: p\n",
        one("- name: p.v1.0.0\n", "")
    ));
    assert!(printed.contains("blob-missing-schema"), "{printed}");
    assert!(!printed.contains("custom-schema-name"), "{printed}");
}

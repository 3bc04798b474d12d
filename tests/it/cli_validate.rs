//! The output of `validate` for people: source lines, causes, chains, fixes as commands; and
//! `--fix`.

use expect_test::{Expect, expect};
use std::fmt::Write;
use test_support::Folder;

/// A package `p` with default channel `stable` and bundles of these versions.
fn catalog(channels: &str, versions: &[&str]) -> String {
    let mut text = format!("schema: olm.package\nname: p\ndefaultChannel: stable\n---\n{channels}");
    for version in versions {
        write!(
            text,
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: q.io/o/p:v{version}\nproperties:\n\
             - type: olm.package\n  value: {{packageName: p, version: {version}}}\n"
        )
        .unwrap();
    }
    text
}

fn stable(entries: &str) -> String {
    format!("schema: olm.channel\npackage: p\nname: stable\nentries:\n{entries}")
}

fn check(files: &[(&str, &str)], expected: &Expect) {
    let run = Folder::new(files).run(&["validate", ".", "--profile", "opm"]);
    run.status(1);
    expected.assert_eq(&run.stdout);
}

#[test]
fn explains_two_heads_by_a_misspelt_name() {
    let entries = "- name: p.v1.0.0\n- name: p.v1.1.0\n  replaces: p.v1.0.0\n- name: p.v1.2.0\n  replaces: v1.1.0\n";
    check(
        &[(
            "catalog.yaml",
            &catalog(&stable(entries), &["1.0.0", "1.1.0", "1.2.0"]),
        )],
        &expect![[r#"
            error[channel-head-multiple]: channel `stable` has 2 heads: `p.v1.1.0`, `p.v1.2.0`
              --> catalog.yaml:10:9
                 |
              10 | - name: p.v1.1.0
                 |         ^^^^^^^^
              note: `p.v1.2.0` is a head too: catalog.yaml:12:9
              follows from: `p.v1.2.0` replaces `v1.1.0`, which is not in the channel and may be a misspelling of `p.v1.1.0`: catalog.yaml:13:13
              why: The head of a channel is the one entry that no other entry replaces or skips: new
                   installations get it, and upgrades end there. In `stable` nothing replaces or skips
                   `p.v1.2.0`, `p.v1.1.0`, so `opm` cannot tell which is the newest. `p.v1.2.0` replaces
                   `v1.1.0`, which is not in the channel: users of `v1.1.0` follow that edge, but it
                   connects no heads.

                   from head `p.v1.2.0`    from head `p.v1.1.0`
                   p.v1.2.0  (head)        p.v1.1.0  (head)
                   │ replaces              │ replaces
                   v1.1.0  (not there)     p.v1.0.0

              fix: set `replaces` of `p.v1.2.0` to `p.v1.1.0` instead of `v1.1.0` (--fix applies it)
                   then the head is `p.v1.2.0`
                   switchyard edit . set-replaces --package p --channel stable --name p.v1.2.0 --replaces p.v1.1.0 --write
              fix: let `p.v1.2.0` skip `p.v1.1.0`, and `p.v1.0.0`, which would be stranded
                   then the head is `p.v1.2.0`; from then on Classic upgrades nobody to `p.v1.1.0`, `p.v1.0.0`
                   switchyard edit . add-skip --package p --channel stable --name p.v1.2.0 --skip p.v1.1.0 --skip p.v1.0.0 --write

            fails opm validate: 1 error
        "#]],
    );
}

#[test]
fn shows_two_chains_side_by_side() {
    let mut entries = String::from("- name: p.v1.0.0\n");
    for patch in 1..14 {
        writeln!(
            entries,
            "- name: p.v1.0.{patch}\n  replaces: p.v1.0.{}",
            patch - 1
        )
        .unwrap();
    }
    entries += "- name: p.v1.1.0\n  replaces: p.v1.0.2\n  skipRange: <1.1.0\n";
    let versions: Vec<String> = (0..14)
        .map(|patch| format!("1.0.{patch}"))
        .chain(["1.1.0".to_owned()])
        .collect();
    let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
    check(
        &[("catalog.yaml", &catalog(&stable(&entries), &versions))],
        &expect![[r#"
            error[channel-head-multiple]: channel `stable` has 2 heads: `p.v1.0.13`, `p.v1.1.0`
              --> catalog.yaml:34:9
                 |
              34 | - name: p.v1.0.13
                 |         ^^^^^^^^^
              note: `p.v1.1.0` is a head too: catalog.yaml:36:9
              why: The head of a channel is the one entry that no other entry replaces or skips: new
                   installations get it, and upgrades end there. In `stable` nothing replaces or skips
                   `p.v1.1.0`, `p.v1.0.13`, so `opm` cannot tell which is the newest. The skipRange of
                   `p.v1.1.0` does not help: `opm` counts only `replaces` and `skips` here.

                   from head `p.v1.1.0`          from head `p.v1.0.13`
                   p.v1.1.0  (head)              p.v1.0.13  (head)
                   │ replaces                    │ replaces
                   p.v1.0.2  (in both chains)    p.v1.0.12
                   │ replaces                    │ replaces
                   p.v1.0.1                      p.v1.0.11
                   │ replaces                    │ replaces
                   p.v1.0.0                      p.v1.0.10
                                                 │ replaces
                                                 p.v1.0.9
                                                 │ replaces
                                                 ┊ 4 more
                                                 p.v1.0.4
                                                 │ replaces
                                                 p.v1.0.3
                                                 │ replaces
                                                 p.v1.0.2  (in both chains)

              fix: let `p.v1.1.0` replace `p.v1.0.13`
                   then the head is `p.v1.1.0`
                   switchyard edit . set-replaces --package p --channel stable --name p.v1.1.0 --replaces p.v1.0.13 --write
              fix: let `p.v1.1.0` skip 11 entries outside its chain
                   then the head is `p.v1.1.0`; from then on Classic upgrades nobody to `p.v1.0.13`, `p.v1.0.3`, `p.v1.0.4`, `p.v1.0.5` and 7 more
                   switchyard edit . add-skip --package p --channel stable --name p.v1.1.0 --skip p.v1.0.13 --skip p.v1.0.3 --skip p.v1.0.4 --skip p.v1.0.5 --skip p.v1.0.6 --skip p.v1.0.7 --skip p.v1.0.8 --skip p.v1.0.9 --skip p.v1.0.10 --skip p.v1.0.11 --skip p.v1.0.12 --write

            fails opm validate: 1 error
        "#]],
    );
}

#[test]
fn a_stranded_entry_a_cycle_and_a_file_that_is_not_a_catalog() {
    let entries = "- name: p.v1.0.0\n- name: p.v1.1.0\n  replaces: p.v1.0.0\n- name: p.v1.2.0\n  skips: [p.v1.1.0]\n";
    let ring = "---\nschema: olm.channel\npackage: p\nname: ring\nentries:\n- name: p.v1.0.0\n  replaces: p.v1.1.0\n\
                - name: p.v1.1.0\n  replaces: p.v1.0.0\n- name: p.v1.2.0\n  replaces: p.v1.1.0\n";
    let text = catalog(&(stable(entries) + ring), &["1.0.0", "1.1.0", "1.2.0"]);
    check(
        &[("README.md", "hello\n"), ("catalog.yaml", &text)],
        &expect![[r#"
            ── the catalog: 1 problem ──

            error[blob-not-object]: this is a string, but a blob must be an object
              --> README.md:1:1
                |
              1 | hello
                | ^^^^^
              help: write an object with a `schema`, or list the file in `.indexignore`
              fix: list `README.md` in `.indexignore`, if it is not part of the catalog
                   printf '%s\n' '{"op":"replace-text","file":".indexignore","at":"1:1-1:1","before":"","text":"/README.md\n"}' | switchyard edit . --stdin --write

            ── package `p`: 2 problems ──

            error[channel-stranded]: channel `stable` has stranded entries: `p.v1.0.0`
              --> catalog.yaml:9:9
                |
              9 | - name: p.v1.0.0
                |         ^^^^^^^^
              why: `opm` walks from the head `p.v1.2.0` along `replaces`. It ends at `p.v1.2.0`, which
                   replaces nothing. `p.v1.0.0` is neither on that walk nor skipped, so in Classic no
                   `replaces` or `skips` leads from there to the head.

                   from head `p.v1.2.0`    from `p.v1.0.0`
                   p.v1.2.0  (head)        p.v1.0.0  (stranded)
                   │ skips
                   p.v1.1.0  (skipped)

              fix: let `p.v1.2.0` replace `p.v1.0.0`
                   then the head is `p.v1.2.0`
                   switchyard edit . set-replaces --package p --channel stable --name p.v1.2.0 --replaces p.v1.0.0 --write
              fix: let the head `p.v1.2.0` skip `p.v1.0.0`
                   then the head is `p.v1.2.0`; from then on Classic upgrades nobody to `p.v1.0.0`
                   switchyard edit . add-skip --package p --channel stable --name p.v1.2.0 --skip p.v1.0.0 --write
              fix: remove `p.v1.0.0` from channel `stable`
                   then the head is `p.v1.2.0`
                   switchyard edit . remove-entry --package p --channel stable --name p.v1.0.0 --then relink --write

            error[channel-cycle]: entries of channel `ring` replace each other in a cycle: `p.v1.1.0`, `p.v1.0.0`
              --> catalog.yaml:20:13
                 |
              20 |   replaces: p.v1.1.0
                 |             ^^^^^^^^
              note: `p.v1.1.0` replaces `p.v1.0.0`: catalog.yaml:22:13
              why: `replaces` leads from a newer entry to an older one, so the chain must end. The edges of
                   `p.v1.1.0`, `p.v1.0.0` lead back to where they began; at least one of them leads from an
                   older entry to a newer one.

                   the cycle
                   p.v1.1.0  (in the cycle)
                   │ replaces
                   p.v1.0.0  (in the cycle)
                   │ replaces
                   p.v1.1.0  (in the cycle)

              fix: let `p.v1.0.0` replace nothing
                   then the head is `p.v1.2.0`
                   switchyard edit . set-replaces --package p --channel ring --name p.v1.0.0 --replaces none --write

            fails opm validate: 3 errors
        "#]],
    );
}

#[test]
fn reports_missing_objects_and_their_consequences() {
    let entries = "- name: p.v1.0.0\n- name: p.1.1.0\n  replaces: p.v1.0.0\n- name: p.v1.2.0\n  replaces: p.v1.1.0\n";
    let text = catalog(&stable(entries), &["1.0.0", "1.1.0"]);
    let broken = "schema: olm.bundle\npackage: p\nname: p.v1.2.0\nimage: [\n";
    let deprecated = "schema: olm.deprecations\npackage: p\nentries:\n\
                      - reference: {schema: olm.channel, name: stabel}\n  message: gone\n";
    check(
        &[
            ("p/catalog.yaml", &text),
            ("p/deprecations.yaml", deprecated),
            ("p/p.v1.2.0.yaml", broken),
        ],
        &expect![[r#"
            ── the catalog: 1 problem ──

            error[yaml-syntax]: did not find expected node content
              --> p/p.v1.2.0.yaml:5:1
              help: correct the text, or list the file in `.indexignore` if it is not part of the catalog

            ── package `p`: 5 problems ──

            error[channel-head-multiple]: p/catalog.yaml:10:9: channel `stable` has 2 heads: `p.1.1.0`, `p.v1.2.0`
              follows from: [entry-without-bundle] channel `stable` lists `p.1.1.0`, but there is no such bundle: p/catalog.yaml:10:9

            error[entry-without-bundle]: channel `stable` lists `p.1.1.0`, but there is no such bundle
              --> p/catalog.yaml:10:9
                 |
              10 | - name: p.1.1.0
                 |         ^^^^^^^
              why: Every entry needs a bundle: `opm` looks for an `olm.bundle` blob named `p.1.1.0` in
                   package `p` and finds none. Only names in `replaces` and `skips` may be absent.

                   similar bundles
                   p.v1.1.0  (did you mean this?)

              fix: change `p.1.1.0` to `p.v1.1.0`
                   then the head is `p.v1.2.0`
                   switchyard edit . replace-text --file p/catalog.yaml --at 10:9-10:16 --before p.1.1.0 --text p.v1.1.0 --write
              fix: remove entry `p.1.1.0` from channel `stable`
                   then the heads are `p.v1.0.0`, `p.v1.2.0`; the channel still has several heads
                   switchyard edit . remove-entry --package p --channel stable --name p.1.1.0 --then relink --write

            error[entry-without-bundle]: p/catalog.yaml:12:9: channel `stable` lists `p.v1.2.0`, but there is no such bundle
              follows from: [yaml-syntax] did not find expected node content: p/p.v1.2.0.yaml:5:1

            error[bundle-not-in-channel]: p/catalog.yaml:25:7: bundle `p.v1.1.0` is in no channel
              follows from: [entry-without-bundle] channel `stable` lists `p.1.1.0`, but there is no such bundle: p/catalog.yaml:10:9

            error[deprecation-channel-not-found]: deprecated channel `stabel` does not exist
              --> p/deprecations.yaml:4:42
                |
              4 | - reference: {schema: olm.channel, name: stabel}
                |                                          ^^^^^^
              why: `opm` attaches each deprecation to the channel it names, where users see the message.
                   Package `p` has no channel `stabel`, so nobody would see it.

                   channels of `p`
                   stable  (default channel, did you mean this?)

              fix: change `stabel` to `stable`
                   switchyard edit . replace-text --file p/deprecations.yaml --at 4:42-4:48 --before stabel --text stable --write
              fix: remove the deprecation of channel `stabel`
                   switchyard edit . undeprecate --package p --channel stabel --write

            fails opm validate: 6 errors (3 of them only follow from another)
        "#]],
    );
}

#[test]
fn many_problems_stay_readable() {
    let mut entries = String::new();
    for patch in 0..60 {
        writeln!(entries, "- name: p.v1.0.{patch}\n  skipRange: any").unwrap();
        if patch > 0 {
            writeln!(entries, "  replaces: p.v1.0.{}", patch - 1).unwrap();
        }
    }
    let versions: Vec<String> = (0..60).map(|patch| format!("1.0.{patch}")).collect();
    let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
    let run = Folder::new(&[("catalog.yaml", &catalog(&stable(&entries), &versions))]).run(&[
        "validate",
        ".",
        "--profile",
        "opm",
    ]);
    run.status(1);
    assert_eq!(run.stdout.matches("why:").count(), 3);
    assert_eq!(
        run.stdout
            .matches("error[skiprange-invalid]: catalog.yaml:")
            .count(),
        37
    );
    let end = "… and 20 more of skiprange-invalid (`--format json` lists all)\n\nfails opm validate: 60 errors\n";
    assert!(run.stdout.ends_with(end), "{}", run.stdout);
}

#[test]
fn safe_fixes_are_printed_or_written() {
    let entries = "- name: p.v1.0.0\n- name: p.v1.1.0\n  replaces: v1.0.0\n  skipRange: '>=0.1.0, <1.1.0' # all before\n";
    let text = catalog(&stable(entries), &["1.0.0", "1.1.0"]);
    let folder = Folder::new(&[("catalog.yaml", &text)]);
    let run = folder.run(&["validate", ".", "--fix"]);
    run.ok();
    expect![[r#"
        diff --git a/catalog.yaml b/catalog.yaml
        --- a/catalog.yaml
        +++ b/catalog.yaml
        @@ -8,8 +8,8 @@
         entries:
         - name: p.v1.0.0
         - name: p.v1.1.0
        -  replaces: v1.0.0
        -  skipRange: '>=0.1.0, <1.1.0' # all before
        +  replaces: p.v1.0.0
        +  skipRange: '>=0.1.0 <1.1.0' # all before
         ---
         schema: olm.bundle
         package: p
        passes opm validate
    "#]]
    .assert_eq(&run.stdout);
    expect![[r#"
        fixed: set `replaces` of `p.v1.1.0` to `p.v1.0.0` instead of `v1.0.0`
        fixed: write it as `>=0.1.0 <1.1.0`
    "#]]
    .assert_eq(&run.stderr);
    assert_eq!(
        folder.read("catalog.yaml"),
        text,
        "nothing is written unasked"
    );

    let run = folder.run(&["validate", ".", "--fix", "--format", "json"]);
    run.ok();
    assert!(
        run.json()["passed"].as_bool().unwrap() && run.stderr.contains("+  replaces: p.v1.0.0"),
        "{}",
        run.stderr
    );

    let run = folder.run(&["validate", ".", "--fix", "--write"]);
    run.ok();
    assert!(run.stderr.contains("wrote catalog.yaml"), "{}", run.stderr);
    let fixed = text
        .replace("replaces: v1.0.0", "replaces: p.v1.0.0")
        .replace(">=0.1.0, <1.1.0", ">=0.1.0 <1.1.0");
    assert_eq!(folder.read("catalog.yaml"), fixed);
    assert!(
        folder
            .run(&["validate", ".", "--fix"])
            .stderr
            .contains("no safe fixes")
    );
}

#[test]
fn ambiguous_problems_are_not_fixed() {
    // The unreadable channel may be the default one, so the other is not assumed to be.
    let text = catalog(
        "schema: olm.channel\npackage: p\nname: stable-v1\nentries: [{name: p.v1.0.0}]\n",
        &["1.0.0"],
    );
    let folder = Folder::new(&[
        ("catalog.yaml", &text),
        ("stable.yaml", "schema: olm.channel\npackage: p\nname: [\n"),
    ]);
    let run = folder.run(&["validate", ".", "--fix", "--format", "json"]);
    run.status(1);
    let json = run.json();
    let unset = json["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .find(|d| d["rule"] == "channel-empty")
        .unwrap();
    assert_eq!(unset["follows"]["file"], "stable.yaml");
    // Consequences of unreadable text get no fix.
    assert_eq!(unset["fixes"], serde_json::json!([]), "{unset}");
    assert_eq!(folder.read("catalog.yaml"), text);
    // Two equal heads: no tool can know which replaces the other.
    let text = catalog(
        &stable("- name: p.v1.0.0\n- name: p.v1.1.0\n"),
        &["1.0.0", "1.1.0"],
    );
    let folder = Folder::new(&[("catalog.yaml", &text)]);
    let run = folder.run(&["validate", ".", "--fix", "--write"]);
    run.status(1);
    assert!(
        run.stdout
            .contains("fix: let `p.v1.1.0` replace `p.v1.0.0`\n"),
        "{}",
        run.stdout
    );
    assert_eq!(folder.read("catalog.yaml"), text);
}

#[test]
fn an_older_opm_does_not_have_the_newer_rules() {
    let catalog = |entry: &str, bundle: &str| {
        format!(
            "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n\
             - {{name: {bundle}{entry}}}\n---\nschema: olm.bundle\npackage: p\nname: {bundle}\nimage: q/p:1\nproperties:\n\
             - type: olm.package\n  value: {{packageName: p, version: 1.0.0}}\n"
        )
    };
    let range = catalog(", skipRange: '~1'", "p.v1.0.0");
    let image = catalog("", "p.v1.0.0").replace("q/p:1", "https://q/p:1");
    let long = "a".repeat(21);
    let release = catalog("", &format!("p-v1.0.0-{long}")).replace(
        "version: 1.0.0",
        &format!("version: 1.0.0, release: {long}"),
    );
    for (text, rule, since) in [
        (&range, "skiprange-invalid", "1.69"),
        (&image, "bundle-image-pullspec", "1.64"),
        (&release, "bundle-release-format", "1.68"),
    ] {
        let folder = Folder::new(&[("catalog.yaml", text)]);
        let validate =
            |version: &str| folder.run(&["validate", ".", "-o", "json", "--opm-version", version]);
        let refused = validate(&format!("v{since}.0"));
        refused.status(1);
        let refused = refused.json();
        let problems = refused["diagnostics"].as_array().unwrap();
        let problem = problems.iter().find(|problem| problem["rule"] == rule);
        assert_eq!(problem.unwrap()["opm_since"], since, "{rule}");
        let minor: u16 = since[2..].parse().unwrap();
        let older = format!("1.{}", minor - 1);
        let accepted = validate(&older);
        accepted.ok();
        assert!(
            accepted
                .stderr
                .contains(&format!("nothing else about opm {older} is promised")),
            "{}",
            accepted.stderr
        );
        let accepted = accepted.json();
        assert_eq!(accepted["opm_version"], older);
        assert_eq!(accepted["opm_message"], serde_json::Value::Null);
    }
    let folder = Folder::new(&[("catalog.yaml", &range)]);
    let left_out = &folder
        .run(&["validate", ".", "-o", "json", "--opm-version", "1.64"])
        .json()["rules_left_out"];
    assert_eq!(*left_out, serde_json::json!(["skiprange-invalid"]));
    folder
        .run(&["validate", ".", "--opm-version", "4"])
        .status(2);
    let newer = folder.run(&["validate", ".", "--opm-version", "1.80"]);
    assert!(
        newer.stderr.contains("matches opm v1.74.0"),
        "{}",
        newer.stderr
    );
}

#[test]
fn a_rule_names_the_first_opm_version_that_refuses() {
    let folder = Folder::new(&[]);
    for (rule, message, since) in [
        ("skiprange-invalid", "refused since opm 1.69", "1.69"),
        (
            "channel-cycle",
            "refused since before opm 1.58",
            "before 1.58",
        ),
    ] {
        let text = folder.run(&["explain", rule]).stdout;
        assert!(text.contains(message), "{text}");
        let json = folder.run(&["explain", rule, "-o", "json"]).json();
        assert_eq!(json["rules"][0]["since"], since);
    }
    let advice = folder.run(&["explain", "image-tag", "-o", "json"]).json();
    assert_eq!(advice["rules"][0]["since"], serde_json::Value::Null);
}

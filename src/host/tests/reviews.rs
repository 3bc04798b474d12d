//! The review of a change reports the facts that its preview reported.

use super::*;
use protocol::counting::capitalize;

/// A catalog that refers to `p.v1.1.0` as `p.v1.11.0`, which does not exist.
const MISSPELT: &str = "---
schema: olm.package
name: p
defaultChannel: a
---
schema: olm.channel
package: p
name: a
entries:
- name: p.v1.0.0
- name: p.v1.11.0
  replaces: p.v1.0.0
- name: p.v1.2.0
  replaces: p.v1.11.0
";

#[test]
fn a_corrected_name_without_a_bundle_has_no_users() {
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: quay.io/x/y:v{version}\nproperties:\n- type: \
             olm.package\n  value: {{packageName: p, version: {version}}}\n"
        )
    };
    let text = ["1.0.0", "1.1.0", "1.2.0"].map(bundle).concat();
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("cat/p.yaml", format!("{MISSPELT}{text}").as_bytes())],
        )
        .unwrap();
    let correct = |line: u32, from: u32| EditOp::ReplaceText {
        catalog: None,
        file: "p.yaml".into(),
        at: format!("{line}:{from}-{line}:{}", from + 9),
        before: "p.v1.11.0".into(),
        text: "p.v1.1.0".into(),
        around: None,
    };
    let ops = || Json(vec![correct(11, 9), correct(14, 13)]);
    let preview = PreviewEdit {
        ops: ops(),
        scope: PreviewScope::Own,
    };
    let Ok(Previewed { consequences, .. }) = bench.host.answer(preview) else {
        panic!()
    };
    let Ok(applied) = bench.host.answer(Apply {
        ops: ops(),
        title: "Correct".into(),
        view: None,
    }) else {
        panic!()
    };
    let compare = Compare {
        old: Baseline::Disk,
        root: "cat".into(),
    };
    let Ok(compared) = bench.host.answer(compare) else {
        panic!()
    };
    let reviewed = bench.compare_package("cat", "p");
    let previewed = &consequences.tables[0];
    assert_eq!(previewed.broken, [], "nobody runs it");
    assert_eq!(
        (&applied.consequences.tables[0], &reviewed.table.broken),
        (previewed, &previewed.broken)
    );
    assert_eq!(compared.packages[0].errors, 0);
    assert_eq!(reviewed.table.headline, previewed.headline);
}

#[test]
fn the_bar_and_the_comparison_have_the_same_sentence() {
    let (mut bench, _) = Bench::sample();
    let op = EditOp::RemoveBundle {
        catalog: None,
        package: "lantern".into(),
        bundle: "lantern.v1.2.0".into(),
        then: DanglingEdges::Leave,
    };
    let Ok(applied) = bench.apply(op) else {
        panic!()
    };
    let compare = Compare {
        old: Baseline::Disk,
        root: "sample".into(),
    };
    let Ok(compared) = bench.host.answer(compare) else {
        panic!()
    };
    let compared = &compared.packages[0];
    let summary = &applied.consequences.summary;
    let (_, effect) = summary.split_once("; ").expect("a verdict and an effect");
    assert!(
        compared.errors > 0,
        "it breaks rules, which the sentence does not list"
    );
    let reviewed = bench.compare_package("sample", "lantern");
    assert_eq!(
        (reviewed.judgement, reviewed.table.headline),
        (applied.consequences.judgement, capitalize(effect))
    );
}

#[test]
fn a_deprecation_of_the_whole_package_solves_no_advice() {
    let head_is_deprecated = "---
schema: olm.package
name: p
defaultChannel: a
---
schema: olm.channel
package: p
name: a
entries:
- name: p.v1.0.0
---
schema: olm.bundle
package: p
name: p.v1.0.0
image: quay.io/x/y:v1.0.0
properties:
- type: olm.package
  value: {packageName: p, version: 1.0.0}
---
schema: olm.deprecations
package: p
entries:
- reference:
    schema: olm.bundle
    name: p.v1.0.0
  message: it loses data
";
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("cat/p.yaml", head_is_deprecated.as_bytes())],
        )
        .unwrap();
    let ops = serde_json::from_str(
        r#"[{"op":"deprecate","package":"p","message":"there will be no other"}]"#,
    )
    .unwrap();
    let preview = PreviewEdit {
        ops: Json(ops),
        scope: PreviewScope::Own,
    };
    let Ok(Previewed { consequences, .. }) = bench.host.answer(preview) else {
        panic!()
    };
    assert!(
        consequences
            .facts
            .iter()
            .all(|fact| !fact.text.contains("solved")),
        "{:?}",
        consequences.facts
    );
    assert_ne!(
        consequences.judgement,
        protocol::judgement::Judgement::Better
    );
}

/// Returns a package with one bundle in channel `a`; `more` are lines of its properties.
fn package(name: &str, more: &str) -> String {
    format!(
        "---
schema: olm.package
name: {name}
defaultChannel: a
---
schema: olm.channel
package: {name}
name: a
entries:
- name: {name}.v1.0.0
---
schema: olm.bundle
package: {name}
name: {name}.v1.0.0
image: quay.io/x/{name}:v1.0.0
properties:
- type: olm.package
  value: {{packageName: {name}, version: 1.0.0}}
{more}"
    )
}

fn new_problems(bench: &mut Bench, root: &str) -> Vec<(String, String)> {
    let compare = Compare {
        old: Baseline::Disk,
        root: root.into(),
    };
    let Ok(compared) = bench.host.answer(compare) else {
        panic!()
    };
    let new = compared.new_problems.iter();
    new.map(|problem| {
        (
            problem.0.rule.clone(),
            problem.0.package.clone().unwrap_or_default(),
        )
    })
    .collect()
}

#[test]
fn a_requirement_that_was_unmet_before_is_no_new_problem() {
    let needs = |package: &str| {
        format!(
            "- type: olm.package.required\n  value: {{packageName: {package}, versionRange: '>=1.0.0'}}\n"
        )
    };
    let files = [
        ("cat/p.yaml", package("p", &needs("absent"))),
        ("cat/q.yaml", package("q", "")),
        ("cat/r.yaml", package("r", &needs("q"))),
    ];
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, text)| (*path, text.as_bytes()))
        .collect();
    let mut bench = Bench::new();
    bench.open(OpenMode::Replace, &files).unwrap();
    let rules = |bench: &Bench| {
        let root = bench.host.session.root(Some("cat")).unwrap();
        root.problems_of("p")
            .map(|problem| problem.rule.clone())
            .collect::<Vec<_>>()
    };
    assert!(rules(&bench).contains(&"dependency-not-here".to_owned()));
    let deprecate = |package: &str| {
        let op = format!(r#"[{{"op":"deprecate","package":"{package}","message":"use another"}}]"#);
        serde_json::from_str::<Vec<EditOp>>(&op).unwrap().remove(0)
    };
    bench.apply(deprecate("q")).unwrap();
    let new = new_problems(&mut bench, "cat");
    assert!(new.iter().all(|(_, package)| package != "p"), "{new:?}");
    // A problem of another package counts as new if the edit causes it.
    bench
        .apply(EditOp::RemovePackage {
            catalog: None,
            package: "q".into(),
        })
        .unwrap();
    let new = new_problems(&mut bench, "cat");
    assert!(
        new.contains(&("dependency-not-here".to_owned(), "r".to_owned())),
        "{new:?}"
    );
    assert!(new.iter().all(|(_, package)| package != "p"), "{new:?}");
}

/// A typo hides the channel's document, so the effect on the package's users is unknown.
#[test]
fn an_edit_beside_unreadable_text_has_no_verdict() {
    let hidden = "---
schema: olm.channel
package: p
name: b
entries: [{name: p.v2.0.0}}]
";
    let second = "---
schema: olm.bundle
package: p
name: p.v2.0.0
image: quay.io/x/p:v2.0.0
properties:
- type: olm.package
  value: {packageName: p, version: 2.0.0}
";
    let text = format!("{}{second}{hidden}", package("p", ""));
    let mut bench = Bench::new();
    bench
        .open(OpenMode::Replace, &[("cat/p.yaml", text.as_bytes())])
        .unwrap();
    let ops =
        serde_json::from_str(r#"[{"op":"promote","package":"p","bundle":"p.v2.0.0","to":"a"}]"#)
            .unwrap();
    let preview = PreviewEdit {
        ops: Json(ops),
        scope: PreviewScope::Own,
    };
    let Ok(Previewed { consequences, .. }) = bench.host.answer(preview) else {
        panic!()
    };
    assert_eq!(
        consequences.judgement,
        protocol::judgement::Judgement::Unknown
    );
    assert_eq!(consequences.tables, []);
    assert!(
        consequences
            .reason
            .ends_with("cannot be read, so what this means for users of p is unknown"),
        "{}",
        consequences.reason
    );
    let texts: Vec<&str> = consequences
        .facts
        .iter()
        .map(|fact| fact.text.as_str())
        .collect();
    assert!(
        texts
            .iter()
            .all(|text| !text.contains("solved") && !text.contains("as before")),
        "{texts:?}"
    );
    // Once the text is readable, both verdicts are known, but the effect on users is still unknown.
    let lines = || text.lines().enumerate();
    let (at, typo) = lines().find(|(_, line)| line.contains("}}]")).unwrap();
    let (line, column) = (at + 1, typo.find("}}").unwrap() + 1);
    let Ok(applied) = bench.apply(EditOp::ReplaceText {
        catalog: None,
        file: "p.yaml".into(),
        at: format!("{line}:{column}-{line}:{}", column + 2),
        before: "}}".into(),
        text: "}".into(),
        around: None,
    }) else {
        panic!()
    };
    assert_eq!(
        applied.consequences.judgement,
        protocol::judgement::Judgement::Better
    );
    assert_eq!(applied.consequences.tables, []);
}

//! References that lack a version: the first fix of any of the problems makes the package pass.

use session::{self, Session};
use test_support::MemorySource;

const CHANNEL: &str = "schema: olm.channel\npackage: p\nname: stable\nentries:\n";

/// A package with versions 1.0.0 to 1.2.0, these entries and further blobs.
fn catalog(entries: &str, more: &str) -> String {
    let mut text =
        format!("schema: olm.package\nname: p\ndefaultChannel: stable\n---\n{CHANNEL}{entries}");
    for version in ["1.2.0", "1.1.0", "1.0.0"] {
        text += &format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: q.io/o/p:v{version}\nproperties:\n\
             - type: olm.package\n  value: {{packageName: p, version: {version}}}\n"
        );
    }
    text + more
}

/// The head replaces `replaces`, and the middle entry is named `name`.
fn chain(replaces: &str, name: &str) -> String {
    format!(
        "- name: p.v1.2.0\n  replaces: {replaces}\n- name: {name}\n  replaces: p.v1.0.0\n- name: p.v1.0.0\n"
    )
}

fn open(text: &str) -> Session {
    let (files, source) =
        MemorySource::with_files(vec![("c.yaml".to_owned(), text.as_bytes().to_vec())]);
    session::open_one("dir", files, source)
}

/// Tries the first fix of each problem for which `opm` refuses the catalog; returns their titles.
fn first_fixes(text: &str) -> Vec<String> {
    let verdict = open(text).roots()[0].verdict().clone();
    assert!(!verdict.passed, "is in order:\n{text}");
    let refused = verdict.diagnostics.iter().filter(|problem| problem.opm);
    let titles = refused.map(|problem| {
        let fix = problem
            .fixes
            .first()
            .unwrap_or_else(|| panic!("no way out of: {}", problem.message));
        let mut session = open(text);
        session
            .apply(&fix.title, &fix.ops)
            .unwrap_or_else(|refused| panic!("{}: {}", fix.title, refused.reason));
        let left = session.roots()[0].verdict();
        assert!(
            left.passed,
            "{} ({}): {}: {:?}",
            problem.rule, problem.message, fix.title, left.opm_message
        );
        fix.title.clone()
    });
    titles.collect()
}

/// Checks that this is the first fix of all problems.
fn check(text: &str, title: &str) {
    let mut titles = first_fixes(text);
    titles.dedup();
    assert_eq!(titles, [title], "{text}");
}

fn change(name: &str) -> String {
    format!("change `{name}` to `p.v1.1.0`")
}

#[test]
fn an_entry_whose_last_number_is_left_out() {
    check(
        &catalog(&chain("p.v1.1.0", "p.v1.1"), ""),
        &change("p.v1.1"),
    );
    check(&catalog(&chain("p.v1.1", "p.v1.1"), ""), &change("p.v1.1"));
}

#[test]
fn an_entry_with_a_blank_at_its_end() {
    check(
        &catalog(&chain("p.v1.1.0", "\"p.v1.1.0 \""), ""),
        &change("p.v1.1.0 "),
    );
    check(
        &catalog(&chain("' p.v1.1.0'", "\" p.v1.1.0\""), ""),
        &change(" p.v1.1.0"),
    );
}

#[test]
fn an_entry_and_an_edge_with_a_letter_for_a_number() {
    check(
        &catalog(&chain("p.v1.1.O", "p.v1.1.O"), ""),
        &change("p.v1.1.O"),
    );
    check(
        &catalog(&chain("p.v1.1.0", "p.v1.1.O"), ""),
        &change("p.v1.1.O"),
    );
    check(
        &catalog(&chain("p.v1.l.0", "p.v1.l.0"), ""),
        &change("p.v1.l.0"),
    );
}

#[test]
fn a_bundle_whose_name_is_the_wrong_one() {
    let whole = catalog(&chain("p.v1.1.0", "p.v1.1.0"), "");
    for wrong in ["p.v1.1", "p.v1.1.O", "'p.v1.1.0 '"] {
        let text = whole.replace("name: p.v1.1.0\nimage", &format!("name: {wrong}\nimage"));
        let name = wrong.trim_matches('\'');
        check(&text, &format!("rename bundle `{name}` to `p.v1.1.0`"));
    }
}

#[test]
fn an_entry_that_is_like_no_name_where_one_bundle_is_left() {
    check(
        &catalog(&chain("p.v1.1.0", "middle"), ""),
        &change("middle"),
    );
    check(
        &catalog(&chain("p.v1.1.7", "p.v1.1.7"), ""),
        &change("p.v1.1.7"),
    );
    // A cycle would not pass.
    let circle = "- name: p.v1.2.0\n  replaces: p.v1.1.0\n- name: top\n  replaces: p.v1.2.0\n- name: p.v1.0.0\n";
    let verdict = open(&catalog(circle, "")).roots()[0].verdict().clone();
    assert!(
        verdict
            .diagnostics
            .iter()
            .flat_map(|problem| &problem.fixes)
            .all(|fix| !fix.title.starts_with("change `top`"))
    );
}

#[test]
fn an_entry_too_many_is_taken_out() {
    let extra = "- name: p.v1.1.O\n  replaces: p.v1.0.0\n";
    let titles = first_fixes(&catalog(
        &format!("{}{extra}", chain("p.v1.1.0", "p.v1.1.0")),
        "",
    ));
    let expected = [
        "remove `p.v1.1.O` from channel `stable`",
        "remove entry `p.v1.1.O` from channel `stable`",
    ];
    assert_eq!(titles, expected);
    // With two heads, the heads are the problem that one fix solves.
    let text = catalog(
        &format!(
            "{}{extra}{}",
            chain("p.v1.1.0", "p.v1.1.0"),
            extra.replace("1.1.O", "1.2.O")
        ),
        "",
    );
    let mut session = open(&text);
    let heads = session.roots()[0].verdict().diagnostics[0].clone();
    assert_eq!(
        heads.fixes[0].title,
        "remove the 2 entries without a bundle from channel `stable`"
    );
    session.apply("heads", &heads.fixes[0].ops).unwrap();
    assert!(session.roots()[0].verdict().passed);
}

#[test]
fn an_entry_too_many_that_the_head_replaces_is_taken_out_of_the_chain() {
    let extra = "- name: p.v1.1.0\n  replaces: p.v1.0.0\n";
    let text = catalog(&format!("{}{extra}", chain("p.v1.1.O", "p.v1.1.O")), "");
    let mut session = open(&text);
    let problem = session.roots()[0].verdict().diagnostics[0].clone();
    assert_eq!(
        problem.fixes[0].title,
        "change `p.v1.1.O` to `p.v1.1.0` in `replaces` and `skips`, and remove entry `p.v1.1.O`"
    );
    session.apply("twin", &problem.fixes[0].ops).unwrap();
    assert!(session.roots()[0].verdict().passed);
}

#[test]
fn a_misspelt_entry_in_all_channels_and_its_deprecation() {
    let entries = chain("p.v1.1.O", "p.v1.1.O");
    let deprecated = "---\nschema: olm.deprecations\npackage: p\nentries:\n\
                      - reference: {schema: olm.bundle, name: p.v1.1.O}\n  message: gone\n";
    let other = format!("---\n{}{entries}", CHANNEL.replace("stable", "candidate"));
    let title = change("p.v1.1.O");
    check(&catalog(&entries, &other), &title);
    check(&catalog(&entries, deprecated), &title);
    check(&catalog(&entries, &format!("{other}{deprecated}")), &title);
}

#[test]
fn a_deprecation_with_a_letter_for_a_number_keeps_its_message() {
    let deprecated = |name: &str| {
        let blob = format!(
            "---\nschema: olm.deprecations\npackage: p\nentries:\n\
             - reference:\n    schema: olm.bundle\n    name: {name}\n  message: gone\n"
        );
        catalog(&chain("p.v1.1.0", "p.v1.1.0"), &blob)
    };
    for name in ["p.v1.0.O", "p.v1.0", "'p.v1.0.0 '"] {
        let name_read = name.trim_matches('\'');
        check(
            &deprecated(name),
            &format!("change `{name_read}` to `p.v1.0.0`"),
        );
    }
    // Another version is another bundle, even if it looks similar.
    for name in ["p.v1.0.1", "p.v1.3.O"] {
        check(
            &deprecated(name),
            &format!("remove the deprecation of bundle `{name}`"),
        );
    }
}

#[test]
fn a_skip_is_rewritten_in_place() {
    // A rebuild of 1.1.0 has the lower version and skips it.
    let entries = |skip: &str| {
        format!(
            "- name: p.v1.2.0\n  replaces: p.v1.1.0-1\n  skips: [p.v1.0.1, p.v1.0.2]\n- name: p.v1.1.0-1\n  replaces: \
             p.v1.0.0\n  skips:\n  - p.v0.9.0\n  - {skip}\n  - p.v0.8.0\n- name: p.v1.1.0\n- name: p.v1.0.0\n"
        )
    };
    let rebuilt = "---\nschema: olm.bundle\npackage: p\nname: p.v1.1.0-1\nimage: q.io/o/p:r\nproperties:\n- type: \
                   olm.package\n  value: {packageName: p, version: 1.1.0-1}\n";
    let whole = catalog(&entries("p.v1.1.0"), rebuilt);
    assert!(open(&whole).roots()[0].verdict().passed);
    let mut session = open(&catalog(&entries("p.v1.1.00"), rebuilt));
    let heads = session.roots()[0].verdict().diagnostics[0].clone();
    session.apply("skip", &heads.fixes[0].ops).unwrap();
    let path = session.files().paths().next().unwrap().to_owned();
    assert_eq!(
        String::from_utf8(session.files().bytes(&path).unwrap()).unwrap(),
        whole,
        "{:?}",
        heads.fixes[0]
    );
}

#[test]
fn bundles_without_a_package_get_one_and_a_channel() {
    let bundles = ["1.10.0", "1.9.0"].map(|version| {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: q.io/o/p:v{version}\nproperties:\n\
             - type: olm.package\n  value: {{packageName: p, version: {version}}}\n"
        )
    });
    let text = bundles.concat();
    let fix = open(&text).roots()[0].verdict().diagnostics[0].fixes[0].clone();
    assert_eq!(
        fix.title,
        "add package `p` and channel `stable`, which lists its bundles in the order of their versions"
    );
    let mut session = open(&text);
    session.apply(&fix.title, &fix.ops).unwrap();
    let root = &session.roots()[0];
    assert!(root.verdict().passed, "{:?}", root.verdict().opm_message);
    let package = root.catalog().package("p").unwrap();
    let entries: Vec<(&str, &str)> = package.channels[0]
        .entries
        .iter()
        .map(|entry| (entry.name.as_str(), entry.replaces.as_str()))
        .collect();
    assert_eq!(entries, [("p.v1.9.0", ""), ("p.v1.10.0", "p.v1.9.0")]);
}

#[test]
fn a_channel_without_a_package_gets_one() {
    let all = catalog(&chain("p.v1.1.0", "p.v1.1.0"), "");
    let text = all
        .strip_prefix("schema: olm.package\nname: p\ndefaultChannel: stable\n")
        .unwrap();
    let problems = open(text).roots()[0].verdict().diagnostics.clone();
    let offers: Vec<_> = problems.iter().flat_map(|problem| &problem.fixes).collect();
    let [fix] = &offers[..] else {
        panic!("one fix for all: {offers:?}")
    };
    assert_eq!(fix.title, "add package `p` with default channel `stable`");
    let mut session = open(text);
    session.apply(&fix.title, &fix.ops).unwrap();
    assert!(session.roots()[0].verdict().passed);
}

//! Tests the meaning of conditions, and the error messages of malformed ones.

use super::*;
use catalog::index::index_bytes;
use catalog::model::FileId;
use catalog::{Catalog, Content, TreeEntry};
use std::sync::Arc;

/// Returns which of the versions 1.1.0, 1.2.0-rc.1, 1.2.0 and 1.3.0 meet the condition. The first
/// has an API, the second no channel.
fn meets(condition: &str) -> Vec<&'static str> {
    const BUNDLES: [(&str, &str, &[&str]); 4] = [
        ("1.1.0", "olm.gvk", &["stable", "fast"]),
        ("1.2.0-rc.1", "x", &[]),
        ("1.2.0", "x", &["stable"]),
        ("1.3.0", "x", &["fast"]),
    ];
    let text: String = BUNDLES
        .iter()
        .map(|(version, kind, _)| {
            format!(
                "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: quay.io/p/p:{version}\nproperties:\n\
                 - {{type: olm.package, value: {{packageName: p, version: {version}}}}}\n- {{type: {kind}, value: {{}}}}\n"
            )
        })
        .collect();
    let content = Content::Indexed(Arc::new(index_bytes(text.as_bytes())));
    let catalog = Catalog::new(
        "c",
        vec![TreeEntry {
            id: FileId(0),
            path: "c.yaml".to_owned(),
            content,
        }],
    );
    let package = catalog.package("p").expect("named by its bundles");
    let condition = Condition::parse(condition).expect("a condition");
    let listed = package.bundles.iter().zip(&BUNDLES);
    listed
        .filter(|(bundle, (.., channels))| condition.matches(bundle, channels))
        .map(|(_, (version, ..))| *version)
        .collect()
}

#[test]
fn conditions_test_versions_texts_channels_and_properties() {
    for (condition, versions) in [
        ("version >=1.2.0 <1.3.0", &["1.2.0"][..]),
        ("version>=1.2.0-0 < 1.3.0", &["1.2.0-rc.1", "1.2.0"]),
        ("version = 1.2.x", &["1.2.0"]),
        ("version !=1.2.0 and channel=stable", &["1.1.0"]),
        ("name = p.v1.3.0", &["1.3.0"]),
        ("name~rc", &["1.2.0-rc.1"]),
        ("image ~ ':1.2.0'", &["1.2.0-rc.1", "1.2.0"]),
        ("image=\"quay.io/p/p:1.1.0\"", &["1.1.0"]),
        ("channel != stable", &["1.2.0-rc.1", "1.3.0"]),
        ("channel~a", &["1.1.0", "1.2.0", "1.3.0"]),
        ("has olm.gvk", &["1.1.0"]),
        ("has 'nothing like it'", &[]),
    ] {
        assert_eq!(meets(condition), versions, "{condition}");
    }
}

#[test]
fn not_binds_tighter_than_and_which_binds_tighter_than_or() {
    for (condition, versions) in [
        ("not name~rc and version <1.3.0", &["1.1.0", "1.2.0"][..]),
        (
            "name~rc or has olm.gvk and channel=fast",
            &["1.1.0", "1.2.0-rc.1"],
        ),
        ("(name~rc or has olm.gvk) and channel=fast", &["1.1.0"]),
        ("not (name~rc or has olm.gvk)", &["1.2.0", "1.3.0"]),
        ("not not has olm.gvk", &["1.1.0"]),
        (
            "not has x or has x and not name~rc",
            &["1.1.0", "1.2.0", "1.3.0"],
        ),
    ] {
        assert_eq!(meets(condition), versions, "{condition}");
    }
}

#[test]
fn errors_have_a_position() {
    for (condition, reason) in [
        ("", "1: expected a condition, found the end"),
        ("ä = b", "1: unknown field `ä`"),
        ("name=ä and verison >1.0.0", "12: unknown field `verison`"),
        (
            "version 1.2.0",
            "9: expected a comparison after `version`, such as `>=1.2.0`",
        ),
        (
            "version",
            "8: expected a comparison after `version`, such as `>=1.2.0`",
        ),
        (
            "version >=1.2.0 <1.3",
            "17: `<1.3` is not a version comparison",
        ),
        ("version >= and", "9: `>=and` is not a version comparison"),
        ("name", "5: expected `=`, `!=` or `~` after `name`"),
        (
            "name >= x",
            "6: expected `=`, `!=` or `~` after `name`, found `>=`",
        ),
        ("name=", "6: expected a value, found the end"),
        ("name=(", "6: expected a value, found `(`"),
        ("name='x", "6: this quote is not closed"),
        (
            "name=x channel=y",
            "8: expected `and`, `or` or the end, found `channel`",
        ),
        ("(name=x", "1: this `(` is not closed"),
        ("name=x)", "7: this `)` closes nothing"),
        ("not", "4: expected a condition, found the end"),
        ("name=x and )", "12: expected a condition, found `)`"),
        ("has", "4: expected a property's type, found the end"),
    ] {
        let refused = Condition::parse(condition).expect_err(condition);
        assert_eq!(
            refused.reason,
            format!("the condition cannot be read at character {reason}")
        );
        assert!(!refused.help.is_empty());
    }
    assert_eq!(
        Condition::parse("verison >1.0.0")
            .expect_err("no field")
            .help,
        "did you mean `version`?"
    );
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let deep = format!("{}name=x{}", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(
        Condition::parse(&deep).map(|condition| condition.steps.len()),
        Ok(1)
    );
    let negated = format!("{}has x", "not ".repeat(100_001));
    assert_eq!(meets(&negated), ["1.1.0"]);
}

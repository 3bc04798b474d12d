//! Values that an operation refuses because they are useless, and entries that are listed again.

use protocol::operation::{Choice, DanglingEdges, EditOp, PromoteAs};
use session::{self, Session};
use test_support::MemorySource;

const TEXT: &str = "\
schema: olm.package
name: p
defaultChannel: c
---
schema: olm.channel
package: p
name: c
entries:
- name: p.v1.0.0
- name: p.v1.1.0
  replaces: p.v1.0.0
- name: p.v1.0.0
- name: p.v1.2.0
  replaces: p.v1.1.0
- name: p.v1.2.0
  replaces: p.v1.0.0
---
schema: olm.channel
package: p
name: d
entries:
- name: p.v1.0.0
";

fn open() -> Session {
    let mut text = TEXT.to_owned();
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        text += &format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: q.io/o/p:v{version}\nproperties:\n\
             - type: olm.package\n  value: {{packageName: p, version: {version}}}\n"
        );
    }
    let (files, source) =
        MemorySource::with_files(vec![("catalog.yaml".to_owned(), text.into_bytes())]);
    session::open_one("dir", files, source)
}

fn refusal_of(op: EditOp) -> (String, String) {
    let refused = open().apply("x", &[op]).expect_err("refused");
    (refused.reason, refused.help)
}

fn p() -> String {
    "p".to_owned()
}

#[test]
fn a_deprecation_needs_a_message() {
    for message in ["", "  \n"] {
        let (package, message) = (p(), message.to_owned());
        let (reason, help) = refusal_of(EditOp::Deprecate {
            catalog: None,
            package,
            channel: Some("c".to_owned()),
            bundle: None,
            message,
        });
        assert_eq!(reason, "the deprecation of channel `c` has no message");
        assert!(help.contains("what to use instead"), "{help}");
    }
}

#[test]
fn a_range_that_cannot_be_read_is_not_written() {
    let range = ">=1.0.0, <1.1.0".to_owned();
    let (channel, name) = ("d".to_owned(), "p.v1.0.0".to_owned());
    let set = EditOp::SetSkipRange {
        catalog: None,
        package: p(),
        channel,
        name,
        skip_range: Some(range.clone()),
    };
    let promote = EditOp::Promote {
        catalog: None,
        package: p(),
        bundle: "p.v1.1.0".to_owned(),
        to: "d".to_owned(),
        how: Some(PromoteAs::Head),
        replaces: Choice::Default,
        skip_range: Choice::Value(range),
    };
    for op in [set, promote] {
        let (reason, help) = refusal_of(op);
        assert!(
            reason.starts_with("`>=1.0.0, <1.1.0` is not a version range: "),
            "{reason}"
        );
        assert_eq!(help, "did you mean `>=1.0.0 <1.1.0`?");
    }
}

fn remove(name: &str) -> EditOp {
    let (channel, name) = ("c".to_owned(), name.to_owned());
    EditOp::RemoveEntry {
        catalog: None,
        package: p(),
        channel,
        name,
        then: DanglingEdges::Relink,
    }
}

#[test]
fn the_last_listing_of_a_duplicate_entry_is_removed() {
    let mut session = open();
    let before = session.files().bytes("catalog.yaml").unwrap();
    session.apply("x", &[remove("p.v1.0.0")]).unwrap();
    let after = String::from_utf8(session.files().bytes("catalog.yaml").unwrap()).unwrap();
    let expected = String::from_utf8(before).unwrap().replacen(
        "  replaces: p.v1.0.0\n- name: p.v1.0.0\n",
        "  replaces: p.v1.0.0\n",
        1,
    );
    assert_eq!(after, expected);
}

#[test]
fn listings_that_differ_are_left_to_the_user() {
    let (reason, help) = refusal_of(remove("p.v1.2.0"));
    assert_eq!(reason, "channel `c` lists `p.v1.2.0` more than once");
    assert!(help.starts_with("they differ"), "{help}");
    let other = EditOp::SetReplaces {
        catalog: None,
        package: p(),
        channel: "c".to_owned(),
        name: "p.v1.0.0".to_owned(),
        replaces: None,
    };
    let (_, help) = refusal_of(other);
    assert!(
        help.starts_with("`remove-entry` removes the duplicates"),
        "{help}"
    );
}

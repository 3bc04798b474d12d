//! Operations on semver templates.

use super::super::{Session, open};
use catalog::testing::MemorySource;
use protocol::operation::{Choice, DanglingEdges, EditOp};
use std::rc::Rc;

const TEMPLATE: &str = "---\n# lists\nSchema: olm.semver\nGenerateMajorChannels: true\nGenerateMinorChannels: true\nCandidate:\n  Bundles:\n  - Image: q/p:v1.0.0\n  - Image: q/p:v1.1.0   # newest\nFast:\n  Bundles:\n  - Image: q/p:v1.0.0\n";

fn catalog() -> String {
    ["1.0.0", "1.1.0", "1.2.0"]
        .iter()
        .map(|n| {
            format!(
                "---\nschema: olm.bundle\npackage: p\nname: p.v{n}\nimage: q/p:v{n}\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {n}}}\n"
            )
        })
        .collect()
}

fn open_session(template: &str) -> Session {
    let host = Rc::new(MemorySource::default());
    let files = vec![
        host.add(0, "top/p/catalog.yaml", catalog()),
        host.add(1, "top/semver.yaml", template),
    ];
    open(files, host)
}

fn text(session: &Session) -> String {
    String::from_utf8(session.files().bytes("top/semver.yaml").expect("open")).expect("text")
}

fn promote(catalog: &str, bundle: &str, to: &str) -> EditOp {
    EditOp::Promote {
        catalog: Some(catalog.to_owned()),
        package: "p".to_owned(),
        bundle: bundle.to_owned(),
        to: to.to_owned(),
        how: None,
        replaces: Choice::Default,
        skip_range: Choice::Default,
    }
}

#[test]
fn a_promotion_is_an_image_in_the_channels_list() {
    let mut session = open_session(TEMPLATE);
    let name = session.show_rendered("semver.yaml").expect("rendered");
    session
        .apply("edit", &[promote(&name, "p.v1.1.0", "fast-v1.1")])
        .expect("applied");
    assert_eq!(text(&session), format!("{TEMPLATE}  - Image: q/p:v1.1.0\n"));
    let channels = |session: &Session| {
        let package = session
            .root(Some(&name))
            .expect("rendered")
            .catalog()
            .package("p")
            .cloned()
            .expect("p");
        package
            .channels
            .iter()
            .map(|channel| channel.name.value.to_string())
            .collect::<Vec<_>>()
    };
    assert!(channels(&session).contains(&"fast-v1.1".to_owned()));
    session
        .apply("edit", &[promote(&name, "p.v1.0.0", "stable")])
        .expect("a list that is not there yet");
    assert!(
        text(&session).ends_with("Stable:\n  Bundles:\n  - Image: q/p:v1.0.0\n"),
        "{}",
        text(&session)
    );
    let kept = session
        .changes()
        .operations()
        .into_iter()
        .cloned()
        .collect::<Vec<_>>();
    // Without its rendered catalog open, as after reopening.
    let mut again = open_session(TEMPLATE);
    again.apply("again", &kept).expect("applied again");
    assert_eq!(text(&again), text(&session));
}

#[test]
fn a_new_bundle_is_appended_after_the_newest() {
    let mut session = open_session(&TEMPLATE.replace(
        "  - Image: q/p:v1.0.0\n  - Image: q/p:v1.1.0   # newest\n",
        "  - Image: q/p:v1.1.0   # newest\n  - Image: q/p:v1.0.0\n",
    ));
    session
        .apply("edit", &[promote("top/semver.yaml", "p.v1.2.0", "stable")])
        .expect("an open catalog has it");
    assert!(
        text(&session).ends_with("Stable:\n  Bundles:\n  - Image: q/p:v1.2.0\n"),
        "{}",
        text(&session)
    );
    session.undo();
    let add = EditOp::AddBundle {
        catalog: Some("top/semver.yaml".to_owned()),
        package: "p".to_owned(),
        bundle: "p.v1.2.0".to_owned(),
        version: "1.2.0".to_owned(),
        release: None,
        image: "q/p:v1.2.0".to_owned(),
        to: Some("candidate".to_owned()),
        how: None,
        replaces: Choice::Default,
        skip_range: Choice::Default,
        skips: Vec::new(),
        blob: None,
    };
    session.apply("edit", &[add]).expect("added");
    assert!(
        text(&session)
            .contains("  Bundles:\n  - Image: q/p:v1.2.0\n  - Image: q/p:v1.1.0   # newest\n")
    );
}

#[test]
fn a_removed_entry_leaves_its_list() {
    let mut session = open_session(TEMPLATE);
    let name = session.show_rendered("semver.yaml").expect("rendered");
    let remove = |then| EditOp::RemoveEntry {
        catalog: Some(name.clone()),
        package: "p".to_owned(),
        channel: "candidate-v1".to_owned(),
        name: "p.v1.1.0".to_owned(),
        then,
    };
    let refused = session
        .apply("edit", &[remove(DanglingEdges::Leave)])
        .expect_err("there are no edges");
    assert!(
        refused
            .reason
            .starts_with("a semver template cannot express this"),
        "{refused:?}"
    );
    session
        .apply("edit", &[remove(DanglingEdges::Relink)])
        .expect("removed");
    assert_eq!(
        text(&session),
        TEMPLATE.replace("  - Image: q/p:v1.1.0   # newest\n", "")
    );
    session.undo();
    let all = EditOp::RemoveBundle {
        catalog: Some(name.clone()),
        package: "p".to_owned(),
        bundle: "p.v1.0.0".to_owned(),
        then: DanglingEdges::Relink,
    };
    session.apply("edit", &[all]).expect("removed");
    assert!(!text(&session).contains("v1.0.0"), "{}", text(&session));
}

#[test]
fn the_default_channel_is_a_preference_or_refused() {
    let mut session = open_session(TEMPLATE);
    let name = session.show_rendered("semver.yaml").expect("rendered");
    let set = |channel: &str| EditOp::SetDefaultChannel {
        catalog: Some(name.clone()),
        package: "p".to_owned(),
        channel: channel.to_owned(),
    };
    session
        .apply("edit", &[set("fast-v1")])
        .expect("the major one");
    assert!(
        text(&session).contains(
            "GenerateMinorChannels: true\nDefaultChannelTypePreference: major\nCandidate:"
        )
    );
    let refused = session
        .apply("edit", &[set("candidate-v1")])
        .expect_err("not by a preference");
    assert!(
        refused.reason.contains("`fast-v1`") && refused.help.contains("convert"),
        "{refused:?}"
    );
    assert!(refused.convertible);
}

#[test]
fn changes_that_versions_determine_are_refused() {
    let mut session = open_session(TEMPLATE);
    let name = session.show_rendered("semver.yaml").expect("rendered");
    let reason =
        |session: &mut Session, op| session.apply("no", &[op]).expect_err("refused").reason;
    assert_eq!(
        reason(&mut session, promote(&name, "p.v1.1.0", "fast-v2")),
        "version 1.1.0 of `p.v1.1.0` goes into `fast-v1` and `fast-v1.1`, not into `fast-v2`"
    );
    assert_eq!(
        reason(&mut session, promote(&name, "p.v1.0.0", "fast")),
        "`fast` already lists `p.v1.0.0`"
    );
    assert_eq!(
        reason(&mut session, promote(&name, "p.v1.0.0", "beta")),
        "a semver template generates no channel `beta`"
    );
}

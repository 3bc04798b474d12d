//! Drop meanings, frame selections and previews.

use super::super::testing::{lane, node};
use super::*;
use crate::edits::form_values::PackageNames;
use crate::edits::operations::operations;
use protocol::views::TableRow;

/// `stable` lists a and b and mentions z; `fast` lists b and c; a stack of both is on the left of
/// `fast`.
fn lanes() -> Lanes {
    let mut stack = node(EntryNodeKind::Stack, "0.9", 100.0, 120.0);
    stack.members = vec!["x".into(), "y".into()];
    Lanes {
        lanes: vec![
            lane(
                "stable",
                40.0,
                vec![
                    node(EntryNodeKind::Ghost, "z", 100.0, 60.0),
                    node(EntryNodeKind::Entry, "a", 200.0, 60.0),
                    node(EntryNodeKind::Entry, "b", 300.0, 60.0),
                ],
            ),
            lane(
                "fast",
                100.0,
                vec![
                    stack,
                    node(EntryNodeKind::Entry, "b", 300.0, 120.0),
                    node(EntryNodeKind::Entry, "c", 400.0, 120.0),
                ],
            ),
        ],
        ..Lanes::default()
    }
}

/// The package of [`lanes`].
fn view() -> PackageView {
    let row = |channel: &str, entry: &str| TableRow {
        channel: channel.into(),
        entry: entry.into(),
        version: "1.2.0".into(),
        ..TableRow::default()
    };
    let fast = ["x", "y", "b", "c"].map(|entry| row("fast", entry));
    PackageView {
        table: [row("stable", "a"), row("stable", "b")]
            .into_iter()
            .chain(fast)
            .collect(),
        ..PackageView::default()
    }
}

fn at(x: f64, y: f64) -> Point {
    Point { x, y }
}

fn entry(channel: &str, name: &str) -> EntryRef {
    EntryRef {
        channel: channel.into(),
        name: name.into(),
    }
}

#[test]
fn dropping_a_node_on_another_lane_promotes_it_unless_listed() {
    let (lanes, view) = (lanes(), view());
    let source = DragSource::Node(entry("fast", "c"));
    let promote = Gesture::Promote {
        bundle: "c".into(),
        to: "stable".into(),
    };
    assert_eq!(
        drop_target(&lanes, &view, &source, false, at(10.0, 70.0)),
        DropTarget::Valid(promote.clone())
    );
    assert_eq!(DropTarget::Valid(promote).lane(), Some("stable"));
    assert_eq!(
        drop_target(&lanes, &view, &source, false, at(10.0, 130.0)),
        DropTarget::Absent,
        "its own lane"
    );
    assert_eq!(
        drop_target(&lanes, &view, &source, false, at(10.0, 900.0)),
        DropTarget::Absent,
        "below all lanes"
    );
    let listed = drop_target(
        &lanes,
        &view,
        &DragSource::Node(entry("fast", "b")),
        false,
        at(10.0, 70.0),
    );
    assert_eq!(listed, DropTarget::Invalid("stable already lists b".into()));
    let stacked = drop_target(
        &lanes,
        &view,
        &DragSource::Node(entry("stable", "x")),
        false,
        at(10.0, 130.0),
    );
    assert_eq!(stacked, DropTarget::Invalid("fast already lists x".into()));
}

#[test]
fn a_generated_channel_takes_only_its_versions() {
    let lanes = Lanes {
        lanes: vec![
            lane("stable-v1", 40.0, Vec::new()),
            lane("fast-v1", 100.0, Vec::new()),
            lane("fast-v2", 160.0, Vec::new()),
        ],
        ..Lanes::default()
    };
    let mut view = PackageView {
        lists: vec!["fast".into(), "stable".into()],
        ..view()
    };
    for row in &mut view.table {
        row.channel.push_str("-v1");
    }
    let drop = |source: &str, y: f64| {
        let source = DragSource::Node(entry("stable-v1", source));
        drop_target(&lanes, &view, &source, false, at(10.0, y))
    };
    assert!(matches!(drop("a", 110.0), DropTarget::Valid(_)));
    assert_eq!(
        drop("a", 170.0),
        DropTarget::Invalid("fast-v2 lists only versions 2.*".into())
    );
    assert_eq!(
        drop("b", 170.0),
        DropTarget::Invalid("fast already lists b".into())
    );
}

#[test]
fn a_grip_on_another_node_replaces_it_and_with_a_modifier_skips_it() {
    let (lanes, view) = (lanes(), view());
    let source = DragSource::Grip(entry("stable", "b"));
    let replace = |name: &str| {
        DropTarget::Valid(Gesture::Replace {
            entry: entry("stable", "b"),
            replaces: name.into(),
        })
    };
    assert_eq!(
        drop_target(&lanes, &view, &source, false, at(225.0, 70.0)),
        replace("a")
    );
    assert_eq!(
        drop_target(&lanes, &view, &source, false, at(110.0, 70.0)),
        replace("z"),
        "absent entries can be referenced"
    );
    let skip = Gesture::Skip {
        entry: entry("stable", "b"),
        skip: "a".into(),
    };
    assert_eq!(
        drop_target(&lanes, &view, &source, true, at(225.0, 70.0)),
        DropTarget::Valid(skip)
    );
    assert_eq!(
        drop_target(&lanes, &view, &source, false, at(310.0, 70.0)),
        DropTarget::Absent,
        "itself"
    );
    assert_eq!(
        drop_target(&lanes, &view, &source, false, at(180.0, 70.0)),
        DropTarget::Absent,
        "between nodes"
    );
    assert!(
        matches!(
            drop_target(&lanes, &view, &source, false, at(410.0, 130.0)),
            DropTarget::Invalid(_)
        ),
        "another channel's"
    );
    let fast = DragSource::Grip(entry("fast", "c"));
    assert_eq!(
        drop_target(&lanes, &view, &fast, false, at(110.0, 130.0)),
        DropTarget::Invalid("Open 0.9 first".into())
    );
}

#[test]
fn a_star_on_another_lane_makes_it_the_default_channel() {
    let (lanes, view) = (lanes(), view());
    let fast = DropTarget::Valid(Gesture::SetDefault {
        channel: "fast".into(),
    });
    assert_eq!(
        drop_target(&lanes, &view, &DragSource::Star, false, at(0.0, 130.0)),
        fast
    );
    assert_eq!(
        drop_target(&lanes, &view, &DragSource::Star, false, at(0.0, 70.0)),
        DropTarget::Absent,
        "already the default"
    );
}

#[test]
fn a_frame_selects_touched_nodes_in_all_lanes() {
    let lanes = lanes();
    let frame = Area::between(at(320.0, 125.0), at(240.0, 65.0));
    assert_eq!(
        entries_in(&lanes, frame),
        [
            entry("stable", "a"),
            entry("stable", "b"),
            entry("fast", "b")
        ]
    );
    let all = entries_in(&lanes, Area::between(at(0.0, 0.0), at(999.0, 999.0)));
    assert_eq!(
        all.len(),
        6,
        "stacks with all their members, ghosts are no entries: {all:?}"
    );
}

#[test]
fn a_ghost_is_drawn_in_its_column_of_the_other_lane() {
    let lanes = lanes();
    let ghost = ghost(&lanes, &entry("fast", "c"), "stable", "b").unwrap();
    assert_eq!(
        ghost.at,
        Area {
            x: 400.0,
            y: 60.0,
            width: 50.0,
            height: 20.0
        }
    );
    assert_eq!(ghost.replaces, Some(at(325.0, 70.0)));
    assert_eq!(
        super::ghost(&lanes, &entry("fast", "c"), "stable", "")
            .unwrap()
            .replaces,
        None
    );
    assert_eq!(
        super::ghost(&lanes, &entry("fast", "nobody"), "stable", ""),
        None
    );
}

#[test]
fn a_small_move_is_a_click_and_a_drag_stays_one() {
    let drag = Drag::new(DragSource::Node(entry("fast", "c")), at(10.0, 10.0), false);
    assert!(!drag.is_drag_to(at(12.0, 12.0)));
    assert!(drag.is_drag_to(at(16.0, 10.0)));
    assert_eq!(drag.carried_entry(), None, "it has not moved");
    let moved = Drag {
        moved: true,
        ..drag
    };
    assert!(moved.is_drag_to(at(10.0, 10.0)) && moved.carried_entry() == Some(&entry("fast", "c")));
}

#[test]
fn the_view_follows_the_pointer_near_its_edges() {
    assert_eq!(edge_speed(at(300.0, 200.0), 600.0, 400.0), (0.0, 0.0));
    let (x, y) = edge_speed(at(10.0, 390.0), 600.0, 400.0);
    assert!(x < 0.0 && y > 0.0);
    assert_eq!(
        edge_speed(at(-500.0, 200.0), 600.0, 400.0).0,
        -14.0,
        "no faster outside"
    );
    assert_eq!(
        edge_speed(at(5.0, 5.0), 60.0, 60.0),
        (0.0, 0.0),
        "too small to have edges"
    );
}

#[test]
fn a_drop_and_its_form_give_the_same_operation() {
    let entry = entry("stable", "b");
    for gesture in [
        Gesture::Promote {
            bundle: "b".into(),
            to: "fast".into(),
        },
        Gesture::Replace {
            entry: entry.clone(),
            replaces: "a".into(),
        },
        Gesture::Skip {
            entry,
            skip: "a".into(),
        },
        Gesture::SetDefault {
            channel: "fast".into(),
        },
    ] {
        let dropped = gesture.operation(None, "p");
        let (command, target, given) = gesture.form();
        let mut values = FormValues::default().with(Field::Package, "p");
        values.fill_from(command, &target, "stable");
        values.overlay(&given);
        let of_form = operations(command, &values, None, PackageNames::default());
        assert_eq!(of_form, Ok(vec![dropped]));
    }
}

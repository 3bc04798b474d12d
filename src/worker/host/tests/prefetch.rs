//! An answer that was prepared while no request waited is used.

use super::*;
use protocol::views::EntryRef;

/// The next request, based on the latest answer.
fn shown(bench: &mut Bench, asked: PackageRequest) -> PackageRequest {
    match bench.host.answer(asked.clone()) {
        Ok(view) => asked.as_seen(Some(&view)),
        other => panic!("{other:?}"),
    }
}

fn preview(bench: &mut Bench, op: &EditOp, view: &PackageRequest) {
    let (ops, view) = (Json(vec![op.clone()]), Some(view.clone()));
    let answer = bench.host.answer(PreviewEdit {
        ops,
        scope: PreviewScope::All,
        view,
    });
    assert!(matches!(answer, Ok(Previewed { .. })), "{answer:?}");
}

fn apply(bench: &mut Bench, op: &EditOp, view: &PackageRequest) -> Applied {
    let ops = Json(vec![op.clone()]);
    bench.applied(Apply {
        ops,
        title: "An edit".into(),
        view: Some(view.clone()),
    })
}

fn edits() -> [EditOp; 3] {
    [
        EditOp::SetSkipRange {
            catalog: None,
            package: "lantern".into(),
            channel: "stable".into(),
            name: "lantern.v1.2.0".into(),
            skip_range: Some(">=0.9.0 <1.2.0".into()),
        },
        default_channel("candidate"),
        EditOp::RemoveChannel {
            catalog: None,
            package: "lantern".into(),
            channel: "stable".into(),
        },
    ]
}

#[test]
fn an_edit_that_was_foreseen_is_answered_as_one_that_was_not() {
    let ((mut ahead, _), (mut plain, _)) = (Bench::sample(), Bench::sample());
    let view = shown(&mut ahead, wanted("lantern"));
    assert!(!ahead.host.prefetch_view(), "nothing was tried");
    for op in edits() {
        let asked = apply(&mut plain, &op, &view);
        preview(&mut ahead, &op, &view);
        assert!(ahead.host.prefetch_view(), "{op:?}");
        assert!(!ahead.host.prefetch_view(), "it is there");
        let applied = apply(&mut ahead, &op, &view);
        assert!(
            applied.view.as_ref().is_some_and(|view| view
                .lanes
                .lanes
                .iter()
                .any(|lane| lane.edited)),
            "{op:?}"
        );
        assert!(applied == asked, "{op:?}");
        // Undone and redone, with later steps that a new one would drop.
        for bench in [&mut ahead, &mut plain] {
            bench.applied(Undo {
                view: Some(view.clone()),
            });
        }
        preview(&mut ahead, &op, &view);
        assert!(!ahead.host.prefetch_view(), "an undone step would be lost");
        assert!(
            apply(&mut ahead, &op, &view) == apply(&mut plain, &op, &view),
            "{op:?}"
        );
    }
}

#[test]
fn what_was_foreseen_does_not_stand_in_for_anything_else() {
    let ((mut ahead, _), (mut plain, _)) = (Bench::sample(), Bench::sample());
    let view = shown(&mut ahead, wanted("lantern"));
    let [range, default, _] = edits();

    // The package is viewed differently.
    preview(&mut ahead, &range, &view);
    assert!(ahead.host.prefetch_view());
    let selected = Some(EntryRef {
        channel: "stable".into(),
        name: "lantern.v1.2.0".into(),
    });
    let other = PackageRequest {
        lanes: LaneOptions {
            selected,
            ..view.lanes.clone()
        },
        ..view.clone()
    };
    assert!(apply(&mut ahead, &range, &other) == apply(&mut plain, &range, &other));

    // Other operations than the previewed ones.
    preview(&mut ahead, &range, &other);
    ahead.host.prefetch_view();
    assert!(apply(&mut ahead, &default, &other) == apply(&mut plain, &default, &other));

    // The profile of advice changed in between.
    let back = default_channel("stable");
    let view = shown(&mut ahead, view);
    preview(&mut ahead, &back, &view);
    assert!(ahead.host.prefetch_view());
    for bench in [&mut ahead, &mut plain] {
        bench
            .host
            .answer(SetProfile {
                profile: Some(Profile::Opm),
            })
            .unwrap();
    }
    assert!(apply(&mut ahead, &back, &view) == apply(&mut plain, &back, &view));
}

//! The store with a scripted worker: which requests are sent, and what is shown.

use super::*;
use crate::state::address::Address;
use crate::state::worker_api::{Answer, AnyQuery, Event};
use futures::channel::oneshot;
use futures::future::{FutureExt, LocalBoxFuture};
use protocol::Json;
use protocol::operation::EditOp;
use protocol::query::{Apply, Inspect, Packages, Problems, Undo};
use protocol::response::{Applied, AskError, Opened, OperationRefusal};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;

/// Holds every request until the test answers it.
#[derive(Default)]
struct Fake {
    requests: RefCell<VecDeque<(AnyQuery, oneshot::Sender<Answer>)>>,
}

impl WorkerApi for Fake {
    fn exchange(&self, query: AnyQuery) -> LocalBoxFuture<'static, Answer> {
        let (send, receive) = oneshot::channel();
        self.requests.borrow_mut().push_back((query, send));
        let gone = || {
            Answer::from_error(AskError::NoWorker {
                message: "gone".into(),
            })
        };
        async move { receive.await.unwrap_or_else(|_| gone()) }.boxed_local()
    }
}

impl Fake {
    fn next(&self) -> (AnyQuery, oneshot::Sender<Answer>) {
        self.requests.borrow_mut().pop_front().expect("a request")
    }

    fn idle(&self) -> bool {
        self.requests.borrow().is_empty()
    }
}

fn with_store(test: impl FnOnce(SessionStore, Rc<Fake>)) {
    let owner = Owner::new();
    owner.with(|| {
        let fake = Rc::new(Fake::default());
        test(SessionStore::new(fake.clone()), fake);
    });
}

/// Runs a task as far as possible, answering its requests with `answers`.
fn drive(
    task: impl Future<Output = ()>,
    fake: &Fake,
    answers: impl Fn(&AnyQuery) -> Option<Answer>,
) {
    let mut task = Box::pin(task);
    while task.as_mut().now_or_never().is_none() {
        let (request, reply) = fake.next();
        let answer = answers(&request).unwrap_or_else(|| panic!("unexpected {request:?}"));
        reply.send(answer).expect("the store waits");
    }
}

fn rows(names: &[&str]) -> Vec<PackageRow> {
    names
        .iter()
        .map(|name| PackageRow {
            name: (*name).into(),
            ..PackageRow::default()
        })
        .collect()
}

fn status(revision: u64, root: &str) -> Status {
    let row = RootRow {
        root: root.into(),
        passed: true,
        ..RootRow::default()
    };
    Status {
        revision,
        roots: vec![row],
        files: 1,
        ..Status::default()
    }
}

fn answer(revision: u64, value: impl Any) -> Answer {
    Answer {
        revision: Some(revision),
        value: Ok(Box::new(value)),
    }
}

fn refusal(revision: u64, refusal: OperationRefusal) -> Answer {
    Answer {
        revision: Some(revision),
        value: Err(AskError::Refused(refusal)),
    }
}

fn opened(status: Status) -> Result<Opened, AskError> {
    Ok(Opened::Anew(Box::new(status)))
}

/// Answers like a worker with a catalog `c` of the packages `a` and `b`.
fn small(query: &AnyQuery) -> Option<Answer> {
    if query.get::<Packages>().is_some() {
        return Some(answer(1, rows(&["a", "b"])));
    }
    if query.get::<Problems>().is_some() {
        return Some(answer(1, Vec::<Json<Diagnostic>>::new()));
    }
    if let Some(wanted) = query.get::<PackageRequest>() {
        let view = PackageView {
            root: wanted.root.clone(),
            package: wanted.package.clone(),
            ..PackageView::default()
        };
        return Some(answer(1, view));
    }
    let Inspect { package, .. } = query.get()?;
    let inspection = Inspection {
        title: package.clone(),
        ..Inspection::default()
    };
    Some(answer(1, inspection))
}

#[test]
fn an_open_shows_the_first_package_of_the_first_catalog() {
    with_store(|store, fake| {
        store.opening.start();
        assert!(matches!(store.opening.phase.get(), Phase::Opening(_)));
        let end = async move {
            store.end_open(opened(status(1, "c"))).await;
        };
        drive(end, &fake, small);
        assert_eq!(store.opening.phase.get(), Phase::Open);
        assert_eq!(
            store
                .root_row()
                .map(|row| crate::words::verdict(&row))
                .as_deref(),
            Some("Passes opm validate")
        );
        assert_eq!(store.package.get().as_deref(), Some("a"));
        assert_eq!(
            store.view.get().map(|view| view.package.clone()).as_deref(),
            Some("a")
        );
        assert_eq!(
            store
                .inspection
                .get()
                .map(|inspection| inspection.title)
                .as_deref(),
            Some("a")
        );
    });
}

#[test]
fn the_second_of_two_quickly_chosen_catalogs_is_shown() {
    with_store(|store, fake| {
        let mut first = Box::pin(store.show_root("first".into()));
        assert!(first.as_mut().now_or_never().is_none());
        let mut second = Box::pin(store.show_root("second".into()));
        assert!(second.as_mut().now_or_never().is_none());
        let (request_first, reply_first) = fake.next();
        let (request_second, reply_second) = fake.next();
        let reply = |request: AnyQuery, name: &str| {
            assert!(request.get::<Packages>().is_some(), "{request:?}");
            answer(1, rows(&[name]))
        };
        reply_second
            .send(reply(request_second, "of-second"))
            .expect("a waiting request");
        assert!(
            second.as_mut().now_or_never().is_none(),
            "the package's own requests"
        );
        reply_first
            .send(reply(request_first, "of-first"))
            .expect("a waiting request");
        assert!(
            first.as_mut().now_or_never().is_some(),
            "the first has nothing left to show"
        );
        drive(second, &fake, small);
        assert_eq!(store.root.get(), "second");
        assert_eq!(store.package.get().as_deref(), Some("of-second"));
        assert_eq!(
            store.view.get().map(|view| view.package.clone()).as_deref(),
            Some("of-second")
        );
    });
}

#[test]
fn a_cancelled_open_keeps_the_open_catalogs() {
    with_store(|store, fake| {
        drive(
            async move {
                store.end_open(opened(status(1, "c"))).await;
                store.opening.start();
                store.end_open(Err(AskError::Cancelled)).await;
            },
            &fake,
            small,
        );
        assert_eq!(store.opening.phase.get(), Phase::Open);
        assert_eq!(store.root.get(), "c");
    });
}

#[test]
fn an_answer_about_another_package_is_dropped_and_the_current_one_requested_once() {
    with_store(|store, fake| {
        store.root.set("c".into());
        let mut first = Box::pin(store.show_package("a".into()));
        assert!(first.as_mut().now_or_never().is_none());
        let (_, reply) = fake.next();
        let mut second = Box::pin(store.show_package("b".into()));
        assert!(second.as_mut().now_or_never().is_none());
        let mut third = Box::pin(store.refresh_view());
        assert!(third.as_mut().now_or_never().is_none());

        let view = PackageView {
            package: "a".into(),
            ..PackageView::default()
        };
        reply.send(answer(1, view)).expect("waits");
        assert!(first.as_mut().now_or_never().is_none());
        drive(first, &fake, |query| {
            let is_shown = store.view.get().is_some() || store.inspection.get().is_some();
            assert!(!is_shown, "the inspector waits for the graph");
            small(query)
        });
        let shown = (store.view.get(), store.inspection.get());
        assert_eq!(
            shown.0.map(|view| view.package.clone()).as_deref(),
            Some("b")
        );
        assert_eq!(
            shown.1.map(|inspection| inspection.title).as_deref(),
            Some("b")
        );
        assert!(fake.idle());
        assert!(second.now_or_never().is_some() && third.now_or_never().is_some());
    });
}

#[test]
fn an_address_of_a_missing_entry_shows_its_package_and_no_path() {
    with_store(|store, fake| {
        let address = Address {
            root: "c".into(),
            package: "a".into(),
            selection: Some(Target::Entry {
                channel: "stable".into(),
                name: "a.v1".into(),
            }),
            tab: Tab::Source,
            ..Address::default()
        };
        let drawn = RefCell::new(Vec::new());
        drive(store.show_address(address), &fake, |query| {
            if let Some(request) = query.get::<PackageRequest>() {
                drawn.borrow_mut().push(request.lanes.selected.is_some());
            }
            match query.get() {
                Some(Inspect {
                    target: Target::Entry { .. },
                    ..
                }) => Some(refusal(1, OperationRefusal::new("no such entry"))),
                _ => small(query),
            }
        });
        assert_eq!(drawn.into_inner(), [true, false]);
        assert_eq!(store.selection.get(), None);
        assert!(store.inspection.get().is_some());
    });
}

#[test]
fn another_package_is_requested_for_the_same_cluster() {
    with_store(|store, fake| {
        store.root.set("c".into());
        let question = UpgradeQuestion {
            lens: Lens::V1,
            origin: Origin::Installed("a.v1".into()),
            cluster: "4.18".into(),
            ..UpgradeQuestion::default()
        };
        store.question.set(question);
        let mut showing = Box::pin(store.show_package("b".into()));
        assert!(showing.as_mut().now_or_never().is_none());
        let (request, _) = fake.next();
        let package: &PackageRequest = request.get().expect("a package");
        let kept = UpgradeQuestion {
            lens: Lens::V1,
            cluster: "4.18".into(),
            ..UpgradeQuestion::default()
        };
        assert_eq!(package.question, kept);
    });
}

#[test]
fn a_view_older_than_the_status_is_requested_again() {
    with_store(|store, fake| {
        store.package.set(Some("a".into()));
        store.status.set(status(2, "c"));
        let mut task = Box::pin(store.refresh_view());
        assert!(task.as_mut().now_or_never().is_none());
        let (request, reply) = fake.next();
        reply.send(small(&request).expect("known")).expect("waits");
        assert!(task.as_mut().now_or_never().is_none());
        assert_eq!(store.view.get(), None);
        let (_, reply) = fake.next();
        let view = PackageView {
            package: "a".into(),
            ..PackageView::default()
        };
        reply.send(answer(2, view)).expect("waits");
        assert!(task.as_mut().now_or_never().is_some());
        assert!(store.view.get().is_some());
    });
}

#[test]
fn an_edit_updates_status_rows_view_and_consequences() {
    with_store(|store, fake| {
        store.root.set("c".into());
        store.package.set(Some("a".into()));
        store.packages.set(rows(&["a", "c"]));
        let was_shown = Rc::new(Cell::new(false));
        let is_shown = was_shown.clone();
        let edit = async move {
            let op = EditOp::SetDefaultChannel {
                catalog: None,
                package: "a".into(),
                channel: "stable".into(),
            };
            let on_shown = move || {
                is_shown.set(store.status.can_undo() && store.view.with_untracked(Option::is_some))
            };
            let query = Apply {
                ops: Json(vec![op]),
                title: "Set default channel".into(),
                view: store.view_request(),
            };
            let edit = store.change(AnyQuery::new(query), Box::new(on_shown));
            edit.await.expect("applied");
        };
        drive(edit, &fake, |query| match query.get() {
            Some(Apply { view, .. }) => {
                assert_eq!(view.as_ref().map(|view| view.package.as_str()), Some("a"));
                let mut after = status(2, "c");
                after.applied_steps = 1;
                after.changed_files = vec!["c/a.yaml".into()];
                let [mut row, new] = [rows(&["a"]).remove(0), rows(&["b"]).remove(0)];
                row.edited = true;
                Some(answer(
                    2,
                    Applied {
                        status: after,
                        packages: vec![
                            ("other".into(), rows(&["d"]).remove(0)),
                            ("c".into(), row),
                            ("c".into(), new),
                        ],
                        title: "Set default channel".into(),
                        view: Some(PackageView {
                            package: "a".into(),
                            default_channel: "stable".into(),
                            ..PackageView::default()
                        }),
                        ..Applied::default()
                    },
                ))
            }
            None => {
                assert!(
                    was_shown.get(),
                    "everything else is requested after verdict and lanes"
                );
                small(query)
            }
        });
        assert!(
            store.status.can_undo()
                && !store.status.can_redo()
                && store.status.has_unsaved_edits_untracked()
        );
        let rows = store.packages.get();
        let listed: Vec<(&str, bool)> = rows
            .iter()
            .map(|row| (row.name.as_str(), row.edited))
            .collect();
        assert_eq!(
            listed,
            [("a", true), ("b", false), ("c", false)],
            "the new consequences replace it"
        );
        assert_eq!(
            store
                .view
                .get()
                .map(|view| view.default_channel.clone())
                .as_deref(),
            Some("stable")
        );
        let (title, consequences) = ("Set default channel".to_owned(), Box::default());
        assert_eq!(
            store.last_change.get(),
            Some(LastChange::Made {
                title,
                consequences
            })
        );
    });
}

#[test]
fn a_refused_edit_changes_nothing() {
    with_store(|store, fake| {
        let mut edit = Box::pin(store.change(AnyQuery::new(Undo { view: None }), Box::new(|| ())));
        assert!(edit.as_mut().now_or_never().is_none());
        let why = OperationRefusal::new("nothing to undo");
        let (_, reply) = fake.next();
        reply.send(refusal(0, why.clone())).expect("waits");
        assert_eq!(edit.as_mut().now_or_never(), Some(Err(why)));
        assert!(store.last_change.get().is_none() && fake.idle());
    });
}

#[test]
fn a_restored_worker_supplies_the_view_and_reports_losses() {
    with_store(|store, fake| {
        store.root.set("c".into());
        store.package.set(Some("b".into()));
        drive(store.handle_event(Event::Crashed), &fake, small);
        assert!(store.recovering.get());
        assert!(store.notices.get().is_empty(), "it is not yet started anew");
        let set_aside = vec![DroppedStep {
            step: JournalStep::default(),
            reason: "killed it".into(),
        }];
        let restored = Event::Restored {
            status: Some(Box::new(status(1, "c"))),
            set_aside: set_aside.clone(),
        };
        drive(store.handle_event(restored), &fake, small);
        assert!(!store.recovering.get());
        assert_eq!(
            store.view.get().map(|view| view.package.clone()).as_deref(),
            Some("b")
        );
        assert_eq!(store.notices.get(), [Notice::Recovered { set_aside }]);
    });
}

#[test]
fn a_save_waits_for_the_pending_edit() {
    with_store(|store, fake| {
        let mut edit = Box::pin(store.change(AnyQuery::new(Undo { view: None }), Box::new(|| ())));
        assert!(edit.as_mut().now_or_never().is_none());
        assert!(store.is_changing() && store.has_unsaved_work());
        let mut settled = Box::pin(store.wait_for_edits());
        assert!(settled.as_mut().now_or_never().is_none());
        let (_, reply) = fake.next();
        reply.send(refusal(1, OperationRefusal::default())).unwrap();
        assert!(edit.as_mut().now_or_never().is_some_and(|end| end.is_err()));
        assert!(!store.is_changing());
        assert!(settled.as_mut().now_or_never().is_some());
        assert!(
            store.wait_for_edits().now_or_never().is_some(),
            "nothing to wait for"
        );
    });
}

#[test]
fn a_failed_view_does_not_affect_the_current_one() {
    with_store(|store, fake| {
        store.root.set("c".into());
        store.package.set(Some("a".into()));
        let gone = |query: &AnyQuery| {
            if query.get::<PackageRequest>().is_some() {
                return Some(refusal(1, OperationRefusal::new("no package `a`")));
            }
            small(query)
        };
        drive(store.refresh_view(), &fake, gone);
        let notice = Notice::NotShown {
            root: "c".into(),
            package: "a".into(),
            message: "no package `a`".into(),
        };
        assert_eq!(store.notices.get(), [notice]);
        drive(store.show_package("b".into()), &fake, small);
        assert!(store.notices.get().is_empty(), "another one is in view");
    });
}

#[test]
fn a_comparison_belongs_to_one_catalog_and_ends_with_another() {
    with_store(|store, _| {
        let row = |root: &str| RootRow {
            root: root.into(),
            ..RootRow::default()
        };
        let status = Status {
            roots: vec![row("a"), row("b"), row("c")],
            ..Status::default()
        };
        store.status.set(status);
        store.root.set("a".into());
        let with_b = Some(Baseline::Catalog("b".into()));
        store.comparison.choose(with_b.clone());
        assert_eq!(store.comparison.baseline(), with_b);

        store.root.set("c".into());
        store.comparison.end_elsewhere();
        assert_eq!(store.comparison.baseline(), None);
        store.root.set("a".into());
        assert_eq!(store.comparison.baseline(), None, "it has ended");

        // A catalog can be compared before it is shown.
        let with_a = Some(Baseline::Catalog("a".into()));
        store
            .comparison
            .choose_for("b".into(), Baseline::Catalog("a".into()));
        assert_eq!(store.comparison.baseline(), None);
        store.root.set("b".into());
        store.comparison.end_elsewhere();
        assert_eq!(store.comparison.baseline(), with_a);
    });
}

//! How the page's queries about an operator repository grow with its operators. Counts work, like
//! `growth_questions.rs`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod counted_work;

use counted_work::{Findings, run_part};
use host::Host;
use host::repository::{Listed, ListedFile};
use protocol::query::*;
use protocol::repository::RepositoryTask;
use protocol::request::OpenMode;
use protocol::response::Opened;
use repository::layout::Place;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use test_support::MemorySource;

/// Operators of the smaller repository.
const SIZE: usize = 50;

/// Copies of an operator of our small repository, with its catalogs.
fn files(operators: usize) -> Vec<(String, String)> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/repository");
    let (mut found, mut waiting) = (Vec::new(), vec![top.clone()]);
    while let Some(folder) = waiting.pop() {
        for path in std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            let name = path.strip_prefix(&top).unwrap().display().to_string();
            if path.is_dir() {
                waiting.push(path);
            } else if name.contains("harbor") {
                found.push((
                    format!("top/{name}"),
                    std::fs::read_to_string(path).unwrap(),
                ));
            }
        }
    }
    found.sort();
    let files_of_operator = |i: usize| {
        let own = move |text: &String| text.replace("harbor", &format!("harbor{i}"));
        found.iter().map(move |(path, text)| (own(path), own(text)))
    };
    (0..operators).flat_map(files_of_operator).collect()
}

fn encode<Q: Query>(query: Q) -> EncodedQuery {
    EncodedQuery::new(&query).unwrap()
}

fn open_host(operators: usize) -> RefCell<Host> {
    let (paths, texts): (Vec<String>, Vec<String>) = files(operators).into_iter().unzip();
    let sizes: Vec<u64> = texts.iter().map(|text| text.len() as u64).collect();
    let mut host = Host::new(Rc::new(MemorySource::from_iter(
        texts.into_iter().map(String::into_bytes),
    )));
    let place = Place::find(paths.iter().map(String::as_str)).unwrap();
    let listed = |(path, size)| ListedFile {
        path,
        listed: Listed::File {
            id: host.new_file_id(),
            size,
        },
    };
    let listed = paths.into_iter().zip(sizes).map(listed).collect();
    let opened = host.open_repository(OpenMode::Replace, place, listed, Vec::new());
    assert!(matches!(opened, Ok(Opened::Anew(_))), "{opened:?}");
    RefCell::new(host)
}

#[test]
fn every_query_is_linear_in_the_operators() {
    run_part(|findings: &mut Findings| {
        let operator = || "harbor0".to_owned();
        let plan = |task| encode(task);
        let promotion = RepositoryTask::Promote {
            from: "v4.18".into(),
            to: "v4.19".into(),
            operators: vec![operator()],
        };
        let form = encode(PrepareRelease {
            operator: operator(),
            bundle: "1.2.0".into(),
            dropped: Vec::new(),
        });
        let questions = [
            ("the repository", encode(ListOperators {})),
            (
                "an operator",
                encode(Operator {
                    operator: operator(),
                }),
            ),
            ("what a release can name", form),
            (
                "stale catalogs rendered",
                plan(RepositoryTask::Render {
                    operator: operator(),
                }),
            ),
            ("an operator promoted", plan(promotion)),
        ];
        let (small, twice) = (open_host(SIZE), open_host(2 * SIZE));
        for (words, request) in questions {
            let ask = |host: &&RefCell<Host>| {
                let answer = host.borrow_mut().serve(&request, Vec::new());
                assert!(answer.is_ok(), "{words}: {answer:?}");
                0
            };
            ask(&&small);
            ask(&&twice);
            let host = |size| if size == SIZE { &small } else { &twice };
            findings.linear(words, SIZE, 200e6, host, ask);
        }
    });
}

/// Changes, each with its undo.
#[test]
fn every_change_is_linear_in_the_operators() {
    run_part(|findings: &mut Findings| {
        let answer = |host: &mut Host, request: EncodedQuery| {
            let answer = host.serve(&request, Vec::new());
            assert!(answer.is_ok(), "{answer:?}");
        };
        let promotion = RepositoryTask::Promote {
            from: "v4.18".into(),
            to: "v4.19".into(),
            operators: vec!["harbor0".into()],
        };
        type Change<'c> = (&'c str, &'c dyn Fn(&mut Host));
        let changes: [Change<'_>; 3] = [
            ("an operator that is opened", &|host| {
                answer(
                    host,
                    encode(OpenOperator {
                        operator: "harbor0".into(),
                    }),
                );
            }),
            ("a task that is made, and undone", &|host| {
                answer(
                    host,
                    encode(ApplyRepository {
                        task: promotion.clone(),
                        view: None,
                    }),
                );
                answer(host, encode(Undo { view: None }));
            }),
            ("files that are found later", &|host| {
                let later = |name: &str| ListedFile {
                    path: format!("top/operators/harbor0/{name}"),
                    listed: Listed::File {
                        id: host.new_file_id(),
                        size: 1,
                    },
                };
                let listed = ["a.yaml", "b.yaml"].map(later).to_vec();
                let answer = host.list_files(listed);
                assert!(answer.is_ok(), "{answer:?}");
            }),
        ];
        let (small, twice) = (open_host(SIZE), open_host(2 * SIZE));
        for (words, change) in changes {
            let run = |host: &&RefCell<Host>| {
                change(&mut host.borrow_mut());
                0
            };
            run(&&small);
            run(&&twice);
            let host = |size| if size == SIZE { &small } else { &twice };
            findings.linear(words, SIZE, 200e6, host, run);
        }
    });
}

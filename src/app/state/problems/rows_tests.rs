//! Order, filters, nesting and steps of the problem list.

use super::*;
use protocol::diagnostic::{Cause, Fix, Location};
use protocol::operation::EditOp;

fn problem(package: Option<&str>, severity: Severity, rule: &str, line: u32) -> Diagnostic {
    Diagnostic {
        opm: severity == Severity::Error,
        package: package.map(str::to_owned),
        location: Location {
            file: "a.yaml".into(),
            line,
            column: 1,
            end_line: line,
            end_column: 9,
        },
        ..Diagnostic::new(rule, severity, format!("{rule} at {line}"))
    }
}

fn mixed() -> Vec<Diagnostic> {
    vec![
        problem(Some("b"), Severity::Warning, "w", 1),
        problem(Some("a"), Severity::Error, "e", 2),
        problem(None, Severity::Error, "load", 3),
        problem(Some("b"), Severity::Info, "i", 4),
        Diagnostic {
            location: Location::default(),
            ..problem(None, Severity::Error, "none", 5)
        },
    ]
}

fn headings(filter: Filter) -> Vec<(String, u32, u32)> {
    let groups = list_problems(&mixed(), &filter, "b").groups;
    groups
        .into_iter()
        .map(|group| {
            (
                group.subject.heading().to_owned(),
                group.errors,
                group.warnings + group.infos,
            )
        })
        .collect()
}

#[test]
fn groups_with_errors_come_first() {
    let all = headings(Filter::default());
    let names: Vec<&str> = all.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["The catalog", "a.yaml", "a", "b"]);
    assert_eq!(all.last().map(|group| (group.1, group.2)), Some((0, 2)));
    let groups = list_problems(&mixed(), &Filter::default(), "b").groups;
    assert_eq!(
        groups.last().map(|group| (group.warnings, group.infos)),
        Some((1, 1)),
        "informational problems are not warnings"
    );
    let template = [
        problem(None, Severity::Info, "of a file", 1),
        problem(Some("a"), Severity::Error, "e", 2),
    ];
    let order = list_problems(&template, &Filter::default(), "a").order;
    assert_eq!(order, [1, 0], "the only error is above the hints");
}

#[test]
fn problems_in_hidden_folders_come_last() {
    let mut problems = mixed();
    problems[2].location.file = ".git/HEAD".into();
    let groups = list_problems(&problems, &Filter::default(), "").groups;
    let names: Vec<&str> = groups.iter().map(|group| group.subject.heading()).collect();
    assert_eq!(names, ["The catalog", "a", ".git/HEAD", "b"]);
}

#[test]
fn the_problems_of_the_package_in_view_are_shown_first() {
    let problems = mixed();
    let listing = list_problems(&problems, &Filter::default(), "b");
    let first = |package, stop| listing.first_to_show(&problems, package, stop);
    assert_eq!(first("a", None), Some(1), "although its group is the third");
    assert_eq!(
        first("a", Some(4)),
        Some(1),
        "the last one was of the catalog"
    );
    assert_eq!(first("b", None), Some(4), "its problems are no errors");
    assert_eq!(first("b", Some(2)), Some(2));
    assert_eq!(first("sound", None), Some(4));
    assert_eq!(first("sound", Some(1)), Some(1));
    assert_eq!(first("sound", Some(9)), Some(4), "no longer listed");
    let warnings = [
        problem(Some("a"), Severity::Warning, "w", 1),
        problem(Some("b"), Severity::Warning, "w", 2),
        problem(Some("b"), Severity::Info, "i", 3),
    ];
    let listing = list_problems(&warnings, &Filter::default(), "b");
    let first = |package, stop| listing.first_to_show(&warnings, package, stop);
    assert_eq!(
        first("b", None),
        Some(1),
        "without errors its own come first"
    );
    assert_eq!(first("b", Some(0)), Some(1));
    assert_eq!(first("b", Some(2)), Some(2));
}

#[test]
fn filters_narrow_the_list_and_count_their_matches() {
    let errors = Filter {
        severity: Some(Severity::Error),
        ..Filter::default()
    };
    assert_eq!(headings(errors.clone()).len(), 3);
    assert_eq!(
        headings(Filter {
            here: true,
            ..Filter::default()
        }),
        [("b".into(), 0, 2)]
    );
    assert_eq!(
        headings(Filter {
            text: "LOAD a.yaml".into(),
            ..Filter::default()
        }),
        [("a.yaml".into(), 1, 0)]
    );
    assert!(
        headings(Filter {
            text: "load b".into(),
            ..Filter::default()
        })
        .is_empty()
    );
    assert_eq!(
        list_problems(&mixed(), &errors, "b").counts,
        [0, 3, 1, 1, 3, 0],
        "info and here are counted among errors"
    );
}

#[test]
fn an_error_in_a_template_is_not_advice() {
    let error = Diagnostic {
        opm: false,
        ..problem(Some("a"), Severity::Error, "channel-head-multiple", 1)
    };
    let counts = list_problems(&[error], &Filter::default(), "b").counts;
    assert_eq!(counts, [0, 1, 0, 0, 1, 0]);
}

#[test]
fn a_facet_is_cleared_by_choosing_it_again_or_another_of_its_kind() {
    let mut filter = Filter::default();
    filter.toggle(Facet::Opm(true));
    filter.toggle(Facet::Opm(false));
    assert!(filter.has(Facet::Opm(false)) && !filter.has(Facet::Opm(true)));
    filter.toggle(Facet::Opm(false));
    assert_eq!(filter, Filter::default());
}

#[test]
fn consequences_are_nested_below_their_cause() {
    let cause = problem(Some("a"), Severity::Error, "cause", 7);
    let follows = |line: u32, cause: &Diagnostic| Diagnostic {
        follows: Some(Cause {
            rule: cause.rule.clone(),
            message: String::new(),
            location: cause.location.clone(),
        }),
        ..problem(Some("a"), Severity::Error, "effect", line)
    };
    let first = follows(1, &cause);
    let second = follows(2, &first);
    let lone = Diagnostic {
        follows: Some(Cause {
            rule: "gone".into(),
            message: String::new(),
            location: Location::default(),
        }),
        ..problem(Some("a"), Severity::Error, "lone", 9)
    };
    let problems = [
        first,
        second,
        problem(Some("a"), Severity::Error, "other", 3),
        cause,
        lone,
    ];
    let rows = list_problems(&problems, &Filter::default(), "").rows;
    let rows: Vec<(usize, u8)> = rows
        .iter()
        .filter_map(|row| match row {
            Row::Problem { index, depth, .. } => Some((*index, *depth)),
            Row::Heading { .. } => None,
        })
        .collect();
    assert_eq!(rows, [(2, 0), (3, 0), (0, 1), (1, 2), (4, 0)]);
}

#[test]
fn problems_in_a_causal_cycle_are_listed() {
    let mut a = problem(Some("a"), Severity::Error, "x", 1);
    let mut b = problem(Some("a"), Severity::Error, "y", 2);
    let cause = |diagnostic: &Diagnostic| Cause {
        rule: diagnostic.rule.clone(),
        message: String::new(),
        location: diagnostic.location.clone(),
    };
    (a.follows, b.follows) = (Some(cause(&b)), Some(cause(&a)));
    assert_eq!(list_problems(&[a, b], &Filter::default(), "").order, [0, 1]);
}

#[test]
fn steps_wrap_around_and_continue_from_a_solved_problem() {
    let list = list_problems(&mixed(), &Filter::default(), "");
    assert_eq!(list.order, [4, 2, 1, 0, 3]);
    assert_eq!(list.step_from(None, None, 1), Some(4));
    assert_eq!(list.step_from(None, None, -1), Some(3));
    assert_eq!(list.step_from(Some(3), None, 1), Some(4));
    assert_eq!(list.step_from(Some(4), None, -1), Some(3));
    assert_eq!(
        list.step_from(None, Some(1), 1),
        Some(2),
        "the next came to the place of the one that is gone"
    );
    assert_eq!(list.step_from(None, Some(1), -1), Some(4));
    assert_eq!(Listing::default().step_from(None, None, 1), None);
}

#[test]
fn a_problem_is_found_again_after_its_line_moved() {
    let problems = [
        problem(Some("a"), Severity::Error, "e", 2),
        problem(Some("a"), Severity::Error, "e", 20),
        Diagnostic {
            channel: Some("stable".into()),
            ..problem(Some("a"), Severity::Error, "heads", 30)
        },
    ];
    let moved = Diagnostic {
        message: problems[1].message.clone(),
        ..problem(Some("a"), Severity::Error, "e", 23)
    };
    assert_eq!(find_again(&problems, &moved), Some(1));
    let counted = Diagnostic {
        message: "3 heads".into(),
        ..problems[2].clone()
    };
    assert_eq!(find_again(&problems, &counted), Some(2));
    assert_eq!(find_again(&problems[..1], &moved), None);
}

#[test]
fn the_heading_of_a_package_is_found() {
    let list = list_problems(&mixed(), &Filter::default(), "b");
    let first_row = |package: &str| {
        list.find_heading(package)
            .and_then(|row| list.rows.get(row + 1).copied())
    };
    let first = |package: &str| match first_row(package) {
        Some(Row::Problem { index, .. }) => mixed()[index].package.clone(),
        _ => None,
    };
    assert_eq!(
        (first("a").as_deref(), first("b").as_deref()),
        (Some("a"), Some("b"))
    );
    assert_eq!(list.find_heading("c"), None);
    let here = Filter {
        here: true,
        ..Filter::default()
    };
    assert_eq!(
        list_problems(&mixed(), &here, "b").find_heading("b"),
        Some(0)
    );
}

#[test]
fn errors_of_a_group_come_before_its_warnings() {
    let problems = [
        problem(Some("a"), Severity::Info, "i", 1),
        problem(Some("a"), Severity::Warning, "w", 2),
        problem(Some("a"), Severity::Error, "e", 3),
        problem(Some("a"), Severity::Warning, "w", 4),
    ];
    assert_eq!(
        list_problems(&problems, &Filter::default(), "a").order,
        [2, 1, 3, 0]
    );
}

#[test]
fn a_package_without_problems_counts_those_of_others() {
    let error_in = |package: &str, severity| problem(Some(package), severity, "e", 1);
    let (info, b) = (
        error_in("d", Severity::Info),
        error_in("b", Severity::Warning),
    );
    let problems = [
        error_in("a", Severity::Error),
        error_in("a", Severity::Warning),
        b,
        info,
    ];
    assert_eq!(
        others_with_problems(&problems, "c"),
        Some(3),
        "informational problems are listed, too"
    );
    assert_eq!(others_with_problems(&problems, "b"), None);
    assert_eq!(
        others_with_problems(&problems, ""),
        None,
        "no package is in view"
    );
    assert_eq!(
        others_with_problems(&[], "c"),
        None,
        "no package has problems"
    );
    let unread = [problem(None, Severity::Error, "load", 3)];
    assert_eq!(
        others_with_problems(&unread, "c"),
        None,
        "what keeps the catalog from being read is everybody's"
    );
}

#[test]
fn consequences_of_unreadable_text_are_nested_below_it() {
    let typo = Diagnostic {
        package: None,
        ..problem(None, Severity::Error, "json-syntax", 45)
    };
    let follows = |line, cause: &Diagnostic| Diagnostic {
        follows: Some(Cause {
            rule: cause.rule.clone(),
            message: String::new(),
            location: cause.location.clone(),
        }),
        ..problem(Some("a"), Severity::Error, "effect", line)
    };
    let first = follows(1, &typo);
    let second = follows(2, &first);
    let own = problem(Some("a"), Severity::Error, "own", 3);
    let problems = [first, second, own, typo];
    let here = Filter {
        here: true,
        ..Filter::default()
    };
    for filter in [Filter::default(), here] {
        let list = list_problems(&problems, &filter, "a");
        let rows: Vec<(usize, u8)> = list
            .rows
            .iter()
            .filter_map(|row| match row {
                Row::Problem { index, depth, .. } => Some((*index, *depth)),
                Row::Heading { .. } => None,
            })
            .collect();
        assert_eq!(rows, [(3, 0), (0, 1), (1, 2), (2, 0)]);
        assert_eq!(list.find_heading("a"), Some(0), "the cause comes first");
    }
}

#[test]
fn a_row_with_another_severity_or_fix_is_a_different_row() {
    let warning = problem(Some("a"), Severity::Warning, "r", 1);
    let info = problem(Some("a"), Severity::Info, "r", 1);
    assert_eq!(hash_row(&warning), hash_row(&warning.clone()));
    assert_ne!(hash_row(&warning), hash_row(&info));
    let fixed = |title: &str, ops| Diagnostic {
        fixes: vec![Fix {
            title: title.to_owned(),
            safe: true,
            ops,
            kind: String::new(),
            heads: Vec::new(),
            note: String::new(),
        }],
        ..warning.clone()
    };
    let remove = |name: &str| {
        vec![EditOp::RemovePackage {
            catalog: None,
            package: name.to_owned(),
        }]
    };
    assert_ne!(
        hash_row(&fixed("Remove", Vec::new())),
        hash_row(&fixed("Rename", Vec::new()))
    );
    assert_ne!(
        hash_row(&fixed("Remove", remove("a"))),
        hash_row(&fixed("Remove", remove("b")))
    );
}

//! Compares the search with one without shortcuts.

use super::solver::{Constraint, Failure, Formula, Var, solve};
use proptest::prelude::*;

/// Returns the lexicographically first solution, by exhaustive search.
fn naive(formula: &Formula) -> Option<Vec<Var>> {
    let mut queue: Vec<Vec<Var>> = Vec::new();
    for constraint in &formula.constraints {
        if let Constraint::Mandatory(v) = constraint {
            queue.push(vec![*v]);
        }
    }
    search(formula, queue, Vec::new())
}

fn search(formula: &Formula, mut queue: Vec<Vec<Var>>, chosen: Vec<Var>) -> Option<Vec<Var>> {
    if queue.is_empty() {
        return is_satisfied(formula, &chosen).then_some(chosen);
    }
    let candidates = queue.remove(0);
    if candidates.iter().any(|c| chosen.contains(c)) {
        return search(formula, queue, chosen);
    }
    candidates.into_iter().find_map(|candidate| {
        let mut chosen = chosen.clone();
        chosen.push(candidate);
        let mut queue = queue.clone();
        for constraint in &formula.constraints {
            if let Constraint::Dependency {
                subject,
                candidates,
            } = constraint
                && *subject == candidate
            {
                queue.push(candidates.clone());
            }
        }
        search(formula, queue, chosen)
    })
}

fn is_satisfied(formula: &Formula, chosen: &[Var]) -> bool {
    formula
        .constraints
        .iter()
        .all(|constraint| match constraint {
            Constraint::Mandatory(v) => chosen.contains(v),
            Constraint::Prohibited(v) => !chosen.contains(v),
            Constraint::Dependency {
                subject,
                candidates,
            } => !chosen.contains(subject) || candidates.iter().any(|c| chosen.contains(c)),
            Constraint::Conflict(a, b) => !(chosen.contains(a) && chosen.contains(b)),
            Constraint::AtMostOne(list) => list.iter().filter(|v| chosen.contains(v)).count() < 2,
        })
}

fn dependency(subject: Var, candidates: &[Var]) -> Constraint {
    Constraint::Dependency {
        subject,
        candidates: candidates.to_vec(),
    }
}

#[test]
fn preference_follows_the_order_of_anchors() {
    let (a, b, x, y) = (0, 1, 2, 3);
    let mut formula = Formula {
        variables: 4,
        constraints: vec![
            Constraint::Mandatory(a),
            Constraint::Mandatory(b),
            dependency(a, &[x, y]),
            dependency(b, &[y]),
        ],
    };
    assert_eq!(solve(&formula), Ok(vec![a, b, x, y]));
    formula.constraints.swap(0, 1);
    assert_eq!(solve(&formula), Ok(vec![b, a, y]));
}

#[test]
fn a_core_omits_irrelevant_constraints() {
    let formula = Formula {
        variables: 4,
        constraints: vec![
            Constraint::Mandatory(3),
            Constraint::Mandatory(0),
            dependency(3, &[1]),
            dependency(0, &[2]),
            Constraint::Prohibited(2),
        ],
    };
    assert_eq!(solve(&formula), Err(Failure::Unsatisfiable(vec![1, 3, 4])));
}

fn any_formula() -> impl Strategy<Value = Formula> {
    const VARIABLES: usize = 7;
    let var = 0..VARIABLES;
    let constraint = prop_oneof![
        2 => var.clone().prop_map(Constraint::Mandatory),
        1 => var.clone().prop_map(Constraint::Prohibited),
        6 => (var.clone(), proptest::collection::vec(var.clone(), 0..4))
            .prop_map(|(subject, candidates)| Constraint::Dependency { subject, candidates }),
        2 => (var.clone(), var.clone())
            .prop_filter_map("distinct", |(a, b)| (a != b).then_some(Constraint::Conflict(a, b))),
        2 => proptest::collection::btree_set(var, 2..5).prop_map(|set| Constraint::AtMostOne(set.into_iter().collect())),
    ];
    proptest::collection::vec(constraint, 1..16).prop_map(|constraints| Formula {
        variables: VARIABLES,
        constraints,
    })
}

proptest! {
    #[test]
    fn the_search_finds_the_first_solution(formula in any_formula()) {
        match solve(&formula) {
            Ok(chosen) => prop_assert_eq!(Some(chosen), naive(&formula)),
            Err(Failure::Unsatisfiable(core)) => {
                prop_assert_eq!(naive(&formula), None);
                let constraints = core.iter().map(|&i| formula.constraints[i].clone()).collect();
                prop_assert_eq!(naive(&Formula { variables: formula.variables, constraints }), None);
            }
            Err(Failure::GaveUp) => prop_assert!(false, "seven variables are too many"),
        }
    }
}

/// Places eleven pigeons in ten holes: unsatisfiable, and infeasible by exhaustive search.
fn pigeons(count: usize, holes: usize) -> Formula {
    let var = |pigeon: usize, hole: usize| 1 + pigeon * holes + hole;
    let mut formula = Formula {
        variables: 1 + count * holes,
        constraints: vec![Constraint::Mandatory(0)],
    };
    for pigeon in 0..count {
        let candidates: Vec<Var> = (0..holes).map(|hole| var(pigeon, hole)).collect();
        formula.constraints.push(dependency(0, &candidates));
    }
    for hole in 0..holes {
        formula.constraints.push(Constraint::AtMostOne(
            (0..count).map(|pigeon| var(pigeon, hole)).collect(),
        ));
    }
    formula
}

#[test]
fn a_search_that_takes_too_long_is_given_up() {
    assert!(matches!(
        solve(&pigeons(4, 3)),
        Err(Failure::Unsatisfiable(_))
    ));
    assert_eq!(solve(&pigeons(11, 10)), Err(Failure::GaveUp));
}

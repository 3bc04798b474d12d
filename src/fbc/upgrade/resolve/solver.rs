//! The search: breadth-first over choices, with each choice's candidates in order of preference
//! (`olm-resolution` 3.6).
//!
//! The result is the lexicographically first solution. Unit propagation only prunes branches
//! without solutions, so it does not change the result. Knows numbers, not bundles.

use crate::order::SortSmall;

pub(super) type Var = usize;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Constraint {
    Mandatory(Var),
    Prohibited(Var),
    /// If `subject` is true, one of `candidates`, in order of preference.
    Dependency {
        subject: Var,
        candidates: Vec<Var>,
    },
    Conflict(Var, Var),
    /// At most one is true; a variable listed twice must be false.
    AtMostOne(Vec<Var>),
}

/// Constraints over the variables `0..variables`. Mandatory constraints are anchored in this order.
#[derive(Debug, Clone, Default)]
pub(super) struct Formula {
    pub variables: usize,
    pub constraints: Vec<Constraint>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// Indices of contradictory constraints.
    Unsatisfiable(Vec<usize>),
    /// The branch budget was exceeded.
    GaveUp,
}

/// Maximum number of decisions. Real namespaces need a few hundred.
pub(super) const BUDGET: usize = 200_000;

/// Budget for minimizing an unsatisfiable core, in visited constraints.
const CORE_BUDGET: usize = 4_000_000;

/// The chosen variables, in the order of choice.
pub(super) fn solve(formula: &Formula) -> Result<Vec<Var>, Failure> {
    let all: Vec<usize> = (0..formula.constraints.len()).collect();
    match Search::new(formula, &all).run(BUDGET) {
        Some(Some(chosen)) => Ok(chosen),
        Some(None) => Err(Failure::Unsatisfiable(core(formula, all))),
        None => Err(Failure::GaveUp),
    }
}

/// Removes constraints in ever smaller blocks while the rest stays unsatisfiable.
fn core(formula: &Formula, mut kept: Vec<usize>) -> Vec<usize> {
    let mut spent = 0;
    let mut block = kept.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        while at < kept.len() && spent < CORE_BUDGET {
            let end = (at + block).min(kept.len());
            let without: Vec<usize> = kept[..at].iter().chain(&kept[end..]).copied().collect();
            spent += formula.variables + without.len();
            if Search::new(formula, &without).run(2_000) == Some(None) {
                kept = without;
            } else {
                at = end;
            }
        }
        if block == 1 || spent >= CORE_BUDGET {
            return kept;
        }
        block = block.div_ceil(2);
    }
}

/// Variables listed more than once.
fn find_repeated(list: &[Var]) -> Vec<Var> {
    let mut sorted = list.to_vec();
    sorted.sort_small();
    sorted
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| pair[0])
        .collect()
}

struct Search<'a> {
    /// The active constraints.
    constraints: Vec<&'a Constraint>,
    /// For each variable, the constraints that mention it.
    mentions: Vec<Vec<usize>>,
    /// For each variable, its dependencies in order.
    dependencies: Vec<Vec<usize>>,
    value: Vec<Option<bool>>,
    /// Assigned variables, for backtracking.
    trail: Vec<Var>,
    guessed: Vec<bool>,
}

/// A choice that may be revised.
struct Decision {
    /// Its position in the queue.
    at: usize,
    /// The candidate taken.
    candidate: usize,
    trail: usize,
    queue: usize,
    chosen: usize,
}

#[derive(Clone, Copy)]
enum Choice {
    Anchor(Var),
    Dependency(usize),
}

impl<'a> Search<'a> {
    fn new(formula: &'a Formula, enabled: &[usize]) -> Self {
        let mut search = Self {
            constraints: Vec::with_capacity(enabled.len()),
            mentions: vec![Vec::new(); formula.variables],
            dependencies: vec![Vec::new(); formula.variables],
            value: vec![None; formula.variables],
            trail: Vec::new(),
            guessed: vec![false; formula.variables],
        };
        for &i in enabled {
            let constraint = &formula.constraints[i];
            let at = search.constraints.len();
            match constraint {
                Constraint::Mandatory(v) | Constraint::Prohibited(v) => {
                    search.mentions[*v].push(at)
                }
                Constraint::Dependency {
                    subject,
                    candidates,
                } => {
                    search.dependencies[*subject].push(at);
                    search.mentions[*subject].push(at);
                    candidates.iter().for_each(|&c| search.mentions[c].push(at));
                }
                Constraint::Conflict(a, b) => [a, b]
                    .into_iter()
                    .for_each(|&v| search.mentions[v].push(at)),
                Constraint::AtMostOne(list) => {
                    list.iter().for_each(|&v| search.mentions[v].push(at))
                }
            }
            search.constraints.push(constraint);
        }
        search
    }

    /// `None`: the budget ran out. `Some(None)`: there is no solution.
    fn run(mut self, mut budget: usize) -> Option<Option<Vec<Var>>> {
        let mut queue: Vec<Choice> = Vec::new();
        for i in 0..self.constraints.len() {
            let fits = match self.constraints[i] {
                Constraint::Mandatory(v) => {
                    queue.push(Choice::Anchor(*v));
                    self.assign(*v, true)
                }
                _ => self.check(i),
            };
            if !fits {
                return Some(None);
            }
        }
        let mut decisions: Vec<Decision> = Vec::new();
        let mut chosen: Vec<Var> = Vec::new();
        let mut at = 0;
        let mut from = 0;
        loop {
            let Some(&choice) = queue.get(at) else {
                return Some(Some(chosen));
            };
            let candidates: &[Var] = match &choice {
                Choice::Anchor(v) => std::slice::from_ref(v),
                Choice::Dependency(i) => match self.constraints[*i] {
                    Constraint::Dependency { candidates, .. } => candidates,
                    _ => &[],
                },
            };
            if from == 0 && candidates.iter().any(|&c| self.guessed[c]) {
                at += 1;
                continue;
            }
            let trail = self.trail.len();
            let taken = (from..candidates.len()).find(|&i| {
                budget = budget.saturating_sub(1);
                let fits = self.assign(candidates[i], true);
                if !fits {
                    self.take_back(trail);
                }
                fits
            });
            if budget == 0 {
                return None;
            }
            match taken {
                Some(candidate) => {
                    let var = candidates[candidate];
                    decisions.push(Decision {
                        at,
                        candidate,
                        trail,
                        queue: queue.len(),
                        chosen: chosen.len(),
                    });
                    self.guessed[var] = true;
                    chosen.push(var);
                    queue.extend(
                        self.dependencies[var]
                            .iter()
                            .map(|&d| Choice::Dependency(d)),
                    );
                    at += 1;
                    from = 0;
                }
                None => {
                    let Some(last) = decisions.pop() else {
                        return Some(None);
                    };
                    self.take_back(last.trail);
                    chosen
                        .drain(last.chosen..)
                        .for_each(|v| self.guessed[v] = false);
                    queue.truncate(last.queue);
                    at = last.at;
                    from = last.candidate + 1;
                }
            }
        }
    }

    /// Assigns and propagates; false on a contradiction.
    fn assign(&mut self, var: Var, value: bool) -> bool {
        let from = self.trail.len();
        self.set(var, value) && self.propagate(from)
    }

    /// Propagates one constraint; false on a contradiction.
    fn check(&mut self, constraint: usize) -> bool {
        let from = self.trail.len();
        self.conclude(constraint) && self.propagate(from)
    }

    /// Checks every constraint that mentions a variable assigned since `from`.
    fn propagate(&mut self, mut from: usize) -> bool {
        while let Some(&var) = self.trail.get(from) {
            from += 1;
            let value = self.value[var] == Some(true);
            for i in 0..self.mentions[var].len() {
                let constraint = self.mentions[var][i];
                if self.follows(constraint, var, value) && !self.conclude(constraint) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether a constraint can force anything after this assignment. Without this filter, a false
    /// variable would visit every other variable of its `AtMostOne` constraints.
    fn follows(&self, constraint: usize, var: Var, value: bool) -> bool {
        match self.constraints[constraint] {
            Constraint::AtMostOne(_) => value,
            // A true candidate satisfies it; a false one may leave a single candidate.
            Constraint::Dependency { subject, .. } => *subject == var || !value,
            _ => true,
        }
    }

    /// Derives the consequences of one constraint under the current assignment; false if it is
    /// violated.
    fn conclude(&mut self, constraint: usize) -> bool {
        match self.constraints[constraint] {
            Constraint::Mandatory(v) => self.set(*v, true),
            Constraint::Prohibited(v) => self.set(*v, false),
            Constraint::Conflict(a, b) => {
                (self.value[*a] != Some(true) || self.set(*b, false))
                    && (self.value[*b] != Some(true) || self.set(*a, false))
            }
            Constraint::AtMostOne(list) => {
                let Some(first) = list.iter().position(|&v| self.value[v] == Some(true)) else {
                    return find_repeated(list).into_iter().all(|v| self.set(v, false));
                };
                list.iter()
                    .enumerate()
                    .all(|(i, &v)| i == first || self.set(v, false))
            }
            Constraint::Dependency {
                subject,
                candidates,
            } => {
                if self.value[*subject] == Some(false) {
                    return true;
                }
                let mut open = candidates.iter().filter(|&&c| self.value[c] != Some(false));
                match (open.next(), open.next()) {
                    (None, _) => self.set(*subject, false),
                    (Some(&only), None) if self.value[*subject] == Some(true) => {
                        self.set(only, true)
                    }
                    _ => true,
                }
            }
        }
    }

    fn set(&mut self, var: Var, value: bool) -> bool {
        match self.value[var] {
            Some(present) => present == value,
            None => {
                self.value[var] = Some(value);
                self.trail.push(var);
                true
            }
        }
    }

    fn take_back(&mut self, trail: usize) {
        for var in self.trail.drain(trail..) {
            self.value[var] = None;
        }
    }
}

//! The applied operations as the page keeps them: what a new worker replays when one died, and what can be taken out when
//! nothing else works.

use crate::fbc::edit::op::EditOp;
use crate::protocol::request::ReplayStep;

/// One step that was applied.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Step {
    pub title: String,
    pub ops: Vec<EditOp>,
}

impl Step {
    pub fn of(step: &ReplayStep) -> Self {
        Self { title: step.title.clone(), ops: step.ops.0.clone() }
    }
}

/// Steps in order. Those from `applied` on are undone and can be redone. Mirrors the worker's history step by step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Journal {
    steps: Vec<Step>,
    applied: usize,
}

impl Journal {
    /// A new step: what was undone can no longer be redone.
    pub fn push(&mut self, step: Step) {
        self.steps.truncate(self.applied);
        self.steps.push(step);
        self.applied = self.steps.len();
    }

    /// Undo, redo and go-to: so many steps are applied now.
    pub fn set_applied(&mut self, applied: usize) {
        self.applied = applied.min(self.steps.len());
    }

    /// Forgets everything: other files are open.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The worker's history is another one now: what was not saved was applied again to what came in.
    pub fn replace(&mut self, steps: impl IntoIterator<Item = Step>) {
        self.steps = steps.into_iter().collect();
        self.applied = self.steps.len();
    }

    /// Takes out steps that could not be applied again; `indices` count applied steps. What was undone is forgotten.
    pub fn remove(&mut self, indices: &[usize]) -> Vec<Step> {
        self.steps.truncate(self.applied);
        let (mut removed, mut kept) = (Vec::new(), Vec::new());
        for (index, step) in self.steps.drain(..).enumerate() {
            if indices.contains(&index) { &mut removed } else { &mut kept }.push(step);
        }
        self.applied = kept.len();
        self.steps = kept;
        removed
    }

    pub fn applied(&self) -> &[Step] {
        &self.steps[..self.applied]
    }

    pub fn is_empty(&self) -> bool {
        self.applied == 0
    }
}

/// Operations as JSON lines: the form `switchyard edit --stdin` takes.
pub fn as_json_lines<'a>(steps: impl IntoIterator<Item = &'a Step>) -> String {
    let mut out = String::new();
    for op in steps.into_iter().flat_map(|step| &step.ops) {
        // Operations are strings, lists and options: JSON can write all of them.
        if let Ok(line) = serde_json::to_string(op) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(channel: &str) -> Step {
        let op = EditOp::SetDefaultChannel { catalog: None, package: "p".into(), channel: channel.into() };
        Step { title: channel.into(), ops: vec![op] }
    }

    #[test]
    fn a_new_step_forgets_what_was_undone() {
        let mut journal = Journal::default();
        journal.push(step("a"));
        journal.push(step("b"));
        journal.set_applied(1);
        assert_eq!(journal.applied(), [step("a")]);
        journal.push(step("c"));
        journal.set_applied(9);
        assert_eq!(journal.applied(), [step("a"), step("c")]);
    }

    #[test]
    fn steps_set_aside_leave_the_others_in_order() {
        let mut journal = Journal::default();
        for name in ["a", "b", "c", "d"] {
            journal.push(step(name));
        }
        journal.set_applied(3);
        assert_eq!(journal.remove(&[1]), [step("b")]);
        assert_eq!(journal.applied(), [step("a"), step("c")]);
        journal.set_applied(3);
        assert_eq!(journal.applied().len(), 2);
    }

    #[test]
    fn json_lines_are_what_the_command_line_reads() {
        let text = as_json_lines(&[step("a"), step("b")]);
        let ops: Vec<EditOp> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(ops, [step("a").ops, step("b").ops].concat());
    }
}

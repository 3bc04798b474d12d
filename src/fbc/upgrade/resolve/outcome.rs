//! What a resolution means for each subscription: most of all, whether one that stays is up to date or held back.

use super::Subscription;
use super::solver::{Constraint, Failure, Var, solve};
use super::variables::Problem;
use crate::place::Text;

/// What becomes of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub subscription: Text,
    pub state: State,
    /// What is installed now; "" for nothing.
    pub installed: Text,
    /// The bundle that is to be installed; "" when nothing is.
    pub bundle: Text,
    /// One sentence, names in backticks.
    pub why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    Installs,
    Updates,
    /// It has the head of its channel.
    UpToDate,
    /// Entries lead on from what is installed, and none of them can be installed.
    HeldBack,
    /// No entry leads on from what is installed, and it is not the head. OLM reports nothing then.
    NoWayOn,
}

impl State {
    /// The spelling of the JSON contract.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Installs => "installs",
            State::Updates => "updates",
            State::UpToDate => "up-to-date",
            State::HeldBack => "held-back",
            State::NoWayOn => "no-way-on",
        }
    }
}

/// A subscription as the formula has it.
pub(super) struct Asked<'a> {
    pub subscription: &'a Subscription,
    /// The installed CSV, where it is there.
    pub installed: Option<Text>,
    /// In order of preference, without what is installed.
    pub candidates: Vec<Var>,
    /// The installed CSV is the head of a channel subscribed to.
    pub has_head: bool,
}

impl Problem<'_> {
    /// One for each subscription, by name.
    pub(super) fn outcomes(&self, chosen: &[Var]) -> Vec<Outcome> {
        self.asked.iter().map(|asked| self.outcome(asked, chosen)).collect()
    }

    fn outcome(&self, asked: &Asked<'_>, chosen: &[Var]) -> Outcome {
        let installed = asked.installed.clone().unwrap_or_default();
        let others = || asked.candidates.iter().copied().filter(|&var| self.name(var) != installed);
        let taken = others().find(|var| chosen.contains(var));
        let (state, why) = match (taken, &asked.installed) {
            (Some(taken), None) => (State::Installs, format!("`{}` is installed", self.name(taken))),
            (Some(taken), Some(from)) => (State::Updates, format!("`{from}` is updated to `{}`", self.name(taken))),
            (None, _) if others().next().is_some() => (State::HeldBack, self.held_back(asked, others().collect())),
            (None, _) if asked.has_head => {
                (State::UpToDate, format!("`{installed}` is up to date: it is the head of its channel"))
            }
            (None, _) => (
                State::NoWayOn,
                format!("`{installed}` stays: no entry leads on from it, though it is not the head of its channel"),
            ),
        };
        let bundle = taken.map(|var| self.name(var)).unwrap_or_default();
        Outcome { subscription: asked.subscription.name.clone(), state, installed, bundle, why }
    }

    /// What stands in the way of the best candidate.
    fn held_back(&self, asked: &Asked<'_>, candidates: Vec<Var>) -> String {
        let installed = asked.installed.as_deref().unwrap_or("nothing");
        let names: Vec<String> = candidates.iter().map(|&var| format!("`{}`", self.name(var))).collect();
        let mut said =
            format!("`{installed}` is held back: {} could follow, and cannot be installed", names.join(", "));
        let Some(&best) = candidates.first() else { return said };
        let mut with_it = self.formula.clone();
        with_it.constraints.push(Constraint::Mandatory(best));
        match solve(&with_it) {
            Err(Failure::Unsatisfiable(core)) => {
                let mut texts: Vec<String> = core
                    .into_iter()
                    .filter(|&constraint| constraint < self.formula.constraints.len())
                    .map(|constraint| self.text(constraint))
                    .collect();
                texts.sort_unstable();
                texts.dedup();
                if !texts.is_empty() {
                    said.push_str(&format!(": {}", texts.join(", ")));
                }
            }
            Ok(_) => said.push_str(" together with what other subscriptions come first for"),
            Err(Failure::GaveUp) => {}
        }
        said
    }
}

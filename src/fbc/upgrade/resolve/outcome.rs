//! The outcome of a resolution for each subscription: above all, whether one that stays is up to
//! date or held back.

use super::request::{Outcome, State};
use super::solver::{Constraint, Failure, Var, solve};
use super::variables::{Problem, SubscriptionVariables};
use crate::order::SortSmall;

impl Problem<'_> {
    /// One outcome per subscription, by name.
    pub(super) fn outcomes(&self, chosen: &[Var]) -> Vec<Outcome> {
        self.subscriptions
            .iter()
            .map(|variables| self.outcome(variables, chosen))
            .collect()
    }

    fn outcome(&self, variables: &SubscriptionVariables<'_>, chosen: &[Var]) -> Outcome {
        let installed = variables.installed.clone().unwrap_or_default();
        let others = || {
            variables
                .candidates
                .iter()
                .copied()
                .filter(|&var| self.name(var) != installed)
        };
        let taken = others().find(|var| chosen.contains(var));
        let (state, why) = match (taken, &variables.installed) {
            (Some(taken), None) => (
                State::Installs,
                format!("`{}` is installed", self.name(taken)),
            ),
            (Some(taken), Some(from)) => (
                State::Updates,
                format!("`{from}` is updated to `{}`", self.name(taken)),
            ),
            (None, _) if others().next().is_some() => (
                State::HeldBack,
                self.held_back(variables, others().collect()),
            ),
            (None, _) if variables.has_head => (
                State::UpToDate,
                format!("`{installed}` is up to date: it is the head of its channel"),
            ),
            (None, _) => (
                State::NoWayOn,
                format!(
                    "`{installed}` stays: it is not the head of its channel, but no entry replaces, skips or covers it"
                ),
            ),
        };
        let bundle = taken.map(|var| self.name(var)).unwrap_or_default();
        Outcome {
            subscription: variables.subscription.name.clone(),
            state,
            installed,
            bundle,
            why,
        }
    }

    /// Why the best candidate cannot be installed.
    fn held_back(&self, variables: &SubscriptionVariables<'_>, candidates: Vec<Var>) -> String {
        let names: Vec<String> = candidates
            .iter()
            .map(|&var| format!("`{}`", self.name(var)))
            .collect();
        let names = names.join(", ");
        let mut text = match &variables.installed {
            Some(installed) => {
                format!("`{installed}` is held back: {names} could follow but cannot be installed")
            }
            None => format!("nothing is installed: {names} cannot be installed"),
        };
        let Some(&best) = candidates.first() else {
            return text;
        };
        let mut with_it = self.formula.clone();
        with_it.constraints.push(Constraint::Mandatory(best));
        match solve(&with_it) {
            Err(Failure::Unsatisfiable(core)) => {
                let mut texts: Vec<String> = core
                    .into_iter()
                    .filter(|&constraint| constraint < self.formula.constraints.len())
                    .map(|constraint| self.text(constraint))
                    .collect();
                texts.sort_small();
                texts.dedup();
                if !texts.is_empty() {
                    text.push_str(&format!(": {}", texts.join(", ")));
                }
            }
            Ok(_) => text.push_str(" together with what OLM chooses for other subscriptions"),
            Err(Failure::GaveUp) => {}
        }
        text
    }
}

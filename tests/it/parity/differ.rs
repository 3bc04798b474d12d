//! Validates one tree with our library and the reference, and compares verdict and message.

use super::case::Tree;
use super::opm::Opm;
use crate::verdict_matches_opm::compare::normalise;
use crate::verdict_matches_opm::tree::of_case;
use serde_json::{Value, json};
use verdict::validate::judge;

/// How often a tree is validated if the first message differs: some messages depend on chance.
const REPEAT: u32 = 24;

/// Both answers. A message is "" for a tree that passes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pair {
    pub(crate) ours: String,
    pub(crate) opm: String,
    pub(crate) panicked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Equal,
    Message,
    Verdict,
}

impl Pair {
    pub(crate) fn outcome(&self) -> Outcome {
        match (self.ours.is_empty(), self.opm.is_empty()) {
            (false, _) if self.panicked => Outcome::Equal,
            _ if self.ours == self.opm => Outcome::Equal,
            (ours, opm) if ours == opm => Outcome::Message,
            _ => Outcome::Verdict,
        }
    }

    /// Both messages without the parts that vary from case to case.
    pub(crate) fn class(&self) -> String {
        format!(
            "opm: {}\n     ours: {}",
            skeleton(&self.opm),
            skeleton(&self.ours)
        )
    }
}

fn skeleton(message: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for c in message.lines().next().unwrap_or("(passes)").chars() {
        match c {
            '"' => {
                quoted = !quoted;
                out.push('"');
            }
            _ if quoted => {}
            '0'..='9' if out.ends_with('0') => {}
            '0'..='9' => out.push('0'),
            _ => out.push(c),
        }
    }
    if out.is_empty() {
        "(passes)".to_owned()
    } else {
        out.chars().take(160).collect()
    }
}

/// Validates a tree with both.
pub(crate) fn compare(opm: &mut Opm, tree: &Tree) -> Pair {
    let mut case = tree.case();
    let verdict = judge(&of_case(&case));
    let ours = normalise(verdict.opm_message.as_deref().unwrap_or_default());
    let first = opm.ask(&case);
    let mut pair = pair(ours, &first);
    if pair.outcome() != Outcome::Equal {
        case["repeat"] = json!(REPEAT);
        let again = opm.ask(&case);
        let others = again["also"]
            .as_array()
            .into_iter()
            .flatten()
            .chain([&again["message"]]);
        if others
            .filter_map(Value::as_str)
            .any(|message| normalise(message) == pair.ours)
        {
            pair.opm.clone_from(&pair.ours);
        }
    }
    pair
}

fn pair(ours: String, answer: &Value) -> Pair {
    let panicked = answer["panic"] == true;
    let opm = normalise(answer["message"].as_str().unwrap_or("no answer"));
    Pair {
        ours,
        opm,
        panicked,
    }
}

//! *Also in*: in which other catalogs the same is to be done, and what is told of each. Pure.
//!
//! A catalog is ticked by itself where all that the operations touch is the same there. What the user ticks or unticks
//! stays so, as long as it can be done there.

use crate::words::count;
use protocol::judgement::{Judgement, verdict_words};
use protocol::operation::EditOp;
use protocol::response::{OtherCatalog, OtherCatalogOutcome};
use std::collections::BTreeMap;

/// What the user said, by root.
pub type Chosen = BTreeMap<String, bool>;

/// Whether the operations are done there too.
pub fn is_ticked(chosen: &Chosen, other: &OtherCatalog) -> bool {
    match &other.outcome {
        OtherCatalogOutcome::Absent | OtherCatalogOutcome::Refused(_) => false,
        OtherCatalogOutcome::Previewed { differs, .. } => {
            chosen.get(&other.root).copied().unwrap_or(differs.is_empty())
        }
    }
}

/// The roots in which the operations are done too.
pub fn ticked(chosen: &Chosen, others: &[OtherCatalog]) -> Vec<String> {
    others.iter().filter(|other| is_ticked(chosen, other)).map(|other| other.root.clone()).collect()
}

/// The operations, and those for each of these roots.
pub fn everywhere(ops: &[EditOp], others: &[OtherCatalog], roots: &[String]) -> Vec<EditOp> {
    let there = others.iter().filter(|other| roots.contains(&other.root)).flat_map(|other| &other.ops.0);
    ops.iter().chain(there).cloned().collect()
}

/// How it stands there against here; names in backticks.
pub fn standing(there: &OtherCatalogOutcome) -> String {
    match there {
        OtherCatalogOutcome::Absent => "has no such package".to_owned(),
        OtherCatalogOutcome::Refused(refusal) => format!("cannot be done: {}", refusal.reason),
        OtherCatalogOutcome::Previewed { differs, .. } if differs.is_empty() => "the same there".to_owned(),
        OtherCatalogOutcome::Previewed { differs, .. } => format!("differs: {differs}"),
    }
}

/// What would follow there, in a few words, and whether it is bad; `None` where nothing can be done.
pub fn verdict(there: &OtherCatalogOutcome) -> Option<(bool, String)> {
    let OtherCatalogOutcome::Previewed { diffs, consequences: found, .. } = there else { return None };
    if diffs.is_empty() {
        return Some((false, "nothing changes".to_owned()));
    }
    let passes = found.verdicts.iter().all(|verdict| verdict.passed_after);
    let passed = found.verdicts.iter().all(|verdict| verdict.passed_before);
    let mut words = verdict_words(passed, passes).to_owned();
    if found.verdicts.is_empty() {
        // A template: what is rendered from it has the verdict.
        words = "the template changes".to_owned();
    }
    let gained = found.problems_gained.len() as u32;
    if gained > 0 {
        words.push_str(&format!(", {}", count(gained, "new problem")));
    }
    if !found.emptied.is_empty() {
        words.push_str(", a channel without entries");
    }
    let is_worse = found.judgement == Judgement::Worse;
    if passes && is_worse {
        // A cross beside a verdict that passes would contradict it.
        words.push_str(", worse for users");
    }
    Some((!passes || is_worse || gained > 0, words))
}

/// The catalogs that have no such package, as one sentence without names; "" when all have it.
pub fn absent(others: &[OtherCatalog]) -> String {
    let absent = others.iter().filter(|other| other.outcome == OtherCatalogOutcome::Absent).count() as u32;
    match absent {
        0 => String::new(),
        1 => "1 more open catalog does not have the package.".to_owned(),
        more => format!("{more} more open catalogs do not have the package."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Json;
    use protocol::response::OperationRefusal;
    use protocol::views::{Consequences, FileDiff, VerdictChange};

    fn would(root: &str, differs: &str, passed_after: bool) -> OtherCatalog {
        let verdict = VerdictChange { passed_before: true, passed_after, ..VerdictChange::default() };
        let consequences = Box::new(Consequences { verdicts: vec![verdict], ..Consequences::default() });
        let diffs = vec![FileDiff::default()];
        OtherCatalog {
            root: root.into(),
            ops: Json(vec![default_channel(root)]),
            outcome: OtherCatalogOutcome::Previewed { differs: differs.into(), diffs, consequences },
        }
    }

    #[test]
    fn what_passes_and_is_worse_says_so() {
        let mut there = would("b", "", true);
        if let OtherCatalogOutcome::Previewed { consequences, .. } = &mut there.outcome {
            consequences.judgement = Judgement::Worse;
        }
        let told = Some((true, "still passes opm validate, worse for users".to_owned()));
        assert_eq!(verdict(&there.outcome), told);
    }

    fn default_channel(root: &str) -> EditOp {
        EditOp::SetDefaultChannel { catalog: Some(root.into()), package: "p".into(), channel: "c".into() }
    }

    fn refused() -> OtherCatalogOutcome {
        OtherCatalogOutcome::Refused(OperationRefusal { reason: "no `x`".into(), ..OperationRefusal::default() })
    }

    #[test]
    fn the_same_is_ticked_until_the_user_says_otherwise() {
        let others = [
            would("a", "", true),
            would("b", "`x` is not there", true),
            OtherCatalog { root: "c".into(), ops: Json(Vec::new()), outcome: refused() },
            OtherCatalog { root: "d".into(), ops: Json(Vec::new()), outcome: OtherCatalogOutcome::Absent },
        ];
        assert_eq!(ticked(&Chosen::new(), &others), ["a"]);
        let chosen = Chosen::from(["a", "b", "c"].map(|root| (root.to_owned(), root != "a")));
        assert_eq!(ticked(&chosen, &others), ["b"], "what is refused stays out");
        assert_eq!(absent(&others), "1 more open catalog does not have the package.");
    }

    #[test]
    fn each_catalog_is_told_with_its_verdict() {
        let told = |other: &OtherCatalog| (standing(&other.outcome), verdict(&other.outcome));
        assert_eq!(
            told(&would("a", "", true)),
            ("the same there".into(), Some((false, "still passes opm validate".into())))
        );
        let bad = would("a", "`x` is not there", false);
        assert_eq!(told(&bad), ("differs: `x` is not there".into(), Some((true, "fails opm validate now".into()))));
        assert_eq!((standing(&refused()), verdict(&refused())), ("cannot be done: no `x`".into(), None));
    }

    #[test]
    fn one_step_holds_the_operations_of_every_catalog() {
        let others = [would("b", "", true), would("c", "", true), would("d", "", true)];
        let all = everywhere(&[default_channel("a")], &others, &["b".into(), "d".into()]);
        assert_eq!(all.iter().map(|op| op.catalog().unwrap_or_default()).collect::<Vec<_>>(), ["a", "b", "d"]);
    }
}

//! *Also in*: in which other catalogs the same is to be done, and what is told of each. Pure.
//!
//! A catalog is ticked by itself only where it lies in the folder of the one that is edited, has the package already, and all
//! that the operations touch is the same there. What the user ticks or unticks stays so, as long as it can be done there.

use crate::words::{count, listed as listed_names};
use protocol::judgement::{Judgement, Tone};
use protocol::operation::EditOp;
use protocol::response::{OtherCatalog, OtherCatalogOutcome};
use std::collections::BTreeMap;

/// What the user said, by root.
pub type Chosen = BTreeMap<String, bool>;

/// So many catalogs are listed at once.
const LISTED: usize = 5;

/// Whether the operations are done there too; `here` is the root of the catalog that they are for.
pub fn is_ticked(chosen: &Chosen, here: &str, other: &OtherCatalog) -> bool {
    let is_meant = |differs: &str| {
        differs.is_empty() && is_of_one_folder(here, &other.root) && !begins_a_package(&other.ops.0)
    };
    match &other.outcome {
        OtherCatalogOutcome::Absent | OtherCatalogOutcome::Refused(_) => false,
        OtherCatalogOutcome::Previewed { differs, .. } => chosen
            .get(&other.root)
            .copied()
            .unwrap_or_else(|| is_meant(differs)),
    }
}

/// The roots in which the operations are done too.
pub fn ticked(chosen: &Chosen, here: &str, others: &[OtherCatalog]) -> Vec<String> {
    others
        .iter()
        .filter(|other| is_ticked(chosen, here, other))
        .map(|other| other.root.clone())
        .collect()
}

/// What the user says with one press: every catalog in which it can be done, or none, whatever becomes possible later.
pub fn all_or_none(others: &[OtherCatalog], is_all: bool) -> Chosen {
    let can = |other: &&OtherCatalog| {
        !is_all || matches!(other.outcome, OtherCatalogOutcome::Previewed { .. })
    };
    others
        .iter()
        .filter(can)
        .map(|other| (other.root.clone(), is_all))
        .collect()
}

/// Both were opened with the same folder: what was opened apart is not edited together unasked.
fn is_of_one_folder(here: &str, there: &str) -> bool {
    matches!((here.split_once('/'), there.split_once('/')), (Some((a, _)), Some((b, _))) if a == b)
}

/// A package that is new is the same nowhere: there is nothing to compare.
fn begins_a_package(ops: &[EditOp]) -> bool {
    ops.iter()
        .any(|op| matches!(op, EditOp::AddPackage { .. } | EditOp::CopyPackage { .. }))
}

/// The catalogs in the order in which they are listed, those without the package last, and how many of them are listed
/// before someone asks for the rest.
pub fn listed(others: &[OtherCatalog]) -> (Vec<OtherCatalog>, usize) {
    let (absent, mut there): (Vec<OtherCatalog>, Vec<OtherCatalog>) = others
        .iter()
        .cloned()
        .partition(|other| other.outcome == OtherCatalogOutcome::Absent);
    there.extend(absent);
    // A button for a single row would take the room of the row.
    let first = if there.len() <= LISTED + 1 {
        there.len()
    } else {
        LISTED
    };
    (there, first)
}

/// What is said over the list: how many are ticked, and which; `names` are those of the ticked ones.
pub fn tally(names: &[String], others: &[OtherCatalog]) -> String {
    let there = others
        .iter()
        .filter(|other| other.outcome != OtherCatalogOutcome::Absent)
        .count();
    match (there, names) {
        (0, _) => "No other open catalog has the package.".to_owned(),
        (_, []) => format!("0 of {there} selected: only this catalog changes."),
        _ => format!(
            "{} of {there} selected: {}.",
            names.len(),
            listed_names(names)
        ),
    }
}

/// The operations, and those for each of these roots.
pub fn everywhere(ops: &[EditOp], others: &[OtherCatalog], roots: &[String]) -> Vec<EditOp> {
    let there = others
        .iter()
        .filter(|other| roots.contains(&other.root))
        .flat_map(|other| &other.ops.0);
    ops.iter().chain(there).cloned().collect()
}

/// How it stands there against here; names in backticks.
pub fn standing(there: &OtherCatalogOutcome) -> String {
    match there {
        OtherCatalogOutcome::Absent => "has no such package".to_owned(),
        OtherCatalogOutcome::Refused(refusal) => format!("cannot be done: {}", refusal.reason),
        OtherCatalogOutcome::Previewed { differs, .. } if differs.is_empty() => {
            "the same there".to_owned()
        }
        OtherCatalogOutcome::Previewed { differs, .. } => format!("differs: {differs}"),
    }
}

/// What would follow there, in a few words, and how loud that is; `None` where nothing can be done.
pub fn verdict(there: &OtherCatalogOutcome) -> Option<(Tone, String)> {
    let OtherCatalogOutcome::Previewed {
        diffs,
        consequences: found,
        ..
    } = there
    else {
        return None;
    };
    if diffs.is_empty() {
        return Some((Tone::Plain, "nothing changes".to_owned()));
    }
    // Without one it is a template: what is rendered from it has the verdict.
    let verdict = found.verdicts.first();
    let mut words = verdict.map_or_else(
        || "the template changes".to_owned(),
        |verdict| verdict.words.clone(),
    );
    let gained = found.problems_gained.len() as u32;
    if gained > 0 {
        words.push_str(&format!(", {}", count(gained, "new problem")));
    }
    if !found.emptied.is_empty() {
        words.push_str(", a channel without entries");
    }
    let fails_now = verdict.is_some_and(|verdict| verdict.tone == Tone::Bad);
    let is_worse = found.judgement == Judgement::Worse;
    if !fails_now && is_worse {
        words.push_str(", worse for users");
    }
    // A cross beside a verdict that passes would contradict it.
    let tone = match verdict.map_or(Tone::Plain, |verdict| verdict.tone) {
        Tone::Bad => Tone::Bad,
        _ if is_worse || gained > 0 || !found.emptied.is_empty() => Tone::Advice,
        tone => tone,
    };
    Some((tone, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Json;
    use protocol::response::OperationRefusal;
    use protocol::views::{Consequences, FileDiff, VerdictChange};

    const HERE: &str = "of/here";

    fn would(root: &str, differs: &str, passed_after: bool) -> OtherCatalog {
        let (words, tone) = match passed_after {
            true => ("still passes opm validate", Tone::Good),
            false => ("fails opm validate now", Tone::Bad),
        };
        let words = words.to_owned();
        let verdict = VerdictChange {
            passed_before: true,
            passed_after,
            words,
            tone,
            ..VerdictChange::default()
        };
        let consequences = Box::new(Consequences {
            verdicts: vec![verdict],
            ..Consequences::default()
        });
        let diffs = vec![FileDiff::default()];
        OtherCatalog {
            root: root.into(),
            ops: Json(vec![default_channel(root)]),
            outcome: OtherCatalogOutcome::Previewed {
                differs: differs.into(),
                diffs,
                consequences,
            },
        }
    }

    #[test]
    fn what_passes_and_is_worse_says_so() {
        let mut there = would("b", "", true);
        if let OtherCatalogOutcome::Previewed { consequences, .. } = &mut there.outcome {
            consequences.judgement = Judgement::Worse;
        }
        let told = Some((
            Tone::Advice,
            "still passes opm validate, worse for users".to_owned(),
        ));
        assert_eq!(verdict(&there.outcome), told);
    }

    fn default_channel(root: &str) -> EditOp {
        EditOp::SetDefaultChannel {
            catalog: Some(root.into()),
            package: "p".into(),
            channel: "c".into(),
        }
    }

    fn refused() -> OtherCatalogOutcome {
        OtherCatalogOutcome::Refused(OperationRefusal {
            reason: "no `x`".into(),
            ..OperationRefusal::default()
        })
    }

    #[test]
    fn the_same_is_ticked_until_the_user_says_otherwise() {
        let others = [
            would("of/a", "", true),
            would("of/b", "`x` is not there", true),
            OtherCatalog {
                root: "of/c".into(),
                ops: Json(Vec::new()),
                outcome: refused(),
            },
            OtherCatalog {
                root: "of/d".into(),
                ops: Json(Vec::new()),
                outcome: OtherCatalogOutcome::Absent,
            },
        ];
        assert_eq!(ticked(&Chosen::new(), HERE, &others), ["of/a"]);
        let chosen =
            Chosen::from(["of/a", "of/b", "of/c"].map(|root| (root.to_owned(), root != "of/a")));
        assert_eq!(
            ticked(&chosen, HERE, &others),
            ["of/b"],
            "what is refused stays out"
        );
        assert_eq!(
            ticked(&all_or_none(&others, false), HERE, &others),
            Vec::<String>::new()
        );
        assert_eq!(
            ticked(&all_or_none(&others, true), HERE, &others),
            ["of/a", "of/b"]
        );
        assert_eq!(
            all_or_none(&others, false).len(),
            4,
            "nor what becomes possible later"
        );
    }

    #[test]
    fn what_was_opened_apart_or_gets_a_new_package_is_not_ticked_unasked() {
        assert_eq!(
            ticked(&Chosen::new(), "other/b", &[would("of/a", "", true)]),
            Vec::<String>::new()
        );
        assert_eq!(
            ticked(&Chosen::new(), "b", &[would("a", "", true)]),
            Vec::<String>::new(),
            "dropped one by one"
        );
        let mut begun = would("of/a", "", true);
        begun.ops.0.push(EditOp::AddPackage {
            catalog: Some("of/a".into()),
            package: "p".into(),
            default_channel: String::new(),
            description: None,
            icon: None,
            file: None,
        });
        assert_eq!(
            ticked(&Chosen::new(), HERE, std::slice::from_ref(&begun)),
            Vec::<String>::new()
        );
        assert_eq!(
            ticked(&all_or_none(&[begun.clone()], true), HERE, &[begun]),
            ["of/a"],
            "it is asked for"
        );
    }

    #[test]
    fn a_long_list_says_how_many_it_hides_and_the_tally_names_what_is_ticked() {
        let absent = OtherCatalog {
            root: "of/0".into(),
            ops: Json(Vec::new()),
            outcome: OtherCatalogOutcome::Absent,
        };
        let mut others = vec![absent.clone()];
        others.extend((1..=5).map(|n| would(&format!("of/{n}"), "", true)));
        let (all, first) = listed(&others);
        assert_eq!((all.len(), first), (6, 6));
        assert_eq!(all.last(), Some(&absent));
        others.push(would("of/6", "", true));
        assert_eq!(listed(&others).1, 5);
        assert_eq!(
            tally(&["1".into(), "2".into()], &others),
            "2 of 6 selected: 1, 2."
        );
        assert_eq!(
            tally(&[], &others),
            "0 of 6 selected: only this catalog changes."
        );
        assert_eq!(
            tally(&[], &[absent]),
            "No other open catalog has the package."
        );
    }

    #[test]
    fn each_catalog_is_told_with_its_verdict() {
        let told = |other: &OtherCatalog| (standing(&other.outcome), verdict(&other.outcome));
        assert_eq!(
            told(&would("a", "", true)),
            (
                "the same there".into(),
                Some((Tone::Good, "still passes opm validate".into()))
            )
        );
        let bad = would("a", "`x` is not there", false);
        assert_eq!(
            told(&bad),
            (
                "differs: `x` is not there".into(),
                Some((Tone::Bad, "fails opm validate now".into()))
            )
        );
        assert_eq!(
            (standing(&refused()), verdict(&refused())),
            ("cannot be done: no `x`".into(), None)
        );
    }

    #[test]
    fn one_step_holds_the_operations_of_every_catalog() {
        let others = [
            would("b", "", true),
            would("c", "", true),
            would("d", "", true),
        ];
        let all = everywhere(&[default_channel("a")], &others, &["b".into(), "d".into()]);
        assert_eq!(
            all.iter()
                .map(|op| op.catalog().unwrap_or_default())
                .collect::<Vec<_>>(),
            ["a", "b", "d"]
        );
    }
}

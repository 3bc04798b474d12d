//! *Also in*: applies the same edit to other catalogs.
//!
//! Nothing is selected initially. A catalog selected in an earlier edit of the package is selected
//! again, unless the edit makes it worse or the catalog differs in what the edit changes.

use crate::words::{count, list_names};
use protocol::judgement::{Judgement, Tone};
use protocol::operation::EditOp;
use protocol::response::{OtherCatalog, OtherCatalogOutcome};
use std::collections::{BTreeMap, BTreeSet};

/// Catalogs that the user selected (true) or deselected in this form, by root.
pub type Chosen = BTreeMap<String, bool>;

/// The roots selected in earlier edits of the package.
pub type Remembered = BTreeSet<String>;

/// Whether the operations are also applied to the other catalog.
pub fn is_ticked(chosen: &Chosen, remembered: &Remembered, other: &OtherCatalog) -> bool {
    let OtherCatalogOutcome::Previewed { differs, .. } = &other.outcome else {
        return false;
    };
    if let Some(is_chosen) = chosen.get(&other.root) {
        return *is_chosen;
    }
    let tone = verdict(&other.outcome).map(|(tone, _)| tone);
    // There is nothing to compare with if the operations add a package.
    let adds_package = other.ops.0.iter().any(EditOp::adds_package);
    remembered.contains(&other.root)
        && differs.is_empty()
        && !matches!(tone, Some(Tone::Bad | Tone::Advice))
        && !adds_package
}

/// Returns the roots to which the operations are also applied.
pub fn ticked_catalogs(
    chosen: &Chosen,
    remembered: &Remembered,
    others: &[OtherCatalog],
) -> Vec<String> {
    others
        .iter()
        .filter(|other| is_ticked(chosen, remembered, other))
        .map(|other| other.root.clone())
        .collect()
}

/// Returns the selection to remember after applying a form.
pub fn remember(mut remembered: Remembered, chosen: &Chosen) -> Remembered {
    for (root, is_chosen) in chosen {
        if *is_chosen {
            remembered.insert(root.clone());
        } else {
            remembered.remove(root);
        }
    }
    remembered
}

/// Selects every possible catalog, or deselects all, including those that become possible later.
pub fn choose_all(others: &[OtherCatalog], is_all: bool) -> Chosen {
    let is_possible = |other: &&OtherCatalog| {
        !is_all || matches!(other.outcome, OtherCatalogOutcome::Previewed { .. })
    };
    others
        .iter()
        .filter(is_possible)
        .map(|other| (other.root.clone(), is_all))
        .collect()
}

/// Formats the number of catalogs: `2 other catalogs have the package`.
pub fn have_package(number: usize) -> String {
    match number {
        0 => "No other open catalog has the package".to_owned(),
        1 => "1 other catalog has the package".to_owned(),
        _ => format!("{number} other catalogs have the package"),
    }
}

/// Returns the line above the list. `names` are those of the selected catalogs; `is_new` means that
/// the operations add the package.
pub fn tally(names: &[String], others: &[OtherCatalog], is_new: bool) -> String {
    let present = others
        .iter()
        .filter(|other| other.outcome != OtherCatalogOutcome::Absent)
        .count();
    let subject = match (is_new, present) {
        (true, 1..) => format!("{} can change too", count(present as u32, "other catalog")),
        _ => have_package(present),
    };
    match (present, names) {
        (0, _) => format!("{subject}."),
        (_, []) => format!("{subject}. Only this catalog changes."),
        _ => format!(
            "{subject}. {} selected: {}.",
            names.len(),
            list_names(names)
        ),
    }
}

/// Returns the operations, followed by those for each of these other catalogs.
pub fn operations_in_all(ops: &[EditOp], others: &[OtherCatalog], roots: &[String]) -> Vec<EditOp> {
    let in_others = others
        .iter()
        .filter(|other| roots.contains(&other.root))
        .flat_map(|other| &other.ops.0);
    ops.iter().chain(in_others).cloned().collect()
}

/// Describes how the catalog differs from this one, with names in backticks.
pub fn describe_difference(outcome: &OtherCatalogOutcome) -> String {
    match outcome {
        OtherCatalogOutcome::Absent => "has no such package".to_owned(),
        OtherCatalogOutcome::Refused(refusal) => format!("cannot be done: {}", refusal.reason),
        OtherCatalogOutcome::Previewed { differs, .. } if differs.is_empty() => {
            "the same there".to_owned()
        }
        OtherCatalogOutcome::Previewed { differs, .. } => format!("differs: {differs}"),
    }
}

/// Summarizes the consequences in the other catalog, with a tone; `None` if the edit is impossible
/// there.
pub fn verdict(outcome: &OtherCatalogOutcome) -> Option<(Tone, String)> {
    let OtherCatalogOutcome::Previewed {
        diffs,
        consequences,
        ..
    } = outcome
    else {
        return None;
    };
    if diffs.is_empty() {
        return Some((Tone::Plain, "nothing changes".to_owned()));
    }
    // A template has no verdict; its renderings do.
    let verdict = consequences.verdicts.first();
    let mut summary = verdict.map_or_else(
        || "the template changes".to_owned(),
        |verdict| verdict.words.clone(),
    );
    let gained = consequences.problems_gained.len() as u32;
    if gained > 0 {
        summary.push_str(&format!(", {}", count(gained, "new problem")));
    }
    if !consequences.emptied.is_empty() {
        summary.push_str(", a channel without entries");
    }
    let fails = verdict.is_some_and(|verdict| verdict.tone == Tone::Bad);
    let is_worse = consequences.judgement == Judgement::Worse;
    if !fails && is_worse {
        summary.push_str(", worse for users");
    }
    // A cross beside a passing verdict would be contradictory.
    let tone = match verdict.map_or(Tone::Plain, |verdict| verdict.tone) {
        Tone::Bad => Tone::Bad,
        _ if is_worse || gained > 0 || !consequences.emptied.is_empty() => Tone::Advice,
        tone => tone,
    };
    Some((tone, summary))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Json;
    use protocol::response::OperationRefusal;
    use protocol::views::{Consequences, FileDiff, VerdictChange};

    fn would(root: &str, differs: &str, passed_after: bool) -> OtherCatalog {
        let (words, tone) = match passed_after {
            true => ("still passes opm validate", Tone::Good),
            false => ("fails opm validate now", Tone::Bad),
        };
        let words = words.to_owned();
        let verdict = VerdictChange {
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
    fn reports_a_passing_catalog_that_is_worse_for_users() {
        let mut other = would("b", "", true);
        if let OtherCatalogOutcome::Previewed { consequences, .. } = &mut other.outcome {
            consequences.judgement = Judgement::Worse;
        }
        let expected = Some((
            Tone::Advice,
            "still passes opm validate, worse for users".to_owned(),
        ));
        assert_eq!(verdict(&other.outcome), expected);
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
    fn nothing_is_selected_by_default() {
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
        let ticked = |chosen: &Chosen| ticked_catalogs(chosen, &Remembered::new(), &others);
        assert_eq!(ticked(&Chosen::new()), Vec::<String>::new());
        let chosen =
            Chosen::from(["of/a", "of/b", "of/c"].map(|root| (root.to_owned(), root != "of/a")));
        assert_eq!(ticked(&chosen), ["of/b"], "a refused edit stays out");
        assert_eq!(ticked(&choose_all(&others, true)), ["of/a", "of/b"]);
        assert_eq!(
            choose_all(&others, false).len(),
            4,
            "nor is a catalog ticked that becomes possible later"
        );
    }

    #[test]
    fn a_remembered_catalog_is_selected_unless_the_edit_makes_it_worse() {
        let remembered = Remembered::from(["a".to_owned()]);
        let is_ticked = |other: &OtherCatalog| is_ticked(&Chosen::new(), &remembered, other);
        assert!(is_ticked(&would("a", "", true)));
        assert!(!is_ticked(&would("b", "", true)), "not remembered");
        assert!(
            !is_ticked(&would("a", "", false)),
            "the catalog fails afterwards"
        );
        assert!(!is_ticked(&would("a", "`x` is not there", true)));
        let mut worse = would("a", "", true);
        if let OtherCatalogOutcome::Previewed { consequences, .. } = &mut worse.outcome {
            consequences.judgement = Judgement::Worse;
        }
        assert!(!is_ticked(&worse));
        let mut begun = would("a", "", true);
        begun.ops.0.push(EditOp::AddPackage {
            catalog: Some("a".into()),
            package: "p".into(),
            default_channel: String::new(),
            description: None,
            icon: None,
            file: None,
        });
        assert!(!is_ticked(&begun), "a new package");
        let no = Chosen::from([("a".to_owned(), false)]);
        assert!(!super::is_ticked(&no, &remembered, &would("a", "", true)));
    }

    #[test]
    fn the_users_selection_is_remembered() {
        let before = Remembered::from(["a", "b"].map(str::to_owned));
        let chosen = Chosen::from([("b".to_owned(), false), ("c".to_owned(), true)]);
        assert_eq!(
            remember(before, &chosen),
            Remembered::from(["a", "c"].map(str::to_owned))
        );
    }

    #[test]
    fn the_tally_names_selected_catalogs() {
        let absent = OtherCatalog {
            root: "of/0".into(),
            ops: Json(Vec::new()),
            outcome: OtherCatalogOutcome::Absent,
        };
        let mut others = vec![absent.clone()];
        others.extend((1..=6).map(|n| would(&format!("of/{n}"), "", true)));
        assert_eq!(
            tally(&["1".into(), "2".into()], &others, false),
            "6 other catalogs have the package. 2 selected: 1, 2."
        );
        assert_eq!(
            tally(&[], &others, false),
            "6 other catalogs have the package. Only this catalog changes."
        );
        assert_eq!(
            tally(&[], &others, true),
            "6 other catalogs can change too. Only this catalog changes."
        );
        assert_eq!(
            tally(&[], &[absent], false),
            "No other open catalog has the package."
        );
    }

    #[test]
    fn reports_each_catalog_with_its_verdict() {
        let report =
            |other: &OtherCatalog| (describe_difference(&other.outcome), verdict(&other.outcome));
        assert_eq!(
            report(&would("a", "", true)),
            (
                "the same there".into(),
                Some((Tone::Good, "still passes opm validate".into()))
            )
        );
        let bad = would("a", "`x` is not there", false);
        assert_eq!(
            report(&bad),
            (
                "differs: `x` is not there".into(),
                Some((Tone::Bad, "fails opm validate now".into()))
            )
        );
        assert_eq!(
            (describe_difference(&refused()), verdict(&refused())),
            ("cannot be done: no `x`".into(), None)
        );
    }

    #[test]
    fn one_step_contains_the_operations_of_every_catalog() {
        let others = [
            would("b", "", true),
            would("c", "", true),
            would("d", "", true),
        ];
        let all = operations_in_all(&[default_channel("a")], &others, &["b".into(), "d".into()]);
        assert_eq!(
            all.iter()
                .map(|op| op.catalog().unwrap_or_default())
                .collect::<Vec<_>>(),
            ["a", "b", "d"]
        );
    }
}

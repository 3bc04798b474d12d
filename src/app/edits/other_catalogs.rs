//! *Also in*: applies the same edit to other catalogs. Nothing is selected initially: another edit
//! may concern other catalogs.

use crate::words::{count, list_names};
use protocol::judgement::{Judgement, Tone};
use protocol::operation::EditOp;
use protocol::response::{OtherCatalog, OtherCatalogOutcome};
use std::collections::BTreeSet;

/// The roots of the catalogs that the user selected in this form.
pub type Selection = BTreeSet<String>;

/// Whether the operations are also applied to the other catalog.
pub fn is_selected(selection: &Selection, other: &OtherCatalog) -> bool {
    matches!(other.outcome, OtherCatalogOutcome::Previewed { .. })
        && selection.contains(&other.root)
}

/// Returns the roots to which the operations are also applied.
pub fn selected_roots(selection: &Selection, others: &[OtherCatalog]) -> Vec<String> {
    others
        .iter()
        .filter(|other| is_selected(selection, other))
        .map(|other| other.root.clone())
        .collect()
}

/// Selects every catalog in which the edit is possible.
pub fn select_all(others: &[OtherCatalog]) -> Selection {
    others
        .iter()
        .filter(|other| matches!(other.outcome, OtherCatalogOutcome::Previewed { .. }))
        .map(|other| other.root.clone())
        .collect()
}

/// Formats the number of catalogs: `2 other catalogs have the package`.
pub fn count_with_package(number: usize) -> String {
    match number {
        0 => "No other open catalog has the package".to_owned(),
        1 => "1 other catalog has the package".to_owned(),
        _ => format!("{number} other catalogs have the package"),
    }
}

/// Returns the line above the list. `names` are those of the selected catalogs; `is_new` means that
/// the operations add the package.
pub fn selection_summary(names: &[String], others: &[OtherCatalog], is_new: bool) -> String {
    let present = others
        .iter()
        .filter(|other| other.outcome != OtherCatalogOutcome::Absent)
        .count();
    let subject = match (is_new, present) {
        (true, 1..) => format!("{} can change too", count(present as u32, "other catalog")),
        _ => count_with_package(present),
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
            "the same effect".to_owned()
        }
        OtherCatalogOutcome::Previewed { differs, .. } => format!("differs: {differs}"),
    }
}

/// The consequences of the edit in another catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeSummary {
    pub tone: Tone,
    pub text: String,
}

/// Summarizes the consequences in the other catalog; `None` if the edit is impossible there.
pub fn summarize_outcome(outcome: &OtherCatalogOutcome) -> Option<OutcomeSummary> {
    let OtherCatalogOutcome::Previewed {
        diffs,
        consequences,
        ..
    } = outcome
    else {
        return None;
    };
    if diffs.is_empty() {
        return Some(OutcomeSummary {
            tone: Tone::Plain,
            text: "nothing changes".to_owned(),
        });
    }
    // A template has no verdict; its renderings do.
    let verdict = consequences.verdicts.first();
    let mut text = verdict.map_or_else(
        || "the template changes".to_owned(),
        |verdict| verdict.text.clone(),
    );
    let gained = consequences.problems_gained.len() as u32;
    if gained > 0 {
        text.push_str(&format!(", {}", count(gained, "new problem")));
    }
    if !consequences.emptied.is_empty() {
        text.push_str(", a channel without entries");
    }
    let fails = verdict.is_some_and(|verdict| verdict.tone == Tone::Bad);
    let is_worse = consequences.judgement == Judgement::Worse;
    if !fails && is_worse {
        text.push_str(", worse for users");
    }
    // A cross beside a passing verdict would be contradictory.
    let tone = match verdict.map_or(Tone::Plain, |verdict| verdict.tone) {
        Tone::Bad => Tone::Bad,
        _ if is_worse || gained > 0 || !consequences.emptied.is_empty() => Tone::Advice,
        tone => tone,
    };
    Some(OutcomeSummary { tone, text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Json;
    use protocol::response::OperationRefusal;
    use protocol::views::{Consequences, FileDiff, VerdictChange};

    fn previewed(root: &str, differs: &str, passed_after: bool) -> OtherCatalog {
        let (text, tone) = match passed_after {
            true => ("still passes opm validate", Tone::Good),
            false => ("fails opm validate now", Tone::Bad),
        };
        let text = text.to_owned();
        let verdict = VerdictChange {
            passed_after,
            text,
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
        let mut other = previewed("b", "", true);
        if let OtherCatalogOutcome::Previewed { consequences, .. } = &mut other.outcome {
            consequences.judgement = Judgement::Worse;
        }
        let expected = summary(Tone::Advice, "still passes opm validate, worse for users");
        assert_eq!(summarize_outcome(&other.outcome), expected);
    }

    fn summary(tone: Tone, text: &str) -> Option<OutcomeSummary> {
        let text = text.to_owned();
        Some(OutcomeSummary { tone, text })
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
    fn nothing_is_selected_until_the_user_selects_it() {
        let others = [
            previewed("of/a", "", true),
            previewed("of/b", "`x` is not there", true),
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
        let selected = |selection: &Selection| selected_roots(selection, &others);
        assert_eq!(selected(&Selection::new()), Vec::<String>::new());
        let selection = Selection::from(["of/b", "of/c"].map(str::to_owned));
        assert_eq!(selected(&selection), ["of/b"], "a refused edit stays out");
        assert_eq!(selected(&select_all(&others)), ["of/a", "of/b"]);
    }

    #[test]
    fn the_summary_names_selected_catalogs() {
        let absent = OtherCatalog {
            root: "of/0".into(),
            ops: Json(Vec::new()),
            outcome: OtherCatalogOutcome::Absent,
        };
        let mut others = vec![absent.clone()];
        others.extend((1..=6).map(|n| previewed(&format!("of/{n}"), "", true)));
        assert_eq!(
            selection_summary(&["1".into(), "2".into()], &others, false),
            "6 other catalogs have the package. 2 selected: 1, 2."
        );
        assert_eq!(
            selection_summary(&[], &others, false),
            "6 other catalogs have the package. Only this catalog changes."
        );
        assert_eq!(
            selection_summary(&[], &others, true),
            "6 other catalogs can change too. Only this catalog changes."
        );
        assert_eq!(
            selection_summary(&[], &[absent], false),
            "No other open catalog has the package."
        );
    }

    #[test]
    fn reports_each_catalog_with_its_verdict() {
        let report = |other: &OtherCatalog| {
            (
                describe_difference(&other.outcome),
                summarize_outcome(&other.outcome),
            )
        };
        assert_eq!(
            report(&previewed("a", "", true)),
            (
                "the same effect".into(),
                summary(Tone::Good, "still passes opm validate")
            )
        );
        let bad = previewed("a", "`x` is not there", false);
        assert_eq!(
            report(&bad),
            (
                "differs: `x` is not there".into(),
                summary(Tone::Bad, "fails opm validate now")
            )
        );
        assert_eq!(
            (
                describe_difference(&refused()),
                summarize_outcome(&refused())
            ),
            ("cannot be done: no `x`".into(), None)
        );
    }

    #[test]
    fn one_step_contains_the_operations_of_every_catalog() {
        let others = [
            previewed("b", "", true),
            previewed("c", "", true),
            previewed("d", "", true),
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

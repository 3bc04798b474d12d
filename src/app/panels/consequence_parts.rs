//! The parts of the consequence bar with their targets: pure, counted from the worker's answer.

use crate::words::count;
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::judgement::{Judgement, Tone};
use protocol::views::{Consequences, EntryLocation};

/// The target of a part.
#[derive(Debug, Clone, PartialEq)]
pub enum PartTarget {
    Problem(Box<Diagnostic>),
    EntryLocation(EntryLocation),
    /// The upgrade map.
    Everyone,
    /// The list of all consequences: removed objects can only be listed.
    List,
}

/// A part of the consequences: each press goes to the next target.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsequencePart {
    pub tone: Tone,
    pub text: String,
    pub targets: Vec<PartTarget>,
}

/// The parts of an edit's consequences, worst first; empty if there are none.
pub fn parts(found: &Consequences) -> Vec<ConsequencePart> {
    let spots = |spots: &[EntryLocation]| {
        spots
            .iter()
            .cloned()
            .map(PartTarget::EntryLocation)
            .collect::<Vec<_>>()
    };
    let of_level = |severity| {
        let gained = found.problems_gained.iter().map(|problem| &problem.0);
        gained
            .filter(|problem| problem.severity == severity)
            .collect::<Vec<&Diagnostic>>()
    };
    let [errors, warnings, infos] =
        [Severity::Error, Severity::Warning, Severity::Info].map(of_level);
    let problems = |of: Vec<&Diagnostic>| {
        of.into_iter()
            .cloned()
            .map(|p| PartTarget::Problem(Box::new(p)))
            .collect()
    };
    let heads: Vec<PartTarget> = found
        .heads_moved
        .iter()
        .map(|(_, spot)| PartTarget::EntryLocation(spot.clone()))
        .collect();
    let solved = found
        .problems_lost
        .iter()
        .map(|_| PartTarget::List)
        .take(1)
        .collect();
    let number = |count: usize| count as u32;
    // Errors of unfinished parts or words are temporary.
    let of_errors = match found.judgement {
        Judgement::Unfinished | Judgement::Unknown => Tone::Advice,
        _ => Tone::Bad,
    };
    let graver = [
        (
            of_errors,
            number(errors.len()),
            "new error",
            problems(errors),
        ),
        (
            Tone::Bad,
            number(found.newly_stranded.len()),
            "newly stranded",
            spots(&found.newly_stranded),
        ),
        (
            Tone::Advice,
            number(warnings.len()),
            "new warning",
            problems(warnings),
        ),
        (
            Tone::Plain,
            number(infos.len()),
            "new info",
            problems(infos),
        ),
        (
            Tone::Plain,
            number(found.new_channels.len()),
            "new channel",
            spots(&found.new_channels),
        ),
        (Tone::Plain, number(heads.len()), "head moved", heads),
    ];
    let better = [
        (
            Tone::Good,
            number(found.no_longer_stranded.len()),
            "no longer stranded",
            spots(&found.no_longer_stranded),
        ),
        (
            Tone::Good,
            number(found.problems_lost.len()),
            "problem solved",
            solved,
        ),
    ];
    let part = |(tone, number, what, targets)| ConsequencePart {
        tone,
        text: count_of(number, what),
        targets,
    };
    let affected = ConsequencePart {
        tone: Tone::Plain,
        text: found.affected.clone(),
        targets: if found.affected.is_empty() {
            Vec::new()
        } else {
            vec![PartTarget::Everyone]
        },
    };
    let all = graver
        .into_iter()
        .map(part)
        .chain([affected])
        .chain(better.into_iter().map(part));
    all.filter(|part| !part.targets.is_empty()).collect()
}

/// `2 heads moved`, `1 newly stranded`.
fn count_of(number: u32, what: &str) -> String {
    match what.split_once(' ') {
        Some((thing @ ("head" | "problem"), done)) => format!("{} {done}", count(number, thing)),
        _ if matches!(what, "new error" | "new warning" | "new channel") => count(number, what),
        _ => format!("{number} {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Json;

    #[test]
    fn parts_are_counted_and_lead_somewhere() {
        assert!(parts(&Consequences::default()).is_empty());
        let spot = |name: &str| EntryLocation {
            channel: "stable".into(),
            name: name.into(),
            ..EntryLocation::default()
        };
        let problem = |severity| {
            Json(Diagnostic {
                opm: true,
                ..Diagnostic::new("rule", severity, "")
            })
        };
        let found = Consequences {
            problems_gained: vec![
                problem(Severity::Info),
                problem(Severity::Warning),
                problem(Severity::Error),
                problem(Severity::Error),
            ],
            problems_lost: vec![problem(Severity::Error)],
            heads_moved: vec![("stable: head was a, is b".into(), spot("b"))],
            new_channels: vec![spot("x"), spot("y")],
            newly_stranded: vec![spot("a"), spot("c")],
            affected: "1 version affected in each of 2 catalogs".into(),
            ..Consequences::default()
        };
        let parts = parts(&found);
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "2 new errors",
                "2 newly stranded",
                "1 new warning",
                "1 new info",
                "2 new channels",
                "1 head moved",
                "1 version affected in each of 2 catalogs",
                "1 problem solved"
            ]
        );
        assert_eq!(parts[0].targets.len(), 2);
        assert_eq!(parts[0].tone, Tone::Bad);
        let begun = Consequences {
            judgement: Judgement::Unfinished,
            ..found
        };
        assert_eq!(super::parts(&begun)[0].tone, Tone::Advice);
        assert_eq!(
            parts[1].targets,
            [
                PartTarget::EntryLocation(spot("a")),
                PartTarget::EntryLocation(spot("c"))
            ]
        );
        assert_eq!(parts[6].targets, [PartTarget::Everyone]);
    }
}

//! The problems of each object of a package and of each line of a file, and the documentation of
//! rules.

use ::repository::rules;
use edit::refused;
use protocol::diagnostic::{Diagnostic, Profile, Severity};
use protocol::views::{LineMark, ProblemMark, RuleText};
use session::Refused;
use syntax::hashed::HashMap;
use syntax::order::SortSmall;
use verdict::validate::explain;

/// The problem marks of one package by name. Problems of severity `info` are not marked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks<'a> {
    /// Marks of channels as a whole.
    channels: HashMap<&'a str, ProblemMark>,
    entries: HashMap<(&'a str, &'a str), ProblemMark>,
    /// Marks of bundles in every channel that lists them.
    bundles: HashMap<&'a str, ProblemMark>,
}

impl<'a> Marks<'a> {
    pub(crate) fn from_problems(problems: impl IntoIterator<Item = &'a Diagnostic>) -> Self {
        let mut marks = Self::default();
        for problem in problems {
            let mark = match (problem.channel.as_deref(), problem.bundle.as_deref()) {
                (Some(channel), Some(bundle)) => {
                    marks.entries.entry((channel, bundle)).or_default()
                }
                (Some(channel), None) => marks.channels.entry(channel).or_default(),
                (None, Some(bundle)) => marks.bundles.entry(bundle).or_default(),
                (None, None) => continue,
            };
            count_problem(mark, problem);
        }
        marks
    }

    pub(crate) fn channel(&self, channel: &str) -> Option<ProblemMark> {
        self.channels
            .get(channel)
            .filter(|mark| !is_empty(mark))
            .cloned()
    }

    /// Merges the problems of several entries of a channel and of their bundles.
    pub(crate) fn entries<'n>(
        &self,
        channel: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Option<ProblemMark> {
        let mut all = ProblemMark::default();
        for name in names {
            let entry = self.entries.get(&(channel, name)).into_iter();
            for mark in entry.chain(self.bundles.get(name)) {
                merge(&mut all, mark);
            }
        }
        (!is_empty(&all)).then_some(all)
    }
}

/// Returns the problems that begin in the lines `first..=last` of a file, by position.
pub(super) fn marks_of_lines<'p>(
    problems: impl IntoIterator<Item = &'p Diagnostic>,
    file: &str,
    first: u32,
    last: u32,
) -> Vec<LineMark> {
    let mut marks: Vec<LineMark> = problems
        .into_iter()
        .filter(|problem| {
            problem.location.file == file && (first..=last).contains(&problem.location.line)
        })
        .map(|problem| LineMark {
            severity: problem.severity,
            rule: problem.rule.clone(),
            message: problem.message.clone(),
            location: problem.location.clone(),
        })
        .collect();
    marks.sort_small_by_key(|mark| (mark.location.line, mark.location.column));
    marks
}

fn count_problem(mark: &mut ProblemMark, problem: &Diagnostic) {
    let (is_worst, count) = match problem.severity {
        Severity::Error => (mark.errors == 0, &mut mark.errors),
        Severity::Warning => (is_empty(mark), &mut mark.warnings),
        Severity::Info => return,
    };
    *count += 1;
    if is_worst {
        mark.worst.clone_from(&problem.message);
    }
}

fn merge(into: &mut ProblemMark, other: &ProblemMark) {
    if is_empty(into) || (into.errors == 0 && other.errors > 0) {
        into.worst.clone_from(&other.worst);
    }
    into.errors += other.errors;
    into.warnings += other.warnings;
}

fn is_empty(mark: &ProblemMark) -> bool {
    mark.errors + mark.warnings == 0
}

/// Returns the documentation of a rule; refused if it is unknown.
pub(crate) fn rule_text(rule: &str) -> Result<RuleText, Refused> {
    if let Some(repository_rule) = rules::find(rule) {
        return Ok(repository_rule_text(repository_rule));
    }
    let doc = explain(rule).ok_or_else(|| refused!("there is no rule `{rule}`"))?;
    Ok(RuleText {
        rule: doc.id.to_owned(),
        opm: doc.opm,
        summary: doc.summary.to_owned(),
        why: doc.why.to_owned(),
        fix: doc.fix.to_owned(),
        opm_message: doc.opm_message.to_owned(),
        since: doc.refused_since().unwrap_or_default(),
        profile: doc.profile,
    })
}

fn repository_rule_text(rule: &rules::FindingRule) -> RuleText {
    RuleText {
        rule: rule.id.to_owned(),
        summary: rule.summary.to_owned(),
        why: rule.why.to_owned(),
        fix: rule.fix.to_owned(),
        profile: Profile::Opm,
        ..RuleText::default()
    }
}

#[cfg(test)]
mod tests {
    use super::{rule_text, *};
    use protocol::diagnostic::Location;

    fn problem(
        channel: Option<&str>,
        bundle: Option<&str>,
        severity: Severity,
        line: u32,
    ) -> Diagnostic {
        let location = Location {
            file: "a.yaml".into(),
            line,
            end_line: line,
            ..Location::default()
        };
        let text = serde_json::json!({
            "rule": "r", "severity": "error", "opm": true, "message": format!("line {line}"), "help": "",
            "catalog": "", "package": "p", "channel": channel, "bundle": bundle,
            "file": "", "line": 0, "column": 0, "end_line": 0, "end_column": 0, "related": [], "fixes": [],
        });
        Diagnostic {
            severity,
            location,
            ..serde_json::from_value(text).expect("a diagnostic")
        }
    }

    #[test]
    fn an_error_outranks_advice_and_the_first_one_is_reported() {
        let problems = [
            problem(Some("stable"), Some("p.v1"), Severity::Warning, 1),
            problem(Some("stable"), Some("p.v1"), Severity::Error, 2),
            problem(Some("stable"), Some("p.v1"), Severity::Error, 3),
            problem(None, Some("p.v1"), Severity::Warning, 4),
            problem(Some("stable"), None, Severity::Error, 5),
            problem(None, Some("p.v2"), Severity::Info, 6),
        ];
        let marks = Marks::from_problems(&problems);
        let mark = marks.entries("stable", ["p.v1"]).expect("marked");
        assert_eq!(
            (mark.errors, mark.warnings, mark.worst.as_str()),
            (2, 2, "line 2")
        );
        assert_eq!(
            marks
                .entries("fast", ["p.v1"])
                .map(|m| (m.errors, m.warnings)),
            Some((0, 1))
        );
        assert_eq!(
            marks.entries("fast", ["p.v0", "p.v1"]).map(|m| m.worst),
            Some("line 4".into()),
            "a stack"
        );
        assert_eq!(marks.entries("stable", ["p.v2"]), None);
        assert_eq!(marks.channel("stable").map(|m| m.errors), Some(1));
        assert_eq!(marks.channel("fast"), None);
    }

    #[test]
    fn lines_are_marked_where_a_problem_begins() {
        let mut long = problem(None, None, Severity::Error, 3);
        long.location.end_line = 9;
        let problems = [
            problem(None, None, Severity::Error, 12),
            long,
            problem(None, None, Severity::Info, 8),
        ];
        let lines = |first, last| -> Vec<u32> {
            marks_of_lines(&problems, "a.yaml", first, last)
                .iter()
                .map(|mark| mark.location.line)
                .collect()
        };
        assert_eq!(lines(1, 20), [3, 8, 12]);
        assert_eq!(lines(4, 11), [8]);
        assert!(marks_of_lines(&problems, "b.yaml", 1, 20).is_empty());
    }

    #[test]
    fn a_rule_comes_with_its_documentation() {
        let rule = rule_text("channel-head-multiple").expect("known");
        assert!(rule.opm && rule.opm_message.starts_with("multiple channel heads"));
        assert!(rule_text("catalog-without-v").is_ok(), "of repositories");
        assert!(rule_text("no-such-rule").is_err());
    }
}

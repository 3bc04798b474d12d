//! Reads the output of Rust's test runner line by line: how many tests passed, which were skipped, and why.
//!
//! libtest has no other stable output than its text. A test that does nothing, because something it needs is missing,
//! prints a line `skipped: WHY`, and one that does only a part prints `skipped in part: WHY`; libtest counts both as
//! passed and hides their output unless `ARGS` ask for it. It must not know which tests exist.

use crate::report::{Note, Report};

/// Arguments that make the runner print enough: a line per test, and the output of tests that passed.
pub(crate) const ARGS: [&str; 2] = ["--format=pretty", "--show-output"];

/// Lines of a failed test's output that are repeated at the end.
const KEPT: usize = 12;

/// The part of a line to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineDisplay {
    Line,
    /// A passed test, shown as the runner does with `--quiet`.
    Dot,
    Nothing,
}

/// The state after some lines of one command, which may run several test programs.
#[derive(Debug, Default)]
pub(crate) struct LibtestOutput {
    pub(crate) report: Report,
    /// In the section with the output of passed tests.
    is_in_output: bool,
    /// The passed test whose output is being read.
    test: String,
    /// Failed tests of this program with the beginning of their output.
    broken: Vec<(String, String)>,
    /// Index in `broken` of the test whose output is being read.
    failing: Option<usize>,
    /// Tests of this program that printed `skipped:`.
    did_nothing: u64,
    /// Ignored tests of this program whose names the runner printed.
    ignored: u64,
}

impl LibtestOutput {
    /// Processes a line.
    pub(crate) fn read_line(&mut self, line: &str) -> LineDisplay {
        if let Some(result) = line.strip_prefix("test result: ") {
            self.is_in_output = false;
            self.result(result);
            return LineDisplay::Line;
        }
        match line {
            "successes:" => self.is_in_output = true,
            "failures:" => (self.is_in_output, self.failing) = (false, None),
            _ => {}
        }
        self.failure(line);
        if self.is_in_output {
            self.output(line);
            return LineDisplay::Nothing;
        }
        let outcome = line
            .strip_prefix("test ")
            .and_then(|test| test.rsplit_once(" ... "));
        if let Some((test, outcome)) = outcome {
            let test = test.trim_end_matches(" - should panic");
            if outcome.starts_with("FAILED") {
                self.broken.push((test.to_owned(), String::new()));
            }
            if outcome == "ok" || outcome.starts_with("FAILED") {
                self.report.ran(test);
            }
            if outcome == "ok" {
                return LineDisplay::Dot;
            }
            if let Some(why) = outcome.strip_prefix("ignored") {
                self.ignored += 1;
                let why = why.trim_start_matches(", ");
                self.report.note(
                    Note::Skipped,
                    test,
                    if why.is_empty() {
                        "ignored, without a reason"
                    } else {
                        why
                    },
                );
                return LineDisplay::Nothing;
            }
        }
        LineDisplay::Line
    }

    /// Keeps a line that belongs to a failed test's output.
    fn failure(&mut self, line: &str) {
        if self.is_in_output {
            return;
        }
        if let Some(test) = line
            .strip_prefix("---- ")
            .and_then(|line| line.strip_suffix(" stdout ----"))
        {
            self.failing = self.broken.iter().position(|(broken, _)| broken == test);
        } else if let Some((_, output_start)) =
            self.failing.and_then(|nth| self.broken.get_mut(nth))
            && !line.is_empty()
            && output_start.lines().count() < KEPT
        {
            *output_start += line;
            output_start.push('\n');
        }
    }

    /// Processes a line of a run that shows its tests' output while they run; the output is attributed to `test`.
    pub(crate) fn read_line_of_test(&mut self, test: &str, line: &str) {
        test.clone_into(&mut self.test);
        if self.read_line(line) == LineDisplay::Line {
            self.output(line);
        }
    }

    fn output(&mut self, line: &str) {
        if let Some(test) = line
            .strip_prefix("---- ")
            .and_then(|line| line.strip_suffix(" stdout ----"))
        {
            test.clone_into(&mut self.test);
        } else if let Some(why) = line.strip_prefix("skipped: ") {
            // A test may print several reasons.
            if self.report.is_new(Note::Skipped, &self.test) {
                self.did_nothing += 1;
            }
            self.report.note(Note::Skipped, &self.test, why);
            self.report.did_not_run(&self.test);
        } else if let Some(why) = line.strip_prefix("skipped in part: ") {
            self.report.note(Note::InPart, &self.test, why);
        }
    }

    /// `ok. 3 passed; 0 failed; 1 ignored; …`
    fn result(&mut self, result: &str) {
        let number_before = |word: &str| -> u64 {
            let tokens: Vec<&str> = result
                .split_whitespace()
                .map(|w| w.trim_matches([';', ',']))
                .collect();
            tokens
                .windows(2)
                .find(|w| w[1] == word)
                .and_then(|w| w[0].parse().ok())
                .unwrap_or(0)
        };
        self.report.passed += number_before("passed").saturating_sub(self.did_nothing);
        self.report.failed += number_before("failed");
        for nth in self.ignored..number_before("ignored") {
            // With other output formats the runner does not name ignored tests.
            self.report.note(
                Note::Skipped,
                &format!("ignored test {}", nth + 1),
                "the runner did not say why",
            );
        }
        for (test, output_start) in std::mem::take(&mut self.broken) {
            self.report.note(Note::Failed, &test, &output_start);
        }
        (self.did_nothing, self.ignored, self.failing) = (0, 0, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "
running 5 tests
test a::works ... ok
test a::needs_more ... ignored, needs the program
test b::corpus ... ok
test b::breaks ... FAILED
test b::half ... ok

successes:

---- b::corpus stdout ----
skipped: no catalogs
skipped: no other catalogs
---- b::half stdout ----
test result of another kind
skipped in part: the whole table is not there


successes:
    a::works
    b::corpus
    b::half

failures:

---- b::breaks stdout ----
skipped: this is of a failed test
thread panicked

failures:
    b::breaks

test result: FAILED. 3 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s
";

    #[test]
    fn reports_skipped_tests_with_their_reason() {
        let mut output = LibtestOutput::default();
        let printed: Vec<&str> = RUN
            .lines()
            .filter(|line| output.read_line(line) == LineDisplay::Line)
            .collect();
        let report = output.report;
        assert_eq!(
            (report.passed, report.failed, report.count_skipped()),
            (2, 1, 2)
        );
        let summary = report.summary();
        for line in [
            "needs the program: a::needs_more",
            "no catalogs: b::corpus",
            "is not there: b::half",
        ] {
            assert!(summary.contains(line), "{summary}");
        }
        assert!(
            summary.ends_with(
                "FAILED: b::breaks\n  skipped: this is of a failed test\n  thread panicked\n"
            ),
            "{summary}"
        );
        assert_eq!(
            summary.matches("of a failed test").count(),
            1,
            "a failed test was not left out: {summary}"
        );
        assert!(
            printed.contains(&"thread panicked") && printed.contains(&"    b::breaks"),
            "{printed:?}"
        );
        assert!(
            !printed
                .iter()
                .any(|line| line.contains("works") || line.contains("b::half")),
            "{printed:?}"
        );
    }

    #[test]
    fn programs_of_one_command_are_added() {
        let mut output = LibtestOutput::default();
        for line in RUN.lines().chain([
            "running 0 tests",
            "test result: ok. 4 passed; 0 failed; 2 ignored; 0 measured",
        ]) {
            output.read_line(line);
        }
        assert_eq!(
            (
                output.report.passed,
                output.report.failed,
                output.report.count_skipped()
            ),
            (6, 1, 4)
        );
    }
}

//! Counting what passed: each check is one, each test of a runner is one.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// What passed, failed and was skipped so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Count {
    pub(crate) fn add(&mut self, other: Count) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// What a check tells of what it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tells {
    /// Whether it passed: it counts as one.
    Outcome,
    /// Each of its tests; that there was none is a failure.
    Tests,
}

/// Runs a check, shows its output as it comes, and counts the tests that its runner tells of. A runner that dies without a
/// failed test counts one failure.
pub(crate) fn check(name: &str, tells: Tells, command: &mut Command) -> Count {
    println!("\n== {name}");
    let start = std::time::Instant::now();
    let mut count = Count::default();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn();
    let ok = match child {
        Ok(mut child) => {
            if let Some(stdout) = child.stdout.take() {
                for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
                    let line = String::from_utf8_lossy(&line);
                    println!("{line}");
                    count.add(tests_in(&line));
                }
            }
            child.wait().is_ok_and(|status| status.success())
        }
        Err(error) => {
            println!("could not be started: {error}");
            false
        }
    };
    let count = outcome(ok, tells, count);
    if ok && count.failed > 0 {
        println!("no test ran");
    }
    let word = if count.failed == 0 { "ok" } else { "FAILED" };
    println!("-- {name}: {word} in {:.0} s", start.elapsed().as_secs_f64());
    count
}

/// What a check comes to that ended well or not, and told of so many tests.
fn outcome(ok: bool, tells: Tells, told: Count) -> Count {
    let ran = told.passed + told.failed;
    match (ok, tells) {
        (true, Tells::Outcome) if ran == 0 => Count { passed: 1, ..told },
        (true, Tells::Tests) if ran == 0 => Count { failed: 1, ..told },
        (false, _) if told.failed == 0 => Count { failed: 1, ..told },
        _ => told,
    }
}

/// The tests a line of output tells of: `test result: ok. 3 passed; 0 failed; 1 ignored; …` or `  3 passed (4.2s)`.
fn tests_in(line: &str) -> Count {
    let number_before = |word: &str| -> u64 {
        let words: Vec<&str> = line.split_whitespace().map(|w| w.trim_matches([';', ','])).collect();
        words.windows(2).find(|w| w[1] == word).and_then(|w| w[0].parse().ok()).unwrap_or(0)
    };
    if line.starts_with("test result: ") {
        return Count {
            passed: number_before("passed"),
            failed: number_before("failed"),
            skipped: number_before("ignored"),
        };
    }
    let bare = line.trim();
    let first_is_number = bare.split_whitespace().next().is_some_and(|w| w.parse::<u64>().is_ok());
    match (line.starts_with("  "), first_is_number, bare.split_whitespace().nth(1)) {
        (true, true, Some("passed")) => Count { passed: number_before("passed"), ..Count::default() },
        // Passed when it was begun again, which is done only where the browser itself ended.
        (true, true, Some("flaky")) => Count { passed: number_before("flaky"), ..Count::default() },
        (true, true, Some("failed")) => Count { failed: number_before("failed"), ..Count::default() },
        (true, true, Some("skipped")) => Count { skipped: number_before("skipped"), ..Count::default() },
        _ => Count::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runner_without_tests_has_failed() {
        let none = Count::default();
        let passed = Count { passed: 3, ..none };
        assert_eq!(outcome(true, Tells::Tests, none).failed, 1);
        assert_eq!(outcome(true, Tells::Outcome, none), Count { passed: 1, ..none });
        assert_eq!(outcome(true, Tells::Tests, passed), passed);
        assert_eq!(outcome(false, Tells::Tests, passed), Count { failed: 1, ..passed });
    }

    #[test]
    fn runners_are_counted() {
        let rust = tests_in(
            "test result: FAILED. 12 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s",
        );
        assert_eq!(rust, Count { passed: 12, failed: 2, skipped: 1 });
        assert_eq!(tests_in("  7 passed (31.2s)").passed, 7);
        assert_eq!(tests_in("  1 failed").failed, 1);
        assert_eq!(tests_in("  1 flaky"), Count { passed: 1, failed: 0, skipped: 0 });
        assert_eq!(tests_in("we passed 7 stations"), Count::default());
    }
}

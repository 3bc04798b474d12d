//! The laws of versions and both range dialects: a range written from comparisons contains exactly
//! their versions, compared as numbers; any other text is accepted or refused with a message, and
//! either result can be queried.

use super::choices::Choices;
use ::catalog::version::{Version, blang, masterminds};
use rand::Rng;
use rand::seq::IndexedRandom;

type Triple = (u64, u64, u64);

const PIECES: &[&str] = &[
    "1",
    "0",
    "10",
    ".",
    "x",
    "X",
    "*",
    ">",
    "<",
    "=",
    "!",
    "~",
    "^",
    " ",
    "  ",
    ",",
    "|",
    "||",
    " || ",
    "-",
    " - ",
    "+",
    "rc",
    "alpha.1",
    "v",
    "1.2.3",
    "1.x",
    ">=1.0.0",
    "\t",
    "\n",
    "٣",
    "é",
    "18446744073709551616",
    "9223372036854775807.x",
];

pub fn hold(data: &[u8]) {
    let mut choices = Choices::new(data);
    match choices.random_range(0..3) {
        0 => check_answers(&String::from_utf8_lossy(choices.rest())),
        1 => {
            let text: String = (0..choices.random_range(0..14))
                .filter_map(|_| PIECES.choose(&mut choices).copied())
                .collect();
            check_answers(&text);
        }
        _ => {
            check_contents(&mut choices, Dialect::Blang);
            check_contents(&mut choices, Dialect::Masterminds);
        }
    }
}

/// Any text has an answer.
fn check_answers(text: &str) {
    let versions: Vec<Version> = ["0.0.0", "1.2.3", "1.2.3-rc.1+b", "18446744073709551615.0.0"]
        .iter()
        .map(|v| Version::parse(v).unwrap())
        .collect();
    match blang::Range::parse(text) {
        Ok(range) => versions.iter().for_each(|v| {
            range.contains(v);
        }),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    match masterminds::Constraint::parse(text) {
        Ok(range) => versions
            .iter()
            .for_each(|v| assert!(!(range.check(v) && range.refuses_as_prerelease(v)))),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    masterminds::is_admitted(text);
    if let Ok(version) = Version::parse(text) {
        assert_eq!(version.to_string(), text, "a version is what was parsed");
        assert!(version.cmp_precedence(&version).is_eq());
    }
    let _ = Version::parse_tolerant(text);
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Dialect {
    Blang,
    Masterminds,
}

/// The versions from `low` to before `high`, or all others.
#[derive(Debug)]
struct Set {
    low: Triple,
    high: Option<Triple>,
    others: bool,
}

impl Set {
    fn holds(&self, version: Triple) -> bool {
        (self.low <= version && self.high.is_none_or(|high| version < high)) != self.others
    }
}

fn next((major, minor, patch): Triple) -> Triple {
    (major, minor, patch + 1)
}

fn check_contents(rng: &mut impl Rng, dialect: Dialect) {
    let (mut text, mut sets) = (String::new(), Vec::new());
    for i in 0..rng.random_range(1..4) {
        text.push_str(if i > 0 { " || " } else { "" });
        let mut all = Vec::new();
        for j in 0..rng.random_range(1..4) {
            let (comparison, set) = comparison(rng, dialect);
            // The blank before a hyphen range is lost when it is rewritten.
            let comma = dialect == Dialect::Masterminds
                && (comparison.contains(" - ") || rng.random_bool(0.5));
            text.push_str(match j {
                0 => "",
                _ if comma => ",",
                _ => " ",
            });
            text.push_str(&comparison);
            all.push(set);
        }
        sets.push(all);
    }
    for _ in 0..6 {
        let version = triple(rng);
        let parsed = Version::new(version.0, version.1, version.2);
        let expected = sets
            .iter()
            .any(|all| all.iter().all(|set| set.holds(version)));
        let holds = match dialect {
            Dialect::Blang => blang::Range::parse(&text)
                .unwrap_or_else(|e| panic!("{text}: {e}"))
                .contains(&parsed),
            Dialect::Masterminds => masterminds::Constraint::parse(&text)
                .unwrap_or_else(|e| panic!("{text}: {e}"))
                .check(&parsed),
        };
        assert_eq!(
            holds, expected,
            "{dialect:?} {text:?} and {version:?}: {sets:?}"
        );
    }
}

fn triple(rng: &mut impl Rng) -> Triple {
    (
        rng.random_range(0..4),
        rng.random_range(0..4),
        rng.random_range(0..4),
    )
}

fn comparison(rng: &mut impl Rng, dialect: Dialect) -> (String, Set) {
    let version = triple(rng);
    let (major, minor, patch) = version;
    let blank = if rng.random_bool(0.3) { " " } else { "" };
    let below = |high| Set {
        low: (0, 0, 0),
        high: Some(high),
        others: false,
    };
    let from = |low| Set {
        low,
        high: None,
        others: false,
    };
    let full = format!("{major}.{minor}.{patch}");
    let masterminds = dialect == Dialect::Masterminds;
    match rng.random_range(0..if masterminds { 11 } else { 8 }) {
        0 => (format!(">={blank}{full}"), from(version)),
        1 => (format!(">{blank}{full}"), from(next(version))),
        2 => (format!("<{blank}{full}"), below(version)),
        3 => (format!("<={blank}{full}"), below(next(version))),
        4 => (
            format!("!={full}"),
            Set {
                low: version,
                high: Some(next(version)),
                others: true,
            },
        ),
        5 => (
            format!("={full}"),
            Set {
                low: version,
                high: Some(next(version)),
                others: false,
            },
        ),
        6 => (
            format!("{major}.x"),
            Set {
                low: (major, 0, 0),
                high: Some((major + 1, 0, 0)),
                others: false,
            },
        ),
        7 => (format!("<={major}.{minor}.x"), below((major, minor + 1, 0))),
        8 => (
            format!("~{blank}{}.{minor}.{patch}", major + 1),
            Set {
                low: (major + 1, minor, patch),
                high: Some((major + 1, minor + 1, 0)),
                others: false,
            },
        ),
        9 => (
            format!("^{blank}{}.{minor}.{patch}", major + 1),
            Set {
                low: (major + 1, minor, patch),
                high: Some((major + 2, 0, 0)),
                others: false,
            },
        ),
        _ => {
            let high = (major, minor + 1, patch);
            (
                format!("{full} - {}.{}.{}", high.0, high.1, high.2),
                Set {
                    low: version,
                    high: Some(next(high)),
                    others: false,
                },
            )
        }
    }
}

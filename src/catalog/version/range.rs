//! A range in either dialect, for callers that only need to know which versions it admits.
//!
//! [`Expansion`] rewrites ranges as plain comparisons with `=`, `!=`, `<`, `<=`, `>` and `>=`:
//! `~1.12` becomes `>=1.12, <1.13`. The result is a range of the same dialect that admits the same
//! versions. Parts without such a form are kept as written, such as the Masterminds `!=1.2` with
//! prereleases. Parts are never merged, so that each can be found in the original.
//!
//! [`repair_range`] suggests blang ranges for invalid ones or those of another dialect. It never
//! decides: callers offer the result.

use super::semantic::{RangeError, Version};
use super::{blang, masterminds};
use std::fmt;

/// The library that parses the range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `skipRange`, `olm.package.required`.
    Blang,
    /// The version range of a ClusterExtension (OLM v1).
    Masterminds,
}

/// A parsed range of either dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnyRange {
    Blang(blang::Range),
    Masterminds(masterminds::Constraint),
}

impl Dialect {
    pub fn parse(self, text: &str) -> Result<AnyRange, RangeError> {
        match self {
            Dialect::Blang => blang::Range::parse(text).map(AnyRange::Blang),
            Dialect::Masterminds => masterminds::Constraint::parse(text).map(AnyRange::Masterminds),
        }
    }
}

impl AnyRange {
    pub fn admits(&self, version: &Version) -> bool {
        match self {
            AnyRange::Blang(range) => range.contains(version),
            AnyRange::Masterminds(constraint) => constraint.check(version),
        }
    }

    /// Returns, for each version text in order, whether it is admitted; `None` if it is not a
    /// strict version.
    pub fn judge<'a>(
        &self,
        versions: impl IntoIterator<Item = &'a str>,
    ) -> Vec<(&'a str, Option<bool>)> {
        versions
            .into_iter()
            .map(|text| (text, Version::parse(text).ok().map(|v| self.admits(&v))))
            .collect()
    }
}

/// Alternatives of comparisons that must all hold, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    alternatives: Vec<Vec<String>>,
    /// Separator of the comparisons in an alternative.
    separator: &'static str,
}

impl AnyRange {
    /// Returns the range as plain comparisons.
    pub fn expand(&self) -> Expansion {
        match self {
            AnyRange::Blang(range) => expand_blang(range),
            AnyRange::Masterminds(constraint) => Expansion {
                alternatives: constraint.plain_alternatives(),
                separator: ", ",
            },
        }
    }
}

/// Expands a blang range, whose wildcards were expanded when it was parsed. Drops empty
/// alternatives, which contain nothing.
fn expand_blang(range: &blang::Range) -> Expansion {
    let plain =
        |comparison: &blang::Comparison| format!("{}{}", comparison.operator, comparison.version);
    let alternatives = range.alternatives().iter().filter(|all| !all.is_empty());
    Expansion {
        alternatives: alternatives
            .map(|all| all.iter().map(plain).collect())
            .collect(),
        separator: " ",
    }
}

impl fmt::Display for Expansion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let alternatives: Vec<String> = self
            .alternatives
            .iter()
            .map(|all| all.join(self.separator))
            .collect();
        f.write_str(&alternatives.join(" || "))
    }
}

/// Suggests a blang range for an invalid text by spelling out the syntax of npm and others.
pub fn repair_range(text: &str) -> Option<String> {
    let spaced = text
        .replace("||", " || ")
        .replace("&&", " ")
        .replace([',', ';', '\t', '\n'], " ")
        .replace('≥', ">=")
        .replace('≤', "<=");
    let mut parts: Vec<String> = Vec::new();
    let mut operator = String::new();
    for token in spaced.split_whitespace() {
        if token.chars().all(is_operator) {
            operator.push_str(token);
        } else if token == "||" || token == "-" {
            parts.push(token.to_owned());
        } else if token.eq_ignore_ascii_case("or") {
            parts.push("||".to_owned());
        } else if !token.eq_ignore_ascii_case("and") {
            push_comparisons(&(std::mem::take(&mut operator) + token), &mut parts)?;
        }
    }
    if let [low, dash, high] = &parts[..]
        && dash == "-"
    {
        parts = vec![format!(">={low}"), format!("<={high}")];
    }
    let repaired = parts.join(" ");
    (repaired != text && blang::Range::parse(&repaired).is_ok()).then_some(repaired)
}

fn is_operator(c: char) -> bool {
    "<>=!~^".contains(c)
}

/// Repairs the comparisons in a token: an operator inside it starts another one (`>=1.0.0<2.0.0`).
fn push_comparisons(token: &str, parts: &mut Vec<String>) -> Option<()> {
    let mut start = 0;
    let mut previous = None;
    for (i, c) in token.char_indices() {
        if is_operator(c) && previous.is_some_and(|previous| !is_operator(previous)) {
            parts.push(repair_comparison(&token[start..i])?);
            start = i;
        }
        previous = Some(c);
    }
    parts.push(repair_comparison(&token[start..])?);
    Some(())
}

/// Finds the versions that a text contains, in any form.
pub fn versions_in(text: &str) -> Vec<Version> {
    let parts = text.split(|c: char| !(c.is_ascii_alphanumeric() || ".-+".contains(c)));
    let numbers = parts
        .map(|part| part.trim_start_matches(|c: char| !c.is_ascii_digit()))
        .filter(|part| !part.is_empty());
    numbers
        .filter_map(|part| Version::parse(&complete_version(part)).ok())
        .collect()
}

/// Whether a repair is unambiguous: a comma means "and" in every dialect that has it, a `v` before
/// a number has no meaning, and `=>` can only be `>=`. A repair that changes or completes a number
/// is ambiguous.
pub fn is_plain_repair(text: &str, repaired: &str) -> bool {
    const AMBIGUOUS: [&str; 5] = ["<>", "===", " - ", "~", "^"];
    !AMBIGUOUS.iter().any(|operator| text.contains(operator))
        && written_versions(text).eq(written_versions(repaired))
}

fn written_versions(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| " ,|<>=!\t\n".contains(c))
        .filter(|part| !part.is_empty())
        .map(|part| part.trim_start_matches(['v', 'V']))
}

fn repair_comparison(token: &str) -> Option<String> {
    let digits = token.find(|c: char| c.is_ascii_digit())?;
    let operator = token[..digits].trim_end_matches(['v', 'V']);
    let version = complete_version(&token[digits..]);
    let parsed = Version::parse(&version).ok();
    Some(match (operator, parsed) {
        ("~" | "~>", Some(v)) => {
            format!(">={version} <{}.{}.0", v.major(), v.minor().checked_add(1)?)
        }
        ("^", Some(v)) if v.major() > 0 => {
            format!(">={version} <{}.0.0", v.major().checked_add(1)?)
        }
        ("^", Some(v)) => format!(">={version} <0.{}.0", v.minor().checked_add(1)?),
        ("=>", _) => format!(">={version}"),
        ("=<", _) => format!("<={version}"),
        ("<>", _) => format!("!={version}"),
        ("===", _) => format!("={version}"),
        (other, _) => format!("{other}{version}"),
    })
}

/// Adds the missing parts to `1` and `1.2`, and removes the leading zeros of `1.02.0`.
fn complete_version(version: &str) -> String {
    let (numbers, rest) = version.split_at(version.find(['-', '+']).unwrap_or(version.len()));
    // `1.00.0-2.0.0` is two versions, not a prerelease.
    if rest
        .strip_prefix('-')
        .is_some_and(|rest| Version::parse(rest).is_ok())
    {
        return version.to_owned();
    }
    let parts: Vec<&str> = numbers.split('.').map(without_leading_zeros).collect();
    let is_plain = rest.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.');
    let missing = if is_plain {
        3usize.saturating_sub(parts.len())
    } else {
        0
    };
    format!("{}{}{rest}", parts.join("."), ".0".repeat(missing))
}

fn without_leading_zeros(number: &str) -> &str {
    match number.trim_start_matches('0') {
        "" if !number.is_empty() => "0",
        rest if rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => number,
    }
}

#[cfg(test)]
mod expansion_tests {
    use crate::version::{Dialect, Version};
    use proptest::prelude::*;

    fn expanded(dialect: Dialect, range: &str) -> String {
        dialect
            .parse(range)
            .unwrap_or_else(|e| panic!("{range}: {e}"))
            .expand()
            .to_string()
    }

    #[test]
    fn expands_every_operator_of_a_cluster_extension() {
        for (range, plain) in [
            ("1.2.3", "=1.2.3"),
            ("=1.2.3", "=1.2.3"),
            ("v1.2.3+build", "=1.2.3"),
            ("1.12", ">=1.12, <1.13"),
            ("=1.12", ">=1.12, <1.13"),
            ("1.12.x", ">=1.12, <1.13"),
            ("1", ">=1, <2"),
            ("1.*", ">=1, <2"),
            ("*", ">=0.0.0"),
            ("!=1.2.3", "!=1.2.3"),
            ("!=1.12", "<1.12 || >=1.13"),
            ("!=1", "<1 || >=2"),
            ("!=*", "!=0.0.0"),
            ("!=0", ">=1"),
            ("!=0.0", ">=0.1"),
            (">1.2.3", ">1.2.3"),
            (">1.12", ">=1.13"),
            (">1", ">=2"),
            (">=1.12", ">=1.12"),
            ("=>1.2.3", ">=1.2.3"),
            ("<1.12", "<1.12"),
            ("<=1.2.3", "<=1.2.3"),
            ("<=1.12", "<1.13"),
            ("=<1", "<2"),
            ("<=*", "<0.1"),
            ("~1.12", ">=1.12, <1.13"),
            ("~>1.12", ">=1.12, <1.13"),
            ("~1.2.3", ">=1.2.3, <1.3"),
            ("~1", ">=1, <2"),
            ("~0.0.0", ">=0.0.0"),
            ("~*", ">=0.0.0"),
            ("^1.2.3", ">=1.2.3, <2"),
            ("^1.2", ">=1.2, <2"),
            ("^1", ">=1, <2"),
            ("^0.2.3", ">=0.2.3, <0.3"),
            ("^0.0.3", ">=0.0.3, <0.0.4"),
            ("^0.0", ">=0.0, <0.1"),
            ("^0", ">=0, <1"),
            ("^*", ">=0.0.0, <0.0.1"),
            ("1.2 - 1.4", ">=1.2, <1.5"),
            ("~1.12 || ^2.1.0", ">=1.12, <1.13 || >=2.1.0, <3"),
            (">=1.0 !=1.2 <2", ">=1.0, <1.2, <2 || >=1.0, >=1.3, <2"),
            ("~1.2.3-beta", ">=1.2.3-beta, <1.3.0-0"),
            ("^1.2-rc.1", ">=1.2.0-rc.1, <2.0.0-0"),
            ("~1.2 >=1.2.1-beta", ">=1.2.0, <1.3.0-0, >=1.2.1-beta"),
            ("!=1.2 >=1.0.0-beta", "!=1.2, >=1.0.0-beta"),
            (">18446744073709551615", "<0.0.0"),
            ("<=18446744073709551615.18446744073709551615", ">=0.0.0"),
        ] {
            assert_eq!(expanded(Dialect::Masterminds, range), plain, "{range}");
        }
    }

    #[test]
    fn expands_wildcards_of_a_skip_range() {
        for (range, plain) in [
            ("1.2.3", "=1.2.3"),
            (">=1.0.0 <2.0.0", ">=1.0.0 <2.0.0"),
            ("1.2.x", ">=1.2.0 <1.3.0"),
            ("1.x", ">=1.0.0 <2.0.0"),
            (">1.x", ">=2.0.0"),
            ("<=1.x", "<2.0.0"),
            (">=1.x", ">=1.0.0"),
            ("<1.2.x", "<1.2.0"),
            ("!=1.x", "<1.0.0 >=2.0.0"),
            ("!1.2.3", "!=1.2.3"),
            ("<1.0.0 || >2.0.0", "<1.0.0 || >2.0.0"),
            ("! 1.0.0", "=1.0.0"),
            ("1.0.0 - 2.0.0", "=1.0.0 =2.0.0"),
        ] {
            assert_eq!(expanded(Dialect::Blang, range), plain, "{range}");
        }
    }

    /// Returns the versions near the bounds of ranges, including prereleases of each bound.
    fn versions() -> Vec<Version> {
        let numbers = [0, 1, 2, 3, 12, 13, u64::MAX - 1, u64::MAX];
        let ends = ["", "-0", "-alpha", "-beta", "-beta.2", "-rc.1", "+build"];
        let mut all = Vec::new();
        for major in numbers {
            for minor in numbers {
                for patch in [0, 1, 3, u64::MAX] {
                    all.extend(ends.iter().filter_map(|e| {
                        Version::parse(&format!("{major}.{minor}.{patch}{e}")).ok()
                    }));
                }
            }
        }
        all
    }

    fn number() -> impl Strategy<Value = String> {
        prop_oneof![4 => (0u64..4).prop_map(|n| n.to_string()), 1 => Just("12".to_owned()),
            1 => Just(u64::MAX.to_string())]
    }

    fn masterminds() -> impl Strategy<Value = String> {
        let part = prop_oneof![5 => number(), 1 => "[xX*]".prop_map(String::from)];
        let partial = (
            prop::collection::vec(part, 1..4),
            prop_oneof![3 => Just(""), 1 => Just("-beta"), 1 => Just("-0")],
        );
        let operator = prop::sample::select(vec![
            "", "=", "!=", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", "^",
        ]);
        let comparator = (operator, partial)
            .prop_map(|(o, (parts, pre))| format!("{o}{}{pre}", parts.join(".")));
        let group = prop::collection::vec(comparator, 1..4).prop_map(|all| all.join(" "));
        prop::collection::vec(group, 1..3).prop_map(|groups| groups.join(" || "))
    }

    fn blang() -> impl Strategy<Value = String> {
        let full = (
            number(),
            number(),
            number(),
            prop_oneof![3 => Just(""), 1 => Just("-beta"), 1 => Just("-0")],
        )
            .prop_map(|(a, b, c, pre)| format!("{a}.{b}.{c}{pre}"));
        let wild = prop_oneof![
            number().prop_map(|a| format!("{a}.x")),
            (0u64..4, 0u64..4).prop_map(|(a, b)| format!("{a}.{b}.x"))
        ];
        let operator = prop::sample::select(vec!["", "=", "==", "!", "!=", ">", "<", ">=", "<="]);
        let atom = (operator, prop_oneof![full, wild]).prop_map(|(o, v)| format!("{o}{v}"));
        let group = prop::collection::vec(atom, 1..4).prop_map(|all| all.join(" "));
        prop::collection::vec(group, 1..3).prop_map(|groups| groups.join(" || "))
    }

    fn admits_the_same(dialect: Dialect, range: &str, versions: &[Version]) {
        let Ok(parsed) = dialect.parse(range) else {
            return;
        };
        let plain = parsed.expand().to_string();
        let again = dialect
            .parse(&plain)
            .unwrap_or_else(|e| panic!("{range} is {plain}: {e}"));
        for version in versions {
            assert_eq!(
                parsed.admits(version),
                again.admits(version),
                "`{range}` is `{plain}`: {version}"
            );
        }
        assert_eq!(again.expand().to_string(), plain, "{range}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn an_expansion_admits_the_same_versions(one in masterminds(), other in blang()) {
            thread_local!(static VERSIONS: Vec<Version> = versions());
            VERSIONS.with(|versions| {
                admits_the_same(Dialect::Masterminds, &one, versions);
                admits_the_same(Dialect::Blang, &other, versions);
            });
        }
    }
}

#[cfg(test)]
mod repair_tests {
    use super::*;

    #[test]
    fn repairs_ranges_of_other_dialects() {
        for (text, repaired) in [
            (">=1.0.0, <2.0.0", ">=1.0.0 <2.0.0"),
            (">=1.0.0<2.0.0", ">=1.0.0 <2.0.0"),
            (">=1.0 <2", ">=1.0.0 <2.0.0"),
            ("^1.2.3", ">=1.2.3 <2.0.0"),
            ("^0.2.3", ">=0.2.3 <0.3.0"),
            ("~1.2.0", ">=1.2.0 <1.3.0"),
            (">=v1.0.0 <v1.1.0", ">=1.0.0 <1.1.0"),
            ("=>1.0.0", ">=1.0.0"),
            (">=1.0.0||<0.5.0", ">=1.0.0 || <0.5.0"),
            ("1.0 - 2.0", ">=1.0.0 <=2.0.0"),
            (">=1.00.0", ">=1.0.0"),
            (">=01.2 <1.010.0-rc.1", ">=1.2.0 <1.10.0-rc.1"),
            (">=1.0.0 && <2.0.0", ">=1.0.0 <2.0.0"),
            (">=1.0.0 and <2.0.0", ">=1.0.0 <2.0.0"),
            ("≥1.0.0; <2.0.0", ">=1.0.0 <2.0.0"),
        ] {
            assert_eq!(repair_range(text).as_deref(), Some(repaired), "{text}");
        }
        for text in [
            ">=1.0.0, <2.0.0",
            ">=1.0.0<2.0.0",
            ">=v1.0.0 <v1.1.0",
            "=>1.0.0",
            ">=1.0.0||<0.5.0",
        ] {
            assert!(
                is_plain_repair(text, &repair_range(text).unwrap()),
                "{text}"
            );
        }
        for text in [
            ">=1.0 <2",
            "^1.2.3",
            "~1.2.0",
            "1.0.0 - 2.0.0",
            "<>1.0.0",
            ">=1.00.0",
        ] {
            assert!(
                !is_plain_repair(text, &repair_range(text).unwrap()),
                "{text}"
            );
        }
        let read = |text: &str| {
            versions_in(text)
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(read(">=v1.0 up to <"), ["1.0.0"]);
        assert_eq!(read("everything before"), [""; 0]);
        assert_eq!(repair_range("1.00.0-2.0.0"), None);
        assert_eq!(repair_range("any"), None);
        assert_eq!(repair_range(""), None);
    }
}

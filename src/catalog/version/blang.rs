//! The `skipRange` dialect: ranges as parsed by the Go library blang/semver v4. Also used for
//! `olm.package.required` and every other range that `opm` checks; `masterminds` parses the ranges
//! of a ClusterExtension.
//!
//! Grammar and oddities follow `opm-semantics` 3.2 and 3.3. Ranges use plain precedence:
//! prereleases are not special.

use super::semantic::{RangeError, Version};
use std::cmp::Ordering;
use std::fmt;
use syntax::go_text::quote;
use syntax::order::SortSmall;

/// The zeros of the scripts whose ten digits are consecutive: Unicode category Nd without ASCII and
/// the mathematical digits.
const DIGIT_ZEROS: [u32; 62] = [
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6,
    0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50,
    0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16A60, 0x16AC0,
    0x16B50, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E950, 0x1FBF0,
];

/// An OR of ANDs of comparisons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    alternatives: Vec<Vec<Comparison>>,
}

/// A comparison with a full version, after wildcard expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    pub operator: Operator,
    pub version: Version,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl Range {
    /// Parses a range. The errors are the reference's, literally.
    pub fn parse(text: &str) -> Result<Self, RangeError> {
        let tokens = tokens(text);
        let mut alternatives = Vec::new();
        for (i, alternative) in tokens.split(|t| t == "||").enumerate() {
            if i == 0 && alternative.is_empty() && !tokens.is_empty() {
                return refuse("First element in range is '||'");
            }
            alternatives.push(alternative);
        }
        if alternatives.last().is_none_or(|a| a.is_empty()) {
            return refuse("Last element in range is '||'");
        }
        // Expand all wildcards before comparing anything, so that their errors come first.
        let expanded: Vec<Vec<String>> = alternatives
            .into_iter()
            .map(expand_wildcards)
            .collect::<Result<_, _>>()?;
        let alternatives = expanded
            .iter()
            .map(|atoms| atoms.iter().map(|a| parse_comparison(a)).collect())
            .collect::<Result<_, RangeError>>()?;
        Ok(Self { alternatives })
    }

    /// Whether the range contains `version`. An alternative without comparisons contains nothing
    /// (the reference crashes on it).
    pub fn contains(&self, version: &Version) -> bool {
        self.alternatives
            .iter()
            .any(|all| !all.is_empty() && all.iter().all(|c| c.matches(version)))
    }

    /// Returns the alternatives as they are evaluated; for explanations.
    pub fn alternatives(&self) -> &[Vec<Comparison>] {
        &self.alternatives
    }

    /// Returns the index ranges of `ordered` (lowest version first) that match: for each
    /// alternative, ascending disjoint runs. `compare` compares an element with a bound. An
    /// alternative without comparisons matches nothing.
    ///
    /// Uses binary search: testing each version against each range would be quadratic, and real
    /// packages have a thousand skip ranges.
    pub fn runs<T>(
        &self,
        ordered: &[T],
        compare: impl Fn(&T, &Version) -> Ordering,
    ) -> Vec<std::ops::Range<usize>> {
        self.alternatives
            .iter()
            .filter(|comparisons| !comparisons.is_empty())
            .flat_map(|comparisons| matching_runs(comparisons, ordered, &compare))
            .collect()
    }
}

impl Comparison {
    pub fn matches(&self, version: &Version) -> bool {
        let order = version.cmp_precedence(&self.version);
        match self.operator {
            Operator::Equal => order.is_eq(),
            Operator::NotEqual => order.is_ne(),
            Operator::Greater => order.is_gt(),
            Operator::GreaterOrEqual => order.is_ge(),
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operator::Equal => "=",
            Operator::NotEqual => "!=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
        })
    }
}

/// Returns the runs of positions in `ordered` for which all comparisons hold.
fn matching_runs<T>(
    comparisons: &[Comparison],
    ordered: &[T],
    compare: impl Fn(&T, &Version) -> Ordering,
) -> Vec<std::ops::Range<usize>> {
    let mut run = 0..ordered.len();
    let mut excluded: Vec<std::ops::Range<usize>> = Vec::new();
    for Comparison { operator, version } in comparisons {
        // Lazy, because most operators need only one of the two searches.
        let first_equal = || ordered.partition_point(|element| compare(element, version).is_lt());
        let first_greater = || ordered.partition_point(|element| compare(element, version).is_le());
        match operator {
            Operator::Equal => {
                run = run.start.max(first_equal())..run.end.min(first_greater());
            }
            Operator::Greater => run.start = run.start.max(first_greater()),
            Operator::GreaterOrEqual => run.start = run.start.max(first_equal()),
            Operator::Less => run.end = run.end.min(first_equal()),
            Operator::LessOrEqual => run.end = run.end.min(first_greater()),
            Operator::NotEqual => excluded.push(first_equal()..first_greater()),
        }
    }
    excluded.sort_small_by_key(|excluded_run| excluded_run.start);
    let mut runs = Vec::with_capacity(excluded.len() + 1);
    for excluded_run in excluded {
        runs.push(run.start..excluded_run.start.min(run.end));
        run.start = run.start.max(excluded_run.end);
    }
    runs.push(run);
    runs.retain(|run| run.start < run.end);
    runs
}

/// Returns the byte range of the first invalid part of a text; `None` if the text is valid or has
/// no readable part.
pub fn fault(text: &str) -> Option<std::ops::Range<usize>> {
    let error = Range::parse(text).err()?;
    let pieces = pieces(text);
    let mut ors = pieces.iter().filter(|span| &text[(*span).clone()] == "||");
    let faulty = pieces
        .iter()
        .find(|span| {
            let piece = &text[(*span).clone()];
            piece != "||" && Range::parse(piece).is_err()
        })
        .or_else(|| {
            if error.0.starts_with("First") {
                ors.next()
            } else {
                ors.next_back()
            }
        });
    faulty.cloned()
}

/// Splits the text at spaces, except after `>`, `<` and `=`, into byte ranges. Drops pieces of one
/// byte.
fn pieces(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut pieces = Vec::new();
    let mut push_piece = |piece: std::ops::Range<usize>| {
        if piece.len() > 1 {
            pieces.push(piece);
        }
    };
    let mut start = 0;
    let mut last = 0;
    for (i, byte) in text.bytes().enumerate() {
        if byte != b' ' {
            last = byte;
        } else if !matches!(last, b'>' | b'<' | b'=') {
            push_piece(start..i);
            start = i + 1;
        }
    }
    push_piece(start..text.len());
    pieces
}

/// Returns the pieces without the spaces inside.
fn tokens(text: &str) -> Vec<String> {
    pieces(text)
        .into_iter()
        .map(|piece| text[piece].replace(' ', ""))
        .collect()
}

/// Rewrites tokens containing an `x` into comparisons with full versions (as text, since the result
/// is validated and quoted in errors like other tokens).
fn expand_wildcards(tokens: &[String]) -> Result<Vec<String>, RangeError> {
    let mut out = Vec::with_capacity(tokens.len());
    for token in tokens {
        if !token.contains('x') {
            out.push(token.clone());
            continue;
        }
        let (operator, wildcard) = split_operator(token)?;
        let base = wildcard_base(wildcard);
        match operator {
            ">" => out.push(format!(">={}", next_version(wildcard, &base))),
            ">=" | "<" => out.push(format!("{operator}{base}")),
            "<=" => out.push(format!("<{}", next_version(wildcard, &base))),
            "" | "=" | "==" => out.extend([
                format!(">={base}"),
                format!("<{}", next_version(wildcard, &base)),
            ]),
            "!" | "!=" => out.extend([
                format!("<{base}"),
                format!(">={}", next_version(wildcard, &base)),
            ]),
            // The operator is never refused here; others count as "equal".
            _ => out.push(base),
        }
    }
    Ok(out)
}

fn wildcard_base(wildcard: &str) -> String {
    let base = wildcard.replacen(".x.x", ".x", 1).replacen(".x", ".0", 1);
    if base.split('.').count() == 2 {
        base + ".0"
    } else {
        base
    }
}

/// Returns the next minor or major version after a wildcard's base; "" if the last part is not a
/// wildcard or the number has no successor as text (which makes the comparison invalid).
fn next_version(wildcard: &str, base: &str) -> String {
    let mut parts: Vec<&str> = wildcard.split('.').collect();
    let index = match (parts.len(), parts.pop()) {
        (2, Some("x")) => 0,
        (3, Some("x")) => 1,
        _ => return String::new(),
    };
    let mut parts: Vec<String> = base.split('.').map(str::to_owned).collect();
    let Some(part) = parts.get_mut(index) else {
        return String::new();
    };
    // A signed 64-bit number that wraps around, as in the reference.
    let Ok(number) = part.parse::<i64>() else {
        return String::new();
    };
    *part = number.wrapping_add(1).to_string();
    parts.join(".")
}

fn parse_comparison(token: &str) -> Result<Comparison, RangeError> {
    let (operator_text, version_text) = split_operator(token)?;
    let joined = format!("{operator_text}{version_text}");
    let operator = match operator_text {
        "" | "=" | "==" => Operator::Equal,
        "!" | "!=" => Operator::NotEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        _ => {
            return refuse(format!(
                "Could not parse Range {}: Could not parse comparator {} in {}",
                quote(token),
                quote(operator_text),
                quote(&joined)
            ));
        }
    };
    let version = Version::parse(version_text).map_err(|error| {
        RangeError(format!(
            "Could not parse Range {}: Could not parse version {} in {}: {error}",
            quote(token),
            quote(version_text),
            quote(&joined)
        ))
    })?;
    Ok(Comparison { operator, version })
}

/// Splits a token into the (trimmed) operator before the first decimal digit of any script, and the
/// rest.
fn split_operator(token: &str) -> Result<(&str, &str), RangeError> {
    match token.find(is_decimal_digit) {
        Some(i) => Ok((token[..i].trim(), &token[i..])),
        None => refuse(format!(
            "Could not get version from string: {}",
            quote(token)
        )),
    }
}

/// Whether the character is in Unicode category Nd (Unicode 15). The standard library only knows
/// the wider class "numeric".
fn is_decimal_digit(c: char) -> bool {
    let code = u32::from(c);
    c.is_ascii_digit()
        || (!c.is_ascii()
            && ((0x1D7CE..=0x1D7FF).contains(&code)
                || DIGIT_ZEROS
                    .iter()
                    .any(|&zero| (zero..zero + 10).contains(&code))))
}

fn refuse<T>(message: impl Into<String>) -> Result<T, RangeError> {
    Err(RangeError(message.into()))
}

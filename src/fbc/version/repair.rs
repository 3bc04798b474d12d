//! Suggests blang ranges for invalid ones or those of another dialect. Never decides: callers offer
//! the result.

use super::{Version, blang};

/// A probable blang range for an invalid text: spells out the syntax of npm and others.
pub fn repair_range(text: &str) -> Option<String> {
    let spaced = text
        .replace("||", " || ")
        .replace("&&", " ")
        .replace([',', ';', '\t', '\n'], " ");
    let spaced = spaced.replace('≥', ">=").replace('≤', "<=");
    let mut parts: Vec<String> = Vec::new();
    let mut operator = String::new();
    for token in spaced.split_whitespace() {
        if token.chars().all(|c| "<>=!~^".contains(c)) {
            operator.push_str(token);
            continue;
        }
        if token.eq_ignore_ascii_case("and") {
            continue;
        }
        if token.eq_ignore_ascii_case("or") {
            parts.push("||".to_owned());
            continue;
        }
        if token == "||" || token == "-" {
            parts.push(token.to_owned());
            continue;
        }
        let token = std::mem::take(&mut operator) + token;
        // `>=1.0.0<2.0.0`: an operator in the middle starts another comparison.
        let mut rest = token.as_str();
        while let Some(cut) = rest.char_indices().skip(1).find_map(|(i, c)| {
            let before = rest[..i].chars().next_back()?;
            ("<>=!~^".contains(c) && !"<>=!~^".contains(before)).then_some(i)
        }) {
            parts.push(comparison(&rest[..cut])?);
            rest = &rest[cut..];
        }
        parts.push(comparison(rest)?);
    }
    if let [low, dash, high] = &parts[..]
        && dash == "-"
    {
        parts = vec![format!(">={low}"), format!("<={high}")];
    }
    let repaired = parts.join(" ");
    (repaired != text && blang::Range::parse(&repaired).is_ok()).then_some(repaired)
}

/// The versions that a text contains, in any form.
pub fn versions_in(text: &str) -> Vec<Version> {
    let parts = text.split(|c: char| !(c.is_ascii_alphanumeric() || ".-+".contains(c)));
    let numbers = parts
        .map(|part| part.trim_start_matches(|c: char| !c.is_ascii_digit()))
        .filter(|part| !part.is_empty());
    numbers
        .filter_map(|part| Version::parse(&pad(part)).ok())
        .collect()
}

/// Whether a repair is unambiguous: a comma means "and" in every dialect that has it, a `v` before
/// a number means nothing in any, and `=>` can only be `>=`. Completed or changed numbers are
/// ambiguous.
pub fn is_plain_repair(text: &str, repaired: &str) -> bool {
    fn numbers(text: &str) -> Vec<&str> {
        text.split(|c: char| " ,|<>=!\t\n".contains(c))
            .filter(|t| !t.is_empty())
            .map(|t| t.trim_start_matches(['v', 'V']))
            .collect()
    }
    !["<>", "===", " - ", "~", "^"]
        .iter()
        .any(|odd| text.contains(odd))
        && numbers(text) == numbers(repaired)
}

fn comparison(token: &str) -> Option<String> {
    let digits = token.find(|c: char| c.is_ascii_digit())?;
    let operator = token[..digits].trim_end_matches(['v', 'V']);
    let version = pad(&token[digits..]);
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

/// `1` and `1.2` with the missing parts, `1.02.0` without leading zeros.
fn pad(version: &str) -> String {
    let (numbers, rest) = version.split_at(version.find(['-', '+']).unwrap_or(version.len()));
    // `1.00.0-2.0.0` is two versions, not a prerelease.
    if rest
        .strip_prefix('-')
        .is_some_and(|rest| Version::parse(rest).is_ok())
    {
        return version.to_owned();
    }
    let parts: Vec<&str> = numbers.split('.').map(without_zeros).collect();
    let plain = rest.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.');
    let missing = if plain {
        3usize.saturating_sub(parts.len())
    } else {
        0
    };
    format!("{}{}{rest}", parts.join("."), ".0".repeat(missing))
}

fn without_zeros(number: &str) -> &str {
    match number.trim_start_matches('0') {
        "" if !number.is_empty() => "0",
        rest if rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => number,
    }
}

#[cfg(test)]
mod tests {
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

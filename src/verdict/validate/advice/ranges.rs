//! Helpers for skip ranges: their bounds, and whether they contain any version.

use super::super::rules::prelude::*;
use catalog::version::Version;
use catalog::version::blang::{Operator, Range};
use catalog::version::version_line::difference;
use protocol::counting::and_more;
use std::cmp::Ordering;

/// Maximum number of versions at risk that are named.
pub const MAX_NAMED: usize = 3;

pub fn skip_range(view: &EntryView<'_>) -> Option<Range> {
    let range = &view.entry.skip_range;
    if range.is_empty() {
        None
    } else {
        Range::parse(&range.value).ok()
    }
}

/// Whether an alternative of the range has no upper bound.
pub fn is_unbounded(range: &Range) -> bool {
    range.alternatives().iter().any(|all| {
        !all.is_empty()
            && !all.iter().any(|c| {
                matches!(
                    c.operator,
                    Operator::Less | Operator::LessOrEqual | Operator::Equal
                )
            })
    })
}

/// Whether the range contains one of `versions` (sorted by precedence) other than those with the
/// precedence of `excluded`.
pub fn contains_any(range: &Range, versions: &[Version], excluded: Option<&Version>) -> bool {
    let excluded_positions = excluded.map_or(0..0, |excluded| {
        versions.partition_point(|v| v.cmp_precedence(excluded).is_lt())
            ..versions.partition_point(|v| v.cmp_precedence(excluded).is_le())
    });
    let runs = range.runs(versions, Version::cmp_precedence);
    runs.iter().any(|run| {
        excluded_positions.is_empty()
            || run.start < excluded_positions.start
            || run.end > excluded_positions.end
    })
}

/// Names the listed versions above `own` that the range contains, with their bundles; "" for none.
pub fn names_above(scope: &Scope<'_>, range: &Range, own: &Version) -> String {
    // There can be as many wide ranges as bundles, so keep only the lowest few versions of each.
    let mut lowest: Vec<(Version, &str)> = Vec::with_capacity(MAX_NAMED + 1);
    let mut count = 0;
    for bundle in &scope.package.bundles {
        let Ok(version) = Version::parse(bundle.version()) else {
            continue;
        };
        let name = bundle.name.as_str();
        if version.cmp_precedence(own).is_le()
            || !range.contains(&version)
            || !scope.is_listed(name)
        {
            continue;
        }
        count += 1;
        let at = lowest.partition_point(|(known, _)| known.cmp_precedence(&version).is_le());
        if at < MAX_NAMED {
            lowest.insert(at, (version, name));
            lowest.truncate(MAX_NAMED);
        }
    }
    let names: Vec<String> = lowest
        .iter()
        .map(|(version, name)| format!("{version} (`{name}`)"))
        .collect();
    let list = names.join(", ");
    match count - names.len() {
        0 => list,
        more => format!("{list} {}", and_more(more)),
    }
}

/// Returns fixes that end a range below its entry's version. If no part of it remains, they remove
/// the range, unless it contains another version: unlisted versions may be installed.
pub fn end_below_fixes(
    scope: &Scope<'_>,
    view: &EntryView<'_>,
    range: &Range,
    own: &Version,
) -> Vec<Fix> {
    let remaining = below(range, own);
    let title = match &remaining {
        Some(remaining) => format!("write it as `{remaining}`"),
        None => {
            let own = Range::parse(&own.to_string()).ok();
            if own.is_none() || !difference(range, own.as_ref()).is_empty() {
                return Vec::new();
            }
            "remove the skipRange".to_owned()
        }
    };
    vec![Fix::from_op(
        title,
        false,
        set_skip_range(scope, view, remaining),
    )]
}

/// Returns the part of the range below `version`; `None` if it is empty.
fn below(range: &Range, version: &Version) -> Option<String> {
    let alternatives = range.alternatives().iter().filter_map(|all| {
        let mut comparisons: Vec<String> = Vec::new();
        let mut ended = false;
        for comparison in all {
            let order = comparison.version.cmp_precedence(version);
            match comparison.operator {
                Operator::Greater | Operator::GreaterOrEqual | Operator::Equal
                    if order != Ordering::Less =>
                {
                    return None;
                }
                Operator::Less if order == Ordering::Greater => continue,
                Operator::LessOrEqual | Operator::NotEqual if order != Ordering::Less => continue,
                Operator::Less | Operator::LessOrEqual | Operator::Equal => ended = true,
                _ => {}
            }
            comparisons.push(format!("{}{}", comparison.operator, comparison.version));
        }
        if !ended {
            comparisons.push(format!("<{version}"));
        }
        (!all.is_empty()).then(|| comparisons.join(" "))
    });
    let alternatives: Vec<String> = alternatives.collect();
    (!alternatives.is_empty()).then(|| alternatives.join(" || "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Range {
        Range::parse(text).unwrap()
    }

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    #[test]
    fn ends() {
        for text in [">=1.0.0", ">1.0.0 <2.0.0 || >3.0.0", "!=1.0.0"] {
            assert!(is_unbounded(&range(text)), "{text}");
        }
        for text in [
            "<1.0.0",
            ">=1.0.0 <=2.0.0",
            "1.0.0",
            "=1.0.0 || <0.5.0",
            "1.x",
        ] {
            assert!(!is_unbounded(&range(text)), "{text}");
        }
    }

    #[test]
    fn range_contents_equal_a_check_of_each_version() {
        let versions: Vec<Version> = [
            "0.9.0",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.0+a",
            "1.1.0",
            "1.2.0",
            "2.0.0",
        ]
        .map(version)
        .to_vec();
        for text in [
            "<0.9.0",
            "<=0.9.0",
            ">=1.0.0 <1.1.0",
            ">1.0.0 <1.1.0",
            "!=1.0.0 >=1.0.0 <1.1.0",
            "=1.1.0",
            ">2.0.0",
            "2.x",
            "<0.1.0 || =1.2.0",
            "!=0.9.0 !=1.1.0 >0.1.0 <1.0.0",
            ">1.1.0 <1.1.0",
            ">=1.0.0 !=1.0.0 !=1.1.0 !=1.2.0 <2.0.0",
        ] {
            for excluded in [None, Some(version("1.0.0")), Some(version("1.1.0"))] {
                let is_but = |v: &Version| {
                    excluded
                        .as_ref()
                        .is_some_and(|b| b.cmp_precedence(v) == Ordering::Equal)
                };
                let expected = versions
                    .iter()
                    .any(|v| range(text).contains(v) && !is_but(v));
                assert_eq!(
                    contains_any(&range(text), &versions, excluded.as_ref()),
                    expected,
                    "{text} but {excluded:?}"
                );
            }
        }
    }

    #[test]
    fn recognizes_ranges_below_a_version() {
        for (text, cut) in [
            (">=1.0.0", Some(">=1.0.0 <1.5.0")),
            (">=1.0.0 <=1.5.0", Some(">=1.0.0 <1.5.0")),
            (">=1.0.0 <2.0.0", Some(">=1.0.0 <1.5.0")),
            ("<0.5.0 || >=1.0.0", Some("<0.5.0 || >=1.0.0 <1.5.0")),
            ("!=1.2.0", Some("!=1.2.0 <1.5.0")),
            (">=1.5.0", None),
            ("1.5.0", None),
        ] {
            assert_eq!(
                below(&range(text), &version("1.5.0")).as_deref(),
                cut,
                "{text}"
            );
        }
    }
}

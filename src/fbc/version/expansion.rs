//! Expands ranges to plain comparisons with `=`, `!=`, `<`, `<=`, `>` and `>=`: `~1.12` becomes
//! `>=1.12, <1.13`.
//!
//! The result is a range of the same dialect that admits the same versions. Parts without such a
//! form stay as written: the Masterminds `!=1.2` with prereleases, which admits prereleases of 1.2
//! by their name alone. Parts are never merged, so that each can be found in the original.

use super::blang;
use super::range::AnyRange;
use std::fmt;

/// Alternatives of comparisons that must all hold, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    alternatives: Vec<Vec<String>>,
    /// Separator of the comparisons in an alternative.
    separator: &'static str,
}

impl AnyRange {
    /// The range as plain comparisons.
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

/// Wildcards are already expanded. An empty alternative contains nothing and is dropped.
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

#[cfg(test)]
mod tests {
    use super::super::{Dialect, Version};
    use proptest::prelude::*;

    fn expanded(dialect: Dialect, range: &str) -> String {
        dialect
            .parse(range)
            .unwrap_or_else(|e| panic!("{range}: {e}"))
            .expand()
            .to_string()
    }

    #[test]
    fn every_operator_of_a_cluster_extension() {
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
    fn wildcards_of_a_skip_range() {
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

    /// Versions near the bounds of ranges, including prereleases of each bound.
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

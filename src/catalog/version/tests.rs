//! Examples from the two specifications, and laws.

use super::*;
use proptest::prelude::*;
use std::cmp::Ordering;

fn version(text: &str) -> Version {
    Version::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn admits(dialect: Dialect, range: &str, text: &str) -> bool {
    dialect
        .parse(range)
        .unwrap_or_else(|e| panic!("{range}: {e}"))
        .admits(&version(text))
}

#[test]
fn strict_versions_are_refused_in_order() {
    for (text, error) in [
        ("", "Version string empty"),
        ("1.0", "No Major.Minor.Patch elements found"),
        (
            "v1.0.0",
            r#"Invalid character(s) found in major number "v1""#,
        ),
        (
            "1.0.0 ",
            r#"Invalid character(s) found in patch number "0 ""#,
        ),
        (
            "01.0.0",
            r#"Major number must not contain leading zeroes "01""#,
        ),
        ("1..0", r#"strconv.ParseUint: parsing "": invalid syntax"#),
        (
            "18446744073709551616.0.0",
            r#"strconv.ParseUint: parsing "18446744073709551616": value out of range"#,
        ),
        ("1.0.0-", "Prerelease is empty"),
        (
            "1.0.0-01",
            r#"Numeric PreRelease version must not contain leading zeroes "01""#,
        ),
        (
            "1.0.0-a_b+",
            r#"Invalid character(s) found in prerelease "a_b""#,
        ),
        ("1.0.0+", "Build meta data is empty"),
        (
            "1.0.0+a+b",
            r#"Invalid character(s) found in build meta data "a+b""#,
        ),
    ] {
        assert_eq!(
            Version::parse(text),
            Err(VersionError(error.into())),
            "{text}"
        );
    }
    for text in [
        "0.0.0",
        "1.0.0-01a",
        "1.0.0+01",
        "1.0.0--",
        "1.0.0-alpha.1+exp.sha",
        "18446744073709551615.0.0",
    ] {
        assert_eq!(version(text).to_string(), text);
    }
}

#[test]
fn tolerant_versions_are_completed() {
    for (text, canonical) in [
        (" v1 ", "1.0.0"),
        ("1.02", "1.2.0"),
        ("00.0.010-rc.1", "0.0.10-rc.1"),
        ("4.10", "4.10.0"),
    ] {
        assert_eq!(
            Version::parse_tolerant(text).map(|v| v.to_string()),
            Ok(canonical.to_owned())
        );
    }
    assert!(Version::parse_tolerant("1.0+b").is_err());
}

#[test]
fn precedence_is_that_of_semver() {
    let ascending = [
        "1.0.0-0",
        "1.0.0-9",
        "1.0.0-10",
        "1.0.0--",
        "1.0.0-a",
        "1.0.0-a.0",
        "1.0.0",
        "1.0.1-0",
    ];
    for pair in ascending.windows(2) {
        assert_eq!(
            version(pair[0]).cmp_precedence(&version(pair[1])),
            Ordering::Less,
            "{pair:?}"
        );
    }
    assert_eq!(
        version("1.0.0+a").cmp_precedence(&version("1.0.0+b")),
        Ordering::Equal
    );
}

#[test]
fn releases_order_rebuilds() {
    let read = |text: &str| VersionRelease::from_v1(&version(text));
    for pair in ["1.0.0", "1.0.0+2", "1.0.0+10", "1.0.0+alpha", "1.0.1"].windows(2) {
        assert_eq!(
            read(pair[0]).compare(&read(pair[1])),
            Ordering::Less,
            "{pair:?}"
        );
    }
    // Not a release: remains in the version without effect.
    assert_eq!(read("1.0.0+007").compare(&read("1.0.0")), Ordering::Equal);
    assert_eq!(
        Release::parse("a..01").map_err(|e| e.0),
        Err(
            "invalid release \"a..01\": segment 1: Prerelease is empty\n\
             segment 2: Numeric PreRelease version must not contain leading zeroes \"01\""
                .to_owned()
        )
    );
    let legacy = PackageVersion {
        version: "2.3.4-Beta.1+Final.10",
        release: "",
        substitutes_for: true,
    };
    let legacy = legacy.parse("b").unwrap();
    assert_eq!(legacy.version.to_string(), "2.3.4-Beta.1");
    assert_eq!(
        legacy.release.as_ref().map(Release::as_str),
        Some("Final.10")
    );
}

#[test]
fn blang_peculiarities() {
    for (range, inside, outside) in [
        (">=1.0.0 <2.0.0", "2.0.0-alpha", "1.0.0-rc.1"),
        ("! 1.0.0", "1.0.0", "1.0.1"),
        ("> = 1.0.0", "1.0.0", "0.9.0"),
        (">=1.0.0 <", "1.0.0", "0.9.0"),
        ("1.x.x", "1.0.9", "1.1.0"),
        ("<=1.2.x", "1.2.9", "1.3.0"),
        ("~1.x", "1.0.0", "1.0.1"),
        ("<0.5.0 || >1.x", "2.0.0", "1.9.0"),
    ] {
        assert!(admits(Dialect::Blang, range, inside), "{range} {inside}");
        assert!(!admits(Dialect::Blang, range, outside), "{range} {outside}");
    }
    let crashing = blang::Range::parse("<1.0.0 || || >2.0.0").unwrap();
    assert!(
        crashing.alternatives().iter().any(Vec::is_empty) && !crashing.contains(&version("1.5.0"))
    );
    for (range, error) in [
        ("x", "Last element in range is '||'"),
        ("|| >1.0.0", "First element in range is '||'"),
        ("any", r#"Could not get version from string: "any""#),
        (
            "~1.0.0",
            r#"Could not parse Range "~1.0.0": Could not parse comparator "~" in "~1.0.0""#,
        ),
        (">1.0.0-next", r#"Could not get version from string: ">=""#),
    ] {
        assert_eq!(
            blang::Range::parse(range),
            Err(RangeError(error.into())),
            "{range}"
        );
    }
}

#[test]
fn masterminds_peculiarities() {
    for (range, inside, outside) in [
        ("1.11", "1.11.9", "1.12.0"),
        ("^*", "0.0.0", "1.0.0"),
        ("<=*", "0.0.9", "0.1.0"),
        ("~0.0.0", "7.1.0", "0.0.1-a"),
        ("!=1.1", "1.2.0", "1.1.3"),
        (">1.1", "1.2.0", "1.1.5"),
        (">=1.0.0 <=2.0.0-beta", "1.0.1-beta", "2.0.0"),
        ("1||2 - 3", "4.0.0", "0.9.0"),
        ("1.2 - 2.0.0", "2.0.0", "2.0.1"),
    ] {
        assert!(
            admits(Dialect::Masterminds, range, inside),
            "{range} {inside}"
        );
        assert!(
            !admits(Dialect::Masterminds, range, outside),
            "{range} {outside}"
        );
    }
    for range in ["1|2", "1x", "xx", "18446744073709551616"] {
        assert_eq!(
            masterminds::Constraint::parse(range),
            Err(RangeError("constraint parser error".into())),
            "{range}"
        );
    }
    assert_eq!(
        masterminds::Constraint::parse("1.0.0 - 2.0.0||3.0.0"),
        Err(RangeError(r#"improper constraint: "3 .0.0""#.into()))
    );
    let constraint = masterminds::Constraint::parse(">=1.0.0").unwrap();
    assert!(constraint.refuses_as_prerelease(&version("2.0.0-rc.1")));
    assert!(!constraint.refuses_as_prerelease(&version("0.9.0")));
}

#[test]
fn the_api_admits_less_than_the_library() {
    for (range, admitted) in [
        ("", false),
        ("1.*", true),
        ("1.*.*", false),
        (">=1.0 || 1.2.*", false),
        (">=1.0 || x", true),
        ("1.0.0 - 2.0.0", false),
        ("01.0", false),
        ("*]", false),
    ] {
        assert_eq!(masterminds::is_admitted(range), admitted, "{range}");
    }
    assert!(!masterminds::is_admitted(&"1 ".repeat(40)));
}

#[test]
fn a_range_contains_its_versions() {
    let range = Dialect::Blang.parse("<2.0.0").unwrap();
    assert_eq!(
        range.judge(["1.0.0", "2.0.0", "two"]),
        [("1.0.0", Some(true)), ("2.0.0", Some(false)), ("two", None)]
    );
}

/// Generates almost valid versions and ranges.
fn nearly() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            4 => "[0-9]{1,2}",
            4 => Just(".".to_owned()),
            2 => Just(" ".to_owned()),
            1 => Just("||".to_owned()),
            1 => Just(" - ".to_owned()),
            3 => prop::sample::select(vec!["<", ">", "=", "!", "~", "^", ",", "x", "*", "v", "-", "+", "rc", "|", "ß", "٣"])
                .prop_map(str::to_owned),
        ],
        0..14,
    )
    .prop_map(|parts| parts.concat())
}

fn any_version() -> impl Strategy<Value = Version> {
    (
        "[0-3]",
        "[0-3]",
        "[0-3]",
        prop::sample::select(vec!["", "-0", "-a", "-a.1", "-10", "-9"]),
    )
        .prop_map(|(a, b, c, pre)| version(&format!("{a}.{b}.{c}{pre}")))
}

proptest! {
    #[test]
    fn parsing_never_panics(text in "\\PC{0,20}", near in nearly()) {
        for text in [&text, &near] {
            let _ = Version::parse(text);
            let _ = Version::parse_tolerant(text);
            let _ = Release::parse(text);
            let _ = Dialect::Blang.parse(text);
            let _ = Dialect::Masterminds.parse(text);
            masterminds::is_admitted(text);
        }
    }

    #[test]
    fn a_version_prints_as_it_was_written(text in "(0|[1-9][0-9]?)\\.(0|[1-9])\\.[0-9]{1,2}(-[0-9a-z.-]{1,5})?(\\+[0-9a-z.-]{1,5})?") {
        if let Ok(parsed) = Version::parse(&text) {
            prop_assert_eq!(parsed.to_string(), text);
        }
    }

    #[test]
    fn precedence_is_a_total_order(a in any_version(), b in any_version(), c in any_version()) {
        prop_assert_eq!(a.cmp_precedence(&b), b.cmp_precedence(&a).reverse());
        if a.cmp_precedence(&b) != Ordering::Greater && b.cmp_precedence(&c) != Ordering::Greater {
            prop_assert_ne!(a.cmp_precedence(&c), Ordering::Greater);
        }
    }

    /// A range built from known comparisons contains exactly what those comparisons say.
    #[test]
    fn contains_agrees_with_a_naive_evaluation(
        groups in proptest::collection::vec(
            proptest::collection::vec((prop::sample::select(vec!["", "=", "!", "!=", "<", "<=", ">", ">="]), any_version()), 1..4),
            1..4,
        ),
        tested in any_version(),
    ) {
        let naive = groups.iter().any(|group| group.iter().all(|(operator, bound)| {
            let order = tested.cmp_precedence(bound);
            match *operator {
                "" | "=" => order.is_eq(),
                "!" | "!=" => order.is_ne(),
                "<" => order.is_lt(),
                "<=" => order.is_le(),
                ">" => order.is_gt(),
                _ => order.is_ge(),
            }
        }));
        let text = |or: &str, bang: &str| {
            let group = |g: &Vec<(&str, Version)>| {
                g.iter().map(|(o, v)| format!("{}{v}", if *o == "!" { bang } else { o })).collect::<Vec<_>>().join(" ")
            };
            groups.iter().map(group).collect::<Vec<_>>().join(or)
        };
        prop_assert_eq!(Dialect::Blang.parse(&text(" || ", "!")).unwrap().admits(&tested), naive);
        // The other dialect only differs in its prerelease gate.
        if tested.prerelease().is_empty() {
            prop_assert_eq!(Dialect::Masterminds.parse(&text("||", "!=")).unwrap().admits(&tested), naive);
        }
    }
}

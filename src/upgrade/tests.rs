//! Example situations, and laws over random packages.

use super::installed_set::InstalledSet;
use super::*;
use catalog::testing::package;
use proptest::prelude::*;
use syntax::place::Text;
use test_support::any_package_text as any_package;

fn index(channels: &str) -> UpgradeIndex {
    UpgradeIndex::new(&package(channels))
}

/// Parses `name@version`, or "" for a fresh install.
fn parse_installed(text: &str) -> Option<Installed> {
    text.split_once('@')
        .map(|(name, version)| Installed::new(name, version))
}

fn step(index: &UpgradeIndex, lens: Lens, from: &str) -> String {
    let answer = index.next(lens, parse_installed(from).as_ref(), &Options::default());
    assert!(!answer.why.is_empty());
    match (answer.error, answer.next) {
        (Some(error), _) => format!("error: {}", error.kind.as_str()),
        (None, Some(step)) => format!("{} by {}", step.name, step.edge.as_str()),
        (None, None) => "stays".to_owned(),
    }
}

#[test]
fn the_two_lenses_differ() {
    for (channels, from, v0, v1) in [
        // Classic never goes to a skipped entry.
        (
            "c: e3@3.0.0 s:e2; e2@2.0.0 sr:>=1.0.0_<2.0.0",
            "e1@1.0.0",
            "stays",
            "e2 by skipRange",
        ),
        // Nearest to the head versus highest version.
        (
            "c: a@1.5.0 r:b sr:<2.0.0; b@2.0.0 r:d; d@1.0.0",
            "d@1.0.0",
            "a by skipRange",
            "b by replaces",
        ),
        (
            "c: v2@2.0.0 r:v1 !deprecated; v1@1.0.0",
            "v1@1.0.0",
            "v2 by replaces",
            "stays",
        ),
        (
            "c: v2@2.0.0 r:v1 !prohibited; v1@1.0.0",
            "v1@1.0.0",
            "stays",
            "v2 by replaces",
        ),
        (
            "c: v2@2.0.0 r:v1 !required; v1@1.0.0",
            "v1@1.0.0",
            "v2 by replaces",
            "error: dependency",
        ),
        ("c: a@1.0.0; b@2.0.0", "", "error: chain-many", "b by none"),
        ("c: v2@2.0.0", "gone@9.0.0", "stays", "error: none"),
        ("c: a@1.0.0", "b@1.0.0", "stays", "a by version"),
        // Neither lens excludes prereleases from a skipRange.
        (
            "c: a@2.1.0 sr:<2.1.0",
            "b@2.1.0-rc.1",
            "a by skipRange",
            "a by skipRange",
        ),
    ] {
        let index = index(channels);
        assert_eq!(
            (
                step(&index, Lens::V0, from).as_str(),
                step(&index, Lens::V1, from).as_str()
            ),
            (v0, v1),
            "{channels}"
        );
    }
}

#[test]
fn excluded_prereleases_are_named() {
    let why = |range: &str, from: &str| {
        let index = index("c: a@1.0.0; b@1.1.0 sr:<1.1.0; opr@1.2.0-opr.1 sr:<1.2.0");
        let options = Options {
            range: Some(range.to_owned()),
            ..Options::default()
        };
        index
            .next(Lens::V1, parse_installed(from).as_ref(), &options)
            .why
    };
    let left_out = "`opr` is left out: its version (1.2.0-opr.1) counts as a pre-release, which a range contains only if \
                    one of its bounds is a pre-release too, such as `>=1.2.0-0`";
    for (range, from) in [
        ("1.x", ""),
        ("1.x", "a@1.0.0"),
        // Its release is in the range.
        (">=1.2.0 <2.0.0 || 1.1", "b@1.1.0"),
        // No candidate remains.
        ("~1.2", ""),
    ] {
        let why = why(range, from);
        assert!(
            why.iter().any(|line| line == left_out),
            "{range} {from}: {why:#?}"
        );
    }
    for (range, from) in [("1.1.x", ""), (">1.2.0", "b@1.1.0")] {
        let why = why(range, from);
        assert!(
            !why.iter().any(|line| line == left_out),
            "{range} {from}: {why:#?}"
        );
    }
}

#[test]
fn catalog_order_decides_between_equal_versions() {
    let fresh = |bundles: &str| {
        index(bundles)
            .next(Lens::V1, None, &Options::default())
            .why
            .remove(0)
    };
    assert_eq!(
        fresh("c: a@1.0.0; b@1.0.0"),
        "OLM v1 considers `a` and `b` equally high; it takes `a`, which comes first in the catalog"
    );
    assert_eq!(
        fresh("c: b@1.0.0+abcdefghijklmnopqrstu; a@1.0.0+bbcdefghijklmnopqrstu"),
        "OLM v1 considers `b` and `a` equally high; it takes `b`, which comes first in the catalog; it ignores build \
         metadata that is not a release of at most 20 characters"
    );
    assert!(
        fresh("c: a@1.0.0; b@1.0.0+abcdefghijklmnopqrstu").contains("it ignores build metadata"),
        "the other bundle has it"
    );
    // A short one is a release, which orders them.
    assert!(fresh("c: a@1.0.0+1; b@1.0.0+2").starts_with("`b` is the highest version"));
    let upgraded = index("c: o@0.9.0; a@1.0.0 r:o; b@1.0.0 sr:<1.0.0; z@1.0.0").next(
        Lens::V1,
        parse_installed("o@0.9.0").as_ref(),
        &Options::default(),
    );
    assert!(
        upgraded.why[0].starts_with("OLM v1 considers `a` and `b` equally high;"),
        "only what could follow as well: {:?}",
        upgraded.why
    );
}

#[test]
fn catalog_order_decides_for_an_installed_version_too() {
    let why = |bundles: &str| {
        let mut package = package(bundles);
        for bundle in package.bundles.iter_mut().filter(|b| &*b.name.value != "a") {
            let bundle = std::sync::Arc::make_mut(&mut bundle.data);
            bundle.package_properties[0].release = Some(catalog::testing::spanned("1"));
        }
        let index = UpgradeIndex::new(&package);
        index
            .next(
                Lens::V1,
                parse_installed("a@1.0.0").as_ref(),
                &Options::default(),
            )
            .why
    };
    let order = |first: &str, other: &str| {
        format!(
            "OLM v1 considers `{first}` and `{other}` equally high; it takes `{first}`, which comes first in the \
             catalog; it ignores a `release` without a feature gate"
        )
    };
    assert_eq!(
        why("c: a@1.0.0; b@1.0.0 r:a"),
        [
            order("a", "b"),
            "`a` stays: nothing higher follows it".to_owned()
        ]
    );
    assert_eq!(
        why("c: b@1.0.0 r:a; a@1.0.0"),
        [
            order("b", "a"),
            "`b` has the installed version, so OLM v1 treats it as the installed bundle".to_owned()
        ]
    );
}

#[test]
fn a_version_that_v1_cannot_parse_is_not_a_candidate() {
    let fault = "json: cannot unmarshal number into Go struct field Package.release of type string";
    let mut package = package("c: b@1.1.0 r:a; a@1.0.0");
    for bundle in package.bundles.iter_mut().filter(|b| &*b.name.value == "b") {
        std::sync::Arc::make_mut(&mut bundle.data).package_fault = Some(Box::new(fault.into()));
    }
    let index = UpgradeIndex::new(&package);
    let unreadable = format!(
        "`b` is no candidate: OLM v1 cannot read its version (error unmarshalling package property: {fault})"
    );
    for (from, first) in [
        (
            "",
            "`a` is the highest version that OLM v1 can read; heads and the default channel do not count",
        ),
        (
            "a@1.0.0",
            "`a` stays: nothing higher that OLM v1 can read follows it",
        ),
        (
            "b@1.1.0",
            "none of 2 bundles replaces or skips `b`, has a skipRange that contains `1.1.0`, or has that exact version",
        ),
    ] {
        let answer = index.next(
            Lens::V1,
            parse_installed(from).as_ref(),
            &Options::default(),
        );
        assert_eq!(answer.why, [first, &unreadable], "{from}");
    }
}

#[test]
fn a_named_subscription_appears_in_messages() {
    let options = Options {
        channels: vec!["gone".to_owned()],
        subscription: Some("mine".to_owned()),
        ..Options::default()
    };
    let text = |options: &Options| {
        index("c: a@1.0.0")
            .next(Lens::V0, None, options)
            .error
            .expect("the channel does not exist")
            .text
    };
    assert_eq!(
        text(&options),
        "constraints not satisfiable: no operators found in channel gone of package p in the catalog referenced by \
         subscription mine, subscription mine exists"
    );
}

#[test]
fn reasons_name_the_edge_and_the_rejected_candidates() {
    let index = index("stable: e3@3.0.0 s:e2; e2@2.0.0 sr:>=1.0.0_<2.0.0; e1@1.0.0 !deprecated");
    let answer = index.next(
        Lens::V0,
        parse_installed("e2@2.0.0").as_ref(),
        &Options::default(),
    );
    assert_eq!(answer.error.map(|e| e.kind), Some(ErrorKind::ChainMany));
    let index = self::index("stable: e3@3.0.0 r:e1 s:e2; e2@2.0.0 sr:>=1.0.0_<2.0.0; e1@1.0.0");
    let answer = index.next(
        Lens::V0,
        parse_installed("e1@1.0.0").as_ref(),
        &Options::default(),
    );
    assert_eq!(
        answer.why,
        [
            "in channel `stable` the entry `e3` replaces `e1`",
            "`e2` has skipRange `>=1.0.0 <2.0.0`, which contains `1.0.0` too, but is skipped by `e3`, and Classic never \
             updates to a skipped entry",
        ]
    );
    let answer = index.next(
        Lens::V1,
        parse_installed("e1@1.0.0").as_ref(),
        &Options::default(),
    );
    assert_eq!(
        answer.why,
        [
            "`e3` is the highest version that follows: in channel `stable` it replaces `e1`",
            "`e2` could follow as well; OLM v1 takes the highest version",
            explain::documented::NEXT_MAJOR,
        ]
    );
    let answer = index.next(
        Lens::V0,
        parse_installed("e3@3.0.0").as_ref(),
        &Options::default(),
    );
    assert_eq!(
        answer.why,
        ["`e3` is the head of channel `stable`: nothing follows"]
    );
}

#[test]
fn reasons_mention_differences_from_the_documentation() {
    for (channels, lens, from, sentence) in [
        // A skipRange below the head counts.
        (
            "c: b@2.0.0 r:a; a@1.5.0 sr:<1.5.0",
            Lens::V0,
            "x@1.0.0",
            explain::documented::RANGE_OFF_HEAD,
        ),
        // The head replaces, an entry below it has a skipRange: the one nearest to the head wins,
        // whatever its edge.
        (
            "c: c@3.0.0 r:b s:a; b@2.0.0 sr:<2.0.0; a@1.0.0",
            Lens::V0,
            "a@1.0.0",
            explain::documented::PRECEDENCE,
        ),
        (
            "c: b@2.0.0 r:a; a@1.0.0",
            Lens::V1,
            "a@1.0.0",
            explain::documented::NEXT_MAJOR,
        ),
        // Other notable cases.
        (
            "c: b@0.9.0 r:a; a@1.0.0",
            Lens::V0,
            "a@1.0.0",
            "it is a lower version than `1.0.0`: Classic does not compare versions",
        ),
        (
            "c: c@3.0.0 s:b; b@2.0.0 r:a; a@1.0.0",
            Lens::V1,
            "a@1.0.0",
            "`c` skips `b`, which stops Classic from choosing it, but not OLM v1",
        ),
        (
            "c: c@1.2.0 s:b; b@1.1.0 r:a; a@1.0.0",
            Lens::V1,
            "a@1.0.0",
            "`c` is higher, but no entry of it replaces or skips `a` or has a skipRange that contains `1.0.0`",
        ),
        (
            "c: b@2.0.0 r:a; a@1.0.0\nd: a@1.0.0",
            Lens::V0,
            "a@1.0.0",
            "the subscription names no channel: OLM considers all of them, the default channel first, the others by name",
        ),
    ] {
        let answer =
            index(channels).next(lens, parse_installed(from).as_ref(), &Options::default());
        assert!(
            answer.why.iter().any(|why| why == sentence),
            "{channels}: {:#?}",
            answer.why
        );
    }
    // No remarks within a major version, at the head, or with a single kind of edge.
    let answer = index("c: b@1.1.0 r:a; a@1.0.0").next(
        Lens::V1,
        parse_installed("a@1.0.0").as_ref(),
        &Options::default(),
    );
    assert_eq!(answer.why.len(), 1);
}

#[test]
fn every_requirement_counts_under_classic() {
    use super::resolve::{Catalog, CatalogSet};
    for (channels, next) in [
        ("c: v2@2.0.0 r:v1 needs:K; v1@1.0.0", None),
        ("c: v2@2.0.0 r:v1 needs:K api:K; v1@1.0.0", Some("v2")),
        // OLM v1 ignores labels, so only Classic's answer depends on them.
        ("c: v2@2.0.0 r:v1 wants:gpu; v1@1.0.0", None),
        ("c: v2@2.0.0 r:v1; v1@1.0.0", Some("v2")),
    ] {
        let package = package(channels);
        let catalog = Catalog {
            name: "".into(),
            namespace: "".into(),
            priority: 0,
            packages: vec![&package],
        };
        let answer = CatalogSet::new(vec![catalog]).next(
            "",
            "p",
            parse_installed("v1@1.0.0").as_ref(),
            &Options::default(),
        );
        assert_eq!(answer.error, None);
        assert_eq!(
            answer.next.as_ref().map(|step| &*step.name),
            next,
            "{channels}"
        );
    }
}

#[test]
fn a_path_ends_or_loops() {
    let index = index("c: v3@0.1.3 r:v2; v2@0.1.2 r:v1 sr:>=0.1.0_<=0.1.3; v1@0.1.1");
    let path = index.path(
        Lens::V0,
        parse_installed("v1@0.1.1").as_ref(),
        &Options::default(),
    );
    let steps: Vec<&str> = path.steps.iter().map(|s| &**s).collect();
    assert_eq!((steps, path.looped), (vec!["v1", "v2", "v3", "v2"], true));
    let path = index.path(
        Lens::V1,
        parse_installed("v1@0.1.1").as_ref(),
        &Options::default(),
    );
    assert_eq!((path.steps.len(), path.looped), (3, false));
}

#[test]
fn catalogs_compete_by_deprecation_then_priority() {
    let (high, low) = (index("c: a@1.0.0 !deprecated"), index("c: b@0.5.0"));
    let catalog = |name, priority, package| v1::Catalog {
        name,
        priority,
        package: Ok(package),
        ..v1::Catalog::only(package)
    };
    let options = Options::default();
    let answer = v1::next(
        &[catalog("hi", 100, &high), catalog("lo", 0, &low)],
        None,
        "p",
        None,
        &options,
    );
    assert_eq!(
        answer
            .next
            .map(|s| (s.name.to_string(), s.catalog.to_string())),
        Some(("b".into(), "lo".into()))
    );
    let answer = v1::next(
        &[catalog("x", 0, &low), catalog("a", 0, &low)],
        None,
        "p",
        None,
        &options,
    );
    let text = r#"found bundles for package "p" in multiple catalogs with the same priority [a x]"#;
    assert_eq!(
        answer.error,
        Some(UpgradeError::new(ErrorKind::Ambiguous, text))
    );
}

/// Returns the path of `name` in Classic's only channel and under v1, as `next last steps marks`.
fn path(channels: &str, name: &str) -> (String, String) {
    let everyone = everyone::every_path(&index(channels), &Options::default(), None);
    let number = everyone.versions.by_name(name)[0];
    let name = |number: u32| everyone.versions.get(number).unwrap().name.to_string();
    let describe = |paths: &everyone::PathSummaries| {
        let path = paths.get(number).unwrap();
        let next = path
            .next
            .as_ref()
            .map_or("-".to_owned(), |step| name(step.to));
        let marks = path.marks.labels().join(", ");
        format!("{next} {} {} {marks}", name(path.last), path.steps)
            .trim_end()
            .to_owned()
    };
    (describe(&everyone.v0[0].1), describe(&everyone.v1))
}

#[test]
fn notable_paths_are_marked() {
    for (channels, name, v0, v1) in [
        ("c: b@2.0.0 r:a; a@1.0.0", "a", "b b 1", "b b 1"),
        ("c: b@2.0.0 r:a; a@1.0.0", "b", "- b 0", "- b 0"),
        // Removed from the catalog, and no entry covers it.
        (
            "c: b@2.0.0 r:a; a@1.0.0 r:op.v0.9.0 s:op.v0.8.0",
            "op.v0.9.0",
            "a b 2",
            "a b 2",
        ),
        ("c: b@2.0.0 sr:<2.0.0\nd: a@1.0.0", "a", "b b 1", "b b 1"),
        (
            "c: b@2.0.0 s:a; a@1.0.0 sr:<1.0.0; x@0.5.0 sr:<0.5.0",
            "x",
            "- x 0 stuck",
            "a b 2",
        ),
        (
            "c: c@1.0.2 r:b; b@1.0.1 r:a; a@1.0.0",
            "a",
            "b c 2 long way",
            "b c 2 long way",
        ),
        (
            "c: c@1.2.0 r:b; b@1.1.0 r:a; a@1.0.0",
            "a",
            "b c 2",
            "b c 2",
        ),
        (
            "c: b@0.9.0 sr:<=1.0.0 r:a; a@1.0.0",
            "a",
            "b b 1 goes back",
            "- a 0",
        ),
        (
            "c: b@1.0.0-rc.1 r:a; a@0.9.0",
            "a",
            "b b 1 prerelease",
            "b b 1 prerelease",
        ),
        (
            "c: v3@0.1.3 r:v2; v2@0.1.2 r:v1 sr:>=0.1.0_<=0.1.3; v1@0.1.1",
            "v1",
            "v2 v2 3 loop",
            "v2 v3 2 long way",
        ),
        (
            "c: v2@2.0.0 r:v1 !deprecated; v1@1.0.0",
            "v2",
            "- v2 0",
            "- v2 0 stuck",
        ),
    ] {
        let (classic, newer) = path(channels, name);
        assert_eq!((classic.as_str(), newer.as_str()), (v0, v1), "{channels}");
    }
}

/// A thousand skip ranges and an entry that skips eighty names, as in real packages.
#[test]
fn ranges_are_looked_up_by_binary_search() {
    let arrow = |i: i32| format!("a{i}@1.{i}.0 sr:>=1.0.0_<1.{i}.0 r:a{}", i - 1);
    let arrows: Vec<String> = (1..1000).map(arrow).collect();
    let skips: String = (0..80).map(|i| format!(" s:b{i}")).collect();
    let index = index(&format!(
        "c: {}; last@2.0.0 r:a999{skips}",
        arrows.join("; ")
    ));
    let versions = installed_set::InstalledVersions::from_indexes([&index]);
    let installed: Vec<Installed> = versions.iter().map(|(_, i)| i.clone()).collect();
    let installed_set = InstalledSet::new(&index, &installed);
    for lens in [Lens::V0, Lens::V1] {
        let options = Options {
            channels: vec!["c".to_owned()],
            ..Options::default()
        };
        let paths =
            everyone::path_summaries(&installed_set, &versions, versions.all(), lens, &options);
        let last = versions.by_name("last")[0];
        let versioned = paths
            .iter()
            .filter(|(i, _)| versions.get(*i).is_some_and(|i| !i.version.is_empty()));
        let lasts: Vec<u32> = versioned.map(|(_, path)| path.last).collect();
        assert_eq!(lasts, vec![last; 1000], "{lens:?}");
    }
    // Two binary searches per range in a thousand versions; a linear scan would take a million
    // comparisons.
    assert!(
        installed_set.comparisons() <= 1000 * 2 * 2 * 11,
        "{} comparisons",
        installed_set.comparisons()
    );
}

proptest! {
    #[test]
    fn everyone_equals_next_for_each(
        text in any_package(),
        channel in prop::sample::select(vec!["", "x", "y", "nowhere"]),
        self_certified: bool,
        range in proptest::option::of(prop::sample::select(vec!["1.x", ">=1.1.0-0", "bad"])),
    ) {
        let index = index(&text);
        let mut installs = index.installs();
        installs.push(Installed::new("gone", "1.0.5"));
        let options = Options {
            channels: if channel.is_empty() { vec![] } else { vec![channel.to_owned()] },
            range: range.map(str::to_owned),
            policy: if self_certified { Policy::SelfCertified } else { Policy::CatalogProvided },
            starting_csv: None,
            subscription: None,
        };
        for lens in [Lens::V0, Lens::V1] {
            let everyone = index.everyone(lens, &installs, &options);
            for (installed, all) in installs.iter().zip(everyone) {
                let answer = index.next(lens, Some(installed), &options);
                let one = answer.error.map_or(Ok(answer.next), |e| Err(e.kind));
                prop_assert_eq!(all, one, "{:?} {:?} {}", lens, installed, text);
                // Paths end.
                let path = index.path(lens, Some(installed), &options);
                prop_assert!(path.steps.len() <= installs.len() + 2);
            }
        }
    }

    #[test]
    fn path_summaries_end_where_paths_end(text in any_package(), range in proptest::option::of("1.x|>=1.1.0-0|bad")) {
        let index = index(&text);
        let options = Options { range, ..Options::default() };
        let everyone = everyone::every_path(&index, &options, None);
        let names: syntax::hashed::HashSet<&Text> = everyone.versions.iter().map(|(_, i)| &i.name).collect();
        // A path detects cycles by name alone; if one name has two versions, it reports a cycle too
        // early.
        prop_assume!(names.len() == everyone.versions.len());
        let classic = everyone.v0.iter().map(|(channel, paths)| {
            (Lens::V0, Options { channels: vec![channel.to_string()], ..Options::default() }, paths)
        });
        for (lens, options, paths) in classic.chain([(Lens::V1, options.clone(), &everyone.v1)]) {
            for (number, summary) in paths.iter() {
                let installed = everyone.versions.get(number).unwrap();
                let path = index.path(lens, Some(installed), &options);
                let last = everyone.versions.get(summary.last).map(|i| &i.name);
                prop_assert_eq!(last, path.steps.last(), "{:?} {:?}", lens, installed);
                prop_assert_eq!((summary.steps as usize, summary.marks.looped), (path.steps.len() - 1, path.looped));
                prop_assert!(summary.needed <= summary.steps);
            }
        }
    }
}

#[test]
fn two_spellings_refer_to_one_api() {
    use catalog::model::blob::{Property, PropertyFact};
    let mut package = package("c: a@1.0.0 api:K");
    assert!(!UpgradeIndex::new(&package).needs_solver());
    let bundle = std::sync::Arc::make_mut(&mut package.bundles[0].data);
    let value = r#"{"group":"g","kind":"K","version":"v1","x":1}"#;
    let property = std::sync::Arc::new(Property {
        kind: "olm.gvk".into(),
        value: Some(value.into()),
    });
    bundle.properties.push(PropertyFact {
        property,
        start: 0,
        line: 0,
    });
    assert!(UpgradeIndex::new(&package).needs_solver());
}

#[test]
fn a_skip_in_another_channel_has_no_effect() {
    let why = |channels| {
        index(channels)
            .next(
                Lens::V1,
                parse_installed("a@1.0.0").as_ref(),
                &Options::default(),
            )
            .why
    };
    let why_kept = why("c: z@0.9.0 s:b; b@2.0.0 r:a; a@1.0.0");
    assert!(
        why_kept.iter().any(|why| why.contains("stops Classic")),
        "{why_kept:?}"
    );
    let why = why("c: b@1.1.0 r:a; a@1.0.0\nd: z@3.0.0 s:b");
    assert!(
        !why.iter().any(|why| why.contains("stops Classic")),
        "{why:?}"
    );
}

#[test]
fn an_installed_bundle_does_not_follow_itself() {
    let why = |channels: &str| {
        index(channels)
            .next(
                Lens::V0,
                parse_installed("a@1.0.0").as_ref(),
                &Options::default(),
            )
            .why
    };
    assert_eq!(
        why("c: b@2.0.0 r:a; a@1.0.0 sr:<=1.0.0"),
        ["in channel `c` the entry `b` replaces `a`"]
    );
    let why = why("c: x@9.0.0\nd: b@2.0.0 sr:<2.0.0");
    assert!(
        !why.iter()
            .any(|why| why == explain::documented::RANGE_OFF_HEAD),
        "{why:?}"
    );
}

#[test]
fn an_ignored_catalog_is_named() {
    let has = index("c: a@1.0.0");
    let catalogs = [v1::Catalog {
        name: "mine",
        ..v1::Catalog::only(&has)
    }];
    let selector = label_selector::Selector::parse("tier=gold").unwrap();
    let why = v1::next(&catalogs, Some(&selector), "p", None, &Options::default()).why;
    assert_eq!(
        why,
        ["the package is only in catalogs that are not selected or not available: `mine`"]
    );
}

//! Tests users on unlisted versions against `next` on a dense grid.

use super::*;
use catalog::testing::package;
use catalog::version::Version;
use proptest::prelude::*;
use upgrade::{ErrorKind, Installed};

fn compare(old: &str, new: &str) -> Comparison {
    let (old, new) = (package(old), package(new));
    Pair::new(Some(&old), Some(&new)).compare()
}

fn rows(old: &str, new: &str) -> Vec<String> {
    let table = compare(old, new).table();
    let rows = table.rows.iter().filter(|row| !row.is_fresh());
    rows.map(|row| format!("{}: {}", row.impact.as_str(), row.describe()))
        .collect()
}

#[test]
fn a_head_that_loses_its_range_strands_everyone() {
    let (old, new) = ("c: b@2.1.0 sr:>=1.0.0_<2.1.0", "c: b@2.1.0");
    assert_eq!(
        rows(old, new),
        [
            "stranded: >=1.0.0 <2.1.0 (versions that the catalog does not list): before 2.1.0, now no update (error under \
             OLM v1), Classic (c), OLM v1"
        ]
    );
    assert_eq!(
        compare(old, new).table().headline(),
        "users on >=1.0.0 <2.1.0 (versions that the catalog does not list) get no update"
    );
    assert!(!compare(old, new).is_same());
}

#[test]
fn a_range_may_be_narrowed_replaced_and_widened() {
    let before = "c: b@2.1.0 sr:>=1.0.0_<2.1.0";
    assert_eq!(
        rows(before, "c: b@2.1.0 sr:>=2.0.0_<2.1.0"),
        [
            "stranded: >=1.0.0 <2.0.0 (versions that the catalog does not list): before 2.1.0, now no update (error under \
             OLM v1), Classic (c), OLM v1"
        ]
    );
    assert_eq!(
        rows(before, "c: d@2.2.0 r:b sr:>=1.5.0_<2.2.0; b@2.1.0"),
        [
            "stranded: >=1.0.0 <1.5.0 (versions that the catalog does not list): before 2.1.0, now no update (error under \
             OLM v1), Classic (c), OLM v1",
            "rerouted: >=1.5.0 <2.1.0 (versions that the catalog does not list): before 2.1.0, now 2.2.0, Classic (c), \
             OLM v1",
            "gained: 2.1.0: before no update, now 2.2.0, Classic (c), OLM v1",
            "gained: >2.1.0 <2.2.0 (versions that the catalog does not list): before no update, now 2.2.0, Classic (c), \
             OLM v1",
        ]
    );
    // The bounds 0.6.0 and 0.8.0 are listed.
    assert_eq!(
        rows("c: a@0.6.0", "c: b@0.8.0 r:a sr:>=0.6.0_<0.8.1; a@0.6.0"),
        [
            "gained: 0.6.0: before no update, now 0.8.0, Classic (c), OLM v1",
            "gained: >0.6.0 <0.8.0 (versions that the catalog does not list): before no update, now 0.8.0, Classic (c), \
             OLM v1",
        ]
    );
    // Without channels OLM v1 stays on the higher version.
    assert_eq!(
        rows(
            "c: b@1.2.5 sr:<1.2.5\nd: e@1.3.0",
            "c: b@1.2.5 sr:<1.3.1\nd: e@1.3.0"
        ),
        [
            "downgrade: 1.3.0: before no update, now 1.2.5, Classic (c), OLM v1 (c)",
            "downgrade: >1.2.5 <1.3.1 (versions that the catalog does not list): before no update, now 1.2.5, Classic (c), \
             OLM v1",
            "gained: another release or build of 1.2.5: before no update, now 1.2.5, Classic (c), OLM v1",
        ]
    );
}

#[test]
fn a_mentioned_name_is_reported_by_name_only() {
    assert_eq!(
        rows(
            "c: b@2.1.0 r:b.v1.9.0 s:b.v1.5.0 sr:>=1.0.0_<2.1.0",
            "c: b@2.1.0 s:b.v1.5.0"
        ),
        [
            "stranded: 1.9.0: before 2.1.0, now no update (error under OLM v1), Classic (c), OLM v1",
            "stranded: >=1.0.0 <2.1.0 without 1.5.0, 1.9.0 (versions that the catalog does not list): before 2.1.0, now no \
             update (error under OLM v1), Classic (c), OLM v1",
        ]
    );
    assert_eq!(
        rows(
            "c: b@2.1.0 s:b.v1.0.0 sr:>=1.0.0_<2.1.0",
            "c: b@2.1.0 s:b.v1.0.0"
        ),
        [
            "stranded: >1.0.0 <2.1.0 (versions that the catalog does not list): before 2.1.0, now no update (error under \
             OLM v1), Classic (c), OLM v1",
        ]
    );
}

#[test]
fn a_removed_channel_is_one_row() {
    assert_eq!(
        rows(
            "c: b@2.0.0 r:a sr:<2.0.0; a@1.0.0\nd: b@2.0.0 r:a sr:<2.0.0; a@1.0.0",
            "c: b@2.0.0 r:a sr:<2.0.0; a@1.0.0"
        ),
        [
            "stranded: Everyone subscribed to d: before up to 2.0.0, now no update (error under OLM v1), Classic (d), OLM \
             v1 (d)"
        ]
    );
}

#[test]
fn a_removed_channel_strands_unlisted_versions_of_its_range() {
    let stays = "c: b@2.0.0 sr:>=1.0.0_<2.0.0";
    let old = format!("{stays}\nd: a@1.9.0 s:a.v0.9.0 sr:>=1.0.0_<1.9.0");
    assert_eq!(
        rows(&old, stays)[0],
        "stranded: Everyone subscribed to d: before up to 1.9.0, now no update (error under OLM v1), Classic (d), OLM v1 \
         (d)"
    );
    let (old, stays) = (
        compare(&old, stays),
        "everyone subscribed to d loses the channel",
    );
    for (version, is_led_on) in [("1.2.0", true), ("0.9.0", true), ("0.8.0", false)] {
        let mut comparison = old.clone();
        let in_use = InUse(vec![Installed::new(format!("a.v{version}"), version)]);
        comparison.keep_in_use(&in_use, &mut Vec::new());
        let headline = comparison.table().headline();
        assert_eq!(headline.contains(stays), is_led_on, "{headline}");
    }
}

#[test]
fn a_removed_channel_may_have_offered_no_update() {
    let comparison = compare(
        "c: b@1.1.0 r:a; a@1.0.0\nd: a@1.0.0",
        "c: b@1.1.0 r:a; a@1.0.0",
    );
    assert_eq!(
        comparison.table().headline(),
        "everyone subscribed to d loses the channel"
    );
}

#[test]
fn one_version_uses_the_singular() {
    assert_eq!(
        rows(
            "c: b@2.1.0 sr:>=1.0.0_<1.2.0",
            "c: b@2.1.0 sr:>=1.0.0_!=1.1.0_<1.2.0"
        ),
        [
            "stranded: 1.1.0 (a version that the catalog does not list): before 2.1.0, now no update (error under OLM v1), \
             Classic (c), OLM v1"
        ]
    );
}

#[test]
fn only_existing_paths_can_be_lost() {
    let broken = |old: &str, new: &str| -> Vec<String> {
        let (old, new) = (package(old), package(new));
        let pair = Pair::new(Some(&old), Some(&new));
        let context = invariants::CatalogContext::default();
        let findings = invariants::find_broken(&pair, &context, &Unpublished::default());
        let errors = findings
            .iter()
            .filter(|finding| finding.invariant.severity == invariants::Severity::Error);
        errors
            .map(|error| format!("{}: {}", error.invariant.name, error.message))
            .collect()
    };
    assert_eq!(
        broken(
            "c: b@2.1.0\nd: e@1.0.0",
            "c: b@2.1.0 sr:>=3.0.0_<4.0.0\nd: e@1.0.0"
        ),
        [
            "downgrade-unlisted: users on `>=3.0.0 <4.0.0` (versions that the catalog does not list) are moved back to the \
             lower `b` under Classic",
            "downgrade-unlisted: users on `>=3.0.0 <4.0.0` (versions that the catalog does not list) are moved back to the \
             lower `b` under OLM v1",
        ]
    );
    assert_eq!(
        broken("c: b@2.0.0", "c: b@2.0.0 sr:>=1.0.0_<2.0.1"),
        [""; 0],
        "only unlisted pre-releases of 2.0.1 go back"
    );
    let of_listed = broken(
        "c: b@2.0.0\nd: e@3.0.0",
        "c: b@2.0.0 sr:<3.0.1_!=2.0.0\nd: e@3.0.0",
    );
    assert!(
        of_listed.iter().any(|of| of.starts_with("downgrade: "))
            && of_listed.iter().all(|of| !of.starts_with("lost-path")),
        "{of_listed:#?}"
    );
}

#[test]
fn a_cluster_extension_that_names_a_channel_gets_an_error() {
    let comparison = compare("c: a@1.0.0", "c: b@2.0.0\nd: a@1.0.0");
    let table = comparison.table();
    let descriptions: Vec<String> = table
        .rows
        .iter()
        .filter(|row| !row.is_fresh())
        .map(TableRow::describe)
        .collect();
    assert_eq!(
        descriptions,
        ["1.0.0: before no update, now no update (error under OLM v1), Classic (c), OLM v1 (c)"]
    );
}

#[test]
fn only_versions_in_use_are_reported_as_affected() {
    let mut comparison = compare("c: b@2.1.0 sr:>=1.0.0_<2.1.0", "c: b@2.1.0");
    let in_use = |text: &str| InUse(vec![Installed::new(format!("p.v{text}"), text)]);
    let mut other = comparison.clone();
    comparison.keep_in_use(&in_use("1.2.0"), &mut Vec::new());
    assert_eq!(
        comparison.table().headline(),
        "users on p.v1.2.0 (a version that the catalog does not list) get no update"
    );
    other.keep_in_use(&in_use("0.9.0"), &mut Vec::new());
    assert_eq!(
        other.table().headline(),
        "no version in use gets a different update"
    );
}

#[test]
fn only_changed_channels_are_resolved_again() {
    let text = |changed: &str| -> String {
        (0..20)
            .map(|i| {
                let lower = if i == 7 { changed } else { "1.0.0" };
                format!("c{i}: b{i}@2.{i}.0 sr:>={lower}_<2.{i}.0\n")
            })
            .collect()
    };
    let packages =
        ["1.0.0", "1.1.0", "1.2.0"].map(|lower| std::sync::Arc::new(package(&text(lower))));
    let cache = RefCell::default();
    let question_counts = |old: usize, new: usize| {
        let pair = Pair::for_edit(Some(&packages[old]), Some(&packages[new]), &cache);
        assert!(!pair.unlisted_users().is_empty());
        pair.further_users();
        (
            pair.old_index.unlisted_questions(),
            pair.new_index.unlisted_questions(),
        )
    };
    // Classic, v1 with the channel, and v1 without.
    assert_eq!(question_counts(0, 1), (3, 3));
    assert_eq!(question_counts(1, 2), (3, 3), "the first package is cached");
    assert_eq!(question_counts(0, 2), (3, 3), "both packages are cached");
}

const BUNDLES: [&str; 8] = [
    "a@1.0.0",
    "b@1.1.0",
    "c@1.1.0-rc.1",
    "d@1.2.0",
    "e@2.0.0",
    "f@2.0.0+2",
    "g@1.1.0",
    "h@oops",
];
const NAMES: [&str; 9] = ["a", "b", "c", "d", "e", "f", "g", "m.v1.5.0", "m.v0.9.0"];
const RANGES: [&str; 16] = [
    "<2.0.0",
    ">=1.0.0_<1.1.0",
    "1.x",
    "1.1.x",
    "!=1.1.0",
    ">=1.0.0_!=1.5.0_<2.0.0",
    "<1.0.0_||_>=1.2.0_<1.3.0",
    "<=1.1.0-rc.1",
    ">1.1.0-rc.1_<2.0.0",
    "=1.1.0",
    ">1.0.0",
    ">=1.0.1-0_<1.0.2",
    "!=1.x",
    "bad",
    "<=18446744073709551615.0.0",
    ">=1.1.0_<1.1.0",
];

fn any_entry() -> impl Strategy<Value = String> {
    (
        0..BUNDLES.len(),
        prop::option::of(0..NAMES.len()),
        prop::collection::vec(0..NAMES.len(), 0..2),
        prop::option::of(0..RANGES.len()),
        prop::sample::select(vec![
            "",
            "",
            "",
            " !deprecated",
            " !prohibited",
            " !required",
        ]),
    )
        .prop_map(|(bundle, replaces, skips, range, mark)| {
            let mut text = BUNDLES[bundle].to_owned();
            text.extend(replaces.map(|name| format!(" r:{}", NAMES[name])));
            text.extend(skips.iter().map(|&name| format!(" s:{}", NAMES[name])));
            text.extend(range.map(|range| format!(" sr:{}", RANGES[range])));
            text + mark
        })
}

/// Generates a catalog, and the catalog after some edits that change, remove or add entries.
pub(super) fn before_and_after() -> impl Strategy<Value = (String, String)> {
    let channels = prop::collection::vec(prop::collection::vec(any_entry(), 1..5), 1..3);
    let edit = (0..3usize, 0..3usize, 0..6usize, any_entry());
    (channels, prop::collection::vec(edit, 1..3)).prop_map(|(old, edits)| {
        let mut new = old.clone();
        for (kind, channel, at, entry) in edits {
            let count = new.len();
            let entries = &mut new[channel % count];
            match kind {
                0 => {
                    let count = entries.len();
                    entries[at % count] = entry;
                }
                1 if entries.len() > 1 => _ = entries.remove(at % entries.len()),
                _ => entries.push(entry),
            }
        }
        let text = |channels: &[Vec<String>]| -> String {
            channels
                .iter()
                .zip(["x", "y", "z"])
                .map(|(entries, name)| format!("{name}: {}\n", entries.join("; ")))
                .collect()
        };
        (text(&old), text(&new))
    })
}

/// Returns all bounds, their immediate neighbours, and some points between.
fn grid() -> Vec<Version> {
    let mut versions: Vec<Version> = Vec::new();
    for text in [
        "0.0.0-0",
        "0.0.0",
        "0.9.0",
        "0.9.9",
        "1.0.0",
        "1.0.1",
        "1.0.2",
        "1.1.0-rc.1",
        "1.1.0",
        "1.1.1",
        "1.2.0",
        "1.3.0",
        "1.5.0",
        "2.0.0",
        "3.0.0",
        "18446744073709551615.0.0",
    ] {
        let version = Version::parse(text).unwrap();
        let (major, minor, patch) = (version.major(), version.minor(), version.patch());
        versions.extend(version.successor());
        versions.extend(version.successor().and_then(|next| next.successor()));
        if let Some(below) = patch.checked_sub(1) {
            versions.push(Version::new(major, minor, below));
        }
        for prerelease in ["0", "alpha", "rc.1.1", "zz"] {
            versions
                .push(Version::parse(&format!("{major}.{minor}.{patch}-{prerelease}")).unwrap());
        }
        versions.push(version);
    }
    versions
}

type Ask<'a> = (&'a UpgradeIndex, Lens, &'a [&'a str]);

/// Returns the next step, the end of the path, the error, and whether the path is a cycle.
fn answer(
    (index, lens, channels): Ask<'_>,
    installed: &Installed,
) -> (Option<Text>, Option<Text>, Option<ErrorKind>, bool) {
    let options = Options {
        channels: channels.iter().map(|name| (*name).to_owned()).collect(),
        ..Options::default()
    };
    let answer = index.next(lens, Some(installed), &options);
    let next = answer.next.map(|next| next.name);
    let path = index.path(lens, Some(installed), &options);
    // The end of a cycle is its first repeated version, which depends on the start.
    let last = path.steps.last().filter(|_| next.is_some() && !path.looped);
    (
        next,
        last.cloned(),
        answer.error.map(|error| error.kind),
        path.looped,
    )
}

fn name(installed: &Option<Installed>) -> Option<Text> {
    installed.as_ref().map(|installed| installed.name.clone())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn all_users_get_the_answers_of_next((before, after) in before_and_after()) {
        let (old, new) = (package(&before), package(&after));
        let pair = Pair::new(Some(&old), Some(&new));
        let comparison = pair.compare();
        let channels = ["x", "y", "z"].iter().filter(|name| pair.channels.iter().any(|c| *c.name == ***name && c.in_old && c.in_new));
        let mut scopes: Vec<(Lens, Vec<&str>)> = vec![(Lens::V1, Vec::new())];
        for channel in channels {
            scopes.extend([(Lens::V0, vec![*channel]), (Lens::V1, vec![*channel])]);
        }
        let mentioned: Vec<&Version> = ["m.v1.5.0", "m.v0.9.0"]
            .iter()
            .flat_map(|name| pair.versions.by_name(name))
            .filter_map(|&number| pair.versions.version(number))
            .collect();
        let published: Vec<u32> = pair.versions.bundles(&pair.old_index);
        let only_new: Vec<u32> = pair.versions.bundles(&pair.new_index).into_iter().filter(|n| !published.contains(n)).collect();
        for (lens, channels) in &scopes {
            let is_scope = |user_lens: Lens, of: &[Text]| user_lens == *lens
                && (of.iter().any(|name| channels.contains(&&**name)) || (*lens == Lens::V1 && of.is_empty()));
            for version in grid().iter().filter(|version| !mentioned.iter().any(|m| m.cmp_precedence(version).is_eq())) {
                // A release that no bundle has.
                let installed = Installed::new("nobody", format!("{version}+other"));
                let was = answer((&pair.old_index, *lens, channels), &installed);
                let now = answer((&pair.new_index, *lens, channels), &installed);
                let ends_differ = was.1 != now.1 && !was.3 && !now.3;
                let changes = was.0 != now.0 || ends_differ;
                let found: Vec<&UnlistedUsers> = comparison.unlisted.iter()
                    .filter(|users| is_scope(users.lens, &users.channels) && users.versions.interval.contains(version))
                    .filter(|users| (name(&users.old_next), name(&users.new_next)) == (was.0.clone(), now.0.clone()))
                    .collect();
                let reported: Vec<&UnlistedUsers> = comparison.unlisted.iter()
                    .filter(|users| users.lens == *lens && users.channels.iter().map(|c| &**c).eq(channels.iter().copied()))
                    .filter(|users| users.versions.interval.contains(version))
                    .collect();
                if changes {
                    prop_assert!(!found.is_empty(), "{version} {lens:?} {channels:?}: {was:?} then {now:?}\n{before}\n{after}\n{:?}", comparison.unlisted);
                    prop_assert!(found.iter().any(|users| users.error == now.2));
                    prop_assert!(was.1.is_none() || found.iter().any(|users| name(&users.old_last) == was.1));
                    prop_assert!(now.1.is_none() || found.iter().any(|users| name(&users.new_last) == now.1));
                }
                // Every reported change must hold for its question; paths that end in a cycle are
                // not compared.
                for users in reported {
                    prop_assert_eq!((name(&users.old_next), name(&users.new_next)), (was.0.clone(), now.0.clone()), "{} {:?} {:?}\n{}\n{}", version, lens, channels, before, after);
                }
            }
            for (number, installed) in pair.versions.iter().filter(|(number, _)| !only_new.contains(number)) {
                let was = answer((&pair.old_index, *lens, channels), installed);
                let now = answer((&pair.new_index, *lens, channels), installed);
                let found = comparison.all_users().any(|user| {
                    user.from == *installed && is_scope(user.lens, &user.channels)
                        && (name(&user.old_next), name(&user.new_next)) == (was.0.clone(), now.0.clone())
                        && (user.error == now.2 || user.lens == Lens::V0)
                });
                let begins_to_fail = *lens == Lens::V1 && was.2.is_none() && now.2 == Some(ErrorKind::None);
                let ends_differ = was.1 != now.1 && !was.3 && !now.3;
                if was.0 != now.0 || ends_differ || begins_to_fail {
                    prop_assert!(found, "{number} {installed:?} {lens:?} {channels:?}: {was:?} then {now:?}\n{before}\n{after}");
                }
            }
        }
    }
}

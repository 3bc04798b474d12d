//! Tests users before and after, and the answers of a pair.

use super::*;
use catalog::testing::package;

fn compare(old: &str, new: &str) -> Comparison {
    let (old, new) = (package(old), package(new));
    Pair::new(Some(&old), Some(&new)).compare()
}

/// Lists the effects on users, without unaffected ones.
fn user_effects(comparison: &Comparison) -> Vec<String> {
    let mut users: Vec<&User> = comparison
        .users
        .iter()
        .filter(|user| !user.is_same())
        .collect();
    users.sort_by(|a, b| a.gravest_first(b));
    let effect = |user: &User| user.effect.map_or("same", Effect::as_str);
    users
        .into_iter()
        .map(|user| format!("{}: {user}", effect(user)))
        .collect()
}

#[test]
fn users_are_compared_under_both_lenses() {
    let comparison = compare(
        "c: b@2.0.0 r:a; a@1.0.0\nd: b@2.0.0 r:a; a@1.0.0",
        "c: c@3.0.0 r:b; b@2.0.0 r:a; a@1.0.0\nd: b@2.0.0; a@1.0.0 sr:<1.0.0",
    );
    assert_eq!(
        user_effects(&comparison),
        [
            "stranded: from a: no update instead of b (Classic, d)",
            "gained: from b: c instead of no update (Classic, c)",
            "gained: from b: c instead of no update (OLM v1)",
            "same: from a: ends at c instead of b (Classic, c)",
            "same: from a: ends at c instead of b (OLM v1)",
        ]
    );
    assert_eq!(
        (comparison.count_affected(), comparison.count_worse_off()),
        (2, 1)
    );
    assert_eq!(
        ends(&comparison.users),
        [
            "1 version ends at c instead of b (Classic)",
            "1 version ends at c instead of b (OLM v1)"
        ]
    );
}

#[test]
fn channels_with_equal_effects_are_merged() {
    let comparison = compare(
        "c: b@2.0.0 r:a; a@1.0.0\nd: b@2.0.0 r:a; a@1.0.0",
        "c: b@2.0.0 s:a\nd: b@2.0.0 r:a",
    );
    assert!(user_effects(&comparison).is_empty() && !comparison.is_same());
    let comparison = compare(
        "c: b@2.0.0 r:a; a@1.0.0\nd: b@2.0.0 r:a; a@1.0.0",
        "c: b@2.0.0\nd: b@2.0.0",
    );
    assert_eq!(
        user_effects(&comparison),
        [
            "stranded: from a: no update instead of b (Classic, c, d)",
            "stranded: from a: no update instead of b (OLM v1)"
        ]
    );
}

#[test]
fn packages_may_be_added_and_removed() {
    let some = package("c: b@2.0.0 r:a; a@1.0.0");
    let gone = Pair::new(Some(&some), None).compare();
    assert_eq!(
        (
            gone.sentences(),
            gone.count_worse_off(),
            gone.count_lost_updates()
        ),
        (vec!["package removed".to_owned()], 2, 1)
    );
    // Users of the newest version are affected too.
    assert_eq!(
        user_effects(&gone),
        [
            "stranded: from b: no next step: its entry, channel or package is gone (Classic, c)",
            "stranded: from b: no next step: its entry, channel or package is gone (OLM v1)",
            "stranded: from a: no update instead of b (Classic, c)",
            "stranded: from a: no update instead of b (OLM v1)",
        ]
    );
    let came = Pair::new(None, Some(&some)).compare();
    assert_eq!(
        (came.sentences(), came.count_affected(), came.is_same()),
        (vec!["package added".to_owned()], 0, false)
    );
    assert!(Pair::new(Some(&some), Some(&some)).compare().is_same());
}

#[test]
fn subscribers_of_a_removed_channel_are_affected() {
    let comparison = compare(
        "c: b@2.0.0 r:a; a@1.0.0\nd: b@2.0.0 r:a; a@1.0.0",
        "c: b@2.0.0 r:a; a@1.0.0",
    );
    assert_eq!(
        user_effects(&comparison),
        [
            "stranded: from b: no next step: its entry, channel or package is gone (Classic, d)",
            "stranded: from a: no update instead of b (Classic, d)",
        ]
    );
    assert_eq!(
        (comparison.count_affected(), comparison.count_worse_off()),
        (2, 2)
    );
}

#[test]
fn users_of_a_removed_head_are_affected() {
    let before = "c: b@2.0.0 r:a; a@1.0.0";
    let comparison = compare(before, "c: a@1.0.0");
    assert_eq!(
        user_effects(&comparison),
        [
            "stranded: from b: no next step: its entry, channel or package is gone (Classic, c)",
            "stranded: from b: no next step: its entry, channel or package is gone (OLM v1)",
            "stranded: from a: no update instead of b (Classic, c)",
            "stranded: from a: no update instead of b (OLM v1)",
        ]
    );
    assert_eq!(
        (comparison.count_affected(), comparison.count_worse_off()),
        (2, 2)
    );
    assert_eq!(
        comparison.table().headline(),
        "users on 2.0.0 lose their version or channel; new installs get 1.0.0 instead of 2.0.0; \
         1 more effect"
    );
    // Users of the entries that the head skips keep a next step.
    assert!(
        user_effects(&compare("c: b@2.0.0 r:a; a@1.0.0", "c: c@3.0.0 sr:<3.0.0"))
            .iter()
            .all(|effect| !effect.contains("stranded"))
    );
}

#[test]
fn sentences_list_the_changes() {
    let comparison = compare(
        "c: b@2.0.0 r:a sr:<2.0.0; a@1.0.0\nd: a@1.0.0",
        "c: c@3.0.0 s:b; b@2.0.0 s:a sr:<1.5.0",
    );
    assert_eq!(
        comparison.sentences(),
        [
            "channel `d` removed: it listed 1 version, whose users may be subscribed to it",
            "bundle `c` added",
            "bundle `a` removed",
            "channel `c`: entry `c` added",
            "channel `c`: entry `b`: replaces `a` removed; skipRange was `<2.0.0`, is `<1.5.0`; also skips `a`",
            "channel `c`: entry `a` removed",
            "c: the head is c instead of b",
        ],
        "the removed channel covers its entries and its head"
    );
    let added = compare("c: a@1.0.0", "c: a@1.0.0\nd: a@1.0.0");
    assert_eq!(added.sentences(), ["new channel `d`: head a"]);
}

#[test]
fn a_removed_entry_is_not_freed() {
    let (with, without) = (
        "c: b@2.0.0 r:a; a@1.0.0; z@0.9.0 r:z",
        "c: b@2.0.0 r:a; a@1.0.0",
    );
    assert_eq!(
        compare(without, with).stranded.newly,
        [(Text::from("c"), Text::from("z"))]
    );
    assert!(compare(with, without).stranded.no_longer.is_empty());
    let led_on = "c: b@2.0.0 r:a s:z; a@1.0.0; z@0.9.0 r:z";
    assert_eq!(compare(with, led_on).stranded.no_longer.len(), 1);
}

#[test]
fn an_absent_default_and_an_empty_channel_are_described() {
    let default = |old: &str, new: &str| Comparison {
        default_channel: Some(DefaultChannelChange {
            old: old.into(),
            new: new.into(),
        }),
        ..Comparison::default()
    };
    assert_eq!(
        default("", "c").sentences(),
        ["default channel is `c`; there was none"]
    );
    assert_eq!(
        default("c", "").sentences(),
        ["default channel was `c`; there is none now"]
    );
    let gone = |listed| Comparison {
        channels_gone: vec![GoneChannel {
            name: "d".into(),
            listed,
            steps: Vec::new(),
        }],
        ..Comparison::default()
    };
    assert_eq!(gone(0).sentences(), ["channel `d` removed"]);
}

#[test]
fn a_version_of_several_channels_is_counted_once() {
    let comparison = compare(
        "c: b@2.0.0 r:a; a@1.0.0\nd: b@2.0.0; a@1.0.0",
        "c: c@3.0.0 r:b; b@2.0.0 r:a; a@1.0.0\nd: b@2.0.0; a@1.0.0",
    );
    let twice = [&comparison.users[..], &comparison.users[..]].concat();
    assert_eq!(ends(&twice), ends(&comparison.users));
}

#[test]
fn a_deprecation_is_a_change_without_affected_users() {
    let mut after = package("c: b@2.0.0 r:a; a@1.0.0 !deprecated");
    let before = package("c: b@2.0.0 r:a; a@1.0.0");
    let deprecation = std::sync::Arc::make_mut(&mut after.deprecations[0].data);
    deprecation.entries[0].message.value = "move\n  on".into();
    let summary = |old, new| {
        let comparison = Pair::new(Some(old), Some(new)).compare();
        (
            comparison.sentences(),
            comparison.count_affected(),
            comparison.is_same(),
        )
    };
    assert_eq!(
        summary(&before, &after),
        (
            vec!["bundle `a` is deprecated: move on".to_owned()],
            0,
            false
        )
    );
    assert_eq!(
        summary(&after, &before),
        (
            vec!["bundle `a` is no longer deprecated".to_owned()],
            0,
            false
        )
    );
    assert_eq!(summary(&after, &after), (Vec::new(), 0, true));
}

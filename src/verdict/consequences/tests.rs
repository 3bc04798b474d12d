//! Tests judgements of hand-made consequences.

use super::*;
use crate::compare::FreshInstall;
use protocol::diagnostic::{Cause, Location};
use protocol::judgement::{Judgement, Tone};
use upgrade::{Installed, Lens};

fn problem(rule: &str, message: &str, channel: &str) -> Diagnostic {
    Diagnostic {
        opm: true,
        catalog: "c".into(),
        package: Some("p".into()),
        channel: Some(channel.into()),
        ..Diagnostic::new(rule, protocol::diagnostic::Severity::Error, message)
    }
}

fn advice(message: &str) -> Diagnostic {
    Diagnostic {
        opm: false,
        severity: protocol::diagnostic::Severity::Warning,
        ..problem("advice", message, "stable")
    }
}

fn verdict(passed_before: bool, passed_after: bool) -> VerdictChange {
    let opm_message = if passed_after {
        String::new()
    } else {
        "opm's words".to_owned()
    };
    VerdictChange {
        root: "c".into(),
        passed_before,
        passed_after,
        opm_message,
        ..VerdictChange::default()
    }
}

fn stranded_entry(name: &str) -> EntryLocation {
    EntryLocation {
        root: "c".into(),
        package: "p".into(),
        channel: "stable".into(),
        name: name.into(),
    }
}

#[test]
fn facts_with_one_cause_are_merged() {
    let cause = Cause {
        rule: "skiprange.invalid".into(),
        message: "cannot be read".into(),
        location: Location::default(),
    };
    let follows = Diagnostic {
        follows: Some(cause),
        ..problem("channel.stranded", "nothing leads there", "stable")
    };
    let found = Consequences {
        verdicts: vec![verdict(true, false)],
        problems_gained: vec![
            follows,
            problem("skiprange.invalid", "cannot be read", "stable"),
        ],
        newly_stranded: ["a", "b", "d", "e"].map(stranded_entry).into(),
        ..Consequences::default()
    };
    let facts = found.facts();
    assert_eq!(facts.len(), 1, "{facts:?}");
    assert_eq!(
        (facts[0].tone, facts[0].text.as_str()),
        (Tone::Bad, "fails opm validate now: cannot be read")
    );
    assert_eq!(
        facts[0].rest,
        [
            "nothing leads there",
            "4 entries newly stranded in stable: a, b, d and 1 more",
            "opm says: opm's words"
        ]
    );
    assert_eq!(found.judgement(), Judgement::Worse);
    // Without a common cause each is reported separately.
    let alone = Consequences {
        newly_stranded: vec![stranded_entry("a")],
        ..Consequences::default()
    };
    assert_eq!(alone.facts()[0].text, "1 entry newly stranded in stable: a");
}

#[test]
fn a_verdict_of_several_catalogs_is_about_each() {
    let verdict_in = |root: &str, passed_after| VerdictChange {
        root: root.into(),
        ..verdict(true, passed_after)
    };
    let found = |second_passes| Consequences {
        verdicts: vec![verdict_in("a", false), verdict_in("b", second_passes)],
        ..Consequences::default()
    };
    assert_eq!(found(false).summary(), "a, b: each fails opm validate now");
    assert_eq!(found(true).summary(), "a: fails opm validate now");
}

#[test]
fn the_message_tree_of_opm_is_a_detail_of_the_verdict() {
    let tree = "invalid package \"p\":\n└── invalid channel \"c\":\n    └── channel must contain at least one bundle";
    for (before, expected) in [
        (true, "fails opm validate now"),
        (false, "still fails opm validate"),
    ] {
        let change = VerdictChange {
            opm_message: tree.into(),
            ..verdict(before, false)
        };
        let facts = Consequences {
            verdicts: vec![change],
            ..Consequences::default()
        }
        .facts();
        assert_eq!(
            facts[0].text,
            format!("{expected}: channel must contain at least one bundle")
        );
        assert_eq!(facts[0].rest, [format!("opm says: {tree}")]);
    }
}

#[test]
fn a_reworded_problem_is_neither_new_nor_solved() {
    let verdict = |problems: [Diagnostic; 2]| Verdict {
        diagnostics: problems.map(Arc::new).into(),
        ..Verdict::default()
    };
    let before = verdict([
        problem("channel.stranded", "3 are stranded", "stable"),
        problem("other", "gone", "fast"),
    ]);
    let after = verdict([
        problem("channel.stranded", "2 are stranded", "stable"),
        problem("other", "new", "stable"),
    ]);
    let changes = Compared::new(&before, &after).changes();
    assert_eq!(changes.reworded, ["2 are stranded"]);
    let [gained, lost] = [changes.gained, changes.lost]
        .map(|problems| problems.into_iter().map(|p| p.message).collect::<Vec<_>>());
    assert_eq!((gained, lost), (vec!["new".into()], vec!["gone".into()]));
    let found = Consequences {
        reworded: vec!["2 are stranded".into()],
        ..Consequences::default()
    };
    assert_eq!(found.judgement(), Judgement::Neutral);
}

#[test]
fn an_edit_is_better_worse_or_both() {
    let with_verdict = |before, after| Consequences {
        verdicts: vec![verdict(before, after)],
        ..Consequences::default()
    };
    assert_eq!(Consequences::default().judgement(), Judgement::Neutral);
    assert_eq!(
        with_verdict(true, true).judgement(),
        Judgement::Neutral,
        "nothing was solved"
    );
    assert_eq!(
        with_verdict(false, false).judgement(),
        Judgement::Neutral,
        "unchanged"
    );
    assert_eq!(with_verdict(false, true).judgement(), Judgement::Better);
    assert_eq!(with_verdict(true, false).judgement(), Judgement::Worse);
    let freed = vec![stranded_entry("a")];
    let refused = Consequences {
        no_longer_stranded: freed.clone(),
        ..with_verdict(true, false)
    };
    assert_eq!(
        refused.judgement(),
        Judgement::Worse,
        "a refusal is no improvement"
    );
    let cured = Consequences {
        no_longer_stranded: freed,
        ..with_verdict(true, true)
    };
    assert_eq!(cured.judgement(), Judgement::Better);
    let broken = |name| {
        let invariant = invariants::find(name).expect("known");
        let finding = Finding {
            invariant,
            channel: Text::default(),
            subject: Text::default(),
            message: String::new(),
            help: String::new(),
        };
        vec![BrokenInvariant {
            root: "c".into(),
            package: "p".into(),
            finding,
        }]
    };
    assert_eq!(
        Consequences {
            broken: broken("dead-end"),
            ..cured.clone()
        }
        .judgement(),
        Judgement::Mixed
    );
    let warned = Consequences {
        broken: broken("edge-rewritten"),
        ..with_verdict(false, true)
    };
    assert_eq!(
        warned.judgement(),
        Judgement::Better,
        "advice takes nothing from what is solved"
    );
    let lost = |channel: &str| {
        let mut broken = broken("requirement-lost");
        broken
            .iter_mut()
            .for_each(|one| one.finding.channel = channel.into());
        Consequences {
            broken,
            ..with_verdict(true, true)
        }
        .judgement()
    };
    assert_eq!(
        lost("stable"),
        Judgement::Advice,
        "no one installed is worse off"
    );
    assert_eq!(
        lost(""),
        Judgement::Worse,
        "another package has lost what it requires"
    );
    let warned = broken("edge-rewritten");
    assert_eq!(
        Consequences {
            broken: warned,
            ..with_verdict(true, true)
        }
        .judgement(),
        Judgement::Advice
    );
}

#[test]
fn advice_alone_is_neither_better_nor_worse() {
    let solved = Consequences {
        verdicts: vec![verdict(true, true)],
        problems_lost: vec![advice("the default channel is behind")],
        ..Consequences::default()
    };
    assert_eq!(solved.judgement(), Judgement::Neutral);
    let listed = fact_with(&solved, "solved");
    assert_eq!(
        (listed.tone, listed.text.as_str()),
        (Tone::Plain, "solved: the default channel is behind")
    );
    let advised = Consequences {
        problems_gained: vec![advice("the icon is large")],
        ..solved.clone()
    };
    assert_eq!(advised.judgement(), Judgement::Advice);
    let passes_now = Consequences {
        verdicts: vec![verdict(false, true)],
        ..advised
    };
    assert_eq!(
        (passes_now.judgement(), passes_now.reason().as_str()),
        (Judgement::Better, "passes opm validate now"),
        "new advice takes nothing from it"
    );
    let errors = Consequences {
        problems_lost: vec![problem("rule", "two heads", "stable")],
        ..solved
    };
    assert_eq!(
        (errors.judgement(), errors.reason().as_str()),
        (Judgement::Better, "solved: two heads")
    );
}

fn fact_with(consequences: &Consequences, text: &str) -> protocol::judgement::JudgedFact {
    let mut facts = consequences.facts().into_iter();
    facts.find(|fact| fact.text.contains(text)).expect("listed")
}

#[test]
fn gained_updates_are_better() {
    let row = FreshInstall {
        lens: Lens::V0,
        channel: Text::default(),
        old: None,
        new: Some(Installed::new("p.v1.0.0", "1.0.0")),
        refused: [false; 2],
    };
    let comparison = Comparison {
        fresh: vec![row],
        ..Comparison::default()
    };
    let gained = Consequences {
        verdicts: vec![verdict(true, true)],
        tables: vec![PackageTable {
            roots: vec!["c".into()],
            package: "p".into(),
            table: UserTable::new(&comparison),
        }],
        ..Consequences::default()
    };
    assert_eq!(gained.judgement(), Judgement::Better);
    assert!(
        gained.reason().starts_with("new installs get 1.0.0"),
        "{}",
        gained.reason()
    );
}

#[test]
fn a_new_catalog_does_not_still_pass() {
    let new = VerdictChange {
        was_empty: true,
        ..verdict(true, true)
    };
    assert_eq!(new.to_text(), "passes opm validate");
    let cured = VerdictChange {
        was_empty: true,
        ..verdict(false, true)
    };
    assert_eq!(cured.to_text(), "passes opm validate now");
}

#[test]
fn a_pre_release_for_new_installs_is_advice_even_if_a_problem_is_solved() {
    let installed = |version: &str| Installed::new(format!("p.v{version}"), version);
    let fresh_install = |now: &str, was: &str| {
        let row = FreshInstall {
            lens: Lens::V0,
            channel: Text::default(),
            old: Some(installed(was)),
            new: Some(installed(now)),
            refused: [false; 2],
        };
        Consequences {
            tables: vec![PackageTable {
                roots: vec!["c".into()],
                package: "p".into(),
                table: UserTable::new(&Comparison {
                    fresh: vec![row],
                    ..Comparison::default()
                }),
            }],
            problems_lost: vec![problem(
                "newest-not-default",
                "the default channel is behind",
                "stable",
            )],
            ..Consequences::default()
        }
    };
    let beta = fresh_install("1.16.0-beta.0", "1.15.2");
    assert_eq!(beta.judgement(), Judgement::Mixed);
    assert_eq!(
        beta.reason(),
        "new installs get the pre-release 1.16.0-beta.0 under Classic"
    );
    assert_eq!(
        fresh_install("1.16.0", "1.15.2").judgement(),
        Judgement::Better
    );
    assert_eq!(
        fresh_install("1.16.0-rc.1", "1.16.0-rc.0").judgement(),
        Judgement::Better,
        "they had a pre-release before"
    );
    let mut unrequested = Consequences {
        problems_lost: vec![problem(
            "prerelease-unasked",
            "under OLM v1, new users get it",
            "stable",
        )],
        ..fresh_install("1.16.0-beta.0", "1.15.2")
    };
    unrequested.drop_solved_unrequested_prereleases();
    assert_eq!(
        unrequested.judgement(),
        Judgement::Advice,
        "an advice that now applies to all users is not solved"
    );
    let promoted = Consequences {
        problems_gained: vec![problem(
            "stable-head-prerelease",
            "head is a pre-release",
            "stable",
        )],
        ..fresh_install("1.16.0-beta.0", "1.15.2")
    };
    let mentions = promoted
        .facts()
        .iter()
        .filter(|fact| fact.text.contains("pre-release"))
        .count();
    assert_eq!(mentions, 1, "reported once");
    let in_channel = |channel: &str| Diagnostic {
        channel: Some(channel.into()),
        ..advice("the range is wide")
    };
    let repeated = Consequences {
        problems_gained: vec![in_channel("stable"), in_channel("eus")],
        ..Consequences::default()
    };
    let texts: Vec<String> = repeated.facts().into_iter().map(|fact| fact.text).collect();
    assert_eq!(
        texts,
        [
            "new warning in stable: the range is wide",
            "new warning in eus: the range is wide"
        ]
    );
}

#[test]
fn unfinished_parts_are_harmless() {
    let part = Unfinished {
        package: "p".into(),
        channel: Some("stable".into()),
        ..Unfinished::default()
    };
    let begun = UnfinishedPart {
        root: "c".into(),
        part,
    };
    let found = |message, channel| Consequences {
        verdicts: vec![verdict(true, false)],
        unfinished: vec![begun.clone()],
        problems_gained: vec![problem("channel.empty", message, channel)],
        ..Consequences::default()
    };
    let own = found("has no entries", "stable");
    assert_eq!(own.judgement(), Judgement::Unfinished);
    assert!(
        own.facts().iter().all(|fact| fact.tone == Tone::Advice),
        "{:?}",
        own.facts()
    );
    let next = "channel stable is not finished: add a bundle to it next, or promote one into it";
    assert_eq!(
        (own.facts()[0].text.as_str(), own.reason().as_str()),
        (next, next)
    );
    assert_eq!(own.summary(), format!("fails opm validate now; {next}"));
    let other = found("has no head", "fast");
    assert_eq!(other.judgement(), Judgement::Worse, "another channel");
    assert_eq!(other.reason(), "fails opm validate now: has no head");
}

#[test]
fn all_solved_problems_are_counted() {
    let solved = |count: usize| {
        let problems_lost = (0..count)
            .map(|at| problem("rule", &format!("problem {}", at.min(9)), "stable"))
            .collect();
        Consequences {
            problems_lost,
            ..Consequences::default()
        }
        .facts()
        .remove(0)
    };
    assert_eq!(solved(6).rest.len(), 6);
    let many = solved(8);
    assert_eq!(
        (many.text.as_str(), many.rest.len()),
        ("8 problems solved", 6)
    );
    assert_eq!(many.rest[5], "and 3 more");
    let equal = solved(32);
    assert_eq!(equal.text, "32 problems solved");
    assert_eq!(
        equal.rest[5], "and 27 more",
        "four others and 23 equal ones"
    );
    let twice = Consequences {
        problems_lost: vec![problem("rule", "the same", "stable"); 2],
        ..Consequences::default()
    };
    let twice = twice.facts().remove(0);
    assert_eq!(twice.text, "2 problems solved");
    assert_eq!(twice.rest, ["the same (2 times)"]);
}

#[test]
fn equal_facts_of_several_catalogs_are_merged() {
    let in_root = |root: &str| Consequences {
        tables: vec![PackageTable {
            roots: vec![root.into()],
            package: "p".into(),
            table: UserTable::default(),
        }],
        ..Consequences::default()
    };
    let joined = Consequences::join([in_root("a"), in_root("b")]);
    assert_eq!(joined.tables.len(), 1);
    assert_eq!(joined.tables[0].roots, ["a", "b"]);
}

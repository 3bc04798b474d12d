//! Invariants about each user's next step, which must lead to the end of the path: I1, I2, I6, and
//! our own.
//!
//! Versions that no bundle has and no entry mentions have separate rules, so that `--deny` can
//! select them.

use super::context::{AffectedLenses, CheckedChannel, Context, lens_name};
use super::{Findings, Invariant, Severity};
use crate::compare::unlisted::UNLISTED;
use crate::compare::{Effect, UnlistedUsers, User};
use catalog::model::Entry;
use catalog::version::blang::Range;
use catalog::version::version_line::difference;
use protocol::counting::first_of;
use syntax::hashed::HashMap;
use syntax::place::Text;
use upgrade::everyone::PathSummary;
use upgrade::{Installed, Lens};

/// Maximum number of intervals named per range.
const MAX_INTERVALS: usize = 3;

pub static SINGLE_REPLACEMENT: Invariant = Invariant {
    id: "I1",
    name: "single-replacement",
    severity: Severity::Warning,
    rule: "In each channel, every version but the head is replaced or skipped by exactly one entry of the chain. A version \
           that no entry names is allowed only if a skipRange of the chain covers it.",
    why: "If two entries name the same version, OLM Classic takes the one nearest to the head and OLM v1 the one with \
          the highest version. These are usually the same, and `opm`'s semver template generates such graphs, but \
          nothing in the other entry shows that its edge is never used. A version that no entry names or covers has no next \
          step (`next-step-v0` reports that as an error).",
    fix: "Name the version in one entry only: take it out of `replaces` or `skips` of the other.",
    check: single_replacement,
};

pub static NEXT_STEP_CLASSIC: Invariant = Invariant {
    id: "I1'",
    name: "next-step-v0",
    severity: Severity::Error,
    rule: "Under OLM Classic every version but the head has a next step in its channel.",
    why: "Classic reports no error if there is no next step: the subscription shows `AtLatestKnown`, and the operator \
          is never updated again.",
    fix: "Add the version to the head's `skips`, or widen its skipRange to `>=oldest <head`.",
    check: |context, findings| check_next_step(context, findings, Lens::V0),
};

pub static NEXT_STEP_V1: Invariant = Invariant {
    id: "I1''",
    name: "next-step-v1",
    severity: Severity::Error,
    rule: "Under OLM v1, if the ClusterExtension names the channel, every version but the head has a next step.",
    why: "If a version has no successor, OLM v1 silently stays on it; if that version is also gone from the catalog, \
          OLM v1 reports `no bundles found`.",
    fix: "Let an entry replace the version, skip it or cover it with a skipRange.",
    check: |context, findings| check_next_step(context, findings, Lens::V1),
};

pub static DEAD_END: Invariant = Invariant {
    id: "I2",
    name: "dead-end",
    severity: Severity::Error,
    rule: "Along its path, every version reaches the head (Classic) or the bundle that a fresh install gets \
           (OLM v1), without entering a cycle.",
    why: "A version whose path ends elsewhere gets stuck there; one whose path is a cycle is upgraded forever.",
    fix: "Let an entry above the dead end replace or skip it. For a cycle, bound the skipRange by `<` its entry's version.",
    check: dead_end,
};

pub static STRANDED: Invariant = Invariant {
    id: "I6",
    name: "stranded",
    severity: Severity::Error,
    rule: "Every version that had a next step still has one under both lenses, unless it is the head.",
    why: "The change cuts users of that version off from newer ones.",
    fix: "Restore the edge: add the version to the head's `skips`, or widen its skipRange to `>=oldest <head`.",
    check: check_stranded,
};

pub static LOST_PATH: Invariant = Invariant {
    id: "",
    name: "lost-path",
    severity: Severity::Error,
    rule: "Every version reaches at least as high a version as before.",
    why: "The path of a version used to end at a newer version than now; its users lose the updates in between.",
    fix: "Find where the path ends now, and let a newer entry replace or skip that version.",
    check: lost_path,
};

pub static DOWNGRADE: Invariant = Invariant {
    id: "",
    name: "downgrade",
    severity: Severity::Error,
    rule: "The change adds no next step to a lower version.",
    why: "Neither OLM Classic nor OLM v1 compares the versions along an edge: a lower version that replaces, skips or \
          covers a higher one counts as its update, and few operators survive a downgrade.",
    fix: "Bound the skipRange by `<` the entry's own version, or take the higher version out of `replaces` and `skips`.",
    check: downgrade,
};

fn single_replacement(context: &Context<'_>, findings: &mut Findings<'_>) {
    for channel in context.present() {
        let Some(chain) = channel.chain() else {
            continue;
        };
        let entries = channel.entries_by_name();
        let mut updating: HashMap<&str, Vec<(usize, &Text)>> = HashMap::default();
        for (at, name) in chain.iter().enumerate() {
            let Some(entry) = entries.get(&**name) else {
                continue;
            };
            let targets = entry
                .skips
                .iter()
                .map(|s| s.as_str())
                .chain([entry.replaces.as_str()]);
            for target in targets {
                let by = updating.entry(target).or_default();
                // An entry that names a target twice counts once.
                if by.last().is_none_or(|(last, _)| *last != at) {
                    by.push((at, name));
                }
            }
        }
        for (number, name) in channel.below(context) {
            match updating.get(&*name).map_or(&[][..], Vec::as_slice) {
                [_] => {}
                [] if channel.v0(number).is_some_and(|path| path.next.is_some()) => {}
                [] => findings.add(
                    channel.name(),
                    &name,
                    format!("users of `{name}` are left behind: no entry of the chain replaces, skips or covers it"),
                    head_help(channel.head(), &name),
                ),
                [(_, first), (_, second), ..] => {
                    let taken = [(Lens::V0, channel.v0(number)), (Lens::V1, channel.v1(number))]
                        .map(|(lens, path)| Some((lens, context.name(path?.next.as_ref()?.to))));
                    let message = format!("`{first}` and `{second}` both update `{name}`: {}", describe_choices(&taken));
                    findings.add(channel.name(), &name, message, format!("take `{name}` out of `{second}`"));
                }
            }
        }
    }
}

/// Describes which of several entries each lens takes.
fn describe_choices(taken: &[Option<(Lens, Text)>; 2]) -> String {
    match taken {
        [Some((_, classic)), Some((_, v1))] if classic == v1 => {
            format!("its users get `{classic}`")
        }
        taken => {
            let choices: Vec<String> = taken
                .iter()
                .flatten()
                .map(|(lens, name)| format!("{} takes `{name}`", lens_name(*lens)))
                .collect();
            if choices.is_empty() {
                "neither OLM Classic nor OLM v1 takes either of them".to_owned()
            } else {
                choices.join(", ")
            }
        }
    }
}

fn check_next_step(context: &Context<'_>, findings: &mut Findings<'_>, lens: Lens) {
    for channel in context.present() {
        for (number, name) in channel.below(context) {
            let path = match lens {
                Lens::V0 => channel.v0(number),
                Lens::V1 => channel.v1(number),
            };
            if path.is_some_and(|path| path.next.is_none()) {
                let qualifier = channel
                    .affected_lenses(context, number, &[lens])
                    .qualifier();
                let message = format!("users of `{name}` get no update {qualifier}");
                findings.add(
                    channel.name(),
                    &name,
                    message,
                    head_help(channel.head(), &name),
                );
            }
        }
    }
}

fn dead_end(context: &Context<'_>, findings: &mut Findings<'_>) {
    for channel in context.present() {
        let v1_end = channel.v1.new.end.clone();
        for &number in &channel.installed {
            let name = context.name(number);
            let mut report = |lens, path: Option<&PathSummary>, end: Option<&Text>| {
                let Some(path) = path else { return };
                let last = context.name(path.last);
                let qualifier = channel
                    .affected_lenses(context, number, &[lens])
                    .qualifier();
                if path.marks.looped {
                    let message = format!(
                        "users of `{name}` are upgraded in a cycle {qualifier}, through `{last}`"
                    );
                    findings.add(
                        channel.name(),
                        &name,
                        message,
                        "bound the skipRange by `<` its own version".to_owned(),
                    );
                } else if end != Some(&last) {
                    let fresh = end.map_or_else(|| "nothing".to_owned(), |end| format!("`{end}`"));
                    let reach = if name == last {
                        "get no update".to_owned()
                    } else {
                        format!("get only as far as `{last}`")
                    };
                    let message = format!(
                        "users of `{name}` {reach} {qualifier}; a fresh install gets {fresh}"
                    );
                    findings.add(channel.name(), &name, message, head_help(end, &last));
                }
            };
            report(Lens::V0, channel.v0(number), channel.head());
            report(Lens::V1, channel.v1(number), v1_end.as_ref());
        }
    }
}

fn check_stranded(context: &Context<'_>, findings: &mut Findings<'_>) {
    check_stranded_in_channels(context, findings);
    check_stranded_under_v1(context, findings);
    check_stranded_by_ranges(context, findings);
}

/// Reports versions that a channel listed or mentioned.
fn check_stranded_in_channels(context: &Context<'_>, findings: &mut Findings<'_>) {
    let has_next = |path: Option<&PathSummary>| path.is_some_and(|path| path.next.is_some());
    for channel in &context.channels {
        for (number, name) in channel.below(context) {
            let mut lenses: Vec<Lens> = Vec::new();
            if has_next(channel.pair.v0.old.get(number)) && !has_next(channel.v0(number)) {
                lenses.push(Lens::V0);
            }
            // It may continue with all channels, but not with a ClusterExtension that names only
            // this one.
            if has_next(channel.v1.old.get(number)) && !has_next(channel.v1(number)) {
                lenses.push(Lens::V1);
            }
            if lenses.is_empty() {
                continue;
            }
            let qualifier = channel
                .affected_lenses(context, number, &lenses)
                .qualifier();
            let message = format!("users of `{name}` no longer get updates {qualifier}");
            findings.add(
                channel.name(),
                &name,
                message,
                head_help(channel.head(), &name),
            );
        }
    }
}

/// Reports versions that no channel updates under OLM v1.
fn check_stranded_under_v1(context: &Context<'_>, findings: &mut Findings<'_>) {
    let without_channels = context
        .users()
        .filter(|user| user.lens == Lens::V1 && user.channels.is_empty());
    for user in without_channels.filter(|user| user.effect == Some(Effect::Stranded)) {
        let name = &user.from.name;
        let loss = match user.old_next {
            Some(_) => "no longer get updates under OLM v1",
            None => "had no update under OLM v1, and now get an error",
        };
        let message = format!("users of `{name}` {loss}, even with all channels allowed");
        findings.add(&Text::default(), name, message, String::new());
    }
}

/// Reports versions of other channels that a range of this one updated.
fn check_stranded_by_ranges(context: &Context<'_>, findings: &mut Findings<'_>) {
    let channels: HashMap<&Text, &CheckedChannel<'_>> = context
        .channels
        .iter()
        .map(|channel| (channel.name(), channel))
        .collect();
    for user in context.pair.further_users() {
        let number = context.pair.versions.number(&user.from);
        if user.effect != Some(Effect::Stranded) || user.old_next.is_none() {
            continue;
        }
        for channel in user.channels.iter().filter_map(|name| channels.get(name)) {
            if number.is_some_and(|number| channel.installed.binary_search(&number).is_err()) {
                let name = &user.from.name;
                let message = format!(
                    "users of `{name}` no longer get updates {}",
                    affected_lenses(user).qualifier()
                );
                findings.add(
                    channel.name(),
                    name,
                    message,
                    head_help(channel.head(), name),
                );
            }
        }
    }
}

/// Returns the lenses under which a finding about a user holds.
fn affected_lenses(user: &User) -> AffectedLenses {
    match user.lens {
        Lens::V0 => AffectedLenses::CLASSIC,
        Lens::V1 => AffectedLenses::v1(!user.channels.is_empty()),
    }
}

fn lost_path(context: &Context<'_>, findings: &mut Findings<'_>) {
    // If there was no next step before, `downgrade` reports the lower version.
    let is_lost = |user: &&User| {
        user.ends_lower() && !(user.old_next.is_none() && user.effect == Some(Effect::Downgrade))
    };
    for user in context.users().filter(is_lost) {
        let (name, was, is) = (&user.from.name, &user.old_last.name, &user.new_last.name);
        let qualifier = affected_lenses(user).qualifier();
        let message = if name == is {
            format!("users of `{name}` used to reach `{was}` {qualifier}, and now get no update")
        } else {
            format!(
                "users of `{name}` used to reach `{was}` {qualifier}, and now reach only the lower `{is}`"
            )
        };
        findings.add(&channels_of(user), name, message, String::new());
    }
}

fn downgrade(context: &Context<'_>, findings: &mut Findings<'_>) {
    for user in context
        .users()
        .filter(|user| user.effect == Some(Effect::Downgrade))
    {
        let (name, qualifier) = (&user.from.name, affected_lenses(user).qualifier());
        let next = user.new_next.as_ref().map_or("", |next| &next.name);
        let message = format!("users of `{name}` are moved back to the lower `{next}` {qualifier}");
        findings.add(&channels_of(user), name, message, String::new());
    }
}

fn channels_of(user: &User) -> Text {
    user.channels.join(", ").into()
}

fn head_help(head: Option<&Text>, name: &str) -> String {
    head.map_or_else(String::new, |head| format!("let `{head}` skip `{name}`"))
}

pub static STRANDED_UNLISTED: Invariant = Invariant {
    id: "",
    name: "stranded-unlisted",
    severity: Severity::Error,
    rule: "Every version that the catalog does not list and that had a next step by a skipRange still has one.",
    why: "No `replaces` or `skips` names such a version, so a range is its only way on. Without one, OLM Classic silently \
          stays on it, and OLM v1 reports `no bundles found`.",
    fix: "Let the skipRange of the head cover the versions: `>=oldest <head`.",
    check: |context, findings| {
        check_effect(context, findings, Effect::Stranded, |_, qualifier| {
            format!("no longer get updates {qualifier}")
        });
    },
};

pub static LOST_PATH_UNLISTED: Invariant = Invariant {
    id: "",
    name: "lost-path-unlisted",
    severity: Severity::Error,
    rule: "Every version that the catalog does not list reaches at least as high a version as before.",
    why: "The skipRange leads its users to a version from which they no longer come as far as before.",
    fix: "Find where the path ends now, and let a newer entry replace or skip that version.",
    check: lost_unlisted_path,
};

pub static DOWNGRADE_UNLISTED: Invariant = Invariant {
    id: "",
    name: "downgrade-unlisted",
    severity: Severity::Error,
    rule: "The change leads no version that the catalog does not list to a lower one.",
    why: "Neither OLM Classic nor OLM v1 compares the versions along an edge: a skipRange moves users of higher versions \
          back to its entry.",
    fix: "Bound the skipRange by `<` the entry's own version.",
    check: |context, findings| {
        check_effect(context, findings, Effect::Downgrade, |to, qualifier| {
            format!("are moved back to the lower {to} {qualifier}")
        });
    },
};

pub static REROUTED_UNLISTED: Invariant = Invariant {
    id: "",
    name: "rerouted-unlisted",
    severity: Severity::Info,
    rule: "Versions that the catalog does not list keep their next step.",
    why: "A new head usually takes the versions of its skipRange over from the previous one. Deny this where the ranges of \
          a channel must not change.",
    fix: "Nothing, if it is intended.",
    check: |context, findings| {
        check_effect(context, findings, Effect::Rerouted, |to, qualifier| {
            format!("now go to {to} {qualifier}")
        });
    },
};

pub static GAINED_UNLISTED: Invariant = Invariant {
    id: "",
    name: "gained-unlisted",
    severity: Severity::Info,
    rule: "No version that the catalog does not list gets a next step that it did not have.",
    why: "Such users are updated as soon as the catalog is released. Deny this where that must not happen.",
    fix: "Nothing, if it is intended.",
    check: |context, findings| {
        check_effect(context, findings, Effect::Gained, |to, qualifier| {
            format!("now get {to} {qualifier}")
        });
    },
};

pub static EDGE_REWRITTEN_UNLISTED: Invariant = Invariant {
    id: "",
    name: "edge-rewritten-unlisted",
    severity: Severity::Warning,
    rule: "The skipRange of an entry in both the old and the new catalog still covers every version that it covered.",
    why: "It may be the only way on for versions that the catalog does not list.",
    fix: "Leave released entries unchanged; put new ranges on new entries.",
    check: edge_rewritten,
};

fn check_effect(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    effect: Effect,
    does: impl Fn(&str, &str) -> String,
) {
    let of = |user: &&UnlistedUsers| user.effect == Some(effect);
    report(context, findings, of, |user, qualifier| {
        let name = |next: &Installed| format!("`{}`", next.name);
        let next = user.new_next.as_ref();
        match (next, &user.old_next) {
            (None, Some(was)) if effect == Effect::Rerouted => {
                format!("are no longer moved to {} {qualifier}", name(was))
            }
            _ => does(&next.map(name).unwrap_or_default(), qualifier),
        }
    });
}

fn lost_unlisted_path(context: &Context<'_>, findings: &mut Findings<'_>) {
    // If there was no next step before, `downgrade-unlisted` reports the lower version.
    let is_lost = |user: &&UnlistedUsers| {
        user.ends_lower() && !(user.old_next.is_none() && user.effect == Some(Effect::Downgrade))
    };
    report(context, findings, is_lost, |user, qualifier| {
        let was = match &user.old_last {
            Some(last) => format!("used to reach `{}` {qualifier}", last.name),
            None => format!("used to get no update {qualifier}"),
        };
        match &user.new_last {
            None => format!("{was}, and now get no update"),
            Some(last) => format!("{was}, and now reach only the lower `{}`", last.name),
        }
    });
}

fn report(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    filter: impl Fn(&&UnlistedUsers) -> bool,
    does: impl Fn(&UnlistedUsers, &str) -> String,
) {
    for user in context.unlisted.iter().filter(|user| filter(user)) {
        let qualifier = match user.lens {
            Lens::V1 => AffectedLenses::v1(!user.channels.is_empty()).qualifier(),
            Lens::V0 => AffectedLenses::CLASSIC.qualifier(),
        };
        let subject: Text = user.versions.range().into();
        let note = user.versions.note();
        let message = format!("users on `{subject}` ({note}) {}", does(user, qualifier));
        let channels = user.channels.join(", ").into();
        findings.add(&channels, &subject, message, String::new());
    }
}

fn edge_rewritten(context: &Context<'_>, findings: &mut Findings<'_>) {
    for channel in context.present().filter(|channel| channel.pair.in_old) {
        let old: HashMap<&str, &Entry> =
            channel.old.iter().map(|e| (e.name.as_str(), *e)).collect();
        for entry in &channel.new {
            let Some(was) = old.get(entry.name.as_str()) else {
                continue;
            };
            let (before, after) = (was.skip_range.as_str(), entry.skip_range.as_str());
            if before == after {
                continue;
            }
            let Ok(range) = Range::parse(before) else {
                continue;
            };
            let lost = difference(&range, Range::parse(after).ok().as_ref());
            let lost = context.pair.unlisted_parts(lost);
            if lost.is_empty() {
                continue;
            }
            let name = &entry.name.value;
            let now = match after {
                "" => "has no skipRange now".to_owned(),
                after => format!("now has skipRange `{after}`"),
            };
            let note = match lost.as_slice() {
                [only] => only.note(),
                _ => UNLISTED,
            };
            let lost = first_of(
                lost.iter()
                    .map(|versions| format!("`{}`", versions.range())),
                MAX_INTERVALS,
            );
            let message = format!(
                "`{name}`, which users may have, {now} instead of `{before}`: it no longer covers {lost} ({note})"
            );
            findings.add(channel.name(), name, message, String::new());
        }
    }
}

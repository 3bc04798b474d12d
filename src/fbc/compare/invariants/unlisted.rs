//! Effects on versions that no bundle has and no entry mentions: separate rules, so that `--deny`
//! can select them.

use super::affected_lenses::AffectedLenses;
use super::context::Context;
use super::{Findings, Invariant, Severity};
use crate::compare::unlisted::UNLISTED;
use crate::compare::{Effect, UnlistedUsers};
use crate::hashed::HashMap;
use crate::model::Entry;
use crate::place::Text;
use crate::upgrade::{Installed, Lens};
use crate::version::blang::Range;
use crate::version::version_line::difference;
use protocol::counting::first_of;

/// Maximum number of intervals named per range.
const INTERVALS: usize = 3;

pub static STRANDED_UNLISTED: Invariant = Invariant {
    id: "",
    name: "stranded-unlisted",
    severity: Severity::Error,
    rule: "Every version that the catalog does not list and that had a next step by a skipRange still has one.",
    why: "No `replaces` or `skips` names such a version, so a range is its only way on. Without one, OLM Classic silently \
          stays on it, and OLM v1 reports `no bundles found`.",
    fix: "Let the skipRange of the head cover the versions: `>=oldest <head`.",
    check: |context, findings| {
        effects(context, findings, Effect::Stranded, |_, under| {
            format!("no longer get updates {under}")
        });
    },
};

pub static LOST_PATH_UNLISTED: Invariant = Invariant {
    id: "",
    name: "lost-path-unlisted",
    severity: Severity::Error,
    rule: "Every version that the catalog does not list reaches at least as high a version as before.",
    why: "The skipRange leads its users to a version from which they no longer come as far as before.",
    fix: "Find where the path ends now (`switchyard path`), and let a newer entry replace or skip that version.",
    check: lost_path,
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
        effects(context, findings, Effect::Downgrade, |to, under| {
            format!("are moved back to the lower {to} {under}")
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
        effects(context, findings, Effect::Rerouted, |to, under| {
            format!("now go to {to} {under}")
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
        effects(context, findings, Effect::Gained, |to, under| {
            format!("now get {to} {under}")
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

fn effects(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    effect: Effect,
    does: impl Fn(&str, &str) -> String,
) {
    let of = |user: &&UnlistedUsers| user.effect == Some(effect);
    report(context, findings, of, |user, under| {
        let name = |next: &Installed| format!("`{}`", next.name);
        let next = user.new_next.as_ref();
        match (next, &user.old_next) {
            (None, Some(was)) if effect == Effect::Rerouted => {
                format!("are no longer moved to {} {under}", name(was))
            }
            _ => does(&next.map(name).unwrap_or_default(), under),
        }
    });
}

fn lost_path(context: &Context<'_>, findings: &mut Findings<'_>) {
    // Where nothing was reached before, `downgrade-unlisted` reports the step down.
    let is_lost = |user: &&UnlistedUsers| {
        user.ends_lower() && !(user.old_next.is_none() && user.effect == Some(Effect::Downgrade))
    };
    report(context, findings, is_lost, |user, under| {
        let was = match &user.old_last {
            Some(last) => format!("used to reach `{}` {under}", last.name),
            None => format!("used to stay {under}"),
        };
        match &user.new_last {
            None => format!("{was}, and now stay"),
            Some(last) => format!("{was}, and now reach only the lower `{}`", last.name),
        }
    });
}

fn report(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    is_meant: impl Fn(&&UnlistedUsers) -> bool,
    does: impl Fn(&UnlistedUsers, &str) -> String,
) {
    for user in context.unlisted.iter().filter(|user| is_meant(user)) {
        let under = match user.lens {
            Lens::V1 => AffectedLenses::v1(!user.channels.is_empty()).qualifier(),
            Lens::V0 => AffectedLenses::CLASSIC.qualifier(),
        };
        let subject: Text = user.versions.range().into();
        let note = user.versions.note();
        let message = format!("users on `{subject}` ({note}) {}", does(user, under));
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
                INTERVALS,
            );
            let message = format!(
                "`{name}`, which users may have, {now} instead of `{before}`: it no longer covers {lost} ({note})"
            );
            findings.add(channel.name(), name, message, String::new());
        }
    }
}

//! One catalog against another, as the page shows it.

use crate::fbc::compare::invariants::{self, Severity, Surroundings};
use crate::fbc::compare::{self, Effect, Kind, Pair, User};
use crate::fbc::roots::openshift_version;
use crate::fbc::upgrade::{self, Installed};
use crate::fbc::workspace::Root;
use crate::protocol::upgrades::{
    BrokenRow, ComparedKind, ComparedRow, Comparison, EntryChange, PackageComparison, Stop, UserRow,
};
use crate::protocol::views::Lens;

pub(in crate::worker) fn catalogs(old: &Root, new: &Root) -> Comparison {
    let (pairs, same) = compare::catalogs(old.catalog(), new.catalog());
    let around = around(old, new);
    let row = |(pair, of): (Pair<'_>, compare::Comparison)| {
        let broken = invariants::grouped(invariants::broken(&pair, &around));
        let errors = broken.iter().filter(|b| b.invariant.severity == Severity::Error).count();
        ComparedRow {
            package: of.package.to_string(),
            kind: kind(of.kind),
            hit: of.hit() as u32,
            stranded: of.count(Effect::Stranded) as u32,
            downgraded: of.count(Effect::Downgrade) as u32,
            rerouted: of.count(Effect::Rerouted) as u32,
            gained: of.count(Effect::Gained) as u32,
            errors: errors as u32,
            warnings: (broken.len() - errors) as u32,
            summary: summary(&of),
        }
    };
    Comparison {
        old_root: old.name.clone(),
        new_root: new.name.clone(),
        old_passed: old.verdict().passed,
        new_passed: new.verdict().passed,
        new_message: new.verdict().opm_message.clone().unwrap_or_default(),
        packages: pairs.into_iter().map(row).collect(),
        same: same as u32,
    }
}

pub(in crate::worker) fn package(old: &Root, new: &Root, name: &str) -> PackageComparison {
    let pair = Pair::new(old.catalog().package(name).map(|p| &**p), new.catalog().package(name).map(|p| &**p));
    let of = pair.compare();
    let mut users: Vec<&User> = of.users.iter().filter(|user| !user.is_same()).collect();
    users.sort_by(|a, b| a.gravest_first(b));
    let entry = |change: &compare::EntryChange| EntryChange {
        channel: change.channel.to_string(),
        name: change.name.to_string(),
        kind: kind(change.kind),
        detail: change.detail.clone(),
    };
    let broken = |broken: invariants::Broken| BrokenRow {
        invariant: broken.invariant.name.to_owned(),
        error: broken.invariant.severity == Severity::Error,
        channel: broken.channel.to_string(),
        message: broken.message(5),
        help: match &broken.findings[..] {
            [only] if !only.help.is_empty() => only.help.clone(),
            _ => broken.invariant.fix.to_owned(),
        },
    };
    PackageComparison {
        old_root: old.name.clone(),
        new_root: new.name.clone(),
        package: name.to_owned(),
        changes: of.sentences(),
        entries: of.entries.iter().map(entry).collect(),
        ends: compare::ends(users.iter().copied()),
        users: users.into_iter().map(user).collect(),
        broken: invariants::grouped(invariants::broken(&pair, &around(old, new))).into_iter().map(broken).collect(),
    }
}

fn around<'a>(old: &'a Root, new: &'a Root) -> Surroundings<'a> {
    Surroundings {
        old: Some(old.catalog()),
        new: Some(new.catalog()),
        ocp: openshift_version(&new.name),
        ..Surroundings::default()
    }
}

fn kind(kind: Kind) -> ComparedKind {
    match kind {
        Kind::Changed => ComparedKind::Changed,
        Kind::Added => ComparedKind::Added,
        Kind::Removed => ComparedKind::Removed,
    }
}

fn summary(of: &compare::Comparison) -> String {
    let sentences = of.sentences();
    match &sentences[..] {
        [] if of.hit() == 0 => "bundles changed".to_owned(),
        [] => "only ways changed".to_owned(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first}, and {} more", rest.len()),
    }
}

fn user(user: &User) -> UserRow {
    let stop =
        |installed: &Installed| Stop { name: installed.name.to_string(), version: installed.version.to_string() };
    UserRow {
        from: stop(&user.from),
        lens: match user.lens {
            upgrade::Lens::V0 => Lens::V0,
            upgrade::Lens::V1 => Lens::V1,
        },
        channels: user.channels.iter().map(ToString::to_string).collect(),
        old_next: user.old_next.as_ref().map(stop),
        new_next: user.new_next.as_ref().map(stop),
        old_last: stop(&user.old_last),
        new_last: stop(&user.new_last),
        effect: user.effect.map_or("same", Effect::as_str).to_owned(),
        says: user.to_string(),
    }
}

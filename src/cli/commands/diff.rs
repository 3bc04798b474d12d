//! `switchyard diff`: what the change from one catalog to another means for users.

use crate::cli::args::{DiffArgs, DiffFormat, Invariant};
use crate::cli::disk::Disk;
use crate::cli::error::{self, CliResult};
use crate::cli::output;
use crate::cli::table::table;
use crate::fbc::catalog::Catalog;
use crate::fbc::consequences::{self, Consequences, Effect, PackageChange, RootChange};
use crate::fbc::model::Package;
use crate::fbc::place::Text;
use crate::fbc::upgrade::{Installed, Lens, Options, UpgradeIndex};
use crate::fbc::version::Version;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn run(args: &DiffArgs) -> CliResult {
    let (old, new) = (Disk::open(&args.old)?, Disk::open(&args.new)?);
    let (old, new) = (old.root()?, new.root()?);
    let names: BTreeSet<&Text> = old.catalog().packages().chain(new.catalog().packages()).map(|p| &p.name).collect();
    let packages: Vec<PackageDiff> = names
        .into_iter()
        .filter(|name| !name.is_empty())
        .filter_map(|name| PackageDiff::new(name, old.catalog(), new.catalog()))
        .collect();
    let verdict = (old.verdict().passed, new.verdict().passed);
    let broken = broken(&packages, verdict, new.verdict().opm_message.as_deref());
    match args.format {
        DiffFormat::Json => output::json(&to_json(&packages, &broken))?,
        DiffFormat::Text => output::text(&to_text(&packages, &broken))?,
        DiffFormat::Markdown => output::text(&to_markdown(&packages, &broken))?,
    }
    let denied = broken.iter().any(|b| args.deny.contains(&b.invariant));
    Ok(if denied { error::FAILED } else { 0 })
}

struct PackageDiff {
    name: Text,
    /// Sentences: what changed in the package.
    changes: Vec<String>,
    users: Vec<User>,
}

/// A version under a lens: where it goes, and where it ends.
struct User {
    from: Text,
    version: Text,
    lens: Lens,
    old_next: Option<Text>,
    new_next: Option<Text>,
    old_final: Text,
    new_final: Text,
    /// `None`: nothing changed.
    effect: Option<Effect>,
}

struct Broken {
    invariant: Invariant,
    package: String,
    message: String,
}

impl PackageDiff {
    /// `None` when the package is the same.
    fn new(name: &Text, old: &Catalog, new: &Catalog) -> Option<Self> {
        let (before, after) = (old.package(name).map(|p| &**p), new.package(name).map(|p| &**p));
        let change = RootChange {
            root: "",
            before: &Default::default(),
            after: &Default::default(),
            packages: vec![PackageChange { before, after }],
        };
        let consequences = consequences::of_root(&change);
        let changes = changes(before, after, &consequences);
        let users = before.map_or_else(Vec::new, |before| users(before, after));
        let same = changes.is_empty() && users.iter().all(|u| u.effect.is_none() && u.old_final == u.new_final);
        (!same).then(|| Self { name: name.clone(), changes, users })
    }
}

fn changes(before: Option<&Package>, after: Option<&Package>, consequences: &Consequences) -> Vec<String> {
    let (Some(before), Some(after)) = (before, after) else {
        return vec![if after.is_some() { "package added" } else { "package removed" }.to_owned()];
    };
    let mut changes = Vec::new();
    if before.default_channel() != after.default_channel() {
        changes.push(format!("default channel was `{}`, is `{}`", before.default_channel(), after.default_channel()));
    }
    let channels = |p: &Package| p.channels.iter().map(|c| c.name.value.clone()).collect::<BTreeSet<_>>();
    let bundles = |p: &Package| p.bundles.iter().map(|b| b.name.value.clone()).collect::<BTreeSet<_>>();
    let mut listed = |what: &str, old: BTreeSet<Text>, new: BTreeSet<Text>| {
        changes.extend(new.difference(&old).map(|name| format!("{what} `{name}` added")));
        changes.extend(old.difference(&new).map(|name| format!("{what} `{name}` removed")));
    };
    listed("channel", channels(before), channels(after));
    listed("bundle", bundles(before), bundles(after));
    let both = before.channels.iter().filter_map(|old| Some((old, after.channel(old.name.as_str())?)));
    for (old, new) in both {
        let facts = |c: &crate::fbc::model::ChannelBlob| {
            let entry = |e: &crate::fbc::model::Entry| {
                let skips: Vec<Text> = e.skips.iter().map(|s| s.value.clone()).collect();
                (e.name.value.clone(), e.replaces.value.clone(), skips, e.skip_range.value.clone())
            };
            c.entries.iter().map(entry).collect::<BTreeSet<_>>()
        };
        let (old_entries, new_entries) = (facts(old), facts(new));
        let changed: BTreeSet<&Text> = old_entries.symmetric_difference(&new_entries).map(|e| &e.0).collect();
        if !changed.is_empty() {
            let names: Vec<String> = changed.iter().map(|n| format!("`{n}`")).collect();
            changes.push(format!("channel `{}`: entries {} changed", old.name.value, names.join(", ")));
        }
    }
    changes.extend(consequences.heads_moved.iter().map(ToString::to_string));
    let stranded = |entries: &[consequences::EntryOf], word: &str| {
        entries.iter().map(|e| format!("`{}` in `{}` {word}", e.name, e.channel)).collect::<Vec<_>>()
    };
    changes.extend(stranded(&consequences.newly_stranded, "is stranded now"));
    changes.extend(stranded(&consequences.no_longer_stranded, "is no longer stranded"));
    changes
}

fn users(before: &Package, after: Option<&Package>) -> Vec<User> {
    let empty = Package { name: before.name.clone(), ..Package::default() };
    let (old, new) = (UpgradeIndex::new(before), UpgradeIndex::new(after.unwrap_or(&empty)));
    let mut seen = BTreeSet::new();
    let everyone: Vec<Installed> = old.installs().into_iter().filter(|i| seen.insert(i.name.clone())).collect();
    let options = Options::default();
    let mut users = Vec::new();
    for lens in [Lens::V0, Lens::V1] {
        for installed in &everyone {
            let (old, new) = (old.path(lens, Some(installed), &options), new.path(lens, Some(installed), &options));
            let (old_next, new_next) = (old.steps.get(1).cloned(), new.steps.get(1).cloned());
            let lower = new_next.as_ref().is_some_and(|next| {
                let version = after.and_then(|p| p.bundle(next)).map_or("", |b| b.version());
                is_lower(version, &installed.version)
            });
            let effect = match (&old_next, &new_next) {
                (old, new) if old == new => None,
                (_, Some(_)) if lower => Some(Effect::Downgrade),
                (Some(_), Some(_)) => Some(Effect::Rerouted),
                (Some(_), None) => Some(Effect::Stranded),
                (None, _) => Some(Effect::Gained),
            };
            let last = |steps: &[Text]| steps.last().cloned().unwrap_or_default();
            users.push(User {
                from: installed.name.clone(),
                version: installed.version.clone(),
                lens,
                old_next,
                new_next,
                old_final: last(&old.steps),
                new_final: last(&new.steps),
                effect,
            });
        }
    }
    users
}

fn broken(packages: &[PackageDiff], verdict: (bool, bool), message: Option<&str>) -> Vec<Broken> {
    let mut broken = Vec::new();
    if verdict == (true, false) {
        let message = format!("opm validate fails now: {}", message.unwrap_or_default());
        broken.push(Broken { invariant: Invariant::Verdict, package: String::new(), message });
    }
    for package in packages {
        let mut add =
            |invariant, message| broken.push(Broken { invariant, package: package.name.to_string(), message });
        for user in &package.users {
            let who = format!("`{}` under {}", user.from, lens_words(user.lens));
            match user.effect {
                Some(Effect::Stranded) => add(Invariant::Stranded, format!("{who} has no next step any more")),
                Some(Effect::Downgrade) => add(
                    Invariant::Downgrade,
                    format!("{who} goes to the lower `{}`", user.new_next.as_deref().unwrap_or_default()),
                ),
                _ => {}
            }
            let version_in = |name: &Text| {
                let of = package.users.iter().find(|u| u.from == *name).map(|u| u.version.clone());
                of.unwrap_or_default()
            };
            let ends_lower = user.old_final != user.new_final
                && is_lower(&version_in(&user.new_final), &version_in(&user.old_final));
            if ends_lower {
                let ends = format!("{who} ended at `{}` and ends at the lower `{}`", user.old_final, user.new_final);
                add(Invariant::LostPath, ends);
            }
        }
    }
    broken
}

fn is_lower(a: &str, b: &str) -> bool {
    match (Version::parse(a), Version::parse(b)) {
        (Ok(a), Ok(b)) => a.cmp_precedence(&b).is_lt(),
        _ => false,
    }
}

fn lens_words(lens: Lens) -> &'static str {
    match lens {
        Lens::V0 => "Classic (v0)",
        Lens::V1 => "OLM v1",
    }
}

fn invariant_name(invariant: Invariant) -> &'static str {
    match invariant {
        Invariant::Stranded => "stranded",
        Invariant::LostPath => "lost-path",
        Invariant::Downgrade => "downgrade",
        Invariant::Verdict => "verdict",
    }
}

fn to_json(packages: &[PackageDiff], broken: &[Broken]) -> Value {
    let user = |u: &User| {
        json!({
            "from": &*u.from,
            "lens": match u.lens { Lens::V0 => "v0", Lens::V1 => "v1" },
            "old_next": u.old_next.as_deref(),
            "new_next": u.new_next.as_deref(),
            "old_final": &*u.old_final,
            "new_final": &*u.new_final,
            "effect": u.effect.map_or("same", Effect::as_str),
        })
    };
    let package = |p: &PackageDiff| {
        let users: Vec<Value> = p.users.iter().map(user).collect();
        json!({ "package": &*p.name, "changes": p.changes, "users": users })
    };
    let broke =
        |b: &Broken| json!({ "invariant": invariant_name(b.invariant), "package": b.package, "message": b.message });
    json!({
        "format": output::FORMAT,
        "packages": packages.iter().map(package).collect::<Vec<_>>(),
        "broken": broken.iter().map(broke).collect::<Vec<_>>(),
    })
}

const HEADER: [&str; 7] = ["FROM", "LENS", "NEXT WAS", "NEXT IS", "ENDED AT", "ENDS AT", "EFFECT"];

/// Only users for whom something changed.
fn rows(package: &PackageDiff) -> Vec<Vec<String>> {
    let name = |n: &Option<Text>| n.as_deref().unwrap_or("-").to_owned();
    let changed = package.users.iter().filter(|u| u.effect.is_some() || u.old_final != u.new_final);
    changed
        .map(|u| {
            vec![
                u.from.to_string(),
                match u.lens {
                    Lens::V0 => "v0".to_owned(),
                    Lens::V1 => "v1".to_owned(),
                },
                name(&u.old_next),
                name(&u.new_next),
                u.old_final.to_string(),
                u.new_final.to_string(),
                u.effect.map_or("same", Effect::as_str).to_owned(),
            ]
        })
        .collect()
}

fn to_text(packages: &[PackageDiff], broken: &[Broken]) -> String {
    let mut out = String::new();
    for package in packages {
        out.push_str(&format!("{}\n", package.name));
        package.changes.iter().for_each(|change| out.push_str(&format!("  {change}\n")));
        let rows = rows(package);
        if !rows.is_empty() {
            let users = table(&HEADER, &rows);
            out.extend(users.lines().map(|line| format!("  {line}\n")));
        }
        out.push('\n');
    }
    for b in broken {
        out.push_str(&format!("{}: {}: {}\n", invariant_name(b.invariant), b.package, b.message));
    }
    if out.is_empty() { "nothing changes for users\n".to_owned() } else { out }
}

fn to_markdown(packages: &[PackageDiff], broken: &[Broken]) -> String {
    let cell = |text: &String| text.replace('|', "\\|");
    let mut out = String::from("## What changes for users\n\n");
    if packages.is_empty() {
        out.push_str("Nothing.\n");
    }
    for package in packages {
        out.push_str(&format!("### {}\n\n", package.name));
        package.changes.iter().for_each(|change| out.push_str(&format!("- {change}\n")));
        let rows = rows(package);
        if !rows.is_empty() {
            out.push_str(
                "\n| From | Lens | Next was | Next is | Ended at | Ends at | Effect |\n|---|---|---|---|---|---|---|\n",
            );
            for row in rows {
                out.push_str(&format!("| {} |\n", row.iter().map(cell).collect::<Vec<_>>().join(" | ")));
            }
        }
        out.push('\n');
    }
    if !broken.is_empty() {
        out.push_str("### Broken\n\n");
        for b in broken {
            out.push_str(&format!("- **{}** {}: {}\n", invariant_name(b.invariant), b.package, b.message));
        }
    }
    out
}

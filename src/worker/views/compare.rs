//! One catalog against another, for the page.

use super::upgrade::cluster_version;
use super::user_table::{capital, package_table};
use super::{entry_changes, unread_places_of_all};
use fbc::catalog::Catalog;
use fbc::compare::cluster::sentences;
use fbc::compare::invariants::{self, CatalogContext, Severity};
use fbc::compare::{self, ChangeKind, Effect, HiddenText, Pair, Unpublished, User};
use fbc::consequences::{self, VerdictChange};
use fbc::order::SortSmall;
use fbc::roots::catalog_version;
use fbc::upgrade::{self, ErrorKind, Installed};
use fbc::validate::Verdict;
use fbc::workspace::{Refused, Root, Workspace};
use protocol::Json;
use protocol::counting::and_more;
use protocol::diagnostic::{self, Diagnostic};
use protocol::upgrades::{
    Baseline, BundleVersion, ComparedKind, ComparedRow, Comparison, EntryChange, PackageComparison,
    UserRow,
};
use protocol::views::Lens;
use std::borrow::Cow;

pub(crate) fn catalogs(
    workspace: &Workspace,
    against: Baseline,
    new: &Root,
) -> Result<Comparison, Refused> {
    let (verdict, gained) = verdict(workspace, &against, new)?;
    let old = old(workspace, &against, new)?;
    let (pairs, same) = compare::catalogs(&old, new.catalog());
    let around = around(&old, new);
    let row = |(pair, mut of): (Pair<'_>, compare::Comparison)| {
        let unpublished = find_unpublished(workspace, &against, (&old, new), &pair.name);
        of.leave_out(&unpublished);
        // Counted as in the package's own table and in the consequence bar.
        let broken = match of.hidden {
            Some(_) => Vec::new(),
            None => invariants::find_broken(&pair, &around, &unpublished),
        };
        let findings = invariants::group_findings(&broken, 1);
        let names = |severity| invariants::causes(&findings, severity).len() as u32;
        ComparedRow {
            package: of.package.to_string(),
            kind: kind(of.kind),
            hit: of.hit() as u32,
            stranded: of.count(Effect::Stranded) as u32,
            downgraded: of.count(Effect::Downgrade) as u32,
            rerouted: of.count(Effect::Rerouted) as u32,
            gained: of.count(Effect::Gained) as u32,
            is_hidden: of.hidden.is_some(),
            is_fresh_changed: of.fresh.iter().any(|fresh| !fresh.is_same()),
            is_unlisted_changed: !of.unlisted.is_empty(),
            errors: names(Severity::Error),
            warnings: names(Severity::Warning),
            summary: summary(&of),
            headline: capital(&of.table().headline()),
        }
    };
    Ok(Comparison {
        root: new.name.clone(),
        new_passed: new.verdict().passed,
        new_message: verdict.opm_message.clone(),
        verdict: verdict.to_text(),
        verdict_tone: verdict.tone(),
        new_problems: gained
            .into_iter()
            .filter(|of| !(of.opm && of.severity == diagnostic::Severity::Error))
            .map(Json)
            .collect(),
        packages: pairs.into_iter().map(row).collect(),
        old: against,
        same: same as u32,
        incomplete: unread_places_of_all([("old", &*old), ("new", new.catalog())]),
    })
}

pub(crate) fn package(
    workspace: &Workspace,
    against: Baseline,
    new: &Root,
    (name, cluster): (&str, &str),
) -> Result<PackageComparison, Refused> {
    let old = old(workspace, &against, new)?;
    let pair = Pair::new(
        old.package(name).map(|p| &**p),
        new.catalog().package(name).map(|p| &**p),
    );
    let unpublished = find_unpublished(workspace, &against, (&old, new), name);
    let mut of = pair.compare();
    of.leave_out(&unpublished);
    of.hide(HiddenText::between(&old, new.catalog()).reason(&pair));
    let mut users: Vec<&User> = of.all_users().filter(|user| !user.is_same()).collect();
    users.sort_small_by(|a, b| a.gravest_first(b));
    let found = match of.hidden {
        Some(_) => Vec::new(),
        None => invariants::group_by_rule(invariants::find_broken(
            &pair,
            &around(&old, new),
            &unpublished,
        )),
    };
    let (version, cluster) = cluster_version(cluster);
    let on_cluster =
        version.map(|version| sentences(of.users.iter().zip(&pair.on_cluster(version)), version));
    Ok(PackageComparison {
        old: against,
        root: new.name.clone(),
        package: name.to_owned(),
        changes: of.sentences(),
        entries: match of.hidden {
            Some(_) => Vec::new(),
            None => entry_changes::entries(&pair, &of.entries),
        },
        table: package_table(&of.table(), &found),
        users: users.into_iter().map(user).collect(),
        cluster,
        on_cluster: on_cluster.unwrap_or_default(),
    })
}

/// The entries of a package that differ from the disk. Does not compute users, so the cost depends on changed files
/// only.
pub(crate) fn unsaved_changes(workspace: &Workspace, root: &Root, name: &str) -> Vec<EntryChange> {
    let old = workspace.changes().on_disk(root);
    let pair = Pair::new(
        old.package(name).map(|p| &**p),
        root.catalog().package(name).map(|p| &**p),
    );
    entry_changes::entries(&pair, &pair.changes().entries)
}

/// The catalog that users have now.
pub(crate) fn old<'a>(
    workspace: &'a Workspace,
    against: &Baseline,
    new: &'a Root,
) -> Result<Cow<'a, Catalog>, Refused> {
    Ok(match against {
        Baseline::Disk => Cow::Owned(workspace.changes().on_disk(new)),
        Baseline::Catalog(root) => Cow::Borrowed(workspace.root(Some(root))?.catalog()),
    })
}

/// Unpublished bundles of a package, which no user has. A bundle in another catalog counts as published.
fn find_unpublished(
    workspace: &Workspace,
    against: &Baseline,
    (old, new): (&Catalog, &Root),
    package: &str,
) -> Unpublished {
    match against {
        Baseline::Disk => {
            let states = old
                .package(package)
                .into_iter()
                .chain(new.catalog().package(package));
            workspace.changes().find_unpublished(new, states)
        }
        Baseline::Catalog(_) => Unpublished::default(),
    }
}

/// The change of the verdict against the users' present catalog, and the new problems.
fn verdict(
    workspace: &Workspace,
    against: &Baseline,
    new: &Root,
) -> Result<(VerdictChange, Vec<Diagnostic>), Refused> {
    let between = |before: &Verdict| {
        let change = VerdictChange::between(&new.name, before, new.verdict());
        (change, consequences::problems_gained(before, new.verdict()))
    };
    Ok(match against {
        Baseline::Disk => between(
            &workspace
                .changes()
                .verdict_on_disk(new, &workspace.changes().on_disk(new)),
        ),
        Baseline::Catalog(root) => between(workspace.root(Some(root))?.verdict()),
    })
}

fn around<'a>(old: &'a Catalog, new: &'a Root) -> CatalogContext<'a> {
    CatalogContext {
        old: Some(old),
        new: Some(new.catalog()),
        ocp: catalog_version(&new.name),
        neighbors: &[],
        resolver_cache: Some(new.resolver_cache()),
    }
}

pub(super) fn kind(kind: ChangeKind) -> ComparedKind {
    match kind {
        ChangeKind::Changed => ComparedKind::Changed,
        ChangeKind::Added => ComparedKind::Added,
        ChangeKind::Removed => ComparedKind::Removed,
    }
}

fn summary(of: &compare::Comparison) -> String {
    if of.hidden.is_some() {
        return "not known: text could not be read".to_owned();
    }
    let sentences = of.sentences();
    match &sentences[..] {
        [] if of.hit() == 0 => "bundles changed".to_owned(),
        [] => "only ways changed".to_owned(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first}, {}", and_more(rest.len())),
    }
}

fn user(user: &User) -> UserRow {
    let stop = |installed: &Installed| BundleVersion {
        name: installed.name.to_string(),
        version: installed.version.to_string(),
    };
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
        errors: [user.old_error, user.error]
            .map(|error| error.map_or("", ErrorKind::as_str).to_owned()),
        effect: user.effect.map_or("same", Effect::as_str).to_owned(),
        says: user.to_string(),
    }
}

//! Skipped bundles and patch releases: I3 and I4.

use super::scene::{Lane, Scene, lens_words};
use super::{Invariant, Severity, Told};
use crate::hashed::HashMap;
use crate::place::Text;
use crate::upgrade::Lens;
use crate::upgrade::everyone::{Course, Courses};
use crate::version::Version;

pub static SKIPPED_INSTALLED: Invariant = Invariant {
    id: "I3",
    name: "skipped-installed",
    severity: Severity::Error,
    rule: "A skipped bundle is never newly installed: neither fresh nor as somebody's next step.",
    why: "`skips` says that a bundle must not be used any more. Classic obeys; OLM v1 still takes a skipped bundle when it \
          is the highest that follows.",
    fix: "Let the skipping entry cover everything that the skipped one covers (by its skips or a skipRange), or drop the \
          skipped entry.",
    check: skipped_installed,
};

pub static LATEST_PATCH: Invariant = Invariant {
    id: "I4",
    name: "latest-patch",
    severity: Severity::Warning,
    rule: "Every version passes through the latest patch of its own minor version, if that is newer.",
    why: "Many operators support updates to the next minor only from the latest patch. A channel may go another way on \
          purpose: with `opm`'s semver template the newest release takes over from every version of its major at once.",
    fix: "Let the latest patch skip the patches below it, and let the next minor replace only that patch: `switchyard edit \
          DIR rebuild-edges --rule z-stream` does so for a whole channel.",
    check: latest_patch,
};

pub static LATEST_PATCH_AT_ONCE: Invariant = Invariant {
    id: "I4",
    name: "latest-patch-at-once",
    severity: Severity::Warning,
    rule: "The latest patch of its own minor version is the very next step, under both lenses.",
    why: "Each step between is an update with its own risk and downtime.",
    fix: "Let the latest patch skip all patches below it: `switchyard edit DIR rebuild-edges --rule z-stream` does so for a \
          whole channel.",
    check: latest_patch_at_once,
};

fn skipped_installed(scene: &Scene<'_>, told: &mut Told<'_>) {
    for lane in scene.present() {
        let ends = [(Lens::V0, lane.head()), (Lens::V1, lane.v1.new.end.as_ref())];
        for (lens, end) in ends.into_iter().filter_map(|(lens, end)| Some((lens, end?))) {
            if lane.skipped.contains(&**end) {
                let under = lens_words(lens);
                let message =
                    format!("a fresh install gets `{end}` under {under}, which is skipped, so not to be used");
                told.tell(lane.name(), end, message, String::new());
            }
        }
        for (lens, courses) in lenses(lane) {
            for &number in &lane.people {
                let Some(hop) = courses.of(number).and_then(|course| course.next.as_ref()) else { continue };
                let (name, next) = (scene.name(number), scene.name(hop.to));
                if lane.skipped.contains(&*next) {
                    let under = lens_words(lens);
                    let message = format!(
                        "whoever runs `{name}` gets `{next}` under {under}, which is skipped, so not to be used"
                    );
                    let by = lane.new.iter().find(|e| e.skips.iter().any(|s| s.value == next));
                    let help = by.map_or_else(String::new, |by| format!("let `{}` skip `{name}` too", by.name.value));
                    told.tell(lane.name(), &name, message, help);
                }
            }
        }
    }
}

fn latest_patch(scene: &Scene<'_>, told: &mut Told<'_>) {
    for lane in scene.present() {
        let latest = latest_of_each_minor(scene, lane);
        for (lens, courses) in lenses(lane) {
            let passes = passes_latest(scene, courses, &latest);
            for &number in &lane.people {
                let Some(&latest) = behind(scene, number, &latest) else { continue };
                if passes.get(&number).copied() == Some(false) {
                    let (name, latest) = (scene.name(number), scene.name(latest));
                    let message = format!(
                        "whoever runs `{name}` never gets its latest patch, `{latest}`, under {}",
                        lens_words(lens)
                    );
                    told.tell(lane.name(), &name, message, format!("let `{latest}` skip `{name}`"));
                }
            }
        }
    }
}

fn latest_patch_at_once(scene: &Scene<'_>, told: &mut Told<'_>) {
    for lane in scene.present() {
        let latest = latest_of_each_minor(scene, lane);
        for &number in &lane.people {
            let Some(&latest) = behind(scene, number, &latest) else { continue };
            let other: Vec<&str> = lenses(lane)
                .into_iter()
                .filter(|(_, courses)| {
                    courses.of(number).and_then(|c| c.next.as_ref()).is_none_or(|hop| hop.to != latest)
                })
                .map(|(lens, _)| lens_words(lens))
                .collect();
            if !other.is_empty() {
                let (name, latest) = (scene.name(number), scene.name(latest));
                let under = other.join(" and ");
                let message =
                    format!("whoever runs `{name}` does not get its latest patch, `{latest}`, at once under {under}");
                told.tell(lane.name(), &name, message, format!("let `{latest}` skip `{name}`"));
            }
        }
    }
}

fn lenses<'l>(lane: &'l Lane<'_>) -> [(Lens, &'l Courses); 2] {
    [(Lens::V0, &lane.channel.v0.new), (Lens::V1, &lane.v1.new)]
}

type Minor = (u64, u64);

fn minor(version: &Version) -> Minor {
    (version.major(), version.minor())
}

/// The highest of New's chain, by minor version.
fn latest_of_each_minor(scene: &Scene<'_>, lane: &Lane<'_>) -> HashMap<Minor, u32> {
    let mut latest: HashMap<Minor, u32> = HashMap::default();
    let bundle = |name: &Text| {
        let version = scene.new_bundles.get(&**name)?.version();
        scene.pair.population.number(&crate::upgrade::Installed::new(name.clone(), version))
    };
    for number in lane.chain().into_iter().flatten().filter_map(bundle) {
        let Some(version) = scene.version(number) else { continue };
        let best = latest.entry(minor(version)).or_insert(number);
        if scene.is_lower(*best, number) {
            *best = number;
        }
    }
    latest
}

/// The latest patch of its minor version, when it is below that.
fn behind<'m>(scene: &Scene<'_>, number: u32, latest: &'m HashMap<Minor, u32>) -> Option<&'m u32> {
    latest.get(&minor(scene.version(number)?)).filter(|&&latest| scene.is_lower(number, latest))
}

/// Who comes to the latest patch of its minor version before leaving that version. Each way is walked once.
fn passes_latest(scene: &Scene<'_>, courses: &Courses, latest: &HashMap<Minor, u32>) -> HashMap<u32, bool> {
    let mut passes: HashMap<u32, bool> = HashMap::default();
    let of = |number: u32| scene.version(number).map(minor);
    for &start in &courses.members {
        let mut way = Vec::new();
        let mut at = start;
        let found = loop {
            if let Some(&known) = passes.get(&at) {
                break known;
            }
            // A circle passes nothing; who is found later on this way is told the same.
            passes.insert(at, false);
            way.push(at);
            let next = courses.of(at).and_then(|course: &Course| course.next.as_ref()).map(|hop| hop.to);
            let Some(next) = next else { break false };
            if of(at).and_then(|minor| latest.get(&minor)) == Some(&next) {
                break true;
            }
            if of(next) != of(at) {
                break false;
            }
            at = next;
        };
        way.into_iter().for_each(|number| {
            passes.insert(number, found);
        });
    }
    passes
}

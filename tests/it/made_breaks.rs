//! Breaks valid packages in several ways and counts how often the first offered fix repairs them:
//! the first fix of the first problem that `opm` refuses must restore the package (or, if the
//! original cannot be known, a package that passes) for nine of ten breaks of each class.
//!
//! Uses our own packages in three spellings, and real ones if the corpus is available.
//! `SWITCHYARD_BREAKS` sets the number of breaks of real packages (small by default),
//! `SWITCHYARD_SEED` the seed.

use super::edit_corpus::count_and_random;
use super::packages_in_order::{Files, our_packages};
use ::catalog::model::{ChannelBlob, FileId, Package};
use protocol::operation::{DanglingEdges, EditOp};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use session::{self, Session};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::path::PathBuf;
use syntax::place::{Place, Spanned, Text};
use test_support::{MemorySource, read_tree, shared_folder};

/// The criterion of a repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Criterion {
    /// All names and edges are as before.
    Restored,
    /// The package passes: the original cannot be known.
    Passes,
}

/// A class of breaks: its name, the criterion, and a function that makes it.
struct BreakClass {
    name: &'static str,
    cure: Criterion,
    make: fn(&ValidPackage<'_>, &mut StdRng) -> Option<Break>,
}

enum Break {
    /// Replaces text of a file.
    Text(Vec<(usize, Range<usize>, String)>),
    Ops(Vec<EditOp>),
}

const BREAK_CLASSES: &[BreakClass] = &[
    BreakClass {
        name: "typo in an entry's name",
        cure: Criterion::Restored,
        make: entry_name,
    },
    // A name that differs only in a number is not offered: it may well be another version.
    BreakClass {
        name: "typo in an entry's version",
        cure: Criterion::Passes,
        make: entry_version,
    },
    BreakClass {
        name: "typo in replaces",
        cure: Criterion::Restored,
        make: replaces,
    },
    BreakClass {
        name: "typo in skips",
        cure: Criterion::Restored,
        make: skips,
    },
    // A skip of a version that the catalog lacks is often right: another one may be missing.
    BreakClass {
        name: "another version in skips",
        cure: Criterion::Passes,
        make: skipped_version,
    },
    BreakClass {
        name: "typo in defaultChannel",
        cure: Criterion::Restored,
        make: default_channel,
    },
    BreakClass {
        name: "typo in a deprecation",
        cure: Criterion::Restored,
        make: deprecation,
    },
    BreakClass {
        name: "entry listed again",
        cure: Criterion::Restored,
        make: duplicate_entry,
    },
    BreakClass {
        name: "bundle there again",
        cure: Criterion::Restored,
        make: duplicate_bundle,
    },
    BreakClass {
        name: "bundle missing",
        cure: Criterion::Passes,
        make: missing_bundle,
    },
    BreakClass {
        name: "typo in a bundle's name",
        cure: Criterion::Restored,
        make: bundle_name,
    },
    BreakClass {
        name: "typo in a channel's package",
        cure: Criterion::Restored,
        make: channel_package,
    },
    BreakClass {
        name: "typo in a bundle's package",
        cure: Criterion::Restored,
        make: bundle_package,
    },
    BreakClass {
        name: "typo in the package of deprecations",
        cure: Criterion::Restored,
        make: deprecations_package,
    },
    BreakClass {
        name: "typo in the definition's name",
        cure: Criterion::Restored,
        make: definition_name,
    },
    BreakClass {
        name: "typo in packageName",
        cure: Criterion::Restored,
        make: package_name,
    },
    BreakClass {
        name: "no replaces",
        cure: Criterion::Restored,
        make: no_replaces,
    },
    BreakClass {
        name: "entry missing",
        cure: Criterion::Passes,
        make: missing_entry,
    },
    BreakClass {
        name: "replaces in a cycle",
        cure: Criterion::Restored,
        make: cycle,
    },
    BreakClass {
        name: "entry replaces itself",
        cure: Criterion::Passes,
        make: replaces_itself,
    },
    BreakClass {
        name: "comma in skipRange",
        cure: Criterion::Restored,
        make: comma_in_range,
    },
    BreakClass {
        name: "no defaultChannel",
        cure: Criterion::Passes,
        make: no_default,
    },
];

/// A valid package with its text.
struct ValidPackage<'a> {
    session: &'a Session,
    files: &'a Files,
    package: &'a Package,
}

impl ValidPackage<'_> {
    /// The byte range of a place in its file.
    fn range(&self, file: FileId, index: u32, place: Place) -> Option<(usize, Range<usize>)> {
        let (at, blob) = self.blob(file, index)?;
        Some((
            at,
            blob.start + place.start as usize..blob.start + place.end as usize,
        ))
    }

    /// The byte range of a blob.
    fn blob(&self, file: FileId, index: u32) -> Option<(usize, Range<usize>)> {
        let found = self.session.roots()[0].catalog().file(file)?;
        let blob = found.index()?.blobs.get(index as usize)?;
        let at = self
            .files
            .iter()
            .position(|(path, _)| *path == found.path)?;
        Some((at, blob.start as usize..blob.end as usize))
    }

    /// Replaces this name where it is written plainly.
    fn rename(
        &self,
        (file, index): (FileId, u32),
        name: &Spanned<Text>,
        other: &str,
    ) -> Option<Break> {
        let (at, mut range) = self.range(file, index, name.place)?;
        let text = std::str::from_utf8(&self.files[at].1[range.clone()]).ok()?;
        if text.len() == name.value.len() + 2 {
            range = range.start + 1..range.end - 1;
        }
        (self.files[at].1[range.clone()] == *name.value.as_bytes())
            .then(|| Break::Text(vec![(at, range, other.to_owned())]))
    }

    fn has_name(&self, name: &str) -> bool {
        let package = self.package;
        package.bundles.iter().any(|b| b.name.as_str() == name)
            || package.channels.iter().any(|c| {
                c.name.as_str() == name || c.entries.iter().any(|e| e.name.as_str() == name)
            })
            || *package.name == *name
    }

    /// The name with a typing error: a character added, removed, replaced, or two swapped.
    fn typo(&self, random: &mut StdRng, name: &str, among: fn(char) -> bool) -> Option<String> {
        let letters: Vec<char> = name.chars().collect();
        let places: Vec<usize> = (0..letters.len()).filter(|&i| among(letters[i])).collect();
        for _ in 0..20 {
            let at = *pick(random, &places)?;
            let mut slipped = letters.clone();
            match random.random_range(0..4) {
                0 => drop(slipped.remove(at)),
                1 => slipped.insert(at, letters[at]),
                2 if at + 1 < slipped.len() && among(letters[at + 1]) => slipped.swap(at, at + 1),
                _ => {
                    let other = |c: char, first: u8, count: u8| {
                        char::from(first + (c as u8 - first + 1) % count)
                    };
                    slipped[at] = match letters[at] {
                        c @ '0'..='9' => other(c, b'0', 10),
                        c @ 'a'..='z' => other(c, b'a', 26),
                        c @ 'A'..='Z' => other(c, b'A', 26),
                        _ => continue,
                    };
                }
            }
            let slipped: String = slipped.into_iter().collect();
            if slipped != name && !slipped.is_empty() && !self.has_name(&slipped) {
                return Some(slipped);
            }
        }
        None
    }
}

fn pick<'a, T>(random: &mut StdRng, all: &'a [T]) -> Option<&'a T> {
    (!all.is_empty()).then(|| &all[random.random_range(0..all.len())])
}

fn letter(c: char) -> bool {
    c.is_ascii_alphabetic()
}

fn digit(c: char) -> bool {
    c.is_ascii_digit()
}

fn either(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

fn entry_typo(
    whole: &ValidPackage<'_>,
    random: &mut StdRng,
    among: fn(char) -> bool,
) -> Option<Break> {
    let channel = pick(random, &whole.package.channels)?;
    let entry = pick(random, &channel.entries)?;
    let other = whole.typo(random, entry.name.as_str(), among)?;
    whole.rename((channel.file, channel.index), &entry.name, &other)
}

fn entry_name(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    entry_typo(whole, random, letter)
}

fn entry_version(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    entry_typo(whole, random, digit)
}

fn replaces(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let channel = pick(random, &whole.package.channels)?;
    let with: Vec<_> = channel
        .entries
        .iter()
        .filter(|e| !e.replaces.is_empty())
        .collect();
    let entry = pick(random, &with)?;
    let other = whole.typo(random, entry.replaces.as_str(), either)?;
    whole.rename((channel.file, channel.index), &entry.replaces, &other)
}

fn skips(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    skip_typo(whole, random, letter)
}

fn skipped_version(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    skip_typo(whole, random, digit)
}

fn skip_typo(
    whole: &ValidPackage<'_>,
    random: &mut StdRng,
    among: fn(char) -> bool,
) -> Option<Break> {
    let channel = pick(random, &whole.package.channels)?;
    let all: Vec<_> = channel.entries.iter().flat_map(|e| &e.skips).collect();
    let skip = pick(random, &all)?;
    let other = whole.typo(random, skip.as_str(), among)?;
    whole.rename((channel.file, channel.index), skip, &other)
}

fn default_channel(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let definition = whole.package.packages.first()?;
    let other = whole.typo(random, definition.default_channel.as_str(), either)?;
    whole.rename(
        (definition.file, definition.index),
        &definition.default_channel,
        &other,
    )
}

fn deprecation(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let blob = whole.package.deprecations.first()?;
    let entries: Vec<_> = blob
        .entries
        .iter()
        .filter(|e| e.schema.as_str() != "olm.package")
        .collect();
    let entry = pick(random, &entries)?;
    let other = whole.typo(random, entry.name.as_str(), letter)?;
    whole.rename((blob.file, blob.index), &entry.name, &other)
}

fn duplicate_entry(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let channel = pick(random, &whole.package.channels)?;
    let entry = pick(random, &channel.entries)?;
    let (at, range) = whole.range(channel.file, channel.index, entry.place)?;
    let text = std::str::from_utf8(&whole.files[at].1).ok()?;
    let copy = text[range.clone()].trim_end();
    let before = &text[text[..range.start].rfind('\n').map_or(0, |at| at + 1)..range.start];
    let block = before.trim_start() == "- ";
    let between = if block {
        format!("\n{before}")
    } else {
        ", ".to_owned()
    };
    Some(Break::Text(vec![(
        at,
        range.start..range.start,
        format!("{copy}{between}"),
    )]))
}

/// Repeats the blob directly after itself.
fn duplicate_bundle(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let bundle = pick(random, &whole.package.bundles)?;
    let (at, Range { start, end }) = whole.blob(bundle.file, bundle.index)?;
    let text = std::str::from_utf8(&whole.files[at].1).ok()?;
    let line_break = if text[..end].ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let between = if whole.files[at].0.ends_with(".json") {
        "\n"
    } else {
        "---\n"
    };
    Some(Break::Text(vec![(
        at,
        end..end,
        format!("{line_break}{between}{}\n", text[start..end].trim_end()),
    )]))
}

fn missing_bundle(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let bundle = pick(random, &whole.package.bundles)?;
    // If a channel would become empty without it, only the bundle itself would help.
    let lists_only = |channel: &ChannelBlob| matches!(&channel.entries[..], [one] if one.name.value == bundle.name.value);
    if whole
        .package
        .channels
        .iter()
        .any(|channel| lists_only(channel))
    {
        return None;
    }
    let (at, range) = whole.blob(bundle.file, bundle.index)?;
    Some(Break::Text(vec![(at, range, String::new())]))
}

fn bundle_name(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let bundle = pick(random, &whole.package.bundles)?;
    let other = whole.typo(random, bundle.name.as_str(), either)?;
    whole.rename((bundle.file, bundle.index), &bundle.name, &other)
}

fn channel_package(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let channel = pick(random, &whole.package.channels)?;
    let other = whole.typo(random, channel.package.as_str(), either)?;
    whole.rename((channel.file, channel.index), &channel.package, &other)
}

fn bundle_package(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let bundle = pick(random, &whole.package.bundles)?;
    let other = whole.typo(random, bundle.package.as_str(), either)?;
    whole.rename((bundle.file, bundle.index), &bundle.package, &other)
}

fn deprecations_package(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let blob = whole.package.deprecations.first()?;
    let other = whole.typo(random, blob.package.as_str(), either)?;
    whole.rename((blob.file, blob.index), &blob.package, &other)
}

fn definition_name(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let definition = whole.package.packages.first()?;
    let other = whole.typo(random, definition.name.as_str(), either)?;
    whole.rename(
        (definition.file, definition.index),
        &definition.name,
        &other,
    )
}

fn package_name(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let bundle = pick(random, &whole.package.bundles)?;
    let property = bundle.package_properties.first()?;
    let other = whole.typo(random, property.package_name.as_str(), either)?;
    whole.rename((bundle.file, bundle.index), &property.package_name, &other)
}

fn set_replaces(
    whole: &ValidPackage<'_>,
    channel: &str,
    name: &str,
    replaces: Option<&str>,
) -> Option<Break> {
    Some(Break::Ops(vec![EditOp::SetReplaces {
        catalog: None,
        package: whole.package.name.to_string(),
        channel: channel.to_owned(),
        name: name.to_owned(),
        replaces: replaces.map(str::to_owned),
    }]))
}

fn no_replaces(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let channel = pick(random, &whole.package.channels)?;
    let with: Vec<_> = channel
        .entries
        .iter()
        .filter(|e| !e.replaces.is_empty())
        .collect();
    let entry = pick(random, &with)?;
    set_replaces(whole, channel.name.as_str(), entry.name.as_str(), None)
}

fn missing_entry(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let channel = pick(random, &whole.package.channels)?;
    let entry = pick(random, &channel.entries)?;
    Some(Break::Ops(vec![EditOp::RemoveEntry {
        catalog: None,
        package: whole.package.name.to_string(),
        channel: channel.name.value.to_string(),
        name: entry.name.value.to_string(),
        then: DanglingEdges::Leave,
    }]))
}

/// The oldest entry replaces one above it.
fn cycle(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let channel = pick(random, &whole.package.channels)?;
    let below = |name: &str| {
        let entry = channel.entries.iter().find(|e| e.name.as_str() == name)?;
        channel
            .entries
            .iter()
            .find(|e| e.name.value == entry.replaces.value && !e.name.is_empty())
    };
    let start = pick(random, &channel.entries)?;
    let mut chain = vec![start.name.as_str()];
    while let Some(next) =
        below(chain[chain.len() - 1]).filter(|_| chain.len() <= channel.entries.len())
    {
        chain.push(next.name.as_str());
    }
    let oldest = channel
        .entries
        .iter()
        .find(|e| Some(&e.name.as_str()) == chain.last())?;
    let back = pick(random, &chain[..chain.len() - 1])?;
    oldest.replaces.is_empty().then_some(())?;
    set_replaces(
        whole,
        channel.name.as_str(),
        oldest.name.as_str(),
        Some(back),
    )
}

fn replaces_itself(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let channel = pick(random, &whole.package.channels)?;
    let entry = pick(random, &channel.entries)?;
    set_replaces(
        whole,
        channel.name.as_str(),
        entry.name.as_str(),
        Some(entry.name.as_str()),
    )
}

fn comma_in_range(whole: &ValidPackage<'_>, random: &mut StdRng) -> Option<Break> {
    let channel = pick(random, &whole.package.channels)?;
    let with: Vec<_> = channel
        .entries
        .iter()
        .filter(|e| e.skip_range.as_str().matches(' ').count() == 1)
        .collect();
    let entry = pick(random, &with)?;
    let other = entry.skip_range.as_str().replace(' ', ", ");
    whole.rename((channel.file, channel.index), &entry.skip_range, &other)
}

fn no_default(whole: &ValidPackage<'_>, _: &mut StdRng) -> Option<Break> {
    let definition = whole.package.packages.first()?;
    whole.rename(
        (definition.file, definition.index),
        &definition.default_channel,
        "''",
    )
}

/// The content of a package, regardless of places and spelling.
fn content_of(session: &Session) -> String {
    let mut out = String::new();
    for package in session.roots()[0].catalog().packages() {
        writeln!(
            out,
            "package {:?} {:?}",
            package.name,
            package.default_channel()
        )
        .unwrap();
        let mut lines = Vec::new();
        for channel in &package.channels {
            for e in &channel.entries {
                let mut skips: Vec<&str> = e.skips.iter().map(|s| s.as_str()).collect();
                skips.sort_unstable();
                let range = e.skip_range.as_str();
                lines.push(format!(
                    "{} {} {} {skips:?} {range}",
                    channel.name.value, e.name.value, e.replaces.value
                ));
            }
        }
        lines.extend(package.bundles.iter().map(|b| {
            let packages: Vec<&str> = b
                .package_properties
                .iter()
                .map(|p| p.package_name.as_str())
                .collect();
            format!("{} {packages:?} {}", b.name.value, b.image.value)
        }));
        let deprecations = package.deprecations.iter().flat_map(|blob| &blob.entries);
        lines.extend(
            deprecations
                .map(|e| format!("{} {} {}", e.schema.value, e.name.value, e.message.value)),
        );
        lines.sort();
        out += &lines.join("\n");
    }
    out
}

/// The results for one class of breaks.
#[derive(Debug, Default)]
struct Count {
    broken: usize,
    cured: usize,
    passes: usize,
    /// Some unrepaired examples for debugging.
    examples: Vec<String>,
}

#[derive(Debug, Default)]
struct Counts(BTreeMap<&'static str, Count>);

impl Counts {
    /// Tries `times` breaks of every class on a valid package.
    fn try_package(&mut self, id: &str, files: &Files, random: &mut StdRng, times: usize) {
        for kind in BREAK_CLASSES {
            for _ in 0..times {
                self.try_break(id, files, kind, random);
            }
        }
    }

    fn try_break(&mut self, id: &str, files: &Files, kind: &BreakClass, random: &mut StdRng) {
        let (held, source) = MemorySource::with_files(files.clone());
        let whole = session::open_one("dir", held, source);
        assert!(whole.roots()[0].verdict().passed, "{id} is not in order");
        let Some(package) = whole.roots()[0].catalog().packages().next().cloned() else {
            return;
        };
        let before = content_of(&whole);
        let made_break = (kind.make)(
            &ValidPackage {
                session: &whole,
                files,
                package: &package,
            },
            random,
        );
        let Some(made_break) = made_break else { return };
        let mut broken = match &made_break {
            Break::Ops(ops) => {
                let mut session = whole;
                if session.apply("break", ops).is_err() {
                    return;
                }
                session
            }
            Break::Text(changes) => {
                let mut files = files.clone();
                for (file, range, text) in changes {
                    files[*file].1.splice(range.clone(), text.bytes());
                }
                let (held, source) = MemorySource::with_files(files);
                session::open_one("dir", held, source)
            }
        };
        let verdict = broken.roots()[0].verdict();
        if verdict.passed {
            return;
        }
        let first = verdict
            .diagnostics
            .iter()
            .find(|d| d.opm)
            .expect("what opm refuses has a problem")
            .clone();
        let count = self.0.entry(kind.name).or_default();
        count.broken += 1;
        let mut outcome = format!("{id}: {} ({}): ", first.rule, first.message);
        let Some(fix) = first.fixes.first() else {
            outcome += "nothing is offered";
            count.examples.push(outcome);
            return;
        };
        outcome += &fix.title;
        let applied = broken.apply(&fix.title, &fix.ops).is_ok();
        let passes = applied && broken.roots()[0].verdict().passed;
        let cured = passes && (kind.cure == Criterion::Passes || content_of(&broken) == before);
        count.passes += usize::from(passes);
        count.cured += usize::from(cured);
        if !cured {
            let left = broken.roots()[0]
                .verdict()
                .opm_message
                .clone()
                .unwrap_or_default();
            count
                .examples
                .push(format!("{outcome}: {}", left.replace('\n', " ")));
        }
    }

    fn check(&self, what: &str) {
        println!("{what}: the first fix repairs");
        for (kind, count) in &self.0 {
            println!(
                "  {kind}: {} of {} ({} pass)",
                count.cured, count.broken, count.passes
            );
            for example in
                count
                    .examples
                    .iter()
                    .take(if std::env::var_os("SWITCHYARD_BREAKS").is_some() {
                        12
                    } else {
                        3
                    })
            {
                println!("    {example}");
            }
        }
        let poor: Vec<_> = self
            .0
            .iter()
            .filter(|(_, count)| count.cured * 10 < count.broken * 9)
            .map(|(k, _)| *k)
            .collect();
        assert!(
            poor.is_empty(),
            "{what}: the first fix repairs less than nine of ten of: {poor:?}"
        );
    }
}

#[test]
fn the_first_fix_repairs_breaks_of_our_packages() {
    let mut counts = Counts::default();
    let mut random = StdRng::seed_from_u64(7);
    for (id, files) in our_packages() {
        counts.try_package(id, &files, &mut random, 2);
    }
    assert_eq!(
        counts.0.len(),
        BREAK_CLASSES.len(),
        "every class of breaks occurs: {:?}",
        counts.0.keys()
    );
    counts.check("own packages");
}

#[test]
fn the_first_fix_repairs_breaks_of_real_packages() {
    let Some(shared) = shared_folder().filter(|shared| shared.join("corpus").is_dir()) else {
        println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
        return;
    };
    let (_, mut random) = count_and_random(0);
    let most: usize = std::env::var("SWITCHYARD_BREAKS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(120);
    let mut folders: Vec<PathBuf> = Vec::new();
    for group in ["operatorhub", "redhat"] {
        let Ok(entries) = std::fs::read_dir(shared.join("corpus").join(group)) else {
            continue;
        };
        folders.extend(
            entries
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.is_dir()),
        );
    }
    folders.sort();
    let mut counts = Counts::default();
    // The same number of packages for each class, spread over all of them.
    let packages = most.div_ceil(BREAK_CLASSES.len()).max(1);
    for (nth, kind) in BREAK_CLASSES.iter().enumerate() {
        for step in 0..packages {
            let folder = &folders[(nth * 17 + step * folders.len() / packages) % folders.len()];
            let files = read_tree(folder);
            let size: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
            if size > 2_000_000 && most < 1000 || !passes(&files) {
                continue;
            }
            counts.try_break(
                &folder.file_name().unwrap().to_string_lossy(),
                &files,
                kind,
                &mut random,
            );
        }
    }
    // Some classes cannot occur in the packages of the sample.
    assert!(
        counts.0.len() >= 15,
        "only these classes of breaks occur: {:?}",
        counts.0.keys()
    );
    counts.check("real packages");
}

fn passes(files: &Files) -> bool {
    let (held, source) = MemorySource::with_files(files.clone());
    session::open_one("dir", held, source).roots()[0]
        .verdict()
        .passed
}

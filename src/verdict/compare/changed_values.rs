//! Collects the effects of a change on a package, by subject, for comparison with its effects in
//! another catalog.
//!
//! Two changes are equal if they affect the same subjects with the same values before and after.
//! Unaffected subjects may differ, as may order, positions and spelling.

use catalog::model::{BundleBlob, Entry, Located, Package};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use syntax::place::Text;

/// Maximum number of characters shown of a value.
const MAX_SHOWN: usize = 60;

/// A part of a package that a change can affect, in the order of messages.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Subject {
    rank: Rank,
    /// The name as displayed, such as ``channel `stable` ``.
    name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Package,
    Channel,
    Entry,
    Bundle,
    Deprecation,
}

/// A field of a subject, with its value.
type Field = (&'static str, String);

/// A subject's values, field by field; `None` if it does not exist.
type Fields = Option<Vec<Field>>;

/// The affected subjects by package, with their fields before and after.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedValues(BTreeMap<(Text, Subject), [Fields; 2]>);

impl ChangedValues {
    /// Collects the values that differ between two states; `None` means the package does not exist.
    pub fn between(before: Option<&Package>, after: Option<&Package>) -> Self {
        let (mut was, mut is) = (subjects(before, after), subjects(after, before));
        let all: BTreeSet<Subject> = was.keys().chain(is.keys()).cloned().collect();
        let package = before.or(after).map(|p| p.name.clone()).unwrap_or_default();
        let pairs = all.into_iter().map(|subject| {
            let states = [was.remove(&subject), is.remove(&subject)];
            // One step may change several packages, whose channels often share names.
            ((package.clone(), subject), states)
        });
        Self(pairs.filter(|(_, [was, is])| was != is).collect())
    }

    /// Whether the change affects neither users nor the graph.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the changes of another package of the same step.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Ignores the content of these bundles: it has a single source, but each catalog stores it in
    /// its own form.
    pub fn without_bundles(mut self, names: &[&str]) -> Self {
        let bundles: Vec<Subject> = names.iter().map(|name| bundle_subject(name)).collect();
        self.0.retain(|(_, subject), _| !bundles.contains(subject));
        self
    }

    /// Describes the first difference between `self` and `other`, with names in backticks; `None`
    /// if they are equal.
    pub fn first_difference(&self, other: &Self) -> Option<String> {
        let all: BTreeSet<&(Text, Subject)> = self.0.keys().chain(other.0.keys()).collect();
        all.into_iter().find_map(|key| {
            let name = &key.1.name;
            match (self.0.get(key), other.0.get(key)) {
                (Some([was, is]), Some([other_was, other_is])) => {
                    describe_difference(name, was, other_was, &BEFORE)
                        .or_else(|| describe_difference(name, is, other_is, &AFTER))
                }
                (Some(_), None) => Some(format!("{name} does not change there")),
                (None, Some(_)) => Some(format!("{name} changes there too")),
                (None, None) => None,
            }
        })
    }
}

/// Phrases for a difference between the states before the change, or between those after it.
struct Wording {
    only_there: &'static str,
    only_here: &'static str,
    occurs: &'static str,
    is: &'static str,
}

const BEFORE: Wording = Wording {
    only_there: "already exists",
    only_here: "does not exist there",
    occurs: "occurs there",
    is: "is",
};

const AFTER: Wording = Wording {
    only_there: "would remain there",
    only_here: "would be removed there",
    occurs: "would occur there",
    is: "would be",
};

/// Describes how a subject's values in one state differ between the two catalogs.
fn describe_difference(
    name: &str,
    here: &Fields,
    there: &Fields,
    wording: &Wording,
) -> Option<String> {
    let (here, there) = match (here, there) {
        (None, None) => return None,
        (None, Some(_)) => return Some(format!("{name} {}", wording.only_there)),
        (Some(_), None) => return Some(format!("{name} {}", wording.only_here)),
        (Some(here), Some(there)) => (here, there),
    };
    if here.len() != there.len() {
        return Some(format!(
            "{name} {} a different number of times",
            wording.occurs
        ));
    }
    let ((field, here), (_, there)) = here
        .iter()
        .zip(there)
        .find(|(here, there)| here.1 != there.1)?;
    let (here, there) = (quote_value(here), quote_value(there));
    Some(format!(
        "{name}: {field} {} {there} there, {here} here",
        wording.is
    ))
}

fn quote_value(value: &str) -> String {
    match value.char_indices().nth(MAX_SHOWN) {
        _ if value.is_empty() => "none".to_owned(),
        Some((end, _)) => format!("`{}…`", &value[..end]),
        None => format!("`{value}`"),
    }
}

fn bundle_subject(name: &str) -> Subject {
    Subject {
        rank: Rank::Bundle,
        name: format!("bundle `{name}`"),
    }
}

/// Returns the subjects of a package, without blobs shared with the other state. Merges duplicates.
fn subjects(package: Option<&Package>, other: Option<&Package>) -> BTreeMap<Subject, Vec<Field>> {
    let mut subjects: BTreeMap<Subject, Vec<Field>> = BTreeMap::new();
    let mut add = |rank: Rank, name: String, fields: Vec<Field>| {
        let subject = Subject { rank, name };
        subjects.entry(subject).or_default().extend(fields)
    };
    let Some(package) = package else {
        return subjects;
    };
    for blob in unshared_blobs(&package.packages, other.map(|p| &*p.packages)) {
        let default_channel = blob.default_channel.value.to_string();
        let presence = |is: bool| if is { "there" } else { "" }.to_owned();
        for (subject, value) in [
            ("the default channel", default_channel),
            ("the description", presence(blob.has_description)),
            ("the icon", presence(blob.has_icon)),
        ] {
            add(Rank::Package, subject.to_owned(), vec![("it", value)]);
        }
    }
    for channel in unshared_blobs(&package.channels, other.map(|p| &*p.channels)) {
        let channel_name = &channel.name.value;
        add(
            Rank::Channel,
            format!("channel `{channel_name}`"),
            Vec::new(),
        );
        for entry in &channel.entries {
            let subject = format!("`{}` in `{channel_name}`", entry.name.value);
            add(Rank::Entry, subject, edges(entry));
        }
    }
    for bundle in unshared_blobs(&package.bundles, other.map(|p| &*p.bundles)) {
        let Subject { rank, name } = bundle_subject(bundle.name.as_str());
        add(rank, name, content(bundle));
    }
    for entry in unshared_blobs(&package.deprecations, other.map(|p| &*p.deprecations))
        .flat_map(|blob| &blob.entries)
    {
        let mut subject = format!(
            "the deprecation of {}",
            entry.schema.as_str().trim_start_matches("olm.")
        );
        match entry.name.as_str() {
            "" => subject = subject.replacen("of ", "of the ", 1),
            name => subject += &format!(" `{name}`"),
        }
        let message = entry.message.value.to_string();
        add(Rank::Deprecation, subject, vec![("message", message)]);
    }
    subjects
}

/// Returns the blobs that the other state does not share. An edit shares the blobs it does not
/// touch.
fn unshared_blobs<'a, T>(
    blobs: &'a [Located<T>],
    others: Option<&'a [Located<T>]>,
) -> impl Iterator<Item = &'a Located<T>> {
    let shared: HashSet<*const T> = others
        .unwrap_or_default()
        .iter()
        .map(|blob| Arc::as_ptr(&blob.data))
        .collect();
    blobs
        .iter()
        .filter(move |blob| !shared.contains(&Arc::as_ptr(&blob.data)))
}

fn edges(entry: &Entry) -> Vec<Field> {
    let skips: BTreeSet<&str> = entry.skips.iter().map(|skip| skip.as_str()).collect();
    vec![
        ("replaces", entry.replaces.value.to_string()),
        ("skips", skips.into_iter().collect::<Vec<_>>().join(", ")),
        ("skipRange", entry.skip_range.value.to_string()),
    ]
}

fn content(bundle: &BundleBlob) -> Vec<Field> {
    vec![
        ("image", bundle.image.value.to_string()),
        ("version", bundle.version().to_owned()),
        ("release", bundle.release().to_owned()),
        (
            "properties",
            bundle
                .properties
                .iter()
                .map(|p| format!("{} {}; ", p.kind, p.value.as_deref().unwrap_or_default()))
                .collect(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::testing::package;

    fn differs(own: (&str, &str), other: (&str, &str)) -> Option<String> {
        let of = |(before, after): (&str, &str)| {
            ChangedValues::between(Some(&package(before)), Some(&package(after)))
        };
        of(own).first_difference(&of(other))
    }

    #[test]
    fn unchanged_values_may_differ() {
        let here = ("c: a; b r:a", "c: a; b");
        assert_eq!(differs(here, ("c: z; a; b r:a", "c: z; a; b")), None);
        assert_eq!(
            differs(here, ("c: a; b r:a\nd: b r:z", "c: a; b\nd: b r:z")),
            None
        );
    }

    #[test]
    fn values_must_be_equal_before_and_after() {
        let here = ("c: a; b r:a", "c: a; b");
        let difference = |before, after| differs(here, (before, after)).unwrap_or_default();
        assert_eq!(
            difference("c: a; b r:x", "c: a; b"),
            "`b` in `c`: replaces is `x` there, `a` here"
        );
        assert_eq!(
            difference("c: a; b r:a", "c: a; b r:z"),
            "`b` in `c`: replaces would be `z` there, none here"
        );
        assert_eq!(
            difference("c: a; b r:a; b r:a", "c: a; b; b"),
            "`b` in `c` occurs there a different number of times"
        );
        assert_eq!(
            difference("c: a; b r:a", "c: a; b; b"),
            "`b` in `c` would occur there a different number of times"
        );
        assert_eq!(
            difference("c: a; b", "c: a; b"),
            "`b` in `c` does not change there"
        );
        assert_eq!(
            difference("c: a; b r:a; d r:b", "c: a; b; d r:a"),
            "`d` in `c` changes there too"
        );
    }

    #[test]
    fn additions_must_be_new_and_removals_complete() {
        let adds = ("c: a", "c: a; b r:a");
        assert_eq!(differs(adds, adds), None);
        assert_eq!(
            differs(adds, ("c: a; b", "c: a; b r:a")).as_deref(),
            Some("`b` in `c` already exists")
        );
        let removes = ("c: a; b r:a", "c: a");
        assert_eq!(differs(removes, ("c: a; b r:a\nd: b", "c: a\nd: b")), None);
        assert_eq!(
            differs(removes, ("c: a; b r:a", "c: a; b")).as_deref(),
            Some("`b` in `c` would remain there")
        );
    }

    #[test]
    fn shared_blobs_are_skipped() {
        let before = package("c: a@1.0.0; b@2.0.0 r:a");
        assert!(ChangedValues::between(Some(&before), Some(&before.clone())).is_empty());
        assert!(!ChangedValues::between(Some(&before), None).is_empty());
    }

    #[test]
    fn packages_of_one_step_are_kept_apart() {
        let of = |name: &str, before: &str, after: &str| {
            let (mut before, mut after) = (package(before), package(after));
            (before.name, after.name) = (name.into(), name.into());
            ChangedValues::between(Some(&before), Some(&after))
        };
        let with_q = |mut all: ChangedValues| {
            all.extend(of("q", "c: a", "d: a"));
            all
        };
        let (first, second) = (
            with_q(of("p", "c: a", "d: a")),
            with_q(of("p", "x: a", "d: a")),
        );
        assert!(first.first_difference(&second).is_some());
        assert_eq!(
            first.first_difference(&with_q(of("p", "c: a", "d: a"))),
            None
        );
    }

    #[test]
    fn long_values_are_cut() {
        let long = "v".repeat(80);
        let difference =
            differs(("c: a r:x", "c: a"), (&format!("c: a r:{long}"), "c: a")).unwrap_or_default();
        assert_eq!(
            difference,
            format!(
                "`a` in `c`: replaces is `{}…` there, `x` here",
                "v".repeat(60)
            )
        );
    }
}

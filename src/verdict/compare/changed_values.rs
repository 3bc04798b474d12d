//! Collects the effects of a change on a package, subject by subject, to compare them with those of
//! the same change in another catalog.
//!
//! Two changes are equal if they affect the same subjects with the same values before and after.
//! Unaffected subjects may differ, as may order, positions and spelling.

use catalog::model::{BundleBlob, Entry, Located, Package};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use syntax::place::Text;

/// Maximum number of characters shown of a value.
const MAX_SHOWN: usize = 60;

/// A part of a package that a change can affect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    DefaultChannel,
    Description,
    Icon,
    Channel(String),
    Entry {
        channel: String,
        name: String,
    },
    Bundle(String),
    /// Identified by schema and name.
    Deprecation(String, String),
}

/// A subject's values, field by field; `None` if it does not exist.
type Fields = Option<Vec<(&'static str, String)>>;

/// The affected subjects by package, with their fields before and after.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedValues(BTreeMap<(Text, Subject), (Fields, Fields)>);

impl ChangedValues {
    /// Collects the values that differ between two states; `None` means the package does not exist.
    pub fn between(before: Option<&Package>, after: Option<&Package>) -> Self {
        let (mut was, mut is) = (subjects(before, after), subjects(after, before));
        let all: BTreeSet<Subject> = was.keys().chain(is.keys()).cloned().collect();
        let package = before.or(after).map(|p| p.name.clone()).unwrap_or_default();
        let pairs = all.into_iter().map(|subject| {
            let pair = (was.remove(&subject), is.remove(&subject));
            // One step may change several packages, whose channels often share names.
            ((package.clone(), subject), pair)
        });
        Self(pairs.filter(|(_, (was, is))| was != is).collect())
    }

    /// Whether the change affects neither users nor the graph.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the changes of another package of the same step.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Drops the content of these bundles, which has one source but takes each catalog's form.
    pub fn without_bundles(mut self, names: &[&str]) -> Self {
        self.0.retain(|(_, subject), _| !matches!(subject, Subject::Bundle(name) if names.contains(&name.as_str())));
        self
    }

    /// Describes the first difference between `self` and `other`, with names in backticks; `None`
    /// if they are equal.
    pub fn differs(&self, other: &Self) -> Option<String> {
        let all: BTreeSet<&(Text, Subject)> = self.0.keys().chain(other.0.keys()).collect();
        all.into_iter()
            .find_map(|key| match (self.0.get(key), other.0.get(key)) {
                (Some(own), Some(other)) => differs(&key.1, own, other),
                (Some(_), None) => Some(format!("{} does not change there", key.1.name())),
                (None, Some(_)) => Some(format!("{} changes there too", key.1.name())),
                (None, None) => None,
            })
    }
}

/// Compares the values before and after of one subject in both catalogs.
fn differs(subject: &Subject, own: &(Fields, Fields), other: &(Fields, Fields)) -> Option<String> {
    let name = subject.name();
    match (&own.0, &other.0) {
        (None, Some(_)) => return Some(format!("{name} already exists")),
        (Some(_), None) => return Some(format!("{name} does not exist there")),
        (Some(own), Some(other)) => {
            if own.len() != other.len() {
                return Some(format!("{name} occurs there a different number of times"));
            }
            if let Some((field, own, other)) = first_other(own, other) {
                return Some(format!(
                    "{name}: {field} is {} there, {} here",
                    quote_value(other),
                    quote_value(own)
                ));
            }
        }
        (None, None) => {}
    }
    match (&own.1, &other.1) {
        (None, Some(_)) => Some(format!("{name} would remain there")),
        (Some(_), None) => Some(format!("{name} would be removed there")),
        (Some(own), Some(other)) if own.len() != other.len() => Some(format!(
            "{name} would occur there a different number of times"
        )),
        (Some(own), Some(other)) => first_other(own, other).map(|(field, own, other)| {
            format!(
                "{name}: {field} would be {} there, {} here",
                quote_value(other),
                quote_value(own)
            )
        }),
        (None, None) => None,
    }
}

fn first_other<'a>(
    own: &'a [(&'static str, String)],
    other: &'a [(&'static str, String)],
) -> Option<(&'static str, &'a str, &'a str)> {
    let pairs = own.iter().zip(other);
    pairs
        .filter(|((_, own), (_, other))| own != other)
        .map(|((field, own), (_, other))| (*field, &**own, &**other))
        .next()
}

fn quote_value(value: &str) -> String {
    match value.char_indices().nth(MAX_SHOWN) {
        _ if value.is_empty() => "none".to_owned(),
        Some((end, _)) => format!("`{}…`", &value[..end]),
        None => format!("`{value}`"),
    }
}

impl Subject {
    fn name(&self) -> String {
        match self {
            Subject::DefaultChannel => "the default channel".to_owned(),
            Subject::Description => "the description".to_owned(),
            Subject::Icon => "the icon".to_owned(),
            Subject::Channel(name) => format!("channel `{name}`"),
            Subject::Entry { channel, name } => format!("`{name}` in `{channel}`"),
            Subject::Bundle(name) => format!("bundle `{name}`"),
            Subject::Deprecation(schema, name) if name.is_empty() => {
                format!(
                    "the deprecation of the {}",
                    schema.trim_start_matches("olm.")
                )
            }
            Subject::Deprecation(schema, name) => {
                format!(
                    "the deprecation of {} `{name}`",
                    schema.trim_start_matches("olm.")
                )
            }
        }
    }
}

/// Returns the subjects of a package, without blobs shared with the other state. Merges duplicates.
fn subjects(
    package: Option<&Package>,
    other: Option<&Package>,
) -> BTreeMap<Subject, Vec<(&'static str, String)>> {
    let mut subjects: BTreeMap<Subject, Vec<(&'static str, String)>> = BTreeMap::new();
    let mut add = |subject, values: Vec<(&'static str, String)>| {
        subjects.entry(subject).or_default().extend(values)
    };
    let Some(package) = package else {
        return subjects;
    };
    for blob in unshared_blobs(&package.packages, other.map(|p| &*p.packages)) {
        add(
            Subject::DefaultChannel,
            vec![("it", blob.default_channel.value.to_string())],
        );
        let presence = |is: bool| vec![("it", if is { "there" } else { "" }.to_owned())];
        add(Subject::Description, presence(blob.has_description));
        add(Subject::Icon, presence(blob.has_icon));
    }
    for channel in unshared_blobs(&package.channels, other.map(|p| &*p.channels)) {
        let channel_name = channel.name.value.to_string();
        add(Subject::Channel(channel_name.clone()), Vec::new());
        for entry in &channel.entries {
            add(
                Subject::Entry {
                    channel: channel_name.clone(),
                    name: entry.name.value.to_string(),
                },
                edges(entry),
            );
        }
    }
    for bundle in unshared_blobs(&package.bundles, other.map(|p| &*p.bundles)) {
        add(
            Subject::Bundle(bundle.name.value.to_string()),
            content(bundle),
        );
    }
    for entry in unshared_blobs(&package.deprecations, other.map(|p| &*p.deprecations))
        .flat_map(|blob| &blob.entries)
    {
        let subject =
            Subject::Deprecation(entry.schema.value.to_string(), entry.name.value.to_string());
        add(subject, vec![("message", entry.message.value.to_string())]);
    }
    subjects
}

/// Returns the blobs that the other state does not share. An edit keeps untouched blobs.
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

fn edges(entry: &Entry) -> Vec<(&'static str, String)> {
    let skips: BTreeSet<&str> = entry.skips.iter().map(|skip| skip.as_str()).collect();
    vec![
        ("replaces", entry.replaces.value.to_string()),
        ("skips", skips.into_iter().collect::<Vec<_>>().join(", ")),
        ("skipRange", entry.skip_range.value.to_string()),
    ]
}

fn content(bundle: &BundleBlob) -> Vec<(&'static str, String)> {
    vec![
        ("image", bundle.image.value.to_string()),
        ("version", bundle.version().to_owned()),
        ("release", bundle.release().to_owned()),
        (
            "properties",
            bundle
                .properties
                .iter()
                .map(|p| property(&p.kind, p.value.as_deref()))
                .collect(),
        ),
    ]
}

fn property(kind: &str, value: Option<&str>) -> String {
    format!("{kind} {}; ", value.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::testing::package;

    fn differs(own: (&str, &str), other: (&str, &str)) -> Option<String> {
        let of = |(before, after): (&str, &str)| {
            ChangedValues::between(Some(&package(before)), Some(&package(after)))
        };
        of(own).differs(&of(other))
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
        assert!(first.differs(&second).is_some());
        assert_eq!(first.differs(&with_q(of("p", "c: a", "d: a"))), None);
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

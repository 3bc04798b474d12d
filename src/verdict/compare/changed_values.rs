//! Collects the effects of a change on a package, by subject, for comparison with its effects in
//! another catalog.
//!
//! Two changes are equal if they affect the same subjects with the same values before and after.
//! Unaffected subjects may differ, as may order, positions and spelling.

use catalog::model::{BundleBlob, Entry, Located, Package};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;
use syntax::place::Text;

/// Maximum number of characters shown of a value.
const MAX_SHOWN: usize = 60;

/// A part of a package that a change can affect, in the order of messages.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    DefaultChannel,
    Description,
    Icon,
    Channel(Text),
    Entry { name: Text, channel: Text },
    Bundle(Text),
    Deprecation { schema: Text, name: Text },
}

/// Names in backticks, as displayed in the middle of a sentence.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DefaultChannel => f.write_str("the default channel"),
            Self::Description => f.write_str("the description"),
            Self::Icon => f.write_str("the icon"),
            Self::Channel(name) => write!(f, "channel `{name}`"),
            Self::Entry { name, channel } => write!(f, "`{name}` in `{channel}`"),
            Self::Bundle(name) => write!(f, "bundle `{name}`"),
            Self::Deprecation { schema, name } => {
                let kind = schema.trim_start_matches("olm.");
                if name.is_empty() {
                    write!(f, "the deprecation of the {kind}")
                } else {
                    write!(f, "the deprecation of {kind} `{name}`")
                }
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    name: &'static str,
    value: String,
}

impl Field {
    fn new(name: &'static str, value: impl fmt::Display) -> Self {
        let value = value.to_string();
        Self { name, value }
    }
}

/// A subject's values; `None` if it does not exist. The fields of one class of subjects are always
/// the same, in the same order. Duplicates of a subject follow each other.
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
        self.0.retain(|(_, subject), _| match subject {
            Subject::Bundle(name) => !names.contains(&&**name),
            _ => true,
        });
        self
    }

    /// Describes the first difference between `self` and `other`, with names in backticks; `None`
    /// if they are equal.
    pub fn first_difference(&self, other: &Self) -> Option<String> {
        let all: BTreeSet<&(Text, Subject)> = self.0.keys().chain(other.0.keys()).collect();
        all.into_iter().find_map(|key| {
            let name = &key.1;
            match (self.0.get(key), other.0.get(key)) {
                (Some([was, is]), Some([other_was, other_is])) => {
                    describe_difference(name, was, other_was, &BEFORE)
                        .or_else(|| describe_difference(name, is, other_is, &AFTER))
                }
                (Some(_), None) => Some(format!("{name} changes here, but not there")),
                (None, Some(_)) => Some(format!("{name} changes there, but not here")),
                (None, None) => None,
            }
        })
    }
}

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
    name: &Subject,
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
    let (field, other) = here
        .iter()
        .zip(there)
        .find(|(here, there)| here.value != there.value)?;
    Some(format!(
        "{name}: {} {} {} there, {} here",
        field.name,
        wording.is,
        quote_value(&other.value),
        quote_value(&field.value)
    ))
}

fn quote_value(value: &str) -> String {
    match value.char_indices().nth(MAX_SHOWN) {
        _ if value.is_empty() => "none".to_owned(),
        Some((end, _)) => format!("`{}…`", &value[..end]),
        None => format!("`{value}`"),
    }
}

/// Returns the subjects of a package, without blobs shared with the other state.
fn subjects(package: Option<&Package>, other: Option<&Package>) -> BTreeMap<Subject, Vec<Field>> {
    let mut subjects: BTreeMap<Subject, Vec<Field>> = BTreeMap::new();
    let mut add = |subject: Subject, fields: Vec<Field>| {
        subjects.entry(subject).or_default().extend(fields);
    };
    let Some(package) = package else {
        return subjects;
    };
    for blob in unshared_blobs(&package.packages, other.map(|p| &*p.packages)) {
        let default_channel = Field::new("it", &blob.default_channel.value);
        add(Subject::DefaultChannel, vec![default_channel]);
        if blob.has_description {
            add(Subject::Description, Vec::new());
        }
        if blob.has_icon {
            add(Subject::Icon, Vec::new());
        }
    }
    for channel in unshared_blobs(&package.channels, other.map(|p| &*p.channels)) {
        let channel_name = &channel.name.value;
        add(Subject::Channel(channel_name.clone()), Vec::new());
        for entry in &channel.entries {
            let subject = Subject::Entry {
                name: entry.name.value.clone(),
                channel: channel_name.clone(),
            };
            add(subject, edges(entry));
        }
    }
    for bundle in unshared_blobs(&package.bundles, other.map(|p| &*p.bundles)) {
        add(Subject::Bundle(bundle.name.value.clone()), content(bundle));
    }
    for entry in unshared_blobs(&package.deprecations, other.map(|p| &*p.deprecations))
        .flat_map(|blob| &blob.entries)
    {
        let subject = Subject::Deprecation {
            schema: entry.schema.value.clone(),
            name: entry.name.value.clone(),
        };
        add(subject, vec![Field::new("message", &entry.message.value)]);
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
    let skips: Vec<&str> = skips.into_iter().collect();
    vec![
        Field::new("replaces", &entry.replaces.value),
        Field::new("skips", skips.join(", ")),
        Field::new("skipRange", &entry.skip_range.value),
    ]
}

fn content(bundle: &BundleBlob) -> Vec<Field> {
    let properties = bundle.properties.iter();
    let properties =
        properties.map(|p| format!("{} {}; ", p.kind, p.value.as_deref().unwrap_or_default()));
    vec![
        Field::new("image", &bundle.image.value),
        Field::new("version", bundle.version()),
        Field::new("release", bundle.release()),
        Field::new("properties", properties.collect::<String>()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::testing::package;

    fn differs(own: (&str, &str), other: (&str, &str)) -> Option<String> {
        let changed = |(before, after): (&str, &str)| {
            ChangedValues::between(Some(&package(before)), Some(&package(after)))
        };
        changed(own).first_difference(&changed(other))
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
            "`b` in `c` changes here, but not there"
        );
        assert_eq!(
            difference("c: a; b r:a; d r:b", "c: a; b; d r:a"),
            "`d` in `c` changes there, but not here"
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
    fn icons_are_compared_by_presence() {
        let with_icon = |has_icon: bool| {
            let mut package = package("c: a@1.0.0");
            Arc::make_mut(&mut package.packages[0].data).has_icon = has_icon;
            package
        };
        let change = |before, after| {
            ChangedValues::between(Some(&with_icon(before)), Some(&with_icon(after)))
        };
        let difference = change(false, true).first_difference(&change(true, false));
        assert_eq!(difference.as_deref(), Some("the icon already exists"));
    }

    #[test]
    fn deprecations_are_named_by_schema() {
        let deprecation = |schema: &str, name: &str| Subject::Deprecation {
            schema: schema.into(),
            name: name.into(),
        };
        assert_eq!(
            deprecation("olm.package", "").to_string(),
            "the deprecation of the package"
        );
        assert_eq!(
            deprecation("olm.channel", "c").to_string(),
            "the deprecation of channel `c`"
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
        let changed = |name: &str, before: &str, after: &str| {
            let (mut before, mut after) = (package(before), package(after));
            (before.name, after.name) = (name.into(), name.into());
            ChangedValues::between(Some(&before), Some(&after))
        };
        let with_q = |mut all: ChangedValues| {
            all.extend(changed("q", "c: a", "d: a"));
            all
        };
        let (first, second) = (
            with_q(changed("p", "c: a", "d: a")),
            with_q(changed("p", "x: a", "d: a")),
        );
        assert!(first.first_difference(&second).is_some());
        assert_eq!(
            first.first_difference(&with_q(changed("p", "c: a", "d: a"))),
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

//! Status conditions for `olm.deprecations`: by scope, on the object that installed the package.
//!
//! A deprecation applies to its own scope only. A deprecated channel or package does not deprecate
//! its bundles; only subscribers of the channel or users of the package get a condition.
//!
//! A Subscription lists only true conditions. A ClusterExtension always has all four; answers list
//! the true ones, and the ones that are unknown because the resolution failed.

use catalog::model::blob::DeprecationEntry;
use catalog::model::{DeprecationsBlob, Located, Package};
use protocol::enum_with_text;
use syntax::hashed::{HashMap, HashSet};
use syntax::place::Text;

/// Maximum length of a condition's message in bytes; OLM v1 truncates longer ones and marks the
/// end.
const MAX_MESSAGE: usize = 32_768;
const TRUNCATION_MARK: &str = "\n\n... [message truncated]";

/// The deprecated part of the package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope<'a> {
    Package,
    Channel(&'a str),
    Bundle(&'a str),
}

enum_with_text! {
    /// Returns OLM's spelling.
    pub fn as_str;
    /// The type of a condition, equal on both objects.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ConditionType {
        PackageDeprecated = "PackageDeprecated",
        ChannelDeprecated = "ChannelDeprecated",
        BundleDeprecated = "BundleDeprecated",
        /// Present along with any other condition; joins all messages.
        Deprecated = "Deprecated",
    }
}

/// A condition whose status is `True`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Condition {
    pub kind: ConditionType,
    pub message: String,
}

enum_with_text! {
    /// Returns the spelling of Kubernetes.
    pub fn as_str;
    /// Whether a condition of a ClusterExtension holds.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ConditionStatus {
        True = "True",
        False = "False",
        Unknown = "Unknown",
    }
}

/// One of the four deprecation conditions in the status of a ClusterExtension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionCondition {
    pub kind: ConditionType,
    pub status: ConditionStatus,
    pub reason: &'static str,
    pub message: String,
}

impl Scope<'_> {
    /// Returns the condition that a deprecation of this scope sets.
    pub fn condition(self) -> ConditionType {
        match self {
            Scope::Package => ConditionType::PackageDeprecated,
            Scope::Channel(_) => ConditionType::ChannelDeprecated,
            Scope::Bundle(_) => ConditionType::BundleDeprecated,
        }
    }

    /// Whether an entry of `olm.deprecations` is of this scope.
    fn includes(self, entry: &DeprecationEntry) -> bool {
        match (self, entry.schema.as_str()) {
            // The blob names the package; `opm` refuses an additional name, which has no effect.
            (Scope::Package, "olm.package") => true,
            (Scope::Channel(name), "olm.channel") | (Scope::Bundle(name), "olm.bundle") => {
                entry.name.as_str() == name
            }
            _ => false,
        }
    }
}

/// Returns the deprecation of exactly this scope, and its blob. The first one with a message
/// counts; `opm` refuses duplicates and missing messages.
pub fn deprecation<'a>(
    package: &'a Package,
    scope: Scope<'_>,
) -> Option<(&'a Located<DeprecationsBlob>, &'a DeprecationEntry)> {
    let mut all = package
        .deprecations
        .iter()
        .flat_map(|blob| blob.data.entries.iter().map(move |entry| (blob, entry)));
    all.find(|(_, entry)| scope.includes(entry) && !entry.message.is_empty())
}

pub fn message<'a>(package: &'a Package, scope: Scope<'_>) -> Option<&'a str> {
    deprecation(package, scope).map(|(_, entry)| entry.message.as_str())
}

/// The conditions of a Subscription to a channel ("" for none), for several `installedCSV`s in turn
/// (`olm-resolution` R2.3.8): none if nothing is installed or the channel does not list it.
pub struct SubscriptionConditions<'a> {
    listed: HashSet<&'a str>,
    /// The conditions of the package and the channel.
    common: Vec<Condition>,
    /// The message of each deprecated bundle.
    bundles: HashMap<&'a str, &'a str>,
}

impl<'a> SubscriptionConditions<'a> {
    pub fn new(package: &'a Package, channel: &str) -> Self {
        let subscribed = package
            .channels
            .iter()
            .filter(|blob| channel.is_empty() || blob.name.as_str() == channel);
        let listed = subscribed
            .flat_map(|blob| &blob.entries)
            .map(|entry| entry.name.as_str())
            .collect();
        let scopes = [
            (Scope::Package, "olm.package", &*package.name),
            (Scope::Channel(channel), "olm.channel", channel),
        ];
        let common = scopes
            .into_iter()
            .filter(|(.., name)| !name.is_empty())
            .filter_map(|(scope, schema, name)| {
                let message = message(package, scope)?;
                Some(deprecation_condition(scope, schema, name, message))
            });
        let mut bundles = HashMap::default();
        for entry in package
            .deprecations
            .iter()
            .flat_map(|blob| &blob.data.entries)
        {
            if entry.schema.as_str() == "olm.bundle" && !entry.message.is_empty() {
                bundles
                    .entry(entry.name.as_str())
                    .or_insert(entry.message.as_str());
            }
        }
        Self {
            listed,
            common: common.collect(),
            bundles,
        }
    }

    pub fn with(&self, installed: Option<&str>) -> Vec<Condition> {
        let Some(installed) = installed.filter(|name| self.listed.contains(name)) else {
            return Vec::new();
        };
        let message = self
            .bundles
            .get(installed)
            .filter(|_| !installed.is_empty());
        let of_bundle = message.map(|message| {
            deprecation_condition(Scope::Bundle(installed), "olm.bundle", installed, message)
        });
        let mut conditions: Vec<Condition> = self.common.iter().cloned().chain(of_bundle).collect();
        if !conditions.is_empty() {
            let messages: Vec<&str> = conditions.iter().map(|c| &*c.message).collect();
            conditions.push(Condition {
                kind: ConditionType::Deprecated,
                message: messages.join("; "),
            });
        }
        conditions
    }
}

fn deprecation_condition(scope: Scope<'_>, schema: &str, name: &str, message: &str) -> Condition {
    Condition {
        kind: scope.condition(),
        message: format!("{schema}/{name}: {message}"),
    }
}

/// The conditions of a ClusterExtension that names some channels (or none, for any), for several
/// installed bundles in turn (`olm-resolution` 1.7).
#[derive(Default)]
pub struct ExtensionConditions<'a> {
    package: Vec<&'a str>,
    channels: Vec<&'a str>,
    /// The messages of each deprecated bundle.
    bundles: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> ExtensionConditions<'a> {
    pub fn new(package: &'a Package, channels: &[String]) -> Self {
        let entries = package
            .deprecations
            .first()
            .map_or(&[][..], |blob| &blob.entries);
        let mut conditions = Self::default();
        for entry in entries.iter().filter(|entry| !entry.message.is_empty()) {
            let (name, message) = (entry.name.as_str(), entry.message.as_str());
            if Scope::Package.includes(entry) {
                conditions.package.push(message);
            }
            match entry.schema.as_str() {
                "olm.channel" if channels.is_empty() || channels.iter().any(|c| c == name) => {
                    conditions.channels.push(message);
                }
                "olm.bundle" => conditions.bundles.entry(name).or_default().push(message),
                _ => {}
            }
        }
        conditions
    }

    /// Returns all four conditions after a successful resolution, in status order.
    pub fn status(&self, installed: Option<&str>) -> [ExtensionCondition; 4] {
        let of_bundle = installed
            .and_then(|name| self.bundles.get(name))
            .map_or(&[][..], Vec::as_slice);
        let all = [&self.package[..], &self.channels, of_bundle].concat();
        [
            extension_condition(ConditionType::Deprecated, &all),
            extension_condition(ConditionType::PackageDeprecated, &self.package),
            extension_condition(ConditionType::ChannelDeprecated, &self.channels),
            match installed {
                Some(_) => extension_condition(ConditionType::BundleDeprecated, of_bundle),
                None => no_bundle_yet(),
            },
        ]
    }

    /// Returns the true conditions; the joint one is last.
    pub fn with(&self, installed: Option<&str>) -> Vec<Condition> {
        let [all, package, channel, bundle] = self.status(installed);
        [package, channel, bundle, all]
            .into_iter()
            .filter(|condition| condition.status == ConditionStatus::True)
            .map(|condition| Condition {
                kind: condition.kind,
                message: condition.message,
            })
            .collect()
    }
}

/// Returns all four conditions after a failed resolution, in which OLM learns nothing about
/// deprecations.
pub fn unknown_status(installed: Option<&str>) -> [ExtensionCondition; 4] {
    [
        unknown_condition(ConditionType::Deprecated),
        unknown_condition(ConditionType::PackageDeprecated),
        unknown_condition(ConditionType::ChannelDeprecated),
        match installed {
            Some(_) => unknown_condition(ConditionType::BundleDeprecated),
            None => no_bundle_yet(),
        },
    ]
}

fn unknown_condition(kind: ConditionType) -> ExtensionCondition {
    ExtensionCondition {
        kind,
        status: ConditionStatus::Unknown,
        reason: "DeprecationStatusUnknown",
        message: "deprecation status unknown: catalog data unavailable".to_owned(),
    }
}

fn extension_condition(kind: ConditionType, messages: &[&str]) -> ExtensionCondition {
    let is_deprecated = !messages.is_empty();
    let (status, reason) = if is_deprecated {
        (ConditionStatus::True, "Deprecated")
    } else {
        (ConditionStatus::False, "NotDeprecated")
    };
    let message = match kind {
        _ if is_deprecated => truncate(messages.join("\n")),
        ConditionType::PackageDeprecated => "package not deprecated".to_owned(),
        ConditionType::ChannelDeprecated => "channel not deprecated".to_owned(),
        ConditionType::BundleDeprecated => "bundle not deprecated".to_owned(),
        ConditionType::Deprecated => "not deprecated".to_owned(),
    };
    ExtensionCondition {
        kind,
        status,
        reason,
        message,
    }
}

fn no_bundle_yet() -> ExtensionCondition {
    ExtensionCondition {
        kind: ConditionType::BundleDeprecated,
        status: ConditionStatus::Unknown,
        reason: "Absent",
        message: "no bundle installed yet".to_owned(),
    }
}

fn truncate(mut message: String) -> String {
    if message.len() > MAX_MESSAGE {
        message.truncate(message.floor_char_boundary(MAX_MESSAGE - TRUNCATION_MARK.len()));
        message.push_str(TRUNCATION_MARK);
    }
    message
}

/// The conditions at one point of a path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConditionsAt {
    /// `None`: nothing is installed yet.
    pub installed: Option<Text>,
    /// The true ones.
    pub conditions: Vec<Condition>,
    /// Whether OLM v1 cannot resolve here and therefore reports every condition as `Unknown`.
    pub is_unknown: bool,
    /// Set if OLM v1 takes the conditions from another catalog than the bundle.
    pub other_catalog: Option<OtherCatalog>,
}

/// The catalogs of bundle and conditions. OLM v1 takes the conditions from the last catalog with a
/// candidate, even if another one's bundle wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherCatalog {
    pub conditions_from: String,
    pub bundle_from: String,
}

/// Returns the conditions along a path, each once, with the points where it holds. Leaves out the
/// joint conditions, which only repeat the others.
pub fn merge_conditions(path: &[ConditionsAt]) -> Vec<(&Condition, Vec<Option<&str>>)> {
    let mut merged: Vec<(&Condition, Vec<Option<&str>>)> = Vec::new();
    let mut positions: HashMap<&Condition, usize> = HashMap::default();
    for at in path {
        for condition in at
            .conditions
            .iter()
            .filter(|condition| condition.kind != ConditionType::Deprecated)
        {
            let position = *positions.entry(condition).or_insert(merged.len());
            match merged.get_mut(position) {
                Some((_, points)) => points.push(at.installed.as_deref()),
                None => merged.push((condition, vec![at.installed.as_deref()])),
            }
        }
    }
    merged
}

/// Returns the sentences about points where conditions are unknown or come from another catalog
/// than the bundle.
pub fn remarks(path: &[ConditionsAt]) -> Vec<String> {
    let unknown: Vec<Option<&str>> = path
        .iter()
        .filter(|at| at.is_unknown)
        .map(|at| at.installed.as_deref())
        .collect();
    let unknown = (!unknown.is_empty()).then(|| {
        format!(
            "all four are Unknown {}, because the resolution fails",
            when(&unknown, path)
        )
    });
    let mut remarks: Vec<String> = unknown.into_iter().collect();
    for other in path.iter().filter_map(|at| at.other_catalog.as_ref()) {
        let remark = format!(
            "they come from catalog `{}`, the last that offers a candidate; the bundle comes from `{}`",
            other.conditions_from, other.bundle_from
        );
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
    remarks
}

/// Returns the versions of a path for which a condition of [`merge_conditions`] holds, as text.
pub fn when(points: &[Option<&str>], path: &[ConditionsAt]) -> String {
    if points.len() == path.len() && points.len() > 1 {
        return "at every step".to_owned();
    }
    let name =
        |point: &Option<&str>| point.map_or("nothing".to_owned(), |name| format!("`{name}`"));
    format!(
        "with {} installed",
        points.iter().map(name).collect::<Vec<_>>().join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::testing::{located, package, spanned};

    /// Channels `fast` and `stable` with both bundles. Deprecations are (schema, name, message).
    fn deprecated(entries: &[(&str, &str, &str)]) -> Package {
        let mut package = package("fast: p.v2@2.0.0 r:p.v1; p.v1@1.0.0\nstable: p.v1@1.0.0");
        let entry = |(schema, name, message): &(&str, &str, &str)| DeprecationEntry {
            schema: spanned(schema),
            name: spanned(name),
            message: spanned(message),
            ..DeprecationEntry::default()
        };
        let entries = entries.iter().map(entry).collect();
        package.deprecations = vec![located(
            2,
            0,
            DeprecationsBlob {
                entries,
                ..DeprecationsBlob::default()
            },
        )];
        package
    }

    fn render_conditions(conditions: &[Condition]) -> Vec<String> {
        conditions
            .iter()
            .map(|c| format!("{} {}", c.kind.as_str(), c.message))
            .collect()
    }

    #[test]
    fn a_deprecated_channel_or_package_does_not_deprecate_bundles() {
        let package = deprecated(&[
            ("olm.package", "", "all of it"),
            ("olm.channel", "fast", "too fast"),
        ]);
        assert_eq!(message(&package, Scope::Package), Some("all of it"));
        assert_eq!(message(&package, Scope::Channel("fast")), Some("too fast"));
        assert_eq!(message(&package, Scope::Channel("stable")), None);
        assert_eq!(message(&package, Scope::Bundle("p.v1")), None);
        for conditions in [
            SubscriptionConditions::new(&package, "fast").with(Some("p.v1")),
            ExtensionConditions::new(&package, &["fast".into()]).with(Some("p.v1")),
        ] {
            assert!(
                conditions
                    .iter()
                    .all(|c| c.kind != ConditionType::BundleDeprecated),
                "{conditions:?}"
            );
            assert_eq!(conditions.len(), 3);
        }
    }

    #[test]
    fn a_subscription_gets_the_conditions_of_its_scopes() {
        let all = [
            ("olm.package", "", "a"),
            ("olm.channel", "fast", "b"),
            ("olm.bundle", "p.v1", "c"),
        ];
        let package = deprecated(&all);
        assert_eq!(
            render_conditions(&SubscriptionConditions::new(&package, "fast").with(Some("p.v1"))),
            [
                "PackageDeprecated olm.package/p: a",
                "ChannelDeprecated olm.channel/fast: b",
                "BundleDeprecated olm.bundle/p.v1: c",
                "Deprecated olm.package/p: a; olm.channel/fast: b; olm.bundle/p.v1: c",
            ]
        );
        let kinds = |channel, installed| -> Vec<&'static str> {
            SubscriptionConditions::new(&package, channel)
                .with(installed)
                .iter()
                .map(|c| c.kind.as_str())
                .collect()
        };
        // The subscription names no channel, names another one, or has nothing of its channel
        // installed.
        assert_eq!(
            kinds("", Some("p.v1")),
            ["PackageDeprecated", "BundleDeprecated", "Deprecated"]
        );
        assert_eq!(
            kinds("stable", Some("p.v1")),
            ["PackageDeprecated", "BundleDeprecated", "Deprecated"]
        );
        assert_eq!(
            kinds("fast", Some("p.v2")),
            ["PackageDeprecated", "ChannelDeprecated", "Deprecated"]
        );
        assert!(kinds("stable", Some("p.v2")).is_empty());
        assert!(kinds("fast", None).is_empty());
    }

    #[test]
    fn a_condition_is_listed_once_with_the_points_where_it_is_set() {
        let package = deprecated(&[("olm.package", "", "a"), ("olm.bundle", "p.v1", "c")]);
        let point = |name: &str| ConditionsAt {
            installed: Some(name.into()),
            conditions: SubscriptionConditions::new(&package, "fast").with(Some(name)),
            ..ConditionsAt::default()
        };
        let path: Vec<ConditionsAt> = vec![point("p.v1"), point("p.v2")];
        let lines: Vec<String> = merge_conditions(&path)
            .iter()
            .map(|(c, points)| format!("{} {}", c.kind.as_str(), when(points, &path)))
            .collect();
        assert_eq!(
            lines,
            [
                "PackageDeprecated at every step",
                "BundleDeprecated with `p.v1` installed"
            ]
        );
        assert_eq!(remarks(&path), [""; 0]);
    }

    #[test]
    fn remarks_name_failed_resolutions_and_both_catalogs() {
        let at = |installed: &str, is_unknown, other: Option<(&str, &str)>| ConditionsAt {
            installed: Some(installed.into()),
            is_unknown,
            other_catalog: other.map(|(conditions, bundle)| OtherCatalog {
                conditions_from: conditions.to_owned(),
                bundle_from: bundle.to_owned(),
            }),
            ..ConditionsAt::default()
        };
        let path = [
            at("p.v1", false, Some(("b", "a"))),
            at("p.v2", false, Some(("b", "a"))),
            at("p.v3", true, None),
        ];
        assert_eq!(
            remarks(&path),
            [
                "all four are Unknown with `p.v3` installed, because the resolution fails",
                "they come from catalog `b`, the last that offers a candidate; the bundle comes from `a`"
            ]
        );
    }

    #[test]
    fn a_long_message_is_cut_as_on_the_cluster() {
        let long = "é".repeat(MAX_MESSAGE);
        let package = deprecated(&[("olm.package", "", long.as_str())]);
        let [all, ..] = ExtensionConditions::new(&package, &[]).status(None);
        assert!(all.message.len() <= MAX_MESSAGE && all.message.ends_with(TRUNCATION_MARK));
    }

    #[test]
    fn a_cluster_extension_has_channel_messages_before_an_install() {
        let package = deprecated(&[
            ("olm.channel", "fast", "b"),
            ("olm.channel", "stable", "d"),
            ("olm.bundle", "p.v1", "c"),
            ("olm.bundle", "p.v2", ""),
        ]);
        let conditions = |channels: &[&str], installed| {
            let channels: Vec<String> =
                channels.iter().map(|&channel| channel.to_owned()).collect();
            render_conditions(&ExtensionConditions::new(&package, &channels).with(installed))
        };
        assert_eq!(
            conditions(&["stable"], None),
            ["ChannelDeprecated d", "Deprecated d"]
        );
        assert_eq!(
            conditions(&[], Some("p.v1")),
            [
                "ChannelDeprecated b\nd",
                "BundleDeprecated c",
                "Deprecated b\nd\nc"
            ]
        );
        // An entry without a message does not count.
        assert_eq!(conditions(&["other"], Some("p.v2")), Vec::<String>::new());
    }
}

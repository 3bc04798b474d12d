//! Chooses the next bundle among all catalogs under OLM v1 (`olm-resolution` 1.5), with OLM's
//! literal error texts (1.6). Label selectors over catalogs have Kubernetes semantics.

use super::answer::{ErrorKind, Installed, Options, Policy, Successor, UpgradeError};
use super::index::{Bundle, Origin, UpgradeIndex};
use super::package_view::{Candidate, PackageView};
use catalog::version::masterminds::Constraint;
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use syntax::go_text::quote;
use syntax::order::SortSmall;

/// The label with the catalog's name; every catalog has it.
const NAME_LABEL: &str = "olm.operatorframework.io/metadata.name";

/// Kubernetes' maximum lengths of a label's domain prefix, and of its name or value, in bytes.
const MAX_PREFIX: usize = 253;
const MAX_NAME: usize = 63;

/// A catalog and its index of the requested package.
#[derive(Debug, Clone)]
pub struct Catalog<'a> {
    pub name: &'a str,
    pub priority: i32,
    /// Labels other than the name label.
    pub labels: &'a [(String, String)],
    /// Whether its availability mode is `Unavailable`: OLM skips the catalog.
    pub unavailable: bool,
    /// The package, or why the catalog is unreadable. One unreadable catalog blocks all.
    pub package: Result<&'a UpgradeIndex, &'a str>,
}

impl<'a> Catalog<'a> {
    /// Creates a catalog without a name, for questions about a single package.
    pub fn only(package: &'a UpgradeIndex) -> Self {
        Self {
            name: "",
            priority: 0,
            labels: &[],
            unavailable: false,
            package: Ok(package),
        }
    }

    fn label(&self, key: &str) -> Option<&'a str> {
        if key == NAME_LABEL {
            return Some(self.name);
        }
        self.labels
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.as_str())
    }
}

/// A request to OLM v1 for a package, over catalogs in list order; prepares everything independent
/// of the installed bundle once.
pub struct Request<'a> {
    pub(super) catalogs: &'a [Catalog<'a>],
    pub(super) package: &'a str,
    pub(super) options: &'a Options,
    /// The catalogs before the first unreadable one.
    pub(super) views: Vec<(&'a Catalog<'a>, PackageView<'a>)>,
    /// An invalid range or an unreadable catalog: fails for every installed bundle.
    refused: Option<UpgradeError>,
}

/// The candidate of one catalog.
#[derive(Clone, Copy)]
pub(super) struct CatalogCandidate<'a> {
    pub catalog: &'a Catalog<'a>,
    pub candidate: Candidate<'a>,
}

/// A successful resolution.
pub(super) struct Resolved<'a> {
    pub winner: CatalogCandidate<'a>,
    /// The last catalog with a candidate. Its deprecations become the status, even if another
    /// catalog wins.
    pub deprecation_source: &'a Catalog<'a>,
}

impl<'a> Request<'a> {
    /// Prepares a request. Without a `selector`, all catalogs count.
    pub fn new(
        catalogs: &'a [Catalog<'a>],
        selector: Option<&Selector>,
        package: &'a str,
        options: &'a Options,
    ) -> Self {
        let mut request = Self {
            catalogs,
            package,
            options,
            views: Vec::new(),
            refused: None,
        };
        request.refused = request.add_views(selector).err();
        request
    }

    /// Adds a view of the package in each selected catalog.
    fn add_views(&mut self, selector: Option<&Selector>) -> Result<(), UpgradeError> {
        let range = parse_range(self.options)?;
        let is_selected = |catalog: &&Catalog<'_>| {
            !catalog.unavailable
                && selector.is_none_or(|selector| selector.selects(|key| catalog.label(key)))
        };
        for catalog in self.catalogs.iter().filter(is_selected) {
            let index = catalog.package.map_err(|cause| {
                let text = format!(
                    "error walking catalogs: error getting package {} from catalog {}: {cause}",
                    quote(self.package),
                    quote(catalog.name)
                );
                UpgradeError::new(ErrorKind::Walk, text)
            })?;
            if !index.is_empty {
                self.views.push((
                    catalog,
                    PackageView::new(index, range.as_ref(), self.options),
                ));
            }
        }
        Ok(())
    }

    /// Returns the bundle that replaces `installed` (`None`: a fresh install).
    pub(super) fn winner(
        &self,
        installed: Option<&Installed>,
    ) -> Result<CatalogCandidate<'a>, UpgradeError> {
        self.resolve(installed).map(|resolved| resolved.winner)
    }

    /// Like `winner`, with the catalog whose deprecations become the status.
    pub(super) fn resolve(
        &self,
        installed: Option<&Installed>,
    ) -> Result<Resolved<'a>, UpgradeError> {
        let mut offers: Vec<CatalogCandidate<'a>> = Vec::new();
        for (catalog, view) in &self.views {
            let origin = installed.map(|i| view.index.origin(i));
            if let Some(origin) = &origin {
                check_installed(origin, self.options)?;
            }
            let Some(candidate) = view.best(origin.as_ref(), self.options.policy) else {
                continue;
            };
            // Deprecation outranks priority: if any catalog offers a candidate that is not
            // deprecated, drop those whose best one is.
            if let Some(last) = offers.last() {
                match (
                    candidate.bundle.deprecated,
                    last.candidate.bundle.deprecated,
                ) {
                    (true, false) => continue,
                    (false, true) => offers.clear(),
                    _ => {}
                }
            }
            offers.push(CatalogCandidate { catalog, candidate });
        }
        if let Some(error) = &self.refused {
            return Err(error.clone());
        }
        let last = offers.last().map(|offer| offer.catalog);
        let winner = choose_winner(offers, self.package, installed, self.options)?;
        Ok(Resolved {
            deprecation_source: last.unwrap_or(winner.catalog),
            winner,
        })
    }
}

pub(super) fn parse_range(options: &Options) -> Result<Option<Constraint>, UpgradeError> {
    match options.range.as_deref() {
        None | Some("") => Ok(None),
        Some(range) => Constraint::parse(range).map(Some).map_err(|error| {
            let text = format!("desired version range {} is invalid: {error}", quote(range));
            UpgradeError::new(ErrorKind::Range, text)
        }),
    }
}

/// Checks the installed version, which must parse if OLM follows the catalog's edges.
pub(super) fn check_installed(origin: &Origin<'_>, options: &Options) -> Result<(), UpgradeError> {
    match origin.error() {
        Some(error) if options.policy == Policy::CatalogProvided => Err(UpgradeError::new(
            ErrorKind::InstalledVersion,
            format!("error walking catalogs: error finding upgrade edges: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Explains why OLM v1 refuses a bundle after it has chosen it.
pub(super) fn bundle_flaw(bundle: &Bundle) -> Option<ErrorKind> {
    match (&bundle.version, &bundle.requirement) {
        (Err(_), _) => Some(ErrorKind::Version),
        (Ok(_), Some(_)) => Some(ErrorKind::Dependency),
        (Ok(_), None) => None,
    }
}

/// Chooses among the catalogs' offers and checks the winner.
fn choose_winner<'a>(
    mut offers: Vec<CatalogCandidate<'a>>,
    package: &str,
    installed: Option<&Installed>,
    options: &Options,
) -> Result<CatalogCandidate<'a>, UpgradeError> {
    offers.sort_small_by_key(|o| Reverse(o.catalog.priority));
    let winner = match offers[..] {
        [only] => only,
        [first, second, ..] if first.catalog.priority != second.catalog.priority => first,
        _ => return Err(no_single_winner(&offers, package, installed, options)),
    };
    let bundle = winner.candidate.bundle;
    if let Err(error) = &bundle.version {
        let text = format!(
            "error getting resolved bundle version for bundle {}: {error}",
            quote(&bundle.name)
        );
        return Err(UpgradeError::new(ErrorKind::Version, text));
    }
    if let Some(requirement) = &bundle.requirement {
        let name = quote(&bundle.name);
        return Err(UpgradeError::new(
            ErrorKind::Dependency,
            format!(
                "validating bundle {name}: bundle {name} has a dependency declared via property {} which is currently \
                 not supported",
                quote(requirement)
            ),
        ));
    }
    Ok(winner)
}

/// Returns OLM's error if no catalog or several ones offer the winner.
fn no_single_winner(
    offers: &[CatalogCandidate<'_>],
    package: &str,
    installed: Option<&Installed>,
    options: &Options,
) -> UpgradeError {
    let mut parts = Vec::new();
    if let Some(installed) = installed {
        parts.push(format!(
            "error upgrading from currently installed version {}:",
            quote(&installed.version)
        ));
    }
    let (kind, finding) = if offers.is_empty() {
        (ErrorKind::None, "no bundles found")
    } else {
        (ErrorKind::Ambiguous, "found bundles")
    };
    parts.push(format!("{finding} for package {}", quote(package)));
    if let Some(range) = options.range.as_deref().filter(|r| !r.is_empty()) {
        parts.push(format!("matching version {}", quote(range)));
    }
    if !options.channels.is_empty() {
        parts.push(format!("in channels [{}]", options.channels.join(" ")));
    }
    if !offers.is_empty() {
        let mut names: Vec<&str> = offers.iter().map(|o| o.catalog.name).collect();
        names.sort_small();
        parts.push(format!(
            "in multiple catalogs with the same priority [{}]",
            names.join(" ")
        ));
    }
    UpgradeError::new(kind, parts.join(" "))
}

impl CatalogCandidate<'_> {
    /// `None` if the winner is already installed.
    pub(super) fn successor(
        &self,
        has_several_catalogs: bool,
        installed: Option<&Installed>,
    ) -> Option<Successor> {
        let Candidate {
            bundle,
            channel,
            edge,
            same,
        } = self.candidate;
        let stays = same && installed.is_some_and(|i| i.name == bundle.name);
        (!stays).then(|| Successor {
            name: bundle.name.clone(),
            version: bundle.version_text.clone(),
            release: bundle.release.clone(),
            channel: channel.map_or_else(|| "".into(), |c| c.name.clone()),
            edge,
            catalog: if has_several_catalogs {
                self.catalog.name.into()
            } else {
                "".into()
            },
        })
    }
}

/// A label selector in a ClusterExtension.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LabelSelector {
    pub match_labels: BTreeMap<String, String>,
    pub match_expressions: Vec<Expression>,
}

/// A requirement of a [`LabelSelector`] on one label.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expression {
    pub key: String,
    pub operator: String,
    pub values: Vec<String>,
}

/// A validated selector. The default selects everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selector {
    /// By label key.
    conditions: Vec<(String, LabelCondition)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum LabelCondition {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
}

impl LabelSelector {
    /// Validates the selector. The error is OLM's (E1).
    pub fn check(&self) -> Result<Selector, UpgradeError> {
        self.conditions()
            .map(|conditions| Selector { conditions })
            .map_err(invalid_selector)
    }

    fn conditions(&self) -> Result<Vec<(String, LabelCondition)>, String> {
        let labels = self
            .match_labels
            .iter()
            .map(|(key, value)| Ok((key.clone(), LabelCondition::In(vec![value.clone()]))));
        let expressions = self.match_expressions.iter().map(Expression::condition);
        labels
            .chain(expressions)
            .map(|condition| condition.and_then(check_condition))
            .collect()
    }
}

impl Expression {
    /// Returns label key and condition; the error has the text of Kubernetes.
    fn condition(&self) -> Result<(String, LabelCondition), String> {
        let condition = match self.operator.as_str() {
            "In" => LabelCondition::In(self.values.clone()),
            "NotIn" => LabelCondition::NotIn(self.values.clone()),
            "Exists" => LabelCondition::Exists,
            "DoesNotExist" => LabelCondition::DoesNotExist,
            other => {
                return Err(format!(
                    "{} is not a valid label selector operator",
                    quote(other)
                ));
            }
        };
        match condition {
            LabelCondition::In(_) | LabelCondition::NotIn(_) if self.values.is_empty() => Err(
                "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"
                    .to_owned(),
            ),
            LabelCondition::Exists | LabelCondition::DoesNotExist if !self.values.is_empty() => {
                Err(
                    "values: Invalid value: values set must be empty for exists and does not exist"
                        .to_owned(),
                )
            }
            condition => Ok((self.key.clone(), condition)),
        }
    }
}

impl Selector {
    /// Parses the text form (`tier=gold,env!=test,region in (eu, us),!old`), or a `LabelSelector` as JSON.
    pub fn parse(text: &str) -> Result<Self, UpgradeError> {
        let text = text.trim();
        if text.starts_with('{') {
            return serde_json::from_str::<LabelSelector>(text)
                .map_err(|error| invalid_selector(error.to_string()))?
                .check();
        }
        let conditions = split_outside_parentheses(text)
            .into_iter()
            .map(str::trim)
            .filter(|term| !term.is_empty())
            .map(|term| parse_term(term).and_then(check_condition))
            .collect::<Result<_, String>>()
            .map_err(invalid_selector)?;
        Ok(Self { conditions })
    }

    /// Whether the selector selects a catalog; `label` looks up its labels.
    pub fn selects<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.conditions.iter().all(|(key, condition)| {
            let value = label(key);
            match condition {
                LabelCondition::In(values) => {
                    value.is_some_and(|value| values.iter().any(|listed| listed == value))
                }
                LabelCondition::NotIn(values) => {
                    value.is_none_or(|value| values.iter().all(|listed| listed != value))
                }
                LabelCondition::Exists => value.is_some(),
                LabelCondition::DoesNotExist => value.is_none(),
            }
        })
    }
}

fn invalid_selector(reason: String) -> UpgradeError {
    UpgradeError::new(
        ErrorKind::Selector,
        format!("desired catalog selector is invalid: {reason}"),
    )
}

/// Validates key and values like Kubernetes.
fn check_condition(
    (key, condition): (String, LabelCondition),
) -> Result<(String, LabelCondition), String> {
    if !is_label_key(&key) {
        return Err(format!(
            "key: Invalid value: {}: name part must consist of alphanumeric characters, '-', '_' or '.', and must start \
             and end with an alphanumeric character",
            quote(&key)
        ));
    }
    if let LabelCondition::In(values) | LabelCondition::NotIn(values) = &condition
        && let Some((index, value)) = values
            .iter()
            .enumerate()
            .find(|(_, value)| !value.is_empty() && !is_label_value(value))
    {
        return Err(format!(
            "values[{index}][{key}]: Invalid value: {}: a valid label must be an empty string or consist of alphanumeric \
             characters, '-', '_' or '.', and must start and end with an alphanumeric character",
            quote(value)
        ));
    }
    Ok((key, condition))
}

/// Whether the text is a name with an optional domain prefix.
fn is_label_key(key: &str) -> bool {
    let (prefix, name) = key
        .split_once('/')
        .map_or((None, key), |(prefix, name)| (Some(prefix), name));
    is_label_value(name)
        && prefix
            .is_none_or(|prefix| prefix.len() <= MAX_PREFIX && prefix.split('.').all(is_dns_label))
}

fn is_dns_label(part: &str) -> bool {
    let inner = part
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    inner && !part.is_empty() && !part.starts_with('-') && !part.ends_with('-')
}

fn is_label_value(text: &str) -> bool {
    let is_end = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
    let inner = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    inner && text.len() <= MAX_NAME && is_end(text.bytes().next()) && is_end(text.bytes().last())
}

fn parse_term(term: &str) -> Result<(String, LabelCondition), String> {
    let refuse = || Err(format!("unable to parse requirement: {}", quote(term)));
    if let Some(set) = term.strip_suffix(')') {
        let Some((operator, values)) = set.split_once('(') else {
            return refuse();
        };
        let values: Vec<String> = values.split(',').map(|v| v.trim().to_owned()).collect();
        return match operator.split_whitespace().collect::<Vec<_>>()[..] {
            [key, "in"] => Ok((key.to_owned(), LabelCondition::In(values))),
            [key, "notin"] => Ok((key.to_owned(), LabelCondition::NotIn(values))),
            _ => refuse(),
        };
    }
    let (key, condition) = if let Some((key, value)) = term.split_once("!=") {
        (key, LabelCondition::NotIn(vec![value.trim().to_owned()]))
    } else if let Some((key, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
        (key, LabelCondition::In(vec![value.trim().to_owned()]))
    } else if let Some(key) = term.strip_prefix('!') {
        (key, LabelCondition::DoesNotExist)
    } else {
        (term, LabelCondition::Exists)
    };
    let key = key.trim();
    if key.is_empty() || key.contains(|c: char| c.is_whitespace() || c == '(') {
        return refuse();
    }
    Ok((key.to_owned(), condition))
}

fn split_outside_parentheses(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut is_inside = false;
    for (index, c) in text.char_indices() {
        match c {
            '(' => is_inside = true,
            ')' => is_inside = false,
            ',' if !is_inside => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str) -> bool {
        let label = |key: &str| {
            [("tier", "gold"), ("env", "prod")]
                .iter()
                .find(|(k, _)| *k == key)
                .map(|(_, v)| *v)
        };
        Selector::parse(selector).unwrap().selects(label)
    }

    #[test]
    fn selects_by_label() {
        for selector in [
            "",
            "tier=gold",
            "tier == gold, env!=test",
            "tier in (silver, gold),!old",
            "x notin (a)",
            "env",
        ] {
            assert!(selects(selector), "{selector}");
        }
        for selector in [
            "tier=silver",
            "!tier",
            "x",
            "x in (a)",
            r#"{"matchLabels":{"tier":"x"}}"#,
        ] {
            assert!(!selects(selector), "{selector}");
        }
    }

    #[test]
    fn refuses_with_a_reason() {
        let json = r#"{"matchExpressions":[{"key":"x","operator":"bad"}]}"#;
        assert_eq!(
            Selector::parse(json).map_err(|e| e.text),
            Err(r#"desired catalog selector is invalid: "bad" is not a valid label selector operator"#.to_owned())
        );
        assert!(
            Selector::parse("a b").is_err()
                && Selector::parse("a)").is_err()
                && Selector::parse("=x").is_err()
        );
    }

    #[test]
    fn refuses_what_is_no_label() {
        for text in [
            "tier>5",
            "tier=a=b",
            "!tier=gold",
            "a=b c",
            "-a",
            "a/b/c",
            "a=(",
            r#"{"matchLabel":{"a":"b"}}"#,
        ] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
        assert!(Selector::parse("olm.operatorframework.io/metadata.name=x, a in (,b), c=").is_ok());
    }
}

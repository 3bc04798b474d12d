//! Requirements on a bundle, and what a bundle provides to them. Fields of properties are read as
//! Go reads them.

use super::cel::Program;
use crate::answer::{ErrorKind, UpgradeError};
use catalog::model::BundleBlob;
use catalog::model::blob::PackageProperty;
use catalog::version::Version;
use catalog::version::blang::Range;
use serde_json::{Map, Value, json};
use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;
use syntax::go_text::{names_field, quote};
use syntax::hashed::{HashMap, HashSet};
use syntax::place::Text;

/// Maximum length of an `olm.constraint`, in bytes.
const MAX_CONSTRAINT: usize = 131_072;

/// A requirement. A constraint tree applies to a single bundle, never to several.
#[derive(Debug, Clone)]
pub(super) enum Predicate {
    Package {
        name: String,
        range: Range,
        range_text: String,
    },
    Gvk(Gvk),
    Label(String),
    All(Vec<Predicate>),
    Any(Vec<Predicate>),
    /// No child matches.
    Not(Vec<Predicate>),
    Cel {
        program: Program,
        rule: String,
        message: String,
    },
}

/// Parses the requirement of a property; `None` if the property is not one.
pub(super) fn parse_property(kind: &str, value: &str) -> Option<Result<Predicate, UpgradeError>> {
    let parsed = || serde_json::from_str::<Value>(value).map_err(|e| invalid(e.to_string()));
    Some(match kind {
        "olm.package.required" => parsed()
            .and_then(|v| package(&string(&v, "packageName")?, &string(&v, "versionRange")?)),
        "olm.gvk.required" => parsed().and_then(|v| Ok(Predicate::Gvk(gvk(&v)?))),
        "olm.label.required" => parsed().and_then(|v| Ok(Predicate::Label(string(&v, "label")?))),
        "olm.constraint" => {
            if value.len() > MAX_CONSTRAINT {
                return Some(Err(invalid(format!(
                    "parse olm.constraint: olm.constraint value is greater than max constraint size {MAX_CONSTRAINT} bytes"
                ))));
            }
            parsed().and_then(|v| {
                check_keys(&v).map_err(|e| invalid(format!("parse olm.constraint: {e}")))?;
                constraint(&v).map_err(|e| {
                    invalid(format!(
                        "convert olm.constraint to resolver predicate: {}",
                        e.text
                    ))
                })
            })
        }
        _ => return None,
    })
}

impl Predicate {
    pub fn holds(&self, facts: &Facts) -> bool {
        match self {
            Predicate::Package { name, range, .. } => {
                facts.belongs_to(name) && facts.versions().any(|v: &Version| range.contains(v))
            }
            Predicate::Gvk(gvk) => facts.gvks.iter().any(|offered| **offered == *gvk),
            Predicate::Label(label) => facts.labels.contains(label),
            Predicate::All(children) => children.iter().all(|c| c.holds(facts)),
            Predicate::Any(children) => children.iter().any(|c| c.holds(facts)),
            Predicate::Not(children) => !children.iter().any(|c| c.holds(facts)),
            Predicate::Cel { program, .. } => program.is_true(facts.cel()),
        }
    }
}

impl Predicate {
    /// Returns whether every bundle meets the requirement, or none does, because its lists are
    /// empty; `None` if it depends on the bundle.
    pub fn constant(&self) -> Option<bool> {
        let (children, decides) = match self {
            Predicate::All(children) => (children, false),
            Predicate::Any(children) | Predicate::Not(children) => (children, true),
            _ => return None,
        };
        let is = |value: bool| move |child: &Predicate| child.constant() == Some(value);
        let value = if children.iter().any(is(decides)) {
            decides
        } else if children.iter().all(is(!decides)) {
            !decides
        } else {
            return None;
        };
        Some(value != matches!(self, Predicate::Not(_)))
    }

    /// Describes the requirement to the user. [`fmt::Display`] has OLM's wording, which for a `not`
    /// lists what the bundle must not be.
    pub fn in_words(&self) -> String {
        match self {
            _ if self.constant() == Some(true) => "any bundle".to_owned(),
            _ if self.constant() == Some(false) => "what no bundle can provide".to_owned(),
            Predicate::Not(children) => {
                format!(
                    "a bundle that does not match {}",
                    join_in_words(children, " or ")
                )
            }
            Predicate::All(children) => join_in_words(children, " and "),
            Predicate::Any(children) => join_in_words(children, " or "),
            Predicate::Package {
                name, range_text, ..
            } => format!("package `{name}` {range_text}"),
            Predicate::Gvk(Gvk {
                group,
                version,
                kind,
            }) => format!("the API {kind} ({group}/{version})"),
            Predicate::Label(label) => format!("the label `{label}`"),
            Predicate::Cel { rule, .. } => format!("a bundle for which {rule} is true"),
        }
    }
}

/// Omits constant children: they do not decide, because the list they belong to is not constant.
fn join_in_words(predicates: &[Predicate], between: &str) -> String {
    let predicates: Vec<&Predicate> = predicates
        .iter()
        .filter(|predicate| predicate.constant().is_none())
        .collect();
    match predicates.as_slice() {
        [only] => only.in_words(),
        several => {
            let parts: Vec<String> = several
                .iter()
                .map(|predicate| format!("({})", predicate.in_words()))
                .collect();
            parts.join(between)
        }
    }
}

fn write_joined(
    f: &mut fmt::Formatter<'_>,
    predicates: &[Predicate],
    between: &str,
) -> fmt::Result {
    for (i, predicate) in predicates.iter().enumerate() {
        write!(f, "{}{predicate}", if i == 0 { "" } else { between })?;
    }
    Ok(())
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Predicate::Package {
                name, range_text, ..
            } => {
                write!(
                    f,
                    "with package: {name} and with version in range: {range_text}"
                )
            }
            Predicate::Gvk(Gvk {
                group,
                version,
                kind,
            }) => {
                write!(
                    f,
                    "providing an API with group: {group}, version: {version}, kind: {kind}"
                )
            }
            Predicate::Label(label) => write!(f, "with label: {label}"),
            Predicate::All(children) => write_joined(f, children, " and "),
            Predicate::Any(children) => write_joined(f, children, " or "),
            Predicate::Not(children) => write_joined(f, children, " and not "),
            Predicate::Cel { rule, message, .. } => {
                write!(
                    f,
                    "with constraint: {} and message: {}",
                    quote(rule),
                    quote(message)
                )
            }
        }
    }
}

fn package(name: &str, range_text: &str) -> Result<Predicate, UpgradeError> {
    let range = Range::parse(range_text).map_err(|e| invalid(e.0))?;
    Ok(Predicate::Package {
        name: name.to_owned(),
        range,
        range_text: range_text.to_owned(),
    })
}

/// Keys allowed in a constraint and in its children.
const KEYS: [(&str, &[&str]); 7] = [
    ("failureMessage", &[]),
    ("gvk", &["group", "version", "kind"]),
    ("package", &["packageName", "versionRange"]),
    ("cel", &["rule"]),
    ("all", &["constraints"]),
    ("any", &["constraints"]),
    ("not", &["constraints"]),
];

/// Refuses unknown keys at any depth. The JSON reader limits nesting, so the recursion ends.
fn check_keys(value: &Value) -> Result<(), String> {
    let unknown = |key: &str| format!("json: unknown field {}", quote(key));
    let Some(map) = value.as_object() else {
        return Ok(());
    };
    for (key, value) in map {
        let (_, inner) = KEYS
            .iter()
            .find(|(name, _)| names_field(key, name))
            .ok_or_else(|| unknown(key))?;
        for (key, value) in value.as_object().into_iter().flatten() {
            if !inner.iter().any(|name| names_field(key, name)) {
                return Err(unknown(key));
            }
            for child in value.as_array().into_iter().flatten() {
                check_keys(child)?;
            }
        }
    }
    Ok(())
}

fn constraints(compound: &Value) -> Result<Vec<Predicate>, UpgradeError> {
    match field_of(compound, "constraints")? {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => list.iter().map(constraint).collect(),
        Some(_) => Err(invalid(
            "json: cannot unmarshal into Go struct field .constraints".to_owned(),
        )),
    }
}

fn constraint(value: &Value) -> Result<Predicate, UpgradeError> {
    let empty = Map::new();
    let map = match value {
        Value::Object(map) => map,
        Value::Null => &empty,
        _ => {
            return Err(invalid(
                "json: cannot unmarshal into Go value of type constraints.Constraint".to_owned(),
            ));
        }
    };
    let inner = |field: &str| {
        map.iter()
            .find(|(k, v)| names_field(k, field) && !v.is_null())
            .map(|(_, v)| v)
    };
    if let Some(v) = inner("gvk") {
        return Ok(Predicate::Gvk(gvk(v)?));
    }
    if let Some(v) = inner("package") {
        return package(&string(v, "packageName")?, &string(v, "versionRange")?);
    }
    if let Some(v) = inner("all") {
        return constraints(v).map(Predicate::All);
    }
    if let Some(v) = inner("any") {
        return constraints(v).map(Predicate::Any);
    }
    if let Some(v) = inner("not") {
        return constraints(v).map(Predicate::Not);
    }
    if let Some(v) = inner("cel") {
        let rule = string(v, "rule")?;
        let program = Program::compile(&rule).map_err(invalid)?;
        return Ok(Predicate::Cel {
            program,
            rule,
            message: string(value, "failureMessage")?,
        });
    }
    Err(invalid("constraint is empty".to_owned()))
}

/// Returns package and versions of an `olm.package.required` property, from its JSON value.
pub fn required_package(value: &str) -> Option<(String, Range)> {
    match parse_property("olm.package.required", value)? {
        Ok(Predicate::Package { name, range, .. }) => Some((name, range)),
        _ => None,
    }
}

/// Group, version and kind of an API.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Gvk {
    pub group: String,
    pub version: String,
    pub kind: String,
}

impl Gvk {
    /// Creates the API of a CRD in a CSV: its name is `plural.group`.
    pub fn from_crd(name: &str, version: &str, kind: &str) -> Self {
        let group = name.split_once('.').map_or("", |(_, group)| group);
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        }
    }
}

/// Parsed APIs by property value. Many bundles share a value: each is parsed once.
#[derive(Debug, Default)]
pub(crate) struct Apis {
    read: HashMap<Text, Option<u32>>,
    numbers: HashMap<Rc<Gvk>, u32>,
    by_number: Vec<Rc<Gvk>>,
}

impl Apis {
    /// Parses an API, or returns the cached one.
    pub fn intern(&mut self, value: &Text) -> Option<Rc<Gvk>> {
        let number = self.number(value)?;
        self.by_number.get(number as usize).cloned()
    }

    /// Returns a number for the API, equal for all values that name it.
    pub fn number(&mut self, value: &Text) -> Option<u32> {
        if let Some(known) = self.read.get(value) {
            return *known;
        }
        let number = required_gvk(value).map(|gvk| {
            let gvk = Rc::new(gvk);
            *self.numbers.entry(gvk.clone()).or_insert_with(|| {
                self.by_number.push(gvk);
                self.by_number.len() as u32 - 1
            })
        });
        self.read.insert(value.clone(), number);
        number
    }
}

/// Returns the API of an `olm.gvk` or `olm.gvk.required` property, from its JSON value.
pub fn required_gvk(value: &str) -> Option<Gvk> {
    gvk(&serde_json::from_str(value).ok()?).ok()
}

pub(super) fn gvk(value: &Value) -> Result<Gvk, UpgradeError> {
    Ok(Gvk {
        group: string(value, "group")?,
        version: string(value, "version")?,
        kind: string(value, "kind")?,
    })
}

/// Reads a string field of an object like Go: absent and null are "", another type is an error.
pub(super) fn string(value: &Value, field: &str) -> Result<String, UpgradeError> {
    match field_of(value, field)? {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(invalid(format!(
            "json: cannot unmarshal into Go struct field .{field} of type string"
        ))),
    }
}

/// Returns the last key that matches `field`.
pub(super) fn field_of<'a>(
    value: &'a Value,
    field: &str,
) -> Result<Option<&'a Value>, UpgradeError> {
    match value {
        Value::Null => Ok(None),
        Value::Object(map) => Ok(map
            .iter()
            .rfind(|(k, _)| names_field(k, field))
            .map(|(_, v)| v)),
        _ => Err(invalid(
            "json: cannot unmarshal into Go value of type struct".to_owned(),
        )),
    }
}

pub(super) fn invalid(text: String) -> UpgradeError {
    UpgradeError::new(ErrorKind::Invalid, text)
}

#[derive(Debug, Default)]
pub(super) struct Facts {
    package: Text,
    version: Option<Version>,
    /// Package names and versions of its `olm.package` properties.
    packages: Vec<(String, Option<Version>)>,
    /// May contain duplicates.
    pub gvks: Vec<Rc<Gvk>>,
    pub labels: HashSet<String>,
    pub deprecated: bool,
    /// Type and value of each property.
    pub properties: Vec<(Text, Text)>,
    cel: OnceCell<Value>,
}

impl Facts {
    pub fn new(
        package: &Text,
        version: &str,
        properties: Vec<(Text, Text)>,
        apis: &mut Apis,
    ) -> Self {
        let mut facts = Self {
            package: package.clone(),
            version: Version::parse_tolerant(version).ok(),
            ..Self::default()
        };
        for (kind, text) in &properties {
            match &**kind {
                "olm.package" => {
                    let value = parse_value(text);
                    let name = string(&value, "packageName").unwrap_or_default();
                    let version = string(&value, "version").unwrap_or_default();
                    facts.packages.push((name, Version::parse(&version).ok()));
                }
                "olm.gvk" => facts.gvks.extend(apis.intern(text)),
                "olm.label" => facts.labels.extend(string(&parse_value(text), "label")),
                "olm.deprecated" => facts.deprecated = true,
                _ => {}
            }
        }
        Self {
            properties,
            ..facts
        }
    }

    pub fn cel(&self) -> &Value {
        self.cel.get_or_init(|| {
            let visible = |kind: &str| !matches!(kind, "olm.bundle.object" | "olm.csv.metadata");
            let properties = self.properties.iter().filter(|(kind, _)| visible(kind));
            properties
                .map(|(kind, text)| json!({"type": &**kind, "value": parse_value(text)}))
                .collect()
        })
    }

    pub fn belongs_to(&self, package: &str) -> bool {
        *self.package == *package || self.packages.iter().any(|(name, _)| name == package)
    }

    /// Iterates over the distinct names of its `olm.package` properties.
    pub fn package_names(&self) -> impl Iterator<Item = &str> {
        let names = self.packages.iter().map(|(name, _)| name.as_str());
        names
            .enumerate()
            .filter(|(index, name)| {
                let mut before = self.packages.iter().take(*index);
                before.all(|(other, _)| other != name)
            })
            .map(|(_, name)| name)
    }

    pub fn versions(&self) -> impl Iterator<Item = &Version> {
        self.packages
            .iter()
            .filter_map(|(_, v)| v.as_ref())
            .chain(&self.version)
    }
}

pub(super) fn bundle_facts(package: &Text, blob: &BundleBlob, apis: &mut Apis) -> Rc<Facts> {
    // `olm.package` values are stored separately, in property order.
    let mut packages = blob.package_properties.iter();
    let mut properties: Vec<(Text, Text)> = Vec::with_capacity(blob.properties.len() + 1);
    for property in &blob.properties {
        let value = match (&property.value, &*property.kind) {
            (Some(value), _) => value.clone(),
            (None, "olm.package") => packages.next().map_or_else(|| "null".into(), package_value),
            (None, _) => "null".into(),
        };
        properties.push((property.kind.clone(), value));
    }
    if blob.package_properties.is_empty() {
        let synthesized = json!({"packageName": &**package, "version": blob.version()});
        properties.push(("olm.package".into(), synthesized.to_string().into()));
    }
    Rc::new(Facts::new(package, blob.version(), properties, apis))
}

fn package_value(property: &PackageProperty) -> Text {
    let mut value = json!({"packageName": property.package_name.as_str(), "version": property.version.as_str()});
    if !property.release().is_empty() {
        value["release"] = property.release().into();
    }
    value.to_string().into()
}

/// Parses a property value, which is stored as text.
pub(super) fn parse_value(text: &Text) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

//! Decodes values as Go's JSON decoder does for a type, and encodes the result: fields in the
//! type's order, without unknown ones, and without empty ones that the type omits.
//!
//! Must not know the types of blobs, which are in [`super::types`].

use super::value::number_text;
use ::base64::Engine;
use ::base64::engine::general_purpose::STANDARD;
use catalog::version::Version;
use regex_lite::Regex;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;
use syntax::base64;
use syntax::go_text::names_field;
use syntax::scalar::days_in_month;

const NO_QUANTITY: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
/// Go's layout of RFC 3339.
const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";

pub(super) enum Type {
    /// `string`, or a named type of it.
    Text(&'static str),
    Bool,
    /// An integer type and its bounds.
    Int(&'static str, i64, i64),
    Float,
    /// `[]byte`: base64 text.
    Bytes,
    /// Any value, unchanged; null if absent.
    Any,
    /// Like `Any`, decoded later by Go: `*json.RawMessage`.
    Raw,
    /// `map[string]…`.
    Map(&'static Type),
    List(&'static Type),
    /// Absent if null.
    Pointer(&'static Type),
    Struct(&'static Struct),
    /// An amount with a unit, such as `500Mi`.
    Quantity,
    IntOrString,
    /// A version in OLM's format; any other text is an error.
    Version,
    /// A release in OLM's format; any other text is an error.
    Release,
    /// A time in RFC 3339 format.
    Time,
    /// An object of the first type or a list of the second; other values are skipped.
    ObjectOrList(&'static Type, &'static Type),
    /// An object of the type, or a boolean.
    ObjectOrBool(&'static Type),
    /// A type with its own name.
    Named(&'static str, &'static Type),
}

/// A struct type: its qualified name, and its fields in order.
pub(super) struct Struct {
    /// The name as Go prints it.
    pub go: &'static str,
    pub fields: &'static [Field],
    /// Field names are case-sensitive.
    pub exact: bool,
}

/// A field by its JSON name.
pub(super) struct Field {
    pub name: &'static str,
    /// The embedded struct that declares the field, if any.
    pub through: Option<&'static str>,
    pub go_type: Type,
    /// Written even if it is empty.
    pub kept: bool,
}

/// A value of the wrong type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mismatch {
    /// Go's message.
    pub message: String,
    /// The path to the value: keys, and list indices as numbers.
    pub path: Vec<String>,
    /// Whether the type's own decoder detected it, which counts bytes from the value rather than
    /// from the surrounding text.
    pub is_own: bool,
}

/// Decodes a value as a type.
///
/// # Errors
///
/// The first mismatch; one detected by a type's own decoder ends decoding immediately and takes
/// precedence.
pub(super) fn decode(value: &Value, go_type: &'static Type) -> Result<Value, Mismatch> {
    let mut decoder = Decoder::default();
    let decoded = decoder.value(value, go_type)?;
    decoder.first.map_or(Ok(decoded), Err)
}

impl Type {
    /// Returns the type as printed by Go.
    fn go(&self) -> String {
        match self {
            Type::Text(go) | Type::Int(go, ..) => (*go).to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Float => "float64".to_owned(),
            Type::Bytes => "[]uint8".to_owned(),
            Type::Any => "interface {}".to_owned(),
            Type::Raw => "*json.RawMessage".to_owned(),
            Type::Map(item) => format!("map[string]{}", item.go()),
            Type::List(item) => format!("[]{}", item.go()),
            Type::Pointer(item) => format!("*{}", item.go()),
            Type::Struct(go_type) => go_type.go.to_owned(),
            Type::Quantity => "resource.Quantity".to_owned(),
            Type::IntOrString => "int32".to_owned(),
            Type::Version | Type::Release | Type::Time => "string".to_owned(),
            Type::ObjectOrList(object, _) | Type::ObjectOrBool(object) => object.go(),
            Type::Named(go, _) => (*go).to_owned(),
        }
    }

    fn zero(&self) -> Value {
        match self {
            Type::Text(_) | Type::Version | Type::Release => Value::String(String::new()),
            Type::Bool => Value::Bool(false),
            Type::Int(..) | Type::Float | Type::IntOrString => Value::from(0),
            Type::Bytes
            | Type::Any
            | Type::Raw
            | Type::Map(_)
            | Type::List(_)
            | Type::Pointer(_)
            | Type::Time
            | Type::ObjectOrList(..)
            | Type::ObjectOrBool(_) => Value::Null,
            Type::Named(_, go_type) => go_type.zero(),
            Type::Quantity => Value::from("0"),
            Type::Struct(go_type) => go_type.encode(&[]),
        }
    }

    /// Whether Go's `omitempty` omits the value; never true for structs.
    fn is_empty(&self, value: &Value) -> bool {
        match value {
            Value::Null => !matches!(self, Type::Any),
            Value::Bool(value) => !value && matches!(self, Type::Bool),
            Value::Number(number) => {
                number.as_f64() == Some(0.0) && matches!(self, Type::Int(..) | Type::Float)
            }
            Value::String(text) => text.is_empty() && !matches!(self, Type::Any | Type::Pointer(_)),
            Value::Array(items) => items.is_empty() && matches!(self, Type::List(_)),
            Value::Object(map) => map.is_empty() && matches!(self, Type::Map(_)),
        }
    }
}

impl Struct {
    /// Returns the unqualified name; "" for an anonymous type.
    fn name(&self) -> &'static str {
        if self.go.starts_with("struct {") {
            return "";
        }
        self.go.rsplit('.').next().unwrap_or(self.go)
    }

    /// Returns the index of the field with this key.
    fn field_index(&self, key: &str) -> Option<usize> {
        let mut fields = self.fields.iter();
        let equal = fields.clone().position(|field| field.name == key);
        equal.or_else(|| fields.position(|field| !self.exact && names_field(key, field.name)))
    }

    /// Encodes the fields that have a value. `values` are by field index; the last one counts.
    fn encode(&self, values: &[(usize, Value)]) -> Value {
        let mut map = Map::new();
        for (index, field) in self.fields.iter().enumerate() {
            let value = values
                .iter()
                .rfind(|(field, _)| *field == index)
                .map(|(_, value)| value.clone());
            match value {
                Some(value) if field.kept || !field.go_type.is_empty(&value) => {
                    drop(map.insert(field.name.to_owned(), value))
                }
                None if field.kept || matches!(field.go_type, Type::Struct(_)) => {
                    map.insert(field.name.to_owned(), field.go_type.zero());
                }
                _ => {}
            }
        }
        Value::Object(map)
    }
}

#[derive(Default)]
struct Decoder {
    /// Names of the enclosing fields of all structs.
    fields: Vec<&'static str>,
    path: Vec<String>,
    current_struct: Option<&'static Struct>,
    /// The struct that contains a type with its own decoder: mismatches within are attributed to
    /// it.
    outer_struct: Option<&'static Struct>,
    first: Option<Mismatch>,
}

impl Decoder {
    fn value(&mut self, value: &Value, go_type: &'static Type) -> Result<Value, Mismatch> {
        match (go_type, value) {
            (Type::Any | Type::Raw, _) => Ok(value.clone()),
            (Type::Version | Type::Release, Value::Null) => self.decode_custom("", go_type),
            (_, Value::Null) => Ok(go_type.zero()),
            (Type::Pointer(inner), _) => self.value(value, inner),
            (Type::Text(_), Value::String(_))
            | (Type::Bool, Value::Bool(_))
            | (Type::Float | Type::Quantity, Value::Number(_))
            | (Type::IntOrString, Value::String(_)) => Ok(value.clone()),
            (Type::IntOrString, Value::Number(number)) => match number.as_i64() {
                Some(n) if i32::try_from(n).is_ok() => Ok(value.clone()),
                _ => Err(self
                    .mismatch(&format!("number {}", number_text(number)), &go_type.go())
                    .own()),
            },
            (Type::Int(_, low, high), Value::Number(number)) => match number.as_i64() {
                Some(n) if (*low..=*high).contains(&n) => Ok(value.clone()),
                _ => Ok(self.record_mismatch(&format!("number {}", number_text(number)), go_type)),
            },
            (Type::Bytes, Value::String(text)) => match base64::decode(text.as_bytes()) {
                Some(bytes) => Ok(Value::String(STANDARD.encode(bytes))),
                None => {
                    let offset = base64::check(text.as_bytes()).err().unwrap_or_default();
                    let mismatch =
                        self.mismatch_here(format!("illegal base64 data at input byte {offset}"));
                    self.first.get_or_insert(mismatch);
                    Ok(go_type.zero())
                }
            },
            (Type::Bytes, Value::Array(items)) => {
                let bytes: Option<Vec<u8>> = items
                    .iter()
                    .map(|item| u8::try_from(item.as_u64().or(item.is_null().then_some(0))?).ok())
                    .collect();
                Ok(match bytes {
                    Some(bytes) => Value::String(STANDARD.encode(bytes)),
                    None => self.record_mismatch("array", go_type),
                })
            }
            (Type::Version | Type::Release, Value::String(text)) => {
                self.decode_custom(text, go_type)
            }
            (Type::Quantity, Value::String(text)) if is_quantity(text.trim()) => Ok(value.clone()),
            (Type::Quantity, _) => Err(self.mismatch_here(NO_QUANTITY.to_owned())),
            (Type::Time, Value::String(text)) => match time_error(text) {
                None => Ok(value.clone()),
                Some(message) => Err(self.mismatch_here(message)),
            },
            (Type::Time | Type::IntOrString, _) => {
                Err(self.mismatch(go_kind(value), &go_type.go()).own())
            }
            (Type::ObjectOrList(object, _) | Type::ObjectOrBool(object), Value::Object(_)) => {
                self.decode_own(value, object)
            }
            (Type::ObjectOrList(_, list), Value::Array(_)) => self.decode_own(value, list),
            (Type::ObjectOrList(..), _) | (Type::ObjectOrBool(_), Value::Bool(_)) => {
                Ok(value.clone())
            }
            (Type::ObjectOrBool(_), _) => {
                Err(self.mismatch_here("boolean or JSON schema expected".to_owned()))
            }
            (Type::Named(_, inner @ Type::Any), _)
            | (Type::Named(_, inner @ Type::Map(_)), Value::Object(_))
            | (Type::Named(_, inner @ Type::List(_)), Value::Array(_)) => self.value(value, inner),
            (Type::Map(item), Value::Object(map)) => self.map(map, item),
            (Type::List(item), Value::Array(items)) => {
                let mut list = Vec::with_capacity(items.len());
                let current_struct = self.current_struct;
                for (nth, value) in items.iter().enumerate() {
                    self.path.push(nth.to_string());
                    list.push(self.value(value, item)?);
                    self.path.pop();
                    self.current_struct = current_struct;
                }
                Ok(Value::Array(list))
            }
            (Type::Struct(go_type), Value::Object(map)) => self.decode_struct(map, go_type),
            _ => Ok(self.record_mismatch(go_kind(value), go_type)),
        }
    }

    /// Decodes a value for a type with its own decoder: its first mismatch ends all decoding.
    fn decode_own(&mut self, value: &Value, go_type: &'static Type) -> Result<Value, Mismatch> {
        let (outer_struct, before) = (self.outer_struct, self.first.take());
        self.outer_struct = outer_struct.or(self.current_struct);
        let decoded = self.value(value, go_type)?;
        self.outer_struct = outer_struct;
        match std::mem::replace(&mut self.first, before) {
            Some(mismatch) => Err(mismatch.own()),
            None => Ok(decoded),
        }
    }

    fn map(&mut self, map: &Map<String, Value>, item: &'static Type) -> Result<Value, Mismatch> {
        let mut decoded = Map::new();
        // Go writes map keys in sorted order.
        let sorted: BTreeMap<&String, &Value> = map.iter().collect();
        for (key, value) in sorted {
            self.path.push(key.clone());
            decoded.insert(key.clone(), self.value(value, item)?);
            self.path.pop();
        }
        Ok(Value::Object(decoded))
    }

    fn decode_struct(
        &mut self,
        map: &Map<String, Value>,
        go_type: &'static Struct,
    ) -> Result<Value, Mismatch> {
        let outer = self.current_struct;
        let mut values: Vec<(usize, Value)> = Vec::new();
        for (key, value) in map {
            let Some(nth) = go_type.field_index(key) else {
                continue;
            };
            let field = &go_type.fields[nth];
            self.current_struct = Some(go_type);
            let before = self.fields.len();
            self.fields.extend(field.through);
            self.fields.push(field.name);
            self.path.push(key.clone());
            let decoded = self.value(value, &field.go_type)?;
            self.fields.truncate(before);
            self.path.pop();
            // If a field occurs again, in another spelling, a null keeps its first value.
            if !value.is_null() || values.iter().all(|(known, _)| *known != nth) {
                values.push((nth, decoded));
            }
        }
        self.current_struct = outer;
        Ok(go_type.encode(&values))
    }

    /// Decodes a type with a custom Go decoder, which also receives null.
    fn decode_custom(&self, text: &str, go_type: &Type) -> Result<Value, Mismatch> {
        let parsed = match go_type {
            Type::Version => Version::parse_tolerant(text)
                .map(drop)
                .map_err(|error| error.to_string()),
            _ => text.split('.').try_for_each(check_release_part),
        };
        parsed
            .map(|()| Value::String(text.to_owned()))
            .map_err(|message| self.mismatch_here(message))
    }

    fn mismatch_here(&self, message: String) -> Mismatch {
        Mismatch {
            message,
            path: self.path.clone(),
            is_own: false,
        }
    }

    /// Records a mismatch and continues with the type's default.
    fn record_mismatch(&mut self, actual: &str, go_type: &Type) -> Value {
        let mismatch = self.mismatch(actual, &go_type.go());
        self.first.get_or_insert(mismatch);
        go_type.zero()
    }

    fn mismatch(&self, actual: &str, go: &str) -> Mismatch {
        let into = match self.outer_struct.or(self.current_struct) {
            Some(current_struct) => format!(
                "struct field {}.{} of",
                current_struct.name(),
                self.fields.join(".")
            ),
            None => "value of".to_owned(),
        };
        self.mismatch_here(format!(
            "json: cannot unmarshal {actual} into Go {into} type {go}"
        ))
    }
}

impl Mismatch {
    fn own(self) -> Self {
        Self {
            is_own: true,
            ..self
        }
    }
}

/// Returns Go's name for a JSON type in refusals.
pub fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Checks a part of a release, which follows the rules of prerelease identifiers.
fn check_release_part(part: &str) -> Result<(), String> {
    if part.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    Version::parse(&format!("0.0.0-{part}"))
        .map(drop)
        .map_err(|error| error.to_string())
}

/// Whether the text is a Kubernetes quantity: a decimal with a unit or an exponent.
fn is_quantity(text: &str) -> bool {
    static QUANTITY: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"^[+-]?(\d+\.?\d*|\.\d+)(n|u|m|[kMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$";
        Regex::new(pattern).expect("a valid pattern")
    });
    QUANTITY.is_match(text)
}

/// Returns Go's error for an invalid time; `None` for a valid one.
pub(super) fn time_error(text: &str) -> Option<String> {
    let message = match parse_time(text) {
        Ok(()) => return None,
        Err(TimeParseError::Part(rest, part)) => {
            format!(
                " as {}: cannot parse {} as {}",
                quote_bytes(LAYOUT),
                quote_bytes(rest),
                quote_bytes(part)
            )
        }
        Err(TimeParseError::Range(what)) => format!(": {what} out of range"),
        Err(TimeParseError::Extra(rest)) => format!(": extra text: {}", quote_bytes(rest)),
    };
    Some(format!("parsing time {}{message}", quote_bytes(text)))
}

enum TimeParseError<'t> {
    /// The rest of the text, and the part of the layout that it fails to match.
    Part(&'t str, &'static str),
    Range(&'static str),
    Extra(&'t str),
}

/// A number of the layout.
struct LayoutPart {
    separator: &'static str,
    text: &'static str,
    name: &'static str,
    range: RangeInclusive<u32>,
}

impl LayoutPart {
    const fn new(
        separator: &'static str,
        text: &'static str,
        name: &'static str,
        range: RangeInclusive<u32>,
    ) -> Self {
        Self {
            separator,
            text,
            name,
            range,
        }
    }
}

/// The days of a month are checked later.
const LAYOUT_PARTS: [LayoutPart; 6] = [
    LayoutPart::new("", "2006", "year", 0..=9999),
    LayoutPart::new("-", "01", "month", 1..=12),
    LayoutPart::new("-", "02", "day", 0..=99),
    LayoutPart::new("T", HOUR, "hour", 0..=23),
    LayoutPart::new(":", "04", "minute", 0..=59),
    LayoutPart::new(":", "05", "second", 0..=59),
];
/// The hour may have one digit.
const HOUR: &str = "15";

fn parse_time(text: &str) -> Result<(), TimeParseError<'_>> {
    let mut rest = text;
    let mut numbers = [0; 6];
    for (number, part) in numbers.iter_mut().zip(LAYOUT_PARTS) {
        rest = rest
            .strip_prefix(part.separator)
            .ok_or(TimeParseError::Part(rest, part.separator))?;
        let digits = rest
            .bytes()
            .take(part.text.len())
            .take_while(u8::is_ascii_digit)
            .count();
        if digits < part.text.len() && !(part.text == HOUR && digits == 1) {
            return Err(TimeParseError::Part(rest, part.text));
        }
        let (text, after) = rest.split_at(digits);
        *number = text.parse().unwrap_or(0);
        if !part.range.contains(number) {
            return Err(TimeParseError::Range(part.name));
        }
        rest = after;
    }
    if let Some(fraction) = rest.strip_prefix(['.', ','])
        && fraction.starts_with(|c: char| c.is_ascii_digit())
    {
        rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    rest = parse_zone(rest)?;
    if !rest.is_empty() {
        return Err(TimeParseError::Extra(rest));
    }
    let [year, month, day, ..] = numbers;
    if (1..=days_in_month(year, month)).contains(&day) {
        Ok(())
    } else {
        Err(TimeParseError::Range("day"))
    }
}

/// Parses `Z` or an offset such as `+02:00`, and returns the rest.
fn parse_zone(text: &str) -> Result<&str, TimeParseError<'_>> {
    static ZONE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("^(?:Z|[+-]([0-9]{2}):([0-9]{2}))").expect("a valid pattern"));
    let zone = ZONE.captures(text);
    let zone = zone.ok_or(TimeParseError::Part(text, "Z07:00"))?;
    let number = |group| {
        zone.get(group)
            .and_then(|digits| digits.as_str().parse::<u32>().ok())
    };
    match (number(1), number(2)) {
        (Some(25..), _) => Err(TimeParseError::Range("time zone offset hour")),
        (_, Some(61..)) => Err(TimeParseError::Range("time zone offset minute")),
        _ => Ok(&text[zone[0].len()..]),
    }
}

/// Quotes a text and escapes every non-ASCII byte.
fn quote_bytes(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' | 0x7f => quoted.push(char::from(byte)),
            _ => quoted.push_str(&format!("\\x{byte:02x}")),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::time_error;

    #[test]
    fn a_timestamp_is_parsed_like_go() {
        for good in [
            "2020-01-01T00:00:00Z",
            "2020-02-29T1:02:03Z",
            "2020-01-01T23:59:59.123456+02:00",
            "0000-01-01T00:00:00,5-24:60",
        ] {
            assert_eq!(time_error(good), None, "{good}");
        }
        let cannot = |rest: &str, part: &str| {
            format!(" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"{rest}\" as \"{part}\"")
        };
        for (bad, expected) in [
            ("x", cannot("x", "2006")),
            ("2020-01-01", cannot("", "T")),
            ("2020-1-01T00:00:00Z", cannot("1-01T00:00:00Z", "01")),
            ("2020-01-01T00:00:00", cannot("", "Z07:00")),
            ("2020-01-01T00:00:00+0200", cannot("+0200", "Z07:00")),
            ("2020-13-01T00:00:00Z", ": month out of range".to_owned()),
            ("2021-02-29T00:00:00Z", ": day out of range".to_owned()),
            ("2020-01-01T24:00:00Z", ": hour out of range".to_owned()),
            ("2020-01-01T00:00:00Zx", ": extra text: \"x\"".to_owned()),
        ] {
            assert_eq!(
                time_error(bad),
                Some(format!("parsing time \"{bad}\"{expected}")),
                "{bad}"
            );
        }
        assert_eq!(
            time_error("é").unwrap(),
            format!(
                "parsing time \"\\xc3\\xa9\"{}",
                cannot("\\xc3\\xa9", "2006")
            )
        );
    }
}

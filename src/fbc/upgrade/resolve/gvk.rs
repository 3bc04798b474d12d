//! APIs named by properties. Fields are read as Go reads them.

use super::super::answer::{ErrorKind, UpgradeError};
use crate::go_text::names_field;
use crate::hashed::HashMap;
use crate::place::Text;
use serde_json::Value;
use std::rc::Rc;

/// Group, version and kind of an API.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Gvk {
    pub group: String,
    pub version: String,
    pub kind: String,
}

impl Gvk {
    /// A CRD in a CSV: its name is `plural.group`.
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
pub(in super::super) struct Apis {
    read: HashMap<Text, Option<u32>>,
    numbers: HashMap<Rc<Gvk>, u32>,
    by_number: Vec<Rc<Gvk>>,
}

impl Apis {
    /// Parses an API, or returns the cached one.
    pub(super) fn intern(&mut self, value: &Text) -> Option<Rc<Gvk>> {
        let number = self.number(value)?;
        self.by_number.get(number as usize).cloned()
    }

    /// A number for the API, equal for all values that name it.
    pub(in super::super) fn number(&mut self, value: &Text) -> Option<u32> {
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

/// The API of an `olm.gvk` or `olm.gvk.required` property, from its JSON value.
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

/// A string field of an object as Go reads it: absent and null are "", another type is an error.
pub(super) fn string(value: &Value, field: &str) -> Result<String, UpgradeError> {
    match field_of(value, field)? {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(invalid(format!(
            "json: cannot unmarshal into Go struct field .{field} of type string"
        ))),
    }
}

/// The last key that matches `field`.
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

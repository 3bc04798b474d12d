//! Creates a new package like `opm init`.

use super::media_type::{Media, detect_image};
use super::{Refusal, typed, types};
use crate::go_text::quote;
use ::base64::Engine;
use ::base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

/// The input of `opm init`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewPackage<'a> {
    pub name: &'a str,
    /// "" if absent.
    pub default_channel: &'a str,
    /// The text of a README.
    pub description: Option<&'a str>,
    /// The bytes of an image.
    pub icon: Option<&'a [u8]>,
}

/// The `olm.package` blob.
///
/// # Errors
///
/// If the icon is empty or not an image.
pub fn package(new: &NewPackage<'_>) -> Result<Value, Refusal> {
    let mut blob = Map::new();
    blob.insert("schema".to_owned(), "olm.package".into());
    blob.insert("name".to_owned(), new.name.into());
    blob.insert("defaultChannel".to_owned(), new.default_channel.into());
    if let Some(description) = new.description {
        blob.insert("description".to_owned(), description.into());
    }
    if let Some(bytes) = new.icon {
        let mut icon = Map::new();
        icon.insert("base64data".to_owned(), STANDARD.encode(bytes).into());
        icon.insert("mediatype".to_owned(), media_type(bytes)?.into());
        blob.insert("icon".to_owned(), Value::Object(icon));
    }
    typed::decode(&Value::Object(blob), &types::PACKAGE).map_err(|error| refusal(error.message))
}

fn media_type(bytes: &[u8]) -> Result<&'static str, Refusal> {
    if bytes.is_empty() {
        return Err(refusal("detect icon mediatype: Empty buffer".to_owned()));
    }
    match detect_image(bytes) {
        Media::Image(media_type) => Ok(media_type),
        Media::Other(media_type) => Err(refusal(format!(
            "detected invalid type {}: not an image",
            quote(media_type)
        ))),
    }
}

fn refusal(message: String) -> Refusal {
    Refusal {
        message,
        file: None,
        line: None,
        help: "give an SVG, PNG, JPEG or GIF image".to_owned(),
    }
}

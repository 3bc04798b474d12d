//! Messages as bytes. Page and worker are from one build, so the bytes contain neither version nor
//! field names.

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Encodes a message as postcard bytes; empty only if one of our serializers fails, which the
/// message tests rule out.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_stdvec(message).unwrap_or_default()
}

/// Decodes a message; `None` for bytes of another build or of another message type.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

/// Encodes a head in front of an encoded body.
pub fn join<T: Serialize>(head: &T, body: &[u8]) -> Vec<u8> {
    let mut bytes = encode(head);
    bytes.extend_from_slice(body);
    bytes
}

/// Separates the head of a message from its body.
pub fn split<T: DeserializeOwned>(bytes: &[u8]) -> Option<(T, &[u8])> {
    postcard::take_from_bytes(bytes).ok()
}

/// A value that travels as its JSON text inside a binary message: data whose serde form needs field
/// names or tags, which the binary encoding cannot carry.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Json<T>(pub T);

impl<T: Serialize> Serialize for Json<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&serde_json::to_string(&self.0).map_err(S::Error::custom)?)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Json<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        serde_json::from_str(&text)
            .map(Json)
            .map_err(D::Error::custom)
    }
}

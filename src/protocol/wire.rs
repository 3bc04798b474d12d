//! Messages as bytes. Page and worker are from the same build, so the bytes contain neither version nor field names.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message as postcard bytes; empty only if one of our serializers fails, which the message tests rule out.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_stdvec(message).unwrap_or_default()
}

/// `None` for bytes of another build or of another message type.
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

//! Messages as bytes. Page and worker are of one build, so there is neither version nor field name in them.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message as postcard bytes; empty only if a serializer of ours refuses, which the tests of the messages exclude.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_stdvec(message).unwrap_or_default()
}

/// The message again; `None` for bytes of another build or another kind of message.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

/// A head followed by a body that is encoded already.
pub fn join<T: Serialize>(head: &T, body: &[u8]) -> Vec<u8> {
    let mut bytes = encode(head);
    bytes.extend_from_slice(body);
    bytes
}

/// The head and the body of a message.
pub fn split<T: DeserializeOwned>(bytes: &[u8]) -> Option<(T, &[u8])> {
    postcard::take_from_bytes(bytes).ok()
}

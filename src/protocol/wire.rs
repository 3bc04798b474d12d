//! Messages as bytes. Page and worker are of one build, so there is neither version nor field name in them.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message as postcard bytes; `None` only if a serializer of ours refuses, which the tests of the messages exclude.
pub fn encode<T: Serialize>(message: &T) -> Option<Vec<u8>> {
    postcard::to_stdvec(message).ok()
}

/// The message again; `None` for bytes of another build or another kind of message.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

//! Messages as bytes. Page and worker are from the same build, so the bytes contain neither version nor field names.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message as postcard bytes; `None` only if one of our serializers fails, which the message tests rule out.
pub fn encode<T: Serialize>(message: &T) -> Option<Vec<u8>> {
    postcard::to_stdvec(message).ok()
}

/// `None` for bytes of another build or of another message type.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

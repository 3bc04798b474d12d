//! An object URL of bytes for an image, revoked on drop.

use super::downloads::blob;
use web_sys::Url;

pub struct ObjectUrl(String);

impl ObjectUrl {
    /// `None` if the browser cannot create one.
    pub fn new(mime: &str, bytes: &[u8]) -> Option<Self> {
        Url::create_object_url_with_blob(&blob(mime, bytes).ok()?)
            .ok()
            .map(Self)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Drop for ObjectUrl {
    fn drop(&mut self) {
        // Fails only for an invalid URL.
        let _ = Url::revoke_object_url(&self.0);
    }
}

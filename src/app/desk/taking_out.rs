//! Taking out: downloads, and commands on the clipboard.

use super::Desk;
use crate::app::browser::output;
use crate::protocol::request::Export;
use crate::protocol::{RequestBody, ResponseBody};
use wasm_bindgen_futures::spawn_local;

impl Desk {
    /// Makes a file of it and hands it to the browser.
    pub fn download(self, what: Export) {
        spawn_local(async move {
            if let Some((name, mime, bytes)) = self.exported(what).await {
                if output::download(&name, &mime, &bytes).is_ok() {
                    self.toasts.done(format!("{name} is in your downloads."));
                } else {
                    self.toasts.error("The browser does not allow the download.");
                }
            }
        });
    }

    /// Puts the edits on the clipboard as command lines.
    pub fn copy_commands(self) {
        spawn_local(async move {
            if let Some((_, _, bytes)) = self.exported(Export::Commands).await {
                self.copy_text(String::from_utf8_lossy(&bytes).into_owned(), "Commands copied, one a line.");
            }
        });
    }

    async fn exported(self, what: Export) -> Option<(String, String, Vec<u8>)> {
        match self.ask(RequestBody::Export(what)).await?.body {
            ResponseBody::Exported { name, mime, bytes } => Some((name, mime, bytes)),
            ResponseBody::Failed { message } => {
                self.toasts.error(message);
                None
            }
            _ => None,
        }
    }
}

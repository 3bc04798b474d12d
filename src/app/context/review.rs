//! What *Review changes* keeps while it is closed.

use super::ContextSignal;
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedMessage {
    pub text: String,
    /// The message that was generated when the user began.
    pub generated: String,
}

#[derive(Clone, Copy, Default)]
pub struct ReviewState {
    /// `None`: the generated message.
    pub message: ContextSignal<Option<EditedMessage>>,
}

impl ReviewState {
    /// Returns the text that starts a patch, untracked; "" if the user has written none.
    pub fn patch_message(self) -> String {
        self.message
            .with_untracked(|message| message.as_ref().map(|message| message.text.clone()))
            .unwrap_or_default()
    }

    pub fn reset_message(self) {
        self.message.set(None);
    }

    /// Records the text typed in place of `generated`.
    pub fn edit_message(self, text: String, generated: &str) {
        self.message.update(|message| match message {
            Some(message) => message.text = text,
            None => {
                *message = Some(EditedMessage {
                    text,
                    generated: generated.to_owned(),
                })
            }
        });
    }
}

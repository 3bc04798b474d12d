//! Keyboard shortcuts as shown, as assistive technology reads them, and in tooltips.

use web_sys::KeyboardEvent;

/// Ctrl+Enter, or Cmd+Enter on a Mac: applies a form or a text from any of its fields.
pub fn is_apply_key(event: &KeyboardEvent) -> bool {
    event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) && !event.is_composing()
}

/// `Undo (Ctrl+Z)`; the label alone without keys.
pub fn with_keys(label: &str, keys: &str) -> String {
    if keys.is_empty() {
        label.to_owned()
    } else {
        format!("{label} ({keys})")
    }
}

/// For `aria-keyshortcuts`: `Control+Z`. `None` without keys.
pub fn spoken_keys(keys: &str) -> Option<String> {
    (!keys.is_empty()).then(|| keys.replace("Ctrl+", "Control+"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_keys_for_display_and_for_screen_readers() {
        assert_eq!(with_keys("Undo", "Ctrl+Z"), "Undo (Ctrl+Z)");
        assert_eq!(with_keys("Review", ""), "Review");
        assert_eq!(
            spoken_keys("Ctrl+Shift+Z").as_deref(),
            Some("Control+Shift+Z")
        );
        assert_eq!(spoken_keys("?").as_deref(), Some("?"));
        assert_eq!(spoken_keys(""), None);
    }
}

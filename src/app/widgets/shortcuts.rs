//! Keys as they are shown, as assistive technology wants them, and in the tooltip of what they do.

/// `Undo (Ctrl+Z)`; the label alone where there are no keys.
pub fn with_keys(label: &str, keys: &str) -> String {
    if keys.is_empty() { label.to_owned() } else { format!("{label} ({keys})") }
}

/// As `aria-keyshortcuts` takes them: `Control+Z`. `None` where there are no keys.
pub fn spoken_keys(keys: &str) -> Option<String> {
    (!keys.is_empty()).then(|| keys.replace("Ctrl+", "Control+"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_said_in_each_tongue() {
        assert_eq!(with_keys("Undo", "Ctrl+Z"), "Undo (Ctrl+Z)");
        assert_eq!(with_keys("Review", ""), "Review");
        assert_eq!(spoken_keys("Ctrl+Shift+Z").as_deref(), Some("Control+Shift+Z"));
        assert_eq!(spoken_keys("?").as_deref(), Some("?"));
        assert_eq!(spoken_keys(""), None);
    }
}

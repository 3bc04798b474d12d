//! Short wordings of the library's findings, shared by the page, messages and the command line.

/// Returns the part of OLM's error to show beside *no update* or *not installable*; "" if its kind
/// suffices.
pub fn reason_for_no_answer(error: &str) -> &'static str {
    let kinds = [
        (
            "no such channel",
            &["no operators found in channel", "in channels ["][..],
        ),
        ("no bundle found", &["no bundles found"]),
    ];
    let found = kinds
        .iter()
        .find(|(_, marks)| marks.iter().any(|mark| error.contains(mark)));
    found.map_or("", |(text, _)| text)
}

/// Returns `opm`'s message as a part of a sentence: for a message drawn as a tree, its last line
/// without the branches.
pub fn cause_in_tree(message: &str) -> &str {
    let last = message
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or_default();
    last.trim_start_matches(|letter: char| letter.is_whitespace() || "└├│─".contains(letter))
}

/// Formats the message on one line with its subject: `invalid package "p": invalid channel "c":
/// empty`, down to the first cause.
pub fn tree_in_one_line(message: &str) -> String {
    let bare = |line: &str| cause_in_tree(line).trim_end().to_owned();
    let mut parts = Vec::new();
    for line in message
        .lines()
        .map(bare)
        .filter(|line| !line.is_empty() && line != "invalid index:")
    {
        let is_cause = !line.ends_with(':');
        parts.push(line);
        if is_cause {
            break;
        }
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{cause_in_tree, reason_for_no_answer, tree_in_one_line};

    #[test]
    fn the_cause_is_extracted_from_a_tree() {
        let tree = "invalid index:\n└── invalid package \"p\":\n    └── invalid channel \"c\"\n";
        assert_eq!(cause_in_tree(tree), "invalid channel \"c\"");
        assert_eq!(cause_in_tree("duplicate package"), "duplicate package");
        assert_eq!(
            tree_in_one_line(tree),
            "invalid package \"p\": invalid channel \"c\""
        );
        assert_eq!(tree_in_one_line("duplicate package"), "duplicate package");
        let two =
            "invalid package \"p\":\n├── invalid channel \"a\":\n│   └── empty\n└── duplicate";
        assert_eq!(
            tree_in_one_line(two),
            "invalid package \"p\": invalid channel \"a\": empty"
        );
    }

    #[test]
    fn a_known_reason_for_no_answer_is_found() {
        let channel = "no operators found in channel betax of package p in the catalog";
        assert_eq!(reason_for_no_answer(channel), "no such channel");
        assert_eq!(
            reason_for_no_answer("no bundles found for package \"p\""),
            "no bundle found"
        );
        assert_eq!(reason_for_no_answer("multiple channel heads found"), "");
    }
}

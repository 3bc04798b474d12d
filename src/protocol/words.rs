//! Short wordings of the library's findings, shared by the page, messages and the command line.

/// The end of each branch in a message that `opm` draws as a tree.
const BRANCH: &str = "── ";
/// Maximum number of bytes at each end of a long cause.
const MAX_END: usize = 300;

/// Returns the part of OLM's error to show beside *no update* or *not installable*; "" if its kind
/// suffices.
pub fn reason_for_no_answer(error: &str) -> &'static str {
    let kinds = [
        ("no such channel", "no operators found in channel"),
        ("no bundle fits the version range", "matching version"),
        // OLM v1 has one message for a missing channel and for one without a successor.
        ("no successor", ": no bundles found"),
        ("no bundle found", "no bundles found"),
        (
            "its requirements are not met in this catalog",
            "requires an operator",
        ),
    ];
    // A bundle of the range may be no successor, or in another channel.
    let is_open = error.starts_with("error upgrading") || error.contains("in channels");
    let fits = |mark: &str| error.contains(mark) && !(is_open && mark == "matching version");
    let found = kinds.iter().find(|(_, mark)| fits(mark));
    found.map_or("", |(text, _)| text)
}

/// Returns `opm`'s message as a part of a sentence: for a message drawn as a tree, its last cause.
/// Leaves out the middle of a long one, which quotes a whole object.
pub fn cause_in_tree(message: &str) -> String {
    let cause = last_branch(message);
    let [start, end] = [MAX_END, cause.len().saturating_sub(MAX_END)]
        .map(|index| cause.floor_char_boundary(index));
    if start < end {
        format!("{}…{}", &cause[..start], &cause[end..])
    } else {
        cause.to_owned()
    }
}

/// Returns the text after the last branch of a tree; all of it if there are none.
fn last_branch(message: &str) -> &str {
    let start = message.rfind(BRANCH).map_or(0, |at| at + BRANCH.len());
    message[start..].trim()
}

/// Formats the message on one line with its subject: `invalid package "p": invalid channel "c":
/// empty`, down to the first cause.
pub fn tree_in_one_line(message: &str) -> String {
    let bare = |line: &str| last_branch(line).to_owned();
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
        let message = "object '{\"a\":1}\n' is missing root schema field";
        assert_eq!(cause_in_tree(message), message);
        let long = format!("object '{}\n' is missing", "é".repeat(1_000));
        let cause = cause_in_tree(&long);
        assert!(cause.starts_with("object 'é") && cause.ends_with("é\n' is missing"));
        assert!(cause.len() < 700, "{cause}");
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
        assert_eq!(
            reason_for_no_answer(
                "error upgrading from currently installed version \"3.15.2\": no bundles found for \
                 package \"p\" in channels [stable]"
            ),
            "no successor"
        );
        let range = |end: &str| format!("no bundles found for package \"p\" {end}");
        let version = range("matching version \"9.x\"");
        assert_eq!(
            reason_for_no_answer(&version),
            "no bundle fits the version range"
        );
        assert_eq!(
            reason_for_no_answer(&range("in channels [a] matching version \"9.x\"")),
            "no bundle found",
            "one of another channel may fit"
        );
        let installed = "error upgrading from currently installed version \"1.0.0\"";
        assert_eq!(
            reason_for_no_answer(&format!("{installed}: {version}")),
            "no successor",
            "one that is no successor may fit"
        );
        let unmet =
            "bundle p.v1 requires an operator providing an API with group: a, version: v1, kind: B";
        assert_eq!(
            reason_for_no_answer(unmet),
            "its requirements are not met in this catalog"
        );
        assert_eq!(reason_for_no_answer("multiple channel heads found"), "");
    }
}

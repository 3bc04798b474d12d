//! An example of every operation, for `switchyard edit --help` and the help of each operation.

/// The arguments after `switchyard edit DIR`, in shell syntax.
const EXAMPLES: [&str; 28] = [
    "promote --package p --bundle p.v1.2.0 --to stable",
    "withdraw --package p --bundle p.v1.1.0 --by p.v1.2.0",
    "set-default-channel --package p --channel stable",
    "set-replaces --package p --channel stable --name p.v1.2.0 --replaces p.v1.0.0",
    "add-skip --package p --channel stable --name p.v1.2.0 --skip-matching 1.1.z",
    "remove-skip --package p --channel stable --name p.v1.2.0 --skip p.v1.1.0",
    "set-skip-range --package p --channel stable --name p.v1.2.0 --skip-range '>=1.0.0 <1.2.0'",
    "remove-entry --package p --channel stable --name p.v1.1.0 --then skip",
    "deprecate --package p --bundle p.v1.0.0 --message 'no longer supported, use 1.2'",
    "undeprecate --package p --bundle p.v1.0.0",
    "rebuild-edges --package p --channel stable --rule skip-patch",
    "add-channel --package p --channel fast --from stable",
    "rename-channel --package p --channel fast --to candidate",
    "remove-channel --package p --channel candidate",
    "remove-bundle --package p --bundle p.v1.0.0",
    "set-description --package p --text 'Keeps ships where they are.'",
    "set-icon --package p --file p.svg",
    "add-bundle --package p --bundle p.v1.3.0 --version 1.3.0 --image quay.io/p/p:v1.3.0 --to stable",
    "add-package --package p --default-channel stable --icon p.svg",
    "remove-package --package p",
    "copy-package --package p --from ../v4.20",
    "set-image --package p --bundle p.v1.2.0 --image quay.io/p/p:v1.2.0-1",
    "substitute --package p --bundle p.v1.2.0 --by p.v1.2.1 --image quay.io/p/p:v1.2.1 --skip-old",
    "rename-bundle --package p --bundle p.v1.2.0-1 --to p-v1.2.0-1 --skip-old",
    "add-property --package p --where 'version >=1.2.0' --type olm.maxOpenShiftVersion --value '\"4.20\"'",
    "remove-property --package p --bundle p.v1.2.0 --type olm.maxOpenShiftVersion",
    "migrate --package p",
    "replace-text --file p/catalog.yaml --at 4:17-4:23 --before stable --text fast",
];

/// The end of `switchyard edit --help`.
pub(crate) fn all() -> String {
    let mut text =
        "Examples, one for each operation; each prints a patch, or writes the files with --write:\n".to_owned();
    for example in EXAMPLES {
        text.push_str(&format!("  {}\n", line(example)));
    }
    text.push_str(
        "\nSeveral at once, all or none, as JSON lines, which is how the page copies operations:\n  \
         switchyard edit DIR --stdin --write < operations.jsonl\n  \
         {\"op\":\"set-default-channel\",\"package\":\"p\",\"channel\":\"stable\"}",
    );
    text
}

/// The end of an operation's own help; "" for anything else.
fn example_for(operation: &str) -> String {
    let example = EXAMPLES
        .iter()
        .find(|example| example.split(' ').next() == Some(operation));
    example
        .map(|example| format!("Example:\n  {}", line(example)))
        .unwrap_or_default()
}

/// Adds its example to each operation of `edit`.
pub(crate) fn with_examples(edit: clap::Command) -> clap::Command {
    edit.mut_subcommands(|operation| {
        let example = example_for(operation.get_name());
        if example.is_empty() {
            operation
        } else {
            operation.after_help(example)
        }
    })
}

fn line(example: &str) -> String {
    format!("switchyard edit DIR {example}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Arguments;
    use crate::args::edit::operation_from_words;
    use clap::CommandFactory;

    /// Splits words as a shell does: at blanks, except inside single quotes.
    fn split_words(line: &str) -> Vec<String> {
        let parts = line.split('\'').enumerate();
        parts
            .flat_map(|(at, part)| match at % 2 {
                0 => part.split_whitespace().map(str::to_owned).collect(),
                _ => vec![part.to_owned()],
            })
            .collect()
    }

    #[test]
    fn every_operation_has_one_valid_example() {
        let command = Arguments::command();
        let edit = command
            .get_subcommands()
            .find(|command| command.get_name() == "edit")
            .unwrap();
        let mut operations: Vec<&str> = edit
            .get_subcommands()
            .map(|operation| operation.get_name())
            .collect();
        let mut with_example: Vec<&str> = EXAMPLES
            .iter()
            .filter_map(|example| example.split(' ').next())
            .collect();
        operations.sort_unstable();
        with_example.sort_unstable();
        assert_eq!(operations, with_example);
        for example in EXAMPLES {
            match operation_from_words(&split_words(example)) {
                Ok(_) => {}
                // Icons need a file, which this test lacks.
                Err(message) => assert_eq!(message, "`p.svg` is not read here", "{example}"),
            }
        }
    }
}

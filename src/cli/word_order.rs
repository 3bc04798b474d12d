//! The words of `switchyard edit` in their order: `switchyard edit DIR OPERATION --option …`.
//!
//! Hands write the operation first, or its options before it, or the package behind the folder as `list` has it. What
//! is meant is plain all the same, since options are named; so they are put in order and done, and the order is told.

use clap::{ArgAction, Command};
use fbc::edit::command_line::quoted;
use std::collections::BTreeMap;

/// The words in their order, from `edit` on; `None` when they are in order, or when something is missing or too much.
/// `command` is the whole program, `words` are those behind its name.
pub(super) fn in_order(command: &Command, words: &[String]) -> Option<Vec<String>> {
    let edit = command.find_subcommand("edit")?;
    let operations: Vec<&str> = edit.get_subcommands().map(Command::get_name).collect();
    let options = options(command, edit);
    let mut of_program = Vec::new();
    let mut of_edit = Vec::new();
    let mut of_operation = Vec::new();
    let mut operation: Option<&String> = None;
    let mut places: Vec<&String> = Vec::new();
    let mut words_left = words.iter().peekable();
    let mut is_edit = false;
    while let Some(word) = words_left.next() {
        if let Some(name) = word.strip_prefix('-').filter(|name| !name.is_empty()) {
            let name = name.strip_prefix('-').unwrap_or(name);
            let (own, value) = name
                .split_once('=')
                .map_or((name, None), |(own, value)| (own, Some(value)));
            let option = options.get(own);
            let list = match option.map(|option| option.of) {
                Some(OptionScope::Program) if !is_edit && operation.is_none() => &mut of_program,
                Some(OptionScope::Edit) => &mut of_edit,
                _ => &mut of_operation,
            };
            list.push(word.clone());
            let takes = if value.is_some() {
                Takes::Nothing
            } else {
                option.map_or(Takes::Nothing, |option| option.takes)
            };
            if takes != Takes::Nothing {
                list.extend(words_left.next().cloned());
            }
            while takes == Takes::Several
                && words_left.peek().is_some_and(|word| !word.starts_with('-'))
            {
                list.extend(words_left.next().cloned());
            }
        } else if word == "edit" && !is_edit && operation.is_none() {
            is_edit = true;
        } else if operation.is_none() && operations.contains(&word.as_str()) {
            operation = Some(word);
        } else if !is_edit
            && operation.is_none()
            && places.is_empty()
            && command.find_subcommand(word).is_some()
        {
            // Another command, whose own words may be called like operations.
            return None;
        } else {
            places.push(word);
        }
    }
    let mut ordered = of_program;
    ordered.push("edit".to_owned());
    ordered.append(&mut of_edit);
    let operation = operation?;
    match places[..] {
        [folder] => ordered.extend([folder.clone(), operation.clone()]),
        [folder, word] => {
            let option = edit
                .find_subcommand(operation)
                .and_then(|command| lacking(command, &of_operation));
            let option = format!("--{}", option.unwrap_or("package"));
            ordered.extend([folder.clone(), operation.clone(), option, word.clone()]);
        }
        [folder, package, word] => {
            let option = edit
                .find_subcommand(operation)
                .and_then(|command| lacking(command, &of_operation))?;
            let package = ["--package".to_owned(), package.clone()];
            ordered.extend(
                [folder.clone(), operation.clone()]
                    .into_iter()
                    .chain(package),
            );
            ordered.extend([format!("--{option}"), word.clone()]);
        }
        _ => return None,
    }
    ordered.append(&mut of_operation);
    (ordered != words).then_some(ordered)
}

/// What the operation is about, where its words do not say it: a word without an option says that before it says the package.
fn lacking<'c>(operation: &'c Command, words: &[String]) -> Option<&'c str> {
    let required = |name: &&str| {
        operation
            .get_arguments()
            .any(|argument| argument.get_long() == Some(name) && argument.is_required_set())
    };
    let is_said = |name: &str| {
        let says = |word: &String| {
            word.strip_prefix("--")
                .is_some_and(|own| own.split('=').next() == Some(name))
        };
        words.iter().any(says)
    };
    ["bundle", "channel", "name"]
        .into_iter()
        .filter(required)
        .find(|name| !is_said(name))
}

/// The command line with these words, as a shell takes it.
pub(super) fn shown(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("switchyard {}", words.join(" "))
}

/// How many words an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    One,
    Several,
}

#[derive(Debug, Clone, Copy)]
struct OptionSpec {
    takes: Takes,
    of: OptionScope,
}

/// Where an option stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OptionScope {
    /// Anywhere.
    Program,
    /// Before the operation.
    Edit,
    /// Behind the operation.
    Operation,
}

/// All options of the program, of `edit` and of its operations by their names without dashes.
fn options(command: &Command, edit: &Command) -> BTreeMap<String, OptionSpec> {
    let mut options = BTreeMap::new();
    let operations = edit
        .get_subcommands()
        .map(|operation| (operation, OptionScope::Operation));
    for (command, of) in [(command, OptionScope::Program), (edit, OptionScope::Edit)]
        .into_iter()
        .chain(operations)
    {
        for argument in command
            .get_arguments()
            .filter(|argument| !argument.is_positional())
        {
            let takes = match argument.get_action() {
                ArgAction::Set | ArgAction::Append => match argument.get_num_args() {
                    Some(count) if count.max_values() > 1 => Takes::Several,
                    _ => Takes::One,
                },
                _ => Takes::Nothing,
            };
            let of = if of == OptionScope::Edit && argument.is_global_set() {
                OptionScope::Operation
            } else {
                of
            };
            let option = OptionSpec { takes, of };
            let long = argument.get_long().map(str::to_owned);
            let short = argument.get_short().map(String::from);
            for name in long.into_iter().chain(short) {
                options.entry(name).or_insert(option);
            }
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(words: &str) -> Option<String> {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        in_order(&crate::command(), &words).map(|words| words.join(" "))
    }

    #[test]
    fn words_are_put_in_order() {
        let right = "edit DIR promote --package p --bundle b --to c";
        assert_eq!(ordered(right), None);
        for wrong in [
            "edit promote DIR --package p --bundle b --to c",
            "edit DIR --package p promote --bundle b --to c",
            "edit --package p --bundle b --to c promote DIR",
            "edit DIR p promote --bundle b --to c",
            "edit promote DIR p --bundle b --to c",
            "promote DIR --package p --bundle b --to c",
            "--package p edit DIR promote --bundle b --to c",
        ] {
            assert_eq!(ordered(wrong).as_deref(), Some(right), "{wrong}");
        }
        for (wrong, right) in [
            (
                "edit deprecate --message edit DIR",
                "edit DIR deprecate --message edit",
            ),
            (
                "edit deprecate DIR --message=old --write",
                "edit DIR deprecate --message=old --write",
            ),
            (
                "edit add-skip DIR --name n --skip a b",
                "edit DIR add-skip --name n --skip a b",
            ),
            ("edit promote --also-in B A", "edit A promote --also-in B"),
            ("-q -C x edit promote A", "-q -C x edit A promote"),
        ] {
            assert_eq!(ordered(wrong).as_deref(), Some(right), "{wrong}");
        }
        for (wrong, right) in [
            ("edit DIR withdraw p.v1", "edit DIR withdraw --bundle p.v1"),
            (
                "edit DIR set-default-channel stable",
                "edit DIR set-default-channel --channel stable",
            ),
            (
                "edit withdraw DIR p p.v1",
                "edit DIR withdraw --package p --bundle p.v1",
            ),
        ] {
            assert_eq!(ordered(wrong).as_deref(), Some(right), "{wrong}");
        }
        for missing in [
            "edit promote --bundle b",
            "edit DIR",
            "edit",
            "edit promote a b c d",
            "validate DIR",
            "list DIR x",
        ] {
            assert_eq!(ordered(missing), None, "{missing}");
        }
    }
}

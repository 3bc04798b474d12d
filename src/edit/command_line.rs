//! The equivalent command line of an operation, for *Copy as commands*.
//!
//! A test in `cli` checks that its parser reads the result back.

use protocol::operation::{Choice, EditOp};
use serde_json::Value;

/// The argument that means absence.
const NONE: &str = "none";

/// Formats `switchyard edit ROOT OPERATION … --write` on one line, quoted for a POSIX shell. An
/// operation that arguments cannot express is passed as JSON.
pub fn command_line(op: &EditOp, root: &str) -> String {
    commands(std::slice::from_ref(op), root)
}

/// Formats one command line that applies all operations if each succeeds, else none.
pub fn commands(ops: &[EditOp], root: &str) -> String {
    format!("{} --write", dry_run_command(ops, &quote(root)))
}

/// Like [`commands`], as a dry run: prints the changes and writes nothing. `root` is already
/// quoted.
pub fn dry_run_command(ops: &[EditOp], root: &str) -> String {
    match ops {
        [op] if has_command_line(op) => {
            let arguments: Vec<String> = to_arguments(op).iter().map(|word| quote(word)).collect();
            format!("switchyard edit {root} {}", arguments.join(" "))
        }
        ops => json_command(ops, root),
    }
}

/// Whether arguments can express this operation. They cannot express text with line breaks, data
/// that is in no file or folder passed to the command, or an object named `none`, which means
/// absence as an argument.
fn has_command_line(op: &EditOp) -> bool {
    let is_expressible = match op {
        EditOp::SetIcon { data, .. } => data.is_none(),
        EditOp::CopyPackage { files, .. } => files.is_empty(),
        EditOp::AddBundle {
            blob,
            replaces,
            skip_range,
            ..
        } => blob.is_none() && [replaces, skip_range].into_iter().all(is_plain),
        EditOp::AddPackage {
            icon, description, ..
        } => icon.is_none() && description.is_none(),
        EditOp::SetReplaces { replaces: text, .. }
        | EditOp::SetSkipRange {
            skip_range: text, ..
        } => text.as_deref() != Some(NONE),
        EditOp::Promote {
            replaces,
            skip_range,
            ..
        } => is_plain(replaces) && is_plain(skip_range),
        _ => true,
    };
    is_expressible
        && !to_arguments(op)
            .iter()
            .any(|word| word.contains(char::is_control))
}

/// Whether the choice differs from the value `none`, which would mean absence as an argument.
fn is_plain(choice: &Choice) -> bool {
    !matches!(choice, Choice::Value(text) if text == NONE)
}

/// Formats a command line that pipes the operations as JSON.
fn json_command(ops: &[EditOp], root: &str) -> String {
    let mut line = String::from("printf '%s\\n'");
    for op in ops {
        let mut op = op.clone();
        *op.catalog_mut() = None;
        line.push(' ');
        line.push_str(&quote(&serde_json::to_string(&op).unwrap_or_default()));
    }
    line.push_str(&format!(" | switchyard edit {root} --stdin"));
    line
}

/// Returns the operation's unquoted arguments, starting with its name: its JSON fields are the
/// options. An option value that starts with `-` is attached with `=`.
pub fn to_arguments(op: &EditOp) -> Vec<String> {
    // Omit these options if their text is empty.
    let optional: &[&str] = match op {
        EditOp::AddBundle { .. } => &["package", "bundle", "version"],
        EditOp::AddPackage { .. } => &["default-channel"],
        EditOp::Substitute { .. } => &["package"],
        _ => &[],
    };
    let mut arguments = vec![op.name().to_owned()];
    let mut add = |option: &str, value: &str| {
        if value.starts_with('-') {
            arguments.push(format!("--{option}={value}"));
        } else {
            arguments.extend([format!("--{option}"), value.to_owned()]);
        }
    };
    let mut flags = Vec::new();
    let json = serde_json::to_value(op).unwrap_or_default();
    for (key, value) in json.as_object().into_iter().flatten() {
        let option = match key.as_str() {
            // Passed separately, or not expressible as arguments.
            "op" | "catalog" | "blob" | "files" | "description" | "icon" | "around" => continue,
            "if-there" => {
                flags.push("--replace".to_owned());
                continue;
            }
            "data" => "file",
            "skips" => "skip",
            key => key,
        };
        match value {
            // A property value is passed as JSON.
            json if option == "value" => add(option, &json.to_string()),
            Value::Null => add(option, NONE),
            Value::Bool(_) => flags.push(format!("--{option}")),
            Value::String(text) if text.is_empty() && optional.contains(&option) => {}
            Value::String(text) => add(option, text),
            list => {
                let items = list.as_array().into_iter().flatten();
                for item in items.filter_map(Value::as_str) {
                    add(option, item);
                }
            }
        }
    }
    arguments.extend(flags);
    arguments
}

/// Quotes a word so that a POSIX shell reads it back unchanged.
pub fn quote(word: &str) -> String {
    if !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c))
    {
        word.to_owned()
    } else if word.contains(char::is_control) {
        quote_bytes(word.as_bytes())
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Quotes arbitrary bytes on one line as `$'…'`. POSIX has it since 2024; common shells supported
/// it before.
pub fn quote_bytes(word: &[u8]) -> String {
    let mut text = String::from("$'");
    for &byte in word {
        match byte {
            b'\'' | b'\\' => text.extend(['\\', char::from(byte)]),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('\'');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_any_bytes_fit_on_one_line() {
        assert_eq!(quote("a b's"), r"'a b'\''s'");
        assert_eq!(quote("a\nb's"), r"$'a\012b\'s'");
        assert_eq!(quote_bytes(b"\xffc\\"), r"$'\377c\\'");
    }

    #[test]
    fn line_breaks_are_passed_as_json() {
        let op = EditOp::ReplaceText {
            catalog: Some("v4.20".to_owned()),
            file: "a.yaml".to_owned(),
            at: "1:1-1:1".to_owned(),
            before: String::new(),
            text: "# a\n".to_owned(),
            around: None,
        };
        let line = command_line(&op, ".");
        assert!(
            line.starts_with("printf '%s\\n' '{\"op\":\"replace-text\",\"file\":\"a.yaml\""),
            "{line}"
        );
        assert!(line.ends_with("| switchyard edit . --stdin --write") && !line.contains('\n'));
    }

    #[test]
    fn an_entry_named_none_is_not_the_keyword() {
        let replacing = |name: &str| EditOp::SetReplaces {
            catalog: None,
            package: "p".to_owned(),
            channel: "c".to_owned(),
            name: "p.v1".to_owned(),
            replaces: Some(name.to_owned()),
        };
        let line = command_line(&replacing("none"), ".");
        assert!(
            line.contains(r#""replaces":"none""#)
                && line.ends_with("| switchyard edit . --stdin --write"),
            "{line}"
        );
        assert!(command_line(&replacing("None"), ".").contains("--replaces None"));
        let promoted = EditOp::Promote {
            catalog: None,
            package: "p".to_owned(),
            bundle: "p.v1".to_owned(),
            to: "c".to_owned(),
            how: None,
            replaces: Choice::Value("none".to_owned()),
            skip_range: Choice::None,
        };
        assert!(command_line(&promoted, ".").contains(r#""replaces":"none","skip-range":null"#));
    }

    #[test]
    fn a_command_is_quoted_for_the_shell() {
        let op = EditOp::SetSkipRange {
            catalog: None,
            package: "p".to_owned(),
            channel: "c".to_owned(),
            name: "p.v1".to_owned(),
            skip_range: Some(">=1.0.0 <2.0.0".to_owned()),
        };
        assert_eq!(
            command_line(&op, "v4.20"),
            "switchyard edit v4.20 set-skip-range --package p --channel c --name p.v1 --skip-range '>=1.0.0 <2.0.0' --write"
        );
        let op = EditOp::Deprecate {
            catalog: None,
            package: "p".to_owned(),
            channel: None,
            bundle: None,
            message: "- it's old".to_owned(),
        };
        assert_eq!(
            command_line(&op, "."),
            r"switchyard edit . deprecate --package p '--message=- it'\''s old' --write"
        );
    }
}

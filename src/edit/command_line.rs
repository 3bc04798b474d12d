//! The equivalent command line of an operation, for *Copy as commands*.
//!
//! A test in `cli` checks that its parser reads the result back.

use protocol::operation::{Choice, DanglingEdges, EdgeRule, EditOp, IfExists, PromoteAs};

/// `switchyard edit ROOT OPERATION … --write`, quoted for a POSIX shell, always one line: an operation that cannot be
/// spelled as arguments is passed as JSON.
pub fn command_line(op: &EditOp, root: &str) -> String {
    commands(std::slice::from_ref(op), root)
}

/// One command line that applies all of them or none.
pub fn commands(ops: &[EditOp], root: &str) -> String {
    format!("{} --write", trial(ops, root))
}

/// Like [`commands`], as a dry run: prints the changes and writes nothing.
pub fn trial(ops: &[EditOp], root: &str) -> String {
    trial_at(ops, &quote(root))
}

/// Like [`trial`], for a root that is already quoted.
pub fn trial_at(ops: &[EditOp], root: &str) -> String {
    match ops {
        [op] if has_command_line(op) => {
            let arguments: Vec<String> = to_arguments(op).iter().map(|word| quote(word)).collect();
            format!("switchyard edit {root} {}", arguments.join(" "))
        }
        ops => handed_over(ops, root),
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

/// Whether a choice does not name an object called `none`.
fn is_plain(choice: &Choice) -> bool {
    !matches!(choice, Choice::Value(text) if text == NONE)
}

/// Means absence as an argument.
const NONE: &str = "none";

fn handed_over(ops: &[EditOp], root: &str) -> String {
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

/// The operation's unquoted arguments, starting with its name. An option value that starts with `-`
/// is attached with `=`.
pub fn to_arguments(op: &EditOp) -> Vec<String> {
    let mut arguments = Arguments(vec![op.name().to_owned()]);
    match op {
        EditOp::Promote {
            package,
            bundle,
            to,
            how,
            replaces,
            skip_range,
            ..
        } => {
            arguments
                .option("package", package)
                .option("bundle", bundle)
                .option("to", to);
            if let Some(how) = how {
                arguments.option("as", as_word(*how));
            }
            arguments
                .choice("replaces", replaces)
                .choice("skip-range", skip_range);
        }
        EditOp::Withdraw {
            package,
            bundle,
            by,
            channel,
            ..
        } => {
            arguments
                .option("package", package)
                .option("bundle", bundle);
            arguments.options("by", by).options("channel", channel);
        }
        EditOp::SetDefaultChannel {
            package, channel, ..
        } => {
            arguments
                .option("package", package)
                .option("channel", channel);
        }
        EditOp::SetReplaces {
            package,
            channel,
            name,
            replaces,
            ..
        } => {
            arguments
                .entry(package, channel, name)
                .or_none("replaces", replaces.as_deref());
        }
        EditOp::AddSkip {
            package,
            channel,
            name,
            skip,
            skip_matching,
            ..
        }
        | EditOp::RemoveSkip {
            package,
            channel,
            name,
            skip,
            skip_matching,
            ..
        } => {
            arguments
                .entry(package, channel, name)
                .options("skip", skip)
                .options("skip-matching", skip_matching);
        }
        EditOp::SetSkipRange {
            package,
            channel,
            name,
            skip_range,
            ..
        } => {
            arguments
                .entry(package, channel, name)
                .or_none("skip-range", skip_range.as_deref());
        }
        EditOp::RemoveEntry {
            package,
            channel,
            name,
            then,
            ..
        } => {
            arguments
                .entry(package, channel, name)
                .option("then", then_word(*then));
        }
        EditOp::RebuildEdges {
            package,
            channel,
            rule,
            ..
        } => {
            arguments
                .option("package", package)
                .option("channel", channel)
                .option("rule", rule_word(*rule));
        }
        EditOp::AddChannel {
            package,
            channel,
            from,
            ..
        } => {
            arguments
                .option("package", package)
                .option("channel", channel)
                .options("from", from);
        }
        EditOp::RenameChannel {
            package,
            channel,
            to,
            ..
        } => {
            arguments
                .option("package", package)
                .option("channel", channel)
                .option("to", to);
        }
        EditOp::RemoveChannel {
            package, channel, ..
        } => {
            arguments
                .option("package", package)
                .option("channel", channel);
        }
        EditOp::RemoveBundle {
            package,
            bundle,
            then,
            ..
        } => {
            arguments
                .option("package", package)
                .option("bundle", bundle)
                .option("then", then_word(*then));
        }
        EditOp::RenameBundle {
            package,
            bundle,
            to,
            skip_old,
            ..
        } => {
            arguments
                .option("package", package)
                .option("bundle", bundle)
                .option("to", to);
            if *skip_old {
                arguments.flag("skip-old");
            }
        }
        EditOp::Deprecate {
            package,
            channel,
            bundle,
            message,
            ..
        } => {
            arguments.option("package", package);
            arguments
                .options("channel", channel)
                .options("bundle", bundle)
                .option("message", message);
        }
        EditOp::Undeprecate {
            package,
            channel,
            bundle,
            ..
        } => {
            arguments
                .option("package", package)
                .options("channel", channel)
                .options("bundle", bundle);
        }
        EditOp::SetDescription { package, text, .. } => {
            arguments.option("package", package).option("text", text);
        }
        EditOp::SetIcon { package, data, .. } => {
            arguments
                .option("package", package)
                .or_none("file", data.as_deref());
        }
        EditOp::AddBundle {
            package,
            bundle,
            version,
            release,
            image,
            to,
            how,
            replaces,
            skip_range,
            skips,
            ..
        } => {
            for (key, value) in [
                ("package", package),
                ("bundle", bundle),
                ("version", version),
            ] {
                if !value.is_empty() {
                    arguments.option(key, value);
                }
            }
            arguments
                .options("release", release)
                .option("image", image)
                .options("to", to);
            if let Some(how) = how {
                arguments.option("as", as_word(*how));
            }
            arguments
                .choice("replaces", replaces)
                .choice("skip-range", skip_range)
                .options("skip", skips);
        }
        EditOp::AddPackage {
            package,
            default_channel,
            file,
            ..
        } => {
            arguments.option("package", package);
            if !default_channel.is_empty() {
                arguments.option("default-channel", default_channel);
            }
            arguments.options("file", file);
        }
        EditOp::RemovePackage { package, .. } => {
            arguments.option("package", package);
        }
        EditOp::CopyPackage {
            package,
            from,
            if_there,
            ..
        } => {
            arguments.option("package", package).option("from", from);
            if *if_there == IfExists::Replace {
                arguments.flag("replace");
            }
        }
        EditOp::SetImage {
            package,
            bundle,
            condition,
            image,
            ..
        } => {
            arguments
                .option("package", package)
                .options("bundle", bundle)
                .options("where", condition);
            arguments.option("image", image);
        }
        EditOp::Substitute {
            package,
            bundle,
            by,
            image,
            skip_old,
            ..
        } => {
            if !package.is_empty() {
                arguments.option("package", package);
            }
            arguments
                .option("bundle", bundle)
                .or_none("by", by.as_deref())
                .options("image", image);
            if *skip_old {
                arguments.flag("skip-old");
            }
        }
        EditOp::AddProperty {
            package,
            bundle,
            condition,
            kind,
            value,
            ..
        } => {
            arguments
                .option("package", package)
                .options("bundle", bundle)
                .options("where", condition);
            arguments
                .option("type", kind)
                .option("value", &value.to_string());
        }
        EditOp::RemoveProperty {
            package,
            bundle,
            condition,
            kind,
            value,
            ..
        } => {
            arguments
                .option("package", package)
                .options("bundle", bundle)
                .options("where", condition);
            arguments
                .option("type", kind)
                .options("value", &value.as_ref().map(ToString::to_string));
        }
        EditOp::Migrate { package, .. } => {
            arguments.options("package", package);
        }
        EditOp::ReplaceText {
            file,
            at,
            before,
            text,
            ..
        } => {
            arguments.option("file", file).option("at", at);
            arguments.option("before", before).option("text", text);
        }
    }
    arguments.0
}

fn as_word(how: PromoteAs) -> &'static str {
    match how {
        PromoteAs::Head => "head",
        PromoteAs::Chain => "chain",
        PromoteAs::Skipped => "skipped",
    }
}

fn then_word(then: DanglingEdges) -> &'static str {
    match then {
        DanglingEdges::Relink => "relink",
        DanglingEdges::Skip => "skip",
        DanglingEdges::Leave => "leave",
    }
}

fn rule_word(rule: EdgeRule) -> &'static str {
    match rule {
        EdgeRule::Replaces => "replaces",
        EdgeRule::SkipPatch => "skip-patch",
        EdgeRule::ZStream => "z-stream",
        EdgeRule::SkipRange => "skip-range",
    }
}

struct Arguments(Vec<String>);

impl Arguments {
    fn option(&mut self, key: &str, value: &str) -> &mut Self {
        if value.starts_with('-') {
            self.0.push(format!("--{key}={value}"));
        } else {
            self.0.push(format!("--{key}"));
            self.0.push(value.to_owned());
        }
        self
    }

    fn options<'v>(
        &mut self,
        key: &str,
        values: impl IntoIterator<Item = &'v String>,
    ) -> &mut Self {
        for value in values {
            self.option(key, value);
        }
        self
    }

    fn flag(&mut self, key: &str) -> &mut Self {
        self.0.push(format!("--{key}"));
        self
    }

    fn entry(&mut self, package: &str, channel: &str, name: &str) -> &mut Self {
        self.option("package", package)
            .option("channel", channel)
            .option("name", name)
    }

    fn or_none(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        self.option(key, value.unwrap_or(NONE))
    }

    fn choice(&mut self, key: &str, choice: &Choice) -> &mut Self {
        match choice {
            Choice::Default => self,
            Choice::None => self.or_none(key, None),
            Choice::Value(value) => self.option(key, value),
        }
    }
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

/// Quotes arbitrary bytes on one line as `$'…'`, which is in POSIX since 2024 and in common shells
/// before.
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
    fn words_of_any_bytes_are_one_line() {
        assert_eq!(quote("a b's"), r"'a b'\''s'");
        assert_eq!(quote("a\nb's"), r"$'a\012b\'s'");
        assert_eq!(quote_bytes(b"\xffc\\"), r"$'\377c\\'");
    }

    #[test]
    fn line_breaks_travel_as_json() {
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
    fn an_entry_called_none_is_not_taken_for_none() {
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

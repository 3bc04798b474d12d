//! Phrases shared by the explanations of both lenses. Names are in backticks.

use super::answer::EdgeKind;
use super::index::{Entry, Origin};

/// Where OLM's documentation differs from its code. The answer follows the code; the sentence
/// addresses readers of the documentation. Section numbers refer to `olm-resolution`.
pub(super) mod documented {
    /// R2.3.1.
    pub const RANGE_OFF_HEAD: &str = "the public documentation says that a skipRange counts only on the head of the channel; in the \
                                      code it counts on every entry that is not skipped";
    /// R2.3.2.
    pub const PRECEDENCE: &str = "OLM takes the candidate nearest to the head; the public documentation, in which a skipRange comes \
                                  before `replaces`, describes older code";
    /// R1.5.10.
    pub const NEXT_MAJOR: &str = "the public documentation says automatic updates stay within one major version; the code that \
                                  did so was removed in January 2025, and only the catalog's edges count";
}

/// Describes an edge as a phrase whose subject is the entry that defines it.
pub(super) fn describe_edge(edge: EdgeKind, entry: &Entry, origin: &Origin<'_>) -> String {
    let name = &origin.installed.name;
    match edge {
        EdgeKind::Replaces => format!("replaces `{name}`"),
        EdgeKind::Skips => format!("skips `{name}`"),
        _ => format!(
            "has skipRange `{}`, which contains `{}`",
            entry.range_text, origin.installed.version
        ),
    }
}

/// Describes the skip ranges that OLM ignores because they do not parse.
pub(super) fn describe_unreadable_ranges<'a>(
    entries: impl IntoIterator<Item = &'a Entry>,
) -> Option<String> {
    let mut unreadable = entries
        .into_iter()
        .filter(|entry| entry.range.is_none() && !entry.range_text.is_empty());
    let first = unreadable.next()?;
    let others = match unreadable
        .filter(|entry| entry.range_text != first.range_text)
        .count()
    {
        0 => String::new(),
        count => format!(" (nor can {count} more)"),
    };
    Some(format!(
        "skipRange `{}` of `{}` cannot be read{others}: OLM ignores it",
        first.range_text, first.name
    ))
}

/// Lists at most `limit` names in backticks, then the number of others.
pub(super) fn join_names<'a>(names: impl IntoIterator<Item = &'a str>, limit: usize) -> String {
    let mut names = names.into_iter();
    let first: Vec<&str> = names.by_ref().take(limit).collect();
    let count = first.len() + names.count();
    join_counted_names(first, count, limit)
}

/// Lists at most `limit` names in backticks, then `others` if there are more. Consumes only the
/// names it prints and one more.
pub(super) fn join_names_and_others<'a>(
    names: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> String {
    let names = names.into_iter().take(limit + 1);
    let mut quoted: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if quoted.len() > limit {
        quoted.truncate(limit);
        quoted.push("others".to_owned());
    }
    join_with_and(&quoted)
}

/// Like [`join_names`], with a known `count`: consumes only the names it prints.
pub(super) fn join_counted_names<'a>(
    names: impl IntoIterator<Item = &'a str>,
    count: usize,
    limit: usize,
) -> String {
    let mut quoted: Vec<String> = names
        .into_iter()
        .take(limit)
        .map(|name| format!("`{name}`"))
        .collect();
    if count > limit {
        quoted.push(format!("{} more", count - limit));
    }
    join_with_and(&quoted)
}

fn join_with_and(parts: &[String]) -> String {
    match parts.split_last() {
        Some((last, others)) if !others.is_empty() => {
            format!("{} and {last}", others.join(", "))
        }
        _ => parts.concat(),
    }
}

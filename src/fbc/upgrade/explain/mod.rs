//! Answers in words: which edge, why not another, why nothing. Names stand in backticks.
//!
//! Only reads what the resolvers found; decides nothing.

pub(super) mod v0;
pub(super) mod v1;

use super::EdgeKind;
use super::index::{Entry, Origin};

/// `replaces `a``, `skips `a``, or `covers …` with the range.
fn verb(edge: EdgeKind, entry: &Entry, origin: &Origin<'_>) -> String {
    let name = &origin.installed.name;
    match edge {
        EdgeKind::Replaces => format!("replaces `{name}`"),
        EdgeKind::Skips => format!("skips `{name}`"),
        _ => format!("has skipRange `{}`, which contains `{}`", entry.range_text, origin.installed.version),
    }
}

/// At most `limit` names in backticks, then how many more there are.
fn names<'a>(names: impl IntoIterator<Item = &'a str>, limit: usize) -> String {
    let all: Vec<&str> = names.into_iter().collect();
    let mut shown: Vec<String> = all.iter().take(limit).map(|n| format!("`{n}`")).collect();
    if all.len() > limit {
        shown.push(format!("{} more", all.len() - limit));
    }
    match shown.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => shown.concat(),
    }
}

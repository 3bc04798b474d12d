//! Why an operation was not done. Nothing was changed.

use crate::fbc::diagnostic::Location;
use crate::fbc::edit::refusal::RefusalKind;

/// A refusal: what stands in the way, what to do instead, and where.
///
/// `reason` and `help` begin in lower case and end without a period; names stand in backticks.
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
#[error("{reason}")]
pub struct Refused {
    pub reason: String,
    /// What to do; may be empty.
    pub help: String,
    pub location: Option<Location>,
    /// The class, when it was the text that could not be changed.
    pub kind: Option<RefusalKind>,
}

impl Refused {
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), help: String::new(), location: None, kind: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }
}

/// The names nearest to one that is not there, nearest first, at most three: for "did you mean".
pub fn near_names<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = (wanted.chars().count() / 3).max(2);
    let mut near: Vec<(usize, &str)> = names
        .into_iter()
        .filter(|name| !name.is_empty())
        .filter_map(|name| {
            let distance = distance(wanted, name);
            let inside = name.contains(wanted) || wanted.contains(name);
            (distance <= limit || inside).then_some((distance, name))
        })
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// "did you mean `a` or `b`?", else what `otherwise` says.
pub fn did_you_mean<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>, otherwise: &str) -> String {
    let near = near_names(wanted, names);
    if near.is_empty() {
        return otherwise.to_owned();
    }
    let quoted: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    format!("did you mean {}?", quoted.join(" or "))
}

/// Levenshtein's distance, where a swap of neighbors counts one. Names beyond 200 characters are compared by their start.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(200).collect();
    let b: Vec<char> = b.chars().take(200).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, &y) in b.iter().enumerate() {
            let mut cost = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_found() {
        let names = ["stable", "candidate", "stable-v1"];
        assert_eq!(near_names("stabel", names), ["stable"]);
        assert_eq!(near_names("candidat", names), ["candidate"]);
        assert!(near_names("zzz", names).is_empty());
        assert_eq!(did_you_mean("stabel", names, "list them"), "did you mean `stable`?");
        assert_eq!(did_you_mean("zzz", names, "list them"), "list them");
    }
}

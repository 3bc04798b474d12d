//! Formats sentences, counts and shortened lists, for the page, messages and the command line. Must
//! not know the counted objects.

use std::fmt::Display;

/// Capitalizes a sentence. A name in backticks at its start keeps its case.
pub fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Quotes names with backticks.
pub fn quoted<T: Display>(names: impl IntoIterator<Item = T>) -> Vec<String> {
    names.into_iter().map(|name| format!("`{name}`")).collect()
}

/// Formats a count: `1 package`, `37 packages`, `3 entries`.
pub fn count_of(number: usize, one: &str) -> String {
    if number == 1 {
        format!("1 {one}")
    } else {
        format!("{number} {}", plural(one))
    }
}

/// Formats the number of errors; `following` of them follow from others.
pub fn count_of_errors(errors: usize, following: usize) -> String {
    let errors = count_of(errors, "error");
    match following {
        0 => errors,
        1 => format!("{errors} (1 of them only follows from another)"),
        _ => format!("{errors} ({following} of them only follow from another)"),
    }
}

/// Returns the plural: `packages` for `package`, `entries` for `entry`, `days` for `day`.
pub fn plural(one: &str) -> String {
    match one.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if one.ends_with("match") || one.ends_with("fix") => format!("{one}es"),
        _ => format!("{one}s"),
    }
}

/// Formats the end of a list that leaves out `rest` names: `and 3 more`.
pub fn and_more(rest: usize) -> String {
    format!("and {rest} more")
}

/// Lists at most `most` of `names`, then the number left out: `a, b and 3 more`.
pub fn first_of<T: Display>(names: impl ExactSizeIterator<Item = T>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let list = names
        .take(most)
        .map(|name| name.to_string())
        .collect::<Vec<_>>()
        .join(", ");
    if more == 0 {
        list
    } else {
        format!("{list} {}", and_more(more))
    }
}

#[cfg(test)]
mod tests {
    use super::{count_of, first_of};

    #[test]
    fn counts_use_singular_and_plural() {
        let entries = |number| count_of(number, "entry");
        assert_eq!(
            [entries(0), entries(1), entries(2)],
            ["0 entries", "1 entry", "2 entries"]
        );
        assert_eq!(
            [count_of(3, "other version"), count_of(2, "day")],
            ["3 other versions", "2 days"]
        );
    }

    #[test]
    fn excess_items_are_counted() {
        let first = |most| first_of(["a", "b", "c"].iter(), most);
        assert_eq!(
            [first(3), first(2), first(1)],
            ["a, b, c", "a, b and 1 more", "a and 2 more"]
        );
        assert_eq!(first_of([""; 0].iter(), 2), "");
    }
}

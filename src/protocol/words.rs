//! Lists of names in sentences, no longer than a reader takes in: the same on the page, in messages and on the command line.

use std::fmt::Display;

/// The first of `names`, as many as `most`, and how many more there are: `a, b and 3 more`.
pub fn first_of<T: Display>(names: impl ExactSizeIterator<Item = T>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let shown = names.take(most).map(|name| name.to_string()).collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

#[cfg(test)]
mod tests {
    use super::first_of;

    #[test]
    fn what_is_too_many_is_counted() {
        let of = |most| first_of(["a", "b", "c"].iter(), most);
        assert_eq!([of(3), of(2), of(1)], ["a, b, c", "a, b and 1 more", "a and 2 more"]);
        assert_eq!(first_of([""; 0].iter(), 2), "");
    }
}

//! What stands at the end of a list that is cut, *and 3 more*, is worded in one place, `protocol::counting`. The project's tool
//! has words of its own, since it compiles nothing of the product; *(and 3 more of this rule in the package)* is a sentence
//! about a rule.

use crate::tidy::{files_below, is_test_file, read, shown};
use crate::walls::without_test_items;

const HOME: &str = "src/protocol/counting.rs";

/// Whether the line has a place to fill between *and* and *more*, and nothing else there, as the end of what is said; or puts
/// another *and* before the words that have one.
fn ends_a_list(line: &str) -> bool {
    let says_and_twice = line.contains("and {}") && line.contains("and_more(");
    says_and_twice
        || line.match_indices("and {").any(|(at, mark)| {
            let inside = &line[at + mark.len()..];
            let after = inside.split_once("} more").filter(|(place, _)| !place.contains('}')).map(|(_, after)| after);
            after.is_some_and(|after| !after.starts_with(' '))
        })
}

#[test]
fn the_end_of_a_list_is_worded_once() {
    let sources = files_below("src", "rs").into_iter().filter(|file| !is_test_file(file));
    let mut found = Vec::new();
    for file in sources {
        let name = shown(&file);
        let lines = without_test_items(&read(&file)).lines().filter(|line| ends_a_list(line)).count();
        if lines > 0 && !name.starts_with("src/dev/") {
            found.push((name, lines));
        }
    }
    assert_eq!(found, [(HOME.to_owned(), 1)], "use `protocol::counting::and_more` or `first_of`");
}

#[test]
fn a_planted_end_is_found() {
    assert!(ends_a_list("format!(\"{first}, and {} more\", rest.len())"));
    assert!(ends_a_list("format!(\"and {more} more; see the list\")"));
    assert!(ends_a_list("format!(\"and {}\", and_more(rest))"));
    assert!(!ends_a_list("format!(\"{} and {more} more of this rule\")"));
    assert!(!ends_a_list("format!(\"between {least} and {most}, no more\")"));
}

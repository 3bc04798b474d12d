//! Where the cursor of a list goes for a key. The same table serves listboxes, menus, tabs and segments.

/// Index after `key` in a list of `count` items, wrapping around. `None` if the key does not move
/// in a list. Without a current index, forward keys begin at the first item and backward keys at
/// the last.
pub fn next_item(key: &str, at: Option<usize>, count: usize, axis: Axis) -> Option<usize> {
    if count == 0 {
        return None;
    }
    let last = count - 1;
    let (forward, backward) = match axis {
        Axis::Vertical => ("ArrowDown", "ArrowUp"),
        Axis::Horizontal => ("ArrowRight", "ArrowLeft"),
    };
    match key {
        _ if key == forward => {
            Some(at.map_or(0, |index| if index >= last { 0 } else { index + 1 }))
        }
        _ if key == backward => Some(at.map_or(last, |index| {
            if index == 0 {
                last
            } else {
                (index - 1).min(last)
            }
        })),
        "Home" => Some(0),
        "End" => Some(last),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    Vertical,
    Horizontal,
}

/// The next item after `at` whose label starts with `letter`, wrapping around.
pub fn find_by_letter(letter: &str, at: Option<usize>, labels: &[String]) -> Option<usize> {
    if letter.chars().count() != 1 {
        return None;
    }
    let letter = letter.to_lowercase();
    let start = at.map_or(0, |index| index + 1);
    (0..labels.len())
        .map(|step| (start + step) % labels.len())
        .find(|&index| {
            labels
                .get(index)
                .is_some_and(|label| label.to_lowercase().starts_with(&letter))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_go_round() {
        assert_eq!(next_item("ArrowDown", None, 3, Axis::Vertical), Some(0));
        assert_eq!(next_item("ArrowDown", Some(2), 3, Axis::Vertical), Some(0));
        assert_eq!(next_item("ArrowUp", None, 3, Axis::Vertical), Some(2));
        assert_eq!(next_item("ArrowUp", Some(0), 3, Axis::Vertical), Some(2));
        assert_eq!(
            next_item("ArrowLeft", Some(1), 3, Axis::Horizontal),
            Some(0)
        );
    }

    #[test]
    fn other_keys_are_left_alone() {
        assert_eq!(next_item("ArrowLeft", Some(1), 3, Axis::Vertical), None);
        assert_eq!(next_item("a", Some(1), 3, Axis::Vertical), None);
        assert_eq!(next_item("Home", None, 0, Axis::Vertical), None);
    }

    #[test]
    fn a_list_that_shrank_is_no_trap() {
        assert_eq!(next_item("ArrowDown", Some(9), 3, Axis::Vertical), Some(0));
        assert_eq!(next_item("ArrowUp", Some(9), 3, Axis::Vertical), Some(2));
    }

    #[test]
    fn letters_find_the_next_match() {
        let labels = ["Promote", "Withdraw", "Pause"].map(String::from);
        assert_eq!(find_by_letter("p", Some(0), &labels), Some(2));
        assert_eq!(find_by_letter("P", Some(2), &labels), Some(0));
        assert_eq!(find_by_letter("x", None, &labels), None);
        assert_eq!(find_by_letter("Enter", None, &labels), None);
    }
}

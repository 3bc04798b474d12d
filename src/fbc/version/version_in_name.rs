//! The version at the end of a bundle's name.

use super::semantic::Version;

/// The version at the end of a name: `op.v1.2.3` and `op-v1.2.3-rc.1` have one, `op.v1.2` does not.
///
/// The longest suffix that is a strict version counts; it starts the name or follows `v`, `.`, `-`
/// or `_` (a `v` itself must follow one of these). A suffix after a number and a dot is part of
/// that number: `op.v1.2.3.4` has none.
pub fn version_in_name(name: &str) -> Option<(&str, Version)> {
    if name.len() > MAX_NAME {
        return None;
    }
    let bytes = name.as_bytes();
    let separator = |i: usize| i == 0 || matches!(bytes.get(i - 1), Some(b'.' | b'-' | b'_'));
    let is_behind_number =
        |i: usize| i >= 2 && bytes[i - 1] == b'.' && bytes[i - 2].is_ascii_digit();
    (0..bytes.len())
        .filter(|&i| bytes[i].is_ascii_digit())
        .filter(|&i| {
            (separator(i) && !is_behind_number(i))
                || (matches!(bytes[i - 1], b'v' | b'V') && separator(i - 1))
        })
        .find_map(|i| {
            name.get(i..)
                .and_then(|end| Version::parse(end).ok().map(|v| (end, v)))
        })
}

/// Longer names are not searched, since the search may be quadratic.
const MAX_NAME: usize = 512;

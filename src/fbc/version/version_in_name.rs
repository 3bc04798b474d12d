//! The version that the name of a bundle ends in.

use super::semantic::Version;

/// The version that a name ends in: `op.v1.2.3` and `op-v1.2.3-rc.1` end in one, `op.v1.2` does not.
///
/// The longest end that is a strict version counts; it begins the name or stands after `v`, `.`, `-` or `_` (a `v` itself
/// only after one of these). What stands after a number and a dot is a part of that: `op.v1.2.3.4` ends in none.
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

/// Longer names are not searched for a version, since the search may be quadratic.
const MAX_NAME: usize = 512;

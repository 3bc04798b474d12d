//! Hash maps and sets for names and numbers, with a quick hash that is the same in every run.
//!
//! The standard one defends a server against keys that are chosen to collide. Here a catalog can only make its own tab
//! slow, and hashing by it was a sixth of the time of an edit.

use foldhash::fast::FixedState;

pub type HashMap<K, V> = std::collections::HashMap<K, V, FixedState>;
pub type HashSet<T> = std::collections::HashSet<T, FixedState>;

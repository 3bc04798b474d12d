//! What worker and page say to each other.

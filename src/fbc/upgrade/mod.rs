//! upgrade

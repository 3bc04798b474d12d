//! The laws of `tests/laws`, for the fuzz targets.

#[path = "../../tests/laws/mod.rs"]
pub mod laws;

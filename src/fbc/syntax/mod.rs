//! Bytes to blobs to span trees: YAML as the Go reader behind `opm` takes it (yaml.v2, YAML 1.1) and concatenated JSON.
//!
//! Knows nothing of catalogs: schemas and field names begin in [`crate::fbc::model`].

pub mod tree;

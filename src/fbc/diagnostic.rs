//! One problem, with its place and its way out. A leaf module: plain serde data that every world may import.
//!
//! The JSON text is the contract of `switchyard validate --format json`.

use crate::fbc::edit::op::EditOp;
use serde::{Deserialize, Serialize};

/// How bad it is. Only errors that are `opm`'s decide the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    Error,
    Warning,
    Info,
}

/// A place in a file of the workspace. Lines and columns count from 1; columns count characters; the end is exclusive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Location {
    /// Path relative to the catalog's root, with `/`.
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// Evidence elsewhere: the other head, the first definition of a duplicate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    pub message: String,
    #[serde(flatten)]
    pub location: Location,
}

/// A way out, as operations that can be applied, undone and printed as commands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    pub title: String,
    /// True when no choice of meaning is left to the user, so that `--fix` may apply it.
    pub safe: bool,
    pub ops: Vec<EditOp>,
}

/// One problem of a catalog.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Rule id in kebab case; the ids of `opm`'s rules are those of `opm-semantics` sections 1 and 2.
    pub rule: String,
    pub severity: Severity,
    /// True when `opm validate` refuses the same input for it.
    pub opm: bool,
    /// What is so: lower-case start, no final period, names in backticks.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
    /// Name of the catalog root ("" on the command line, where DIR is the one root).
    pub catalog: String,
    pub package: Option<String>,
    pub channel: Option<String>,
    pub bundle: Option<String>,
    /// `file` is "" for what concerns the catalog as a whole.
    #[serde(flatten)]
    pub location: Location,
    pub related: Vec<Related>,
    pub fixes: Vec<Fix>,
}

//! The lanes of one package as geometry: what the page draws.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Lanes {}

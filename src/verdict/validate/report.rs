//! What the rules report about one package.

use super::findings::{Finding, OpmRefusal, TreeNode};
use super::requirements::{Provides, Requirements};
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct PackageReport {
    /// From `opm`'s rules.
    pub findings: Vec<Finding>,
    /// From our own rules.
    pub advice: Vec<Finding>,
    /// Positions of the matching suppressions in the settings.
    pub suppressed: BTreeSet<usize>,
    /// `opm`'s first refusal in this package.
    pub refusal: Option<OpmRefusal>,
    /// `opm`'s tree for this package; `None` if it is empty.
    pub tree: Option<TreeNode>,
    /// What other packages may require from it.
    pub provides: Provides,
    /// What the package requires from others, if advice needs it.
    pub(super) requirements: Option<Box<Requirements>>,
}

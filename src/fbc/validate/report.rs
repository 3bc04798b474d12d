//! The judgement of one package, as plain data: what its rules found, and what other packages need to know of it.

use super::finding::{Finding, OpmRefusal};
use super::open_catalogs::Provides;
use super::requirements::Requirements;
use super::tree::TreeNode;
use std::collections::BTreeSet;

/// What is known of one package after its rules ran.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PackageReport {
    /// Problems that are `opm`'s.
    pub findings: Vec<Finding>,
    /// Our own.
    pub advice: Vec<Finding>,
    /// Suppressions (by position in the settings) that some problem fell under.
    pub suppressed: BTreeSet<usize>,
    /// The refusal that `opm` meets first in this package.
    pub refusal: Option<OpmRefusal>,
    /// `opm`'s tree for this package; `None` when it is empty.
    pub tree: Option<TreeNode>,
    /// What other packages may require of it.
    pub provides: Provides,
    /// What the package requires of others, if advice needs it.
    pub(super) requirements: Option<Box<Requirements>>,
}

//! What is known of one package, as plain data: what its rules found, and what other packages need to know of it.

use super::finding::{Finding, Refusal};
use super::opened::Offer;
use super::trade::Trade;
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
    pub refusal: Option<Refusal>,
    /// `opm`'s tree for this package; `None` when it has nothing to say.
    pub tree: Option<TreeNode>,
    /// What other packages may require of it.
    pub offer: Offer,
    /// What the package asks of others, when advice wants to know.
    pub(super) trade: Option<Box<Trade>>,
}

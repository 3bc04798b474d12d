//! Upgrade paths: of one version, and the next steps of all.

mod catalog_matrix;
mod compare;
mod comparison_text;
mod everyone_strip;
mod everyone_table;
mod everyone_text;
mod incomplete;
mod on_cluster;
mod upgrade_path;

pub use compare::Compare;
pub use comparison_text::changes;
pub use everyone_strip::{EveryoneQuery, EveryoneStrip, HypotheticalAnswer};
pub use everyone_table::EveryoneTable;
pub use upgrade_path::UpgradePathPanel;

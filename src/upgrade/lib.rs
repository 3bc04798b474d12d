//! Computes the next step of an installed bundle under OLM Classic (v0) and OLM v1, and explains
//! it.
//!
//! Pure functions over a package. [`UpgradeIndex`] is a package prepared for such questions, with
//! numbered names and parsed versions. It is cheap to rebuild after an edit.
//! [`everyone`] answers for all versions of a package at once.
//!
//! [`ask::ask`] answers the whole question of one user, and [`both_lenses::BothLenses`] under both
//! lenses at once: page and command line call them.
//! [`UpgradeIndex::next`] considers a single package: requirements between bundles are ignored
//! under v0 (the graph's own answer) and refused under v1 (as in OLM). [`v1::next`] takes several
//! catalogs; [`resolve`] solves requirements as Classic does. The rules follow `olm-resolution`
//! sections 1 to 3.
//!
//! Knows no files, source positions or edits.
pub mod crd;

mod answer;
pub mod ask;
pub mod both_lenses;
pub mod candidates;
pub mod cluster;
pub mod everyone;
mod explain;
mod incoming;
mod index;
pub mod installed_name;
pub mod installed_set;
pub mod label_selector;
mod package_view;
pub mod resolve;
pub mod status_conditions;
mod subscription;
#[cfg(any(test, feature = "testing"))]
mod testing;
#[cfg(test)]
mod tests;
pub mod v0;
pub mod v1;

pub use answer::UnlistedStep;
pub use index::REFUSED_BY_V1;

pub use answer::{
    Answer, EdgeKind, ErrorKind, Installed, Lens, Options, Path, Policy, Successor, UpgradeError,
    follow,
};
pub use index::UpgradeIndex;
pub use subscription::ChainError;

impl UpgradeIndex {
    /// Returns the next step of `installed` (`None`: a fresh install) within this package.
    pub fn next(&self, lens: Lens, installed: Option<&Installed>, options: &Options) -> Answer {
        self.steps(lens, options, |next| next(installed))
    }

    /// Repeats [`UpgradeIndex::next`] until no step follows.
    pub fn path(&self, lens: Lens, installed: Option<&Installed>, options: &Options) -> Path {
        self.steps(lens, options, |next| follow(installed, next))
    }

    /// Calls `ask` with a function that works like [`UpgradeIndex::next`] but prepares everything
    /// independent of the installed bundle only once.
    pub fn steps<T>(
        &self,
        lens: Lens,
        options: &Options,
        ask: impl FnOnce(&dyn Fn(Option<&Installed>) -> Answer) -> T,
    ) -> T {
        match lens {
            Lens::V0 => {
                let subscribed = v0::Subscribed::new(self, options);
                ask(&|installed| subscribed.next(installed))
            }
            Lens::V1 => {
                let only = [v1::Catalog::only(self)];
                let request = v1::Request::new(&only, None, self.package(), options);
                ask(&|installed| request.next(installed))
            }
        }
    }
}

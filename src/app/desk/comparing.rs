//! One catalog against another: which one the catalog in view is compared with, and what that found.

use super::latest;
use crate::app::state::session::Session;
use crate::protocol::upgrades::{Comparison, PackageComparison};
use leptos::prelude::*;
use std::sync::Arc;

#[derive(Clone, Copy)]
pub struct Comparing {
    /// The catalog that users have now; the one in view is what they would get. `None`: nothing is compared.
    pub old: RwSignal<Option<String>>,
    /// A package that only the other catalog has and that is looked at; else the one in view is.
    pub gone: RwSignal<Option<String>>,
    pub catalogs: ReadSignal<Option<Arc<Comparison>>>,
    /// The package looked at, in both.
    pub package: ReadSignal<Option<Arc<PackageComparison>>>,
}

impl Comparing {
    pub fn new(session: Session) -> Self {
        let old = RwSignal::new(None::<String>);
        let roots = move || {
            let new = session.root.get();
            let is_open =
                |root: &String| session.status.with(|status| status.roots.iter().any(|row| row.root == *root));
            let old = old.get().filter(|old| *old != new && is_open(old))?;
            Some((old, new, session.status.with(|status| status.revision)))
        };
        let catalogs = latest(Signal::derive(roots), move |(old, new, _)| session.compare(old, new));
        let gone = RwSignal::new(None::<String>);
        Effect::new(move |_| {
            session.package.track();
            gone.set(None);
        });
        let wanted = Signal::derive(move || Some((roots()?, gone.get().or_else(|| session.package.get())?)));
        let package = latest(wanted, move |((old, new, _), package)| session.compare_package(old, new, package));
        Self { old, gone, catalogs, package }
    }
}

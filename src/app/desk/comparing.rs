//! What users have now against the catalog in view: another catalog, or the same one as it is on disk.

use super::latest;
use crate::app::state::session::Session;
use crate::protocol::upgrades::{Against, Comparison, PackageComparison};
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen_futures::spawn_local;

#[derive(Clone, Copy)]
pub struct Comparing {
    /// As [`Session::against`].
    pub old: RwSignal<Option<Against>>,
    /// A package that only the other catalog has and that is looked at; else the one in view is.
    pub gone: RwSignal<Option<String>>,
    pub catalogs: ReadSignal<Option<Arc<Comparison>>>,
    /// The package looked at, in both.
    pub package: ReadSignal<Option<Arc<PackageComparison>>>,
}

impl Comparing {
    pub fn new(session: Session) -> Self {
        let old = session.against;
        let wanted = Memo::new(move |_| session.compared_with());
        // What is gone is drawn in the lanes.
        Effect::new(move |before: Option<Option<Against>>| {
            let wanted = wanted.get();
            if before.is_some_and(|before| before != wanted) {
                spawn_local(session.refresh_view());
            }
            wanted
        });
        let roots = move || Some((wanted.get()?, session.root.get(), session.status.with(|status| status.revision)));
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

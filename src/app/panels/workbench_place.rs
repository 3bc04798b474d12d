//! When and where the workbench is built: outside the document while the start page is shown, so
//! that a first drop has nothing to build and the functions are compiled; in the document while
//! something is open.

use super::workbench::{Built, Workbench};
use crate::browser::{performance_marks, saving_wanted, time, workers};
use crate::context::AppContext;
use crate::reactive::effect;
use leptos::mount::mount_to;
use leptos::prelude::*;
use std::any::Any;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, HtmlElement};

/// A built workbench: its element, and a guard that unmounts it when dropped.
type BuiltWorkbench = (Element, Box<dyn Any>);

#[derive(Clone, Copy)]
struct WorkbenchPlace {
    app: AppContext,
    /// The page's owner, so that it outlives its creator.
    owner: StoredValue<Owner>,
    workbench: StoredValue<Option<BuiltWorkbench>, LocalStorage>,
    built: RwSignal<Built>,
}

/// Keeps the workbench in its place for the page's lifetime.
pub fn follow(app: AppContext) {
    let Some(owner) = Owner::current() else {
        return;
    };
    let place = WorkbenchPlace {
        app,
        owner: StoredValue::new(owner),
        workbench: StoredValue::new_local(None),
        built: RwSignal::default(),
    };
    effect(move |was_open: Option<bool>| {
        let is_open = app.current.is_open.get();
        match (was_open.unwrap_or_default(), is_open) {
            (false, true) => untrack(|| place.show()),
            // Later opens start with a new one.
            (true, false) => place.take_down(),
            _ => {}
        }
        is_open
    });
    spawn_local(place.prepare());
}

impl WorkbenchPlace {
    fn show(self) {
        self.build();
        let body = document().body();
        self.workbench.with_value(|workbench| {
            if let (Some((element, _)), Some(body)) = (workbench, body) {
                // Fails only for a node that cannot be a child of the body.
                let _ = body.prepend_with_node_1(element);
            }
        });
        spawn_local(async move {
            while self.is_unfinished() {
                performance_marks::mark_next_paint().await;
                self.build_more();
            }
        });
    }

    fn take_down(self) {
        self.workbench.set_value(None);
        self.built.set(Built::default());
    }

    /// Builds it in stages while the page is idle. Not if data or power should be saved.
    async fn prepare(self) {
        if !workers::program_comes().await || saving_wanted::is_saving_wanted().await {
            return;
        }
        time::idle().await;
        if self.app.current.is_open.get_untracked() {
            return;
        }
        let start = performance_marks::now();
        self.build();
        while self.is_unfinished() {
            time::idle().await;
            self.build_more();
        }
        performance_marks::measure("workbench", start, &[]);
    }

    /// Builds the frame, if there is none.
    fn build(self) {
        if self.workbench.with_value(Option::is_some) {
            return;
        }
        // Its parent is never in the document: the workbench moves out of it.
        let Ok(beside) = document()
            .create_element("div")
            .map(JsCast::unchecked_into::<HtmlElement>)
        else {
            return;
        };
        let (app, built) = (self.app, self.built);
        let handle = self.owner.with_value(|owner| {
            owner.with(|| {
                untrack(|| mount_to(beside.clone(), move || view! { <Workbench app built/> }))
            })
        });
        self.workbench.set_value(
            beside
                .first_element_child()
                .map(|element| (element, Box::new(handle) as Box<dyn Any>)),
        );
    }

    fn is_unfinished(self) -> bool {
        self.workbench.with_value(Option::is_some) && self.built.get_untracked().next().is_some()
    }

    fn build_more(self) {
        if let Some(next) = self.built.get_untracked().next() {
            self.built.set(next);
        }
    }
}

//! The button that opens the preview of a fix.

use crate::context::AppContext;
use crate::edits::fix_action::fix_action;
use crate::words;
use leptos::prelude::*;
use protocol::diagnostic::{Diagnostic, Fix};

/// A fix as a button: opens its preview with *Apply*.
#[component]
pub fn FixButton(
    app: AppContext,
    problem: Diagnostic,
    fix: Fix,
    tab: Signal<&'static str>,
) -> impl IntoView {
    let title = words::fix_title(&fix.title);
    let action = fix_action(&fix);
    let name = format!("Fix: {action}");
    let whole = title.clone();
    view! {
        <button
            type="button"
            class="fix-button"
            aria-label=name
            title=whole
            tabindex=move || tab.get()
            on:click=move |_| app.edits.confirm(title.clone(), app.edits.fix_ops(&fix, &problem.catalog))
        >
            "Fix: " {action}
        </button>
    }
    .into_any()
}

//! A way out of a problem as a button.

use crate::context::AppContext;
use crate::words;
use leptos::prelude::*;
use protocol::diagnostic::{Diagnostic, Fix};

/// A way out as a button: opens its preview, where it can be applied.
#[component]
pub fn FixButton(app: AppContext, problem: Diagnostic, fix: Fix, tab: Signal<&'static str>) -> impl IntoView {
    let title = words::fix_title(&fix.title);
    let name = format!("Fix: {}: {title}", doing(&fix));
    let shown = doing(&fix);
    view! {
        <button
            type="button"
            class="fix-button"
            aria-label=name.clone()
            title=name
            tabindex=move || tab.get()
            on:click=move |_| app.confirm(title.clone(), app.fix_ops(&fix, &problem.catalog))
        >
            "Fix: " {shown}
        </button>
    }
    .into_any()
}

/// What a fix does, in a word or two: `add skip`.
fn doing(fix: &Fix) -> String {
    match fix.kind.as_str() {
        "" => words::fix_title(&fix.title),
        "did-you-mean" => "correct the name".to_owned(),
        kind => kind.replace('-', " "),
    }
}

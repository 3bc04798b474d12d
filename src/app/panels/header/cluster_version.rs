//! *Cluster version*: the cluster's OpenShift version for both lenses.

use crate::context::AppContext;
use crate::reactive::memo;
use crate::widgets::announce;
use crate::widgets::field_text::field_text;
use leptos::prelude::*;

#[component]
pub(super) fn ClusterVersion(app: AppContext) -> impl IntoView {
    let current = memo(move |_| app.store.question.with(|question| question.cluster.clone()));
    let typed = RwSignal::new(None::<String>);
    let ask = move || {
        if let Some(text) = typed.get_untracked() {
            typed.set(None);
            app.ask_upgrade(|question| question.cluster = text.trim().to_owned());
        }
    };
    let fault = memo(move |_| {
        app.current
            .view
            .with(|view| view.answer.cluster.error.replace('`', ""))
    });
    announce::follow_alert(move || fault.get());
    view! {
        <span class="question-field">
            <label class="question-label" for="question-cluster">"Cluster version"</label>
            <input
                class="field-input"
                id="question-cluster"
                type="text"
                spellcheck="false"
                autocomplete="off"
                placeholder="any, or 4.18.3"
                title="The cluster's OpenShift version, to show what blocks its update and what does not start on it"
                aria-describedby="question-cluster-fault"
                aria-invalid=move || fault.with(|fault| !fault.is_empty()).then_some("true")
                use:field_text=Signal::derive(move || typed.get().unwrap_or_else(|| current.get()))
                on:input=move |event| typed.set(Some(event_target_value(&event)))
                on:change=move |_| ask()
                on:keydown=move |event| {
                    if event.key() == "Enter" {
                        ask();
                    }
                }
            />
            <span class="admitted-error" id="question-cluster-fault">{move || fault.get()}</span>
        </span>
    }
    .into_any()
}

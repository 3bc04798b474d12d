//! What OLM v1 asks besides the installed version: channels and a version range.

use crate::app::desk::desk;
use crate::app::panels::forms::values::names;
use crate::app::widgets::combobox::{Choice, Combobox};
use crate::protocol::views::Lens;
use leptos::prelude::*;

/// Shown under the OLM v1 lens only.
#[component]
pub fn QuestionBar() -> impl IntoView {
    let desk = desk();
    let is_v1 = move || desk.session.question.get().lens == Lens::V1;
    let channels = RwSignal::new(String::new());
    let range = RwSignal::new(String::new());
    let asked = Memo::new(move |_| {
        desk.session.question.with(|question| (question.channels.join(", "), question.range.clone()))
    });
    Effect::new(move |_| {
        let (named, version) = asked.get();
        channels.set(named);
        range.set(version);
    });
    let choices = Signal::derive(move || {
        desk.view.with(|view| view.channels.iter().map(|name| Choice::new(name, "")).collect::<Vec<_>>())
    });
    let ask_channels = move |()| {
        let named = names(&channels.get_untracked());
        desk.ask_upgrade(|question| question.channels = named);
    };
    let ask_range = move || {
        let typed = range.get_untracked().trim().to_owned();
        desk.ask_upgrade(|question| question.range = typed);
    };
    view! {
        <Show when=is_v1>
            <div class="question" role="group" aria-label="OLM v1 asks for">
                <label class="question-label" for="question-channels">"Channels"</label>
                <Combobox
                    id="question-channels"
                    value=channels
                    choices=choices
                    placeholder="any"
                    on_change=move |typed| channels.set(typed)
                    on_done=Callback::new(ask_channels)
                />
                <label class="question-label" for="question-range">"Version range"</label>
                <input
                    class="field-input"
                    id="question-range"
                    type="text"
                    spellcheck="false"
                    autocomplete="off"
                    placeholder="any, or >=1.2.0 <2.0.0"
                    prop:value=move || range.get()
                    on:input=move |event| range.set(event_target_value(&event))
                    on:change=move |_| ask_range()
                />
            </div>
        </Show>
    }
    .into_any()
}

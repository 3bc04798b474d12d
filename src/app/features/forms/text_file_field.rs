//! A text that is typed, or read from a file such as a README.

use crate::browser::folder_access::bytes;
use crate::widgets::announce;
use crate::widgets::dom;
use crate::widgets::fields::TextField;
use crate::words;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;

/// Larger files are not READMEs.
const MOST_BYTES: f64 = 1e6;

#[component]
pub fn TextFileField(
    label: &'static str,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] on_change: Callback<String>,
    #[prop(optional, into)] hint: Signal<String>,
    #[prop(optional, into)] error: Signal<String>,
) -> impl IntoView {
    let (id, note) = (dom::fresh_id("field"), dom::fresh_id("note"));
    let message = RwSignal::new(String::new());
    let picked = move |event: leptos::ev::Event| {
        let input = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
        let Some(file) = input
            .and_then(|input| input.files())
            .and_then(|files| files.get(0))
        else {
            return;
        };
        if file.size() > MOST_BYTES {
            let size = words::bytes(file.size() as u64);
            return message.set(format!(
                "{} is too large for a description: {size}.",
                file.name()
            ));
        }
        spawn_local(async move {
            let outcome = match bytes(&file).await.map(String::from_utf8) {
                Ok(Ok(text)) => {
                    on_change.try_run(text);
                    format!("Taken from {}.", file.name())
                }
                Ok(Err(_)) => format!("{} is not a text file.", file.name()),
                Err(why) => format!("{} cannot be read: {why}.", file.name()),
            };
            message.try_set(outcome);
        });
    };
    announce::follow(move || message.get());
    view! {
        <TextField label value on_change hint error/>
        <div class="field">
            <label class="field-label" for=id.clone()>{label} " from a file"</label>
            <input
                class="field-input"
                id=id
                type="file"
                accept=".md,.markdown,.txt,text/markdown,text/plain"
                aria-describedby=note.clone()
                on:change=picked
            />
            <p class="field-hint" id=note>
                {move || message.with(|message| if message.is_empty() { "A README, for example.".to_owned() } else { message.clone() })}
            </p>
        </div>
    }
    .into_any()
}

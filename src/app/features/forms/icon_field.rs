//! An image file field: stores the picked file as base64 and shows its size.

use crate::components::deprecation_preview::Picture;
use crate::context::{AppContext, app_context};
use crate::widgets::dom;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use leptos::prelude::*;
use protocol::inspection::IconView;
use protocol::query::CheckPicture;
use protocol::response::OperationRefusal;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{File, HtmlInputElement};

/// `on_change` receives the image in base64, "" if none is chosen.
#[component]
pub fn IconField(
    label: &'static str,
    /// The text shown if no file is chosen.
    without: &'static str,
    #[prop(into)] on_change: Callback<String>,
) -> impl IntoView {
    let app = app_context();
    let (id, note) = (dom::fresh_id("field"), dom::fresh_id("note"));
    let chosen = RwSignal::new(None::<Chosen>);
    let picked = move |event: leptos::ev::Event| {
        let input = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
        let file = input
            .and_then(|input| input.files())
            .and_then(|files| files.get(0));
        let Some(file) = file else {
            chosen.set(None);
            on_change.run(String::new());
            return;
        };
        spawn_local(async move {
            let read = Chosen::read(app, &file).await;
            let data = read
                .as_ref()
                .map_or_else(String::new, |chosen| chosen.data.clone());
            if chosen.try_set(read).is_none() {
                on_change.run(data);
            }
        });
    };
    view! {
        <div class="field">
            <label class="field-label" for=id.clone()>{label}</label>
            <input
                class="field-input"
                id=id
                type="file"
                accept=".svg,.png,.jpg,.jpeg,.gif,image/svg+xml,image/png,image/jpeg,image/gif"
                aria-describedby=note.clone()
                on:change=picked
            />
            <div id=note>
                {move || match chosen.get() {
                    Some(Chosen { words, picture, .. }) => {
                        view! {
                            <p class="field-hint">{words}</p>
                            <Picture picture class="field-icon"/>
                        }
                            .into_any()
                    }
                    None => {
                        view! { <p class="field-hint">{format!("SVG, PNG, JPEG or GIF. {without}")}</p> }
                            .into_any()
                    }
                }}
            </div>
        </div>
    }
    .into_any()
}

/// A picked image file.
#[derive(Debug, Clone)]
struct Chosen {
    data: String,
    /// Name and size.
    words: String,
    picture: IconView,
}

impl Chosen {
    async fn read(app: AppContext, file: &File) -> Option<Self> {
        let buffer = JsFuture::from(file.array_buffer()).await.ok()?;
        let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
        let data = STANDARD.encode(&bytes);
        // Pictures that the catalog view would refuse are not previewed either: they may freeze the
        // page.
        let picture = check_picture(app, file.type_(), data.clone()).await;
        let words = format!("{}: {} bytes", file.name(), bytes.len());
        Some(Self {
            data,
            words,
            picture,
        })
    }
}

/// Whether a picture (base64) is safe to show.
pub(super) async fn check_picture(app: AppContext, media_type: String, data: String) -> IconView {
    let checked = app.store.ask(CheckPicture { media_type, data }).await;
    checked.unwrap_or_else(|error| IconView::Refused(OperationRefusal::from(error).reason))
}

//! A picture of a catalog: shown, or a sign with the reason why it is not.

use crate::widgets::icon::{Glyph, Icon};
use leptos::prelude::*;
use protocol::inspection::IconView;

/// What a browser says of a picture that it cannot decode: nothing.
const NOT_DECODED: &str = "this browser cannot decode it";

/// `class` is that of the image.
#[component]
pub fn Picture(picture: IconView, class: &'static str) -> impl IntoView {
    let is_broken = RwSignal::new(false);
    match picture {
        // It is shown only as an image from its own bytes; anything else would be a request.
        IconView::Shown(url) if url.starts_with("data:image/") => (move || match is_broken.get() {
            true => refused(NOT_DECODED.to_owned()).into_any(),
            false => {
                view! { <img class=class src=url.clone() alt="" on:error=move |_| is_broken.set(true)/> }.into_any()
            }
        })
        .into_any(),
        IconView::Refused(reason) => refused(reason).into_any(),
        IconView::Shown(_) | IconView::None => ().into_any(),
    }
}

/// The reason stands in the text, so that it is there without a pointer too.
fn refused(reason: String) -> impl IntoView {
    view! {
        <p class="picture-refused">
            <Glyph icon=Icon::Warning/>
            {format!("The icon is not shown: {reason}.")}
        </p>
    }
}

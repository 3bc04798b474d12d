//! The icon of a package, or the reason why it cannot be shown.

use crate::prelude::*;
use protocol::inspection::IconView;

/// The reason shown if the browser fails to decode a picture.
const NOT_DECODED: &str = "this browser cannot decode it";

/// A package's icon, or the reason why it is not shown. `class` applies to the image.
#[component]
pub fn Picture(picture: IconView, class: &'static str) -> impl IntoView {
    let is_broken = RwSignal::new(false);
    match picture {
        // Only data URLs are shown as images; anything else would cause a request.
        IconView::Shown(url) if url.starts_with("data:image/") => (move || {
            if is_broken.get() {
                refusal_view(NOT_DECODED.to_owned()).into_any()
            } else {
                view! { <img class=class src=url.clone() alt="" on:error=move |_| is_broken.set(true)/> }
                    .into_any()
            }
        })
        .into_any(),
        IconView::Refused(reason) => refusal_view(reason).into_any(),
        IconView::Shown(_) | IconView::None => ().into_any(),
    }
}

/// Renders the reason as visible text, so that it is available without a pointer.
fn refusal_view(reason: String) -> impl IntoView {
    view! {
        <p class="picture-refused">
            <Glyph icon=Icon::Warning/>
            {format!("The icon is not shown: {reason}.")}
        </p>
    }
}

//! Views of parts of the program that are loaded after its start. `#[wasm_split]` keeps everything
//! that only such a part uses out of the first download:
//! `docs/decisions/the-page-ships-in-parts.md`. Each part has one function, since each function
//! learns on its own that its part is loaded.

use crate::prelude::*;
use crate::widgets::dialog::{Dialog, Size};
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use leptos::wasm_split::SplitLoaderError;

pub type Loaded<T> = Result<T, SplitLoaderError>;
pub type Loading<T> = LocalBoxFuture<'static, Loaded<T>>;

/// Draws a view as soon as its part is loaded. If loading fails, it shows a message, in a dialog if
/// there is something to close.
pub fn draw_part(
    load: fn() -> Loading<()>,
    draw: impl Fn() -> Loading<AnyView> + Send + 'static,
    close: Option<Callback<()>>,
) -> AnyView {
    // `None` while the part is being loaded.
    let part = RwSignal::new(load().now_or_never().map(|loaded| loaded.is_ok()));
    let try_again = move |()| {
        part.set(None);
        spawn_local(async move { part.set(Some(load().await.is_ok())) });
    };
    if part.with_untracked(Option::is_none) {
        try_again(());
    }
    let message = "This part of the page could not be loaded. Check the connection, then try again, or reload the page. Your edits are kept.";
    let explain = move || {
        announce::alert(message);
        view! {
            <div class="part-missing">
                <p>{message}</p>
                <Button label="Try again" look=Look::Primary on_press=try_again/>
            </div>
        }
        .into_any()
    };
    let draw = move || match (part.get(), close) {
        (None, _) => view! { <p class="part-loading">"Loading…"</p> }.into_any(),
        (Some(true), _) => draw().now_or_never().and_then(Result::ok).into_any(),
        (Some(false), None) => explain(),
        (Some(false), Some(on_close)) => view! {
            <Dialog title="Not loaded" size=Size::Small on_close>{explain()}</Dialog>
        }
        .into_any(),
    };
    draw.into_any()
}

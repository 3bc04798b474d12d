//! Whether the page is being printed. What is drawn for paper alone is drawn then, before the browser looks.

use super::event_listener::listen;
use web_sys::Event;

/// Calls back when printing begins and when it has ended.
pub fn follow(on_change: impl Fn(bool) + Clone + 'static) {
    let Some(window) = web_sys::window() else {
        return;
    };
    let (begun, ended) = (on_change.clone(), on_change.clone());
    listen(&window, "beforeprint", move |_: Event| begun(true)).for_good();
    listen(&window, "afterprint", move |_: Event| ended(false)).for_good();
    // A page can be shown as on paper without being printed.
    if let Ok(Some(paper)) = window.match_media("print") {
        let now = paper.clone();
        listen(&paper, "change", move |_: Event| on_change(now.matches())).for_good();
    }
}

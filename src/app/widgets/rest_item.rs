//! The end of a shortened list.

use leptos::prelude::*;
use protocol::counting::and_more;

/// The last item, *and 3 more*; nothing if `rest`, the number of items left out, is 0.
pub fn rest_item(rest: usize) -> Option<AnyView> {
    (rest > 0).then(|| view! { <li class="dim">{and_more(rest)}</li> }.into_any())
}

//! The end of a list that is cut.

use leptos::prelude::*;
use protocol::counting::and_more;

/// The last item, *and 3 more*; nothing where `rest`, the number of what is not listed, is 0.
pub fn rest_item(rest: usize) -> Option<AnyView> {
    (rest > 0).then(|| view! { <li class="dim">{and_more(rest)}</li> }.into_any())
}

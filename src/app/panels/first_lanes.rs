//! A preview while a catalog is being read: the lanes of the first package to be shown. A picture,
//! since there is no interaction before the rest is loaded.

use crate::browser::object_url::ObjectUrl;
use crate::context::AppContext;
use leptos::prelude::*;

#[component]
pub fn FirstLanesPicture(app: AppContext) -> impl IntoView {
    move || {
        let lanes = app.store.first_lanes.get()?;
        let url = ObjectUrl::new("image/svg+xml", &lanes.svg)?;
        let address = url.as_str().to_owned();
        let url = StoredValue::new_local(url);
        // The URL is needed as long as the picture exists.
        on_cleanup(move || url.dispose());
        Some(view! {
            <figure class="first-lanes">
                <figcaption>{lanes.package.clone()}</figcaption>
                <img src=address alt=format!("The upgrade graph of {}, while the rest is read", lanes.package)/>
            </figure>
        })
    }
}

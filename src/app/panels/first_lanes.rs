//! What can be seen of a catalog while it is read: the lanes of the package that will be in view first. A picture, since
//! nothing can be done with it before the rest is known.

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
        // It is needed for as long as the picture is there.
        on_cleanup(move || url.dispose());
        Some(view! {
            <figure class="first-lanes">
                <figcaption>{lanes.package.clone()}</figcaption>
                <img src=address alt=format!("The upgrade graph of {}, while the rest is read", lanes.package)/>
            </figure>
        })
    }
}

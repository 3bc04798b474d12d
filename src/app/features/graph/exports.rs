//! *Export…* in the toolbar: the graph as a file. Says which form is wanted; whoever mounts the graph makes it.

use super::{GraphContext, GraphEvent};
use crate::widgets::menu::{ContextMenu, MenuItem};
use leptos::html;
use leptos::prelude::*;
use protocol::request::GraphFormat;

const FORMS: [(&str, GraphEvent); 6] = [
    ("Picture (SVG)", GraphEvent::Export(GraphFormat::Svg)),
    ("Picture (PNG, 2x)", GraphEvent::ExportPixels),
    ("Mermaid", GraphEvent::Export(GraphFormat::Mermaid)),
    ("Mermaid as opm writes it", GraphEvent::Export(GraphFormat::OpmMermaid)),
    ("Graphviz (DOT)", GraphEvent::Export(GraphFormat::Dot)),
    ("JSON", GraphEvent::Export(GraphFormat::Json)),
];

#[component]
pub(super) fn Exports(shared: GraphContext) -> impl IntoView {
    let at = RwSignal::new(None::<(i32, i32)>);
    let opener = NodeRef::<html::Button>::new();
    let open = move |_| {
        let rect = opener.get_untracked().map(|button| button.get_bounding_client_rect());
        at.set(rect.map(|rect| (rect.left() as i32, rect.bottom() as i32 + 4)));
    };
    let choose = move |index: usize| {
        at.set(None);
        if let Some((_, event)) = FORMS.get(index) {
            shared.on.run(event.clone());
        }
    };
    let items = || FORMS.iter().map(|(label, _)| MenuItem { label: (*label).to_owned(), keys: "" }).collect::<Vec<_>>();
    view! {
        <button type="button" class="tool" node_ref=opener title="Export the graph as a file" aria-haspopup="menu" on:click=open>
            "Export…"
        </button>
        {move || {
            at.get().map(|at_point| {
                view! {
                    <ContextMenu title="Export the graph".to_owned() items=items() at=at_point on_choose=choose
                        on_close=move |()| { at.try_set(None); }/>
                }
            })
        }}
    }
    .into_any()
}

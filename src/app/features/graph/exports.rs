//! *Export…* in the toolbar: requests the graph as a file; the owner of the graph creates it.

use super::{GraphContext, GraphEvent};
use crate::widgets::menu::MenuItem;
use crate::widgets::menu_button::MenuButton;
use leptos::prelude::*;
use protocol::request::GraphFormat;

const FORMS: [(&str, GraphEvent); 6] = [
    ("Picture (SVG)", GraphEvent::Export(GraphFormat::Svg)),
    ("Picture (PNG, 2x)", GraphEvent::ExportPixels),
    ("Mermaid", GraphEvent::Export(GraphFormat::Mermaid)),
    (
        "Mermaid as opm writes it",
        GraphEvent::Export(GraphFormat::OpmMermaid),
    ),
    ("Graphviz (DOT)", GraphEvent::Export(GraphFormat::Dot)),
    ("JSON", GraphEvent::Export(GraphFormat::Json)),
];

#[component]
pub(super) fn Exports(shared: GraphContext) -> impl IntoView {
    let items = || {
        FORMS
            .iter()
            .map(|(label, _)| MenuItem::new(*label, ""))
            .collect::<Vec<_>>()
    };
    let choose = move |index: usize| {
        if let Some((_, event)) = FORMS.get(index) {
            shared.on.run(event.clone());
        }
    };
    view! {
        <MenuButton
            label="Export…"
            menu="Export the graph"
            class="tool"
            tip="Export the graph as a file"
            items=Callback::new(move |()| items())
            on_choose=choose
        />
    }
    .into_any()
}

//! Exports the graph: as text from the worker, and as a bitmap that the page draws from it.

use super::AppContext;
use crate::browser::file_tree::error_message;
use crate::browser::{downloads, graph_image};
use leptos::prelude::*;
use protocol::request::{Export, GraphFormat};
use wasm_bindgen_futures::spawn_local;

/// PNG pixels per CSS pixel.
const SCALE: f64 = 2.0;

impl AppContext {
    /// The graph of the package in view, with the current arrangement of lanes.
    pub fn download_graph(self, format: GraphFormat) {
        self.download(self.graph_export(format));
    }

    /// The graph as a PNG at double size.
    pub fn download_picture(self) {
        let what = self.graph_export(GraphFormat::Svg);
        spawn_local(async move {
            // The store has already reported the reason.
            let Some(svg) = self.store.export(what).await else {
                return;
            };
            let name = format!("{}.png", svg.name.trim_end_matches(".svg"));
            let made = match graph_image::png(&svg.bytes, SCALE).await {
                Ok(png) => downloads::offer(&name, &png.file)
                    .map(|()| png)
                    .map_err(|error| error_message(&error)),
                Err(why) => Err(why),
            };
            match made {
                Ok(png) if png.scale < SCALE => self.notifications.toasts.note(format!(
                    "{name} is {} × {} pixels, {:.1} times the size of the graph: browsers cannot draw larger pictures. \
                     The SVG is sharp at any size.",
                    png.width, png.height, png.scale
                )),
                Ok(_) => {}
                Err(why) => self
                    .notifications
                    .toasts
                    .error(format!("The picture could not be created: {why}. Export the SVG instead: it is sharp at any size.")),
            }
        });
    }

    fn graph_export(self, format: GraphFormat) -> Export {
        let mut lanes = self.store.lanes.get_untracked();
        let (root, package) = (
            self.store.root.get_untracked(),
            self.current.package.get_untracked(),
        );
        self.current.view.with_untracked(|view| {
            if (&view.root, &view.package) == (&root, &package) {
                lanes.default_order.clone_from(&view.default_order);
            }
        });
        Export::Graph {
            root,
            package,
            lanes: Box::new(lanes),
            format,
        }
    }
}

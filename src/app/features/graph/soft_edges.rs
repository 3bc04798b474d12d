//! Soft edges at the cut sides of the picture, so that it does not look complete.

use super::GraphContext;
use super::viewport::{Bounds, Viewport};
use crate::reactive::memo;
use leptos::prelude::*;

/// Width of an edge in pixels.
const DEPTH: f64 = 28.0;

/// Start and end of the gradient.
const OUTSIDE: &str = "0";
const INSIDE: &str = "1";

/// The sides with hidden content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct HiddenSides {
    left: bool,
    right: bool,
}

impl HiddenSides {
    fn new(view: Viewport, bounds: Bounds) -> Self {
        // Ignore less hidden content than this.
        const LEAST: f64 = 4.0;
        let end = view.x + bounds.view_width / view.scale;
        Self {
            left: view.x * view.scale > LEAST,
            right: (bounds.content_width - end) * view.scale > LEAST,
        }
    }
}

/// Drawn above the lanes and below the headings. `left`: start of the lanes in pixels.
#[component]
pub(super) fn SoftEdges(shared: GraphContext, left: Signal<f32>) -> impl IntoView {
    let beyond = memo(move |_| HiddenSides::new(shared.view.get(), shared.bounds.get()));
    let ids = shared.ids.get_value();
    let fill = format!("url(#{})", ids.edge);
    let turned = move || {
        let x = f64::from(left.get()) + shared.bounds.with(|bounds| bounds.view_width);
        format!("translate({x:.0} 0) scale(-1 1)")
    };
    let fill_right = fill.clone();
    view! {
        <defs>
            // Both stops use non-literal values: Leptos wraps an all-literal element in a group,
            // which a gradient must not contain.
            <linearGradient id=ids.edge>
                <stop class="graph-edge-end" offset=OUTSIDE/>
                <stop class="graph-edge-end" offset=INSIDE stop-opacity="0"/>
            </linearGradient>
        </defs>
        <Show when=move || beyond.get().left>
            <rect class="graph-edge" x=move || left.get().to_string() width=DEPTH.to_string() height="100%" fill=fill.clone()/>
        </Show>
        <Show when=move || beyond.get().right>
            <rect class="graph-edge" transform=turned width=DEPTH.to_string() height="100%" fill=fill_right.clone()/>
        </Show>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden_sides(x: f64, scale: f64) -> (bool, bool) {
        let bounds = Bounds {
            content_width: 1_000.0,
            view_width: 400.0,
            ..Bounds::default()
        };
        let HiddenSides { left, right } = HiddenSides::new(Viewport { x, y: 0.0, scale }, bounds);
        (left, right)
    }

    #[test]
    fn an_edge_is_soft_if_content_continues_behind_it() {
        assert_eq!(hidden_sides(0.0, 1.0), (false, true));
        assert_eq!(hidden_sides(300.0, 1.0), (true, true));
        assert_eq!(hidden_sides(600.0, 1.0), (true, false));
        assert_eq!(
            hidden_sides(0.0, 0.4),
            (false, false),
            "all of it is in view"
        );
        assert_eq!(hidden_sides(3.0, 1.0), (false, true), "next to nothing");
    }
}

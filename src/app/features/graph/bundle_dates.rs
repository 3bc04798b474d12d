//! Creation dates on the nodes; only drawn at a large scale, where they fit.

use super::GraphContext;
use super::viewport::Window;
use crate::reactive::{memo, redrawn_whole};
use leptos::prelude::*;
use protocol::lanes::{EntryNodeKind, Lanes};
use protocol::views::TableRow;
use std::collections::HashMap;

/// Minimum scale.
const NEAR: f64 = 1.6;
/// Character width from the style sheet, in content pixels.
const CHARACTER: f32 = 3.7;

/// A date and its center position.
#[derive(Debug, Clone, PartialEq)]
struct Dated {
    x: f32,
    y: f32,
    date: String,
}

/// The dates in a window for nodes with enough room.
fn date_labels(lanes: &Lanes, table: &[TableRow], window: Window) -> Vec<Dated> {
    let dates = table
        .iter()
        .filter(|row| !row.date.is_empty())
        .map(|row| (row.entry.as_str(), row.date.as_str()));
    let dates: HashMap<&str, &str> = dates.collect();
    let mut out = Vec::new();
    for lane in &lanes.lanes {
        if !window.meets_y(
            f64::from(lane.y - lanes.top),
            f64::from(lane.y + lane.height - lanes.top),
        ) {
            continue;
        }
        for node in lane
            .nodes
            .iter()
            .filter(|node| node.kind == EntryNodeKind::Entry)
        {
            let x = f64::from(node.x - lanes.header);
            let Some(date) = dates
                .get(node.name.as_str())
                .filter(|_| window.meets_x(x, x + f64::from(node.width)))
            else {
                continue;
            };
            if date.chars().count() as f32 * CHARACTER <= node.width - 6.0 && node.height >= 20.0 {
                let (x, y) = (node.x + node.width / 2.0, node.y + node.height - 2.2);
                out.push(Dated {
                    x,
                    y,
                    date: (*date).to_owned(),
                });
            }
        }
    }
    out
}

#[component]
pub(super) fn Dates(shared: GraphContext, scale: Memo<f64>) -> impl IntoView {
    let is_near = memo(move |_| scale.get() >= NEAR);
    let found = memo(move |_| match is_near.get() {
        true => shared.lanes.with(|lanes| {
            shared
                .facts
                .with(|facts| date_labels(lanes, &facts.table, shared.window.get()))
        }),
        false => Vec::new(),
    });
    // Cards and tables contain it too.
    view! {
        <g class="node-dates" aria-hidden="true">
            {redrawn_whole(move || {
                found
                    .get()
                    .into_iter()
                    .map(|Dated { x, y, date }| {
                        view! { <text class="node-date" x=x.to_string() y=y.to_string() text-anchor="middle">{date}</text> }
                    })
                    .collect_view()
                    .into_any()
            })}
        </g>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lane, node};
    use super::*;

    #[test]
    fn draws_a_date_on_nodes_with_room_for_it() {
        let row = |entry: &str, date: &str| TableRow {
            entry: entry.into(),
            date: date.into(),
            ..TableRow::default()
        };
        let table = [
            row("a", "2021-07-05"),
            row("b", "some day in July"),
            row("c", ""),
            row("s", "2021-07-05"),
        ];
        let nodes = vec![
            node(EntryNodeKind::Entry, "a", 0.0, 10.0),
            node(EntryNodeKind::Entry, "b", 100.0, 10.0),
            node(EntryNodeKind::Entry, "c", 200.0, 10.0),
            node(EntryNodeKind::Stack, "s", 300.0, 10.0),
        ];
        let lanes = Lanes {
            lanes: vec![lane("stable", 0.0, nodes)],
            ..Lanes::default()
        };
        let found = date_labels(&lanes, &table, Window::ALL);
        assert_eq!(
            found.iter().map(|of| of.date.as_str()).collect::<Vec<_>>(),
            ["2021-07-05"]
        );
        let away = Window {
            x1: 500.0,
            x2: 900.0,
            ..Window::ALL
        };
        assert!(date_labels(&lanes, &table, away).is_empty());
    }
}

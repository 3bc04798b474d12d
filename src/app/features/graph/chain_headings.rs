//! Headings of long chains above the columns; a button folds and unfolds each.

use super::arrow_keys::NodeAt;
use super::heading_keys::{self, HeadingKey};
use super::headings::Stop;
use super::shared_actions::go_to;
use super::{GraphContext, GraphEvent};
use crate::reactive::{memo, redrawn_whole};
use leptos::prelude::*;
use protocol::lanes::{ChainHeading, Lanes};

/// Character width of a y-stream's heading in pixels.
const CHARACTER: f64 = 7.6;

/// `12 versions, 1.2.0 to 1.4.1`.
pub(super) fn heading_text(chain: &ChainHeading) -> String {
    format!(
        "{} versions, {} to {}",
        chain.names.len(),
        chain.ends.0,
        chain.ends.1
    )
}

/// The node that gets the keyboard focus when a chain is toggled: its stack, or its first node.
fn node_of(lanes: &Lanes, chain: &ChainHeading) -> Option<NodeAt> {
    let is_in = |node: &protocol::lanes::EntryNode| {
        node.x + node.width > chain.x && node.x < chain.x + chain.width
    };
    let found = lanes
        .lanes
        .iter()
        .enumerate()
        .find_map(|(lane, of)| Some((lane, of.nodes.iter().position(is_in)?)));
    found.map(|(lane, node)| NodeAt { lane, node })
}

/// Folds or unfolds a chain.
pub(super) fn toggle(shared: GraphContext, chain: &ChainHeading) {
    if let Some(at) = shared.lanes.with_untracked(|lanes| node_of(lanes, chain)) {
        shared.focus.set(Some(at));
    }
    shared.on.run(GraphEvent::FoldChain {
        names: chain.names.clone(),
        fold: !chain.folded,
    });
}

/// Text and position of a chain's heading.
#[derive(Debug, Clone, PartialEq)]
struct Heading {
    chain: ChainHeading,
    /// The versions from first to last, unless a y-stream's heading is above.
    over: Option<String>,
}

impl Heading {
    fn new(lanes: &Lanes, chain: &ChainHeading, scale: f64) -> Self {
        let is_over_streams = !lanes.streams.iter().any(|stream| {
            !stream.label.is_empty() && stream.x <= chain.x && chain.x < stream.x + stream.width
        });
        let (_, width) = extent(chain, scale);
        let over = over_streams(chain).filter(|text| {
            chain.folded && is_over_streams && text.chars().count() as f64 * CHARACTER <= width
        });
        Self {
            chain: chain.clone(),
            over,
        }
    }

    fn draw(&self, scale: f64) -> AnyView {
        let Self { chain, over } = self;
        let (x, width) = extent(chain, scale);
        let middle = x + width / 2.0;
        let inside = match chain.folded {
            true => view! {
                <text class="column-label" x=middle.to_string() y="41" text-anchor="middle">{format!("{} ⊞", chain.names.len())}</text>
            }
            .into_any(),
            false => view! {
                <path class="chain-line" d=format!("M{:.1} 47V52H{:.1}V47", x + 4.0, x + width - 4.0)/>
                <text class="column-label" x=(x + 7.0).to_string() y="41" text-anchor="middle">"⊟"</text>
            }
            .into_any(),
        };
        view! {
            <rect class="stream-hit" x=x.to_string() y="30" width=width.to_string() height="24" rx="6"/>
            {over.clone().map(|text| view! { <text class="stream-label" x=middle.to_string() y="21" text-anchor="middle">{text}</text> })}
            {inside}
        }
        .into_any()
    }
}

/// Left edge and width in pixels.
fn extent(chain: &ChainHeading, scale: f64) -> (f64, f64) {
    (
        f64::from(chain.x) * scale,
        (f64::from(chain.width) * scale).max(24.0),
    )
}

/// The heading of the chain at `index`. Its group is kept while its data changes, so that it keeps
/// the focus.
pub(super) fn heading(
    shared: GraphContext,
    index: usize,
    scale: Memo<f64>,
    stop: Memo<Stop>,
) -> AnyView {
    let data = memo(move |_| {
        let scale = scale.get();
        shared.lanes.with(|lanes| {
            let chain = lanes.chains.get(index)?;
            Some(Heading::new(lanes, chain, scale))
        })
    });
    let chain = move || data.with_untracked(|data| Some(data.as_ref()?.chain.clone()));
    let is_open = move || data.with(|data| data.as_ref().is_some_and(|data| !data.chain.folded));
    let label = move || {
        let action = if is_open() { "Fold" } else { "Open" };
        data.with(|data| Some(format!("{action} {}", heading_text(&data.as_ref()?.chain))))
    };
    view! {
        <g
            class="stream"
            data-press=""
            data-chain=""
            role="button"
            tabindex=move || if stop.with(|stop| stop.chain == Some(index)) { "0" } else { "-1" }
            aria-label=label
            aria-haspopup="menu"
            aria-expanded=move || is_open().to_string()
            on:click=move |_| if let Some(chain) = chain() { toggle(shared, &chain) }
            on:keydown=move |e| if let Some(chain) = chain() { on_key(shared, &chain, &e) }
            on:contextmenu=move |e| {
                e.prevent_default();
                e.stop_propagation();
                let (x, y) = (f64::from(e.client_x()), f64::from(e.client_y()));
                if let Some(chain) = chain().filter(|_| (x, y) != (0.0, 0.0)) {
                    shared.on.run(GraphEvent::ChainMenu { names: chain.names, x, y });
                }
            }
        >
            {redrawn_whole(move || {
                let scale = scale.get();
                data.with(|data| data.as_ref().map(|data| data.draw(scale))).into_any()
            })}
        </g>
    }
    .into_any()
}

/// `0.70 … 0.98`, if it spans several y-streams.
fn over_streams(chain: &ChainHeading) -> Option<String> {
    let stream = |text: &str| text.splitn(3, '.').take(2).collect::<Vec<_>>().join(".");
    let (first, last) = (stream(&chain.ends.0), stream(&chain.ends.1));
    (first != last).then(|| format!("{first} … {last}"))
}

fn on_key(shared: GraphContext, chain: &ChainHeading, event: &web_sys::KeyboardEvent) {
    heading_keys::on_key(event, "data-chain", |key| match key {
        HeadingKey::Toggle => toggle(shared, chain),
        HeadingKey::Down => {
            if let Some(at) = shared.lanes.with_untracked(|lanes| node_of(lanes, chain)) {
                go_to(shared, at);
            }
        }
        HeadingKey::Menu { x, y } => shared.on.run(GraphEvent::ChainMenu {
            names: chain.names.clone(),
            x,
            y,
        }),
    });
}

#[cfg(test)]
mod tests {
    use super::{heading_text, over_streams};
    use protocol::lanes::ChainHeading;

    #[test]
    fn a_chain_heading_has_its_count_and_range() {
        let chain = ChainHeading {
            names: ["a", "b"].map(String::from).to_vec(),
            ends: ("0.70.0".into(), "0.98.1".into()),
            x: 0.0,
            width: 80.0,
            folded: true,
        };
        assert_eq!(heading_text(&chain), "2 versions, 0.70.0 to 0.98.1");
        assert_eq!(over_streams(&chain).as_deref(), Some("0.70 … 0.98"));
        let within = ChainHeading {
            ends: ("1.2.0".into(), "1.2.9".into()),
            ..chain.clone()
        };
        assert_eq!(over_streams(&within), None);
    }
}

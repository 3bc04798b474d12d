//! *Channels* in the toolbar: the visible lanes and their order, in a small non-modal dialog.
//! Escape closes it and restores the focus.

use super::{GraphContext, GraphEvent, pinned_lanes};
use crate::reactive::memo;
use crate::state::lane_arrangement::{LaneArrangement, LaneCommand};
use crate::widgets::announce;
use crate::widgets::dom;
use leptos::html;
use leptos::prelude::*;

#[component]
pub(super) fn Channels(shared: GraphContext) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let opener = NodeRef::<html::Button>::new();
    let hidden = memo(move |_| shared.arranged.with(|of| of.hidden.len()));
    let name = move || match hidden.get() {
        0 => "Channels".to_owned(),
        count => format!("Channels, {count} hidden"),
    };
    let close = move || {
        is_open.set(false);
        if let Some(button) = opener.get_untracked() {
            dom::focus(&button);
        }
    };
    view! {
        <div
            class="tool-place"
            on:keydown=move |e| {
                if e.key() == "Escape" && is_open.get_untracked() {
                    e.prevent_default();
                    e.stop_propagation();
                    close();
                }
            }
        >
            <button
                type="button"
                class="tool"
                node_ref=opener
                title="Order, pin, hide and collapse lanes"
                aria-label=name
                aria-haspopup="dialog"
                aria-expanded=move || is_open.get().to_string()
                on:click=move |_| is_open.update(|open| *open = !*open)
            >
                "Channels"
                <span class="tool-state" aria-hidden="true">
                    {move || (hidden.get() > 0).then(|| format!(" −{}", hidden.get()))}
                </span>
            </button>
            {move || is_open.get().then(|| sheet(shared))}
        </div>
    }
    .into_any()
}

fn sheet(shared: GraphContext) -> AnyView {
    let only = move |event: web_sys::Event| {
        let of = shared
            .arranged
            .get_untracked()
            .naming(&event_target_value(&event));
        shared.on.run(GraphEvent::LaneCommand(of));
    };
    let as_at_first = move |_| {
        shared
            .on
            .run(GraphEvent::LaneCommand(LaneArrangement::default()))
    };
    // Keyed by name, since moved rows would lose the focus.
    let channels = memo(move |_| {
        let mut channels = shared.arranged.with(|of| of.channels.clone());
        channels.sort_unstable();
        channels.dedup();
        channels
    });
    let without_room = memo(move |_| {
        let pinned = shared.lanes.with(|lanes| {
            shared
                .arranged
                .with(|of| pinned_lanes::pinned_count(lanes, of))
        });
        pinned.saturating_sub(shared.pinned.get().lanes)
    });
    let note = move || match without_room.get() {
        0 => None,
        1 => Some("One pinned lane does not fit and scrolls with the others.".to_owned()),
        count => Some(format!(
            "{count} pinned lanes do not fit and scroll with the others."
        )),
    };
    announce::follow(move || note().unwrap_or_default());
    view! {
        <div class="tool-sheet" role="dialog" aria-label="Channels in view">
            <label class="tool-field">"Only those with" <input type="search" on:input=only/></label>
            <ul class="tool-list" aria-label="Lanes">
                <For each=move || channels.get() key=String::clone let:channel>{row(shared, channel)}</For>
            </ul>
            <p class="dim">{note}</p>
            <button type="button" class="tool" on:click=as_at_first>"Reset"</button>
        </div>
    }
    .into_any()
}

fn row(shared: GraphContext, channel: String) -> AnyView {
    let name = StoredValue::new(channel.clone());
    let is_hidden = move || {
        shared
            .arranged
            .with(|of| name.with_value(|name| of.is_hidden(name)))
    };
    let is_collapsed = move || {
        shared
            .arranged
            .with(|of| name.with_value(|name| of.is_collapsed(name)))
    };
    let is_pinned = move || {
        shared
            .arranged
            .with(|of| name.with_value(|name| of.is_pinned(name)))
    };
    let place = move || {
        shared
            .arranged
            .with(|of| name.with_value(|name| of.place(name)))
    };
    let button = move |what: LaneCommand, sign: &'static str, does: &'static str| {
        let label = name.with_value(|name| format!("{does} {name}"));
        view! {
            <button type="button" class="tool tool-small" title=does aria-label=label
                on:click=move |_| name.with_value(|name| arrange(shared, what, name))>
                {sign}
            </button>
        }
        .into_any()
    };
    view! {
        <li class="tool-row">
            <label class="tool-row-name">
                <input type="checkbox" prop:checked=move || !is_hidden()
                    on:change=move |_| name.with_value(|name| arrange(shared, LaneCommand::ToggleHidden, name))/>
                {channel.clone()}
            </label>
            <span class="dim">{place}</span>
            {button(LaneCommand::ToTop, "⤒", "To the top:")}
            {button(LaneCommand::Up, "↑", "Up:")}
            {button(LaneCommand::Down, "↓", "Down:")}
            <button type="button" class="tool tool-small" title="Keep the lane in view" aria-label=format!("Pin {channel}")
                aria-pressed=move || is_pinned().to_string()
                on:click=move |_| name.with_value(|name| arrange(shared, LaneCommand::TogglePinned, name))>
                "⊤"
            </button>
            <button type="button" class="tool tool-small" title="Collapse the lane" aria-label=format!("Collapse {channel}")
                aria-pressed=move || is_collapsed().to_string()
                on:click=move |_| name.with_value(|name| arrange(shared, LaneCommand::ToggleCollapsed, name))>
                "–"
            </button>
        </li>
    }
    .into_any()
}

pub(super) fn arrange(shared: GraphContext, what: LaneCommand, channel: &str) {
    shared.on.run(GraphEvent::LaneCommand(
        shared.arranged.get_untracked().after(what, channel),
    ));
}

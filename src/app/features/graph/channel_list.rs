//! *Channels* in the toolbar: shows, hides and orders lanes. A row is dragged by its handle, or
//! moved by Up and Down on it.

use super::GraphContext;
use super::toolbar::SheetButton;
use crate::prelude::*;
use crate::state::layout::{LaneArrangement, LaneCommand};
use leptos::ev;
use web_sys::Element;

/// Pixels at the ends of the list where a drag scrolls it, and how far.
const SCROLL_ZONE: f64 = 16.0;
const SCROLL_STEP: i32 = 12;

#[component]
pub(super) fn Channels(shared: GraphContext) -> impl IntoView {
    let hidden = memo(move |_| shared.arranged.with(|arranged| arranged.hidden.len()));
    let name = derived(move || match hidden.get() {
        0 => "Channels".to_owned(),
        count => format!("Channels, {count} hidden"),
    });
    let state = derived(move || match hidden.get() {
        0 => String::new(),
        count => format!(" −{count}"),
    });
    let content = move |()| view! { <ChannelList shared/> }.into_any();
    view! {
        <SheetButton
            text="Channels"
            name
            state
            tip="Show, hide and order lanes"
            dialog="Channels in view"
            content=Callback::new(content)
        />
    }
    .into_any()
}

#[derive(Clone, Copy)]
struct ListState {
    shared: GraphContext,
    list: NodeRef<html::Ul>,
    /// The order of a drag, or of a move until the lanes follow.
    moved: RwSignal<Option<Vec<String>>>,
    /// The channel of a drag in progress.
    dragged: RwSignal<Option<String>>,
    channels: Memo<Vec<String>>,
}

impl ListState {
    fn new(shared: GraphContext) -> Self {
        let moved = RwSignal::new(None::<Vec<String>>);
        let dragged = RwSignal::new(None::<String>);
        effect(move |_| {
            shared.arranged.track();
            if dragged.with_untracked(Option::is_none) {
                moved.set(None);
            }
        });
        Self {
            shared,
            list: NodeRef::new(),
            moved,
            dragged,
            channels: memo(move |_| {
                let own = moved.get();
                own.unwrap_or_else(|| shared.arranged.with(LaneArrangement::names))
            }),
        }
    }

    fn move_to(self, channel: &str, index: usize) {
        let mut channels = self.channels.get_untracked();
        if let Some(from) = channels.iter().position(|name| name == channel) {
            let name = channels.remove(from);
            channels.insert(index.min(channels.len()), name);
            self.moved.set(Some(channels));
        }
    }

    /// Arranges the lanes as the list shows them.
    fn commit(self) {
        let arranged = self.shared.arranged.get_untracked();
        let channels = self.channels.get_untracked();
        if channels != arranged.names() {
            let arranged = LaneArrangement {
                channels,
                ..arranged
            };
            self.shared.app.current.arrange_lanes(arranged);
        }
    }

    fn on_key(self, event: &ev::KeyboardEvent, channel: &str) {
        let channels = self.channels.get_untracked();
        let Some(at) = channels.iter().position(|name| name == channel) else {
            return;
        };
        let index = match event.key().as_str() {
            "ArrowUp" => at.saturating_sub(1),
            "ArrowDown" => at + 1,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        self.move_to(channel, index);
        self.commit();
        // A moved element loses the focus.
        if let Some(handle) = dom::element(event.current_target()) {
            dom::focus_id_later(handle.id());
        }
    }

    fn on_pointer_down(self, event: &ev::PointerEvent) {
        let handle = dom::closest(event.target(), ".lane-handle");
        let row = handle.and_then(|handle| handle.closest("[data-channel]").ok().flatten());
        if let (Some(row), Some(list)) = (row, self.list.get_untracked()) {
            self.dragged.set(row.get_attribute("data-channel"));
            // The list keeps the pointer, because a moved row would lose it.
            let _ = list.set_pointer_capture(event.pointer_id());
        }
    }

    fn on_pointer_move(self, event: &ev::PointerEvent) {
        let (Some(channel), Some(list)) = (self.dragged.get_untracked(), self.list.get_untracked())
        else {
            return;
        };
        let y = f64::from(event.client_y());
        let bounds = list.get_bounding_client_rect();
        if y < bounds.top() + SCROLL_ZONE {
            list.set_scroll_top(list.scroll_top() - SCROLL_STEP);
        } else if y > bounds.bottom() - SCROLL_ZONE {
            list.set_scroll_top(list.scroll_top() + SCROLL_STEP);
        }
        let index = index_at(&list, &channel, y);
        if self
            .channels
            .with_untracked(|channels| channels.get(index) != Some(&channel))
        {
            self.move_to(&channel, index);
        }
    }

    fn end_drag(self) {
        if self.dragged.get_untracked().is_some() {
            self.dragged.set(None);
            self.commit();
        }
    }
}

/// Returns the index in the list at which a row dragged to `y` belongs.
fn index_at(list: &Element, dragged: &str, y: f64) -> usize {
    let rows = list.children();
    let rows = (0..rows.length()).filter_map(|index| rows.item(index));
    rows.filter(|row| row.get_attribute("data-channel").as_deref() != Some(dragged))
        .map(|row| row.get_bounding_client_rect())
        .filter(|row| row.top() + row.height() / 2.0 < y)
        .count()
}

#[component]
fn ChannelList(shared: GraphContext) -> impl IntoView {
    let state = ListState::new(shared);
    let filter = move |event: web_sys::Event| {
        let command = shared
            .arranged
            .get_untracked()
            .filter_by_name(&event_target_value(&event));
        shared.app.current.arrange_lanes(command);
    };
    let reset = move |_| shared.app.current.arrange_lanes(LaneArrangement::default());
    view! {
        <label class="tool-field">"Only those with" <input type="search" on:input=filter/></label>
        <ul
            class="tool-list"
            aria-label="Lanes"
            node_ref=state.list
            on:pointerdown=move |event| state.on_pointer_down(&event)
            on:pointermove=move |event| state.on_pointer_move(&event)
            on:pointerup=move |_| state.end_drag()
            on:pointercancel=move |_| state.end_drag()
        >
            <For each=move || state.channels.get() key=String::clone let:channel>{channel_row(state, channel)}</For>
        </ul>
        <button type="button" class="tool" on:click=reset>"Reset"</button>
    }
    .into_any()
}

/// Renders a channel with a box that shows or hides its lane, and the handle that moves it.
fn channel_row(state: ListState, channel: String) -> AnyView {
    let shared = state.shared;
    let [name, hidden_name, toggled, row_name] = std::array::from_fn(|_| channel.clone());
    let is_hidden = memo(move |_| {
        shared
            .arranged
            .with(|arranged| arranged.is_hidden(&hidden_name))
    });
    let is_dragged = {
        let channel = channel.clone();
        move || {
            state
                .dragged
                .with(|dragged| dragged.as_ref() == Some(&channel))
        }
    };
    let label = {
        let channel = channel.clone();
        move || {
            let channels = state.channels.get();
            let at = channels.iter().position(|name| *name == channel);
            let position = at.map_or(0, |at| at + 1);
            format!("Move {channel}, {position} of {}", channels.len())
        }
    };
    view! {
        <li class="tool-row" class:tool-row-dragged=is_dragged data-channel=row_name>
            <label class="tool-row-name">
                <input type="checkbox" prop:checked=move || !is_hidden.get()
                    on:change=move |_| arrange(shared, LaneCommand::ToggleHidden, &toggled)/>
                {channel}
            </label>
            <button
                type="button"
                class="lane-handle"
                id=dom::fresh_id("lane-handle")
                aria-label=label
                aria-keyshortcuts="ArrowUp ArrowDown"
                title="Drag, or press ↑ or ↓"
                on:keydown=move |event| state.on_key(&event, &name)
            >
                <Glyph icon=Icon::Grip/>
            </button>
        </li>
    }
    .into_any()
}

pub(super) fn arrange(shared: GraphContext, command: LaneCommand, channel: &str) {
    let arranged = shared.arranged.get_untracked();
    shared
        .app
        .current
        .arrange_lanes(arranged.apply(command, channel));
}

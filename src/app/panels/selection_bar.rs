//! The multiple selection: number, announcement, and commands for all of them.

use crate::context::{AppContext, MenuSubject};
use crate::edits::command::EditCommand;
use crate::reactive::memo;
use crate::widgets::button::Button;
use crate::widgets::dom;
use crate::words;
use leptos::prelude::*;
use protocol::views::EntryRef;
use std::collections::BTreeSet;

/// Commands in the bar itself; the menu has all.
const FIRST: [EditCommand; 4] = [
    EditCommand::Promote,
    EditCommand::AddSkip,
    EditCommand::Deprecate,
    EditCommand::RemoveEntry,
];

#[component]
pub fn SelectionBar(app: AppContext) -> impl IntoView {
    let any = memo(move |_| app.selected_entries.now().with(|picked| !picked.is_empty()));
    let text = memo(move |_| {
        app.selected_entries
            .now()
            .with(|picked| selection_text(picked.entries()))
    });
    view! {
        <p class="visually-hidden" role="status" aria-label="Selected">{move || text.get()}</p>
        <Show when=move || any.get()>
            <div class="picked" role="toolbar" aria-label="Actions on the selection">
                <p class="picked-count" aria-hidden="true">{move || text.get()}</p>
                {FIRST
                    .into_iter()
                    .map(|command| view! { <Button label=command.label() on_press=move |()| app.open_form(command)/> })
                    .collect_view()}
                <Button label="All commands…" on_press=move |()| open_menu(app)/>
                <Button label="Clear selection" on_press=move |()| app.selected_entries.clear()/>
            </div>
        </Show>
    }
    .into_any()
}

/// Opens the menu of the selection below the pressed button.
fn open_menu(app: AppContext) {
    let rect = dom::focused_element().map(|element| element.get_bounding_client_rect());
    let at = rect.map_or((0, 0), |rect| (rect.left() as i32, rect.bottom() as i32));
    app.overlays.open_menu(MenuSubject::SelectedEntries, at);
}

/// `3 entries selected: 2 bundles in 2 channels`; "" for none.
fn selection_text(entries: &[EntryRef]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let bundles: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let channels: BTreeSet<&str> = entries.iter().map(|entry| entry.channel.as_str()).collect();
    let entries = match entries.len() {
        1 => "1 entry".to_owned(),
        count => format!("{count} entries"),
    };
    let (bundles, channels) = (
        words::count(bundles.len() as u32, "bundle"),
        words::count(channels.len() as u32, "channel"),
    );
    format!("{entries} selected: {bundles} in {channels}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selection_is_counted() {
        let entry = |channel: &str, name: &str| EntryRef {
            channel: channel.into(),
            name: name.into(),
        };
        assert_eq!(selection_text(&[]), "");
        assert_eq!(
            selection_text(&[entry("a", "x")]),
            "1 entry selected: 1 bundle in 1 channel"
        );
        assert_eq!(
            selection_text(&[entry("a", "x"), entry("b", "x")]),
            "2 entries selected: 1 bundle in 2 channels"
        );
    }
}

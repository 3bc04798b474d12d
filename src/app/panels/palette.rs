//! The command palette: commands with their keys, and found packages, channels and bundles.

use super::commands::{Command, found};
use crate::app::desk::desk;
use crate::app::widgets::palette::{Palette, PaletteItem};
use crate::protocol::views::Hit;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

const HITS: u32 = 30;

/// One line of the palette.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    Command(Command),
    Hit(Hit),
}

#[component]
pub fn CommandPalette() -> impl IntoView {
    let desk = desk();
    let text = RwSignal::new(String::new());
    let hits = RwSignal::new(Vec::<Hit>::new());
    let ticket = StoredValue::new(0u32);
    Effect::new(move |_| {
        let asked = text.get();
        ticket.update_value(|ticket| *ticket += 1);
        let mine = ticket.get_value();
        if asked.trim().len() < 2 || !desk.is_open.get_untracked() {
            hits.set(Vec::new());
            return;
        }
        spawn_local(async move {
            let found = desk.session.find(asked, HITS).await;
            if ticket.try_get_value() == Some(mine) {
                hits.try_set(found);
            }
        });
    });
    let lines = Memo::new(move |_| {
        let mut lines: Vec<Line> = found(&text.get(), desk.is_open.get()).into_iter().map(Line::Command).collect();
        lines.extend(hits.get().into_iter().map(Line::Hit));
        lines
    });
    let items = Signal::derive(move || lines.with(|lines| lines.iter().map(item).collect::<Vec<_>>()));
    let choose = move |index: usize| {
        let Some(line) = lines.with_untracked(|lines| lines.get(index).cloned()) else { return };
        desk.close_overlay();
        match line {
            Line::Command(command) => command.run(desk),
            Line::Hit(hit) => desk.show_hit(hit),
        }
    };
    view! {
        <Palette
            title="Command palette"
            placeholder="Type a command, or the name of a package, channel or bundle"
            text=text
            items=items
            on_choose=choose
            on_close=move |()| desk.close_overlay()
        />
    }
    .into_any()
}

fn item(line: &Line) -> PaletteItem {
    match line {
        Line::Command(command) => {
            PaletteItem { label: command.label().to_owned(), detail: String::new(), keys: command.keys().to_owned() }
        }
        Line::Hit(hit) => PaletteItem { label: hit.label.clone(), detail: hit.detail.clone(), keys: String::new() },
    }
}

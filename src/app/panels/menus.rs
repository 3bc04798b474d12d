//! The context menu of a package, channel, entry or bundle: the operations that make sense for it.

use super::forms::command::EditCommand;
use super::forms::values::FormValues;
use super::inspector::subject;
use crate::app::desk::{Menu, desk};
use crate::app::widgets::menu::{ContextMenu, MenuItem};
use crate::protocol::request::Target;
use leptos::prelude::*;

#[component]
pub fn Menus() -> impl IntoView {
    let desk = desk();
    move || {
        desk.menu.get().map(|Menu { target, at }| {
            let commands = EditCommand::of(subject(&target));
            let mut items: Vec<MenuItem> = commands
                .iter()
                .map(|command| MenuItem { label: command.label().to_owned(), keys: command.key() })
                .collect();
            items.push(MenuItem { label: "Show in source".to_owned(), keys: "" });
            let title = match &target {
                Target::Package | Target::Problem { .. } => desk.package.get_untracked(),
                Target::Channel { channel } => channel.clone(),
                Target::Entry { channel, name } => format!("{name} in {channel}"),
                Target::Bundle { name } => name.clone(),
            };
            let choose = move |index: usize| {
                desk.menu.set(None);
                match commands.get(index) {
                    Some(command) => desk.open_form_with(*command, target.clone(), FormValues::default()),
                    None => desk.show_source_of_selected(),
                }
            };
            view! { <ContextMenu title items at on_choose=choose on_close=move |()| desk.menu.set(None)/> }
        })
    }
}

//! Banners: files that changed on disk, steps that were set aside, a worker that cannot be had.

use crate::app::browser::tree::Tree;
use crate::app::desk::{Desk, Trouble, desk};
use crate::app::panels::words;
use crate::app::widgets::button::{Button, IconButton, Look};
use crate::app::widgets::icon::{Glyph, Icon};
use leptos::html;
use leptos::prelude::*;

#[component]
pub fn Banners() -> impl IntoView {
    let desk = desk();
    view! {
        <div class="banners">
            <Show when=move || desk.changed_on_disk.with(|paths| !paths.is_empty())>
                <ChangedOnDisk desk/>
            </Show>
            {move || {
                desk.troubles
                    .get()
                    .into_iter()
                    .enumerate()
                    .map(|(index, trouble)| view! { <TroubleBanner desk index trouble/> })
                    .collect_view()
            }}
        </div>
    }
}

#[component]
fn ChangedOnDisk(desk: Desk) -> impl IntoView {
    let again = NodeRef::<html::Input>::new();
    let edits = move || desk.status.with(|status| status.applied_steps as u32);
    let paths = move || {
        desk.changed_on_disk.with(|paths| match paths.as_slice() {
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
            [] => String::new(),
        })
    };
    view! {
        <div class="banner" data-tone="advice" role="alert">
            <Glyph icon=Icon::Warning/>
            <p class="banner-text">
                <strong>{move || format!("Files changed on disk: reload, keeping {}", words::count(edits(), "edit"))}</strong>
                <span class="dim">{paths}</span>
            </p>
            {if desk.can_reload() {
                view! { <Button label="Reload" look=Look::Primary on_press=move |()| desk.reload()/> }.into_any()
            } else {
                view! {
                    <input
                        node_ref=again
                        class="visually-hidden"
                        type="file"
                        tabindex="-1"
                        aria-label="The folder again"
                        prop:webkitdirectory=true
                        on:change=move |_| {
                            if let Some(input) = again.get_untracked() {
                                desk.reload_from(Tree::from_input(&input));
                            }
                        }
                    />
                    <Button
                        label="Pick the folder again…"
                        look=Look::Primary
                        on_press=move |()| {
                            if let Some(input) = again.get_untracked() {
                                input.click();
                            }
                        }
                    />
                }
                    .into_any()
            }}
            <IconButton label="Dismiss" icon=Icon::Close quiet=true on_press=move |()| desk.changed_on_disk.set(Vec::new())/>
        </div>
    }
}

#[component]
fn TroubleBanner(desk: Desk, index: usize, trouble: Trouble) -> impl IntoView {
    let Trouble { text, steps, fatal } = trouble;
    let has_steps = !steps.is_empty();
    view! {
        <div class="banner" data-tone="error" role="alert">
            <Glyph icon=Icon::Error/>
            <p class="banner-text"><strong>{text}</strong></p>
            {has_steps
                .then(|| view! { <Button label="Copy operations" on_press=move |()| desk.copy_operations(steps.clone())/> })}
            {(!fatal)
                .then(|| {
                    view! {
                        <IconButton
                            label="Dismiss"
                            icon=Icon::Close
                            quiet=true
                            on_press=move |()| {
                                desk.troubles
                                    .update(|troubles| {
                                        if index < troubles.len() {
                                            troubles.remove(index);
                                        }
                                    });
                            }
                        />
                    }
                })}
        </div>
    }
}

//! Buttons and their keyboard shortcuts. All are native, so that Enter, Space and assistive
//! technology work.
//!
//! [`Segmented`] is a choice of a few options, side by side (APG *Radio group*).
//!
//! | key | does |
//! |---|---|
//! | Left, Right | chooses the previous and the next option, wrapping around |
//! | Space, Enter | chooses the focused option |
//!
//! [`Disclosure`] is content that opens below its button (APG *Disclosure*) and is scrolled into
//! view. Unlike `<details>` it has no group role, because groups have a meaning in our lists.
//!
//! | key | does |
//! |---|---|
//! | Enter, Space | opens and closes it |

use super::cursors::{Axis, next_item};
use super::dom;
use super::icon::{Glyph, Icon};
use leptos::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Look {
    #[default]
    Plain,
    /// The main action.
    Primary,
    /// Without a frame.
    Quiet,
}

impl Look {
    fn name(self) -> &'static str {
        match self {
            Look::Plain => "plain",
            Look::Primary => "primary",
            Look::Quiet => "quiet",
        }
    }
}

#[component]
pub fn Button(
    #[prop(into)] label: Signal<String>,
    #[prop(into)] on_press: Callback<()>,
    #[prop(optional)] look: Look,
    #[prop(optional, into)] disabled: Signal<bool>,
    #[prop(optional)] icon: Option<Icon>,
    /// A tooltip for a button whose name does not explain it. Also shown on keyboard focus.
    #[prop(optional)]
    tip: &'static str,
) -> impl IntoView {
    let tip = (!tip.is_empty()).then_some(tip);
    view! {
        <button
            type="button"
            class="button"
            data-look=look.name()
            title=tip
            data-description=tip.map(|_| "")
            prop:disabled=move || disabled.get()
            on:click=move |_| on_press.run(())
        >
            {icon.map(|icon| view! { <Glyph icon=icon/> })}
            {move || label.get()}
        </button>
    }
}

/// A button with an icon; its name is also its tooltip, together with its keys.
#[component]
pub fn IconButton(
    #[prop(into)] label: Signal<String>,
    #[prop(into)] icon: Signal<Icon>,
    #[prop(into)] on_press: Callback<()>,
    #[prop(optional, into)] disabled: Signal<bool>,
    #[prop(optional)] quiet: bool,
    #[prop(optional)] keys: &'static str,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class="button"
            data-look=if quiet { "quiet" } else { "icon" }
            aria-label=move || label.get()
            aria-keyshortcuts=spoken_keys(keys)
            title=move || with_keys(&label.get(), keys)
            prop:disabled=move || disabled.get()
            on:click=move |_| on_press.run(())
        >
            <Glyph icon=icon/>
        </button>
    }
}

/// A choice. `options` are pairs of key and visible name.
#[component]
pub fn Segmented(
    /// Accessible name of the group.
    label: &'static str,
    /// The subject of the choice, as a tooltip and a description.
    #[prop(optional)]
    hint: &'static str,
    options: &'static [(&'static str, &'static str)],
    #[prop(into)] selected: Signal<&'static str>,
    #[prop(into)] on_select: Callback<&'static str>,
) -> impl IntoView {
    let prefix = dom::fresh_id("segment");
    let on_key = {
        let prefix = prefix.clone();
        move |event: web_sys::KeyboardEvent| {
            let current = options
                .iter()
                .position(|(key, _)| *key == selected.get_untracked());
            if let Some((key, _)) =
                next_item(&event.key(), current, options.len(), Axis::Horizontal)
                    .and_then(|index| options.get(index))
            {
                event.prevent_default();
                on_select.run(key);
                dom::focus_id_later(format!("{prefix}-{key}"));
            }
        }
    };
    view! {
        <div class="segments-group" role="group" aria-label=label>
        <div
            class="segments"
            role="radiogroup"
            aria-label=label
            aria-description=(!hint.is_empty()).then_some(hint)
            title=(!hint.is_empty()).then_some(hint)
            on:keydown=on_key
        >
            {options
                .iter()
                .map(|(key, name)| {
                    let is_selected = move || selected.get() == *key;
                    view! {
                        <button
                            type="button"
                            role="radio"
                            class="segment"
                            id=format!("{prefix}-{key}")
                            aria-checked=move || is_selected().to_string()
                            tabindex=move || if is_selected() { "0" } else { "-1" }
                            on:click=move |_| on_select.run(key)
                        >
                            {*name}
                        </button>
                    }
                })
                .collect_view()}
        </div>
        </div>
    }
    .into_any()
}

/// Content that is built when it is first opened.
#[component]
pub fn Disclosure(
    class: &'static str,
    /// Content of the button.
    label: AnyView,
    /// Whether it is open initially.
    #[prop(optional)]
    open: bool,
    children: Children,
) -> impl IntoView {
    let is_open = RwSignal::new(open);
    let was_opened = RwSignal::new(open);
    let mut children = Some(children);
    let id = dom::fresh_id("disclosure");
    let (body_id, wrapper_id) = (id.clone(), format!("{id}-whole"));
    let revealed_id = wrapper_id.clone();
    let press = move |_| {
        is_open.update(|open| *open = !*open);
        if is_open.get_untracked() {
            if !was_opened.get_untracked() {
                was_opened.set(true);
            }
            let revealed_id = revealed_id.clone();
            // Runs once the content has its height.
            request_animation_frame(move || dom::reveal(&revealed_id));
        }
    };
    view! {
        <div class=class id=wrapper_id data-open=move || is_open.get().to_string()>
            <button
                type="button"
                class="disclosure"
                aria-expanded=move || is_open.get().to_string()
                aria-controls=id
                on:click=press
            >
                {move || {
                    let icon = if is_open.get() { Icon::ChevronUp } else { Icon::ChevronDown };
                    view! { <Glyph icon/> }
                }}
                <span>{label}</span>
            </button>
            <div class="disclosure-body" id=body_id hidden=move || !is_open.get()>
                {move || was_opened.get().then(|| children.take().map(|build| build()))}
            </div>
        </div>
    }
    .into_any()
}

/// A `<details>` element. Its content is built when it is first opened.
#[component]
pub fn LazyDetails(
    class: &'static str,
    summary_class: &'static str,
    summary: AnyView,
    #[prop(optional, into)] hidden: Signal<bool>,
    children: Children,
) -> impl IntoView {
    let was_opened = RwSignal::new(false);
    let mut children = Some(children);
    let on_toggle = move |_| {
        if !was_opened.get_untracked() {
            was_opened.set(true);
        }
    };
    view! {
        <details class=class hidden=hidden on:toggle=on_toggle>
            <summary class=summary_class>{summary}</summary>
            {move || was_opened.get().then(|| children.take().map(|build| build()))}
        </details>
    }
    .into_any()
}

/// Prevents an action from being started twice. Lives as long as its owner.
#[derive(Clone, Copy, Default)]
pub struct Press(StoredValue<bool>);

impl Press {
    /// Accepts a press. Returns `false` while another one is running, and if the owner is gone.
    pub fn begin(self) -> bool {
        let was_running = self
            .0
            .try_update_value(|is_running| std::mem::replace(is_running, true));
        was_running == Some(false)
    }

    /// Accepts presses again.
    pub fn end(self) {
        self.0.try_set_value(false);
    }

    pub fn is_under_way(self) -> bool {
        self.0.try_get_value() == Some(true)
    }

    /// Whether the owner is gone.
    pub fn is_gone(self) -> bool {
        self.0.is_disposed()
    }
}

/// Formats a label with its keys, e.g. `Undo (Ctrl+Z)`.
pub fn with_keys(label: &str, keys: &str) -> String {
    if keys.is_empty() {
        label.to_owned()
    } else {
        format!("{label} ({keys})")
    }
}

/// Formats keys for `aria-keyshortcuts`, e.g. `Control+Z`. `None` without keys.
pub fn spoken_keys(keys: &str) -> Option<String> {
    (!keys.is_empty()).then(|| {
        keys.replace("Ctrl+", "Control+")
            .replace('←', "ArrowLeft")
            .replace('→', "ArrowRight")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_keys_for_display_and_for_screen_readers() {
        assert_eq!(with_keys("Undo", "Ctrl+Z"), "Undo (Ctrl+Z)");
        assert_eq!(with_keys("Review", ""), "Review");
        assert_eq!(
            spoken_keys("Ctrl+Shift+Z").as_deref(),
            Some("Control+Shift+Z")
        );
        assert_eq!(spoken_keys("?").as_deref(), Some("?"));
        assert_eq!(spoken_keys(""), None);
    }
}

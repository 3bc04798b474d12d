//! A text field with suggestions (APG *Combobox*, editable, list autocomplete, manual selection).
//! The typed text counts; a suggestion only saves typing.
//!
//! | key | does |
//! |---|---|
//! | Down, Up | opens the list at the field's value; next and previous suggestion |
//! | Enter | accepts the marked suggestion; in an unchanged field the form gets the key |
//! | Escape | closes the list; if it is closed or unused, the dialog gets the key |
//! | letters | filter the list |

use super::cursors::{Axis, next_item};
use super::dom;
use crate::reactive::{effect, memo};
use crate::widgets::dom::field_text;
use crate::widgets::short_text::{cut_text, is_long_name};
use leptos::html;
use leptos::prelude::*;

/// Maximum number of suggestions drawn; typing finds the others.
const MAX_DRAWN: usize = 200;
/// Pixels between the field and its list.
const LIST_GAP: f64 = 4.0;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// The text that the suggestion puts into the field.
    pub value: String,
    /// Dimmed text beside it: `head of stable`.
    pub detail: String,
}

impl Choice {
    pub fn new(value: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            detail: detail.into(),
        }
    }
}

/// Returns the suggestions for the typed text, case-insensitively: first those that begin with it,
/// then those that contain it or whose detail has a number that begins with it, since versions and
/// dates distinguish suggestions and words do not. A text that equals a suggestion filters nothing.
pub fn filter_choices(choices: &[Choice], text: &str) -> Vec<Choice> {
    let typed = text.trim().to_lowercase();
    let current = choices.iter().position(|choice| choice.value == text);
    if typed.is_empty() || current.is_some() {
        return choices_around(choices, current.unwrap_or_default());
    }
    let (mut first, mut later) = (Vec::new(), Vec::new());
    for choice in choices {
        let value = choice.value.to_lowercase();
        if value.starts_with(&typed) {
            first.push(choice.clone());
        } else if value.contains(&typed) || has_number(&choice.detail, &typed) {
            later.push(choice.clone());
        }
    }
    first.append(&mut later);
    first.truncate(MAX_DRAWN);
    first
}

/// Returns the part of a long list around an index.
fn choices_around(choices: &[Choice], index: usize) -> Vec<Choice> {
    let start = if index < MAX_DRAWN {
        0
    } else {
        (index - MAX_DRAWN / 2).min(choices.len().saturating_sub(MAX_DRAWN))
    };
    choices
        .iter()
        .skip(start)
        .take(MAX_DRAWN)
        .cloned()
        .collect()
}

/// Whether a number in the text begins with `start`.
fn has_number(text: &str, start: &str) -> bool {
    let continues_word = |before: &str| {
        before
            .chars()
            .next_back()
            .is_some_and(|letter| letter.is_alphanumeric() || letter == '.')
    };
    start.starts_with(|letter: char| letter.is_ascii_digit())
        && text
            .match_indices(start)
            .any(|(position, _)| !continues_word(&text[..position]))
}

/// Returns the suggestion that equals the field's value; otherwise the only remaining one if it
/// begins with the typed text and the field `completes`.
fn initial_choice(choices: &[Choice], text: &str, completes: bool) -> Option<usize> {
    let typed = text.trim();
    if let Some(index) = choices.iter().position(|choice| choice.value == typed) {
        return Some(index);
    }
    let [only] = choices else { return None };
    (completes && !typed.is_empty() && only.value.starts_with(typed)).then_some(0)
}

/// Whether a text is a suggestion and no other suggestion begins with it.
fn is_complete(choices: &[Choice], text: &str) -> bool {
    let begins_with_text = |choice: &&Choice| choice.value.starts_with(text);
    choices.iter().any(|choice| choice.value == text)
        && choices.iter().filter(begins_with_text).count() == 1
}

/// A field with suggestions. `value` is its text. `on_change` is called on every change, `on_done`
/// when a suggestion is accepted or the field loses the focus.
#[component]
pub fn Combobox(
    #[prop(into)] id: String,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] choices: Signal<Vec<Choice>>,
    #[prop(into)] on_change: Callback<String>,
    #[prop(into)] on_done: Option<Callback<()>>,
    #[prop(optional)] placeholder: &'static str,
    /// The field accepts only suggestions: Enter completes the typed text if one suggestion is
    /// left.
    #[prop(optional)]
    completes: bool,
    /// Whether the list opens as soon as the field has the focus.
    #[prop(optional)]
    opens_on_focus: bool,
    #[prop(optional, into)] invalid: Signal<bool>,
    #[prop(optional)] described_by: Option<String>,
) -> impl IntoView {
    let node = NodeRef::<html::Input>::new();
    let list_id = dom::fresh_id("options");
    let is_open = RwSignal::new(false);
    // Typing opened the list and nothing has closed it since, even if no suggestion is left.
    let is_typing = StoredValue::new_local(false);
    // The value was typed or accepted since the field got the focus: Enter ends typing instead of
    // submitting the form.
    let is_changed = StoredValue::new_local(false);
    // The list was open before a press, which may also focus the field.
    let was_open = StoredValue::new_local(false);
    let cursor = RwSignal::new(None::<usize>);
    let suggestions = memo(move |_| {
        if is_open.get() {
            filter_choices(&choices.get(), &value.get())
        } else {
            Vec::new()
        }
    });
    // Without any suggestions the field behaves like a plain one.
    let has_choices = move || choices.with_untracked(|choices| !choices.is_empty());
    let expanded = move || is_open.get() && suggestions.with(|suggestions| !suggestions.is_empty());
    let list_box = RwSignal::new(ListBox::default());

    let align_list = move || {
        if let Some(input) = node.get_untracked() {
            let rect = input.get_bounding_client_rect();
            let below = ListBox {
                left: rect.left(),
                top: rect.bottom() + LIST_GAP,
                min_width: rect.width(),
            };
            if list_box.get_untracked() != below {
                list_box.set(below);
            }
        }
    };
    // Content above the field may grow while the user types: the list must follow.
    call_on_frames(is_open, align_list);
    let open = move || {
        align_list();
        is_open.set(true);
    };
    let close = move || {
        is_open.set(false);
        is_typing.set_value(false);
        cursor.set(None);
    };
    let report_done = move || {
        if let Some(done) = on_done {
            done.try_run(());
        }
    };
    let accept = move |choice: Choice| {
        is_changed.set_value(true);
        on_change.run(choice.value);
        close();
        report_done();
    };

    let option_id = {
        let list_id = list_id.clone();
        move |index: usize| format!("{list_id}-{index}")
    };
    effect({
        let option_id = option_id.clone();
        move |_| {
            if let Some(index) = cursor.get() {
                dom::reveal(&option_id(index));
            }
        }
    });

    // The list opened by itself, and the user has not moved in it.
    let is_unused = move || opens_on_focus && cursor.with_untracked(Option::is_none);
    let on_key = move |event: web_sys::KeyboardEvent| match event.key().as_str() {
        // An input method handles these keys.
        _ if event.is_composing() => {}
        key @ ("ArrowDown" | "ArrowUp") => {
            event.prevent_default();
            let was_open = is_open.get_untracked();
            if !was_open {
                open();
            }
            let initial = untrack(|| {
                suggestions
                    .with(|suggestions| value.with(|text| initial_choice(suggestions, text, false)))
            });
            let count = suggestions.with_untracked(Vec::len);
            let current = cursor.get_untracked();
            // A list opens at the field's value.
            cursor.set(match initial {
                Some(initial) if !was_open => Some(initial),
                _ => next_item(key, current.or(initial), count, Axis::Vertical),
            });
        }
        // With Ctrl, Enter applies the form from any field.
        "Enter" if event.ctrl_key() || event.meta_key() => close(),
        "Enter" => {
            if untrack(expanded) && !is_unused() || is_changed.get_value() {
                event.prevent_default();
            }
            let choice = untrack(|| {
                suggestions.with(|suggestions| {
                    let index = cursor.get().or_else(|| {
                        value.with(|text| initial_choice(suggestions, text, completes))
                    })?;
                    suggestions.get(index).cloned()
                })
            });
            match choice {
                Some(choice) => accept(choice),
                None => {
                    close();
                    report_done();
                }
            }
        }
        // The first Escape after typing ends the typing, even if no suggestion is left: the list
        // appears and disappears with each letter, and a form must not close with the typed text.
        // Otherwise only a visible list handles the key.
        "Escape" if is_typing.get_value() || untrack(expanded) && !is_unused() => {
            event.prevent_default();
            event.stop_propagation();
            close();
        }
        _ => {}
    };

    let active = {
        let option_id = option_id.clone();
        move || cursor.get().filter(|_| is_open.get()).map(&option_id)
    };
    view! {
        <div class="combobox">
            // Covers the input without focus, which would cut the end of a long text.
            {move || {
                let text = value.get();
                is_long_name(&text).then(|| view! { <span class="combobox-text" aria-hidden="true">{cut_text(&text)}</span> })
            }}
            <input
                node_ref=node
                id=id
                class="field-input"
                type="text"
                role="combobox"
                autocomplete="off"
                spellcheck="false"
                autocapitalize="off"
                placeholder=placeholder
                aria-autocomplete="list"
                aria-expanded=move || expanded().to_string()
                aria-controls={
                    let list_id = list_id.clone();
                    move || expanded().then(|| list_id.clone())
                }
                aria-activedescendant=active
                aria-invalid=move || invalid.get().then_some("true")
                aria-describedby=described_by
                use:field_text=value
                on:input=move |event| {
                    cursor.set(None);
                    is_changed.set_value(has_choices());
                    let typed = event_target_value(&event);
                    // A complete suggestion closes the list, unless others begin with it.
                    let is_complete = choices.with_untracked(|choices| is_complete(choices, &typed));
                    on_change.run(typed);
                    if is_complete {
                        close();
                    } else {
                        open();
                        is_typing.set_value(true);
                    }
                }
                on:mousedown=move |_| was_open.set_value(is_open.get_untracked())
                on:click=move |_| if was_open.get_value() { close() } else { open() }
                on:keydown=on_key
                // Select the value, so that typing replaces it as in an address bar.
                on:focus=move |_| {
                    if let Some(input) = node.get_untracked() {
                        input.select();
                    }
                    if opens_on_focus {
                        open();
                    }
                }
                on:blur=move |_| {
                    close();
                    is_changed.set_value(false);
                    report_done();
                }
            />
            <Show when=expanded>
                <ul
                    class="options"
                    role="listbox"
                    aria-label="Suggestions"
                    id=list_id.clone()
                    style:left=move || format!("{}px", list_box.get().left)
                    style:top=move || format!("{}px", list_box.get().top)
                    style:min-width=move || format!("{}px", list_box.get().min_width)
                >
                    {
                        let option_id = option_id.clone();
                        move || {
                            suggestions
                                .get()
                                .into_iter()
                                .enumerate()
                                .map(|(index, choice)| {
                                    let accepted = choice.clone();
                                    view! {
                                        <li
                                            role="option"
                                            class="option"
                                            id=option_id(index)
                                            aria-selected=move || (cursor.get() == Some(index)).to_string()
                                            // Keep the focus: losing it would close the list before
                                            // the click.
                                            on:mousedown=move |event| event.prevent_default()
                                            on:click=move |_| accept(accepted.clone())
                                        >
                                            <span class="mono">{choice.value}</span>
                                            <span class="option-detail">{choice.detail}</span>
                                        </li>
                                    }
                                })
                                .collect_view()
                        }
                    }
                </ul>
            </Show>
        </div>
    }
    .into_any()
}

/// Position and minimum width of the list, in pixels of the window.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct ListBox {
    left: f64,
    top: f64,
    min_width: f64,
}

/// Calls `align` on each frame while the list is open.
fn call_on_frames(is_open: RwSignal<bool>, align: impl Fn() + Copy + 'static) {
    effect(move |_| {
        if is_open.get() {
            call_on_next_frame(is_open, align);
        }
    });
}

fn call_on_next_frame(is_open: RwSignal<bool>, align: impl Fn() + Copy + 'static) {
    request_animation_frame(move || {
        if is_open.try_get_untracked() == Some(true) {
            align();
            call_on_next_frame(is_open, align);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(choices: &[Choice], text: &str) -> Vec<String> {
        filter_choices(choices, text)
            .into_iter()
            .map(|choice| choice.value)
            .collect()
    }

    #[test]
    fn prefix_matches_come_first() {
        let choices = [
            Choice::new("pre-stable", ""),
            Choice::new("stable", "default"),
            Choice::new("alpha", ""),
        ];
        assert_eq!(values(&choices, "Stab"), ["stable", "pre-stable"]);
        assert!(values(&choices, "default").is_empty(), "notes do not match");
        let bundles = [
            Choice::new("p.a", "1.12.0 · in stable"),
            Choice::new("p.b", "2.1.0 · in stable"),
        ];
        assert_eq!(values(&bundles, "1."), ["p.a"], "a version matches");
        assert!(values(&bundles, "stable").is_empty());
        assert!(values(&choices, "zz").is_empty());
    }

    #[test]
    fn an_untouched_field_shows_every_choice() {
        let choices = [Choice::new("a", ""), Choice::new("b", "")];
        assert_eq!(values(&choices, "a"), ["a", "b"]);
        assert_eq!(values(&choices, " "), ["a", "b"]);
    }

    #[test]
    fn marks_the_current_value_and_completes_the_only_match() {
        let choices = [
            Choice::new("1.5.z", ""),
            Choice::new("1.5", ""),
            Choice::new("1.6.z", ""),
        ];
        assert_eq!(
            initial_choice(&choices, "1.5", true),
            Some(1),
            "not the first of the list"
        );
        assert_eq!(initial_choice(&choices, "1.", true), None);
        let left = filter_choices(&choices[..1], "1.5");
        assert_eq!(
            (
                initial_choice(&left, "1.5", true),
                initial_choice(&left, "1.5", false)
            ),
            (Some(0), None)
        );
        assert_eq!(initial_choice(&left, "", true), None, "nothing was typed");
    }

    #[test]
    fn a_name_that_is_a_prefix_of_others_may_be_incomplete() {
        let choices = ["stable-1", "stable-1.6", "beta"].map(|name| Choice::new(name, ""));
        assert!(
            !is_complete(&choices, "stable-1")
                && is_complete(&choices, "stable-1.6")
                && !is_complete(&choices, "bet")
        );
    }

    #[test]
    fn a_long_list_shows_the_part_around_the_current_value() {
        let choices: Vec<Choice> = (0..1000)
            .map(|n| Choice::new(format!("v{n}"), ""))
            .collect();
        assert!(values(&choices, "v150").contains(&"v150".to_owned()));
        let end = values(&choices, "v999");
        assert_eq!(
            (end.len(), end.last().map(String::as_str)),
            (MAX_DRAWN, Some("v999"))
        );
    }

    #[test]
    fn a_long_list_is_cut() {
        let choices: Vec<Choice> = (0..1000)
            .map(|n| Choice::new(format!("v{n}"), ""))
            .collect();
        assert_eq!(filter_choices(&choices, "v").len(), MAX_DRAWN);
        assert_eq!(values(&choices, "999"), ["v999"]);
    }
}

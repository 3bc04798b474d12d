//! A text field with suggestions (APG *Combobox*, editable, list autocomplete, chosen by hand). What is typed counts; a
//! suggestion only saves typing.
//!
//! | key | does |
//! |---|---|
//! | Down, Up | opens the list; next and previous suggestion |
//! | Enter | takes the marked suggestion; without one, the key is the form's |
//! | Escape | closes the list; when it is closed, the key is the dialog's |
//! | letters | filter the list |

use super::dom;
use super::list_cursor::{Axis, moved};
use leptos::html;
use leptos::leptos_dom::helpers::IntervalHandle;
use leptos::prelude::*;
use std::time::Duration;

/// A suggestion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// What is put into the field.
    pub value: String,
    /// Dimmed, beside it: `head of stable`.
    pub detail: String,
}

impl Choice {
    pub fn new(value: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { value: value.into(), detail: detail.into() }
    }
}

/// At most so many suggestions are drawn; typing brings the others.
const SHOWN: usize = 200;

/// Suggestions for what is typed: those that begin with it first, then those that hold it, without regard to case. Text
/// that is exactly a suggestion (the field as it was left) filters nothing.
pub fn matching(choices: &[Choice], text: &str) -> Vec<Choice> {
    let wanted = text.trim().to_lowercase();
    if wanted.is_empty() || choices.iter().any(|choice| choice.value == text) {
        return choices.iter().take(SHOWN).cloned().collect();
    }
    let (mut first, mut later) = (Vec::new(), Vec::new());
    for choice in choices {
        let value = choice.value.to_lowercase();
        if value.starts_with(&wanted) {
            first.push(choice.clone());
        } else if value.contains(&wanted) || choice.detail.to_lowercase().contains(&wanted) {
            later.push(choice.clone());
        }
    }
    first.append(&mut later);
    first.truncate(SHOWN);
    first
}

/// `value` is the text of the field; `on_change` hears every change of it, `on_done` when a suggestion was taken or the
/// field is left.
/// How often an open list looks where its field is.
const FOLLOW: Duration = Duration::from_millis(120);

/// The one choice that goes on from what was typed; `None` where there are several, or none.
fn meant(choices: &[Choice], typed: &str) -> Option<Choice> {
    let typed = typed.trim().to_lowercase();
    let mut beginning = choices.iter().filter(|choice| choice.value.to_lowercase().starts_with(&typed));
    let only = beginning.next().filter(|_| !typed.is_empty() && beginning.next().is_none());
    only.cloned()
}

#[component]
pub fn Combobox(
    /// Name, for a field without a visible label of its own.
    #[prop(optional, into)]
    label: String,
    #[prop(optional, into)] id: Option<String>,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] choices: Signal<Vec<Choice>>,
    #[prop(into)] on_change: Callback<String>,
    #[prop(optional, into)] on_done: Option<Callback<()>>,
    #[prop(optional)] placeholder: &'static str,
    #[prop(optional, into)] invalid: Signal<bool>,
    #[prop(optional, into)] described_by: Option<String>,
) -> impl IntoView {
    let node = NodeRef::<html::Input>::new();
    let list_id = dom::fresh_id("options");
    let is_open = RwSignal::new(false);
    // Typing has opened the list and nothing has closed it since, whether or not a suggestion is left.
    let is_typing = StoredValue::new_local(false);
    let cursor = RwSignal::new(None::<usize>);
    let shown = Memo::new(move |_| if is_open.get() { matching(&choices.get(), &value.get()) } else { Vec::new() });
    let expanded = move || is_open.get() && shown.with(|shown| !shown.is_empty());
    let box_style = RwSignal::new((0.0, 0.0, 0.0));

    let place = move || {
        if let Some(input) = node.try_get_untracked().flatten() {
            let rect = input.get_bounding_client_rect();
            let now = (rect.left(), rect.bottom() + 4.0, rect.width());
            if box_style.get_untracked() != now {
                box_style.set(now);
            }
        }
    };
    let open = move || {
        place();
        is_open.set(true);
    };
    // What stands above the field grows while the list is open: the list stays below the field.
    Effect::new(move |following: Option<Option<IntervalHandle>>| {
        if let Some(following) = following.flatten() {
            following.clear();
        }
        expanded().then(|| set_interval_with_handle(place, FOLLOW).ok()).flatten()
    });
    let close = move || {
        is_open.set(false);
        is_typing.set_value(false);
        cursor.set(None);
    };
    let take = move |choice: Choice| {
        on_change.run(choice.value);
        close();
        if let Some(done) = on_done {
            done.try_run(());
        }
    };

    let option_id = {
        let list_id = list_id.clone();
        move |index: usize| format!("{list_id}-{index}")
    };
    Effect::new({
        let option_id = option_id.clone();
        move |_| {
            if let Some(index) = cursor.get() {
                dom::reveal(&option_id(index));
            }
        }
    });

    let on_key = move |event: web_sys::KeyboardEvent| match event.key().as_str() {
        // The keys are the input method's.
        _ if event.is_composing() => {}
        key @ ("ArrowDown" | "ArrowUp") => {
            event.prevent_default();
            let was_open = is_open.get_untracked();
            if !was_open {
                open();
            }
            let count = shown.with_untracked(Vec::len);
            // A list that opens begins at what stands in the field.
            let here =
                shown.with_untracked(|shown| shown.iter().position(|choice| choice.value == value.get_untracked()));
            match here.filter(|_| !was_open) {
                Some(here) => cursor.set(Some(here)),
                None => cursor.set(moved(key, cursor.get_untracked(), count, Axis::Vertical)),
            }
        }
        "Enter" if is_open.get_untracked() => {
            let choice = cursor.get_untracked().and_then(|index| shown.with(|shown| shown.get(index).cloned()));
            match choice {
                Some(choice) => {
                    event.prevent_default();
                    take(choice);
                }
                None => {
                    let is_in_form = node.get_untracked().is_some_and(|input| input.form().is_some());
                    if is_in_form && untrack(expanded) {
                        // The key is the list's as long as that is seen: a form must not be sent by who takes a suggestion.
                        event.prevent_default();
                        let only = shown.with_untracked(|shown| meant(shown, &value.get_untracked()));
                        if let Some(only) = only {
                            return take(only);
                        }
                    }
                    close();
                    if let Some(done) = on_done {
                        done.try_run(());
                    }
                }
            }
        }
        "Enter" => {
            if let Some(done) = on_done {
                done.try_run(());
            }
        }
        // The first Escape after typing ends the typing, also where no suggestion is left: the list comes and goes with each
        // letter, and a form must not close with what was typed into it. Otherwise only a list that is seen takes the key.
        "Escape" if is_typing.get_value() || untrack(expanded) => {
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
                aria-label=(!label.is_empty()).then_some(label)
                aria-autocomplete="list"
                aria-expanded=move || expanded().to_string()
                aria-controls={
                    let list_id = list_id.clone();
                    move || expanded().then(|| list_id.clone())
                }
                aria-activedescendant=active
                aria-invalid=move || invalid.get().then_some("true")
                aria-describedby=described_by
                prop:value=move || value.get()
                on:input=move |event| {
                    cursor.set(None);
                    let typed = event_target_value(&event);
                    // A whole suggestion needs no more of them.
                    let is_whole = choices.with_untracked(|choices| choices.iter().any(|choice| choice.value == typed));
                    on_change.run(typed);
                    if is_whole {
                        close();
                    } else {
                        open();
                        is_typing.set_value(true);
                    }
                }
                on:click=move |_| if is_open.get_untracked() { close() } else { open() }
                on:keydown=on_key
                // What is typed next replaces what stands there, as in an address bar.
                on:focus=move |_| {
                    if let Some(input) = node.get_untracked() {
                        input.select();
                    }
                }
                on:blur=move |_| {
                    close();
                    if let Some(done) = on_done {
                        done.try_run(());
                    }
                }
            />
            <Show when=expanded>
                <ul
                    class="options"
                    role="listbox"
                    aria-label="Suggestions"
                    id=list_id.clone()
                    style:left=move || format!("{}px", box_style.get().0)
                    style:top=move || format!("{}px", box_style.get().1)
                    style:min-width=move || format!("{}px", box_style.get().2)
                >
                    {
                        let option_id = option_id.clone();
                        move || {
                            shown
                                .get()
                                .into_iter()
                                .enumerate()
                                .map(|(index, choice)| {
                                    let taken = choice.clone();
                                    view! {
                                        <li
                                            role="option"
                                            class="option"
                                            id=option_id(index)
                                            aria-selected=move || (cursor.get() == Some(index)).to_string()
                                            // The field keeps the focus: its blur would close the list before the click.
                                            on:mousedown=move |event| event.prevent_default()
                                            on:click=move |_| take(taken.clone())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn values(choices: &[Choice], text: &str) -> Vec<String> {
        matching(choices, text).into_iter().map(|choice| choice.value).collect()
    }

    #[test]
    fn what_begins_with_the_text_comes_first() {
        let choices = [Choice::new("pre-stable", ""), Choice::new("stable", "default"), Choice::new("alpha", "")];
        assert_eq!(values(&choices, "Stab"), ["stable", "pre-stable"]);
        assert_eq!(values(&choices, "default"), ["stable"], "details are searched too");
        assert!(values(&choices, "zz").is_empty());
    }

    #[test]
    fn enter_takes_the_one_choice_that_was_begun() {
        let choices = [Choice::new("1.5.z", "2 entries"), Choice::new("1.4.z", "of 1.5"), Choice::new("2.0.z", "")];
        let taken = |typed: &str| meant(&choices, typed).map(|choice| choice.value);
        assert_eq!(taken(" 1.5"), Some("1.5.z".to_owned()));
        assert_eq!(taken("1."), None, "two could be meant");
        assert_eq!(taken("of"), None);
        assert_eq!(taken(""), None);
    }

    #[test]
    fn an_untouched_field_shows_every_choice() {
        let choices = [Choice::new("a", ""), Choice::new("b", "")];
        assert_eq!(values(&choices, "a"), ["a", "b"]);
        assert_eq!(values(&choices, " "), ["a", "b"]);
    }

    #[test]
    fn a_long_list_is_cut() {
        let choices: Vec<Choice> = (0..1000).map(|n| Choice::new(format!("v{n}"), "")).collect();
        assert_eq!(matching(&choices, "v").len(), SHOWN);
        assert_eq!(values(&choices, "v999"), choices.iter().map(|c| c.value.clone()).collect::<Vec<_>>()[..SHOWN]);
        assert_eq!(values(&choices, "999"), ["v999"]);
    }
}

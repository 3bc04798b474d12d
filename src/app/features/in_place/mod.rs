//! Fields of the inspector that are edited where they stand. Each is one step: Enter applies, Escape takes back what was
//! typed; meanwhile what would follow, and why it is refused, stands below.
//!
//! | key | does |
//! |---|---|
//! | Enter | applies what was typed (Shift+Enter breaks a line of a message) |
//! | Escape | takes back what was typed |

mod fields;

use crate::components::deprecation_preview::{DeprecationPreview, deprecation_text};
use crate::components::preview::{Preview, follow, spoken};
use crate::components::range_matches::{RangeMatches, purpose};
use crate::context::AppContext;
use crate::edits::command::Field;
use crate::edits::step_title::title;
use crate::widgets::button::{Button, Look};
use crate::widgets::dom;
use fields::InPlace;
use leptos::ev;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::request::{PreviewScope, Target};
use std::collections::HashMap;

/// The fields of what is selected.
#[component]
pub fn InPlaceFields(app: AppContext) -> impl IntoView {
    let shown = Memo::new(move |_| {
        let target = app.current.target.get();
        let fields =
            app.current.view.with(|view| if view.package.is_empty() { &[] } else { InPlace::of(&target, view) });
        (!fields.is_empty()).then_some((target, fields))
    });
    // What is typed and not applied stays, by what it is of: another selection does not throw it away.
    let drafts = StoredValue::new(Drafts::new());
    move || {
        shown.get().map(|(target, fields)| {
            let fields = fields.iter().map(|field| edited(app, *field, target.clone(), drafts)).collect_view();
            view! {
                <section aria-label="Edit in place">
                    <h3 class="inspector-heading">"Edit in place"</h3>
                    <div class="in-place">{fields}</div>
                </section>
            }
            .into_any()
        })
    }
}

/// Typed texts by catalog, package, target and field.
type Drafts = HashMap<String, String>;

/// Keeps what is typed in a field as a draft, and tells when the field goes with a text that is not applied.
fn keep_draft(typed: Typed, key: String, drafts: StoredValue<Drafts>) {
    let kept = key.clone();
    Effect::new(move |_| {
        let text = typed.text.get();
        drafts.try_update_value(|drafts| match text {
            Some(text) => drafts.insert(kept.clone(), text),
            None => drafts.remove(&kept),
        });
    });
    on_cleanup(move || {
        let has_draft = drafts.try_with_value(|drafts| drafts.contains_key(&key)).unwrap_or_default();
        if has_draft && !typed.is_applying.try_get_value().unwrap_or(true) {
            let label = typed.field.label();
            let note = format!("{label}: the typed text is not applied. It is there again when you come back.");
            typed.app.notifications.toasts.note(note);
        }
    });
}

/// What is typed in a field; `None` as long as it shows what is.
#[derive(Clone, Copy)]
struct Typed {
    app: AppContext,
    field: InPlace,
    target: StoredValue<Target>,
    text: RwSignal<Option<String>>,
    error: RwSignal<String>,
    is_applying: StoredValue<bool>,
}

impl Typed {
    fn value(self) -> String {
        self.app.current.view.with(|view| self.target.with_value(|target| self.field.value(target, view)))
    }

    /// The operations that the text means.
    fn meant(self) -> Option<Result<Vec<EditOp>, String>> {
        let text = self.text.get()?;
        let catalog = self.app.store.catalog_of_op();
        Some(
            self.app
                .current
                .view
                .with(|view| self.target.with_value(|target| self.field.operations(target, view, catalog, &text))),
        )
    }

    fn revert(self) {
        self.text.set(None);
        self.error.set(String::new());
    }

    fn apply(self) {
        // A second Enter before the answer means the same edit; made again, it would be refused.
        if self.is_applying.get_value() {
            return;
        }
        match untrack(move || self.meant()) {
            None => {}
            Some(Err(why)) => self.error.set(why),
            Some(Ok(ops)) if ops.is_empty() => self.revert(),
            Some(Ok(ops)) => {
                let typed = self.text.get_untracked();
                self.is_applying.set_value(true);
                self.app.apply(title(&ops, 0), ops, move |end| {
                    self.is_applying.try_set_value(false);
                    // What was typed meanwhile, or a selection that went on, is left alone.
                    let is_same = self.text.try_with_untracked(|text| *text == typed).unwrap_or_default();
                    match end {
                        Ok(()) if is_same => {
                            self.text.try_set(None);
                            self.error.try_set(String::new());
                        }
                        Ok(()) => {}
                        Err(refusal) => {
                            self.error.try_set(refusal.reason);
                        }
                    }
                });
            }
        }
    }

    fn on_key(self, event: &ev::KeyboardEvent) {
        match event.key().as_str() {
            "Enter" if !event.shift_key() && !event.is_composing() => self.apply(),
            "Escape" if self.text.with_untracked(Option::is_some) => self.revert(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}

fn edited(app: AppContext, field: InPlace, target: Target, drafts: StoredValue<Drafts>) -> AnyView {
    let (root, package) = (app.store.root.get_untracked(), app.current.package.get_untracked());
    let key = format!("{root}\n{package}\n{target:?}\n{field:?}");
    let typed = Typed {
        app,
        field,
        target: StoredValue::new(target),
        text: RwSignal::new(drafts.with_value(|drafts| drafts.get(&key).cloned())),
        error: RwSignal::new(String::new()),
        is_applying: StoredValue::new(false),
    };
    keep_draft(typed, key, drafts);
    let (id, note, list) = (dom::fresh_id("place"), dom::fresh_id("note"), dom::fresh_id("offers"));
    let value = move || typed.text.get().unwrap_or_else(|| typed.value());
    let is_changed = move || typed.text.with(Option::is_some).then_some("true");
    let on_input = move |event: ev::Event| typed.text.set(Some(event_target_value(&event)));
    let invalid = move || (!typed.error.with(String::is_empty)).then_some("true");
    let control = if field == InPlace::Message {
        view! {
            <textarea
                id=id.clone()
                class="in-place-input"
                rows="3"
                placeholder="not deprecated"
                aria-describedby=note.clone()
                aria-invalid=invalid
                data-changed=is_changed
                prop:value=value
                on:input=on_input
                on:keydown=move |event| typed.on_key(&event)
            ></textarea>
        }
        .into_any()
    } else {
        view! {
            <input
                id=id.clone()
                type="text"
                class="in-place-input"
                list=list.clone()
                placeholder="none"
                spellcheck="false"
                autocomplete="off"
                aria-describedby=note.clone()
                aria-invalid=invalid
                data-changed=is_changed
                title=value
                prop:value=value
                on:input=on_input
                on:keydown=move |event| typed.on_key(&event)
            />
        }
        .into_any()
    };
    let cannot = Signal::derive(move || !matches!(typed.meant(), Some(Ok(ops)) if !ops.is_empty()));
    let offers = move || {
        let offers = app.current.view.with(|view| typed.target.with_value(|target| field.offers(target, view)));
        offers.into_iter().map(|name| view! { <option value=name></option> }).collect_view()
    };
    view! {
        <div class="in-place-field">
            <label class="in-place-label" for=id>{field.label()}</label>
            {control}
            <datalist id=list>{offers}</datalist>
            <div class="in-place-more" id=note role=move || typed.text.with(Option::is_some).then_some("status")>
                {move || {
                    let error = typed.error.get();
                    (!error.is_empty()).then(|| view! { <p class="in-place-note" data-tone="bad">{error}</p> })
                }}
                <Show when=move || typed.text.with(Option::is_some)>{meanwhile(typed)}</Show>
            </div>
            <Show when=move || typed.text.with(Option::is_some)>
                <p class="in-place-buttons">
                    <Button label="Apply" look=Look::Primary disabled=cannot on_press=move |()| typed.apply()/>
                    <Button label="Take back" on_press=move |()| typed.revert()/>
                </p>
            </Show>
        </div>
    }
    .into_any()
}

/// What would follow from what is typed, and what it means to users.
fn meanwhile(typed: Typed) -> AnyView {
    let app = typed.app;
    let ops = Signal::derive(move || match typed.meant() {
        Some(Ok(ops)) if !ops.is_empty() => Some(ops),
        _ => None,
    });
    let live = follow(app, PreviewScope::All, ops);
    let told = move || match live.preview.get() {
        Preview::Nothing => "Not applied yet.".to_owned(),
        preview => spoken(&preview),
    };
    let is_refused = move || live.preview.with(|preview| matches!(preview, Preview::Refused(_))).then_some("bad");
    let form = Signal::derive(move || {
        let text = typed.text.get()?;
        let package = app.current.package.get();
        typed.target.with_value(|target| typed.field.form(target, &package, &text))
    });
    let values = Signal::derive(move || form.get().map(|(_, values)| values).unwrap_or_default());
    let below = form.get_untracked().map(|(command, _)| match typed.field {
        InPlace::Message => {
            let deprecation_text =
                Signal::derive(move || app.current.view.with(|view| deprecation_text(&values.get(), view)));
            view! { <DeprecationPreview deprecation_text/> }.into_any()
        }
        _ => purpose(command, Field::SkipRange)
            .map(|purpose| {
                let root = Signal::derive(move || Some(app.store.root.get()));
                view! { <RangeMatches app command field=Field::SkipRange purpose values root/> }
            })
            .into_any(),
    });
    let has_other_ways =
        move || live.preview.with(|p| matches!(p, Preview::Shown { instead, .. } if !instead.is_empty()));
    let confirm = move |()| {
        if let Some(ops) = ops.get_untracked() {
            typed.revert();
            app.confirm(title(&ops, 0), ops);
        }
    };
    view! {
        <p class="in-place-note" data-tone=is_refused>{told}</p>
        <Show when=has_other_ways>
            <Button label="Other ways…" on_press=confirm/>
        </Show>
        {below}
    }
    .into_any()
}

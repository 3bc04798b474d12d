//! Inspector fields that are edited in place. Each is one step, with its own *Apply* and *Cancel*
//! once the text differs; consequences or reasons for a refusal are shown below. Unapplied text is
//! kept for its field when the selection changes.
//!
//! | key | effect |
//! |---|---|
//! | Enter | applies the text; in a message it adds a line |
//! | Ctrl+Enter | applies the text |
//! | Escape | reverts the text; leaves a message, whose text stays until *Cancel* |

mod field;

use self::field::InPlaceField;
use crate::components::consequences::JudgementMark;
use crate::components::deprecation_preview::{DeprecationPreview, deprecation_text};
use crate::components::preview::{Preview, announcement, follow};
use crate::components::range_matches::RangeMatches;
use crate::context::FieldPlace;
use crate::edits::applicable::find_refusal;
use crate::edits::command::Field;
use crate::edits::titles::title;
use crate::prelude::*;
use crate::state::element_ids::in_place_field;
use crate::state::store::Tab;
use crate::widgets::buttons::with_keys;
use crate::widgets::dom::field_text;
use crate::widgets::dom::is_apply_key;
use leptos::ev;
use protocol::counting::capitalize;
use protocol::operation::EditOp;
use protocol::request::{PreviewScope, Target};

/// The fields of the selection. Those that the package's template refuses to change are text, with
/// each reason below.
#[component]
pub fn InPlaceFields(app: AppContext) -> impl IntoView {
    // Identify fields by their full place: selections in two packages may have the same name, and
    // packages themselves have none.
    let place_and_fields = memo(move |_| {
        let target = app.current.target.get();
        app.current.view.with(|view| {
            let fields = InPlaceField::for_target(&target, view).iter().map(|field| {
                let refusal = find_refusal(field.command().0, view);
                (*field, refusal.map(|refused| capitalize(&refused.reason)))
            });
            let fields: Vec<_> = fields.collect();
            let has_fields = !view.package.is_empty() && !fields.is_empty();
            has_fields.then(|| (view.root.clone(), view.package.clone(), target, fields))
        })
    });
    move || {
        place_and_fields
            .get()
            .map(|(root, package, target, fields)| {
                let place = |field: InPlaceField| FieldPlace {
                    root: root.clone(),
                    package: package.clone(),
                    target: target.clone(),
                    field: field.label(),
                };
                let groups = fields.chunk_by(|(_, refusal), (_, next)| refusal == next);
                let groups = groups.map(|group| {
                    let views = group.iter().map(|(field, refusal)| match refusal {
                        None => editor_view(app, *field, place(*field)),
                        Some(_) => value_view(app, *field, target.clone()),
                    });
                    let refusal = group[0]
                        .1
                        .as_deref()
                        .map(|refusal| view! { <p class="in-place-note">{in_code(refusal)}</p> });
                    view! { {views.collect_view()} {refusal} }
                });
                view! {
                    <section aria-label="Edit in place">
                        <h3 class="inspector-heading">"Edit in place"</h3>
                        <div class="in-place">{groups.collect_view()}</div>
                    </section>
                }
                .into_any()
            })
    }
}

/// Renders the value of a field that the package's template refuses to change.
fn value_view(app: AppContext, field: InPlaceField, target: Target) -> AnyView {
    let value = move || match app.current.view.with(|view| field.value(&target, view)) {
        value if value.is_empty() => "none".to_owned(),
        value => value,
    };
    view! { <div class="in-place-field"><span class="in-place-label">{field.label()}</span> <span>{value}</span></div> }
        .into_any()
}

/// The text typed into a field; `None` while the field shows the current value.
#[derive(Clone, Copy)]
struct Typed {
    app: AppContext,
    field: InPlaceField,
    target: StoredValue<Target>,
    text: RwSignal<Option<String>>,
    error: RwSignal<Option<String>>,
    is_applying: RwSignal<bool>,
    place: StoredValue<FieldPlace>,
}

impl Typed {
    fn value(self) -> String {
        self.app.current.view.with(|view| {
            self.target
                .with_value(|target| self.field.value(target, view))
        })
    }

    fn operations(self) -> Option<Result<Vec<EditOp>, String>> {
        let text = self.text.get()?;
        let catalog = self.app.store.operation_catalog();
        Some(self.app.current.view.with(|view| {
            self.target
                .with_value(|target| self.field.operations(target, view, catalog, &text))
        }))
    }

    fn differs(self) -> bool {
        let typed = self.text.get();
        typed.is_some_and(|text| text.trim() != self.value().trim())
    }

    fn type_in(self, text: String) {
        let value = untrack(|| self.value());
        self.keep((text.trim() != value.trim()).then(|| text.clone()));
        self.text.set((text != value).then_some(text));
        self.error.set(None);
    }

    fn keep(self, text: Option<String>) {
        if let Some(place) = self.place.try_get_value() {
            self.app.unfinished_fields.keep(place, text);
        }
    }

    fn revert(self) {
        self.keep(None);
        self.text.set(None);
        self.error.set(None);
    }

    /// Reports unapplied text when the selection changes.
    fn note_unapplied_on_cleanup(self) {
        let (app, place) = (self.app, self.place.get_value());
        on_cleanup(move || {
            if app.unfinished_fields.get(&place).is_some() {
                let message = format!(
                    "{} is not applied: what you typed is kept there.",
                    place.field
                );
                set_timeout(
                    move || app.notifications.toasts.note(message),
                    std::time::Duration::ZERO,
                );
            }
        });
    }

    fn apply(self) {
        // Ignore a second Enter before the answer: the same edit would be refused.
        if self.is_applying.get_untracked() {
            return;
        }
        match untrack(move || self.operations()) {
            None => {}
            Some(Err(reason)) => self.error.set(Some(reason)),
            Some(Ok(ops)) if ops.is_empty() => self.revert(),
            Some(Ok(ops)) => {
                let typed = self.text.get_untracked();
                let (app, place) = (self.app, self.place.get_value());
                self.is_applying.set(true);
                self.keep(None);
                self.app.session.apply(title(&ops, 0), ops, move |end| {
                    // The graph marks what is deprecated; the source shows the new lines.
                    let is_deprecation = self.field == InPlaceField::Message;
                    if end.is_ok() && is_deprecation && app.store.tab.get_untracked() != Tab::Source
                    {
                        app.store.tab.show(Tab::Graph);
                    }
                    // Keep the text after a refusal, even if the selection has changed.
                    if end.is_err() && app.unfinished_fields.get(&place).is_none() {
                        app.unfinished_fields.keep(place, typed.clone());
                    }
                    self.is_applying.try_set(false);
                    // Do not touch text that was typed in the meantime, or a new selection.
                    let is_same = self
                        .text
                        .try_with_untracked(|text| *text == typed)
                        .unwrap_or_default();
                    match end {
                        Ok(()) if is_same => {
                            self.text.try_set(None);
                            self.error.try_set(None);
                        }
                        Ok(()) => {}
                        Err(refusal) => {
                            self.error.try_set(Some(refusal.reason));
                        }
                    }
                });
            }
        }
    }

    fn on_key(self, event: &ev::KeyboardEvent) {
        match event.key().as_str() {
            "Enter" if event.is_composing() => return,
            "Enter" if is_apply_key(event) || self.field != InPlaceField::Message => self.apply(),
            // Do not revert a message with one key: it is too long to lose.
            "Escape" if self.field == InPlaceField::Message => leave(event),
            "Escape" if self.text.with_untracked(Option::is_some) => self.revert(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}

/// Moves the focus from a field to its *Apply*, if enabled.
fn leave(event: &ev::KeyboardEvent) {
    let container = dom::closest(event.target(), ".in-place-field");
    dom::blur_focused();
    if let Some(container) = container {
        dom::focus_first_in(&container, ".in-place-end button");
    }
}

fn editor_view(app: AppContext, field: InPlaceField, place: FieldPlace) -> AnyView {
    let typed = Typed {
        app,
        field,
        target: StoredValue::new(place.target.clone()),
        text: RwSignal::new(app.unfinished_fields.get(&place)),
        error: RwSignal::new(None),
        is_applying: RwSignal::new(false),
        place: StoredValue::new(place),
    };
    typed.note_unapplied_on_cleanup();
    effect(move |_| {
        if typed
            .place
            .with_value(|place| app.unfinished_fields.is_discarded(place))
        {
            typed.text.set(None);
            typed.error.set(None);
        }
    });
    let (id, note, list) = (
        in_place_field(field.label()),
        dom::fresh_id("note"),
        dom::fresh_id("offers"),
    );
    let value = move || typed.text.get().unwrap_or_else(|| typed.value());
    // Undo belongs to the page in a field without this mark.
    let is_changed =
        move || (typed.text.with(Option::is_some) && !typed.is_applying.get()).then_some("true");
    let on_input = move |event: ev::Event| typed.type_in(event_target_value(&event));
    let differs = memo(move |_| typed.differs());
    let invalid = move || typed.error.with(Option::is_some).then_some("true");
    let control = if field == InPlaceField::Message {
        view! {
            <textarea
                id=id.clone()
                class="in-place-input"
                rows="2"
                placeholder="not deprecated"
                aria-describedby=note.clone()
                aria-invalid=invalid
                data-changed=is_changed
                use:field_text=derived(value)
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
                use:field_text=derived(value)
                on:input=on_input
                on:keydown=move |event| typed.on_key(&event)
            />
        }
        .into_any()
    };
    let offers = move || {
        let offers = app
            .current
            .view
            .with(|view| typed.target.with_value(|target| field.offers(target, view)));
        offers
            .into_iter()
            .map(|name| view! { <option value=name></option> })
            .collect_view()
    };
    announce::follow_alert(move || typed.error.get().unwrap_or_default());
    view! {
        <div class="in-place-field">
            <label class="in-place-label" for=id>{field.label()}</label>
            {control}
            <datalist id=list>{offers}</datalist>
            <Show when=move || differs.get()>{decision_buttons(typed)}</Show>
            <div class="in-place-more" id=note>
                {move || {
                    typed.error.get().map(|error| view! { <p class="in-place-note" data-tone="bad">{in_code(&error)}</p> })
                }}
                <Show when=move || typed.text.with(Option::is_some)>{consequences_view(typed)}</Show>
            </div>
        </div>
    }
    .into_any()
}

fn decision_buttons(typed: Typed) -> AnyView {
    let keys = if typed.field == InPlaceField::Message {
        "Ctrl+Enter"
    } else {
        "Enter"
    };
    let label = typed.field.label();
    // Scroll to them: at the end of a long inspector they would appear out of sight.
    let id = dom::fresh_id("decide");
    let revealed = id.clone();
    request_animation_frame(move || dom::reveal(&revealed));
    view! {
        <div class="in-place-end" id=id role="group" aria-label=format!("Not applied: {label}")>
            <button
                type="button"
                class="button"
                data-look="primary"
                aria-label=format!("Apply: {label}")
                title=with_keys("Apply", keys)
                on:click=move |_| typed.apply()
            >
                "Apply"
            </button>
            <button
                type="button"
                class="button"
                data-look="quiet"
                aria-label=format!("Cancel: {label}")
                title=with_keys("Take back what was typed", if typed.field == InPlaceField::Message { "" } else { "Escape" })
                on:click=move |_| typed.revert()
            >
                "Cancel"
            </button>
            <span class="dim" hidden=move || typed.error.with(Option::is_some)>{format!("Not applied yet. {keys} applies.")}</span>
        </div>
    }
    .into_any()
}

fn consequences_view(typed: Typed) -> AnyView {
    let app = typed.app;
    let ops = derived(move || match typed.operations() {
        Some(Ok(ops)) if !ops.is_empty() => Some(ops),
        _ => None,
    });
    let live = follow(app, PreviewScope::All, ops);
    let note_text = move || match live.preview.get() {
        Preview::Nothing => String::new(),
        // The refusal of *Apply* is already shown above.
        Preview::Refused(_) if typed.error.with(Option::is_some) => String::new(),
        preview => announcement(&preview),
    };
    let is_refused = move || live.is_refused().then_some("bad");
    let has_alternatives = move || {
        live.preview
            .with(|p| matches!(p, Preview::Shown { instead, .. } if !instead.is_empty()))
    };
    let confirm = move |()| {
        if let Some(ops) = ops.get_untracked() {
            typed.revert();
            app.confirm(title(&ops, 0), ops);
        }
    };
    let judged = move || match live.preview.get() {
        Preview::Shown { consequences, .. } if !consequences.reason.is_empty() => Some(
            view! { <p class="in-place-judged"><JudgementMark judgement=consequences.judgement/> " " {in_code(&consequences.reason)}</p> },
        ),
        _ => None,
    };
    // Scroll to it: at the end of a long inspector it would appear out of sight.
    let note = dom::fresh_id("follows");
    let revealed = note.clone();
    effect(move |_| {
        if live
            .preview
            .with(|preview| matches!(preview, Preview::Shown { .. }))
        {
            let revealed = revealed.clone();
            request_animation_frame(move || dom::reveal(&revealed));
        }
    });
    view! {
        <div id=note>
            {judged}
            <p class="in-place-note" data-tone=is_refused>{move || in_code(&note_text())}</p>
        </div>
        <Show when=has_alternatives>
            <Button label="Other ways…" on_press=confirm/>
        </Show>
        {details_view(typed)}
    }
    .into_any()
}

/// Renders what the typed text means: the deprecation as users see it, or the versions in a range.
fn details_view(typed: Typed) -> AnyView {
    let app = typed.app;
    let form = derived(move || {
        let text = typed.text.get()?;
        let package = app.current.package.get();
        typed
            .target
            .with_value(|target| typed.field.form(target, &package, &text))
    });
    let values = derived(move || form.get().map(|(_, values)| values).unwrap_or_default());
    form.get_untracked()
        .map(|(command, _)| match typed.field {
            InPlaceField::Message => {
                let deprecation_text = derived(move || {
                    app.current
                        .view
                        .with(|view| deprecation_text(&values.get(), view))
                });
                view! { <DeprecationPreview deprecation_text/> }.into_any()
            }
            _ => command
                .range_purpose(Field::SkipRange)
                .map(|purpose| {
                    let root = derived(move || Some(app.store.root.get()));
                    view! { <RangeMatches app command field=Field::SkipRange purpose values root/> }
                })
                .into_any(),
        })
        .into_any()
}

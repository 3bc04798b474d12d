//! The unsaved edits, and the choice which of them are saved.

use crate::prelude::*;
use crate::reactive::Attempts;
use crate::state::journal::JournalStep;
use crate::state::save_state::SaveState;

#[derive(Debug, Clone, PartialEq)]
struct ListedEdit {
    step: JournalStep,
    is_chosen: bool,
    /// The index of a left-out edit that this one needs; this one is then left out too.
    needs: Option<usize>,
}

/// The edits of the open review. A copy is a handle.
#[derive(Clone, Copy)]
pub(super) struct EditChoice {
    app: AppContext,
    edits: RwSignal<Vec<ListedEdit>>,
    /// The number of chosen edits in the session, as far as this list knows.
    known: StoredValue<usize>,
    is_pending: RwSignal<bool>,
    attempts: Attempts,
}

impl EditChoice {
    /// Creates the choice. When the review closes, the edits left out are applied again.
    pub(super) fn new(app: AppContext) -> Self {
        on_cleanup(move || spawn_local(app.session.put_back()));
        Self {
            app,
            edits: RwSignal::new(Vec::new()),
            known: StoredValue::new(0),
            is_pending: RwSignal::new(false),
            attempts: Attempts::default(),
        }
    }

    /// Lists the edits of the session, unless this list made them.
    pub(super) fn follow_session(self) {
        if self.is_pending.get_untracked() {
            return;
        }
        let log = self.app.session.client().log().clone();
        let chosen = log.unsaved_edits().unwrap_or_default();
        let left_out = log.left_out();
        if !left_out.is_empty() && chosen.len() == self.known.get_value() {
            return;
        }
        self.known.set_value(chosen.len());
        let listed = |step: JournalStep, is_chosen| ListedEdit {
            step,
            is_chosen,
            needs: None,
        };
        let chosen = chosen.into_iter().map(|step| listed(step, true));
        let left_out = left_out.into_iter().map(|step| listed(step, false));
        self.edits.set(chosen.chain(left_out).collect());
    }

    pub(super) fn is_partial(self) -> bool {
        self.edits
            .with(|edits| edits.iter().any(|edit| !edit.is_chosen))
    }

    /// Whether the choice is not applied yet.
    pub(super) fn is_blocked(self) -> bool {
        self.is_pending.get()
    }

    fn choose(self, at: usize, is_chosen: bool) {
        let applied = self.app.session.client().log().unsaved_edits();
        if !self.is_pending.get_untracked()
            && applied.map(|edits| edits.len()) != Some(self.known.get_value())
        {
            // Something else has changed the history.
            self.follow_session();
            return;
        }
        self.edits.update(|edits| {
            if let Some(edit) = edits.get_mut(at) {
                edit.is_chosen = is_chosen;
            }
        });
        self.is_pending.set(true);
        let is_latest = self.attempts.begin();
        let edits = self.edits.get_untracked();
        let left_out = edits.iter().enumerate();
        let left_out = left_out.filter(|(_, edit)| !edit.is_chosen);
        let left_out = left_out.map(|(at, _)| at).collect();
        let steps: Vec<JournalStep> = edits.into_iter().map(|edit| edit.step).collect();
        spawn_local(async move {
            let chosen = self.app.session.choose_edits(&steps, left_out).await;
            if is_latest() {
                self.show(chosen).await;
            } else if self.known.try_get_value().is_none() {
                // The review was closed before the answer.
                self.app.session.put_back().await;
            }
        });
    }

    /// Chooses an edit that another one needs. The pressed button disappears: focuses the checkbox.
    fn save_as_well(self, needed: usize) {
        self.choose(needed, true);
        dom::focus_id_later(checkbox_id(needed));
    }

    async fn show(self, chosen: Result<Vec<Option<usize>>, String>) {
        let log = self.app.session.client().log().clone();
        let applied = log.unsaved_edits().unwrap_or_default();
        self.known.try_set_value(applied.len());
        match chosen {
            Ok(needs) => {
                self.edits.try_update(|edits| {
                    for (edit, needs) in edits.iter_mut().zip(needs) {
                        edit.needs = needs;
                    }
                });
                self.is_pending.try_set(false);
            }
            Err(why) => {
                let toasts = self.app.notifications.toasts;
                toasts.error(format!("These edits cannot be saved separately: {why}."));
                self.app.session.put_back().await;
                self.is_pending.try_set(false);
                self.follow_session();
            }
        }
    }

    fn title(self, at: usize) -> String {
        self.edits
            .with(|edits| edits.get(at).map(|edit| edit.step.title.clone()))
            .unwrap_or_default()
    }
}

fn checkbox_id(at: usize) -> String {
    format!("review-edit-{at}")
}

/// The edits, each with a checkbox; nothing for a single edit.
#[component]
pub(super) fn EditList(choice: EditChoice) -> impl IntoView {
    let row = move |at: usize| {
        let is_saved = move || {
            let is_saved = |edit: &ListedEdit| edit.is_chosen && edit.needs.is_none();
            choice
                .edits
                .with(|edits| edits.get(at).is_some_and(is_saved))
        };
        let needs = move || choice.edits.with(|edits| edits.get(at)?.needs);
        view! {
            <li class="review-edit">
                <label>
                    <input
                        type="checkbox"
                        id=checkbox_id(at)
                        prop:checked=is_saved
                        prop:disabled=move || choice.app.store.saving.with(SaveState::is_busy)
                        on:change=move |event| match (event_target_checked(&event), untrack(needs)) {
                            (true, Some(needed)) => choice.choose(needed, true),
                            (is_chosen, _) => choice.choose(at, is_chosen),
                        }
                    />
                    " "
                    {move || choice.title(at)}
                </label>
                {move || {
                    needs()
                        .map(|needed| {
                            view! {
                                <span class="review-needs">{format!("Needs “{}”", choice.title(needed))}</span>
                                <Button label="Save as well" look=Look::Quiet on_press=move |()| choice.save_as_well(needed)/>
                            }
                        })
                }}
            </li>
        }
        .into_any()
    };
    // Not drawn again when a box is ticked, which would lose the focus.
    let count = memo(move |_| choice.edits.with(Vec::len));
    view! {
        <Show when=move || { count.get() > 1 }>
            <section class="review-edits">
                <p class="dim">"Edits to save; the others stay unsaved:"</p>
                <ul aria-label="Edits to save">{move || (0..count.get()).map(row).collect_view()}</ul>
            </section>
        </Show>
    }
    .into_any()
}

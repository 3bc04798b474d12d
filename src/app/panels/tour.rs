//! The tour of a first visit: a card that stands at the end of the packages and covers nothing.
//!
//! | key | does |
//! |---|---|
//! | Enter, Space | on its buttons: next step, back, over |
//! | Escape | ends it |

use crate::context::app_context;
use crate::reactive::memo;
use crate::state::tour::{STEPS, Tour};
use crate::widgets::announce;
use crate::widgets::button::{Button, Look};
use crate::widgets::dom;
use leptos::prelude::*;

#[component]
pub fn TourCard() -> impl IntoView {
    let app = app_context();
    let is_on = memo(move |_| app.tour.now().get().step().is_some());
    let of_step = move |told: fn(crate::state::tour::TourStep) -> &'static str| {
        app.tour
            .now()
            .get()
            .step()
            .map_or("", |(_, step)| told(step))
    };
    let number = move || app.tour.now().get().step().map_or(0, |(number, _)| number);
    let next = Signal::derive(move || {
        if app.tour.now().get().is_at_end() {
            "Done"
        } else {
            "Next"
        }
        .to_owned()
    });
    announce::follow(move || {
        let (title, text) = (of_step(|step| step.title), of_step(|step| step.text));
        if is_on.get() {
            format!("{title}, {} of {}. {text}", number(), STEPS.len())
        } else {
            String::new()
        }
    });
    view! {
        <Show when=move || is_on.get()>
            <section
                class="tour"
                aria-label="Tour"
                on:keydown=move |event| {
                    if event.key() == "Escape" {
                        event.prevent_default();
                        app.tour.end();
                    }
                }
            >
                <div>
                    <p class="tour-title">
                        {move || of_step(|step| step.title)} " "
                        <span class="dim">{move || format!("{} of {}", number(), STEPS.len())}</span>
                    </p>
                    <p class="tour-text">{move || of_step(|step| step.text)}</p>
                </div>
                <div class="tour-buttons">
                    <Button label=next look=Look::Primary on_press=move |()| app.tour.walk(Tour::onward)/>
                    <Button
                        label="Back"
                        disabled=Signal::derive(move || app.tour.now().get() == Tour::begun())
                        on_press=move |()| {
                            app.tour.walk(Tour::back);
                            // What is disabled cannot have the focus: it goes to the first button that can.
                            if app.tour.now().get_untracked() == Tour::begun() {
                                dom::focus_first(".tour");
                            }
                        }
                    />
                    <Button label="Skip the tour" look=Look::Quiet on_press=move |()| app.tour.end()/>
                </div>
            </section>
        </Show>
    }
    .into_any()
}

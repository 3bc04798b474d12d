//! The table's toolbar: filter, columns, copying.

use super::TableContext;
use super::table_data::{Column, Format, states};
use crate::reactive::memo;
use crate::widgets::announce;
use crate::widgets::button::Button;
use crate::widgets::field_text::field_text;
use crate::widgets::icon::Icon;
use crate::words;
use leptos::prelude::*;

pub(super) fn tools(sheet: TableContext) -> AnyView {
    let found = memo(move |_| sheet.app.current.view.with(|view| states(&view.table)));
    let chip = move |(state, count): (String, usize)| {
        let (own, pressed) = (state.clone(), state.clone());
        view! {
            <button
                type="button"
                class="chip"
                aria-pressed=move || sheet.filter.with(|filter| filter.states.contains(&own)).to_string()
                on:click=move |_| sheet.filter.update(|filter| filter.toggle(&pressed))
            >
                {state}
                <span class="chip-count">{count}</span>
            </button>
        }
    };
    let choice = move |column: Column| {
        view! {
            <label class="check">
                <input
                    type="checkbox"
                    prop:checked=move || sheet.columns.with(|columns| columns.visible().contains(&column))
                    on:change=move |_| sheet.toggle_column(column)
                />
                {column.label()}
            </label>
        }
    };
    let counted = move || {
        let all = sheet.app.current.view.with(|view| view.table.len());
        match sheet.rows.with(|rows| rows.len()) {
            visible if visible == all => words::count(all as u32, "row"),
            visible => format!("{visible} of {}", words::count(all as u32, "row")),
        }
    };
    let choices = Column::ALL
        .into_iter()
        .filter(|column| *column != Column::Entry)
        .map(choice);
    // Announced only after filtering: edits announce their own effect.
    announce::follow(move || {
        if sheet.filter.with(|filter| *filter == Default::default()) {
            String::new()
        } else {
            counted()
        }
    });
    view! {
        <div class="table-tools">
            <input
                class="table-search"
                type="search"
                aria-label="Filter entries"
                placeholder="Filter entries"
                autocomplete="off"
                spellcheck="false"
                use:field_text=Signal::derive(move || sheet.filter.with(|filter| filter.text.clone()))
                on:input=move |event| sheet.filter.update(|filter| filter.text = event_target_value(&event))
            />
            <div class="chips" role="group" aria-label="Filter by state">
                {move || found.get().into_iter().map(chip).collect_view()}
            </div>
            <span class="table-count">{counted}</span>
            <details class="table-columns">
                <summary>"Columns"</summary>
                <div class="table-choices" role="group" aria-label="Columns">{choices.collect_view()}</div>
            </details>
            <Button label="Copy as TSV" icon=Icon::Copy on_press=move |()| sheet.copy(Format::Tsv)/>
            <Button label="Copy as CSV" icon=Icon::Copy on_press=move |()| sheet.copy(Format::Csv)/>
        </div>
    }
    .into_any()
}

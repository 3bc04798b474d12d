//! Edits a table cell in place with the form's operation, but without the form.

use super::TableContext;
use super::table_data::{Column, Numbered, cell_ops};
use crate::components::alternatives::warning;
use crate::components::preview::{Preview, follow};
use crate::edits::step_title::title;
use crate::reactive::{effect, memo};
use crate::widgets::announce;
use crate::widgets::button::Button;
use crate::widgets::dom;
use crate::widgets::field_text::field_text;
use crate::widgets::grid_cursor::CellAt;
use leptos::html;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::request::PreviewScope;

/// The edited cell and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Editing {
    /// The row's index among all rows of the package.
    row: usize,
    column: Column,
    text: String,
    /// Why it was refused; "" otherwise.
    error: String,
    is_applying: bool,
}

/// Whether a cell is being edited.
pub(super) fn is_edited(sheet: TableContext, row: usize, column: Column) -> Memo<bool> {
    memo(move |_| {
        sheet.editing.with(|editing| {
            editing
                .as_ref()
                .is_some_and(|own| own.row == row && own.column == column)
        })
    })
}

impl TableContext {
    pub(super) fn edit(self, at: CellAt) {
        let is_busy = self
            .editing
            .with_untracked(|editing| editing.as_ref().is_some_and(|own| own.is_applying));
        if let (Some((row, table_row)), Some(column), false) =
            (self.row(at), self.column(at), is_busy)
        {
            let text = column.text(&table_row);
            self.editing.set(Some(Editing {
                row,
                column,
                text,
                error: String::new(),
                is_applying: false,
            }));
        }
    }

    /// Ends editing, with the focus on the cell at its row's current position.
    fn end_edit(self) {
        let Some(own) = self.editing.try_update(Option::take).flatten() else {
            return;
        };
        let row = self
            .rows
            .with_untracked(|rows| rows.iter().position(|(at, _)| *at == own.row));
        let column = self
            .columns
            .with_untracked(|columns| columns.visible().iter().position(|c| *c == own.column));
        if let (Some(row), Some(column)) = (row, column) {
            self.focus(CellAt {
                row: row + 1,
                column: column + 1,
            });
        }
    }

    /// The operations of a text in a cell; none if it is unchanged.
    fn operations(self, numbered: &Numbered, column: Column, text: &str) -> Vec<EditOp> {
        let root = self.app.store.root.get_untracked();
        let several = self
            .app
            .store
            .status
            .with_untracked(|status| status.roots.len() > 1);
        let package = self.app.current.package.get_untracked();
        cell_ops(
            &numbered.1,
            column,
            text,
            &package,
            several.then_some(root.as_str()),
        )
    }

    fn apply_edit(self, numbered: &Numbered) {
        let Some(own) = self.editing.get_untracked().filter(|own| !own.is_applying) else {
            return;
        };
        let ops = self.operations(numbered, own.column, &own.text);
        if ops.is_empty() {
            return self.end_edit();
        }
        self.editing.set(Some(Editing {
            is_applying: true,
            error: String::new(),
            ..own
        }));
        self.app
            .edits
            .apply(title(&ops, 0), ops, move |end| match end {
                Ok(()) => self.end_edit(),
                Err(refusal) => {
                    let error = if refusal.help.is_empty() {
                        refusal.reason
                    } else {
                        format!("{}: {}", refusal.reason, refusal.help)
                    };
                    self.editing.try_update(|editing| {
                        if let Some(own) = editing {
                            own.is_applying = false;
                            own.error = error;
                        }
                    });
                }
            });
    }
}

pub(super) fn editor(sheet: TableContext, numbered: &Numbered, column: Column) -> AnyView {
    let node = NodeRef::<html::Input>::new();
    let note = dom::fresh_id("cell-note");
    let row = &numbered.1;
    let name = format!("{} of {} in {}", column.label(), row.entry, row.channel);
    let before = column.text(row);
    let numbered = StoredValue::new(numbered.clone());
    // Preview the consequences while typing: a package must not start to fail unnoticed.
    let ops = Signal::derive(move || {
        let text = sheet
            .editing
            .with(|editing| editing.as_ref().map(|own| own.text.clone()))?;
        let ops = numbered.try_with_value(|numbered| sheet.operations(numbered, column, &text))?;
        Some(ops).filter(|ops| !ops.is_empty())
    });
    let live = follow(sheet.app, PreviewScope::All, ops);
    let failing = memo(move |_| {
        live.preview.with(|preview| match preview {
            Preview::Shown { found, instead, .. } => (warning(&found.failing), !instead.is_empty()),
            _ => (String::new(), false),
        })
    });
    let other_ways = move |()| {
        if let Some(ops) = ops.get_untracked() {
            sheet.end_edit();
            sheet.app.edits.confirm(title(&ops, 0), ops);
        }
    };
    let error = move || {
        sheet.editing.with(|editing| {
            editing
                .as_ref()
                .map(|own| own.error.clone())
                .unwrap_or_default()
        })
    };
    announce::follow_alert(error);
    announce::follow(move || failing.with(|(warning, _)| warning.clone()));
    let is_bad = move || !error().is_empty() || failing.with(|(warning, _)| !warning.is_empty());
    effect(move |_| {
        if let Some(input) = node.get() {
            dom::focus(&input);
            input.select();
        }
    });
    let on_key = move |event: web_sys::KeyboardEvent| {
        match event.key().as_str() {
            "Enter" if !event.is_composing() => {
                numbered.with_value(|numbered| sheet.apply_edit(numbered))
            }
            "Escape" => sheet.end_edit(),
            // Handled by the field.
            _ => return event.stop_propagation(),
        }
        event.prevent_default();
        event.stop_propagation();
    };
    // An unchanged cell was only viewed; changed text waits for Enter or Escape.
    let on_blur = move |_| {
        sheet.editing.try_update(|editing| {
            if editing
                .as_ref()
                .is_some_and(|own| !own.is_applying && own.text == before)
            {
                *editing = None;
            }
        });
    };
    let text = move || {
        sheet.editing.with(|editing| {
            editing
                .as_ref()
                .map(|own| own.text.clone())
                .unwrap_or_default()
        })
    };
    view! {
        <input
            node_ref=node
            class="table-input"
            type="text"
            autocomplete="off"
            spellcheck="false"
            aria-label=name
            aria-invalid=move || (!error().is_empty()).then_some("true")
            aria-describedby=note.clone()
            placeholder=if column == Column::Skips { "names, separated by commas" } else { "none" }
            use:field_text=Signal::derive(text)
            on:input=move |event| {
                let text = event_target_value(&event);
                sheet.editing.update(|editing| {
                    if let Some(own) = editing {
                        own.text = text;
                        own.error = String::new();
                    }
                });
            }
            on:keydown=on_key
            on:blur=on_blur
            on:click=move |event| event.stop_propagation()
            on:dblclick=move |event| event.stop_propagation()
        />
        <span class="table-note" data-tone=move || is_bad().then_some("error")>
            <span id=note>
                {move || {
                    let error = error();
                    let warning = failing.with(|(warning, _)| warning.clone());
                    match (error.is_empty(), warning.is_empty()) {
                        (false, _) => error,
                        (true, false) => format!("✕ {warning}. Enter applies it anyway, Escape reverts"),
                        (true, true) => "Enter applies, Escape reverts".to_owned(),
                    }
                }}
            </span>
            <Show when=move || failing.with(|(_, has_other_ways)| *has_other_ways)>
                // Keys and presses belong to the button, not to the grid.
                <span on:keydown=|event| event.stop_propagation() on:click=|event| event.stop_propagation()>
                    " "
                    <Button label="Other ways…" on_press=other_ways/>
                </span>
            </Show>
        </span>
    }
    .into_any()
}

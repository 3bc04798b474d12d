//! The bottom bar: the verdict of the catalog in view, counts, and the privacy promise.

use super::messages::MessagesButton;
use crate::commands::Command;
use crate::context::app_context;
use crate::reactive::memo;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::shortcuts::with_keys;
use crate::words;
use leptos::prelude::*;
use protocol::diagnostic::Severity;
use protocol::views::RootRow;
use protocol::words::cause_in_tree;

#[component]
pub fn StatusBar() -> impl IntoView {
    let app = app_context();
    let row = memo(move |_| app.store.root_row());
    let state = move || {
        row.with(|row| {
            row.as_ref()
                .map_or("none", |row| if row.passed { "passes" } else { "fails" })
        })
    };
    let verdict = move || match row.get() {
        None if app.repository.is_shown().get() => "Repository".into_any(),
        None => "No catalog here".into_any(),
        Some(row) if row.passed => words::passes(&row).into_any(),
        // Number and plural suffix are one text; the suffix is hidden for one.
        Some(row) => {
            let errors = row.errors.max(1);
            let plural = if errors == 1 {
                view! { <span class="visually-hidden">"s"</span> }.into_any()
            } else {
                "s".into_any()
            };
            view! { {format!("{}: {errors} error", words::passes(&row))}{plural} }.into_any()
        }
    };
    let icon = Signal::derive(move || {
        if state() == "passes" {
            Icon::Check
        } else {
            Icon::Error
        }
    });
    let counts = move || {
        app.store.problems.with(|problems| {
            let of = |severity| {
                problems
                    .iter()
                    .filter(|problem| problem.severity == severity)
                    .count() as u32
            };
            // Same count as in the problems tab and its chips.
            let infos = of(Severity::Info);
            let infos = if infos == 0 {
                String::new()
            } else {
                format!(" · {infos} info")
            };
            format!(
                "{} · {}{infos}",
                words::count(of(Severity::Error), "error"),
                words::count(of(Severity::Warning), "warning")
            )
        })
    };
    let of_repository = move || {
        let view = app
            .repository
            .view()
            .get()
            .filter(|_| app.repository.is_shown().get())?;
        let (operators, catalogs) = (view.operators.len() as u32, view.catalogs.len() as u32);
        Some(format!(
            "{} · {}",
            words::count(operators, "operator"),
            words::count(catalogs, "catalog")
        ))
    };
    let totals = move || {
        if let Some(totals) = of_repository() {
            return totals;
        }
        let packages = row.with(|row| row.as_ref().map_or(0, |row| row.packages));
        // The packages are those of the catalog in view; the size is that of all files.
        let (bytes, among) = app
            .store
            .status
            .with(|status| (status.bytes, among(&status.roots)));
        format!(
            "{} · {}{among} · opened in {:.2} s",
            words::packages(packages),
            words::bytes(bytes),
            app.current.open_ms.get() / 1000.0
        )
    };
    // The verdict looks clickable, and is; the button beside it does the same for the keyboard.
    let show_problems = move |_| {
        if row.with_untracked(Option::is_some) {
            app.show_problems();
        }
    };
    let verdict_message = move || row.with(|row| row.as_ref().map(message).unwrap_or_default());
    view! {
        <footer class="status">
            <span class="status-verdict" data-state=state on:click=show_problems>
                <span hidden=move || state() == "none"><Glyph icon=icon/></span>
                <span role="status" aria-label="Verdict" aria-description=UNSEEN>{move || if app.current.progress.get().is_some() { "Checking…".into_any() } else { verdict() }}</span>
            </span>
            <span class="status-message" title=move || format!("{}\n\n{UNSEEN}", verdict_message())>
                <span>{move || cause_in_tree(&verdict_message()).to_owned()}</span>
            </span>
            <button
                type="button"
                class="status-button"
                hidden=move || row.with(Option::is_none)
                title=with_keys("Show the problems", Command::Problems.keys())
                on:click=show_problems
            >
                {counts}
            </button>
            <span class="status-fact">{totals}</span>
            <span class="status-fact">"Files never leave this tab"</span>
            <MessagesButton/>
        </footer>
    }
    .into_any()
}

/// `opm`'s message; for a template, why there is none.
fn message(row: &RootRow) -> String {
    match &row.template {
        Some(template) => template.says.join(" · "),
        None if row.rendered.as_ref().is_some_and(|of| !of.is_complete()) => {
            "validated once its bundles are open".to_owned()
        }
        None if row.passed => "as far as a browser sees the files".to_owned(),
        None => row.opm_message.clone(),
    }
}

/// What no verdict in the page can know.
const UNSEEN: &str = "Browsers hide some files of a folder: links to other files (symbolic links), and names that are not UTF-8. `opm validate` reads these too, so its verdict may differ. In a Git work tree, Switchyard finds them in Git’s index and reports them as problems; in archives it reads links.";

/// ` in 2 catalogs and 5 templates`; "" for a single one.
fn among(roots: &[RootRow]) -> String {
    let catalogs = roots.iter().filter(|row| row.is_catalog()).count() as u32;
    let templates = roots.iter().filter(|row| row.is_template()).count() as u32;
    let counted = [(catalogs, "catalog"), (templates, "template")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| words::count(count, what))
        .collect::<Vec<_>>();
    match catalogs + templates {
        0 | 1 => String::new(),
        _ => format!(" in {}", counted.join(" and ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::templates::TemplateRow;

    #[test]
    fn templates_are_not_counted_as_catalogs() {
        let catalog = RootRow::default();
        assert_eq!(among(std::slice::from_ref(&catalog)), "");
        assert_eq!(among(&[catalog.clone(), catalog.clone()]), " in 2 catalogs");
        let template = RootRow {
            template: Some(TemplateRow::default()),
            ..RootRow::default()
        };
        assert_eq!(
            among(&[catalog, template.clone(), template]),
            " in 1 catalog and 2 templates"
        );
    }
}

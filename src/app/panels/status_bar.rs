//! The bottom bar: the verdict of the catalog in view, counts, and messages.

use crate::context::navigation;
use crate::prelude::*;
use crate::widgets::toast::ToastRegion;
use protocol::MATCHED_OPM;
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::views::RootRow;
use protocol::words::cause_in_tree;

/// The limits of a verdict in the page.
const VERDICT_LIMITS: &str = "Browsers hide some files of a folder: links to other files (symbolic links), and names \
    that are not UTF-8. `opm` reads these too, so its verdict may differ. In a Git work tree, Switchyard finds \
    them in Git’s index and reports them as problems; in archives it reads links.";

#[component]
pub fn StatusBar() -> impl IntoView {
    let app = app_context();
    let row = memo(move |_| app.store.root_row());
    let state = move || {
        row.with(|row| match row.as_ref().map(RootRow::validity) {
            None => "none",
            Some(None) => "unknown",
            Some(Some(true)) => "passes",
            Some(Some(false)) => "fails",
        })
    };
    let verdict = move || match row.get() {
        None if app.repository.in_view.get() => "Repository".to_owned(),
        None => "No catalog here".to_owned(),
        Some(row) => words::verdict(&row),
    };
    let icon = derived(move || {
        if state() == "passes" {
            Icon::Check
        } else {
            Icon::Error
        }
    });
    let counts = move || app.store.problems.with(|problems| count_problems(problems));
    let totals = move || {
        repository_totals(app).unwrap_or_else(|| {
            let packages = row.with(|row| row.as_ref().map_or(0, |row| row.packages));
            words::count(packages, "package")
        })
    };
    // Only for pointers, since the verdict looks clickable; keyboard users have the button beside
    // it.
    let show_problems = move |_| {
        if row.with_untracked(Option::is_some) {
            navigation::show_problems(app);
        }
    };
    let opm_version = move || {
        let validity = row.with(|row| row.as_ref().and_then(RootRow::validity));
        validity.map_or_else(String::new, |_| {
            format!("The verdict is that of opm {MATCHED_OPM}. ")
        })
    };
    let message = move || row.with(|row| row.as_ref().map(verdict_message).unwrap_or_default());
    view! {
        <footer class="status">
            <span class="status-verdict" data-state=state on:click=show_problems>
                <span hidden=move || !matches!(state(), "passes" | "fails")><Glyph icon=icon/></span>
                <span role="status" aria-label="Verdict" aria-description=VERDICT_LIMITS>{move || if app.current.progress.get().is_some() { "Checking…".to_owned() } else { verdict() }}</span>
            </span>
            <span class="status-message" title=move || format!("{}\n\n{}{VERDICT_LIMITS}", message(), opm_version())>
                <span>{move || cause_in_tree(&message())}</span>
            </span>
            <ToastRegion toasts=app.notifications.toasts/>
            <button
                type="button"
                class="status-button"
                hidden=move || row.with(|row| row.as_ref().is_none_or(RootRow::is_refused))
                title="Show the problems"
                on:click=show_problems
            >
                {counts}
            </button>
            <span class="status-fact">{totals}</span>
        </footer>
    }
    .into_any()
}

/// Formats the number of problems by severity, as in the problems panel.
fn count_problems(problems: &[Diagnostic]) -> String {
    let count = |severity| {
        let matching = problems
            .iter()
            .filter(|problem| problem.severity == severity);
        matching.count() as u32
    };
    let errors = words::count(count(Severity::Error), "error");
    let warnings = words::count(count(Severity::Warning), "warning");
    match count(Severity::Info) {
        0 => format!("{errors} · {warnings}"),
        infos => format!("{errors} · {warnings} · {infos} info"),
    }
}

/// Formats the numbers of operators and catalogs; `None` if no repository is in view.
fn repository_totals(app: AppContext) -> Option<String> {
    let view = app
        .repository
        .view
        .get()
        .filter(|_| app.repository.in_view.get())?;
    let operators = words::count(view.operators.len() as u32, "operator");
    let catalogs = words::count(view.catalogs.len() as u32, "catalog");
    Some(format!("{operators} · {catalogs}"))
}

/// Returns `opm`'s message, or the reason why a template has none.
fn verdict_message(row: &RootRow) -> String {
    match &row.template {
        Some(template) => template.sentences.join(" · "),
        None if row.missing_bundles() > 0 => "validated once its bundles are open".to_owned(),
        None if row.passed => "as far as a browser sees the files".to_owned(),
        None => row.opm_message.clone(),
    }
}

//! Findings in repository files: problem, position, remedy.

use crate::context::{AppContext, TaskDialog};
use crate::widgets::button::Button;
use crate::widgets::code_text::in_code;
use crate::widgets::icon::{Glyph, Icon};
use leptos::prelude::*;
use protocol::repository::{RepositoryFinding, RepositoryTask};

/// The list; a position links to the text. `operator` is the one whose files are opened.
#[component]
pub(super) fn Findings(
    app: AppContext,
    operator: String,
    findings: Vec<RepositoryFinding>,
    label: &'static str,
) -> impl IntoView {
    let items = findings
        .into_iter()
        .map(|finding| item(app, &operator, finding))
        .collect_view();
    view! { <ul class="repo-list" aria-label=label>{items}</ul> }.into_any()
}

fn item(app: AppContext, operator: &str, finding: RepositoryFinding) -> impl IntoView + use<> {
    let RepositoryFinding {
        check,
        is_error,
        message,
        file,
        opened,
        line,
        help,
        fix,
    } = finding;
    let (tone, icon, word) = match is_error {
        true => ("error", Icon::Error, "Error: "),
        false => ("advice", Icon::Warning, "Warning: "),
    };
    let place = if line > 0 {
        format!("{file}:{line}")
    } else {
        file.clone()
    };
    let is_text = [".yaml", ".yml", ".json"]
        .iter()
        .any(|ending| file.ends_with(ending))
        && !opened.is_empty();
    let go = {
        let operator = operator.to_owned();
        move |_| app.open_repository_file(operator.clone(), opened.clone(), line)
    };
    let task = RepositoryTask::Fix {
        operator: operator.to_owned(),
        check: check.clone(),
        file: file.clone(),
        line,
    };
    view! {
        <li class="repo-finding">
            <span class="mark" data-tone=tone>
                <Glyph icon=icon/>
                <span class="visually-hidden">{word}</span>
            </span>
            <div class="repo-finding-text">
                <p>
                    {in_code(&message)} {(!check.is_empty()).then(|| view! { " " <span class="repo-check">{check}</span> })}
                </p>
                {(!help.is_empty()).then(|| view! { <p class="dim">{in_code(&sentence(&help))}</p> })}
                <p>
                    {match is_text {
                        true => view! { <button type="button" class="link" on:click=go>{place}</button> }.into_any(),
                        false => view! { <span class="mono">{place}</span> }.into_any(),
                    }}
                </p>
                {(!fix.is_empty())
                    .then(|| {
                        let press = move |()| app.repository.open_task(TaskDialog::Plain(task.clone()));
                        view! { <Button label=format!("{}…", fix.replace('`', "")) on_press=press/> }
                    })}
            </div>
        </li>
    }
    .into_any()
}

/// A hint as a sentence.
fn sentence(help: &str) -> String {
    let mut letters = help.chars();
    let first = letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect());
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

//! The pull requests of the last repository task, each with its commit message and patch.

use crate::context::saving;
use crate::prelude::*;
use protocol::repository::PullRequest;

/// The pull requests in order; nothing without a task.
#[component]
pub(super) fn PullRequests(app: AppContext) -> impl IntoView {
    move || {
        let requests = app.repository.pull_requests.get();
        let label = match requests.len() {
            0 => return None,
            1 => "Open one pull request",
            _ => "Open two pull requests, in this order",
        };
        let items = requests
            .into_iter()
            .enumerate()
            .map(|(index, request)| request_item(app, index, request))
            .collect_view();
        Some(view! {
            <section class="review-pull-requests" aria-label="Pull requests">
                <h3 class="repo-title">{label}</h3>
                <ol class="repo-requests">{items}</ol>
            </section>
        })
    }
}

fn request_item(app: AppContext, index: usize, pull_request: PullRequest) -> AnyView {
    let command = format!("git apply {}", pull_request.patch);
    let title = pull_request
        .message
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned();
    let (message, copied_command) = (pull_request.message.clone(), command.clone());
    let instruction = if index == 1 {
        "After the first is merged: these repositories take bundles or catalogs in one pull request, not both."
    } else {
        "In the folder of the repository, on a new branch:"
    };
    let files = words::count(pull_request.files.len() as u32, "file");
    let patch = pull_request.patch.clone();
    view! {
        <li class="repo-request">
            <p><strong>{title}</strong> " " <span class="dim">{files}</span></p>
            <p class="dim">{instruction}</p>
            <pre class="repo-text" tabindex="0" role="group" aria-label=format!("Commit message of {patch}")>{pull_request.message.clone()}</pre>
            <p class="mono">{command}</p>
            <div class="repo-actions">
                <Button
                    label=format!("Download {}", pull_request.patch)
                    icon=Icon::Download
                    look=Look::Primary
                    on_press=move |()| saving::download_pull_request(app, &pull_request)
                />
                <Button
                    label="Copy commit message"
                    icon=Icon::Copy
                    on_press=move |()| saving::copy_text(app, message.clone(), "Commit message copied.".to_owned())
                />
                <Button
                    label="Copy git apply"
                    icon=Icon::Copy
                    on_press=move |()| saving::copy_text(app, copied_command.clone(), "Command copied.".to_owned())
                />
            </div>
        </li>
    }
    .into_any()
}

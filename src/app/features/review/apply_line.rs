//! How to apply the patch: a `git` command with the folder of the repository. If the opened files
//! contain no `.git`, the browser does not reveal that folder, so the user is asked once, and the
//! answer is stored by folder name.

use crate::browser::local_storage;
use crate::context::AppContext;
use crate::widgets::button::Button;
use crate::widgets::field_text::field_text;
use crate::widgets::icon::Icon;
use crate::words;
use leptos::prelude::*;

/// The storage key of the answer for a folder.
fn key(folder: &str) -> String {
    format!("repository-folder.{folder}")
}

/// The command, run at the top of the repository; `folder` is the opened one relative to it.
fn command(folder: &str, patch: &str) -> String {
    let folder = folder.trim().trim_matches('/');
    match folder {
        "" | "." => format!("git apply {}", quote(patch)),
        folder => format!("git apply --directory={} {}", quote(folder), quote(patch)),
    }
}

/// The command if the opened files contain the repository: strips its `folder`, as named in the
/// patch.
fn command_in(folder: &str, patch: &str) -> String {
    match folder.split('/').filter(|part| !part.is_empty()).count() {
        0 => command("", patch),
        depth => format!("git apply -p{} {}", depth + 1, quote(patch)),
    }
}

/// Where to run the command, and the label of the question; `tops` are the opened folders.
fn folder_hint(tops: &[String]) -> (String, &'static str) {
    match tops {
        [] | [_] => (
            "Run this in the root folder of the repository, or in the opened folder:".to_owned(),
            "The opened folder in the repository",
        ),
        several => (
            format!(
                "Run this in the root folder of the repository, or in the folder that holds {}:",
                words::list_names(several)
            ),
            "That folder in the repository",
        ),
    }
}

/// Quotes a word for a shell.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/+:@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// `patch` is the file name of *Download patch*.
#[component]
pub(super) fn ApplyLine(
    app: AppContext,
    patch: String,
    git_folder: Signal<Option<String>>,
    tops: Vec<String>,
) -> impl IntoView {
    let (place, label) = folder_hint(&tops);
    let of = key(&patch);
    let folder = RwSignal::new(local_storage::preference(&of).unwrap_or_default());
    let line = Signal::derive(move || match git_folder.get() {
        Some(within) => command_in(&within, &patch),
        None => command(&folder.get(), &patch),
    });
    let is_seen = move || git_folder.with(Option::is_some);
    let copy = move |()| {
        app.exports
            .copy_text(line.get_untracked(), "Command copied.".to_owned())
    };
    view! {
        <div class="review-apply">
            <p class="dim" hidden=move || !is_seen()>"The opened files are in a git repository. Run this in the root folder of the repository:"</p>
            <p class="dim" hidden=is_seen>{place}</p>
            <label class="question-label" hidden=is_seen>
                {label} " "
                <input
                    class="field-input"
                    placeholder="none: it is the root folder"
                    autocomplete="off"
                    spellcheck="false"
                    use:field_text=Signal::from(folder)
                    on:input=move |event| {
                        let typed = event_target_value(&event);
                        local_storage::set_preference(&of, &typed);
                        folder.set(typed);
                    }
                />
            </label>
            <code class="review-apply-line">{line}</code>
            <Button label="Copy git apply" icon=Icon::Copy look=crate::widgets::button::Look::Quiet on_press=copy/>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_folders_refer_to_their_parent() {
        let tops = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        assert!(
            folder_hint(&tops(&["catalogs"]))
                .0
                .ends_with("in the opened folder:")
        );
        let (place, label) = folder_hint(&tops(&["broken", "hub"]));
        assert!(
            place.ends_with("in the folder that holds broken, hub:"),
            "{place}"
        );
        assert_eq!(label, "That folder in the repository");
    }

    #[test]
    fn the_line_names_the_folder_where_it_is_not_the_top() {
        assert_eq!(command("", "catalogs.patch"), "git apply catalogs.patch");
        assert_eq!(
            command("/a/catalogs/", "catalogs.patch"),
            "git apply --directory=a/catalogs catalogs.patch"
        );
        assert_eq!(command_in("", "a.patch"), "git apply a.patch");
        assert_eq!(command_in("some/repo", "a.patch"), "git apply -p3 a.patch");
        assert_eq!(
            command("my folder", "it's.patch"),
            r"git apply --directory='my folder' 'it'\''s.patch'"
        );
    }
}

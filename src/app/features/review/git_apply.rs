//! The `git` command that applies the downloaded patch. It runs at the top of the repository. If
//! the opened files do not show where that is, the user is asked once: the browser does not reveal
//! it.

use crate::browser::storage;
use crate::context::{AppContext, saving};
use crate::widgets::buttons::{Button, Look};
use crate::widgets::dom::field_text;
use crate::widgets::icon::Icon;
use crate::words;
use leptos::prelude::*;

/// The question where the paths of the patch start, if that is not the top of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FolderQuestion {
    text: String,
    /// Identifies the folder in storage.
    folder: String,
    prefill: String,
}

impl FolderQuestion {
    /// `tops` are the opened folders.
    fn new(tops: &[String]) -> Self {
        let (what, folder, prefill) = match tops {
            [] => ("are these files".to_owned(), String::new(), String::new()),
            // The files contain no `.git`: this is probably not the top.
            [top] => (format!("is the folder {top}"), top.clone(), top.clone()),
            several => {
                let names = words::list_names(several);
                let what = format!("is the folder that holds {names}");
                (what, several.join("/"), String::new())
            }
        };
        Self {
            text: format!("Where {what} in your repository?"),
            folder,
            prefill,
        }
    }

    fn key(&self) -> String {
        format!("repository-folder.{}", self.folder)
    }

    /// Returns the last answer, or else a likely one.
    fn answer(&self) -> String {
        storage::preference(&self.key()).unwrap_or_else(|| self.prefill.clone())
    }
}

/// Returns the command to run at the top of the repository. `folder` is where the paths of the
/// patch start.
fn command(folder: &str, patch: &str) -> String {
    let folder = folder.trim().trim_matches('/');
    match folder {
        "" | "." => format!("git apply {}", quote(patch)),
        folder => format!("git apply --directory={} {}", quote(folder), quote(patch)),
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

/// The command with its question. `patch` is the file name of *Download patch*.
#[component]
pub(super) fn GitApply(
    app: AppContext,
    patch: String,
    starts_at_repository: Signal<bool>,
    tops: Vec<String>,
) -> impl IntoView {
    let question = FolderQuestion::new(&tops);
    let key = question.key();
    let folder = RwSignal::new(question.answer());
    let line = Signal::derive(move || {
        if starts_at_repository.get() {
            command("", &patch)
        } else {
            command(&folder.get(), &patch)
        }
    });
    let copy = move |()| saving::copy_text(app, line.get_untracked(), "Command copied.".to_owned());
    view! {
        <div class="review-apply">
            <label class="question-label" hidden=move || starts_at_repository.get()>
                {question.text} " "
                <input
                    class="field-input"
                    placeholder="empty for the root folder"
                    autocomplete="off"
                    spellcheck="false"
                    use:field_text=Signal::from(folder)
                    on:input=move |event| {
                        let typed = event_target_value(&event);
                        storage::set_preference(&key, &typed);
                        folder.set(typed);
                    }
                />
            </label>
            <p>"Download the patch and run this in the root folder of the repository:"</p>
            <p>
                <code class="review-apply-line">{line}</code>
                " "
                <Button label="Copy git apply" icon=Icon::Copy look=Look::Quiet on_press=copy/>
            </p>
            <p class="dim">
                "If you run it in another folder, git may skip the patch without a message: check with "
                <code>"git status"</code> "."
            </p>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_for_the_folder_that_the_paths_are_relative_to() {
        let question = |tops: &[&str]| {
            let tops: Vec<String> = tops.iter().map(|top| (*top).to_owned()).collect();
            FolderQuestion::new(&tops)
        };
        let one = question(&["v4.20"]);
        assert_eq!(one.text, "Where is the folder v4.20 in your repository?");
        assert_eq!(one.prefill, "v4.20");
        let several = question(&["broken", "hub"]);
        assert_eq!(
            several.text,
            "Where is the folder that holds broken, hub in your repository?"
        );
        assert_eq!(several.prefill, "");
    }

    #[test]
    fn the_command_names_the_folder_unless_it_is_the_top() {
        assert_eq!(command("", "catalogs.patch"), "git apply catalogs.patch");
        assert_eq!(
            command("/a/catalogs/", "catalogs.patch"),
            "git apply --directory=a/catalogs catalogs.patch"
        );
        assert_eq!(
            command("my folder", "it's.patch"),
            r"git apply --directory='my folder' 'it'\''s.patch'"
        );
    }
}

//! The `git` command that applies the downloaded patch. It runs at the top of the repository. If
//! the opened files do not show where that is, the user is asked once: the browser does not reveal
//! it.

use crate::browser::storage;
use crate::context::saving;
use crate::prelude::*;
use crate::state::repository::parse_version;
use crate::widgets::dom::field_text;
use protocol::views::FileDiff;

/// The folder of all catalogs in a repository of operators.
const CATALOGS: &str = "catalogs";

/// The question where the paths of the patch start, if that is not the top of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FolderQuestion {
    text: String,
    /// Identifies the folder in storage.
    folder: String,
    prefill: String,
}

impl FolderQuestion {
    /// `tops` are the opened folders, `file` is a changed file.
    fn new(tops: &[String], file: &FileDiff) -> Self {
        let start = file.path.strip_suffix(&file.patch_path).unwrap_or_default();
        let start = start.trim_end_matches('/');
        let (what, folder, likely) = match (start, tops) {
            ("", []) => ("are these files".to_owned(), String::new(), ""),
            ("", tops) => {
                let what = format!("is the folder that holds {}", words::list_names(tops));
                let is_version = |top: &String| parse_version(top).is_some();
                let likely = if tops.iter().all(is_version) {
                    CATALOGS
                } else {
                    ""
                };
                // Differs from the key of an only folder.
                (what, format!("{}/..", tops.join("/")), likely)
            }
            // The files contain no `.git`: this is probably not the top, unless it has the folder of
            // all catalogs.
            (start, _) => {
                let is_top = file.patch_path.split('/').next() == Some(CATALOGS);
                let likely = if is_top { "" } else { start };
                (format!("is the folder {start}"), start.to_owned(), likely)
            }
        };
        Self {
            text: format!("Where {what} in your repository?"),
            folder,
            prefill: likely.to_owned(),
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
    starts_at_repository: RwSignal<bool>,
    tops: Vec<String>,
    /// A changed file.
    file: FileDiff,
) -> impl IntoView {
    let question = FolderQuestion::new(&tops, &file);
    let key = question.key();
    let folder = RwSignal::new(question.answer());
    let line = derived(move || {
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
        let question = |tops: &[&str], path: &str, patch_path: &str| {
            let tops: Vec<String> = tops.iter().map(|top| (*top).to_owned()).collect();
            let file = FileDiff {
                path: path.to_owned(),
                patch_path: patch_path.to_owned(),
                ..FileDiff::default()
            };
            let FolderQuestion { text, prefill, .. } = FolderQuestion::new(&tops, &file);
            (text, prefill)
        };
        let expected = |what: &str, prefill: &str| {
            let text = format!("Where {what} in your repository?");
            (text, prefill.to_owned())
        };
        assert_eq!(
            question(&["v4.20"], "v4.20/p/c.yaml", "p/c.yaml"),
            expected("is the folder v4.20", "v4.20")
        );
        assert_eq!(
            question(&["v4.20"], "v4.20/p/c.yaml", "v4.20/p/c.yaml"),
            expected("is the folder that holds v4.20", "catalogs"),
            "a single file is open beside it"
        );
        assert_eq!(
            question(&["v4.19", "v4.20"], "v4.20/p/c.yaml", "v4.20/p/c.yaml"),
            expected("is the folder that holds v4.19, v4.20", "catalogs")
        );
        assert_eq!(
            question(&["broken", "hub"], "hub/p/c.yaml", "hub/p/c.yaml"),
            expected("is the folder that holds broken, hub", "")
        );
        assert_eq!(
            question(
                &["fbc"],
                "fbc/catalogs/v4.20/c.yaml",
                "catalogs/v4.20/c.yaml"
            ),
            expected("is the folder fbc", "")
        );
        assert_eq!(
            question(&[], "c.yaml", "c.yaml"),
            expected("are these files", "")
        );
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

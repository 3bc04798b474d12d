//! Updates the open page after changes of the sources: replaces a style sheet, or rebuilds and reloads the page. Shows
//! compiler errors in the page. Must not know how a page is served.

use crate::build::{self, Page};
use crate::run::say;
use crate::tools::{BuildTools, project};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// How often files are checked for changes, which takes 5 ms.
const LOOK: Duration = Duration::from_millis(250);

/// The events that open pages receive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PageEvent {
    /// File name of the new style sheet.
    Style(String),
    /// A page was built and must be reloaded.
    Built,
    /// A build is running.
    Building,
    /// The compiler's output for sources that do not build.
    Failed(String),
}

impl PageEvent {
    /// Formats a server-sent event.
    pub(crate) fn event(&self) -> String {
        let (name, text) = match self {
            PageEvent::Style(sheet) => ("style", sheet.as_str()),
            PageEvent::Built => ("built", ""),
            PageEvent::Building => ("building", ""),
            PageEvent::Failed(message) => ("failed", message.as_str()),
        };
        let lines: String = text
            .split('\n')
            .map(|line| format!("data: {}\n", line.trim_end_matches('\r')))
            .collect();
        format!("event: {name}\n{lines}\n")
    }
}

/// The newest event, for any number of pages.
#[derive(Debug, Default)]
pub(crate) struct Board {
    newest: Mutex<(u64, Option<PageEvent>)>,
    changed: Condvar,
}

impl Board {
    pub(crate) fn post(&self, news: PageEvent) {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        *newest = (newest.0 + 1, Some(news));
        self.changed.notify_all();
    }

    /// The number of the latest event.
    pub(crate) fn number(&self) -> u64 {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits for an event after this number; `None` after `patience`.
    pub(crate) fn next_after(&self, number: u64, patience: Duration) -> Option<(u64, PageEvent)> {
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let (newest, _) = self
            .changed
            .wait_timeout_while(newest, patience, |newest| newest.0 == number)
            .unwrap_or_else(PoisonError::into_inner);
        let (now, news) = &*newest;
        news.clone()
            .filter(|_| *now != number)
            .map(|news| (*now, news))
    }
}

/// Watches the sources forever.
pub(crate) fn sources(tools: &BuildTools, page: Page, board: &Board) -> ! {
    let mut known = dates(&build::sources());
    // After a failed build, even a change of a style sheet needs a build.
    let mut is_behind = false;
    loop {
        std::thread::sleep(LOOK);
        let now = dates(&build::sources());
        let changed = differing(&known, &now);
        if changed.is_empty() {
            continue;
        }
        // Some editors write a file in two steps, so wait for the second.
        std::thread::sleep(LOOK / 5);
        known = dates(&build::sources());
        let news = follow_change(tools, page, &changed, is_behind, board);
        is_behind = matches!(news, PageEvent::Failed(_));
        board.post(news);
    }
}

fn follow_change(
    tools: &BuildTools,
    page: Page,
    changed: &[PathBuf],
    is_behind: bool,
    board: &Board,
) -> PageEvent {
    let relative_path = |path: &PathBuf| {
        path.strip_prefix(project())
            .unwrap_or(path)
            .display()
            .to_string()
    };
    say(&format!(
        "changed: {}",
        changed
            .iter()
            .map(relative_path)
            .collect::<Vec<_>>()
            .join(", ")
    ));
    if !is_behind && changed.iter().all(|path| is_style(path)) {
        return match build::restyle(page) {
            Ok(sheet) => PageEvent::Style(sheet),
            Err(message) => failure_event(message),
        };
    }
    board.post(PageEvent::Building);
    match build::again(tools, page) {
        Ok(()) => {
            say("built; open pages are loaded again");
            PageEvent::Built
        }
        Err(message) => failure_event(message),
    }
}

fn failure_event(message: String) -> PageEvent {
    eprintln!("cargo dev: not built; the page stays as it was");
    let is_progress = |line: &str| {
        ["Blocking ", "Compiling ", "Finished ", "Building "]
            .iter()
            .any(|word| line.trim_start().starts_with(word))
    };
    PageEvent::Failed(
        message
            .lines()
            .filter(|line| !is_progress(line))
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

fn is_style(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "css")
}

fn dates(files: &[PathBuf]) -> BTreeMap<PathBuf, SystemTime> {
    let date =
        |file: &PathBuf| Some((file.clone(), std::fs::metadata(file).ok()?.modified().ok()?));
    files.iter().filter_map(date).collect()
}

/// Files that are new, removed or have another date.
fn differing(
    before: &BTreeMap<PathBuf, SystemTime>,
    now: &BTreeMap<PathBuf, SystemTime>,
) -> Vec<PathBuf> {
    let gone = before.keys().filter(|file| !now.contains_key(*file));
    let other = now
        .iter()
        .filter(|(file, date)| before.get(*file) != Some(date))
        .map(|(file, _)| file);
    gone.chain(other).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_are_events() {
        assert_eq!(PageEvent::Built.event(), "event: built\ndata: \n\n");
        assert_eq!(
            PageEvent::Failed("a\r\nb".to_owned()).event(),
            "event: failed\ndata: a\ndata: b\n\n"
        );
    }

    #[test]
    fn failures_omit_the_build_progress() {
        let compiler_output =
            "   Compiling a v1\nerror: x\n  --> src/a.rs:1:1\n    Finished `developing`\n";
        assert_eq!(
            failure_event(compiler_output.to_owned()),
            PageEvent::Failed("error: x\n  --> src/a.rs:1:1".to_owned())
        );
    }

    #[test]
    fn a_waiting_page_receives_later_events() {
        let board = Board::default();
        let seen = board.number();
        assert_eq!(board.next_after(seen, Duration::ZERO), None);
        board.post(PageEvent::Building);
        board.post(PageEvent::Built);
        let (number, news) = board.next_after(seen, Duration::ZERO).unwrap();
        assert_eq!(news, PageEvent::Built);
        assert_eq!(board.next_after(number, Duration::ZERO), None);
    }

    #[test]
    fn added_removed_and_changed_files_differ() {
        let files = |of: &[(&str, u64)]| -> BTreeMap<PathBuf, SystemTime> {
            of.iter()
                .map(|(n, s)| {
                    (
                        PathBuf::from(n),
                        SystemTime::UNIX_EPOCH + Duration::from_secs(*s),
                    )
                })
                .collect()
        };
        let before = files(&[("a", 1), ("b", 1), ("c", 1)]);
        let after = files(&[("b", 1), ("c", 2), ("d", 1)]);
        assert_eq!(
            differing(&before, &after),
            ["a", "c", "d"].map(PathBuf::from)
        );
    }
}

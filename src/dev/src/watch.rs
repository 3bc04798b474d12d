//! Rebuilds the page when its sources change, and reports builds and compiler errors to the open
//! pages.

use crate::build::{self, Page};
use crate::run::{BuildTools, project, say};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// How often files are checked for changes, which takes 5 ms.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Some editors write a file in two steps. A build waits for the second step.
const SETTLING_TIME: Duration = Duration::from_millis(50);

/// The events that open pages receive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageEvent {
    /// File name of the new style sheet.
    Style(String),
    /// A page was built and must be reloaded.
    Built,
    Building,
    /// The compiler's output for sources that do not build.
    Failed(String),
}

impl PageEvent {
    /// Formats the event for an event stream, as server-sent events define it.
    pub fn to_server_sent(&self) -> String {
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
pub struct Board {
    /// The number of events so far, and the last one.
    newest: Mutex<(u64, Option<PageEvent>)>,
    changed: Condvar,
}

impl Board {
    pub fn post(&self, event: PageEvent) {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        *newest = (newest.0 + 1, Some(event));
        self.changed.notify_all();
    }

    pub fn number(&self) -> u64 {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits for an event after this number; `None` after the timeout.
    pub fn next_after(&self, number: u64, timeout: Duration) -> Option<(u64, PageEvent)> {
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let (newest, _) = self
            .changed
            .wait_timeout_while(newest, timeout, |newest| newest.0 == number)
            .unwrap_or_else(PoisonError::into_inner);
        match &*newest {
            (latest, Some(event)) if *latest != number => Some((*latest, event.clone())),
            _ => None,
        }
    }
}

/// Watches the sources forever, rebuilds the page after a change, and posts the outcome.
pub fn watch_sources(tools: &BuildTools, page: Page, board: &Board) -> ! {
    let mut before = dates(&build::sources());
    // After a failed build, even a change of a style sheet needs a build.
    let mut is_outdated = false;
    loop {
        std::thread::sleep(POLL_INTERVAL);
        let now = dates(&build::sources());
        let changed = differing(&before, &now);
        if changed.is_empty() {
            continue;
        }
        std::thread::sleep(SETTLING_TIME);
        before = dates(&build::sources());
        let event = rebuild(tools, page, &changed, is_outdated, board);
        is_outdated = matches!(event, PageEvent::Failed(_));
        board.post(event);
    }
}

/// Updates the page after a change of these files. Returns the event for open pages.
fn rebuild(
    tools: &BuildTools,
    page: Page,
    changed: &[PathBuf],
    is_outdated: bool,
    board: &Board,
) -> PageEvent {
    let project = project();
    let names: Vec<String> = changed
        .iter()
        .map(|path| path.strip_prefix(&project).unwrap_or(path))
        .map(|path| path.display().to_string())
        .collect();
    say(&format!("changed: {}", names.join(", ")));
    let is_style = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "css");
    if !is_outdated && changed.iter().all(is_style) {
        return match build::restyle(page) {
            Ok(sheet) => PageEvent::Style(sheet),
            Err(message) => failure_event(&message),
        };
    }
    board.post(PageEvent::Building);
    match build::rebuild(tools, page) {
        Ok(()) => {
            say("built; open pages are loaded again");
            PageEvent::Built
        }
        Err(message) => failure_event(&message),
    }
}

/// Keeps the compiler's errors and warnings, without cargo's progress messages.
fn failure_event(message: &str) -> PageEvent {
    eprintln!("cargo dev: not built; the page stays as it was");
    let lines: Vec<&str> = message.lines().filter(|line| !is_progress(line)).collect();
    PageEvent::Failed(lines.join("\n"))
}

fn is_progress(line: &str) -> bool {
    ["Blocking ", "Compiling ", "Finished ", "Building "]
        .iter()
        .any(|word| line.trim_start().starts_with(word))
}

fn dates(files: &[PathBuf]) -> BTreeMap<PathBuf, SystemTime> {
    let date =
        |file: &PathBuf| Some((file.clone(), std::fs::metadata(file).ok()?.modified().ok()?));
    files.iter().filter_map(date).collect()
}

/// Returns the files that are new, removed or have another date.
fn differing(
    before: &BTreeMap<PathBuf, SystemTime>,
    now: &BTreeMap<PathBuf, SystemTime>,
) -> Vec<PathBuf> {
    let removed = before.keys().filter(|file| !now.contains_key(*file));
    let new_or_changed = now
        .iter()
        .filter(|(file, date)| before.get(*file) != Some(date))
        .map(|(file, _)| file);
    removed.chain(new_or_changed).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_sent_as_events() {
        assert_eq!(
            PageEvent::Built.to_server_sent(),
            "event: built\ndata: \n\n"
        );
        assert_eq!(
            PageEvent::Failed("a\r\nb".to_owned()).to_server_sent(),
            "event: failed\ndata: a\ndata: b\n\n"
        );
    }

    #[test]
    fn failures_omit_the_build_progress() {
        let compiler_output =
            "   Compiling a v1\nerror: x\n  --> src/a.rs:1:1\n    Finished `developing`\n";
        assert_eq!(
            failure_event(compiler_output),
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

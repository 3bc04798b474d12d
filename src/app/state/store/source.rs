//! The file in the source tab: its position, its lines, and searching in it. Answers about a file
//! that is no longer shown are dropped.

use super::{Notice, StoreSignal};
use crate::state::save_state::FileFailure;
use crate::state::worker_api::{AnyQuery, WorkerApi};
use leptos::prelude::*;
use protocol::diagnostic::Location;
use protocol::query::{FindText, ReadSource};
use protocol::request::SourceAt;
use protocol::response::{AskError, OperationRefusal};
use protocol::views::{FoundText, LineSubject, SourceView};
use std::rc::Rc;
use std::sync::Arc;

/// Number of lines fetched around the requested one, and edited as one text.
const SOURCE_LINES: u32 = 2_000;

/// The position shown in the source tab.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourcePlace {
    /// Path relative to the catalog in view.
    pub file: String,
    /// Line to show, from 1.
    pub line: u32,
    /// Column of the caret, from 1.
    pub column: u32,
    /// Last line to highlight.
    pub end_line: u32,
    /// The column after the text to select, if any.
    pub selection_end: Option<u32>,
}

impl SourcePlace {
    /// Returns the place of the start of a location.
    pub fn new(location: &Location) -> Self {
        Self {
            file: location.file.clone(),
            line: location.line,
            column: location.column,
            end_line: location.end_line,
            selection_end: None,
        }
    }

    /// Returns the place of a search match, which is selected.
    pub fn of_match(location: &Location) -> Self {
        Self {
            selection_end: Some(location.end_column),
            ..Self::new(location)
        }
    }
}

#[derive(Clone, Copy)]
pub struct SourceState {
    root: StoreSignal<String>,
    notices: StoreSignal<Vec<Notice>>,
    worker: StoredValue<Rc<dyn WorkerApi>, LocalStorage>,
    pub place: StoreSignal<Option<SourcePlace>>,
    pub text: StoreSignal<Option<Arc<SourceView>>>,
    /// What the place belongs to.
    pub subject: StoreSignal<Option<LineSubject>>,
    /// A file and a line: the next refresh shows the lines around it, if the file is still shown.
    next: StoredValue<Option<(String, u32)>>,
    /// The file that the last query could not read.
    pub unread: StoreSignal<Option<FileFailure>>,
}

impl SourceState {
    pub(super) fn new(
        root: StoreSignal<String>,
        notices: StoreSignal<Vec<Notice>>,
        worker: StoredValue<Rc<dyn WorkerApi>, LocalStorage>,
    ) -> Self {
        Self {
            root,
            notices,
            worker,
            place: StoreSignal::default(),
            text: StoreSignal::default(),
            subject: StoreSignal::default(),
            next: StoredValue::default(),
            unread: StoreSignal::default(),
        }
    }

    /// Shows other lines of the file, and the blob that contains `line`. Returns whether they were
    /// read.
    pub async fn show_around(self, line: u32) -> bool {
        let count = SOURCE_LINES;
        self.load(SourceAt::Around { line, count }).await
    }

    /// Makes the next refresh show the lines around this one.
    pub fn show_next(self, file: String, line: u32) {
        self.next.set_value(Some((file, line)));
    }

    pub async fn refresh(self) {
        let Some(place) = self.place.get_untracked() else {
            return;
        };
        let next = self.next.try_update_value(Option::take).flatten();
        let next = next.filter(|(file, _)| *file == place.file);
        let root = self.root.get_untracked();
        let range = self.text.with_untracked(|source| {
            let source = source
                .as_ref()
                .filter(|source| source.file == place.file && source.root == root)?;
            let count = SOURCE_LINES.max(source.lines.len() as u32);
            Some(match next {
                Some((_, line)) => SourceAt::Around { line, count },
                None => SourceAt::Lines {
                    first: source.first,
                    count,
                },
            })
        });
        match range {
            Some(range) => self.load(range).await,
            None => self.show_around(place.line).await,
        };
    }

    /// Fetches lines of the file without showing them; `None` after a failure, which is reported.
    pub async fn lines(self, range: SourceAt) -> Option<SourceView> {
        let (root, place) = (self.root.get_untracked(), self.place.get_untracked()?);
        let query = ReadSource {
            root: root.clone(),
            file: place.file.clone(),
            at: range,
            place: place.line,
        };
        let answer = self.worker.get_value().exchange(AnyQuery::new(query)).await;
        let answer = answer.decode_answer::<SourceView>();
        let is_shown = self.is_shown(&root, &place.file);
        match answer {
            Ok(source) if is_shown => {
                self.unread.set(None);
                Some(source)
            }
            Err(AskError::Refused(OperationRefusal {
                reason: message, ..
            })) => {
                let has_lines = self.text.with_untracked(|source| {
                    source
                        .as_ref()
                        .is_some_and(|source| source.file == place.file && source.root == root)
                });
                // Keep the current lines; if there are none, show the reason instead.
                if has_lines {
                    self.notices.push(Notice::Failed(message));
                } else {
                    self.unread.set(Some(FileFailure {
                        path: place.file,
                        reason: message,
                    }));
                }
                None
            }
            _ => None,
        }
    }

    /// Finds the next match of a text in the file. `from` is a line and a column.
    pub async fn find_text(
        self,
        text: String,
        from: (u32, u32),
        backwards: bool,
    ) -> Option<FoundText> {
        let (root, place) = (self.root.get_untracked(), self.place.get_untracked()?);
        let query = FindText {
            root: root.clone(),
            file: place.file.clone(),
            text,
            from,
            backwards,
        };
        let answer = self.worker.get_value().exchange(AnyQuery::new(query)).await;
        let answer = answer.decode_answer().ok();
        let is_shown = self.is_shown(&root, &place.file);
        answer.filter(|_| is_shown)
    }

    async fn load(self, range: SourceAt) -> bool {
        let Some(mut source) = self.lines(range).await else {
            return false;
        };
        let subject = source.subject.take();
        if self.subject.with_untracked(|known| *known != subject) {
            self.subject.set(subject);
        }
        self.text.set(Some(Arc::new(source)));
        true
    }

    /// Whether the text and its subject are of the file in view, not of the one before.
    pub fn is_read(self) -> bool {
        self.place.with(|place| {
            let file = place.as_ref().map(|place| &place.file);
            let text = self.text;
            text.with(|text| text.as_ref().map(|text| &text.file) == file && file.is_some())
        })
    }

    /// Returns the file in view if it does not belong to `package`; `None` until it is read.
    pub fn file_beside(self, package: &str) -> Option<String> {
        let is_of_package = self.subject.with(|subject| {
            subject
                .as_ref()
                .is_some_and(|subject| subject.package == package)
        });
        let place = self.place.get()?;
        (self.is_read() && !is_of_package).then_some(place.file)
    }

    pub(super) fn clear(self) {
        self.text.set(None);
        self.subject.set(None);
        self.next.set_value(None);
        self.unread.set(None);
        self.place.set(None);
    }

    fn is_shown(self, root: &str, file: &str) -> bool {
        self.root.with_untracked(|current| current == root)
            && self
                .place
                .with_untracked(|place| place.as_ref().is_some_and(|place| place.file == file))
    }
}

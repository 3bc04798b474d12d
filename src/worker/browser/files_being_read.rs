//! The files being read: each file's content so far, its indexer, and the number of unread files.

use super::channel::{Server, post_event};
use crate::git_index::{self, HiddenPaths};
use crate::indexing::IndexScheduler;
use catalog::archive::Packing;
use catalog::model::FileId;
use catalog::{Content, TreeEntry};
use protocol::request::{InputFile, OpenMode};
use protocol::response::{Event, Progress};
use repository::layout::Place;
use std::collections::{BTreeSet, HashMap, HashSet};
use web_sys::File;

/// Shortest interval of progress messages to the page.
const REPORT_MS: f64 = 50.0;

pub(super) struct Load {
    pub number: u32,
    /// The `Open` that needs these files; `None` while they are read ahead of it.
    pub open_request: Option<OpenRequest>,
    pub files: Vec<Loaded>,
    pub scheduler: IndexScheduler,
    /// Number of files and Git indices that are not read yet.
    pub unread: usize,
    /// Folders of work trees, with the paths that their Git indices contain but a browser does not
    /// show.
    pub hidden_paths: Vec<(String, HiddenPaths)>,
    pub bytes: u64,
    pub last_report: f64,
}

/// The parameters of an `Open`.
pub(super) struct OpenRequest {
    /// Id of the request to answer.
    pub request: u64,
    pub mode: OpenMode,
    /// The repository that contains the files; its files are opened by name.
    pub place: Option<Place>,
    /// How the files were packed, if they came from one archive.
    pub packing: Option<Packing>,
    /// Indices of the files, in the order in which they were offered.
    pub order: Vec<usize>,
    pub total_bytes: u64,
}

pub(super) struct Loaded {
    pub offered: InputFile,
    pub file: Option<File>,
    pub content: Option<Content>,
    /// Id of its original bytes if they were read earlier.
    pub known_id: Option<FileId>,
    /// Whether it belongs to a repository and is read on demand.
    pub is_listed: bool,
}

impl Loaded {
    pub fn new(offered: InputFile, file: Option<File>) -> Self {
        let content = file.is_none().then(|| unopened_content(&offered));
        Self {
            offered,
            file,
            content,
            known_id: None,
            is_listed: false,
        }
    }

    /// Reuses the content of a file that has not changed on disk.
    pub fn reuse(&mut self, server: &Server) {
        let Some(file) = &self.file else { return };
        let known = server.host.as_on_disk(&self.offered.path);
        // Retry files that could not be read.
        let is_read =
            |known: &TreeEntry| matches!(known.content, Content::Indexed(_) | Content::Ignore(_));
        if let Some(known) =
            known.filter(|known| is_read(known) && server.source.is_same(known.id, file))
        {
            self.content = Some(known.content);
            self.known_id = Some(known.id);
        }
    }

    /// Returns the folder of the work tree and the file, if this is a Git index of acceptable size.
    pub fn git_index(&self) -> Option<(&str, &File)> {
        let folder = git_index::work_tree(&self.offered.path)
            .filter(|_| self.offered.size <= git_index::MAX_INDEX_BYTES)?;
        Some((folder, self.file.as_ref()?))
    }

    /// Whether an indexer must read the file.
    pub fn needs_index(&self) -> bool {
        self.content.is_none() && !self.is_ignore_file()
    }

    pub fn is_ignore_file(&self) -> bool {
        self.offered.path.rsplit('/').next() == Some(".indexignore")
    }
}

impl Load {
    pub fn new(server: &mut Server) -> Self {
        server.loads += 1;
        let mut scheduler = IndexScheduler::default();
        for (&indexer, port) in &server.indexers {
            if port.is_running {
                scheduler.mark_started(indexer);
            } else {
                scheduler.add_indexer(indexer);
            }
        }
        Self {
            number: server.loads,
            open_request: None,
            files: Vec::new(),
            scheduler,
            unread: 0,
            hidden_paths: Vec::new(),
            bytes: 0,
            last_report: 0.0,
        }
    }

    /// Adds files that the load does not contain yet.
    pub fn append(&mut self, files: Vec<Loaded>) {
        let first_new = self.files.len();
        self.files.extend(files);
        let added = || (0..).zip(&self.files).skip(first_new);
        self.unread += added().filter(|(_, file)| file.content.is_none()).count();
        let to_index = added().filter(|(_, file)| file.needs_index());
        self.scheduler
            .add_files(to_index.map(|(index, file)| (index, file.offered.size)));
    }

    /// Adds those of the files that the load does not have. Returns the index of each in the load.
    pub fn add_missing(&mut self, files: Vec<Loaded>) -> Vec<usize> {
        let known: HashMap<String, usize> = self
            .files
            .iter()
            .zip(0..)
            .map(|(file, index)| (file.offered.path.clone(), index))
            .collect();
        let (mut order, mut missing) = (Vec::with_capacity(files.len()), Vec::new());
        for file in files {
            let next = self.files.len() + missing.len();
            let index = known.get(&file.offered.path).copied();
            order.push(index.unwrap_or(next));
            if index.is_none() {
                missing.push(file);
            }
        }
        self.append(missing);
        order
    }

    /// Whether all files of the load are among `files` and have not changed since they were
    /// offered.
    pub fn is_part_of(&self, files: &[Loaded]) -> bool {
        let offered: HashSet<&InputFile> = files
            .iter()
            .filter(|file| !file.is_listed)
            .map(|file| &file.offered)
            .collect();
        self.files
            .iter()
            .all(|file| offered.contains(&file.offered))
    }

    pub fn is_done(&self) -> bool {
        self.open_request.is_some() && self.unread == 0
    }

    pub fn add_content(&mut self, file: u32, content: Content) {
        if let Some(loaded) = self.files.get_mut(file as usize)
            && loaded.content.is_none()
        {
            loaded.content = Some(content);
            self.unread -= 1;
        }
    }

    pub fn report_progress(&mut self) {
        let Some(open_request) = &self.open_request else {
            return;
        };
        let now = js_sys::Date::now();
        if now - self.last_report < REPORT_MS {
            return;
        }
        self.last_report = now;
        post_event(Event::Progress(Progress {
            bytes: self.bytes.min(open_request.total_bytes),
            total_bytes: open_request.total_bytes,
            files: self.files.len().saturating_sub(self.unread) as u32,
            total_files: self.files.len() as u32,
        }));
    }

    pub fn sort_files(&mut self, order: &[usize]) {
        let mut files: Vec<Option<Loaded>> = std::mem::take(&mut self.files)
            .into_iter()
            .map(Some)
            .collect();
        self.files = order
            .iter()
            .filter_map(|&at| files.get_mut(at)?.take())
            .collect();
    }

    /// Adds the links and other files that the browser did not show.
    pub fn add_hidden_files(&mut self, place: Option<&Place>) {
        let hidden: Vec<git_index::HiddenFile> = {
            let opened: BTreeSet<&str> = self
                .files
                .iter()
                .map(|file| file.offered.path.as_str())
                .collect();
            // If only an operator's folders are known, its links are found when its files are read.
            let operator_of = |path: &str| place.and_then(|place| place.operator_of(path));
            let has_outline = opened.iter().any(|path| path.ends_with('/'));
            let read_operators: BTreeSet<String> = opened
                .iter()
                .filter(|path| has_outline && !path.ends_with('/'))
                .filter_map(|path| operator_of(path))
                .collect();
            let is_needed = |path: &str| {
                !has_outline
                    || operator_of(path).is_none_or(|operator| read_operators.contains(&operator))
            };
            let in_work_tree = |(folder, paths): &(String, HiddenPaths)| {
                git_index::hidden_files(paths, folder, &opened, is_needed)
            };
            self.hidden_paths.iter().flat_map(in_work_tree).collect()
        };
        for git_index::HiddenFile {
            path,
            content,
            hides_below,
        } in hidden
        {
            if hides_below {
                let below = format!("{path}/");
                self.files
                    .retain(|file| !file.offered.path.starts_with(&below));
            }
            let offered = InputFile {
                path,
                ..InputFile::default()
            };
            let is_listed =
                place.is_some_and(|place| place.repository_path(&offered.path).is_some());
            self.files.push(Loaded {
                content: Some(content),
                is_listed,
                ..Loaded::new(offered, None)
            });
        }
    }
}

fn unopened_content(offered: &InputFile) -> Content {
    Content::Unreadable(if offered.unreadable.is_empty() {
        "the browser could not open it".to_owned()
    } else {
        offered.unreadable.clone()
    })
}

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
    pub(super) number: u32,
    /// The `Open` that needs these files; `None` while they are read ahead of it.
    pub(super) open_request: Option<OpenRequest>,
    pub(super) files: Vec<Loaded>,
    pub(super) scheduler: IndexScheduler,
    /// Number of files whose content is not known yet, and of Git indices that are not read yet.
    pub(super) left: usize,
    /// Folders of work trees, with the paths that their Git indices contain but a browser does not show.
    pub(super) indices: Vec<(String, HiddenPaths)>,
    pub(super) bytes: u64,
    pub(super) last_report: f64,
}

/// The parameters of an `Open`.
pub(super) struct OpenRequest {
    /// Id of the request to answer.
    pub(super) request: u64,
    pub(super) mode: OpenMode,
    /// The repository that contains the files; its files are opened by name.
    pub(super) place: Option<Place>,
    /// How the files were packed, if they came from one archive.
    pub(super) packing: Option<Packing>,
    /// Indices of the files, in the order in which they were offered.
    pub(super) order: Vec<usize>,
    pub(super) total_bytes: u64,
}

pub(super) struct Loaded {
    pub(super) offered: InputFile,
    pub(super) file: Option<File>,
    pub(super) content: Option<Content>,
    /// Id of its original bytes if they were read earlier.
    pub(super) known_as: Option<FileId>,
    /// Whether it belongs to a repository and is read on demand.
    pub(super) is_listed: bool,
}

impl Loaded {
    pub(super) fn new(offered: InputFile, file: Option<File>) -> Self {
        let content = file.is_none().then(|| not_opened(&offered));
        Self {
            offered,
            file,
            content,
            known_as: None,
            is_listed: false,
        }
    }

    /// Reuses the content of a file that has not changed on disk.
    pub(super) fn reuse(&mut self, server: &Server) {
        let Some(file) = &self.file else { return };
        let known = server.host.as_on_disk(&self.offered.path);
        // Retry files that could not be read.
        let is_read =
            |known: &TreeEntry| matches!(known.content, Content::Indexed(_) | Content::Ignore(_));
        if let Some(known) =
            known.filter(|known| is_read(known) && server.source.is_same(known.id, file))
        {
            self.content = Some(known.content);
            self.known_as = Some(known.id);
        }
    }

    /// Returns the folder of the work tree and the file if this is a Git index that is not too large.
    pub(super) fn index_of(&self) -> Option<(&str, &File)> {
        let folder = git_index::work_tree(&self.offered.path)
            .filter(|_| self.offered.size <= git_index::MOST_BYTES)?;
        Some((folder, self.file.as_ref()?))
    }

    /// Whether an indexer must read it.
    pub(super) fn is_to_be_indexed(&self) -> bool {
        self.content.is_none() && !self.is_ignore_file()
    }

    pub(super) fn is_ignore_file(&self) -> bool {
        self.offered.path.rsplit('/').next() == Some(".indexignore")
    }
}

impl Load {
    /// Creates a load without files.
    pub(super) fn new(server: &mut Server) -> Self {
        server.loads += 1;
        let mut scheduler = IndexScheduler::default();
        for (&indexer, line) in &server.indexers {
            match line.runs {
                true => scheduler.mark_started(indexer),
                false => scheduler.add_indexer(indexer),
            }
        }
        Self {
            number: server.loads,
            open_request: None,
            files: Vec::new(),
            scheduler,
            left: 0,
            indices: Vec::new(),
            bytes: 0,
            last_report: 0.0,
        }
    }

    /// Adds files, none of which the load has yet.
    pub(super) fn append(&mut self, files: Vec<Loaded>) {
        let first_new = self.files.len();
        self.files.extend(files);
        let added = || (0..).zip(&self.files).skip(first_new);
        self.left += added().filter(|(_, file)| file.content.is_none()).count();
        let to_index = added().filter(|(_, file)| file.is_to_be_indexed());
        self.scheduler
            .add_files(to_index.map(|(index, file)| (index, file.offered.size)));
    }

    /// Adds those of the files that the load does not have. Returns the index of each in the load.
    pub(super) fn complete(&mut self, files: Vec<Loaded>) -> Vec<usize> {
        let known: HashMap<String, usize> = self
            .files
            .iter()
            .zip(0..)
            .map(|(file, at)| (file.offered.path.clone(), at))
            .collect();
        let (mut order, mut others) = (Vec::with_capacity(files.len()), Vec::new());
        for file in files {
            let next = self.files.len() + others.len();
            let at = known.get(&file.offered.path).copied();
            order.push(at.unwrap_or(next));
            if at.is_none() {
                others.push(file);
            }
        }
        self.append(others);
        order
    }

    /// Whether all files of the load are among `files`, unchanged since they were offered.
    pub(super) fn is_part_of(&self, files: &[Loaded]) -> bool {
        let offered: HashSet<&InputFile> = files
            .iter()
            .filter(|file| !file.is_listed)
            .map(|file| &file.offered)
            .collect();
        self.files
            .iter()
            .all(|file| offered.contains(&file.offered))
    }

    pub(super) fn is_done(&self) -> bool {
        self.open_request.is_some() && self.left == 0
    }

    pub(super) fn add_content(&mut self, file: u32, content: Content) {
        if let Some(loaded) = self.files.get_mut(file as usize)
            && loaded.content.is_none()
        {
            loaded.content = Some(content);
            self.left -= 1;
        }
    }

    pub(super) fn report_progress(&mut self) {
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
            files: self.files.len().saturating_sub(self.left) as u32,
            total_files: self.files.len() as u32,
        }));
    }

    pub(super) fn sort_files(&mut self, order: &[usize]) {
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
    pub(super) fn add_hidden_files(&mut self, place: Option<&Place>) {
        let found: Vec<git_index::HiddenFile> = {
            let opened: BTreeSet<&str> = self
                .files
                .iter()
                .map(|file| file.offered.path.as_str())
                .collect();
            // If only an operator's folders are known, its links are found when its files are read.
            let operator_of = |path: &str| place.and_then(|place| place.operator_of(path));
            let is_named = opened.iter().any(|path| path.ends_with('/'));
            let whole: BTreeSet<String> = opened
                .iter()
                .filter(|path| is_named && !path.ends_with('/'))
                .filter_map(|path| operator_of(path))
                .collect();
            let wanted = |path: &str| {
                !is_named || operator_of(path).is_none_or(|operator| whole.contains(&operator))
            };
            let of_index = |(folder, named): &(String, HiddenPaths)| {
                git_index::hidden_files(named, folder, &opened, wanted)
            };
            self.indices.iter().flat_map(of_index).collect()
        };
        for git_index::HiddenFile {
            path,
            content,
            hides_below,
        } in found
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
                offered,
                file: None,
                content: Some(content),
                known_as: None,
                is_listed,
            });
        }
    }
}

fn not_opened(offered: &InputFile) -> Content {
    let why = Some(&offered.unreadable).filter(|why| !why.is_empty());
    Content::Unreadable(
        why.cloned()
            .unwrap_or_else(|| "the browser could not open it".into()),
    )
}

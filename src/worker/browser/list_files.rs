//! Files of the open repository that were known by name only; they are read on demand.

use super::channel::{Shared, encode_answer, post_answer};
use super::scope::now;
use crate::git_index;
use crate::repository::{Listed, ListedFile};
use fbc::catalog::Content;
use fbc::model::FileId;
use protocol::request::InputFile;
use std::collections::BTreeSet;
use web_sys::File;

/// Adds the files. They are all files of `operators`.
pub(super) fn list(
    shared: &Shared,
    request: u64,
    operators: &[String],
    files: Vec<(InputFile, Option<File>)>,
) {
    let start = now();
    let answer = {
        let server = &mut *shared.borrow_mut();
        let mut listed = Vec::with_capacity(files.len());
        let hidden = {
            let opened: BTreeSet<&str> = files
                .iter()
                .map(|(offered, _)| offered.path.as_str())
                .collect();
            let wanted = |path: &str| {
                let operator = server.host.operator_of(path);
                operator.is_some_and(|operator| operators.contains(&operator))
            };
            let of_index = |(folder, named): &(String, git_index::HiddenPaths)| {
                git_index::hidden_files(named, folder, &opened, wanted)
            };
            server.links.iter().flat_map(of_index).collect::<Vec<_>>()
        };
        let behind_links: Vec<String> = hidden
            .iter()
            .filter(|of| of.hides_below)
            .map(|of| format!("{}/", of.path))
            .collect();
        for (offered, file) in files {
            if behind_links
                .iter()
                .any(|folder| offered.path.starts_with(folder))
            {
                continue;
            }
            let id = server.host.new_file_id();
            let content = match file {
                Some(file) => {
                    server.source.add(id, offered.path.clone(), file);
                    Content::Unread
                }
                None => Content::Unreadable(offered.unreadable.clone()),
            };
            let listed_as = as_listed(id, &offered, content);
            listed.push(ListedFile {
                path: offered.path,
                listed: listed_as,
            });
        }
        for git_index::HiddenFile { path, content, .. } in hidden {
            let id = server.host.new_file_id();
            let offered = InputFile {
                path,
                size: 0,
                modified: 0,
                unreadable: String::new(),
            };
            let listed_as = as_listed(id, &offered, content);
            listed.push(ListedFile {
                path: offered.path,
                listed: listed_as,
            });
        }
        server.host.list_files(listed)
    };
    post_answer(shared, request, encode_answer(answer), now() - start);
}

/// A file's entry in the list, depending on its content.
pub(super) fn as_listed(id: FileId, offered: &InputFile, content: Content) -> Listed {
    match content {
        _ if offered.path.ends_with('/') => Listed::Folder { id },
        Content::Unreadable(reason) => Listed::Unreadable { id, reason },
        Content::LinkToDirectory => Listed::Unreadable {
            id,
            reason: "it is a link to a folder, and a browser does not follow it".to_owned(),
        },
        _ => Listed::File {
            id,
            size: offered.size,
        },
    }
}

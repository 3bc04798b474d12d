//! Checks whether opened files have changed on disk. A browser refuses to read a `File` that
//! changed, so reading one byte is enough; with a handle to the disk, walking again finds more.

use super::file_tree::{FileTree, FileWalk, PickedFile};
use futures::future::join_all;
use std::collections::BTreeMap;
use wasm_bindgen_futures::JsFuture;

/// Number of files probed at once.
const AT_ONCE: usize = 64;

/// How the disk differs from the open files.
#[derive(Debug, Clone, Default)]
pub struct DiskChange {
    /// Paths that were edited, added or removed, in order.
    pub paths: Vec<String>,
    /// The current tree; `None` if the browser keeps no handles and the user has to pick it again.
    pub walk: Option<FileWalk>,
}

/// Checks the disk. An empty list of paths means that nothing changed.
pub async fn look(tree: &FileTree, opened: &[PickedFile]) -> DiskChange {
    if tree.leads_back_to_disk() {
        let walk = tree.walk().await;
        DiskChange {
            paths: differences(opened, &walk),
            walk: Some(walk),
        }
    } else {
        DiskChange {
            paths: unreadable(opened).await,
            walk: None,
        }
    }
}

fn differences(opened: &[PickedFile], walk: &FileWalk) -> Vec<String> {
    let stamp = |picked: &PickedFile| {
        (
            picked.file.size() as u64,
            picked.file.last_modified() as u64,
        )
    };
    let now: BTreeMap<&str, (u64, u64)> = walk
        .files
        .iter()
        .map(|f| (f.path.as_str(), stamp(f)))
        .collect();
    let then: BTreeMap<&str, (u64, u64)> =
        opened.iter().map(|f| (f.path.as_str(), stamp(f))).collect();
    let mut paths: Vec<String> = then
        .iter()
        .filter(|(path, stamp)| now.get(*path) != Some(stamp))
        .map(|(path, _)| (*path).to_owned())
        .collect();
    paths.extend(
        now.keys()
            .filter(|path| !then.contains_key(*path))
            .map(|path| (*path).to_owned()),
    );
    paths.sort();
    paths
}

async fn unreadable(opened: &[PickedFile]) -> Vec<String> {
    let mut paths = Vec::new();
    for batch in opened.chunks(AT_ONCE) {
        let readable = join_all(batch.iter().map(|picked| is_readable(&picked.file))).await;
        let gone = batch.iter().zip(readable).filter(|(_, readable)| !readable);
        paths.extend(gone.map(|(picked, _)| picked.path.clone()));
    }
    paths
}

/// Whether the file is unchanged: reads the first byte. Changes of an empty file go unnoticed,
/// because it always reads as empty.
pub async fn is_readable(file: &web_sys::File) -> bool {
    let Ok(head) = file.slice_with_i32_and_i32(0, 1) else {
        return false;
    };
    JsFuture::from(head.array_buffer()).await.is_ok()
}

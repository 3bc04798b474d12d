//! Opens archives like folders: zip, tar, gzipped tar, and container images. Only `/configs` is
//! taken from an image, or `/manifests` and `/metadata` from the image of a bundle.
//!
//! The [`Store`] decides where bytes are kept, so a browser need not hold them in linear memory.
//! Archives are untrusted: their paths cannot lead outside, and [`Limits`] stop one that would
//! exhaust memory.

mod formats;
mod limits;
#[cfg(test)]
mod tests;

use crate::model::foreign::{ForeignType, NEEDED_BYTES, foreign_type};
use flate2::read::MultiGzDecoder;
use limits::Budget;
pub use limits::Limits;
use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Seek};
use std::ops::Range;
use std::rc::Rc;

/// Extensions of archives, longer ones first.
const EXTENSIONS: [&str; 13] = [
    ".tar.gz", ".tar.xz", ".tar.zst", ".tar.bz2", ".tgz", ".txz", ".tbz2", ".tar", ".zip", ".gz",
    ".xz", ".zst", ".bz2",
];

/// Storage for the bytes of archives and their contents.
pub trait Store {
    /// A cheaply cloned handle to bytes.
    type Bytes: Clone;
    type Reader<'a>: Read + Seek
    where
        Self: 'a;

    fn open(&self, bytes: &Self::Bytes) -> Self::Reader<'_>;
    fn size(&self, bytes: &Self::Bytes) -> u64;
    /// Returns `len` bytes from `from` on, without reading them.
    fn part(&self, bytes: &Self::Bytes, from: u64, len: u64) -> io::Result<Self::Bytes>;
    /// Stores all bytes of a reader.
    fn keep(&self, bytes: &mut dyn Read) -> io::Result<Self::Bytes>;
}

/// A store that keeps all bytes in memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct Memory;

/// A range of shared bytes.
#[derive(Debug, Clone)]
pub struct Part(Rc<Vec<u8>>, Range<usize>);

impl Part {
    pub fn new(bytes: Vec<u8>) -> Self {
        let all = 0..bytes.len();
        Self(Rc::new(bytes), all)
    }

    pub fn bytes(&self) -> &[u8] {
        self.0.get(self.1.clone()).unwrap_or_default()
    }
}

impl Store for Memory {
    type Bytes = Part;
    type Reader<'a> = Cursor<Part>;

    fn open(&self, part: &Part) -> Cursor<Part> {
        Cursor::new(part.clone())
    }

    fn size(&self, part: &Part) -> u64 {
        part.1.len() as u64
    }

    fn part(&self, Part(bytes, range): &Part, from: u64, len: u64) -> io::Result<Part> {
        let start = usize::try_from(from)
            .ok()
            .and_then(|from| range.start.checked_add(from))
            .ok_or_else(cut_off)?;
        let end = usize::try_from(len)
            .ok()
            .and_then(|len| start.checked_add(len))
            .ok_or_else(cut_off)?;
        if end > range.end {
            Err(cut_off())
        } else {
            Ok(Part(bytes.clone(), start..end))
        }
    }

    fn keep(&self, bytes: &mut dyn Read) -> io::Result<Part> {
        let mut all = Vec::new();
        bytes.read_to_end(&mut all)?;
        Ok(Part::new(all))
    }
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

fn cut_off() -> io::Error {
    io::Error::other("cut off")
}

/// The archive format, kept for packing again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    Zip,
    Tar,
    TarGz,
}

/// A file or link of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member<B> {
    /// Path in the archive, with `/`.
    pub path: String,
    /// `None`: a link to something outside the archive.
    pub bytes: Option<B>,
}

/// The contents of an archive by path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked<B> {
    pub members: Vec<Member<B>>,
    /// The format for packing again; the contents of an image become a plain tar.
    pub packing: Packing,
}

/// Why an archive is not opened, with a remedy.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("it cannot be read as an archive: {0}")]
    Unreadable(#[from] io::Error),
    #[error("it is cut off or damaged; fetch it again, or pack it again")]
    Damaged,
    #[error("it is protected with a password; unpack it yourself, and open the folder")]
    Locked,
    #[error(
        "it contains a path that leads out of it: `{0}`; unpack it in a safe place, and open the folder"
    )]
    Escapes(String),
    #[error("it contains more than {0}; unpack it, and open the folder with the catalog")]
    TooMuch(String),
    #[error(
        "it unpacks to more than {0} times its size, as zip bombs do; unpack it yourself if you trust it"
    )]
    Bomb(u64),
    #[error("it contains no files")]
    Empty,
    #[error(
        "its content is not a tar archive; pack it again, or, if it is one file, name it after that file: `catalog.yaml.gz`"
    )]
    NoTar,
    #[error("it contains no `/configs`, where a catalog image has its files")]
    NoConfigs,
    #[error(
        "it contains neither `/configs` nor `/manifests` with `/metadata`: it is neither a catalog image nor a bundle image"
    )]
    NoBundle,
    #[error(
        "a layer is compressed with {0}, which Switchyard cannot read; save the image with `docker save`"
    )]
    Layer(String),
    #[error("it is an incomplete or damaged image: {0}")]
    Image(String),
    #[error("it is {0}, which Switchyard cannot open; {1}")]
    NoArchive(&'static str, &'static str),
}

/// Whether a file with this name is opened as an archive, even if only to report an unsupported
/// format.
pub fn is_archive(name: &str) -> bool {
    stem(name).is_some()
}

/// Returns the name of the folder for an archive's files: its name without the extension of the
/// archive and of the single catalog file in it.
pub fn stem(name: &str) -> Option<&str> {
    let packed = EXTENSIONS
        .into_iter()
        .find_map(|extension| strip_extension(name, extension))?;
    let catalog = [".yaml", ".yml", ".json"]
        .into_iter()
        .find_map(|extension| strip_extension(packed, extension));
    Some(catalog.unwrap_or(packed))
}

fn is_named_tar(name: &str) -> bool {
    [".tar.gz", ".tgz"]
        .into_iter()
        .any(|extension| strip_extension(name, extension).is_some())
}

/// Removes an extension; `None` if the name does not have it or has only the extension.
fn strip_extension<'n>(name: &'n str, extension: &str) -> Option<&'n str> {
    let at = name.len().checked_sub(extension.len())?;
    (at > 0 && name.get(at..)?.eq_ignore_ascii_case(extension))
        .then(|| name.get(..at))
        .flatten()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageContent {
    Catalog,
    /// The files of a catalog, or of a bundle.
    CatalogOrBundle,
}

/// Lists the contents of an archive with this name; from an image, the catalog.
pub fn unpack<S: Store>(
    store: &S,
    archive: &S::Bytes,
    name: &str,
    limits: &Limits,
) -> Result<Unpacked<S::Bytes>, ArchiveError> {
    unpack_content(store, archive, name, limits, ImageContent::Catalog)
}

/// Lists the contents of an archive with this name. The first bytes determine the format. Gzipped
/// data that is not a tar is a single file, unless it is named like a tar.
pub fn unpack_content<S: Store>(
    store: &S,
    archive: &S::Bytes,
    name: &str,
    limits: &Limits,
    content: ImageContent,
) -> Result<Unpacked<S::Bytes>, ArchiveError> {
    let mut budget = Budget::new(limits, store.size(archive));
    let first = read_first_bytes(store, archive)?;
    match detect_format(&first) {
        Format::Zip => {
            let members = formats::zip_members(store, archive, &mut budget)?;
            sort_members(members, Packing::Zip)
        }
        Format::Gzip => {
            let unzipped = decompress(store, archive, &mut budget)?;
            if formats::is_tar(&read_first_bytes(store, &unzipped)?) {
                return tar_or_image(store, &unzipped, Packing::TarGz, content, &mut budget);
            }
            if is_named_tar(name) {
                return Err(ArchiveError::NoTar);
            }
            let name = strip_extension(name, ".gz").unwrap_or(name);
            let path = session_path(name)?.ok_or(ArchiveError::Empty)?;
            sort_members(
                vec![Member {
                    path,
                    bytes: Some(unzipped),
                }],
                Packing::TarGz,
            )
        }
        Format::Zstd | Format::Other if !formats::is_tar(&first) => {
            Err(match foreign_type(&first) {
                Some(ForeignType { name, help }) => ArchiveError::NoArchive(name, help),
                None => ArchiveError::NoArchive(
                    "a file of unknown type",
                    "open the files themselves, their folder, or a zip, tar or gzip archive",
                ),
            })
        }
        Format::Zstd | Format::Other => {
            tar_or_image(store, archive, Packing::Tar, content, &mut budget)
        }
    }
}

fn tar_or_image<S: Store>(
    store: &S,
    tar: &S::Bytes,
    packing: Packing,
    content: ImageContent,
    budget: &mut Budget<'_>,
) -> Result<Unpacked<S::Bytes>, ArchiveError> {
    let members = formats::tar_members(store, tar, budget)?;
    if formats::is_image(&members) {
        return sort_members(
            formats::image_files(store, &members, content, budget)?,
            Packing::Tar,
        );
    }
    sort_members(members, packing)
}

/// Sorts the members by path. The last of several members with one path counts, as when unpacking
/// in order.
fn sort_members<B>(members: Vec<Member<B>>, packing: Packing) -> Result<Unpacked<B>, ArchiveError> {
    let by_path: BTreeMap<String, Option<B>> = members
        .into_iter()
        .map(|member| (member.path, member.bytes))
        .collect();
    let members: Vec<Member<B>> = by_path
        .into_iter()
        .map(|(path, bytes)| Member { path, bytes })
        .collect();
    if members.is_empty() {
        Err(ArchiveError::Empty)
    } else {
        Ok(Unpacked { members, packing })
    }
}

enum Format {
    Zip,
    Gzip,
    Zstd,
    Other,
}

/// Reads the first bytes, enough to detect the format.
fn read_first_bytes<S: Store>(store: &S, bytes: &S::Bytes) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    store
        .open(bytes)
        .take(NEEDED_BYTES as u64)
        .read_to_end(&mut first)?;
    Ok(first)
}

fn detect_format(first: &[u8]) -> Format {
    match first {
        [b'P', b'K', 3 | 5, 4 | 6, ..] => Format::Zip,
        [0x1f, 0x8b, ..] => Format::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Format::Zstd,
        _ => Format::Other,
    }
}

fn decompress<S: Store>(
    store: &S,
    bytes: &S::Bytes,
    budget: &mut Budget<'_>,
) -> Result<S::Bytes, ArchiveError> {
    let mut decoder = MultiGzDecoder::new(store.open(bytes));
    budget.unpack(store, &mut decoder)
}

/// Converts a path in the archive to session form; `None` for the archive itself.
fn session_path(path: &str) -> Result<Option<String>, ArchiveError> {
    let slashed = path.replace('\\', "/");
    let is_drive = slashed.as_bytes().get(1) == Some(&b':');
    let mut parts = Vec::new();
    for part in slashed.split('/') {
        match part {
            "" | "." => {}
            ".." => return Err(ArchiveError::Escapes(path.to_owned())),
            part => parts.push(part),
        }
    }
    if slashed.starts_with('/') || is_drive || slashed.contains('\0') {
        return Err(ArchiveError::Escapes(path.to_owned()));
    }
    Ok((!parts.is_empty()).then(|| parts.join("/")))
}

//! Archives that are opened like folders: zip, tar, gzipped tar, and images of containers, of which `/configs` is taken.
//!
//! Pure: where bytes are kept is the [`Store`]'s business, so that a browser need not hold them in its linear memory. The
//! text of an archive is not trusted: its paths stay inside, and [`Limits`] end what would fill the tab.

mod image;
mod limits;
mod tape;
#[cfg(test)]
mod tests;
mod zipped;

pub use limits::Limits;

use flate2::read::MultiGzDecoder;
use limits::Budget;
use std::collections::BTreeMap;
use std::io::{self, Read, Seek};

/// Where the bytes of archives and of what they hold are kept.
pub trait Store {
    /// Some bytes; cheap to copy.
    type Bytes: Clone;
    /// A way through them.
    type Reader<'a>: Read + Seek
    where
        Self: 'a;

    fn open(&self, bytes: &Self::Bytes) -> Self::Reader<'_>;
    fn size(&self, bytes: &Self::Bytes) -> u64;
    /// A part of them, without reading it.
    fn part(&self, bytes: &Self::Bytes, from: u64, len: u64) -> io::Result<Self::Bytes>;
    /// Keeps what comes, to its end.
    fn keep(&self, bytes: &mut dyn Read) -> io::Result<Self::Bytes>;
}

/// How files were packed, and are packed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    Zip,
    Tar,
    TarGz,
}

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member<B> {
    /// With `/`, below the archive.
    pub path: String,
    /// `None`: a link to something that is not in the archive.
    pub bytes: Option<B>,
}

/// What an archive holds, by path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked<B> {
    pub members: Vec<Member<B>>,
    /// How they are given back; what was taken of an image becomes a plain tar.
    pub packing: Packing,
}

/// Why an archive is not opened, with what to do.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("it cannot be read as an archive: {0}")]
    Unreadable(#[from] io::Error),
    #[error("it holds a path that leads out of it: `{0}`; unpack it where that does no harm, and open the folder")]
    Escapes(String),
    #[error("it holds more than {0}; unpack it, and open the folder with the catalog")]
    TooMuch(String),
    #[error("it unpacks to more than {0} times its size, as bombs do; unpack it yourself if you trust it")]
    Bomb(u64),
    #[error("it holds no file")]
    Empty,
    #[error("it holds no `/configs`; an image of a catalog has its files there")]
    NoConfigs,
    #[error("a layer is packed with {0}, which is not read here; save the image as `docker save` does")]
    Layer(String),
    #[error("it is an image whose parts do not fit: {0}")]
    Image(String),
}

/// Whether a file of this name is opened as an archive.
pub fn is_archive(name: &str) -> bool {
    stem(name).is_some()
}

/// The name without what tells that it is an archive: the folder that its files come to lie in.
pub fn stem(name: &str) -> Option<&str> {
    let endings = [".tar.gz", ".tgz", ".tar", ".zip"];
    let of = |ending: &str| {
        let at = name.len().checked_sub(ending.len())?;
        (at > 0 && name.get(at..)?.eq_ignore_ascii_case(ending)).then(|| name.get(..at)).flatten()
    };
    endings.into_iter().find_map(of)
}

/// Lists what an archive holds. Its first bytes say what it is, whatever its name says.
pub fn unpack<S: Store>(store: &S, archive: &S::Bytes, limits: &Limits) -> Result<Unpacked<S::Bytes>, Refused> {
    let mut budget = Budget::new(limits, store.size(archive));
    match magic(store, archive)? {
        Magic::Zip => {
            let members = zipped::members(store, archive, &mut budget)?;
            whole(members, Packing::Zip)
        }
        Magic::Gzip => {
            let tar = unzipped(store, archive, &mut budget)?;
            tar_or_image(store, &tar, Packing::TarGz, &mut budget)
        }
        Magic::Zstd => Err(Refused::Layer("zstd".to_owned())),
        Magic::Other => tar_or_image(store, archive, Packing::Tar, &mut budget),
    }
}

fn tar_or_image<S: Store>(
    store: &S,
    tar: &S::Bytes,
    packing: Packing,
    budget: &mut Budget<'_>,
) -> Result<Unpacked<S::Bytes>, Refused> {
    let members = tape::members(store, tar, budget)?;
    if image::is_image(&members) {
        return whole(image::configs(store, &members, budget)?, Packing::Tar);
    }
    whole(members, packing)
}

/// Sorted by path. Of several with one path the last one counts, as it does for who unpacks them in order.
fn whole<B>(members: Vec<Member<B>>, packing: Packing) -> Result<Unpacked<B>, Refused> {
    let by_path: BTreeMap<String, Option<B>> = members.into_iter().map(|member| (member.path, member.bytes)).collect();
    let members: Vec<Member<B>> = by_path.into_iter().map(|(path, bytes)| Member { path, bytes }).collect();
    if members.is_empty() { Err(Refused::Empty) } else { Ok(Unpacked { members, packing }) }
}

enum Magic {
    Zip,
    Gzip,
    Zstd,
    Other,
}

fn magic<S: Store>(store: &S, bytes: &S::Bytes) -> io::Result<Magic> {
    let mut first = Vec::new();
    store.open(bytes).take(4).read_to_end(&mut first)?;
    Ok(match first.as_slice() {
        [b'P', b'K', 3 | 5, 4 | 6] => Magic::Zip,
        [0x1f, 0x8b, ..] => Magic::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd] => Magic::Zstd,
        _ => Magic::Other,
    })
}

fn unzipped<S: Store>(store: &S, bytes: &S::Bytes, budget: &mut Budget<'_>) -> Result<S::Bytes, Refused> {
    let mut decoder = MultiGzDecoder::new(store.open(bytes));
    budget.keep(store, &mut decoder)
}

/// A path inside the archive, as a workspace writes it; `None` for the archive itself.
fn inside(path: &str) -> Result<Option<String>, Refused> {
    let slashed = path.replace('\\', "/");
    let is_drive = slashed.as_bytes().get(1) == Some(&b':');
    let mut parts = Vec::new();
    for part in slashed.split('/') {
        match part {
            "" | "." => {}
            ".." => return Err(Refused::Escapes(path.to_owned())),
            part => parts.push(part),
        }
    }
    if slashed.starts_with('/') || is_drive || slashed.contains('\0') {
        return Err(Refused::Escapes(path.to_owned()));
    }
    Ok((!parts.is_empty()).then(|| parts.join("/")))
}

//! Reads and writes files of the project and its builds, with errors that name the path. Also
//! computes digests.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Finds all files below a folder. The keys are paths relative to it, with `/`. Leaves out the
/// relative paths in `excluded`.
pub fn files_below(folder: &Path, excluded: &[&str]) -> Result<BTreeMap<String, PathBuf>, String> {
    let mut found = BTreeMap::new();
    let mut pending = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = pending.pop() {
        let entries = std::fs::read_dir(&folder)
            .map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
        for entry in entries.flatten() {
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if excluded.contains(&path.as_str()) {
                continue;
            }
            if entry.file_type().is_ok_and(|file_type| file_type.is_dir()) {
                pending.push((entry.path(), format!("{path}/")));
            } else {
                found.insert(path, entry.path());
            }
        }
    }
    Ok(found)
}

pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

pub fn read_text(path: &Path) -> Result<String, String> {
    String::from_utf8(read(path)?).map_err(|e| format!("{}: {e}", path.display()))
}

/// Creates the folder of the file if it is missing.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), String> {
    create_folder(path.parent().unwrap_or(path))?;
    std::fs::write(path, bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

pub fn create_folder(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))
}

/// Computes an FNV-1a hash, for file names and change detection, which need no cryptographic
/// strength.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns the value of an `integrity` attribute for these bytes.
pub fn integrity(bytes: &[u8]) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(bytes)))
}

/// Returns the SHA-256 digest in hexadecimal digits.
pub fn hex_digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

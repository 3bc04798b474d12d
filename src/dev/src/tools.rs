//! The tools of the project, their exact versions, and their folders.
//!
//! Everything is installed in one folder in the user's cache directory, with a subfolder per tool and version, so that
//! a second clone finds it and the user's own files stay untouched.

use std::path::{Path, PathBuf};

pub(crate) const CARGO_FUZZ: &str = "0.13.2";
pub(crate) const TRUNK: &str = "0.21.14";
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// The tools for building the page.
#[derive(Debug, Clone)]
pub(crate) struct BuildTools {
    /// Folders to put in front of PATH: trunk, wasm-bindgen, wasm-opt, and a compiler other than rustup's.
    pub(crate) path: Vec<PathBuf>,
    /// Variables for the build with a compiler other than rustup's.
    pub(crate) env: Vec<(&'static str, String)>,
}

/// The project's folder: two above this package's, which cargo names when it runs the tool. Without cargo, the current
/// folder.
pub(crate) fn project() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    package
        .and_then(|dir| dir.ancestors().nth(2).map(Path::to_owned))
        .unwrap_or_else(here)
}

/// Absolute, because programs are started in other folders.
fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

/// Our folder in the user's cache directory; `SWITCHYARD_CACHE` overrides it.
pub(crate) fn cache() -> Result<PathBuf, String> {
    let given = std::env::var_os("SWITCHYARD_CACHE").map(PathBuf::from);
    let xdg = std::env::var_os("XDG_CACHE_HOME")
        .filter(|v| !v.is_empty())
        .map(|v| Path::new(&v).join("switchyard"));
    let home = std::env::var_os("HOME").map(|v| Path::new(&v).join(".cache/switchyard"));
    let dir = given.or(xdg).or(home).ok_or(
        "neither HOME nor XDG_CACHE_HOME is set; set SWITCHYARD_CACHE to a folder for the tools",
    )?;
    std::fs::create_dir_all(&dir).map_err(|e| {
        format!(
            "cannot make {}: {e}; set SWITCHYARD_CACHE to a folder that can be written",
            dir.display()
        )
    })?;
    Ok(dir)
}

/// The version of a package in `Cargo.lock`.
pub(crate) fn locked_version(package: &str) -> Result<String, String> {
    let path = project().join("Cargo.lock");
    let lock = std::fs::read_to_string(&path)
        .map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines
        .nth(1)
        .and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .ok_or_else(|| format!("Cargo.lock has no {package}; run `cargo check --workspace` once"))
}

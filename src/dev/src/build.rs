//! Building the page: a static site in `dist/` that any file server can host under any path.

use crate::run::{path_with, run, say};
use crate::setup::fingerprint;
use crate::tools::{BuildTools, project};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How the page is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    /// What ships: all optimisations, minified, in `dist/`.
    Release,
    /// The same sources, quick to build, for the journeys of a commit: profile `quick`, no wasm-opt, in `target/page`.
    Quick,
}

impl Page {
    fn folder(self) -> PathBuf {
        project().join(match self {
            Page::Release => "dist",
            Page::Quick => "target/page",
        })
    }

    fn stamp(self) -> PathBuf {
        project().join(match self {
            Page::Release => "target/dist-made-from",
            Page::Quick => "target/page-made-from",
        })
    }

    fn trunk_args(self) -> &'static [&'static str] {
        match self {
            Page::Release => &["build", "--release", "--offline"],
            Page::Quick => &["build", "--offline", "--cargo-profile", "quick", "--dist", "target/page"],
        }
    }
}

/// Builds the page unless its folder is made from just these sources.
pub(crate) fn site(tools: &BuildTools, page: Page) -> Result<PathBuf, String> {
    let (dist, stamp) = (page.folder(), page.stamp());
    let sources = sources_fingerprint()?;
    if dist.join("index.html").is_file() && std::fs::read_to_string(&stamp).is_ok_and(|s| s == sources) {
        say(&format!("{} is up to date", dist.display()));
        return Ok(dist);
    }
    say(&format!("building the page into {} (trunk; a few minutes the first time)", dist.display()));
    let mut trunk = Command::new("trunk");
    trunk.args(page.trunk_args()).current_dir(project()).env("PATH", path_with(&tools.path)).env_remove("NO_COLOR");
    for (name, value) in &tools.env {
        trunk.env(name, value);
    }
    fetch(tools)?;
    run(&mut trunk, "The lines above say what the compiler or trunk minds.")?;
    name_worker(&dist)?;
    // Where cargo builds elsewhere there may be no such folder yet.
    let folder = stamp.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder
        .and_then(|()| std::fs::write(&stamp, sources))
        .map_err(|e| format!("cannot write {}: {e}", stamp.display()))?;
    Ok(dist)
}

/// Gives the workers' files names by what is in them, as trunk does for the page's, and tells the boot script: a page then
/// never meets the worker of another build, whatever was kept on the way.
fn name_worker(dist: &Path) -> Result<(), String> {
    let [script, wasm] = ["worker.js", "worker_bg.wasm"].map(|name| dist.join(name));
    let read = |path: &Path| std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()));
    let both = [read(&script)?, read(&wasm)?].concat();
    let hash = fingerprint(&both);
    let names = [format!("worker-{hash:016x}.js"), format!("worker-{hash:016x}_bg.wasm")];
    for (from, name) in [&script, &wasm].into_iter().zip(&names) {
        std::fs::rename(from, dist.join(name)).map_err(|e| format!("cannot rename {}: {e}", from.display()))?;
    }
    let page = dist.join("index.html");
    let html = std::fs::read_to_string(&page).map_err(|e| format!("cannot read {}: {e}", page.display()))?;
    let [script, wasm] = names;
    let named =
        html.replacen(" data-js=", &format!(" data-worker-js=\"{script}\" data-worker-wasm=\"{wasm}\" data-js="), 1);
    if named == html {
        return Err(format!("{} has no boot script to tell of {script}", page.display()));
    }
    std::fs::write(&page, named).map_err(|e| format!("cannot write {}: {e}", page.display()))
}

/// Downloads the crates first, since trunk is run offline so that it fetches no tools of its own.
fn fetch(tools: &BuildTools) -> Result<(), String> {
    let mut cargo = Command::new("cargo");
    cargo.args(["fetch", "--locked"]).current_dir(project()).env("PATH", path_with(&tools.path));
    run(&mut cargo, "The crates of Cargo.lock come from crates.io; check the network.")
}

fn sources_fingerprint() -> Result<String, String> {
    let mut files = Vec::new();
    for place in [
        "Cargo.toml",
        "Cargo.lock",
        "Trunk.toml",
        "index.html",
        "rust-toolchain.toml",
        ".cargo",
        "src",
        "style",
        "public",
    ] {
        collect(&project().join(place), &mut files);
    }
    files.sort();
    let mut sum = String::new();
    for file in files {
        let bytes = std::fs::read(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        sum.push_str(&format!("{} {:016x}\n", file.display(), fingerprint(&bytes)));
    }
    Ok(format!("{:016x}\n", fingerprint(sum.as_bytes())))
}

fn collect(path: &Path, into: &mut Vec<PathBuf>) {
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), into)),
        Err(_) if path.is_file() => into.push(path.to_owned()),
        Err(_) => {}
    }
}

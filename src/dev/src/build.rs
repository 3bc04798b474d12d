//! Building the page: a static site in `dist/` that any file server can host under any path.

use crate::files::{files_below, fingerprint, read, read_text, write};
use crate::finish;
use crate::run::{BuildTools, cargo, path_with, project, run, run_capturing_errors, say};
use std::path::PathBuf;
use std::process::Command;

/// Files and folders that the page is built from.
const SOURCES: [&str; 24] = [
    "Cargo.toml",
    "Cargo.lock",
    "Trunk.toml",
    "index.html",
    "rust-toolchain.toml",
    ".cargo",
    "src/app",
    "src/bindgen",
    "src/bundle",
    "src/catalog",
    "src/completion",
    "src/edit",
    "src/host",
    "src/protocol",
    "src/repository",
    "src/session",
    "src/syntax",
    "src/template",
    "src/upgrade",
    "src/verdict",
    "src/worker",
    // The finishing steps affect the page, too.
    "src/dev/src/finish.rs",
    "style",
    "public",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// The release build: all optimisations, minified, in `dist/`.
    Release,
    /// The same sources, quick to build, for a commit's journeys: profile `quick`, in
    /// `target/page`.
    Quick,
    /// The same sources, fastest to rebuild after a change: profile `developing`, in
    /// `target/page-developing`.
    Developing,
}

impl Page {
    /// Returns the page's folder in the project.
    fn dist(self) -> &'static str {
        match self {
            Page::Release => "dist",
            Page::Quick => "target/page",
            Page::Developing => "target/page-developing",
        }
    }

    fn folder(self) -> PathBuf {
        project().join(self.dist())
    }

    /// Returns the file that records which sources the page was built from.
    fn stamp(self) -> PathBuf {
        let name = self.dist().trim_start_matches("target/");
        project().join(format!("target/{name}-made-from"))
    }

    /// Whether browsers store the page for offline use.
    fn is_offline_capable(self) -> bool {
        self != Page::Developing
    }

    fn trunk_args(self) -> Vec<&'static str> {
        let mut args = vec!["build", "--offline", "--dist", self.dist()];
        args.extend(match self {
            Page::Release => &["--release"][..],
            Page::Quick => &["--cargo-profile", "quick"],
            Page::Developing => &["--cargo-profile", "developing"],
        });
        args
    }
}

/// Builds the page unless its folder was built from exactly these sources.
pub fn site(tools: &BuildTools, page: Page) -> Result<PathBuf, String> {
    let (dist, stamp) = (page.folder(), page.stamp());
    let sources = sources_fingerprint()?;
    if dist.join("index.html").is_file()
        && std::fs::read_to_string(&stamp).is_ok_and(|s| s == sources)
    {
        say(&format!("{} is up to date", dist.display()));
        return Ok(dist);
    }
    say(&format!(
        "building the page into {} (trunk; a few minutes the first time)",
        dist.display()
    ));
    fetch_crates(tools)?;
    run(
        &mut trunk(tools, page),
        "See what the compiler or trunk printed above.",
    )?;
    finish::finish(&dist, page.is_offline_capable())?;
    write(&stamp, sources)?;
    Ok(dist)
}

/// Rebuilds the page after a change. The error is the output of the compiler and trunk, which is
/// also printed as it comes.
pub fn rebuild(tools: &BuildTools, page: Page) -> Result<(), String> {
    let sources = sources_fingerprint()?;
    run_capturing_errors(&mut trunk(tools, page))?;
    finish::finish(&page.folder(), page.is_offline_capable())?;
    write(&page.stamp(), sources)
}

/// Puts the current style sheets into the built page. Returns the name of the one file that
/// contains them.
pub fn restyle(page: Page) -> Result<String, String> {
    let sources = sources_fingerprint()?;
    let html = read_text(&project().join("index.html"))?;
    let sheets: Vec<PathBuf> = finish::style_sheets_in(&html)
        .into_iter()
        .map(|name| project().join(name))
        .collect();
    let name = finish::restyle(&page.folder(), &sheets)?;
    write(&page.stamp(), sources)?;
    Ok(name)
}

fn trunk(tools: &BuildTools, page: Page) -> Command {
    let mut trunk = Command::new("trunk");
    // Incremental builds make the quick page 2 % lighter, so let the profile decide: its size must
    // be equal in CI and locally.
    trunk
        .args(page.trunk_args())
        .current_dir(project())
        .env("PATH", path_with(&tools.path))
        .env_remove("NO_COLOR")
        .env_remove("CARGO_INCREMENTAL")
        .envs(tools.env.iter().cloned());
    if page == Page::Release {
        // The variable overrides the flags in `.cargo/config.toml`.
        let flags = path_remapping_flags();
        trunk.env(
            "RUSTFLAGS",
            format!("-Ctarget-feature=+simd128 --cfg erase_components {flags}"),
        );
    }
    trunk
}

/// Returns compiler flags that keep local paths out of release files.
pub fn path_remapping_flags() -> String {
    let home = std::env::var("CARGO_HOME")
        .or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")));
    format!(
        "--remap-path-prefix={}=switchyard --remap-path-prefix={}=cargo",
        project().display(),
        home.unwrap_or_default()
    )
}

/// Downloads the crates. Trunk runs offline, so that it fetches no tools of its own.
fn fetch_crates(tools: &BuildTools) -> Result<(), String> {
    run(
        cargo()
            .args(["fetch", "--locked"])
            .env("PATH", path_with(&tools.path)),
        "The crates of Cargo.lock come from crates.io; check the network.",
    )
}

/// Returns the files that a page is built from, sorted.
pub fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for source in SOURCES {
        let path = project().join(source);
        match files_below(&path, &[]) {
            Ok(below) => files.extend(below.into_values()),
            // It is a file.
            Err(_) => files.push(path),
        }
    }
    files.sort();
    files
}

fn sources_fingerprint() -> Result<String, String> {
    let mut listing = String::new();
    for file in sources() {
        let content = fingerprint(&read(&file)?);
        listing.push_str(&format!("{} {content:016x}\n", file.display()));
    }
    Ok(format!("{:016x}\n", fingerprint(listing.as_bytes())))
}

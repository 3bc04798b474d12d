//! Runs other programs, with a time limit or a hint if they fail, and knows where the project, its
//! tools and their versions are. Tools are in the user's cache directory, so that a second clone
//! finds them.

use crate::files::read_text;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub const TRUNK: &str = "0.21.14";
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";
/// How often a program with a time limit is checked for its end.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The tools for building the page.
#[derive(Debug, Clone)]
pub struct BuildTools {
    /// Folders to put in front of PATH: trunk, wasm-bindgen, and a compiler other than rustup's.
    pub path: Vec<PathBuf>,
    /// Variables for the build with a compiler other than rustup's.
    pub env: Vec<(&'static str, String)>,
}

pub fn say(text: &str) {
    println!("· {text}");
}

/// Returns a cargo command in the project's folder.
pub fn cargo() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(project());
    cargo
}

/// Runs a command with its output shown. An error names the command and what to do next.
pub fn run(command: &mut Command, hint: &str) -> Result<(), String> {
    let line = command_line(command);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` failed ({status}). {hint}")),
        Err(error) => Err(format!("`{line}` could not be started ({error}). {hint}")),
    }
}

/// Runs a command and shows its output as it comes. The error is the text on standard error,
/// without colors.
pub fn run_capturing_errors(command: &mut Command) -> Result<(), String> {
    let command_line = command_line(command);
    let not_started = |error| format!("`{command_line}` could not be started ({error})");
    if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        // Its output is piped through here, so it cannot detect the terminal by itself.
        command.env("CARGO_TERM_COLOR", "always");
    }
    let child = command.stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(not_started)?;
    let mut printed = String::new();
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            eprintln!("{line}");
            printed.push_str(&without_colors(&line));
            printed.push('\n');
        }
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(printed),
        Err(error) => Err(not_started(error)),
    }
}

pub fn without_colors(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let first = parts.next().unwrap_or("").to_owned();
    // A sequence ends with a letter.
    let texts = parts.map(|part| {
        part.split_once(|c: char| c.is_ascii_alphabetic())
            .map_or("", |(_, text)| text)
    });
    first + &texts.collect::<String>()
}

/// Runs a command and returns its standard output; `None` when it cannot be started or fails.
pub fn output(command: &mut Command) -> Option<String> {
    let out = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    out.status
        .success()
        .then(|| String::from_utf8_lossy(&out.stdout).into_owned())
}

/// Runs a command for at most `limit`; true if it succeeded in time.
pub fn run_within(command: &mut Command, limit: Duration) -> bool {
    let Ok(mut child) = command.stdin(Stdio::null()).spawn() else {
        return false;
    };
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if start.elapsed() < limit => std::thread::sleep(POLL_INTERVAL),
            _ => {
                // The child may have ended already.
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}

/// Returns PATH with `first` in front of it.
pub fn path_with(first: &[PathBuf]) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = first.iter().cloned().chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap_or(path)
}

fn command_line(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for arg in command.get_args() {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    text
}

/// Returns the project's folder: two above this package's, which cargo names when it runs the tool.
/// Without cargo, the current folder.
pub fn project() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    package
        .and_then(|dir| dir.ancestors().nth(2).map(Path::to_owned))
        .or_else(|| std::env::current_dir().ok())
        .unwrap_or_else(|| PathBuf::from("."))
}

/// Returns the folder of the shared data, which may be missing.
pub fn shared_folder() -> PathBuf {
    std::env::var_os("SWITCHYARD_SHARED").map_or_else(|| project().join("../shared"), PathBuf::from)
}

/// Returns our folder in the user's cache directory; `SWITCHYARD_CACHE` overrides it.
pub fn cache_folder() -> Result<PathBuf, String> {
    let configured = std::env::var_os("SWITCHYARD_CACHE").map(PathBuf::from);
    let xdg = std::env::var_os("XDG_CACHE_HOME")
        .filter(|v| !v.is_empty())
        .map(|v| Path::new(&v).join("switchyard"));
    let home = std::env::var_os("HOME").map(|v| Path::new(&v).join(".cache/switchyard"));
    let dir = configured.or(xdg).or(home).ok_or(
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

/// Returns the version of a package in `Cargo.lock`.
pub fn locked_version(package: &str) -> Result<String, String> {
    let lock = read_text(&project().join("Cargo.lock"))?;
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines
        .nth(1)
        .and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .ok_or_else(|| format!("Cargo.lock has no {package}; run `cargo check --workspace` once"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_removed_and_text_is_kept() {
        assert_eq!(
            without_colors("\u{1b}[1m\u{1b}[91merror\u{1b}[0m: [x] is not \u{1b}[4mthere"),
            "error: [x] is not there"
        );
        assert_eq!(without_colors("plain"), "plain");
    }
}

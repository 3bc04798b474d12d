//! Runs other programs: with an announcement, with a time limit, with a hint if they fail.

use std::io::{BufRead, BufReader, IsTerminal};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Announces what is about to happen, and why.
pub(crate) fn say(text: &str) {
    println!("· {text}");
}

/// Runs a command with its output shown. An error names the command and what to do next.
pub(crate) fn run(command: &mut Command, hint: &str) -> Result<(), String> {
    let line = show(command);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` failed ({status}). {hint}")),
        Err(error) => Err(format!("`{line}` could not be started ({error}). {hint}")),
    }
}

/// Runs a command and shows its output as it comes. The error is that output, without colors.
pub(crate) fn run_heard(command: &mut Command) -> Result<(), String> {
    let command_line = show(command);
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

/// Removes color sequences from a line.
fn without_colors(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let first = parts.next().unwrap_or("").to_owned();
    let rest = parts.map(|part| {
        part.split_once(|c: char| c.is_ascii_alphabetic())
            .map_or("", |(_, rest)| rest)
    });
    first + &rest.collect::<String>()
}

/// Runs a command and returns its standard output; `None` when it cannot be started or fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
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
pub(crate) fn run_within(command: &mut Command, limit: Duration) -> bool {
    let Ok(mut child) = command.stdin(Stdio::null()).spawn() else {
        return false;
    };
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(100)),
            _ => {
                // The child may have ended already.
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

/// The path of a program on PATH.
pub(crate) fn which(name: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}

/// PATH with `first` in front of it.
pub(crate) fn path_with(first: &[std::path::PathBuf]) -> std::ffi::OsString {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let all = first.iter().cloned().chain(std::env::split_paths(&rest));
    std::env::join_paths(all).unwrap_or(rest)
}

fn show(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for arg in command.get_args() {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_dropped_and_words_stay() {
        assert_eq!(
            without_colors("\u{1b}[1m\u{1b}[91merror\u{1b}[0m: [x] is not \u{1b}[4mthere"),
            "error: [x] is not there"
        );
        assert_eq!(without_colors("plain"), "plain");
    }
}

//! One run of a program: its duration and peak memory.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often the peak memory is read. The kernel keeps the peak, so only growth in the last moment is missed.
const LOOK: Duration = Duration::from_millis(1);

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Run {
    pub(crate) passed: bool,
    pub(crate) took: Duration,
    /// In bytes; 0 if the system does not report it.
    pub(crate) memory: u64,
}

/// Runs a program to its end, without its output.
pub(crate) fn measure(command: &mut Command) -> Result<Run, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let start = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.map_err(|error| format!("{name} could not be started ({error})"))?;
    let status = format!("/proc/{}/status", child.id());
    let mut memory = 0;
    loop {
        match child.try_wait() {
            Ok(Some(ended)) => {
                return Ok(Run {
                    passed: ended.success(),
                    took: start.elapsed(),
                    memory,
                });
            }
            Ok(None) => {
                let current = std::fs::read_to_string(&status)
                    .ok()
                    .and_then(|status| peak(&status));
                memory = memory.max(current.unwrap_or(0));
                std::thread::sleep(LOOK);
            }
            Err(error) => return Err(format!("{name} was lost ({error})")),
        }
    }
}

/// Reads a folder once, so that the first run also finds it in the disk cache.
pub(crate) fn read_all(folder: &Path) -> Result<(), String> {
    let cannot = |error| format!("cannot read {}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if path.is_dir() {
            read_all(&path)?;
        } else {
            std::fs::read(&path).map_err(cannot)?;
        }
    }
    Ok(())
}

/// The peak resident size in `/proc/PID/status`, in bytes.
fn peak(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim()
        .strip_suffix(" kB")?
        .trim()
        .parse::<u64>()
        .ok()
        .map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_status() {
        assert_eq!(
            peak("Name:\topm\nVmPeak:\t  900 kB\nVmHWM:\t    2048 kB\n"),
            Some(2 << 20)
        );
        assert_eq!(peak("Name:\topm\n"), None);
    }

    #[test]
    fn a_run_reports_success_and_failure() {
        assert!(measure(&mut Command::new("true")).is_ok_and(|run| run.passed));
        assert!(measure(&mut Command::new("false")).is_ok_and(|run| !run.passed));
        assert!(measure(&mut Command::new("/there/is/no/such/program")).is_err());
    }
}

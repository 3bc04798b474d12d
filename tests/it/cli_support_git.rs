//! A git repository in a folder of its own, for commands that ask git.

use super::cli_support::Folder;
use std::process::Command;

/// A repository that is gone when the test is.
pub(crate) struct Repository(pub(crate) Folder);

impl Repository {
    /// A repository with these files as its first commit; `None`, which is said, where git is not installed.
    pub(crate) fn new(files: &[(&str, &str)]) -> Option<Self> {
        if Command::new("git").arg("--version").output().is_err() {
            println!("skipped: git is not installed");
            return None;
        }
        let repository = Self(Folder::new(files));
        repository.git(&["init", "--quiet", "--initial-branch", "main"]);
        repository.commit("begin");
        Some(repository)
    }

    /// What git answers; it has to succeed. No configuration of the machine counts.
    pub(crate) fn git(&self, words: &[&str]) -> String {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@example.com",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(words)
            .current_dir(self.0.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "git {words:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits everything that is there. The answer is the commit.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }
}

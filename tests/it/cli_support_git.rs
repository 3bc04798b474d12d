//! A git repository in its own folder, for commands that run git.

use super::cli_support::Folder;
use std::process::Command;

/// A repository that is removed at the end of the test.
pub(crate) struct Repository(pub(crate) Folder);

impl Repository {
    /// A repository with these files as its first commit; prints a line and returns `None` if git is not installed.
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

    /// The output of a git command, which must succeed. The machine's configuration is ignored.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@example.com",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(args)
            .current_dir(self.0.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits everything and returns the commit's id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }
}

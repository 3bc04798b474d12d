//! The program `switchyard` in a folder of files, and git.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// A folder that is removed at the end of the test.
pub struct Folder(TempDir);

/// The result of a run.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// The path of the program that cargo built for this test.
pub fn program() -> PathBuf {
    let path = std::env::var_os("CARGO_BIN_EXE_switchyard");
    path.expect("the test is started by cargo").into()
}

pub fn switchyard() -> Command {
    Command::new(program())
}

/// Whether a program is installed; prints a line if it is not.
pub fn has_program(name: &str) -> bool {
    let is_installed = Command::new(name).arg("--version").output().is_ok();
    if !is_installed {
        println!("skipped: {name} is not installed");
    }
    is_installed
}

impl Folder {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(TempDir::new().unwrap());
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    pub fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, "")
    }

    /// Runs `switchyard` in the folder with this standard input.
    pub fn run_with(&self, args: &[&str], input: &str) -> Run {
        let mut child = self.start(args);
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        // Write the input in parallel to reading the output, so that no pipe blocks.
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        // A command that does not read its input may have exited already.
        let _ = writer.join().unwrap();
        output.into()
    }

    /// Starts `switchyard` in the folder; all its streams are pipes.
    pub fn start(&self, args: &[&str]) -> Child {
        self.command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// The command that is `switchyard` in the folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = switchyard();
        command.args(args).current_dir(self.path());
        command
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    pub fn ok(&self) {
        self.status(0);
    }

    pub fn status(&self, status: i32) {
        assert_eq!(
            self.status, status,
            "stdout:\n{}\nstderr:\n{}",
            self.stdout, self.stderr
        );
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}", self.stdout))
    }
}

/// A git repository in a folder of its own, for commands that run git.
pub struct GitRepository(pub Folder);

impl GitRepository {
    /// A repository with these files as its first commit; prints a line and returns `None` if git
    /// is not installed.
    pub fn new(files: &[(&str, &str)]) -> Option<Self> {
        if !has_program("git") {
            return None;
        }
        let repository = Self(Folder::new(files));
        repository.git(&["init", "--quiet", "--initial-branch", "main"]);
        repository.commit("begin");
        Some(repository)
    }

    /// The output of a git command, which must succeed. The machine's configuration is ignored.
    pub fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(["-c", "commit.gpgsign=false"])
            .args(args)
            .current_dir(self.0.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {stderr}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits everything and returns the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }
}

//! Requests to the reference, through the program under `tests/opm`.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running program that answers requests in order.
pub(crate) struct Opm {
    program: PathBuf,
    running: Option<Running>,
}

struct Running {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Opm {
    pub(crate) fn new(program: &Path) -> Self {
        Self {
            program: program.to_owned(),
            running: None,
        }
    }

    /// The answer, or that the reference panicked if the program dies.
    pub(crate) fn ask(&mut self, question: &Value) -> Value {
        match self.exchange(question) {
            Some(answer) => answer,
            None => {
                self.stop();
                json!({"ok": false, "message": "panic", "panic": true})
            }
        }
    }

    fn exchange(&mut self, question: &Value) -> Option<Value> {
        let running = match &mut self.running {
            Some(running) => running,
            None => {
                let mut command = Command::new(&self.program);
                command
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::null());
                let mut child = command
                    .spawn()
                    .unwrap_or_else(|e| panic!("{}: {e}", self.program.display()));
                let (questions, answers) =
                    (child.stdin.take().unwrap(), child.stdout.take().unwrap());
                self.running.insert(Running {
                    child,
                    questions,
                    answers: BufReader::new(answers),
                })
            }
        };
        writeln!(running.questions, "{question}").ok()?;
        let mut line = Vec::new();
        running.answers.read_until(b'\n', &mut line).ok()?;
        serde_json::from_str(&String::from_utf8_lossy(&line)).ok()
    }

    fn stop(&mut self) {
        if let Some(Running {
            mut child,
            questions,
            ..
        }) = self.running.take()
        {
            drop(questions);
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Opm {
    fn drop(&mut self) {
        self.stop();
    }
}

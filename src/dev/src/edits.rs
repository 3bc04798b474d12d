//! The proof of editing: random operations over real catalogs and random patches over generated blobs, judged by the laws
//! of `tests/laws`, and again with opm's own library as the reader, where Go is installed.

use crate::parity;
use crate::run::{run, say};
use crate::tools::project;
use std::process::Command;

/// `cargo dev prove-edits [--count N] [--seed S]`.
pub(crate) fn prove(args: &[&str]) -> Result<(), String> {
    let (mut count, mut seed) = ("10000", "1");
    for pair in args.chunks(2) {
        match *pair {
            ["--count", n] if n.parse::<u64>().is_ok() => count = n,
            ["--seed", s] if s.parse::<u64>().is_ok() => seed = s,
            _ => {
                return Err(format!(
                    "`{}` is not understood: --count N and --seed S are",
                    pair.join(" ")
                ));
            }
        }
    }
    let mut cargo = Command::new("cargo");
    cargo
        .args(parity::OUTER_TESTS)
        .args([
            "edit_corpus::",
            "edit_copies::",
            "edit_laws::",
            "--nocapture",
            "--test-threads=1",
        ])
        .current_dir(project())
        .env("SWITCHYARD_EDITS", count)
        .env("SWITCHYARD_SEED", seed);
    let hint = "The message names the operation and the seed; the catalogs are those of SWITCHYARD_SHARED.";
    run(&mut cargo, hint)?;
    match parity::program()? {
        Some(program) => run(
            parity::with_opm(&program, parity::EDITS, count).env("SWITCHYARD_SEED", seed),
            hint,
        ),
        None => {
            say("skipped: no Go is installed, so that opm's own library reads nothing of it");
            Ok(())
        }
    }
}

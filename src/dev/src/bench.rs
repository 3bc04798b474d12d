//! `cargo dev bench`: every figure that the project publishes. Runs the native benches and the
//! benches of the page in a real browser.

use crate::run::{project, run, say};
use crate::{build, catalogs, journeys, setup};
use std::process::Command;

/// The native benches, which are files in `benches`, as named in `Cargo.toml`.
const NATIVE: [&str; 5] = ["search", "answers", "rebuild", "repository", "upgrades"];
const HINT: &str = "See the output of the bench above.";

/// Runs the benches whose name contains `filter`; they print their figures.
pub(crate) fn run_benches(filter: &str) -> Result<(), String> {
    for name in NATIVE.into_iter().filter(|name| name.contains(filter)) {
        say(&format!("native bench: {name}"));
        let mut cargo = Command::new("cargo");
        cargo.args(["bench", "--quiet", "--bench", name]);
        run(cargo.current_dir(project()), HINT)?;
    }
    if "page".contains(filter) {
        say("benches of the page");
        bench_page()?;
    }
    Ok(())
}

/// Measures the release page in a browser, with generated catalogs of known sizes if the real ones
/// are available.
fn bench_page() -> Result<(), String> {
    let folder = build::site(&setup::all_for_build()?, build::Page::Release)?;
    let mut runner = journeys::runner(&folder)?;
    runner.args(["--config", "bench.config.mjs"]);
    let generated = std::env::temp_dir().join(format!("switchyard-bench-{}", std::process::id()));
    if let Some(corpus) = catalogs::shared_folder() {
        catalogs::write_catalogs_with_list(&corpus, &generated)?;
        runner.env("SWITCHYARD_BENCH_CATALOGS", &generated);
    }
    let result = run(&mut runner, HINT);
    // Remove a gigabyte of copies. Leftovers in a temporary folder are harmless.
    let _ = std::fs::remove_dir_all(&generated);
    result
}

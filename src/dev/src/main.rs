//! `cargo dev`: the project's own tool. Sets up missing tools, builds, serves and checks. Must not
//! compile any of the product's crates.

mod bench;
mod build;
mod catalogs;
mod check;
mod checks;
mod files;
mod finish;
mod fuzz;
mod inputs;
mod journeys;
mod release;
mod report;
mod run;
mod serve;
mod setup;
mod watch;

use crate::build::Page;
use crate::watch::Board;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

const HELP: &str = "\
cargo dev VERB

  serve [--port N] [--release]
                     set up missing tools, build the page and serve it on a local address: a quick build that is updated
                     after every change of the sources, or with --release the page that ships
  test [NAME] [--again] [--release] [--deep] [-- ARGS]
                     set up missing tools and run all checks, or those that NAME selects: a check, all checks with NAME in
                     their names, a file of journeys (edit), a part of a journey's title, or a part of a Rust test's path;
                     ARGS are for the test runner. The journeys use a page that is quick to build, or with --release the one
                     that ships; with --deep, the checks use all packages instead of a sample, many more cases, mutants and
                     kills, and fuzzing. Without NAME, a check that passed is run again only after an input has changed,
                     unless CI is set or with --again
  parity [--count N] [--seed S]
                     validate N randomly broken catalogs (10000) with opm's own library (needs Go) and with ours
  prove-edits [--count N] [--seed S]
                     check N random operations on real catalogs and N random edits of blobs (10000) for what always holds
  build [--quick]    set up missing tools and build the static site in dist/, or with --quick the page for the journeys in
                     target/page
  release [--quick]  build the files of a release in target/release-files: site, program, checksums, list of crates; with
                     --quick from quick builds
  bench [FILTER]     run the native benches (search, answers, rebuild, repository, upgrades) and the benches of the page (page),
                     or those whose name contains FILTER
  bench compare [--release]
                     compare time and memory of `switchyard validate` with the `opm` that SWITCHYARD_OPM_BINARY names, on
                     catalogs made of real ones; the program is built quickly, or with --release as it ships
  fuzz [TARGET] [--executions N]
                     fuzz one target, or each in turn, a million executions by default
  setup              only set up missing tools
  host DIR [--port N] [--under PATH]
                     serve a folder as a plain static host does, without any header of our own
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["serve", rest @ ..] => {
            if rest.contains(&"--release") {
                build_site(Page::Release).and_then(|site| serve::serve_folder(&site, rest, None))
            } else {
                serve_and_follow(rest)
            }
        }
        ["build"] => build_page(Page::Release),
        ["build", "--quick"] => build_page(Page::Quick),
        ["release"] => release::build_release(Page::Release),
        ["release", "--quick"] => release::build_release(Page::Quick),
        ["bench", "compare"] => bench::compare_with_opm("quick"),
        ["bench", "compare", "--release"] => bench::compare_with_opm("release"),
        ["bench", rest @ ..] => bench::run_benches(rest.first().copied().unwrap_or("")),
        ["setup"] => set_up(),
        ["host", dir, rest @ ..] => serve::serve_folder(dir.as_ref(), rest, None),
        ["fuzz", rest @ ..] => fuzz::run_targets(rest),
        ["test", rest @ ..] => return checks::run_test_command(rest),
        ["parity", rest @ ..] => fuzz::run_parity_command(rest),
        ["prove-edits", rest @ ..] => fuzz::run_prove_edits_command(rest),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => Err(format!("unknown verb\n\n{HELP}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("cargo dev: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Serves the developing build of the page and rebuilds it when the sources change.
fn serve_and_follow(args: &[&str]) -> Result<(), String> {
    let tools = setup::all_for_build()?;
    let folder = build::site(&tools, Page::Developing)?;
    let board = Arc::new(Board::default());
    let watched = board.clone();
    std::thread::spawn(move || watch::watch_sources(&tools, Page::Developing, &watched));
    serve::serve_folder(&folder, args, Some(board))
}

fn build_site(page: Page) -> Result<PathBuf, String> {
    build::site(&setup::all_for_build()?, page)
}

fn set_up() -> Result<(), String> {
    setup::all_for_build()?;
    setup::all_for_browser()?;
    // Journeys in Firefox are skipped without it.
    let _ = setup::firefox();
    Ok(())
}

fn build_page(page: Page) -> Result<(), String> {
    let folder = build_site(page)?;
    println!("The site is in {}", folder.display());
    Ok(())
}

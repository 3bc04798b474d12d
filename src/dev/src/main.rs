//! `cargo dev`: the project's own tool. Sets up missing tools, builds, serves and checks. Must not compile any of the
//! product's crates.

mod bench;
mod build;
mod check;
mod checks;
mod compare;
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

use crate::build::Page;
use crate::serve::Board;
use std::process::ExitCode;
use std::sync::Arc;

const HELP: &str = "\
cargo dev VERB

  serve [--port N] [--release]
                     set up what is missing, build the page and serve it on a local address: one that is quick to build
                     and follows every change of the sources, or with --release the one that ships
  test [NAME] [--again] [--release] [--deep] [-- ARGS]
                     set up what is missing and run every check, or just what NAME is: a check or several that have it in
                     their names, a file of journeys (edit), a part of a journey's title, or a part of the path of tests
                     in Rust; ARGS go through to the runner. The journeys go through a page that is quick to build, or with
                     --release through the one that ships; with --deep everything of which a commit tries a sample: every
                     package, many more cases, mutants and kills, and fuzzing. Without NAME, a check that passed is not run
                     again until an input changes, unless CI is set or with --again
  parity [--count N] [--seed S]
                     judge N trees made wrong at random (10000) by opm's own library (needs Go) and by ours
  prove-edits [--count N] [--seed S]
                     N random operations on real catalogs and N random edits of blobs (10000), judged by the laws
  build [--quick]    set up what is missing and leave the static site in dist/, or with --quick the page for the journeys
                     in target/page
  release [--quick]  leave the files of a release in target/release-files: site, program, checksums, list of crates; with
                     --quick from builds that are quick
  bench [FILTER]     run the native benches (search, answers, rebuild, repository, upgrades) and the benches of the page (page),
                     or those whose name contains FILTER
  bench compare [--release]
                     `switchyard validate` beside the `opm` that SWITCHYARD_OPM_BINARY names, on catalogs made of real ones:
                     times and memory; the program is built quickly, or with --release as it ships
  fuzz [TARGET] [--executions N]
                     fuzz one target, or each in turn, a million executions by default
  setup              only set up what is missing
  host DIR [--port N] [--under PATH]
                     serve a folder as a plain static host does, without any header of our own
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["serve", rest @ ..] => {
            if rest.contains(&"--release") {
                let built =
                    setup::all_for_build().and_then(|tools| build::site(&tools, Page::Release));
                built.and_then(|folder| serve::folder(&folder, rest, None))
            } else {
                serve_and_follow(rest)
            }
        }
        ["build"] => build_page(Page::Release),
        ["build", "--quick"] => build_page(Page::Quick),
        ["release"] => release::all(false),
        ["release", "--quick"] => release::all(true),
        ["bench", "compare"] => compare::with_profile("quick"),
        ["bench", "compare", "--release"] => compare::with_profile("release"),
        ["bench", rest @ ..] => bench::all(rest.first().copied().unwrap_or("")),
        ["setup"] => setup::all_for_build()
            .and_then(|_| setup::all_for_browser())
            .map(|_| drop(setup::firefox())),
        ["host", dir, rest @ ..] => serve::folder(dir.as_ref(), rest, None),
        ["fuzz", rest @ ..] => fuzz::targets(rest),
        ["test", rest @ ..] => return checks::verb(rest),
        ["parity", rest @ ..] => fuzz::verb(rest),
        ["prove-edits", rest @ ..] => fuzz::prove_edits(rest),
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
    let followed = board.clone();
    std::thread::spawn(move || serve::sources(&tools, Page::Developing, &followed));
    serve::folder(&folder, args, Some(board))
}

fn build_page(page: Page) -> Result<(), String> {
    let folder = setup::all_for_build().and_then(|tools| build::site(&tools, page))?;
    println!("The site is in {}", folder.display());
    Ok(())
}

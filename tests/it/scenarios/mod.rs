//! The documents under `docs/upgrades`: their statements about upgrades are checked against the
//! library, line by line.
//!
//! A document is both manual and test; `docs/upgrades/README.md` describes the format. [`document`]
//! reads it, [`catalogs`] completes its fences, [`question`] parses a line and [`asked`] answers
//! it.

mod asked;
mod catalogs;
mod document;
mod question;

use document::Line;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Number of rows in the table of cases of the upgrade specification (`olm-resolution` section 6).
const CASES: u32 = 86;

fn documents() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/upgrades");
    let mut found: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    found.sort();
    found
}

#[test]
fn every_statement_of_the_upgrade_manual_holds() {
    let (mut held, mut wrong, mut cases) = (0, Vec::new(), BTreeSet::<u32>::new());
    for path in documents() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for scenario in document::scenarios(&std::fs::read_to_string(&path).unwrap()) {
            let stage = asked::Stage::new(&scenario);
            for line in &scenario.lines {
                let verdict = question::parse(&line.text).and_then(|question| stage.ask(&question));
                match verdict {
                    Ok(()) => {
                        held += 1;
                        cases.extend(&line.cases);
                    }
                    Err(why) => {
                        let Line { number, text, .. } = line;
                        wrong.push(format!(
                            "{name}:{number} ({}): {text}\n    {why}",
                            scenario.title
                        ));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} lines do not hold:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("docs/upgrades: {held} lines hold");
    let missing: Vec<u32> = (1..=CASES).filter(|case| !cases.contains(case)).collect();
    assert!(
        missing.is_empty(),
        "cases of the specification that no line tells: {missing:?}"
    );
}

/// The test above would pass if nothing were compared: a document with a wrong statement must fail.
#[test]
fn reports_a_wrong_line() {
    let text = "## A chain\n\n```yaml catalog\nschema: olm.channel\npackage: p\nname: c\nentries:\n- name: p.v1.0.0\n\
                - name: p.v1.1.0\n  replaces: p.v1.0.0\n```\n\n- Classic, from `p.v1.0.0`: next `p.v1.1.0`.\n\
                - OLM v1, from `p.v1.0.0`: stays.\n- OLM v1, fresh install: error `no`.\n- opm validate: fails with `x`.\n\
                - blang range `>=1.0.0`: admits `0.9.0`.\n";
    let scenarios = document::scenarios(text);
    let stage = asked::Stage::new(&scenarios[0]);
    let held: Vec<bool> = scenarios[0]
        .lines
        .iter()
        .map(|l| question::parse(&l.text).and_then(|q| stage.ask(&q)).is_ok())
        .collect();
    assert_eq!(held, [true, false, false, false, false]);
}

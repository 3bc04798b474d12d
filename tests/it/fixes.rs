//! The law of fixes: each applies without a refusal, its problem is gone afterwards (or its note
//! describes the rest), and the announced heads are the new heads.
//!
//! Covers own fixtures, the recorded cases, and real mistakes if the corpus is available.
//! `SWITCHYARD_FIXES` sets the number of mutants (small by default).

use ::catalog::graph::PackageGraph;
use base64::Engine;
use protocol::diagnostic::{Diagnostic, Fix};
use protocol::operation::EditOp;
use serde_json::Value;
use session::{self, Session};
use std::collections::BTreeMap;
use std::path::Path;
use test_support::{MemorySource, recorded_answers, shared_folder};

/// The attempts, by rule.
#[derive(Debug, Default)]
struct Tally {
    problems: BTreeMap<String, (usize, usize)>,
    fixes: usize,
    heads: usize,
    broken: Vec<String>,
}

impl Tally {
    /// Tries every fix of every problem of a tree.
    fn try_all(&mut self, id: &str, files: Vec<(String, Vec<u8>)>) {
        let (files, source) = MemorySource::with_files(files);
        let mut session = session::open_one("dir", files, source);
        let problems = session.roots()[0].verdict().diagnostics.clone();
        for problem in &problems {
            let (all, with_fix) = self.problems.entry(problem.rule.clone()).or_default();
            *all += 1;
            *with_fix += usize::from(!problem.fixes.is_empty());
            for fix in &problem.fixes {
                self.fixes += 1;
                if let Err(reason) = self.try_one(&mut session, problem, fix) {
                    self.broken.push(format!(
                        "{id}: {} ({}): {}: {reason}",
                        problem.rule, problem.message, fix.title
                    ));
                }
            }
        }
    }

    fn try_one(
        &mut self,
        session: &mut Session,
        problem: &Diagnostic,
        fix: &Fix,
    ) -> Result<(), String> {
        let steps = session.applied_steps();
        let before = count_similar(session, problem);
        session
            .apply(&fix.title, &fix.ops)
            .map_err(|refused| format!("refused: {}", refused.reason))?;
        let after = count_similar(session, problem);
        let result = if session.applied_steps() == steps {
            Err("changes nothing".to_owned())
        } else if after >= before && fix.note.is_empty() {
            Err(format!("the problem is still there: {:#?}", fix.ops))
        } else {
            self.check_heads(session, problem, fix)
        };
        session.undo();
        result
    }

    fn check_heads(
        &mut self,
        session: &Session,
        problem: &Diagnostic,
        fix: &Fix,
    ) -> Result<(), String> {
        if fix.heads.is_empty() {
            return Ok(());
        }
        self.heads += 1;
        let channel = fix
            .ops
            .iter()
            .find_map(channel_of)
            .or(problem.channel.as_deref())
            .ok_or("heads of what?")?;
        let package = problem.package.as_deref().ok_or("heads of no package")?;
        let package = session.roots()[0]
            .catalog()
            .package(package)
            .ok_or("the package is gone")?;
        let graph = PackageGraph::build(package);
        let channel = graph.channel(channel).ok_or("the channel is gone")?;
        let mut heads: Vec<&str> = channel
            .heads
            .iter()
            .map(|&node| graph.name_at(channel, node))
            .collect();
        // A cycle further down does not hide the announced heads.
        heads.truncate(fix.heads.len().max(1));
        if heads == fix.heads {
            Ok(())
        } else {
            Err(format!("announces {:?} and gives {heads:?}", fix.heads))
        }
    }

    fn check(&self, what: &str, floor: usize) {
        let (problems, with_fix) = self
            .problems
            .values()
            .fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
        println!(
            "{what}: {problems} problems, {with_fix} with fixes; {} fixes tried, {} announce heads",
            self.fixes, self.heads
        );
        for (rule, (all, with_fix)) in &self.problems {
            println!("  {rule}: {all}, {with_fix} with fixes");
        }
        assert!(self.fixes >= floor, "only {} fixes of {what}", self.fixes);
        assert!(
            self.broken.is_empty(),
            "{} of {} fixes:\n{}",
            self.broken.len(),
            self.fixes,
            self.broken.join("\n")
        );
    }
}

fn channel_of(op: &EditOp) -> Option<&str> {
    match op {
        EditOp::Promote { to: channel, .. }
        | EditOp::SetReplaces { channel, .. }
        | EditOp::AddSkip { channel, .. }
        | EditOp::RemoveSkip { channel, .. }
        | EditOp::SetSkipRange { channel, .. }
        | EditOp::RemoveEntry { channel, .. } => Some(channel),
        _ => None,
    }
}

/// Number of similar problems: in the graph, of the same channel; otherwise, with the same message.
fn count_similar(session: &Session, problem: &Diagnostic) -> usize {
    let graph = [
        "channel-head-multiple",
        "channel-head-none",
        "channel-stranded",
        "channel-cycle",
    ];
    let same = |d: &&Diagnostic| {
        d.rule == problem.rule
            && (&d.package, &d.channel) == (&problem.package, &problem.channel)
            && (graph.contains(&&*d.rule)
                || (&d.message, &d.bundle) == (&problem.message, &problem.bundle))
    };
    session.roots()[0].problems().filter(same).count()
}

/// A package with these channels; every entry has a bundle whose version is in its name.
fn package(name: &str, default: &str, channels: &[(&str, &str)], more: &[&str]) -> String {
    let mut text = format!("schema: olm.package\nname: {name}\ndefaultChannel: {default}\n");
    let mut bundles: Vec<&str> = more.to_vec();
    for (channel, entries) in channels {
        text += &format!("---\nschema: olm.channel\npackage: {name}\nname: {channel}\nentries:\n");
        for entry in entries
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
        {
            let (entry, has_bundle) = entry
                .strip_suffix(" # none")
                .map_or((entry, true), |entry| (entry, false));
            text += &format!("- {{{entry}}}\n");
            let name = entry
                .strip_prefix("name: ")
                .and_then(|e| e.split(',').next())
                .unwrap();
            if has_bundle && !bundles.contains(&name) {
                bundles.push(name);
            }
        }
    }
    for bundle in bundles {
        let version = bundle
            .split_once(".v")
            .map_or("0.0.1", |(_, version)| version);
        text += &format!(
            "---\nschema: olm.bundle\npackage: {name}\nname: {bundle}\nimage: q.io/o/{name}:v{version}\nproperties:\n\
             - type: olm.package\n  value: {{packageName: {name}, version: {version}}}\n"
        );
    }
    text
}

fn fixtures() -> Vec<(&'static str, String)> {
    let one = |entries: &str| package("p", "c", &[("c", entries)], &[]);
    vec![
        ("two heads", one("name: p.v1.0.0\nname: p.v1.1.0, replaces: p.v1.0.0\nname: p.v1.2.0, replaces: p.v1.0.0")),
        ("no edges", one("name: p.v1.0.0\nname: p.v1.1.0\nname: p.v1.2.0")),
        ("no prefix", one("name: p.v1.0.0\nname: p.v1.1.0, replaces: v1.0.0\nname: p.v1.2.0, replaces: v1.1.0")),
        ("a slip", one("name: p.v1.10.0\nname: p.v1.11.0, replaces: p.v1.1.0")),
        ("two chains", one("name: p.v1.0.0\nname: p.v1.1.0, replaces: p.v1.0.0\nname: p.v2.0.0\nname: p.v2.1.0, replaces: p.v2.0.0")),
        ("an older head in between", one("name: p.v1.0.0\nname: p.v1.1.0\nname: p.v1.2.0, replaces: p.v1.0.0\nname: p.v1.3.0, replaces: p.v1.2.0")),
        ("a range only", one("name: p.v1.0.0\nname: p.v1.1.0, skipRange: <1.1.0")),
        ("stray", package("p", "c", &[("c", "name: p.v1.0.0\nname: p.v1.1.0, replaces: p.v1.0.0\nname: p.v9.0.0"), ("d", "name: p.v9.0.0")], &[])),
        ("lost link", package("p", "c", &[("c", "name: p.v1.0.0\nname: p.v1.2.0, replaces: p.v1.1.0"), ("d", "name: p.v1.1.0")], &[])),
        ("stranded", one("name: p.v1.0.0\nname: p.v1.1.0, replaces: p.v1.0.0\nname: p.v1.2.0, skips: [p.v1.1.0]")),
        ("stranded behind a skip", one("name: p.v1.0.0\nname: p.v1.1.0, replaces: p.v1.0.0\nname: p.v1.2.0, replaces: p.v1.1.0, skips: [p.v1.1.0]")),
        ("a circle", one("name: p.v1.0.0, replaces: p.v1.2.0\nname: p.v1.1.0, replaces: p.v1.0.0\nname: p.v1.2.0, replaces: p.v1.1.0\nname: p.v1.3.0, replaces: p.v1.2.0")),
        ("itself", one("name: p.v1.0.0\nname: p.v1.1.0, replaces: p.v1.1.0\nname: p.v1.2.0, replaces: p.v1.1.0, skips: [p.v1.0.0]")),
        ("no head", one("name: p.v1.0.0, replaces: p.v1.1.0\nname: p.v1.1.0, replaces: p.v1.0.0")),
        ("skips itself", one("name: p.v1.0.0\nname: p.v1.1.0, replaces: p.v1.0.0, skips: [p.v1.1.0]")),
        ("phantom default", package("p", "stabel", &[("stable", "name: p.v1.0.0"), ("beta", "name: p.v1.0.0")], &[])),
        ("no default", package("p", "''", &[("c", "name: p.v1.0.0"), ("d", "name: p.v1.0.0")], &[])),
        ("in no channel", package("p", "c", &[("c", "name: p.v1.0.0\nname: p.v1.2.0, replaces: p.v1.0.0")], &["p.v1.1.0"])),
        ("misspelt entry", package("p", "c", &[("c", "name: p.v1.0.0\nname: p.1.1.0, replaces: p.v1.0.0 # none")], &["p.v1.1.0"])),
        ("misspelt entry in JSON", "{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"c\"}{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"c\",\"entries\":[{\"name\":\"p.1.0.0\"}]}{\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":\"p.v1.0.0\",\"image\":\"q.io/o/p:v1\",\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"p\",\"version\":\"1.0.0\"}}]}".to_owned()),
        ("ranges", one("name: p.v1.0.0, skipRange: '>=0.1.0, <1.0.0'\nname: p.v1.1.0, replaces: p.v1.0.0, skipRange: any")),
        ("empty skip", one("name: p.v1.0.0\nname: p.v1.1.0, replaces: p.v1.0.0, skips: ['']")),
        ("deprecations", one("name: p.v1.0.0") + "---\nschema: olm.deprecations\npackage: p\nentries:\n- reference: {schema: olm.bundle, name: p.v1.00}\n  message: gone\n- reference: {schema: olm.channel, name: C}\n  message: gone\n- reference: {schema: olm.channel, name: other}\n  message: gone\n"),
        ("a wrapped property", one("name: p.v1.0.0") + "- property:\n  - type: color\n    value: red\n  - property:\n  - type: shape\n    value: square\n"),
        ("a required package as its own", one("name: p.v1.0.0") + "- type: olm.package\n  value: {packageName: q, version: '>=1.0.0'}\n"),
        ("a range without quotes", one("name: p.v1.0.0") + "- type: olm.package.required\n  value:\n    packageName: q\n    versionRange: >=1.0.0 <2.0.0\n"),
        ("unknown package", one("name: p.v1.0.0") + "---\nschema: olm.channel\npackage: pp\nname: d\nentries:\n- name: p.v1.0.0\n"),
    ]
}

#[test]
fn every_fix_of_the_fixtures_does_what_it_promises() {
    let mut tally = Tally::default();
    for (id, text) in fixtures() {
        let before = tally.fixes;
        tally.try_all(id, vec![("catalog.yaml".to_owned(), text.into_bytes())]);
        assert!(tally.fixes > before, "{id} offers nothing");
    }
    tally.check("fixtures", 1);
}

#[test]
fn every_fix_of_the_recorded_cases_does_what_it_promises() {
    let mut tally = Tally::default();
    let mutants: usize = std::env::var("SWITCHYARD_FIXES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(150);
    for (name, most) in [
        ("validate-cases", usize::MAX),
        ("validate-mutants", mutants),
    ] {
        let failing: Vec<Value> = recorded_answers(name)
            .into_iter()
            .filter(|case| case["ok"] == false)
            .collect();
        let step = failing.len().div_ceil(most).max(1);
        for case in failing
            .iter()
            .step_by(step)
            .filter(|case| case["links"].is_null())
        {
            tally.try_all(case["id"].as_str().unwrap(), files(case));
        }
    }
    tally.check("recorded cases", 500);
}

fn files(case: &Value) -> Vec<(String, Vec<u8>)> {
    let object = |key: &str| case[key].as_object().cloned().unwrap_or_default();
    let texts = object("files")
        .into_iter()
        .map(|(path, text)| (path, text.as_str().unwrap().as_bytes().to_vec()));
    let coded = object("b64").into_iter().map(|(path, text)| {
        (
            path,
            base64::engine::general_purpose::STANDARD
                .decode(text.as_str().unwrap())
                .unwrap(),
        )
    });
    texts.chain(coded).collect()
}

#[test]
fn every_fix_of_real_mistakes_does_what_it_promises() {
    let Some(mistakes) = shared_folder()
        .map(|shared| shared.join("corpus/mistakes"))
        .filter(|folder| folder.is_dir())
    else {
        println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
        return;
    };
    let mut tally = Tally::default();
    for kind in sorted(&mistakes) {
        for file in sorted(&kind) {
            let name = file.strip_prefix(&mistakes).unwrap().display().to_string();
            tally.try_all(
                &name,
                vec![("catalog.yaml".to_owned(), std::fs::read(&file).unwrap())],
            );
        }
    }
    tally.check("real mistakes", 150);
}

fn sorted(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

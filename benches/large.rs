//! How long the worker takes with catalogs that are each large in one way: opening, the first view
//! of a package, previews, edits, undo, typing, problems. Measures each at one size and at twice
//! that size in processor time, which other work on the machine hardly affects. Numbers are
//! printed, never asserted: `cargo bench --bench large [SHAPE]`; `tests/growth*.rs` count the work.

#[allow(dead_code, reason = "a benchmark has shapes of its own")]
#[path = "../tests/counted_work/shapes.rs"]
mod shapes;
mod support;

use host::Host;
use protocol::operation::EditOp;
use protocol::query::*;
use protocol::request::{LaneOptions, OpenMode, PackageRequest, PreviewScope};
use protocol::response::{Applied, Opened, PackageView};
use protocol::upgrades::Baseline;
use protocol::views::{Lens, Origin, UpgradeQuestion};
use protocol::{Handle, Json};
use serde_json::{Value, json};
use shapes::{entries, package};
use std::time::Duration;
use support::{Clock, quantiles};
use test_support::MemorySource;

type Files = Vec<(String, Vec<u8>)>;

/// A shape: its name, the smaller size, and its files.
type Shape = (&'static str, usize, fn(usize) -> Files);

const SHAPES: [Shape; 10] = [
    ("chain", 4_000, |n| {
        one_file(package("p", n, |_| String::new()))
    }),
    ("long-chain", 10_000, |n| {
        one_file(package("p", n, |_| String::new()))
    }),
    ("wide-ranges", 4_000, |n| {
        one_file(package("p", n, |_| "  skipRange: '<9999.0.0'\n".to_owned()))
    }),
    ("channels", 500, |n| {
        let channel = |i| {
            format!(
                "---\nschema: olm.channel\npackage: p\nname: c{i}\n{}",
                entries("p", 4, |_| String::new())
            )
        };
        one_file(package("p", 4, |_| String::new()) + &(0..n).map(channel).collect::<String>())
    }),
    ("problems", 300, |n| {
        let wrong = |i: usize| {
            package(&format!("q{i}"), 4, |_| String::new())
                .replace("defaultChannel: c", "defaultChannel: none")
        };
        let files = (0..n).map(|i| (format!("catalog/q{i}/catalog.yaml"), wrong(i).into_bytes()));
        let p = (
            "catalog/p/catalog.yaml".to_owned(),
            package("p", 4, |_| String::new()).into_bytes(),
        );
        std::iter::once(p).chain(files).collect()
    }),
    ("catalogs", 300, |n| {
        let package = |name: &str| package(name, 20, |_| String::new()).into_bytes();
        let of = |catalog: usize| {
            let names = std::iter::once("p".to_owned()).chain((0..n).map(|i| format!("q{i}")));
            names.map(move |name| (format!("v4.{catalog}/{name}/catalog.yaml"), package(&name)))
        };
        (10..21).flat_map(of).collect()
    }),
    ("one-file", 15, |megabytes| {
        let padding = format!("- type: long\n  value: {}\n", "lorem ipsum ".repeat(250));
        let of = |i: usize| {
            package(&format!("q{i}"), 20, |_| String::new())
                .replace("- type: extra\n  value: 1\n", &padding)
        };
        let size = of(0).len();
        let others: String = (0..megabytes * 1_000_000 / size).map(of).collect();
        one_file(package("p", 20, |_| String::new()) + &others)
    }),
    ("json", 15, |megabytes| {
        let size = json_package("q0").len();
        let others: String = (0..megabytes * 1_000_000 / size)
            .map(|i| json_package(&format!("q{i}")))
            .collect();
        vec![(
            "catalog/catalog.json".to_owned(),
            (json_package("p") + &others).into_bytes(),
        )]
    }),
    ("empty", 250_000, |n| {
        one_file(package("p", 4, |_| String::new()) + &"---\n".repeat(n))
    }),
    ("no-schema", 20_000, |n| {
        one_file(
            package("p", 4, |_| String::new())
                + &(0..n)
                    .map(|i| format!("---\nname: a{i}\n"))
                    .collect::<String>(),
        )
    }),
];

fn main() {
    let only = std::env::args()
        .nth(1)
        .filter(|name| !name.starts_with("--"))
        .unwrap_or_default();
    let times = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    for (name, size, files) in SHAPES
        .into_iter()
        .filter(|(name, ..)| name.starts_with(&only))
    {
        let size = times("SIZE").unwrap_or(size);
        let small = measure_all(files(size));
        let large = measure_all(files(2 * size));
        println!("{name}: {size}, and twice as much; milliseconds");
        for ((what, small), (_, large)) in small.into_iter().zip(large) {
            let ms = |time: Duration| time.as_secs_f64() * 1e3;
            let ratio = large.as_secs_f64() / small.as_secs_f64().max(1e-9);
            println!(
                "  {what:<44} {:>10.2} {:>10.2}  x {ratio:.1}",
                ms(small),
                ms(large)
            );
        }
    }
}

/// A package of 20 entries and long bundles, one object per blob.
fn json_package(name: &str) -> String {
    let version = shapes::version;
    let entry = |i: usize| match i.checked_sub(1) {
        Some(below) => {
            json!({"name": format!("{name}.v{}", version(i)), "replaces": format!("{name}.v{}", version(below))})
        }
        None => json!({"name": format!("{name}.v{}", version(i))}),
    };
    let bundle = |i: usize| {
        let version = version(i);
        let properties = [
            json!({"type": "olm.package", "value": {"packageName": name, "version": version}}),
            json!({"type": "long", "value": "lorem ipsum ".repeat(250)}),
        ];
        let (of, image) = (
            format!("{name}.v{version}"),
            format!("q.io/{name}:v{version}"),
        );
        json!({"schema": "olm.bundle", "package": name, "name": of, "image": image, "properties": properties})
    };
    let channel = |channel: &str, count: usize| {
        let entries: Vec<Value> = (0..count).map(entry).collect();
        json!({"schema": "olm.channel", "package": name, "name": channel, "entries": entries})
    };
    let head = json!({"schema": "olm.package", "name": name, "defaultChannel": "c"});
    let blobs = [head, channel("c", 20), channel("d", 1)]
        .into_iter()
        .chain((0..20).map(bundle));
    blobs.map(|blob| format!("{blob:#}\n")).collect()
}

fn one_file(text: String) -> Files {
    vec![("catalog/catalog.yaml".to_owned(), text.into_bytes())]
}

/// The processor time of each action: for changes, the median of five runs.
struct Times(Vec<(String, Duration)>);

impl Times {
    fn take<T>(&mut self, what: &str, run: impl FnOnce() -> T) -> T {
        let clock = Clock::start();
        let answer = run();
        self.0.push((what.to_owned(), clock.elapsed()));
        answer
    }

    fn median(&mut self, what: &str, mut run: impl FnMut(u32) -> Duration) {
        let mut times: Vec<Duration> = (0..5).map(&mut run).collect();
        let [median] = quantiles(&mut times, [0.5]);
        self.0.push((what.to_owned(), median));
    }
}

fn measure_time<T>(run: impl FnOnce() -> T) -> Duration {
    let clock = Clock::start();
    let answer = run();
    let time = clock.elapsed();
    drop(answer);
    time
}

fn measure_all(files: Files) -> Vec<(String, Duration)> {
    let mut times = Times(Vec::new());
    let (new, memory) = times.take("index", || {
        MemorySource::with_files(files.iter().map(|(path, bytes)| (path, bytes)))
    });
    let paths: Vec<String> = files.iter().map(|(path, _)| path.clone()).collect();
    let text = String::from_utf8_lossy(&files[0].1).into_owned();
    drop(files);
    let mut host = Host::new(memory);
    let Ok(Opened::Anew(status)) = times.take("open", || host.open(OpenMode::Replace, new)) else {
        return times.0;
    };
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let line = |name: &str| {
            status
                .lines()
                .find(|line| line.starts_with(name))
                .unwrap_or_default()
                .to_owned()
        };
        println!("  after the open: {} {}", line("VmRSS"), line("VmHWM"));
    }
    let root = status
        .roots
        .iter()
        .map(|root| root.root.clone())
        .next()
        .unwrap_or_default();
    let question = UpgradeQuestion {
        origin: Origin::Installed("p.v1.0.0".into()),
        lens: Lens::V0,
        ..UpgradeQuestion::default()
    };
    let view = |question: &UpgradeQuestion, fold: bool| PackageRequest {
        root: root.clone(),
        package: "p".to_owned(),
        lanes: LaneOptions {
            fold,
            ..LaneOptions::default()
        },
        question: question.clone(),
        baseline: None,
    };
    let shown = view(&question, true);
    let plain = UpgradeQuestion::default();
    times.take("packages", || {
        host.answer(Packages { root: root.clone() })
            .expect("an answer")
    });
    let first = times.take("first view", || host.answer(view(&plain, true)));
    let Ok(first) = first else {
        return times.0;
    };
    let _: &PackageView = &first;
    times.take("view with a path, Classic", || {
        host.answer(shown.clone()).expect("an answer")
    });
    let v1 = UpgradeQuestion {
        lens: Lens::V1,
        ..question.clone()
    };
    times.take("view with a path, OLM v1", || {
        host.answer(view(&v1, true)).expect("an answer")
    });
    times.take("view unfolded", || {
        host.answer(view(&plain, false)).expect("an answer")
    });
    times.take("problems", || {
        host.answer(Problems { root: root.clone() })
            .expect("an answer")
    });
    times.take("names for the search", || {
        host.answer(Find {
            text: "".into(),
            root: String::new(),
            limit: 20,
        })
        .expect("an answer")
    });
    times.take("search", || {
        host.answer(Find {
            text: "pv1".into(),
            root: String::new(),
            limit: 20,
        })
        .expect("an answer")
    });
    let inspect = |name: &str| Inspect {
        root: root.clone(),
        package: "p".into(),
        target: protocol::request::Target::Entry {
            channel: "c".into(),
            name: name.into(),
        },
    };
    times.take("inspect an entry", || {
        host.answer(inspect("p.v1.0.1")).expect("an answer")
    });
    let skip = |n: u32| EditOp::SetSkipRange {
        catalog: Some(root.clone()),
        package: "p".into(),
        channel: "c".into(),
        name: "p.v1.0.2".into(),
        skip_range: Some(format!("<1.0.{n}")),
    };
    let preview = |ops: Vec<EditOp>, scope| PreviewEdit {
        ops: Json(ops),
        scope,
    };
    let apply = |ops: Vec<EditOp>| Apply {
        ops: Json(ops),
        title: "edit".into(),
        view: Some(shown.clone()),
    };
    fn step<Q: Query<Answer = Applied>>(host: &mut Host, query: Q) -> Duration
    where
        Host: Handle<Q>,
    {
        measure_time(|| drop(host.answer(query).expect("an answer")))
    }
    times.median("preview of an edit", |n| {
        measure_time(|| host.answer(preview(vec![skip(n)], PreviewScope::Own)))
    });
    times.median("edit, previewed", |n| {
        host.answer(preview(vec![skip(n)], PreviewScope::Own))
            .expect("an answer");
        step(&mut host, apply(vec![skip(n)]))
    });
    times.median("edit, not previewed", |n| {
        step(&mut host, apply(vec![skip(10 + n)]))
    });
    times.median("undo", |_| {
        step(
            &mut host,
            Undo {
                view: Some(shown.clone()),
            },
        )
    });
    times.median("redo", |_| {
        step(
            &mut host,
            Redo {
                view: Some(shown.clone()),
            },
        )
    });
    let breaks = EditOp::SetDefaultChannel {
        catalog: Some(root.clone()),
        package: "p".into(),
        channel: "d".into(),
    };
    times.take("preview of a default channel", || {
        host.answer(preview(vec![breaks.clone()], PreviewScope::Own))
            .expect("an answer")
    });
    times.take("preview in all catalogs", || {
        host.answer(preview(vec![skip(4)], PreviewScope::All))
            .expect("an answer")
    });
    times.take("preview of what others lack", || {
        host.answer(preview(vec![skip(4)], PreviewScope::Lacking))
            .expect("an answer")
    });
    times.take("everyone", || {
        host.answer(Everyone {
            root: root.clone(),
            package: "p".into(),
            question: plain.clone(),
            ops: Json(Vec::new()),
        })
        .expect("an answer")
    });
    times.take("compare with what was opened", || {
        host.answer(Compare {
            old: Baseline::Disk,
            root: root.clone(),
        })
        .expect("an answer")
    });
    times.take("compare the package", || {
        host.answer(ComparePackage {
            old: Baseline::Disk,
            root: root.clone(),
            package: "p".into(),
            cluster: String::new(),
        })
        .expect("an answer")
    });
    times.take("review", || {
        host.answer(ReviewChanges {}).expect("an answer")
    });
    // At the end of the first file, and inside its first line.
    let last = text.lines().count() as u32;
    let end = |line: u32, letter: &str| {
        let column = text.lines().nth(line as usize - 1).map_or(0, str::len) as u32 + 1;
        vec![EditOp::ReplaceText {
            catalog: Some(root.clone()),
            file: paths[0]
                .strip_prefix(&format!("{root}/"))
                .unwrap_or(&paths[0])
                .to_owned(),
            at: format!("{line}:{column}-{line}:{column}"),
            before: String::new(),
            text: letter.to_owned(),
            around: None,
        }]
    };
    let typed = |ops: Vec<EditOp>| ApplyToLastStep {
        ops: Json(ops),
        title: "typed".into(),
        view: Some(shown.clone()),
    };
    let letter = |host: &mut Host, ops| step(host, typed(ops));
    // Unedited, so that the lines are those of `text`.
    host.answer(GoTo {
        steps: 0,
        view: None,
    })
    .expect("an answer");
    let blank = if text.starts_with('{') { " " } else { " #" };
    times.take("the first letter", || {
        step(&mut host, apply(end(last / 2, blank)))
    });
    times.median("a letter in the middle", |n| {
        letter(&mut host, end(last / 2 + 1 + n, blank))
    });
    times.median("a letter in the last line", |_| {
        letter(&mut host, end(last, blank))
    });
    times.median("a letter in the second line", |_| {
        letter(&mut host, end(2, blank))
    });
    // A place where text is invalid.
    times.median("a letter in what is broken", |n| {
        letter(&mut host, end(last / 2 + 10 + n, "["))
    });
    times.median("a quote that is not closed", |n| {
        letter(&mut host, end(last / 4 + n, "\""))
    });
    times.0
}

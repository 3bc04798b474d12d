//! Catalogs that are each large in one way, as text.

/// A shape: its name, and the files of a catalog of a given size. Each has the package `p` with
/// channels `c` and `d`, and in `c` at least the bundles `p.v1.0.0` to `p.v1.0.3`.
pub type Shape = (&'static str, fn(usize) -> Vec<String>);

pub const SHAPES: [Shape; 8] = [
    ("a long chain", |n| vec![package("p", n, |_| String::new())]),
    ("many channels", |n| {
        let channel = |i| {
            format!(
                "---\nschema: olm.channel\npackage: p\nname: c{i}\n{}",
                entries("p", 4, |_| String::new())
            )
        };
        vec![package("p", 4, |_| String::new()) + &(0..n).map(channel).collect::<String>()]
    }),
    ("many skips", |n| {
        let skips: String = (0..n).map(|i| format!("  - p.v0.1.{i}\n")).collect();
        vec![package("p", 4, |i| {
            if i == 3 {
                format!("  skips:\n{skips}")
            } else {
                String::new()
            }
        })]
    }),
    ("wide ranges", |n| {
        vec![package("p", n, |_| "  skipRange: '<9.0.0'\n".to_owned())]
    }),
    ("many packages", |n| {
        let others: String = (0..n)
            .map(|i| package(&format!("q{i}"), 4, |_| String::new()))
            .collect();
        vec![package("p", 4, |_| String::new()) + &others]
    }),
    ("many files", |n| {
        let others = (0..n).map(|i| package(&format!("q{i}"), 4, |_| String::new()));
        std::iter::once(package("p", 4, |_| String::new()))
            .chain(others)
            .collect()
    }),
    ("a long blob", |n| {
        vec![
            package("p", 4, |_| String::new())
                + &format!("- type: long\n  value: {}\n", "x".repeat(1000 * n)),
        ]
    }),
    ("many packages with problems", |n| {
        let wrong = |i: usize| {
            package(&format!("q{i}"), 4, |_| String::new())
                .replace("defaultChannel: c", "defaultChannel: none")
        };
        vec![package("p", 4, |_| String::new()) + &(0..n).map(wrong).collect::<String>()]
    }),
];

/// The version of an entry from its number: ten per y-stream.
pub fn version(i: usize) -> String {
    format!("1.{}.{}", i / 10, i % 10)
}

/// Each entry replaces the previous one and has further fields.
pub fn entries(package: &str, count: usize, more: impl Fn(usize) -> String) -> String {
    let entry = |i: usize| {
        let replaces = i
            .checked_sub(1)
            .map(|below| format!("  replaces: {package}.v{}\n", version(below)));
        format!(
            "- name: {package}.v{}\n{}{}",
            version(i),
            replaces.unwrap_or_default(),
            more(i)
        )
    };
    "entries:\n".to_owned() + &(0..count).map(entry).collect::<String>()
}

pub fn package(name: &str, count: usize, more: impl Fn(usize) -> String) -> String {
    format!("---\nschema: olm.package\nname: {name}\ndefaultChannel: c\n")
        + &format!(
            "---\nschema: olm.channel\npackage: {name}\nname: c\n{}",
            entries(name, count, more)
        )
        + &format!(
            "---\nschema: olm.channel\npackage: {name}\nname: d\nentries:\n- name: {name}.v1.0.0\n"
        )
        + &(0..count)
            .map(|i| bundle(name, &version(i)))
            .collect::<String>()
}

fn bundle(package: &str, version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\nimage: q.io/{package}:v{version}\nproperties:\n\
         - type: extra\n  value: 1\n- type: olm.package\n  value: {{packageName: {package}, version: {version}}}\n"
    )
}

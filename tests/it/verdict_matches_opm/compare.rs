//! Compares messages as described in the table's README: siblings of one kind in an error tree are
//! unordered.

use serde_json::Value;
use std::collections::BTreeMap;
use verdict::validate::Verdict;

/// A message in one canonical form.
pub(crate) fn normalise(message: &str) -> String {
    let mut text = String::new();
    // Decoders produce different numbers of U+FFFD for invalid UTF-8.
    for c in message.trim_end().chars() {
        if c != '\u{fffd}' || !text.ends_with('\u{fffd}') {
            text.push(c);
        }
    }
    if text.starts_with("invalid index:\n") {
        sorted_tree(&text)
    } else {
        sorted_duplicates(&text)
    }
}

struct Node {
    text: String,
    children: Vec<Node>,
}

fn sorted_tree(text: &str) -> String {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for line in text.split('\n') {
        match depth(line) {
            Some((depth, rest)) if !lines.is_empty() => lines.push((depth, rest.to_owned())),
            _ => match lines.last_mut() {
                Some((_, last)) => {
                    last.push('\n');
                    last.push_str(line);
                }
                None => lines.push((0, line.to_owned())),
            },
        }
    }
    let mut at = 0;
    let mut root = build(&lines, &mut at);
    arrange(&mut root);
    let mut out = String::new();
    draw(&root, "", "", &mut out);
    out.trim_end().to_owned()
}

/// The depth of a line of the tree (from 1) and its text; `None` for a continuation line.
fn depth(line: &str) -> Option<(usize, &str)> {
    let mut rest = line;
    let mut depth = 1;
    loop {
        if let Some(text) = rest
            .strip_prefix("├── ")
            .or_else(|| rest.strip_prefix("└── "))
        {
            return Some((depth, text));
        }
        rest = rest
            .strip_prefix("│   ")
            .or_else(|| rest.strip_prefix("    "))?;
        depth += 1;
    }
}

fn build(lines: &[(usize, String)], at: &mut usize) -> Node {
    let (depth, text) = &lines[*at];
    *at += 1;
    let mut node = Node {
        text: text.clone(),
        children: Vec::new(),
    };
    while *at < lines.len() && lines[*at].0 > *depth {
        node.children.push(build(lines, at));
    }
    node
}

fn kind(node: &Node) -> Option<&str> {
    [
        "invalid package \"",
        "invalid channel \"",
        "invalid bundle \"",
    ]
    .into_iter()
    .find(|k| node.text.starts_with(k))
}

fn arrange(node: &mut Node) {
    node.children.iter_mut().for_each(arrange);
    let kinds: Vec<Option<String>> = node
        .children
        .iter()
        .map(|c| kind(c).map(str::to_owned))
        .collect();
    let mut start = 0;
    while start < kinds.len() {
        let end = (start..kinds.len())
            .find(|&i| kinds[i] != kinds[start])
            .unwrap_or(kinds.len());
        if kinds[start].is_some() {
            let name = |n: &Node| n.text.trim_end_matches(':').to_owned();
            node.children[start..end].sort_by_key(name);
        }
        start = end;
    }
}

fn draw(node: &Node, own: &str, below: &str, out: &mut String) {
    out.push_str(own);
    out.push_str(&node.text);
    out.push('\n');
    for (i, child) in node.children.iter().enumerate() {
        let last = i + 1 == node.children.len();
        let (branch, stem) = if last {
            ("└── ", "    ")
        } else {
            ("├── ", "│   ")
        };
        draw(
            child,
            &format!("{below}{branch}"),
            &format!("{below}{stem}"),
            out,
        );
    }
}

fn sorted_duplicates(text: &str) -> String {
    let start = "[duplicate keys for key ";
    let Some((before, list)) = text
        .split_once(start)
        .filter(|(_, list)| list.ends_with(']'))
    else {
        return text.to_owned();
    };
    let mut parts: Vec<&str> = list[..list.len() - 1]
        .split(", duplicate keys for key ")
        .collect();
    parts.sort_unstable();
    format!(
        "{before}{start}{}]",
        parts.join(", duplicate keys for key ")
    )
}

/// Counts by family, and prints differences.
pub(crate) struct Tally {
    name: String,
    /// Family: cases, equal verdicts, equal messages.
    families: BTreeMap<String, [usize; 3]>,
    shown: usize,
}

impl Tally {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            families: BTreeMap::new(),
            shown: 0,
        }
    }

    pub(crate) fn count(&mut self, case: &Value, verdict: &Verdict) {
        let id = case["id"].as_str().unwrap();
        let family = id.split_once('/').map_or("all", |(family, _)| family);
        let counts = self.families.entry(family.to_owned()).or_default();
        counts[0] += 1;
        let list = |key: &str| case[key].as_array().cloned().unwrap_or_default();
        let expected: Vec<String> = std::iter::once(case["message"].clone())
            .chain(list("also"))
            .map(|m| normalise(m.as_str().unwrap()))
            .collect();
        let got = normalise(verdict.opm_message.as_deref().unwrap_or_default());
        let same_verdict = verdict.passed == case["ok"].as_bool().unwrap();
        let same_message = expected.contains(&got) || case["panic"] == true && !verdict.passed;
        counts[1] += usize::from(same_verdict);
        counts[2] += usize::from(same_verdict && same_message);
        let show = std::env::var("SWITCHYARD_SHOW").is_ok_and(|prefix| id.starts_with(&prefix));
        if !(same_verdict && same_message) && (show || self.shown < 40) {
            self.shown += 1;
            let label = if same_verdict { "message" } else { "VERDICT" };
            println!(
                "{label} {}/{id} ({})\n   opm: {:?}\n  ours: {got:?}",
                self.name, case["why"], expected[0]
            );
        }
    }

    pub(crate) fn print(&self) {
        for (family, [cases, verdicts, messages]) in &self.families {
            if self.families.len() > 1 {
                println!(
                    "{}/{family}: {cases} cases, {verdicts} verdicts, {messages} messages equal",
                    self.name
                );
            }
        }
        let [cases, verdicts, messages] = self.total();
        println!(
            "{}: {cases} cases, {verdicts} verdicts, {messages} messages equal",
            self.name
        );
    }

    fn total(&self) -> [usize; 3] {
        self.families.values().fold([0; 3], |sum, family| {
            std::array::from_fn(|i| sum[i] + family[i])
        })
    }

    /// Detects a truncated table, which would agree with everything.
    pub(crate) fn require_cases(&self, floor: usize) {
        let [cases, ..] = self.total();
        assert!(cases >= floor, "{}: only {cases} cases", self.name);
    }

    pub(crate) fn require_verdicts(&self, share: f64) {
        let [cases, verdicts, _] = self.total();
        assert!(
            verdicts as f64 >= cases as f64 * share,
            "{}: {verdicts} of {cases} verdicts are equal",
            self.name
        );
    }

    pub(crate) fn require_messages(&self, share: f64) {
        let [cases, _, messages] = self.total();
        assert!(
            messages as f64 >= cases as f64 * share,
            "{}: {messages} of {cases} messages are equal",
            self.name
        );
    }

    /// Checks that no family of cases fails entirely.
    pub(crate) fn require_families(&self) {
        for (family, [_, verdicts, messages]) in &self.families {
            assert!(
                *verdicts > 0 && *messages > 0,
                "{}/{family} is wrong as a whole",
                self.name
            );
        }
    }
}

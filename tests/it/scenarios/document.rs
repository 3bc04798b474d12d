//! Reads scenarios from Markdown: a second-level heading starts one, its fences hold catalogs and
//! requests, and list items that start with a subject are questions. Everything else is prose.

/// The setup and the statements of one section.
#[derive(Debug, Default)]
pub(super) struct Scenario {
    pub(super) title: String,
    pub(super) fences: Vec<Fence>,
    pub(super) lines: Vec<Line>,
}

#[derive(Debug)]
pub(super) struct Fence {
    /// The words after the backticks: `yaml catalog name=b priority=100`.
    pub(super) info: String,
    pub(super) text: String,
}

/// One list item.
#[derive(Debug)]
pub(super) struct Line {
    /// Its first line in the document, from 1.
    pub(super) number: usize,
    /// Case numbers, bold at its start: `**12, 13**`.
    pub(super) cases: Vec<u32>,
    pub(super) text: String,
}

pub(super) fn scenarios(text: &str) -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            scenarios.push(Scenario {
                title: title.to_owned(),
                ..Scenario::default()
            });
            continue;
        }
        let Some(scenario) = scenarios.last_mut() else {
            continue;
        };
        if let Some(info) = line.strip_prefix("```") {
            let body: Vec<&str> = lines
                .by_ref()
                .map(|(_, l)| l)
                .take_while(|l| !l.starts_with("```"))
                .collect();
            scenario.fences.push(Fence {
                info: info.to_owned(),
                text: body.join("\n") + "\n",
            });
        } else if let Some(item) = line.strip_prefix("- ") {
            let mut text = item.to_owned();
            while let Some((_, more)) = lines.next_if(|(_, l)| l.starts_with("  ")) {
                text = text + " " + more.trim();
            }
            let (cases, text) = split_case_numbers(&text);
            if super::question::is_question(&text) {
                scenario.lines.push(Line {
                    number: at + 1,
                    cases,
                    text,
                });
            }
        }
    }
    scenarios.retain(|s| !s.lines.is_empty());
    scenarios
}

/// Splits off the case numbers of an item's text.
fn split_case_numbers(item: &str) -> (Vec<u32>, String) {
    let split = item
        .strip_prefix("**")
        .and_then(|rest| rest.split_once("** "));
    let Some((numbers, text)) = split else {
        return (Vec::new(), item.to_owned());
    };
    let cases = numbers
        .split(", ")
        .map(|n| n.parse().unwrap_or_else(|_| panic!("not a case: {item}")))
        .collect();
    (cases, text.to_owned())
}

//! Problems and explanations as text, and remarks about what could not be read or checked.

use super::{Paint, is_terminal_control, one_line};
use crate::error::COULD_NOT_RUN;
use crate::output;
use ::catalog::version::openshift::OpenShift;
use ::catalog::{Catalog, LoadFault};
use ::edit::command_line::dry_run_command;
use protocol::counting::{and_more, count_of};
use protocol::diagnostic::{Chain, ChainLink, ChainMark, Diagnostic, Fix, Location, Severity};
use serde_json::{Value, json};
use session::{AdviceSource, Session, Verdict};
use std::collections::{BTreeMap, HashMap};
use upgrade::cluster::{BundleOnCluster, NextStepOnCluster, PathOnCluster, Starts, kubernetes};
use verdict::compare::User;
use verdict::compare::cluster::UserOnCluster;

/// Most problems of one rule that are shown in full.
const FULL: usize = 3;
/// Most problems of one rule that are shown at all.
const MAX_SHOWN: usize = 40;
/// Most related places of one problem that are shown.
const RELATED: usize = 5;
/// Columns of running text.
const WIDTH: usize = 96;
/// Longest command that is printed.
const COMMAND: usize = 1500;

/// A catalog's verdict, with the options for its output.
pub(crate) struct Report<'a> {
    pub(crate) verdict: &'a Verdict,
    pub(crate) session: &'a Session,
    /// The folder as a shell word, for commands.
    pub(crate) folder: &'a str,
    pub(crate) paint: Paint,
}

impl Report<'_> {
    /// Formats the problems, then the verdict.
    pub(crate) fn text(&self) -> String {
        let mut groups: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
        for problem in &self.verdict.diagnostics {
            groups
                .entry(problem.package.as_deref().unwrap_or_default())
                .or_default()
                .push(problem);
        }
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let mut out = String::new();
        let headings = groups.len() > 1;
        for (package, problems) in groups {
            if headings {
                let name = match package {
                    "" => "the catalog".to_owned(),
                    package => format!("package `{}`", printable(package)),
                };
                out.push_str(&format!(
                    "{}\n\n",
                    self.paint.dim(&format!(
                        "── {name}: {} ──",
                        count_of(problems.len(), "problem")
                    ))
                ));
            }
            for problem in problems {
                let count = counts.entry(&problem.rule).or_default();
                *count += 1;
                // A consequence is printed below its cause.
                if *count > MAX_SHOWN {
                    continue;
                }
                if *count > FULL
                    || problem
                        .follows
                        .as_ref()
                        .is_some_and(|cause| !cause.rule.is_empty())
                {
                    self.short(problem, &mut out);
                } else {
                    self.full(problem, &mut out);
                }
            }
        }
        let mut left: Vec<(&str, usize)> = counts
            .into_iter()
            .filter_map(|(rule, count)| Some((rule, count.checked_sub(MAX_SHOWN)?)))
            .collect();
        left.retain(|(_, more)| *more > 0);
        left.sort_unstable();
        for (rule, more) in &left {
            out.push_str(&format!(
                "… {} of {rule} (`--format json` lists all)\n",
                and_more(*more)
            ));
        }
        if !left.is_empty() {
            out.push('\n');
        }
        out.push_str(&self.ending());
        out
    }

    /// Formats the verdict.
    pub(crate) fn ending(&self) -> String {
        let diagnostics = &self.verdict.diagnostics;
        let errors = diagnostics
            .iter()
            .filter(|d| d.opm && d.severity == Severity::Error);
        let (first, following): (Vec<_>, Vec<_>) =
            errors.partition(|d| d.follows.as_ref().is_none_or(|cause| cause.rule.is_empty()));
        let errors = first.len() + following.len();
        let follow = match following.len() {
            0 => String::new(),
            n => format!(
                " ({n} of them only {} from another)",
                if n == 1 { "follows" } else { "follow" }
            ),
        };
        let warnings = match diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Warning)
            .count()
        {
            0 => String::new(),
            1 => ", 1 warning".to_owned(),
            n => format!(", {n} warnings"),
        };
        match (self.verdict.passed, errors) {
            (true, _) => format!("passes opm validate{warnings}\n"),
            (false, 1) => format!("fails opm validate: 1 error{follow}{warnings}\n"),
            (false, n) => format!("fails opm validate: {n} errors{follow}{warnings}\n"),
        }
    }

    fn kind(&self, problem: &Diagnostic) -> String {
        let kind = match problem.severity {
            Severity::Error => self.paint.error("error"),
            Severity::Warning => self.paint.warning("warning"),
            Severity::Info => self.paint.hint("info"),
        };
        let origin = if problem.opm { "" } else { " (not opm's)" };
        format!("{kind}[{}]{origin}", problem.rule)
    }

    /// Writes a problem on one line, and its cause on another if it follows from one.
    fn short(&self, problem: &Diagnostic, out: &mut String) {
        let place = match problem.location.file.is_empty() {
            true => String::new(),
            false => format!(" {}:", place(&problem.location)),
        };
        out.push_str(&format!(
            "{}:{place} {}\n",
            self.kind(problem),
            printable(&problem.message)
        ));
        self.cause(problem, out);
        out.push('\n');
    }

    fn full(&self, problem: &Diagnostic, out: &mut String) {
        out.push_str(&format!(
            "{}: {}\n",
            self.kind(problem),
            printable(&problem.message)
        ));
        if !problem.location.file.is_empty() {
            out.push_str(&format!(
                "  {} {}\n",
                self.paint.dim("-->"),
                place(&problem.location)
            ));
            out.push_str(&self.snippet(&problem.location));
        }
        for related in problem.related.iter().take(RELATED) {
            let place = place(&related.location);
            out.push_str(&format!(
                "  {} {}: {place}\n",
                self.paint.dim("note:"),
                printable(&related.message)
            ));
        }
        if let Some(more) = problem
            .related
            .len()
            .checked_sub(RELATED)
            .filter(|more| *more > 0)
        {
            out.push_str(&format!(
                "  {} {}\n",
                self.paint.dim("note:"),
                and_more(more)
            ));
        }
        self.cause(problem, out);
        match &problem.explanation {
            None => self.paragraph("help:", &problem.help, out),
            Some(explanation) => {
                self.paragraph("why:", &explanation.why, out);
                let lines = draw(&explanation.chains, self.paint);
                if !lines.is_empty() {
                    out.push('\n');
                }
                for line in &lines {
                    out.push_str(format!("       {line}").trim_end());
                    out.push('\n');
                }
                if !lines.is_empty() {
                    out.push('\n');
                }
                // The fixes make the help redundant.
                if problem.fixes.is_empty() {
                    self.paragraph("help:", &problem.help, out);
                }
            }
        }
        problem.fixes.iter().for_each(|fix| self.fix(fix, out));
        out.push('\n');
    }

    fn cause(&self, problem: &Diagnostic, out: &mut String) {
        let Some(cause) = &problem.follows else {
            return;
        };
        let rule = if cause.rule.is_empty() {
            String::new()
        } else {
            format!("[{}] ", cause.rule)
        };
        let place = place(&cause.location);
        let label = self.paint.hint("follows from:");
        out.push_str(&format!(
            "  {label} {rule}{}: {place}\n",
            printable(&cause.message)
        ));
    }

    fn fix(&self, fix: &Fix, out: &mut String) {
        let safe = if fix.safe { " (--fix applies it)" } else { "" };
        out.push_str(&format!(
            "  {} {}{safe}\n",
            self.paint.hint("fix:"),
            printable(&fix.title)
        ));
        let heads: Vec<String> = fix.heads.iter().map(|head| format!("`{head}`")).collect();
        let heads = match &heads[..] {
            [] => None,
            [head] => Some(format!("then the head is {head}")),
            heads => Some(format!("then the heads are {}", heads.join(", "))),
        };
        let notes: Vec<String> = heads
            .into_iter()
            .chain((!fix.note.is_empty()).then(|| fix.note.clone()))
            .collect();
        if !notes.is_empty() {
            out.push_str(&format!("       {}\n", printable(&notes.join("; "))));
        }
        let command = format!("{} --write", dry_run_command(&fix.ops, self.folder));
        if command.len() > COMMAND {
            out.push_str(&format!(
                "       {} operations; `--format json` lists them\n",
                fix.ops.len()
            ));
        } else {
            out.push_str(&format!(
                "       {}\n",
                self.paint.dim(&printable(&command))
            ));
        }
    }

    /// Writes running text under a label, wrapped.
    fn paragraph(&self, label: &str, text: &str, out: &mut String) {
        if text.is_empty() {
            return;
        }
        out.push_str(&format!("  {}", self.paint.hint(label)));
        let indent = label.len() + 2;
        let mut column = indent;
        for word in printable(text).split_whitespace() {
            let width = word.chars().count() + 1;
            if column + width > WIDTH && column > indent {
                out.push_str(&format!("\n{}", " ".repeat(indent)));
                column = indent;
            }
            out.push_str(&format!(" {word}"));
            column += width;
        }
        out.push('\n');
    }

    /// Formats the first line of the place, with carets below it.
    fn snippet(&self, at: &Location) -> String {
        let Some(line) = self.line(&at.file, at.line) else {
            return String::new();
        };
        // Cut a long line around its place.
        let characters: Vec<char> = line.chars().collect();
        let from = (at.column as usize).saturating_sub(1).min(characters.len());
        let until = if at.end_line == at.line {
            (at.end_column as usize).saturating_sub(1)
        } else {
            characters.len()
        };
        let until = until.clamp(from, characters.len());
        let left = from.saturating_sub(60);
        let right = (left + 100).min(characters.len());
        let visible_text: String = characters[left..right]
            .iter()
            .map(|c: &char| if c.is_control() { ' ' } else { *c })
            .collect();
        let carets = "^".repeat(until.min(right).saturating_sub(from).max(1));
        let number = at.line.to_string();
        let blank = " ".repeat(number.len());
        format!(
            "  {blank} {bar}\n  {number} {bar} {}\n  {blank} {bar} {}{}\n",
            visible_text.trim_end(),
            " ".repeat(from - left),
            self.paint.error(&carets),
            bar = self.paint.dim("|"),
        )
    }

    /// Returns a line of a file of the catalog, or of the configuration; `None` if it is empty or missing.
    fn line(&self, file: &str, line: u32) -> Option<String> {
        if let Ok(lines) = self.session.files().lines(file, line, 1) {
            return lines
                .lines
                .into_iter()
                .next()
                .map(|line| line.text)
                .filter(|text| !text.is_empty());
        }
        match self.session.advice_source() {
            AdviceSource::Given {
                file: config, text, ..
            } if config == file => {
                let line = text
                    .split(|b| *b == b'\n')
                    .nth((line as usize).checked_sub(1)?)?;
                Some(
                    String::from_utf8_lossy(line)
                        .trim_end_matches('\r')
                        .to_owned(),
                )
            }
            _ => None,
        }
    }
}

pub(crate) fn place(at: &Location) -> String {
    format!("{}:{}:{}", printable(&at.file), at.line, at.column)
}

/// Sanitizes catalog text, so that it cannot control the terminal. Indents further lines, so that they cannot imitate
/// our own lines.
fn printable(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(visible).collect();
    lines.join("\n      ")
}

/// Most places that are listed; the rest is counted.
const MAX_FAULTS: usize = 10;

/// The unreadable parts that an answer may lack.
#[derive(Debug, Default)]
pub(crate) struct Incomplete {
    /// The folder as given, and the unreadable part.
    faults: Vec<(String, LoadFault)>,
}

impl Incomplete {
    /// Collects the unreadable parts of a catalog. `folder` is as given on the command line.
    pub(crate) fn for_catalog(folder: &str, catalog: &Catalog) -> Self {
        let mut incomplete = Self::default();
        incomplete.add(folder, catalog);
        incomplete
    }

    pub(crate) fn add(&mut self, folder: &str, catalog: &Catalog) {
        self.faults.extend(
            catalog
                .load_faults()
                .into_iter()
                .map(|fault| (folder.to_owned(), fault)),
        );
    }

    /// Adds `"incomplete": [{"catalog","file","line","column","message"}]` to an object, unless empty.
    pub(crate) fn mark(&self, answer: &mut Value) {
        if self.faults.is_empty() {
            return;
        }
        answer["incomplete"] = self
            .faults
            .iter()
            .map(|(folder, fault): &(String, LoadFault)| {
                json!({
                    "catalog": folder,
                    "file": fault.location.file,
                    "line": fault.location.line,
                    "column": fault.location.column,
                    "message": fault.message,
                })
            })
            .collect();
    }

    /// Prints a report for people. Returns the exit status of a command that would have ended with `status`.
    /// `is_accepted`: `--partial` is given.
    pub(crate) fn report(&self, is_accepted: bool, status: u8) -> u8 {
        if self.faults.is_empty() {
            return status;
        }
        let several = self
            .faults
            .iter()
            .any(|(folder, _)| *folder != self.faults[0].0);
        let mut text = match is_accepted {
            true => "incomplete: this answer comes from the part of the catalog that could be read".to_owned(),
            false => {
                "incomplete: this answer comes from the part of the catalog that could be read (`--partial` accepts it)"
                    .to_owned()
            }
        };
        for (folder, fault) in self.faults.iter().take(MAX_FAULTS) {
            let place = &fault.location;
            let within = if several {
                format!("{folder}: ")
            } else {
                String::new()
            };
            let line = format!(
                "{within}{}:{}:{}: {}",
                place.file, place.line, place.column, fault.message
            );
            text.push_str(&format!(
                "\n  {}",
                line.replace(char::is_control, "\u{fffd}")
            ));
        }
        if let Some(more) = self
            .faults
            .len()
            .checked_sub(MAX_FAULTS)
            .filter(|more| *more > 0)
        {
            text.push_str(&format!(
                "\n  {}; `switchyard validate` lists all",
                and_more(more)
            ));
        }
        output::write_stderr(&text);
        if is_accepted { status } else { COULD_NOT_RUN }
    }
}

/// Width in columns of chains side by side.
const CHAIN_WIDTH: usize = 96;
/// Columns between two chains.
const GAP: usize = 4;

/// A piece of a line: its text, and its width without colors.
struct Cell {
    shown: String,
    width: usize,
}

/// Draws the chains, side by side if they fit. Returns lines without indent and line breaks.
pub(crate) fn draw(chains: &[Chain], paint: Paint) -> Vec<String> {
    let columns: Vec<Vec<Cell>> = chains.iter().map(|chain| cells(chain, paint)).collect();
    let widths: Vec<usize> = columns
        .iter()
        .map(|column| column.iter().map(|cell| cell.width).max().unwrap_or(0))
        .collect();
    let total = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    if total > CHAIN_WIDTH {
        let one_by_one = columns.into_iter().enumerate().flat_map(|(i, column)| {
            let between = (i > 0).then(String::new);
            between
                .into_iter()
                .chain(column.into_iter().map(|cell| cell.shown))
        });
        return one_by_one.collect();
    }
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let line = |row: usize| {
        let mut line = String::new();
        let mut missing = 0;
        for (column, width) in columns.iter().zip(&widths) {
            let cell = column.get(row);
            if let Some(cell) = cell {
                line.push_str(&" ".repeat(missing));
                line.push_str(&cell.shown);
                missing = 0;
            }
            missing += width - cell.map_or(0, |cell| cell.width) + GAP;
        }
        line
    };
    (0..height).map(line).collect()
}

fn cells(chain: &Chain, paint: Paint) -> Vec<Cell> {
    let mut cells = vec![cell(&visible(&chain.title), |text| paint.dim(text))];
    let last = chain.links.len().saturating_sub(1);
    for (i, link) in chain.links.iter().enumerate() {
        match link {
            ChainLink::Folded(count) => {
                cells.push(cell(&format!("┊ {count} more"), |text| paint.dim(text)))
            }
            ChainLink::Entry(entry) => {
                let mut text = visible(&entry.name);
                // Most names contain the version already.
                if !entry.version.is_empty() && !entry.name.contains(&entry.version) {
                    text.push_str(&format!(" {}", visible(&entry.version)));
                }
                let marks: Vec<&str> = entry.marks.iter().map(|mark| mark.label()).collect();
                if !marks.is_empty() {
                    text.push_str(&format!("  ({})", marks.join(", ")));
                }
                cells.push(cell(&text, |text| {
                    match entry.marks.iter().any(|mark| stands_out(*mark)) {
                        true => paint.warning(text),
                        false => text.to_owned(),
                    }
                }));
                if !entry.edge.is_empty() && i < last {
                    cells.push(cell(&format!("│ {}", entry.edge), |text| paint.dim(text)));
                }
            }
        }
    }
    cells
}

fn stands_out(mark: ChainMark) -> bool {
    !matches!(
        mark,
        ChainMark::Skipped | ChainMark::Default | ChainMark::Meets
    )
}

fn cell(text: &str, paint: impl Fn(&str) -> String) -> Cell {
    Cell {
        shown: paint(text),
        width: text.chars().count(),
    }
}

/// Replaces control characters: catalog text must not control the terminal.
fn visible(text: &str) -> String {
    text.chars()
        .map(|c| {
            if is_terminal_control(c) {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

/// Formats the lines after an answer of `next`.
pub(crate) fn next_text(on: &NextStepOnCluster) -> String {
    on.messages
        .iter()
        .map(|line| format!("{}\n", one_line(line)))
        .collect()
}

pub(crate) fn next_json(on: &NextStepOnCluster) -> Value {
    let mut answer = versions(on.cluster.version);
    answer["installed"] = on.installed.as_ref().map(bundle).into();
    answer["next"] = on.next.as_ref().map(bundle).into();
    answer["unblocked_by"] = on.unblocked_by.as_deref().into();
    answer["messages"] = json!(on.messages);
    answer["olm_message"] = on.reported.as_deref().into();
    answer
}

/// Formats the remark after each step of a path; "" for none.
pub(crate) fn path_remarks(on: &PathOnCluster) -> Vec<String> {
    on.remarks()
        .into_iter()
        .map(|text: String| {
            if text.is_empty() {
                text
            } else {
                format!("  ({})", one_line(&text))
            }
        })
        .collect()
}

pub(crate) fn path_json(on: &PathOnCluster) -> Value {
    let steps = on.names.iter().zip(&on.steps).map(|(name, step)| match step {
        Some(step) => bundle(step),
        None => json!({ "name": &**name, "max_openshift_version": null, "blocks_update": null, "min_kube_version": null, "starts": null }),
    });
    let mut answer = versions(on.cluster.version);
    answer["steps"] = steps.collect();
    answer["unblocked_by"] = on.unblocked_by().as_deref().into();
    answer
}

/// Returns the versions of the cluster as JSON.
pub(crate) fn versions(version: OpenShift) -> Value {
    json!({ "openshift": version.to_string(), "kubernetes": kubernetes(version) })
}

fn bundle(on: &BundleOnCluster) -> Value {
    json!({
        "name": &*on.name,
        "max_openshift_version": Some(on.limit.to_string()).filter(|text| !text.is_empty()),
        "blocks_update": on.blocks_update,
        "min_kube_version": Some(&*on.min_kube).filter(|text| !text.is_empty()),
        "starts": on.starts.as_str(),
    })
}

/// Returns the consequences of a change for a version on the cluster as JSON, for `diff`.
pub(crate) fn user(user: &User, on: &UserOnCluster) -> Value {
    let starts = || on.new_next.as_ref().map_or(Starts::Yes, |next| next.starts);
    json!({
        "blocks_update": on.blocks_update,
        "old_unblocked_by": on.old_unblocked_by.as_deref(),
        "new_unblocked_by": on.new_unblocked_by.as_deref(),
        "new_next_starts": user.new_next.as_ref().map(|_| starts().as_str()),
    })
}

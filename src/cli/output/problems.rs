//! Problems and their explanations as text, remarks on unreadable parts of a catalog, and answers
//! about a cluster.

use super::{Paint, is_terminal_control, one_line};
use crate::error::COULD_NOT_RUN;
use crate::output;
use ::catalog::version::openshift::OpenShift;
use ::catalog::{Catalog, LoadFault};
use ::edit::command_line::dry_run_command;
use protocol::MATCHED_OPM;
use protocol::counting::{and_more, count_of, count_of_errors, quoted};
use protocol::diagnostic::{Chain, ChainLink, ChainMark, Diagnostic, Fix, Location, Severity};
use serde_json::{Value, json};
use session::{AdviceSource, Root, Session, Verdict};
use std::collections::{BTreeMap, HashMap};
use upgrade::cluster::{BundleOnCluster, NextStepOnCluster, PathOnCluster, Starts, kubernetes};
use verdict::compare::User;
use verdict::compare::cluster::UserOnCluster;

/// At most this many problems of one rule are shown in full.
const MAX_SHOWN_IN_FULL: usize = 3;
/// At most this many problems of one rule are shown.
const MAX_SHOWN: usize = 40;
/// At most this many related locations of one problem are shown.
const MAX_RELATED: usize = 5;
/// Columns of running text, and of chains side by side.
const TEXT_WIDTH: usize = 96;
/// Longest command that is printed, in bytes.
const MAX_COMMAND_LENGTH: usize = 1500;
/// Columns of a source line that are shown: before the problem, and in all.
const SNIPPET_CONTEXT: usize = 60;
const SNIPPET_WIDTH: usize = 100;
/// At most this many unreadable parts are listed; the others are counted.
const MAX_FAULTS: usize = 10;
/// Columns between two chains.
const CHAIN_GAP: usize = 4;

/// A catalog's verdict, with the options for its output.
pub(crate) struct Report<'a> {
    pub verdict: &'a Verdict,
    pub session: &'a Session,
    /// The folder as a shell word, for commands.
    pub folder: &'a str,
    pub paint: Paint,
}

impl Report<'_> {
    /// Formats the problems, then the verdict.
    pub fn text(&self) -> String {
        let mut groups: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
        for problem in &self.verdict.diagnostics {
            groups
                .entry(problem.package.as_deref().unwrap_or_default())
                .or_default()
                .push(problem);
        }
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let mut out = String::new();
        let has_headings = groups.len() > 1;
        for (package, problems) in groups {
            if has_headings {
                out.push_str(&self.heading(package, problems.len()));
            }
            for problem in problems {
                let count = counts.entry(&problem.rule).or_default();
                *count += 1;
                if *count > MAX_SHOWN {
                    continue;
                }
                if *count > MAX_SHOWN_IN_FULL || problem.is_consequence() {
                    self.write_short(problem, &mut out);
                } else {
                    self.write_full(problem, &mut out);
                }
            }
        }
        let mut omitted: Vec<(&str, usize)> = counts
            .into_iter()
            .filter(|(_, count)| *count > MAX_SHOWN)
            .map(|(rule, count)| (rule, count - MAX_SHOWN))
            .collect();
        omitted.sort_unstable();
        for (rule, count) in &omitted {
            out.push_str(&format!(
                "… {} of {rule} (`--format json` lists all)\n",
                and_more(*count)
            ));
        }
        if !omitted.is_empty() {
            out.push('\n');
        }
        out.push_str(&self.verdict_line());
        out
    }

    /// Formats the heading of a package's problems; `""` is the catalog as a whole.
    fn heading(&self, package: &str, problem_count: usize) -> String {
        let name = match package {
            "" => "the catalog".to_owned(),
            package => format!("package `{}`", printable(package)),
        };
        let count = count_of(problem_count, "problem");
        format!("{}\n\n", self.paint.dim(&format!("── {name}: {count} ──")))
    }

    /// Formats the verdict, with the numbers of errors and warnings.
    pub fn verdict_line(&self) -> String {
        let diagnostics = &self.verdict.diagnostics;
        let problems = diagnostics.iter();
        let errors = problems.filter(|d| d.opm && d.severity == Severity::Error);
        let following = errors.clone().filter(|d| d.is_consequence()).count();
        let errors = count_of_errors(errors.count(), following);
        let warnings = diagnostics
            .iter()
            .filter(|problem| problem.severity == Severity::Warning)
            .count();
        let warnings = match warnings {
            0 => String::new(),
            n => format!(", {}", count_of(n, "warning")),
        };
        if self.verdict.passed {
            return format!("passes opm validate{warnings}\n");
        }
        format!("fails opm validate: {errors}{warnings}\n")
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
    fn write_short(&self, problem: &Diagnostic, out: &mut String) {
        let location = if problem.location.file.is_empty() {
            String::new()
        } else {
            format!(" {}:", format_location(&problem.location))
        };
        out.push_str(&format!(
            "{}:{location} {}\n",
            self.kind(problem),
            printable(&problem.message)
        ));
        self.write_cause(problem, out);
        out.push('\n');
    }

    fn write_full(&self, problem: &Diagnostic, out: &mut String) {
        out.push_str(&format!(
            "{}: {}\n",
            self.kind(problem),
            printable(&problem.message)
        ));
        if !problem.location.file.is_empty() {
            out.push_str(&format!(
                "  {} {}\n",
                self.paint.dim("-->"),
                format_location(&problem.location)
            ));
            out.push_str(&self.snippet(&problem.location));
        }
        for related in problem.related.iter().take(MAX_RELATED) {
            let location = format_location(&related.location);
            out.push_str(&format!(
                "  {} {}: {location}\n",
                self.paint.dim("note:"),
                printable(&related.message)
            ));
        }
        if let Some(more @ 1..) = problem.related.len().checked_sub(MAX_RELATED) {
            out.push_str(&format!(
                "  {} {}\n",
                self.paint.dim("note:"),
                and_more(more)
            ));
        }
        self.write_cause(problem, out);
        match &problem.explanation {
            None => self.write_paragraph("help:", &problem.help, out),
            Some(explanation) => {
                self.write_paragraph("why:", &explanation.why, out);
                self.write_chains(&explanation.chains, out);
                // The fixes make the help redundant.
                if problem.fixes.is_empty() {
                    self.write_paragraph("help:", &problem.help, out);
                }
            }
        }
        for fix in &problem.fixes {
            self.write_fix(fix, out);
        }
        out.push('\n');
    }

    /// Writes chains of entries, indented, between empty lines.
    fn write_chains(&self, chains: &[Chain], out: &mut String) {
        let lines = draw_chains(chains, self.paint);
        if lines.is_empty() {
            return;
        }
        out.push('\n');
        for line in &lines {
            out.push_str(format!("       {line}").trim_end());
            out.push('\n');
        }
        out.push('\n');
    }

    fn write_cause(&self, problem: &Diagnostic, out: &mut String) {
        let Some(cause) = &problem.follows else {
            return;
        };
        let rule = if cause.rule.is_empty() {
            String::new()
        } else {
            format!("[{}] ", cause.rule)
        };
        let location = format_location(&cause.location);
        let label = self.paint.hint("follows from:");
        out.push_str(&format!(
            "  {label} {rule}{}: {location}\n",
            printable(&cause.message)
        ));
    }

    fn write_fix(&self, fix: &Fix, out: &mut String) {
        let safe = if fix.safe { " (--fix applies it)" } else { "" };
        out.push_str(&format!(
            "  {} {}{safe}\n",
            self.paint.hint("fix:"),
            printable(&fix.title)
        ));
        let heads = quoted(&fix.heads);
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
        if command.len() > MAX_COMMAND_LENGTH {
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
    fn write_paragraph(&self, label: &str, text: &str, out: &mut String) {
        if text.is_empty() {
            return;
        }
        out.push_str(&format!("  {}", self.paint.hint(label)));
        let indent = label.len() + 2;
        let mut column = indent;
        for word in printable(text).split_whitespace() {
            let width = word.chars().count() + 1;
            if column + width > TEXT_WIDTH && column > indent {
                out.push_str(&format!("\n{}", " ".repeat(indent)));
                column = indent;
            }
            out.push_str(&format!(" {word}"));
            column += width;
        }
        out.push('\n');
    }

    /// Formats the first line of the location, with carets below it.
    fn snippet(&self, location: &Location) -> String {
        let Some(line) = self.line(&location.file, location.line) else {
            return String::new();
        };
        let characters: Vec<char> = line.chars().collect();
        let start = (location.column as usize)
            .saturating_sub(1)
            .min(characters.len());
        let end = if location.end_line == location.line {
            (location.end_column as usize).saturating_sub(1)
        } else {
            characters.len()
        };
        let end = end.clamp(start, characters.len());
        // Cut a long line.
        let left = start.saturating_sub(SNIPPET_CONTEXT);
        let right = (left + SNIPPET_WIDTH).min(characters.len());
        let visible_text: String = characters[left..right]
            .iter()
            .map(|c: &char| if c.is_control() { ' ' } else { *c })
            .collect();
        let carets = "^".repeat(end.min(right).saturating_sub(start).max(1));
        let number = location.line.to_string();
        let blank = " ".repeat(number.len());
        format!(
            "  {blank} {bar}\n  {number} {bar} {}\n  {blank} {bar} {}{}\n",
            visible_text.trim_end(),
            " ".repeat(start - left),
            self.paint.error(&carets),
            bar = self.paint.dim("|"),
        )
    }

    /// Returns a line of a file of the catalog, or of the configuration; `None` if it is empty or
    /// missing.
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

pub(crate) fn format_location(location: &Location) -> String {
    let file = printable(&location.file);
    format!("{file}:{}:{}", location.line, location.column)
}

/// Sanitizes catalog text, so that it cannot control the terminal. Indents further lines, so that
/// they cannot imitate our own lines.
fn printable(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(visible).collect();
    lines.join("\n      ")
}

/// Warns on standard error that the catalog fails `opm validate`; the answer is still computed from
/// its edges. Unreadable parts are reported by [`Incomplete`].
pub(crate) fn note_failing_catalog(name: &str, root: &Root) {
    if !root.verdict().passed && root.catalog().load_faults().is_empty() {
        super::print_note(&format!(
            "{name} fails opm validate: opm {MATCHED_OPM} does not serve it until that is fixed; `switchyard validate` shows why"
        ));
    }
}

/// The unreadable parts that an answer may lack.
#[derive(Debug, Default)]
pub(crate) struct Incomplete {
    /// The folder as on the command line, and the unreadable part.
    faults: Vec<(String, LoadFault)>,
}

impl Incomplete {
    /// Collects the unreadable parts of a catalog. `folder` is as on the command line.
    pub fn for_catalog(folder: &str, catalog: &Catalog) -> Self {
        let mut incomplete = Self::default();
        incomplete.add(folder, catalog);
        incomplete
    }

    pub fn add(&mut self, folder: &str, catalog: &Catalog) {
        let faults = catalog.load_faults().into_iter();
        self.faults
            .extend(faults.map(|fault| (folder.to_owned(), fault)));
    }

    /// Adds `"incomplete": [{"catalog","file","line","column","message"}]` to an object, unless
    /// empty.
    pub fn mark(&self, answer: &mut Value) {
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

    /// Prints a report for people. Returns the exit status: `status` if everything could be read or
    /// `is_accepted`, which is the option `--partial`.
    pub fn report(&self, is_accepted: bool, status: u8) -> u8 {
        if self.faults.is_empty() {
            return status;
        }
        let has_several_folders = self
            .faults
            .iter()
            .any(|(folder, _)| *folder != self.faults[0].0);
        let mut text =
            "incomplete: this answer comes from the part of the catalog that could be read"
                .to_owned();
        if !is_accepted {
            text.push_str(" (`--partial` accepts it)");
        }
        for (folder, fault) in self.faults.iter().take(MAX_FAULTS) {
            let location = &fault.location;
            let catalog = if has_several_folders {
                format!("{folder}: ")
            } else {
                String::new()
            };
            let line = format!(
                "{catalog}{}:{}:{}: {}",
                location.file, location.line, location.column, fault.message
            );
            text.push_str(&format!(
                "\n  {}",
                line.replace(char::is_control, "\u{fffd}")
            ));
        }
        if let Some(more @ 1..) = self.faults.len().checked_sub(MAX_FAULTS) {
            text.push_str(&format!(
                "\n  {}; `switchyard validate` lists all",
                and_more(more)
            ));
        }
        output::write_stderr(&text);
        if is_accepted { status } else { COULD_NOT_RUN }
    }
}

struct ChainLine {
    /// With colors.
    text: String,
    /// Columns, without colors.
    width: usize,
}

/// Draws the chains, side by side if they fit. Returns lines without indent and line breaks.
fn draw_chains(chains: &[Chain], paint: Paint) -> Vec<String> {
    let columns: Vec<Vec<ChainLine>> = chains
        .iter()
        .map(|chain| chain_lines(chain, paint))
        .collect();
    let widths: Vec<usize> = columns
        .iter()
        .map(|column| column.iter().map(|line| line.width).max().unwrap_or(0))
        .collect();
    let total = widths.iter().sum::<usize>() + CHAIN_GAP * widths.len().saturating_sub(1);
    if total > TEXT_WIDTH {
        let mut lines: Vec<String> = Vec::new();
        for column in columns {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.extend(column.into_iter().map(|line| line.text));
        }
        return lines;
    }
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    (0..height)
        .map(|row| join_columns(&columns, &widths, row))
        .collect()
}

/// Joins a row of chains side by side.
fn join_columns(columns: &[Vec<ChainLine>], widths: &[usize], row: usize) -> String {
    let mut joined = String::new();
    let mut padding = 0;
    for (column, width) in columns.iter().zip(widths) {
        let line = column.get(row);
        if let Some(line) = line {
            joined.push_str(&" ".repeat(padding));
            joined.push_str(&line.text);
            padding = 0;
        }
        padding += width - line.map_or(0, |line| line.width) + CHAIN_GAP;
    }
    joined
}

fn chain_lines(chain: &Chain, paint: Paint) -> Vec<ChainLine> {
    let mut lines = vec![chain_line(&visible(&chain.title), |text| paint.dim(text))];
    let last = chain.links.len().saturating_sub(1);
    for (index, link) in chain.links.iter().enumerate() {
        match link {
            ChainLink::Folded(count) => lines
                .push(chain_line(&format!("┊ {count} more"), |text| {
                    paint.dim(text)
                })),
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
                let is_highlighted = entry.marks.iter().any(|mark| is_noteworthy(*mark));
                lines.push(chain_line(&text, |text| {
                    if is_highlighted {
                        paint.warning(text)
                    } else {
                        text.to_owned()
                    }
                }));
                if !entry.edge.is_empty() && index < last {
                    lines.push(chain_line(&format!("│ {}", entry.edge), |text| {
                        paint.dim(text)
                    }));
                }
            }
        }
    }
    lines
}

fn is_noteworthy(mark: ChainMark) -> bool {
    !matches!(
        mark,
        ChainMark::Skipped | ChainMark::Default | ChainMark::Meets
    )
}

fn chain_line(text: &str, paint: impl Fn(&str) -> String) -> ChainLine {
    ChainLine {
        text: paint(text),
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
pub(crate) fn next_text(next: &NextStepOnCluster) -> String {
    next.messages
        .iter()
        .map(|line| format!("{}\n", one_line(line)))
        .collect()
}

pub(crate) fn next_json(next: &NextStepOnCluster) -> Value {
    let mut answer = versions_json(next.cluster.version);
    answer["installed"] = next.installed.as_ref().map(bundle_json).into();
    answer["next"] = next.next.as_ref().map(bundle_json).into();
    answer["unblocked_by"] = next.unblocked_by.as_deref().into();
    answer["messages"] = json!(next.messages);
    answer["olm_message"] = next.reported.as_deref().into();
    answer
}

/// Formats the remark after each step of a path; `""` for none.
pub(crate) fn path_remarks(path: &PathOnCluster) -> Vec<String> {
    path.remarks()
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

pub(crate) fn path_json(path: &PathOnCluster) -> Value {
    let steps = path.names.iter().zip(&path.steps);
    let steps = steps.map(|(name, step)| match step {
        Some(step) => bundle_json(step),
        None => json!({
            "name": name,
            "max_openshift_version": null,
            "blocks_update": null,
            "min_kube_version": null,
            "starts": null,
        }),
    });
    let mut answer = versions_json(path.cluster.version);
    answer["steps"] = steps.collect();
    answer["unblocked_by"] = path.unblocked_by().as_deref().into();
    answer
}

pub(crate) fn versions_json(version: OpenShift) -> Value {
    json!({ "openshift": version.to_string(), "kubernetes": kubernetes(version) })
}

fn bundle_json(bundle: &BundleOnCluster) -> Value {
    json!({
        "name": bundle.name,
        "max_openshift_version": Some(bundle.limit.to_string()).filter(|text| !text.is_empty()),
        "blocks_update": bundle.blocks_update,
        "min_kube_version": Some(&*bundle.min_kube).filter(|text| !text.is_empty()),
        "starts": bundle.starts.as_str(),
    })
}

/// Returns the consequences of a change for a version on the cluster as JSON, for `diff`.
pub(crate) fn user_json(user: &User, on_cluster: &UserOnCluster) -> Value {
    let new_next = on_cluster.new_next.as_ref();
    let starts = new_next.map_or(Starts::Yes, |next| next.starts);
    json!({
        "blocks_update": on_cluster.blocks_update,
        "old_unblocked_by": on_cluster.old_unblocked_by.as_deref(),
        "new_unblocked_by": on_cluster.new_unblocked_by.as_deref(),
        "new_next_starts": user.new_next.as_ref().map(|_| starts.as_str()),
    })
}

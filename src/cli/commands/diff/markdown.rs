//! `diff --format markdown`, for a pull request: the important part first, everything else folded.

use super::report::{PackageDiff, Report};
use ::catalog::version::openshift::OpenShift;
use protocol::counting::{and_more, capitalize, count_of, first_of};
use protocol::judgement::USER_TABLE_COLUMNS;
use std::collections::BTreeSet;
use upgrade::{ErrorKind, Installed, Lens};
use verdict::compare::invariants::{GroupedFinding, Severity};
use verdict::compare::{Comparison, Effect, TableRow, User, ends};

/// Limit for the rows of a table, because the size of a job summary or a comment is limited.
const MAX_ROWS: usize = 100;
/// At most this many packages have an unfolded table of their users.
const MAX_USER_TABLES: usize = 10;
/// Limit for the sentences of a list.
const MAX_SENTENCES: usize = 50;
/// At most this many versions of one finding are listed.
const MAX_VERSIONS: usize = 3;
/// At most this many channels of one finding are listed.
const MAX_CHANNELS: usize = 5;

pub(super) fn render(report: &Report) -> String {
    let mut out = String::from("## What changes for users\n\n");
    out.push_str(&summary(report));
    if report.packages.is_empty() && report.verdict.is_none() {
        return out;
    }
    if let Some(finding) = &report.verdict {
        out.push_str(&format!("**{}**\n\n", flat(&finding.message)));
    }
    for package in report.packages.iter().take(MAX_USER_TABLES) {
        write_users(package, &mut out);
    }
    write_findings(report, &mut out);
    write_overview(report, &mut out);
    for package in &report.packages {
        write_package(package, report.cluster, &mut out);
    }
    out
}

fn summary(report: &Report) -> String {
    if report.packages.is_empty() {
        return match report.verdict {
            Some(_) => "The packages are the same, but the catalog fails `opm validate` now.\n\n"
                .to_owned(),
            None => "Nothing.\n".to_owned(),
        };
    }
    let affected = summarize_affected(report);
    let broken = summarize_broken(report);
    format!(
        "{} and {} the same. {affected} {broken}\n\n",
        match report.packages.len() {
            1 => "1 package differs".to_owned(),
            n => format!("{n} packages differ"),
        },
        match report.same {
            1 => "1 is".to_owned(),
            n => format!("{n} are"),
        },
    )
}

fn summarize_affected(report: &Report) -> String {
    const AFFECTED: &str = "affected (different next step or end of the path)";
    let comparisons = || report.packages.iter().map(|package| &package.comparison);
    let listed: usize = comparisons().map(Comparison::count_affected).sum();
    let worse = match comparisons()
        .map(Comparison::count_worse_off)
        .sum::<usize>()
    {
        0 => "none of them worse off".to_owned(),
        n => format!("**{n} of them worse off**"),
    };
    let affects_unlisted = comparisons().any(Comparison::affects_unlisted);
    let harms_unlisted = comparisons().any(|comparison| {
        comparison.has_unlisted(Effect::Stranded) || comparison.has_unlisted(Effect::Downgrade)
    });
    let unlisted_worse = if harms_unlisted {
        ", **some of them worse off**"
    } else {
        ""
    };
    if listed == 0 && affects_unlisted {
        return format!(
            "Only versions that the catalog does not list are {AFFECTED}{unlisted_worse}."
        );
    }
    let mut text = match listed {
        1 => format!("1 version is {AFFECTED}, {worse}."),
        n => format!("{n} versions are {AFFECTED}, {worse}."),
    };
    if affects_unlisted {
        text.push_str(&format!(
            " Versions that the catalog does not list are affected, too{unlisted_worse}."
        ));
    }
    text
}

fn summarize_broken(report: &Report) -> String {
    let errors = report.count_broken(Severity::Error);
    let warnings = report.count_broken(Severity::Warning);
    match (errors, warnings) {
        (0, 0) => "No invariant is broken.".to_owned(),
        (0, warnings) => format!(
            "No invariant that protects users is broken; {}.",
            count_of(warnings, "warning")
        ),
        (errors, 0) => format!("**{} broken.**", count_of(errors, "invariant")),
        (errors, warnings) => format!(
            "**{} broken**, and {}.",
            count_of(errors, "invariant"),
            count_of(warnings, "warning")
        ),
    }
}

/// Writes the effects on a package's users: a sentence, and one row for versions with the same
/// outcome.
fn write_users(package: &PackageDiff, out: &mut String) {
    let comparison = &package.comparison;
    let table = comparison.table();
    out.push_str(&format!(
        "### {}\n\n**{}.**",
        cell(&comparison.package),
        capitalize(&flat(&table.headline()))
    ));
    if table.count_affected() > 0 {
        out.push_str(&format!(
            " {} affected.",
            count_of(table.count_affected(), "version")
        ));
    }
    out.push_str("\n\n");
    let rows: Vec<&TableRow> = table.changed_rows().collect();
    if rows.is_empty() {
        return;
    }
    out.push_str(&format!(
        "| {} |\n|---|---|---|---|\n",
        USER_TABLE_COLUMNS.join(" | ")
    ));
    for row in rows.iter().take(MAX_ROWS) {
        out.push_str(&format!(
            "| {} |\n",
            row.cells().map(|text| cell(&text)).join(" | ")
        ));
    }
    write_omitted(rows.len(), MAX_ROWS, out);
    out.push('\n');
    for unmet in &comparison.unmet {
        out.push_str(&format!("{}.\n\n", flat(&unmet.consequence())));
    }
}

/// Writes the broken invariants, with an explanation of each error.
fn write_findings(report: &Report, out: &mut String) {
    let (errors, warnings): (Vec<_>, Vec<_>) = report
        .grouped_findings(MAX_VERSIONS)
        .into_iter()
        .partition(|(_, finding)| finding.severity == Severity::Error);
    if !errors.is_empty() {
        out.push_str(&format!(
            "<details><summary>Why? It breaks {}</summary>\n\n",
            count_of(report.count_broken(Severity::Error), "invariant")
        ));
        write_finding_table(&errors, out);
        let mut explained = BTreeSet::new();
        for (_, finding) in &errors {
            let invariant = finding.invariant;
            if explained.insert(invariant.name) {
                out.push_str(&format!(
                    "- `{}`: {} {}\n",
                    invariant.name,
                    flat(invariant.why),
                    flat(invariant.fix)
                ));
            }
        }
        out.push_str("\n</details>\n\n");
    }
    if !warnings.is_empty() {
        out.push_str(&format!(
            "<details><summary>{}</summary>\n\n",
            count_of(warnings.len(), "warning")
        ));
        write_finding_table(&warnings, out);
        out.push_str("</details>\n\n");
    }
}

fn write_finding_table(findings: &[(&str, GroupedFinding)], out: &mut String) {
    out.push_str("| Invariant | Package | Channel | Versions | What |\n|---|---|---|---:|---|\n");
    for (package, finding) in findings.iter().take(MAX_ROWS) {
        let names: Vec<String> = std::iter::once(finding.invariant)
            .chain(finding.also.clone())
            .map(|invariant| format!("`{}`", invariant.name))
            .collect();
        let channels = first_of(finding.channels.iter(), MAX_CHANNELS);
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} |\n",
            names.join(", "),
            cell(package),
            cell(&channels),
            finding.count,
            cell(&finding.counted_message())
        ));
    }
    write_omitted(findings.len(), MAX_ROWS, out);
    out.push('\n');
}

fn write_overview(report: &Report, out: &mut String) {
    if report.packages.is_empty() {
        return;
    }
    out.push_str("### Packages\n\n| Package | Affected | Stranded | Downgraded | Re-routed | Gained | Changes |\n");
    out.push_str("|---|---:|---:|---:|---:|---:|---|\n");
    for package in report.packages.iter().take(MAX_ROWS) {
        let comparison = &package.comparison;
        let sentences = comparison.sentences();
        let first = sentences.first().map_or("", String::as_str);
        let changes = match sentences.len() {
            0 | 1 => cell(first),
            n => format!("{}, {}", cell(first), and_more(n - 1)),
        };
        let [stranded, downgraded, rerouted, gained] = [
            Effect::Stranded,
            Effect::Downgrade,
            Effect::Rerouted,
            Effect::Gained,
        ]
        .map(|effect| with_unlisted(comparison.count(effect), comparison.has_unlisted(effect)));
        out.push_str(&format!(
            "| {} | {} | {stranded} | {downgraded} | {rerouted} | {gained} | {changes} |\n",
            cell(&comparison.package),
            with_unlisted(comparison.count_affected(), comparison.affects_unlisted())
        ));
    }
    write_omitted(report.packages.len(), MAX_ROWS, out);
    out.push('\n');
}

/// Formats a number of versions, and mentions versions that the catalog does not list.
fn with_unlisted(listed: usize, has_unlisted: bool) -> String {
    match (listed, has_unlisted) {
        (n, false) => n.to_string(),
        (0, true) => "unlisted".to_owned(),
        (n, true) => format!("{n} and unlisted"),
    }
}

fn write_package(package: &PackageDiff, cluster: Option<OpenShift>, out: &mut String) {
    let comparison = &package.comparison;
    let affected = match (comparison.count_affected(), comparison.affects_unlisted()) {
        (0, true) => "unlisted versions".to_owned(),
        (n, true) => format!("{} and unlisted ones", count_of(n, "version")),
        (n, false) => count_of(n, "version"),
    };
    let title = format!("{}: {affected} affected", cell(&comparison.package));
    out.push_str(&format!("<details><summary>{title}</summary>\n\n"));
    write_list(&comparison.sentences(), out);
    let users = package.rerouted_users();
    if !users.is_empty() {
        out.push_str(
            "\n| From | OLM | Channels | Next was | Next is | Ended at | Ends at | Effect |\n",
        );
        out.push_str("|---|---|---|---|---|---|---|---|\n");
        for user in users.iter().take(MAX_ROWS) {
            write_user_row(user, out);
        }
        write_omitted(users.len(), MAX_ROWS, out);
    }
    let ends = ends(comparison.all_users());
    for lines in [ends, package.cluster_sentences(cluster)] {
        if !lines.is_empty() {
            out.push('\n');
            write_list(&lines, out);
        }
    }
    out.push_str("\n</details>\n\n");
}

fn write_list(lines: &[String], out: &mut String) {
    for line in lines.iter().take(MAX_SENTENCES) {
        out.push_str(&format!("- {}\n", flat(line)));
    }
    write_omitted(lines.len(), MAX_SENTENCES, out);
}

fn write_user_row(user: &User, out: &mut String) {
    let name = |next: &Option<Installed>, error: Option<ErrorKind>| match (next, user.lens, error) {
        (Some(next), ..) => cell(&next.name),
        (None, Lens::V1, Some(_)) => "an error".to_owned(),
        (None, ..) => "nothing".to_owned(),
    };
    let channels = if user.channels.is_empty() {
        "all".to_owned()
    } else {
        cell(&user.channels.join(", "))
    };
    out.push_str(&format!(
        "| {} | {} | {channels} | {} | {} | {} | {} | {} |\n",
        cell(&user.from.name),
        user.lens.name(),
        name(&user.old_next, user.old_error),
        name(&user.new_next, user.error),
        cell(&user.old_last.name),
        cell(&user.new_last.name),
        user.effect.map_or("same", Effect::as_str),
    ));
}

fn write_omitted(all: usize, limit: usize, out: &mut String) {
    if all > limit {
        out.push_str(&format!(
            "\n{} more: `--format json` has all.\n",
            all - limit
        ));
    }
}

/// Formats text like [`flat`], for a table cell.
fn cell(text: &str) -> String {
    flat(text).replace('|', "\\|")
}

/// Converts arbitrary text to one line without mentions and markup, except the backticks of our own
/// sentences. Backticks quote everything, so nothing is escaped inside them.
fn flat(text: &str) -> String {
    let is_paired = text.matches('`').count().is_multiple_of(2) && !text.contains("``");
    let mut out = String::with_capacity(text.len());
    let mut is_code = false;
    for c in text.chars() {
        match c {
            '`' if is_paired => {
                is_code = !is_code;
                out.push(c);
            }
            '`' => out.push('\''),
            c if c.is_control() => out.push(' '),
            c if is_code => out.push(c),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            '*' | '_' | '[' | ']' | '\\' | '~' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalog_text_is_not_interpreted_as_markup() {
        for (text, flat_text) in [
            (
                "skipRange was `<1.0.0`, is `>=0.9.0 <1.0.0`",
                "skipRange was `<1.0.0`, is `>=0.9.0 <1.0.0`",
            ),
            ("<b>[a](x) @you\n*", "&lt;b&gt;\\[a\\](x) &#64;you \\*"),
            ("`a`<img>`b", "'a'&lt;img&gt;'b"),
            ("``<img>``", "''&lt;img&gt;''"),
        ] {
            assert_eq!(flat(text), flat_text);
        }
        assert_eq!(cell("`a|b`"), "`a\\|b`");
    }
}

//! `diff` for a pull request: the important part first, everything else folded.

use super::report::{PackageDiff, Report};
use ::catalog::version::openshift::OpenShift;
use protocol::counting::{and_more, count_of, first_of};
use protocol::judgement::USER_TABLE_COLUMNS;
use std::collections::BTreeSet;
use upgrade::{ErrorKind, Installed, Lens};
use verdict::compare::invariants::{GroupedFinding, Severity};
use verdict::compare::{Effect, User, ends};

/// Most rows of one table: the size of a job summary or a comment is limited.
const ROWS: usize = 100;
/// Most packages whose users have an unfolded table of their own.
const TABLES: usize = 10;
/// Most sentences of one list.
const SENTENCES: usize = 50;
/// Most versions of one fact that are listed.
const FINDINGS: usize = 3;
/// Most channels of one fact that are listed.
const CHANNELS: usize = 5;

pub(super) fn render(report: &Report) -> String {
    let mut out = String::from("## What changes for users\n\n");
    out.push_str(&summary(report));
    if report.packages.is_empty() && report.verdict.is_none() {
        return out;
    }
    verdict(report, &mut out);
    report
        .packages
        .iter()
        .take(TABLES)
        .for_each(|p| users(p, &mut out));
    why(report, &mut out);
    overview(report, &mut out);
    report
        .packages
        .iter()
        .for_each(|p| package(p, report.cluster, &mut out));
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
    let sum = |of: fn(&PackageDiff) -> usize| report.packages.iter().map(of).sum::<usize>();
    let hit = sum(|p| p.comparison.hit());
    let worse = match sum(|p| p.comparison.worse()) {
        0 => "none of them worse off".to_owned(),
        n => format!("**{n} of them worse off**"),
    };
    let any = |of: fn(&PackageDiff) -> bool| report.packages.iter().any(of);
    let unlisted_worse = match any(|p| {
        [Effect::Stranded, Effect::Downgrade]
            .iter()
            .any(|effect| p.comparison.has_unlisted(*effect))
    }) {
        true => ", **some of them worse off**",
        false => "",
    };
    const AFFECTED: &str = "affected (different next step or end of the path)";
    let affected = match (hit, any(|p| p.comparison.affects_unlisted())) {
        (0, true) => {
            format!("Only versions that the catalog does not list are {AFFECTED}{unlisted_worse}.")
        }
        (1, false) => format!("1 version is {AFFECTED}, {worse}."),
        (n, false) => format!("{n} versions are {AFFECTED}, {worse}."),
        (n, true) => format!(
            "{} {AFFECTED}, {worse}. Versions that the catalog does not list are affected, too{unlisted_worse}.",
            match n {
                1 => "1 version is".to_owned(),
                n => format!("{n} versions are"),
            }
        ),
    };
    let broken = match (
        report.broken(Severity::Error),
        report.broken(Severity::Warning),
    ) {
        (0, 0) => "No invariant is broken.".to_owned(),
        (0, n) => format!(
            "No invariant that protects users is broken; {}.",
            count_of(n, "warning")
        ),
        (n, 0) => format!("**{} broken.**", count_of(n, "invariant")),
        (n, m) => format!(
            "**{} broken**, and {}.",
            count_of(n, "invariant"),
            count_of(m, "warning")
        ),
    };
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

/// Writes why the catalog as a whole fails.
fn verdict(report: &Report, out: &mut String) {
    if let Some(finding) = &report.verdict {
        out.push_str(&format!("**{}**\n\n", flat(&finding.message)));
    }
}

/// Writes the effects on a package's users: a sentence, and one row for versions with the same outcome.
fn users(package: &PackageDiff, out: &mut String) {
    let comparison = &package.comparison;
    let table = comparison.table();
    out.push_str(&format!(
        "### {}\n\n**{}.**",
        cell(&comparison.package),
        capital(&flat(&table.headline()))
    ));
    if table.hit() > 0 {
        out.push_str(&format!(" {} affected.", count_of(table.hit(), "version")));
    }
    out.push_str("\n\n");
    if table.rows.is_empty() {
        return;
    }
    out.push_str(&format!(
        "| {} |\n|---|---|---|---|---|\n",
        USER_TABLE_COLUMNS.join(" | ")
    ));
    for row in table.rows.iter().take(ROWS) {
        out.push_str(&format!(
            "| {} |\n",
            row.cells().map(|text| cell(&text)).join(" | ")
        ));
    }
    more(table.rows.len(), ROWS, out);
    out.push('\n');
}

/// Writes the broken invariants, by name.
fn why(report: &Report, out: &mut String) {
    let facts = report.grouped_findings(FINDINGS);
    let (errors, warnings): (Vec<_>, Vec<_>) = facts
        .iter()
        .partition(|(_, finding)| finding.severity == Severity::Error);
    let table = |rows: &[&(&str, GroupedFinding)], out: &mut String| {
        out.push_str(
            "| Invariant | Package | Channel | Versions | What |\n|---|---|---|---:|---|\n",
        );
        for (package, finding) in rows.iter().take(ROWS) {
            let what = cell(&finding.message);
            let names: Vec<String> = std::iter::once(finding.invariant)
                .chain(finding.also.clone())
                .map(|invariant| format!("`{}`", invariant.name))
                .collect();
            let channels = first_of(finding.channels.iter(), CHANNELS);
            out.push_str(&format!(
                "| {} | {} | {} | {} | {what} |\n",
                names.join(", "),
                cell(package),
                cell(&channels),
                finding.count
            ));
        }
        more(rows.len(), ROWS, out);
        out.push('\n');
    };
    if !errors.is_empty() {
        out.push_str(&format!(
            "<details><summary>Why? It breaks {}</summary>\n\n",
            count_of(report.broken(Severity::Error), "invariant")
        ));
        table(&errors, out);
        let mut seen = BTreeSet::new();
        for (_, finding) in errors
            .iter()
            .filter(|(_, finding)| seen.insert(finding.invariant.name))
        {
            let invariant = finding.invariant;
            out.push_str(&format!(
                "- `{}`: {} {}\n",
                invariant.name,
                flat(invariant.why),
                flat(invariant.fix)
            ));
        }
        out.push_str("\n</details>\n\n");
    }
    if !warnings.is_empty() {
        out.push_str(&format!(
            "<details><summary>{}</summary>\n\n",
            count_of(warnings.len(), "warning")
        ));
        table(&warnings, out);
        out.push_str("</details>\n\n");
    }
}

fn overview(report: &Report, out: &mut String) {
    if report.packages.is_empty() {
        return;
    }
    out.push_str("### Packages\n\n| Package | Affected | Stranded | Downgraded | Re-routed | Gained | Changes |\n");
    out.push_str("|---|---:|---:|---:|---:|---:|---|\n");
    for package in report.packages.iter().take(ROWS) {
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
            with_unlisted(comparison.hit(), comparison.affects_unlisted())
        ));
    }
    more(report.packages.len(), ROWS, out);
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

fn package(package: &PackageDiff, cluster: Option<OpenShift>, out: &mut String) {
    let comparison = &package.comparison;
    let affected = match (comparison.hit(), comparison.affects_unlisted()) {
        (0, true) => "unlisted versions".to_owned(),
        (n, true) => format!("{} and unlisted ones", count_of(n, "version")),
        (n, false) => count_of(n, "version"),
    };
    let title = format!("{}: {affected} affected", cell(&comparison.package));
    out.push_str(&format!("<details><summary>{title}</summary>\n\n"));
    list(&comparison.sentences(), out);
    let users = package.rerouted_users();
    if !users.is_empty() {
        out.push_str(
            "\n| From | OLM | Channels | Next was | Next is | Ended at | Ends at | Effect |\n",
        );
        out.push_str("|---|---|---|---|---|---|---|---|\n");
        users.iter().take(ROWS).for_each(|user| row(user, out));
        more(users.len(), ROWS, out);
    }
    let ends = ends(comparison.all_users());
    for lines in [ends, package.on_cluster_says(cluster)] {
        if !lines.is_empty() {
            out.push('\n');
            list(&lines, out);
        }
    }
    out.push_str("\n</details>\n\n");
}

fn list(lines: &[String], out: &mut String) {
    for line in lines.iter().take(SENTENCES) {
        out.push_str(&format!("- {}\n", flat(line)));
    }
    more(lines.len(), SENTENCES, out);
}

fn row(user: &User, out: &mut String) {
    let name = |next: &Option<Installed>, error: Option<ErrorKind>| {
        let nothing = match (user.lens, error) {
            (Lens::V1, Some(_)) => "an error",
            _ => "nothing",
        };
        next.as_ref()
            .map_or_else(|| nothing.to_owned(), |next| cell(&next.name))
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

fn more(all: usize, limit: usize, out: &mut String) {
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

/// Converts arbitrary text to one line without mentions and markup, except the backticks of our own sentences.
/// Backticks quote everything, so nothing is escaped inside them.
fn flat(text: &str) -> String {
    let paired = text.matches('`').count().is_multiple_of(2) && !text.contains("``");
    let mut out = String::with_capacity(text.len());
    let mut code = false;
    for c in text.chars() {
        match c {
            '`' if paired => {
                code = !code;
                out.push(c);
            }
            '`' => out.push('\''),
            c if c.is_control() => out.push(' '),
            c if code => out.push(c),
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

/// Capitalizes a sentence.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_catalog_is_no_markup() {
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

//! `diff` for a terminal.

use super::{PackageDiff, Report, lens_name, other_rows, severity_name};
use crate::output::{one_line, table};
use ::catalog::version::openshift::OpenShift;
use protocol::counting::{count_of, first_of};
use upgrade::{ErrorKind, Installed};
use verdict::compare::invariants::VERDICT;
use verdict::compare::{Effect, User, ends, no_update};

const HEADER: [&str; 8] = [
    "FROM", "LENS", "CHANNELS", "NEXT WAS", "NEXT IS", "ENDED AT", "ENDS AT", "EFFECT",
];

/// Most versions of one fact that are listed.
const SHOWN: usize = 5;
/// Most channels of one fact that are listed.
const CHANNELS: usize = 5;

pub(super) fn report(report: &Report) -> String {
    let mut out = String::new();
    report
        .packages
        .iter()
        .for_each(|p| package(p, report.cluster, &mut out));
    for (package, finding) in report.grouped_findings(SHOWN) {
        let place = match (package, finding.channels.as_slice()) {
            ("", _) => String::new(),
            (package, []) => format!("{package}: "),
            (package, channels) => format!("{package}, {}: ", first_of(channels.iter(), CHANNELS)),
        };
        let names: Vec<&str> = std::iter::once(finding.invariant)
            .chain(finding.also)
            .map(|invariant| invariant.name)
            .collect();
        out.push_str(&format!(
            "{}: {}: {place}{}\n",
            severity_name(finding.severity),
            names.join(", "),
            match finding.invariant.name {
                // `opm`'s tree has several lines with quoted names.
                name if name == VERDICT.name => finding.message.trim_end().replace('\n', "\n  "),
                _ => one_line(&finding.message),
            }
        ));
    }
    if out.is_empty() {
        "nothing changes for users\n".to_owned()
    } else {
        out
    }
}

fn package(package: &PackageDiff, cluster: Option<OpenShift>, out: &mut String) {
    let comparison = &package.comparison;
    let (hit, worse) = (comparison.hit(), comparison.worse());
    out.push_str(&one_line(&comparison.package));
    if hit > 0 {
        out.push_str(&format!(
            " ({} affected, {worse} worse off)",
            count_of(hit, "version")
        ));
    }
    out.push('\n');
    out.push_str(&format!("  {}\n", one_line(&comparison.table().headline())));
    comparison
        .sentences()
        .iter()
        .for_each(|sentence| out.push_str(&format!("  {}\n", one_line(sentence))));
    let rows: Vec<Vec<String>> = package.rerouted_users().into_iter().map(row).collect();
    if !rows.is_empty() {
        out.extend(
            table(&HEADER, &rows)
                .lines()
                .map(|line| format!("  {line}\n")),
        );
    }
    other_rows(comparison)
        .iter()
        .for_each(|line| out.push_str(&format!("  {}\n", one_line(line))));
    ends(comparison.all_users())
        .iter()
        .for_each(|line| out.push_str(&format!("  {}\n", one_line(line))));
    let on_cluster = package.on_cluster_says(cluster);
    on_cluster
        .iter()
        .for_each(|line| out.push_str(&format!("  {}\n", one_line(line))));
    out.push('\n');
}

fn row(user: &User) -> Vec<String> {
    vec![
        user.from.name.to_string(),
        lens_name(user.lens).to_owned(),
        if user.channels.is_empty() {
            "all".to_owned()
        } else {
            user.channels.join(",")
        },
        next_name(&user.old_next, user.old_error),
        next_name(&user.new_next, user.error),
        user.old_last.name.to_string(),
        user.new_last.name.to_string(),
        user.effect.map_or("same", Effect::as_str).to_owned(),
    ]
}

fn next_name(next: &Option<Installed>, error: Option<ErrorKind>) -> String {
    match next {
        Some(next) => next.name.to_string(),
        None => no_update(error).to_string(),
    }
}

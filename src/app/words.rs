//! Facts in words and figures, as they stand on the page. Pure text, no markup.

use protocol::diagnostic::{Diagnostic, Location, Severity};
use protocol::upgrades::BrokenRow;
use protocol::views::{Affected, Consequences, Lens, PackageRow, ProblemMark, RootRow};

/// `1 package`, `37 packages`, `3 entries`.
pub fn count(number: u32, one: &str) -> String {
    let several = || one.strip_suffix('y').map_or_else(|| format!("{one}s"), |stem| format!("{stem}ies"));
    if number == 1 { format!("1 {one}") } else { format!("{} {}", grouped(u64::from(number)), several()) }
}

/// Somebody else's reason, as a part of a sentence of ours: it brings no full stop, and is never nothing.
pub fn clause(reason: &str) -> &str {
    let reason = reason.trim().trim_end_matches('.');
    if reason.is_empty() { "no reason given" } else { reason }
}

/// `a, b, c`; of more than three `a, b, c and 2 more`.
pub fn listed(all: &[String]) -> String {
    const NAMED: usize = 3;
    match all.len().checked_sub(NAMED) {
        None | Some(0) => all.join(", "),
        Some(more) => format!("{} and {more} more", all[..NAMED].join(", ")),
    }
}

pub fn packages(number: u32) -> String {
    count(number, "package")
}

/// `12345678` as `12 345 678`, with narrow no-break spaces.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) && digits.len() > 4 {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// `812 B`, `14.8 MB`; powers of ten, as file managers have it.
pub fn bytes(number: u64) -> String {
    match number {
        0..1_000 => format!("{number} B"),
        1_000..1_000_000 => format!("{:.0} kB", number as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", number as f64 / 1e6),
        _ => format!("{:.2} GB", number as f64 / 1e9),
    }
}

/// The verdict of a catalog, without the number of errors: that is [`RootRow::errors`].
pub fn passes(row: &RootRow) -> &'static str {
    if let Some(rendered) = &row.rendered {
        if !rendered.is_complete() {
            return "Not validated: bundles are not open";
        }
        if !rendered.refused.is_empty() {
            return "Cannot be rendered";
        }
    }
    match (row.is_template(), row.passed) {
        (false, true) => "Passes opm validate",
        (false, false) => "Fails opm validate",
        (true, true) => "Template without errors",
        (true, false) => "Template with errors",
    }
}

/// The name of a catalog's item in the list.
pub fn catalog_item(row: &RootRow, name: &str) -> String {
    let verdict = crate::state::store::verdict(row);
    let mut out = match &row.template {
        // A template without entries has no packages to count.
        Some(template) if !template.holds_entries => format!("{name}, {}", template.kind),
        _ => format!("{name}, {verdict}, {}", packages(row.packages)),
    };
    if row.edited {
        out.push_str(", edited");
    }
    out
}

/// The name of a package's item in the list.
pub fn package_item(row: &PackageRow) -> String {
    let mut parts = vec![row.name.clone(), count(row.channels, "channel"), count(row.bundles, "bundle")];
    if row.errors > 0 {
        parts.push(count(row.errors, "error"));
    }
    if row.warnings > 0 {
        parts.push(count(row.warnings, "warning"));
    }
    if row.edited {
        parts.push("edited".to_owned());
    }
    if row.deprecated {
        parts.push("deprecated".to_owned());
    }
    parts.join(", ")
}

/// `sailoperator/catalog.yaml:105`; "" for what concerns the catalog as a whole.
pub fn place(location: &Location) -> String {
    if location.file.is_empty() { String::new() } else { format!("{}:{}", location.file, location.line) }
}

pub fn severity(diagnostic: &Diagnostic) -> &'static str {
    match (diagnostic.severity, diagnostic.opm) {
        (Severity::Error, _) => "Error",
        (Severity::Warning, _) => "Warning",
        (Severity::Info, _) => "Info",
    }
}

/// What is wrong with a thing: `2 errors, 1 warning: ` and the worst of it.
pub fn problem(mark: &ProblemMark) -> String {
    let worst: String = mark.worst.chars().filter(|c| *c != '`').collect();
    format!("{}: {worst}", tally(mark.errors, mark.warnings))
}

/// `2 errors, 1 warning`; what there is none of is left out.
pub fn tally(errors: u32, warnings: u32) -> String {
    match (errors, warnings) {
        (errors, 0) => count(errors, "error"),
        (0, warnings) => count(warnings, "warning"),
        (errors, warnings) => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    }
}

/// A fix as the name of a step: without backticks, with a capital where it begins with a word.
pub fn fix_title(title: &str) -> String {
    let text: String = title.chars().filter(|c| *c != '`').collect();
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !title.starts_with('`') => first.to_uppercase().chain(letters).collect(),
        _ => text,
    }
}

pub fn lens(lens: Lens) -> &'static str {
    match lens {
        Lens::V0 => "Classic (v0)",
        Lens::V1 => "OLM v1",
    }
}

/// How loud a consequence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Good,
    Plain,
    Advice,
    Bad,
}

impl Tone {
    pub fn name(self) -> &'static str {
        match self {
            Tone::Good => "good",
            Tone::Plain => "plain",
            Tone::Advice => "advice",
            Tone::Bad => "bad",
        }
    }
}

/// What an edit came to, taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing that is good or bad.
    Neutral,
    /// Something was solved, and nothing new is wrong.
    Better,
    Mixed,
    /// Only advice.
    Advice,
    Worse,
}

impl Outcome {
    pub fn of(found: &Consequences, lines: &[ConsequenceLine]) -> Self {
        let has = |wanted: Tone| lines.iter().any(|line| line.tone() == wanted);
        let passes_now = found.verdicts.iter().any(|change| !change.passed_before && change.passed_after);
        // What is solved makes up for nothing when the catalog is refused now.
        let fails_now = found.verdicts.iter().any(|change| change.passed_before && !change.passed_after);
        let is_better =
            !fails_now && (passes_now || !found.problems_lost.is_empty() || !found.no_longer_stranded.is_empty());
        match (is_better, has(Tone::Bad), has(Tone::Advice)) {
            (true, false, false) => Outcome::Better,
            (true, ..) => Outcome::Mixed,
            (false, true, _) => Outcome::Worse,
            (false, false, true) => Outcome::Advice,
            (false, false, false) => Outcome::Neutral,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Outcome::Neutral => "plain",
            Outcome::Better => "good",
            Outcome::Mixed => "mixed",
            Outcome::Advice => "advice",
            Outcome::Worse => "bad",
        }
    }

    /// In a word or three; "" where there is nothing to say.
    pub fn words(self) -> &'static str {
        match self {
            Outcome::Neutral => "",
            Outcome::Better => "Better",
            Outcome::Mixed => "Better and worse",
            Outcome::Advice => "Worth a look",
            Outcome::Worse => "Worse",
        }
    }
}

/// One thing that follows from an edit.
#[derive(Debug, Clone, PartialEq)]
pub enum ConsequenceLine {
    Text(Tone, String),
    Broken(BrokenRow),
}

impl ConsequenceLine {
    pub fn tone(&self) -> Tone {
        match self {
            ConsequenceLine::Text(tone, _) => *tone,
            ConsequenceLine::Broken(broken) if broken.error => Tone::Bad,
            ConsequenceLine::Broken(_) => Tone::Advice,
        }
    }

    /// Names in backticks where it is about an invariant.
    pub fn text(&self) -> &str {
        match self {
            ConsequenceLine::Text(_, text) => text,
            ConsequenceLine::Broken(broken) => &broken.message,
        }
    }
}

/// So many groups of versions are told.
const GROUPS: usize = 8;

/// What follows from an edit: the verdict, to whom something happens with most versions first, the invariants it breaks,
/// and what else changes.
pub fn consequences(found: &Consequences) -> Vec<ConsequenceLine> {
    let mut out: Vec<(Tone, String)> = Vec::new();
    let several = found.verdicts.len() > 1;
    for change in &found.verdicts {
        let name = if several { format!("{}: ", change.root) } else { String::new() };
        let line = match (change.passed_before, change.passed_after) {
            (true, true) => (Tone::Good, format!("{name}passes opm validate, as before")),
            (false, true) => (Tone::Good, format!("{name}passes opm validate (it failed before)")),
            (true, false) => (Tone::Bad, format!("{name}no longer passes opm validate: {}", change.opm_message)),
            (false, false) => (Tone::Plain, format!("{name}still fails opm validate: {}", change.opm_message)),
        };
        out.push(line);
    }
    let untold = found.failing.iter().filter(|of| !of.in_verdict);
    out.extend(untold.map(|of| (Tone::Bad, format!("package {} fails now: {}", of.package, of.message))));
    // The edit's own doing comes before what follows from it.
    out.extend(found.emptied.iter().map(|channel| {
        let help = "opm rejects an empty channel: remove it, or promote a bundle into it";
        (Tone::Bad, format!("channel {channel} has no entries left; {help}"))
    }));
    out.extend(found.problems_gained.iter().map(|problem| {
        let tone = if problem.0.severity == Severity::Error { Tone::Bad } else { Tone::Advice };
        (tone, format!("new problem: {}", problem.0.message))
    }));
    out.extend(found.problems_lost.iter().map(|problem| (Tone::Good, format!("solved: {}", problem.0.message))));
    out.extend(found.heads_moved.iter().map(|(text, _)| (Tone::Plain, text.clone())));
    if found.hit > 0 {
        out.push((Tone::Plain, format!("{} affected", count(found.hit, "version"))));
    }
    out.extend(found.affected.iter().take(GROUPS).map(|affected| (tone(affected), affected.says.clone())));
    let more = found.affected.len().saturating_sub(GROUPS);
    out.extend((more > 0).then(|| (Tone::Plain, format!("and {}", count(more as u32, "more group")))));
    let behind = out.len();
    out.extend(found.newly_stranded.iter().map(|of| (Tone::Bad, format!("stranded: {}", of.label()))));
    out.extend(found.no_longer_stranded.iter().map(|of| (Tone::Good, format!("no longer stranded: {}", of.label()))));
    if found.affected.is_empty() && found.newly_stranded.is_empty() {
        out.push((Tone::Plain, "no installed version gets a different upgrade".to_owned()));
    }
    let mut lines: Vec<ConsequenceLine> =
        out.into_iter().map(|(tone, text)| ConsequenceLine::Text(tone, text)).collect();
    lines.splice(behind..behind, found.broken.iter().cloned().map(ConsequenceLine::Broken));
    lines
}

fn tone(affected: &Affected) -> Tone {
    match affected.effect.as_str() {
        "stranded" => Tone::Bad,
        "downgrade" => Tone::Advice,
        "gained" => Tone::Good,
        _ => Tone::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::{EntryLocation, FailingPackage, VerdictChange};

    #[test]
    fn a_fix_names_its_step() {
        assert_eq!(fix_title("let `p.v2` replace `p.v1`"), "Let p.v2 replace p.v1");
        assert_eq!(fix_title("`p.v2` skips `p.v1`"), "p.v2 skips p.v1");
    }

    #[test]
    fn figures_are_short() {
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(14_800_000), "14.8 MB");
        assert_eq!(grouped(1234), "1234");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(packages(1), "1 package");
    }

    #[test]
    fn a_catalog_is_told_with_its_verdict() {
        let row = RootRow { errors: 3, packages: 37, edited: true, ..RootRow::default() };
        assert_eq!(catalog_item(&row, "v4.19"), "v4.19, Fails opm validate: 3 errors, 37 packages, edited");
    }

    #[test]
    fn marks_are_said_in_words() {
        let row = PackageRow {
            name: "p".into(),
            channels: 1,
            bundles: 4,
            errors: 1,
            edited: true,
            deprecated: true,
            ..PackageRow::default()
        };
        assert_eq!(package_item(&row), "p, 1 channel, 4 bundles, 1 error, edited, deprecated");
    }

    #[test]
    fn an_edit_is_better_worse_or_both() {
        let outcome = |found: &Consequences| Outcome::of(found, &consequences(found));
        let verdict =
            |before, after| VerdictChange { passed_before: before, passed_after: after, ..Default::default() };
        let of = |before, after| Consequences { verdicts: vec![verdict(before, after)], ..Consequences::default() };
        assert_eq!(outcome(&Consequences::default()), Outcome::Neutral);
        assert_eq!(outcome(&of(true, true)), Outcome::Neutral, "nothing was solved");
        assert_eq!(outcome(&of(false, false)), Outcome::Neutral, "it was so before");
        assert_eq!(outcome(&of(false, true)), Outcome::Better);
        assert_eq!(outcome(&of(true, false)), Outcome::Worse);
        let cured = Consequences { no_longer_stranded: vec![EntryLocation::default()], ..of(true, true) };
        let refused = Consequences { no_longer_stranded: vec![EntryLocation::default()], ..of(true, false) };
        assert_eq!(outcome(&refused), Outcome::Worse, "what is refused is no better");
        assert_eq!(outcome(&cured), Outcome::Better);
        let broken = |error| vec![BrokenRow { error, ..BrokenRow::default() }];
        assert_eq!(outcome(&Consequences { broken: broken(true), ..cured.clone() }), Outcome::Mixed);
        assert_eq!(outcome(&Consequences { broken: broken(false), ..cured }), Outcome::Mixed);
        assert_eq!(outcome(&Consequences { broken: broken(false), ..of(true, true) }), Outcome::Advice);
    }

    #[test]
    fn the_verdict_comes_first_then_what_the_edit_did_then_who_is_hit_and_what_breaks() {
        let change =
            VerdictChange { root: "v4.19".into(), passed_before: true, opm_message: "m".into(), ..Default::default() };
        let affected = |versions, effect: &str| Affected { versions, effect: effect.into(), says: effect.into() };
        let found = Consequences {
            verdicts: vec![change],
            heads_moved: vec![("stable: head was a, is b".into(), Default::default())],
            hit: 3,
            affected: vec![affected(2, "rerouted"), affected(1, "stranded")],
            broken: vec![BrokenRow { error: true, message: "breaks".into(), ..BrokenRow::default() }],
            ..Consequences::default()
        };
        let lines = consequences(&found);
        let told: Vec<(Tone, &str)> = lines.iter().map(|line| (line.tone(), line.text())).collect();
        assert_eq!(
            told,
            [
                (Tone::Bad, "no longer passes opm validate: m"),
                (Tone::Plain, "stable: head was a, is b"),
                (Tone::Plain, "3 versions affected"),
                (Tone::Plain, "rerouted"),
                (Tone::Bad, "stranded"),
                (Tone::Bad, "breaks"),
            ]
        );
        let failing = |in_verdict| {
            let of = FailingPackage { package: "p".into(), message: "m".into(), in_verdict, ..Default::default() };
            consequences(&Consequences { failing: vec![of], ..Consequences::default() })
        };
        let told = failing(false);
        assert_eq!((told[0].tone(), told[0].text()), (Tone::Bad, "package p fails now: m"));
        assert_eq!(failing(true).len(), 1, "the verdict says it");
        let nothing = consequences(&Consequences::default());
        assert_eq!(nothing.last().map(ConsequenceLine::text), Some("no installed version gets a different upgrade"));
    }
}

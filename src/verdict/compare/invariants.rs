//! The invariants that a catalog change must keep for its users (`olm-resolution` section 5), each
//! with its name, explanation and check.
//!
//! A check compares both states of one package and reports every subject for which the invariant
//! fails. [`new_findings`] drops findings that already existed in Old.

mod content;
mod context;
mod grouped_finding;
mod needs;
mod next_step;
#[cfg(test)]
mod sharing_tests;
mod skips;
#[cfg(test)]
mod tests;

pub use context::CatalogContext;

use super::{Pair, Touched, Unpublished};
use context::{Context, Corrected};
pub use grouped_finding::{GroupedFinding, causes, group_findings};
pub use needs::REQUIREMENT_LOST;
pub(super) use next_step::EDGE_REWRITTEN_UNLISTED;
pub use protocol::diagnostic::Severity;
use syntax::hashed::HashSet;
use syntax::place::Text;

/// A rule that a change must not break.
#[derive(Debug)]
pub struct Invariant {
    /// Number in the specification, `I1` to `I20`; "" for our own invariants.
    pub id: &'static str,
    /// Stable name, as accepted by `--deny` and `explain`.
    pub name: &'static str,
    /// An error harms users; a warning is probably a mistake; information is harmless, but can be
    /// denied with `--deny`.
    pub severity: Severity,
    /// The rule, as one sentence.
    pub rule: &'static str,
    /// The effect on users if it is broken.
    pub why: &'static str,
    pub fix: &'static str,
    check: fn(&Context<'_>, &mut Findings<'_>),
}

impl PartialEq for Invariant {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Invariant {
    /// Whether findings concern an installed version.
    pub fn is_of_installed(&self) -> bool {
        let installed: [&Self; 14] = [
            &next_step::SINGLE_REPLACEMENT,
            &next_step::NEXT_STEP_CLASSIC,
            &next_step::NEXT_STEP_V1,
            &next_step::DEAD_END,
            &next_step::STRANDED,
            &next_step::LOST_PATH,
            &next_step::DOWNGRADE,
            &content::EXTENSION_FAILS,
            &skips::LATEST_PATCH,
            &skips::LATEST_PATCH_AT_ONCE,
            &content::REMOVED_KEEPS_EDGES,
            &content::IMMUTABLE_BUNDLE,
            &content::PIN_LOST,
            &skips::EDGE_REWRITTEN,
        ];
        installed.contains(&self)
    }
}

/// A version, entry or channel that breaks an invariant.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub invariant: &'static Invariant,
    /// "" if it concerns the whole package.
    pub channel: Text,
    /// The version, entry, bundle or channel in question.
    pub subject: Text,
    /// Names in backticks.
    pub message: String,
    /// The remedy for this finding; [`Invariant::fix`] is the general advice.
    pub help: String,
}

/// All invariants in the order of the specification, our own last.
pub static ALL: &[&Invariant] = &[
    &next_step::SINGLE_REPLACEMENT,
    &next_step::NEXT_STEP_CLASSIC,
    &next_step::NEXT_STEP_V1,
    &next_step::DEAD_END,
    &skips::SKIPPED_INSTALLED,
    &skips::LATEST_PATCH,
    &skips::LATEST_PATCH_AT_ONCE,
    &content::REMOVED_KEEPS_EDGES,
    &next_step::STRANDED,
    &content::HEAD_MOVES_BACK,
    &content::IMMUTABLE_BUNDLE,
    &content::CHANNEL_GONE,
    &content::DEFAULT_CHANNEL_CHANGED,
    &content::PIN_LOST,
    &skips::RANGE_LOOKS_AHEAD,
    &skips::RANGE_HOLDS_ITSELF,
    &skips::RANGE_UNREADABLE,
    &content::LENSES_DIFFER,
    &content::GRAPH_INVALID,
    &content::VERSION_TWICE,
    &needs::REQUIREMENT_LOST,
    &content::DEPRECATION_FREEZES,
    &skips::EDGE_REWRITTEN,
    &needs::PLATFORM,
    &content::CATALOG_TIE,
    &next_step::LOST_PATH,
    &next_step::DOWNGRADE,
    &content::EXTENSION_FAILS,
    &next_step::STRANDED_UNLISTED,
    &next_step::LOST_PATH_UNLISTED,
    &next_step::DOWNGRADE_UNLISTED,
    &next_step::EDGE_REWRITTEN_UNLISTED,
    &next_step::REROUTED_UNLISTED,
    &next_step::GAINED_UNLISTED,
    &VERDICT,
];

/// Concerns the whole catalog; reported by [`verdict`].
pub static VERDICT: Invariant = Invariant {
    id: "",
    name: "verdict",
    severity: Severity::Error,
    rule: "A catalog that passed `opm validate` still passes.",
    why: "A catalog that does not validate is not served: nobody can install or update anything from it.",
    fix: "Fix the errors that `opm validate` reports for the new catalog.",
    check: |_, _| {},
};

/// Looks up an invariant by name or number.
pub fn find(name: &str) -> Option<&'static Invariant> {
    let by_id = || {
        ALL.iter()
            .find(|i| !i.id.is_empty() && i.id.eq_ignore_ascii_case(name))
    };
    ALL.iter().find(|i| i.name == name).or_else(by_id).copied()
}

/// Returns a finding if the verdict turned from passed to failed.
pub fn verdict(old_passed: bool, new_message: Option<&str>) -> Option<Finding> {
    let message = new_message.filter(|_| old_passed)?;
    Some(Finding {
        invariant: &VERDICT,
        channel: Text::default(),
        subject: Text::default(),
        message: format!("opm validate fails now: {message}"),
        help: String::new(),
    })
}

/// Collects all findings of these invariants, in their order, including those that existed before.
fn check<'i>(
    context: &Context<'_>,
    invariants: impl Iterator<Item = &'i &'static Invariant>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for &invariant in invariants {
        (invariant.check)(
            context,
            &mut Findings {
                invariant,
                findings: &mut findings,
            },
        );
    }
    findings
}

/// Whether findings concern an interval of versions that the catalog does not list.
pub(super) fn is_of_unlisted(invariant: &Invariant) -> bool {
    [
        &next_step::STRANDED_UNLISTED,
        &next_step::LOST_PATH_UNLISTED,
        &next_step::DOWNGRADE_UNLISTED,
        &next_step::REROUTED_UNLISTED,
        &next_step::GAINED_UNLISTED,
    ]
    .contains(&invariant)
}

/// Whether an invariant depends on bundles alone, so that it can only break if they change.
fn is_of_bundles(invariant: &Invariant) -> bool {
    [&content::IMMUTABLE_BUNDLE, &content::VERSION_TWICE].contains(&invariant)
}

/// Returns the new findings of all invariants, in the order of [`ALL`]. Nobody runs a package that
/// Old lacks, so only its findings about users from another catalog count.
pub fn new_findings(pair: &Pair<'_>, catalogs: &CatalogContext<'_>) -> Vec<Finding> {
    let has_same_bundles = pair.touched() == Touched::Channels;
    let context = Context::new(pair, catalogs);
    let findings = check(
        &context,
        ALL.iter()
            .filter(|invariant| !(has_same_bundles && is_of_bundles(invariant))),
    );
    if pair.old.is_none() {
        return findings
            .into_iter()
            .filter(|finding| *finding.invariant == content::CATALOG_TIE)
            .collect();
    }
    if findings.is_empty() {
        return findings;
    }
    let key = |f: &Finding| (f.invariant.name, f.channel.clone(), f.subject.clone());
    // Check Old only for invariants that New breaks.
    let found: HashSet<&str> = findings
        .iter()
        .map(|finding| finding.invariant.name)
        .collect();
    let (same, catalogs) = (pair.old_with_itself(), catalogs.before());
    let before = check(
        &context.before(&same, &catalogs),
        ALL.iter()
            .filter(|invariant| found.contains(invariant.name)),
    );
    let before: HashSet<_> = before.iter().map(key).collect();
    findings
        .into_iter()
        .filter(|f| !before.contains(&key(f)))
        .collect()
}

/// Finds the harm of a change to existing users, without corrected misspellings, bundles that were
/// never published, and unfinished parts. Edits, reviews, comparisons and `switchyard diff` share
/// it.
pub fn find_broken(
    pair: &Pair<'_>,
    catalogs: &CatalogContext<'_>,
    unpublished: &Unpublished,
) -> Vec<Finding> {
    let mut findings = new_findings(pair, catalogs);
    if findings.is_empty() {
        return findings;
    }
    findings.retain(|finding: &Finding| {
        !finding.invariant.is_of_installed() || !unpublished.has(&pair.name, &finding.subject)
    });
    if let (Some(old), Some(new)) = (pair.old, pair.new) {
        let corrected = Corrected::between(old, new);
        findings.retain(|finding| !corrected.covers(finding));
    }
    let unfinished = super::find_unfinished(pair.old, pair.new);
    findings.retain(|finding| !unfinished.iter().any(|part| part.covers(&finding.channel)));
    findings
}

/// Placeholder for a finding's subject when messages are compared; never part of a message.
const SUBJECT: &str = "\u{0}";

/// Replaces the subject of a message with [`SUBJECT`]. Also returns whether the message names it
/// exactly once.
fn message_pattern(message: &str, subject: &str) -> (String, bool) {
    let pattern = message.replace(&format!("`{subject}`"), SUBJECT);
    let has_one_subject = pattern.matches(SUBJECT).count() == 1;
    (pattern, has_one_subject)
}

struct Findings<'f> {
    invariant: &'static Invariant,
    findings: &'f mut Vec<Finding>,
}

impl Findings<'_> {
    fn add(&mut self, channel: &Text, subject: &Text, message: String, help: String) {
        let (invariant, channel, subject) = (self.invariant, channel.clone(), subject.clone());
        self.findings.push(Finding {
            invariant,
            channel,
            subject,
            message,
            help,
        });
    }
}

//! Collects rule reports in order, with a limit per rule.

use super::finding::{Anchor, BlobRef, Finding, OpmRefusal};
use super::rule_doc::{OpmVersion, RuleDoc};
use super::tree::TreeLine;
use crate::hashed::HashMap;
use crate::place::{Place, Text};
use protocol::diagnostic::Severity;

/// Maximum number of problems kept per rule and package; more are only counted.
const LIMIT: usize = 500;

/// Collects findings. The runner sets the current position.
pub(super) struct Findings {
    findings: Vec<Finding>,
    refusal: Option<OpmRefusal>,
    lines: Vec<TreeLine>,
    counts: HashMap<&'static str, usize>,
    pub(super) rule: &'static RuleDoc,
    /// Suppresses reports of newer parts of rules.
    pub(super) opm_version: Option<OpmVersion>,
    pub(super) rule_index: u16,
    pub(super) severity: Severity,
    pub(super) phase: u8,
    pub(super) nth: u32,
    /// The position of a line in the tree: channel, bundle, and whether it follows the children.
    pub(super) tree_position: (Option<Text>, Option<Text>, bool),
}

impl Findings {
    pub(super) fn new() -> Self {
        Self {
            findings: Vec::new(),
            refusal: None,
            lines: Vec::new(),
            counts: HashMap::default(),
            rule: &RuleDoc::UNSET,
            opm_version: None,
            rule_index: 0,
            severity: Severity::Info,
            phase: 0,
            nth: 0,
            tree_position: (None, None, false),
        }
    }

    /// An anchor in the current blob.
    pub(super) fn here(&self, place: Place) -> Anchor {
        let blob = match self.phase {
            0 => BlobRef::Package(self.nth),
            1 => BlobRef::Channel(self.nth),
            2 => BlobRef::Bundle(self.nth),
            _ => BlobRef::Deprecations(self.nth),
        };
        Anchor::new(blob, place)
    }

    /// Reports a problem without a refusal.
    pub(super) fn report(&mut self, mut finding: Finding) {
        let count = self.counts.entry(self.rule.id).or_insert(0);
        *count += 1;
        if *count <= LIMIT {
            (finding.rule, finding.severity) = (self.rule, self.severity);
            self.findings.push(finding);
        }
    }

    /// Reports a problem that stops `opm`, with its literal message.
    pub(super) fn refuse(&mut self, opm: String, finding: Finding) {
        self.refuse_at(0, opm, finding);
    }

    /// Like [`Findings::refuse`], for blobs whose parts `opm` checks in order; parts count from 1.
    pub(super) fn refuse_at(&mut self, part: u32, opm: String, finding: Finding) {
        self.stop_at(part, opm);
        self.report(finding);
    }

    /// `opm` stops here; [`Findings::report`] adds the individual problems.
    pub(super) fn stop(&mut self, opm: String) {
        self.stop_at(0, opm);
    }

    fn stop_at(&mut self, part: u32, opm: String) {
        let step = (part, self.rule_index);
        let refusal = OpmRefusal {
            phase: self.phase,
            nth: self.nth,
            step,
            rule: self.rule,
            opm,
        };
        if self
            .refusal
            .as_ref()
            .is_none_or(|first| refusal.key() < first.key())
        {
            self.refusal = Some(refusal);
        }
    }

    /// A line of `opm`'s tree at the current position.
    pub(super) fn line(&mut self, text: impl Into<String>) {
        let (channel, bundle, after) = self.tree_position.clone();
        self.lines.push(TreeLine {
            channel,
            bundle,
            after,
            text: text.into(),
        });
    }

    /// A line of the tree, and its problem.
    pub(super) fn fail(&mut self, opm: impl Into<String>, finding: Finding) {
        self.line(opm);
        self.report(finding);
    }

    /// The results: problems, the first refusal, and the lines of the tree.
    pub(super) fn finish(mut self) -> (Vec<Finding>, Option<OpmRefusal>, Vec<TreeLine>) {
        self.append_omitted_counts();
        (self.findings, self.refusal, self.lines)
    }

    fn append_omitted_counts(&mut self) {
        for (rule, count) in &self.counts {
            if let Some(extra) = count.checked_sub(LIMIT).filter(|&n| n > 0)
                && let Some(last) = self.findings.iter_mut().rev().find(|f| f.rule.id == *rule)
            {
                last.message += &format!(" (and {extra} more of this rule in the package)");
            }
        }
    }
}

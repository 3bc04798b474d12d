//! What rules find: places, words, fixes, and what `opm` would say, before anything is tied to a file and a line.

use super::market::Trade;
use super::opened::Offer;
use super::rule::RuleDoc;
use super::scope::Scope;
use super::tree::{Line, TreeNode};
use super::whatif::Foreseen;
use crate::hashed::HashMap;
use crate::model::{FileId, Package};
use crate::place::{Place, Text};
use protocol::diagnostic::{Explanation, Fix, Severity};
use protocol::operation::EditOp;
use std::collections::BTreeSet;

/// Most problems of one rule that are told for one package; more of them only count.
const LIMIT: usize = 500;
/// Most pieces of evidence told with one problem.
const RELATED_LIMIT: usize = 20;

/// A blob of the package, by its position in the package's own lists, which stays valid while its facts do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobRef {
    Package(u32),
    Channel(u32),
    Bundle(u32),
    Deprecations(u32),
    /// A blob of a schema that OLM does not know.
    Other(u32),
}

impl BlobRef {
    /// File, index there, and position in load order.
    pub(super) fn find(self, package: &Package) -> Option<(FileId, u32, u64)> {
        match self {
            BlobRef::Package(nth) => package.packages.get(nth as usize).map(|l| (l.file, l.index, l.order)),
            BlobRef::Channel(nth) => package.channels.get(nth as usize).map(|l| (l.file, l.index, l.order)),
            BlobRef::Bundle(nth) => package.bundles.get(nth as usize).map(|l| (l.file, l.index, l.order)),
            BlobRef::Deprecations(nth) => package.deprecations.get(nth as usize).map(|l| (l.file, l.index, l.order)),
            BlobRef::Other(nth) => package.others.get(nth as usize).map(|l| (l.file, l.index, l.order)),
        }
    }
}

/// A place in a blob of the package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    pub blob: BlobRef,
    pub place: Place,
}

impl Anchor {
    pub(super) fn new(blob: BlobRef, place: Place) -> Self {
        Self { blob, place }
    }
}

/// One problem of a package.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub rule: &'static RuleDoc,
    /// The rule's own, or what the settings say.
    pub severity: Severity,
    pub message: String,
    pub help: String,
    pub channel: Option<Text>,
    pub bundle: Option<Text>,
    pub at: Anchor,
    pub related: Vec<(String, Anchor)>,
    pub fixes: Vec<Fix>,
    pub explanation: Option<Explanation>,
    pub follows: Option<Follows>,
    /// Names that are perhaps meant, which only the catalog can turn into fixes.
    pub respell: Vec<Respell>,
}

/// A name that is written, and the one that is perhaps meant. The fix is an edit of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Respell {
    pub title: String,
    /// Everywhere that it is written, first where the problem is.
    pub at: Vec<Anchor>,
    pub was: Text,
    pub meant: String,
    /// The heads of the channel then, where it is one of its entries.
    pub heads: Vec<String>,
    /// The channel of the entry is in order then: what is wrong with its graph follows from the name.
    pub in_order: bool,
}

impl Respell {
    pub(super) fn new(title: String, at: Anchor, was: &Text, meant: &str) -> Self {
        Self { title, at: vec![at], was: was.clone(), meant: meant.to_owned(), heads: Vec::new(), in_order: false }
    }
}

/// What a problem follows from, inside the package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Follows {
    /// Rule of the cause; "" for what is no problem of a rule by itself.
    pub rule: &'static str,
    pub message: String,
    pub at: Anchor,
}

impl Finding {
    /// Rule and severity are filled in when the finding is told.
    pub(super) fn new(at: Anchor, message: impl Into<String>) -> Self {
        Self {
            rule: &super::rules::UNTOLD,
            severity: Severity::Info,
            message: message.into(),
            help: String::new(),
            channel: None,
            bundle: None,
            at,
            related: Vec::new(),
            fixes: Vec::new(),
            explanation: None,
            follows: None,
            respell: Vec::new(),
        }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    pub(super) fn channel(mut self, channel: &Text) -> Self {
        self.channel = Some(channel.clone());
        self
    }

    pub(super) fn bundle(mut self, bundle: &Text) -> Self {
        self.bundle = Some(bundle.clone());
        self
    }

    pub(super) fn related(mut self, related: impl IntoIterator<Item = (String, Anchor)>) -> Self {
        self.related.extend(related.into_iter().take(RELATED_LIMIT));
        self
    }

    pub(super) fn fixes(mut self, fixes: impl IntoIterator<Item = Fix>) -> Self {
        self.fixes.extend(fixes);
        self
    }

    pub(super) fn explain(mut self, explanation: Explanation) -> Self {
        self.explanation = Some(explanation);
        self
    }

    pub(super) fn respell(mut self, respell: Option<Respell>) -> Self {
        self.respell.extend(respell);
        self
    }

    pub(super) fn follows(mut self, cause: Option<Follows>) -> Self {
        self.follows = cause;
        self
    }
}

/// A refusal that makes `opm` stop while it converts.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// 0 packages, 1 channels, 2 bundles, 3 cross checks, 4 deprecations.
    pub(super) phase: u8,
    /// Position in the package's list of that phase's blobs.
    pub(super) nth: u32,
    /// Order inside the blob: entry (0 for the blob itself), then rule.
    pub(super) step: (u32, u16),
    pub(super) rule: &'static RuleDoc,
    /// `opm`'s words.
    pub opm: String,
}

impl Refusal {
    fn key(&self) -> (u8, u32, (u32, u16)) {
        (self.phase, self.nth, self.step)
    }

    /// The blob whose load order places this refusal among those of other packages; `None` where `opm` looks at
    /// packages in no order of its own.
    pub(super) fn blob(&self) -> Option<BlobRef> {
        match self.phase {
            0 => Some(BlobRef::Package(self.nth)),
            1 => Some(BlobRef::Channel(self.nth)),
            2 => Some(BlobRef::Bundle(self.nth)),
            4 => Some(BlobRef::Deprecations(self.nth)),
            _ => None,
        }
    }
}

/// What is known of one package after its rules ran.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PackageReport {
    /// Problems that are `opm`'s.
    pub findings: Vec<Finding>,
    /// Our own.
    pub advice: Vec<Finding>,
    /// Suppressions (by position in the settings) that some problem fell under.
    pub suppressed: BTreeSet<usize>,
    /// The refusal that `opm` meets first in this package.
    pub refusal: Option<Refusal>,
    /// `opm`'s tree for this package; `None` when it has nothing to say.
    pub tree: Option<TreeNode>,
    /// What other packages may require of it.
    pub offer: Offer,
    /// What the package asks of others, when advice wants to know.
    pub(super) trade: Option<Box<Trade>>,
}

/// Gathers what rules tell. The runner says where it is; rules say what is so.
pub(super) struct Findings {
    findings: Vec<Finding>,
    refusal: Option<Refusal>,
    lines: Vec<Line>,
    told: HashMap<&'static str, usize>,
    pub(super) rule: &'static RuleDoc,
    pub(super) rule_index: u16,
    pub(super) severity: Severity,
    pub(super) phase: u8,
    pub(super) nth: u32,
    /// Where a line of the tree goes: channel, bundle, and whether it comes after the children.
    pub(super) spot: (Option<Text>, Option<Text>, bool),
}

impl Findings {
    pub(super) fn new() -> Self {
        Self {
            findings: Vec::new(),
            refusal: None,
            lines: Vec::new(),
            told: HashMap::default(),
            rule: &super::rules::UNTOLD,
            rule_index: 0,
            severity: Severity::Info,
            phase: 0,
            nth: 0,
            spot: (None, None, false),
        }
    }

    /// The blob of the kind that is being looked at.
    pub(super) fn here(&self, place: Place) -> Anchor {
        let blob = match self.phase {
            0 => BlobRef::Package(self.nth),
            1 => BlobRef::Channel(self.nth),
            2 => BlobRef::Bundle(self.nth),
            _ => BlobRef::Deprecations(self.nth),
        };
        Anchor::new(blob, place)
    }

    /// A problem, nothing more.
    pub(super) fn report(&mut self, mut finding: Finding) {
        let told = self.told.entry(self.rule.id).or_insert(0);
        *told += 1;
        if *told <= LIMIT {
            (finding.rule, finding.severity) = (self.rule, self.severity);
            self.findings.push(finding);
        }
    }

    /// A problem for which `opm` stops, with its words.
    pub(super) fn refuse(&mut self, opm: String, finding: Finding) {
        self.refuse_at(0, opm, finding);
    }

    /// As [`Findings::refuse`], inside a blob whose parts `opm` looks at in order; parts count from 1.
    pub(super) fn refuse_at(&mut self, part: u32, opm: String, finding: Finding) {
        self.stop_at(part, opm);
        self.report(finding);
    }

    /// `opm` stops here; the problems are told one by one with [`Findings::report`].
    pub(super) fn stop(&mut self, opm: String) {
        self.stop_at(0, opm);
    }

    fn stop_at(&mut self, part: u32, opm: String) {
        let step = (part, self.rule_index);
        let refusal = Refusal { phase: self.phase, nth: self.nth, step, rule: self.rule, opm };
        if self.refusal.as_ref().is_none_or(|first| refusal.key() < first.key()) {
            self.refusal = Some(refusal);
        }
    }

    /// A line of `opm`'s tree at the place that is being looked at.
    pub(super) fn line(&mut self, text: impl Into<String>) {
        let (channel, bundle, after) = self.spot.clone();
        self.lines.push(Line { channel, bundle, after, text: text.into() });
    }

    /// A line of the tree and the problem that it tells.
    pub(super) fn fail(&mut self, opm: impl Into<String>, finding: Finding) {
        self.line(opm);
        self.report(finding);
    }

    /// The problems alone, of rules that offer no fix.
    pub(super) fn into_findings(mut self) -> Vec<Finding> {
        self.say_how_many_more();
        self.findings
    }

    fn say_how_many_more(&mut self) {
        for (rule, told) in &self.told {
            if let Some(extra) = told.checked_sub(LIMIT).filter(|&n| n > 0)
                && let Some(last) = self.findings.iter_mut().rev().find(|f| f.rule.id == *rule)
            {
                last.message += &format!(" (and {extra} more of this rule in the package)");
            }
        }
    }

    pub(super) fn finish(mut self, scope: &Scope<'_>) -> PackageReport {
        self.say_how_many_more();
        for finding in &mut self.findings {
            foresee(scope, &mut finding.fixes);
        }
        super::causes::link(&mut self.findings);
        let tree = TreeNode::package(&scope.package.name, self.lines);
        PackageReport { findings: self.findings, refusal: self.refusal, tree, ..PackageReport::default() }
    }
}

/// Says of each fix what it leads to, where its rule did not, and takes out those that would be refused.
fn foresee(scope: &Scope<'_>, fixes: &mut Vec<Fix>) {
    fixes.retain_mut(|fix| {
        if !fix.heads.is_empty() {
            return true;
        }
        let channel = fix.ops.iter().find_map(|op| match op {
            EditOp::Promote { to: channel, .. }
            | EditOp::SetReplaces { channel, .. }
            | EditOp::AddSkip { channel, .. }
            | EditOp::RemoveSkip { channel, .. }
            | EditOp::SetSkipRange { channel, .. }
            | EditOp::RemoveEntry { channel, .. }
            | EditOp::RebuildEdges { channel, .. }
            | EditOp::AddChannel { channel, .. }
            | EditOp::RenameChannel { to: channel, .. } => Some(channel.as_str()),
            _ => None,
        });
        // What is written anew or as text depends on files, which nothing is known of here.
        let by_name = fix
            .ops
            .iter()
            .all(|op| op.package().is_some() && !matches!(op, EditOp::Deprecate { .. } | EditOp::AddChannel { .. }));
        match scope.foresee(channel.unwrap_or_default(), &fix.ops) {
            Foreseen::Outcome(outcome) if channel.is_some() => outcome.tell(fix),
            Foreseen::Refused => return !by_name,
            _ => {}
        }
        true
    });
}

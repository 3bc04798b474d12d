//! Problems without text positions, and the tree in which `opm` gathers the model rules
//! (`opm-semantics` 2.5).

use super::rule_doc::{OpmVersion, RuleDoc};
use catalog::model::{Correction, FileId, Located, Package, Rewrite};
use protocol::diagnostic::{Explanation, Fix, Severity};
use protocol::operation::EditOp;
use syntax::go_text::quote;
use syntax::hashed::HashMap;
use syntax::order::SortSmall;
use syntax::place::{Place, Text};

/// Maximum number of related positions per problem.
const RELATED_LIMIT: usize = 20;

/// A blob's index in the package's own lists; valid as long as the package's facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobRef {
    Package(u32),
    Channel(u32),
    Bundle(u32),
    Deprecations(u32),
    /// A blob of an unknown schema.
    Other(u32),
}

impl BlobRef {
    /// Returns the blob with this index among those that a phase checks; `None` for a phase that
    /// checks no single blob.
    fn in_phase(phase: Phase, nth: u32) -> Option<Self> {
        match phase {
            Phase::Packages => Some(Self::Package(nth)),
            Phase::Channels => Some(Self::Channel(nth)),
            Phase::Bundles => Some(Self::Bundle(nth)),
            Phase::CrossChecks => None,
            Phase::Deprecations => Some(Self::Deprecations(nth)),
        }
    }

    /// Returns the file, the index in it, and the position in load order.
    pub(super) fn find(self, package: &Package) -> Option<(FileId, u32, u64)> {
        fn place<T>(blobs: &[Located<T>], nth: u32) -> Option<(FileId, u32, u64)> {
            let blob = blobs.get(nth as usize)?;
            Some((blob.file, blob.index, blob.order))
        }
        match self {
            BlobRef::Package(nth) => place(&package.packages, nth),
            BlobRef::Channel(nth) => place(&package.channels, nth),
            BlobRef::Bundle(nth) => place(&package.bundles, nth),
            BlobRef::Deprecations(nth) => place(&package.deprecations, nth),
            BlobRef::Other(nth) => place(&package.others, nth),
        }
    }
}

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

#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub rule: &'static RuleDoc,
    /// The `opm` version that introduced this refusal, if it differs from the rule's.
    pub since: Option<OpmVersion>,
    /// The rule's own severity, or the one from the settings.
    pub severity: Severity,
    pub message: String,
    pub help: String,
    pub channel: Option<Text>,
    pub bundle: Option<Text>,
    pub at: Anchor,
    pub related: Vec<(String, Anchor)>,
    pub fixes: Vec<Fix>,
    pub explanation: Option<Explanation>,
    pub follows: Option<Causes>,
    /// Probable names; only the catalog can turn them into fixes.
    pub corrections: Vec<NameCorrection>,
    /// The intended text; only the catalog can turn it into a fix.
    pub corrected: Option<Corrected>,
}

/// A mistake corrected in the text, wherever it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Corrected {
    pub title: String,
    /// Whether the correction is unambiguous and activates nothing that had no effect before.
    pub safe: bool,
    pub rewrites: Vec<(BlobRef, Rewrite)>,
    /// Operations to apply afterwards; they refer to names.
    pub then: Vec<EditOp>,
}

/// A written name and the probable one. The fix edits the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameCorrection {
    pub title: String,
    /// Every occurrence, the problem's own first.
    pub at: Vec<Anchor>,
    pub was: Text,
    pub replacement: String,
    /// The heads of the channel after the correction, if an entry is corrected.
    pub heads: Vec<String>,
    /// Whether the correction makes the channel valid, so that the problems of its graph follow
    /// from the name.
    pub in_order: bool,
}

impl NameCorrection {
    pub(super) fn new(title: String, at: Anchor, was: &Text, replacement: &str) -> Self {
        Self {
            title,
            at: vec![at],
            was: was.clone(),
            replacement: replacement.to_owned(),
            heads: Vec::new(),
            in_order: false,
        }
    }
}

/// The cause of a problem within its package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Causes {
    /// Rule of the cause; `None` if no rule reports it.
    pub rule: Option<&'static str>,
    pub message: String,
    pub at: Anchor,
}

impl Corrected {
    /// Creates a correction in a single blob.
    pub(super) fn in_blob(blob: BlobRef, correction: &Correction) -> Self {
        Self {
            title: correction.title.clone(),
            safe: true,
            rewrites: correction
                .rewrites
                .iter()
                .map(|rewrite| (blob, rewrite.clone()))
                .collect(),
            then: Vec::new(),
        }
    }
}

impl Finding {
    /// [`Findings::report`] fills in rule and severity.
    pub(super) fn new(at: Anchor, message: impl Into<String>) -> Self {
        Self {
            rule: &RuleDoc::UNSET,
            since: None,
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
            corrections: Vec::new(),
            corrected: None,
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

    pub(super) fn correction(mut self, correction: Option<NameCorrection>) -> Self {
        self.corrections.extend(correction);
        self
    }

    pub(super) fn corrected(mut self, corrected: Option<Corrected>) -> Self {
        self.corrected = corrected;
        self
    }

    pub(super) fn follows(mut self, cause: Option<Causes>) -> Self {
        self.follows = cause;
        self
    }
}

/// The phases of `opm`'s conversion, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Packages,
    Channels,
    Bundles,
    CrossChecks,
    Deprecations,
}

/// A refusal that stops `opm` during conversion.
#[derive(Debug, Clone, PartialEq)]
pub struct OpmRefusal {
    pub(super) phase: Phase,
    /// Index in the package's blobs of that phase.
    pub(super) nth: u32,
    /// Order inside the blob: the entry (0 for the blob itself), then the rule.
    pub(super) step: (u32, u16),
    pub(super) rule: &'static RuleDoc,
    /// `opm`'s literal message.
    pub opm: String,
}

impl OpmRefusal {
    pub(super) fn key(&self) -> (Phase, u32, (u32, u16)) {
        (self.phase, self.nth, self.step)
    }

    /// Returns the blob whose load order ranks this refusal among those of other packages; `None`
    /// if `opm` visits packages in random order.
    pub(super) fn blob(&self) -> Option<BlobRef> {
        BlobRef::in_phase(self.phase, self.nth)
    }
}

/// Maximum number of problems kept per rule and package; more are only counted.
const LIMIT: usize = 500;

/// Collects findings. The runner sets the current position.
pub(super) struct Findings {
    findings: Vec<Finding>,
    refusal: Option<OpmRefusal>,
    lines: Vec<TreeLine>,
    counts: HashMap<&'static str, usize>,
    pub(super) rule: &'static RuleDoc,
    /// Suppresses problems that only newer versions of `opm` refuse.
    pub(super) opm_version: Option<OpmVersion>,
    pub(super) rule_index: u16,
    pub(super) severity: Severity,
    pub(super) phase: Phase,
    pub(super) nth: u32,
    pub(super) tree_position: TreePosition,
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
            phase: Phase::Packages,
            nth: 0,
            tree_position: TreePosition::default(),
        }
    }

    /// Returns an anchor in the current blob.
    pub(super) fn here(&self, place: Place) -> Anchor {
        let blob = BlobRef::in_phase(self.phase, self.nth);
        Anchor::new(blob.unwrap_or(BlobRef::Deprecations(self.nth)), place)
    }

    /// Creates a finding in the current blob, about its channel or bundle.
    pub(super) fn finding(&self, place: Place, message: impl Into<String>) -> Finding {
        let TreePosition {
            channel, bundle, ..
        } = self.tree_position.clone();
        Finding {
            channel,
            bundle,
            ..Finding::new(self.here(place), message)
        }
    }

    /// Reports a problem without a refusal. Without a help of its own it gets the rule's.
    pub(super) fn report(&mut self, mut finding: Finding) {
        let count = self.counts.entry(self.rule.id).or_insert(0);
        *count += 1;
        if *count <= LIMIT {
            (finding.rule, finding.severity) = (self.rule, self.severity);
            if finding.help.is_empty() {
                finding.help = self.rule.fix.to_owned();
            }
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

    /// Records that `opm` stops here; [`Findings::report`] adds the individual problems.
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

    /// Adds a line to `opm`'s tree at the current position.
    pub(super) fn line(&mut self, text: impl Into<String>) {
        self.lines.push(TreeLine {
            position: self.tree_position.clone(),
            text: text.into(),
        });
    }

    /// Adds a line to the tree, and reports its problem.
    pub(super) fn fail(&mut self, opm: impl Into<String>, finding: Finding) {
        self.line(opm);
        self.report(finding);
    }

    /// Returns the problems, the first refusal, and the lines of the tree.
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeNode {
    pub text: String,
    pub children: Vec<TreeNode>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeLine {
    position: TreePosition,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct TreePosition {
    pub(super) channel: Option<Text>,
    pub(super) bundle: Option<Text>,
    /// Whether lines follow the package's channels, or the channel's bundles.
    pub(super) after_children: bool,
}

impl TreePosition {
    pub(super) fn channel(name: &Text) -> Self {
        Self {
            channel: Some(name.clone()),
            ..Self::default()
        }
    }

    fn key(&self) -> impl Ord + use<> {
        let after_children = if self.after_children { 2 } else { 0 };
        match (&self.channel, &self.bundle) {
            (None, _) => (after_children, None, 0, None),
            (channel, None) => (1, channel.clone(), after_children, None),
            (channel, bundle) => (1, channel.clone(), 1, bundle.clone()),
        }
    }
}

impl TreeNode {
    pub(super) fn leaf(text: String) -> Self {
        Self {
            text,
            children: Vec::new(),
        }
    }

    /// Builds the tree of one package: its own lines, its channels by name, and their bundles by
    /// name. `None` if there are no lines.
    pub(super) fn package(name: &str, mut lines: Vec<TreeLine>) -> Option<Self> {
        if lines.is_empty() {
            return None;
        }
        // Stable sort: lines at one position keep the order of the rules.
        lines.sort_small_by(|a, b| a.position.key().cmp(&b.position.key()));
        let mut package = Self::leaf(format!("invalid package {}", quote(name)));
        let (mut last_channel, mut last_bundle) = (None, None);
        for line in lines {
            let Some(channel) = line.position.channel else {
                package.children.push(Self::leaf(line.text));
                continue;
            };
            if last_channel.as_ref() != Some(&channel) {
                package
                    .children
                    .push(Self::leaf(format!("invalid channel {}", quote(&channel))));
                last_channel = Some(channel);
                last_bundle = None;
            }
            let Some(channel) = package.children.last_mut() else {
                continue;
            };
            let Some(bundle) = line.position.bundle else {
                channel.children.push(Self::leaf(line.text));
                continue;
            };
            if last_bundle.as_ref() != Some(&bundle) {
                channel
                    .children
                    .push(Self::leaf(format!("invalid bundle {}", quote(&bundle))));
                last_bundle = Some(bundle);
            }
            if let Some(bundle) = channel.children.last_mut() {
                bundle.children.push(Self::leaf(line.text));
            }
        }
        Some(package)
    }

    /// Draws the tree, without trailing white space.
    pub fn draw(&self) -> String {
        let mut out = String::new();
        self.draw_into(&mut out, "", "");
        out.truncate(out.trim_end().len());
        out
    }

    // At most four levels deep: index, package, channel, bundle.
    fn draw_into(&self, out: &mut String, own: &str, below: &str) {
        out.push_str(own);
        out.push_str(&self.text);
        out.push_str(if self.children.is_empty() {
            "\n"
        } else {
            ":\n"
        });
        for (i, child) in self.children.iter().enumerate() {
            let last = i + 1 == self.children.len();
            let (branch, stem) = if last {
                ("└── ", "    ")
            } else {
                ("├── ", "│   ")
            };
            child.draw_into(out, &format!("{below}{branch}"), &format!("{below}{stem}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(channel: Option<&str>, bundle: Option<&str>, after: bool, text: &str) -> TreeLine {
        TreeLine {
            position: TreePosition {
                channel: channel.map(Text::from),
                bundle: bundle.map(Text::from),
                after_children: after,
            },
            text: text.to_owned(),
        }
    }

    #[test]
    fn related_problems_are_drawn_together() {
        let lines = vec![
            line(None, None, true, "duplicate"),
            line(Some("b"), None, true, "deprecation"),
            line(Some("b"), Some("x"), false, "one"),
            line(Some("b"), None, false, "graph"),
            line(Some("b"), Some("x"), false, "two"),
            line(Some("a"), None, false, "empty"),
        ];
        let root = TreeNode {
            text: "invalid index".to_owned(),
            children: TreeNode::package("p", lines).into_iter().collect(),
        };
        expect_test::expect![[r#"
            invalid index:
            └── invalid package "p":
                ├── invalid channel "a":
                │   └── empty
                ├── invalid channel "b":
                │   ├── graph
                │   ├── invalid bundle "x":
                │   │   ├── one
                │   │   └── two
                │   └── deprecation
                └── duplicate"#]]
        .assert_eq(&root.draw());
        assert_eq!(TreeNode::package("p", vec![]), None);
    }
}

//! A finding: a position in a package, a message, fixes, and `opm`'s message, not yet resolved to a
//! file and line. Plain data; knows rules only by their documentation.

use super::rule_doc::{OpmVersion, RuleDoc};
use crate::model::{Correction, FileId, Package, Rewrite};
use crate::place::{Place, Text};
use protocol::diagnostic::{Explanation, Fix, Severity};
use protocol::operation::EditOp;

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
    /// File, index there, and position in load order.
    pub(super) fn find(self, package: &Package) -> Option<(FileId, u32, u64)> {
        match self {
            BlobRef::Package(nth) => package
                .packages
                .get(nth as usize)
                .map(|l| (l.file, l.index, l.order)),
            BlobRef::Channel(nth) => package
                .channels
                .get(nth as usize)
                .map(|l| (l.file, l.index, l.order)),
            BlobRef::Bundle(nth) => package
                .bundles
                .get(nth as usize)
                .map(|l| (l.file, l.index, l.order)),
            BlobRef::Deprecations(nth) => package
                .deprecations
                .get(nth as usize)
                .map(|l| (l.file, l.index, l.order)),
            BlobRef::Other(nth) => package
                .others
                .get(nth as usize)
                .map(|l| (l.file, l.index, l.order)),
        }
    }
}

/// A position in a blob of the package.
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
    pub respell: Vec<NameCorrection>,
    /// The intended text; only the catalog can turn it into a fix.
    pub corrected: Option<Corrected>,
}

/// A mistake corrected in the text, wherever it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Corrected {
    pub title: String,
    /// The correction is unambiguous, and nothing takes effect that had none before.
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
    /// The correction makes the channel valid: the problems of its graph follow from the name.
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
    /// Rule of the cause; "" if no rule reports it.
    pub rule: &'static str,
    pub message: String,
    pub at: Anchor,
}

impl Corrected {
    /// A correction in a single blob.
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
    /// [`super::findings::Findings::report`] fills in rule and severity.
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
            respell: Vec::new(),
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

    pub(super) fn respell(mut self, respell: Option<NameCorrection>) -> Self {
        self.respell.extend(respell);
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

/// A refusal that stops `opm` during conversion.
#[derive(Debug, Clone, PartialEq)]
pub struct OpmRefusal {
    /// 0 packages, 1 channels, 2 bundles, 3 cross checks, 4 deprecations.
    pub(super) phase: u8,
    /// Index in the package's blobs of that phase.
    pub(super) nth: u32,
    /// Order inside the blob: entry (0 for the blob itself), then rule.
    pub(super) step: (u32, u16),
    pub(super) rule: &'static RuleDoc,
    /// `opm`'s literal message.
    pub opm: String,
}

impl OpmRefusal {
    pub(super) fn key(&self) -> (u8, u32, (u32, u16)) {
        (self.phase, self.nth, self.step)
    }

    /// The blob whose load order ranks this refusal among those of other packages; `None` if `opm`
    /// visits packages in random order.
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

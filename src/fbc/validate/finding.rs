//! One finding: a place in a package, a message, fixes, and `opm`'s message, before anything is tied to a file and a
//! line. Plain data, which knows rules only by their documentation.

use super::rule_doc::{OpmVersion, RuleDoc};
use crate::model::{Correction, FileId, Package, Rewrite};
use crate::place::{Place, Text};
use protocol::diagnostic::{Explanation, Fix, Severity};
use protocol::operation::EditOp;

/// Most related places reported with one problem.
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
    /// The version of `opm` that began to refuse for this, where it is not the rule's.
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
    pub follows: Option<Follows>,
    /// Names that are perhaps meant, which only the catalog can turn into fixes.
    pub respell: Vec<Respell>,
    /// The text that was meant, which only the catalog can turn into a fix.
    pub corrected: Option<Corrected>,
}

/// A slip whose text is corrected, wherever it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Corrected {
    pub title: String,
    /// No other reading is left, and nothing takes effect that had none before.
    pub safe: bool,
    pub rewrites: Vec<(BlobRef, Rewrite)>,
    /// What is done after that, by name.
    pub then: Vec<EditOp>,
}

/// A name as written, and the one that is probably meant. The fix is an edit of the text.
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
        Self {
            title,
            at: vec![at],
            was: was.clone(),
            meant: meant.to_owned(),
            heads: Vec::new(),
            in_order: false,
        }
    }
}

/// What a problem follows from, inside the package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Follows {
    /// Rule of the cause; "" for a cause that is not reported by a rule.
    pub rule: &'static str,
    pub message: String,
    pub at: Anchor,
}

impl Corrected {
    /// A correction in one blob.
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
    /// Rule and severity are filled in by [`super::findings::Findings::report`].
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

    pub(super) fn respell(mut self, respell: Option<Respell>) -> Self {
        self.respell.extend(respell);
        self
    }

    pub(super) fn corrected(mut self, corrected: Option<Corrected>) -> Self {
        self.corrected = corrected;
        self
    }

    pub(super) fn follows(mut self, cause: Option<Follows>) -> Self {
        self.follows = cause;
        self
    }
}

/// A refusal that makes `opm` stop while it converts.
#[derive(Debug, Clone, PartialEq)]
pub struct OpmRefusal {
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

impl OpmRefusal {
    pub(super) fn key(&self) -> (u8, u32, (u32, u16)) {
        (self.phase, self.nth, self.step)
    }

    /// The blob whose load order places this refusal among those of other packages; `None` where `opm` visits
    /// packages in no fixed order.
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

//! The documentation of a rule.

use super::example::Example;
use protocol::diagnostic::{Profile, Severity};

/// A version of `opm`. The major version has been 1 for years, and patches do not change rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpmVersion {
    pub minor: u16,
}

impl OpmVersion {
    /// The newest version whose rules are known.
    pub const NEWEST: Self = Self { minor: 74 };
    /// The oldest version that is distinguished. Rules without a version are older.
    pub const OLDEST_KNOWN: Self = Self { minor: 58 };

    /// Parses `1.64`, `v1.64` or `1.64.3`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix('v').unwrap_or(text).split('.');
        let (major, minor) = (parts.next()?, parts.next()?);
        let patch = parts.next();
        let is_known = major == "1"
            && patch.is_none_or(|part| part.parse::<u16>().is_ok())
            && parts.next().is_none();
        Some(Self {
            minor: minor.parse().ok().filter(|_| is_known)?,
        })
    }
}

impl std::fmt::Display for OpmVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "1.{}", self.minor)
    }
}

/// The documentation of a rule for `switchyard explain`, the page and `docs/rules.md`; and, for
/// judging only, how its problems relate to those of other rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleDoc {
    /// In kebab case; `opm`'s rules have their names from `opm-semantics` sections 1 and 2.
    pub id: &'static str,
    /// Whether `opm validate` refuses it.
    pub opm: bool,
    pub severity: Severity,
    /// The lowest profile that enables it. `opm`'s own rules are [`Profile::Opm`] and never off.
    pub profile: Profile,
    /// The problem in one sentence.
    pub summary: &'static str,
    /// Why it matters, and how `opm` reacts.
    pub why: &'static str,
    pub fix: &'static str,
    /// The pattern of `opm`'s message; "" if there is none.
    pub opm_message: &'static str,
    /// Catalogs with the problem. Bad and good examples are documentation and tests in one.
    pub bad: &'static [Example],
    /// Catalogs that `opm` accepts and that lack the problem: corrected, or similar and valid.
    pub good: &'static [Example],
    /// The `opm` version that introduced the rule; `None` for advice, and for rules from before
    /// [`OpmVersion::OLDEST_KNOWN`].
    pub since: Option<OpmVersion>,
    pub(super) misses: Option<Missing>,
    pub(super) causes: &'static [SharedCause],
    pub(super) follows: &'static [SharedCause],
    pub(super) applies: AppliesTo,
    /// Whether the rule ignores packages that are deprecated as a whole.
    pub skips_deprecated_packages: bool,
}

/// What a problem reports as missing. It may exist in an unreadable file or under a misspelt
/// package name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Definition,
    Channels,
    DefaultChannel,
    /// The channel, or everything that it lists.
    Channel,
    /// The bundle, in any channel.
    Listing,
    Bundle,
}

/// A mistake in a package that causes problems of several rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum SharedCause {
    /// The package has no definition. A single definition is missing, however many blobs refer to
    /// it.
    Undefined,
    /// An entry and its bundle have different names, and the channel is valid with the bundle's
    /// name.
    EntryMisnamed,
    /// An entry and its bundle have different names, so nothing lists or finds this bundle.
    BundleMisnamed,
    /// A nameless entry; for `opm`, every entry without `replaces` refers to it.
    EntryNameless,
    /// An entry listed twice in its channel; only the first line counts.
    EntryDoubled,
    /// Properties that do not parse, so the bundle has none.
    PropertiesUnparsed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AppliesTo {
    Catalogs,
    /// Applies to templates too, which already contain what the rule checks in the same form as a
    /// catalog.
    TemplatesToo,
}

impl RuleDoc {
    /// A placeholder until the runner sets the rule of a finding.
    pub(super) const UNSET: Self = Self::advice("", Severity::Info, Profile::Strict, "", "", "");

    /// Creates a rule of `opm`.
    pub(super) const fn opm(
        id: &'static str,
        opm_message: &'static str,
        summary: &'static str,
        why: &'static str,
        fix: &'static str,
    ) -> Self {
        let rule = Self::advice(id, Severity::Error, Profile::Opm, summary, why, fix);
        Self {
            opm: true,
            opm_message,
            ..rule
        }
    }

    /// Creates a rule of our own, which does not affect the verdict: a warning, or information only
    /// ([`Severity::Info`]).
    pub(super) const fn advice(
        id: &'static str,
        severity: Severity,
        profile: Profile,
        summary: &'static str,
        why: &'static str,
        fix: &'static str,
    ) -> Self {
        Self {
            id,
            opm: false,
            severity,
            profile,
            summary,
            why,
            fix,
            opm_message: "",
            bad: &[],
            good: &[],
            since: None,
            misses: None,
            causes: &[],
            follows: &[],
            applies: AppliesTo::Catalogs,
            skips_deprecated_packages: false,
        }
    }

    /// Sets the `opm` version, 1.MINOR, that introduced the rule.
    pub(super) const fn since(mut self, minor: u16) -> Self {
        self.since = Some(OpmVersion { minor });
        self
    }

    /// Formats since when `opm` refuses it; `None` for advice.
    pub fn refused_since(&self) -> Option<String> {
        self.opm.then(|| match self.since {
            Some(version) => format!("refused since opm {version}"),
            None => format!("refused since before opm {}", OpmVersion::OLDEST_KNOWN),
        })
    }

    /// Declares the kind of object that the rule's problems report as missing.
    pub(super) const fn misses(mut self, what: Missing) -> Self {
        self.misses = Some(what);
        self
    }

    /// Declares the mistakes that the rule reports, which may cause other problems.
    pub(super) const fn causes(mut self, causes: &'static [SharedCause]) -> Self {
        self.causes = causes;
        self
    }

    /// Declares possible causes of the rule's problems; the first one that is present applies.
    pub(super) const fn follows(mut self, causes: &'static [SharedCause]) -> Self {
        self.follows = causes;
        self
    }

    /// Skips packages that are deprecated as a whole: deprecating a package silences its problems
    /// without solving them.
    pub(super) const fn for_supported_packages(mut self) -> Self {
        self.skips_deprecated_packages = true;
        self
    }

    pub(super) const fn in_templates(mut self) -> Self {
        self.applies = AppliesTo::TemplatesToo;
        self
    }

    pub(super) const fn bad(mut self, examples: &'static [Example]) -> Self {
        self.bad = examples;
        self
    }

    pub(super) const fn good(mut self, examples: &'static [Example]) -> Self {
        self.good = examples;
        self
    }
}

//! The documentation of a rule, as plain data: it knows neither checks nor the registry, so that findings can refer
//! to it.

use super::example::Example;
use protocol::diagnostic::{Profile, Severity};

/// A version of `opm`, which has been 1.MINOR for years; patches do not change rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpmVersion {
    pub minor: u16,
}

/// The version whose verdicts and messages ours are, in full.
pub const MATCHED_OPM: &str = "v1.74.0";

impl OpmVersion {
    /// The newest version whose rules are known.
    pub const NEWEST: Self = Self { minor: 74 };
    /// Rules without a version are older than this one.
    pub const OLDEST_KNOWN: Self = Self { minor: 58 };

    /// Reads `1.64`, `v1.64` or `1.64.3`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix('v').unwrap_or(text).split('.');
        let (major, minor) = (parts.next()?, parts.next()?);
        let patch = parts.next();
        let is_number = |part: &str| part.parse::<u16>().is_ok();
        let is_known = major == "1" && patch.is_none_or(is_number) && parts.next().is_none();
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

/// The documentation of a rule, for `switchyard explain`, the page and `docs/rules.md`; and, only for judging, how its
/// problems relate to those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleDoc {
    /// In kebab case; `opm`'s rules are named as in `opm-semantics` sections 1 and 2.
    pub id: &'static str,
    /// True when `opm validate` refuses for it.
    pub opm: bool,
    pub severity: Severity,
    /// The lowest profile that looks for it. `opm`'s own rules are [`Profile::Opm`] and are never off.
    pub profile: Profile,
    /// The problem, in a sentence.
    pub summary: &'static str,
    /// Why it matters, and how `opm` reacts.
    pub why: &'static str,
    /// How to put it right.
    pub fix: &'static str,
    /// The pattern of `opm`'s message; "" if it has none.
    pub opm_message: &'static str,
    /// Catalogs that have the problem. They and the good ones are documentation and tests in one.
    pub bad: &'static [Example],
    /// Catalogs that `opm` takes and that do not have the problem: put right, or near it and fine.
    pub good: &'static [Example],
    /// The version of `opm` that introduced the rule; `None` for advice, and for rules from before
    /// [`OpmVersion::OLDEST_KNOWN`].
    pub since: Option<OpmVersion>,
    pub(super) misses: Option<Missing>,
    pub(super) causes: &'static [SharedCause],
    pub(super) follows: &'static [SharedCause],
    pub(super) applies: Applies,
    pub(crate) of_supported_packages: bool,
}

/// What a problem reports as missing. It may exist in a file that could not be read, or under a misspelt package
/// name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// The `olm.package` blob of the package.
    Definition,
    /// Any channel of the package.
    Channels,
    /// The name of a default channel.
    DefaultChannel,
    /// This channel, or all that it lists.
    Channel,
    /// This bundle, in any channel.
    Listing,
    /// This bundle.
    Bundle,
}

/// A mistake in a package that causes problems of several rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SharedCause {
    /// Nothing defines the package. However many blobs miss the definition, one is missing.
    Undefined,
    /// An entry has another name than its bundle, and the channel is in order with the bundle's.
    EntryMisnamed,
    /// An entry has another name than its bundle, so that nothing lists or finds this bundle.
    BundleMisnamed,
    /// An entry without a name, which for `opm` is what every entry without a `replaces` names.
    EntryNameless,
    /// An entry that is listed twice in its channel, of which only the first line counts.
    EntryDoubled,
    /// Properties that do not parse, so that the bundle has none.
    PropertiesUnparsed,
}

/// What a rule is applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Applies {
    Catalogs,
    /// To templates as well: what it looks at is already in the template as it will be in the catalog.
    TemplatesToo,
}

impl RuleDoc {
    /// A placeholder in a finding until the runner sets the rule.
    pub(super) const UNSET: Self = Self::advice("", Severity::Info, Profile::Strict, "", "", "");

    /// A rule that `opm` has too.
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

    /// A rule of our own, which does not affect the verdict: a warning, or only information ([`Severity::Info`]).
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
            applies: Applies::Catalogs,
            of_supported_packages: false,
        }
    }

    /// `opm` has the rule since 1.MINOR.
    pub(super) const fn since(mut self, minor: u16) -> Self {
        self.since = Some(OpmVersion { minor });
        self
    }

    /// Since when `opm` refuses for it, in words; `None` for advice.
    pub fn refused_since(&self) -> Option<String> {
        self.opm.then(|| match self.since {
            Some(version) => format!("refused since opm {version}"),
            None => format!("refused since before opm {}", OpmVersion::OLDEST_KNOWN),
        })
    }

    /// Its problems report that this is missing.
    pub(super) const fn misses(mut self, what: Missing) -> Self {
        self.misses = Some(what);
        self
    }

    /// Its problems are these mistakes, from which others may follow.
    pub(super) const fn causes(mut self, causes: &'static [SharedCause]) -> Self {
        self.causes = causes;
        self
    }

    /// Its problems may only follow from one of these, the first that is present.
    pub(super) const fn follows(mut self, causes: &'static [SharedCause]) -> Self {
        self.follows = causes;
        self
    }

    /// It says nothing of a package that is deprecated as a whole: such a deprecation ends its problems and solves none.
    pub(super) const fn of_supported_packages(mut self) -> Self {
        self.of_supported_packages = true;
        self
    }

    /// It is applied to templates too.
    pub(super) const fn in_templates(mut self) -> Self {
        self.applies = Applies::TemplatesToo;
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

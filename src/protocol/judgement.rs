//! The judged result of an edit, or of the change from one catalog to another. The library computes
//! the wording once for page and command line. Texts are plain text; names in backticks.

use super::upgrades::BrokenRow;
use serde::{Deserialize, Serialize};

enum_with_text! {
    pub fn name;
    /// The emphasis of a fact. Red is reserved for [`Tone::Bad`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    pub enum Tone {
        Good = "good",
        #[default]
        Plain = "plain",
        Advice = "advice",
        Bad = "bad",
    }
}

/// Formats the change of a catalog's verdict; `passed_before` is `None` for a catalog that was
/// empty. If the catalog failed before as well, includes the number of errors that remain.
pub fn verdict_words(
    passed_before: Option<bool>,
    passed_after: bool,
    errors: ErrorCounts,
) -> String {
    match (passed_before, passed_after) {
        (None, true) => "passes opm validate".to_owned(),
        (Some(true), true) => "still passes opm validate".to_owned(),
        (Some(false), true) => "passes opm validate now".to_owned(),
        (None | Some(true), false) => "fails opm validate now".to_owned(),
        (Some(false), false) => format!("still fails opm validate{}", errors.suffix()),
    }
}

/// Errors of a catalog before and after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ErrorCounts {
    pub before: u32,
    pub after: u32,
    /// Number of errors that are in both.
    pub same: u32,
}

impl ErrorCounts {
    /// Formats `, with the same 14 errors`, `, with 12 of its 14 errors and 1 new one`; "" if there
    /// are none to count.
    fn suffix(self) -> String {
        let Self {
            before,
            after,
            same,
        } = self;
        let new = after.saturating_sub(same);
        let old = match (same, before) {
            (0, _) if new == 0 => return String::new(),
            (0, _) => {
                return format!(
                    ", with {}",
                    if new == 1 {
                        "another error".to_owned()
                    } else {
                        format!("{new} other errors")
                    }
                );
            }
            (1, 1) => "the same error".to_owned(),
            (same, before) if same >= before => format!("the same {same} errors"),
            (same, before) => format!("{same} of its {before} errors"),
        };
        match new {
            0 => format!(", with {old}"),
            1 => format!(", with {old} and a new one"),
            new => format!(", with {old} and {new} new ones"),
        }
    }
}

enum_with_text! {
    /// Returns one to three words; "" if there is nothing to report.
    pub fn label;
    /// The overall judgement, worst last.
    #[derive(
        Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
    )]
    pub enum Judgement {
        /// Nothing improved or worsened.
        #[default]
        Neutral = "",
        /// The catalog passes now, an error was solved, or users gain updates; nobody is worse off.
        Better = "Better",
        /// Only advice, or users who end at a lower version.
        Advice = "Worth a look",
        /// An unfinished change fails until its next step.
        Unfinished = "Not finished",
        /// Text on one side of the change could not be read.
        Unknown = "Not known",
        Mixed = "Better and worse",
        Worse = "Worse",
    }
}

impl Judgement {
    pub fn name(self) -> &'static str {
        match self {
            Judgement::Neutral => "plain",
            Judgement::Better => "good",
            Judgement::Mixed => "mixed",
            Judgement::Advice | Judgement::Unfinished | Judgement::Unknown => "advice",
            Judgement::Worse => "bad",
        }
    }
}

/// Prefix of a line below a fact that holds `opm`'s message, which can be a tree.
pub const OPM_SAYS: &str = "opm says: ";

/// One fact, with its consequences below.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct JudgedFact {
    pub tone: Tone,
    pub text: String,
    pub rest: Vec<String>,
}

/// The users of one package. A row groups versions with equal outcomes; fresh installs always have
/// their own row.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UserTable {
    /// The affected catalogs, and the package; both empty if the context gives them.
    pub catalogs: Vec<String>,
    pub package: String,
    /// One sentence, capitalized, without a full stop.
    pub headline: String,
    /// Worst first.
    pub rows: Vec<UserTableRow>,
    /// Unmet requirements of the next steps, which follow edges alone. Sentences; names in
    /// backticks.
    pub unmet: Vec<String>,
    /// Rules for users that the change breaks: errors first, then those that affect most versions.
    pub broken: Vec<BrokenRow>,
}

/// The headings of [`UserTableRow::cells`].
pub const USER_TABLE_COLUMNS: [&str; 4] = ["Installed", "Before", "After", "Under"];

enum_with_text! {
    /// Returns the spelling on the command line.
    pub fn as_str;
    /// The effect on the users of a row, worst first.
    #[derive(
        Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
    )]
    pub enum UpgradeImpact {
        /// No longer has a next step, or nothing is installable any longer.
        Stranded = "stranded",
        /// Goes to a lower version, or a lower version is installed.
        Downgrade = "downgrade",
        /// Its path ends at a lower version than before.
        EndsLower = "ends-lower",
        Rerouted = "rerouted",
        /// Keeps its next step, but its path ends elsewhere.
        OtherEnd = "other-end",
        /// Has a next step now, but had none.
        Gained = "gained",
        #[default]
        Same = "same",
    }
}

impl UserTable {
    /// Returns the worst broken rule, unless the headline begins with users who are worse off.
    pub fn broken_rule(&self) -> Option<&str> {
        let worst = self.broken.first().filter(|broken| broken.error)?;
        let is_harm = |row: &UserTableRow| {
            let is_of_users = row.fate <= UpgradeImpact::EndsLower && !row.from.is_empty();
            is_of_users || row.fate == UpgradeImpact::Stranded
        };
        (!self.rows.first().is_some_and(is_harm)).then_some(&worst.message)
    }

    /// Whether no user gets a different update.
    pub fn is_unchanged(&self) -> bool {
        self.rows.iter().all(|row| row.fate == UpgradeImpact::Same)
    }
}

/// Versions with equal outcomes, or fresh installs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UserTableRow {
    pub fate: UpgradeImpact,
    pub tone: Tone,
    pub cells: [String; 4],
    /// Names of all bundles in the first cell; empty for fresh installs.
    pub from: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_rule_is_named_unless_the_headline_begins_with_harm_to_users() {
        let named = |fate, from: &[&str]| {
            let row = UserTableRow {
                fate,
                from: from.iter().map(ToString::to_string).collect(),
                ..UserTableRow::default()
            };
            let broken = BrokenRow {
                error: true,
                message: "a pin fails".into(),
                ..BrokenRow::default()
            };
            let table = UserTable {
                rows: vec![row],
                broken: vec![broken],
                ..UserTable::default()
            };
            table.broken_rule().map(str::to_owned)
        };
        assert_eq!(named(UpgradeImpact::Stranded, &[]), None);
        assert_eq!(named(UpgradeImpact::EndsLower, &["p.v1.0.0"]), None);
        let pin = Some("a pin fails".to_owned());
        assert_eq!(named(UpgradeImpact::Downgrade, &[]), pin, "new installs");
        assert_eq!(named(UpgradeImpact::Rerouted, &["p.v1.0.0"]), pin);
    }

    #[test]
    fn the_worst_judgement_is_last() {
        let mut all = [
            Judgement::Worse,
            Judgement::Neutral,
            Judgement::Mixed,
            Judgement::Advice,
        ];
        all.sort();
        assert_eq!(
            all,
            [
                Judgement::Neutral,
                Judgement::Advice,
                Judgement::Mixed,
                Judgement::Worse
            ]
        );
    }

    #[test]
    fn a_failing_catalog_is_reported_with_its_remaining_errors() {
        let describe = |before, after, same| {
            verdict_words(
                Some(false),
                false,
                ErrorCounts {
                    before,
                    after,
                    same,
                },
            )
        };
        assert_eq!(
            describe(14, 14, 14),
            "still fails opm validate, with the same 14 errors"
        );
        assert_eq!(
            describe(1, 1, 1),
            "still fails opm validate, with the same error"
        );
        assert_eq!(
            describe(14, 12, 12),
            "still fails opm validate, with 12 of its 14 errors"
        );
        assert_eq!(
            describe(14, 13, 12),
            "still fails opm validate, with 12 of its 14 errors and a new one"
        );
        assert_eq!(
            describe(1, 3, 1),
            "still fails opm validate, with the same error and 2 new ones"
        );
        assert_eq!(
            describe(2, 1, 0),
            "still fails opm validate, with another error"
        );
        assert_eq!(
            describe(2, 2, 0),
            "still fails opm validate, with 2 other errors"
        );
        assert_eq!(describe(0, 0, 0), "still fails opm validate");
        assert_eq!(
            verdict_words(Some(true), false, ErrorCounts::default()),
            "fails opm validate now"
        );
        assert_eq!(
            verdict_words(None, true, ErrorCounts::default()),
            "passes opm validate",
            "there was no catalog to pass before"
        );
    }
}

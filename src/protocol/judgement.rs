//! What an edit, or the change from one catalog to another, came to: computed once, by the library, and shown in the same
//! words by the page and the command line. Texts are ready to be shown as text; names in backticks.

use super::upgrades::BrokenRow;
use serde::{Deserialize, Serialize};

/// How loud a fact is. Red is for [`Tone::Bad`] and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Tone {
    Good,
    #[default]
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

/// What becomes of a catalog's verdict.
pub fn verdict_words(passed_before: bool, passed_after: bool) -> &'static str {
    match (passed_before, passed_after) {
        (true, true) => "still passes opm validate",
        (false, true) => "passes opm validate now",
        (true, false) => "fails opm validate now",
        (false, false) => "still fails opm validate",
    }
}

/// What all of it comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Judgement {
    /// Nothing that is good or bad.
    #[default]
    Neutral,
    /// Something was solved, and nothing new is wrong.
    Better,
    Mixed,
    /// Only advice.
    Advice,
    Worse,
}

impl Judgement {
    pub fn name(self) -> &'static str {
        match self {
            Judgement::Neutral => "plain",
            Judgement::Better => "good",
            Judgement::Mixed => "mixed",
            Judgement::Advice => "advice",
            Judgement::Worse => "bad",
        }
    }

    /// In a word or three; "" where there is nothing to say.
    pub fn words(self) -> &'static str {
        match self {
            Judgement::Neutral => "",
            Judgement::Better => "Better",
            Judgement::Mixed => "Better and worse",
            Judgement::Advice => "Worth a look",
            Judgement::Worse => "Worse",
        }
    }
}

/// One fact, with what only follows from it below.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct JudgedFact {
    pub tone: Tone,
    pub text: String,
    pub rest: Vec<String>,
}

/// The users of one package, a row for versions to whom the same happens; fresh installs always are one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UserTable {
    /// The catalogs where it is so, and the package; both empty where they are known.
    pub catalogs: Vec<String>,
    pub package: String,
    /// One sentence, with a capital and without a full stop.
    pub headline: String,
    /// Versions with another next step or another end.
    pub hit: u32,
    /// The worst first.
    pub rows: Vec<UserTableRow>,
    /// Rules for users that the change breaks: errors first, then most versions first.
    pub broken: Vec<BrokenRow>,
}

/// The heads of [`UserTableRow::cells`].
pub const USER_TABLE_COLUMNS: [&str; 5] = ["From", "Now goes to", "Was", "Final version", "Lens"];

/// Versions to whom the same happens, or fresh installs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UserTableRow {
    /// `stranded`, `downgrade`, `ends-lower`, `rerouted`, `other-end`, `gained`, `same`.
    pub fate: String,
    pub tone: Tone,
    pub cells: [String; 5],
    /// The names of all bundles of the first cell; empty for fresh installs.
    pub from: Vec<String>,
}

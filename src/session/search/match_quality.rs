//! How well a text matches a query. Knows texts only, not what they name.
//!
//! ASCII letters match case-insensitively. Best first: exact, prefix, word prefix, substring,
//! subsequence.

use std::ops::Range;

/// Longer texts are not searched for subsequences.
const LONGEST_SCATTERED: usize = 128;
/// Longer queries are cut.
const LONGEST_QUERY: usize = 128;
/// Cost of a new run of letters, at the start of a word and elsewhere.
const RUN_AT_WORD: u16 = 1;
const RUN_INSIDE: u16 = 3;

/// How well a text matches; the least is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatchQuality {
    pub tier: Tier,
    /// Within a tier: how scattered the letters are, and how many words match only the context.
    pub cost: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    Whole,
    Start,
    WordStart,
    Inside,
    Scattered,
}

/// Which kinds of match count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchMode {
    /// Subsequences too.
    Loose,
    /// Only contiguous matches: a long text contains nearly any subsequence.
    InOnePiece,
}

/// The set of characters of a text; a text that lacks one of the query's cannot match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LetterSet(u64);

impl LetterSet {
    pub fn from_text(text: &str) -> Self {
        Self(text.bytes().fold(0, |set, byte| set | 1 << bucket(byte)))
    }

    fn has(self, other: LetterSet) -> bool {
        other.0 & !self.0 == 0
    }

    fn and(self, other: LetterSet) -> Self {
        Self(self.0 | other.0)
    }
}

fn bucket(byte: u8) -> u32 {
    match byte.to_ascii_lowercase() {
        letter @ b'a'..=b'z' => u32::from(letter - b'a'),
        digit @ b'0'..=b'9' => 26 + u32::from(digit - b'0'),
        other => 36 + u32::from(other) % 28,
    }
}

/// A searchable text with its context: a channel's name within its package.
#[derive(Debug, Clone, Copy)]
pub struct SearchText<'a> {
    pub text: &'a str,
    pub letters: LetterSet,
    /// Words that the text lacks may match here.
    pub around: &'a str,
    pub letters_around: LetterSet,
    pub reading: MatchMode,
}

/// A parsed query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// As typed, in lower case, with single spaces.
    whole: Vec<u8>,
    words: Vec<Vec<u8>>,
    letters: LetterSet,
}

impl Query {
    pub fn new(text: &str) -> Self {
        let text = text.to_ascii_lowercase();
        let mut left = LONGEST_QUERY;
        let words: Vec<Vec<u8>> = text
            .split_whitespace()
            .map(|word: &str| {
                let word: Vec<u8> = word.bytes().take(left).collect();
                left -= word.len();
                word
            })
            .filter(|word| !word.is_empty())
            .collect();
        let letters = LetterSet(
            words
                .iter()
                .flatten()
                .fold(0, |set, byte| set | 1 << bucket(*byte)),
        );
        Self {
            whole: words.join(&b' '),
            words,
            letters,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// `None` if it does not match. Every word must match, at least one of them the text itself.
    pub fn fit(&self, place: &SearchText<'_>) -> Option<MatchQuality> {
        let all = place.letters.and(place.letters_around);
        if self.is_empty() || !all.has(self.letters) {
            return None;
        }
        let text = place.text.as_bytes();
        if let [word] = self.words.as_slice() {
            return fit_word(text, word, place.reading);
        }
        if let Some((tier, _)) = piece(text, &self.whole) {
            return Some(MatchQuality { tier, cost: 0 });
        }
        let mut worst = None;
        let mut around = 0;
        for word in &self.words {
            match fit_word(text, word, place.reading) {
                Some(fit) => worst = worst.max(Some(fit)),
                None => {
                    piece(place.around.as_bytes(), word)?;
                    around += 1;
                }
            }
        }
        worst.map(|fit| MatchQuality {
            tier: fit.tier.max(Tier::Start),
            cost: fit.cost + around,
        })
    }

    /// The byte ranges of a text that [`Query::fit`] matched, in order, at character boundaries.
    pub fn marks(&self, text: &str, reading: MatchMode) -> Vec<Range<usize>> {
        let bytes = text.as_bytes();
        let mut hit = vec![false; bytes.len()];
        let whole = (self.words.len() > 1)
            .then(|| piece(bytes, &self.whole))
            .flatten();
        if let Some((_, at)) = whole {
            hit.iter_mut()
                .skip(at)
                .take(self.whole.len())
                .for_each(|hit| *hit = true);
        } else {
            for word in &self.words {
                for at in places(bytes, word, reading) {
                    hit.iter_mut().skip(at).take(1).for_each(|hit| *hit = true);
                }
            }
        }
        runs(text, &hit)
    }
}

/// Characters with a matched byte, joined where they touch.
fn runs(text: &str, hit: &[bool]) -> Vec<Range<usize>> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        if !hit.get(at..end).is_some_and(|bytes| bytes.contains(&true)) {
            continue;
        }
        match marks.last_mut() {
            Some(last) if last.end == at => last.end = end,
            _ => marks.push(at..end),
        }
    }
    marks
}

fn fit_word(text: &[u8], word: &[u8], reading: MatchMode) -> Option<MatchQuality> {
    if let Some((tier, _)) = piece(text, word) {
        return Some(MatchQuality { tier, cost: 0 });
    }
    if reading == MatchMode::InOnePiece {
        return None;
    }
    find_scattered(text, word).map(|(cost, _)| MatchQuality {
        tier: Tier::Scattered,
        cost,
    })
}

/// The positions of a word's letters in a text.
fn places(text: &[u8], word: &[u8], reading: MatchMode) -> Vec<usize> {
    match piece(text, word) {
        Some((_, at)) => (at..at + word.len()).collect(),
        None if reading == MatchMode::Loose => {
            find_scattered(text, word).map_or_else(Vec::new, |(_, places)| places)
        }
        None => Vec::new(),
    }
}

/// The best contiguous match of a lower-case word.
fn piece(text: &[u8], word: &[u8]) -> Option<(Tier, usize)> {
    let first = *word.first()?;
    let mut inside = None;
    for at in 0..(text.len() + 1).checked_sub(word.len())? {
        let is_here = text[at].to_ascii_lowercase() == first
            && text[at..at + word.len()].eq_ignore_ascii_case(word);
        if !is_here {
            continue;
        }
        match at {
            0 if text.len() == word.len() => return Some((Tier::Whole, 0)),
            0 => return Some((Tier::Start, 0)),
            _ if starts_word(text, at) => return Some((Tier::WordStart, at)),
            _ => inside = inside.or(Some((Tier::Inside, at))),
        }
    }
    inside
}

/// Whether a word starts at a byte: after a character that is no letter or digit, at a capital
/// after a small letter, or at a digit after a letter (`v1.2`).
fn starts_word(text: &[u8], at: usize) -> bool {
    let (Some(here), Some(before)) = (text.get(at), at.checked_sub(1).and_then(|at| text.get(at)))
    else {
        return true;
    };
    !before.is_ascii_alphanumeric() && before.is_ascii()
        || here.is_ascii_uppercase() && before.is_ascii_lowercase()
        || here.is_ascii_digit() && before.is_ascii_alphabetic()
}

/// The cheapest subsequence match: as few runs as possible, preferably at the start of words.
/// `None` if there are too many runs: a run inside a word counts as three letters.
fn find_scattered(text: &[u8], word: &[u8]) -> Option<(u16, Vec<usize>)> {
    if word.len() < 2 || text.len() > LONGEST_SCATTERED || !in_order(text, word) {
        return None;
    }
    const NONE: u16 = u16::MAX;
    let width = text.len();
    // By letter (row) and byte (column): the least cost with that letter at that byte, and the byte
    // of the letter before.
    let mut from: Vec<usize> = vec![0; width * word.len()];
    let mut last: Vec<u16> = Vec::new();
    for (row, &letter) in word.iter().enumerate() {
        let mut now = vec![NONE; width];
        // The best of the previous row that ends at least two bytes earlier.
        let mut best = (if row == 0 { 0 } else { NONE }, 0);
        for at in 0..width {
            if row > 0 && at >= 2 && last[at - 2] < best.0 {
                best = (last[at - 2], at - 2);
            }
            if text[at].to_ascii_lowercase() != letter {
                continue;
            }
            let run = if starts_word(text, at) {
                RUN_AT_WORD
            } else {
                RUN_INSIDE
            };
            let jumped = (best.0.saturating_add(run), best.1);
            let goes_on = match at.checked_sub(1) {
                Some(before) if row > 0 => (last[before], before),
                _ => (NONE, 0),
            };
            // On a tie continue the run, so that adjacent letters are marked together.
            let (cost, before) = if goes_on.0 <= jumped.0 {
                goes_on
            } else {
                jumped
            };
            now[at] = cost;
            from[row * width + at] = before;
        }
        last = now;
    }
    let (mut at, cost) = last
        .iter()
        .copied()
        .enumerate()
        .min_by_key(|&(at, cost)| (cost, at))?;
    if usize::from(cost) > word.len() {
        return None;
    }
    let mut places = vec![0; word.len()];
    for row in (0..word.len()).rev() {
        places[row] = at;
        at = from[row * width + at];
    }
    Some((cost, places))
}

fn in_order(text: &[u8], word: &[u8]) -> bool {
    let mut rest = text.iter();
    word.iter()
        .all(|letter| rest.any(|byte| byte.to_ascii_lowercase() == *letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(text: &str, typed: &str) -> Option<Tier> {
        fit_around(text, "", typed).map(|fit| fit.tier)
    }

    fn fit_around(text: &str, around: &str, typed: &str) -> Option<MatchQuality> {
        let (letters, letters_around) = (LetterSet::from_text(text), LetterSet::from_text(around));
        Query::new(typed).fit(&SearchText {
            text,
            letters,
            around,
            letters_around,
            reading: MatchMode::Loose,
        })
    }

    fn mark_matches(text: &str, typed: &str) -> String {
        let marks = Query::new(typed).marks(text, MatchMode::Loose);
        marks
            .into_iter()
            .map(|range| format!("[{}]", &text[range]))
            .collect()
    }

    #[test]
    fn more_of_a_text_fits_better() {
        assert_eq!(fit("stable", "Stable"), Some(Tier::Whole));
        assert_eq!(fit("stable-v1", "stab"), Some(Tier::Start));
        assert_eq!(fit("pre-stable", "stab"), Some(Tier::WordStart));
        assert_eq!(fit("KafkaTopic", "topic"), Some(Tier::WordStart));
        assert_eq!(fit("anchor.v1.2.0", "1.2"), Some(Tier::WordStart));
        assert_eq!(fit("unstable", "stab"), Some(Tier::Inside));
        assert_eq!(fit("strimzi-kafka-bridge", "skb"), Some(Tier::Scattered));
        assert_eq!(fit("stable", "stables"), None);
    }

    #[test]
    fn letters_that_only_happen_to_come_in_order_do_not_fit() {
        assert_eq!(
            fit("strimzi", "strmzi"),
            Some(Tier::Scattered),
            "one missing letter"
        );
        assert_eq!(fit("prometheus", "pmts"), None);
        assert_eq!(fit("a", "ab"), None);
        assert_eq!(fit("strimzi", "zi rs"), None);
        let (near, far) = (
            fit_around("my-car", "", "mc"),
            fit_around("strimzi", "", "strmzi"),
        );
        assert!(near < far, "starts of words come first: {near:?} {far:?}");
    }

    #[test]
    fn words_may_match_the_surroundings() {
        assert_eq!(
            fit_around("stable", "anchor-operator", "anchor stable").map(|fit| fit.tier),
            Some(Tier::Start)
        );
        assert_eq!(
            fit_around("alpha", "anchor-operator", "anchor operator"),
            None,
            "at least one word must match the text itself"
        );
        assert_eq!(
            fit("My display name", "display  name"),
            Some(Tier::WordStart)
        );
    }

    #[test]
    fn matches_are_marked() {
        assert_eq!(mark_matches("strimzi-kafka-bridge", "skb"), "[s][k][b]");
        assert_eq!(
            mark_matches("strimzi-kafka-bridge", "kafka strim"),
            "[strim][kafka]"
        );
        assert_eq!(mark_matches("a-ab-abc", "abc"), "[abc]");
        assert_eq!(mark_matches("grün-gründe", "ünd"), "[ünd]");
        assert_eq!(mark_matches("ü", "\u{fc}"), "[ü]");
        assert_eq!(mark_matches("anchor", "zz"), "");
    }

    #[test]
    fn long_texts_are_found_in_one_piece_only() {
        let text = "quay.io/anchor/operator@sha256:00bad1dea";
        let place = |reading| SearchText {
            text,
            letters: LetterSet::from_text(text),
            around: "",
            letters_around: LetterSet::default(),
            reading,
        };
        assert!(Query::new("aop").fit(&place(MatchMode::Loose)).is_some());
        assert!(
            Query::new("aop")
                .fit(&place(MatchMode::InOnePiece))
                .is_none()
        );
        assert!(
            Query::new("anchor/op")
                .fit(&place(MatchMode::InOnePiece))
                .is_some()
        );
    }

    #[test]
    fn any_text_and_query_are_accepted() {
        let long = "ab".repeat(5_000);
        for text in ["", "a", "ü", "\u{0}", long.as_str()] {
            for typed in ["", " ", "a", "ab", "ü", long.as_str(), "a b c d"] {
                let query = Query::new(typed);
                let _ = fit(text, typed);
                for mark in query.marks(text, MatchMode::Loose) {
                    assert!(text.get(mark).is_some_and(|part| !part.is_empty()));
                }
            }
        }
    }
}

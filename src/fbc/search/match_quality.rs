//! How well a text fits what is looked for. Knows texts only, not what they name.
//!
//! LetterSet of ASCII match without regard to case. A text fits better the more of it was typed: the whole, its start, the
//! start of one of its words, somewhere inside, and last its letters one by one with others between them.

use std::ops::Range;

/// Longer texts are looked through for what was typed, but not letter by letter.
const LONGEST_SCATTERED: usize = 128;
/// More letters are not looked for.
const LONGEST_QUERY: usize = 128;
/// What a new run of letters costs, at the start of a word and elsewhere.
const RUN_AT_WORD: u16 = 1;
const RUN_INSIDE: u16 = 3;

/// How well a text fits; the least is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatchQuality {
    pub tier: Tier,
    /// Within a tier: how scattered the letters are, and how many words are found only around the text.
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

/// Which ways of fitting count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchMode {
    /// Also letters with others between them.
    Loose,
    /// For long texts, in which nearly any letters can be found in order: what was typed stands there in one piece.
    InOnePiece,
}

/// Which characters a text has; what lacks one of a query's need not be looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LetterSet(u64);

impl LetterSet {
    pub fn of(text: &str) -> Self {
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

/// A text that can be found, with what stands around it: a channel's name in its package's.
#[derive(Debug, Clone, Copy)]
pub struct SearchText<'a> {
    pub text: &'a str,
    pub letters: LetterSet,
    /// Words that the text lacks may be found here.
    pub around: &'a str,
    pub letters_around: LetterSet,
    pub reading: MatchMode,
}

/// What is looked for.
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
        let cut = |word: &str| {
            let word: Vec<u8> = word.bytes().take(left).collect();
            left -= word.len();
            word
        };
        let words: Vec<Vec<u8>> = text
            .split_whitespace()
            .map(cut)
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

    /// `None` where it does not fit. Of several words each has to be found, at least one of them in the text itself.
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

    /// The parts of a text that [`Query::fit`] found, in order: ranges of bytes, at borders of characters.
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

/// Characters of which a byte is hit, joined where they touch.
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
    scattered(text, word).map(|(cost, _)| MatchQuality {
        tier: Tier::Scattered,
        cost,
    })
}

/// Where the letters of a word stand in a text.
fn places(text: &[u8], word: &[u8], reading: MatchMode) -> Vec<usize> {
    match piece(text, word) {
        Some((_, at)) => (at..at + word.len()).collect(),
        None if reading == MatchMode::Loose => {
            scattered(text, word).map_or_else(Vec::new, |(_, places)| places)
        }
        None => Vec::new(),
    }
}

/// The best place of a word (in lower case) in one piece.
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

/// Whether a word starts at a byte: behind what is no letter or digit, at a capital behind a small letter, at a digit
/// behind a letter (`v1.2`).
fn starts_word(text: &[u8], at: usize) -> bool {
    let (Some(here), Some(before)) = (text.get(at), at.checked_sub(1).and_then(|at| text.get(at)))
    else {
        return true;
    };
    !before.is_ascii_alphanumeric() && before.is_ascii()
        || here.is_ascii_uppercase() && before.is_ascii_lowercase()
        || here.is_ascii_digit() && before.is_ascii_alphabetic()
}

/// The letters of a word one after the other with as few runs as can be, those at the start of words before others.
/// `None` where they come in more pieces than letters of theirs could mean: a run inside a word counts as three letters.
fn scattered(text: &[u8], word: &[u8]) -> Option<(u16, Vec<usize>)> {
    if word.len() < 2 || text.len() > LONGEST_SCATTERED || !in_order(text, word) {
        return None;
    }
    const NONE: u16 = u16::MAX;
    let width = text.len();
    // Row by letter, column by byte: the least cost with the letter at that byte, and the byte of the letter before.
    let mut from: Vec<usize> = vec![0; width * word.len()];
    let mut last: Vec<u16> = Vec::new();
    for (row, &letter) in word.iter().enumerate() {
        let mut now = vec![NONE; width];
        // The best of the row above that ends two or more bytes before.
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
            // A run that goes on is as good as one that starts: what stands together is marked together.
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
        let (letters, letters_around) = (LetterSet::of(text), LetterSet::of(around));
        Query::new(typed).fit(&SearchText {
            text,
            letters,
            around,
            letters_around,
            reading: MatchMode::Loose,
        })
    }

    fn marked(text: &str, typed: &str) -> String {
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
            "one letter is forgotten"
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
    fn words_may_stand_around_the_text() {
        assert_eq!(
            fit_around("stable", "anchor-operator", "anchor stable").map(|fit| fit.tier),
            Some(Tier::Start)
        );
        assert_eq!(
            fit_around("alpha", "anchor-operator", "anchor operator"),
            None,
            "none in the text itself"
        );
        assert_eq!(
            fit("My display name", "display  name"),
            Some(Tier::WordStart)
        );
    }

    #[test]
    fn what_was_found_is_marked() {
        assert_eq!(marked("strimzi-kafka-bridge", "skb"), "[s][k][b]");
        assert_eq!(
            marked("strimzi-kafka-bridge", "kafka strim"),
            "[strim][kafka]"
        );
        assert_eq!(marked("a-ab-abc", "abc"), "[abc]");
        assert_eq!(marked("grün-gründe", "ünd"), "[ünd]");
        assert_eq!(marked("ü", "\u{fc}"), "[ü]");
        assert_eq!(marked("anchor", "zz"), "");
    }

    #[test]
    fn long_texts_are_found_in_one_piece_only() {
        let text = "quay.io/anchor/operator@sha256:00bad1dea";
        let place = |reading| SearchText {
            text,
            letters: LetterSet::of(text),
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
    fn any_text_and_any_query_can_be_asked() {
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

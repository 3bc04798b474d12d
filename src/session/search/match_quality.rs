//! How well a text matches a query. Knows texts only, not what they name.
//!
//! ASCII letters match case-insensitively. Best first: exact, prefix, word prefix, substring.

use std::ops::Range;

/// Longer queries are cut.
const LONGEST_QUERY: usize = 128;

/// How well a text matches; the least is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatchQuality {
    pub tier: Tier,
    /// Number of words that match only the context.
    pub around: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    Whole,
    Start,
    WordStart,
    Inside,
}

/// A parsed query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// As typed, in lower case, with single spaces.
    whole: Vec<u8>,
    words: Vec<Vec<u8>>,
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
        Self {
            whole: words.join(&b' '),
            words,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns how well a text matches; `None` if it does not. Every word must match, at least one
    /// of them the text itself; words that the text lacks may match its context, such as the
    /// package of a channel.
    pub fn fit(&self, text: &str, context: &str) -> Option<MatchQuality> {
        let text = text.as_bytes();
        if let Some((tier, _)) = piece(text, &self.whole) {
            return Some(MatchQuality { tier, around: 0 });
        }
        let mut worst = None;
        let mut around = 0;
        for word in &self.words {
            match piece(text, word) {
                Some((tier, _)) => worst = worst.max(Some(tier)),
                None => {
                    piece(context.as_bytes(), word)?;
                    around += 1;
                }
            }
        }
        worst.map(|tier| MatchQuality {
            tier: tier.max(Tier::Start),
            around,
        })
    }

    /// Returns the byte ranges of a text that [`Query::fit`] matched, in order, at character
    /// boundaries.
    pub fn marks(&self, text: &str) -> Vec<Range<usize>> {
        let bytes = text.as_bytes();
        let mut hit = vec![false; bytes.len()];
        let mut mark = |word: &[u8]| {
            let at = piece(bytes, word).map(|(_, at)| at);
            let hits = at.and_then(|at| hit.get_mut(at..at + word.len()));
            hits.map(|hits| hits.fill(true)).is_some()
        };
        if !mark(&self.whole) {
            for word in &self.words {
                mark(word);
            }
        }
        runs(text, &hit)
    }
}

/// Returns the ranges of characters with a matched byte, joined where they touch.
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

/// Returns the best match of a lower-case word.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(text: &str, typed: &str) -> Option<Tier> {
        fit_around(text, "", typed)
    }

    fn fit_around(text: &str, around: &str, typed: &str) -> Option<Tier> {
        Query::new(typed).fit(text, around).map(|fit| fit.tier)
    }

    fn mark_matches(text: &str, typed: &str) -> String {
        let marks = Query::new(typed).marks(text);
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
        assert_eq!(fit("stable", "stables"), None);
        assert_eq!(fit("a", "ab"), None);
    }

    #[test]
    fn words_may_match_the_surroundings() {
        assert_eq!(
            fit_around("stable", "anchor-operator", "anchor stable"),
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
    fn any_text_and_query_are_accepted() {
        let long = "ab".repeat(5_000);
        for text in ["", "a", "ü", "\u{0}", long.as_str()] {
            for typed in ["", " ", "a", "ab", "ü", long.as_str(), "a b c d"] {
                let query = Query::new(typed);
                let _ = fit(text, typed);
                for mark in query.marks(text) {
                    assert!(text.get(mark).is_some_and(|part| !part.is_empty()));
                }
            }
        }
    }
}

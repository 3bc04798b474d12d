//! Determines how well a text matches a query.
//!
//! ASCII letters match case-insensitively. Best first: exact, prefix, word prefix, substring.

use std::ops::Range;

/// Maximum number of bytes of a query; longer ones are cut.
const MAX_QUERY_LENGTH: usize = 128;

/// How well a text matches; the least is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatchQuality {
    pub tier: Tier,
    /// The number of words that match only the context.
    pub context_words: u16,
}

/// The part of a text that a word matches, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    Exact,
    Prefix,
    WordPrefix,
    Substring,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// As typed, in lower case, with single spaces.
    text: Vec<u8>,
    words: Vec<Vec<u8>>,
}

impl Query {
    pub fn new(text: &str) -> Self {
        let text = text.to_ascii_lowercase();
        let mut remaining = MAX_QUERY_LENGTH;
        let words: Vec<Vec<u8>> = text
            .split_whitespace()
            .map(|word| {
                let word: Vec<u8> = word.bytes().take(remaining).collect();
                remaining -= word.len();
                word
            })
            .filter(|word| !word.is_empty())
            .collect();
        Self {
            text: words.join(&b' '),
            words,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns how well a text matches; `None` if it does not. Every word must match, at least one
    /// of them the text itself; words that the text lacks may match its context, such as the
    /// package of a channel.
    pub fn quality(&self, text: &str, context: &str) -> Option<MatchQuality> {
        let text = text.as_bytes();
        if let Some((tier, _)) = find_word(text, &self.text) {
            return Some(MatchQuality {
                tier,
                context_words: 0,
            });
        }
        let mut worst = None;
        let mut context_words = 0;
        for word in &self.words {
            match find_word(text, word) {
                Some((tier, _)) => worst = worst.max(Some(tier)),
                None if has_path(text, word) => worst = worst.max(Some(Tier::WordPrefix)),
                None => {
                    find_word(context.as_bytes(), word)?;
                    context_words += 1;
                }
            }
        }
        worst.map(|tier| MatchQuality {
            tier: tier.max(Tier::Prefix),
            context_words,
        })
    }

    /// Returns the byte ranges of a text that [`Query::quality`] matched, in order, at character
    /// boundaries. Parts of a path are not marked.
    pub fn marks(&self, text: &str) -> Vec<Range<usize>> {
        let bytes = text.as_bytes();
        let mut is_matched = vec![false; bytes.len()];
        let mut mark = |word: &[u8]| {
            let at = find_word(bytes, word).map(|(_, at)| at);
            let hits = at.and_then(|at| is_matched.get_mut(at..at + word.len()));
            hits.map(|hits| hits.fill(true)).is_some()
        };
        if !mark(&self.text) {
            for word in &self.words {
                mark(word);
            }
        }
        merge_ranges(text, &is_matched)
    }
}

/// Returns the ranges of characters with a matched byte, joined where they touch.
fn merge_ranges(text: &str, is_matched: &[bool]) -> Vec<Range<usize>> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        if !is_matched
            .get(at..end)
            .is_some_and(|bytes| bytes.contains(&true))
        {
            continue;
        }
        match marks.last_mut() {
            Some(last) if last.end == at => last.end = end,
            _ => marks.push(at..end),
        }
    }
    marks
}

/// Returns the best match of a lower-case word, with its position.
fn find_word(text: &[u8], word: &[u8]) -> Option<(Tier, usize)> {
    let first = *word.first()?;
    let mut substring = None;
    for at in 0..(text.len() + 1).checked_sub(word.len())? {
        let is_here = text[at].to_ascii_lowercase() == first
            && text[at..at + word.len()].eq_ignore_ascii_case(word);
        if !is_here {
            continue;
        }
        match at {
            0 if text.len() == word.len() => return Some((Tier::Exact, 0)),
            0 => return Some((Tier::Prefix, 0)),
            _ if is_word_start(text, at) => return Some((Tier::WordPrefix, at)),
            _ => substring = substring.or(Some((Tier::Substring, at))),
        }
    }
    substring
}

/// Whether the parts between a lower-case word's slashes start parts of the path, in order.
fn has_path(text: &[u8], word: &[u8]) -> bool {
    let is_slash = |byte: &u8| *byte == b'/';
    let mut parts = text.split(is_slash);
    let starts_next = |wanted: &[u8]| {
        parts.any(|part| {
            let start = part.get(..wanted.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(wanted))
        })
    };
    word.contains(&b'/') && word.split(is_slash).all(starts_next)
}

/// Whether a word starts at a byte: after a character that is no letter or digit, at a capital
/// after a small letter, or at a digit after a letter (`v1.2`).
fn is_word_start(text: &[u8], at: usize) -> bool {
    let (Some(current), Some(before)) =
        (text.get(at), at.checked_sub(1).and_then(|at| text.get(at)))
    else {
        return true;
    };
    !before.is_ascii_alphanumeric() && before.is_ascii()
        || current.is_ascii_uppercase() && before.is_ascii_lowercase()
        || current.is_ascii_digit() && before.is_ascii_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quality(text: &str, typed: &str) -> Option<Tier> {
        quality_in_context(text, "", typed)
    }

    fn quality_in_context(text: &str, context_words: &str, typed: &str) -> Option<Tier> {
        Query::new(typed)
            .quality(text, context_words)
            .map(|quality| quality.tier)
    }

    fn mark_matches(text: &str, typed: &str) -> String {
        let marks = Query::new(typed).marks(text);
        marks
            .into_iter()
            .map(|range| format!("[{}]", &text[range]))
            .collect()
    }

    #[test]
    fn longer_matches_rank_higher_for_texts() {
        assert_eq!(quality("stable", "Stable"), Some(Tier::Exact));
        assert_eq!(quality("stable-v1", "stab"), Some(Tier::Prefix));
        assert_eq!(quality("pre-stable", "stab"), Some(Tier::WordPrefix));
        assert_eq!(quality("KafkaTopic", "topic"), Some(Tier::WordPrefix));
        assert_eq!(quality("anchor.v1.2.0", "1.2"), Some(Tier::WordPrefix));
        assert_eq!(quality("unstable", "stab"), Some(Tier::Substring));
        assert_eq!(quality("stable", "stables"), None);
        assert_eq!(quality("a", "ab"), None);
        let path = "v4/mtc-operator/catalog.json";
        assert_eq!(quality(path, "mtc-op/cat"), Some(Tier::WordPrefix));
        assert_eq!(quality(path, "op/cat"), None);
        assert_eq!(quality("mtc/a", "a/mtc"), None);
        assert_eq!(quality("mtc", "/"), None);
    }

    #[test]
    fn words_may_match_the_surroundings() {
        assert_eq!(
            quality_in_context("stable", "anchor-operator", "anchor stable"),
            Some(Tier::Prefix)
        );
        assert_eq!(
            quality_in_context("alpha", "anchor-operator", "anchor operator"),
            None,
            "at least one word must match the text itself"
        );
        assert_eq!(
            quality("My display name", "display  name"),
            Some(Tier::WordPrefix)
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
                let _ = quality(text, typed);
                for mark in query.marks(text) {
                    assert!(text.get(mark).is_some_and(|part| !part.is_empty()));
                }
            }
        }
    }
}

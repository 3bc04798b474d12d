//! A digest that can be computed from the digests of a text's parts, so that an edit costs only the
//! inserted bytes.
//!
//! It is the text's value as a polynomial modulo 2^64. It distinguishes a text from its earlier
//! versions, but does not resist deliberate collisions.

use std::fmt;
use std::ops::Range;

/// The length and value of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Digest {
    value: u64,
    len: u64,
}

/// Odd, so that every byte affects the value regardless of the number of bytes after it.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
/// The powers of [`BASE`] for the bytes of a word.
const POWERS: [u64; 9] = powers();
/// Distance between stored digests, in bytes.
const STEP: usize = 16 * 1024;

/// The digests of a text up to each multiple of [`STEP`].
#[derive(Debug, Clone)]
pub struct Prefixes(Vec<Digest>);

impl Digest {
    pub fn from_bytes(text: &[u8]) -> Self {
        let (chunks, rest) = text.as_chunks::<8>();
        let mut value = 0u64;
        for chunk in chunks {
            let word = chunk
                .iter()
                .zip((0..8).rev())
                .fold(0u64, |word, (&byte, at)| word.wrapping_add(term(byte, at)));
            value = value.wrapping_mul(POWERS[8]).wrapping_add(word);
        }
        for &byte in rest {
            value = value.wrapping_mul(BASE).wrapping_add(term(byte, 0));
        }
        Self {
            value,
            len: text.len() as u64,
        }
    }

    /// Combines the digests of this text and of the text after it.
    pub fn then(self, next: Self) -> Self {
        Self {
            value: self
                .value
                .wrapping_mul(power(next.len))
                .wrapping_add(next.value),
            len: self.len + next.len,
        }
    }

    /// Returns the digest of this text without its beginning, whose digest is `prefix`.
    fn without_prefix(self, prefix: Self) -> Self {
        let len = self.len - prefix.len;
        Self {
            value: self
                .value
                .wrapping_sub(prefix.value.wrapping_mul(power(len))),
            len,
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mixed = (self.value ^ self.len.wrapping_mul(BASE)).wrapping_mul(BASE);
        write!(f, "{:016x}", mixed ^ (mixed >> 32))
    }
}

impl Prefixes {
    pub fn from_bytes(text: &[u8]) -> Self {
        let mut digests = vec![Digest::default()];
        let (steps, _) = text.as_chunks::<STEP>();
        let mut value = Digest::default();
        for step in steps {
            value = value.then(Digest::from_bytes(step));
            digests.push(value);
        }
        Self(digests)
    }

    /// Returns the digest of a part of `text`. Reads at most two steps of it.
    pub fn part(&self, text: &[u8], range: Range<usize>) -> Digest {
        let part = |range: Range<usize>| Digest::from_bytes(text.get(range).unwrap_or_default());
        let (first, last) = (range.start.div_ceil(STEP), range.end / STEP);
        match (self.0.get(first), self.0.get(last)) {
            (Some(to_first), Some(to_last)) if first < last => part(range.start..first * STEP)
                .then(to_last.without_prefix(*to_first))
                .then(part(last * STEP..range.end)),
            _ => part(range),
        }
    }
}

const fn powers() -> [u64; 9] {
    let mut powers = [1u64; 9];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1].wrapping_mul(BASE);
        at += 1;
    }
    powers
}

fn power(mut exponent: u64) -> u64 {
    let (mut power, mut square) = (1u64, BASE);
    while exponent > 0 {
        if exponent % 2 == 1 {
            power = power.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        exponent /= 2;
    }
    power
}

fn term(byte: u8, power: usize) -> u64 {
    // Plus one, so that zero bytes count too.
    (u64::from(byte) + 1).wrapping_mul(POWERS[power])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn different_texts_have_different_digests() {
        let texts: [&[u8]; 8] = [b"", b"a", b"b", b"a\0", b"\0a", b"ab", b"ba", b"aaaaaaaaab"];
        for (at, text) in texts.iter().enumerate() {
            assert!(
                texts[..at]
                    .iter()
                    .all(|other| Digest::from_bytes(other) != Digest::from_bytes(text)),
                "{text:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn digests_of_parts_give_the_digest_of_the_whole(seed in any::<u32>(), len in 0..5 * STEP, cuts in (0.0..=1.0f64, 0.0..=1.0f64)) {
            let text: Vec<u8> = (0..len as u32).map(|i| (i.wrapping_mul(seed | 1) >> 7) as u8).collect();
            let at = |part: f64| (part * len as f64) as usize;
            let (from, to) = (at(cuts.0).min(at(cuts.1)), at(cuts.0).max(at(cuts.1)));
            let prefixes = Prefixes::from_bytes(&text);
            let part = |range: Range<usize>| prefixes.part(&text, range);
            prop_assert_eq!(part(from..to), Digest::from_bytes(&text[from..to]));
            prop_assert_eq!(part(0..from).then(part(from..to)).then(part(to..len)), Digest::from_bytes(&text));
        }
    }
}

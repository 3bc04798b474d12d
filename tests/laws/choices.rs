//! Bytes as decisions: a generator that draws from them makes the same case from the same bytes, so
//! that a fuzzer can steer it, proptest can shrink it, and a file of bytes is a regression test.

use rand::RngCore;

/// One byte per decision. After the last byte, a fixed rule makes the decisions, so that every
/// generator terminates.
#[derive(Debug)]
pub struct Choices<'a> {
    left: &'a [u8],
    after: u64,
}

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            left: bytes,
            after: 0,
        }
    }

    /// The bytes that no decision has used.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.left)
    }

    fn byte(&mut self) -> u8 {
        if let Some((first, left)) = self.left.split_first() {
            self.left = left;
            return *first;
        }
        // A full-period generator by Knuth; it only has to keep changing.
        self.after = self
            .after
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.after >> 56) as u8
    }
}

impl RngCore for Choices<'_> {
    /// Fills the word with the byte, so that every bit of a draw depends on it.
    fn next_u32(&mut self) -> u32 {
        u32::from_ne_bytes([self.byte(); 4])
    }

    fn next_u64(&mut self) -> u64 {
        u64::from_ne_bytes([self.byte(); 8])
    }

    fn fill_bytes(&mut self, out: &mut [u8]) {
        out.fill_with(|| self.byte());
    }
}

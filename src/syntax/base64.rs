//! Base64 as Go's standard decoder accepts it: the standard alphabet with padding, line breaks
//! skipped, unused trailing bits not checked.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

const GO_STANDARD: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// Bytes that [`check`] decodes at once; a multiple of four, the length of a group.
const PIECE: usize = 4096;

/// Decodes base64; `None` if Go refuses it.
pub fn decode(input: &[u8]) -> Option<Vec<u8>> {
    if !has_breaks(input) {
        return GO_STANDARD.decode(input).ok();
    }
    let compact: Vec<u8> = input
        .iter()
        .copied()
        .filter(|byte| !is_break(*byte))
        .collect();
    GO_STANDARD.decode(compact).ok()
}

/// Checks base64 without allocating, unless it has line breaks. The error is the offset at which Go
/// reports the input as corrupt.
pub fn check(input: &[u8]) -> Result<(), usize> {
    let is_valid = if has_breaks(input) {
        decode(input).is_some()
    } else {
        let mut decoded = [0; PIECE / 4 * 3];
        let last = input.len().saturating_sub(1) / PIECE;
        // Only the last piece may end with padding.
        let mut pieces = input.chunks(PIECE).enumerate();
        pieces.all(|(index, piece)| {
            (index == last || !piece.ends_with(b"="))
                && GO_STANDARD.decode_slice(piece, &mut decoded).is_ok()
        })
    };
    if is_valid {
        Ok(())
    } else {
        Err(corrupt_at(input))
    }
}

fn has_breaks(input: &[u8]) -> bool {
    memchr::memchr2(b'\n', b'\r', input).is_some()
}

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns the offset at which Go rejects its input: the first invalid byte, or the start of an
/// incomplete group.
fn corrupt_at(input: &[u8]) -> usize {
    let mut filled = 0;
    let mut bytes = (0..)
        .zip(input.iter().copied())
        .filter(|(_, byte)| !is_break(*byte));
    while let Some((at, byte)) = bytes.next() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/') {
            filled = (filled + 1) % 4;
            continue;
        }
        if byte != b'=' || filled < 2 {
            return at;
        }
        if filled == 2 {
            match bytes.next() {
                None => return input.len(),
                Some((_, b'=')) => {}
                Some((other, _)) => return other - 1,
            }
        }
        return bytes.next().map_or(input.len(), |(at, _)| at);
    }
    input.len() - filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_the_same_input_as_go() {
        for (text, value) in [
            ("", ""),
            ("aGVsbG8=", "hello"),
            ("aGVs\nbG8=\r\n", "hello"),
            ("aG\nVsbG8gdw==", "hello w"),
            ("aGVsbG9=", "hello"),
            ("aGVsbG8h", "hello!"),
        ] {
            assert_eq!(
                decode(text.as_bytes()).as_deref(),
                Some(value.as_bytes()),
                "{text:?}"
            );
            assert_eq!(check(text.as_bytes()), Ok(()), "{text:?}");
        }
    }

    #[test]
    fn corrupt_input_has_a_position() {
        for (text, at) in [
            ("aGVsbG8", 4),
            ("a", 0),
            ("aG==x", 4),
            ("aG=", 3),
            ("aG=x", 2),
            ("=", 0),
            ("ab c", 2),
            ("data:image", 4),
            ("-_-_", 0),
            ("aGVsbG8=\n=", 9),
        ] {
            assert_eq!(check(text.as_bytes()), Err(at), "{text:?}");
        }
    }

    #[test]
    fn padding_is_allowed_only_at_the_end() {
        let text = "aGVs".repeat(PIECE / 4 - 1) + "aGU=" + "aGVs";
        assert_eq!(check(text.as_bytes()), Err(PIECE));
        assert_eq!(decode(text.as_bytes()), None);
        assert_eq!(check("aGVs".repeat(PIECE).as_bytes()), Ok(()));
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_an_independent_decoder(bytes: Vec<u8>) {
            use ::base64::Engine;
            let text = ::base64::engine::general_purpose::STANDARD.encode(&bytes);
            proptest::prop_assert_eq!(decode(text.as_bytes()), Some(bytes));
        }
    }
}

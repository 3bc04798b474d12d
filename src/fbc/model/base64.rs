//! Base64 as Go's standard decoder takes it: the standard alphabet with padding, line breaks inside ignored, unused
//! trailing bits not looked at.

/// Decodes, or gives the byte of the input at which Go finds it corrupt.
pub(super) fn decode(input: &[u8]) -> Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(input.len() / 4 * 3);
    scan(input, |group| out.extend(group))?;
    Ok(out)
}

/// As [`decode`], when only the answer matters.
pub(super) fn check(input: &[u8]) -> Result<(), usize> {
    scan(input, |_| ())
}

fn scan(input: &[u8], mut take: impl FnMut(&[u8])) -> Result<(), usize> {
    let skip_breaks = |mut at: usize| {
        while matches!(input.get(at), Some(b'\n' | b'\r')) {
            at += 1;
        }
        at
    };
    let mut at = 0;
    loop {
        while let Some(&[a, b, c, d]) = input.get(at..at + 4) {
            let (a, b) = (VALUES[usize::from(a)], VALUES[usize::from(b)]);
            let (c, d) = (VALUES[usize::from(c)], VALUES[usize::from(d)]);
            if a | b | c | d > 63 {
                break;
            }
            take(&[a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
            at += 4;
        }
        // A group with padding, a line break or a fault in it.
        let mut group = [0u8; 4];
        let mut filled = 0;
        while filled < 4 {
            let Some(&byte) = input.get(at) else {
                return if filled == 0 { Ok(()) } else { Err(at - filled) };
            };
            at += 1;
            match VALUES[usize::from(byte)] {
                value @ 0..=63 => {
                    group[filled] = value;
                    filled += 1;
                }
                _ if matches!(byte, b'\n' | b'\r') => {}
                _ if byte != b'=' || filled < 2 => return Err(at - 1),
                _ => {
                    if filled == 2 {
                        at = skip_breaks(at);
                        match input.get(at) {
                            None => return Err(input.len()),
                            Some(b'=') => at += 1,
                            Some(_) => return Err(at - 1),
                        }
                    }
                    at = skip_breaks(at);
                    if at < input.len() {
                        return Err(at);
                    }
                    let [a, b, c, _] = group;
                    take(&[a << 2 | b >> 4, b << 4 | c >> 2][..filled - 1]);
                    return Ok(());
                }
            }
        }
        let [a, b, c, d] = group;
        take(&[a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
    }
}

/// The value of each byte, 255 for what is none.
const VALUES: [u8; 256] = {
    let mut values = [255; 256];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut i = 0;
    while i < 64 {
        values[alphabet[i] as usize] = i as u8;
        i += 1;
    }
    values
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_what_go_decodes() {
        for (text, value) in [
            ("", ""),
            ("aGVsbG8=", "hello"),
            ("aGVs\nbG8=\r\n", "hello"),
            ("aG\nVsbG8gdw==", "hello w"),
            ("aGVsbG9=", "hello"),
            ("aGVsbG8h", "hello!"),
        ] {
            assert_eq!(decode(text.as_bytes()).as_deref(), Ok(value.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn tells_where_it_is_corrupt() {
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

    proptest::proptest! {
        #[test]
        fn agrees_with_an_independent_decoder(bytes: Vec<u8>) {
            use ::base64::Engine;
            let text = ::base64::engine::general_purpose::STANDARD.encode(&bytes);
            proptest::prop_assert_eq!(decode(text.as_bytes()), Ok(bytes));
        }
    }
}

//! Percent-encoding of addresses and URIs.

/// Decodes the escapes of a text; `None` if an escape is invalid.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                u8::try_from(digit(bytes.next())? * 16 + digit(bytes.next())?).ok()?
            }
            byte => byte,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn escapes_are_taken_out() {
        assert_eq!(
            decode("a%20b/%C3%bC+").as_deref(),
            Some("a b/ü+".as_bytes())
        );
        assert_eq!(decode("%00%ff"), Some(vec![0, 255]));
        for wrong in ["%", "%2", "%zz", "a%+1"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}

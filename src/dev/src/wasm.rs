//! The sections of a wasm module, as far as they are dropped.

const PREAMBLE: usize = 8;
const CUSTOM: u8 = 0;

/// The module without the names of its functions, which only debuggers read. `None` where it has none, or the module is
/// not understood: then it is left unchanged.
pub(crate) fn without_names(module: &[u8]) -> Option<Vec<u8>> {
    let mut kept = module.get(..PREAMBLE)?.to_vec();
    let mut at = PREAMBLE;
    while at < module.len() {
        let (size, body) = number(module, at + 1)?;
        let end = body.checked_add(size).filter(|end| *end <= module.len())?;
        if module[at] != CUSTOM || custom_name(&module[body..end])? != b"name" {
            kept.extend_from_slice(&module[at..end]);
        }
        at = end;
    }
    (kept.len() < module.len()).then_some(kept)
}

fn custom_name(section: &[u8]) -> Option<&[u8]> {
    let (length, at) = number(section, 0)?;
    section.get(at..at.checked_add(length)?)
}

/// An unsigned LEB128 number, and its end.
fn number(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut value = 0usize;
    for shift in (0..35).step_by(7) {
        let byte = *bytes.get(at)?;
        at += 1;
        value |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some((value, at));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_names_go() {
        let preamble = b"\0asm\x01\0\0\0";
        let code = [10u8, 2, 7, 7];
        let names = [&[0u8, 7][..], b"\x04name\x01\x02"].concat();
        let other = [&[0u8, 4][..], b"\x03abc"].concat();
        let module = [&preamble[..], &other, &code, &names, &other].concat();
        assert_eq!(
            without_names(&module),
            Some([&preamble[..], &other, &code, &other].concat())
        );
        assert_eq!(
            without_names(&[&preamble[..], &code].concat()),
            None,
            "there is nothing to drop"
        );
        assert_eq!(
            without_names(&module[..module.len() - 1]),
            None,
            "a cut module stays as it is"
        );
    }
}

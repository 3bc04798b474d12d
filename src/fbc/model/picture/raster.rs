//! The size of raster images, from their headers alone.

/// Pixels of all frames. `None` for an unknown format, or without a size.
pub(super) fn pixels(bytes: &[u8]) -> Option<u64> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => png(bytes),
        [0xff, 0xd8, 0xff, ..] => jpeg(bytes),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => gif(bytes),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => webp(bytes),
        _ => None,
    }
}

/// Whether a PNG ends before its last chunk. Other formats have no end marker to check.
pub(super) fn is_cut_off(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG") && chunks(bytes).all(|chunk| chunk != b"IEND")
}

/// The complete chunks of a PNG, each with its checksum.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 8usize;
    std::iter::from_fn(move || {
        let end = at
            .checked_add(12)?
            .checked_add(number(bytes, at, 4)? as usize)?;
        let kind = bytes.get(at + 4..at + 8).filter(|_| end <= bytes.len())?;
        at = end;
        Some(kind)
    })
}

fn area(width: u64, height: u64) -> u64 {
    width.saturating_mul(height)
}

fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let part = bytes.get(at..at.checked_add(len)?)?;
    Some(part.iter().fold(0, |all, &byte| all << 8 | u64::from(byte)))
}

fn little(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let part = bytes.get(at..at.checked_add(len)?)?;
    Some(
        part.iter()
            .rev()
            .fold(0, |all, &byte| all << 8 | u64::from(byte)),
    )
}

/// `IHDR` is the first chunk; `fcTL` starts each animation frame.
fn png(bytes: &[u8]) -> Option<u64> {
    let whole = area(number(bytes, 16, 4)?, number(bytes, 20, 4)?);
    let mut frames: u64 = 0;
    let mut at = 8usize;
    while let (Some(len), Some(kind)) = (
        number(bytes, at, 4),
        bytes.get(at.saturating_add(4)..at.saturating_add(8)),
    ) {
        frames += u64::from(kind == b"fcTL");
        at = at.saturating_add(12).saturating_add(len as usize);
    }
    Some(whole.saturating_mul(frames.max(1)))
}

/// The largest of all frame headers, since decoders pick one of them.
fn jpeg(bytes: &[u8]) -> Option<u64> {
    let mut most = None;
    let mut at = 2;
    while let Some(&[mark, kind]) = bytes
        .get(at..at + 2)
        .and_then(|pair| pair.first_chunk::<2>())
    {
        match (mark, kind) {
            (0xff, 0xff) => at += 1,
            // Markers without a length.
            (0xff, 0x01 | 0xd0..=0xd8) => at += 2,
            (0xff, 0xd9) => break,
            (0xff, 0x00) | (0..=0xfe, _) => at += 1,
            (0xff, _) => {
                if matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc) {
                    let size = area(number(bytes, at + 7, 2)?, number(bytes, at + 5, 2)?);
                    most = most.max(Some(size));
                }
                at += 2 + number(bytes, at + 2, 2)?.max(2) as usize;
            }
        }
    }
    most
}

/// The screen size times the number of frames.
fn gif(bytes: &[u8]) -> Option<u64> {
    let screen = area(little(bytes, 6, 2)?, little(bytes, 8, 2)?);
    let table = |flags: u64| {
        if flags & 0x80 == 0 {
            0
        } else {
            3usize << ((flags & 7) + 1)
        }
    };
    let mut at = 13 + table(little(bytes, 10, 1)?);
    let (mut frames, mut largest) = (0u64, screen);
    while let Some(&kind) = bytes.get(at) {
        at += match kind {
            0x21 => 2,
            0x2c => {
                frames += 1;
                let corner =
                    |from, size| Some(little(bytes, at + from, 2)? + little(bytes, at + size, 2)?);
                largest = largest.max(area(corner(1, 5)?, corner(3, 7)?));
                11 + table(little(bytes, at + 9, 1)?)
            }
            _ => break,
        };
        // Data blocks with a length prefix; an empty one ends the list.
        while let Some(&len) = bytes.get(at) {
            at += 1 + usize::from(len);
            if len == 0 {
                break;
            }
        }
    }
    Some(largest.saturating_mul(frames.max(1)))
}

fn webp(bytes: &[u8]) -> Option<u64> {
    let (mut at, mut most, mut frames) = (12usize, None, 0u64);
    while let (Some(kind), Some(len)) = (
        bytes.get(at..at.saturating_add(4)),
        little(bytes, at.saturating_add(4), 4),
    ) {
        let data = at + 8;
        let size = match kind {
            b"VP8X" => Some(area(
                little(bytes, data + 4, 3)? + 1,
                little(bytes, data + 7, 3)? + 1,
            )),
            b"VP8L" => {
                let bits = little(bytes, data + 1, 4)?;
                Some(area((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
            }
            b"VP8 " => Some(area(
                little(bytes, data + 6, 2)? & 0x3fff,
                little(bytes, data + 8, 2)? & 0x3fff,
            )),
            b"ANMF" => {
                frames += 1;
                None
            }
            _ => None,
        };
        most = most.max(size);
        at = data
            .saturating_add(len as usize)
            .saturating_add(len as usize & 1);
    }
    Some(most?.saturating_mul(frames.max(1)))
}

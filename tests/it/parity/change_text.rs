//! Changes to the text of a file, regardless of its meaning.

use super::pools::{BYTES, SCALARS, SNIPPETS, chance, pick};
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

/// Changes a text; returns a description.
pub(crate) fn change(rng: &mut SmallRng, text: &mut Vec<u8>) -> String {
    match rng.random_range(0..100) {
        0..=29 => insert(rng, text),
        30..=49 => scalar(rng, text),
        50..=74 => line(rng, text),
        75..=84 => byte(rng, text),
        _ => whole(rng, text),
    }
}

/// A place in the text: anywhere, or at the start or end of something.
fn place(rng: &mut SmallRng, text: &[u8]) -> usize {
    let after = |stop: &[u8]| -> Vec<usize> {
        (0..text.len())
            .filter(|&i| stop.contains(&text[i]))
            .map(|i| i + 1)
            .collect()
    };
    let places = match rng.random_range(0..5) {
        0 => after(b"\n"),
        1 => after(b"\n").into_iter().map(|i| i - 1).collect(),
        2 => after(b":-,[{ "),
        _ => Vec::new(),
    };
    places
        .choose(rng)
        .copied()
        .unwrap_or_else(|| rng.random_range(0..=text.len()))
}

fn insert(rng: &mut SmallRng, text: &mut Vec<u8>) -> String {
    let at = place(rng, text);
    let piece: &[u8] = if chance(rng, 15) {
        BYTES.choose(rng).copied().unwrap_or_default()
    } else if chance(rng, 20) {
        pick(rng, &SCALARS).as_bytes()
    } else {
        pick(rng, &SNIPPETS).as_bytes()
    };
    text.splice(at..at, piece.iter().copied());
    format!("{:?} at {at}", String::from_utf8_lossy(piece))
}

/// Replaces the rest of a line after a `: ` or a `- `.
fn scalar(rng: &mut SmallRng, text: &mut Vec<u8>) -> String {
    let begins: Vec<usize> = (2..text.len())
        .filter(|&i| text[i - 1] == b' ' && matches!(text[i - 2], b':' | b'-'))
        .collect();
    let Some(&begin) = begins.choose(rng) else {
        return "nothing: no scalar".to_owned();
    };
    let end = text[begin..]
        .iter()
        .position(|&b| b == b'\n')
        .map_or(text.len(), |i| begin + i);
    let json_end = text[begin..end].last() == Some(&b',');
    let new = pick(rng, &SCALARS);
    let old: Vec<u8> = text
        .splice(begin..end - usize::from(json_end), new.bytes())
        .collect();
    format!("{:?} becomes {new:?}", String::from_utf8_lossy(&old))
}

fn line(rng: &mut SmallRng, text: &mut Vec<u8>) -> String {
    let mut lines: Vec<Vec<u8>> = text
        .split_inclusive(|&b| b == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    if lines.is_empty() {
        return "nothing: no line".to_owned();
    }
    let at = rng.random_range(0..lines.len());
    let to = rng.random_range(0..lines.len());
    let what = rng.random_range(0..11);
    match what {
        0 => drop(lines.remove(at)),
        1 => {
            let line = lines[at].clone();
            lines.insert(to, line);
        }
        2 => lines.swap(at, to),
        3 => lines[at]
            .splice(0..0, std::iter::repeat_n(b' ', rng.random_range(1..4)))
            .for_each(drop),
        4 => {
            let blanks = lines[at].iter().take_while(|&&b| b == b' ').count();
            lines[at].drain(..rng.random_range(0..=blanks));
        }
        5 => {
            let blanks = lines[at].iter().take_while(|&&b| b == b' ').count();
            lines[at]
                .splice(0..blanks, std::iter::repeat_n(b'\t', (blanks / 2).max(1)))
                .for_each(drop);
        }
        6 => {
            // Join with the next line.
            lines[at].pop();
            if chance(rng, 50) {
                lines[at].push(b' ');
            }
        }
        7 => lines.truncate(at),
        8 => {
            // Indent some lines, as if they belonged to the one before.
            let last = lines.len().min(at + rng.random_range(1..6));
            lines[at..last]
                .iter_mut()
                .for_each(|line| line.splice(0..0, *b"  ").for_each(drop));
        }
        9 => {
            let comment = pick(
                rng,
                &[
                    "# c\n",
                    "  # c\n",
                    "\n",
                    "  \n",
                    "\t\n",
                    "#\n",
                    " \t # c\n",
                    "#\u{85}a: b\n",
                    "# \u{7}\n",
                ],
            );
            lines.insert(at, comment.as_bytes().to_vec());
        }
        _ => {
            let kind = pick(
                rng,
                &[
                    "\r\n", "\r", "\u{85}", "\u{2028}", "\r\r\n", " \n", "\t\n", " # c\n", "\n\n",
                    ",\n", ":\n",
                ],
            );
            while lines[at].last().is_some_and(|b| matches!(b, b'\n' | b'\r')) {
                lines[at].pop();
            }
            lines[at].extend_from_slice(kind.as_bytes());
        }
    }
    *text = lines.concat();
    format!("line {at}: change {what}")
}

fn byte(rng: &mut SmallRng, text: &mut Vec<u8>) -> String {
    if text.is_empty() {
        return "nothing: no text".to_owned();
    }
    let at = rng.random_range(0..text.len());
    let what = rng.random_range(0..5);
    match what {
        0 => drop(text.remove(at)),
        1 => {
            let end = text.len().min(at + rng.random_range(1..40));
            text.drain(at..end);
        }
        2 => text[at] = rng.random(),
        3 => {
            text[at] = *b"\"'{}[]:,-#&*!|>%@`?~ \t\n\r\\0"
                .choose(rng)
                .unwrap_or(&b' ')
        }
        _ => {
            let end = text.len().min(at + rng.random_range(1..60));
            let piece = text[at..end].to_vec();
            let to = rng.random_range(0..=text.len());
            text.splice(to..to, piece);
        }
    }
    format!("byte {at}: change {what}")
}

/// Changes the file as a whole: its line ends, encoding, length, start and end.
fn whole(rng: &mut SmallRng, text: &mut Vec<u8>) -> String {
    let what = rng.random_range(0..20);
    let replace =
        |text: &[u8], with: &[u8]| text.split(|&b| b == b'\n').collect::<Vec<_>>().join(with);
    match what {
        0 | 1 => *text = replace(text, b"\r\n"),
        2 => {
            *text = replace(
                text,
                pick(rng, &["\r", "\u{85}", "\u{2028}", "\r\r\n", "\n\r", "\n\n"]).as_bytes(),
            )
        }
        3 => text.splice(0..0, *b"\xef\xbb\xbf").for_each(drop),
        4 => text
            .splice(0..0, *b"\xef\xbb\xbf\xef\xbb\xbf")
            .for_each(drop),
        5 => *text = utf16(text, rng.random(), rng.random()),
        6 => {
            let head = pick(
                rng,
                &[
                    "---\n",
                    "\n",
                    " ",
                    "\t",
                    "# c\n",
                    "%YAML 1.1\n---\n",
                    "%TAG !e! tag:e,2000:\n---\n",
                    "\n---\n",
                    "...\n",
                    "null\n---\n",
                    "{}\n",
                    "[]\n",
                    "--- # c\n",
                    "---\t\n",
                    "\u{a0}",
                    "{\"schema\":\"x\"}\n",
                    "{schema: x}\n---\n",
                ],
            );
            text.splice(0..0, head.bytes()).for_each(drop);
        }
        7 | 8 => {
            let tail = pick(
                rng,
                &[
                    "---\n",
                    "\n",
                    "---",
                    "...",
                    "...\n",
                    "---\n\n",
                    "---\n# c\n",
                    "\n# c",
                    "\0",
                    " ",
                    "\t",
                    "\r",
                    "null",
                    "{}",
                    "{\"schema\":\"x\"}",
                    ",",
                    "]",
                    "}",
                    "a",
                    "\nschema: x\n",
                    "\n---\nschema: x",
                    "\n\n---\n\n\nschema: x\n\n\n",
                ],
            );
            text.extend_from_slice(tail.as_bytes());
        }
        9 => {
            // Near the sizes of the reference's buffers.
            let size = *[506, 512, 1024, 4090, 4096, 4097, 8192]
                .choose(rng)
                .unwrap_or(&512) as usize;
            let by = size + rng.random_range(0..8) - 4;
            let line = match rng.random_range(0..4) {
                0 => [b"#".repeat(by), b"\n".to_vec()].concat(),
                1 => [b"# ".to_vec(), b"\r".repeat(by), b"\n".to_vec()].concat(),
                2 => [
                    b"# ".to_vec(),
                    "é".repeat(by / 2).into_bytes(),
                    b"\n".to_vec(),
                ]
                .concat(),
                _ => b"# c\n".repeat(by / 4),
            };
            let at = if chance(rng, 50) {
                0
            } else {
                line_start(rng, text)
            };
            text.splice(at..at, line);
        }
        10 => {
            // A last line of the length of the line reader's buffer.
            let last = text.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
            let wanted = 4096 * rng.random_range(1..3) + rng.random_range(0..3) - 1;
            let fill = *b"# \r\t".choose(rng).unwrap_or(&b' ');
            let missing = wanted - (text.len() - last).min(wanted);
            if missing > 0 {
                text.push(if chance(rng, 50) { b'#' } else { fill });
                text.extend(std::iter::repeat_n(fill, missing - 1));
            }
            if chance(rng, 30) {
                text.push(b'\r');
            }
        }
        11 => text.truncate(rng.random_range(0..=text.len())),
        12 => {
            let again = text.clone();
            text.extend_from_slice(
                pick(rng, &["", "\n", "---\n", "\n---\n", "\n...\n---\n"]).as_bytes(),
            );
            text.extend(again);
        }
        13 => {
            let pieces: Vec<&[u8]> = text
                .split(|&b| b == b'\n')
                .filter(|line| *line != b"---")
                .collect();
            *text = pieces.join(&b'\n');
        }
        14 => {
            *text = [b"[".to_vec(), text.clone(), b"]".to_vec()].concat();
        }
        15 => {
            // Consecutive JSON objects with something between them.
            let between = pick(
                rng,
                &[
                    ",", "\n---\n", " ", "\n# c\n", ";", "\n\n", "\u{1e}", "null", "[]",
                ],
            );
            *text = String::from_utf8_lossy(text)
                .replace("}\n{", &format!("}}{between}{{"))
                .into_bytes();
        }
        16 => *text = String::from_utf8_lossy(text).replace("\"", "").into_bytes(),
        17 => *text = String::from_utf8_lossy(text).replace('"', "'").into_bytes(),
        18 => *text = replace(text, b"\n  "),
        _ => text.clear(),
    }
    format!("whole text: change {what}")
}

fn line_start(rng: &mut SmallRng, text: &[u8]) -> usize {
    let starts: Vec<usize> = (0..text.len())
        .filter(|&i| text[i] == b'\n')
        .map(|i| i + 1)
        .collect();
    starts.choose(rng).copied().unwrap_or(0)
}

fn utf16(text: &[u8], little: bool, odd: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for unit in std::iter::once(0xfeff).chain(String::from_utf8_lossy(text).encode_utf16()) {
        out.extend(if little {
            unit.to_le_bytes()
        } else {
            unit.to_be_bytes()
        });
    }
    if odd {
        out.push(b'a');
    }
    out
}

//! Where a JSON value ends, found without parsing it.

use crate::syntax::json::SHORT;

/// Finds the end of a JSON value by its brackets and quotes alone, a piece at a time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Skim {
    kind: SkimKind,
    depth: u32,
    in_string: bool,
    escaped: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum SkimKind {
    #[default]
    New,
    Container,
    String,
    Word,
}

impl Skim {
    pub(super) fn is_new(self) -> bool {
        self.kind == SkimKind::New
    }

    pub(super) fn is_container(self) -> bool {
        self.kind == SkimKind::Container
    }

    /// Continues at `at`. Returns whether the value is complete, and where it or the input ends.
    pub(super) fn run(&mut self, bytes: &[u8], mut at: usize) -> (bool, usize) {
        if self.is_new() {
            self.kind = match bytes.get(at) {
                None => return (false, at),
                Some(b'{' | b'[') => SkimKind::Container,
                Some(b'"') => SkimKind::String,
                Some(_) => SkimKind::Word,
            };
        }
        if self.kind == SkimKind::Word {
            let is_word = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
            at += bytes[at..].iter().take_while(is_word).count();
            return (at < bytes.len(), at);
        }
        while at < bytes.len() {
            if self.escaped {
                self.escaped = false;
                at += 1;
            } else if self.in_string {
                let Some(i) = quote_or_backslash(&bytes[at..]) else {
                    return (false, bytes.len());
                };
                at += i + 1;
                if bytes[at - 1] == b'\\' {
                    self.escaped = true;
                    continue;
                }
                self.in_string = false;
                if self.kind == SkimKind::String {
                    return (true, at);
                }
            } else {
                let Some(i) = bytes[at..].iter().position(|&b| STRUCTURE[usize::from(b)]) else {
                    return (false, bytes.len());
                };
                at += i + 1;
                match bytes[at - 1] {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    _ => {
                        self.depth = self.depth.saturating_sub(1);
                        if self.depth == 0 {
                            return (true, at);
                        }
                    }
                }
            }
        }
        (false, at)
    }
}

/// Whether a byte outside of strings is a quote or a bracket.
const STRUCTURE: [bool; 256] = {
    let mut table = [false; 256];
    let mut at = 0;
    while at < b"\"{[}]".len() {
        table[b"\"{[}]"[at] as usize] = true;
        at += 1;
    }
    table
};

fn quote_or_backslash(text: &[u8]) -> Option<usize> {
    let (head, tail) = text.split_at(text.len().min(SHORT));
    let near = head.iter().position(|&b| b == b'"' || b == b'\\');
    near.or_else(|| memchr::memchr2(b'"', b'\\', tail).map(|i| head.len() + i))
}

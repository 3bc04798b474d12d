//! Finds the end of a JSON value without parsing it.

/// Finds the end of a JSON value by its brackets and quotes alone, as its bytes arrive.
#[derive(Debug, Clone, Copy, Default)]
pub struct Skim {
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
    pub fn is_container(self) -> bool {
        self.kind == SkimKind::Container
    }

    /// Continues at `at`. Returns whether the value is complete, and the position where it or the
    /// input ends.
    pub fn run(&mut self, bytes: &[u8], mut at: usize) -> (bool, usize) {
        if self.kind == SkimKind::New {
            self.kind = match bytes.get(at) {
                None => return (false, at),
                Some(b'{' | b'[') => SkimKind::Container,
                Some(b'"') => SkimKind::String,
                Some(_) => SkimKind::Word,
            };
        }
        if self.kind == SkimKind::Word {
            at += bytes[at..]
                .iter()
                .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
                .count();
            return (at < bytes.len(), at);
        }
        while at < bytes.len() {
            if self.escaped {
                self.escaped = false;
                at += 1;
            } else if self.in_string {
                let Some(i) = memchr::memchr2(b'"', b'\\', &bytes[at..]) else {
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
                let Some(i) = bytes[at..].iter().position(|b| b"\"{[}]".contains(b)) else {
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

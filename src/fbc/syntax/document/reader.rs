//! The reader's state machine.

use super::{Document, Sink};
use crate::fbc::syntax::error::SyntaxError;
use crate::fbc::syntax::json::{self, Refusal};
use crate::fbc::syntax::tree::{Format, Tree};
use crate::fbc::syntax::{value, yaml};
use memchr::memchr;
use memchr::memmem::Finder;

/// So many bytes decide whether a file is JSON.
const GUESS: usize = 4096;
/// The line reader before Go's YAML reader has a buffer of this size: see [`Reader::last_line_is_lost`].
const LINE_BUFFER: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Not enough bytes yet to tell.
    Unknown,
    Json,
    Yaml,
    /// A JSON value was refused among the first two; the chunk that YAML makes of the same text is awaited.
    HandOver,
    /// After broken JSON: a line that can begin a document is awaited.
    Lost,
}

/// A JSON value that was refused, until it is known whether YAML takes it.
#[derive(Debug)]
struct Attempt {
    start: usize,
    end: usize,
    parsed: Result<Tree, SyntaxError>,
}

/// A YAML chunk in the buffer.
#[derive(Debug)]
struct Chunk {
    start: usize,
    end: usize,
    /// Where the next chunk begins.
    next: usize,
    /// What stands after the dashes of the line that ends the chunk and must not stand there.
    bad_separator: Option<String>,
}

/// Cuts a file into documents while its bytes come in.
///
/// After a document that `opm` refuses it goes on with the next one. `opm` stops there: of all refusals of a file the
/// first is the one it reports.
#[derive(Debug)]
pub struct Reader {
    mode: Mode,
    /// Bytes not yet handed out.
    buffer: Vec<u8>,
    /// Where `buffer` begins.
    place: Cursor,
    /// Beginning of the document at hand in `buffer`.
    begin: usize,
    /// How far `buffer` was searched for the end of the document.
    searched: usize,
    /// The chunk at hand begins with its own separator line, of this length.
    separator: usize,
    skim: Skim,
    /// JSON values that `opm` has decoded.
    values: u32,
    attempt: Option<Attempt>,
    separators: Finder<'static>,
}

/// A place in the file.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    offset: u64,
    line: u32,
    column: u32,
}

impl Cursor {
    fn pass(&mut self, bytes: &[u8]) {
        self.offset += bytes.len() as u64;
        let lines = memchr::memchr_iter(b'\n', bytes).count();
        let rest = match memchr::memrchr(b'\n', bytes) {
            Some(last) => {
                self.line += lines as u32;
                self.column = 0;
                &bytes[last + 1..]
            }
            None => bytes,
        };
        self.column += rest.iter().filter(|&&b| b & 0xC0 != 0x80).count() as u32;
    }
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

impl Reader {
    pub fn new() -> Self {
        Self {
            mode: Mode::Unknown,
            buffer: Vec::new(),
            place: Cursor::default(),
            begin: 0,
            searched: 0,
            separator: 0,
            skim: Skim::default(),
            values: 0,
            attempt: None,
            separators: Finder::new(b"\n---"),
        }
    }

    /// Takes the next bytes of the file.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        self.buffer.extend_from_slice(bytes);
        self.run(false, sink);
        self.forget();
    }

    /// The file has ended.
    pub fn finish(mut self, sink: &mut impl Sink) {
        self.run(true, sink);
    }

    fn run(&mut self, end: bool, sink: &mut impl Sink) {
        if self.mode == Mode::Unknown {
            match looks_like_json(&self.buffer, end) {
                Some(json) => self.mode = if json { Mode::Json } else { Mode::Yaml },
                None => return,
            }
        }
        loop {
            let more = match self.mode {
                Mode::Json => self.json_value(end, sink),
                Mode::HandOver => self.hand_over(end, sink),
                Mode::Lost => self.find_beginning(),
                Mode::Yaml | Mode::Unknown => self.yaml_chunk(end, sink),
            };
            if !more {
                return;
            }
        }
    }

    /// Drops what was handed out.
    fn forget(&mut self) {
        if self.begin > 0 && self.attempt.is_none() {
            self.place.pass(&self.buffer[..self.begin]);
            self.buffer.drain(..self.begin);
            self.searched -= self.begin;
            self.begin = 0;
        }
    }

    /// The document at hand starts at `at`.
    fn begin_at(&mut self, at: usize) {
        self.begin = at;
        self.searched = at;
        self.separator = 0;
        self.skim = Skim::default();
    }

    // ---- YAML

    /// Hands out the next chunk; `false` when there is none yet.
    fn yaml_chunk(&mut self, end: bool, sink: &mut impl Sink) -> bool {
        match self.next_chunk(end) {
            None => false,
            Some(chunk) => {
                let mut decoded = Vec::new();
                sink.document(self.chunk_document(&chunk, &mut decoded));
                self.begin_at(chunk.next);
                true
            }
        }
    }

    /// Finds the end of the chunk at hand. Every chunk has at least one line, be it a separator's.
    fn next_chunk(&mut self, end: bool) -> Option<Chunk> {
        if self.searched == self.begin && self.separator == 0 {
            // The first line of a chunk may be a separator: it stays in the chunk.
            let first = &self.buffer[self.begin..];
            if first.len() < 3 && !end {
                return None;
            }
            if first.starts_with(b"---") {
                let line = self.line_end(self.begin, end)?;
                if let Some(rest) = bad_separator(&self.buffer[self.begin..line]) {
                    return Some(Chunk { start: self.begin, end: line, next: line, bad_separator: Some(rest) });
                }
                self.separator = line - self.begin;
                self.searched = line.saturating_sub(1).max(self.begin);
            }
        }
        let found = self.separators.find(&self.buffer[self.searched..]).map(|i| self.searched + i + 1);
        let start = self.begin;
        if let Some(dashes) = found {
            self.searched = dashes - 1;
            let next = self.line_end(dashes, end)?;
            let bad_separator = bad_separator(&self.buffer[dashes..next]);
            let end = if bad_separator.is_some() { next } else { dashes };
            return Some(Chunk { start, end, next, bad_separator });
        }
        if !end {
            self.searched = self.buffer.len().saturating_sub(3).max(self.searched);
            return None;
        }
        let all = self.buffer.len();
        let mut last = all;
        if self.last_line_is_lost() {
            last = memchr::memrchr(b'\n', &self.buffer[start..]).map_or(start, |i| start + i + 1);
        }
        (last > start).then_some(Chunk { start, end: last, next: all, bad_separator: None })
    }

    /// Where the line that holds `from` ends, its break included.
    fn line_end(&self, from: usize, end: bool) -> Option<usize> {
        match memchr(b'\n', &self.buffer[from..]) {
            Some(i) => Some(from + i + 1),
            None => end.then_some(self.buffer.len()),
        }
    }

    /// A last line without line break that exactly fills the line reader's buffer is dropped by it, once or several
    /// times over: it learns of the end of the file only when it has forgotten the line.
    fn last_line_is_lost(&self) -> bool {
        let rest = &self.buffer[self.begin..];
        let line = memchr::memrchr(b'\n', rest).map_or(rest, |i| &rest[i + 1..]);
        !line.is_empty() && line.len() % LINE_BUFFER == 0 && line.last() != Some(&b'\r')
    }

    fn chunk_document<'a>(&'a self, chunk: &Chunk, decoded: &'a mut Vec<u8>) -> Document<'a> {
        let whole = &self.buffer[chunk.start..chunk.end];
        // A chunk of nothing but its separator keeps it: there is nothing else to point at.
        let is_separator = self.separator < whole.len() && is_yaml_separator(&whole[..self.separator]);
        let skip = if is_separator { self.separator } else { 0 };
        let mut place = self.place;
        place.pass(&self.buffer[..chunk.start + skip]);
        let mut document = Document {
            start: place.offset,
            end: place.offset + (whole.len() - skip) as u64,
            line: place.line,
            column: place.column,
            format: Format::Yaml,
            text: &whole[skip..],
            transcoded: false,
            parsed: Ok(Tree::default()),
        };
        if let Some(rest) = &chunk.bad_separator {
            let line = memchr::memrchr(b'\n', &whole[..whole.len() - 1]).map_or(0, |i| i + 1);
            let problem = format!("invalid Yaml document separator: {rest}");
            document.parsed = Err(SyntaxError::bare(line.saturating_sub(skip), problem));
            return document;
        }
        if let Some((text, problem)) = yaml::from_utf16(whole) {
            *decoded = text;
            document.text = decoded;
            document.transcoded = true;
            document.parsed = checked(yaml::parse_decoded(document.text, problem), document.text);
        } else {
            let parsed = if skip > 0 { yaml::parse_after(whole, skip) } else { yaml::parse(whole) };
            document.parsed = checked(parsed, document.text);
        }
        document
    }

    // ---- JSON

    /// Hands out the next JSON value, or changes to YAML; `false` when nothing can be done yet.
    fn json_value(&mut self, end: bool, sink: &mut impl Sink) -> bool {
        if self.skim.is_new() {
            let start = self.begin + json::blanks(&self.buffer[self.begin..]);
            self.searched = start.max(self.searched);
            if start == self.buffer.len() {
                return false;
            }
        }
        let (done, at) = self.skim.run(&self.buffer, self.searched);
        self.searched = at;
        if !done && !end {
            return false;
        }
        let start = self.begin + json::blanks(&self.buffer[self.begin..]);
        let first_two = self.values <= 1;
        let (end_of_value, parsed) = match json::first_value(&self.buffer[start..]) {
            Ok(value) => {
                let stop = start + value.end;
                (stop, checked(Ok(value.tree), &self.buffer[start..stop]))
            }
            Err(refusal) => {
                let mut place = self.place;
                place.pass(&self.buffer[..start]);
                let stop = self.end_of_broken(start, &refusal, done);
                (stop, Err(refused(&refusal, place.offset, stop - start, first_two)))
            }
        };
        let is_json = parsed.is_ok();
        let attempt = Attempt { start, end: end_of_value, parsed };
        if is_json && (!first_two || sink.accepts(&self.json_document(&attempt))) {
            self.values += 1;
            self.emit_json(attempt, sink);
            return true;
        }
        if first_two {
            match yaml_start(&self.buffer[self.begin..]) {
                YamlStart::TooShort if !end => return false,
                YamlStart::TooShort | YamlStart::Nowhere => {}
                YamlStart::At(start) => {
                    self.attempt = Some(attempt);
                    self.mode = Mode::HandOver;
                    self.begin_at(self.begin + start);
                    return true;
                }
            }
        }
        self.refuse_json(attempt, sink);
        true
    }

    /// Gives the text of a refused JSON value to YAML; if that refuses it too, the JSON value stands.
    fn hand_over(&mut self, end: bool, sink: &mut impl Sink) -> bool {
        let chunk = self.next_chunk(end);
        let Some(chunk) = chunk else {
            if end {
                // Nothing but white space is left: `opm` sees the end of the file.
                self.attempt = None;
                self.mode = Mode::Yaml;
            }
            return false;
        };
        let mut decoded = Vec::new();
        let document = self.chunk_document(&chunk, &mut decoded);
        if document.parsed.is_ok() && sink.accepts(&document) {
            sink.document(document);
            self.attempt = None;
            self.mode = Mode::Yaml;
            self.begin_at(chunk.next);
            return true;
        }
        let Some(attempt) = self.attempt.take() else { return false };
        self.refuse_json(attempt, sink);
        true
    }

    /// Hands out a value that is refused for good. `opm` is done with the file; what follows is read as what it looks
    /// like.
    fn refuse_json(&mut self, attempt: Attempt, sink: &mut impl Sink) {
        self.mode = if attempt.parsed.is_err() { Mode::Lost } else { Mode::Json };
        self.values = 2;
        self.emit_json(attempt, sink);
    }

    fn emit_json(&mut self, mut attempt: Attempt, sink: &mut impl Sink) {
        let end = attempt.end;
        let parsed = std::mem::replace(&mut attempt.parsed, Ok(Tree::default()));
        sink.document(Document { parsed, ..self.json_document(&attempt) });
        self.begin_at(end);
    }

    fn json_document(&self, attempt: &Attempt) -> Document<'_> {
        let mut place = self.place;
        place.pass(&self.buffer[..attempt.start]);
        Document {
            start: place.offset,
            end: place.offset + (attempt.end - attempt.start) as u64,
            line: place.line,
            column: place.column,
            format: Format::Json,
            text: &self.buffer[attempt.start..attempt.end],
            transcoded: false,
            parsed: attempt.parsed.clone(),
        }
    }

    /// Where a value that does not parse may be taken to end: behind its last bracket, or before the next line that can
    /// begin a document.
    fn end_of_broken(&self, start: usize, refusal: &Refusal, done: bool) -> usize {
        let at = match refusal {
            Refusal::Syntax { at, .. } => start + at,
            Refusal::End => return self.buffer.len(),
        };
        if done && self.skim.is_container() && self.searched > at {
            return self.searched;
        }
        next_beginning(&self.buffer, at).unwrap_or(self.buffer.len())
    }

    /// Passes what is left of broken JSON.
    fn find_beginning(&mut self) -> bool {
        let from = self.begin + json::blanks(&self.buffer[self.begin..]);
        if from == self.buffer.len() {
            return false;
        }
        let line_start = self.buffer[..from].last().is_none_or(|&b| b == b'\n');
        let rest = &self.buffer[from..];
        let found = if rest.starts_with(b"{") || (line_start && rest.starts_with(b"---")) {
            Some(from)
        } else {
            next_beginning(&self.buffer, from)
        };
        let Some(found) = found else {
            self.begin_at(self.buffer.len().saturating_sub(3).max(self.begin));
            return false;
        };
        self.begin_at(found);
        self.mode = if self.buffer[found] == b'{' { Mode::Json } else { Mode::Yaml };
        true
    }
}

/// Parsed, and fit to become JSON.
fn checked(parsed: Result<Tree, SyntaxError>, text: &[u8]) -> Result<Tree, SyntaxError> {
    let tree = parsed?;
    value::check(&tree, text)?;
    Ok(tree)
}

/// `opm`'s words for JSON that does not parse: the offset in the file is only told while YAML is still possible.
fn refused(refusal: &Refusal, start: u64, len: usize, first_two: bool) -> SyntaxError {
    match refusal {
        Refusal::Syntax { at, problem } if first_two => SyntaxError {
            at: *at as u32,
            opm: format!("json: offset {}: {problem}", start + *at as u64 + 1),
            problem: problem.clone(),
        },
        Refusal::Syntax { at, problem } => SyntaxError::bare(*at, problem.as_str()),
        Refusal::End => SyntaxError::bare(len, refusal.problem()),
    }
}

/// Does the file begin with white space and `{`? `None` while that cannot be told.
fn looks_like_json(bytes: &[u8], end: bool) -> Option<bool> {
    let head = &bytes[..bytes.len().min(GUESS)];
    let blank = white_space(head);
    if blank < head.len() && (end || head.len() == GUESS || head.len() - blank >= 4) {
        return Some(head[blank] == b'{');
    }
    if blank < head.len() && head[blank] < 0x80 {
        return Some(head[blank] == b'{');
    }
    (end || head.len() == GUESS).then_some(false)
}

/// Length of the Unicode white space at the beginning.
fn white_space(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(c) = first_char(&bytes[at..]).filter(|c| c.is_whitespace()) {
        at += c.len_utf8();
    }
    at
}

fn first_char(bytes: &[u8]) -> Option<char> {
    let head = &bytes[..bytes.len().min(4)];
    match std::str::from_utf8(head) {
        Ok(text) => text.chars().next(),
        Err(e) => std::str::from_utf8(&head[..e.valid_up_to()]).ok()?.chars().next(),
    }
}

/// Where YAML takes over after the last JSON value: behind white space, up to the first line feed.
///
/// It may not: the stream's reader wants four bytes at every character it looks at, and no U+FFFD.
fn yaml_start(rest: &[u8]) -> YamlStart {
    let mut at = 0;
    while rest.len() - at >= 4 {
        match first_char(&rest[at..]) {
            Some('\n') => return YamlStart::At(at + 1),
            Some(c) if c.is_whitespace() => at += c.len_utf8(),
            Some(c) if c != '\u{FFFD}' => return YamlStart::At(at),
            _ => return YamlStart::Nowhere,
        }
    }
    YamlStart::TooShort
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum YamlStart {
    At(usize),
    Nowhere,
    /// Nowhere, unless more bytes follow.
    TooShort,
}

/// A separator line that is one for YAML too, so that it can be left out of the document: a line such as `---#a` divides
/// chunks but is text to the parser.
fn is_yaml_separator(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let rest = line.strip_suffix(b"\r").unwrap_or(line).get(3..).unwrap_or_default();
    let text = rest.trim_ascii_start();
    let blanks = &rest[..rest.len() - text.len()];
    blanks.iter().all(|b| matches!(b, b' ' | b'\t'))
        && (text.is_empty() || (!blanks.is_empty() && text[0] == b'#' && text.is_ascii() && !text.contains(&b'\r')))
}

/// What stands after the three dashes, when it is neither white space nor a comment.
fn bad_separator(line: &[u8]) -> Option<String> {
    let rest = line.get(3..).unwrap_or_default();
    let rest = String::from_utf8_lossy(rest);
    let rest = rest.trim();
    (!rest.is_empty() && !rest.starts_with('#')).then(|| rest.to_owned())
}

/// The next line that begins with `{` or `---`.
fn next_beginning(buffer: &[u8], from: usize) -> Option<usize> {
    memchr::memchr_iter(b'\n', &buffer[from..])
        .map(|i| from + i + 1)
        .find(|&line| buffer[line..].starts_with(b"{") || buffer[line..].starts_with(b"---"))
}

/// Finds the end of a JSON value by its brackets and quotes alone, a piece at a time.
#[derive(Debug, Clone, Copy, Default)]
struct Skim {
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
    fn is_new(self) -> bool {
        self.kind == SkimKind::New
    }

    fn is_container(self) -> bool {
        self.kind == SkimKind::Container
    }

    /// Goes on from `at`. Returns whether the value is complete, and where it ends or the bytes do.
    fn run(&mut self, bytes: &[u8], mut at: usize) -> (bool, usize) {
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
                let Some(i) = memchr::memchr2(b'"', b'\\', &bytes[at..]) else { return (false, bytes.len()) };
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
                let b = bytes[at];
                at += 1;
                match b {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => {
                        self.depth = self.depth.saturating_sub(1);
                        if self.depth == 0 {
                            return (true, at);
                        }
                    }
                    _ => {}
                }
            }
        }
        (false, at)
    }
}

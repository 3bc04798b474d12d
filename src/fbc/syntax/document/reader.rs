//! The reader's state machine.

use super::chunk::{Chunk, Chunker, is_yaml_separator, with_line_feed};
use super::probe::{YamlStart, looks_like_json, next_beginning, yaml_start};
use super::skim::Skim;
use super::{Document, Sink};
use crate::fbc::syntax::error::SyntaxError;
use crate::fbc::syntax::json::{self, Refusal};
use crate::fbc::syntax::tree::{Format, Tree};
use crate::fbc::syntax::{value, yaml};

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
    place: Cursor,
    parsed: Result<Tree, SyntaxError>,
}

/// Cuts a file into documents while its bytes come in.
///
/// After a document that `opm` refuses it goes on with the next one. `opm` stops there: of all refusals of a file the
/// first is the one it reports.
#[derive(Debug)]
pub struct Reader {
    mode: Mode,
    /// Bytes not yet handed out, and some that were.
    buffer: Vec<u8>,
    /// Beginning of the document at hand in `buffer`.
    begin: usize,
    /// Where `begin` is in the file.
    place: Cursor,
    chunker: Chunker,
    skim: Skim,
    /// How far `skim` has come.
    skimmed: usize,
    /// JSON values that `opm` has decoded.
    values: u32,
    attempt: Option<Attempt>,
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

    /// A document that begins here.
    fn document(self, format: Format, text: &[u8], parsed: Result<Tree, SyntaxError>) -> Document<'_> {
        let end = self.offset + text.len() as u64;
        let Cursor { offset: start, line, column } = self;
        Document { start, end, line, column, format, text, transcoded: false, parsed }
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
            begin: 0,
            place: Cursor::default(),
            chunker: Chunker::new(),
            skim: Skim::default(),
            skimmed: 0,
            values: 0,
            attempt: None,
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
            self.buffer.drain(..self.begin);
            self.chunker.shift(self.begin);
            self.skimmed = self.skimmed.saturating_sub(self.begin);
            self.begin = 0;
        }
    }

    /// The document at hand starts at `at`, which is not before the present one.
    fn begin_at(&mut self, at: usize) {
        self.place.pass(&self.buffer[self.begin..at]);
        self.begin = at;
        self.skimmed = at;
        self.skim = Skim::default();
        self.chunker.restart();
    }

    // ---- YAML

    /// Hands out the next chunk; `false` when there is none yet.
    fn yaml_chunk(&mut self, end: bool, sink: &mut impl Sink) -> bool {
        let Some(chunk) = self.chunker.next(&self.buffer, self.begin, end) else { return false };
        let mut decoded = Vec::new();
        sink.document(self.chunk_document(&chunk, &mut decoded));
        self.begin_at(chunk.next);
        true
    }

    fn chunk_document<'a>(&'a self, chunk: &Chunk, decoded: &'a mut Vec<u8>) -> Document<'a> {
        let whole = &self.buffer[chunk.start..chunk.end];
        // A chunk of nothing but its separator keeps it: there is nothing else to point at.
        let is_separator = chunk.separator < whole.len() && is_yaml_separator(&whole[..chunk.separator]);
        let skip = if is_separator { chunk.separator } else { 0 };
        let mut place = self.place;
        place.pass(&whole[..skip]);
        let text = &whole[skip..];
        let mut document = place.document(Format::Yaml, text, Ok(Tree::default()));
        if let Some(rest) = &chunk.bad_separator {
            let line = memchr::memrchr(b'\n', &whole[..whole.len() - 1]).map_or(0, |i| i + 1);
            let problem = format!("invalid Yaml document separator: {rest}");
            document.parsed = Err(SyntaxError::bare(line.saturating_sub(skip), problem));
            return document;
        }
        if let [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] = whole
            && let Some((text, problem)) = yaml::from_utf16(&with_line_feed(whole))
        {
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
        let start = self.begin + json::blanks(&self.buffer[self.begin..]);
        if start == self.buffer.len() {
            return false;
        }
        let (done, skimmed) = self.skim.run(&self.buffer, self.skimmed.max(start));
        self.skimmed = skimmed;
        if !done && !end {
            return false;
        }
        // Balanced brackets hold a value or an error, whatever follows them.
        let balanced = done && self.skim.is_container();
        let limit = if balanced { skimmed } else { self.buffer.len() };
        let first_two = self.values <= 1;
        let mut place = self.place;
        place.pass(&self.buffer[self.begin..start]);
        let (stop, parsed) = match json::first_value(&self.buffer[start..limit]) {
            Ok(value) => {
                let stop = start + value.end;
                (stop, checked(Ok(value.tree), &self.buffer[start..stop]))
            }
            Err(refusal) => {
                let Some(stop) = self.end_of_broken(start, &refusal, balanced, end) else { return false };
                (stop, Err(refused(&refusal, place.offset, stop - start, first_two)))
            }
        };
        let mut document = place.document(Format::Json, &self.buffer[start..stop], parsed);
        if document.parsed.is_ok() && (!first_two || sink.accepts(&document)) {
            sink.document(document);
            self.values += 1;
            self.begin_at(stop);
            return true;
        }
        let parsed = std::mem::replace(&mut document.parsed, Ok(Tree::default()));
        let attempt = Attempt { start, end: stop, place, parsed };
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
        let Some(chunk) = self.chunker.next(&self.buffer, self.begin, end) else {
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
        let Attempt { start, end, place, parsed } = attempt;
        self.mode = if parsed.is_err() { Mode::Lost } else { Mode::Json };
        self.values = 2;
        // The hand-over may have gone on already.
        self.begin = start;
        self.place = place;
        sink.document(place.document(Format::Json, &self.buffer[start..end], parsed));
        self.begin_at(end);
    }

    /// Where a value that does not parse may be taken to end: behind its last bracket, or with its line, or, when its
    /// brackets never balance, before the next line that can begin a document. `None` when that cannot be told yet.
    fn end_of_broken(&self, start: usize, refusal: &Refusal, balanced: bool, end: bool) -> Option<usize> {
        let Refusal::Syntax { at, .. } = refusal else { return Some(self.buffer.len()) };
        if balanced {
            return Some(self.skimmed);
        }
        let at = start + at;
        if self.skim.is_container() {
            return Some(next_beginning(&self.buffer, at).unwrap_or(self.buffer.len()));
        }
        match memchr::memchr(b'\n', &self.buffer[at..]) {
            Some(line) => Some(at + line + 1),
            None => end.then_some(self.buffer.len()),
        }
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

//! Cuts a stream of bytes into documents as `opm` does: JSON values one after the other, or YAML
//! chunks between lines that begin with `---`. A file may switch from JSON to YAML after its first
//! object.
//!
//! Only the current document is kept. Every byte belongs to one document, or to none (separators,
//! blanks).

mod chunk;

#[cfg(test)]
mod tests;

pub use chunk::begins_json;

use crate::error::SyntaxError;
use crate::json::{self, Refusal};
use crate::place::narrow;
use crate::tree::{Format, Tree};
use crate::{value, yaml};
use chunk::{
    Chunk, Chunker, Skim, YamlStart, by_lines, is_yaml_separator, looks_like_json, next_beginning,
    yaml_start,
};

/// One document of a file.
#[derive(Debug)]
pub struct Document<'a> {
    /// First byte in the file: after the `---` line for YAML, of the value for JSON.
    pub start: u64,
    pub end: u64,
    /// Line of `start` in the file, from 0.
    pub line: u32,
    /// Number of characters between the beginning of that line and `start`.
    pub column: u32,
    pub format: Format,
    /// The document's bytes, `start..end` of the file. If the file is UTF-16, its UTF-8 form
    /// instead.
    pub text: &'a [u8],
    /// Whether `text` differs from the file's bytes: places then refer to `text`, and the document
    /// cannot be edited.
    pub transcoded: bool,
    /// The tree, with all the checks of [`super::value::check`]; or why `opm` refuses the document.
    pub parsed: Result<Tree, SyntaxError>,
}

/// Receives documents in file order.
pub trait Sink {
    /// Whether `opm`'s blob rules accept this document (`opm-semantics` 1.5). Called only for JSON
    /// and its replacement: a refused JSON value among the first two is read again as YAML.
    fn accepts(&mut self, document: &Document<'_>) -> bool;

    /// Receives the next document. It does not change later.
    fn document(&mut self, document: Document<'_>);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    /// Not enough bytes yet to decide.
    #[default]
    Unknown,
    Json,
    Yaml,
    /// One of the first two JSON values was refused; waiting for the chunk that YAML makes of the
    /// same text.
    HandOver,
    /// Directly after broken JSON: a document may begin here.
    Lost,
    /// The text after broken JSON is no document: waiting for a line that can begin one.
    Searching,
}

/// A refused JSON value that YAML may still accept.
#[derive(Debug)]
struct Attempt {
    start: usize,
    end: usize,
    place: Cursor,
    parsed: Result<Tree, SyntaxError>,
}

/// Cuts a file into documents while its bytes arrive.
///
/// After a document that `opm` refuses, reading continues with the next one. `opm` stops there and
/// reports the first refusal in a file.
#[derive(Debug, Default)]
pub struct Reader {
    mode: Mode,
    /// Bytes not yet handed out, and some that were: see [`Reader::forget`].
    buffer: Vec<u8>,
    /// Start of the current document in `buffer`.
    begin: usize,
    /// The position of `begin` in the file.
    place: Cursor,
    chunker: Chunker,
    skim: Skim,
    /// Position in `buffer` up to which `skim` has run.
    skimmed: usize,
    /// The bytes from `begin` to here are JSON blanks.
    blank: usize,
    /// The current JSON value was refused; waiting for the end of its line.
    broken: Option<Broken>,
    recovery_budget: RecoveryBudget,
    examined: u64,
    /// JSON values that `opm` has decoded.
    values: u32,
    attempt: Option<Attempt>,
}

/// A refusal of a value whose end is not known yet.
#[derive(Debug)]
struct Broken {
    refusal: Refusal,
    /// How far the line was searched for its end.
    searched: usize,
}

/// Progress of the early check for a broken object, in bytes of the object.
#[derive(Debug, Clone, Copy, Default)]
struct RecoveryBudget {
    /// How far the search for a line that can begin a document got, and whether it found one.
    searched: usize,
    has_beginning: bool,
    /// How far the object was parsed without an error that determines its end.
    parsed: usize,
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
                self.line = self.line.saturating_add(narrow(lines));
                self.column = 0;
                &bytes[last + 1..]
            }
            None => bytes,
        };
        self.column += rest.iter().filter(|&&b| b & 0xC0 != 0x80).count() as u32;
    }

    /// Returns a document that begins here.
    fn document(
        self,
        format: Format,
        text: &[u8],
        parsed: Result<Tree, SyntaxError>,
    ) -> Document<'_> {
        let end = self.offset + text.len() as u64;
        let Cursor {
            offset: start,
            line,
            column,
        } = self;
        Document {
            start,
            end,
            line,
            column,
            format,
            text,
            transcoded: false,
            parsed,
        }
    }
}

impl Reader {
    pub fn new() -> Self {
        Self::default()
    }

    /// Resumes in the middle of a file, at the beginning of a line: after a document that does not
    /// influence what follows, and in JSON after at least two values.
    pub fn resume_at(format: Format, offset: u64, line: u32) -> Self {
        let (mode, values) = match format {
            Format::Yaml => (Mode::Yaml, 0),
            Format::Json => (Mode::Json, 2),
        };
        Self {
            mode,
            values,
            place: Cursor {
                offset,
                line,
                column: 0,
            },
            ..Self::default()
        }
    }

    /// Takes the next bytes of the file.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        self.buffer.extend_from_slice(bytes);
        self.run(false, sink);
        self.forget();
    }

    /// Returns the number of bytes searched or parsed so far, counting repeats; lets tests check
    /// the work.
    pub fn examined_bytes(&self) -> u64 {
        self.examined + self.chunker.examined_bytes()
    }

    /// Returns the number of bytes of the current document, which are kept until its end is found.
    pub fn held_bytes(&self) -> u64 {
        (self.buffer.len() - self.begin) as u64
    }

    /// Ends the file.
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
                Mode::Lost => self.is_beginning(end),
                Mode::Searching => self.find_beginning(),
                Mode::Yaml | Mode::Unknown => self.yaml_chunk(end, sink),
            };
            if !more {
                return;
            }
        }
    }

    /// Drops bytes that were handed out.
    fn forget(&mut self) {
        if self.begin > 0 && self.attempt.is_none() {
            self.buffer.drain(..self.begin);
            self.chunker.shift(self.begin);
            self.skimmed = self.skimmed.saturating_sub(self.begin);
            self.blank = self.blank.saturating_sub(self.begin);
            if let Some(broken) = &mut self.broken {
                broken.searched = broken.searched.saturating_sub(self.begin);
            }
            self.begin = 0;
        }
    }

    /// Moves the start of the current document forward to `at`.
    fn begin_at(&mut self, at: usize) {
        self.place.pass(&self.buffer[self.begin..at]);
        self.examined += (at - self.begin) as u64;
        self.begin = at;
        self.skimmed = at;
        self.blank = at;
        self.broken = None;
        self.recovery_budget = RecoveryBudget::default();
        self.skim = Skim::default();
        self.chunker.restart();
    }

    // ---- YAML

    /// Hands out the next chunk; false if its end is not known yet.
    fn yaml_chunk(&mut self, end: bool, sink: &mut impl Sink) -> bool {
        let Some(chunk) = self.chunker.next(&self.buffer, self.begin, end) else {
            return false;
        };
        let mut decoded = Vec::new();
        sink.document(self.chunk_document(&chunk, &mut decoded));
        self.examined += (chunk.end - chunk.start) as u64;
        self.begin_at(chunk.next);
        true
    }

    fn chunk_document<'a>(&'a self, chunk: &Chunk, decoded: &'a mut Vec<u8>) -> Document<'a> {
        let whole = &self.buffer[chunk.start..chunk.end];
        // A chunk that is only a separator includes it, so that an error has a place.
        let is_separator =
            chunk.separator < whole.len() && is_yaml_separator(&whole[..chunk.separator]);
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
            && let Some((text, problem)) = yaml::from_utf16(&by_lines(whole))
        {
            *decoded = text;
            document.text = decoded;
            document.transcoded = true;
            document.parsed = check(yaml::parse_decoded(document.text, problem), document.text);
        } else {
            let parsed = if skip > 0 {
                yaml::parse_after(whole, skip)
            } else {
                yaml::parse(whole)
            };
            document.parsed = check(parsed, document.text);
        }
        document
    }

    // ---- JSON

    /// Hands out the next JSON value, or changes to YAML; false if more bytes are needed.
    fn json_value(&mut self, end: bool, sink: &mut impl Sink) -> bool {
        let start = self.skip_blanks();
        if start == self.buffer.len() {
            return false;
        }
        let from = self.skimmed.max(start);
        // A broken value has already been skimmed to its end.
        let (done, skimmed) = if self.broken.is_some() {
            (true, from)
        } else {
            self.skim.run(&self.buffer, from)
        };
        self.skimmed = skimmed;
        self.examined += (skimmed - from) as u64;
        if !done && !end {
            let Some(broken) = self.refused_early(start) else {
                return false;
            };
            self.broken = Some(broken);
        }
        // Balanced brackets contain a value or an error, whatever follows them.
        let balanced = done && self.skim.is_container();
        let limit = if balanced { skimmed } else { self.buffer.len() };
        let first_two = self.values <= 1;
        let offset = self.place.offset + (start - self.begin) as u64;
        let known = self.broken.take();
        if known.is_none() {
            self.examined += (limit - start) as u64;
        }
        let value = match known {
            Some(broken) => Err(broken),
            None => json::first_value(&self.buffer[start..limit]).map_err(|refusal| Broken {
                searched: start + refusal.at(limit - start),
                refusal,
            }),
        };
        let (stop, parsed) = match value {
            Ok(value) => {
                let stop = start + value.end;
                (stop, check(Ok(value.tree), &self.buffer[start..stop]))
            }
            Err(mut broken) => {
                let Some(stop) = self.end_of_broken(&mut broken, balanced, end) else {
                    self.broken = Some(broken);
                    return false;
                };
                (
                    stop,
                    Err(refusal(&broken.refusal, offset, stop - start, first_two)),
                )
            }
        };
        let mut place = self.place;
        place.pass(&self.buffer[self.begin..start]);
        let mut document = place.document(Format::Json, &self.buffer[start..stop], parsed);
        if document.parsed.is_ok() && (!first_two || sink.accepts(&document)) {
            sink.document(document);
            self.values += 1;
            self.begin_at(stop);
            return true;
        }
        let parsed = std::mem::replace(&mut document.parsed, Ok(Tree::default()));
        let attempt = Attempt {
            start,
            end: stop,
            place,
            parsed,
        };
        if first_two {
            match yaml_start(&self.buffer[self.begin..]) {
                YamlStart::TooShort if !end => {
                    (self.skim, self.recovery_budget) =
                        (Skim::default(), RecoveryBudget::default());
                    self.skimmed = start;
                    return false;
                }
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

    /// Passes the text of a refused JSON value to YAML; if YAML refuses it too, the JSON refusal is
    /// final.
    fn hand_over(&mut self, end: bool, sink: &mut impl Sink) -> bool {
        let Some(chunk) = self.chunker.next(&self.buffer, self.begin, end) else {
            if end {
                // Only white space remains: `opm` sees the end of the file.
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
        let Some(attempt) = self.attempt.take() else {
            return false;
        };
        self.refuse_json(attempt, sink);
        true
    }

    /// Hands out a value that is finally refused. `opm` stops here; the reader continues with the
    /// language that the rest looks like.
    fn refuse_json(&mut self, attempt: Attempt, sink: &mut impl Sink) {
        let Attempt {
            start,
            end,
            place,
            parsed,
        } = attempt;
        self.mode = if parsed.is_err() {
            Mode::Lost
        } else {
            Mode::Json
        };
        self.values = 2;
        // The hand-over may have advanced further.
        self.begin = start;
        self.broken = None;
        self.place = place;
        sink.document(place.document(Format::Json, &self.buffer[start..end], parsed));
        self.begin_at(end);
    }

    /// Refuses an object whose brackets are not balanced yet as soon as a line after the error can
    /// begin a document: later brackets do not change the result. Retried whenever the object has
    /// doubled, so that the work remains linear.
    fn refused_early(&mut self, start: usize) -> Option<Broken> {
        if !self.skim.is_container() {
            return None;
        }
        let known = self.buffer.len() - start;
        if !self.recovery_budget.has_beginning {
            self.examined += (known - self.recovery_budget.searched) as u64;
            self.recovery_budget.has_beginning =
                next_beginning(&self.buffer, start + self.recovery_budget.searched).is_some();
            // The last three bytes may be a line break and two dashes.
            self.recovery_budget.searched = known.saturating_sub(3);
        }
        if !self.recovery_budget.has_beginning || known < 2 * self.recovery_budget.parsed {
            return None;
        }
        self.recovery_budget.parsed = known;
        let refusal = json::first_value(&self.buffer[start..])
            .err()
            .filter(|refusal| *refusal != Refusal::End);
        let at = refusal.as_ref().map_or(known, |refusal| refusal.at(known));
        self.examined += at as u64;
        let broken = Broken {
            searched: start + at,
            refusal: refusal?,
        };
        next_beginning(&self.buffer, broken.searched).map(|_| broken)
    }

    /// Finds the assumed end of a value that does not parse. A scalar ends with its line. An object
    /// or list ends after its last bracket, or before the first line after the error that can begin
    /// a document, whichever is first. `None` while undecided.
    fn end_of_broken(&mut self, broken: &mut Broken, balanced: bool, end: bool) -> Option<usize> {
        if broken.refusal == Refusal::End {
            return Some(self.buffer.len());
        }
        let from = broken.searched;
        if self.skim.is_container() {
            let last = if balanced {
                self.skimmed
            } else {
                self.buffer.len()
            };
            let stop = next_beginning(&self.buffer[..last], from).unwrap_or(last);
            self.examined += (stop - from) as u64;
            return Some(stop);
        }
        let line_start = memchr::memchr(b'\n', &self.buffer[from..]).map(|line| from + line + 1);
        broken.searched = line_start.unwrap_or(self.buffer.len());
        self.examined += (broken.searched - from) as u64;
        line_start.or_else(|| end.then_some(self.buffer.len()))
    }

    /// Skips the JSON blanks after the previous document and returns their end.
    fn skip_blanks(&mut self) -> usize {
        let from = self.blank.max(self.begin);
        self.blank = from + json::blanks(&self.buffer[from..]);
        self.examined += (self.blank - from) as u64;
        self.blank
    }

    /// Checks whether a document begins directly after broken JSON; false while that is undecided.
    fn is_beginning(&mut self, end: bool) -> bool {
        let from = self.skip_blanks();
        let rest = &self.buffer[from..];
        if rest.is_empty() {
            return false;
        }
        let line_start = match &self.buffer[self.begin..from] {
            [] => self.place.column == 0,
            [.., last] => *last == b'\n',
        };
        if line_start && !end && rest.len() < 3 && b"---".starts_with(rest) {
            return false;
        }
        self.mode = match rest {
            [b'{', ..] => Mode::Json,
            [b'-', b'-', b'-', ..] if line_start => Mode::Yaml,
            _ => Mode::Searching,
        };
        self.begin_at(from);
        true
    }

    /// Skips the rest of broken JSON; false if the next document is not found yet.
    fn find_beginning(&mut self) -> bool {
        let Some(beginning) = next_beginning(&self.buffer, self.begin) else {
            // The last three bytes may be a line break and two dashes.
            self.begin_at(self.buffer.len().saturating_sub(3).max(self.begin));
            return false;
        };
        self.begin_at(beginning);
        self.mode = if self.buffer[beginning] == b'{' {
            Mode::Json
        } else {
            Mode::Yaml
        };
        true
    }
}

/// Rejects a tree that cannot become JSON.
fn check(parsed: Result<Tree, SyntaxError>, text: &[u8]) -> Result<Tree, SyntaxError> {
    let tree = parsed?;
    value::check(&tree, text)?;
    Ok(tree)
}

/// Returns `opm`'s error for JSON that does not parse. It contains the offset in the file only
/// while YAML is still possible.
fn refusal(refusal: &Refusal, start: u64, len: usize, first_two: bool) -> SyntaxError {
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

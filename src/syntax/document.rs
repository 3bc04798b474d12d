//! Cuts a stream of bytes into documents as `opm` does: JSON values one after the other, or YAML
//! chunks between lines that begin with `---`. A file may switch from JSON to YAML after its first
//! object.
//!
//! Only the current document is kept. Every byte belongs to one document, or to none (separators,
//! blanks).

mod chunk;
mod skim;

#[cfg(test)]
mod tests;

pub use chunk::begins_json;

use crate::error::SyntaxError;
use crate::json::{self, Refusal};
use crate::place::narrow;
use crate::tree::{Format, Tree};
use crate::{value, yaml};
use chunk::{
    Chunk, Chunker, YamlStart, by_lines, find_document_line, is_yaml_separator, looks_like_json,
    yaml_start,
};
use skim::Skim;

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
    /// Whether `text` differs from the file's bytes. Positions then refer to `text`, and the
    /// document cannot be edited.
    pub transcoded: bool,
    /// The tree, which passed [`super::value::check`]; or why `opm` refuses the document.
    pub parsed: Result<Tree, SyntaxError>,
}

/// Receives documents in file order.
pub trait Sink {
    /// Whether `opm`'s blob rules accept this document. Called only for the first two JSON values
    /// and their YAML replacement: if one is refused, its text is read again as YAML. By default,
    /// all are accepted.
    fn accepts(&mut self, _document: &Document<'_>) -> bool {
        true
    }

    /// Receives the next document, which is final.
    fn document(&mut self, document: Document<'_>);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    /// Not enough bytes yet to decide.
    #[default]
    Unknown,
    Json,
    Yaml,
    /// One of the first two JSON values was refused; waiting for the end of the YAML chunk in the
    /// same text.
    HandOver,
    /// Directly after broken JSON: a document may begin here.
    Lost,
    /// No document begins directly after broken JSON: searching for a line that can begin one.
    Searching,
}

/// A refused JSON value that YAML may still accept.
#[derive(Debug)]
struct Attempt {
    start: usize,
    end: usize,
    position: Cursor,
    parsed: Result<Tree, SyntaxError>,
}

/// Cuts a file into documents while its bytes arrive.
///
/// After a document that `opm` refuses, reading continues with the next one. `opm` stops there and
/// reports the first refusal in a file.
#[derive(Debug, Default)]
pub struct Reader {
    mode: Mode,
    /// Bytes not yet emitted, and some that were: see [`Reader::drop_finished`].
    buffer: Vec<u8>,
    /// Start of the current document in `buffer`.
    start: usize,
    /// The position of `start` in the file.
    position: Cursor,
    chunker: Chunker,
    skim: Skim,
    /// Position in `buffer` up to which `skim` has run.
    skimmed: usize,
    /// The bytes from `start` to here are JSON blanks.
    blank: usize,
    /// The current JSON value was refused; waiting for the end of its line.
    broken: Option<Broken>,
    early_refusal: EarlyRefusalProgress,
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

/// Progress of [`Reader::refuse_early`], in bytes of the object.
#[derive(Debug, Clone, Copy, Default)]
struct EarlyRefusalProgress {
    /// How far the search for a line that can begin a document got.
    searched: usize,
    /// Whether the search found such a line.
    has_next_document: bool,
    /// Length of the object when it was last parsed.
    parsed: usize,
}

/// A position in the file.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    offset: u64,
    line: u32,
    column: u32,
}

impl Cursor {
    fn advance(&mut self, bytes: &[u8]) {
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

    /// Creates a document that begins here.
    fn document(
        self,
        format: Format,
        text: &[u8],
        parsed: Result<Tree, SyntaxError>,
    ) -> Document<'_> {
        let end = self.offset + text.len() as u64;
        Document {
            start: self.offset,
            end,
            line: self.line,
            column: self.column,
            format,
            text,
            transcoded: false,
            parsed,
        }
    }
}

impl Reader {
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
            position: Cursor {
                offset,
                line,
                column: 0,
            },
            ..Self::default()
        }
    }

    /// Reads a whole file.
    pub fn read_file(bytes: &[u8], sink: &mut impl Sink) {
        let mut reader = Self::default();
        reader.feed(bytes, sink);
        reader.finish(sink);
    }

    /// Appends the next bytes of the file.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        self.buffer.extend_from_slice(bytes);
        self.run(false, sink);
        self.drop_finished();
    }

    /// Returns the number of bytes searched or parsed so far, counting repeats. Tests use it to
    /// check that the work is linear.
    pub fn examined_bytes(&self) -> u64 {
        self.examined + self.chunker.examined_bytes()
    }

    /// Returns the number of bytes of the current document, which are kept until its end is found.
    pub fn held_bytes(&self) -> u64 {
        (self.buffer.len() - self.start) as u64
    }

    /// Ends the file.
    pub fn finish(mut self, sink: &mut impl Sink) {
        self.run(true, sink);
    }

    fn run(&mut self, at_end: bool, sink: &mut impl Sink) {
        if self.mode == Mode::Unknown {
            match looks_like_json(&self.buffer, at_end) {
                Some(json) => self.mode = if json { Mode::Json } else { Mode::Yaml },
                None => return,
            }
        }
        loop {
            let made_progress = match self.mode {
                Mode::Json => self.json_value(at_end, sink),
                Mode::HandOver => self.retry_as_yaml(at_end, sink),
                Mode::Lost => self.resume_after_broken(at_end),
                Mode::Searching => self.skip_broken(),
                Mode::Yaml | Mode::Unknown => self.yaml_chunk(at_end, sink),
            };
            if !made_progress {
                return;
            }
        }
    }

    /// Drops bytes that were emitted.
    fn drop_finished(&mut self) {
        if self.start > 0 && self.attempt.is_none() {
            self.buffer.drain(..self.start);
            self.chunker.shift(self.start);
            self.skimmed = self.skimmed.saturating_sub(self.start);
            self.blank = self.blank.saturating_sub(self.start);
            if let Some(broken) = &mut self.broken {
                broken.searched = broken.searched.saturating_sub(self.start);
            }
            self.start = 0;
        }
    }

    /// Moves the start of the current document forward to `at` in `buffer`.
    fn advance_to(&mut self, at: usize) {
        self.position.advance(&self.buffer[self.start..at]);
        self.examined += (at - self.start) as u64;
        self.start = at;
        self.skimmed = at;
        self.blank = at;
        self.broken = None;
        self.early_refusal = EarlyRefusalProgress::default();
        self.skim = Skim::default();
        self.chunker.restart();
    }

    // ---- YAML

    /// Emits the next chunk; false if more bytes are needed.
    fn yaml_chunk(&mut self, at_end: bool, sink: &mut impl Sink) -> bool {
        let Some(chunk) = self.chunker.next(&self.buffer, self.start, at_end) else {
            return false;
        };
        let mut decoded = Vec::new();
        sink.document(self.chunk_document(&chunk, &mut decoded));
        self.examined += (chunk.end - chunk.start) as u64;
        self.advance_to(chunk.next);
        true
    }

    fn chunk_document<'a>(&'a self, chunk: &Chunk, decoded: &'a mut Vec<u8>) -> Document<'a> {
        let whole = &self.buffer[chunk.start..chunk.end];
        // A chunk that is only a separator includes it, so that an error has a position.
        let is_separator =
            chunk.separator < whole.len() && is_yaml_separator(&whole[..chunk.separator]);
        let skip = if is_separator { chunk.separator } else { 0 };
        let mut position = self.position;
        position.advance(&whole[..skip]);
        let text = &whole[skip..];
        let mut document = position.document(Format::Yaml, text, Ok(Tree::default()));
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

    /// Emits the next JSON value, or changes to YAML; false if more bytes are needed.
    fn json_value(&mut self, at_end: bool, sink: &mut impl Sink) -> bool {
        let Some(Attempt {
            start,
            end,
            position,
            parsed,
        }) = self.next_json_value(at_end)
        else {
            return false;
        };
        let document = position.document(Format::Json, &self.buffer[start..end], parsed);
        let may_be_yaml = self.may_be_yaml();
        if document.parsed.is_ok() && (!may_be_yaml || sink.accepts(&document)) {
            sink.document(document);
            self.values += 1;
            self.advance_to(end);
            return true;
        }
        let attempt = Attempt {
            start,
            end,
            position,
            parsed: document.parsed,
        };
        if may_be_yaml {
            match yaml_start(&self.buffer[self.start..]) {
                YamlStart::TooShort if !at_end => {
                    self.skim = Skim::default();
                    self.early_refusal = EarlyRefusalProgress::default();
                    self.skimmed = start;
                    return false;
                }
                YamlStart::TooShort | YamlStart::Nowhere => {}
                YamlStart::At(yaml_start) => {
                    self.attempt = Some(attempt);
                    self.mode = Mode::HandOver;
                    self.advance_to(self.start + yaml_start);
                    return true;
                }
            }
        }
        self.refuse_json(attempt, sink);
        true
    }

    /// Parses the next JSON value; `None` if more bytes are needed.
    fn next_json_value(&mut self, at_end: bool) -> Option<Attempt> {
        let start = self.skip_blanks();
        if start == self.buffer.len() {
            return None;
        }
        // Almost all values are complete and valid, so they are parsed before their end is known.
        let is_new = self.skimmed <= start && self.broken.is_none() && self.buffer[start] == b'{';
        let mut is_balanced = false;
        let parsed = match is_new.then(|| self.parse_value(start, self.buffer.len())) {
            Some(Ok(value)) => Ok(value),
            _ => {
                // A broken value has already been skimmed to its end.
                let is_complete = self.broken.is_some() || self.skim_value(start);
                if !is_complete && !at_end {
                    self.broken = Some(self.refuse_early(start)?);
                }
                // Balanced brackets contain a value or an error, whatever follows them.
                is_balanced = is_complete && self.skim.is_container();
                let limit = if is_balanced {
                    self.skimmed
                } else {
                    self.buffer.len()
                };
                match self.broken.take() {
                    Some(broken) => Err(broken),
                    None => self.parse_value(start, limit),
                }
            }
        };
        let (end, parsed) = match parsed {
            Ok(value) => {
                let end = start + value.end;
                (end, check(Ok(value.tree), &self.buffer[start..end]))
            }
            Err(mut broken) => {
                let Some(end) = self.end_of_broken(&mut broken, is_balanced, at_end) else {
                    self.broken = Some(broken);
                    return None;
                };
                // `opm` includes the offset only while YAML is still possible.
                let offset = self.position.offset + (start - self.start) as u64;
                let offset = Some(offset).filter(|_| self.may_be_yaml());
                (end, Err(broken.refusal.into_error(offset, end - start)))
            }
        };
        let mut position = self.position;
        position.advance(&self.buffer[self.start..start]);
        Some(Attempt {
            start,
            end,
            position,
            parsed,
        })
    }

    fn parse_value(&mut self, start: usize, limit: usize) -> Result<json::Value, Broken> {
        let parsed = json::first_value(&self.buffer[start..limit]).map_err(|refusal| Broken {
            searched: start + refusal.offset(limit - start),
            refusal,
        });
        let end = match &parsed {
            Ok(value) => start + value.end,
            Err(broken) => broken.searched,
        };
        self.examined += (end - start) as u64;
        parsed
    }

    /// Whether YAML may still take over: `opm` has decoded at most one JSON value.
    fn may_be_yaml(&self) -> bool {
        self.values <= 1
    }

    /// Continues the search for the end of the current value; returns whether it was found.
    fn skim_value(&mut self, start: usize) -> bool {
        let from = self.skimmed.max(start);
        let (is_complete, end) = self.skim.run(&self.buffer, from);
        self.skimmed = end;
        self.examined += (end - from) as u64;
        is_complete
    }

    /// Reads the text of a refused JSON value as YAML. If YAML refuses it too, the JSON refusal is
    /// final. Returns false if more bytes are needed.
    fn retry_as_yaml(&mut self, at_end: bool, sink: &mut impl Sink) -> bool {
        let Some(chunk) = self.chunker.next(&self.buffer, self.start, at_end) else {
            if at_end {
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
            self.advance_to(chunk.next);
            return true;
        }
        let Some(attempt) = self.attempt.take() else {
            return false;
        };
        self.refuse_json(attempt, sink);
        true
    }

    /// Emits a refused value. `opm` stops here; the reader continues in the language that the text
    /// after it resembles.
    fn refuse_json(&mut self, attempt: Attempt, sink: &mut impl Sink) {
        let Attempt {
            start,
            end,
            position,
            parsed,
        } = attempt;
        self.mode = if parsed.is_err() {
            Mode::Lost
        } else {
            Mode::Json
        };
        // YAML can no longer take over.
        self.values = 2;
        // `retry_as_yaml` may have advanced further.
        self.start = start;
        self.broken = None;
        self.position = position;
        sink.document(position.document(Format::Json, &self.buffer[start..end], parsed));
        self.advance_to(end);
    }

    /// Refuses an object whose brackets are not balanced yet if a line after the error can begin a
    /// document: later brackets do not change the result. Parses again only when the object has
    /// doubled in size, so the work is linear.
    fn refuse_early(&mut self, start: usize) -> Option<Broken> {
        if !self.skim.is_container() {
            return None;
        }
        let known = self.buffer.len() - start;
        if !self.early_refusal.has_next_document {
            self.examined += (known - self.early_refusal.searched) as u64;
            self.early_refusal.has_next_document =
                find_document_line(&self.buffer, start + self.early_refusal.searched).is_some();
            // The last three bytes may be a line break and two dashes.
            self.early_refusal.searched = known.saturating_sub(3);
        }
        if !self.early_refusal.has_next_document || known < 2 * self.early_refusal.parsed {
            return None;
        }
        self.early_refusal.parsed = known;
        let refusal = json::first_value(&self.buffer[start..])
            .err()
            .filter(|refusal| *refusal != Refusal::End);
        let at = refusal
            .as_ref()
            .map_or(known, |refusal| refusal.offset(known));
        self.examined += at as u64;
        let broken = Broken {
            searched: start + at,
            refusal: refusal?,
        };
        find_document_line(&self.buffer, broken.searched).map(|_| broken)
    }

    /// Finds the assumed end of a value that does not parse. A scalar ends with its line. An object
    /// or list ends after its last bracket, or before the first line after the error that can begin
    /// a document, if that is earlier. `None` if more bytes are needed.
    fn end_of_broken(
        &mut self,
        broken: &mut Broken,
        is_balanced: bool,
        at_end: bool,
    ) -> Option<usize> {
        if broken.refusal == Refusal::End {
            return Some(self.buffer.len());
        }
        let from = broken.searched;
        if self.skim.is_container() {
            let last = if is_balanced {
                self.skimmed
            } else {
                self.buffer.len()
            };
            let stop = find_document_line(&self.buffer[..last], from).unwrap_or(last);
            self.examined += (stop - from) as u64;
            return Some(stop);
        }
        let line_start = memchr::memchr(b'\n', &self.buffer[from..]).map(|line| from + line + 1);
        broken.searched = line_start.unwrap_or(self.buffer.len());
        self.examined += (broken.searched - from) as u64;
        line_start.or_else(|| at_end.then_some(self.buffer.len()))
    }

    /// Skips the JSON blanks after the previous document and returns their end.
    fn skip_blanks(&mut self) -> usize {
        let from = self.blank.max(self.start);
        self.blank = from + json::count_blanks(&self.buffer[from..]);
        self.examined += (self.blank - from) as u64;
        self.blank
    }

    /// Chooses the mode after broken JSON; false if more bytes are needed.
    fn resume_after_broken(&mut self, at_end: bool) -> bool {
        let from = self.skip_blanks();
        let rest = &self.buffer[from..];
        if rest.is_empty() {
            return false;
        }
        let line_start = match &self.buffer[self.start..from] {
            [] => self.position.column == 0,
            [.., last] => *last == b'\n',
        };
        if line_start && !at_end && rest.len() < 3 && b"---".starts_with(rest) {
            return false;
        }
        self.mode = match rest {
            [b'{', ..] => Mode::Json,
            [b'-', b'-', b'-', ..] if line_start => Mode::Yaml,
            _ => Mode::Searching,
        };
        self.advance_to(from);
        true
    }

    /// Skips broken JSON up to the next document; false if more bytes are needed.
    fn skip_broken(&mut self) -> bool {
        let Some(beginning) = find_document_line(&self.buffer, self.start) else {
            // The last three bytes may be a line break and two dashes.
            self.advance_to(self.buffer.len().saturating_sub(3).max(self.start));
            return false;
        };
        self.advance_to(beginning);
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

//! One word, one meaning: the terms of `docs/glossary.md` are used, and the words of `docs/retired-words.txt` are not.
//!
//! Names are read word by word: `skip_range`, `skipRange`, `SkipRange` and `skip range` are the same two words.

use crate::tidy::{project, read, shown};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

const RETIRED: &str = "docs/retired-words.txt";
const GLOSSARY: &str = "docs/glossary.md";

/// A word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word<'t> {
    text: &'t str,
    /// From 1.
    line: usize,
    /// Only blanks, a hyphen or the inside of a name stand between this word and the one before it.
    follows: bool,
}

/// The words of a text; names are cut at underscores and where a capital begins.
fn words(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let (mut line, mut start, mut follows) = (1, None, false);
    let mut previous = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let begins = c.is_uppercase() && (!previous.is_uppercase() || next.is_lowercase());
        if let Some(from) = start
            && (!c.is_alphanumeric() || begins)
        {
            words.push(Word { text: &text[from..at], line, follows });
            start = None;
            follows = true;
        }
        if c.is_alphanumeric() {
            start.get_or_insert(at);
        } else if !(c.is_whitespace() || c == '_' || c == '-') {
            follows = false;
        }
        line += usize::from(c == '\n');
        previous = c;
    }
    if let Some(from) = start {
        words.push(Word { text: &text[from..], line, follows });
    }
    words
}

/// Code without what is for people: comments and the contents of texts become blanks. Lines stay where they are.
fn names_only(code: &str, is_rust: bool) -> String {
    let bytes = code.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    let mut blank = |from: usize, to: usize| {
        out[from..to.min(bytes.len())].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    };
    while at < bytes.len() {
        let rest = &code[at..];
        let end = if rest.starts_with("//") {
            at + rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            at + rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(hashes) = raw_text(rest).filter(|_| is_rust) {
            let close = format!("\"{}", "#".repeat(hashes));
            let open = rest.find('"').unwrap_or(0) + 1;
            at + rest[open..].find(&close).map_or(rest.len(), |end| open + end + close.len())
        } else if bytes[at] == b'"' || (!is_rust && matches!(bytes[at], b'\'' | b'`')) {
            at + quoted(rest, bytes[at])
        } else if is_rust && bytes[at] == b'\'' {
            at + character(rest)
        } else {
            // A whole name at once, so that a letter in it begins no raw text.
            let name = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
            at += name.max(rest.chars().next().map_or(1, char::len_utf8));
            continue;
        };
        blank(at, end);
        at = end;
    }
    String::from_utf8(out).unwrap_or_default()
}

/// How many `#` a raw text that begins here has.
fn raw_text(rest: &str) -> Option<usize> {
    let rest = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r')?;
    let hashes = rest.bytes().take_while(|byte| *byte == b'#').count();
    rest[hashes..].starts_with('"').then_some(hashes)
}

/// The length of a text in quotes.
fn quoted(rest: &str, quote: u8) -> usize {
    let mut bytes = rest.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The length of a character such as `'x'` or `'\n'`; 1 for the mark of a lifetime.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) => quoted(rest, b'\''),
        (_, Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// An entry of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Retired {
    /// As it is written in the list, without backticks.
    word: String,
    instead: String,
    /// Only names in code are looked at.
    of_names: bool,
    /// Its words, in lower case unless only types are meant.
    words: Vec<String>,
    of_types: bool,
}

fn list(text: &str) -> Vec<Retired> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &str| {
        let (word, instead) = line.split_once(" — ").unwrap_or_else(|| panic!("{RETIRED}: no ` — ` in `{line}`"));
        let of_names = word.starts_with('`');
        let word = word.trim().trim_matches('`').to_owned();
        let of_types = of_names && word.starts_with(char::is_uppercase);
        let parts =
            words(&word).iter().map(|w| if of_types { w.text.to_owned() } else { w.text.to_lowercase() }).collect();
        Retired { word, instead: instead.trim().to_owned(), of_names, words: parts, of_types }
    };
    lines.map(entry).collect()
}

/// Retired words by their first word, in lower case.
struct Finder<'l> {
    by_first: HashMap<String, Vec<&'l Retired>>,
    /// Lengths of first words, as bits, by the first letter: most words of a text are passed over by it.
    lengths: [u64; 128],
}

impl<'l> Finder<'l> {
    fn new(list: impl IntoIterator<Item = &'l Retired>) -> Self {
        let mut finder = Self { by_first: HashMap::new(), lengths: [0; 128] };
        for retired in list {
            let first = retired.words[0].to_lowercase();
            finder.lengths[letter(&first)] |= length(&first);
            finder.by_first.entry(first).or_default().push(retired);
        }
        finder
    }

    /// Each with its line.
    fn find(&self, text: &str) -> Vec<(usize, &'l Retired)> {
        let words = words(text);
        let mut found = Vec::new();
        for (number, word) in words.iter().enumerate() {
            if self.lengths[letter(word.text)] & length(word.text) == 0 {
                continue;
            }
            for retired in self.by_first.get(&word.text.to_lowercase()).into_iter().flatten() {
                let here = words.get(number..number + retired.words.len()).unwrap_or_default();
                if here.len() == retired.words.len() && retired.is(here) {
                    found.push((word.line, *retired));
                }
            }
        }
        found
    }
}

fn letter(word: &str) -> usize {
    usize::from(word.as_bytes()[0].to_ascii_lowercase() & 127)
}

fn length(word: &str) -> u64 {
    1 << word.len().min(63)
}

impl Retired {
    fn is(&self, here: &[Word<'_>]) -> bool {
        let same = |(at, (word, wanted)): (usize, (&Word<'_>, &String))| {
            let same = if self.of_types { word.text == wanted } else { word.text.to_lowercase() == *wanted };
            same && (at == 0 || word.follows)
        };
        here.iter().zip(&self.words).enumerate().all(same)
    }
}

/// What is written by us: code, page, style, documents. Data of tests is recorded, and keeps its words.
fn files() -> Vec<PathBuf> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        entries.sort();
        for path in entries {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let skipped = ["node_modules", "results", "data", "target", "corpus", "artifacts"].contains(&&*name)
                || name.starts_with('.');
            if path.is_dir() && !path.is_symlink() && !skipped {
                walk(&path, out);
            } else if path
                .extension()
                .is_some_and(|e| ["rs", "ts", "mjs", "js", "css", "html", "md", "toml", "go"].iter().any(|x| e == *x))
            {
                out.push(path);
            }
        }
    }
    let mut out = Vec::new();
    for folder in ["src", "tests", "benches", "fuzz", "docs", "style", "public"] {
        walk(&project().join(folder), &mut out);
    }
    let top = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "index.html"];
    out.extend(top.map(|name| project().join(name)));
    out
}

/// The code of a file with its names only; `None` for documents and styles.
fn code(path: &Path, text: &str) -> Option<String> {
    let extension = path.extension()?.to_str()?;
    matches!(extension, "rs" | "ts" | "mjs" | "js" | "go").then(|| names_only(text, extension == "rs"))
}

#[test]
fn retired_words_are_gone() {
    let list = list(&read(&project().join(RETIRED)));
    let everywhere = Finder::new(list.iter().filter(|retired| !retired.of_names));
    let names = Finder::new(list.iter().filter(|retired| retired.of_names));
    let own = project().join("tests/it/vocabulary.rs");
    let mut found = Vec::new();
    let files = files();
    assert!(files.len() > 500, "only {} files are read", files.len());
    for path in files.iter().filter(|path| **path != own) {
        let text = read(path);
        let in_path = path.strip_prefix(project()).map(|path| path.display().to_string()).unwrap_or_default();
        let mut here = everywhere.find(&text);
        here.extend(everywhere.find(&in_path).into_iter().map(|(_, retired)| (0, retired)));
        if let Some(code) = code(path, &text) {
            here.extend(names.find(&code));
            here.extend(names.find(&in_path).into_iter().map(|(_, retired)| (0, retired)));
        }
        let tell = |(line, retired): (usize, &Retired)| {
            format!("{}:{line}: `{}`: {}", shown(path), retired.word, retired.instead)
        };
        found.extend(here.into_iter().map(tell));
    }
    assert!(found.is_empty(), "words that {RETIRED} retired (word: instead):\n{}", found.join("\n"));
}

#[test]
fn the_list_of_retired_words_is_in_order() {
    let list = list(&read(&project().join(RETIRED)));
    let mut names: Vec<String> = list.iter().map(|retired| retired.word.to_lowercase()).collect();
    let given = names.clone();
    names.sort();
    names.dedup();
    assert_eq!(given, names, "by the alphabet, each once");
    for retired in &list {
        assert!(!retired.words.is_empty() && !retired.instead.is_empty(), "{retired:?}");
    }
}

/// The terms of the glossary: the first cells of its tables; several in one cell are separated by commas.
fn terms(glossary: &str) -> Vec<String> {
    let rows = glossary.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| word |"));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let clean = |term: &str| {
        let term = term.split('(').next().unwrap_or_default();
        term.trim().trim_matches('`').to_owned()
    };
    cells.flat_map(|cell| cell.split(", ").map(clean).collect::<Vec<_>>()).collect()
}

#[test]
fn every_term_of_the_glossary_is_there_once_and_used() {
    let glossary = read(&project().join(GLOSSARY));
    let terms = terms(&glossary);
    assert!(terms.len() > 50, "{terms:?}");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    terms.iter().for_each(|term| *counts.entry(term.to_lowercase()).or_default() += 1);
    counts.retain(|_, count| *count > 1);
    assert!(counts.is_empty(), "more than once in the glossary: {counts:?}");
    // What is looked for like a retired word is to be found.
    let wanted: Vec<Retired> = terms
        .iter()
        .map(|term| Retired {
            word: term.clone(),
            instead: String::new(),
            of_names: false,
            words: words(term).iter().map(|word| word.text.to_lowercase()).collect(),
            of_types: false,
        })
        .collect();
    let finder = Finder::new(&wanted);
    let mut unused: BTreeSet<&str> = terms.iter().map(String::as_str).collect();
    for path in files().iter().filter(|path| **path != project().join(GLOSSARY)) {
        for (_, term) in finder.find(&read(path)) {
            unused.remove(&*term.word);
        }
    }
    assert!(unused.is_empty(), "in the glossary and nowhere else: {unused:?}");
    // A retired word is no term.
    let retired = list(&read(&project().join(RETIRED)));
    let of_both: Vec<_> = retired.iter().filter(|retired| !retired.of_names && terms.contains(&retired.word)).collect();
    assert_eq!(of_both, Vec::<&Retired>::new());
}

#[test]
fn planted_words_are_found() {
    let list = list("told — reported\n`Hand` — fix builder\n`spot` — position\nway out — fix\n");
    let everywhere = Finder::new(list.iter().filter(|retired| !retired.of_names));
    let names = Finder::new(list.iter().filter(|retired| retired.of_names));
    let all = |text: &str| {
        let mut found = everywhere.find(text);
        found.extend(names.find(&names_only(text, true)));
        found.into_iter().map(|(line, retired)| format!("{line} {}", retired.word)).collect::<Vec<_>>()
    };
    for (text, found) in [
        ("fn told_by()", "1 told"),
        ("struct CliTold;", "1 told"),
        ("\n// What was Told.", "2 told"),
        ("let text = \"it is told\";", "1 told"),
        ("fn way_out()", "1 way out"),
        ("the way\n out", "1 way out"),
        ("enum WayOut {}", "1 way out"),
        ("struct LeftHand;", "1 Hand"),
        ("let spots = spot_of(x);", "1 spot"),
        ("fn f<'a>(x: &'a str, c: char) -> Hand { '\\'' }", "1 Hand"),
        ("let c = '\"'; type Hand = u8;", "1 Hand"),
        ("let c = r#\"a\"Hand\"#; struct Hand;", "1 Hand"),
    ] {
        assert_eq!(all(text), [found], "{text}");
    }
    for text in [
        "untold toldness",
        "// Hand in hand, by hand, on the spot.",
        "let hand = \"Hand\"; /* spot */",
        "fn handle(handy: Handle, spotty: u8)",
        "the way, out",
        "let x = r#\"Hand \"spot\" \"#;",
        "let x = b\"\\\"Hand\";",
    ] {
        assert_eq!(all(text), Vec::<String>::new(), "{text}");
    }
}

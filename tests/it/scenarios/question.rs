//! One line of a scenario: a question and its expected answer.
//!
//! `SUBJECT: ANSWER. Prose.` Commas separate the parts of a subject; names, ranges and texts are in
//! backticks.

/// A parsed line. Words outside of backticks are keywords, backticks hold the operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) subject: Vec<Phrase>,
    pub(super) answer: Vec<Phrase>,
}

/// Words, and the texts in backticks among them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Phrase {
    pub(super) words: String,
    pub(super) quoted: Vec<String>,
}

/// Prefixes of lines with a question; other items are prose.
const SUBJECTS: [&str; 9] = [
    "Classic",
    "OLM v1",
    "opm validate",
    "The request",
    "blang range",
    "Masterminds range",
    "The change",
    "The cluster",
    "The CRD",
];

pub(super) fn is_question(text: &str) -> bool {
    SUBJECTS.iter().any(|s| text.starts_with(s)) && text.contains(": ")
}

pub(super) fn parse(text: &str) -> Result<Question, String> {
    let (subject, rest) = cut(text, ": ").ok_or("no answer after a colon")?;
    let answer = cut(&(rest + " "), ". ")
        .ok_or("the answer does not end with a period")?
        .0;
    Ok(Question {
        subject: phrases(&subject, ", "),
        answer: phrases(&answer, "; "),
    })
}

impl Question {
    /// The phrase that starts with `word`.
    pub(super) fn part(&self, word: &str) -> Option<&Phrase> {
        self.subject
            .iter()
            .find(|p| p.words == word || p.words.starts_with(&format!("{word} ")))
    }

    /// Refuses unknown parts: a misspelt condition must not be ignored.
    pub(super) fn expect_parts(&self, known: &[&str]) -> Result<(), String> {
        let unknown = self.subject.iter().find(|p| {
            !known
                .iter()
                .any(|k| p.words == *k || p.words.starts_with(&format!("{k} ")))
        });
        unknown.map_or(Ok(()), |p| Err(format!("not understood: {:?}", p.words)))
    }
}

impl Phrase {
    /// The only text in backticks.
    pub(super) fn quoted_text(&self) -> Result<&str, String> {
        match &self.quoted[..] {
            [one] => Ok(one),
            other => Err(format!(
                "one text in backticks after {:?}, not {}",
                self.words,
                other.len()
            )),
        }
    }
}

/// Splits at the first `mark` outside of backticks.
fn cut(text: &str, mark: &str) -> Option<(String, String)> {
    let mut quoted = false;
    let at = text.char_indices().find(|&(i, c)| {
        quoted ^= c == '`';
        !quoted && text[i..].starts_with(mark)
    });
    at.map(|(i, _)| (text[..i].to_owned(), text[i + mark.len()..].to_owned()))
}

fn phrases(text: &str, mark: &str) -> Vec<Phrase> {
    let mut phrases = Vec::new();
    let mut rest = text.to_owned();
    while let Some((first, more)) = cut(&rest, mark) {
        phrases.push(phrase(&first));
        rest = more;
    }
    phrases.push(phrase(&rest));
    phrases
}

fn phrase(text: &str) -> Phrase {
    let mut phrase = Phrase::default();
    for (i, part) in text.split('`').enumerate() {
        match i % 2 {
            0 => phrase.words += part,
            _ => phrase.quoted.push(part.to_owned()),
        }
    }
    let text = phrase.words.replace(',', " ");
    phrase.words = text
        .split_whitespace()
        .filter(|&word| word != "and")
        .collect::<Vec<_>>()
        .join(" ");
    phrase
}

#[test]
fn a_line_is_split_into_its_parts() {
    let q = parse(
        "OLM v1, channels `a` and `b`, from `p: x@1.0.0`: error `no, none. At all`. Prose: more.",
    )
    .unwrap();
    assert_eq!(q.part("channels").unwrap().quoted, ["a", "b"]);
    assert_eq!(q.part("from").unwrap().quoted_text(), Ok("p: x@1.0.0"));
    assert_eq!(
        q.answer,
        [Phrase {
            words: "error".into(),
            quoted: vec!["no, none. At all".into()]
        }]
    );
    assert!(q.expect_parts(&["OLM v1", "from"]).is_err());
}

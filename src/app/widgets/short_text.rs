//! Text in little space. A name is shortened in its middle, because similar names differ at their
//! ends; the full text stays in the document and in the tooltip. Text without blanks wraps after
//! its parts, never within a word.

use leptos::prelude::*;
use protocol::counting::and_more;

/// Number of characters that are always visible at the end of a name, and of a version, whose end
/// is a date or number.
const NAME_END: usize = 12;
const VERSION_END: usize = 5;

/// The longest end of a name that has a version.
const LONGEST_END: usize = 20;

/// Splits a text of at least `min_length` characters before its last `end_length` characters. A
/// shorter text has an empty end.
fn split_end(text: &str, end_length: usize, min_length: usize) -> (&str, &str) {
    let count = text.chars().count();
    if count < min_length {
        return (text, "");
    }
    let start = text.char_indices().nth(count - end_length);
    text.split_at(start.map_or(text.len(), |(offset, _)| offset))
}

/// Whether a text is a name that [`cut_text`] shortens in its middle.
pub fn is_long_name(text: &str) -> bool {
    text.chars().count() >= NAME_END * 2 && !text.contains(' ')
}

/// Renders a name as one line. A version at its end, such as `.v1.2.0-rc.1`, stays visible.
pub fn cut_text(text: &str) -> impl IntoView + use<> {
    shortened_view(text, name_end(text), NAME_END * 2)
}

fn name_end(text: &str) -> usize {
    let version = text.rsplit_once(".v").map_or("", |(_, version)| version);
    (version.chars().count() + 1).clamp(NAME_END, LONGEST_END)
}

/// Renders a name as one line in a table cell. Shorter names are split too, because the cell has
/// the full name for assistive technology. In a copied text there is a line break between the two
/// parts, which are boxes.
pub fn cut_cell(name: &str) -> impl IntoView + use<> {
    shortened_view(name, NAME_END, NAME_END + NAME_END / 2)
}

/// Renders a version as one line, for narrow columns.
pub fn cut_version(text: &str) -> impl IntoView + use<> {
    shortened_view(text, version_end(text), VERSION_END * 2)
}

/// A short version has no date, and its first numbers need the room.
fn version_end(text: &str) -> usize {
    VERSION_END.min(text.len() / 3)
}

fn shortened_view(text: &str, end_length: usize, min_length: usize) -> impl IntoView + use<> {
    let (start, end) = split_end(text, end_length, min_length);
    let (start, end) = (start.to_owned(), end.to_owned());
    view! {
        <span class="cut" title=text.to_owned()>
            <span class="cut-start">{start}</span>
            {(!end.is_empty()).then(|| view! { <span class="cut-end">{end}</span> })}
        </span>
    }
}

/// Renders a path that wraps after its slashes.
pub fn breakable(path: &str) -> impl IntoView + use<> {
    breakable_after(path, '/')
}

/// Renders a name such as `olm.package.required` that wraps after its dots.
pub fn breakable_name(name: &str) -> impl IntoView + use<> {
    breakable_after(name, '.')
}

fn breakable_after(text: &str, end: char) -> impl IntoView + use<> {
    text.split_inclusive(end)
        .map(|part| view! { {part.to_owned()} {part.ends_with(end).then(|| view! { <wbr/> })} })
        .collect_view()
}

/// Renders a text with the names in backticks in a monospaced font.
pub fn in_code(text: &str) -> impl IntoView + use<> {
    text.split('`')
        .enumerate()
        .map(|(index, part)| {
            let part = part.to_owned();
            match index % 2 {
                1 if part.contains('/') => view! { <code>{breakable(&part)}</code> }.into_any(),
                1 => view! { <code>{part}</code> }.into_any(),
                _ => part.into_any(),
            }
        })
        .collect_view()
}

/// Renders the last item of a shortened list, such as *and 3 more*; `None` if `rest` is 0.
pub fn rest_item(rest: usize) -> Option<AnyView> {
    (rest > 0).then(|| view! { <li class="dim">{and_more(rest)}</li> }.into_any())
}

#[cfg(test)]
mod tests {
    use super::{NAME_END, name_end, split_end, version_end};
    #[test]
    fn the_end_of_a_long_name_is_kept() {
        assert_eq!(
            split_end("short.v1.0.0", NAME_END, 18),
            ("short.v1.0.0", "")
        );
        assert_eq!(
            split_end("skupper-operator.v1.8.1", NAME_END, 18),
            ("skupper-ope", "rator.v1.8.1")
        );
        assert_eq!(
            split_end("elasticsearch-operator.v5.8.12", NAME_END, 24),
            ("elasticsearch-oper", "ator.v5.8.12")
        );
        assert_eq!(
            split_end("ö".repeat(30).as_str(), NAME_END, 24)
                .1
                .chars()
                .count(),
            12
        );
        let long = "apicurio-registry-operator.v1.1.2-v2.5.11.final";
        assert_eq!(
            split_end(long, name_end(long), 24).1,
            "v1.1.2-v2.5.11.final"
        );
        let nightly = "1.31.0-nightly-2026-08-22";
        assert_eq!(
            split_end(nightly, version_end(nightly), 10),
            ("1.31.0-nightly-2026-", "08-22")
        );
        let rebuilt = "7.6.10-opr-001";
        assert_eq!(
            split_end(rebuilt, version_end(rebuilt), 10),
            ("7.6.10-opr", "-001"),
            "room for the number before it"
        );
    }
}

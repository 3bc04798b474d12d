//! Text in little space. A name is shortened in its middle, because similar names differ at their
//! ends; the full text stays in the document and in the tooltip. Text without blanks wraps after its
//! parts, never within a word. Also names in a monospaced font, and the end of a shortened list.

use leptos::prelude::*;
use protocol::counting::and_more;

/// Characters that stay at the end of a name, and of a version, whose end is a date or number.
const END: usize = 12;
const VERSION_END: usize = 5;

/// Returns the part that may be shortened, and the end that stays, for a text of at least `from`
/// characters.
fn parts(text: &str, stays: usize, from: usize) -> (&str, &str) {
    let count = text.chars().count();
    if count < from {
        return (text, "");
    }
    let at = text
        .char_indices()
        .nth(count - stays)
        .map_or(text.len(), |(at, _)| at);
    text.split_at(at)
}

/// Renders the name as one line.
pub fn cut_text(text: &str) -> impl IntoView + use<> {
    shortened_view(text, END, END * 2)
}

/// Renders a name as one line in a table cell. Shorter names are split too, because the cell has
/// the full name for assistive technology. (The two parts are boxes: a copied text has a break
/// between them.)
pub fn cut_cell(name: &str) -> impl IntoView + use<> {
    shortened_view(name, END, END + END / 2)
}

/// Renders a version as one line, for narrow columns.
pub fn cut_version(text: &str) -> impl IntoView + use<> {
    shortened_view(text, VERSION_END, VERSION_END * 2)
}

fn shortened_view(text: &str, stays: usize, from: usize) -> impl IntoView + use<> {
    let (start, end) = parts(text, stays, from);
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

/// Renders the last item, *and 3 more*; nothing if `rest`, the number of items left out, is 0.
pub fn rest_item(rest: usize) -> Option<AnyView> {
    (rest > 0).then(|| view! { <li class="dim">{and_more(rest)}</li> }.into_any())
}

#[cfg(test)]
mod tests {
    use super::{END, VERSION_END, parts};
    #[test]
    fn the_end_of_a_long_name_stays() {
        assert_eq!(parts("short.v1.0.0", END, 18), ("short.v1.0.0", ""));
        assert_eq!(
            parts("skupper-operator.v1.8.1", END, 18),
            ("skupper-ope", "rator.v1.8.1")
        );
        assert_eq!(
            parts("elasticsearch-operator.v5.8.12", END, 24),
            ("elasticsearch-oper", "ator.v5.8.12")
        );
        assert_eq!(
            parts("ö".repeat(30).as_str(), END, 24).1.chars().count(),
            12
        );
        assert_eq!(
            parts("1.31.0-nightly-2026-08-22", VERSION_END, 10),
            ("1.31.0-nightly-2026-", "08-22")
        );
    }
}

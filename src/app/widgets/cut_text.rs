//! A name that gives way in its middle where there is no room: names of one kind differ at their ends. The whole is in the
//! text, and in the tooltip.

use leptos::prelude::*;

/// So many characters of the end of a name stay, and of a version, whose end is a day or a number.
const END: usize = 12;
const VERSION_END: usize = 5;

/// The part that gives way, and the end that stays.
fn parts(text: &str, stays: usize) -> (&str, &str) {
    let count = text.chars().count();
    if count < stays + stays / 2 {
        return (text, "");
    }
    let at = text.char_indices().nth(count - stays).map_or(text.len(), |(at, _)| at);
    text.split_at(at)
}

/// The name as one line.
pub fn cut_text(text: &str) -> impl IntoView + use<> {
    cut(text, END)
}

/// A version as one line, for narrow columns.
pub fn cut_version(text: &str) -> impl IntoView + use<> {
    cut(text, VERSION_END)
}

fn cut(text: &str, stays: usize) -> impl IntoView + use<> {
    let (start, end) = parts(text, stays);
    let (start, end) = (start.to_owned(), end.to_owned());
    view! {
        <span class="cut" title=text.to_owned()>
            <span class="cut-start">{start}</span>
            <span class="cut-end">{end}</span>
        </span>
    }
}

#[cfg(test)]
mod tests {
    use super::{END, VERSION_END, parts};

    #[test]
    fn the_end_of_a_long_name_stays() {
        assert_eq!(parts("short.v1.0.0", END), ("short.v1.0.0", ""));
        assert_eq!(parts("skupper-operator.v1.8.1", END), ("skupper-ope", "rator.v1.8.1"));
        assert_eq!(parts("elasticsearch-operator.v5.8.12", END), ("elasticsearch-oper", "ator.v5.8.12"));
        assert_eq!(parts("ö".repeat(30).as_str(), END).1.chars().count(), 12);
        assert_eq!(parts("1.31.0-nightly-2026-08-22", VERSION_END), ("1.31.0-nightly-2026-", "08-22"));
    }
}

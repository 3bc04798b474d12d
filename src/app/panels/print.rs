//! What stands on paper alone: which catalog and package it is, and the source as text.

use crate::context::AppContext;
use crate::edits::suggestions::catalog_name;
use crate::state::store::Tab;
use leptos::prelude::*;
use protocol::views::SourceView;
use std::fmt::Write;

/// Above what is printed.
#[component]
pub fn PrintTitle(app: AppContext) -> impl IntoView {
    move || {
        app.preferences.printing().get().then(|| {
            let package = app.current.package.get();
            let title = match app.store.tab.get() {
                Tab::Graph => format!("Upgrade graph of {package}"),
                Tab::Table => format!("Entries of {package}"),
                Tab::Everyone => format!("Upgrade map of {package}"),
                Tab::Compare => "What changes for users".to_owned(),
                Tab::Source => {
                    let place = app.store.source_place.get();
                    place.map_or_else(|| "Source".to_owned(), |place| place.file)
                }
            };
            let root = app.store.root.get();
            let catalog = app.store.status.with(|status| catalog_name(&status.roots, &root));
            view! { <p class="print-title"><strong>{title}</strong>" "<span>{format!("Catalog {catalog}")}</span></p> }
        })
    }
}

/// The source as it is on paper: the lines that the page has, with their numbers.
#[component]
pub fn PrintedSource(app: AppContext) -> impl IntoView {
    move || {
        app.preferences.printing().get().then(|| {
            let source = app.store.source.get().unwrap_or_default();
            let (told, text) = (told(&source), numbered(&source));
            view! {
                {told.map(|told| view! { <p class="print-note">{told}</p> })}
                <pre class="print-source">{text}</pre>
            }
        })
    }
}

/// What is not on the paper.
fn told(source: &SourceView) -> Option<String> {
    let (first, count) = (source.first, source.lines.len() as u32);
    (count < source.total_lines).then(|| {
        format!(
            "Lines {first} to {} of {}.",
            first + count.saturating_sub(1),
            source.total_lines
        )
    })
}

fn numbered(source: &SourceView) -> String {
    let width = source.total_lines.to_string().len();
    let mut out = String::new();
    for (number, line) in (source.first..).zip(&source.lines) {
        let cut = if line.hidden > 0 { "…" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{number:>width$}  {}{cut}", line.text);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::SourceLine;

    fn source(first: u32, lines: &[(&str, u64)], total_lines: u32) -> SourceView {
        let line = |(text, hidden): &(&str, u64)| SourceLine {
            text: (*text).to_owned(),
            hidden: *hidden,
            ..SourceLine::default()
        };
        SourceView {
            first,
            lines: lines.iter().map(line).collect(),
            total_lines,
            ..SourceView::default()
        }
    }

    #[test]
    fn lines_have_their_numbers_and_say_where_they_are_cut() {
        let source = source(9, &[("a: 1", 0), ("b", 7)], 120);
        assert_eq!(numbered(&source), "  9  a: 1\n 10  b…\n");
        assert_eq!(told(&source).as_deref(), Some("Lines 9 to 10 of 120."));
    }

    #[test]
    fn a_whole_file_needs_no_note() {
        assert_eq!(told(&source(1, &[("a: 1", 0)], 1)), None);
        assert_eq!(told(&SourceView::default()), None);
    }
}

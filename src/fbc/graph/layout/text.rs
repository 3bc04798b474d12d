//! Texts on cars and headings: what they say, how wide they are, where they are cut.

use crate::fbc::graph::names::NameFacts;
use std::collections::HashMap;

/// Advance of a character of the monospaced face at 11 px.
const CHARACTER: f32 = 6.6;
/// Advance of a character of the bold heading face.
const BOLD: f32 = 7.4;
/// Least width of a car and room beside its text.
const LEAST: f32 = 52.0;
const PADDING: f32 = 12.0;

/// Lengths to cut at, shortest first: the next one is taken only by texts that would read the same.
const BUDGETS: [usize; 5] = [14, 20, 28, 48, 96];

pub(super) fn car_width(text: &str) -> f32 {
    (text.chars().count() as f32 * CHARACTER + PADDING).ceil().max(LEAST)
}

/// Characters that fit on a car of a width.
pub(super) fn characters(width: f32) -> usize {
    ((width - PADDING) / CHARACTER + 0.1).max(1.0) as usize
}

pub(super) fn fits_heading(text: &str, width: f32) -> bool {
    text.chars().count() as f32 * BOLD <= width
}

/// At most `most` characters, cut in the middle; more is kept of the end, which is where versions differ.
pub(super) fn cut(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let head = kept * 2 / 5;
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(count - (kept - head)).collect();
    format!("{start}…{end}")
}

/// Only the end, for narrow cars.
pub(super) fn tail(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    std::iter::once('…').chain(text.chars().skip(count - most.saturating_sub(1))).collect()
}

/// What stands on the cars of each name: the version (with its release), or the name where there is none or where two
/// names share it; cut only as far as all stay different.
pub(super) fn car_texts(names: &[&NameFacts]) -> Vec<String> {
    let mut full: Vec<String> = names.iter().map(|facts| versioned(facts)).collect();
    for (text, shared) in repeats(&full).into_iter().enumerate() {
        if let (true, Some(text), Some(facts)) = (shared, full.get_mut(text), names.get(text)) {
            *text = facts.name.to_string();
        }
    }
    let mut texts: Vec<String> = full.iter().map(|text| cut(text, BUDGETS[0])).collect();
    for budget in BUDGETS.iter().skip(1) {
        let same = repeats(&texts);
        if !same.contains(&true) {
            break;
        }
        for ((text, full), _) in texts.iter_mut().zip(&full).zip(same).filter(|(_, same)| *same) {
            *text = cut(full, *budget);
        }
    }
    texts
}

fn versioned(facts: &NameFacts) -> String {
    match (facts.text.is_empty(), facts.release.is_empty()) {
        (true, _) => facts.name.to_string(),
        (false, true) => facts.text.to_string(),
        (false, false) => format!("{}-{}", facts.text, facts.release),
    }
}

/// For each text, whether another one reads the same.
fn repeats(texts: &[String]) -> Vec<bool> {
    let mut counts: HashMap<&str, u32> = HashMap::with_capacity(texts.len());
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    texts.iter().map(|text| counts.get(text.as_str()).is_some_and(|&n| n > 1)).collect()
}

/// `.3`, `.0-rc.1`: what a version adds to its stream; "" without a version.
pub(super) fn patch(facts: &NameFacts) -> String {
    let Some(version) = &facts.version else { return String::new() };
    let mut label = format!(".{}", version.patch());
    if !version.prerelease().is_empty() {
        label = format!("{label}-{}", version.prerelease());
    }
    if !version.build().is_empty() {
        label = format!("{label}+{}", version.build());
    }
    label
}

/// `skips 80: 1.26.0 … 1.33.6`.
pub(super) fn run_label(first: &str, last: &str, count: usize, by: usize) -> String {
    let what = match count {
        1 => format!("skips {first}"),
        _ => format!("skips {count}: {first} … {last}"),
    };
    if by > 1 { format!("{what} (by {by} entries)") } else { what }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_in_the_middle_and_keep_their_end() {
        assert_eq!(cut("1.29.3", 14), "1.29.3");
        assert_eq!(cut("1.31.0-nightly-2025-08-22", 14), "1.31.…25-08-22");
        assert_eq!(tail("1.31.0-nightly-2025-08-22", 6), "…08-22");
        assert_eq!(cut("ä", 0), "…");
    }

    #[test]
    fn cars_are_as_wide_as_their_text_needs() {
        assert_eq!(car_width("1.29.3"), 52.0);
        assert_eq!(car_width("1.31.…25-08-22"), 105.0);
        assert_eq!(characters(52.0), 6);
    }
}

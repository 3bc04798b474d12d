//! The matches of a version range, shown below its field while the user types: their number and
//! versions, or the syntax error.

use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::FormValues;
use crate::prelude::*;
use crate::widgets::short_text::rest_item;
use protocol::query::CaughtVersions;
use protocol::request::RangePurpose;
use protocol::views::{CaughtVersion, EntryRef, RangeMatches, TextRange};

/// Maximum number of versions listed; the others are counted.
const MAX_LISTED: usize = 60;

/// The matches of the range in `field`. `root` is the form's catalog.
#[component]
pub fn RangeMatches(
    app: AppContext,
    command: EditCommand,
    field: Field,
    purpose: RangePurpose,
    #[prop(into)] values: Signal<FormValues>,
    root: Signal<Option<String>>,
) -> impl IntoView {
    let query = derived(move || {
        let root = root.get()?;
        values.with(|values| {
            let text = values.get(field);
            if text.is_empty() || text == "none" {
                return None;
            }
            let (channel, name) = match command {
                EditCommand::Promote => (Field::ToChannel, Field::Bundle),
                _ => (Field::Channel, Field::Entry),
            };
            let entry = EntryRef {
                channel: values.get(channel).to_owned(),
                name: values.get(name).to_owned(),
            };
            Some(CaughtVersions {
                root,
                package: values.get(Field::Package).to_owned(),
                entry,
                text: text.to_owned(),
                purpose,
            })
        })
    });
    let matches = debounced_query(query, move |query| async move {
        app.store.ask(query).await.ok()
    });
    view! {
        <div class="catches">
            {move || matches.get().map(|matches| view! { <MatchList matches purpose/> })}
        </div>
    }
    .into_any()
}

#[component]
fn MatchList(matches: RangeMatches, purpose: RangePurpose) -> impl IntoView {
    if !matches.error.is_empty() {
        let marked = matches.wrong.map(|wrong| {
            let (before, wrong, after) = split_at_range(&matches.text, wrong);
            view! { <p class="mono catches-text">{before}<mark class="catches-wrong">{wrong}</mark>{after}</p> }
        });
        return view! { {marked}<p class="field-error">{matches.error}</p> }.into_any();
    }
    let more = matches.caught.len().saturating_sub(MAX_LISTED);
    let skips_itself = matches.contains_own_version && purpose == RangePurpose::SkipRange;
    let summary = summary(&matches);
    let listed = matches.caught.into_iter().take(MAX_LISTED).map(|CaughtVersion { name, version, is_listed }| {
        let title = if is_listed { name } else { format!("{name}, not in this channel") };
        view! { <li class="mono" data-elsewhere=(!is_listed).then_some("true") title=title>{version}</li> }
    });
    view! {
        <p>{summary}</p>
        <ul class="catches-list" aria-label="Versions in the range">
            {listed.collect_view()}
            {rest_item(more)}
        </ul>
        {skips_itself.then(|| view! { <p class="field-hint">"Its own version is in the range too."</p> })}
    }
    .into_any()
}

/// Formats the number of matches, e.g. `Matches 3 of 20 versions, 1 not in this channel.`
fn summary(matches: &RangeMatches) -> String {
    let total = words::count(matches.total, "version");
    let outside = matches
        .caught
        .iter()
        .filter(|version| !version.is_listed)
        .count();
    match (matches.caught.len(), outside) {
        (0, _) => format!("Matches none of {total}."),
        (count, 0) => format!("Matches {count} of {total}."),
        (count, outside) => format!("Matches {count} of {total}, {outside} not in this channel."),
    }
}

/// Splits a text into the parts before, within and after a range of characters.
fn split_at_range(text: &str, range: TextRange) -> (String, String, String) {
    let TextRange {
        start: from,
        end: to,
    } = range;
    let part = |from: u32, to: u32| {
        text.chars()
            .skip(from as usize)
            .take((to.max(from) - from) as usize)
            .collect()
    };
    (
        part(0, from),
        part(from, to),
        text.chars().skip(to as usize).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_characters_not_bytes() {
        assert_eq!(
            split_at_range("é >x <2", TextRange { start: 2, end: 4 }),
            ("é ".into(), ">x".into(), " <2".into())
        );
        assert_eq!(
            split_at_range("a", TextRange { start: 3, end: 9 }),
            ("a".into(), String::new(), String::new())
        );
    }

    #[test]
    fn summary_counts_matches_outside_the_channel() {
        let matches = |listed: &[bool]| RangeMatches {
            caught: listed
                .iter()
                .map(|&is_listed| CaughtVersion {
                    is_listed,
                    ..CaughtVersion::default()
                })
                .collect(),
            total: 4,
            ..RangeMatches::default()
        };
        assert_eq!(summary(&matches(&[])), "Matches none of 4 versions.");
        assert_eq!(summary(&matches(&[true, true])), "Matches 2 of 4 versions.");
        assert_eq!(
            summary(&matches(&[true, false])),
            "Matches 2 of 4 versions, 1 not in this channel."
        );
    }
}

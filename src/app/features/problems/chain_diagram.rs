//! A small part of the graph for an explanation: chains side by side, newest on top, each entry
//! with its edge to the next. Marks are shown as text beside the shape.

use crate::context::AppContext;
use crate::widgets::code_text::in_code;
use leptos::prelude::*;
use protocol::diagnostic::{Chain, ChainEntry, ChainLink, ChainMark};
use protocol::request::Target;

/// `channel` is the channel of the entries, if they are entries.
#[component]
pub(super) fn Chains(
    app: AppContext,
    channel: Option<String>,
    chains: Vec<Chain>,
) -> impl IntoView {
    let items = chains
        .into_iter()
        .map(|chain| one(app, channel.as_deref(), chain))
        .collect_view();
    view! {
        <div class="chains" role="group" aria-label="The part of the graph">{items}</div>
    }
    .into_any()
}

fn one(app: AppContext, channel: Option<&str>, chain: Chain) -> impl IntoView + use<> {
    let Chain { title, links } = chain;
    let name: String = title.chars().filter(|c| *c != '`').collect();
    let links = links.into_iter().map(|link| match link {
        ChainLink::Entry(entry) => place(app, channel, entry).into_any(),
        ChainLink::Folded(count) => folded_view(count).into_any(),
    });
    view! {
        <div class="chain">
            <p class="chain-title">{in_code(&title)}</p>
            <ol aria-label=name>{links.collect_view()}</ol>
        </div>
    }
    .into_any()
}

fn place(app: AppContext, channel: Option<&str>, entry: ChainEntry) -> impl IntoView + use<> {
    let ChainEntry {
        name,
        version,
        marks,
        edge,
    } = entry;
    let shape = shape(&marks);
    let version = (!version.is_empty() && !name.contains(&version)).then_some(version);
    let labels: Vec<&str> = marks.iter().map(|mark| mark.label()).collect();
    let states = (!labels.is_empty()).then(|| labels.join(", "));
    let is_there = !marks
        .iter()
        .any(|mark| matches!(mark, ChainMark::Absent | ChainMark::Default));
    let target = channel.filter(|_| is_there).map(|channel| Target::Entry {
        channel: channel.to_owned(),
        name: name.clone(),
    });
    let node = match target {
        Some(target) => view! {
            <button type="button" class="chain-node" data-shape=shape title="Select it" on:click=move |_| app.select(target.clone())>
                {name}
            </button>
        }
        .into_any(),
        None => view! { <span class="chain-node" data-shape=shape>{name}</span> }.into_any(),
    };
    view! {
        <li class="chain-place">
            {node}
            {version.map(|version| view! { <span class="chain-words">{version}</span> })}
            {states.map(|states| view! { <span class="chain-words" data-shape=shape>{states}</span> })}
            {(!edge.is_empty()).then(|| view! { <span class="chain-edge">{edge}</span> })}
        </li>
    }
    .into_any()
}

fn folded_view(count: u32) -> impl IntoView {
    view! { <li class="chain-place"><span class="chain-folded">{format!("{count} more between")}</span></li> }
}

/// The shape of an entry's most important mark.
fn shape(marks: &[ChainMark]) -> &'static str {
    let order = [
        (ChainMark::Absent, "absent"),
        (ChainMark::NoBundle, "no-bundle"),
        (ChainMark::Stranded, "stranded"),
        (ChainMark::InCycle, "cycle"),
        (ChainMark::Suggested, "suggested"),
        (ChainMark::Head, "head"),
        (ChainMark::Named, "named"),
        (ChainMark::Skipped, "skipped"),
        (ChainMark::Meets, "meets"),
        (ChainMark::Default, "head"),
    ];
    order
        .into_iter()
        .find(|(mark, _)| marks.contains(mark))
        .map_or("plain", |(_, shape)| shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_mark_gives_an_entry_its_shape() {
        assert_eq!(shape(&[ChainMark::Head, ChainMark::NoBundle]), "no-bundle");
        assert_eq!(shape(&[ChainMark::Meets, ChainMark::Head]), "head");
        assert_eq!(shape(&[]), "plain");
    }
}

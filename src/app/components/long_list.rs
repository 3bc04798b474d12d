//! A list that may have thousands of items: equal items are merged, and only the first ones are in
//! the page until *Show N more* is pressed.

use crate::widgets::dom;
use leptos::prelude::*;
use std::collections::HashMap;
use std::hash::Hash;

/// Maximum number of items that are added to the page at once.
const PAGE: usize = 200;

/// An item, and how often the list has it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Counted<T> {
    item: T,
    times: usize,
}

/// A list of at most 200 distinct items, and a button that adds the next ones.
#[component]
pub fn LongList<T, F>(
    #[prop(optional)] class: &'static str,
    /// Accessible name.
    #[prop(optional, into)]
    label: Option<String>,
    #[prop(optional)] item_class: &'static str,
    items: Vec<T>,
    /// Draws the content of an item.
    render: F,
) -> impl IntoView
where
    T: Clone + Eq + Hash + Send + Sync + 'static,
    F: Fn(T) -> AnyView + Send + Sync + 'static,
{
    let id = dom::fresh_id("long-list");
    let pages = RwSignal::new(1);
    let counted = count_equal(items);
    let total = counted.len();
    let items = StoredValue::new(counted);
    let render = StoredValue::new(render);
    let first_id = move |page: usize| format!("{id}-{page}");
    let show_more = {
        let first_id = first_id.clone();
        move |_| {
            let page = pages.get_untracked();
            pages.set(page + 1);
            // The button may disappear: move the focus to the first new item.
            dom::focus_id_when_drawn(&first_id(page));
        }
    };
    let draw = move |page: usize| {
        let mut id = (page > 0).then(|| first_id(page));
        let mut draw_item = |Counted { item, times }: &Counted<T>| {
            let id = id.take();
            let tabindex = id.is_some().then_some("-1");
            let times = (*times > 1).then(|| format!(" ×{times}"));
            let content = render.with_value(|render| render(item.clone()));
            view! { <li class=item_class id=id tabindex=tabindex>{content}{times}</li> }.into_any()
        };
        items.with_value(|items| {
            let of_page = items.iter().skip(page * PAGE).take(PAGE);
            of_page.map(&mut draw_item).collect::<Vec<AnyView>>()
        })
    };
    view! {
        <ul class=class aria-label=label>
            <For each=move || 0..pages.get() key=|page| *page let:page>{draw(page)}</For>
            {move || {
                more_label(total, pages.get() * PAGE)
                    .map(|label| view! { <li><button type="button" class="link" on:click=show_more.clone()>{label}</button></li> })
            }}
        </ul>
    }
    .into_any()
}

/// Labels the button that shows the next items; `None` if all are shown.
fn more_label(total: usize, shown: usize) -> Option<String> {
    match total.saturating_sub(shown) {
        0 => None,
        rest if rest <= PAGE => Some(format!("Show {rest} more")),
        rest => Some(format!("Show {PAGE} more of {rest}")),
    }
}

/// Merges equal items; each keeps the place of the first one.
fn count_equal<T: Clone + Eq + Hash>(items: Vec<T>) -> Vec<Counted<T>> {
    let mut counted: Vec<Counted<T>> = Vec::new();
    let mut places: HashMap<T, usize> = HashMap::new();
    for item in items {
        let place = *places.entry(item.clone()).or_insert(counted.len());
        match counted.get_mut(place) {
            Some(known) => known.times += 1,
            None => counted.push(Counted { item, times: 1 }),
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_are_merged_in_place() {
        let counted = count_equal(vec!["a", "b", "a", "c", "a"]);
        let texts: Vec<(&str, usize)> = counted.iter().map(|one| (one.item, one.times)).collect();
        assert_eq!(texts, [("a", 3), ("b", 1), ("c", 1)]);
    }

    #[test]
    fn the_button_names_what_is_left() {
        assert_eq!(more_label(200, 200), None);
        assert_eq!(more_label(3, 200), None);
        assert_eq!(more_label(201, 200).as_deref(), Some("Show 1 more"));
        assert_eq!(
            more_label(10_000, 400).as_deref(),
            Some("Show 200 more of 9600")
        );
    }
}

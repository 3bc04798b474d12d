//! A list that may have thousands of items: equal items are merged, and only the first ones are in
//! the page until *Show N more* is pressed.

use leptos::prelude::*;
use std::collections::HashMap;
use std::hash::Hash;

/// Maximum number of items that are added to the page at once.
pub const PAGE: usize = 200;

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
    render: F,
) -> impl IntoView
where
    T: Clone + Eq + Hash + Send + Sync + 'static,
    F: Fn(T) -> AnyView + Send + Sync + 'static,
{
    let shown = RwSignal::new(PAGE);
    let counted = count_equal(items);
    let total = counted.len();
    let items = StoredValue::new(counted);
    let render = StoredValue::new(render);
    let draw_item = move |Counted { item, times }: &Counted<T>| {
        let times = (*times > 1).then(|| format!(" ×{times}"));
        let content = render.with_value(|render| render(item.clone()));
        view! { <li class=item_class>{content}{times}</li> }.into_any()
    };
    let draw_page = move |page: usize| {
        items.with_value(|items| {
            let of_page = items.iter().skip(page * PAGE).take(PAGE);
            of_page.map(draw_item).collect::<Vec<AnyView>>()
        })
    };
    view! {
        <ul class=class aria-label=label>
            <For each=move || 0..shown.get() / PAGE key=|page| *page let:page>{draw_page(page)}</For>
        </ul>
        <ShowMore total shown/>
    }
    .into_any()
}

/// The button below a list or table that shows its next items; nothing if all are shown.
#[component]
pub fn ShowMore(
    #[prop(into)] total: Signal<usize>,
    /// Number of items shown, a multiple of [`PAGE`].
    shown: RwSignal<usize>,
) -> impl IntoView {
    let on_press = move |_| shown.update(|shown| *shown += PAGE);
    move || {
        let label = more_label(total.get(), shown.get())?;
        Some(view! { <button type="button" class="link" on:click=on_press>{label}</button> })
    }
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
    fn the_button_names_the_number_of_remaining_items() {
        assert_eq!(more_label(200, 200), None);
        assert_eq!(more_label(3, 200), None);
        assert_eq!(more_label(201, 200).as_deref(), Some("Show 1 more"));
        assert_eq!(
            more_label(10_000, 400).as_deref(),
            Some("Show 200 more of 9600")
        );
    }
}

//! Headings of the lanes, left of them: name, facts and the worst problem of each channel.

use super::channel_list::arrange;
use super::{GraphContext, accessible_names, view_keeping};
use crate::context::MenuSubject;
use crate::edits::applicable::can_change_default;
use crate::prelude::*;
use crate::reactive::redrawn_whole;
use crate::state::layout::LaneCommand;
use crate::words::shorten;
use leptos::ev;
use protocol::request::Target;
use protocol::views::{EntryRef, ProblemMark};

/// Separates two facts of a lane.
const SEPARATOR: &str = " · ";
/// Minimum lane height in screen pixels for facts below the name.
const NOTE_HEIGHT: f64 = 36.0;
/// Clickable width of a lane's heading: the layout's `header` minus a margin.
const HIT_WIDTH: &str = "144";
/// Maximum letters of a lane's name and of its facts in the heading.
const NAME_LETTERS: usize = 17;
const NOTE_LETTERS: usize = 23;
/// A name is not shortened to fewer letters, which would mean nothing.
const MIN_NAME_LETTERS: usize = 12;
/// Minimum lane height in screen pixels for a full-size name.
const LOW_LANE: f64 = 18.0;

#[derive(Debug, Clone, PartialEq, Default)]
struct Heading {
    channel: String,
    subtitle: String,
    label: String,
    is_default: bool,
    /// Whether another channel can become the default channel.
    has_movable_star: bool,
    deprecated: bool,
    removed: bool,
    edited: bool,
    problem: Option<ProblemMark>,
    y: f64,
    height: f64,
}

/// Name and subtitle of a lane, on the left.
#[component]
pub(super) fn LaneHeading(shared: GraphContext, index: usize) -> impl IntoView {
    let heading = memo(move |_| {
        shared.lanes.with(|lanes| {
            let Some(lane) = lanes.lanes.get(index) else {
                return Heading::default();
            };
            let changes = shared.changes.get();
            let removed = accessible_names::removed_names(&changes, lane);
            Heading {
                channel: lane.channel.clone(),
                subtitle: lane.subtitle.clone(),
                label: accessible_names::heading(lane, &removed),
                is_default: lane.is_default,
                has_movable_star: shared.facts.with(|view| can_change_default(view)),
                deprecated: lane.deprecated,
                removed: lane.removed,
                edited: lane.edited,
                problem: lane.problem.clone(),
                y: f64::from(lane.y),
                height: f64::from(lane.height),
            }
        })
    });
    let is_selected = memo(move |_| {
        let selected = shared.selected.get();
        heading.with(|heading| {
            matches!(selected, Some(Target::Channel { channel }) if channel == heading.channel)
        })
    });
    let is_low = move || heading.with(|heading| heading.height) * shared.scale.get() < LOW_LANE;
    let actions = LaneActions { shared, heading };
    view! {
        <g
            class="lane-heading"
            class:lane-deprecated=move || heading.with(|heading| heading.deprecated)
            class:lane-removed=move || heading.with(|heading| heading.removed)
            class:lane-low=is_low
            class:lane-selected=move || is_selected.get()
            aria-pressed=move || is_selected.get().to_string()
            data-press=""
            data-channel=move || heading.with(|heading| heading.channel.clone())
            role="button"
            tabindex="0"
            aria-label=move || heading.with(|heading| heading.label.clone())
            aria-haspopup=move || heading.with(|heading| heading.removed.then_some("menu"))
            on:focus=move |e| {
                // A press must not move the pressed element, so only keys scroll.
                if dom::focused_by_key(&e).is_some() {
                    view_keeping::show_lane(shared, index);
                }
            }
            on:click=move |_| actions.select()
            on:keydown=move |e| actions.on_key(&e)
            on:contextmenu=move |e| {
                e.prevent_default();
                actions.open_menu_at((e.client_x(), e.client_y()));
            }
        >
            {redrawn_whole(move || {
                let scale = shared.scale.get();
                heading.with(|heading| draw_lane_heading(heading, scale))
            })}
        </g>
    }
    .into_any()
}

/// The actions on a lane's heading. A removed channel has a menu but cannot be selected or moved.
#[derive(Clone, Copy)]
struct LaneActions {
    shared: GraphContext,
    heading: Memo<Heading>,
}

impl LaneActions {
    fn select(self) {
        let Heading {
            channel, removed, ..
        } = self.heading.get_untracked();
        if !removed {
            self.shared.app.select(Target::Channel { channel });
        }
    }

    fn open_menu_at(self, at: (i32, i32)) {
        let Heading {
            channel, removed, ..
        } = self.heading.get_untracked();
        if removed {
            let name = String::new();
            let subject = MenuSubject::Removed(EntryRef { channel, name });
            self.shared.app.overlays.open_menu(subject, at);
        } else {
            self.shared.app.open_menu(Target::Channel { channel }, at);
        }
    }

    fn on_key(self, event: &ev::KeyboardEvent) {
        let Heading {
            channel, removed, ..
        } = self.heading.get_untracked();
        let open_menu = || {
            self.open_menu_at(dom::below(dom::element(event.current_target()).as_ref()));
        };
        let key = event.key();
        let command = LaneCommand::from_key(&key).filter(|_| event.alt_key() && !removed);
        match (key.as_str(), command) {
            (_, Some(command)) => arrange(self.shared, command, &channel),
            ("Enter" | " ", None) if !removed => self.select(),
            ("Enter" | " " | "ContextMenu", None) => open_menu(),
            ("F10", None) if event.shift_key() => open_menu(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }
}

fn draw_lane_heading(heading: &Heading, scale: f64) -> AnyView {
    let Heading {
        channel,
        subtitle,
        is_default,
        has_movable_star,
        edited,
        problem,
        ..
    } = heading;
    let (y, height) = (heading.y * scale, heading.height * scale);
    let middle = y + height / 2.0;
    let with_note = height >= NOTE_HEIGHT;
    // The star takes the room of three letters, and the edit mark that of two.
    let name = shorten(
        channel,
        NAME_LETTERS - 3 * usize::from(*is_default) - 2 * usize::from(*edited),
    );
    view! {
        <title>{format!("{channel}\n{subtitle}")}</title>
        <rect class="lane-hit" x="2" y=(y + 1.0).to_string() width=HIT_WIDTH height=(height - 2.0).max(1.0).to_string() rx="6"/>
        <text class="lane-name" x="14" y=(if with_note { middle - 3.0 } else { middle + 4.0 }).to_string()>
            {is_default.then(|| view! { <tspan data-star=has_movable_star.then_some("")>"★ "</tspan> })}
            {name}
            {edited.then_some(" ●")}
        </text>
        {problem.as_ref().map(|problem| problem_mark(problem, 7.0, if with_note { middle - 7.0 } else { middle }))}
        {with_note.then(|| view! { <text class="lane-note" x="14" y=(middle + 14.0).to_string()>{fit_facts(subtitle, NOTE_LETTERS)}</text> })}
    }
    .into_any()
}

/// Keeps the complete facts that fit; the tooltip of the name has all of them. A last fact that is
/// a name is shortened instead of dropped.
fn fit_facts(subtitle: &str, max_letters: usize) -> String {
    let mut out = String::new();
    for part in subtitle.split(SEPARATOR) {
        let lead = if out.is_empty() { "" } else { SEPARATOR };
        let room = max_letters.saturating_sub(out.chars().count() + lead.chars().count());
        if part.chars().count() > room && !out.is_empty() && room < MIN_NAME_LETTERS {
            break;
        }
        out.push_str(lead);
        out.push_str(&shorten(part, room));
    }
    out
}

/// Renders the icon of the worst problem around a center: a cross in a circle, or a triangle.
pub(super) fn problem_mark(problem: &ProblemMark, x: f64, y: f64) -> impl IntoView + use<> {
    let (class, ground, sign) = if problem.errors > 0 {
        (
            "problem-mark",
            "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
            "M-1.8 -1.8L1.8 1.8M1.8 -1.8L-1.8 1.8",
        )
    } else {
        (
            "problem-mark advice",
            "M0 -5L5.4 4.4H-5.4z",
            "M0 -1.8V1.2M0 2.9V3",
        )
    };
    view! {
        <g class=class transform=format!("translate({x:.1} {y:.1})")>
            <path class="problem-ground" d=ground/>
            <path class="problem-sign" d=sign/>
        </g>
    }
}

#[cfg(test)]
mod tests {
    use super::fit_facts;

    #[test]
    fn facts_of_a_lane_are_shown_as_wholes_or_not_at_all() {
        assert_eq!(fit_facts("43 · deprecated", 20), "43 · deprecated");
        assert_eq!(fit_facts("11 · 2 heads · deprecated", 20), "11 · 2 heads");
        assert_eq!(fit_facts("removed", 20), "removed");
    }
}

//! The visuals of drag and drop: the grip, the preview of a node, the selection frame, and the card
//! with the consequences of a drop.

use super::drag::{DragSource, DropTarget, Forecast, Gesture, Ghost, ghost, grip, point_in_lanes};
use super::viewport::{Area, Point};
use super::{ARROW_TIP, GraphContext, nodes};
use crate::prelude::*;
use crate::reactive::redrawn_whole;
use protocol::upgrades::EntryOutcome;
use protocol::views::EntryRef;

#[derive(Debug, Clone, PartialEq, Eq)]
struct CardLine {
    tone: &'static str,
    text: String,
}

/// The parts of a drag that move with the lanes.
#[component]
pub(super) fn DragLayer(shared: GraphContext) -> impl IntoView {
    let shape = memo(move |_| drag_shape(shared));
    view! {
        <Grip shared/>
        {redrawn_whole(move || {
            shape.get().map(draw).into_any()
        })}
    }
    .into_any()
}

/// The grip of the hovered or focused node. The keyboard shortcuts and menu items *Set replaces…*
/// and *Add skip…* are its alternatives.
#[component]
fn Grip(shared: GraphContext) -> impl IntoView {
    let at = memo(move |_| {
        let at = shared.gripped.get()?;
        shared.lanes.with(|lanes| grip(nodes::node_at(lanes, at)?))
    });
    let is_hovered = memo(move |_| shared.hover.get().is_some());
    let is_visible = memo(move |_| at.with(Option::is_some));
    let transform = move || {
        let at = at.get().unwrap_or_default();
        format!("translate({:.1} {:.1})", at.x, at.y)
    };
    view! {
        <Show when=move || is_visible.get()>
            <g class="grip" data-grip="" class:grip-hover=move || is_hovered.get() aria-hidden="true" transform=transform>
                {draw_grip()}
            </g>
        </Show>
    }
    .into_any()
}

/// Draws a grip around the origin.
pub(super) fn draw_grip() -> AnyView {
    view! {
        <circle class="grip-hit" r="9"/>
        <circle class="grip-dot" r="4.5"/>
        <path class="grip-sign" d="M1.5 -2L-1.5 0L1.5 2"/>
    }
    .into_any()
}

#[derive(Debug, Clone, PartialEq)]
enum DragShape {
    Ghost(Ghost),
    Frame(Area),
    /// A line from a grip to the pointer, or to the node under it.
    Line {
        from: Point,
        to: Point,
        meets: bool,
        skips: bool,
    },
}

fn drag_shape(shared: GraphContext) -> Option<DragShape> {
    // Panning draws nothing: do not recompute with every movement of the view.
    let drag = shared.drag.with(|drag| {
        drag.clone()
            .filter(|drag| drag.moved && drag.source != DragSource::Ground)
    })?;
    let drop_target = shared.drop_target.get();
    // Moving the view changes the lanes under the pointer.
    shared.view.track();
    let pointer = shared.pointer();
    shared.lanes.with(|lanes| match &drag.source {
        DragSource::Node(entry) => {
            let DropTarget::Valid(Gesture::Promote { to, .. }) = &drop_target else {
                return None;
            };
            let replaces = shared
                .forecast
                .with(|forecast| replaced_name(forecast.as_ref(), entry, to));
            ghost(lanes, entry, to, &replaces).map(DragShape::Ghost)
        }
        DragSource::Grip(entry) => {
            let node =
                |name: &str| nodes::node_at(lanes, nodes::find(lanes, &entry.channel, name)?);
            let from = grip(node(&entry.name)?)?;
            let (met, skips) = match drop_target.gesture() {
                Some(Gesture::Replace { replaces, .. }) => (node(replaces), false),
                Some(Gesture::Skip { skip, .. }) => (node(skip), true),
                _ => (None, drag.has_modifier),
            };
            let met = met.map(Area::from_node);
            let to = met.map_or(pointer, |node| Point {
                x: node.x + node.width,
                y: node.middle().y,
            });
            Some(DragShape::Line {
                from,
                to,
                meets: met.is_some(),
                skips,
            })
        }
        DragSource::Frame(from) => Some(DragShape::Frame(Area::between(*from, pointer))),
        DragSource::Ground | DragSource::Star => None,
    })
}

/// Returns the name of the entry that a promotion would replace; "" while unknown.
fn replaced_name(forecast: Option<&Forecast>, entry: &EntryRef, to: &str) -> String {
    let Some(Ok(outcome)) = forecast else {
        return String::new();
    };
    let promoted = outcome
        .entries
        .iter()
        .find(|changed| changed.channel == to && changed.name == entry.name);
    promoted
        .map(|changed| changed.replaces.clone())
        .unwrap_or_default()
}

fn draw(shape: DragShape) -> AnyView {
    match shape {
        DragShape::Ghost(ghost) => {
            let Area { x, y, width, height } = ghost.at;
            let line = ghost.replaces.map(|from| {
                let (to_x, to_y) = (if from.x < x { x } else { x + width }, y + height / 2.0);
                view! { <path class="drag-line" d=format!("M{:.1} {:.1}L{to_x:.1} {to_y:.1}", from.x, from.y) marker-end=ARROW_TIP/> }
            });
            view! {
                <g class="drag-ghost" aria-hidden="true">
                    {line}
                    <rect class="drag-ghost-box" x=x.to_string() y=y.to_string() width=width.to_string() height=height.to_string() rx="6"/>
                    <text class="drag-ghost-text" x=(x + width / 2.0).to_string() y=(y + height / 2.0 + 4.0).to_string() text-anchor="middle">{ghost.text}</text>
                </g>
            }
            .into_any()
        }
        DragShape::Frame(Area { x, y, width, height }) => view! {
            <rect class="drag-frame" aria-hidden="true" x=x.to_string() y=y.to_string() width=width.to_string() height=height.to_string()/>
        }
        .into_any(),
        DragShape::Line { from, to, meets, skips } => view! {
            <g class="drag-edge" class:drag-skips=skips aria-hidden="true">
                <path class="drag-line" d=format!("M{:.1} {:.1}L{:.1} {:.1}", to.x, to.y, from.x, from.y) marker-end=ARROW_TIP/>
                {meets.then(|| view! { <circle class="drag-met" cx=to.x.to_string() cy=to.y.to_string() r="5"/> })}
            </g>
        }
        .into_any(),
    }
}

/// The consequences of a drop, beside the pointer.
#[component]
pub(super) fn DragCard(shared: GraphContext) -> impl IntoView {
    let lines = memo(move |_| {
        let source = shared.drag.with(|drag| {
            drag.as_ref()
                .filter(|drag| drag.moved)
                .map(|drag| drag.source.clone())
        })?;
        shared.drop_target.with(|drop_target| {
            shared
                .forecast
                .with(|forecast| card_lines(&source, drop_target, forecast.as_ref()))
        })
    });
    let place = move || {
        shared
            .drag
            .with(|drag| drag.as_ref().map(|drag| drag.at).unwrap_or_default())
    };
    view! {
        <div
            class="drag-card"
            role="status"
            aria-label="Drag"
            hidden=move || lines.with(Option::is_none)
            style:left=move || format!("{:.0}px", place().x + 16.0)
            style:top=move || format!("{:.0}px", place().y + 20.0)
        >
            {move || {
                let lines = lines.get().unwrap_or_default().into_iter();
                lines.map(|CardLine { tone, text }| view! { <p class="drag-card-line" data-tone=tone>{text}</p> }).collect_view()
            }}
        </div>
    }
    .into_any()
}

/// Returns the text of the card; `None` if there is no card.
fn card_lines(
    source: &DragSource,
    drop_target: &DropTarget,
    forecast: Option<&Forecast>,
) -> Option<Vec<CardLine>> {
    let plain = |text: String| CardLine {
        tone: "plain",
        text,
    };
    let hint = match (source, drop_target) {
        (DragSource::Ground | DragSource::Frame(_), _) => return None,
        (_, DropTarget::Invalid(why)) => {
            return Some(vec![CardLine {
                tone: "bad",
                text: why.clone(),
            }]);
        }
        (_, DropTarget::Valid(gesture)) => {
            let mut lines = vec![CardLine {
                tone: "title",
                text: gesture.announcement(),
            }];
            match forecast {
                None => lines.push(plain("…".to_owned())),
                Some(forecast) => lines.extend(forecast_lines(gesture, forecast)),
            }
            return Some(lines);
        }
        (DragSource::Node(_), DropTarget::Absent) => "Drop on another lane to promote",
        (DragSource::Grip(_), DropTarget::Absent) => {
            "Drop on what it replaces; with Shift or Alt, on what it skips"
        }
        (DragSource::Star, DropTarget::Absent) => {
            "Drop on the lane that becomes the default channel"
        }
    };
    Some(vec![plain(hint.to_owned())])
}

fn forecast_lines(gesture: &Gesture, forecast: &Forecast) -> Vec<CardLine> {
    let outcome = match forecast {
        Err(why) => {
            return vec![CardLine {
                tone: "bad",
                text: format!("cannot be done: {}", strip_backticks(why)),
            }];
        }
        Ok(outcome) => outcome,
    };
    let why = strip_backticks(&outcome.why);
    let (tone, sign) = match (outcome.passes, outcome.breaks || outcome.passed) {
        (true, _) => ("good", "✓ "),
        (false, true) => ("bad", "✗ "),
        (false, false) => ("plain", ""),
    };
    // Templates have no verdict.
    let parts = [outcome.verdict.as_str(), why.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty());
    let verdict = CardLine {
        tone,
        text: format!("{sign}{}", parts.collect::<Vec<_>>().join(": ")),
    };
    // Errors that the drop does not cause come last. Templates give no reason.
    let mut lines = Vec::new();
    let mut last = None;
    if outcome.passes || outcome.breaks {
        if !verdict.text.trim_end().is_empty() {
            lines.push(verdict);
        }
    } else if !why.is_empty() {
        last = Some(verdict);
    }
    if let Gesture::Promote { bundle, to } = gesture {
        let is_promoted = |entry: &&EntryOutcome| entry.channel == *to && entry.name == *bundle;
        lines.extend(
            outcome
                .entries
                .iter()
                .find(is_promoted)
                .map(|entry| CardLine {
                    tone: "plain",
                    text: describe_edges(entry),
                }),
        );
        let others = outcome
            .entries
            .iter()
            .filter(|entry| !is_promoted(entry))
            .count() as u32;
        if others > 0 {
            lines.push(CardLine {
                tone: "plain",
                text: format!("{} with other edges", words::count(others, "entry")),
            });
        }
    }
    let judged = [
        (outcome.tone.name(), &outcome.headline),
        ("bad", &outcome.broken),
    ];
    lines.extend(
        judged
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(tone, text)| CardLine {
                tone,
                text: strip_backticks(text),
            }),
    );
    lines.extend(last);
    lines
}

/// Formats the edges of an entry, e.g. `replaces a, skips 2, skipRange <1.0.0`.
fn describe_edges(entry: &EntryOutcome) -> String {
    let skips = match entry.skips.as_slice() {
        [] => None,
        [one] => Some(format!("skips {one}")),
        several => Some(format!("skips {}", several.len())),
    };
    let parts = [
        (!entry.replaces.is_empty()).then(|| format!("replaces {}", entry.replaces)),
        skips,
        (!entry.skip_range.is_empty()).then(|| format!("skipRange {}", entry.skip_range)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "replaces nothing".to_owned()
    } else {
        parts.join(", ")
    }
}

fn strip_backticks(text: &str) -> String {
    text.chars().filter(|c| *c != '`').collect()
}

impl GraphContext {
    fn pointer(self) -> Point {
        let at = self.drag.with(|drag| drag.as_ref().map(|drag| drag.at));
        at.map(|at| point_in_lanes(self, at)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::upgrades::Outcome;

    fn texts(
        source: &DragSource,
        drop_target: &DropTarget,
        forecast: Option<&Forecast>,
    ) -> Vec<String> {
        card_lines(source, drop_target, forecast)
            .unwrap_or_default()
            .into_iter()
            .map(|line| line.text)
            .collect()
    }

    fn entry(name: &str) -> EntryRef {
        EntryRef {
            channel: "fast".into(),
            name: name.into(),
        }
    }

    #[test]
    fn reports_a_promotion_with_its_verdict_and_edges() {
        let source = DragSource::Node(entry("b.v2"));
        let drop_target = DropTarget::Valid(Gesture::Promote {
            bundle: "b.v2".into(),
            to: "stable".into(),
        });
        assert_eq!(
            texts(&source, &drop_target, None),
            ["Promote b.v2 to stable", "…"],
            "the card waits for the forecast"
        );
        let mine = EntryOutcome {
            channel: "stable".into(),
            name: "b.v2".into(),
            replaces: "b.v1".into(),
            ..Default::default()
        };
        let outcome = Outcome {
            passes: true,
            passed: true,
            verdict: "still passes opm validate".into(),
            headline: "users on 1 now update to 2".into(),
            broken: "users who pin version 1 can no longer install it".into(),
            entries: vec![mine, EntryOutcome::default()],
            ..Outcome::default()
        };
        assert_eq!(
            texts(&source, &drop_target, Some(&Ok(outcome.clone()))),
            [
                "Promote b.v2 to stable",
                "✓ still passes opm validate",
                "replaces b.v1",
                "1 entry with other edges",
                "users on 1 now update to 2",
                "users who pin version 1 can no longer install it"
            ]
        );
        assert_eq!(
            replaced_name(Some(&Ok(outcome.clone())), &entry("b.v2"), "stable"),
            "b.v1"
        );
        let fails = Outcome {
            passes: false,
            verdict: "fails opm validate now".into(),
            why: "2 heads in `stable`".into(),
            breaks: true,
            ..outcome
        };
        let failed = Outcome {
            passed: false,
            verdict: "still fails opm validate".into(),
            ..fails.clone()
        };
        assert_eq!(
            texts(&source, &drop_target, Some(&Ok(failed.clone())))[1],
            "✗ still fails opm validate: 2 heads in stable"
        );
        let elsewhere = Outcome {
            why: "`q` has no bundle".into(),
            breaks: false,
            ..failed
        };
        let lines = texts(&source, &drop_target, Some(&Ok(elsewhere)));
        assert_eq!(
            (lines[1].as_str(), lines[5].as_str()),
            ("replaces b.v1", "still fails opm validate: q has no bundle")
        );
        assert_eq!(
            texts(&source, &drop_target, Some(&Ok(fails)))[1],
            "✗ fails opm validate now: 2 heads in stable"
        );
        let refused = Err("no `b.v2`".into());
        assert_eq!(
            texts(&source, &drop_target, Some(&refused))[1],
            "cannot be done: no b.v2"
        );
    }

    #[test]
    fn an_impossible_drop_shows_its_reason_and_the_background_nothing() {
        assert_eq!(
            texts(&DragSource::Star, &DropTarget::Invalid("no".into()), None),
            ["no"]
        );
        assert!(
            texts(&DragSource::Grip(entry("a")), &DropTarget::Absent, None)[0]
                .contains("Shift or Alt")
        );
        assert_eq!(
            card_lines(&DragSource::Ground, &DropTarget::Absent, None),
            None
        );
    }
}

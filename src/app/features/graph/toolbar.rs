//! The toolbar: folding, channels and exports above the graph, zoom and fit below it. Each button
//! has a key in the graph. *Export…* requests the graph as a file, which the graph's owner creates.
//! The legend explains lines and shapes; each of its items is a button that dims its kind in the
//! graph.

use super::channel_lanes::Channels;
use super::headings::problem_mark;
use super::{GraphContext, GraphEvent, fit, zoom};
use crate::reactive::memo;
use crate::state::entries::ChangeKind;
use crate::widgets::menu::{MenuButton, MenuItem};
use leptos::prelude::*;
use protocol::lanes::{EntryNode, EntryNodeKind, Lanes};
use protocol::request::{GraphFormat, LaneOptions};
use protocol::views::ProblemMark;

/// Whether older versions and long chains are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Folding {
    Off,
    #[default]
    On,
    /// Enabled, but there is nothing to fold.
    Nothing,
}

impl Folding {
    /// Compares the requested with the received lanes.
    pub fn new(options: &LaneOptions, lanes: &Lanes) -> Self {
        let by_hand = !(options.toggled_streams.is_empty() && options.unfolded.is_empty());
        let is_any =
            by_hand || !lanes.chains.is_empty() || lanes.streams.iter().any(|stream| stream.folded);
        match (options.fold, is_any) {
            (false, _) => Folding::Off,
            (true, true) => Folding::On,
            (true, false) => Folding::Nothing,
        }
    }
}

#[component]
pub(super) fn Toolbar(
    shared: GraphContext,
    fold: Signal<Folding>,
    on_fold: Callback<bool>,
) -> impl IntoView {
    let why = move || match fold.get() {
        Folding::Nothing => "Nothing to fold: there are too few older versions, and no long chain",
        _ => "Fold older versions and long chains into stacks",
    };
    let press = move |_| {
        if fold.get_untracked() != Folding::Nothing {
            on_fold.run(fold.get_untracked() == Folding::Off);
        }
    };
    view! {
        <div class="graph-tools" role="group" aria-label="View of the graph">
            <button type="button" class="tool"
                aria-pressed=move || (fold.get() == Folding::On).to_string()
                aria-disabled=move || (fold.get() == Folding::Nothing).to_string()
                data-tells=move || (fold.get() == Folding::Nothing).then_some("")
                title=why
                on:click=press>
                "Fold z-streams"
                <span class="tool-state" aria-hidden="true">{move || if fold.get() == Folding::On { " ✓" } else { "" }}</span>
            </button>
            <Channels shared/>
            <Exports shared/>
        </div>
    }
    .into_any()
}

/// The zoom buttons, beside the legend.
#[component]
pub(super) fn ZoomTools(shared: GraphContext) -> impl IntoView {
    let percent = move || format!("{:.0} %", shared.scale.get() * 100.0);
    view! {
        <div class="graph-zoom" role="group" aria-label="Zoom">
            <button type="button" class="tool" title="Fit the graph (F)" on:click=move |_| fit(shared)>"Fit"</button>
            <button type="button" class="tool" aria-label="Zoom out" title="Zoom out (-)" on:click=move |_| { zoom(shared, 0.8); }>"−"</button>
            <button type="button" class="tool tool-percent" aria-label=move || format!("Natural size, now {}", percent()) title="Natural size (0)"
                on:click=move |_| { zoom(shared, 1.0 / shared.view.get_untracked().scale); }>{percent}</button>
            <button type="button" class="tool" aria-label="Zoom in" title="Zoom in (+)" on:click=move |_| { zoom(shared, 1.25); }>"+"</button>
        </div>
    }
    .into_any()
}

const FORMS: [(&str, GraphEvent); 6] = [
    ("Picture (SVG)", GraphEvent::Export(GraphFormat::Svg)),
    ("Picture (PNG, 2x)", GraphEvent::ExportPixels),
    ("Mermaid", GraphEvent::Export(GraphFormat::Mermaid)),
    (
        "Mermaid as opm writes it",
        GraphEvent::Export(GraphFormat::OpmMermaid),
    ),
    ("Graphviz (DOT)", GraphEvent::Export(GraphFormat::Dot)),
    ("JSON", GraphEvent::Export(GraphFormat::Json)),
];

#[component]
pub(super) fn Exports(shared: GraphContext) -> impl IntoView {
    let items = || {
        FORMS
            .iter()
            .map(|(label, _)| MenuItem::new(*label, ""))
            .collect::<Vec<_>>()
    };
    let choose = move |index: usize| {
        if let Some((_, event)) = FORMS.get(index) {
            shared.on.run(event.clone());
        }
    };
    view! {
        <MenuButton
            label="Export…"
            menu="Export the graph"
            class="tool"
            tip="Export the graph as a file"
            items=Callback::new(move |()| items())
            on_choose=choose
        />
    }
    .into_any()
}

/// An item of the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum LegendItem {
    Replaces,
    Skips,
    SkipRange,
    NextStep,
    OtherStep,
    Head,
    Skipped,
    Absent,
    Deprecated,
    Stranded,
    Added,
    Moved,
    Changed,
    Removed,
    Problem,
}

impl LegendItem {
    const ALL: [LegendItem; 15] = [
        LegendItem::Replaces,
        LegendItem::Skips,
        LegendItem::SkipRange,
        LegendItem::NextStep,
        LegendItem::OtherStep,
        LegendItem::Head,
        LegendItem::Skipped,
        LegendItem::Absent,
        LegendItem::Deprecated,
        LegendItem::Stranded,
        LegendItem::Added,
        LegendItem::Moved,
        LegendItem::Changed,
        LegendItem::Removed,
        LegendItem::Problem,
    ];

    fn label(self) -> &'static str {
        match self {
            LegendItem::Replaces => "replaces",
            LegendItem::Skips => "skips",
            LegendItem::SkipRange => "skip range",
            LegendItem::NextStep => "next step",
            LegendItem::OtherStep => "next step, other OLM",
            LegendItem::Head => "head",
            LegendItem::Skipped => "skipped",
            LegendItem::Absent => "not in this channel",
            LegendItem::Deprecated => "deprecated",
            LegendItem::Stranded => "stranded",
            LegendItem::Added => "added",
            LegendItem::Moved => "moved",
            LegendItem::Changed => "changed",
            LegendItem::Removed => "removed",
            LegendItem::Problem => "problem",
        }
    }

    /// Returns the key of the item in the style sheet.
    fn key(self) -> &'static str {
        match self {
            LegendItem::SkipRange => "skip-range",
            LegendItem::NextStep => "next-step",
            LegendItem::OtherStep => "other-step",
            LegendItem::Absent => "absent",
            other => other.label(),
        }
    }

    /// Returns the change that the item explains; `None` for items without a comparison.
    fn change(self) -> Option<ChangeKind> {
        match self {
            LegendItem::Added => Some(ChangeKind::Added),
            LegendItem::Moved => Some(ChangeKind::Moved),
            LegendItem::Changed => Some(ChangeKind::Changed),
            LegendItem::Removed => Some(ChangeKind::Removed),
            _ => None,
        }
    }

    /// Whether the graph contains what the item explains.
    fn is_in(self, lanes: &Lanes) -> bool {
        let any_node = |is_one: fn(&EntryNode) -> bool| {
            lanes.lanes.iter().any(|lane| lane.nodes.iter().any(is_one))
        };
        match self {
            LegendItem::Replaces => lanes.lanes.iter().any(|lane| !lane.links.is_empty()),
            LegendItem::Skips => lanes
                .lanes
                .iter()
                .any(|lane| !lane.runs.is_empty() || !lane.arrows.is_empty()),
            LegendItem::SkipRange => lanes.lanes.iter().any(|lane| !lane.brackets.is_empty()),
            LegendItem::NextStep => lanes.routes.iter().any(|route| route.chosen),
            LegendItem::OtherStep => lanes.routes.iter().any(|route| !route.chosen),
            LegendItem::Head => any_node(|node| node.marks.head),
            LegendItem::Skipped => any_node(|node| node.marks.skipped),
            LegendItem::Absent => {
                any_node(|node| node.kind == EntryNodeKind::Ghost || node.marks.absent)
            }
            LegendItem::Deprecated => any_node(|node| {
                node.marks.deprecated_bundle
                    || node.marks.deprecated_channel
                    || node.marks.deprecated_package
            }),
            LegendItem::Stranded => any_node(|node| node.marks.stranded),
            LegendItem::Problem => problems(lanes).next().is_some(),
            LegendItem::Added | LegendItem::Moved | LegendItem::Changed | LegendItem::Removed => {
                false
            }
        }
    }
}

fn problems(lanes: &Lanes) -> impl Iterator<Item = &ProblemMark> {
    let on_nodes = lanes
        .lanes
        .iter()
        .flat_map(|lane| &lane.nodes)
        .filter_map(|node| node.problem.as_ref());
    lanes
        .lanes
        .iter()
        .filter_map(|lane| lane.problem.as_ref())
        .chain(on_nodes)
}

/// Returns the mark that stands for all: one with errors, if any.
fn sample_of<'a>(mut marks: impl Iterator<Item = &'a ProblemMark>) -> ProblemMark {
    let has_errors = marks.any(|mark| mark.errors > 0);
    ProblemMark {
        errors: u32::from(has_errors),
        warnings: u32::from(!has_errors),
        ..ProblemMark::default()
    }
}

/// The kinds that are dimmed, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct DimmedItems(u16);

impl DimmedItems {
    fn bit(kind: LegendItem) -> u16 {
        1 << kind as u16
    }

    pub(super) fn has(self, kind: LegendItem) -> bool {
        self.0 & Self::bit(kind) != 0
    }

    pub(super) fn toggle(self, kind: LegendItem) -> Self {
        Self(self.0 ^ Self::bit(kind))
    }

    /// Returns the style sheet keys of the kinds, separated by blanks.
    pub(super) fn keys(self) -> String {
        let keys: Vec<&str> = LegendItem::ALL
            .into_iter()
            .filter(|kind| self.has(*kind))
            .map(LegendItem::key)
            .collect();
        keys.join(" ")
    }
}

/// The legend. A pressed button means that its kind is not dimmed, which is the initial state.
#[component]
pub(super) fn Legend(shared: GraphContext) -> impl IntoView {
    let changed = memo(move |_| {
        shared.changes.with(|changes| {
            ChangeKind::ALL.map(|kind| changes.values().any(|(known, _)| *known == kind))
        })
    });
    // Keep dimmed kinds in the list, so that they can be shown again.
    let items = memo(move |_| {
        let (changed, taken) = (changed.get(), shared.taken_back.get());
        let is_made = |change: ChangeKind| {
            ChangeKind::ALL
                .into_iter()
                .zip(changed)
                .any(|(kind, is)| is && kind == change)
        };
        shared.lanes.with(|lanes| {
            let is_there =
                |kind: &LegendItem| kind.change().map_or_else(|| kind.is_in(lanes), is_made);
            LegendItem::ALL
                .into_iter()
                .filter(|kind| taken.has(*kind) || is_there(kind))
                .collect::<Vec<_>>()
        })
    });
    view! {
        <ul class="legend" aria-label="Legend">
            <For each=move || items.get() key=|kind| *kind let:kind>{item(shared, kind)}</For>
            <li hidden=move || shared.taken_back.get() == DimmedItems::default()>
                <button type="button" class="legend-item" on:click=move |_| shared.taken_back.set(DimmedItems::default())>
                    "Show all"
                </button>
            </li>
        </ul>
    }
    .into_any()
}

fn item(shared: GraphContext, kind: LegendItem) -> AnyView {
    let is_shown = move || !shared.taken_back.get().has(kind);
    view! {
        <li>
            <button
                type="button"
                class="legend-item"
                title=move || if is_shown() { "Shown. Press to dim it." } else { "Dimmed. Press to show it." }
                aria-pressed=move || is_shown().to_string()
                on:click=move |_| shared.taken_back.update(|taken| *taken = taken.toggle(kind))
            >
                {sample(shared, kind)}
                {kind.label()}
            </button>
        </li>
    }
    .into_any()
}

fn sample(shared: GraphContext, kind: LegendItem) -> AnyView {
    let line = |class: &'static str| {
        view! {
            <svg class="legend-sample" width="24" height="10" aria-hidden="true">
                <line class=class x1="1" y1="5" x2="23" y2="5"/>
            </svg>
        }
        .into_any()
    };
    let node = |class: &'static str, crossed: bool| {
        view! {
            <svg class="legend-sample" width="20" height="12" aria-hidden="true">
                <g class=class>
                    <rect class="node-box" x="1" y="1" width="18" height="10" rx="3"/>
                    {crossed.then(|| view! { <path class="removed-mark" d="M3 10L17 2"/> })}
                </g>
            </svg>
        }
        .into_any()
    };
    let sign = |change: &'static str, sign: &'static str| {
        view! { <strong class="change-sample" data-change=change aria-hidden="true">{sign}</strong> }.into_any()
    };
    match kind {
        LegendItem::Replaces => line("link-line"),
        // Drawn as below the nodes: a bar with a tick for each skipped entry.
        LegendItem::Skips => view! {
            <svg class="legend-sample" width="24" height="12" aria-hidden="true">
                <line class="run-bar" x1="1" y1="6" x2="23" y2="6"/>
                <path class="run-ticks" d="M3 2V9M12 2V9M21 2V9"/>
            </svg>
        }
        .into_any(),
        LegendItem::SkipRange => view! {
            <svg class="legend-sample" width="24" height="12" aria-hidden="true">
                <path class="bracket-line" d="M1 4V9H20V5"/>
                <path class="bracket-tip" d="M16.5 6L20 1L23.5 6z"/>
            </svg>
        }
        .into_any(),
        LegendItem::NextStep => line("route-line"),
        LegendItem::OtherStep => line("route-line other"),
        LegendItem::Head => node("node head", false),
        LegendItem::Skipped => node("node skipped", false),
        LegendItem::Absent => node("node ghost", false),
        LegendItem::Deprecated => node("node deprecated", false),
        LegendItem::Stranded => node("node stranded", false),
        LegendItem::Removed => node("node removed", true),
        LegendItem::Added => sign("added", "+"),
        LegendItem::Moved => sign("moved", "→"),
        LegendItem::Changed => sign("changed", "Δ"),
        LegendItem::Problem => {
            let problem = memo(move |_| shared.lanes.with(|lanes| sample_of(problems(lanes))));
            view! {
                <svg class="legend-sample" width="14" height="14" aria-hidden="true">
                    {move || problem_mark(&problem.get(), 7.0, 7.0)}
                </svg>
            }
            .into_any()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::lanes::{Lanes, Route};
    use protocol::views::ProblemMark;
    use std::collections::BTreeSet;
    #[test]
    fn folding_is_disabled_if_it_has_no_effect() {
        let on = LaneOptions {
            fold: true,
            ..LaneOptions::default()
        };
        assert_eq!(Folding::new(&on, &Lanes::default()), Folding::Nothing);
        let opened = LaneOptions {
            toggled_streams: vec!["1.29".into()],
            ..on.clone()
        };
        assert_eq!(
            Folding::new(&opened, &Lanes::default()),
            Folding::On,
            "it can be folded again"
        );
        let off = LaneOptions { fold: false, ..on };
        assert_eq!(Folding::new(&off, &Lanes::default()), Folding::Off);
    }

    #[test]
    fn the_error_mark_needs_an_error() {
        let warned = ProblemMark {
            warnings: 2,
            ..ProblemMark::default()
        };
        let failed = ProblemMark {
            errors: 1,
            ..warned.clone()
        };
        let sample = |marks: &[&ProblemMark]| {
            let sample = sample_of(marks.iter().copied());
            (sample.errors, sample.warnings)
        };
        assert_eq!(sample(&[&warned, &warned]), (0, 1));
        assert_eq!(sample(&[&warned, &failed]), (1, 0));
    }

    #[test]
    fn explains_only_drawn_kinds() {
        let listed = |lanes: &Lanes| {
            LegendItem::ALL
                .into_iter()
                .filter(|kind| kind.is_in(lanes))
                .collect::<Vec<_>>()
        };
        assert_eq!(listed(&Lanes::default()), []);
        let route = Route {
            from: "a".into(),
            to: "b".into(),
            curve: Default::default(),
            chosen: false,
        };
        let lanes = Lanes {
            routes: vec![route],
            ..Lanes::default()
        };
        assert_eq!(listed(&lanes), [LegendItem::OtherStep]);
    }

    #[test]
    fn kinds_are_taken_back_one_by_one() {
        let some = DimmedItems::default()
            .toggle(LegendItem::SkipRange)
            .toggle(LegendItem::Head);
        assert_eq!(some.keys(), "skip-range head");
        assert_eq!(some.toggle(LegendItem::Head).keys(), "skip-range");
        assert_eq!(
            some.toggle(LegendItem::Head).toggle(LegendItem::SkipRange),
            DimmedItems::default()
        );
        let keys: BTreeSet<&str> = LegendItem::ALL.into_iter().map(LegendItem::key).collect();
        assert_eq!(
            keys.len(),
            LegendItem::ALL.len(),
            "each has a key of its own, without blanks"
        );
        assert!(keys.iter().all(|key| !key.contains(' ')));
    }
}

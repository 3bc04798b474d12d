//! What lines and shapes mean, in words; each meaning is a button that takes its kind back in the picture.

use super::Shared;
use super::canvas::problem_mark;
use leptos::prelude::*;
use protocol::views::ProblemMark;

/// A meaning of the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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

impl Kind {
    const ALL: [Kind; 15] = [
        Kind::Replaces,
        Kind::Skips,
        Kind::SkipRange,
        Kind::NextStep,
        Kind::OtherStep,
        Kind::Head,
        Kind::Skipped,
        Kind::Absent,
        Kind::Deprecated,
        Kind::Stranded,
        Kind::Added,
        Kind::Moved,
        Kind::Changed,
        Kind::Removed,
        Kind::Problem,
    ];

    fn label(self) -> &'static str {
        match self {
            Kind::Replaces => "replaces",
            Kind::Skips => "skips",
            Kind::SkipRange => "skip range",
            Kind::NextStep => "next step, chosen lens",
            Kind::OtherStep => "next step, other lens",
            Kind::Head => "head",
            Kind::Skipped => "skipped",
            Kind::Absent => "not in this channel",
            Kind::Deprecated => "deprecated",
            Kind::Stranded => "stranded",
            Kind::Added => "added",
            Kind::Moved => "moved",
            Kind::Changed => "changed",
            Kind::Removed => "removed",
            Kind::Problem => "problem",
        }
    }

    /// The word that the style sheet knows it by.
    fn key(self) -> &'static str {
        match self {
            Kind::SkipRange => "skip-range",
            Kind::NextStep => "next-step",
            Kind::OtherStep => "other-step",
            Kind::Absent => "absent",
            other => other.label(),
        }
    }

    fn tells_a_change(self) -> bool {
        matches!(self, Kind::Added | Kind::Moved | Kind::Changed | Kind::Removed)
    }
}

/// The kinds that are taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TakenBack(u16);

impl TakenBack {
    fn bit(kind: Kind) -> u16 {
        1 << kind as u16
    }

    pub(super) fn has(self, kind: Kind) -> bool {
        self.0 & Self::bit(kind) != 0
    }

    pub(super) fn toggled(self, kind: Kind) -> Self {
        Self(self.0 ^ Self::bit(kind))
    }

    /// For the style sheet: the keys of the kinds, with blanks between.
    pub(super) fn keys(self) -> String {
        let keys: Vec<&str> = Kind::ALL.into_iter().filter(|kind| self.has(*kind)).map(Kind::key).collect();
        keys.join(" ")
    }
}

/// Pressed is shown, as it is at first.
#[component]
pub(super) fn Legend(shared: Shared) -> impl IntoView {
    let is_compared = Memo::new(move |_| shared.changes.with(|changes| !changes.is_empty()));
    let shown = move || Kind::ALL.into_iter().filter(move |kind| is_compared.get() || !kind.tells_a_change());
    view! {
        <ul class="legend" aria-label="Legend">
            {move || shown().map(|kind| item(shared, kind)).collect_view()}
            <li hidden=move || shared.taken_back.get() == TakenBack::default()>
                <button type="button" class="legend-item" on:click=move |_| shared.taken_back.set(TakenBack::default())>
                    "Show all"
                </button>
            </li>
        </ul>
    }
    .into_any()
}

fn item(shared: Shared, kind: Kind) -> AnyView {
    let is_shown = move || !shared.taken_back.get().has(kind);
    view! {
        <li>
            <button
                type="button"
                class="legend-item"
                title=move || if is_shown() { "Shown; press to take it back" } else { "Taken back; press to show it" }
                aria-pressed=move || is_shown().to_string()
                on:click=move |_| shared.taken_back.update(|taken| *taken = taken.toggled(kind))
            >
                {sample(kind)}
                {kind.label()}
            </button>
        </li>
    }
    .into_any()
}

fn sample(kind: Kind) -> AnyView {
    let line = |class: &'static str| {
        view! {
            <svg class="legend-sample" width="24" height="10" aria-hidden="true">
                <line class=class x1="1" y1="5" x2="23" y2="5"/>
            </svg>
        }
        .into_any()
    };
    let car = |class: &'static str, crossed: bool| {
        view! {
            <svg class="legend-sample" width="20" height="12" aria-hidden="true">
                <g class=class>
                    <rect class="car-box" x="1" y="1" width="18" height="10" rx="3"/>
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
        Kind::Replaces => line("link-line"),
        Kind::Skips => line("run-bar"),
        Kind::SkipRange => line("bracket-line"),
        Kind::NextStep => line("route-line"),
        Kind::OtherStep => line("route-line other"),
        Kind::Head => car("car head", false),
        Kind::Skipped => car("car skipped", false),
        Kind::Absent => car("car ghost", false),
        Kind::Deprecated => car("car deprecated", false),
        Kind::Stranded => car("car stranded", false),
        Kind::Removed => car("car removed", true),
        Kind::Added => sign("added", "+"),
        Kind::Moved => sign("moved", "→"),
        Kind::Changed => sign("changed", "Δ"),
        Kind::Problem => {
            let problem = ProblemMark { errors: 1, ..ProblemMark::default() };
            view! {
                <svg class="legend-sample" width="14" height="14" aria-hidden="true">{problem_mark(&problem, 7.0, 7.0)}</svg>
            }
            .into_any()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, TakenBack};
    use std::collections::BTreeSet;

    #[test]
    fn kinds_are_taken_back_one_by_one() {
        let some = TakenBack::default().toggled(Kind::SkipRange).toggled(Kind::Head);
        assert_eq!(some.keys(), "skip-range head");
        assert_eq!(some.toggled(Kind::Head).keys(), "skip-range");
        assert_eq!(some.toggled(Kind::Head).toggled(Kind::SkipRange), TakenBack::default());
        let keys: BTreeSet<&str> = Kind::ALL.into_iter().map(Kind::key).collect();
        assert_eq!(keys.len(), Kind::ALL.len(), "each has a key of its own, without blanks");
        assert!(keys.iter().all(|key| !key.contains(' ')));
    }
}

//! The tour of a first visit: four steps, each with a text and a target. Plain data.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TourStep {
    /// The part of the workbench that is outlined meanwhile, by its name in the style sheet.
    pub part: &'static str,
    pub title: &'static str,
    pub text: &'static str,
}

pub const STEPS: [TourStep; 4] = [
    TourStep {
        part: "packages",
        title: "Packages",
        text: "Every package of the catalog, with what is wrong with it. Choose one to see its channels.",
    },
    TourStep {
        part: "centre",
        title: "Lanes",
        text: "A lane is a channel, a car is an entry, a flag marks the head. Arrow keys move along the lanes; drag a car \
               to another lane to promote its bundle there.",
    },
    TourStep {
        part: "verdict",
        title: "Verdict",
        text: "This bar always shows what opm validate says, and each problem above it has an explanation. F8 goes from one \
               to the next.",
    },
    TourStep {
        part: "review",
        title: "Review and save",
        text: "Nothing is written until you save. Here you see what all edits change, as files, as a patch or as \
               commands. Press ? to see all keys.",
    },
];

/// Where a tour is: at one of its steps, or over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tour(Option<usize>);

impl Tour {
    pub fn begun() -> Self {
        Self(Some(0))
    }

    /// The step it is at, with its number from 1.
    pub fn step(self) -> Option<(usize, TourStep)> {
        let at = self.0?;
        STEPS.get(at).map(|step| (at + 1, *step))
    }

    pub fn is_at_end(self) -> bool {
        self.0 == Some(STEPS.len() - 1)
    }

    /// The next step; over after the last.
    pub fn onward(self) -> Self {
        Self(self.0.map(|at| at + 1).filter(|at| *at < STEPS.len()))
    }

    /// The step before; the first stays.
    pub fn back(self) -> Self {
        Self(self.0.map(|at| at.saturating_sub(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tour_has_four_steps_and_ends() {
        let mut tour = Tour::begun();
        let mut titles = Vec::new();
        while let Some((number, step)) = tour.step() {
            titles.push((number, step.title));
            assert_eq!(tour.is_at_end(), number == STEPS.len());
            tour = tour.onward();
        }
        assert_eq!(
            titles,
            [
                (1, "Packages"),
                (2, "Lanes"),
                (3, "Verdict"),
                (4, "Review and save")
            ]
        );
        assert_eq!(tour, Tour::default());
        assert_eq!(tour.onward(), Tour::default(), "what is over stays over");
    }

    #[test]
    fn one_can_go_back() {
        assert_eq!(Tour::begun().onward().back(), Tour::begun());
        assert_eq!(Tour::begun().back(), Tour::begun());
    }
}

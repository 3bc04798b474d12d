//! The graph on paper: all of it, cut between columns and between lanes into sheets that stay readable, each with its
//! headings. While the page is printed the lanes stand at their natural places, and the sheets refer to them. A sheet on
//! which nothing would stand is left out.

use super::GraphContext;
use leptos::prelude::*;
use protocol::lanes::{Column, Lane, Lanes, Shape};
use std::sync::Arc;

/// So large a part of the lanes is readable on a landscape page, in pixels of the lanes, headings included.
const PAGE: (f32, f32) = (1300.0, 860.0);
/// What is not much larger than a page is made smaller rather than cut.
const SMALLER: f32 = 1.25;

/// The ids of one graph: what its sheets, cars and lines refer to. Another graph may stand beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ids {
    pub lanes: String,
    pub columns: String,
    pub names: String,
    /// How one walks in it.
    pub keys: String,
    /// The description of the car that has the keyboard's place.
    pub why: String,
    /// The ground of what is deprecated.
    pub hatch: String,
    /// The end of an arrow.
    pub tip: String,
    /// A soft edge.
    pub edge: String,
    /// What the ids of cars begin with.
    pub car: String,
}

impl Ids {
    pub fn beginning(with: &str) -> Self {
        let id = |part: &str| format!("{with}-{part}");
        Self {
            lanes: id("lanes"),
            columns: id("columns"),
            names: id("names"),
            keys: id("keys"),
            why: id("why"),
            hatch: id("hatch"),
            tip: id("tip"),
            edge: id("edge"),
            car: id("car"),
        }
    }

    /// The end of an arrow, as a line refers to it.
    pub fn tip_of_arrow(&self) -> String {
        format!("url(#{})", self.tip)
    }
}

/// What a sheet shows of the lanes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Part {
    x: (f32, f32),
    y: (f32, f32),
}

/// The parts where something stands, row by row; of a row without anything the first, which has the names of its lanes.
fn parts(lanes: &Lanes) -> Vec<Part> {
    let across = cuts(
        (lanes.header, lanes.width),
        PAGE.0 - lanes.header,
        lanes.columns.iter().map(|Column { x, .. }| *x),
    );
    let down = cuts(
        (lanes.top, lanes.height),
        PAGE.1 - lanes.top,
        lanes.lanes.iter().map(|lane| lane.y),
    );
    let row = |&y: &(f32, f32)| {
        let all = across.iter().map(move |&x| Part { x, y });
        let filled: Vec<Part> = all.clone().filter(|part| holds(lanes, *part)).collect();
        if filled.is_empty() {
            all.take(1).collect()
        } else {
            filled
        }
    };
    down.iter().flat_map(row).collect()
}

/// Whether a car stands in a part, or an edge or a step goes through it.
fn holds(lanes: &Lanes, part: Part) -> bool {
    let meets = |from: f32, to: f32| from.min(to) < part.x.1 && to.max(from) > part.x.0;
    let in_lane = |lane: &Lane| {
        let links = lane.links.iter().map(|link| match &link.shape {
            Shape::Straight(rail) => (rail.x1, rail.x2),
            Shape::Arc(curve) => (curve.from.0, curve.to.0),
        });
        let bars = lane
            .runs
            .iter()
            .map(|run| run.bar)
            .chain(lane.brackets.iter().map(|bracket| bracket.bar));
        let arrows = lane
            .arrows
            .iter()
            .map(|arrow| (arrow.curve.from.0, arrow.curve.to.0));
        let cars = lane.cars.iter().map(|car| (car.x, car.x + car.width));
        let edges = links.chain(bars.map(|bar| (bar.x1, bar.x2))).chain(arrows);
        cars.chain(edges).any(|(from, to)| meets(from, to))
    };
    let has_lane = |lane: &&Arc<Lane>| lane.y < part.y.1 && lane.y + lane.height > part.y.0;
    let steps = lanes
        .routes
        .iter()
        .map(|route| (route.curve.from, route.curve.to));
    let has_step = |from: (f32, f32), to: (f32, f32)| {
        meets(from.0, to.0) && from.1.min(to.1) < part.y.1 && from.1.max(to.1) > part.y.0
    };
    lanes
        .lanes
        .iter()
        .filter(has_lane)
        .any(|lane| in_lane(lane))
        || steps.into_iter().any(|(from, to)| has_step(from, to))
}

/// Cuts a length into pieces no longer than `most`, at the places where it may be cut; these stand in ascending order.
fn cuts((from, to): (f32, f32), most: f32, places: impl Iterator<Item = f32>) -> Vec<(f32, f32)> {
    if to - from <= most * SMALLER {
        return vec![(from, to)];
    }
    let (mut pieces, mut start, mut last) = (Vec::new(), from, from);
    for place in places.filter(|place| *place > from).chain([to]) {
        if place - start > most && last > start {
            pieces.push((start, last));
            start = last;
        }
        last = place;
    }
    pieces.push((start, to));
    pieces
}

#[component]
pub(super) fn PrintedPages(shared: GraphContext) -> impl IntoView {
    move || {
        shared
            .printing
            .get()
            .then(|| shared.lanes.with(|lanes| sheets(shared, lanes)))
    }
}

fn sheets(shared: GraphContext, lanes: &Lanes) -> AnyView {
    let parts = parts(lanes);
    let count = parts.len();
    let ids = shared.ids.get_value();
    let sheets = parts.into_iter().enumerate().map(|(index, part)| {
        let said = (count > 1).then(|| format!("Sheet {} of {count}", index + 1));
        view! {
            <figure class="sheet">
                {said.map(|said| view! { <figcaption>{said}</figcaption> })}
                {sheet(&ids, lanes, part)}
            </figure>
        }
    });
    view! { <div class="sheets">{sheets.collect_view()}</div> }.into_any()
}

fn sheet(ids: &Ids, lanes: &Lanes, Part { x, y }: Part) -> AnyView {
    let (width, height) = (x.1 - x.0, y.1 - y.0);
    let (header, top) = (lanes.header, lanes.top);
    let (all_width, all_height) = (header + width, top + height);
    // A window on one of the layers: where it stands, and what of the layer is seen in it.
    let window = |id: &str, at: (f32, f32), size: (f32, f32), from: (f32, f32)| {
        view! {
            <svg x=at.0.to_string() y=at.1.to_string() width=size.0.to_string() height=size.1.to_string()
                viewBox=format!("{} {} {} {}", from.0, from.1, size.0, size.1)>
                <use href=format!("#{id}")></use>
            </svg>
        }
        .into_any()
    };
    view! {
        <svg class="sheet-svg" width=all_width.to_string() height=all_height.to_string()
            viewBox=format!("0 0 {all_width} {all_height}")>
            {window(&ids.lanes, (header, top), (width, height), (x.0, y.0))}
            {window(&ids.columns, (header, 0.0), (width, top), (x.0, 0.0))}
            {window(&ids.names, (0.0, top), (header, height), (0.0, y.0 - top))}
        </svg>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use protocol::lanes::{Bracket, CarKind, Curve, Rail, Route};

    #[test]
    fn what_fits_is_one_sheet() {
        let places = || [0.0, 400.0, 900.0].into_iter();
        assert_eq!(cuts((0.0, 1000.0), 1000.0, places()), [(0.0, 1000.0)]);
        assert_eq!(
            cuts((0.0, 1200.0), 1000.0, places()),
            [(0.0, 1200.0)],
            "a bit smaller"
        );
    }

    #[test]
    fn sheets_are_cut_between_columns_and_lose_nothing() {
        let columns: Vec<f32> = (0..50).map(|index| 132.0 + index as f32 * 70.0).collect();
        let pieces = cuts((132.0, 3632.0), 1000.0, columns.iter().copied());
        assert_eq!(pieces.first().map(|piece| piece.0), Some(132.0));
        assert_eq!(pieces.last().map(|piece| piece.1), Some(3632.0));
        assert!(
            pieces.windows(2).all(|two| two[0].1 == two[1].0),
            "{pieces:?}"
        );
        assert!(
            pieces
                .iter()
                .all(|(from, to)| to - from <= 1000.0 && columns.contains(from)),
            "{pieces:?}"
        );
    }

    #[test]
    fn what_cannot_be_cut_is_taken_whole() {
        let pieces = cuts((0.0, 5000.0), 1000.0, [0.0, 100.0, 4000.0].into_iter());
        assert_eq!(pieces, [(0.0, 100.0), (100.0, 4000.0), (4000.0, 5000.0)]);
        assert_eq!(
            cuts((0.0, 5000.0), 1000.0, std::iter::empty()),
            [(0.0, 5000.0)]
        );
    }

    /// Two pages of columns and of lanes, with these cars: x, and the index of the lane.
    fn four_pages(cars: &[(f32, usize)]) -> Lanes {
        let column = |index: usize| Column {
            key: String::new(),
            label: String::new(),
            version: String::new(),
            stream: 0,
            x: 132.0 + index as f32 * 100.0,
            width: 100.0,
            folded: 0,
            is_chain: false,
        };
        let lane = |index: usize| {
            let y = 56.0 + index as f32 * 60.0;
            let cars = cars.iter().filter(|(_, lane)| *lane == index);
            testing::lane(
                "c",
                y,
                cars.map(|(x, _)| testing::car(CarKind::Entry, "a", *x, y + 18.0))
                    .collect(),
            )
        };
        Lanes {
            width: 132.0 + 2200.0,
            height: 56.0 + 1500.0,
            header: 132.0,
            top: 56.0,
            columns: (0..22).map(column).collect(),
            lanes: (0..25).map(lane).collect(),
            ..Lanes::default()
        }
    }

    fn corners(lanes: &Lanes) -> Vec<(f32, f32)> {
        parts(lanes)
            .into_iter()
            .map(|part| (part.x.0, part.y.0))
            .collect()
    }

    #[test]
    fn sheets_go_along_the_lanes_first() {
        let everywhere = four_pages(&[(140.0, 0), (2000.0, 0), (140.0, 24), (2000.0, 24)]);
        assert_eq!(
            corners(&everywhere),
            [
                (132.0, 56.0),
                (1232.0, 56.0),
                (132.0, 836.0),
                (1232.0, 836.0)
            ]
        );
        let uncut = Lanes {
            columns: Vec::new(),
            ..everywhere
        };
        assert_eq!(
            corners(&uncut),
            [(132.0, 56.0), (132.0, 836.0)],
            "there is nowhere to cut"
        );
    }

    #[test]
    fn a_sheet_on_which_nothing_stands_is_left_out() {
        assert_eq!(
            corners(&four_pages(&[(140.0, 0), (2000.0, 24)])),
            [(132.0, 56.0), (1232.0, 836.0)]
        );
        let mut lanes = four_pages(&[(2000.0, 24)]);
        assert_eq!(
            corners(&lanes),
            [(132.0, 56.0), (1232.0, 836.0)],
            "lanes without entries keep their names"
        );
        Arc::make_mut(&mut lanes.lanes[0]).brackets = vec![Bracket {
            car: 0,
            entry: String::new(),
            range: String::new(),
            more: 0,
            bar: Rail {
                x1: 1300.0,
                x2: 1400.0,
                y: 100.0,
            },
            arrow: 1400.0,
            full: true,
            ticks: Vec::new(),
            covers: 0,
            covers_selected: false,
            invalid: false,
        }];
        assert_eq!(
            corners(&lanes),
            [(1232.0, 56.0), (1232.0, 836.0)],
            "what an edge goes through is not empty"
        );
        let curve = Curve {
            from: (300.0, 900.0),
            to: (500.0, 900.0),
            ..Curve::default()
        };
        lanes.routes = vec![Route {
            from: String::new(),
            to: String::new(),
            curve,
            chosen: true,
        }];
        assert_eq!(
            corners(&lanes),
            [(1232.0, 56.0), (132.0, 836.0), (1232.0, 836.0)],
            "nor is a step's"
        );
    }
}

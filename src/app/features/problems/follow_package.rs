//! Scrolls the list to the group of the package in view.

use super::problem_list::{HEADING, group_id, toggle_id};
use crate::context::AppContext;
use crate::reactive::{effect, memo};
use crate::state::problems::rows::Row;
use crate::widgets::virtual_list::Stack;
use leptos::html;
use leptos::prelude::*;

/// How the list is shown.
#[derive(Clone, Copy)]
pub(super) struct ListView {
    pub scroller: NodeRef<html::Div>,
    pub stack: Memo<Stack>,
    pub top: RwSignal<f64>,
    /// One row high, without headings.
    pub is_low: Memo<bool>,
}

impl ListView {
    /// Scrolls a row into view, with a heading above it if there is room.
    pub(super) fn scroll_to(self, row: usize) {
        let Some(element) = self.scroller.get_untracked() else {
            return;
        };
        let (at, height) = (
            f64::from(element.scroll_top()),
            f64::from(element.client_height()),
        );
        let above = if self.is_low.get_untracked() {
            0.0
        } else {
            HEADING
        };
        if let Some(to) = self
            .stack
            .with_untracked(|stack| stack.scroll_to(row, at, height, above))
        {
            element.set_scroll_top(to as i32);
            self.top.set(to);
        }
    }
}

/// Does not scroll if a problem of the package is open: the user already sees it.
pub(super) fn follow_package(app: AppContext, list: ListView) {
    let board = app.problem_list;
    let place = memo(move |_| {
        let is_known = board.listing.with(|list| !list.rows.is_empty());
        let place = (app.store.root.get(), app.current.package.get());
        (is_known && !place.1.is_empty()).then_some(place)
    });
    effect(move |last: Option<Option<((String, String), bool)>>| {
        let last = last.flatten();
        let is_low = list.is_low.get();
        let Some(place) = place.get() else {
            return last;
        };
        let Some(element) = list.scroller.get_untracked() else {
            return last;
        };
        let opened = board.open.get_untracked().and_then(|index| {
            app.store
                .problems
                .with_untracked(|problems| problems.get(index)?.package.clone())
        });
        // The first package of a catalog was not chosen by the user: if there is room, show the
        // catalog's worst problem.
        let is_wanted = match &last {
            None => is_low,
            Some((before, _)) if *before != place => opened.as_ref() != Some(&place.1),
            Some((_, was_low)) => *was_low != is_low && opened.is_none(),
        };
        let is_resized = last.as_ref().is_none_or(|(_, was_low)| *was_low != is_low);
        let row = board.listing.with_untracked(|list| {
            // The package has no problems of its own: show those of the whole catalog, which come
            // first.
            let first = (is_low || is_resized).then_some(0);
            let row = list.heading_of(&place.1).or(first).filter(|_| is_wanted)?;
            Some((
                row,
                list.rows.get(row).copied()?,
                list.rows.get(row + 1).copied(),
            ))
        });
        if let Some((row, heading, first)) = row {
            element.set_scroll_top(list.stack.with_untracked(|stack| stack.top(row)) as i32);
            list.top.set(f64::from(element.scroll_top()));
            let id = match (is_low, heading, first) {
                (false, Row::Heading { group }, _) => group_id(group),
                (_, _, Some(Row::Problem { index, .. })) => toggle_id(index),
                _ => return Some((place, is_low)),
            };
            request_animation_frame(move || bring(list, &id));
        }
        Some((place, is_low))
    });
}

/// Aligns drawn content exactly: row heights are only estimates.
fn bring(list: ListView, id: &str) {
    let Some(scroller) = list.scroller.try_get_untracked().flatten() else {
        return;
    };
    let Some(element) = document().get_element_by_id(id) else {
        return;
    };
    let row = element.closest("li, h3").ok().flatten().unwrap_or(element);
    let by = row.get_bounding_client_rect().top() - scroller.get_bounding_client_rect().top();
    scroller.set_scroll_top(scroller.scroll_top() + by.round() as i32);
}

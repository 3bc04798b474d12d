//! *Instead*: packages that would start to fail, and alternatives that keep them passing.
//!
//! | key | effect |
//! |---|---|
//! | 1, 2, 3 | selects that alternative, unless typing |

use crate::edits::step_title::title;
use crate::widgets::dom;
use crate::widgets::short_text::in_code;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use protocol::counting::and_more;
use protocol::operation::{DanglingEdges, EditOp, PromoteAs};
use protocol::views::FailingPackage;
use std::collections::BTreeSet;

/// The alternatives and the original operations.
#[component]
pub fn Alternatives(
    failing: Vec<FailingPackage>,
    instead: Vec<Vec<EditOp>>,
    on_choose: Callback<Vec<EditOp>>,
) -> impl IntoView {
    let note = match instead.is_empty() {
        true => "No alternative keeps the package passing.",
        false => {
            "Each alternative was tried and keeps the package passing. Choose one to preview it."
        }
    };
    view! {
        <section class="preview-consequences" aria-label="Alternatives">
            <h3 class="preview-title">"Alternatives"</h3>
            <p class="preview-warning">
                <span aria-hidden="true">"✕ "</span>
                {in_code(&warning(&failing))}
            </p>
            <p class="preview-note">{note}</p>
            {(!instead.is_empty()).then(|| buttons(instead, on_choose))}
        </section>
    }
    .into_any()
}

/// A button for each alternative.
pub fn buttons(instead: Vec<Vec<EditOp>>, on_choose: Callback<Vec<EditOp>>) -> AnyView {
    let way = move |(at, ops): (usize, Vec<EditOp>)| {
        let (title, key) = (way_title(&ops), (at + 1).to_string());
        view! {
            <li>
                <button
                    type="button"
                    class="button preview-way"
                    data-look="plain"
                    aria-keyshortcuts=key.clone()
                    on:click=move |_| on_choose.run(ops.clone())
                >
                    <kbd aria-hidden="true">{key.clone()}</kbd>
                    <span>{title}</span>
                </button>
            </li>
        }
    };
    view! { <ol class="preview-ways" aria-label="Alternative edits">{instead.into_iter().enumerate().map(way).collect_view()}</ol> }
        .into_any()
}

/// The alternative of a key, if any.
pub fn way_of_key<'a>(
    event: &KeyboardEvent,
    instead: &'a [Vec<EditOp>],
) -> Option<&'a Vec<EditOp>> {
    let is_plain = !(dom::has_modifier(event) || dom::is_typing(event));
    let digit: usize = event.key().parse().ok().filter(|_| is_plain)?;
    instead.get(digit.checked_sub(1)?)
}

/// The packages that would start to fail, without duplicates.
pub fn warning(failing: &[FailingPackage]) -> String {
    let Some(first) = failing.first() else {
        return String::new();
    };
    let names: BTreeSet<&str> = failing.iter().map(|row| row.package.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    match names.as_slice() {
        [name] => format!(
            "Package {name} passes now and would fail: {}",
            first.message
        ),
        names => format!(
            "Packages {} pass now and would all fail: {}",
            names.join(", "),
            first.message
        ),
    }
}

/// All operations of an alternative as text, since alternatives may only differ after the first.
pub fn way_title(ops: &[EditOp]) -> String {
    const NAMED: usize = 3;
    let describe = |op: &EditOp| format!("{}{}", title(std::slice::from_ref(op), 0), manner(op));
    let titles: Vec<String> = ops.iter().take(NAMED).map(describe).collect();
    match ops.len().saturating_sub(NAMED) {
        0 => titles.join("; "),
        more => format!("{}; {}", titles.join("; "), and_more(more)),
    }
}

/// Distinguishes alternatives with the same title.
fn manner(op: &EditOp) -> String {
    match op {
        EditOp::RemoveEntry { then, .. } | EditOp::RemoveBundle { then, .. } => match then {
            DanglingEdges::Relink => ", relinked".to_owned(),
            DanglingEdges::Skip => ", relinked and skipped".to_owned(),
            DanglingEdges::Leave => ", edges left".to_owned(),
        },
        EditOp::Promote { how: Some(how), .. } => match how {
            PromoteAs::Head => " as the head".to_owned(),
            PromoteAs::Chain => " into the chain".to_owned(),
            PromoteAs::Skipped => " as a skipped entry".to_owned(),
        },
        EditOp::Withdraw { by: Some(by), .. } => format!(", skipped by {by}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(json: &str) -> EditOp {
        serde_json::from_str(json).expect("an operation")
    }

    #[test]
    fn alternatives_have_different_titles() {
        let removed = |then: &str| {
            op(&format!(
                r#"{{"op":"remove-bundle","package":"p","bundle":"p.v1","then":"{then}"}}"#
            ))
        };
        assert_eq!(
            way_title(&[removed("relink")]),
            "Remove bundle p.v1, relinked"
        );
        assert_eq!(
            way_title(&[removed("skip")]),
            "Remove bundle p.v1, relinked and skipped"
        );
        let withdrawn = op(r#"{"op":"withdraw","package":"p","bundle":"p.v1","by":"p.v2"}"#);
        assert_eq!(way_title(&[withdrawn]), "Withdraw p.v1, skipped by p.v2");
        let default = op(r#"{"op":"set-default-channel","package":"p","channel":"b"}"#);
        let channel = op(r#"{"op":"remove-channel","package":"p","channel":"a"}"#);
        let many = [
            default,
            channel,
            removed("relink"),
            removed("skip"),
            removed("leave"),
        ];
        assert_eq!(
            way_title(&many),
            "Set default channel of p to b; Remove channel a; Remove bundle p.v1, relinked; and 2 more"
        );
    }

    #[test]
    fn reports_a_failing_edit_plainly() {
        let failing = |package: &str, message: &str| FailingPackage {
            package: package.into(),
            message: message.into(),
            ..FailingPackage::default()
        };
        assert_eq!(warning(&[]), "");
        assert_eq!(
            warning(&[failing("p", "2 heads")]),
            "Package p passes now and would fail: 2 heads"
        );
        // A package of two catalogs is listed once.
        assert_eq!(
            warning(&[failing("p", "2 heads"), failing("p", "x")]),
            "Package p passes now and would fail: 2 heads"
        );
        assert_eq!(
            warning(&[failing("q", "2 heads"), failing("p", "x")]),
            "Packages p, q pass now and would all fail: 2 heads"
        );
    }
}

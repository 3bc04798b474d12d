//! The invariants that a change breaks: for whom; expandable: remedy, reason and rule.

use crate::widgets::code_text::in_code;
use leptos::prelude::*;
use protocol::upgrades::BrokenRow;

pub fn broken_item(row: BrokenRow) -> impl IntoView {
    let (tone, word) = if row.error {
        ("bad", "✕ broken")
    } else {
        ("advice", "! warning")
    };
    let about = if row.id.is_empty() {
        String::new()
    } else {
        format!(" ({})", row.id)
    };
    let also = if row.also.is_empty() {
        String::new()
    } else {
        format!(", and so {}", row.also.join(", "))
    };
    let channel = row.channel;
    view! {
        <li class="compare-broken">
            <span class="strip-mark" data-tone=tone>{word}</span>
            <div class="broken-body">
                {(!channel.is_empty()).then(|| view! { <span class="dim">{format!("{channel}: ")}</span> })}
                {in_code(&row.message)}
                <details class="broken-why">
                    <summary class="detail-summary">"What to do"</summary>
                    <p>{in_code(&row.help)}</p>
                    <p><span class="detail-label">"Why"</span> {in_code(&row.why)}</p>
                    <p><span class="detail-label">"Rule"</span> {in_code(&row.rule)}</p>
                    <p class="dim"><span class="problem-rule">{row.invariant}</span> {about} {also}</p>
                </details>
            </div>
        </li>
    }
}

//! An invariant that a change breaks: for whom, and behind it the rule, why it is one and what to do.

use crate::widgets::code_text::in_code;
use leptos::prelude::*;
use protocol::upgrades::BrokenRow;

pub fn broken_item(row: BrokenRow) -> impl IntoView {
    let (tone, word) = if row.error { ("bad", "✕ error") } else { ("advice", "! warning") };
    let about = if row.id.is_empty() { String::new() } else { format!(" ({})", row.id) };
    let whose = row.channel;
    view! {
        <li class="compare-broken">
            <span class="strip-mark" data-tone=tone>{word}</span>
            <div class="broken-body">
                {(!whose.is_empty()).then(|| view! { <span class="dim">{format!("{whose}: ")}</span> })}
                {in_code(&row.message)}
                <details class="broken-why">
                    <summary class="detail-summary">
                        "Breaks " <span class="problem-rule">{row.invariant}</span> {about}
                    </summary>
                    <p>{in_code(&row.rule)}</p>
                    <p><span class="detail-label">"Why"</span> {in_code(&row.why)}</p>
                    <p><span class="detail-label">"What to do"</span> {in_code(&row.help)}</p>
                </details>
            </div>
        </li>
    }
}

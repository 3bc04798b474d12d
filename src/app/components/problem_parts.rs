//! Parts of displayed problems: their number, the button of a fix, the link to a position in a file, and a
//! broken invariant with its remedy, reason and rule.

use super::long_list::LongList;
use crate::prelude::*;
use crate::widgets::buttons::LazyDetails;
use crate::widgets::short_text::breakable;
use protocol::counting::{capitalize, plural};
use protocol::diagnostic::{Diagnostic, Fix, Location, Severity};
use protocol::upgrades::BrokenRow;

/// A fix as a button: opens its preview with *Apply*.
#[component]
pub fn FixButton(
    app: AppContext,
    problem: Diagnostic,
    fix: Fix,
    tab: Signal<&'static str>,
) -> impl IntoView {
    let title = words::fix_title(&fix.title);
    let action = fix.title.replace('`', "");
    let name = format!("Fix: {action}");
    let full_title = title.clone();
    view! {
        <button
            type="button"
            class="fix-button"
            aria-label=name
            title=full_title
            tabindex=move || tab.get()
            on:click=move |_| app.confirm(title.clone(), app.fix_ops(&fix, &problem.catalog))
        >
            "Fix: " {action}
        </button>
    }
    .into_any()
}

/// Returns the tone, the icon, which has its own shape, and the name of a severity.
fn severity_parts(severity: Severity) -> (&'static str, Icon, &'static str) {
    match severity {
        Severity::Error => ("error", Icon::Error, "error"),
        Severity::Warning => ("advice", Icon::Warning, "warning"),
        Severity::Info => ("info", Icon::Info, "info"),
    }
}

/// Renders the icon of a severity, and a label for screen readers.
pub fn severity_icon(severity: Severity) -> impl IntoView {
    let (tone, icon, name) = severity_parts(severity);
    view! {
        <span class="mark" data-tone=tone>
            <Glyph icon=icon/>
            <span class="visually-hidden">{capitalize(name)}": "</span>
        </span>
    }
}

/// Renders the number of problems of a severity with its icon; nothing for 0.
pub fn problem_count(count: u32, severity: Severity) -> impl IntoView {
    (count > 0).then(|| {
        let (tone, icon, name) = severity_parts(severity);
        let unit = if count == 1 || severity == Severity::Info {
            name.to_owned()
        } else {
            plural(name)
        };
        let title = format!("{count} {unit}");
        view! {
            <span class="mark" data-tone=tone title=title>
                <Glyph icon=icon/>
                {count}
                <span class="visually-hidden">" "{unit}</span>
            </span>
        }
    })
}

/// Renders a position as a link to *Source*.
pub fn location_link(app: AppContext, location: Location) -> AnyView {
    let text = words::location(&location);
    view! {
        <button
            type="button"
            class="link"
            on:click=move |_| app.show_source(location.clone())
        >
            {breakable(&text)}
        </button>
    }
    .into_any()
}

/// Renders a broken invariant as the content of a list item.
pub fn broken_item(row: BrokenRow) -> AnyView {
    let (tone, label) = if row.error {
        ("bad", "✕ broken")
    } else {
        ("advice", "! warning")
    };
    let channel = row.channel;
    let alike = (!row.alike.is_empty()).then(|| {
        let summary = format!("{} more like this", row.alike.len());
        view! {
            <LazyDetails class="broken-why" summary_class="detail-summary" summary=summary.into_any()>
                <LongList
                    class="compare-list"
                    items=row.alike
                    render=|message: String| in_code(&message).into_any()
                />
            </LazyDetails>
        }
    });
    view! {
            <span class="strip-mark" data-tone=tone>{label}</span>
            <div class="broken-body">
                {(!channel.is_empty()).then(|| view! { <span class="dim">{format!("{channel}: ")}</span> })}
                {in_code(&row.message)}
                {alike}
                <details class="broken-why">
                    <summary class="detail-summary">"What to do"</summary>
                    <p>{in_code(&row.help)}</p>
                    <p><span class="detail-label">"Why"</span> {in_code(&row.why)}</p>
                    <p><span class="detail-label">"Rule"</span> {in_code(&row.rule)}</p>
                    <p class="dim"><span class="problem-rule">{row.invariants.join(", ")}</span></p>
                </details>
            </div>
    }
    .into_any()
}

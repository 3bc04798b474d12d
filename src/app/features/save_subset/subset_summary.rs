//! The result: counts, verdict, files; or why there is none.

use crate::components::preview::RefusalNote;
use crate::context::AppContext;
use crate::widgets::announce;
use crate::words;
use leptos::prelude::*;
use protocol::counting::and_more;
use protocol::response::OperationRefusal;
use protocol::subset::SubsetView;

/// Maximum number of files named.
const NAMED: usize = 40;

#[component]
pub(super) fn SubsetSummary(
    app: AppContext,
    #[prop(into)] found: Signal<Option<Result<SubsetView, OperationRefusal>>>,
    /// What the form lacks.
    #[prop(into)]
    missing: Signal<Option<&'static str>>,
) -> impl IntoView {
    let content = move || match (missing.get(), found.get()) {
        (Some(missing), _) => view! { <p class="preview-note">{missing}</p> }.into_any(),
        (None, None) => view! { <p class="preview-note">"Computing the subset…"</p> }.into_any(),
        (None, Some(Err(refusal))) => view! { <RefusalNote app refusal root=None/> }.into_any(),
        (None, Some(Ok(view))) => part(view).into_any(),
    };
    announce::follow(move || found.with(announcement));
    view! {
        <section class="preview" aria-label="What is kept" tabindex="0">{content}</section>
    }
    .into_any()
}

/// The result in one line, for screen readers.
fn announcement(found: &Option<Result<SubsetView, OperationRefusal>>) -> String {
    match found {
        None => String::new(),
        Some(Err(refusal)) => format!("Cannot be done: {}", refusal.reason),
        Some(Ok(view)) => format!(
            "{} of {}, {} of {}; {}",
            view.kept.packages,
            words::packages(view.total.packages),
            view.kept.bundles,
            words::count(view.total.bundles, "bundle"),
            verdict(view)
        ),
    }
}

fn verdict(view: &SubsetView) -> &'static str {
    if view.passed {
        "Passes opm validate"
    } else {
        "Fails opm validate"
    }
}

fn part(view: SubsetView) -> impl IntoView {
    let rows = [
        ("Packages", view.kept.packages, view.total.packages),
        ("Channels", view.kept.channels, view.total.channels),
        ("Entries", view.kept.entries, view.total.entries),
        ("Bundles", view.kept.bundles, view.total.bundles),
    ];
    let tone = if view.passed { "good" } else { "bad" };
    let size: u64 = view.files.iter().map(|(_, size)| size).sum();
    let (count, more) = (view.files.len(), view.files.len().saturating_sub(NAMED));
    let files = format!(
        "{}, {}",
        words::count(count as u32, "file"),
        words::bytes(size)
    );
    let left_out = view.left_out.len() as u32;
    view! {
        <p class="part-verdict" data-tone=tone>{verdict(&view)}</p>
        {(!view.message.is_empty()).then(|| view! { <pre class="part-message">{view.message.clone()}</pre> })}
        <table class="part-counts">
            <caption class="visually-hidden">"How much is kept"</caption>
            <tbody>
                {rows
                    .into_iter()
                    .map(|(name, kept, of)| {
                        view! {
                            <tr>
                                <th scope="row">{name}</th>
                                <td>{words::group_digits(u64::from(kept))}</td>
                                <td class="dim">{format!("of {}", words::group_digits(u64::from(of)))}</td>
                            </tr>
                        }
                    })
                    .collect_view()}
            </tbody>
        </table>
        <h3 class="preview-title">{files}</h3>
        <ul class="part-files" aria-label="Files">
            {view
                .files
                .into_iter()
                .take(NAMED)
                .map(|(path, size)| view! { <li><code>{path}</code>" "<span class="dim">{words::bytes(size)}</span></li> })
                .collect_view()}
        </ul>
        {(more > 0).then(|| view! { <p class="preview-note">{and_more(more)}</p> })}
        {(left_out > 0)
            .then(|| {
                let text = format!("Not included: {} ignored by .indexignore.", words::count(left_out, "file"));
                view! { <p class="preview-note">{text}</p> }
            })}
    }
}

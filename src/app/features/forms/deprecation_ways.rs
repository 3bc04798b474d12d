//! Remedies for a deprecation that ends updates: OLM v1 prefers bundles that are not deprecated,
//! including the installed one. Older versions are updated again if they are deprecated too, or if
//! a newer release is not.

use crate::components::preview::{Live, Preview};
use crate::context::AppContext;
use crate::edits::command::EditCommand;
use crate::edits::form_values::FormValues;
use crate::reactive::memo;
use crate::widgets::buttons::Button;
use crate::words;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::request::Target;
use protocol::response::PackageView;
use protocol::views::Consequences;

/// The rule about deprecations that end updates.
const FREEZES: &str = "deprecation-freezes";

/// Shown if the requested deprecation ends updates.
#[component]
pub(super) fn DeprecationWays(app: AppContext, live: Live) -> impl IntoView {
    let frozen = memo(move |_| {
        if live.is_of_another_way() {
            return None;
        }
        live.preview.with(|preview| match preview {
            Preview::Shown {
                ops, consequences, ..
            } if freezes(consequences) => {
                let older = app.current.view.with(|view| older(view, ops));
                Some((
                    older.len() as u32,
                    ops.iter().cloned().chain(older).collect::<Vec<_>>(),
                ))
            }
            _ => None,
        })
    });
    move || frozen.get().map(|(older, ops)| ways(app, live, older, ops))
}

fn ways(app: AppContext, live: Live, older: u32, ops: Vec<EditOp>) -> impl IntoView {
    let label = format!("Deprecate {} too", words::count(older, "older version"));
    let title = label.clone();
    let deprecate = (older > 0).then(|| {
        view! {
            <li>
                <Button label on_press=move |()| live.take_way(title.clone(), ops.clone())/>
                <p class="preview-note">
                    "Then none of them is preferred any more, and users upgrade as before. They see the same message."
                </p>
            </li>
        }
    });
    view! {
        <section class="preview-consequences" aria-label="Keep updates going">
            <h3 class="preview-title">"Keep updates going"</h3>
            <ul class="withdraw-ways">
                {deprecate}
                <li>
                    <Button
                        label="Add a newer release"
                        on_press=move |()| app.open_form_with(EditCommand::AddBundle, Target::Package, FormValues::default())
                    />
                    <p class="preview-note">"Users of the older versions get it instead; then this one can be deprecated."</p>
                </li>
            </ul>
        </section>
    }
    .into_any()
}

fn freezes(found: &Consequences) -> bool {
    let is_it = |name: &String| name == FREEZES;
    found
        .tables
        .iter()
        .flat_map(|table| &table.broken)
        .any(|row| is_it(&row.invariant) || row.also.iter().any(is_it))
}

/// The same deprecation for every version below the lowest one in these operations, unless already
/// deprecated.
fn older(view: &PackageView, ops: &[EditOp]) -> Vec<EditOp> {
    let bundle_of = |op: &EditOp| match op {
        EditOp::Deprecate {
            bundle: Some(bundle),
            ..
        } => Some(bundle.clone()),
        _ => None,
    };
    // Highest first.
    let lowest = view
        .bundles
        .iter()
        .rposition(|(name, _)| ops.iter().any(|op| bundle_of(op).as_ref() == Some(name)));
    let (
        Some(lowest),
        Some(EditOp::Deprecate {
            catalog,
            package,
            message,
            ..
        }),
    ) = (lowest, ops.first())
    else {
        return Vec::new();
    };
    let is_deprecated = |name: &str| {
        view.deprecations
            .iter()
            .any(|(what, _)| *what == format!("bundle {name}"))
    };
    let below = view
        .bundles
        .iter()
        .skip(lowest + 1)
        .filter(|(name, _)| !is_deprecated(name));
    let same = |(name, _): &(String, String)| EditOp::Deprecate {
        catalog: catalog.clone(),
        package: package.clone(),
        channel: None,
        bundle: Some(name.clone()),
        message: message.clone(),
    };
    below.map(same).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_older_versions_that_are_not_deprecated_get_the_same_message() {
        let bundles = ["p.v4", "p.v3", "p.v2", "p.v1"]
            .map(|name| (name.to_owned(), name[3..].to_owned()))
            .to_vec();
        let deprecations = vec![("bundle p.v1".to_owned(), "old".to_owned())];
        let view = PackageView {
            bundles,
            deprecations,
            ..PackageView::default()
        };
        let deprecate = |bundle: &str| EditOp::Deprecate {
            catalog: None,
            package: "p".into(),
            channel: None,
            bundle: Some(bundle.into()),
            message: "go to 4".into(),
        };
        assert_eq!(older(&view, &[deprecate("p.v3")]), [deprecate("p.v2")]);
        assert_eq!(older(&view, &[]), []);
    }
}

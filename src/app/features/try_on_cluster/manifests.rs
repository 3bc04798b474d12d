//! The manifests as text with remarks, or why there are none.

use crate::widgets::announce;
use crate::widgets::code_text::in_code;
use crate::words;
use leptos::prelude::*;
use protocol::install::{InstallManifests, InstallRefusal};

#[component]
pub(super) fn Manifests(
    #[prop(into)] found: Signal<Option<Result<InstallManifests, InstallRefusal>>>,
    /// What the form lacks.
    #[prop(into)]
    missing: Signal<Option<&'static str>>,
) -> impl IntoView {
    let content = move || {
        match (missing.get(), found.get()) {
        (Some(missing), _) => view! { <p class="preview-note">{missing}</p> }.into_any(),
        (None, None) => view! { <p class="preview-note">"Writing the manifests…"</p> }.into_any(),
        (None, Some(Err(refusal))) => view! {
            <div class="refusal">
                <p><strong>"The manifests cannot be written: "</strong>{in_code(&refusal.reason)}</p>
                <p>{in_code(&refusal.help)}</p>
            </div>
        }
        .into_any(),
        (None, Some(Ok(written))) => text(written),
    }
    };
    announce::follow(move || found.with(announcement));
    view! {
        <section class="preview" aria-label="Manifests" tabindex="0">{content}</section>
    }
    .into_any()
}

fn text(written: InstallManifests) -> AnyView {
    let InstallManifests {
        yaml,
        remarks,
        bundle,
    } = written;
    view! {
        {(!bundle.is_empty()).then(|| view! { <p>"Installs "<code>{bundle}</code>" first."</p> })}
        {(!remarks.is_empty())
            .then(|| {
                view! {
                    <ul class="install-remarks" aria-label="What to know">
                        {remarks.into_iter().map(|remark| view! { <li>{in_code(&remark)}</li> }).collect_view()}
                    </ul>
                }
            })}
        <pre class="install-yaml">{yaml}</pre>
    }
    .into_any()
}

/// The manifests in one line, for screen readers.
fn announcement(found: &Option<Result<InstallManifests, InstallRefusal>>) -> String {
    match found {
        None => String::new(),
        Some(Err(refusal)) => format!("The manifests cannot be written: {}", refusal.reason),
        Some(Ok(written)) => {
            let objects = written.yaml.lines().filter(|line| *line == "---").count();
            let remarks = written.remarks.len();
            format!(
                "{}, {}",
                words::count(objects as u32, "object"),
                words::count(remarks as u32, "remark")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spoken_text_summarizes_the_manifests() {
        let written = InstallManifests {
            yaml: "---\na: 1\n---\nb: 2\n".into(),
            ..InstallManifests::default()
        };
        assert_eq!(announcement(&Some(Ok(written))), "2 objects, 0 remarks");
        let refusal = InstallRefusal {
            reason: "no".into(),
            ..InstallRefusal::default()
        };
        assert_eq!(
            announcement(&Some(Err(refusal))),
            "The manifests cannot be written: no"
        );
        assert_eq!(announcement(&None), "");
    }
}

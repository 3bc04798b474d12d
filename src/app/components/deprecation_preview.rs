//! The preview of a deprecation as users see it, in consoles and on clusters.

use crate::edits::command::Field;
use crate::edits::form_values::{FormValues, Reference, parse_names, parse_reference};
use leptos::prelude::*;
use protocol::response::PackageView;

/// A deprecation as users see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeprecationText {
    /// The deprecated object, which gets the badge.
    pub subject: String,
    /// A sentence that names the affected users.
    pub audience: String,
    pub message: String,
    /// The condition's type, both of a Subscription (`olm-resolution` R2.3.8) and of a
    /// ClusterExtension (1.7).
    pub condition: &'static str,
    /// The condition's text in a Subscription. In a ClusterExtension it is the message.
    pub subscription_text: String,
}

/// Returns the preview of a form; `None` if the form lacks the subject or the message.
pub fn deprecation_text(values: &FormValues, view: &PackageView) -> Option<DeprecationText> {
    let message = values.get(Field::Message).to_owned();
    let first = values
        .several()
        .first()
        .map(|entry| Reference::Bundle(entry.name.clone()));
    let subject = first.or_else(|| parse_reference(values.get(Field::Reference)))?;
    let subject = match subject {
        // All bundles get the same message: show the first one.
        Reference::Bundle(typed) => Reference::Bundle(parse_names(&typed).into_iter().next()?),
        Reference::Channel(name) if name.is_empty() => return None,
        subject => subject,
    };
    if message.is_empty() {
        return None;
    }
    let (reference, condition, subject, audience) = match &subject {
        Reference::Package => (
            format!("olm.package/{}", view.package),
            "PackageDeprecated",
            view.package.clone(),
            "Would be shown to everyone who views the package in the catalog or has it installed."
                .to_owned(),
        ),
        Reference::Channel(name) => (
            format!("olm.channel/{name}"),
            "ChannelDeprecated",
            format!("channel {name}"),
            format!(
                "Would be shown to everyone who chooses channel {name} or is subscribed to it."
            ),
        ),
        Reference::Bundle(name) => {
            let version = view
                .bundles
                .iter()
                .find(|(bundle, _)| bundle == name)
                .map_or(name, |(_, version)| version);
            (
                format!("olm.bundle/{name}"),
                "BundleDeprecated",
                format!("version {version}"),
                format!(
                    "Would be shown to everyone who chooses version {version} or has it installed."
                ),
            )
        }
    };
    Some(DeprecationText {
        subject,
        audience,
        condition,
        subscription_text: format!("{reference}: {message}"),
        message,
    })
}

/// The preview: a badge, the message, and the cluster's conditions.
#[component]
pub fn DeprecationPreview(deprecation_text: Signal<Option<DeprecationText>>) -> impl IntoView {
    view! {
        <section class="console" aria-label="What users would see">
            <h3 class="preview-title">"What users would see"</h3>
            {move || match deprecation_text.get() {
                None => view! { <p class="preview-note">"Choose what to deprecate and enter the message."</p> }.into_any(),
                Some(deprecation_text) => render_deprecation(deprecation_text),
            }}
        </section>
    }
    .into_any()
}

fn render_deprecation(deprecation_text: DeprecationText) -> AnyView {
    let condition = |label: &'static str, text: String| {
        view! {
            <dt class="fact-label">{label}</dt>
            <dd class="fact-value"><code>{deprecation_text.condition}</code> " " <span class="console-text">{text}</span></dd>
        }
    };
    view! {
        <div class="console-card">
            <p><span class="console-badge">"⊘ Deprecated"</span> " " <strong>{deprecation_text.subject}</strong></p>
            <p class="console-text">{deprecation_text.message.clone()}</p>
        </div>
        <p class="field-hint">{deprecation_text.audience}</p>
        <dl class="facts">
            {condition("Subscription", deprecation_text.subscription_text)}
            {condition("ClusterExtension", deprecation_text.message)}
        </dl>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn each_scope_has_its_condition() {
        let view = PackageView {
            package: "p".into(),
            channels: vec!["old".into()],
            bundles: vec![("p.v1".into(), "1.0.0".into())],
            ..PackageView::default()
        };
        let preview = |reference: &str, message: &str| {
            deprecation_text(
                &FormValues::default()
                    .with(Field::Reference, reference)
                    .with(Field::Message, message),
                &view,
            )
        };
        for (reference, condition, text, on) in [
            ("package", "PackageDeprecated", "olm.package/p: move", "p"),
            (
                "channel old",
                "ChannelDeprecated",
                "olm.channel/old: move",
                "channel old",
            ),
            (
                "bundle p.v1",
                "BundleDeprecated",
                "olm.bundle/p.v1: move",
                "version 1.0.0",
            ),
        ] {
            let deprecation_text = preview(reference, "move").expect("complete");
            assert_eq!(
                (
                    deprecation_text.condition,
                    deprecation_text.subscription_text,
                    deprecation_text.subject
                ),
                (condition, text.to_owned(), on.to_owned())
            );
        }
        assert_eq!(preview("package", " "), None);
        assert_eq!(preview("bundle", "move"), None, "no version is named yet");
        assert_eq!(
            preview("bundle p.v1, p.v0", "move")
                .map(|text| text.subject)
                .as_deref(),
            Some("version 1.0.0")
        );
    }
}

//! Deprecation message templates with names filled in.

use super::command::Field;
use super::form_values::{FormValues, Reference, reference};
use protocol::response::PackageView;

/// Keys and labels of the templates.
pub const TEMPLATES: [(&str, &str); 6] = [
    ("", "none"),
    ("end-of-life", "No longer supported: move on"),
    ("defect", "Has a known defect: update"),
    ("security", "Has a security problem: update now"),
    ("renamed", "Continues under another name"),
    ("last", "Will get no more updates"),
];

/// The message of the selected template for the form's subject; `None`: none is selected.
pub fn message_for(values: &FormValues, view: &PackageView) -> Option<String> {
    let key = values.get(Field::Template);
    let thing = thing(values, view);
    let next = next(values, view);
    let text = match key {
        "end-of-life" => format!("{thing} is no longer supported. Move to {next}."),
        "defect" => format!("{thing} has a known defect. Update to {next}."),
        "security" => format!("{thing} has a known security problem. Update to {next} now."),
        "renamed" => format!("{thing} continues under another name. Move to NAME: see LINK."),
        "last" => format!("{thing} will get no more updates. Plan your move to {next}."),
        _ => return None,
    };
    Some(text)
}

/// The deprecated object at the start of a sentence.
fn thing(values: &FormValues, view: &PackageView) -> String {
    if !values.several().is_empty() {
        return "This version".to_owned();
    }
    match reference(values.get(Field::Reference), &view.channels, &view.bundles) {
        Some(Reference::Channel(name)) if !name.is_empty() => format!("Channel {name}"),
        Some(Reference::Bundle(name)) if !name.is_empty() => {
            format!("{} {}", view.package, version(view, &name))
        }
        _ => view.package.clone(),
    }
}

/// The users' alternative: another channel, a higher version, or a placeholder.
fn next(values: &FormValues, view: &PackageView) -> String {
    let picked = |name: &str| values.several().iter().any(|entry| entry.name == name);
    // The highest version, unless it is the deprecated one.
    let higher = |left: &dyn Fn(&str) -> bool| {
        let highest = view.bundles.first().filter(|(name, _)| !left(name));
        highest.map_or("VERSION".to_owned(), |(_, version)| version.clone())
    };
    match reference(values.get(Field::Reference), &view.channels, &view.bundles) {
        _ if !values.several().is_empty() => higher(&picked),
        Some(Reference::Channel(name)) => {
            let default = (view.default_channel != name).then_some(&view.default_channel);
            let other = default.or_else(|| view.channels.iter().find(|channel| **channel != name));
            other
                .filter(|other| !other.is_empty())
                .map_or("channel NAME".to_owned(), |other| {
                    format!("channel {other}")
                })
        }
        Some(Reference::Bundle(name)) => higher(&|other| other == name),
        _ => "NAME".to_owned(),
    }
}

fn version(view: &PackageView, name: &str) -> String {
    let found = view
        .bundles
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, version)| version.as_str());
    found
        .filter(|version| !version.is_empty())
        .unwrap_or(name)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> PackageView {
        PackageView {
            package: "sail".into(),
            default_channel: "stable".into(),
            channels: vec!["stable".into(), "old".into()],
            bundles: vec![
                ("s.v2".into(), "2.0.0".into()),
                ("s.v1".into(), "1.0.0".into()),
            ],
            ..PackageView::default()
        }
    }

    fn message(reference: &str, template: &str) -> String {
        let values = FormValues::default()
            .with(Field::Reference, reference)
            .with(Field::Template, template);
        message_for(&values, &view()).unwrap_or_default()
    }

    #[test]
    fn names_are_filled_in() {
        assert_eq!(
            message("channel old", "end-of-life"),
            "Channel old is no longer supported. Move to channel stable."
        );
        assert_eq!(
            message("channel stable", "last"),
            "Channel stable will get no more updates. Plan your move to channel old."
        );
        assert_eq!(
            message("bundle s.v1", "defect"),
            "sail 1.0.0 has a known defect. Update to 2.0.0."
        );
        assert_eq!(
            message("bundle s.v2", "security"),
            "sail 2.0.0 has a known security problem. Update to VERSION now."
        );
        assert_eq!(
            message("package", "end-of-life"),
            "sail is no longer supported. Move to NAME."
        );
        assert_eq!(message("package", ""), "");
    }

    #[test]
    fn every_template_has_a_message_for_every_scope() {
        for (key, _) in TEMPLATES.into_iter().filter(|(key, _)| !key.is_empty()) {
            for reference in ["package", "channel old", "bundle s.v1", ""] {
                assert!(message(reference, key).ends_with('.'), "{key} {reference}");
            }
        }
    }
}

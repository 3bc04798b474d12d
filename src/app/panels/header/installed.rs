//! *Installed*: the version a cluster has now, from which both lenses answer.

use crate::app::desk::desk;
use crate::app::widgets::combobox::{Choice, Combobox};
use leptos::prelude::*;

/// What stands in the field when nothing is installed.
pub const FRESH: &str = "fresh install";

/// The bundle that a typed text means: `Ok(None)` for a fresh install.
pub fn resolve(text: &str, bundles: &[(String, String)]) -> Result<Option<String>, ()> {
    let text = text.trim();
    if text.is_empty() || text.eq_ignore_ascii_case(FRESH) {
        return Ok(None);
    }
    let by_name = bundles.iter().find(|(name, _)| name == text);
    let by_version = || bundles.iter().find(|(_, version)| version == text.trim_start_matches('v'));
    by_name.or_else(by_version).map(|(name, _)| Some(name.clone())).ok_or(())
}

/// What stands in the field for an installed bundle: its version where no other bundle has the same, else its name.
pub fn shown(installed: Option<&str>, bundles: &[(String, String)]) -> String {
    let Some(name) = installed else { return FRESH.to_owned() };
    let version =
        bundles.iter().find(|(known, _)| known == name).map(|(_, version)| version.as_str()).unwrap_or_default();
    let is_only = bundles.iter().filter(|(_, other)| other == version).count() == 1;
    if version.is_empty() || !is_only { name.to_owned() } else { version.to_owned() }
}

#[component]
pub(super) fn Installed() -> impl IntoView {
    let desk = desk();
    let text = RwSignal::new(FRESH.to_owned());
    let installed = Memo::new(move |_| desk.session.question.with(|question| question.installed.clone()));
    Effect::new(move |_| {
        let installed = installed.get();
        text.set(desk.view.with(|view| shown(installed.as_deref(), &view.bundles)));
    });
    let choices = Signal::derive(move || {
        let mut choices = vec![Choice::new(FRESH, "nothing is installed")];
        desk.view.with(|view| {
            choices.extend(
                view.bundles.iter().map(|(name, _)| Choice::new(shown(Some(name), &view.bundles), name.as_str())),
            );
        });
        choices
    });
    let wrong = Signal::derive(move || text.with(|text| desk.view.with(|view| resolve(text, &view.bundles).is_err())));
    let done = move |()| {
        let found = text.with_untracked(|text| desk.view.with_untracked(|view| resolve(text, &view.bundles)));
        if let Ok(installed) = found {
            desk.ask_upgrade(|question| question.installed = installed);
        }
    };
    view! {
        <div class="installed">
            <label class="installed-label" for="installed-field">"Installed"</label>
            <Combobox
                id="installed-field"
                value=text
                choices=choices
                on_change=move |typed| text.set(typed)
                on_done=Callback::new(done)
                invalid=wrong
            />
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundles() -> Vec<(String, String)> {
        [("p.v2", "2.0.0"), ("p.v2-r1", "2.0.0"), ("p.v1", "1.0.0")].map(|(n, v)| (n.to_owned(), v.to_owned())).into()
    }

    #[test]
    fn versions_and_names_are_understood() {
        assert_eq!(resolve("1.0.0", &bundles()), Ok(Some("p.v1".to_owned())));
        assert_eq!(resolve("v1.0.0", &bundles()), Ok(Some("p.v1".to_owned())));
        assert_eq!(resolve(" p.v2-r1 ", &bundles()), Ok(Some("p.v2-r1".to_owned())));
        assert_eq!(resolve("Fresh install", &bundles()), Ok(None));
        assert_eq!(resolve("3", &bundles()), Err(()));
    }

    #[test]
    fn a_version_two_bundles_share_is_shown_by_name() {
        assert_eq!(shown(Some("p.v1"), &bundles()), "1.0.0");
        assert_eq!(shown(Some("p.v2-r1"), &bundles()), "p.v2-r1");
        assert_eq!(shown(None, &bundles()), FRESH);
        for (name, _) in bundles() {
            assert_eq!(resolve(&shown(Some(&name), &bundles()), &bundles()), Ok(Some(name)));
        }
    }
}

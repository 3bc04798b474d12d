//! *Installed*: the version a cluster has now, from which both lenses answer.

use crate::desk::desk;
use crate::widgets::combobox::{Choice, Combobox};
use leptos::prelude::*;
use protocol::views::Origin;

/// What stands in the field when nothing is installed.
pub const FRESH: &str = "fresh install";
/// What stands in the field when every version is asked for.
pub const EVERYONE: &str = "everyone";

/// What stands in the field and is not asked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Typed {
    /// Catalog and package in view when it was typed: with another, it is forgotten.
    place: (String, String),
    text: String,
    /// Enter was pressed, a suggestion taken, or the field left.
    is_done: bool,
}

/// What a typed text means. A text that names no bundle is asked about as it is: what left the catalog may be installed
/// still, and the answer says what is wrong with it.
pub fn resolve(text: &str, bundles: &[(String, String)]) -> Origin {
    let text = text.trim();
    if text.is_empty() || text.eq_ignore_ascii_case(FRESH) {
        return Origin::Fresh;
    }
    if text.eq_ignore_ascii_case(EVERYONE) {
        return Origin::Everyone;
    }
    let by_name = bundles.iter().find(|(name, _)| name == text);
    let by_version = || bundles.iter().find(|(_, version)| version == text.trim_start_matches('v'));
    Origin::Installed(by_name.or_else(by_version).map_or(text, |(name, _)| name).to_owned())
}

/// What stands in the field: of a bundle its version where no other bundle has the same, else its name.
pub fn shown(origin: &Origin, bundles: &[(String, String)]) -> String {
    let name = match origin {
        Origin::Fresh => return FRESH.to_owned(),
        Origin::Everyone => return EVERYONE.to_owned(),
        Origin::Installed(name) => name,
    };
    let version =
        bundles.iter().find(|(known, _)| known == name).map(|(_, version)| version.as_str()).unwrap_or_default();
    let is_only = bundles.iter().filter(|(_, other)| other == version).count() == 1;
    if version.is_empty() || !is_only { name.to_owned() } else { version.to_owned() }
}

#[component]
pub(super) fn Installed() -> impl IntoView {
    let desk = desk();
    // What is typed and not yet asked; no answer that comes meanwhile takes it away.
    let typed = RwSignal::new(None::<Typed>);
    let asked = Memo::new(move |_| {
        let origin = desk.session.question.with(|question| question.origin.clone());
        desk.view.with(|view| shown(&origin, &view.bundles))
    });
    let place = Memo::new(move |_| (desk.session.root.get(), desk.package.get()));
    let typed_here = move || typed.get().filter(|typed| place.with(|place| typed.place == *place));
    let text = Signal::derive(move || typed_here().map_or_else(|| asked.get(), |typed| typed.text));
    let choices = Signal::derive(move || {
        let mut choices =
            vec![Choice::new(FRESH, "nothing is installed"), Choice::new(EVERYONE, "every published version")];
        desk.view.with(|view| {
            let name = |name: &String| shown(&Origin::Installed(name.clone()), &view.bundles);
            choices.extend(view.bundles.iter().map(|(bundle, _)| Choice::new(name(bundle), bundle.as_str())));
        });
        choices
    });
    let meant = move || text.with(|text| desk.view.with(|view| resolve(text, &view.bundles)));
    let wrong = Signal::derive(move || {
        let meant = meant();
        desk.view.with(|view| !view.answer.unknown.is_empty() && view.answer.origin == meant)
    });
    // A version means a bundle of the package in view: what was typed before that has come is asked when it has.
    Effect::new(move |_| {
        let is_there =
            desk.view.with(|view| place.with(|(root, package)| view.root == *root && view.package == *package));
        if is_there && typed_here().is_some_and(|typed| typed.is_done) {
            let origin = untrack(meant);
            typed.set(None);
            desk.ask_upgrade(|question| question.origin = origin);
        }
    });
    let done = move |()| {
        typed.update(|typed| {
            if let Some(typed) = typed {
                typed.is_done = true;
            }
        });
    };
    view! {
        <div class="installed">
            <label class="installed-label" for="installed-field">"Installed"</label>
            <Combobox
                id="installed-field"
                value=text
                choices=choices
                on_change=move |text| {
                    typed.set(Some(Typed { place: place.get_untracked(), text, is_done: false }));
                }
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

    fn bundle(name: &str) -> Origin {
        Origin::Installed(name.to_owned())
    }

    #[test]
    fn versions_and_names_are_understood() {
        assert_eq!(resolve("1.0.0", &bundles()), bundle("p.v1"));
        assert_eq!(resolve("v1.0.0", &bundles()), bundle("p.v1"));
        assert_eq!(resolve(" p.v2-r1 ", &bundles()), bundle("p.v2-r1"));
        assert_eq!(resolve("Fresh install", &bundles()), Origin::Fresh);
        assert_eq!(resolve("Everyone", &bundles()), Origin::Everyone);
        assert_eq!(resolve(" p.v0@0.1.0 ", &bundles()), bundle("p.v0@0.1.0"));
    }

    #[test]
    fn a_version_two_bundles_share_is_shown_by_name() {
        assert_eq!(shown(&bundle("p.v1"), &bundles()), "1.0.0");
        assert_eq!(shown(&bundle("p.v2-r1"), &bundles()), "p.v2-r1");
        for origin in bundles().into_iter().map(|(name, _)| bundle(&name)).chain([Origin::Fresh, Origin::Everyone]) {
            assert_eq!(resolve(&shown(&origin, &bundles()), &bundles()), origin);
        }
    }
}

//! Selects the object of the blob at the caret, shortly after the caret rests.

use super::source_panel::Panel;
use crate::reactive::effect;
use crate::widgets::editor::Editor;
use completion::cursor_context::CursorContext;
use completion::suggestions::package_of;
use leptos::prelude::*;
use protocol::request::Target;
use std::time::Duration;

/// Time the caret must rest.
const REST: Duration = Duration::from_millis(250);

pub(super) fn follow_caret(panel: Panel, editor: Editor) {
    let app = panel.app;
    let ticket = StoredValue::new(0u32);
    effect(move |_| {
        editor.caret.track();
        ticket.update_value(|ticket| *ticket += 1);
        let mine = ticket.get_value();
        let look = move || {
            if ticket.try_get_value() != Some(mine) || !editor.has_focus() {
                return;
            }
            let spot = panel.spot(editor, editor.caret.get_untracked());
            let is_here = app
                .current
                .package
                .with_untracked(|package| package == package_of(&spot));
            let now = app.current.target.get_untracked();
            if let Some(target) = target_of(&spot).filter(|target| is_here && !is_of(target, &now))
            {
                app.select(target);
            }
        };
        set_timeout(look, REST);
    });
}

/// The object at the caret; `None` if the blob is too incomplete.
fn target_of(spot: &CursorContext) -> Option<Target> {
    let name = spot.blob_field("name").to_owned();
    let if_named = |target: Target| (!name.is_empty()).then_some(target);
    match spot.schema.as_str() {
        "olm.package" => Some(Target::Package),
        "olm.bundle" => if_named(Target::Bundle { name: name.clone() }),
        "olm.channel" => {
            // Lists inside an entry are indented further.
            let out = spot
                .path
                .strip_prefix("entries.[]")
                .map(|rest| rest.matches("[]").count());
            let entry = out
                .map(|out| spot.beside(out, "name").to_owned())
                .filter(|entry| !entry.is_empty());
            if_named(match entry {
                Some(entry) => Target::Entry {
                    channel: name.clone(),
                    name: entry,
                },
                None => Target::Channel {
                    channel: name.clone(),
                },
            })
        }
        _ => None,
    }
}

/// Whether the object is already selected: an entry includes its bundle.
fn is_of(target: &Target, selected: &Target) -> bool {
    match (target, selected) {
        (Target::Bundle { name }, Target::Entry { name: entry, .. }) => name == entry,
        (target, selected) => target == selected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use completion::cursor_context;

    #[test]
    fn the_thing_at_the_caret_is_known() {
        let text = [
            "schema: olm.channel",
            "package: p",
            "name: stable",
            "entries:",
            "  - name: p.v1",
            "    skips:",
            "      - a",
        ];
        let lines: Vec<String> = text.iter().map(|line| (*line).to_owned()).collect();
        let at = |line: usize, column| {
            target_of(&cursor_context::at(&lines[..line], &lines[line..], column))
        };
        assert_eq!(
            at(3, 7),
            Some(Target::Channel {
                channel: "stable".into()
            })
        );
        let entry = Target::Entry {
            channel: "stable".into(),
            name: "p.v1".into(),
        };
        assert_eq!(at(5, 12), Some(entry.clone()));
        let bundle: Vec<String> = ["schema: olm.bundle", "name: p.v1"]
            .map(str::to_owned)
            .into();
        let found = Target::Bundle {
            name: "p.v1".into(),
        };
        assert_eq!(
            target_of(&cursor_context::at(&bundle, &[], 8)),
            Some(found.clone())
        );
        assert!(is_of(&found, &entry), "the entry is its bundle too");
        assert_eq!(target_of(&CursorContext::default()), None);
    }
}

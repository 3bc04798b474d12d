//! `bundle-no-name`: an entry without a name that has a bundle without a name. `opm`: `name must be set`.

use super::prelude::*;

pub(in crate::fbc::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-no-name",
    "name must be set",
    "An entry of a channel has no name.",
    "Entries and bundles find each other by name; an empty one can be neither installed nor replaced.",
    "Write the entry's and the bundle's `name`.",
);

pub(in crate::fbc::validate) fn check(_: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    if view.entry.name.is_empty() {
        let channel = &view.channel.blob.name.value;
        let at = view.channel.anchor(view.entry.name.place);
        let finding = Finding::new(at, format!("an entry of channel `{channel}` has no name")).help(DOC.fix);
        out.fail(DOC.opm_message, finding.channel(channel));
    }
}

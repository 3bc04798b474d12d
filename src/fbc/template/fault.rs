//! The place in a template at which `opm` fails to read it.

use super::template_of_file;
use crate::catalog::{Catalog, Content, TreeEntry};
use crate::index::index_bytes;
use crate::model::FileId;
use protocol::diagnostic::Location;
use std::sync::Arc;

/// The place of a rendering error, in words for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFault {
    pub location: Location,
    pub message: String,
    pub help: String,
}

impl TemplateFault {
    /// The fault of a blob inside the template that `opm` reports with `error`.
    pub fn behind(error: &str, path: &str, text: &[u8]) -> Option<Self> {
        const CONVERSION: &str = "error unmarshaling JSON: while decoding JSON: ";
        let index = Arc::new(index_bytes(text));
        let faults = template_of_file(&index)?
            .items()
            .iter()
            .flat_map(|item| &item.faults);
        let reported = |opm: &str| {
            let opm = opm.strip_prefix(CONVERSION).unwrap_or(opm);
            !opm.is_empty() && error.ends_with(opm)
        };
        let fault = faults.clone().find(|fault| reported(&fault.opm))?;
        let entry = TreeEntry {
            id: FileId(0),
            path: path.to_owned(),
            content: Content::Indexed(Arc::clone(&index)),
        };
        let location = Catalog::new("template", vec![entry]).location(FileId(0), 0, fault.place);
        let correction = fault.correction.as_ref();
        let help = correction.map_or_else(
            || fault.help.clone(),
            |correction| format!("{}: {}", fault.help, correction.title),
        );
        Some(Self {
            location,
            message: fault.message.clone(),
            help,
        })
    }

    /// `path:line:column`.
    pub fn place(&self) -> String {
        let Location {
            file, line, column, ..
        } = &self.location;
        format!("{file}:{line}:{column}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_where_text_belongs_is_found() {
        let text = "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: p\n- schema: olm.channel\n  \
                    package: p\n  name: 4.20\n";
        let error = "rendering template: unmarshalling template: expected value for key \"name\" to be a string, got \
                     %!t(float64=4.2): 4.2";
        let fault = TemplateFault::behind(error, "t.yaml", text.as_bytes()).unwrap();
        assert_eq!(fault.place(), "t.yaml:7:9");
        assert_eq!(fault.message, "`name` is a number, but must be a string");
        assert_eq!(fault.help, "put the value in quotes: write `'4.20'`");
        assert_eq!(
            TemplateFault::behind("another error", "t.yaml", text.as_bytes()),
            None
        );
    }
}

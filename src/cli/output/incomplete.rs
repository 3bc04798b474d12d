//! Unreadable parts of a catalog. Commands still answer from the rest, but always report the gap: on standard error, as
//! `incomplete` in JSON, and by the exit status, unless `--partial` accepts it.

use crate::args::PartialArgs;
use crate::error::COULD_NOT_RUN;
use crate::output;
use fbc::catalog::{Catalog, LoadFault};
use protocol::counting::and_more;
use serde_json::{Value, json};

/// Most places that are listed; the rest is counted.
const MAX_SHOWN: usize = 10;

/// The unreadable parts that an answer may lack.
#[derive(Debug, Default)]
pub(crate) struct Incomplete {
    /// The folder as given, and the unreadable part.
    faults: Vec<(String, LoadFault)>,
}

impl Incomplete {
    /// `folder`: as given on the command line.
    pub(crate) fn for_catalog(folder: &str, catalog: &Catalog) -> Self {
        let mut incomplete = Self::default();
        incomplete.add(folder, catalog);
        incomplete
    }

    pub(crate) fn add(&mut self, folder: &str, catalog: &Catalog) {
        self.faults.extend(
            catalog
                .load_faults()
                .into_iter()
                .map(|fault| (folder.to_owned(), fault)),
        );
    }

    /// Adds `"incomplete": [{"catalog","file","line","column","message"}]` to an object, unless empty.
    pub(crate) fn mark(&self, answer: &mut Value) {
        if self.faults.is_empty() {
            return;
        }
        let place = |(folder, fault): &(String, LoadFault)| {
            json!({
                "catalog": folder,
                "file": fault.location.file,
                "line": fault.location.line,
                "column": fault.location.column,
                "message": fault.message,
            })
        };
        answer["incomplete"] = self.faults.iter().map(place).collect();
    }

    /// Prints a report for people. Returns the exit status of a command that would have ended with `status`.
    pub(crate) fn report(&self, args: PartialArgs, status: u8) -> u8 {
        if self.faults.is_empty() {
            return status;
        }
        let several = self
            .faults
            .iter()
            .any(|(folder, _)| *folder != self.faults[0].0);
        let mut text = match args.partial {
            true => "incomplete: this answer comes from the part of the catalog that could be read".to_owned(),
            false => {
                "incomplete: this answer comes from the part of the catalog that could be read (`--partial` accepts it)"
                    .to_owned()
            }
        };
        for (folder, fault) in self.faults.iter().take(MAX_SHOWN) {
            let place = &fault.location;
            let within = if several {
                format!("{folder}: ")
            } else {
                String::new()
            };
            let line = format!(
                "{within}{}:{}:{}: {}",
                place.file, place.line, place.column, fault.message
            );
            text.push_str(&format!(
                "\n  {}",
                line.replace(char::is_control, "\u{fffd}")
            ));
        }
        if let Some(more) = self
            .faults
            .len()
            .checked_sub(MAX_SHOWN)
            .filter(|more| *more > 0)
        {
            text.push_str(&format!(
                "\n  {}; `switchyard validate` lists all",
                and_more(more)
            ));
        }
        output::say(&text);
        if args.partial { status } else { COULD_NOT_RUN }
    }
}

//! `switchyard range`: which versions a range admits, in either dialect.

use crate::cli::args::{DialectArg, RangeArgs, TextOrJson};
use crate::cli::error::{self, CliResult};
use crate::cli::output;
use crate::cli::table::table;
use crate::fbc::version::Dialect;
use serde_json::{Map, Value, json};

pub(super) fn run(args: &RangeArgs) -> CliResult {
    let dialect = match args.dialect {
        DialectArg::Blang => Dialect::Blang,
        DialectArg::Masterminds => Dialect::Masterminds,
    };
    let parsed = dialect.parse(&args.range);
    let judged = match &parsed {
        Ok(range) => range.judge(args.versions.iter().map(String::as_str)),
        Err(_) => Vec::new(),
    };
    let failure = parsed.as_ref().err().map(ToString::to_string);
    match args.format {
        TextOrJson::Json => {
            let versions: Map<String, Value> =
                judged.iter().map(|(version, admitted)| ((*version).to_owned(), json!(admitted))).collect();
            output::json(&json!({
                "format": output::FORMAT,
                "ok": failure.is_none(),
                "error": failure,
                "versions": versions,
            }))?;
        }
        TextOrJson::Text => {
            if let Some(failure) = &failure {
                output::complain("error", failure, None, "");
            }
            let word = |admitted: &Option<bool>| match admitted {
                Some(true) => "in",
                Some(false) => "out",
                None => "no version",
            };
            let rows: Vec<_> = judged.iter().map(|(v, a)| vec![(*v).to_owned(), word(a).to_owned()]).collect();
            if !rows.is_empty() {
                output::text(&table(&["VERSION", "RANGE"], &rows))?;
            }
        }
    }
    Ok(if failure.is_some() { error::FAILED } else { 0 })
}

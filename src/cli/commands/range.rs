//! `switchyard range`: the versions that a range admits, in either dialect, and its meaning as plain comparisons.

use crate::args::{DialectArg, LensArg, RangeArgs};
use crate::error::{self, CliResult};
use crate::output;
use crate::output::formats::TextOrData;
use crate::output::table;
use fbc::version::Dialect;
use fbc::version::blang::Range;
use fbc::version::version_line::difference;
use serde_json::{Map, Value, json};

pub(super) fn run(args: &RangeArgs) -> CliResult {
    let dialect = match (args.dialect, args.lens) {
        (Some(DialectArg::Blang), _) | (None, LensArg::V0) => Dialect::Blang,
        (Some(DialectArg::Masterminds), _) | (None, LensArg::V1) => Dialect::Masterminds,
    };
    let parsed = dialect.parse(&args.range);
    let judged = match &parsed {
        Ok(range) => range.judge(args.versions.iter().map(String::as_str)),
        Err(_) => Vec::new(),
    };
    let expanded = parsed.as_ref().ok().map(|range| range.expand().to_string());
    let failure = parsed.as_ref().err().map(ToString::to_string);
    match args.format {
        TextOrData::Data(form) => {
            let versions: Map<String, Value> = judged
                .iter()
                .map(|(version, admitted)| ((*version).to_owned(), json!(admitted)))
                .collect();
            let answer = json!({
                "format": output::FORMAT,
                "ok": failure.is_none(),
                "error": failure,
                "expanded": expanded,
                "versions": versions,
            });
            output::data(form, &answer)?;
        }
        TextOrData::Text => {
            if let Some(failure) = &failure {
                output::print_diagnostic(
                    "error",
                    failure,
                    None,
                    other_dialect(dialect, &args.range),
                );
            }
            if let Some(expanded) = expanded.as_ref().filter(|_| !output::is_quiet()) {
                let note = match is_impossible(dialect, &args.range) {
                    true => "; no version can satisfy it",
                    false => "",
                };
                output::text(&format!("{} is {expanded}{note}\n", args.range))?;
            }
            let word = |admitted: &Option<bool>| match admitted {
                Some(true) => "in",
                Some(false) => "out",
                None => "no version",
            };
            let rows: Vec<_> = judged
                .iter()
                .map(|(v, a)| vec![(*v).to_owned(), word(a).to_owned()])
                .collect();
            if !rows.is_empty() {
                output::text(&table(&["VERSION", "RANGE"], &rows))?;
            }
        }
    }
    let admits_none =
        !judged.is_empty() && !judged.iter().any(|(_, admitted)| *admitted == Some(true));
    Ok(if failure.is_some() || admits_none {
        error::FAILED
    } else {
        0
    })
}

/// Whether a skipRange excludes every version.
fn is_impossible(dialect: Dialect, text: &str) -> bool {
    let range = match dialect {
        Dialect::Blang => Range::parse(text).ok(),
        Dialect::Masterminds => None,
    };
    range.is_some_and(|range| difference(&range, None).is_empty())
}

/// The remedy for a text that this dialect cannot parse: the other one may.
fn other_dialect(dialect: Dialect, range: &str) -> &'static str {
    match dialect {
        Dialect::Blang if Dialect::Masterminds.parse(range).is_ok() => {
            "it is a valid range of a ClusterExtension: use --lens v1"
        }
        Dialect::Masterminds if Dialect::Blang.parse(range).is_ok() => {
            "it is a valid skipRange: use --lens v0"
        }
        _ => "",
    }
}

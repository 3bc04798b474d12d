//! The documentation of a rule.

use crate::fbc::validate::explain;
use crate::fbc::workspace::Refused;
use crate::protocol::views::RuleText;

pub(in crate::worker) fn text(rule: &str) -> Result<RuleText, Refused> {
    let doc = explain(rule).ok_or_else(|| Refused::new(format!("there is no rule `{rule}`")))?;
    Ok(RuleText {
        rule: doc.id.to_owned(),
        opm: doc.opm,
        summary: doc.summary.to_owned(),
        why: doc.why.to_owned(),
        fix: doc.fix.to_owned(),
        opm_message: doc.opm_message.to_owned(),
    })
}

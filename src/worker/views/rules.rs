//! The documentation of a rule.

use fbc::repository::rules;
use fbc::validate::{Content, Example, explain};
use fbc::workspace::Refused;
use protocol::diagnostic::Profile;
use protocol::views::RuleText;

pub(crate) fn text(rule: &str) -> Result<RuleText, Refused> {
    if let Some(finding) = rules::find(rule) {
        return Ok(finding_rule_text(finding));
    }
    let doc = explain(rule).ok_or_else(|| Refused::new(format!("there is no rule `{rule}`")))?;
    Ok(RuleText {
        rule: doc.id.to_owned(),
        opm: doc.opm,
        summary: doc.summary.to_owned(),
        why: doc.why.to_owned(),
        fix: doc.fix.to_owned(),
        opm_message: doc.opm_message.to_owned(),
        since: doc.refused_since().unwrap_or_default(),
        profile: doc.profile,
        bad: doc.bad.iter().map(files).collect(),
        good: doc.good.iter().map(files).collect(),
    })
}

/// The documentation of a finding in an operator repository.
fn finding_rule_text(rule: &rules::FindingRule) -> RuleText {
    let files = |of: &[(&str, &str)]| {
        of.iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect()
    };
    RuleText {
        rule: rule.id.to_owned(),
        opm: false,
        summary: rule.summary.to_owned(),
        why: rule.why.to_owned(),
        fix: rule.fix.to_owned(),
        opm_message: String::new(),
        since: String::new(),
        profile: Profile::Opm,
        bad: vec![files(rule.bad)],
        good: vec![files(rule.good)],
    }
}

/// The files of an example. Binary content is described in brackets.
fn files(example: &Example) -> Vec<(String, String)> {
    let display = |content| match content {
        Content::Text(text) => text.to_owned(),
        Content::Repeated(text, times) => format!("{text}[{times} times]"),
        Content::LinkToDirectory => "[a link to a directory]".to_owned(),
        Content::BrokenLink => "[a broken link]".to_owned(),
        Content::Unreadable(reason) => format!("[cannot be read: {reason}]"),
    };
    example
        .paths()
        .into_iter()
        .map(|(path, content)| (path.to_owned(), display(content)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn a_rule_comes_with_its_documentation_and_examples() {
        let rule = text("channel-head-multiple").expect("known");
        assert!(rule.opm && rule.opm_message.starts_with("multiple channel heads"));
        assert!(
            rule.bad
                .iter()
                .flatten()
                .all(|(path, text)| !path.is_empty() && !text.is_empty())
        );
        assert!(
            text("catalog-without-v").expect("of repositories").bad[0][0]
                .0
                .ends_with("ci.yaml")
        );
        assert!(text("no-such-rule").is_err());
    }
}

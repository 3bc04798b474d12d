//! A problem: the facts, what to do, and the subject of the rule.

use super::{fact, groups, written};
use fbc::repository::rules;
use fbc::validate::explain;
use fbc::workspace::{Refused, Root};
use protocol::Json;
use protocol::diagnostic::Diagnostic;
use protocol::inspection::{Fact, Inspection};

/// `others`: problems that are listed behind those of the catalog.
pub(super) fn inspect(
    root: &Root,
    others: &[Diagnostic],
    index: u32,
) -> Result<Inspection, Refused> {
    let own = &root.verdict().diagnostics;
    let problem = own
        .get(index as usize)
        .map(|own| &**own)
        .or_else(|| others.get((index as usize).checked_sub(own.len())?));
    let problem = problem.ok_or_else(|| Refused::new("this problem no longer exists"))?;
    let location = (!problem.location.file.is_empty()).then(|| problem.location.clone());
    let mut facts = vec![match &location {
        Some(location) => written("Problem", problem.message.clone(), location.clone()),
        None => fact("Problem", problem.message.clone()),
    }];
    if !problem.help.is_empty() {
        facts.push(fact("What to do", problem.help.clone()));
    }
    facts.push(fact(
        "Decides the verdict",
        if problem.opm {
            "yes, opm validate refuses it"
        } else {
            "no"
        },
    ));
    let subject = [
        ("Package", &problem.package),
        ("Channel", &problem.channel),
        ("Bundle", &problem.bundle),
    ];
    facts.extend(
        subject
            .into_iter()
            .filter_map(|(label, name)| Some(fact(label, name.as_deref()?))),
    );
    let related = problem.related.iter();
    let related: Vec<Fact> = related
        .map(|related| written("", related.message.clone(), related.location.clone()))
        .collect();
    let said = explain(&problem.rule).map(|rule| (rule.summary, rule.why));
    let said = said.or_else(|| rules::find(&problem.rule).map(|rule| (rule.summary, rule.why)));
    let rule = said.map_or_else(Vec::new, |(summary, why)| {
        vec![fact("", summary), fact("Why", why)]
    });
    Ok(Inspection {
        title: problem.rule.clone(),
        kind: "problem".into(),
        groups: groups([("Problem", facts), ("See also", related), ("Rule", rule)]),
        problems: vec![Json(problem.clone())],
        location,
        ..Inspection::default()
    })
}

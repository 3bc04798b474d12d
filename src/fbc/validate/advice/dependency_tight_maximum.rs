//! `dependency-tight-maximum`: only one version or one minor version of a package is accepted.

use super::super::rules::prelude::*;
use super::properties::shared_properties;
use crate::version::Version;
use crate::version::blang::{Comparison, Operator, Range};

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "dependency-tight-maximum",
    Severity::Warning,
    Profile::Community,
    "A bundle requires a single version of a package, or only the patch versions of one minor version.",
    "A cluster has one operator per package, and everything that requires the package shares it. \
     OLM Classic updates it only \
     to versions that all of them allow: a tight range holds back fixes for everybody, and two operators with different \
     tight ranges cannot be installed together.",
    "Leave the maximum out, or allow a whole major version, such as `>=1.2.0 <2.0.0`; exclude single bad versions \
     with `!=`.",
)
.bad(&[Example::Catalog(etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: 1.2.3\n"
))])
.good(&[Example::Catalog(etcd!(
    "- type: olm.package.required\n  value:\n    packageName: vault\n    versionRange: '>=1.2.3 <2.0.0 !=1.4.0'\n"
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for requirement in shared_properties(scope.package, &["olm.package.required"]) {
        let text = requirement.field("versionRange");
        let Ok(range) = Range::parse(&text) else {
            continue;
        };
        if !range.alternatives().iter().all(|all| is_tight(all)) {
            continue;
        }
        let name = requirement.field("packageName");
        let message = format!(
            "{} only `{text}` of package `{name}`",
            requirement.who("allows", "allow")
        );
        let help = "leave the maximum out, or allow a whole major version";
        out.report(
            Finding::new(requirement.at, message)
                .help(help)
                .bundle(&requirement.bundle.name.value),
        );
    }
}

/// All versions in the range have the same major and minor version.
fn is_tight(all: &[Comparison]) -> bool {
    let low = all.iter().filter(|c| {
        matches!(
            c.operator,
            Operator::Equal | Operator::Greater | Operator::GreaterOrEqual
        )
    });
    let Some(low) = low.map(|c| &c.version).max_by(|a, b| a.cmp_precedence(b)) else {
        return false;
    };
    let Some(minor) = low.minor().checked_add(1) else {
        return false;
    };
    let next = Version::new(low.major(), minor, 0);
    all.iter().any(|c| match c.operator {
        Operator::Equal => true,
        Operator::Less => c.version.cmp_precedence(&next).is_le(),
        Operator::LessOrEqual => c.version.cmp_precedence(&next).is_lt(),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tight_is_within_a_minor_version() {
        for (text, tight) in [
            ("1.2.3", true),
            (">=1.2.0 <1.3.0", true),
            (">=1.2.0 <=1.2.9", true),
            ("1.2.x", true),
            ("1.2.3 || 1.2.4", true),
            (">=1.2.0 <=1.3.0", false),
            (">=1.2.0 <2.0.0", false),
            (">=1.2.0", false),
            ("<1.0.0", false),
            ("1.2.3 || >=2.0.0", false),
        ] {
            let range = Range::parse(text).expect("a range");
            assert_eq!(
                range.alternatives().iter().all(|all| is_tight(all)),
                tight,
                "{text}"
            );
        }
    }
}

//! Text for a dropped Subscription or ClusterExtension. Plain data.

use protocol::manifests::{ManifestQuestion, ManifestRemark};
use protocol::views::{Approval, Lens, Origin, Policy};

/// `Subscription lamp`.
pub fn heading(manifest: &ManifestQuestion) -> String {
    format!("{} {}", manifest.kind, manifest.name)
        .trim_end()
        .to_owned()
}

/// `sub.yaml:3`.
pub fn place(file: &str, line: u32) -> String {
    format!("{file}:{line}")
}

/// The question: `lamp-operator, installed lamp-operator.v1.0.0, channel stable, approval Manual.`
pub fn question_text(manifest: &ManifestQuestion) -> String {
    let question = &manifest.question;
    let mut parts = vec![manifest.package.clone()];
    parts.push(match &question.origin {
        Origin::Installed(name) => format!("installed {name}"),
        Origin::Fresh | Origin::Everyone => "nothing installed".to_owned(),
    });
    match question.lens {
        Lens::V0 => {
            parts.push(match question.channel.as_str() {
                "" => "default channel".to_owned(),
                channel => format!("channel {channel}"),
            });
            if !question.starting_csv.is_empty() {
                parts.push(format!("starting CSV {}", question.starting_csv));
            }
            if question.approval == Approval::Manual {
                parts.push("approval Manual".to_owned());
            }
        }
        Lens::V1 => {
            parts.push(match question.channels.as_slice() {
                [] => "any channel".to_owned(),
                [one] => format!("channel {one}"),
                several => format!("channels {}", several.join(", ")),
            });
            if !question.range.is_empty() {
                parts.push(format!("version range {}", question.range));
            }
            if question.policy == Policy::SelfCertified {
                parts.push("policy SelfCertified".to_owned());
            }
        }
    }
    format!("{}.", parts.join(", "))
}

/// A remark as sentences with names in backticks.
pub fn sentence(of: &ManifestRemark) -> String {
    let capital = |text: &str| {
        let mut letters = text.chars();
        letters.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(letters).collect()
        })
    };
    // Do not change the case of names.
    let begun = |text: &str| {
        if text.starts_with('`') {
            text.to_owned()
        } else {
            capital(text)
        }
    };
    let end = |text: &str| if text.ends_with(['.', '?']) { "" } else { "." };
    match of.help.as_str() {
        "" => format!("{}{}", begun(&of.reason), end(&of.reason)),
        help => format!("{}: {help}{}", begun(&of.reason), end(help)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::UpgradeQuestion;

    #[test]
    fn question_text_lists_the_given_fields() {
        let question = UpgradeQuestion {
            origin: Origin::Installed("p.v1".into()),
            channel: "stable".into(),
            approval: Approval::Manual,
            ..UpgradeQuestion::default()
        };
        let (kind, name) = ("Subscription".to_owned(), "s".to_owned());
        let of = ManifestQuestion {
            kind,
            name,
            package: "p".into(),
            question,
            ..ManifestQuestion::default()
        };
        assert_eq!(heading(&of), "Subscription s");
        assert_eq!(
            question_text(&of),
            "p, installed p.v1, channel stable, approval Manual."
        );
        let question = UpgradeQuestion {
            lens: Lens::V1,
            channels: vec!["a".into(), "b".into()],
            range: ">=1.0.0".into(),
            policy: Policy::SelfCertified,
            ..UpgradeQuestion::default()
        };
        let of = ManifestQuestion {
            name: String::new(),
            question,
            ..of
        };
        assert_eq!(heading(&of), "Subscription");
        let expected =
            "p, nothing installed, channels a, b, version range >=1.0.0, policy SelfCertified.";
        assert_eq!(question_text(&of), expected);
    }

    #[test]
    fn a_remark_is_a_sentence() {
        let of = |reason: &str, help: &str| {
            sentence(&ManifestRemark {
                reason: reason.into(),
                help: help.into(),
                ..ManifestRemark::default()
            })
        };
        assert_eq!(
            of("package `x` not found", "did you mean `y`?"),
            "Package `x` not found: did you mean `y`?"
        );
        assert_eq!(of("`selector` is ignored", ""), "`selector` is ignored.");
    }
}

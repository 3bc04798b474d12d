//! A short description of a fix for a button: `v1.7.3 replaces v1.7.1`.

use super::step_title::is_one_in_several_channels;
use crate::words::{count, fix_title};
use protocol::diagnostic::Fix;
use protocol::operation::EditOp;

/// The effect of the fix; its title if it has several effects.
pub fn fix_action(fix: &Fix) -> String {
    let action = match fix.ops.as_slice() {
        [only] => describe_op(only),
        [first, ..] if is_one_in_several_channels(&fix.ops) => {
            describe_op(first).map(|action| format!("{action} in {} channels", fix.ops.len()))
        }
        // Replaces a name.
        [
            EditOp::RemoveSkip { skip: gone, .. },
            EditOp::AddSkip {
                package,
                name,
                skip: added,
                ..
            },
        ] => match (gone.as_slice(), added.as_slice()) {
            ([gone], [added]) => Some(format!(
                "{} skips {} instead of {}",
                short(name, package),
                short(added, package),
                short(gone, package)
            )),
            _ => None,
        },
        _ => None,
    };
    action.unwrap_or_else(|| {
        let title = fix_title(&fix.title);
        let mut letters = title.chars();
        // In the middle of a sentence, unless it starts with a name.
        match letters.next() {
            Some(first) if !fix.title.starts_with('`') => {
                first.to_lowercase().chain(letters).collect()
            }
            _ => title,
        }
    })
}

fn describe_op(op: &EditOp) -> Option<String> {
    Some(match op {
        EditOp::SetReplaces {
            package,
            replaces: Some(replaces),
            name,
            ..
        } => {
            format!(
                "{} replaces {}",
                short(name, package),
                short(replaces, package)
            )
        }
        EditOp::SetReplaces {
            package,
            replaces: None,
            name,
            ..
        } => {
            format!("remove replaces of {}", short(name, package))
        }
        EditOp::AddSkip {
            package,
            name,
            skip,
            skip_matching: None,
            ..
        } => match skip.as_slice() {
            [only] => format!("{} skips {}", short(name, package), short(only, package)),
            several => format!(
                "{} skips {}",
                short(name, package),
                count(several.len() as u32, "version")
            ),
        },
        EditOp::RemoveSkip {
            package,
            name,
            skip,
            skip_matching: None,
            ..
        } => match skip.as_slice() {
            [only] => format!(
                "{} no longer skips {}",
                short(name, package),
                short(only, package)
            ),
            _ => return None,
        },
        EditOp::SetSkipRange {
            package,
            name,
            skip_range: Some(range),
            ..
        } => {
            format!("set skip range of {} to {range}", short(name, package))
        }
        EditOp::SetSkipRange {
            package,
            name,
            skip_range: None,
            ..
        } => {
            format!("remove the skip range of {}", short(name, package))
        }
        EditOp::RemoveEntry { package, name, .. } => {
            format!("remove entry {}", short(name, package))
        }
        EditOp::Promote {
            package,
            bundle,
            to,
            ..
        } => format!("promote {} to {to}", short(bundle, package)),
        EditOp::SetDefaultChannel { channel, .. } => format!("set default channel to {channel}"),
        _ => return None,
    })
}

/// `v1.7.1` of `p.v1.7.1` in package `p`.
fn short<'n>(name: &'n str, package: &str) -> &'n str {
    let rest = name
        .strip_prefix(package)
        .and_then(|rest| rest.strip_prefix('.'));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fix(title: &str, ops: Vec<EditOp>) -> Fix {
        Fix {
            title: title.into(),
            safe: true,
            ops,
            kind: "did-you-mean".into(),
            heads: Vec::new(),
            note: String::new(),
        }
    }

    fn set_replaces(to: Option<&str>) -> EditOp {
        EditOp::SetReplaces {
            catalog: None,
            package: "p".into(),
            channel: "c".into(),
            name: "p.v2".into(),
            replaces: to.map(Into::into),
        }
    }

    #[test]
    fn a_fix_describes_its_effect() {
        assert_eq!(
            fix_action(&fix("", vec![set_replaces(Some("p.v1.7.1"))])),
            "v2 replaces v1.7.1"
        );
        assert_eq!(
            fix_action(&fix("", vec![set_replaces(Some("other.v1"))])),
            "v2 replaces other.v1"
        );
        assert_eq!(
            fix_action(&fix("", vec![set_replaces(None)])),
            "remove replaces of v2"
        );
        let skips = |skip: &[&str]| EditOp::AddSkip {
            catalog: None,
            package: "p".into(),
            channel: "c".into(),
            name: "p.v2".into(),
            skip: skip.iter().map(|name| (*name).to_owned()).collect(),
            skip_matching: None,
        };
        assert_eq!(fix_action(&fix("", vec![skips(&["p.v1"])])), "v2 skips v1");
        assert_eq!(
            fix_action(&fix("", vec![skips(&["p.v1", "p.v0"])])),
            "v2 skips 2 versions"
        );
        let in_channel = |to: &str| match set_replaces(Some("p.v1.7.1")) {
            EditOp::SetReplaces {
                catalog,
                package,
                name,
                replaces,
                ..
            } => EditOp::SetReplaces {
                catalog,
                package,
                channel: to.into(),
                name,
                replaces,
            },
            other => other,
        };
        let alike = vec![in_channel("a"), in_channel("b")];
        assert_eq!(
            fix_action(&fix("", alike)),
            "v2 replaces v1.7.1 in 2 channels"
        );
        let several = vec![set_replaces(None), set_replaces(None)];
        assert_eq!(
            fix_action(&fix("make `p.v2` the head", several.clone())),
            "make p.v2 the head"
        );
        assert_eq!(
            fix_action(&fix("`p.v2` skips `p.v1`", several)),
            "p.v2 skips p.v1"
        );
    }
}

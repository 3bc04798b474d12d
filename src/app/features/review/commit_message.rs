//! A commit message for the changes: what was done, and what changes for users. Pure.

/// What changes for the users of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackageNews {
    pub(super) package: String,
    pub(super) catalogs: Vec<String>,
    pub(super) headline: String,
}

/// No subject is longer, as git and those who show it have it.
const SUBJECT: usize = 72;
/// So many steps are listed; the diff has all.
const STEPS: usize = 20;

/// `steps` are the titles of what is not saved yet, `packages` all that differ, of which `news` tells the first.
pub(super) fn of(steps: &[String], packages: &[String], news: &[PackageNews]) -> String {
    let whose = match packages {
        [] => String::new(),
        [only] => format!("{only}: "),
        many => format!("{} packages: ", many.len()),
    };
    let does = match steps {
        [] => "edit the catalog".to_owned(),
        [only] => lower(only),
        [first, rest @ ..] => format!("{}, and {}", lower(first), count(rest.len(), "more change")),
    };
    let mut out = shortened(&format!("{whose}{does}"));
    out.push('\n');
    if steps.len() > 1 {
        out.push('\n');
        steps.iter().take(STEPS).for_each(|step| out.push_str(&format!("- {step}\n")));
        if steps.len() > STEPS {
            out.push_str(&format!("- and {} more\n", steps.len() - STEPS));
        }
    }
    for of in news {
        let place = if of.catalogs.is_empty() { String::new() } else { format!(" ({})", of.catalogs.join(", ")) };
        out.push_str(&format!("\n{}{place}: {}.\n", of.package, of.headline));
    }
    out
}

/// The first letter small, unless it begins a name.
fn lower(title: &str) -> String {
    let mut letters = title.chars();
    match (letters.next(), title.chars().nth(1)) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => title.to_owned(),
    }
}

fn shortened(subject: &str) -> String {
    if subject.chars().count() <= SUBJECT {
        return subject.to_owned();
    }
    let kept: String = subject.chars().take(SUBJECT - 1).collect();
    format!("{}…", kept.trim_end())
}

fn count(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_was_done_and_what_changes_for_users() {
        let news = PackageNews {
            package: "p".into(),
            catalogs: vec!["v4.19".into(), "v4.20".into()],
            headline: "New installs get 2 instead of 1".into(),
        };
        let packages = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let one = of(&["Promote p.v2 to stable".to_owned()], &packages(&["p"]), std::slice::from_ref(&news));
        assert_eq!(one, "p: promote p.v2 to stable\n\np (v4.19, v4.20): New installs get 2 instead of 1.\n");
        let all = of(&["Add skip".to_owned()], &packages(&["p", "q", "r"]), std::slice::from_ref(&news));
        assert!(all.starts_with("3 packages: add skip\n"), "those that are not told count too");
        let two = of(&["Promote p.v2 to stable".to_owned(), "Add skip".to_owned()], &[], &[]);
        assert_eq!(two, "promote p.v2 to stable, and 1 more change\n\n- Promote p.v2 to stable\n- Add skip\n");
        let long = of(&["x".repeat(100)], &[], &[]);
        assert_eq!(long.lines().next().map(|line| line.chars().count()), Some(SUBJECT));
    }
}

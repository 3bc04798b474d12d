//! Steps repeated until nothing follows.

use super::answer::{Answer, Installed, UpgradeError};
use crate::hashed::HashSet;
use crate::place::Text;

/// The names passed, from the installed one (or the first one installed) on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path {
    pub steps: Vec<Text>,
    /// The last name was there before: the steps go round for ever.
    pub looped: bool,
    /// One sentence a step, and why it ends.
    pub why: Vec<String>,
    /// What ended it, when it did not end by itself.
    pub error: Option<UpgradeError>,
}

/// Feeds each answer of `next` back as what is installed. Ends because names repeat at the latest when all are seen.
pub fn follow(
    installed: Option<&Installed>,
    mut next: impl FnMut(Option<&Installed>) -> Answer,
) -> Path {
    let mut path = Path {
        steps: installed.iter().map(|i| i.name.clone()).collect(),
        ..Path::default()
    };
    let mut seen: HashSet<Text> = path.steps.iter().cloned().collect();
    let mut at = installed.cloned();
    loop {
        let answer = next(at.as_ref());
        path.why.extend(answer.why.into_iter().next());
        path.error = answer.error;
        let Some(step) = answer.next else { return path };
        path.looped = !seen.insert(step.name.clone());
        path.steps.push(step.name.clone());
        if path.looped {
            path.why.push(format!(
                "`{}` is already on the path: the path is a cycle",
                step.name
            ));
            return path;
        }
        at = Some(Installed {
            name: step.name,
            version: step.version,
        });
    }
}

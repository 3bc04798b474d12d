//! Repeats steps until nothing follows.

use super::answer::{Answer, Installed, UpgradeError};
use crate::hashed::HashSet;
use crate::place::Text;

/// The visited names, starting with the installed one (or the first one installed).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path {
    pub steps: Vec<Text>,
    /// The last name is a repetition: the path is an endless cycle.
    pub looped: bool,
    /// One sentence per step, and why the path ends.
    pub why: Vec<String>,
    /// The error that ended the path, if any.
    pub error: Option<UpgradeError>,
}

/// Calls `next` with its own last answer until it ends. Terminates because names eventually repeat.
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
        at = Some(step.as_installed());
    }
}

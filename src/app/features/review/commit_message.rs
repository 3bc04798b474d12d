//! The commit message: composed from the edits and their effects on users, until the user edits it.

use super::users::Judged;
use crate::context::saving;
use crate::prelude::*;
use crate::widgets::dom::field_text;
use protocol::counting::{and_more, count_of};
use protocol::response::StepInEffect;
use web_sys::{FocusEvent, HtmlTextAreaElement};

/// The message as a field. `steps` are the unsaved edits.
#[component]
pub(super) fn CommitMessage(
    app: AppContext,
    judged: RwSignal<Option<Judged>>,
    steps: RwSignal<Vec<StepInEffect>>,
) -> impl IntoView {
    let edited = app.review.message;
    let generated = memo(move |_| {
        let judged = judged.get().unwrap_or_default();
        steps.with(|steps| commit_message(steps, &judged.packages(), &judged.news()))
    });
    let text = derived(move || {
        let edited = edited.with(|message| message.as_ref().map(|message| message.text.clone()));
        edited.unwrap_or_else(|| generated.get())
    });
    let is_outdated = move || {
        edited.with(|message| {
            let is_other = |generated: &String| {
                message
                    .as_ref()
                    .is_some_and(|message| message.generated != *generated)
            };
            generated.with(is_other)
        })
    };
    // Browsers put the caret at the end, and scroll there.
    let show_subject = move |event: FocusEvent| {
        let area = event_target::<HtmlTextAreaElement>(&event);
        if edited.with_untracked(Option::is_none) && area.set_selection_range(0, 0).is_ok() {
            area.set_scroll_top(0);
        }
    };
    let copy = move |()| {
        saving::copy_text(
            app,
            text.get_untracked(),
            "Commit message copied.".to_owned(),
        )
    };
    view! {
        <textarea
            class="field-input review-message-text"
            aria-label="Commit message"
            rows="8"
            spellcheck="false"
            on:focus=show_subject
            use:field_text=text
            on:input=move |event| generated.with_untracked(|generated| app.review.edit_message(event_target_value(&event), generated))
        ></textarea>
        <p class="review-message-actions">
            <Button label="Copy message" icon=Icon::Copy look=Look::Quiet on_press=copy/>
            <Show when=move || edited.with(Option::is_some)>
                <Button label="Use the generated message" look=Look::Quiet on_press=move |()| app.review.reset_message()/>
            </Show>
            <span class="dim" hidden=move || !is_outdated()>"The edits have changed since you wrote this."</span>
        </p>
    }
    .into_any()
}

/// The effect on the users of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackageNews {
    pub(super) package: String,
    pub(super) catalogs: Vec<String>,
    pub(super) headline: String,
}

/// Maximum length of a subject line, as in git.
const SUBJECT: usize = 72;
/// Maximum number of steps listed; the diff shows all.
const STEPS: usize = 20;

/// Composes the commit message. `steps` are unsaved, `packages` are all that differ, and `news`
/// concerns the first of them.
pub(super) fn commit_message(
    steps: &[StepInEffect],
    packages: &[String],
    news: &[PackageNews],
) -> String {
    let prefix = match packages {
        [] => String::new(),
        [only] => format!("{only}: "),
        many => format!("{} packages: ", many.len()),
    };
    let mut out = match steps {
        [] => first_fitting([
            format!("{prefix}edit the catalog"),
            "edit the catalog".to_owned(),
        ]),
        [only] => first_fitting([
            format!("{prefix}{}", lower(&only.title)),
            lower(&only.title),
        ]),
        [first, rest @ ..] => {
            let does = format!(
                "{}, and {}",
                lower(&first.title),
                count_of(rest.len(), "more change")
            );
            first_fitting([
                format!("{prefix}{does}"),
                does,
                format!("{prefix}{}", count_of(steps.len(), "change")),
            ])
        }
    };
    out.push('\n');
    if steps.len() > 1 {
        out.push('\n');
        for step in steps.iter().take(STEPS) {
            // If several packages differ, each step names its package, unless its title does.
            let is_unnamed = !step.package.is_empty() && !step.title.contains(&step.package);
            let prefix = if packages.len() > 1 && is_unnamed {
                format!("{}: ", step.package)
            } else {
                String::new()
            };
            out.push_str(&format!("- {prefix}{}\n", step.title));
        }
        if steps.len() > STEPS {
            out.push_str(&format!("- {}\n", and_more(steps.len() - STEPS)));
        }
    }
    for package in news {
        let place = if package.catalogs.is_empty() {
            String::new()
        } else {
            format!(" ({})", package.catalogs.join(", "))
        };
        out.push_str(&format!(
            "\n{}{place}: {}.\n",
            package.package,
            package.headline.trim_end_matches('.')
        ));
    }
    out
}

/// Lower-cases the first letter, unless a name starts with it.
fn lower(title: &str) -> String {
    let mut letters = title.chars();
    match (letters.next(), title.chars().nth(1)) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => title.to_owned(),
    }
}

/// Returns the first text that fits into a subject line, or else the last one, cut at a word.
fn first_fitting<const N: usize>(subjects: [String; N]) -> String {
    let fits = |subject: &&String| subject.chars().count() <= SUBJECT;
    if let Some(subject) = subjects.iter().find(fits) {
        return subject.clone();
    }
    let Some(last) = subjects.last() else {
        return String::new();
    };
    let kept: String = last.chars().take(SUBJECT - 1).collect();
    match kept.rsplit_once(' ') {
        Some((kept, _)) => format!("{kept}…"),
        None => format!("{kept}…"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_steps_and_the_changes_for_users() {
        let news = PackageNews {
            package: "p".into(),
            catalogs: vec!["v4.19".into(), "v4.20".into()],
            // A deprecation message at its end has its own full stop.
            headline: "New installs get 2 instead of 1.".into(),
        };
        let step = |title: &str, package: &str| StepInEffect {
            title: title.into(),
            package: package.into(),
        };
        let packages = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        let one = commit_message(
            &[step("Promote p.v2 to stable", "p")],
            &packages(&["p"]),
            std::slice::from_ref(&news),
        );
        assert_eq!(
            one,
            "p: promote p.v2 to stable\n\np (v4.19, v4.20): New installs get 2 instead of 1.\n"
        );
        let all = commit_message(
            &[step("Add skip", "p")],
            &packages(&["p", "q", "r"]),
            std::slice::from_ref(&news),
        );
        assert!(
            all.starts_with("3 packages: add skip\n"),
            "unlisted steps count too"
        );
        let two = commit_message(
            &[step("Promote p.v2 to stable", "p"), step("Add skip", "q")],
            &[],
            &[],
        );
        assert_eq!(
            two,
            "promote p.v2 to stable, and 1 more change\n\n- Promote p.v2 to stable\n- Add skip\n"
        );
        let both = commit_message(
            &[step("Promote p.v2", "p"), step("Add skip", "q")],
            &packages(&["p", "q"]),
            &[],
        );
        assert!(
            both.ends_with("\n- Promote p.v2\n- q: Add skip\n"),
            "whose it is, where the title does not say so"
        );
        let long = commit_message(&[step(&"x".repeat(100), "")], &[], &[]);
        assert_eq!(
            long.lines().next().map(|line| line.chars().count()),
            Some(SUBJECT)
        );
        let steps = [
            step("Promote konveyor-operator-more.v0.5.3 to beta", ""),
            step("Add skip", ""),
        ];
        let many: Vec<String> = (0..7).map(|at| format!("p{at}")).collect();
        let subject = |steps: &[StepInEffect]| {
            commit_message(steps, &many, &[])
                .lines()
                .next()
                .map(str::to_owned)
        };
        assert_eq!(
            subject(&steps).as_deref(),
            Some("promote konveyor-operator-more.v0.5.3 to beta, and 1 more change")
        );
        let titles = [
            "Let an-operator-with-a-long-name.v10.20.30 in stable-v10 skip an-operator-with-a-long-name.v10.20.29",
        ];
        let cut = subject(&titles.map(|title| step(title, ""))).expect("a subject");
        assert_eq!(
            cut, "let an-operator-with-a-long-name.v10.20.30 in stable-v10 skip…",
            "cuts between words"
        );
    }
}

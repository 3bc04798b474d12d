//! Converts graph gestures to operations and forms: a drop opens the form of the command that
//! shortcut and menu open.

use crate::context::AppContext;
use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::FormValues;
use crate::features::graph::{Forecast, Gesture};
use crate::features::upgrade::HypotheticalAnswer;
use leptos::prelude::*;
use protocol::operation::{Choice, EditOp};
use protocol::request::Target;
use protocol::views::EntryRef;

/// The operation of a drop with the form's defaults.
pub fn operation(catalog: Option<String>, package: String, gesture: Gesture) -> EditOp {
    match gesture {
        Gesture::Promote { bundle, to } => EditOp::Promote {
            catalog,
            package,
            bundle,
            to,
            how: None,
            replaces: Choice::Default,
            skip_range: Choice::Default,
        },
        Gesture::Replace {
            entry: EntryRef { channel, name },
            replaces,
        } => EditOp::SetReplaces {
            catalog,
            package,
            channel,
            name,
            replaces: Some(replaces),
        },
        Gesture::Skip {
            entry: EntryRef { channel, name },
            skip,
        } => EditOp::AddSkip {
            catalog,
            package,
            channel,
            name,
            skip: vec![skip],
            skip_matching: None,
        },
        Gesture::SetDefault { channel } => EditOp::SetDefaultChannel {
            catalog,
            package,
            channel,
        },
    }
}

/// The form opened by a drop: its command, target and initial values.
pub fn form(gesture: Gesture) -> (EditCommand, Target, FormValues) {
    let entry = |entry: EntryRef| Target::Entry {
        channel: entry.channel,
        name: entry.name,
    };
    let values = FormValues::default();
    match gesture {
        Gesture::Promote { bundle, to } => (
            EditCommand::Promote,
            Target::Bundle { name: bundle },
            values.with(Field::ToChannel, to),
        ),
        Gesture::Replace {
            entry: of,
            replaces,
        } => (
            EditCommand::SetReplaces,
            entry(of),
            values.with(Field::Replaces, replaces),
        ),
        Gesture::Skip { entry: of, skip } => (
            EditCommand::AddSkip,
            entry(of),
            values.with(Field::Skip, skip),
        ),
        Gesture::SetDefault { channel } => (
            EditCommand::SetDefaultChannel,
            Target::Channel { channel },
            FormValues::default(),
        ),
    }
}

/// The prediction for the current gesture; ignores answers for others.
pub fn forecast(answer: Option<HypotheticalAnswer>, under_way: &[EditOp]) -> Option<Forecast> {
    let answer = answer.filter(|answer| answer.ops == under_way && !under_way.is_empty())?;
    match answer.view {
        Ok(view) => view.outcome.clone().map(Forecast::Comes),
        Err(reason) => Some(Forecast::Refused(reason)),
    }
}

impl AppContext {
    /// A gesture has started, changed or ended.
    pub fn set_drag_ops(self, gesture: Option<Gesture>) {
        let (catalog, package) = (
            self.store.catalog_of_op(),
            self.current.package.get_untracked(),
        );
        let op = gesture.map(|gesture| operation(catalog, package, gesture));
        self.draft_query.set_drag_ops(op.into_iter().collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::form_values::{PackageNames, operations};
    use protocol::upgrades::{EveryoneView, Outcome};
    use std::sync::Arc;

    #[test]
    fn a_drop_and_its_form_mean_the_same() {
        let entry = EntryRef {
            channel: "stable".into(),
            name: "b".into(),
        };
        for gesture in [
            Gesture::Promote {
                bundle: "b".into(),
                to: "fast".into(),
            },
            Gesture::Replace {
                entry: entry.clone(),
                replaces: "a".into(),
            },
            Gesture::Skip {
                entry,
                skip: "a".into(),
            },
            Gesture::SetDefault {
                channel: "fast".into(),
            },
        ] {
            let (command, target, given) = form(gesture.clone());
            let mut values = FormValues::default().with(Field::Package, "p");
            values.fill_from(command, &target, "stable");
            values.overlay(&given);
            let operations_of_form = operations(command, &values, None, PackageNames::default());
            assert_eq!(
                operations_of_form,
                Ok(vec![operation(None, "p".into(), gesture)])
            );
        }
    }

    #[test]
    fn only_the_answer_to_the_current_gesture_counts() {
        let op = |channel: &str| {
            operation(
                None,
                "p".into(),
                Gesture::SetDefault {
                    channel: channel.into(),
                },
            )
        };
        let view = EveryoneView {
            outcome: Some(Outcome::default()),
            ..EveryoneView::default()
        };
        let answer = HypotheticalAnswer {
            ops: vec![op("a")],
            view: Ok(Arc::new(view)),
        };
        assert_eq!(
            forecast(Some(answer.clone()), &[op("a")]),
            Some(Forecast::Comes(Outcome::default()))
        );
        assert_eq!(forecast(Some(answer.clone()), &[op("b")]), None);
        assert_eq!(
            forecast(
                Some(HypotheticalAnswer {
                    ops: Vec::new(),
                    ..answer.clone()
                }),
                &[]
            ),
            None,
            "a range that is typed"
        );
        assert_eq!(forecast(None, &[op("a")]), None);
        let refused = HypotheticalAnswer {
            view: Err("no".into()),
            ..answer
        };
        assert_eq!(
            forecast(Some(refused), &[op("a")]),
            Some(Forecast::Refused("no".into()))
        );
    }
}

//! The values of *Try on a cluster…*, and the resulting request.

use crate::edits::form_values::names;
use crate::edits::suggestions::is_absent;
use protocol::install::{InstallRefusal, InstallRequest, InstallValue};
use protocol::request::Target;
use protocol::response::PackageView;
use protocol::views::{Approval, Lens, Policy, UpgradeQuestion};

/// The values of the form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct InstallForm {
    /// Without image, channels and target namespaces.
    request: InstallRequest,
    /// Whether the cluster has the catalog.
    is_there: bool,
    image: String,
    /// For a Subscription.
    channel: String,
    /// For a ClusterExtension, as typed.
    channels: String,
    /// As typed.
    target_namespaces: String,
}

impl InstallForm {
    /// Initial values for a selection in a package; the rest comes from the upgrade question. A
    /// selected bundle becomes the first and only installed one.
    pub(super) fn begun(view: &PackageView, target: &Target, question: &UpgradeQuestion) -> Self {
        let (channel, bundle) = match target {
            Target::Package | Target::Problem { .. } => (None, None),
            Target::Channel { channel } => (Some(channel.clone()), None),
            Target::Entry { channel, name } => (Some(channel.clone()), Some(name)),
            Target::Bundle { name } => (channel_of(view, name), Some(name)),
        };
        let known = bundle.and_then(|name| view.bundles.iter().find(|(known, _)| known == name));
        let (starting_csv, range, approval) = match known {
            Some((name, version)) => (name.clone(), version.clone(), Approval::Manual),
            None if channel.is_some() => (String::new(), String::new(), question.approval),
            None => (
                question.starting_csv.clone(),
                question.range.clone(),
                question.approval,
            ),
        };
        Self {
            channels: channel
                .clone()
                .unwrap_or_else(|| question.channels.join(", ")),
            channel: channel.unwrap_or_else(|| question.channel.clone()),
            request: InstallRequest {
                root: view.root.clone(),
                package: view.package.clone(),
                lens: question.lens,
                starting_csv,
                range,
                approval,
                policy: question.policy,
                ..InstallRequest::default()
            },
            ..Self::default()
        }
    }

    /// The request, or what is missing.
    pub(super) fn request(&self) -> Result<InstallRequest, &'static str> {
        let image = self.image.trim();
        if !self.is_there && image.is_empty() {
            return Err(
                "Type the image that the catalog is pushed to, or set Catalog to 'on the cluster already'.",
            );
        }
        if self.is_there && self.request.catalog_name.trim().is_empty() {
            return Err("Type the name that the catalog has on the cluster.");
        }
        let mut request = self.request.clone();
        for text in [
            &mut request.namespace,
            &mut request.catalog_name,
            &mut request.catalog_namespace,
            &mut request.starting_csv,
            &mut request.range,
            &mut request.service_account,
        ] {
            *text = text.trim().to_owned();
        }
        request.image = (!self.is_there).then(|| image.to_owned());
        request.target_namespaces = names(&self.target_namespaces);
        request.channels = match request.lens {
            Lens::V0 => Some(self.channel.trim().to_owned())
                .filter(|name| !name.is_empty())
                .into_iter()
                .collect(),
            Lens::V1 => names(&self.channels),
        };
        Ok(request)
    }

    /// The text of a value.
    pub(super) fn text(&self, value: InstallValue) -> &str {
        let request = &self.request;
        match value {
            InstallValue::Namespace => &request.namespace,
            InstallValue::CatalogImage => &self.image,
            InstallValue::CatalogName => &request.catalog_name,
            InstallValue::CatalogNamespace => &request.catalog_namespace,
            InstallValue::Channel if request.lens == Lens::V1 => &self.channels,
            InstallValue::Channel => &self.channel,
            InstallValue::StartingCsv => &request.starting_csv,
            InstallValue::TargetNamespaces => &self.target_namespaces,
            InstallValue::Range => &request.range,
            InstallValue::ServiceAccount => &request.service_account,
        }
    }

    pub(super) fn set(&mut self, value: InstallValue, text: String) {
        let request = &mut self.request;
        *match value {
            InstallValue::Namespace => &mut request.namespace,
            InstallValue::CatalogImage => &mut self.image,
            InstallValue::CatalogName => &mut request.catalog_name,
            InstallValue::CatalogNamespace => &mut request.catalog_namespace,
            InstallValue::Channel if request.lens == Lens::V1 => &mut self.channels,
            InstallValue::Channel => &mut self.channel,
            InstallValue::StartingCsv => &mut request.starting_csv,
            InstallValue::TargetNamespaces => &mut self.target_namespaces,
            InstallValue::Range => &mut request.range,
            InstallValue::ServiceAccount => &mut request.service_account,
        } = text;
    }

    /// The state of a choice.
    pub(super) fn choice(&self, choice: Choice) -> bool {
        match choice {
            Choice::V1 => self.request.lens == Lens::V1,
            Choice::Manual => self.request.approval == Approval::Manual,
            Choice::SelfCertified => self.request.policy == Policy::SelfCertified,
            Choice::There => self.is_there,
        }
    }

    pub(super) fn choose(&mut self, choice: Choice, is_so: bool) {
        match choice {
            Choice::V1 => self.request.lens = if is_so { Lens::V1 } else { Lens::V0 },
            Choice::Manual => {
                self.request.approval = if is_so {
                    Approval::Manual
                } else {
                    Approval::Automatic
                }
            }
            Choice::SelfCertified => {
                self.request.policy = if is_so {
                    Policy::SelfCertified
                } else {
                    Policy::CatalogProvided
                };
            }
            Choice::There => self.is_there = is_so,
        }
    }

    pub(super) fn file_name(&self) -> String {
        let olm = if self.request.lens == Lens::V1 {
            "olm-v1"
        } else {
            "olm-classic"
        };
        format!("{}-{olm}.yaml", self.request.package)
    }

    pub(super) fn package(&self) -> &str {
        &self.request.package
    }
}

/// A choice between two options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    V1,
    Manual,
    SelfCertified,
    /// The cluster has the catalog.
    There,
}

/// The error of a field with a refused value.
pub(super) fn fault(refusal: &InstallRefusal, value: InstallValue) -> String {
    if refusal.value != Some(value) {
        return String::new();
    }
    let reason = refusal.reason.replace('`', "");
    let mut letters = reason.chars();
    let reason: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(letters)
        .collect();
    format!("{reason}: {}", refusal.help.replace('`', ""))
}

/// A channel that lists a bundle: preferably the default channel.
fn channel_of(view: &PackageView, name: &str) -> Option<String> {
    let mut listing = view
        .table
        .iter()
        .filter(|row| row.entry == name && !is_absent(row))
        .map(|row| &row.channel);
    let first = listing.clone().next();
    listing
        .find(|channel| **channel == view.default_channel)
        .or(first)
        .cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::TableRow;

    fn view() -> PackageView {
        let row = |channel: &str, entry: &str, state: &[&str]| TableRow {
            channel: channel.into(),
            entry: entry.into(),
            state: state.iter().map(ToString::to_string).collect(),
            ..TableRow::default()
        };
        PackageView {
            root: "c".into(),
            package: "p".into(),
            default_channel: "stable".into(),
            bundles: vec![
                ("p.v2".into(), "2.0.0".into()),
                ("p.v1".into(), "1.0.0".into()),
            ],
            table: vec![
                row("alpha", "p.v2", &[]),
                row("stable", "p.v2", &["head"]),
                row("stable", "p.v1", &["not in this channel"]),
                row("fast", "p.v1", &[]),
            ],
            ..PackageView::default()
        }
    }

    fn begun(target: &Target, question: &UpgradeQuestion) -> InstallRequest {
        let mut form = InstallForm::begun(&view(), target, question);
        form.set(InstallValue::CatalogImage, " quay.io/me/catalog:v1 ".into());
        form.request().unwrap()
    }

    #[test]
    fn starts_with_the_selected_entry() {
        let question = UpgradeQuestion::default();
        let request = begun(&Target::Package, &question);
        assert_eq!(
            (
                request.package.as_str(),
                request.root.as_str(),
                request.channels.len()
            ),
            ("p", "c", 0)
        );
        assert_eq!(request.image.as_deref(), Some("quay.io/me/catalog:v1"));
        let request = begun(
            &Target::Channel {
                channel: "fast".into(),
            },
            &question,
        );
        assert_eq!(
            (request.channels, request.starting_csv),
            (vec!["fast".to_owned()], String::new())
        );
        let request = begun(
            &Target::Bundle {
                name: "p.v2".into(),
            },
            &question,
        );
        assert_eq!(
            (request.channels, request.starting_csv.as_str()),
            (vec!["stable".to_owned()], "p.v2")
        );
        assert_eq!(
            request.approval,
            Approval::Manual,
            "else it is upgraded at once"
        );
        let request = begun(
            &Target::Bundle {
                name: "p.v1".into(),
            },
            &question,
        );
        assert_eq!(
            request.channels,
            ["fast"],
            "the default channel only mentions it"
        );
        let v1 = UpgradeQuestion {
            lens: Lens::V1,
            ..question
        };
        let request = begun(
            &Target::Entry {
                channel: "alpha".into(),
                name: "p.v2".into(),
            },
            &v1,
        );
        assert_eq!(
            (request.channels, request.range.as_str()),
            (vec!["alpha".to_owned()], "2.0.0")
        );
    }

    #[test]
    fn without_a_selection_the_question_supplies_the_values() {
        let question = UpgradeQuestion {
            lens: Lens::V1,
            channels: vec!["a".into(), "b".into()],
            range: "~1".into(),
            policy: Policy::SelfCertified,
            ..UpgradeQuestion::default()
        };
        let request = begun(&Target::Package, &question);
        assert_eq!(
            (request.channels, request.range.as_str()),
            (question.channels.clone(), "~1")
        );
        assert_eq!(request.policy, Policy::SelfCertified);
        let classic = UpgradeQuestion {
            channel: "fast".into(),
            approval: Approval::Manual,
            ..UpgradeQuestion::default()
        };
        let request = begun(&Target::Package, &classic);
        assert_eq!(
            (request.channels, request.approval),
            (vec!["fast".to_owned()], Approval::Manual)
        );
    }

    #[test]
    fn each_field_is_a_value_of_the_request() {
        let mut form = InstallForm::begun(&view(), &Target::Package, &UpgradeQuestion::default());
        assert!(form.request().unwrap_err().starts_with("Type the image"));
        form.choose(Choice::There, true);
        assert!(form.request().unwrap_err().starts_with("Type the name"));
        let values = [
            InstallValue::Namespace,
            InstallValue::CatalogImage,
            InstallValue::CatalogName,
            InstallValue::CatalogNamespace,
            InstallValue::Channel,
            InstallValue::StartingCsv,
            InstallValue::TargetNamespaces,
            InstallValue::Range,
            InstallValue::ServiceAccount,
        ];
        for value in values {
            form.set(value, format!("{value:?}"));
        }
        for value in values {
            assert_eq!(form.text(value), format!("{value:?}"));
        }
        form.set(InstallValue::TargetNamespaces, "a, b".into());
        let request = form.request().unwrap();
        assert_eq!(
            (request.image, request.target_namespaces),
            (None, vec!["a".to_owned(), "b".to_owned()])
        );
        assert_eq!(request.channels, ["Channel"]);
        assert_eq!(form.file_name(), "p-olm-classic.yaml");
        for choice in [
            Choice::V1,
            Choice::Manual,
            Choice::SelfCertified,
            Choice::There,
        ] {
            form.choose(choice, true);
            assert!(form.choice(choice));
            form.choose(choice, false);
            assert!(!form.choice(choice));
        }
    }

    #[test]
    fn a_refusal_is_shown_at_its_field() {
        let refusal = InstallRefusal {
            value: Some(InstallValue::Namespace),
            reason: "`No` is not the name of a namespace".into(),
            help: "use `a-z`".into(),
        };
        assert_eq!(
            fault(&refusal, InstallValue::Namespace),
            "No is not the name of a namespace: use a-z"
        );
        assert_eq!(fault(&refusal, InstallValue::Range), "");
        let refusal = InstallRefusal {
            reason: "channel `x` has no bundle".into(),
            ..refusal
        };
        assert_eq!(
            fault(&refusal, InstallValue::Namespace),
            "Channel x has no bundle: use a-z"
        );
    }
}

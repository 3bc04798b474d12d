//! The effect of the paths on the selected cluster, under both lenses.

use crate::widgets::code_text::in_code;
use leptos::prelude::*;
use protocol::upgrades::ClusterView;
use protocol::views::UpgradePath;

/// `None` if no cluster is selected.
pub(super) fn on_cluster(
    cluster: &ClusterView,
    v0: &UpgradePath,
    v1: &UpgradePath,
) -> Option<AnyView> {
    if cluster.openshift.is_empty() {
        return None;
    }
    let name = format!("On OpenShift {}", cluster.openshift);
    let kubernetes = Some(&cluster.kubernetes).filter(|version| !version.is_empty());
    let kubernetes = kubernetes.map(|version| format!(" with Kubernetes {version}"));
    let line = |(lens, text): (&'static str, String)| {
        let lens = (!lens.is_empty()).then(|| view! { <strong>{lens}": "</strong> });
        view! { <p class="way-why">{lens}{in_code(&text)}</p> }
    };
    let lines = lines(v0, v1).into_iter().map(line).collect_view();
    let heading = name.clone();
    let view = view! {
        <div class="way-cluster" role="group" aria-label=name>
            <p><strong>{heading}</strong>{kubernetes}</p>
            {lines}
        </div>
    };
    Some(view.into_any())
}

/// The effect of a step on it.
pub(super) fn step_remark(remark: String) -> Option<AnyView> {
    let view = (!remark.is_empty()).then(
        || view! { <span class="way-remark"><span aria-hidden="true">"⚠ "</span>{remark}</span> },
    );
    view.map(IntoAny::into_any)
}

/// Sentences with their lens; "" for both.
fn lines(v0: &UpgradePath, v1: &UpgradePath) -> Vec<(&'static str, String)> {
    let (classic, extension) = (path_remarks(v0), path_remarks(v1));
    if classic == extension {
        return classic.into_iter().map(|text| ("", text)).collect();
    }
    let of = |lens, texts: Vec<String>| texts.into_iter().map(move |text| (lens, text));
    of("Classic", classic)
        .chain(of("OLM v1", extension))
        .collect()
}

fn path_remarks(path: &UpgradePath) -> Vec<String> {
    match (path.on_cluster.is_empty(), path.next()) {
        (false, _) => path.on_cluster.clone(),
        (true, Some(_)) => vec![
            "Nothing blocks the cluster's update, and the next version starts on it.".to_owned(),
        ],
        (true, None) => vec!["Nothing blocks the cluster's update.".to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::PathStep;

    #[test]
    fn reports_once_what_both_lenses_have() {
        let path = |on_cluster: &[&str], steps: usize| UpgradePath {
            on_cluster: on_cluster.iter().map(ToString::to_string).collect(),
            steps: vec![PathStep::default(); steps],
            ..UpgradePath::default()
        };
        let held = path(&["`a` holds it"], 1);
        assert_eq!(lines(&held, &held), [("", "`a` holds it".to_owned())]);
        let report = lines(&held, &path(&[], 1));
        assert_eq!(report[0], ("Classic", "`a` holds it".to_owned()));
        assert_eq!(report[1].0, "OLM v1");
        assert!(
            report[1].1.ends_with("and the next version starts on it."),
            "{report:?}"
        );
        assert_eq!(
            lines(&path(&[], 0), &path(&[], 0)),
            [("", "Nothing blocks the cluster's update.".to_owned())]
        );
    }
}

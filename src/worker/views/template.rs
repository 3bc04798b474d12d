//! Templates as roots: what they say, and what they are rendered into.

use crate::fbc::model::Template;
use crate::fbc::template::kind;
use crate::fbc::workspace::Root;
use crate::protocol::views::TemplateRow;

pub(in crate::worker) fn row(root: &Root) -> TemplateRow {
    let Some(template) = root.template() else {
        return TemplateRow { kind: "no template any more".to_owned(), ..TemplateRow::default() };
    };
    let mut says = vec![match template {
        Template::Basic(_) | Template::Substitutes(_) => {
            let count = template.images().len();
            format!("Its bundles are {} until it is rendered", images(count))
        }
        Template::Semver(semver) => semver_says(semver),
        Template::Composite => "It names other templates: edit it as text".to_owned(),
    }];
    says.push("opm validate judges what is rendered".to_owned());
    let holds_entries = matches!(template, Template::Basic(_) | Template::Substitutes(_));
    TemplateRow { kind: kind(template).to_owned(), holds_entries, says }
}

fn semver_says(semver: &crate::fbc::model::template::Semver) -> String {
    let kinds = match (semver.generate_major_channels, semver.generate_minor_channels) {
        (true, true) => "a channel for each major and each minor version",
        (true, false) => "a channel for each major version",
        _ => "a channel for each minor version",
    };
    let streams = semver.streams().into_iter().filter(|(_, images)| !images.is_empty());
    let streams: Vec<String> = streams.map(|(name, list)| format!("{name} ({})", images(list.len()))).collect();
    let of = if streams.is_empty() { "no bundles".to_owned() } else { streams.join(", ") };
    format!("It generates {kinds} of {of}: edit it as text")
}

fn images(count: usize) -> String {
    if count == 1 { "1 image".to_owned() } else { format!("{count} images") }
}

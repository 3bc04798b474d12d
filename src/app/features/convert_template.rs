//! *Convert template…* turns a template into another type that renders to the same catalog. *Make a
//! template…* creates one for a catalog without a template. Both show a preview first, or the
//! differences if no semver template can produce the graph.

use crate::components::preview::{LiveAnswer, LivePreview, PreviewPane, answer_view, follow};
use crate::prelude::*;
use crate::widgets::buttons::Segmented;
use crate::widgets::dialog::FormDialog;
use crate::widgets::fields::{LineField, SelectField};
use crate::words::count;
use protocol::operation::EditOp;
use protocol::request::PreviewScope;
use protocol::response::OperationRefusal;
use protocol::templates::{Conversion, ConversionRequest, NewTemplate, TemplateKind};

/// A template type as the forms show it.
struct Kind {
    kind: TemplateKind,
    key: &'static str,
    description: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind {
        kind: TemplateKind::Basic,
        key: "basic",
        description: "Channels and entries as they are rendered, bundles by their images: every edit of a channel can be made.",
    },
    Kind {
        kind: TemplateKind::Semver,
        key: "semver",
        description: "Lists of images for candidate, fast and stable: channels and edges follow from the versions.",
    },
    Kind {
        kind: TemplateKind::Substitutes,
        key: "substitutes",
        description: "The whole catalog, bundles in full, and a list of bundles that take the place of others.",
    },
];

type ConversionAnswer = LiveAnswer<ConversionRequest, Result<Conversion, OperationRefusal>>;

fn request_conversion(
    app: AppContext,
    request: impl Fn() -> ConversionRequest + Send + Sync + 'static,
) -> ConversionAnswer {
    let request = derived(move || Some(request()));
    LiveAnswer::follow(app, request, move |request: ConversionRequest| async move {
        let answer = app.store.ask(request).await;
        answer.map_err(OperationRefusal::from)
    })
}

/// *Convert template…* for a template file.
#[component]
pub fn ConvertTemplate(template: String, because: String) -> impl IntoView {
    let app = app_context();
    let name = app.current.name_of_catalog(&template);
    let current_kind = app.store.status.with_untracked(|status| {
        let row = status.roots.iter().find(|row| row.root == template);
        row.and_then(|row| row.template.as_ref())
            .map(|template| template.kind.clone())
            .unwrap_or_default()
    });
    let options = other_kinds(&current_kind);
    let chosen = RwSignal::new(parse_kind(options[0].0));
    let answer = request_conversion(app, move || ConversionRequest::Convert {
        template: template.clone(),
        into: chosen.get(),
    });
    let source = name.clone();
    let title = move |kind| format!("Convert {source} to a {} template", kind_key(kind));
    let help = view! {
        {(!because.is_empty()).then(|| view! { <strong>{because}</strong> " " })}
        <code>{name}</code>
        {format!(" is a {current_kind}. Converted, it renders to the same catalog. It is written anew: comments are not kept.")}
    };
    view! {
        <Form
            app
            chosen
            answer
            heading="Convert template"
            label="Convert to"
            options
            submit_label="Convert"
            title
            help=help.into_any()
            fields=None
        />
    }
    .into_any()
}

/// *Make a template…* for a catalog without one, or for one of its packages.
#[component]
pub fn MakeTemplate(root: String, package: String) -> impl IntoView {
    let app = app_context();
    let chosen = RwSignal::new(TemplateKind::Basic);
    let packages: Vec<String> = app
        .store
        .packages
        .with_untracked(|rows| rows.iter().map(|row| row.name.clone()).collect());
    let is_listed = packages.contains(&package);
    let (package, path) = (
        RwSignal::new(if is_listed { package } else { String::new() }),
        RwSignal::new(String::new()),
    );
    let name = app.current.name_of_catalog(&root);
    let subject = derived(move || match package.get() {
        package if package.is_empty() => name.clone(),
        package => package,
    });
    let answer = request_conversion(app, move || {
        let path = path.get().trim().to_owned();
        ConversionRequest::Make(NewTemplate {
            root: root.clone(),
            package: package.get(),
            kind: chosen.get(),
            path,
        })
    });
    let title = move |kind| {
        let subject = subject.get_untracked();
        format!("Make a {} template of {subject}", kind_key(kind))
    };
    let help = view! {
        "A file that renders to "
        <code>{subject}</code>
        " as it is now. The catalog is left as it is: from then on, edit the template, and render it."
    };
    let options: Vec<(String, String)> =
        std::iter::once((String::new(), "All packages".to_owned()))
            .chain(packages.iter().map(|name| (name.clone(), name.clone())))
            .collect();
    let several = packages.len() > 1;
    let options = Signal::stored(options);
    let hint = derived(move || {
        format!(
            "Empty: catalog-templates/{}.yaml, in the operator’s folder or beside the catalog.",
            kind_key(chosen.get())
        )
    });
    let fields = view! {
        {several
            .then(|| {
                view! {
                    <SelectField label="Package" value=package options on_change=move |name: String| package.set(name)/>
                }
            })}
        <LineField
            label="File"
            value=path
            on_change=move |text: String| path.set(text)
            hint
        />
    };
    view! {
        <Form
            app
            chosen
            answer
            heading="Make a template"
            label="Kind"
            options=&[("basic", "Basic"), ("semver", "Semver"), ("substitutes", "Substitutes")]
            submit_label="Make template"
            title
            help=help.into_any()
            fields=Some(fields.into_any())
        />
    }
    .into_any()
}

/// The form of both commands. Applies the previewed operations.
#[component]
fn Form(
    app: AppContext,
    chosen: RwSignal<TemplateKind>,
    answer: ConversionAnswer,
    heading: &'static str,
    label: &'static str,
    options: &'static [(&'static str, &'static str)],
    submit_label: &'static str,
    title: impl Fn(TemplateKind) -> String + Send + 'static,
    help: AnyView,
    fields: Option<AnyView>,
) -> impl IntoView {
    let ops = memo(move |_| answer.with(|answer| Some(conversion_ops(answer?)?.to_vec())));
    let live = follow(app, PreviewScope::Own, ops.into());
    let press = Press::default();
    let apply = answer.on_press(move |answer| {
        let Some(ops) = conversion_ops(&answer).map(<[EditOp]>::to_vec) else {
            return;
        };
        if press.begin() {
            app.apply_and_close(
                title(chosen.get_untracked()),
                ops,
                || (),
                move |refusal| {
                    live.refuse(refusal);
                    press.end();
                },
            );
        }
    });
    let is_blocked = derived(move || answer.is_blocked(|answer| conversion_ops(answer).is_some()));
    let foot = view! {
        <Button label="Cancel" on_press=move |()| app.overlays.close()/>
        <button type="submit" class="button" data-look="primary" prop:disabled=move || is_blocked.get()>
            {submit_label}
        </button>
    };
    view! {
        <FormDialog
            title=heading
            on_close=move |()| app.overlays.close()
            on_submit=move |()| apply()
            side=(move || preview(app, answer, live)).into_any()
            foot=foot.into_any()
        >
            <p class="form-help">{help}</p>
            <Segmented
                label=label
                options
                selected=derived(move || kind_key(chosen.get()))
                on_select=move |key| chosen.set(parse_kind(key))
            />
            <p class="field-hint">{move || find_kind(chosen.get()).description}</p>
            {fields}
            {move || answer.with(lost_view)}
        </FormDialog>
    }
    .into_any()
}

fn conversion_ops(answer: &Result<Conversion, OperationRefusal>) -> Option<&[EditOp]> {
    match answer {
        Ok(Conversion::Made { ops, .. }) => Some(&ops.0),
        _ => None,
    }
}

/// Lists what the conversion loses although the catalog stays the same.
fn lost_view(
    answer: Option<&Result<Conversion, OperationRefusal>>,
) -> Option<impl IntoView + use<>> {
    let Some(Ok(Conversion::Made { remarks, .. })) = answer else {
        return None;
    };
    let lines = remarks
        .iter()
        .map(|line| view! { <li>{in_code(line)}</li> })
        .collect_view();
    (!remarks.is_empty()).then(|| {
        view! {
            <p class="field-hint">"Not kept:"</p>
            <ul class="part-files" aria-label="Not kept">{lines}</ul>
        }
    })
}

fn preview(app: AppContext, answer: ConversionAnswer, live: LivePreview) -> AnyView {
    let answer = match answer.get() {
        Some(Ok(Conversion::Made { .. })) => return view! { <PreviewPane app live/> }.into_any(),
        Some(Ok(Conversion::Differs(differences))) => Some(Ok(differences)),
        Some(Err(refusal)) => Some(Err(refusal)),
        None => None,
    };
    let refused = answer_view(app, answer, "Rendering, to convert…", differences_view);
    view! { <section class="preview" aria-label="Preview" tabindex="0">{refused}</section> }
        .into_any()
}

fn differences_view(differences: Vec<String>) -> AnyView {
    let number = count(differences.len() as u32, "difference");
    let lines = differences
        .into_iter()
        .map(|line| view! { <li>{line}</li> })
        .collect_view();
    view! {
        <div class="refusal">
            <p><strong>"No semver template makes this graph: "</strong>{number}"."</p>
            <ul class="refusal-lines" aria-label="Differences">{lines}</ul>
            <p>"Change these first, or choose another kind."</p>
        </div>
    }
    .into_any()
}

/// Returns the types that a template of type `current` can be converted to.
fn other_kinds(current: &str) -> &'static [(&'static str, &'static str)] {
    match current {
        "basic template" => &[("semver", "Semver"), ("substitutes", "Substitutes")],
        "semver template" => &[("basic", "Basic"), ("substitutes", "Substitutes")],
        _ => &[("basic", "Basic"), ("semver", "Semver")],
    }
}

fn kind_key(kind: TemplateKind) -> &'static str {
    find_kind(kind).key
}

/// Unknown keys select the basic type.
fn parse_kind(key: &str) -> TemplateKind {
    let row = KINDS.iter().find(|row| row.key == key);
    row.map_or(TemplateKind::Basic, |row| row.kind)
}

fn find_kind(kind: TemplateKind) -> &'static Kind {
    let row = KINDS.iter().find(|row| row.kind == kind);
    row.unwrap_or(&KINDS[0])
}

//! The document being converted, and accessors common to all schemas.

use super::blob::{
    Blob, Body, ChannelBlob, Correction, DeprecationEntry, DeprecationsBlob, Entry, Fault,
    OtherBlob, PackageBlob, Rewrite, TemplateItem,
};
use super::bundle::{self, PropertyOwner};
use super::decode::{self, DecodeError, Struct};
use super::foreign::{ENOUGH, Foreign, foreign};
use super::view::{JsonKind, Pool, View};
use super::{known_mistakes, load_rule, meta, template};
use crate::go_text::names_field;
use crate::place::{LineIndex, Place, Spanned, Text};
use crate::syntax::document::Document;
use crate::syntax::error::SyntaxError;
use crate::syntax::tree::{Format, NodeId, Tree};
use crate::syntax::value::MapEntry;
use std::borrow::Cow;
use std::sync::Arc;

const QUOTE_HELP: &str = "put the value in quotes, as it is written";

/// The current document.
pub(super) struct Lowering<'a, 'p> {
    pub(super) view: &'p View<'a>,
    pub(super) root: NodeId,
    /// Of the root mapping.
    pub(super) entries: Vec<MapEntry<'a>>,
    /// Of the root mapping.
    pub(super) place: Place,
    pub(super) pool: &'p mut Pool,
}

impl<'a> Lowering<'a, '_> {
    /// A text field of the root.
    pub(super) fn field(&mut self, name: &str) -> Spanned<Text> {
        self.view.field(&self.entries, name, self.place, self.pool)
    }

    /// A text field of an inner mapping.
    pub(super) fn inner(
        &mut self,
        entries: &[MapEntry<'a>],
        name: &str,
        whole: Place,
    ) -> Spanned<Text> {
        self.view.field(entries, name, whole, self.pool)
    }

    /// The values of a list field of the root; empty if it is absent or not a list.
    pub(super) fn list(&self, name: &str) -> Vec<NodeId> {
        self.view
            .value(&self.entries, name)
            .map_or_else(Vec::new, |list| self.view.items(list).collect())
    }

    /// The typed decoding of the whole blob, unless `opm` stopped before.
    pub(super) fn decode(
        &self,
        shape: &'static Struct,
        what: &str,
        faults: &mut Vec<Fault>,
    ) -> bool {
        if !faults.is_empty() {
            return false;
        }
        match decode::check_struct(self.view, self.root, shape) {
            Ok(()) => true,
            Err(error) => {
                faults.push(self.decode_fault(&error, what));
                false
            }
        }
    }

    fn decode_fault(&self, error: &DecodeError, what: &str) -> Fault {
        let rule = match what {
            "package" => load_rule::BLOB_PARSE_PACKAGE,
            "channel" => load_rule::BLOB_PARSE_CHANNEL,
            "bundle" => load_rule::BLOB_PARSE_BUNDLE,
            _ => load_rule::BLOB_PARSE_DEPRECATION,
        };
        let correction = add_missing_quotes(self.view, error);
        let help = match &correction {
            Some(_) => QUOTE_HELP.to_owned(),
            None => help_for(self.view, error),
        };
        Fault {
            rule: Cow::Borrowed(rule),
            opm: format!("parse {what}: {}", error.message),
            message: in_words(error),
            help,
            place: self.view.place(error.node),
            correction: correction.map(Box::new),
        }
    }
}

/// Explains Go's error for a wrong type to a person.
pub(super) fn in_words(error: &DecodeError) -> String {
    let Some((found, into)) = error
        .message
        .strip_prefix("json: cannot unmarshal ")
        .and_then(|rest| rest.split_once(" into Go "))
    else {
        return error.message.clone();
    };
    let wanted = match into.rsplit(" of type ").next().unwrap_or(into) {
        "string" => "a string".to_owned(),
        "bool" => "`true` or `false`".to_owned(),
        "[]uint8" => "a base64 text".to_owned(),
        list if list.starts_with("[]") => "a list".to_owned(),
        number if number.starts_with("int") || number.starts_with("uint") => {
            "an integer in range".to_owned()
        }
        _ => "an object".to_owned(),
    };
    match into
        .strip_prefix("struct field ")
        .and_then(|rest| rest.split_once(" of type "))
    {
        Some((field, _)) => {
            let field = field.split_once('.').map_or(field, |(_, path)| path);
            format!("`{field}` must be {wanted}, but is {}", article(found))
        }
        None => format!("the value must be {wanted}, but is {}", article(found)),
    }
}

/// Adds quotes where only text is allowed and the value is a number or a boolean.
pub(super) fn add_missing_quotes(view: &View<'_>, error: &DecodeError) -> Option<Correction> {
    if !error.message.ends_with(" of type string") {
        return None;
    }
    add_quotes(view, error.node)
}

/// Adds quotes to a plain number or boolean as it is written. Without quotes YAML changes the
/// value: `4.20` is the number 4.2.
pub(super) fn add_quotes(view: &View<'_>, node: NodeId) -> Option<Correction> {
    let written = std::str::from_utf8(view.text.get(view.tree.range(node))?).ok()?;
    let is_plain = !written.is_empty()
        && written
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-._".contains(c));
    // Quotes do not override a tag: `!!float '4.20'` is still a number.
    let is_tagged = view.tree.node(node).has_properties;
    let is_number_or_bool = matches!(view.kind(node), JsonKind::Number | JsonKind::Bool);
    if !is_plain || is_tagged || !is_number_or_bool {
        return None;
    }
    let quote = quote_character(view);
    let quoted = format!("{quote}{written}{quote}");
    Some(Correction {
        title: format!("write `{quoted}`"),
        rewrites: vec![Rewrite {
            place: view.place(node),
            was: written.to_owned(),
            meant: quoted,
        }],
    })
}

fn quote_character(view: &View<'_>) -> char {
    match view.tree.format() {
        Format::Json => '"',
        Format::Yaml => '\'',
    }
}

/// How to write the value with the type of its field; "" if that depends on the intention.
pub(super) fn form_of_value(view: &View<'_>, error: &DecodeError) -> String {
    let Some((found, into)) = error
        .message
        .strip_prefix("json: cannot unmarshal ")
        .and_then(|rest| rest.split_once(" into Go "))
    else {
        return String::new();
    };
    let wanted = into.rsplit(" of type ").next().unwrap_or(into);
    let is_integer = wanted.starts_with("int") || wanted.starts_with("uint");
    let written = view
        .text
        .get(view.tree.range(error.node))
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .unwrap_or_default();
    let is_number = found.starts_with("number");
    if wanted == "string" && (is_number || found == "bool") {
        let quote = quote_character(view);
        format!("put the value in quotes: `{quote}{written}{quote}`")
    } else if is_integer && found == "string" {
        match written.trim_matches(['\'', '"']).parse::<i64>() {
            Ok(number) => format!("write the number without quotes: `{number}`"),
            Err(_) => "write a whole number, without quotes, or remove the field".to_owned(),
        }
    } else {
        String::new()
    }
}

/// How to write the value of a blob's field: depends on what was found and on what the field takes.
fn help_for(view: &View<'_>, error: &DecodeError) -> String {
    let form = form_of_value(view, error);
    if !form.is_empty() {
        return form;
    }
    if error.message.starts_with("illegal base64 data") {
        return "encode the file again, for instance with `base64 -w0 FILE`".to_owned();
    }
    let wanted = error.message.rsplit(" of type ").next().unwrap_or_default();
    let text = match wanted {
        "[]string" => match view.string(error.node) {
            Some(name) => return format!("write a list, also of one name: `[{}]`", name.trim()),
            None => "write a list of names",
        },
        "[]uint8" => "write the content as base64, or remove the field",
        list if list.starts_with("[]") => "write a list: each item begins with `- `",
        "string" => "write a text, or remove the field",
        "bool" => "write `true` or `false`, without quotes",
        _ => "write an object, with a key and a value on each line, or remove the field",
    };
    text.to_owned()
}

fn article(found: &str) -> &str {
    match found {
        "string" => "a string",
        "number" => "a number",
        "bool" => "`true` or `false`",
        "array" => "a list",
        "object" => "an object",
        other => other,
    }
}

/// Converts one document of a file.
pub fn lower(document: &Document<'_>, pool: &mut Pool) -> Blob {
    let (body, mut faults) = match &document.parsed {
        Ok(tree) => lower_tree(tree, document.text, document.format, pool),
        Err(error) => (
            Body::Unreadable,
            vec![syntax_fault(error, document.text, document.format)],
        ),
    };
    // For a file of another type, naming the type helps more than the position of the YAML error.
    if let (Body::Unreadable, 0, Some(fault)) = (&body, document.start, faults.first_mut())
        && let Some(Foreign { what, help }) =
            foreign(document.text.get(..ENOUGH).unwrap_or(document.text))
    {
        fault.message = format!("this is {what}, not a catalog");
        fault.help = help.to_owned();
    }
    Blob {
        start: document.start,
        end: document.end,
        line: document.line,
        column: document.column,
        format: document.format,
        body,
        faults,
    }
}

/// Whether `opm` decodes this document as a blob before checking the schema. See
/// [`crate::syntax::document::Sink::accepts`].
pub fn accepts(document: &Document<'_>) -> bool {
    let Ok(tree) = &document.parsed else {
        return false;
    };
    let Some(root) = tree.root() else { return true };
    let view = View::new(tree, document.text);
    meta::fault(&view, root, &view.entries(root), document.format).is_none()
}

/// Converts the tree of a document. Positions are relative to `text`.
pub fn lower_tree(tree: &Tree, text: &[u8], format: Format, pool: &mut Pool) -> (Body, Vec<Fault>) {
    let view = View::new(tree, text);
    let Some(root) = tree.root() else {
        return (
            Body::Unreadable,
            vec![meta::missing_schema("", view.place_of(0..0))],
        );
    };
    if !tree.kind(tree.resolve_alias(root)).is_mapping() {
        let fault = meta::fault(&view, root, &view.entries(root), format).unwrap_or_else(|| {
            let canonical = if format == Format::Json { "null" } else { "" };
            meta::missing_schema(canonical, view.place(root))
        });
        return (Body::Unreadable, vec![fault]);
    }
    lower_mapping(&view, root, format, pool, BlobContext::Alone)
}

/// The context of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlobContext {
    /// A document of its own.
    Alone,
    /// Inside a template, where it cannot be a template itself.
    InTemplate,
}

/// Converts a mapping of a document. Positions are relative to the document.
pub(super) fn lower_mapping(
    view: &View<'_>,
    root: NodeId,
    format: Format,
    pool: &mut Pool,
    context: BlobContext,
) -> (Body, Vec<Fault>) {
    let entries = view.entries(root);
    let mut faults: Vec<Fault> = meta::fault(view, root, &entries, format)
        .into_iter()
        .collect();
    let mut lowering = Lowering {
        view,
        root,
        entries,
        place: view.place(root),
        pool,
    };
    let schema = lowering.field("schema");
    if schema.is_empty() && faults.is_empty() {
        faults.push(meta::missing_schema(
            &lowering.view.canonical(root),
            lowering.place,
        ));
    }
    let body = match schema.as_str() {
        "olm.package" => lowering.package(&mut faults),
        "olm.channel" => lowering.channel(&mut faults),
        "olm.bundle" => Body::Bundle(Arc::new(bundle::lower(&mut lowering, &mut faults))),
        "olm.deprecations" => lowering.deprecations(&mut faults),
        _ => Body::Other(Arc::new(OtherBlob {
            package: lowering.field("package"),
            name: lowering.field("name"),
            place: lowering.place,
            deprecations: lowering.misnamed_deprecations(schema.as_str()),
            template: match context {
                BlobContext::Alone => {
                    template::lower(&mut lowering, schema.as_str(), |lowering, node| {
                        template_item(lowering, node, format)
                    })
                    .map(Box::new)
                }
                BlobContext::InTemplate => None,
            },
            schema,
        })),
    };
    (body, faults)
}

/// A blob inside a template.
fn template_item(lowering: &mut Lowering<'_, '_>, node: NodeId, format: Format) -> TemplateItem {
    let (body, faults) = lower_mapping(
        lowering.view,
        node,
        format,
        lowering.pool,
        BlobContext::InTemplate,
    );
    TemplateItem {
        body,
        faults,
        place: lowering.view.place(node),
    }
}

impl Lowering<'_, '_> {
    fn package(&mut self, faults: &mut Vec<Fault>) -> Body {
        self.decode(&decode::PACKAGE, "package", faults);
        let has = |name: &str| self.entries.iter().any(|e| names_field(&e.key, name));
        let (has_icon, has_description) = (has("icon"), has("description"));
        Body::Package(Arc::new(PackageBlob {
            name: self.field("name"),
            default_channel: self.field("defaultChannel"),
            has_icon,
            has_description,
            improper: bundle::improper(self, PropertyOwner::Others).map(Box::new),
            place: self.place,
        }))
    }

    fn channel(&mut self, faults: &mut Vec<Fault>) -> Body {
        self.decode(&decode::CHANNEL, "channel", faults);
        let items = self.list("entries");
        let mut entries = Vec::with_capacity(items.len());
        let mut odd_keys = Vec::new();
        for item in items {
            known_mistakes::find(self, item, entries.len() as u32, &mut odd_keys);
            entries.push(self.entry(item));
        }
        Body::Channel(Arc::new(ChannelBlob {
            package: self.field("package"),
            name: self.field("name"),
            entries,
            odd_keys: odd_keys.into_boxed_slice(),
            improper: bundle::improper(self, PropertyOwner::Others).map(Box::new),
            place: self.place,
        }))
    }

    fn entry(&mut self, item: NodeId) -> Entry {
        let fields = self.view.entries(item);
        let place = self.view.place(item);
        let skips = self
            .view
            .value(&fields, "skips")
            .map_or_else(Vec::new, |list| self.view.items(list).collect());
        let skips = skips.into_iter().map(|skip| {
            let text = self.view.string(skip).unwrap_or_default();
            Spanned::new(self.pool.text(&text), self.view.place(skip))
        });
        Entry {
            skips: skips.collect(),
            name: self.inner(&fields, "name", place),
            replaces: self.inner(&fields, "replaces", place),
            skip_range: self.inner(&fields, "skipRange", place),
            place,
        }
    }

    /// The deprecations of a blob whose schema only looks like theirs.
    fn misnamed_deprecations(
        &mut self,
        schema: &str,
    ) -> Option<Box<Result<DeprecationsBlob, Text>>> {
        if !schema.to_ascii_lowercase().contains("deprecat") {
            return None;
        }
        let mut faults = Vec::new();
        let blob = self.deprecations_blob(&mut faults);
        Some(Box::new(match faults.pop() {
            Some(fault) => Err(fault.message.into()),
            None => Ok(blob),
        }))
    }

    fn deprecations(&mut self, faults: &mut Vec<Fault>) -> Body {
        Body::Deprecations(Arc::new(self.deprecations_blob(faults)))
    }

    fn deprecations_blob(&mut self, faults: &mut Vec<Fault>) -> DeprecationsBlob {
        self.decode(&decode::DEPRECATION, "deprecation", faults);
        let mut entries = Vec::new();
        for item in self.list("entries") {
            let fields = self.view.entries(item);
            let place = self.view.place(item);
            let mut reference = Vec::new();
            // Several spellings of `reference` fill one struct in turn.
            for field in fields.iter().filter(|e| names_field(&e.key, "reference")) {
                reference.extend(self.view.entries(field.value_node));
            }
            entries.push(DeprecationEntry {
                schema: self.inner(&reference, "schema", place),
                name: self.inner(&reference, "name", place),
                message: self.inner(&fields, "message", place),
                place,
            });
        }
        DeprecationsBlob {
            package: self.field("package"),
            entries,
            place: self.place,
        }
    }
}

pub fn syntax_fault(error: &SyntaxError, text: &[u8], format: Format) -> Fault {
    let rule = match format {
        _ if error.problem.starts_with("invalid Yaml document separator") => {
            load_rule::DOCUMENT_SEPARATOR
        }
        Format::Yaml => load_rule::YAML_SYNTAX,
        Format::Json => load_rule::JSON_SYNTAX,
    };
    let at = error.at as usize;
    let lines = LineIndex::new(text);
    let known = if rule == load_rule::YAML_SYNTAX {
        known_mistakes::unquoted_range(text, at)
    } else {
        None
    };
    let (help, correction) = known.unwrap_or_else(|| {
        let help =
            "correct the text, or list the file in `.indexignore` if it is not part of the catalog";
        (help.to_owned(), None)
    });
    Fault {
        rule: Cow::Borrowed(rule),
        opm: error.opm.clone(),
        message: error.problem.clone(),
        help,
        place: lines.place(text, at..at),
        correction: correction.map(Box::new),
    }
}

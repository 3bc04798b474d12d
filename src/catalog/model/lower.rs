//! Converts documents to blobs: the facts of each schema, and `opm`'s refusals.

use super::blob::{
    Blob, Body, ChannelBlob, Correction, DeprecationEntry, DeprecationsBlob, Entry, Fault,
    OtherBlob, PackageBlob, Rewrite, TemplateItem,
};
use super::bundle::{self, PropertyOwner};
use super::foreign::{ForeignType, NEEDED_BYTES, foreign_type};
use super::lowering::{BlobType, Lowering};
use super::view::{Pool, View};
use super::{known_mistakes, load_rule, meta, template};
use std::borrow::Cow;
use std::sync::Arc;
use syntax::document::Document;
use syntax::error::SyntaxError;
use syntax::go_text::names_field;
use syntax::json;
use syntax::place::{LineIndex, Place, Spanned, Text};
use syntax::tree::{Format, NodeId, NodeKind, Tree};

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
        && let first = document.text.get(..NEEDED_BYTES).unwrap_or(document.text)
        && let Some(ForeignType { name, help }) = foreign_type(first)
    {
        fault.message = format!("this is {name}, not a catalog");
        fault.help = help.to_owned();
    }
    Blob {
        start: document.start,
        end: document.end,
        line: document.line,
        column: document.column,
        format: document.format,
        body,
        faults: faults.into_boxed_slice(),
        ignored_text: find_ignored_text(document).map(Box::new),
    }
}

/// Finds text after a mapping in braces: `opm` reads YAML only up to the last brace. Returns the
/// reason why the mapping is not read as JSON, whose documents need no separator.
fn find_ignored_text(document: &Document<'_>) -> Option<Fault> {
    let (Ok(tree), text, Format::Yaml) = (&document.parsed, document.text, document.format) else {
        return None;
    };
    let root = tree
        .root()
        .filter(|&root| tree.kind(root) == NodeKind::FlowMapping)?;
    let mut rest = text[tree.range(root).end..].split(|&byte| byte == b'\n');
    let is_read = rest.all(|line| matches!(line.trim_ascii(), [] | [b'#', ..]));
    let error = json::parse(text).err().filter(|_| !is_read)?;
    let (mut at, lines) = (error.at as usize, LineIndex::new(text));
    let mut reason = error.problem;
    let mut correction = None;
    if let (before @ [.., b','], Some(bracket @ (b'}' | b']'))) =
        (text[..at].trim_ascii_end(), text.get(at))
    {
        reason = format!("there is a comma before `{}`", char::from(*bracket));
        at = before.len() - 1;
        let place = lines.place(text, at..at + 1);
        correction = Some(Box::new(rewrite("remove the comma", place, ",", "")));
    }
    Some(Fault {
        rule: Cow::Borrowed(load_rule::TEXT_IGNORED),
        opm: String::new(),
        message: format!(
            "`opm` ignores all text after this object, since it is not JSON: {reason}"
        ),
        help: String::new(),
        place: lines.place(text, at..at),
        correction,
    })
}

/// Returns the correction of JSON in which a comma is certainly missing: before the next key of an
/// object, or between two objects of a list.
fn missing_comma(text: &[u8], error: &SyntaxError, lines: &LineIndex) -> Option<Correction> {
    let (before, after) = text.split_at_checked(error.at as usize)?;
    let before = before.trim_ascii_end();
    let is_certain = if error.problem.ends_with("after object key:value pair") {
        let (_, rest) = std::str::from_utf8(after.strip_prefix(b"\"")?)
            .ok()?
            .split_once('"')?;
        rest.trim_start().starts_with(':')
    } else {
        error.problem.ends_with("after array element")
            && after.starts_with(b"{")
            && before.ends_with(b"}")
    };
    let place = lines.place(text, before.len()..before.len());
    is_certain.then(|| rewrite("add the missing comma", place, "", ","))
}

fn rewrite(title: &str, place: Place, was: &str, meant: &str) -> Correction {
    Correction {
        title: title.to_owned(),
        rewrites: vec![Rewrite {
            place,
            was: was.to_owned(),
            meant: meant.to_owned(),
        }],
    }
}

/// Whether `opm` decodes this document as a blob before checking the schema. See
/// [`syntax::document::Sink::accepts`].
pub fn accepts(document: &Document<'_>) -> bool {
    let Ok(tree) = &document.parsed else {
        return false;
    };
    let Some(root) = tree.root() else { return true };
    let view = View::new(tree, document.text);
    meta::find_fault(&view, root, &view.entries(root), document.format).is_none()
}

/// Converts the tree of a document. Positions are relative to `text`.
pub fn lower_tree(tree: &Tree, text: &[u8], format: Format, pool: &mut Pool) -> (Body, Vec<Fault>) {
    let view = View::new(tree, text);
    let Some(root) = tree.root() else {
        return (
            Body::Unreadable,
            vec![meta::missing_schema("", view.range_place(0..0))],
        );
    };
    if !tree.kind(tree.resolve_alias(root)).is_mapping() {
        let fault =
            meta::find_fault(&view, root, &view.entries(root), format).unwrap_or_else(|| {
                let canonical = if format == Format::Json { "null" } else { "" };
                meta::missing_schema(canonical, view.place(root))
            });
        return (Body::Unreadable, vec![fault]);
    }
    lower_mapping(&view, root, format, pool, BlobContext::Alone)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlobContext {
    /// A document of its own.
    Alone,
    /// Inside a template, where it cannot be a template itself.
    InTemplate,
}

/// Converts a mapping of a document. Positions are relative to the document.
fn lower_mapping(
    view: &View<'_>,
    root: NodeId,
    format: Format,
    pool: &mut Pool,
    context: BlobContext,
) -> (Body, Vec<Fault>) {
    let entries = view.entries(root);
    let mut faults: Vec<Fault> = meta::find_fault(view, root, &entries, format)
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

/// Converts an item of a template to a blob.
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
        self.check_decodes(BlobType::Package, faults);
        let [has_icon, has_description] = ["icon", "description"]
            .map(|name| self.entries.iter().any(|e| names_field(&e.key, name)));
        Body::Package(Arc::new(PackageBlob {
            name: self.field("name"),
            default_channel: self.field("defaultChannel"),
            has_icon,
            has_description,
            improper: bundle::find_improper_property(self, PropertyOwner::Others).map(Box::new),
            place: self.place,
        }))
    }

    fn channel(&mut self, faults: &mut Vec<Fault>) -> Body {
        self.check_decodes(BlobType::Channel, faults);
        let items = self.list("entries");
        let mut entries = Vec::with_capacity(items.len());
        let mut odd_keys = Vec::new();
        for item in items {
            known_mistakes::find_odd_keys(self, item, entries.len() as u32, &mut odd_keys);
            entries.push(self.entry(item));
        }
        Body::Channel(Arc::new(ChannelBlob {
            package: self.field("package"),
            name: self.field("name"),
            entries,
            odd_keys: odd_keys.into_boxed_slice(),
            improper: bundle::find_improper_property(self, PropertyOwner::Others).map(Box::new),
            place: self.place,
        }))
    }

    fn entry(&mut self, item: NodeId) -> Entry {
        let fields = self.view.entries(item);
        let place = self.view.place(item);
        let skips = self
            .view
            .field_value(&fields, "skips")
            .map_or_else(Vec::new, |list| self.view.items(list).collect());
        let skips = skips.into_iter().map(|skip| {
            let text = self.view.string(skip).unwrap_or_default();
            Spanned::new(self.pool.text(&text), self.view.place(skip))
        });
        Entry {
            skips: skips.collect(),
            name: self.inner_field(&fields, "name", place),
            replaces: self.inner_field(&fields, "replaces", place),
            skip_range: self.inner_field(&fields, "skipRange", place),
            place,
        }
    }

    /// Reads a blob as deprecations if its schema only looks like theirs.
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
        self.check_decodes(BlobType::Deprecation, faults);
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
                schema: self.inner_field(&reference, "schema", place),
                name: self.inner_field(&reference, "name", place),
                message: self.inner_field(&fields, "message", place),
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

/// Creates the fault of a document that is not valid YAML or JSON.
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
    let unquoted_range = if rule == load_rule::YAML_SYNTAX {
        known_mistakes::find_unquoted_range(text, at)
    } else {
        None
    };
    let (help, correction) = unquoted_range.unwrap_or_else(|| {
        let help =
            "correct the text, or list the file in `.indexignore` if it is not part of the catalog";
        (help.to_owned(), missing_comma(text, error, &lines))
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

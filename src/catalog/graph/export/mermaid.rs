//! The graph as `opm alpha render-graph` draws it (`opm-semantics` section 5), byte for byte.
//!
//! It reads the blobs, not the built graph, because the reference reads lines, matches deprecations
//! by name alone and takes the first bundle of a name from any package.

use crate::model::{Entry, Package};
use crate::version::Version;
use crate::version::blang::Range;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use syntax::go_text::quote;
use syntax::hashed::{HashMap, HashSet};
use syntax::order::SortSmall;

const HEADER: &str = "graph LR
  classDef deprecated fill:#E8960F
  classDef skipped stroke:#FF0000,stroke-width:4px
  classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px
";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MermaidOptions<'a> {
    /// Draw only this package's channels.
    pub package: Option<&'a str>,
    /// Mark what OLM Classic does not follow: skipped entries and their own edges.
    pub classic: bool,
    pub names: Names,
}

/// How to write names with characters that Mermaid interprets: a line break or a semicolon begins a
/// statement, such as a link that runs a script in a viewer that allows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Names {
    /// As the reference writes them.
    #[default]
    AsTheyAre,
    /// As plain names without any markup, with a comment that explains this.
    Escaped,
}

/// The drawing and its warnings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mermaid {
    pub text: String,
    /// Warnings in the wording of the reference's standard error.
    pub warnings: Vec<String>,
    /// Number of names that have a meaning in Mermaid, escaped or not.
    pub odd_names: usize,
}

/// Draws the packages of one catalog, given in any order. If a bundle's version does not parse,
/// which makes the reference give up, it counts as 0.0.0, with a warning.
pub fn mermaid(packages: &[&Package], options: MermaidOptions<'_>) -> Mermaid {
    let mut drawing = Drawing::new(packages, options);
    let mut channels: Vec<_> = packages
        .iter()
        .filter(|p| options.package.is_none_or(|name| *p.name == *name))
        .flat_map(|p| p.channels.iter().map(move |c| (p, c)))
        .collect();
    channels.sort_small_by_key(|(package, channel)| (&channel.name.value, &package.name));
    for (package, channel) in channels {
        drawing.draw_channel(&package.name, channel.name.as_str(), &channel.data.entries);
    }
    drawing.finish()
}

#[derive(Default)]
struct Drawing<'a> {
    options: MermaidOptions<'a>,
    /// By bundle name; missing ones count as 0.0.0.
    versions: HashMap<&'a str, Version>,
    deprecated_bundles: HashSet<&'a str>,
    deprecated_channels: HashSet<&'a str>,
    deprecated_packages: HashSet<&'a str>,
    /// Texts of the channels, by package.
    packages: BTreeMap<&'a str, String>,
    last_deprecated_package: Option<&'a str>,
    channel_ids: Vec<String>,
    classes: BTreeMap<&'static str, Vec<String>>,
    links: usize,
    dashed: Vec<String>,
    warnings: Vec<String>,
    odd_names: HashSet<&'a str>,
}

/// The channel that is being drawn.
struct ChannelDrawing<'a> {
    package: &'a str,
    id: String,
    in_file_order: Vec<VersionedEntry<'a>>,
    /// Names that the entries so far skip.
    skipped: HashSet<&'a str>,
    text: String,
}

#[derive(Clone)]
struct VersionedEntry<'a> {
    entry: &'a Entry,
    version: Version,
}

impl<'a> Drawing<'a> {
    fn new(packages: &[&'a Package], options: MermaidOptions<'a>) -> Self {
        let mut drawing = Self {
            options,
            ..Self::default()
        };
        let mut bundles: Vec<_> = packages.iter().flat_map(|p| &p.bundles).collect();
        bundles.sort_small_by_key(|b| b.order);
        let mut names = HashSet::default();
        for bundle in bundles
            .into_iter()
            .filter(|b| names.insert(b.name.as_str()))
        {
            match Version::parse(bundle.version()) {
                Ok(version) => {
                    drawing.versions.insert(bundle.name.as_str(), version);
                }
                Err(error) => drawing
                    .warnings
                    .push(format!("bundle {}: {error}", quote(bundle.name.as_str()))),
            }
        }
        for blob in packages.iter().flat_map(|p| &p.deprecations) {
            for entry in &blob.data.entries {
                match entry.schema.as_str() {
                    "olm.package" => drawing
                        .deprecated_packages
                        .insert(blob.data.package.as_str()),
                    "olm.channel" => drawing.deprecated_channels.insert(entry.name.as_str()),
                    "olm.bundle" => drawing.deprecated_bundles.insert(entry.name.as_str()),
                    _ => false,
                };
            }
        }
        drawing
    }

    fn draw_channel(&mut self, package: &'a str, name: &'a str, entries: &'a [Entry]) {
        let id = format!("{}-{}", self.id(package), self.id(name));
        let label = self.label(name);
        let text = format!(
            "    %% channel {}\n    subgraph {id}[{label}]\n",
            quote(name)
        );
        self.record_name(package);
        self.record_name(name);
        if self.deprecated_packages.contains(package) {
            self.last_deprecated_package = Some(package);
        }
        if self.deprecated_channels.contains(name) {
            self.channel_ids.push(id.clone());
        }
        let in_file_order = self.with_versions(entries);
        let mut newest_first = in_file_order.clone();
        newest_first.sort_small_by(|a, b| b.version.cmp_precedence(&a.version));
        let mut drawing = ChannelDrawing {
            package,
            id,
            in_file_order,
            skipped: HashSet::default(),
            text,
        };
        for entry in newest_first {
            self.draw_entry(&mut drawing, entry.entry);
        }
        let mut text = drawing.text;
        text.push_str("    end\n");
        self.packages.entry(package).or_default().push_str(&text);
    }

    fn with_versions(&self, entries: &'a [Entry]) -> Vec<VersionedEntry<'a>> {
        let versioned = |entry: &'a Entry| VersionedEntry {
            entry,
            version: self
                .versions
                .get(entry.name.as_str())
                .cloned()
                .unwrap_or(Version::new(0, 0, 0)),
        };
        entries.iter().map(versioned).collect()
    }

    fn draw_entry(&mut self, channel: &mut ChannelDrawing<'a>, entry: &'a Entry) {
        let name = entry.name.as_str();
        let target = self.labelled_node(&channel.id, name);
        self.record_name(name);
        // Writing to a string cannot fail.
        let _ = writeln!(channel.text, "      {target}");
        self.classify(&channel.id, name, channel.skipped.contains(name));
        self.record_name(entry.replaces.as_str());
        for skip in &entry.skips {
            self.record_name(skip.as_str());
        }
        self.record_name(entry.skip_range.as_str());
        for skip in &entry.skips {
            let skip = skip.as_str();
            let source = self.labelled_node(&channel.id, skip);
            let _ = writeln!(channel.text, "      {source}-- skip --> {target}");
            let is_repeated = !channel.skipped.insert(skip);
            self.count_link(is_repeated);
        }
        self.draw_skip_range(channel, entry, &target);
        if !entry.replaces.is_empty() {
            let source = self.labelled_node(&channel.id, entry.replaces.as_str());
            let _ = writeln!(channel.text, "      {source}-- replace --> {target}");
            self.count_link(channel.skipped.contains(name));
        }
    }

    fn draw_skip_range(&mut self, channel: &mut ChannelDrawing<'a>, entry: &Entry, target: &str) {
        let text = entry.skip_range.as_str();
        if text.is_empty() {
            return;
        }
        let range = match Range::parse(text) {
            Ok(range) => range,
            Err(error) => {
                self.warnings.push(format!(
                    "warning: ignoring invalid SkipRange for package/edge {}/{}: {error}",
                    quote(channel.package),
                    quote(entry.name.as_str())
                ));
                return;
            }
        };
        let label = self.range_label(text).into_owned();
        let is_skipped = channel.skipped.contains(entry.name.as_str());
        for covered in &channel.in_file_order {
            if !range.contains(&covered.version) {
                continue;
            }
            let source = self.labelled_node(&channel.id, covered.entry.name.as_str());
            let _ = writeln!(
                channel.text,
                "      {source}-- \"skipRange({label})\" --> {target}"
            );
            self.count_link(is_skipped);
        }
    }

    /// A link that OLM Classic ignores is dashed under Classic semantics.
    fn count_link(&mut self, is_ignored: bool) {
        if is_ignored && self.options.classic {
            self.dashed.push(self.links.to_string());
        }
        self.links += 1;
    }

    /// Records the class of an entry of the channel `id`.
    fn classify(&mut self, id: &str, name: &str, is_skipped: bool) {
        let is_skipped = is_skipped && self.options.classic;
        let class = match (self.deprecated_bundles.contains(name), is_skipped) {
            (true, true) => "deprecatedskipped",
            (true, false) => "deprecated",
            (false, true) => "skipped",
            (false, false) => return,
        };
        let name = self.id(name).into_owned();
        self.classes
            .entry(class)
            .or_default()
            .push(format!("{id}-{name}"));
    }

    fn record_name(&mut self, name: &'a str) {
        if !is_plain(name) {
            self.odd_names.insert(name);
        }
    }

    fn is_escaped(&self, name: &str) -> bool {
        self.options.names == Names::Escaped && !is_plain(name)
    }

    /// Writes a name as part of an identifier.
    fn id<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if !self.is_escaped(name) {
            return Cow::Borrowed(name);
        }
        let mut out = String::new();
        for c in name.chars() {
            if is_plain_letter(c) {
                out.push(c);
            } else {
                // Writing to a string cannot fail.
                let _ = write!(out, "_u{:x}_", c as u32);
            }
        }
        Cow::Owned(out)
    }

    /// Writes a name for the quotes of a label.
    fn label(&self, name: &str) -> String {
        if self.is_escaped(name) {
            format!("\"{}\"", escape(name))
        } else {
            quote(name)
        }
    }

    fn range_label<'n>(&self, range: &'n str) -> Cow<'n, str> {
        if self.is_escaped(range) {
            Cow::Owned(escape(range))
        } else {
            Cow::Borrowed(range)
        }
    }

    fn labelled_node(&self, channel: &str, name: &str) -> String {
        format!("{channel}-{}[{}]", self.id(name), self.label(name))
    }

    fn finish(mut self) -> Mermaid {
        let mut text = String::new();
        if self.options.names == Names::Escaped && !self.odd_names.is_empty() {
            let _ = writeln!(
                text,
                "%% Some names contain characters that Mermaid would interpret; they are escaped here."
            );
        }
        text.push_str(HEADER);
        for (package, channels) in &self.packages {
            let (name, label) = (quote(package), self.label(package));
            let _ = write!(
                text,
                "  %% package {name}\n  subgraph {label}\n{channels}  end\n"
            );
        }
        if let Some(package) = self.last_deprecated_package {
            let package = self.id(package);
            let _ = writeln!(text, "style {package} fill:#989695");
        }
        for id in &self.channel_ids {
            let _ = writeln!(text, "style {id} fill:#DCD0FF");
        }
        for (class, ids) in &mut self.classes {
            ids.sort_small();
            let _ = writeln!(text, "class {} {class}", ids.join(","));
        }
        if !self.dashed.is_empty() {
            let links = self.dashed.join(",");
            let _ = writeln!(
                text,
                "linkStyle {links} stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;"
            );
        }
        Mermaid {
            text,
            warnings: self.warnings,
            odd_names: self.odd_names.len(),
        }
    }
}

/// Letters that end neither an identifier nor a statement in Mermaid.
fn is_plain_letter(c: char) -> bool {
    c.is_alphanumeric() || "-_.+~@/:".contains(c)
}

/// Whether Mermaid reads the text as a plain name or version range.
fn is_plain(text: &str) -> bool {
    text.chars()
        .all(|c| is_plain_letter(c) || " <>=!|,^*".contains(c))
}

/// Escapes text for the quotes of a label: special characters become entities.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '#' | '<' | '>' | '&' | '`' => {
                let _ = write!(out, "#{};", c as u32);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

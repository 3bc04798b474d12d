//! Connects the editor with the store: steps, lines, names, cursor context. Converts the worker's
//! lines for the editor. Completes names of templates, channels, entries and catalogs in `ci.yaml`
//! and `release-config.yaml`.

use crate::browser::time as timing;
use crate::prelude::*;
use crate::state::repository::operators_in_paths;
use crate::widgets::editor::find::FindBar;
use crate::widgets::editor::input::{InputKind, MAX_TYPED};
use crate::widgets::editor::marks::{Mark, Tone};
use crate::widgets::editor::text::{Change, End, Lines, TextLine, TextPosition};
use crate::widgets::editor::{Completions, Editor, Piece, Suggestion};
use completion::cursor_context::{self, CursorContext, CursorPart};
use completion::suggestions::{BundleName, EntryName, Names, help, package_of, suggestions};
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::repository::OperatorView;
use protocol::request::{PackageRequest, SourceAt};
use protocol::views::{LineEnd, LineMark, SourceLine, SourceView};
use std::collections::HashSet;
use std::time::Duration;

/// Number of lines requested to show other parts of the file.
const REQUESTED_LINES: u32 = 300;
/// Number of lines on either side that determine the context of the caret.
const CONTEXT_LINES: usize = 3_000;

/// Maximum delay before typed text is recorded.
const RECORD_DELAY: Duration = Duration::from_millis(250);
/// Maximum number of characters in one text control.
const MAX_CHARACTERS: usize = 400_000;
/// Values of `type` and `version_promotion_strategy` in a `ci.yaml`.
const TYPES: [&str; 2] = ["olm.template.basic", "olm.semver"];
const STRATEGIES: [&str; 3] = ["always", "review-needed", "never"];

/// State shared by the parts of the tab.
#[derive(Clone, Copy)]
pub(super) struct Panel {
    pub(super) app: AppContext,
    /// Set right after the editor is created: its callbacks refer to this panel.
    pub(super) editor: StoredValue<Option<Editor>>,
    pub(super) find: FindBar,
    /// The range to go to once its lines are loaded, in columns of the file, and whether to focus.
    pub(super) wanted: StoredValue<Option<(TextPosition, TextPosition, bool)>>,
    pub(super) names: RwSignal<Names>,
    /// The package whose names are being requested.
    pub(super) requested: StoredValue<String>,
    /// Whether saving typed text is scheduled.
    pub(super) is_recording: StoredValue<bool>,
}

impl Panel {
    pub(super) fn with(self, act: impl FnOnce(Editor)) {
        if let Some(editor) = self.editor.try_get_value().flatten() {
            act(editor);
        }
    }

    /// Schedules recording of typed text. Until it is recorded, leaving the page would lose it.
    pub(super) fn on_typing(self) {
        self.app.store.note_typed(true);
        if self
            .is_recording
            .try_update_value(|recording| std::mem::replace(recording, true))
            == Some(false)
        {
            set_timeout(
                move || {
                    if self
                        .is_recording
                        .try_update_value(|recording| *recording = false)
                        .is_some()
                    {
                        self.record_typed();
                    }
                },
                RECORD_DELAY,
            );
        }
    }

    /// Records typed text that is not a step yet.
    pub(super) fn record_typed(self) {
        let Some(editor) = self.editor.try_get_value().flatten() else {
            return;
        };
        let text_id = editor.text_id();
        let Some((root, file)) = text_id.split_once('\n') else {
            return;
        };
        self.app
            .text_steps
            .note_typed(self.catalog(root), file.to_owned(), editor.typed_change());
    }

    fn catalog(self, root: &str) -> Option<String> {
        untrack(|| self.app.store.status.has_several_roots()).then(|| root.to_owned())
    }

    /// Adds a step for typed text.
    pub(super) fn add_step(self, change: Change, kind: InputKind) {
        let Some(editor) = self.editor.get_value() else {
            return;
        };
        // The worker may already be loading another file: use the one whose text is in the control.
        let text_id = editor.text_id();
        let Some((root, file)) = text_id.split_once('\n') else {
            return;
        };
        let (steps, catalog) = (self.app.text_steps, self.catalog(root));
        if self.is_refused(file) {
            steps.add_refused(catalog, file.to_owned(), change);
        } else {
            // After a long paste, the control shows only its end.
            if change.text.len() > MAX_TYPED {
                self.app
                    .store
                    .source
                    .show_next(file.to_owned(), change.end().line);
            }
            steps.add(catalog, file.to_owned(), change, kind);
        }
    }

    /// Whether a step of this file was refused and is not discarded yet.
    fn is_refused(self, file: &str) -> bool {
        self.app
            .text_steps
            .failed
            .with_untracked(|failed| failed.as_ref().is_some_and(|failed| failed.file == file))
    }

    pub(super) fn run_after_typing(self, act: impl FnOnce() + 'static) {
        self.with(Editor::close_step);
        self.app.text_steps.when_applied(act);
    }

    /// Requests lines around a position and moves the caret there.
    pub(super) fn go_to_far(self, place: TextPosition) {
        let focus = self.editor.get_value().is_some_and(Editor::has_focus);
        self.load_and_go(place, place, focus);
    }

    pub(super) fn load_and_go(self, from: TextPosition, to: TextPosition, focus: bool) {
        self.wanted.set_value(Some((from, to, focus)));
        let start = timing::now();
        spawn_local(async move {
            self.app.store.source.show_around(from.line).await;
            timing::next_paint().await;
            timing::measure("source", start, &[]);
        });
    }

    pub(super) fn load_lines(self, line: u32) {
        spawn_local(async move {
            let at = SourceAt::Lines {
                first: line.saturating_sub(REQUESTED_LINES / 3).max(1),
                count: REQUESTED_LINES,
            };
            if let Some(view) = self.app.store.source.lines(at).await {
                self.with(|editor| editor.show_lines(lines(&view), marks(&view.problems)));
            }
        });
    }

    /// Shows another file, another part of the file, or its current state.
    pub(super) fn show(self, editor: Editor, view: &SourceView, is_other: bool) {
        let wanted = self.wanted.try_update_value(Option::take).flatten();
        let wanted = wanted.filter(|target| is_other || !self.goes_within_control(editor, target));
        let line = wanted.map_or(editor.caret.get_untracked().line, |(from, ..)| from.line);
        if is_other || wanted.is_some() {
            editor.close_step();
            editor.open(&piece(view, line));
            // Restore refused text at its position, if that still exists.
            editor.show_refused(&self.app.text_steps.refused_in(&view.file));
            if let Some((from, to, focus)) = wanted {
                let inside = |place: TextPosition| {
                    let line = place.line.min(view.total_lines.max(1));
                    editor.in_control(TextPosition::new(line, place.column))
                };
                editor.go_to(inside(from), inside(to), focus);
            }
        } else if !self.is_refused(&view.file) {
            // Refused text stays until it is retried or discarded.
            editor.refresh(&piece(view, line), self.app.text_steps.is_all_applied());
        }
    }

    /// Whether the view may lack text that was typed after the request, while the control has the
    /// target's lines. Goes to the target then, unless text is being typed.
    fn goes_within_control(
        self,
        editor: Editor,
        target: &(TextPosition, TextPosition, bool),
    ) -> bool {
        let (from, to, focus) = *target;
        let is_typing = editor.is_typing();
        let is_outdated = is_typing || !self.app.text_steps.is_all_applied();
        let is_within_control = is_outdated && editor.holds(from.line);
        if is_within_control
            && !is_typing
            && (focus || from.line != editor.caret.get_untracked().line)
        {
            editor.go_to(editor.in_control(from), editor.in_control(to), focus);
        }
        is_within_control
    }

    pub(super) fn cursor_context(self, editor: Editor, place: TextPosition) -> CursorContext {
        let above = editor.lines_to(place.line);
        let above = &above[above.len().saturating_sub(CONTEXT_LINES)..];
        let mut below = editor.lines_from(place.line + 1);
        below.truncate(CONTEXT_LINES);
        cursor_context::at(above, &below, place.column)
    }

    pub(super) fn completions(self, place: TextPosition) -> Option<Completions> {
        let editor = self.editor.get_value()?;
        let context = self.cursor_context(editor, place);
        let all = self.configuration_names(&context).unwrap_or_else(|| {
            self.load_names(package_of(&context));
            let all = self
                .names
                .with_untracked(|names| suggestions(&context, names));
            all.into_iter().map(editor_suggestion).collect()
        });
        Some(Completions {
            from: TextPosition::new(place.line, context.from),
            typed: context.typed,
            all,
        })
    }

    /// Returns suggested names for an operator's configuration in a repository.
    fn configuration_names(self, context: &CursorContext) -> Option<Vec<Suggestion>> {
        let file = self
            .app
            .store
            .source
            .place
            .with_untracked(|place| place.as_ref().map(|place| place.file.clone()))?;
        if !is_configuration(&file) {
            return None;
        }
        let operator = operators_in_paths([&file]).into_iter().next()?;
        let view = self
            .app
            .repository
            .known
            .with_untracked(|known| known.get(&operator).cloned());
        let Some(view) = view else {
            // The operator will be loaded by the next key press.
            self.app.repository.load_operators(vec![operator]);
            return None;
        };
        let catalogs = self.app.repository.view.get_untracked()?;
        Some(repository_suggestions(context, &view, &catalogs.catalogs))
    }

    pub(super) fn help(self, place: TextPosition) -> String {
        let Some(editor) = self.editor.get_value() else {
            return String::new();
        };
        // The context of a value includes its key.
        let end = editor.line_text(place.line).chars().count() as u32 + 1;
        let context = self.cursor_context(editor, TextPosition::new(place.line, end));
        match &context.part {
            CursorPart::Value(key) if !key.is_empty() => help(&context, key),
            _ => String::new(),
        }
    }

    /// Loads the names that completion offers in the files of `package`, once per revision.
    pub(super) fn load_names(self, package: &str) {
        let revision = self
            .app
            .store
            .status
            .with_untracked(|status| status.revision);
        let root = self.app.store.root.get_untracked();
        let key = format!("{root}\n{package}\n{revision}");
        if package.is_empty() || self.requested.with_value(|last| *last == key) {
            return;
        }
        self.requested.set_value(key.clone());
        let view = self.app.current.view.get_untracked();
        if view.package == package && view.root == root {
            return self.names.set(names_of(&view));
        }
        let package = package.to_owned();
        spawn_local(async move {
            let query = PackageRequest::new(root, package);
            let view = self.app.store.ask(query).await.ok();
            let is_latest = self.requested.try_with_value(|last| *last == key);
            if let Some(view) = view.filter(|_| is_latest == Some(true)) {
                self.names.try_set(names_of(&view));
            }
        });
    }

    pub(super) fn search(self, backwards: bool) {
        let Some(editor) = self.editor.get_value() else {
            return;
        };
        let text = self.find.text.get_untracked();
        if text.is_empty() {
            return;
        }
        editor.close_step();
        let caret = editor.caret.get_untracked();
        // The caret is after the last match.
        let matched = if backwards {
            text.chars().count() as u32
        } else {
            0
        };
        let from = (caret.line, caret.column.saturating_sub(matched).max(1));
        spawn_local(async move {
            let Some(hit) = self.app.store.source.find_text(text, from, backwards).await else {
                return;
            };
            match hit.at {
                Some(found) => {
                    self.find
                        .status
                        .try_set(format!("{} of {}", hit.number, hit.count));
                    let (from, to) = (
                        TextPosition::new(found.line, found.column),
                        TextPosition::new(found.line, found.end_column),
                    );
                    self.with(|editor| {
                        self.go_to(editor, from, to, false);
                        editor.caret.set(editor.in_control(to));
                    });
                }
                None => {
                    self.find.status.try_set("nowhere".to_owned());
                }
            }
        });
    }

    pub(super) fn go_to_line(self, line: u32) {
        let Some(editor) = self.editor.get_value() else {
            return;
        };
        editor.close_step();
        let line = line.clamp(1, editor.total.get_untracked().max(1));
        let place = TextPosition::new(line, 1);
        self.go_to(editor, place, place, true);
    }

    /// Shows and highlights a place, whose lines may have to be loaded.
    fn go_to(self, editor: Editor, from: TextPosition, to: TextPosition, focus: bool) {
        editor.here.set((from.line, from.line));
        if editor.holds(from.line) {
            editor.go_to(editor.in_control(from), editor.in_control(to), focus)
        } else {
            self.load_and_go(from, to, focus)
        }
    }

    pub(super) fn retry(self) {
        self.with(|editor| {
            editor.close_step();
            if let Some((_, file)) = editor.text_id().split_once('\n') {
                self.app.text_steps.retry(file);
            }
        });
    }

    /// Forgets the refused text of a file, and restores the session's text if it is in view.
    pub(super) fn discard(self, file: &str) {
        self.app.text_steps.discard_refused(file);
        let view = self.app.store.source.text.get_untracked();
        if let Some(view) = view.filter(|view| view.file == file)
            && let Some(editor) = self.editor.get_value()
        {
            let caret = editor.caret.get_untracked();
            editor.open(&piece(&view, caret.line));
            self.go_to_far(caret);
        }
    }
}

fn editor_suggestion(suggestion: completion::suggestions::Suggestion) -> Suggestion {
    Suggestion {
        label: suggestion.label,
        insert: suggestion.insert,
        detail: suggestion.detail,
    }
}

fn names_of(view: &protocol::response::PackageView) -> Names {
    Names {
        package: view.package.clone(),
        bundles: view
            .bundles
            .iter()
            .map(|(name, version)| BundleName {
                name: name.clone(),
                version: version.clone(),
            })
            .collect(),
        channels: view.channels.clone(),
        entries: view
            .table
            .iter()
            .map(|row| EntryName {
                channel: row.channel.clone(),
                name: row.entry.clone(),
            })
            .collect(),
    }
}

/// Returns the part of a view that the editor shows: of very long text only the lines around
/// `line`.
pub fn piece(view: &SourceView, line: u32) -> Piece {
    let mut lines = lines(view);
    lines.limit(line, MAX_CHARACTERS);
    Piece {
        text_id: format!("{}\n{}", view.root, view.file),
        lines,
        total: view.total_lines,
        marks: marks(&view.problems),
        changed: view.changed_lines.clone(),
        breaks: end(view.breaks),
        locked: view.locked.clone(),
    }
}

pub fn lines(view: &SourceView) -> Lines {
    Lines {
        first: view.first,
        lines: view.lines.iter().map(line).collect(),
        has_mark: view.has_mark,
    }
}

pub fn marks(problems: &[LineMark]) -> Vec<Mark> {
    let mark = |problem: &LineMark| Mark {
        tone: tone(problem.severity),
        message: problem.message.replace('`', ""),
        line: problem.location.line,
        column: problem.location.column,
        end_line: problem.location.end_line,
        end_column: problem.location.end_column,
    };
    problems.iter().map(mark).collect()
}

/// Counts the problems of a file, e.g. `2 errors · 1 warning`; "" if there are none.
pub fn count_problems(problems: &[Diagnostic], file: &str) -> String {
    let number = |severity: Severity| {
        problems
            .iter()
            .filter(|problem| problem.location.file == file && problem.severity == severity)
            .count() as u32
    };
    let counts = [
        (number(Severity::Error), "error"),
        (number(Severity::Warning), "warning"),
        (number(Severity::Info), "note"),
    ];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, one)| words::count(*count, one))
        .collect();
    parts.join(" · ")
}

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Error => Tone::Error,
        Severity::Warning => Tone::Warning,
        Severity::Info => Tone::Note,
    }
}

fn line(line: &SourceLine) -> TextLine {
    let rest = if line.hidden > 0 {
        format!(" … {} more, not shown", words::bytes(line.hidden))
    } else {
        String::new()
    };
    TextLine {
        text: line.text.clone(),
        end: end(line.end),
        rest,
    }
}

fn end(end: LineEnd) -> End {
    match end {
        LineEnd::None => End::None,
        LineEnd::Lf => End::Lf,
        LineEnd::CrLf => End::CrLf,
    }
}

/// Whether a file is a `ci.yaml` or `release-config.yaml`.
pub fn is_configuration(file: &str) -> bool {
    matches!(
        file.rsplit('/').next(),
        Some("ci.yaml" | "release-config.yaml")
    )
}

/// Returns suggestions at a position of such a file of an operator, in a repository with these
/// catalogs.
pub fn repository_suggestions(
    context: &CursorContext,
    view: &OperatorView,
    catalogs: &[String],
) -> Vec<Suggestion> {
    let choice = |name: &str, detail: &str| Suggestion {
        label: name.to_owned(),
        insert: name.to_owned(),
        detail: detail.to_owned(),
    };
    let templates = view.templates.iter().filter(|template| {
        let template_name = context
            .around
            .iter()
            .flatten()
            .find(|field| field.key == "template_name");
        template_name.is_none_or(|field| field.value == template.template)
    });
    let names = |names: Vec<&String>, detail: &str| {
        let mut seen = HashSet::new();
        let distinct = names.into_iter().filter(|name| seen.insert(*name));
        distinct
            .map(|name| choice(name, detail))
            .collect::<Vec<_>>()
    };
    let entries = || {
        names(
            templates
                .clone()
                .flat_map(|template| &template.entries)
                .collect(),
            "entry",
        )
    };
    let channels = || {
        names(
            templates
                .clone()
                .flat_map(|template| &template.channels)
                .collect(),
            "channel",
        )
    };
    let list = context
        .path
        .rsplit('.')
        .find(|key| *key != "[]")
        .unwrap_or_default();
    match &context.part {
        CursorPart::Value(key) if key == "template_name" => view
            .templates
            .iter()
            .map(|template| choice(&template.template, &template.kind))
            .collect(),
        CursorPart::Value(key) if key == "type" => {
            TYPES.iter().map(|kind| choice(kind, "")).collect()
        }
        CursorPart::Value(key) if key == "version_promotion_strategy" => STRATEGIES
            .iter()
            .map(|strategy| choice(strategy, ""))
            .collect(),
        CursorPart::Value(key) if key == "replaces" => entries(),
        CursorPart::Item if list == "skips" => entries(),
        CursorPart::Value(key) if key == "defaultChannel" => channels(),
        CursorPart::Item if list == "channels" => channels(),
        CursorPart::Item if list == "catalog_names" => names(catalogs.iter().collect(), "catalog"),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use completion::cursor_context::at;
    use protocol::diagnostic::Location;
    use protocol::repository::TemplateOffer;
    #[test]
    fn a_source_view_becomes_a_piece_of_text() {
        let view = SourceView {
            root: "c".into(),
            file: "f".into(),
            first: 7,
            lines: vec![SourceLine {
                text: "a".into(),
                end: LineEnd::CrLf,
                hidden: 2_000,
            }],
            total_lines: 9,
            breaks: LineEnd::CrLf,
            problems: vec![LineMark {
                severity: Severity::Warning,
                rule: "r".into(),
                message: "`a` is wrong".into(),
                location: Location {
                    line: 7,
                    end_line: 7,
                    column: 1,
                    end_column: 2,
                    ..Location::default()
                },
            }],
            ..SourceView::default()
        };
        let piece = piece(&view, 7);
        assert_eq!(
            (piece.total, piece.breaks, piece.lines.value().as_str()),
            (9, End::CrLf, "a … 2 kB more, not shown")
        );
        assert_eq!(
            (piece.marks[0].tone, piece.marks[0].message.as_str()),
            (Tone::Warning, "a is wrong")
        );
    }

    fn labels(text: &str) -> Vec<String> {
        let template = |name: &str, channels: &[&str]| TemplateOffer {
            template: name.to_owned(),
            channels: channels.iter().map(|name| (*name).to_owned()).collect(),
            entries: vec!["o.v1".to_owned()],
            ..TemplateOffer::default()
        };
        let view = OperatorView {
            templates: vec![
                template("basic.yaml", &["stable"]),
                template("old.yaml", &["alpha"]),
            ],
            ..OperatorView::default()
        };
        let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let column = lines.last().map_or(0, |line| line.chars().count() as u32) + 1;
        let context = at(&lines, &[], column);
        repository_suggestions(&context, &view, &["v4.18".to_owned()])
            .into_iter()
            .map(|suggestion| suggestion.label)
            .collect()
    }

    #[test]
    fn names_of_the_repository_are_offered() {
        let head = "catalog_templates:\n  - template_name: ";
        assert_eq!(labels(head), ["basic.yaml", "old.yaml"]);
        assert_eq!(labels(&format!("{head}old.yaml\n    replaces: ")), ["o.v1"]);
        assert_eq!(
            labels("fbc:\n  catalog_mapping:\n    - catalog_names:\n        - "),
            ["v4.18"]
        );
        assert_eq!(labels("fbc:\n  version_promotion_strategy: "), STRATEGIES);
        assert!(is_configuration("/r/operators/o/ci.yaml") && !is_configuration("catalog.yaml"));
    }
}

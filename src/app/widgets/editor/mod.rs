//! A text editor for long texts: one native text control holds some thousand lines around the
//! caret, the others are drawn only when they are in view. So selection, clipboard, input methods
//! and screen readers are the browser's own, and a text of any length opens at once.
//!
//! | key | does |
//! |---|---|
//! | Tab, Shift+Tab | indents and outdents the selected lines |
//! | Escape, then Tab | leaves the editor |
//! | Ctrl+Space | suggestions; Down, Up move, Enter or Tab takes one, Escape closes |
//! | Ctrl+F, Ctrl+G | finds; goes to a line |
//! | Ctrl+Z, Ctrl+Shift+Z | undo and redo, handled by the owner |
//! | F1 | help for the text at the caret |
//!
//! The [`Owner`] supplies the text, its meaning, and applies changes.

pub mod columns;
mod draw;
pub mod find;
mod geometry;
mod input;
mod lists;
pub mod marks;
mod state;
mod syntax;
pub mod text;
pub mod typing;

pub use draw::TextEditor;
pub use lists::{Completions, Suggestion};
pub use state::{Editor, Owner, Piece};

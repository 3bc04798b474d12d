//! The names that nearly every component uses: Leptos, the context, and the most common widgets.

pub(crate) use crate::context::{AppContext, app_context, debounced_query};
pub(crate) use crate::reactive::{derived, effect, memo, spawn_local};
pub(crate) use crate::widgets::buttons::{Button, IconButton, Look, Press};
pub(crate) use crate::widgets::icon::{Glyph, Icon};
pub(crate) use crate::widgets::short_text::in_code;
pub(crate) use crate::widgets::{announce, dom};
pub(crate) use crate::words;
pub(crate) use leptos::html;
pub(crate) use leptos::prelude::*;

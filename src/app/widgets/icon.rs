//! Line icons on a 16 by 16 grid. They are decoration: the name is always text beside them or on
//! their button.

use leptos::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Icon {
    Brand,
    Check,
    ChevronDown,
    ChevronLeft,
    ChevronRight,
    ChevronUp,
    Close,
    Copy,
    Download,
    Error,
    Folder,
    Grip,
    Help,
    Info,
    Moon,
    Redo,
    Search,
    Sun,
    System,
    Undo,
    Warning,
}

impl Icon {
    fn path(self) -> &'static str {
        match self {
            Icon::Brand => "M1 12.5h14M1 12.5h3.5c4 0 4-7.5 8-7.5H15M11 8.7a1.3 1.3 0 1 0 0-.1",
            Icon::Check => "M3 8.5l3.2 3.2L13 4.8",
            Icon::ChevronDown => "M4 6l4 4 4-4",
            Icon::ChevronLeft => "M10 4L6 8l4 4",
            Icon::ChevronRight => "M6 4l4 4-4 4",
            Icon::ChevronUp => "M4 10l4-4 4 4",
            Icon::Close => "M4 4l8 8M12 4l-8 8",
            Icon::Copy => "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
            Icon::Download => "M8 2.5v7.5M4.8 7L8 10.2 11.2 7M2.5 13.5h11",
            Icon::Error => {
                "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M5.9 5.9l4.2 4.2M10.1 5.9l-4.2 4.2"
            }
            Icon::Folder => "M1.5 12.5v-9h4.7l1.5 2h6.8v7z",
            Icon::Grip => "M6 4v.1M10 4v.1M6 8v.1M10 8v.1M6 12v.1M10 12v.1",
            Icon::Help => {
                "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.8.6-.8 1.2M8 11.3v.1"
            }
            Icon::Info => "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M8 7.4v3.8M8 4.8v.1",
            Icon::Moon => "M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1z",
            Icon::Redo => "M10.5 2.8l3 3-3 3M13.2 5.8H6.5a3.7 3.7 0 0 0 0 7.4H9",
            Icon::Search => "M7 2.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6M10.5 10.5l3.7 3.7",
            Icon::Sun => {
                "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1v1.4M8 13.6V15M1 8h1.4M13.6 8H15\
                 M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1"
            }
            Icon::System => "M2 2.8h12v8H2zM5.5 13.5h5M8 10.8v2.7",
            Icon::Undo => "M5.5 2.8l-3 3 3 3M2.8 5.8h6.7a3.7 3.7 0 0 1 0 7.4H7",
            Icon::Warning => "M8 2.2L1.6 13.4h12.8zM8 6.6v3.2M8 11.6v.1",
        }
    }
}

/// Draws an icon in the color of the text around it.
#[component]
pub fn Glyph(#[prop(into)] icon: Signal<Icon>) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d=move || icon.get().path()></path>
        </svg>
    }
}

//! Plain data that all crates share: operations, diagnostics, and the messages between page and
//! worker. Behavior is limited to texts and encoding; must not know its users.
//!
//! Page and worker are from one build, so messages travel as postcard bytes without field names;
//! nothing here may need a self-describing format (no `flatten`, `untagged`, `skip`). Tagged types
//! (operations, diagnostics) travel as JSON text inside [`Json`]. Every request has an id. An
//! answer carries that id and the session revision that it was made from, so that the page can drop
//! stale answers.

/// The `opm` version whose verdicts and messages we reproduce.
pub const MATCHED_OPM: &str = "v1.74.0";

/// Defines an enum whose variants have a text, and the method that returns it. With `const ALL`
/// also the array of all variants.
#[macro_export]
macro_rules! enum_with_text {
    (
        $(#[$method_attribute:meta])*
        $method_vis:vis fn $method:ident;
        $all_vis:vis const ALL;
        $(#[$attribute:meta])*
        $vis:vis enum $name:ident {
            $($(#[$variant_attribute:meta])* $variant:ident = $text:literal,)*
        }
    ) => {
        $crate::enum_with_text! {
            $(#[$method_attribute])*
            $method_vis fn $method;
            $(#[$attribute])*
            $vis enum $name {
                $($(#[$variant_attribute])* $variant = $text,)*
            }
        }

        impl $name {
            $all_vis const ALL: [Self; [$($text),*].len()] = [$(Self::$variant),*];
        }
    };
    (
        $(#[$method_attribute:meta])*
        $method_vis:vis fn $method:ident;
        $(#[$attribute:meta])*
        $vis:vis enum $name:ident {
            $($(#[$variant_attribute:meta])* $variant:ident = $text:literal,)*
        }
    ) => {
        $(#[$attribute])*
        $vis enum $name {
            $($(#[$variant_attribute])* $variant,)*
        }

        impl $name {
            $(#[$method_attribute])*
            $method_vis const fn $method(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

pub mod bundles;
pub mod counting;
pub mod destination;
pub mod diagnostic;
pub mod disk_check;
pub mod inspection;
pub mod judgement;
pub mod lanes;
pub mod manifests;
pub mod operation;
pub mod query;
pub mod repository;
pub mod request;
pub mod response;
pub mod subset;
pub mod templates;
pub mod upgrades;
pub mod views;
pub mod wire;
pub mod words;

pub use query::{Handle, HandleWithFiles, Query};
pub use wire::Json;

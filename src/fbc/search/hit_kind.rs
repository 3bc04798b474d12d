//! The kinds of search results.

/// Kinds in the order of equally good results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HitKind {
    Package,
    Channel,
    Bundle,
    /// A name that a channel lists without a bundle.
    Entry,
    Version,
    DisplayName,
    ProvidedApi,
    RequiredApi,
    PropertyType,
    Image,
    Problem,
}

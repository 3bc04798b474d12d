//! What names and problems are found as.

/// What was found. In the order in which equally good results stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HitKind {
    Package,
    Channel,
    Bundle,
    /// A name that a channel lists and that no bundle has.
    Entry,
    Version,
    DisplayName,
    ProvidedApi,
    RequiredApi,
    PropertyType,
    Image,
    Problem,
}

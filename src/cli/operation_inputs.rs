//! What the operations of `switchyard edit` take from the disk and from the catalog that they are for.

use std::path::Path;

/// What an operation takes from outside of its words.
pub(super) trait OperationInputs {
    type Error;

    /// The name of the package where no operation can mean another one.
    fn only_package(&self) -> Result<String, Self::Error>;

    /// What stands at a place (`LINE:COLUMN-LINE:COLUMN`) of a file of the catalog.
    fn text_at(&self, file: &str, at: &str) -> Result<String, Self::Error>;

    /// An image file as an icon in base64.
    fn icon(&self, file: &Path) -> Result<String, Self::Error>;

    /// The text of a file.
    fn text(&self, file: &Path) -> Result<String, Self::Error>;

    /// The bundles that a bundle directory, an archive or a file of blobs holds, as a catalog has them.
    fn bundles(
        &self,
        from: &Path,
        image: Option<&str>,
    ) -> Result<Vec<serde_json::Value>, Self::Error>;

    /// Whether the operations are for a semver template, whose edges follow from versions.
    fn is_semver_template(&self) -> bool;

    /// What is missing is told.
    fn missing(&self, message: String) -> Self::Error;
}

//! What commands read: catalogs, templates, repositories, manifests and settings.

pub(crate) mod bundle_files;
pub(crate) mod changed_since;
pub(crate) mod config_file;
pub(crate) mod disk;
pub(crate) mod manifest_files;
pub(crate) mod repository_files;
pub(crate) mod templates;
pub(crate) mod upgrade_question;
pub(crate) mod walk;

//! What commands read: catalogs, templates, repositories, manifests and settings.

pub(crate) mod bundle_files;
pub(crate) mod changed_since;
pub(crate) mod config_file;
pub(crate) mod disk;
pub(crate) mod manifest_file;
pub(crate) mod mapped_catalogs;
pub(crate) mod nearby_templates;
pub(crate) mod rendered_catalog;
pub(crate) mod repository_files;
pub(crate) mod standard_input;
pub(crate) mod template_bundles;
pub(crate) mod upgrade_question;
pub(crate) mod walk;

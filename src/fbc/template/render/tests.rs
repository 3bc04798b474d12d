//! Small templates and catalogs.

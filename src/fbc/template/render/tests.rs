//! Small templates over small catalogs.

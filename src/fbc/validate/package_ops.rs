//! The operations of fixes, on one package of the catalog under validation.

use protocol::operation::{DanglingEdges, EditOp};

/// Makes operations on a package.
#[derive(Clone, Copy)]
pub(super) struct PackageOps<'a> {
    package: &'a str,
}

impl<'a> PackageOps<'a> {
    pub(super) fn new(package: &'a str) -> Self {
        Self { package }
    }

    pub(super) fn set_default_channel(self, channel: &str) -> EditOp {
        EditOp::SetDefaultChannel {
            catalog: None,
            package: self.package.to_owned(),
            channel: channel.to_owned(),
        }
    }

    pub(super) fn set_replaces(
        self,
        channel: &str,
        name: &str,
        replaces: Option<String>,
    ) -> EditOp {
        EditOp::SetReplaces {
            catalog: None,
            package: self.package.to_owned(),
            channel: channel.to_owned(),
            name: name.to_owned(),
            replaces,
        }
    }

    pub(super) fn add_skip(self, channel: &str, name: &str, skip: Vec<String>) -> EditOp {
        EditOp::AddSkip {
            catalog: None,
            package: self.package.to_owned(),
            channel: channel.to_owned(),
            name: name.to_owned(),
            skip,
            skip_matching: None,
        }
    }

    pub(super) fn remove_skip(self, channel: &str, name: &str, skip: Vec<String>) -> EditOp {
        EditOp::RemoveSkip {
            catalog: None,
            package: self.package.to_owned(),
            channel: channel.to_owned(),
            name: name.to_owned(),
            skip,
            skip_matching: None,
        }
    }

    pub(super) fn set_skip_range(
        self,
        channel: &str,
        name: &str,
        skip_range: Option<String>,
    ) -> EditOp {
        EditOp::SetSkipRange {
            catalog: None,
            package: self.package.to_owned(),
            channel: channel.to_owned(),
            name: name.to_owned(),
            skip_range,
        }
    }

    /// Entries above are linked to those below.
    pub(super) fn remove_entry(self, channel: &str, name: &str) -> EditOp {
        EditOp::RemoveEntry {
            catalog: None,
            package: self.package.to_owned(),
            channel: channel.to_owned(),
            name: name.to_owned(),
            then: DanglingEdges::Relink,
        }
    }

    pub(super) fn undeprecate_bundle(self, bundle: &str) -> EditOp {
        EditOp::Undeprecate {
            catalog: None,
            package: self.package.to_owned(),
            channel: None,
            bundle: Some(bundle.to_owned()),
        }
    }

    pub(super) fn undeprecate_channel(self, channel: &str) -> EditOp {
        EditOp::Undeprecate {
            catalog: None,
            package: self.package.to_owned(),
            channel: Some(channel.to_owned()),
            bundle: None,
        }
    }
}

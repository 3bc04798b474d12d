//! Redirects an operation on a rendered catalog to its template.
//!
//! A rendered catalog is never edited itself. [`super::template_updates`] makes the change in the template, and refuses what
//! the template cannot express; for a semver template [`super::semver_updates`] does.

use super::{Refused, Workspace};
use crate::roots::name_of;
use protocol::operation::EditOp;
use std::borrow::Cow;

impl Workspace {
    /// The operation for the template, where it names a rendered catalog; any other is returned unchanged.
    ///
    /// # Errors It is about the text that is rendered.
    pub(super) fn redirect_to_template<'o>(
        &self,
        op: &'o EditOp,
    ) -> Result<Cow<'o, EditOp>, Refused> {
        let Some(name) = op.catalog().filter(|name| !self.is_outside(Some(name))) else {
            return Ok(Cow::Borrowed(op));
        };
        let root = &self.roots[self.root_position(Some(name))?];
        let Some(rendering) = root.rendering() else {
            return Ok(Cow::Borrowed(op));
        };
        let template = &rendering.template;
        if let EditOp::ReplaceText { file, .. } = op
            && file != name_of(template)
        {
            return Err(Refused::new(format!(
                "`{file}` is rendered, so its text cannot be edited"
            ))
            .help(format!("edit `{template}`, which it is rendered from")));
        }
        let mut op = op.clone();
        *op.catalog_mut() = Some(template.clone());
        Ok(Cow::Owned(op))
    }
}

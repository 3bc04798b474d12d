//! An operation on a rendered catalog, said in its template.
//!
//! What is rendered is never edited. A template that holds entries takes the same operations; whether one can be said there,
//! and what to do otherwise, is [`super::template_updates`]'s to tell.

use super::{Refused, Workspace};
use crate::roots::name_of;
use protocol::operation::EditOp;
use std::borrow::Cow;

impl Workspace {
    /// The operation for the template, where it names a rendered catalog; any other is returned unchanged.
    ///
    /// # Errors It is about the text that is rendered.
    pub(super) fn in_template<'o>(&self, op: &'o EditOp) -> Result<Cow<'o, EditOp>, Refused> {
        let Some(name) = op.catalog().filter(|name| !self.is_outside(Some(name))) else { return Ok(Cow::Borrowed(op)) };
        let root = &self.roots[self.root_position(Some(name))?];
        let Some(rendering) = root.rendering() else { return Ok(Cow::Borrowed(op)) };
        let template = &rendering.template;
        if let EditOp::ReplaceText { file, .. } = op
            && file != name_of(template)
        {
            return Err(Refused::new(format!("`{file}` is rendered, so its text cannot be edited"))
                .help(format!("edit `{template}`, from which it is made")));
        }
        let mut op = op.clone();
        *op.catalog_mut() = Some(template.clone());
        Ok(Cow::Owned(op))
    }
}

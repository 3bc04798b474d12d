//! Redirects operations on a rendered catalog to its template.
//!
//! A rendered catalog is never edited. [`super::template_updates`] changes the template and refuses
//! what it cannot express; [`super::semver_updates`] does so for a semver template.

use super::{Planner, Refused};
use catalog::roots::name_of;
use protocol::operation::EditOp;
use std::borrow::Cow;

impl Planner<'_> {
    /// Redirects an operation on a rendered catalog to its template; others are returned unchanged.
    ///
    /// # Errors
    ///
    /// If it edits the rendered text.
    pub(super) fn redirect_to_template<'o>(
        &self,
        op: &'o EditOp,
    ) -> Result<Cow<'o, EditOp>, Refused> {
        let Some(name) = op
            .catalog()
            .filter(|name| !self.session.is_outside(Some(name)))
        else {
            return Ok(Cow::Borrowed(op));
        };
        let root = &self.session.roots[self.session.root_position(Some(name))?];
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

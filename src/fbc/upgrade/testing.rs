//! Packages for tests of upgrades.

pub(crate) use crate::testing::{any_package_text as any_package, package, spanned};

use crate::model::Located;

pub(crate) fn located<T>(data: T) -> Located<T> {
    crate::testing::located(2, 0, data)
}

//! Everything that is tested from outside the library, in one binary.

mod upgrade_oracle;

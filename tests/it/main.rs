//! Everything that is tested from outside the library, in one binary.

mod graph_corpus;
mod lowering;
mod tidy;
mod upgrade_oracle;

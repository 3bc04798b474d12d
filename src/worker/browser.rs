//! The worker in a browser: carries messages and reads files. The worker's name selects its role (host or indexer).

mod blobs;
mod channel;
mod files_being_read;
mod indexer;
mod list_files;
mod load;
mod read;
mod read_ahead;
mod scope;
mod source;

pub use scope::main;

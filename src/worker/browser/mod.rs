//! The worker in a browser: messages in and out, files read. What it is to be (host or indexer) its name says.

mod blobs;
mod channel;
mod foresee;
mod indexer;
mod load;
mod read;
mod scope;
mod source;
mod warm;

pub use scope::main;

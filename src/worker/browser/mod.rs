//! The worker in a browser: messages in and out, files read. What it is to be (host or indexer) its name says.

mod blobs;
mod channel;
mod indexer;
mod load;
mod prefetch;
mod read;
mod run_warmup;
mod scope;
mod source;

pub use scope::main;

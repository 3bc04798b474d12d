//! Tests of editing as a whole: cases written down, and laws over generated, real and damaged blobs.

mod laws;
mod scenarios;

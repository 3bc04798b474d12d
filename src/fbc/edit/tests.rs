//! Tests of editing as a whole: cases written down. The laws are in `tests/laws`.

mod scenarios;

//! Fuzzes the laws of `tests/laws/index_ignore.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| switchyard_fuzz::laws::index_ignore::hold(data));

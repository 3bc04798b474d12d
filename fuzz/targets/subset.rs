//! Fuzzes the laws of `tests/laws/subset.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| switchyard_fuzz::laws::subset::hold(data));

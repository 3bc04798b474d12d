//! Fuzzes the laws of `tests/laws/load.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| switchyard_fuzz::laws::load::hold(data));

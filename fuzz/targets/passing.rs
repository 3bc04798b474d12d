//! Fuzzes the laws of `tests/laws/passing.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| switchyard_fuzz::laws::passing::hold(data));

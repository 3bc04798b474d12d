//! Fuzzes the laws of `tests/laws/operations.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| switchyard_fuzz::laws::operations::hold(data));

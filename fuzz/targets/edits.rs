//! Fuzzes the laws of `tests/laws/edits.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| switchyard_fuzz::laws::edits::hold(data));

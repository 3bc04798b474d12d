//! Fuzzes the laws of `tests/laws/json.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| switchyard_fuzz::laws::json::hold(data));

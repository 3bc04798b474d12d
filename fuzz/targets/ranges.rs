//! Fuzzes the laws of `tests/laws/ranges.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| switchyard_fuzz::laws::ranges::hold(data));

//! Fuzzes the laws of `tests/laws/yaml.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| switchyard_fuzz::laws::yaml::hold(data));

//! End-to-end tests of editing with example cases. The property tests are in `tests/laws`.

mod scenarios;

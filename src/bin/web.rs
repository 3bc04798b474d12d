//! The page and its workers are one wasm, so that they are never of two builds: it looks where it runs.

fn main() {
    if switchyard::app::browser::in_page() {
        switchyard::app::main();
    } else {
        switchyard::worker::browser::main();
    }
}

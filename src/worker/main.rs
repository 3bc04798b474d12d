//! The program of the page's workers.

fn main() {
    worker::browser::main();
}

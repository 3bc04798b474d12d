//! The program of the page.

fn main() {
    app::main();
}

//! The page's program.

fn main() {
    app::main();
}

//! Lets the linker keep what splitting the page's program needs.

fn main() {
    if std::env::var("TARGET").is_ok_and(|target| target.starts_with("wasm32")) {
        println!("cargo::rustc-link-arg-bin=page=--emit-relocs");
    }
    println!("cargo::rerun-if-changed=build.rs");
}

//! Builds nothing. Cargo accepts the key `links` of this crate's manifest only beside a build script.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}

//! Refuses targets other than Linux. Cargo also accepts the key `links` of this crate's manifest only beside a build
//! script.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // A `compile_error!` in the library would stand among the errors of every system call that is missing.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system != "linux") {
        println!(
            "cargo::error=cuda-ipc supports Linux only, because it shares descriptors over Unix sockets; cuda-ipc-sys \
             also supports Windows"
        );
    }
}

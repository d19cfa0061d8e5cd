//! Guides: one page a task.
//!
//! | to | page |
//! |---|---|
//! | share memory with another process | [`buffer`] |
//! | share many buffers that come and go | [`pool`] |
//! | share a part of an allocation | [`parts`] |
//! | have one process's work wait for another's | [`ordering`] |
//! | share from one GPU to another | [`gpus`] |
//! | share between containers | [`containers`] |
//! | free what others have open | [`lifetimes`] |
//! | know what cannot be done | [`limits`] |
//! | know why the safe functions are safe | [`safety`] |
//!
//! Times are of H200s with driver 580.159.04 and CUDA 13.0 in a virtual machine, measured in C with no layer between.
//! They differ between machines by up to 2.

/// Each page is a file of its own, which reads as well beside the sources.
macro_rules! pages {
    ($($name:ident: $path:literal;)*) => {$(
        pub mod $name {
            #![doc = include_str!($path)]
        }
    )*};
}

pages! {
    buffer: "../../guide/buffer.md";
    pool: "../../guide/pool.md";
    parts: "../../guide/parts.md";
    ordering: "../../guide/ordering.md";
    gpus: "../../guide/gpus.md";
    containers: "../../guide/containers.md";
    lifetimes: "../../guide/lifetimes.md";
    limits: "../../guide/limits.md";
    safety: "../../SAFETY.md";
}

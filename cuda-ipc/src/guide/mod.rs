//! Guides: one page per task.
//!
//! | to | page |
//! |---|---|
//! | share memory with another process | [`buffer`] |
//! | serve many clients, and survive restarts | [`server`] |
//! | share many buffers that come and go | [`pool`] |
//! | share a part of an allocation | [`parts`] |
//! | make one process's work wait for another's | [`ordering`] |
//! | send messages from one process to another | [`ring`](crate::ring), which is a module |
//! | share from one GPU to another | [`gpus`] |
//! | share between containers | [`containers`] |
//! | free memory that others have open | [`lifetimes`] |
//! | use cudarc, PyTorch, C code or tokio in the same process | [`beside`] |
//! | know what cannot be done | [`limits`] |
//! | know why the safe functions are safe | [`safety`] |
//!
//! Times were measured on H200s with driver 580.159.04 and CUDA 13.0, in a virtual machine, by C programs without this
//! crate. They differ between machines by up to a factor of two.

/// Makes each page a module whose text is a file of its own, which can also be read in the repository.
macro_rules! pages {
    ($($name:ident: $path:literal;)*) => {$(
        pub mod $name {
            #![doc = include_str!($path)]
        }
    )*};
}

pages! {
    buffer: "../../guide/buffer.md";
    server: "../../guide/server.md";
    pool: "../../guide/pool.md";
    parts: "../../guide/parts.md";
    ordering: "../../guide/ordering.md";
    gpus: "../../guide/gpus.md";
    containers: "../../guide/containers.md";
    lifetimes: "../../guide/lifetimes.md";
    beside: "../../guide/beside.md";
    limits: "../../guide/limits.md";
    safety: "../../SAFETY.md";
}

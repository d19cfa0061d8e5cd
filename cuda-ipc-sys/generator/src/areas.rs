//! The files of the lists, as a part of this program: the feature `bindgen` of cuda-ipc-sys has no other copy.

/// A file of a list.
pub(crate) struct File {
    /// The area: the file's name without its ending.
    pub(crate) area: &'static str,
    /// The path below this package's folder.
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
}

/// Lists files of a folder, with their contents.
macro_rules! areas {
    ($folder:literal: $($area:ident)*) => {
        &[$(File {
            area: stringify!($area),
            path: concat!($folder, "/", stringify!($area), ".toml"),
            text: include_str!(concat!("../", $folder, "/", stringify!($area), ".toml")),
        }),*]
    };
}

/// The files of the driver's functions, in the order of the table.
pub(crate) const DRIVER: &[File] = areas!("functions":
    version device peer context green_context execution module library log diagnostics profiler stream
    stream_memory event ipc memory array copy memset unified virtual_memory multicast pool external fabric_copy
    logical_endpoint graph graph_exec graph_node graph_node_add graphics occupancy superseded tensor_map
    texture texture_reference
);

/// The files of the runtime's functions, in the order of the table.
pub(crate) const RUNTIME: &[File] = areas!("runtime":
    version device peer context execution library log stream event ipc memory array copy pool external graph
    graph_exec graph_node graph_parameters occupancy texture
);

/// The files of the types' documentation.
pub(crate) const TYPES: &[File] = areas!("types":
    context device error event external graph ipc launch memory module pool runtime_device runtime_error
    runtime_graph runtime_ipc runtime_memory runtime_stream runtime_texture stream texture virtual_memory
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_lists_is_read() {
        for (folder, list) in [("functions", DRIVER), ("runtime", RUNTIME), ("types", TYPES)] {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            let mut files: Vec<_> = std::fs::read_dir(path)
                .expect("the folder is there")
                .map(|file| format!("{folder}/{}", file.expect("a file").file_name().to_string_lossy()))
                .collect();
            files.sort();
            let mut read: Vec<_> = list.iter().map(|file| file.path.to_owned()).collect();
            read.sort();
            assert_eq!(read, files);
        }
    }
}

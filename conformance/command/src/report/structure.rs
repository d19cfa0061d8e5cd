//! The types of CUDA that a program declares, and structures as initialisers.

/// What the program declares for a type that is no structure.
pub(crate) fn is_object(kind: &str) -> bool {
    matches!(
        kind,
        "CUcontext"
            | "CUstream"
            | "CUevent"
            | "CUmemoryPool"
            | "CUgraph"
            | "CUgraphExec"
            | "CUgraphNode"
            | "CUmodule"
            | "CUfunction"
            | "CUlogsCallbackHandle"
    )
}

/// Returns the declaration of a type; `None` for a type of C.
pub(crate) fn declaration(kind: &str) -> Option<String> {
    const LOCATION: &str = "typedef struct { unsigned type; int id; } CUmemLocation;";
    Some(match kind {
        "CUdeviceptr" | "CUmemGenericAllocationHandle" | "cuuint64_t" => format!("typedef unsigned long long {kind};"),
        "CUdevice" => "typedef int CUdevice;".to_owned(),
        "CUipcMemHandle" | "CUipcEventHandle" | "CUmemPoolPtrExportData" | "CUmemFabricHandle" => {
            format!("typedef struct {{ unsigned char bytes[64]; }} {kind};")
        }
        "CUuuid" => "typedef struct { unsigned char bytes[16]; } CUuuid;".to_owned(),
        "CUlaunchAttribute" => "typedef struct {\n    unsigned id;\n    char padding[4];\n    \
             union { char bytes[64]; struct { CUevent event; int flags, trigger; } event; } value;\n} CUlaunchAttribute;"
            .to_owned(),
        "CUlaunchConfig" => "typedef struct {\n    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;\n    \
             CUstream hStream;\n    CUlaunchAttribute *attrs;\n    unsigned numAttrs;\n} CUlaunchConfig;"
            .to_owned(),
        "CUlogsCallback" => "typedef void (*CUlogsCallback)(void *, CUlogLevel, char *, size_t);".to_owned(),
        "CUmemLocation" => LOCATION.to_owned(),
        "CUmemAccessDesc" => "typedef struct { CUmemLocation location; unsigned flags; } CUmemAccessDesc;".to_owned(),
        "CUmemAllocationProp" => {
            "typedef struct {\n    unsigned type, requestedHandleTypes;\n    CUmemLocation location;\n    \
             void *win32HandleMetaData;\n    unsigned char compressionType, gpuDirectRDMACapable;\n    \
             unsigned short usage;\n    unsigned char reserved[4];\n} CUmemAllocationProp;"
                .to_owned()
        }
        "CUmemPoolProps" => "typedef struct {\n    unsigned allocType, handleTypes;\n    CUmemLocation location;\n    \
             void *win32SecurityAttributes;\n    size_t maxSize;\n    unsigned short usage;\n    \
             unsigned char reserved[54];\n} CUmemPoolProps;"
            .to_owned(),
        "CUmulticastObjectProp" => "typedef struct {\n    unsigned numDevices;\n    size_t size;\n    \
             unsigned long long handleTypes, flags;\n} CUmulticastObjectProp;"
            .to_owned(),
        "CUDA_MEMCPY2D" => {
            let side = |side: &str, constant: &str| {
                format!(
                    "    size_t {side}XInBytes, {side}Y;\n    unsigned {side}MemoryType;\n    {constant}void *{side}Host;\n    \
                     CUdeviceptr {side}Device;\n    void *{side}Array;\n    size_t {side}Pitch;\n"
                )
            };
            let sides = side("src", "const ") + &side("dst", "");
            format!("typedef struct {{\n{sides}    size_t WidthInBytes, Height;\n}} CUDA_MEMCPY2D;")
        }
        "CUDA_MEM_ALLOC_NODE_PARAMS" => {
            "typedef struct {\n    CUmemPoolProps poolProps;\n    const void *accessDescs;\n    \
             size_t accessDescCount, bytesize;\n    CUdeviceptr dptr;\n} CUDA_MEM_ALLOC_NODE_PARAMS;"
                .to_owned()
        }
        _ if is_object(kind) => format!("typedef void *{kind};"),
        _ if kind.starts_with("CU") || kind == "cuuint32_t" => format!("typedef unsigned {kind};"),
        _ => return None,
    })
}

/// Returns the types that the declaration of a type needs.
pub(crate) fn parts(kind: &str) -> &'static [&'static str] {
    match kind {
        "CUmemAccessDesc" | "CUmemAllocationProp" | "CUmemPoolProps" => &["CUmemLocation"],
        "CUlogsCallback" => &["CUlogLevel"],
        "CUlaunchAttribute" => &["CUevent"],
        "CUlaunchConfig" => &["CUstream", "CUevent", "CUlaunchAttribute"],
        "CUDA_MEMCPY2D" => &["CUdeviceptr"],
        "CUDA_MEM_ALLOC_NODE_PARAMS" => &["CUmemLocation", "CUmemPoolProps", "CUdeviceptr"],
        _ => &[],
    }
}

fn word(bytes: &[u8], place: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[place..place + 4]);
    u32::from_le_bytes(word)
}

pub(super) fn long(bytes: &[u8], place: usize) -> u64 {
    u64::from(word(bytes, place)) | u64::from(word(bytes, place + 4)) << 32
}

fn location(bytes: &[u8]) -> String {
    format!("{{ {}, {} }}", word(bytes, 0), word(bytes, 4).cast_signed())
}

/// Writes a structure as an initialiser: `{ .type = 1 }`. `None` for an unknown type.
pub(crate) fn initialiser(kind: &str, bytes: &[u8]) -> Option<String> {
    let nonzero = |name: &str, value: u64| (value != 0).then(|| format!("{name} = {value}"));
    let joined = |fields: Vec<Option<String>>| {
        let fields: Vec<_> = fields.into_iter().flatten().collect();
        format!("{{ {} }}", if fields.is_empty() { "0".to_owned() } else { fields.join(", ") })
    };
    Some(match kind {
        "CUmemLocation" if bytes.len() == 8 => location(bytes),
        "CUmemAccessDesc" if bytes.len() == 12 => format!("{{ {}, {} }}", location(bytes), word(bytes, 8)),
        "CUmemAllocationProp" if bytes.len() == 32 => joined(vec![
            Some(format!(".type = {}", word(bytes, 0))),
            nonzero(".requestedHandleTypes", word(bytes, 4).into()),
            Some(format!(".location = {}", location(&bytes[8..]))),
            (long(bytes, 16) != 0).then(|| ".win32HandleMetaData = (char[64]){ 0 }".to_owned()),
            nonzero(".compressionType", bytes[24].into()),
            nonzero(".gpuDirectRDMACapable", bytes[25].into()),
            nonzero(".usage", u64::from(bytes[26]) | u64::from(bytes[27]) << 8),
        ]),
        "CUmemPoolProps" if bytes.len() == 88 => joined(vec![
            Some(format!(".allocType = {}", word(bytes, 0))),
            nonzero(".handleTypes", word(bytes, 4).into()),
            Some(format!(".location = {}", location(&bytes[8..]))),
            nonzero(".maxSize", long(bytes, 24)),
            nonzero(".usage", u64::from(bytes[32]) | u64::from(bytes[33]) << 8),
            nonzero(".reserved[53]", bytes[87].into()),
        ]),
        "CUmulticastObjectProp" if bytes.len() == 32 => joined(vec![
            Some(format!(".numDevices = {}", word(bytes, 0))),
            Some(format!(".size = {}", long(bytes, 8))),
            nonzero(".handleTypes", long(bytes, 16)),
            nonzero(".flags", long(bytes, 24)),
        ]),
        "CUDA_MEM_ALLOC_NODE_PARAMS" if bytes.len() == 120 => joined(vec![
            Some(format!(".poolProps = {}", initialiser("CUmemPoolProps", &bytes[..88])?)),
            Some(format!(".bytesize = {}", long(bytes, 104))),
        ]),
        _ => return None,
    })
}

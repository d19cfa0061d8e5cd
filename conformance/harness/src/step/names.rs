//! Helpers of the suite that are one call of CUDA under another name: with fewer outputs, as another kind of handle, or
//! of another location. A reader knows only the function.

/// Functions of CUDA, and the helpers that are one call of each. A helper that makes several calls, or that works on what
/// a call returned, is not here, because its time is not that of the call.
pub(super) const HELPERS: &[(&str, &[&str])] = &[
    ("cuCtxEnablePeerAccess", &["ctx_enable_peer_access_with_flags"]),
    ("cuDeviceGetP2PAttribute", &["device_get_p2p_attribute_into_null"]),
    ("cuDevicePrimaryCtxGetState", &["primary_context_is_active"]),
    ("cuDevicePrimaryCtxRetain", &["device_primary_ctx_retain_of"]),
    ("cuEventSynchronize", &["event_synchronize_watched"]),
    ("cuGetErrorName", &["get_error_name_or_not"]),
    ("cuIpcGetEventHandle", &["ipc_get_event_handle_into_null"]),
    (
        "cuIpcGetMemHandle",
        &["ipc_get_mem_handle_between_others", "ipc_get_mem_handle_into_null", "ipc_get_mem_handle_over"],
    ),
    ("cuIpcOpenMemHandle", &["ipc_open_mem_handle_into_null", "ipc_open_mem_handle_with_flags"]),
    ("cuLaunchKernel", &["launch"]),
    ("cuLaunchKernelEx", &["launch_with_event_attribute"]),
    ("cuMemAllocFromPoolAsync", &["mem_alloc_from_pool_async_in"]),
    ("cuMemCreate", &["mem_create_for_rdma", "mem_create_in_part", "mem_create_with_windows_data"]),
    (
        "cuMemExportToShareableHandle",
        &["mem_export_as", "mem_export_into_null", "mem_export_to_descriptor", "mem_export_to_fabric"],
    ),
    ("cuMemFree", &["mem_free_imported_pointer"]),
    ("cuMemFreeAsync", &["mem_free_async_in"]),
    ("cuMemGetAccess", &["mem_get_access_as"]),
    ("cuMemGetAddressRange", &["mem_get_address_range_in_part"]),
    ("cuMemGetAllocationGranularity", &["mem_get_allocation_granularity_in_part"]),
    (
        "cuMemGetAllocationPropertiesFromHandle",
        &["mem_get_allocation_flags", "mem_get_allocation_properties", "mem_get_allocation_properties_into_null"],
    ),
    ("cuMemGetHandleForAddressRange", &["mem_get_dma_buf"]),
    ("cuMemGetInfo", &["mem_info"]),
    (
        "cuMemImportFromShareableHandle",
        &[
            "mem_import_as",
            "mem_import_from_address_of_descriptor",
            "mem_import_from_descriptor",
            "mem_import_from_fabric",
            "mem_import_into_null",
        ],
    ),
    ("cuMemPoolCreate", &["mem_pool_create_in_part", "mem_pool_create_with"]),
    (
        "cuMemPoolExportToShareableHandle",
        &[
            "mem_pool_export_as",
            "mem_pool_export_into_null",
            "mem_pool_export_to_descriptor",
            "mem_pool_export_to_fabric",
        ],
    ),
    ("cuMemPoolGetAccess", &["mem_pool_get_access_in_part", "mem_pool_get_access_of"]),
    (
        "cuMemPoolImportFromShareableHandle",
        &[
            "mem_pool_import_as",
            "mem_pool_import_from_address_of_descriptor",
            "mem_pool_import_from_descriptor",
            "mem_pool_import_from_fabric",
            "mem_pool_import_into_null",
        ],
    ),
    ("cuMemPoolSetAccess", &["mem_pool_set_access_from_null", "mem_pool_set_access_of_each"]),
    (
        "cuMemSetAccess",
        &["mem_set_access_as", "mem_set_access_of_all", "mem_set_access_of_null", "mem_set_access_of_numa_node"],
    ),
    ("cuMemcpyDtoH", &["read"]),
    ("cuPointerGetAttribute", &["pointer_get_wide_attribute"]),
    ("cuPointerSetAttribute", &["pointer_set_sync_memops"]),
    ("cuStreamWaitValue32", &["stream_wait_value"]),
    ("cuStreamWriteValue32", &["stream_write_value"]),
    ("cudaIpcOpenMemHandle", &["cuda_ipc_open_mem_handle_with_flags"]),
];

/// Returns the function that a helper calls.
pub(super) fn function_of(helper: &str) -> Option<&'static str> {
    HELPERS.iter().find(|(_, helpers)| helpers.contains(&helper)).map(|(function, _)| *function)
}

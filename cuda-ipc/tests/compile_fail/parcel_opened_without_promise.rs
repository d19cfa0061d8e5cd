//! The exporter could free a parcel's memory, so the caller must promise that it does not.

fn main() {}

fn open(context: &cuda_ipc::Context, cache: &cuda_ipc::cache::Cache, parcel: &cuda_ipc::Parcel) {
    let _ = parcel.open(context);
    let _ = parcel.open_event(context);
    let _ = cache.open(context, parcel);
}

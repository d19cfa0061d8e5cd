//! A parcel may be of memory that its exporter frees: that it does not is a promise.

fn main() {}

fn open(context: &cuda_ipc::Context, cache: &cuda_ipc::cache::Cache, parcel: &cuda_ipc::Parcel) {
    let _ = parcel.open(context);
    let _ = parcel.open_event(context);
    let _ = cache.open(context, parcel);
}

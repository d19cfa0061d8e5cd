//! Many threads share all values that can be shared, and drop them in any order.

use std::sync::Arc;

use cuda_ipc::cache::{Cache, CachedMemory};
use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::pool::{ImportedPool, ImportedPoolBuffer, Pool, PoolBuffer};
use cuda_ipc::transport::Connection;
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, DeviceBuffer, DeviceMemory, ImportedMemory, Parcel, Stream};
use std::os::fd::AsFd as _;

use crate::common::device;
use crate::peer::{Peer, roles};
use crate::{Holdings, SIZE, alone, context, met};

const THREADS: u64 = 16;
const ROUNDS: u64 = 150;
const DESCRIPTORS: HandleTypes = HandleTypes::POSIX_FILE_DESCRIPTOR;
/// The number of parcels that the exporter shares: of linear memory, of pool memory and of virtual memory.
const PARCELS: usize = 9;

/// The shared values. Each thread has a clone.
#[derive(Clone)]
struct Shared {
    context: Context,
    stream: Stream,
    cache: Cache,
    pool: ImportedPool,
    /// Buffers of the pool, which live until the last thread has closed its imports of them.
    pooled: Arc<[PoolBuffer; 2]>,
    parcels: Arc<Vec<Parcel>>,
}

/// A value that a thread holds for a while.
#[allow(dead_code, reason = "held until it is dropped")]
enum Held {
    Cached(CachedMemory),
    Opened(ImportedMemory),
    Pointer(ImportedPoolBuffer),
    Own(DeviceBuffer, InterprocessEvent),
    Nothing,
}

/// Pseudorandom numbers, the same in every run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)) >> 33) as usize % end
    }
}

#[test]
fn threads_share_everything_and_drop_it_in_any_order() {
    let _alone = alone();
    let before_all = context();
    let exporter = Peer::start(module_path!(), "role_shares_every_kind");
    let parcels = Arc::new((0..PARCELS).map(|_| Parcel::receive(&exporter.connection).unwrap()).collect::<Vec<_>>());
    // In the first run, the driver creates the resources that it makes once and keeps.
    work_together(&before_all, &parcels);
    let before = Holdings::now(&before_all);
    work_together(&before_all, &parcels);
    assert_eq!(Holdings::now(&before_all), before);
    let errors = met();
    assert!(errors.is_empty(), "{errors:?}");
}

fn work_together(context: &Context, parcels: &Arc<Vec<Parcel>>) {
    let pool = Pool::new(device(), DESCRIPTORS, None).unwrap();
    let stream = Stream::non_blocking(context).unwrap();
    let pooled = Arc::new([(); 2].map(|()| PoolBuffer::new(&pool, SIZE, &stream).unwrap()));
    for (number, buffer) in pooled.iter().enumerate() {
        buffer.fill(100 + number as u8).unwrap();
    }
    let shared = Shared {
        context: Context::primary(device()).unwrap(),
        stream,
        // The cache has room for two imports, so threads evict each other's.
        cache: Cache::new(2 * SIZE),
        pool: ImportedPool::import(device(), pool.export().unwrap().as_fd()).unwrap(),
        pooled,
        parcels: Arc::clone(parcels),
    };
    drop(pool);
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let shared = shared.clone();
            std::thread::spawn(move || work(shared, Numbers(thread)))
        })
        .collect();
    // From here on, only the threads have references to the values.
    drop(shared);
    for thread in threads {
        thread.join().unwrap();
    }
}

fn work(shared: Shared, mut numbers: Numbers) {
    let mut slots = [const { Held::Nothing }; 4];
    for _ in 0..ROUNDS {
        let slot = numbers.below(slots.len());
        let held = match numbers.below(8) {
            0..3 => {
                let place = numbers.below(PARCELS);
                // SAFETY: the exporter keeps all that it shares as long as this process runs.
                let memory = unsafe { shared.cache.open(&shared.context, &shared.parcels[place]) }.unwrap();
                check(&memory, place as u8);
                Held::Cached(memory)
            }
            3 => {
                let place = numbers.below(PARCELS);
                // SAFETY: as above.
                let memory = unsafe { shared.parcels[place].open(&shared.context) };
                // Outside the cache, a driver may refuse memory that another thread is opening at the same time.
                match memory {
                    Ok(memory) => {
                        check(&memory, place as u8);
                        Held::Opened(memory)
                    }
                    Err(error) => {
                        assert!(error.code().is_some(), "{error}");
                        Held::Nothing
                    }
                }
            }
            4 => {
                let place = numbers.below(2);
                let pointer = shared.pooled[place].export().unwrap();
                // SAFETY: a thread drops its imports before its reference to the buffers.
                let memory = unsafe { shared.pool.open(&shared.context, &pointer) }.unwrap();
                check(&memory, 100 + place as u8);
                Held::Pointer(memory)
            }
            5 => {
                let buffer = DeviceBuffer::new(&shared.context, 4096).unwrap();
                let event = InterprocessEvent::new(&shared.context).unwrap();
                // SAFETY: the buffer lives until the event shows that it was filled.
                unsafe { buffer.fill_async(9, &shared.stream) }.unwrap();
                event.record(&shared.stream).unwrap();
                event.synchronize().unwrap();
                check(&buffer, 9);
                Held::Own(buffer, event)
            }
            6 => {
                let place = numbers.below(PARCELS);
                shared.cache.forget(&shared.parcels[place].ticket);
                shared.cache.trim_to(numbers.below(3) * SIZE);
                Held::Nothing
            }
            _ => Held::Nothing,
        };
        slots[slot] = held;
    }
    drop(slots);
}

fn check(memory: &DeviceMemory, byte: u8) {
    let mut ends = [0_u8; 2];
    memory.read(0, &mut ends[..1]).unwrap();
    memory.read(memory.size() - 1, &mut ends[1..]).unwrap();
    assert_eq!(ends, [byte; 2]);
}

roles! {
    fn role_shares_every_kind(connection) {
        crate::start();
        let context = context();
        let stream = Stream::new(&context).unwrap();
        let pool = Pool::new(device(), DESCRIPTORS, None).unwrap();
        let size = granularity(device(), DESCRIPTORS).unwrap().max(SIZE);
        let allocation = || Allocation::new(device(), size, DESCRIPTORS).unwrap();
        let linear = [(); 3].map(|()| DeviceBuffer::new(&context, SIZE).unwrap());
        let pooled = [(); 3].map(|()| PoolBuffer::new(&pool, SIZE, &stream).unwrap());
        let mapped = [(); 3].map(|()| Mapping::new(&context, &[&allocation()], Access::ReadWrite).unwrap());
        let send = |parcel: Parcel, connection: &Connection| parcel.send(connection).unwrap();
        for (place, buffer) in linear.iter().enumerate() {
            buffer.fill(place as u8).unwrap();
            send(buffer.share(..).unwrap(), &connection);
        }
        for (place, buffer) in pooled.iter().enumerate() {
            buffer.fill(3 + place as u8).unwrap();
            send(buffer.share(..).unwrap(), &connection);
        }
        for (place, mapping) in mapped.iter().enumerate() {
            mapping.fill(6 + place as u8).unwrap();
            send(mapping.share(.., Access::ReadWrite).unwrap(), &connection);
        }
        connection.receive().unwrap_err();
    }
}

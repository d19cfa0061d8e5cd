/* What the tests of other projects rely on: frees without a context, empty allocations, pools of the host, copies
   between devices. */
#include "groups.h"

enum { HOST_NUMA = 3, HOST_NUMA_ID = 134, BYTES = 4096 };

void frees_without_a_context(void) {
    Pointer memory, other;
    void *host;
    Object context = enter(0);
    NEED(cuMemAlloc(&memory, BLOCK));
    NEED(cuMemAlloc(&other, BLOCK));
    NEED(cuMemAllocHost(&host, BYTES));
    NEED(cuCtxSetCurrent(NULL));
    say("no context alloc", cuMemAlloc(&other, BYTES));
    say("no context free", cuMemFree(memory));
    say("no context free again", cuMemFree(memory));
    say("no context free null", cuMemFree(0));
    say("no context free host", cuMemFreeHost(host));
    say("no context free host again", cuMemFreeHost(host));
    NEED(cuCtxSetCurrent(context));
    say("no context freed is unknown", cuMemGetAddressRange(&memory, NULL, memory));
    say("free null", cuMemFree(0));
}

void empty_allocations(void) {
    PoolProperties shared = {.type = PINNED, .handle_types = FILE_DESCRIPTOR, .location = {DEVICE, 0}};
    Pointer memory = 1;
    Handle data;
    Object pool;
    enter(0);
    NEED(cuMemPoolCreate(&pool, &shared));
    say("empty alloc", cuMemAlloc(&memory, 0));
    memory = 1;
    say("empty alloc async", cuMemAllocAsync(&memory, 0, NULL));
    say_value("empty alloc async pointer", memory);
    memory = 1;
    say("empty alloc from a pool", cuMemAllocFromPoolAsync(&memory, 0, pool, NULL));
    say_value("empty alloc from a pool pointer", memory);
    say("empty alloc pointer export", cuMemPoolExportPointer(&data, 0));
    say("empty alloc free async", cuMemFreeAsync(0, NULL));
}

/* Copies and fills, before and after the device has access. `name` begins the names of the lines. */
static void use_host_memory(const char *name, Pointer memory, Pointer device_memory) {
    char bytes[16] = {7}, line[96];
#define SAY(call, code) (snprintf(line, sizeof line, "%s %s", name, call), say(line, code))
    SAY("write", cuMemcpyHtoD(memory, bytes, sizeof bytes));
    SAY("read", cuMemcpyDtoH(bytes, memory, sizeof bytes));
    SAY("copy from the device", cuMemcpyDtoD(memory, device_memory, sizeof bytes));
    SAY("copy to the device", cuMemcpyDtoD(device_memory, memory, sizeof bytes));
    SAY("write async", cuMemcpyHtoDAsync(memory, bytes, sizeof bytes, NULL));
    SAY("fill", cuMemsetD8(memory, 7, sizeof bytes));
    NEED(cuMemsetD8(device_memory, 9, sizeof bytes));
    SAY("unified copy from the device", cuMemcpy(memory, device_memory, sizeof bytes));
    NEED(cuCtxSynchronize());
    snprintf(line, sizeof line, "%s byte", name);
    say_value(line, *(volatile unsigned char *)(uintptr_t)memory);
    *(volatile unsigned char *)(uintptr_t)memory = 5;
    SAY("unified copy to the device", cuMemcpy(device_memory, memory, sizeof bytes));
    NEED(cuMemcpyDtoH(bytes, device_memory, sizeof bytes));
    snprintf(line, sizeof line, "%s byte of the device", name);
    say_value(line, bytes[0]);
#undef SAY
}

static void use_pool_of(const char *name, Location location, Pointer device_memory) {
    char line[96];
    Object pool;
    Pointer memory;
    PoolProperties properties = {.type = PINNED, .location = location};
#define SAY(call, code) (snprintf(line, sizeof line, "%s %s", name, call), say(line, code))
    int code = cuMemPoolCreate(&pool, &properties);
    SAY("create", code);
    if (code) return;
    NEED(cuMemAllocFromPoolAsync(&memory, BYTES, pool, NULL));
    NEED(cuCtxSynchronize());
    use_host_memory(name, memory, device_memory);
    Access access = {{DEVICE, 0}, READ_WRITE};
    SAY("access", cuMemPoolSetAccess(pool, &access, 1));
    snprintf(line, sizeof line, "%s with access", name);
    use_host_memory(line, memory, device_memory);
    SAY("free", cuMemFreeAsync(memory, NULL));
#undef SAY
}

void host_pools(void) {
    int node = 0;
    Pointer device_memory;
    enter(0);
    NEED(cuMemAlloc(&device_memory, BYTES));
    NEED(cuDeviceGetAttribute(&node, HOST_NUMA_ID, 0));
    use_pool_of("numa pool", (Location){HOST_NUMA, node < 0 ? 0 : node}, device_memory);
}

/* Copies from device 0 to the device of the importers, without peer access. */
void peer_copies(void) {
    enum { OF_POOLS, LINEAR, KINDS };
    static const char *const kinds[KINDS] = {"pools", "linear memory"};
    Object contexts[2];
    Pointer memory[KINDS][2];
    char line[96];
    for (int side = 0; side < 2; side++) {
        int device = side ? importer_device : 0;
        PoolProperties properties = {.type = PINNED, .location = {DEVICE, device}};
        Object pool;
        contexts[side] = enter(device);
        NEED(cuMemPoolCreate(&pool, &properties));
        NEED(cuMemAllocFromPoolAsync(&memory[OF_POOLS][side], BYTES, pool, NULL));
        NEED(cuMemAlloc(&memory[LINEAR][side], BYTES));
        NEED(cuCtxSynchronize());
    }
    for (int kind = 0; kind < KINDS; kind++) {
        Pointer from = memory[kind][0], to = memory[kind][1];
        unsigned char byte = 0;
        NEED(cuCtxSetCurrent(contexts[0]));
        NEED(cuMemsetD8(from, 3, BYTES));
        NEED(cuCtxSynchronize());
#define SAY(call, code) (snprintf(line, sizeof line, "copy between %s, %s", kinds[kind], call), say(line, code))
        SAY("device", cuMemcpyDtoD(to, from, BYTES));
        SAY("unified", cuMemcpy(to, from, BYTES));
        SAY("peer", cuMemcpyPeer(to, contexts[1], from, contexts[0], BYTES));
        NEED(cuCtxSetCurrent(contexts[1]));
        NEED(cuCtxSynchronize());
        NEED(cuMemcpyDtoH(&byte, to + BYTES - 1, 1));
        snprintf(line, sizeof line, "copy between %s, byte", kinds[kind]);
        say_value(line, byte);
        SAY("device, from the target", cuMemcpyDtoD(to, from, BYTES));
        SAY("peer, from the target", cuMemcpyPeer(to, contexts[1], from, contexts[0], BYTES));
        SAY("peer, contexts swapped", cuMemcpyPeer(to, contexts[0], from, contexts[1], BYTES));
        SAY("peer async, contexts swapped", cuMemcpyPeerAsync(to, contexts[0], from, contexts[1], BYTES, NULL));
        SAY("synchronize", cuCtxSynchronize());
        NEED(cuCtxSetCurrent(NULL));
        SAY("peer, without a context", cuMemcpyPeer(to, contexts[1], from, contexts[0], BYTES));
#undef SAY
    }
}

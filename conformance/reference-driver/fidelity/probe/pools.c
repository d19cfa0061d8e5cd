#include "groups.h"

#include <fcntl.h>

static const PoolProperties shared = {.type = PINNED, .handle_types = FILE_DESCRIPTOR, .location = {DEVICE, 0}};

static Object new_pool(void) {
    Object pool;
    NEED(cuMemPoolCreate(&pool, &shared));
    return pool;
}

static void refused_exports(void) {
    PoolProperties plain = {.type = PINNED, .location = {DEVICE, 0}};
    Object local, default_pool;
    int descriptor = -1;
    NEED(cuDeviceGetDefaultMemPool(&default_pool, 0));
    say("pool export of the default", cuMemPoolExportToShareableHandle(&descriptor, default_pool, FILE_DESCRIPTOR, 0));
    NEED(cuMemPoolCreate(&local, &plain));
    say("pool export not asked for", cuMemPoolExportToShareableHandle(&descriptor, local, FILE_DESCRIPTOR, 0));
    say("pool destroy after that", cuMemPoolDestroy(local));
}

static void own_access(Object pool) {
    Access access = {{DEVICE, 0}, 0};
    say("pool own access none", cuMemPoolSetAccess(pool, &access, 1));
    access.flags = READ;
    say("pool own access read", cuMemPoolSetAccess(pool, &access, 1));
}

/* The exporting process imports its own pool. */
static void own_import(Object pool, int descriptor) {
    Object imported;
    Pointer memory, pointer = 0;
    Handle data;
    NEED(cuMemAllocFromPoolAsync(&memory, BLOCK, pool, NULL));
    NEED(cuCtxSynchronize());
    NEED(cuMemPoolExportPointer(&data, memory));
    void *number = (void *)(intptr_t)descriptor;
    say("pool import own", cuMemPoolImportFromShareableHandle(&imported, number, FILE_DESCRIPTOR, 0));
    say("pool pointer import own", cuMemPoolImportPointer(&pointer, imported, &data));
}

static void read_import(struct Peer *importer, Pointer pointer) {
    struct Answer read = ask(importer, READ_BYTE, pointer);
    say_answer("pool import read without access", read);
    if (importer_device != 0) {
        say_answer("pool import access", ask(importer, POOL_ACCESS, 0));
        read = ask(importer, READ_BYTE, pointer);
        say_answer("pool import read with access", read);
    }
    say_value("pool import byte", read.value);
}

void pools(void) {
    struct Peer importer = start_peer(importer_device);
    Pointer memory, early;
    Handle data;
    int descriptor = -1;
    enter(0);
    refused_exports();
    Object pool = new_pool();
    NEED(cuMemAllocFromPoolAsync(&early, BLOCK, pool, NULL));
    say("pool pointer before export", cuMemPoolExportPointer(&data, early));
    say("pool export", cuMemPoolExportToShareableHandle(&descriptor, pool, FILE_DESCRIPTOR, 0));
    say_value("pool close-on-exec", fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
    NEED(cuMemAllocFromPoolAsync(&memory, BLOCK, pool, NULL));
    NEED(cuMemsetD8(memory, 5, BLOCK));
    NEED(cuCtxSynchronize());
    say("pool pointer interior", cuMemPoolExportPointer(&data, memory + 256));
    say("pool pointer", cuMemPoolExportPointer(&data, memory));
    own_access(pool);
    say_answer("pool import", pass_descriptor(&importer, POOL_IMPORT, descriptor));
    say_answer("pool import allocates", ask(&importer, POOL_ALLOC, 0));
    say_answer("pool import exported again", ask(&importer, POOL_EXPORT, 0));
    struct Answer import = ask_about(&importer, POOL_POINTER, data), again = ask_about(&importer, POOL_POINTER, data);
    say_answer("pool pointer import", import);
    say_answer("pool pointer import again", again);
    say_value("pool pointer import again is the same", import.value == again.value);
    say_answer("pool pointer exported again", ask(&importer, POOL_EXPORT_POINTER, import.value));
    read_import(&importer, import.value);
    say_answer("pool import free", ask(&importer, POOL_FREE, import.value));
    say_answer("pool import read after one free of two", ask(&importer, READ_BYTE, import.value));
    say_answer("pool import second free", ask(&importer, POOL_FREE, import.value));
    say_answer("pool import destroy", ask(&importer, POOL_DESTROY, 0));
    own_import(pool, descriptor);
    end_peer(&importer);
}

/* Exports an allocation of `size` MiB; an importer of its own reads both ends. */
static void large_pool(struct Peer *importer, size_t size) {
    Pointer memory;
    Handle data;
    char name[64];
    int descriptor = -1;
    Object pool = new_pool();
    NEED(cuMemPoolExportToShareableHandle(&descriptor, pool, FILE_DESCRIPTOR, 0));
    NEED(cuMemAllocFromPoolAsync(&memory, size * MIB, pool, NULL));
    Pointer last = size * MIB - 1;
    NEED(cuMemsetD8(memory, 3, 1));
    NEED(cuMemsetD8(memory + last, 4, 1));
    NEED(cuCtxSynchronize());
    NEED(cuMemPoolExportPointer(&data, memory));
    NEED(pass_descriptor(importer, POOL_IMPORT, descriptor).code);
    struct Answer import = ask_about(importer, POOL_POINTER, data);
    snprintf(name, sizeof name, "pool of %zu MiB pointer import", size);
    say_answer(name, import);
    snprintf(name, sizeof name, "pool of %zu MiB ends are read", size);
    say_value(name, !import.code && ask(importer, READ_BYTE, import.value).value == 3 &&
                        ask(importer, READ_BYTE, import.value + last).value == 4);
    end_peer(importer);
    NEED(cuMemFreeAsync(memory, NULL));
    NEED(cuCtxSynchronize());
    NEED(cuMemPoolDestroy(pool));
    close(descriptor);
}

void large_pools(void) {
    static const size_t sizes[] = {1024, 4160, 5600};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    struct Peer importers[SIZES];
    for (int i = 0; i < SIZES; i++) importers[i] = start_peer(0);
    enter(0);
    for (int i = 0; i < SIZES; i++) large_pool(&importers[i], sizes[i]);
}

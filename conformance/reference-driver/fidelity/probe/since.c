/* What an H200 showed after it was first measured: to the conformance suite, and to programs about one statement. */
#include "groups.h"

#include <sys/mman.h>

enum { SMALL = 1 << 16, MAPPED = 13, PORTABLE_AND_MAPPED = 3, NOT_READY = 600, PAGE = 4096 };

static Pointer exported(Handle *handle, size_t size) {
    Pointer memory;
    NEED(cuMemAlloc(&memory, size));
    NEED(cuIpcGetMemHandle(handle, memory));
    return memory;
}

void flags_of_opens(void) {
    static const unsigned flags[] = {3, 123, 0xffffffff};
    struct Peer importer = start_peer(0);
    Handle handle;
    char name[64];
    enter(0);
    exported(&handle, BLOCK);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        struct Answer import = open_with_flags(&importer, handle, flags[i]);
        snprintf(name, sizeof name, "legacy open flags %#x", flags[i]);
        say_answer(name, import);
        if (!import.code) ask(&importer, CLOSE, import.value);
    }
    end_peer(&importer);
}

/* Two allocations in one block of 2 MiB. Only the first is exported. */
void small_neighbours(void) {
    struct Peer importer = start_peer(0);
    Pointer neighbour;
    Handle handle;
    enter(0);
    Pointer memory = exported(&handle, SMALL);
    NEED(cuMemAlloc(&neighbour, SMALL));
    struct Answer import = open_memory(&importer, handle);
    say_value("small import size", ask(&importer, SIZE, import.value).value);
    say_value("small neighbour distance", neighbour - memory);
    say_answer("small import read of the neighbour", ask(&importer, READ_BYTE, import.value + (neighbour - memory)));
    end_peer(&importer);
}

/* The handle of freed memory, opened while a newer allocation that nobody has opened has its address. */
void stale_handles(void) {
    struct Peer importer = start_peer(0);
    Pointer again;
    Handle stale;
    enter(0);
    Pointer memory = exported(&stale, BLOCK);
    NEED(cuMemFree(memory));
    NEED(cuMemAlloc(&again, BLOCK));
    say_value("stale handle reused address", again == memory);
    say_answer("stale handle open", open_memory(&importer, stale));
    end_peer(&importer);
}

void reserved_addresses(void) {
    Properties properties = {PINNED, 0, {DEVICE, 0}, NULL, {0}};
    Access access = {{DEVICE, 0}, READ_WRITE};
    Pointer address;
    Physical physical;
    unsigned mapped = 0;
    enter(0);
    NEED(cuMemAddressReserve(&address, 3 * BLOCK, 0, 0, 0));
    say("reserved address mapped", cuPointerGetAttribute(&mapped, MAPPED, address));
    NEED(cuMemCreate(&physical, BLOCK, &properties, 0));
    NEED(cuMemMap(address, BLOCK, 0, physical, 0));
    NEED(cuMemMap(address + 2 * BLOCK, BLOCK, 0, physical, 0));
    say("reserved address access over a hole in the middle", cuMemSetAccess(address, 3 * BLOCK, &access, 1));
}

void destroyed_peers(void) {
    Object peer;
    if (importer_device == 0) return;
    Object context = enter(0);
    NEED(cuCtxCreate(&peer, 0, importer_device));
    NEED(cuCtxDestroy(peer));
    NEED(cuCtxSetCurrent(context));
    say("peer access to a destroyed context", cuCtxEnablePeerAccess(peer, 0));
}

/* The importer destroys the pool while it has imported memory of it. */
void pools_in_use(void) {
    PoolProperties properties = {.type = PINNED, .handle_types = FILE_DESCRIPTOR, .location = {DEVICE, 0}};
    struct Peer importer = start_peer(importer_device);
    Pointer memory;
    Object pool;
    Handle data;
    int descriptor = -1;
    enter(0);
    NEED(cuMemPoolCreate(&pool, &properties));
    NEED(cuMemPoolExportToShareableHandle(&descriptor, pool, FILE_DESCRIPTOR, 0));
    NEED(cuMemAllocFromPoolAsync(&memory, BLOCK, pool, NULL));
    NEED(cuCtxSynchronize());
    NEED(cuMemPoolExportPointer(&data, memory));
    NEED(pass_descriptor(&importer, POOL_IMPORT, descriptor).code);
    NEED(ask_about(&importer, POOL_POINTER, data).code);
    say_answer("pool import destroy in use", ask(&importer, POOL_DESTROY, 0));
    end_peer(&importer);
}

/* The process ends at once, since destroying such a pool crashes a real driver. */
void fabric_pools(void) {
    PoolProperties properties = {.type = PINNED, .handle_types = FABRIC, .location = {DEVICE, 0}};
    Object pool;
    Handle handle;
    enter(0);
    int code = cuMemPoolCreate(&pool, &properties);
    say("fabric pool create", code);
    if (!code) say("fabric pool export", cuMemPoolExportToShareableHandle(&handle, pool, FABRIC, 0));
    _exit(0);
}

void files_of_the_dead(void) {
    struct Peer exporter = start_peer(0), importer = start_peer(0);
    struct Answer event = ask(&exporter, EVENT_CREATE, 0);
    pid_t process = kill_peer(&exporter);
    say_value("killed process leaves files", (Pointer)has_leftovers(process));
    say_answer("killed process event open before they are removed", ask_about(&importer, EVENT_OPEN, event.handle));
    remove_leftovers(process);
    end_peer(&importer);
}

/* A page of a memfd. Another process, which does not use the driver, stores to it. */
void stores_of_another_process(void) {
    int page = memfd_create("page", 0), ends[2];
    char message = 0;
    Object stream;
    if (page < 0 || ftruncate(page, PAGE) || pipe(ends)) exit(2);
    volatile unsigned *words = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
    if (words == MAP_FAILED) exit(2);
    if (fork() == 0) {
        close(ends[1]);
        if (read(ends[0], &message, 1) == 1) words[1] = 1;
        _exit(0);
    }
    Pointer address = (Pointer)(uintptr_t)words;
    enter(0);
    NEED(cuStreamCreate(&stream, NON_BLOCKING));
    say("page of a memfd register", cuMemHostRegister((void *)words, PAGE, PORTABLE_AND_MAPPED));
    say("page of a memfd write of a value", cuStreamWriteValue32(stream, address, 7, 0));
    NEED(cuStreamSynchronize(stream));
    say_value("page of a memfd value", words[0]);
    say("page of a memfd wait for a value", cuStreamWaitValue32(stream, address + 4, 1, WAIT_EQUAL));
    say_value("page of a memfd wait is pending", cuStreamQuery(stream) == NOT_READY);
    if (write(ends[1], &message, 1) != 1) exit(2);
    say("page of a memfd wait ends with the store", cuStreamSynchronize(stream));
}

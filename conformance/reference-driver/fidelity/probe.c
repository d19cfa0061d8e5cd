/*
 * What a driver answers, line by line: `probe LIBRARY` prints "name: code" or "name: value" for every call that the
 * reference driver is held against a real one by. It runs on any machine with one GPU and a C compiler:
 *
 *   cc -O1 -o probe probe.c -ldl && ./probe libcuda.so.1
 */
#include "importer.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

enum { MIB = 1 << 20, BLOCK = 4 * MIB };

static int importer_socket;
static pid_t importer_process;

static void say(const char *name, int code) { printf("%s: %d\n", name, code); }

static void say_value(const char *name, Pointer value) { printf("%s: = %llu\n", name, value); }

static struct Answer ask_with(enum Operation operation, Pointer value, Handle handle, unsigned flags, int descriptor) {
    struct Question question = {operation, flags, value, handle};
    struct Answer answer;
    send_all(importer_socket, &question, sizeof question, descriptor);
    receive_all(importer_socket, &answer, sizeof answer);
    return answer;
}

static struct Answer ask(enum Operation operation, Pointer value) {
    return ask_with(operation, value, (Handle){0}, 0, -1);
}

static struct Answer open_memory(Handle handle) { return ask_with(OPEN, 0, handle, LAZY_PEER_ACCESS, -1); }

static Handle filled(unsigned char byte) {
    Handle handle;
    memset(handle.bytes, byte, sizeof handle.bytes);
    return handle;
}

/* An importer, started before this process has initialised the driver. */
static void start_importer(int device) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) exit(2);
    fflush(stdout);
    importer_process = fork();
    if (importer_process == 0) {
        close(sockets[0]);
        import_what_is_asked(sockets[1], device);
    }
    close(sockets[1]);
    importer_socket = sockets[0];
}

static void environment(void) {
    static const struct { const char *name; int attribute; } attributes[] = {
        {"unified addressing", 41}, {"virtual memory management", 102}, {"file descriptors", 103}, {"fabric", 128},
        {"interprocess events", 125}, {"memory pools", 115}, {"pool handle types", 119}, {"multicast", 132},
        {"dma-buf", 124}, {"concurrent managed access", 89},
    };
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        int value = -1;
        char name[64];
        snprintf(name, sizeof name, "attribute %s", attributes[i].name);
        NEED(cuDeviceGetAttribute(&value, attributes[i].attribute, 0));
        say_value(name, (Pointer)value);
    }
}

static void legacy(void) {
    Pointer memory, other, small[2], managed, stream_ordered, base;
    size_t pitch, size;
    Handle handle, again, interior;
    void *pinned, *heap = aligned_alloc(4096, BLOCK);
    int local, capable = -1;
    NEED(cuMemAlloc(&memory, BLOCK));
    NEED(cuMemsetD8(memory, 7, BLOCK));
    NEED(cuCtxSynchronize());
    say("legacy get base", cuIpcGetMemHandle(&handle, memory));
    say("legacy get again", cuIpcGetMemHandle(&again, memory));
    say("legacy get interior", cuIpcGetMemHandle(&interior, memory + 256));
    say_value("legacy get equal", !memcmp(&handle, &again, 64) && !memcmp(&handle, &interior, 64));
    say("legacy get last byte", cuIpcGetMemHandle(&again, memory + BLOCK - 1));
    NEED(cuMemAllocPitch(&other, &pitch, 1000, 2000, 4));
    say("legacy get pitched", cuIpcGetMemHandle(&again, other));
    say("legacy get null", cuIpcGetMemHandle(&again, 0));
    say("legacy get null output", cuIpcGetMemHandle(NULL, memory));
    say("legacy get heap", cuIpcGetMemHandle(&again, (Pointer)heap));
    say("legacy get stack", cuIpcGetMemHandle(&again, (Pointer)&local));
    say("legacy get unmapped", cuIpcGetMemHandle(&again, 0x10000));
    NEED(cuMemAllocHost(&pinned, BLOCK));
    say("legacy get pinned", cuIpcGetMemHandle(&again, (Pointer)pinned));
    NEED(cuMemHostRegister(heap, BLOCK, 0));
    say("legacy get registered", cuIpcGetMemHandle(&again, (Pointer)heap));
    NEED(cuMemAllocManaged(&managed, MIB, 1));
    say("legacy get managed", cuIpcGetMemHandle(&again, managed));
    NEED(cuMemAllocAsync(&stream_ordered, MIB, NULL));
    NEED(cuCtxSynchronize());
    say("legacy get stream-ordered", cuIpcGetMemHandle(&again, stream_ordered));
    NEED(cuPointerGetAttribute(&capable, 10, memory));
    say_value("legacy capable", (Pointer)capable);
    NEED(cuPointerGetAttribute(&capable, 10, stream_ordered));
    say_value("legacy capable stream-ordered", (Pointer)capable);
    NEED(cuMemFree(other));
    say("legacy get freed", cuIpcGetMemHandle(&again, other));
    NEED(cuMemAlloc(&small[0], 1024));
    NEED(cuMemAlloc(&small[1], 1024));
    NEED(cuIpcGetMemHandle(&again, small[0]));
    NEED(cuIpcGetMemHandle(&interior, small[1]));
    say_value("legacy small differ", memcmp(&again, &interior, 64) != 0);
    NEED(cuMemGetAddressRange(&base, &size, small[1]));
    say_value("legacy small size", size);
    say("legacy open own process", cuIpcOpenMemHandle(&other, handle, LAZY_PEER_ACCESS));
    say("legacy open no flags", ask_with(OPEN, 0, handle, 0, -1).code);
    say("legacy open other flag", ask_with(OPEN, 0, handle, 2, -1).code);
    say("legacy open zeros", open_memory(filled(0)).code);
    say("legacy open ones", open_memory(filled(0xff)).code);
    struct Answer import = open_memory(handle), second = open_memory(handle);
    say("legacy open", import.code);
    say_value("legacy open again is the same", import.value == second.value);
    say_value("legacy import byte", ask(READ_BYTE, import.value).value);
    say_value("legacy import size", ask(SIZE, import.value).value);
    say("legacy get of an import", ask(GET, import.value).code);
    say("legacy free of an import", ask(FREE, import.value).code);
    say("legacy close interior", ask(CLOSE, import.value + 256).code);
    say("legacy close null", ask(CLOSE, 0).code);
    NEED(cuMemFree(memory));
    say("legacy read freed while open", ask(READ_BYTE, import.value).code);
    say("legacy open freed while open", open_memory(handle).code);
    for (int i = 0; i < 3; i++) say("legacy close", ask(CLOSE, import.value).code);
    say("legacy close too often", ask(CLOSE, import.value).code);
    say("legacy open freed after close", open_memory(handle).code);
    NEED(cuMemAlloc(&memory, BLOCK));
    NEED(cuIpcGetMemHandle(&handle, memory));
    NEED(cuMemFree(memory));
    say("legacy open freed before any open", open_memory(handle).code);
}

static void events(void) {
    Object event, timed;
    Handle handle;
    float time;
    say("event interprocess with timing", cuEventCreate(&event, INTERPROCESS));
    NEED(cuEventCreate(&timed, 0));
    say("event get of another", cuIpcGetEventHandle(&handle, timed));
    NEED(cuEventCreate(&event, INTERPROCESS | DISABLE_TIMING));
    say("event get null output", cuIpcGetEventHandle(NULL, event));
    say("event get", cuIpcGetEventHandle(&handle, event));
    Object own;
    say("event open own process", cuIpcOpenEventHandle(&own, handle));
    NEED(cuEventRecord(event, NULL));
    NEED(cuEventRecord(timed, NULL));
    NEED(cuCtxSynchronize());
    say("event elapsed time", cuEventElapsedTime(&time, timed, event));
    say("event open zeros", ask_with(EVENT_OPEN, 0, filled(0), 0, -1).code);
    say("event open ones", ask_with(EVENT_OPEN, 0, filled(0xff), 0, -1).code);
    struct Answer import = ask_with(EVENT_OPEN, 0, handle, 0, -1);
    say("event open", import.code);
    say("event get of an import", ask(EVENT_GET, import.value).code);
    say("event query record synchronise destroy", ask(EVENT_USE, import.value).code);
    NEED(cuEventDestroy(event));
    say("event open destroyed", ask_with(EVENT_OPEN, 0, handle, 0, -1).code);
}

static void foreign(const char *kind, int descriptor) {
    Physical imported;
    Object pool;
    void *number = (void *)(intptr_t)descriptor;
    char name[64];
    snprintf(name, sizeof name, "vmm import %s", kind);
    say(name, cuMemImportFromShareableHandle(&imported, number, FILE_DESCRIPTOR));
    snprintf(name, sizeof name, "pool import %s", kind);
    say(name, cuMemPoolImportFromShareableHandle(&pool, number, FILE_DESCRIPTOR, 0));
    if (descriptor > 2) close(descriptor);
}

static void foreign_descriptors(void) {
    int ends[2];
    foreign("minus one", -1);
    foreign("closed", 999);
    foreign("/dev/null", open("/dev/null", O_RDWR));
    if (pipe(ends)) exit(2);
    foreign("pipe", ends[0]);
    foreign("socket", socket(AF_UNIX, SOCK_STREAM, 0));
    foreign("eventfd", eventfd(0, 0));
    foreign("memfd", memfd_create("probe", 0));
}

static void vmm(void) {
    Properties plain = {PINNED, 0, {DEVICE, 0}, NULL, {0}}, shared = plain, fabric = plain;
    Physical physical, exportable, imported;
    Pointer address;
    Access access = {{DEVICE, 0}, READ_WRITE};
    Handle bytes;
    size_t granularity;
    int descriptor = -1;
    shared.handle_types = FILE_DESCRIPTOR;
    fabric.handle_types = FABRIC;
    NEED(cuMemGetAllocationGranularity(&granularity, &plain, 0));
    say_value("vmm granularity", granularity);
    say("vmm create granularity + 1", cuMemCreate(&physical, granularity + 1, &plain, 0));
    say("vmm create 0", cuMemCreate(&physical, 0, &plain, 0));
    say("vmm create flags", cuMemCreate(&physical, BLOCK, &plain, 1));
    Properties nowhere = plain, windows = plain;
    nowhere.location.id = 1000;
    windows.handle_types = 2;
    say("vmm create on no device", cuMemCreate(&physical, BLOCK, &nowhere, 0));
    say("vmm create for windows", cuMemCreate(&physical, BLOCK, &windows, 0));
    NEED(cuMemCreate(&physical, BLOCK, &plain, 0));
    NEED(cuMemCreate(&exportable, BLOCK, &shared, 0));
    say("vmm export not asked for", cuMemExportToShareableHandle(&descriptor, physical, FILE_DESCRIPTOR, 0));
    say("vmm export fabric not asked for", cuMemExportToShareableHandle(&bytes, exportable, FABRIC, 0));
    say("vmm export flags", cuMemExportToShareableHandle(&descriptor, exportable, FILE_DESCRIPTOR, 1));
    say("vmm export", cuMemExportToShareableHandle(&descriptor, exportable, FILE_DESCRIPTOR, 0));
    say_value("vmm close-on-exec", fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
    say("vmm import own", cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)descriptor, FILE_DESCRIPTOR));
    say_value("vmm import own is another handle", imported != exportable);
    NEED(cuMemAddressReserve(&address, 2 * BLOCK, 0, 0, 0));
    say("vmm map part", cuMemMap(address, BLOCK / 2, 0, physical, 0));
    cuMemUnmap(address, BLOCK / 2);
    NEED(cuMemMap(address, BLOCK, 0, exportable, 0));
    say("vmm map over", cuMemMap(address, BLOCK, 0, physical, 0));
    say("vmm set before access", cuMemsetD8(address, 1, BLOCK));
    access.flags = READ;
    NEED(cuMemSetAccess(address, BLOCK, &access, 1));
    say("vmm set under read", cuMemsetD8(address, 1, BLOCK));
    access.flags = READ_WRITE;
    say("vmm access over a hole", cuMemSetAccess(address, 2 * BLOCK, &access, 1));
    NEED(cuMemSetAccess(address, BLOCK, &access, 1));
    access.location.id = 1000;
    say("vmm access of no device", cuMemSetAccess(address, BLOCK, &access, 1));
    NEED(cuMemsetD8(address, 9, BLOCK));
    NEED(cuCtxSynchronize());
    say("vmm legacy get", cuIpcGetMemHandle(&bytes, address));
    say("vmm free", cuMemFree(address));
    say("vmm address free mapped", cuMemAddressFree(address, 2 * BLOCK));
    say("vmm unmap half", cuMemUnmap(address, BLOCK / 2));
    say("vmm address free part", cuMemAddressFree(address, BLOCK));
    struct Answer import = ask_with(VMM_IMPORT, 0, filled(0), 0, descriptor);
    say("vmm import", import.code);
    say("vmm import exported again", ask(VMM_EXPORT, import.value).code);
    say_value("vmm import handle types", ask(VMM_TYPES, import.value).value);
    say("vmm release before unmap", cuMemRelease(exportable));
    say("vmm unmap with the rest", cuMemUnmap(address, 2 * BLOCK));
    say("vmm unmap twice", cuMemUnmap(address, BLOCK));
    say("vmm release twice", cuMemRelease(exportable));
    struct Answer read = ask_with(VMM_MAP, import.value, filled(0), BLOCK, -1);
    say("vmm import mapped after release", read.code);
    say_value("vmm import byte", read.value);
    say("fabric create", cuMemCreate(&physical, BLOCK, &fabric, 0));
    fabric.handle_types |= FILE_DESCRIPTOR;
    say("fabric or descriptor create", cuMemCreate(&physical, BLOCK, &fabric, 0));
    for (int i = 0; i < 3; i++) {
        static const unsigned char values[] = {0, 3, 0xff};
        char name[32];
        snprintf(name, sizeof name, "fabric import %d", values[i]);
        bytes = filled(values[i]);
        say(name, cuMemImportFromShareableHandle(&imported, &bytes, FABRIC));
    }
}

static void pools(void) {
    PoolProperties plain = {.type = PINNED, .location = {DEVICE, 0}}, shared = plain;
    Object pool, local, default_pool;
    Pointer memory, early;
    Handle data;
    int descriptor = -1;
    shared.handle_types = FILE_DESCRIPTOR;
    NEED(cuDeviceGetDefaultMemPool(&default_pool, 0));
    say("pool export of the default", cuMemPoolExportToShareableHandle(&descriptor, default_pool, FILE_DESCRIPTOR, 0));
    NEED(cuMemPoolCreate(&local, &plain));
    say("pool export not asked for", cuMemPoolExportToShareableHandle(&descriptor, local, FILE_DESCRIPTOR, 0));
    say("pool destroy after that", cuMemPoolDestroy(local));
    NEED(cuMemPoolCreate(&pool, &shared));
    NEED(cuMemAllocFromPoolAsync(&early, BLOCK, pool, NULL));
    say("pool pointer before export", cuMemPoolExportPointer(&data, early));
    say("pool export", cuMemPoolExportToShareableHandle(&descriptor, pool, FILE_DESCRIPTOR, 0));
    say_value("pool close-on-exec", fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
    NEED(cuMemAllocFromPoolAsync(&memory, BLOCK, pool, NULL));
    NEED(cuMemsetD8(memory, 5, BLOCK));
    NEED(cuCtxSynchronize());
    say("pool pointer interior", cuMemPoolExportPointer(&data, memory + 256));
    say("pool pointer", cuMemPoolExportPointer(&data, memory));
    Access access = {{DEVICE, 0}, 0};
    say("pool own access none", cuMemPoolSetAccess(pool, &access, 1));
    access.flags = READ;
    say("pool own access read", cuMemPoolSetAccess(pool, &access, 1));
    say("pool import", ask_with(POOL_IMPORT, 0, filled(0), 0, descriptor).code);
    say("pool import allocates", ask(POOL_ALLOC, 0).code);
    say("pool import exported again", ask(POOL_EXPORT, 0).code);
    struct Answer import = ask_with(POOL_POINTER, 0, data, 0, -1), second = ask_with(POOL_POINTER, 0, data, 0, -1);
    say("pool pointer import", import.code);
    say("pool pointer import again", second.code);
    say_value("pool pointer import again is the same", import.value == second.value);
    say("pool pointer exported again", ask(POOL_EXPORT_POINTER, import.value).code);
    struct Answer read = ask(READ_BYTE, import.value);
    say("pool import read without access", read.code);
    say_value("pool import byte", read.value);
    say("pool import free", ask(POOL_FREE, import.value).code);
    say("pool import destroy", ask(POOL_DESTROY, 0).code);
}

static void peers(Object context) { say("peer access to itself", cuCtxEnablePeerAccess(context, 0)); }

/* The exporter's end: a process of its own, killed while memory of it is open. */
/* What a killed process leaves of a real driver in shared memory: /dev/shm/cuda.shm.USER.PROCESS.NUMBER. */
static void remove_leftovers(pid_t process) {
    char pattern[64];
    glob_t found;
    snprintf(pattern, sizeof pattern, "/dev/shm/cuda.shm.%x.%x.*", getuid(), process);
    if (glob(pattern, 0, NULL, &found)) return;
    for (size_t i = 0; i < found.gl_pathc; i++) unlink(found.gl_pathv[i]);
    globfree(&found);
}

static void death(void) {
    Handle handle;
    int ends[2];
    if (pipe(ends)) exit(2);
    fflush(stdout);
    pid_t exporter = fork();
    if (exporter == 0) {
        Pointer memory;
        enter(0);
        NEED(cuMemAlloc(&memory, BLOCK));
        NEED(cuMemsetD8(memory, 6, BLOCK));
        NEED(cuCtxSynchronize());
        NEED(cuIpcGetMemHandle(&handle, memory));
        if (write(ends[1], &handle, sizeof handle) != sizeof handle) _exit(2);
        pause();
    }
    if (read(ends[0], &handle, sizeof handle) != sizeof handle) exit(2);
    struct Answer import = open_memory(handle);
    say("death open", import.code);
    kill(exporter, SIGKILL);
    waitpid(exporter, NULL, 0);
    say_value("death byte", ask(READ_BYTE, import.value).value);
    say("death open again", open_memory(handle).code);
    ask(CLOSE, import.value);
    ask(CLOSE, import.value);
    say("death open after close", open_memory(handle).code);
    remove_leftovers(exporter);
}

static void fork_after_init(void) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        Pointer memory;
        say("fork init", cuInit(0));
        say("fork alloc", cuMemAlloc(&memory, BLOCK));
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: probe LIBRARY\n");
        return 2;
    }
    load(arguments[1]);
    start_importer(0);
    death();
    Object context = enter(0);
    environment();
    legacy();
    events();
    vmm();
    pools();
    foreign_descriptors();
    peers(context);
    fork_after_init();
    kill(importer_process, SIGKILL);
    waitpid(importer_process, NULL, 0);
    remove_leftovers(importer_process);
    return 0;
}

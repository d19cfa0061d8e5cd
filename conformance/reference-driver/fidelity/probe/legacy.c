#include "groups.h"

#include <sys/mman.h>

static Pointer pool_memory(void) {
    PoolProperties properties = {.type = PINNED, .handle_types = FILE_DESCRIPTOR, .location = {DEVICE, 0}};
    Object pool;
    Pointer memory;
    NEED(cuMemPoolCreate(&pool, &properties));
    NEED(cuMemAllocFromPoolAsync(&memory, MIB, pool, NULL));
    return memory;
}

/* The pointers that have a handle, and those that have the same handle. */
void legacy_handles(void) {
    Pointer memory, pitched, small[2], managed, stream_ordered, base;
    size_t pitch, size;
    Handle handle, again, interior;
    void *pinned, *heap = aligned_alloc(4096, BLOCK);
    int local, capable = -1;
    enter(0);
    NEED(cuMemAlloc(&memory, BLOCK));
    say("legacy get base", cuIpcGetMemHandle(&handle, memory));
    say("legacy get again", cuIpcGetMemHandle(&again, memory));
    say("legacy get interior", cuIpcGetMemHandle(&interior, memory + 256));
    say_value("legacy get equal", !memcmp(&handle, &again, 64) && !memcmp(&handle, &interior, 64));
    say("legacy get second byte", cuIpcGetMemHandle(&again, memory + 1));
    say("legacy get last byte", cuIpcGetMemHandle(&interior, memory + BLOCK - 1));
    say_value("legacy get equal at the ends", !memcmp(&handle, &again, 64) && !memcmp(&handle, &interior, 64));
    NEED(cuMemAllocPitch(&pitched, &pitch, 1000, 2000, 4));
    say("legacy get pitched", cuIpcGetMemHandle(&again, pitched));
    say("legacy get null", cuIpcGetMemHandle(&again, 0));
    say("legacy get null output", cuIpcGetMemHandle(NULL, memory));
    say("legacy get heap", cuIpcGetMemHandle(&again, (Pointer)heap));
    say("legacy get stack", cuIpcGetMemHandle(&again, (Pointer)&local));
    say("legacy get unmapped", cuIpcGetMemHandle(&again, 0x10000));
    say("legacy close own", cuIpcCloseMemHandle(memory));
    say("legacy close heap", cuIpcCloseMemHandle((Pointer)heap));
    NEED(cuMemAllocHost(&pinned, BLOCK));
    say("legacy get pinned", cuIpcGetMemHandle(&again, (Pointer)pinned));
    NEED(cuMemHostRegister(heap, BLOCK, 0));
    say("legacy get registered", cuIpcGetMemHandle(&again, (Pointer)heap));
    NEED(cuMemAllocManaged(&managed, MIB, 1));
    say("legacy get managed", cuIpcGetMemHandle(&again, managed));
    NEED(cuMemAllocAsync(&stream_ordered, MIB, NULL));
    NEED(cuCtxSynchronize());
    say("legacy get stream-ordered", cuIpcGetMemHandle(&again, stream_ordered));
    say("legacy get exportable pool", cuIpcGetMemHandle(&again, pool_memory()));
    NEED(cuPointerGetAttribute(&capable, LEGACY_CAPABLE, memory));
    say_value("legacy capable", (Pointer)capable);
    NEED(cuPointerGetAttribute(&capable, LEGACY_CAPABLE, stream_ordered));
    say_value("legacy capable stream-ordered", (Pointer)capable);
    NEED(cuMemFree(pitched));
    say("legacy get freed", cuIpcGetMemHandle(&again, pitched));
    NEED(cuMemAlloc(&small[0], 1024));
    NEED(cuMemAlloc(&small[1], 1024));
    NEED(cuIpcGetMemHandle(&again, small[0]));
    NEED(cuIpcGetMemHandle(&interior, small[1]));
    say_value("legacy small differ", memcmp(&again, &interior, 64) != 0);
    NEED(cuMemGetAddressRange(&base, &size, small[1] + 8));
    say_value("legacy small base", base == small[1]);
    say_value("legacy small size", size);
    say("legacy open own process", cuIpcOpenMemHandle(&base, handle, LAZY_PEER_ACCESS));
}

/* Allocates memory, fills it with a byte and exports it. */
static Pointer exported(Handle *handle, unsigned char byte) {
    Pointer memory;
    NEED(cuMemAlloc(&memory, BLOCK));
    NEED(cuMemsetD8(memory, byte, BLOCK));
    NEED(cuCtxSynchronize());
    NEED(cuIpcGetMemHandle(handle, memory));
    return memory;
}

static void reused_address(struct Peer *importer) {
    Handle old, new;
    Pointer memory = exported(&old, 1);
    struct Answer first = open_memory(importer, old);
    NEED(cuMemFree(memory));
    say_value("legacy reused address", exported(&new, 2) == memory);
    say_value("legacy reused handle differs", memcmp(&old, &new, 64) != 0);
    struct Answer second = open_memory(importer, new);
    say_answer("legacy reused open", second);
    say_value("legacy reused byte", ask(importer, READ_BYTE, second.value).value);
    say_value("legacy reused old byte", ask(importer, READ_BYTE, first.value).value);
    say_answer("legacy reused old open again", open_memory(importer, old));
    ask(importer, CLOSE, first.value);
    ask(importer, CLOSE, first.value);
    say_answer("legacy reused old open after close", open_memory(importer, old));
}

void legacy_opens(void) {
    struct Peer importer = start_peer(importer_device);
    Handle handle, interior;
    enter(0);
    Pointer memory = exported(&handle, 7);
    NEED(cuIpcGetMemHandle(&interior, memory + MIB));
    say_answer("legacy open no flags", open_with_flags(&importer, handle, 0));
    say_answer("legacy open other flag", open_with_flags(&importer, handle, 2));
    say_answer("legacy open zeros", open_memory(&importer, filled(0)));
    say_answer("legacy open ones", open_memory(&importer, filled(0xff)));
    struct Answer import = open_memory(&importer, handle), second = open_memory(&importer, interior);
    say_answer("legacy open", import);
    say_value("legacy open again is the same", import.value == second.value);
    say_value("legacy import byte", ask(&importer, READ_BYTE, import.value).value);
    say_value("legacy import base", ask(&importer, BASE, import.value + MIB).value == import.value);
    say_value("legacy import size", ask(&importer, SIZE, import.value).value);
    say_answer("legacy get of an import", ask(&importer, GET, import.value));
    say_answer("legacy free of an import", ask(&importer, FREE, import.value));
    say_answer("legacy close interior", ask(&importer, CLOSE, import.value + 256));
    say_answer("legacy close null", ask(&importer, CLOSE, 0));
    say("legacy free while open", cuMemFree(memory));
    struct Answer read = ask(&importer, READ_BYTE, import.value);
    say_answer("legacy read freed while open", read);
    say_value("legacy freed byte", read.value);
    say_answer("legacy open freed while open", open_memory(&importer, handle));
    say_answer("legacy close first", ask(&importer, CLOSE, import.value));
    say_answer("legacy close second", ask(&importer, CLOSE, import.value));
    say_answer("legacy close third", ask(&importer, CLOSE, import.value));
    say_answer("legacy close too often", ask(&importer, CLOSE, import.value));
    say_answer("legacy open freed after close", open_memory(&importer, handle));
    NEED(cuMemFree(exported(&handle, 8)));
    say_answer("legacy open freed before any open", open_memory(&importer, handle));
    reused_address(&importer);
    end_peer(&importer);
}

/* Only one context of a device at a time can open an exporting process's memory of one device. */
void legacy_contexts(void) {
    struct Peer importer = start_peer(importer_device);
    Handle handle, other;
    enter(0);
    exported(&handle, 1);
    exported(&other, 2);
    say_answer("contexts open in the first", open_memory(&importer, handle));
    say_answer("contexts create a second", ask(&importer, NEW_CONTEXT, 0));
    say_answer("contexts open in the second", open_memory(&importer, handle));
    say_answer("contexts open another in the second", open_memory(&importer, other));
    end_peer(&importer);
}

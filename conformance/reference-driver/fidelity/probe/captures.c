/* Captures of streams into graphs. */
#include "groups.h"

#include <pthread.h>

enum { GLOBAL, THREAD_LOCAL, RELAXED, UNKNOWN_MODE = 9 };

void captures(void) {
    Object stream, other, event, graph, executable;
    Pointer memory, allocated;
    char byte = 0;
    int status = 7;
    size_t count = 0;
    enter(0);
    NEED(cuStreamCreate(&stream, NON_BLOCKING));
    NEED(cuStreamCreate(&other, NON_BLOCKING));
    NEED(cuEventCreate(&event, DISABLE_TIMING));
    NEED(cuMemAlloc(&memory, BLOCK));
    NEED(cuMemsetD8(memory, 1, BLOCK));
    NEED(cuCtxSynchronize());
    say("capture end before begin", cuStreamEndCapture(stream, &graph));
    say("capture of the default stream", cuStreamBeginCapture(NULL, RELAXED));
    say("capture unknown mode", cuStreamBeginCapture(stream, UNKNOWN_MODE));
    for (int mode = GLOBAL; mode <= RELAXED; mode++) {
        char line[96];
#define SAY(call, code) (snprintf(line, sizeof line, "capture in mode %d %s", mode, call), say(line, code))
#define SAY_VALUE(what, value) (snprintf(line, sizeof line, "capture in mode %d %s", mode, what), say_value(line, value))
        graph = NULL;
        SAY("begin", cuStreamBeginCapture(stream, mode));
        SAY("begin again", cuStreamBeginCapture(stream, mode));
        SAY("status", cuStreamIsCapturing(stream, &status));
        SAY_VALUE("status is", status);
        SAY("fill", cuMemsetD8Async(memory, 2, BLOCK, stream));
        SAY("record", cuEventRecord(event, stream));
        SAY("event query", cuEventQuery(event));
        SAY("status after a query", cuStreamIsCapturing(stream, &status));
        SAY_VALUE("status after a query is", status);
        SAY("end after a query", cuStreamEndCapture(stream, &graph));
        SAY_VALUE("end after a query has a graph", graph != NULL);

        SAY("begin second", cuStreamBeginCapture(stream, mode));
        SAY("alloc", cuMemAlloc(&allocated, MIB));
        SAY("end after alloc", cuStreamEndCapture(stream, &graph));

        SAY("begin third", cuStreamBeginCapture(stream, mode));
        SAY("stream query", cuStreamQuery(stream));
        SAY("end after a stream query", cuStreamEndCapture(stream, &graph));

        SAY("begin fourth", cuStreamBeginCapture(stream, mode));
        SAY("stream synchronize", cuStreamSynchronize(stream));
        SAY("end after a stream synchronize", cuStreamEndCapture(stream, &graph));

        SAY("begin fifth", cuStreamBeginCapture(stream, mode));
        SAY("context synchronize", cuCtxSynchronize());
        SAY("end after a context synchronize", cuStreamEndCapture(stream, &graph));

        SAY("begin sixth", cuStreamBeginCapture(stream, mode));
        SAY("fill at once", cuMemsetD8(memory, 1, BLOCK));
        SAY("end after a fill at once", cuStreamEndCapture(stream, &graph));

        SAY("begin seventh", cuStreamBeginCapture(stream, mode));
        SAY("fork fill", cuMemsetD8Async(memory, 3, BLOCK, stream));
        SAY("fork record", cuEventRecord(event, stream));
        SAY("fork wait", cuStreamWaitEvent(other, event, 0));
        SAY("fork status", cuStreamIsCapturing(other, &status));
        SAY_VALUE("fork status is", status);
        SAY("fork fill of the other", cuMemsetD8Async(memory, 4, BLOCK, other));
        SAY("fork end of the other", cuStreamEndCapture(other, &graph));
        SAY("fork end unjoined", cuStreamEndCapture(stream, &graph));
        SAY("fork status after", cuStreamIsCapturing(other, &status));
        SAY_VALUE("fork status after is", status);

        SAY("begin eighth", cuStreamBeginCapture(stream, mode));
        SAY("join fill", cuMemsetD8Async(memory, 5, BLOCK, stream));
        SAY("join record", cuEventRecord(event, stream));
        SAY("join wait", cuStreamWaitEvent(other, event, 0));
        SAY("join fill of the other", cuMemsetD8Async(memory, 6, BLOCK, other));
        SAY("join record of the other", cuEventRecord(event, other));
        SAY("join wait of the first", cuStreamWaitEvent(stream, event, 0));
        SAY("join end", cuStreamEndCapture(stream, &graph));
        SAY("join nodes", cuGraphGetNodes(graph, NULL, &count));
        SAY_VALUE("join nodes are", count);
        NEED(cuMemcpyDtoH(&byte, memory, 1));
        SAY_VALUE("byte before the launch", byte);
        SAY("instantiate", cuGraphInstantiateWithFlags(&executable, graph, 0));
        SAY("launch", cuGraphLaunch(executable, stream));
        SAY("stream synchronize after", cuStreamSynchronize(stream));
        NEED(cuMemcpyDtoH(&byte, memory, 1));
        SAY_VALUE("byte after the launch", byte);
        NEED(cuMemsetD8(memory, 1, BLOCK));
        SAY("launch again", cuGraphLaunch(executable, stream));
        NEED(cuStreamSynchronize(stream));
        NEED(cuMemcpyDtoH(&byte, memory, 1));
        SAY_VALUE("byte after the second launch", byte);
        SAY("event query after", cuEventQuery(event));

        SAY("begin ninth", cuStreamBeginCapture(stream, mode));
        SAY("destroy of the stream", cuStreamDestroy(stream));
        NEED(cuStreamCreate(&stream, NON_BLOCKING));
#undef SAY
#undef SAY_VALUE
    }
}

/* Streams that join a capture, with and without work of their own. */
void joined_captures(void) {
    Object first, second, third, blocking, event, graph;
    Pointer memory;
    unsigned long long id;
    int status;
    enter(0);
    NEED(cuStreamCreate(&first, NON_BLOCKING));
    NEED(cuStreamCreate(&second, NON_BLOCKING));
    NEED(cuStreamCreate(&third, NON_BLOCKING));
    NEED(cuEventCreate(&event, DISABLE_TIMING));
    NEED(cuMemAlloc(&memory, BLOCK));
    NEED(cuCtxSynchronize());
#define BEGIN() NEED(cuStreamBeginCapture(first, RELAXED))
#define END(name) say("joined capture " name, cuStreamEndCapture(first, &graph))
#define JOIN(other, stream) \
    do { \
        NEED(cuEventRecord(event, stream)); \
        NEED(cuStreamWaitEvent(other, event, 0)); \
    } while (0)
#define WORK(stream) NEED(cuMemsetD8Async(memory, 1, MIB, stream))
    BEGIN();
    JOIN(second, first);
    END("end without work of the second");
    BEGIN();
    WORK(first);
    JOIN(second, first);
    WORK(first);
    END("end with work of the first only");
    BEGIN();
    JOIN(second, first);
    WORK(second);
    END("end with work of the second");
    BEGIN();
    JOIN(second, first);
    JOIN(first, second);
    WORK(second);
    END("end with work after the join");
    BEGIN();
    JOIN(second, first);
    WORK(second);
    JOIN(third, second);
    JOIN(first, third);
    END("end by way of a third");
    BEGIN();
    JOIN(second, first);
    JOIN(third, second);
    WORK(second);
    JOIN(first, third);
    END("end by way of a third that waited too early");
    BEGIN();
    JOIN(second, first);
    WORK(second);
    NEED(cuStreamDestroy(second));
    END("end after the destroy of the second");

    BEGIN();
    NEED(cuEventRecord(event, first));
    say("joined capture wait of the default stream", cuStreamWaitEvent(NULL, event, 0));
    END("end after a wait of the default stream");

    for (int is_destroyed = 0; is_destroyed <= 1; is_destroyed++) {
        char line[96];
#define SAY(what, code) \
    (snprintf(line, sizeof line, "joined capture of a %sblocking stream, %s", is_destroyed ? "destroyed " : "", what), \
        say(line, code))
        NEED(cuStreamCreate(&blocking, 0));
        BEGIN();
        JOIN(blocking, first);
        if (is_destroyed) NEED(cuStreamDestroy(blocking));
        SAY("status of the default stream", cuStreamIsCapturing(NULL, &status));
        SAY("information on the default stream", cuStreamGetCaptureInfo(NULL, &status, &id, NULL, NULL, NULL));
        SAY("end after the questions", cuStreamEndCapture(first, &graph));
        BEGIN();
        if (is_destroyed) NEED(cuStreamCreate(&blocking, 0));
        JOIN(blocking, first);
        if (is_destroyed) NEED(cuStreamDestroy(blocking));
        SAY("fill of the default stream", cuMemsetD8Async(memory, 1, MIB, NULL));
        SAY("end after the fill", cuStreamEndCapture(first, &graph));
#undef SAY
    }
#undef BEGIN
#undef END
#undef JOIN
#undef WORK
}

static void nothing(void *data) { (void)data; }

/* Calls beside a capture in the strictest mode: the code of each, and what is left of the capture. */
void calls_beside_a_capture(void) {
    static char pageable[MIB], registered[MIB];
    Properties properties = {.type = PINNED, .location = {DEVICE, 0}};
    PoolProperties of_pool = {.type = PINNED, .location = {DEVICE, 0}};
    Object context = enter(0), stream, other, event, finished, module, pool, graph, empty, executable, made;
    Pointer memory, freed, range, allocated;
    Physical physical, created;
    size_t free_bytes, total, granule;
    Handle handle;
    void *host, *freed_host;
    int status;
    char line[96];
    NEED(cuStreamCreate(&stream, NON_BLOCKING));
    NEED(cuStreamCreate(&other, NON_BLOCKING));
    NEED(cuEventCreate(&event, DISABLE_TIMING));
    NEED(cuEventCreate(&finished, DISABLE_TIMING));
    NEED(cuMemAlloc(&memory, BLOCK));
    NEED(cuMemAlloc(&freed, BLOCK));
    NEED(cuMemAllocHost(&freed_host, MIB));
    NEED(cuMemPoolCreate(&pool, &of_pool));
    NEED(cuMemGetAllocationGranularity(&granule, &properties, MINIMUM));
    NEED(cuMemCreate(&physical, granule, &properties, 0));
    NEED(cuMemAddressReserve(&range, granule, 0, 0, 0));
    NEED(cuGraphCreate(&empty, 0));
    NEED(cuGraphInstantiateWithFlags(&executable, empty, 0));
    NEED(cuEventRecord(finished, NULL));
    NEED(cuCtxSynchronize());
#define BESIDE(name, call) \
    do { \
        NEED(cuStreamBeginCapture(stream, GLOBAL)); \
        snprintf(line, sizeof line, "beside a capture, %s", name); \
        say(line, call); \
        NEED(cuStreamIsCapturing(stream, &status)); \
        snprintf(line, sizeof line, "beside a capture, status after %s", name); \
        say_value(line, status); \
        snprintf(line, sizeof line, "beside a capture, end after %s", name); \
        say(line, cuStreamEndCapture(stream, &graph)); \
    } while (0)
    BESIDE("alloc", cuMemAlloc(&allocated, MIB));
    BESIDE("free", cuMemFree(freed));
    BESIDE("alloc host", cuMemAllocHost(&host, MIB));
    BESIDE("free host", cuMemFreeHost(freed_host));
    BESIDE("register", cuMemHostRegister(registered, MIB, 0));
    BESIDE("alloc managed", cuMemAllocManaged(&allocated, MIB, 1));
    BESIDE("alloc async", cuMemAllocAsync(&allocated, MIB, other));
    BESIDE("alloc async in the default stream", cuMemAllocAsync(&allocated, MIB, NULL));
    BESIDE("memory information", cuMemGetInfo(&free_bytes, &total));
    BESIDE("address range", cuMemGetAddressRange(&allocated, &total, memory));
    BESIDE("get handle", cuIpcGetMemHandle(&handle, memory));
    BESIDE("create", cuMemCreate(&created, granule, &properties, 0));
    BESIDE("map", cuMemMap(range, granule, 0, physical, 0));
    BESIDE("unmap", cuMemUnmap(range, granule));
    BESIDE("release", cuMemRelease(physical));
    BESIDE("create of a pool", cuMemPoolCreate(&made, &of_pool));
    BESIDE("destroy of a pool", cuMemPoolDestroy(pool));
    BESIDE("create of a stream", cuStreamCreate(&made, NON_BLOCKING));
    BESIDE("create of an event", cuEventCreate(&made, DISABLE_TIMING));
    BESIDE("create of a context", cuCtxCreate(&made, 0, 0));
    NEED(cuCtxSetCurrent(context));
    BESIDE("load of a module", cuModuleLoadData(&module, ".version 6.0\n.target sm_50\n.address_size 64\n"));
    BESIDE("query of another event", cuEventQuery(finished));
    BESIDE("wait for another event", cuEventSynchronize(finished));
    BESIDE("stream wait for another event", cuStreamWaitEvent(stream, finished, 0));
    BESIDE("stream wait for an event without a record", cuStreamWaitEvent(stream, event, 0));
    BESIDE("query of another stream", cuStreamQuery(other));
    BESIDE("synchronize of another stream", cuStreamSynchronize(other));
    BESIDE("query of the default stream", cuStreamQuery(NULL));
    BESIDE("synchronize of the default stream", cuStreamSynchronize(NULL));
    BESIDE("copy from the host", cuMemcpyHtoD(memory, pageable, MIB));
    BESIDE("copy to the host", cuMemcpyDtoH(pageable, memory, MIB));
    BESIDE("copy on the device", cuMemcpyDtoD(memory, memory + MIB, MIB));
    BESIDE("copy from the host async", cuMemcpyHtoDAsync(memory, pageable, MIB, stream));
    BESIDE("fill of the default stream", cuMemsetD8Async(memory, 1, MIB, NULL));
    BESIDE("host function", cuLaunchHostFunc(stream, nothing, NULL));
    BESIDE("callback", cuStreamAddCallback(stream, NULL, NULL, 0));
    BESIDE("write of a value", cuStreamWriteValue32(stream, memory, 1, 0));
    BESIDE("launch of a graph", cuGraphLaunch(executable, stream));
    BESIDE("launch of a graph in another stream", cuGraphLaunch(executable, other));
    BESIDE("record", cuEventRecord(event, stream));
    BESIDE("capture of another stream", cuStreamBeginCapture(other, RELAXED));
    NEED(cuStreamEndCapture(other, &graph));
    BESIDE("destroy of another stream", cuStreamDestroy(other));
    BESIDE("destroy of an event", cuEventDestroy(finished));
#undef BESIDE
}

/* A blocking stream, whose work the default stream must not pass. */
void capture_of_a_blocking_stream(void) {
    Object stream, graph;
    Pointer memory;
    int status;
    enter(0);
    NEED(cuMemAlloc(&memory, BLOCK));
    NEED(cuStreamCreate(&stream, 0));
    NEED(cuCtxSynchronize());
    for (int mode = GLOBAL; mode <= RELAXED; mode++) {
        char line[96];
#define SAY(call, code) (snprintf(line, sizeof line, "capture of a blocking stream in mode %d, %s", mode, call), say(line, code))
        SAY("begin", cuStreamBeginCapture(stream, mode));
        SAY("fill", cuMemsetD8Async(memory, 1, MIB, stream));
        SAY("fill of the default stream", cuMemsetD8Async(memory, 1, MIB, NULL));
        SAY("end after that", cuStreamEndCapture(stream, &graph));
        SAY("begin again", cuStreamBeginCapture(stream, mode));
        SAY("fill at once", cuMemsetD8(memory, 1, MIB));
        NEED(cuStreamIsCapturing(stream, &status));
        SAY("end after fill at once", cuStreamEndCapture(stream, &graph));
        SAY("begin once more", cuStreamBeginCapture(stream, mode));
        SAY("query of the default stream", cuStreamQuery(NULL));
        SAY("end after query", cuStreamEndCapture(stream, &graph));
#undef SAY
    }
}

static Object of_another_thread;
static int codes_of_another_thread[2];

static void *in_another_thread(void *context) {
    Object graph;
    Pointer memory;
    NEED(cuCtxSetCurrent(context));
    codes_of_another_thread[0] = cuMemAlloc(&memory, MIB);
    codes_of_another_thread[1] = cuStreamEndCapture(of_another_thread, &graph);
    return NULL;
}

void capture_and_another_thread(void) {
    Object context = enter(0), graph;
    for (int mode = GLOBAL; mode <= RELAXED; mode++) {
        char line[96];
        pthread_t thread;
#define SAY(call, code) (snprintf(line, sizeof line, "capture in mode %d and another thread, %s", mode, call), say(line, code))
        NEED(cuStreamCreate(&of_another_thread, NON_BLOCKING));
        NEED(cuStreamBeginCapture(of_another_thread, mode));
        if (pthread_create(&thread, NULL, in_another_thread, context) || pthread_join(thread, NULL)) exit(2);
        SAY("alloc", codes_of_another_thread[0]);
        SAY("end", codes_of_another_thread[1]);
        SAY("end by the first", cuStreamEndCapture(of_another_thread, &graph));
#undef SAY
    }
}

/* Functions that libraries of others need around the memory that they share: contexts, modules, callbacks, profilers. */
#include "groups.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct { char bytes[16]; } Uuid;
typedef struct { int type; unsigned multiprocessors[2]; } Affinity;
typedef struct { Affinity *affinities; int count; void *graphics; } ContextParameters;

enum { UNKNOWN_FLAG = 1 << 20, ATTACH_SINGLE = 4, ATTACH_GLOBAL = 1, MAX_REGISTERS = 0 };
enum { ERROR_LOG = 5, ERROR_LOG_SIZE = 6, NO_OPTION = 999 };

/* PTX without code. */
static const char image[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n.visible .global .align 4 .b8 variable[64];\n";

void export_tables(void) {
    Uuid unknown = {"no such table!!"};
    const void *table = NULL;
    NEED(cuInit(0));
    say("export table unknown", cuGetExportTable(&table, &unknown));
    say_value("export table unknown is null", table == NULL);
    say("export table no output", cuGetExportTable(NULL, &unknown));
    say("export table no id", cuGetExportTable(&table, NULL));
}

void contexts_of_later_signatures(void) {
    Object context = NULL, older = NULL, primary = enter(0);
    Affinity half = {0, {1, 0}};
    ContextParameters none = {NULL, 0, NULL}, one = {&half, 1, NULL};
    unsigned long long id = 0, other = 0;
    unsigned version = 0;
    Uuid first, second;
    int least = 7, greatest = 7, is_equal;

    say("priority range", cuCtxGetStreamPriorityRange(&least, &greatest));
    say_value("priority range least", least);
    say_value("priority range greatest is below", greatest < least);
    say_value("priority range greatest", (unsigned)-greatest);
    say("priority range no outputs", cuCtxGetStreamPriorityRange(NULL, NULL));

    say("context v3 without affinity", cuCtxCreate_v3(&context, NULL, 0, 0, 0));
    say("context v3 version", cuCtxGetApiVersion(context, &version));
    say_value("context v3 version is", version);
    say("context v3 destroy", cuCtxDestroy(context));
    say("context v3 no output", cuCtxCreate_v3(NULL, NULL, 0, 0, 0));
    say("context v3 unknown flags", cuCtxCreate_v3(&context, NULL, 0, UNKNOWN_FLAG, 0));
    say("context v3 no device", cuCtxCreate_v3(&context, NULL, 0, 0, 99));
    say("context v3 one affinity", cuCtxCreate_v3(&context, &half, 1, 0, 0));
    say("context v3 null affinities", cuCtxCreate_v3(&context, NULL, 1, 0, 0));
    say("context v3 affinities without a count", cuCtxCreate_v3(&context, &half, 0, 0, 0));
    say("context v3 negative count", cuCtxCreate_v3(&context, &half, -1, 0, 0));

    say("context v4 without parameters", cuCtxCreate_v4(&context, NULL, 0, 0));
    say("context v4 version", cuCtxGetApiVersion(context, &version));
    say_value("context v4 version is", version);
    say("context v4 empty parameters", cuCtxCreate_v4(&context, &none, 0, 0));
    say("context v4 one affinity", cuCtxCreate_v4(&context, &one, 0, 0));
    say("context v4 no output", cuCtxCreate_v4(NULL, NULL, 0, 0));
    say("context v4 unknown flags", cuCtxCreate_v4(&context, NULL, UNKNOWN_FLAG, 0));
    say("context v2", cuCtxCreate(&older, 0, 0));
    say("context v2 version", cuCtxGetApiVersion(older, &version));
    say_value("context v2 version is", version);
    say("primary context version", cuCtxGetApiVersion(primary, &version));
    say_value("primary context version is", version);

    say("context id", cuCtxGetId(older, &id));
    say("context id of the current", cuCtxGetId(NULL, &other));
    say_value("context id is the current's", id == other);
    say("context id of the primary", cuCtxGetId(primary, &other));
    say_value("context id differs", id != other);
    say("context id no output", cuCtxGetId(primary, NULL));
    NEED(cuCtxDestroy(older));
    say("context id of a destroyed one", cuCtxGetId(older, &id));
    NEED(cuCtxSetCurrent(NULL));
    say("context id of none", cuCtxGetId(NULL, &id));
    say("priority range of none", cuCtxGetStreamPriorityRange(&least, &greatest));

    say("uuid", cuDeviceGetUuid(&first, 0));
    NEED(cuDeviceGetUuid_v2(&second, 0));
    is_equal = !memcmp(&first, &second, sizeof first);
    say_value("uuid is the one of v2", is_equal);
    say("uuid no output", cuDeviceGetUuid(NULL, 0));
    say("uuid no device", cuDeviceGetUuid(&first, 99));
}

static struct Called {
    int times, code, code_of_a_call, is_other_thread;
    Object stream;
    pthread_t caller;
} called;

static void callback(Object stream, int code, void *data) {
    struct Called *called = data;
    Pointer memory;
    called->times++;
    called->code = code;
    called->stream = stream;
    called->is_other_thread = !pthread_equal(called->caller, pthread_self());
    called->code_of_a_call = cuMemAlloc(&memory, BLOCK);
}

void callbacks(void) {
    Object stream;
    Pointer memory, managed;
    void *host;
    enter(0);
    called.caller = pthread_self();
    NEED(cuStreamCreate(&stream, NON_BLOCKING));
    say("callback none", cuStreamAddCallback(stream, NULL, NULL, 0));
    say("callback with flags", cuStreamAddCallback(stream, callback, &called, 1));
    say("callback", cuStreamAddCallback(stream, callback, &called, 0));
    NEED(cuCtxSynchronize());
    say_value("callback times", called.times);
    say("callback code", called.code);
    say("callback makes a call", called.code_of_a_call);
    say_value("callback has the stream", called.stream == stream);
    say_value("callback is in another thread", called.is_other_thread);
    say("callback of the default stream", cuStreamAddCallback(NULL, callback, &called, 0));
    NEED(cuCtxSynchronize());
    say_value("callback of the default stream has null", called.stream == NULL);

    NEED(cuMemAlloc(&memory, BLOCK));
    NEED(cuMemAllocHost(&host, MIB));
    NEED(cuMemAllocManaged(&managed, MIB, ATTACH_GLOBAL));
    say("attach managed", cuStreamAttachMemAsync(stream, managed, 0, ATTACH_SINGLE));
    say("attach managed whole length", cuStreamAttachMemAsync(stream, managed, MIB, ATTACH_SINGLE));
    say("attach managed part", cuStreamAttachMemAsync(stream, managed, MIB / 2, ATTACH_SINGLE));
    say("attach managed to all", cuStreamAttachMemAsync(stream, managed, 0, ATTACH_GLOBAL));
    say("attach managed two flags", cuStreamAttachMemAsync(stream, managed, 0, ATTACH_GLOBAL | ATTACH_SINGLE));
    say("attach managed single to the default stream", cuStreamAttachMemAsync(NULL, managed, 0, ATTACH_SINGLE));
    say("attach device memory", cuStreamAttachMemAsync(stream, memory, 0, ATTACH_GLOBAL));
    say("attach pinned memory", cuStreamAttachMemAsync(stream, (Pointer)(uintptr_t)host, 0, ATTACH_GLOBAL));
    say("attach null", cuStreamAttachMemAsync(stream, 0, 0, ATTACH_GLOBAL));
    say("attach synchronize", cuCtxSynchronize());
}

static const char *write_file(const char *path, const char *text, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, 1, size, file) != size || fclose(file)) exit(2);
    return path;
}

void modules(void) {
    char folder[] = "/tmp/probe-XXXXXX", path[64], log[256] = {0};
    int options[2] = {ERROR_LOG, ERROR_LOG_SIZE}, unknown = NO_OPTION, registers = MAX_REGISTERS;
    void *values[2] = {log, (void *)(uintptr_t)sizeof log}, *value = (void *)(uintptr_t)32;
    Object module;
    Pointer variable;
    size_t size = 0;
    enter(0);
    if (!mkdtemp(folder)) exit(2);
    snprintf(path, sizeof path, "%s/module.ptx", folder);

    say("module load data", cuModuleLoadData(&module, image));
    say("module load data ex", cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
    say("module global", cuModuleGetGlobal(&variable, &size, module, "variable"));
    say_value("module global size", size);
    say("module load data ex with options", cuModuleLoadDataEx(&module, image, 2, options, values));
    say("module load data ex with registers", cuModuleLoadDataEx(&module, image, 1, &registers, &value));
    say("module load data ex null options", cuModuleLoadDataEx(&module, image, 1, NULL, NULL));
    say("module load data ex null values", cuModuleLoadDataEx(&module, image, 1, &registers, NULL));
    say("module load data ex unknown option", cuModuleLoadDataEx(&module, image, 1, &unknown, &value));
    say("module load data ex no output", cuModuleLoadDataEx(NULL, image, 0, NULL, NULL));
    say("module load data ex no image", cuModuleLoadDataEx(&module, NULL, 0, NULL, NULL));
    say("module load data ex empty image", cuModuleLoadDataEx(&module, "", 0, NULL, NULL));
    say("module load data ex of words", cuModuleLoadDataEx(&module, "hello", 0, NULL, NULL));

    say("module load", cuModuleLoad(&module, write_file(path, image, sizeof image)));
    say("module load global", cuModuleGetGlobal(&variable, &size, module, "variable"));
    say("module load without a NUL", cuModuleLoad(&module, write_file(path, image, sizeof image - 1)));
    say("module load of words", cuModuleLoad(&module, write_file(path, "hello", 5)));
    say("module load of an empty file", cuModuleLoad(&module, write_file(path, "", 0)));
    unlink(path);
    say("module load without a file", cuModuleLoad(&module, path));
    say("module load of a folder", cuModuleLoad(&module, folder));
    say("module load no output", cuModuleLoad(NULL, path));
    say("module load no name", cuModuleLoad(&module, NULL));
    rmdir(folder);
    NEED(cuCtxSetCurrent(NULL));
    say("module load of none", cuModuleLoadData(&module, image));
}

void profilers(void) {
    NEED(cuInit(0));
    say("profiler start of none", cuProfilerStart());
    say("profiler stop of none", cuProfilerStop());
    enter(0);
    say("profiler start", cuProfilerStart());
    say("profiler start again", cuProfilerStart());
    say("profiler stop", cuProfilerStop());
    say("profiler stop again", cuProfilerStop());
}

void libraries(void) {
    Object library = NULL, other, module, kernel;
    Pointer variable = 0, again = 0;
    size_t size = 0;
    unsigned kernels = 7;
    NEED(cuInit(0));
    say("library load of none", cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    say("library global of none", cuLibraryGetGlobal(&variable, &size, library, "variable"));
    say("library unload of none", cuLibraryUnload(library));
    enter(0);
    say("library load", cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    say("library load again", cuLibraryLoadData(&other, image, NULL, NULL, 0, NULL, NULL, 0));
    say_value("library load again is another", other != library);
    say("library global", cuLibraryGetGlobal(&variable, &size, library, "variable"));
    say_value("library global size", size);
    say("library global no outputs", cuLibraryGetGlobal(NULL, NULL, library, "variable"));
    say("library global unknown", cuLibraryGetGlobal(&variable, &size, library, "other"));
    say("library kernels", cuLibraryGetKernelCount(&kernels, library));
    say_value("library kernels are", kernels);
    say("library kernel unknown", cuLibraryGetKernel(&kernel, library, "none"));
    say("library module", cuLibraryGetModule(&module, library));
    say("library module global", cuModuleGetGlobal(&again, &size, module, "variable"));
    say_value("library module global is the library's", again == variable);
    say("library module unload", cuModuleUnload(module));
    say("library load no output", cuLibraryLoadData(NULL, image, NULL, NULL, 0, NULL, NULL, 0));
    say("library load no image", cuLibraryLoadData(&other, NULL, NULL, NULL, 0, NULL, NULL, 0));
    say("library load of words", cuLibraryLoadData(&other, "hello", NULL, NULL, 0, NULL, NULL, 0));
    say("library load null options", cuLibraryLoadData(&other, image, NULL, NULL, 1, NULL, NULL, 0));
    say("library load from a file", cuLibraryLoadFromFile(&other, "/no/such/file", NULL, NULL, 0, NULL, NULL, 0));
    say("library unload", cuLibraryUnload(library));
}

/* A process ends with REFUSED if the driver refused what a bug would allow, and with ALONE if another one is gone. */
enum { BEHAVES = 0, MISBEHAVES = 1, CANNOT_RUN = 77, REFUSED = 78, ALONE = 79 };
enum { ANY_ERROR = -1, END = -2 };
#define KiB (1ULL << 10)
#define MiB (1ULL << 20)

/* The processes. The parent calls no driver: it forks, sends signals, waits, and looks at what processes leave. */
//PROCESSES//

static int self;
/* Whether this is not the only thread of its process that calls the driver. */
static _Thread_local int is_thread;
/* How many GPUs this process must see. */
static int gpus = GPUS;
static int sockets[PROCESSES][PROCESSES];
static pid_t *processes;
static int is_gone[PROCESSES];
/* The call that each process makes, for the parent to name if the process dies in it. */
static const char *volatile *calls;

/* Whether a process has found that the driver misbehaves. The parent needs this: the process can take long to end. The
 * second number is 1 from when a process begins to say what it has found: the others say nothing. */
static int *has_found;

/* Prints one line and ends the process. */
static void end(int code, const char *format, ...) {
    static int is_ending;
    /* Several threads can find something. The first one says what, and its exit ends the others. */
    while (__atomic_exchange_n(&is_ending, 1, __ATOMIC_SEQ_CST))
        pause();
    if (has_found && code == MISBEHAVES && __atomic_exchange_n(&has_found[1], 1, __ATOMIC_SEQ_CST)) {
        /* The parent ends all processes when one has ended. */
        for (int tries = 0; tries < 1000 && !__atomic_load_n(&has_found[0], __ATOMIC_SEQ_CST); tries++)
            nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
        _exit(code);
    }
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("%s\n", text);
    fflush(stdout);
    if (has_found && code == MISBEHAVES)
        has_found[0] = 1;
    _exit(code);
}

static const char *name_of(CUresult code) {
    const char *name = NULL;
    return cuGetErrorName && cuGetErrorName(code, &name) == 0 && name ? name : "unknown";
}

/* A call that must succeed. */
__attribute__((unused)) static void must_succeed(const char *call, CUresult code) {
    size_t free, total;
    if (code == 2 && !cuMemGetInfo(&free, &total) && total < MEMORY)
        end(CANNOT_RUN, "cannot run: %s: %s returned %s (2), and the GPU of the recorded run has more memory",
            names[self], call, name_of(code));
    if (code)
        end(MISBEHAVES, "%s: %s returned %s (%d), expected CUDA_SUCCESS", names[self], call, name_of(code), (int)code);
    if (!is_thread)
        calls[self] = NULL;
}
#define succeeds(call) (calls[self] = #call, must_succeed(#call, (call)))

/* A call whose code is looked at afterwards. */
__attribute__((unused)) static CUresult tried(CUresult code) {
    calls[self] = NULL;
    return code;
}
#define tries(call) (calls[self] = #call, tried(call))

/* A call that must return one of some codes, or any error. */
__attribute__((unused)) static CUresult must_return(const char *call, CUresult code, const int *codes) {
    const int *one = codes;
    while (*one != END && *one != (int)code && !(*one == ANY_ERROR && code))
        one++;
    if (*one == END)
        end(MISBEHAVES, "%s: %s returned %s (%d), expected %s%s", names[self], call, name_of(code), (int)code,
            codes[0] == ANY_ERROR ? "an error" : name_of(codes[0]), codes[1] == END ? "" : " or another listed code");
    if (!is_thread)
        calls[self] = NULL;
    return code;
}
#define refuses(call, ...) (calls[self] = #call, must_return(#call, (call), (int[]){ __VA_ARGS__, END }))

/* A call that may return several codes. The program continues only as in the recorded run. If that run failed later, a
 * driver that goes another way behaves. */
__attribute__((unused)) static void must_take_the_path(const char *call, CUresult code, CUresult recorded) {
    (void)call;
    if (!code != !recorded)
        //OTHER_PATH//
    calls[self] = NULL;
}
#define takes_the_path(call, recorded) (calls[self] = #call, must_take_the_path(#call, (call), recorded))
#define returns(call, recorded, ...)                                                                                \
    do {                                                                                                            \
        calls[self] = #call;                                                                                        \
        CUresult code_ = (call);                                                                                    \
        must_return(#call, code_, (int[]){ recorded, __VA_ARGS__, END });                                           \
        must_take_the_path(#call, code_, recorded);                                                                 \
    } while (0)

/* A call that reaches memory which was not shared. If the driver refuses it, the driver behaves. */
__attribute__((unused)) static void must_be_refused(CUresult code) {
    calls[self] = NULL;
    if (code)
        _exit(REFUSED);
}
#define reaches(call) (calls[self] = #call, must_be_refused(call))

/* A condition that must hold. */
#define holds(condition, text)                                                                                      \
    do {                                                                                                            \
        if (!(condition))                                                                                           \
            end(MISBEHAVES, "%s: %s: %s does not hold", names[self], text, #condition);                             \
    } while (0)
/* The same for a comparison of two numbers: says what was found and what was expected. */
__attribute__((unused)) static const char *in_words(const char *operator) {
    const char *const words[][2] = { { "!=", "another number than " }, { ">=", "at least " }, { "<=", "at most " },
                                     { ">", "more than " },             { "<", "less than " } };
    for (size_t one = 0; one < sizeof words / sizeof *words; one++)
        if (!strcmp(operator, words[one][0]))
            return words[one][1];
    return "";
}
#define compares(left, operator, right, text)                                                                       \
    do {                                                                                                            \
        if (!((left) operator (right)))                                                                             \
            end(MISBEHAVES, "%s: %s: %s is %lld, expected %s%lld", names[self], text, #left, (long long)(left),     \
                in_words(#operator), (long long)(right));                                                           \
    } while (0)
/* A condition that shows that a process reaches memory which was not shared with it. */
#define discloses(condition, text)                                                                                  \
    do {                                                                                                            \
        if (condition)                                                                                              \
            end(MISBEHAVES, "%s: %s", names[self], text);                                                           \
    } while (0)

/* The name of the call that a process makes while it exits: the handlers of a driver can crash or hang there. */
static const char leaving[] = "exit";

/* Ends the process as a return from main does. A driver can have handlers for that. */
static void leave(void) {
    calls[self] = leaving;
    exit(BEHAVES);
}

/* The other process is gone, so the parent has the result. */
static void alone(void) { _exit(ALONE); }

static void give(int to, const void *bytes, size_t length) {
    if (send(sockets[self][to], bytes, length, MSG_NOSIGNAL) != (ssize_t)length && self != PARENT)
        alone();
}
static void go_on(int other) { give(other, "", 1); }

static void lost(int process);
__attribute__((unused)) static void take(int from, void *bytes, size_t length) {
    if (recv(sockets[self][from], bytes, length, MSG_WAITALL) == (ssize_t)length)
        return;
    if (self != PARENT)
        alone();
    lost(from);
}
static void wait_for(int other) {
    char turn;
    take(other, &turn, 1);
}
//HELPERS//
static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found)
        end(CANNOT_RUN, "cannot run: the driver has no %s", name);
    return found;
}

static void load(void) {
    const char *path = getenv("CUDA_IPC_DRIVER");
    void *library = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        end(CANNOT_RUN, "cannot run: %s%s", dlerror(),
            path && *path ? "" : "; CUDA_IPC_DRIVER=PATH names another library");
//RUNTIME//
//SYMBOLS//
//VERSION//
}

/* Loads the driver and makes the primary context of a device current. */
__attribute__((unused)) static void start(int device) {
    int count = 0;
    load();
    calls[self] = "cuInit(0)";
    CUresult code = cuInit(0);
    if (code)
        end(CANNOT_RUN, "cannot run: cuInit returned %s (%d)", name_of(code), (int)code);
    calls[self] = "cuDeviceGetCount(&count)";
    if (cuDeviceGetCount(&count) || count < gpus)
        end(CANNOT_RUN, "cannot run: the case needs %d GPU%s, and the driver has %d", gpus, gpus == 1 ? "" : "s", count);
    calls[self] = "cuDevicePrimaryCtxRetain(&primary_context, device)";
    code = cuDevicePrimaryCtxRetain(&primary_context, device);
    if (!code) {
        calls[self] = "cuCtxSetCurrent(primary_context)";
        code = cuCtxSetCurrent(primary_context);
    }
    if (code)
        end(CANNOT_RUN, "cannot run: no context on device %d: %s (%d)", device, name_of(code), (int)code);
//KERNELS//    calls[self] = NULL;
}

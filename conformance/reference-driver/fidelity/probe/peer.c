#include "peer.h"

#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

struct Question {
    enum Operation operation;
    unsigned flags;
    Pointer value;
    Handle handle;
};

/* The files are /dev/shm/cuda.shm.USER.PROCESS.NUMBER. */
static size_t leftovers(pid_t process, int are_removed) {
    char pattern[64];
    glob_t found;
    snprintf(pattern, sizeof pattern, "/dev/shm/cuda.shm.%x.%x.*", getuid(), process);
    if (glob(pattern, 0, NULL, &found)) return 0;
    size_t count = found.gl_pathc;
    for (size_t i = 0; are_removed && i < count; i++) unlink(found.gl_pathv[i]);
    globfree(&found);
    return count;
}

void remove_leftovers(pid_t process) { leftovers(process, 1); }

int has_leftovers(pid_t process) { return leftovers(process, 0) > 0; }

/* Returns whether all bytes were sent. */
static int send_all(int socket, const void *bytes, size_t size, int descriptor) {
    union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr aligned; } control = {0};
    struct iovec vector = {(void *)bytes, size};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

/* Returns whether all bytes were received. `descriptor` is the one that came with them, or -1. */
static int receive_all(int socket, void *bytes, size_t size, int *descriptor) {
    union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr aligned; } control = {0};
    struct iovec vector = {bytes, size};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    *descriptor = -1;
    if (recvmsg(socket, &message, MSG_WAITALL) != (ssize_t)size) return 0;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS) memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    return 1;
}

static int allocate_filled(Pointer byte, struct Answer *answer) {
    int code = cuMemAlloc(&answer->value, BLOCK);
    if (!code) code = cuMemsetD8(answer->value, (unsigned char)byte, BLOCK);
    if (!code) code = cuCtxSynchronize();
    return code ? code : cuIpcGetMemHandle(&answer->handle, answer->value);
}

static int read_byte(Pointer pointer, Pointer *value) {
    unsigned char byte = 0;
    int code = cuMemcpyDtoH(&byte, pointer, 1);
    *value = byte;
    return code;
}

static int map_and_read(Physical physical, int device, size_t size, Pointer *value) {
    Pointer address;
    Access access = {{DEVICE, device}, READ_WRITE};
    int code = cuMemAddressReserve(&address, size, 0, 0, 0);
    if (!code) code = cuMemMap(address, size, 0, physical, 0);
    if (!code) code = cuMemSetAccess(address, size, &access, 1);
    return code ? code : read_byte(address, value);
}

static int new_context(int device) {
    Object context;
    int code = cuCtxCreate(&context, 0, device);
    return code ? code : cuCtxSetCurrent(context);
}

static int create_event(struct Answer *answer) {
    Object event = NULL;
    int code = cuEventCreate(&event, INTERPROCESS | DISABLE_TIMING);
    answer->value = (Pointer)event;
    return code ? code : cuIpcGetEventHandle(&answer->handle, event);
}

/* A stream waits for this word. */
static volatile unsigned *latch;

/* Creates an event and records it behind work that ends when `latch` is set. */
static int create_pending_event(struct Answer *answer) {
    Object stream;
    int code = cuMemAllocHost((void **)&latch, sizeof *latch);
    if (!code) code = cuStreamCreate(&stream, NON_BLOCKING);
    if (!code) code = create_event(answer);
    if (code) return code;
    *latch = 0;
    code = cuStreamWaitValue32(stream, (Pointer)(uintptr_t)latch, 1, WAIT_EQUAL);
    return code ? code : cuEventRecord((Object)answer->value, stream);
}

static int free_stream_ordered(Pointer pointer) {
    int code = cuMemFreeAsync(pointer, NULL);
    return code ? code : cuCtxSynchronize();
}

/* Performs one operation. Operations on a pool use the pool that was imported last. */
static struct Answer perform(const struct Question *question, int descriptor, int device) {
    static Object pool;
    struct Answer answer = {0};
    Pointer value = question->value, base;
    void *number = (void *)(intptr_t)descriptor;
    Access access = {{DEVICE, device}, READ_WRITE};
    Properties properties = {0};
    Handle handle = question->handle;
    Object object = NULL;
    size_t size;
    int exported = -1;
    switch (question->operation) {
    case ALLOC: answer.code = allocate_filled(value, &answer); break;
    case OPEN: answer.code = cuIpcOpenMemHandle(&answer.value, handle, question->flags); break;
    case CLOSE: answer.code = cuIpcCloseMemHandle(value); break;
    case READ_BYTE: answer.code = read_byte(value, &answer.value); break;
    case BASE: answer.code = cuMemGetAddressRange(&answer.value, &size, value); break;
    case SIZE: answer.code = cuMemGetAddressRange(&base, &size, value), answer.value = size; break;
    case FREE: answer.code = cuMemFree(value); break;
    case GET: answer.code = cuIpcGetMemHandle(&handle, value); break;
    case NEW_CONTEXT: answer.code = new_context(device); break;
    case EVENT_CREATE: answer.code = create_event(&answer); break;
    case EVENT_PENDING: answer.code = create_pending_event(&answer); break;
    case EVENT_COMPLETE: *latch = 1; break;
    case EVENT_OPEN:
        answer.code = cuIpcOpenEventHandle(&object, handle);
        answer.value = (Pointer)object;
        break;
    case EVENT_QUERY: answer.code = cuEventQuery((Object)value); break;
    case EVENT_RECORD: answer.code = cuEventRecord((Object)value, NULL); break;
    case EVENT_SYNCHRONISE: answer.code = cuEventSynchronize((Object)value); break;
    case EVENT_DESTROY: answer.code = cuEventDestroy((Object)value); break;
    case EVENT_GET: answer.code = cuIpcGetEventHandle(&handle, (Object)value); break;
    case VMM_IMPORT: answer.code = cuMemImportFromShareableHandle(&answer.value, number, FILE_DESCRIPTOR); break;
    case VMM_EXPORT: answer.code = cuMemExportToShareableHandle(&exported, value, FILE_DESCRIPTOR, 0); break;
    case VMM_TYPES:
        answer.code = cuMemGetAllocationPropertiesFromHandle(&properties, value);
        answer.value = (Pointer)properties.handle_types;
        break;
    case VMM_MAP: answer.code = map_and_read(value, device, question->flags, &answer.value); break;
    case POOL_IMPORT: answer.code = cuMemPoolImportFromShareableHandle(&pool, number, FILE_DESCRIPTOR, 0); break;
    case POOL_ALLOC: answer.code = cuMemAllocFromPoolAsync(&answer.value, 4096, pool, NULL); break;
    case POOL_ACCESS: answer.code = cuMemPoolSetAccess(pool, &access, 1); break;
    case POOL_EXPORT: answer.code = cuMemPoolExportToShareableHandle(&exported, pool, FILE_DESCRIPTOR, 0); break;
    case POOL_POINTER: answer.code = cuMemPoolImportPointer(&answer.value, pool, &handle); break;
    case POOL_EXPORT_POINTER: answer.code = cuMemPoolExportPointer(&handle, value); break;
    case POOL_FREE: answer.code = free_stream_ordered(value); break;
    case POOL_DESTROY: answer.code = cuMemPoolDestroy(pool); break;
    }
    if (exported >= 0) close(exported);
    return answer;
}

static _Noreturn void serve(int socket, int device) {
    struct Question question;
    int descriptor;
    enter(device);
    while (receive_all(socket, &question, sizeof question, &descriptor)) {
        struct Answer answer = perform(&question, descriptor, device);
        if (descriptor >= 0) close(descriptor);
        if (!send_all(socket, &answer, sizeof answer, -1)) break;
    }
    _exit(0);
}

struct Peer start_peer(int device) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) exit(2);
    pid_t process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(sockets[0]);
        serve(sockets[1], device);
    }
    close(sockets[1]);
    return (struct Peer){process, sockets[0]};
}

pid_t kill_peer(struct Peer *peer) {
    pid_t process = peer->process;
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
    close(peer->socket);
    peer->process = 0;
    return process;
}

void end_peer(struct Peer *peer) {
    if (peer->process) remove_leftovers(kill_peer(peer));
}

static void put(struct Peer *peer, struct Question question, int descriptor) {
    if (peer->process) send_all(peer->socket, &question, sizeof question, descriptor);
}

void begin(struct Peer *peer, enum Operation operation, Pointer value) {
    put(peer, (struct Question){.operation = operation, .value = value}, -1);
}

struct Answer finish(struct Peer *peer) {
    struct Answer answer = {0};
    int none, status = 0;
    if (peer->process && receive_all(peer->socket, &answer, sizeof answer, &none)) return answer;
    if (!peer->process) {
        fprintf(stderr, "probe: cannot send an operation to a process that has ended\n");
        exit(2);
    }
    waitpid(peer->process, &status, 0);
    remove_leftovers(peer->process);
    close(peer->socket);
    peer->process = 0;
    if (!WIFSIGNALED(status)) exit(2);
    return (struct Answer){.code = -1, .signal = WTERMSIG(status)};
}

int answers_within(struct Peer *peer, int milliseconds) {
    struct pollfd readable = {peer->socket, POLLIN, 0};
    return poll(&readable, 1, milliseconds) == 1;
}

static struct Answer pose(struct Peer *peer, struct Question question, int descriptor) {
    put(peer, question, descriptor);
    return finish(peer);
}

struct Answer ask(struct Peer *peer, enum Operation operation, Pointer value) {
    return pose(peer, (struct Question){.operation = operation, .value = value}, -1);
}

struct Answer ask_about(struct Peer *peer, enum Operation operation, Handle handle) {
    return pose(peer, (struct Question){.operation = operation, .handle = handle}, -1);
}

struct Answer open_with_flags(struct Peer *peer, Handle handle, unsigned flags) {
    return pose(peer, (struct Question){.operation = OPEN, .flags = flags, .handle = handle}, -1);
}

struct Answer open_memory(struct Peer *peer, Handle handle) { return open_with_flags(peer, handle, LAZY_PEER_ACCESS); }

struct Answer map_memory(struct Peer *peer, Pointer physical, unsigned size) {
    return pose(peer, (struct Question){.operation = VMM_MAP, .flags = size, .value = physical}, -1);
}

struct Answer pass_descriptor(struct Peer *peer, enum Operation operation, int descriptor) {
    return pose(peer, (struct Question){.operation = operation}, descriptor);
}

Handle filled(unsigned char byte) {
    Handle handle;
    memset(handle.bytes, byte, sizeof handle.bytes);
    return handle;
}

/* The other process: it performs what it is asked for, one message at a time, until the first one is gone. */
#pragma once
#include "driver.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum Operation { OPEN, CLOSE, READ_BYTE, SIZE, FREE, GET, EVENT_OPEN, EVENT_USE, EVENT_GET, VMM_IMPORT, VMM_EXPORT,
                 VMM_TYPES, VMM_MAP, POOL_IMPORT, POOL_ALLOC, POOL_EXPORT, POOL_POINTER, POOL_EXPORT_POINTER,
                 POOL_FREE, POOL_DESTROY };

struct Question {
    enum Operation operation;
    unsigned flags;
    Pointer value;
    Handle handle;
};

struct Answer {
    int code;
    Pointer value;
};

static void send_all(int socket, const void *bytes, size_t size, int descriptor) {
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
    if (sendmsg(socket, &message, MSG_NOSIGNAL) != (ssize_t)size) exit(2);
}

/* The descriptor that came along, or -1; the process ends where the other one did. */
static int receive_all(int socket, void *bytes, size_t size) {
    union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr aligned; } control = {0};
    struct iovec vector = {bytes, size};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    if (recvmsg(socket, &message, MSG_WAITALL) != (ssize_t)size) _exit(2);
    int descriptor = -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS) memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
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

static int use_event(Object event) {
    int code = cuEventQuery(event);
    if (!code) code = cuEventRecord(event, NULL);
    if (!code) code = cuEventSynchronize(event);
    return code ? code : cuEventDestroy(event);
}

static _Noreturn void import_what_is_asked(int socket, int device) {
    Object pool = NULL;
    enter(device);
    for (;;) {
        struct Question question;
        struct Answer answer = {0, 0};
        Object object = NULL;
        Handle handle;
        size_t size;
        int number = -1, descriptor = receive_all(socket, &question, sizeof question);
        Properties properties = {0};
        Pointer value = question.value;
        switch (question.operation) {
        case OPEN: answer.code = cuIpcOpenMemHandle(&answer.value, question.handle, question.flags); break;
        case CLOSE: answer.code = cuIpcCloseMemHandle(value); break;
        case READ_BYTE: answer.code = read_byte(value, &answer.value); break;
        case SIZE: answer.code = cuMemGetAddressRange(&value, &size, value), answer.value = size; break;
        case FREE: answer.code = cuMemFree(value); break;
        case GET: answer.code = cuIpcGetMemHandle(&handle, value); break;
        case EVENT_OPEN:
            answer.code = cuIpcOpenEventHandle(&object, question.handle);
            answer.value = (Pointer)object;
            break;
        case EVENT_USE: answer.code = use_event((Object)value); break;
        case EVENT_GET: answer.code = cuIpcGetEventHandle(&handle, (Object)value); break;
        case VMM_IMPORT:
            answer.code = cuMemImportFromShareableHandle(&answer.value, (void *)(intptr_t)descriptor, FILE_DESCRIPTOR);
            break;
        case VMM_EXPORT: answer.code = cuMemExportToShareableHandle(&number, value, FILE_DESCRIPTOR, 0); break;
        case VMM_TYPES:
            answer.code = cuMemGetAllocationPropertiesFromHandle(&properties, value);
            answer.value = (Pointer)properties.handle_types;
            break;
        case VMM_MAP: answer.code = map_and_read(value, device, question.flags, &answer.value); break;
        case POOL_IMPORT:
            answer.code =
                cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)descriptor, FILE_DESCRIPTOR, 0);
            break;
        case POOL_ALLOC: answer.code = cuMemAllocFromPoolAsync(&answer.value, 4096, pool, NULL); break;
        case POOL_EXPORT: answer.code = cuMemPoolExportToShareableHandle(&number, pool, FILE_DESCRIPTOR, 0); break;
        case POOL_POINTER: answer.code = cuMemPoolImportPointer(&answer.value, pool, &question.handle); break;
        case POOL_EXPORT_POINTER: answer.code = cuMemPoolExportPointer(&handle, value); break;
        case POOL_FREE:
            answer.code = cuMemFreeAsync(value, NULL);
            cuCtxSynchronize();
            break;
        case POOL_DESTROY: answer.code = cuMemPoolDestroy(pool); break;
        }
        if (descriptor >= 0) close(descriptor);
        send_all(socket, &answer, sizeof answer, -1);
    }
}

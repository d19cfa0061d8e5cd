/* Another process with a context of its own. It performs one operation for each message. */
#pragma once
#include "driver.h"

#include <sys/types.h>
#include <unistd.h>

enum Operation {
    ALLOC, OPEN, CLOSE, READ_BYTE, BASE, SIZE, FREE, GET, NEW_CONTEXT,
    EVENT_CREATE, EVENT_PENDING, EVENT_COMPLETE, EVENT_OPEN, EVENT_QUERY, EVENT_RECORD, EVENT_SYNCHRONISE,
    EVENT_DESTROY, EVENT_GET,
    VMM_IMPORT, VMM_EXPORT, VMM_TYPES, VMM_MAP,
    POOL_IMPORT, POOL_ALLOC, POOL_ACCESS, POOL_EXPORT, POOL_POINTER, POOL_EXPORT_POINTER, POOL_FREE, POOL_DESTROY,
};

struct Answer {
    int code;
    /* The signal that ended the peer before it could answer, or 0. */
    int signal;
    Pointer value;
    Handle handle;
};

struct Peer {
    pid_t process;
    int socket;
};

/* Starts a peer. Must be called before this process initialises the driver: a fork made later cannot use the driver. */
struct Peer start_peer(int device);

/* Kills the peer with SIGKILL, without any cleanup by the peer. */
void end_peer(struct Peer *peer);

/* The same, but leaves its files in shared memory. Returns the process that it was. */
pid_t kill_peer(struct Peer *peer);

/* Removes the files that a real driver leaves behind in shared memory if a process is killed or crashes. */
void remove_leftovers(pid_t process);
int has_leftovers(pid_t process);

struct Answer ask(struct Peer *peer, enum Operation operation, Pointer value);
struct Answer ask_about(struct Peer *peer, enum Operation operation, Handle handle);
struct Answer open_memory(struct Peer *peer, Handle handle);
struct Answer open_with_flags(struct Peer *peer, Handle handle, unsigned flags);
struct Answer map_memory(struct Peer *peer, Pointer physical, unsigned size);
struct Answer pass_descriptor(struct Peer *peer, enum Operation operation, int descriptor);

/* The two halves of `ask`, for a call that may not return. `answers_within` returns whether it does in time. */
void begin(struct Peer *peer, enum Operation operation, Pointer value);
struct Answer finish(struct Peer *peer);
int answers_within(struct Peer *peer, int milliseconds);

/* Returns a handle in which each byte is `byte`. */
Handle filled(unsigned char byte);

/* Another process with a context of its own: it performs what it is asked for, one message at a time. */
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
    /* What ended the peer instead of an answer. */
    int signal;
    Pointer value;
    Handle handle;
};

struct Peer {
    pid_t process;
    int socket;
};

/* To be called before this process has initialised the driver: afterwards a fork is of no use. */
struct Peer start_peer(int device);

/* Kills it, as a process may die at any time. */
void end_peer(struct Peer *peer);

/* Removes what a process that was killed, or crashed, leaves of a real driver. */
void remove_leftovers(pid_t process);

struct Answer ask(struct Peer *peer, enum Operation operation, Pointer value);
struct Answer ask_about(struct Peer *peer, enum Operation operation, Handle handle);
struct Answer open_memory(struct Peer *peer, Handle handle);
struct Answer open_with_flags(struct Peer *peer, Handle handle, unsigned flags);
struct Answer map_memory(struct Peer *peer, Pointer physical, unsigned size);
struct Answer pass_descriptor(struct Peer *peer, enum Operation operation, int descriptor);

/* The two halves of `ask`, for a call that may not return, and whether the answer is there within a time. */
void begin(struct Peer *peer, enum Operation operation, Pointer value);
struct Answer finish(struct Peer *peer);
int answers_within(struct Peer *peer, int milliseconds);

Handle filled(unsigned char byte);

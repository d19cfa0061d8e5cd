/* The numbers of events and of allocations that one process can export. */
#include "groups.h"

static void exported_events(void) {
    Pointer count = 0;
    for (;; count++) {
        Object event;
        Handle handle;
        int code = cuEventCreate(&event, INTERPROCESS | DISABLE_TIMING);
        if (!code) code = cuIpcGetEventHandle(&handle, event);
        if (!code && count < 8192) continue;
        say_value("limit of interprocess events", count);
        say("limit of interprocess events then", code);
        return;
    }
}

static void exported_allocations(void) {
    Pointer count = 0;
    int code = 0;
    while (!code && count < 20000) {
        Pointer memory;
        Handle handle;
        code = cuMemAlloc(&memory, 512);
        if (!code) code = cuIpcGetMemHandle(&handle, memory);
        if (!code) count++;
    }
    say_value("limit of exported allocations", count);
}

void limits(void) {
    enter(0);
    exported_events();
    exported_allocations();
}

#include "groups.h"

#include <sys/wait.h>

/* Calls in the forked child of a process that has initialised the driver. */
void fork_after_init(void) {
    Pointer inherited;
    char byte = 0;
    enter(0);
    NEED(cuMemAlloc(&inherited, BLOCK));
    pid_t child = fork();
    if (child == 0) {
        Pointer memory;
        say("fork init", cuInit(0));
        say("fork alloc", cuMemAlloc(&memory, BLOCK));
        say("fork copy", cuMemcpyDtoH(&byte, inherited, 1));
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

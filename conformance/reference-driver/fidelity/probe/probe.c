/*
 * What a driver answers, line by line: `probe LIBRARY` prints "name: code" or "name: = value" for every call that the
 * reference driver is held against a real one by. It runs on any machine with a GPU and a C compiler; where there are
 * two GPUs, the questions to importers come a second time, with the importer on the second one.
 *
 * The first process never initialises the driver, so that each group can begin in a fork of it: what a group breaks,
 * or dies of, is its own.
 */
#include "groups.h"

#include <signal.h>
#include <sys/wait.h>

static int has_failed;

struct Group {
    const char *name;
    void (*ask)(int importer_device);
    void (*ask_alone)(void);
    void (*ask_library)(void *library);
};

static const struct Group groups[] = {
    {"environment", .ask_alone = environment},
    {"legacy handles", .ask_alone = legacy_handles},
    {"legacy opens", .ask = legacy_opens},
    {"legacy contexts", .ask = legacy_contexts},
    {"events", .ask = events},
    {"vmm", .ask = vmm},
    {"vmm refusals", .ask_alone = vmm_refusals},
    {"fabric", .ask_alone = fabric},
    {"foreign descriptors", .ask_alone = foreign_descriptors},
    {"pools", .ask = pools},
    {"large pools", .ask_alone = large_pools},
    {"deaths", .ask = deaths},
    {"limits", .ask_alone = limits},
    {"flipped bits", .ask_alone = flipped_bits},
    {"fork", .ask_alone = fork_after_init},
    {"runtime", .ask_library = runtime},
};
enum { GROUPS = sizeof groups / sizeof *groups, SECONDS_OF_A_GROUP = 60 };

/* A hang ends with SIGALRM. */
static void run(const struct Group *group, int importer_device, void *library) {
    int status;
    pid_t process = fork();
    if (process == 0) {
        alarm(SECONDS_OF_A_GROUP);
        if (group->ask) group->ask(importer_device);
        else if (group->ask_alone) group->ask_alone();
        else group->ask_library(library);
        exit(0);
    }
    waitpid(process, &status, 0);
    if (status) {
        fprintf(stderr, "probe: %s%s ended with %s %d\n", prefix, group->name,
                WIFSIGNALED(status) ? "signal" : "code", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        has_failed = 1;
    }
}

static int device_count(void) {
    int status, count = 0;
    pid_t process = fork();
    if (process == 0) {
        if (cuInit(0) || cuDeviceGetCount(&count)) _exit(0);
        _exit(count);
    }
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* The driver's library where it has the runtime's functions too, or else the newest runtime that is found. */
static void *find_runtime(const char *driver) {
    const char *names[] = {driver, "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library && dlsym(library, "cudaIpcGetMemHandle")) return library;
    }
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: probe LIBRARY\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    load(arguments[1]);
    void *library = find_runtime(arguments[1]);
    int devices = device_count();
    if (devices == 0) fprintf(stderr, "probe: %s finds no device\n", arguments[1]), exit(2);
    if (devices == 1) fprintf(stderr, "probe: one device: nothing is asked across devices\n");
    if (!library) fprintf(stderr, "probe: no libcudart: nothing is asked of the runtime\n");
    for (const struct Group *group = groups; group < groups + GROUPS; group++) {
        if (group->ask_library && !library) continue;
        run(group, 0, library);
        if (group->ask && devices > 1) {
            prefix = "cross ";
            run(group, 1, library);
            prefix = "";
        }
    }
    return has_failed ? 2 : 0;
}

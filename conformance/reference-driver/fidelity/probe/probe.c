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
#include <sys/resource.h>
#include <sys/wait.h>

static const struct Group {
    const char *name;
    void (*ask)(void);
    int has_importers;
} groups[] = {
    {"environment", environment, 0},
    {"legacy handles", legacy_handles, 0},
    {"legacy opens", legacy_opens, 1},
    {"legacy contexts", legacy_contexts, 1},
    {"events", events, 1},
    {"vmm", vmm, 1},
    {"vmm refusals", vmm_refusals, 0},
    {"fabric", fabric, 0},
    {"foreign descriptors", foreign_descriptors, 0},
    {"pools", pools, 1},
    {"large pools", large_pools, 0},
    {"deaths", deaths, 1},
    {"limits", limits, 0},
    {"flipped bits", flipped_bits, 0},
    {"fork", fork_after_init, 0},
    {"runtime", runtime, 0},
};
enum { GROUPS = sizeof groups / sizeof *groups, SECONDS_OF_A_GROUP = 60 };

/* Whether the group came to its end. A hang ends with SIGALRM. */
static int run(const struct Group *group) {
    int status;
    pid_t process = fork();
    if (process == 0) {
        alarm(SECONDS_OF_A_GROUP);
        group->ask();
        exit(0);
    }
    waitpid(process, &status, 0);
    if (status == 0) return 1;
    remove_leftovers(process);
    int is_signal = WIFSIGNALED(status);
    fprintf(stderr, "probe: the group of %s, importers on device %d, ended with %s %d\n", group->name, importer_device,
            is_signal ? "signal" : "code", is_signal ? WTERMSIG(status) : WEXITSTATUS(status));
    return 0;
}

static int device_count(void) {
    int status, count = 0;
    pid_t process = fork();
    if (process == 0) exit(cuInit(0) || cuDeviceGetCount(&count) ? 0 : count);
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: probe LIBRARY\n");
        return 2;
    }
    /* Some answers are a crash, which is to leave no file. */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setvbuf(stdout, NULL, _IOLBF, 0);
    load(arguments[1]);
    int devices = device_count(), has_runtime = find_runtime(arguments[1]), is_whole = 1;
    if (devices == 0) fprintf(stderr, "probe: %s finds no device\n", arguments[1]);
    if (devices == 0) return 2;
    if (devices == 1) fprintf(stderr, "probe: one device: nothing is asked across devices\n");
    if (!has_runtime) fprintf(stderr, "probe: no libcudart: nothing is asked of the runtime\n");
    for (const struct Group *group = groups; group < groups + GROUPS; group++) {
        if (group->ask == runtime && !has_runtime) continue;
        int last_device = group->has_importers && devices > 1 ? 1 : 0;
        for (importer_device = 0; importer_device <= last_device; importer_device++) is_whole &= run(group);
        importer_device = 0;
    }
    return is_whole ? 0 : 2;
}

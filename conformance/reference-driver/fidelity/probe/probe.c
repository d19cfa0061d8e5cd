/*
 * Prints the results of driver calls, one per line, to compare the reference driver with a real one: `probe LIBRARY`.
 * It runs on any machine with a GPU and a C compiler. If there are two GPUs, the groups with importers run a second
 * time, with the importers on the second GPU.
 *
 * The first process never initialises the driver, so each group can run in a fork of it. If a group breaks its process
 * or ends in a crash, the other groups are not affected.
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
    {"frees without a context", frees_without_a_context, 0},
    {"empty allocations", empty_allocations, 0},
    {"host pools", host_pools, 0},
    {"export tables", export_tables, 0},
    {"contexts of later signatures", contexts_of_later_signatures, 0},
    {"callbacks", callbacks, 0},
    {"modules", modules, 0},
    {"profilers", profilers, 0},
    {"libraries", libraries, 0},
    {"captures", captures, 0},
    {"joined captures", joined_captures, 0},
    {"contexts of one device", contexts_of_one_device, 0},
    {"import of another context", import_of_another_context, 0},
    {"first launches", first_launches, 0},
    {"calls beside a capture", calls_beside_a_capture, 0},
    {"capture of a blocking stream", capture_of_a_blocking_stream, 0},
    {"capture and another thread", capture_and_another_thread, 0},
    {"peer copies", peer_copies, 1},
    {"destroyed peers", destroyed_peers, 1},
    {"pools in use", pools_in_use, 1},
    {"flags of opens", flags_of_opens, 0},
    {"small neighbours", small_neighbours, 0},
    {"stale handles", stale_handles, 0},
    {"reserved addresses", reserved_addresses, 0},
    {"fabric pools", fabric_pools, 0},
    {"files of the dead", files_of_the_dead, 0},
    {"stores of another process", stores_of_another_process, 0},
    {"limits", limits, 0},
    {"flipped bits", flipped_bits, 0},
    {"fork", fork_after_init, 0},
    {"runtime", runtime, 0},
};
enum { GROUPS = sizeof groups / sizeof *groups, SECONDS_OF_A_GROUP = 60 };

/* Runs a group, and returns whether it completed. SIGALRM ends a group that hangs. */
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
    fprintf(stderr, "probe: group `%s`, importers on device %d, ended with %s %d\n", group->name, importer_device,
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
    /* Some calls crash on a real driver, and must not leave a core file. */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setvbuf(stdout, NULL, _IOLBF, 0);
    load(arguments[1]);
    int devices = device_count(), has_runtime = find_runtime(getenv("CUDA_IPC_RUNTIME")), is_whole = 1;
    if (devices == 0) fprintf(stderr, "probe: %s finds no device\n", arguments[1]);
    if (devices == 0) return 2;
    if (devices == 1) fprintf(stderr, "probe: one device: no lines across devices\n");
    if (!has_runtime) fprintf(stderr, "probe: no libcudart: no lines of the runtime\n");
    for (const struct Group *group = groups; group < groups + GROUPS; group++) {
        if (group->ask == runtime && !has_runtime) continue;
        int last_device = group->has_importers && devices > 1 ? 1 : 0;
        for (importer_device = 0; importer_device <= last_device; importer_device++) is_whole &= run(group);
        importer_device = 0;
    }
    return is_whole ? 0 : 2;
}
